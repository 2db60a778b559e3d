import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { Failed, Head, Waiting } from '../../kit/page.tsx'
import { useTitle } from '../../shell/context.ts'
import { type BackupStatus, useServer } from '../../shell/server.ts'
import { TakeAway } from './download.tsx'
import { PutBack, type Source } from './put-back.tsx'
import { Restore } from './restore.tsx'
import { Alerts, Facts, Seal, useBackUp } from './safe.tsx'
import { OnTheShelf, type Shelf } from './shelf.tsx'
import { useWork, Work } from './work.tsx'

/** Am I safe? A sentence and a seal; then what is kept, taking it away, and putting it back. */
export function Backups(): JSX.Element {
  const status = useServer<BackupStatus>('/backup/status')
  const shelf = useServer<Shelf>('/backup/archives')
  const [checking, setChecking] = useState<string | null>(null)
  const [packing, setPacking] = useState(false)
  const [source, setSource] = useState<Source | null>(null)
  useTitle('Backups')
  useMinutes()

  const refresh = async () => {
    await Promise.all([status.refresh(), shelf.refresh()])
  }
  const running = useWork(() => void refresh())
  const backUp = useBackUp(refresh)
  const busy = running.work !== null || backUp.busy
  // What was asked for further down is shown there.
  const isElsewhere = packing || source !== null || checking !== null

  if (!status.data) {
    return (
      <>
        <Head title="Backups" />
        {status.error ? <Failed error={status.error} retry={() => void status.refresh()} /> : <Waiting />}
      </>
    )
  }
  const { cadence, alerts } = status.data.backup
  const damaged = (shelf.data?.items ?? []).filter(({ problem }) => problem !== null)
  const newestIsDamaged = damaged.length > 0 && damaged[0] === shelf.data?.items[0]
  return (
    <>
      <Head title="Backups" />
      <Seal cadence={cadence} newestIsDamaged={newestIsDamaged} busy={busy} onBackUp={backUp.run} />
      {running.work && !isElsewhere && <Work running={running} />}
      <Alerts alerts={alerts} damaged={damaged.length} />
      <Facts cadence={cadence} />
      <OnTheShelf
        shelf={shelf}
        running={running}
        checking={checking}
        onChecking={setChecking}
        onPutBack={(backup) => setSource({ kind: 'kept', backup })}
        onBackUp={backUp.run}
      />
      <TakeAway running={running} packing={packing} onPacking={setPacking} />
      <Restore busy={busy} onFile={(file) => setSource({ kind: 'file', file })} />
      {source && <PutBack source={source} running={running} onClose={() => setSource(null)} />}
    </>
  )
}

/** What says how long ago something was grows old with the page. */
function useMinutes(): void {
  const [, setMinutes] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setMinutes((minutes) => minutes + 1), 60_000)
    return () => clearInterval(timer)
  }, [])
}
