import type { ComponentChildren, JSX } from 'preact'
import { Button } from '../../kit/button.tsx'
import { useSubmit } from '../../kit/form.tsx'
import { bytes, count, span, when } from '../../kit/format.ts'
import { Icon } from '../../kit/icon.tsx'
import { Fact } from '../../kit/page.tsx'
import { useApp } from '../../shell/context.ts'
import type { BackupStatus } from '../../shell/server.ts'
import { reportFailure } from './archive-job.tsx'
import { keeping, rhythm } from './scheduled-backups.tsx'
import './styles.ts'

/** Makes a backup in the backup folder now, and says what came of it. */
export function useBackUp(refresh: () => Promise<void>): { readonly busy: boolean; run(): void } {
  const { client, toasts } = useApp()
  const { busy, run } = useSubmit()
  const backUp = async () => {
    try {
      await client.send({ method: 'POST', path: '/backup/run', body: {}, once: true })
      toasts.say('Kept, and read back to be sure.')
    } catch (error) {
      reportFailure(toasts, error)
    }
    await refresh()
  }
  return { busy, run: () => void run(backUp) }
}

type Cadence = BackupStatus['backup']['cadence']

/** A sentence and a seal: am I safe? */
export function BackupSummary({
  cadence,
  newestIsDamaged,
  busy,
  onBackUp,
}: {
  cadence: Cadence
  newestIsDamaged: boolean
  busy: boolean
  onBackUp: () => void
}): JSX.Element {
  const well = cadence.lastSuccessAt !== null && cadence.lastError === null && !newestIsDamaged
  const [words, next] = newestIsDamaged
    ? ['The newest backup is damaged', 'Make another one now, and look after the disk it lies on.']
    : [whenKept(cadence), whatComes(cadence)]
  return (
    <section class="backup-summary">
      <svg class={well ? 'backup-seal' : 'backup-seal stale'} viewBox="0 0 88 88" aria-hidden="true">
        <path
          fill="currentColor"
          opacity=".16"
          d="M44 4c8 0 9 6 16 8s13-1 18 6-1 12 1 19 8 9 6 17-9 8-12 14 0 13-7 17-12-2-19 0-11 7-19 4-6-10-11-15-13-4-15-12 5-11 5-18-7-12-3-19 11-4 17-8 8-13 23-13Z"
        />
        <circle cx="44" cy="44" r="26" fill="none" stroke="currentColor" stroke-width="2.5" />
        <path
          fill="none"
          stroke="currentColor"
          stroke-width="5"
          stroke-linecap="round"
          stroke-linejoin="round"
          d={well ? 'm33 45 8 8 15-18' : 'M44 32v14M44 55v.2'}
        />
      </svg>
      <div>
        <strong class="h2">{words}</strong>
        <p class="soft">{next}</p>
      </div>
      <Button variant="primary" icon="disk" busy={busy} onClick={onBackUp}>
        Back up now
      </Button>
    </section>
  )
}

const whenKept = ({ lastSuccessAt }: Cadence): string =>
  lastSuccessAt ? `Kept safe ${span(lastSuccessAt)}` : 'This server has kept no backup yet'

function whatComes({ enabled, lastSuccessAt, nextRunAt }: Cadence): string {
  const checked = lastSuccessAt ? 'Read back and checked. ' : ''
  if (!enabled) {
    return `${checked}Nothing is kept by itself here: switch that on below, or make one after each session.`
  }
  const at = nextRunAt === null || Date.parse(nextRunAt) <= Date.now() ? 'in a moment' : span(nextRunAt)
  return `${checked}The next one is made by itself ${at}.`
}

const grave: ReadonlySet<string> = new Set(['low_disk', 'failed'])

/** What whoever keeps the server should know. `damaged` counts what lies on the shelf; which those are is said there. */
export function Alerts({
  alerts,
  damaged,
}: {
  alerts: BackupStatus['backup']['alerts']
  damaged: number
}): JSX.Element {
  return (
    <>
      {damaged > 0 && (
        <Alert bad>
          {damaged === 1 ? 'One backup' : count(damaged, 'backup')} on the shelf cannot be put back. Below it says why.
        </Alert>
      )}
      {alerts
        .filter(({ kind }) => kind !== 'damaged')
        .map(({ kind, message, at }) => (
          <Alert key={`${kind} ${message}`} bad={grave.has(kind)}>
            {message} <span class="soft small">{when(at)}</span>
          </Alert>
        ))}
    </>
  )
}

function Alert({ bad, children }: { bad: boolean; children: ComponentChildren }): JSX.Element {
  return (
    <p class={bad ? 'banner bad alert' : 'banner alert'}>
      <Icon name="warn" />
      <span class="grow">{children}</span>
    </p>
  )
}

export function Facts({ cadence }: { cadence: Cadence }): JSX.Element {
  const { enabled, intervalHours, keepCount, keepDays, lastArchive, directory, freeBytes } = cadence
  return (
    <dl class="fact-row">
      <Fact name="Size">{lastArchive && bytes(lastArchive.bytes)}</Fact>
      <Fact name="How often">{enabled ? `${rhythm(intervalHours)}. ${keeping(keepCount, keepDays)}` : 'By hand'}</Fact>
      <Fact name="Kept in">{directory}</Fact>
      <Fact name="Room left">{freeBytes === null ? null : bytes(freeBytes)}</Fact>
    </dl>
  )
}
