import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { Button } from '../../kit/button.tsx'
import { useSubmit } from '../../kit/form.tsx'
import { bytes, count, span, when } from '../../kit/format.ts'
import { Icon } from '../../kit/icon.tsx'
import { Fact, Failed, Head, Section, Waiting } from '../../kit/page.tsx'
import { messageOf, useApp, useTitle } from '../../shell/context.ts'
import { type BackupStatus, type Reread, useServer } from '../../shell/server.ts'
import { KeyedDownload } from './download.tsx'
import { Restore } from './restore.tsx'
import { Work } from './work.tsx'

/** Am I safe? A sentence and a seal; then taking a backup, and putting one back. */
export function Backups(): JSX.Element {
  const status = useServer<BackupStatus>('/backup/status')
  useTitle('Backups')
  const work = status.data?.backup.current ?? null
  useEffect(() => {
    const timer = setInterval(() => void status.refresh(), work ? 1000 : 15_000)
    return () => clearInterval(timer)
  }, [status.refresh, work !== null])
  return (
    <>
      <Head title="Backups" />
      {status.data ? (
        <Safe status={status.data} refresh={status.refresh} />
      ) : status.error ? (
        <Failed error={status.error} retry={() => void status.refresh()} />
      ) : (
        <Waiting />
      )}
      <Section title="Take it all with you">
        <p class="prose soft">
          One file with everything: all campaigns, people, notes and pictures. Keep it on another disk. It is safe to
          take while others are playing.
        </p>
        <div class="line">
          <a
            class="btn act"
            href="/api/v1/backup"
            download
            onClick={() => {
              setTimeout(() => void status.refresh(), 800)
            }}
          >
            <Icon name="get" />
            Download a backup
          </a>
        </div>
        <KeyedDownload />
      </Section>
      <Restore work={work} refresh={status.refresh} />
    </>
  )
}

function Safe({
  status: {
    backup: { cadence, alerts, current },
  },
  refresh,
}: {
  status: BackupStatus
  refresh: Reread<BackupStatus>['refresh']
}): JSX.Element {
  const { client, toasts } = useApp()
  const submitting = useSubmit()
  const { lastSuccessAt, lastError, lastArchive } = cadence
  const well = lastSuccessAt !== null && lastError === null
  const words = lastSuccessAt ? `Kept safe ${span(lastSuccessAt)}` : 'This server has kept no backup yet'
  const next = cadence.enabled
    ? cadence.nextRunAt
      ? `Read back and checked. The next one is made by itself ${span(cadence.nextRunAt)}.`
      : 'The next one is made by itself.'
    : `${lastSuccessAt ? 'Read back and checked. ' : ''}Nothing is kept by itself here: make one after each session, or download one and put it on another disk.`

  const run = async () => {
    const soon = setTimeout(() => void refresh(), 300)
    try {
      await client.send({ method: 'POST', path: '/backup/run', body: {} })
      toasts.say('Kept, and read back to be sure.')
    } catch (error) {
      toasts.fail(messageOf(error))
    }
    clearTimeout(soon)
    await refresh()
  }
  return (
    <>
      <section class="well-kept">
        <svg class={well ? 'seal' : 'seal stale'} viewBox="0 0 88 88" aria-hidden="true">
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
        <Button icon="disk" busy={submitting.busy || current !== null} onClick={() => void submitting.run(run)}>
          Back up now
        </Button>
      </section>
      {current && <Work work={current} />}
      {alerts.map((alert) => (
        <p
          key={`${alert.kind} ${alert.at}`}
          class={alert.kind === 'low_disk' || alert.kind === 'failed' ? 'banner bad alert' : 'banner alert'}
        >
          <Icon name="warn" />
          <span class="grow">
            {alert.message} <span class="soft small">{when(alert.at)}</span>
          </span>
        </p>
      ))}
      <dl class="nums">
        <Fact name="Size">{lastArchive && bytes(lastArchive.bytes)}</Fact>
        <Fact name="How often">{cadence.enabled ? `Every ${count(cadence.intervalHours, 'hour')}` : 'By hand'}</Fact>
        <Fact name="Kept in">{cadence.directory}</Fact>
      </dl>
    </>
  )
}
