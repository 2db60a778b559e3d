import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { CallError } from '../../api/call.ts'
import { type Upload, upload } from '../../api/upload.ts'
import { Button } from '../../kit/button.tsx'
import { TextField } from '../../kit/field.tsx'
import { Complaint } from '../../kit/form.tsx'
import { bytes, count, day, sentence, time } from '../../kit/format.ts'
import { Icon, type IconName } from '../../kit/icon.tsx'
import { Progress, Section } from '../../kit/page.tsx'
import { useApp } from '../../shell/context.ts'
import type { BackupStatus, InspectReport } from '../../shell/server.ts'
import { Work } from './work.tsx'

type Stage = 'choose' | 'inspecting' | 'report' | 'restoring' | 'returning'

/** Putting a backup back: choose, read what is in it, type the word, wait. */
export function Restore({
  work,
  refresh,
}: {
  work: BackupStatus['backup']['current']
  refresh: () => Promise<void>
}): JSX.Element {
  const { session, toasts, cache } = useApp()
  const [stage, setStage] = useState<Stage>('choose')
  const [file, setFile] = useState<File | null>(null)
  const [report, setReport] = useState<InspectReport | null>(null)
  const [problem, setProblem] = useState<CallError | null>(null)
  const [sent, setSent] = useState(0)
  const running = useRef<Upload<unknown> | null>(null)
  const self = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (location.hash === '#restore') self.current?.scrollIntoView()
  }, [])

  /** Sends the file; the answer, or null when it failed and the complaint is shown. */
  const send = async <T,>(path: string, fields: Readonly<Record<string, string>>, chosen: File): Promise<T | null> => {
    const form = new FormData()
    for (const [name, value] of Object.entries(fields)) form.set(name, value)
    form.set('file', chosen)
    setProblem(null)
    setSent(0)
    const started = upload<T>(path, form, setSent)
    running.current = started
    setTimeout(() => void refresh(), 500)
    try {
      return await started.answer
    } catch (error) {
      setProblem(error instanceof CallError ? error : new CallError(0, 'failed', String(error)))
      return null
    } finally {
      running.current = null
    }
  }

  const inspect = async (chosen: File | undefined) => {
    if (!chosen) return
    setFile(chosen)
    setReport(null)
    setStage('inspecting')
    const found = await send<InspectReport>('/backup/inspect', {}, chosen)
    setReport(found)
    setStage(found ? 'report' : 'choose')
  }

  const restore = async (passphrase: string) => {
    if (!file) return
    setStage('restoring')
    const fields = { confirm: 'RESTORE', ...(passphrase ? { keyPassphrase: passphrase } : {}) }
    const done = await send('/backup/restore', fields, file)
    if (!done) {
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

  const busy = stage === 'inspecting' || stage === 'restoring'
  return (
    <div ref={self} id="restore">
      <Section title="Put a backup back">
        {stage === 'choose' && (
          <>
            <p class="prose soft">
              Choose the file. First you read what is in it; nothing changes until you type the word.
            </p>
            <Complaint error={problem} />
            <ChooseFile onFile={(chosen) => void inspect(chosen)} />
          </>
        )}
        {busy && (
          <div class="stack form">
            {sent < 1 ? (
              <Progress said={`Sending ${file?.name ?? 'the file'}`} part={sent} />
            ) : work ? (
              <Work work={work} />
            ) : (
              <Progress said="Reading it through" part={null} />
            )}
            {(sent < 1 || (work?.cancellable ?? true)) && (
              <Button look="quiet" class="outdent" onClick={() => running.current?.cancel()}>
                Stop
              </Button>
            )}
          </div>
        )}
        {stage === 'returning' && <Progress said="It is in place. Opening the book again" part={null} />}
        {stage === 'report' && report && file && (
          <Report
            report={report}
            file={file}
            problem={problem}
            onRestore={(passphrase) => void restore(passphrase)}
            onOther={() => {
              setStage('choose')
              setProblem(null)
            }}
          />
        )}
      </Section>
    </div>
  )
}

function ChooseFile({ onFile }: { onFile: (file: File | undefined) => void }): JSX.Element {
  return (
    <label class="btn">
      <Icon name="put" />
      Choose the file
      <input
        class="vh"
        type="file"
        accept=".zip,application/zip"
        onChange={(event) => onFile(event.currentTarget.files?.[0])}
      />
    </label>
  )
}

function linesOf(report: InspectReport): { icon: IconName; mind: boolean; text: string }[] {
  const { campaigns, users, uploadCount, appVersion, createdAt, schemaVersion, restoresToSchema } = report
  const good = (text: string) => ({ icon: 'check' as const, mind: false, text })
  const mind = (text: string, icon: IconName = 'warn') => ({ icon, mind: true, text })
  const lines = []
  if (campaigns !== null) lines.push(good(sentence(count(campaigns, 'campaign'))))
  const people = users === null ? null : count(users, 'person', 'people')
  lines.push(good(sentence([people, count(uploadCount, 'picture')].filter(Boolean).join(' and '))))
  const older = schemaVersion < restoresToSchema ? ' It will be brought up to date.' : ''
  lines.push(good(`Made by Talekeeper ${appVersion} on ${day(createdAt)} at ${time(createdAt)}.${older}`))
  lines.push(mind('What was written here since then is not in it.'))
  if (report.missingFiles.length > 0) {
    lines.push(mind(`${sentence(count(report.missingFiles.length, 'picture'))} were already missing when it was made.`))
  }
  if (!report.sealed) lines.push(mind('Another program has packed it anew. What is in it is as it was recorded.'))
  if (report.holdsKeyfile)
    lines.push(mind('The AI keys in it are sealed. You need the passphrase it was made with.', 'key'))
  return lines
}

function Report({
  report,
  file,
  problem,
  onRestore,
  onOther,
}: {
  report: InspectReport
  file: File
  problem: CallError | null
  onRestore: (passphrase: string) => void
  onOther: () => void
}): JSX.Element {
  const [word, setWord] = useState('')
  const [passphrase, setPassphrase] = useState('')
  const ready = word.trim() === 'RESTORE' && (!report.holdsKeyfile || passphrase.length >= 12)
  return (
    <section class="report">
      <p class="small soft">
        You chose <code>{file.name}</code>, {bytes(file.size)}
      </p>
      <h3 class="h2">What is in this backup</h3>
      <ul>
        {linesOf(report).map((line) => (
          <li key={line.text} class={line.mind ? 'mind' : undefined}>
            <Icon name={line.icon} />
            <span>{line.text}</span>
          </li>
        ))}
      </ul>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          if (ready) onRestore(passphrase)
        }}
      >
        {report.holdsKeyfile && (
          <div class="form">
            <TextField
              label="The passphrase of this backup"
              name="keyPassphrase"
              type="password"
              autocomplete="off"
              required
              minLength={12}
              value={passphrase}
              onValue={setPassphrase}
            />
          </div>
        )}
        <div class="confirm">
          <TextField
            label="Type RESTORE to go on"
            autocomplete="off"
            autocapitalize="characters"
            spellcheck={false}
            placeholder="RESTORE"
            value={word}
            onValue={setWord}
          />
          <Button look="harm" type="submit" disabled={!ready}>
            Put this in place of what I have
          </Button>
        </div>
      </form>
      <Complaint error={problem} />
      <p class="small soft">
        What is here now is kept beside it until the next good backup. If the lights go out halfway, you get one or the
        other, whole. Everybody is signed out.
      </p>
      <Button look="quiet" class="outdent" onClick={onOther}>
        Choose another file
      </Button>
    </section>
  )
}
