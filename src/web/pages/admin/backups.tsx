import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { LoadError, Loading, PageHeader } from '../../kit/page.tsx'
import { usePageTitle } from '../../shell/context.ts'
import { type BackupStatus, useServer } from '../../shell/server.ts'
import { ArchiveJobProgress, useArchiveJob } from './archive-job.tsx'
import { ArchiveList, type StoredBackups } from './archive-list.tsx'
import { BackupDownload } from './backup-download.tsx'
import { Alerts, BackupSummary, Facts, useBackUp } from './backup-summary.tsx'
import { RestoreDialog, type Source } from './restore-dialog.tsx'
import { Restore } from './restore-upload.tsx'
import { ScheduledBackups } from './scheduled-backups.tsx'

/** Am I safe? A sentence and a seal; then what is kept, taking it away, and putting it back. */
export function Backups(): JSX.Element {
  const status = useServer<BackupStatus>('/backup/status')
  const stored = useServer<StoredBackups>('/backup/archives')
  const [checking, setChecking] = useState<string | null>(null)
  const [downloading, setPacking] = useState(false)
  const [source, setSource] = useState<Source | null>(null)
  usePageTitle('Backups')
  useMinuteTick()

  const refresh = async () => {
    await Promise.all([status.refresh(), stored.refresh()])
  }
  const job = useArchiveJob(() => void refresh())
  const backUp = useBackUp(refresh)
  const busy = job.work !== null || backUp.busy
  // What was asked for further down is shown there.
  const isElsewhere = downloading || source !== null || checking !== null

  if (!status.data) {
    return (
      <>
        <PageHeader title="Backups" />
        {status.error ? <LoadError error={status.error} retry={() => void status.refresh()} /> : <Loading />}
      </>
    )
  }
  const { cadence, alerts } = status.data.backup
  const damaged = (stored.data?.items ?? []).filter(({ problem }) => problem !== null)
  const newestIsDamaged = damaged.length > 0 && damaged[0] === stored.data?.items[0]
  return (
    <>
      <PageHeader title="Backups" />
      <BackupSummary cadence={cadence} newestIsDamaged={newestIsDamaged} busy={busy} onBackUp={backUp.run} />
      {job.work && !isElsewhere && <ArchiveJobProgress job={job} />}
      <Alerts alerts={alerts} damaged={damaged.length} />
      <Facts cadence={cadence} />
      <ScheduledBackups onChanged={refresh} />
      <ArchiveList
        stored={stored}
        job={job}
        checking={checking}
        onChecking={setChecking}
        onRestore={(backup) => setSource({ kind: 'kept', backup })}
        onBackUp={backUp.run}
      />
      <BackupDownload job={job} downloading={downloading} onDownloading={setPacking} />
      <Restore busy={busy} onFile={(file) => setSource({ kind: 'file', file })} />
      {source && <RestoreDialog source={source} job={job} onClose={() => setSource(null)} />}
    </>
  )
}

/** What says how long ago something was grows old with the page. */
function useMinuteTick(): void {
  const [, setMinutes] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setMinutes((minutes) => minutes + 1), 60_000)
    return () => clearInterval(timer)
  }, [])
}
