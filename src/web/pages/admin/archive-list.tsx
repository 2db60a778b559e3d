import type { JSX } from 'preact'
import { Button } from '../../kit/button.tsx'
import { bytes, capitalize, count, when } from '../../kit/format.ts'
import { Icon } from '../../kit/icon.tsx'
import { Menu } from '../../kit/menu.tsx'
import { EmptyState, LoadError, Loading, Section } from '../../kit/page.tsx'
import { messageOf, useApp } from '../../shell/context.ts'
import type { Patched, StoredBackup } from '../../shell/server.ts'
import { type ArchiveJobControl, ArchiveJobProgress, reportFailure } from './archive-job.tsx'
import { madeAt } from './backup-dates.ts'
import './styles.ts'

export interface StoredBackups {
  readonly items: readonly StoredBackup[]
}

interface ShelfProps {
  readonly stored: Patched<StoredBackups>
  readonly job: ArchiveJobControl
  /** The name of the one that is being checked for this page. */
  readonly checking: string | null
  readonly onChecking: (name: string | null) => void
  readonly onRestore: (backup: StoredBackup) => void
  /** Makes the first one. */
  readonly onBackUp: () => void
}

/** Every backup of the backup folder, newest first. */
export function ArchiveList({ stored, ...rest }: ShelfProps): JSX.Element {
  const { data, error, refresh } = stored
  if (!data) {
    return (
      <Section title="On the shelf">
        {error ? <LoadError error={error} retry={() => void refresh()} /> : <Loading />}
      </Section>
    )
  }
  const { items } = data
  if (items.length === 0) {
    return (
      <Section title="On the shelf">
        <EmptyState
          title="Nothing stands here yet"
          action={
            <Button busy={rest.job.work !== null} onClick={rest.onBackUp}>
              Make the first one
            </Button>
          }
        >
          A backup is the whole server in one file, read back as soon as it is made. It stands here until newer ones
          take its place.
        </EmptyState>
      </Section>
    )
  }
  const size = items.reduce((sum, item) => sum + item.bytes, 0)
  return (
    <Section
      title="On the shelf"
      end={<span class="small soft">{`${capitalize(count(items.length, 'backup'))}, ${bytes(size)}`}</span>}
    >
      <p class="prose soft">Kept on this server. Old ones make room for new ones, except those you keep for good.</p>
      <ul class="rows archives">
        {items.map((item) => (
          <ArchiveRow key={item.name} backup={item} stored={stored} {...rest} />
        ))}
      </ul>
    </Section>
  )
}

const addressOf = ({ name }: StoredBackup): string => `/backup/archives/${encodeURIComponent(name)}`

const isKept = ({ markers }: StoredBackup): boolean => markers.includes('pin') || markers.includes('keep')

function ArchiveRow({
  backup,
  stored,
  job,
  checking,
  onChecking,
  onRestore,
}: Omit<ShelfProps, 'onBackUp'> & { backup: StoredBackup }): JSX.Element {
  const { client, toasts } = useApp()
  const made = madeAt(backup)
  const idle = job.work === null && checking === null

  const check = async () => {
    onChecking(backup.name)
    try {
      await client.send({ method: 'POST', path: `${addressOf(backup)}/verify`, body: {}, once: true })
      toasts.say(`${made}: read to the last page, and it is whole.`)
    } catch (error) {
      reportFailure(toasts, error)
    }
    onChecking(null)
    await stored.refresh()
  }

  const keep = async (forGood: boolean) => {
    stored.patch(({ items }) => ({
      items: items.map((item) => (item.name === backup.name ? kept(item, forGood) : item)),
    }))
    try {
      await client.send({ method: forGood ? 'PUT' : 'DELETE', path: `${addressOf(backup)}/pin` })
      const said = forGood
        ? 'Kept for good. It stays when old ones are cleared away.'
        : 'It may go when newer ones come.'
      toasts.say(said, { word: 'Undo', run: () => keep(!forGood) })
    } catch (error) {
      toasts.fail(messageOf(error))
    }
    await stored.refresh()
  }

  return (
    <li class="row">
      <span class="grow">
        <span class="line">
          <strong>{made}</strong>
          {isKept(backup) && <span class="chip brass">Kept for good</span>}
          {backup.markers.includes('offsite') && <span class="chip">Also elsewhere</span>}
        </span>
        <span class="secondary">{backup.problem ?? holds(backup)}</span>
      </span>
      <span class="verification">
        <VerificationState backup={backup} />
        <span class="size">{bytes(backup.bytes)}</span>
      </span>
      <span class="moves">
        <a class="icon" href={`/api/v1${addressOf(backup)}`} download title="Download" aria-label={`Download: ${made}`}>
          <Icon name="get" />
        </a>
        <Menu
          label={`More: ${made}`}
          items={[
            idle && { icon: 'eye', word: 'Check that it is whole', run: check },
            isKept(backup)
              ? { icon: 'undo', word: 'Let it go again', run: () => keep(false) }
              : { icon: 'shield', word: 'Keep it for good', run: () => keep(true) },
            idle && backup.problem === null && { icon: 'put', word: 'Put it back', run: () => onRestore(backup) },
          ]}
        />
      </span>
      {checking === backup.name && <ArchiveJobProgress job={job} brief />}
    </li>
  )
}

function kept(backup: StoredBackup, forGood: boolean): StoredBackup {
  const others = backup.markers.filter((marker) => marker === 'offsite')
  return { ...backup, markers: forGood ? ['pin', ...others] : others }
}

/** What is in it beyond the book. */
function holds({ occasion, uploadCount, holdsKeyfile, missingFiles }: StoredBackup): string {
  const parts = [
    occasion === 'by-hand' && 'made by hand',
    count(uploadCount ?? 0, 'picture'),
    missingFiles > 0 && `${count(missingFiles, 'picture')} missing when it was made`,
    holdsKeyfile && 'the AI keys under a passphrase',
  ]
  return capitalize(parts.filter(Boolean).join(', '))
}

const hourMs = 3600 * 1000

/** Whether it could be put back, as far as is known. That each was read when it was made need not be counted in days. */
function VerificationState({ backup: { problem, checkedAt, createdAt } }: { backup: StoredBackup }): JSX.Element {
  if (problem !== null) return <span class="word bad">Damaged</span>
  if (checkedAt === null) return <span class="word faint">Not read back yet</span>
  const [made, checked] = [Date.parse(createdAt ?? ''), Date.parse(checkedAt)]
  const since = Date.now() - checked > hourMs && checked - made < hourMs ? 'when made' : when(checkedAt)
  return <span class="word ok">Read back {since}</span>
}
