import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { CallError, type Client } from '../../api/call.ts'
import { type Upload, upload } from '../../api/upload.ts'
import { Button } from '../../kit/button.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { FormError } from '../../kit/form.tsx'
import { bytes } from '../../kit/format.ts'
import { Progress } from '../../kit/page.tsx'
import { useApp } from '../../shell/context.ts'
import type { InspectReport, StoredBackup } from '../../shell/server.ts'
import { type ArchiveJobControl, ArchiveJobProgress, isCancelled, reportFailure } from './archive-job.tsx'
import { madeAt } from './backup-dates.ts'
import { Report } from './restore-report.tsx'

/** A backup that may be put back: a file of this device, or one that stands on the shelf. */
export type Source =
  | { readonly kind: 'file'; readonly file: File }
  | { readonly kind: 'kept'; readonly backup: StoredBackup }

type Fields = Readonly<Record<string, string>>

interface RestoreRequests {
  inspect(): Upload<InspectReport>
  restore(fields: Fields): Upload<unknown>
}

/** A file is sent along with each question; `onSent` hears how much of it has gone. A kept backup is there already. */
function restoreRequests(source: Source, client: Client, onSent: (part: number) => void): RestoreRequests {
  if (source.kind === 'file') {
    const send = <T,>(path: string, fields: Fields): Upload<T> => {
      const form = new FormData()
      for (const [name, value] of Object.entries(fields)) form.set(name, value)
      form.set('file', source.file)
      onSent(0)
      return upload<T>(path, form, onSent)
    }
    return {
      inspect: () => send('/backup/inspect', {}),
      restore: (fields) => send('/backup/restore', fields),
    }
  }
  const ask = <T,>(what: string, body: Fields): Upload<T> => {
    const path = `/backup/archives/${encodeURIComponent(source.backup.name)}/${what}`
    return { answer: client.send<T>({ method: 'POST', path, body, once: true }), cancel() {} }
  }
  return {
    inspect: () => ask('verify', {}),
    restore: (fields) => ask('restore', fields),
  }
}

const titles = {
  reading: 'Reading the backup',
  report: 'What is in this backup',
  refused: 'This one cannot be put back',
  replacing: 'Putting it back',
  returning: 'Putting it back',
} as const

/** Reads a backup in full, says what is in it, and puts it back once the word is typed. */
export function RestoreDialog({
  source,
  job,
  onClose,
}: {
  source: Source
  job: ArchiveJobControl
  onClose: () => void
}): JSX.Element {
  const { client, session, toasts, cache } = useApp()
  const [stage, setStage] = useState<keyof typeof titles>('reading')
  const [report, setReport] = useState<InspectReport | null>(null)
  const [problem, setProblem] = useState<CallError | null>(null)
  const [sent, setSent] = useState(source.kind === 'file' ? 0 : 1)
  const asked = useRef<Upload<unknown> | null>(null)
  const requests = restoreRequests(source, client, setSent)

  /** What came of a question; a refusal is shown, that somebody stopped it is said. */
  const answerTo = async <T,>(question: Upload<T>): Promise<{ answer: T } | 'refused' | 'stopped'> => {
    asked.current = question
    setProblem(null)
    try {
      return { answer: await question.answer }
    } catch (error) {
      if (isCancelled(error)) {
        reportFailure(toasts, error)
        return 'stopped'
      }
      setProblem(error instanceof CallError ? error : new CallError(0, 'failed', String(error)))
      return 'refused'
    }
  }

  const read = async () => {
    const came = await answerTo(requests.inspect())
    if (came === 'stopped') {
      onClose()
      return
    }
    if (came !== 'refused') setReport(came.answer)
    setStage(came === 'refused' ? 'refused' : 'report')
  }
  useEffect(() => void read(), [])

  const restore = async (passphrase: string) => {
    setStage('replacing')
    const came = await answerTo(
      requests.restore({ confirm: 'RESTORE', ...(passphrase && { keyPassphrase: passphrase }) }),
    )
    if (typeof came === 'string') {
      setStage('report')
      return
    }
    setStage('returning')
    // Everything on this page speaks of what was replaced; the sessions are gone too.
    for (;;) {
      try {
        await session.refresh()
        break
      } catch {
        await new Promise((resolve) => setTimeout(resolve, 1000))
      }
    }
    cache.purge()
    toasts.say('It is all back. Sign in with a name and password from the backup.')
  }

  const busy = stage === 'reading' || stage === 'replacing'
  return (
    <Dialog
      title={titles[stage]}
      onClose={() => {
        // While it works only the button that says so ends it.
        if (stage === 'report' || stage === 'refused') onClose()
      }}
    >
      <p class="small soft chosen">
        {source.kind === 'file' ? <code>{source.file.name}</code> : madeAt(source.backup)},{' '}
        {bytes(source.kind === 'file' ? source.file.size : source.backup.bytes)}
      </p>
      {busy && sent < 1 && (
        <div class="work">
          <Progress said="Sending it to the server" part={sent} />
          <Button variant="quiet" onClick={() => asked.current?.cancel()}>
            Stop
          </Button>
        </div>
      )}
      {busy && sent >= 1 && <ArchiveJobProgress job={job} brief />}
      {stage === 'returning' && <Progress said="It is in place. Opening the book again" part={null} />}
      {report && (
        <Report
          report={report}
          hidden={stage !== 'report'}
          problem={problem}
          onRestore={(passphrase) => void restore(passphrase)}
          onClose={onClose}
        />
      )}
      {stage === 'refused' && (
        <>
          <FormError error={problem} />
          <div class="actions">
            <Button onClick={onClose}>Close</Button>
          </div>
        </>
      )}
    </Dialog>
  )
}
