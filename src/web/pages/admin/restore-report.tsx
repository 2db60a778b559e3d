import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { CallError } from '../../api/call.ts'
import { Button } from '../../kit/button.tsx'
import { TextField } from '../../kit/field.tsx'
import { FormError } from '../../kit/form.tsx'
import { capitalize, count, day, time } from '../../kit/format.ts'
import { Icon, type IconName } from '../../kit/icon.tsx'
import type { InspectReport } from '../../shell/server.ts'

function linesOf(report: InspectReport): { icon: IconName; mind: boolean; text: string }[] {
  const { campaigns, users, uploadCount, appVersion, createdAt, schemaVersion, restoresToSchema } = report
  const good = (text: string) => ({ icon: 'check' as const, mind: false, text })
  const mind = (text: string, icon: IconName = 'warn') => ({ icon, mind: true, text })
  const lines = []
  if (campaigns !== null) lines.push(good(capitalize(count(campaigns, 'campaign'))))
  const accounts = users === null ? null : count(users, 'account')
  lines.push(good(capitalize([accounts, count(uploadCount, 'picture')].filter(Boolean).join(' and '))))
  const older = schemaVersion < restoresToSchema ? ' It will be brought up to date.' : ''
  lines.push(good(`Made by Talekeeper ${appVersion} on ${day(createdAt)} at ${time(createdAt)}.${older}`))
  lines.push(mind('What was written here since then is not in it.'))
  if (report.missingFiles.length > 0) {
    lines.push(
      mind(`${capitalize(count(report.missingFiles.length, 'picture'))} were already missing when it was made.`),
    )
  }
  if (!report.sealed) lines.push(mind('Another program has packed it anew. What is in it is as it was recorded.'))
  if (report.holdsKeyfile)
    lines.push(mind('The AI keys in it are sealed. You need the passphrase it was made with.', 'key'))
  return lines
}

/** What is in a backup, and the word that puts it in place. What was typed stays while it is hidden. */
export function Report({
  report,
  hidden,
  problem,
  onRestore,
  onClose,
}: {
  report: InspectReport
  hidden: boolean
  problem: CallError | null
  onRestore: (passphrase: string) => void
  onClose: () => void
}): JSX.Element {
  const [word, setWord] = useState('')
  const [passphrase, setPassphrase] = useState('')
  const self = useRef<HTMLDivElement>(null)
  // What was pressed to get here is gone: reading goes on at the top of the report.
  useEffect(() => {
    if (!hidden) self.current?.focus({ preventScroll: true })
  }, [hidden])
  const ready = word.trim() === 'RESTORE' && (!report.holdsKeyfile || passphrase.length >= 12)
  return (
    <div ref={self} class="report" tabIndex={-1} hidden={hidden}>
      <ul>
        {linesOf(report).map((line) => (
          <li key={line.text} class={line.mind ? 'caution' : undefined}>
            <Icon name={line.icon} />
            <span>{line.text}</span>
          </li>
        ))}
      </ul>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault()
          if (ready) onRestore(passphrase)
        }}
      >
        {report.holdsKeyfile && (
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
        )}
        <TextField
          label="Type RESTORE to go on"
          maxLength={20}
          autocomplete="off"
          autocapitalize="characters"
          spellcheck={false}
          placeholder="RESTORE"
          value={word}
          onValue={setWord}
        />
        <FormError error={problem} />
        <p class="small soft">
          What is here now is kept beside it until the next good backup. If the lights go out halfway, you get one or
          the other, whole. Everybody is signed out.
        </p>
        <div class="actions">
          <Button onClick={onClose}>Not this one</Button>
          <Button variant="danger" type="submit" disabled={!ready}>
            Put this in place of what I have
          </Button>
        </div>
      </form>
    </div>
  )
}
