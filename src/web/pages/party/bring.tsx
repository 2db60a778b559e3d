import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import { foreignSheets } from '../../../rules/systems.ts'
import type { Output } from '../../api/contract.ts'
import { Button } from '../../kit/button.tsx'
import { Dialog } from '../../kit/dialog.tsx'
import { SelectField } from '../../kit/field.tsx'
import { count } from '../../kit/format.ts'
import { useAction } from '../../shell/actions.ts'
import { useCampaign } from '../../shell/context.ts'
import { sectionPath } from '../../shell/links.ts'

const formats = [
  ...foreignSheets.map(({ format, title }) => ({ value: format, word: title })),
  { value: 'talekeeper', word: 'Talekeeper' },
]

/** A sheet out of a file, and what of it was not understood. */
export function BringDialog({ onClose }: { onClose: () => void }): JSX.Element {
  const { campaignId } = useCampaign()
  const act = useAction()
  const [format, setFormat] = useState(formats[0]?.value ?? '')
  const [document, setDocument] = useState<Record<string, unknown> | null>(null)
  const [complaint, setComplaint] = useState('')
  const [made, setMade] = useState<Output<'import_character'> | null>(null)
  const read = async (file: File | undefined) => {
    setDocument(null)
    setComplaint('')
    if (file === undefined) return
    try {
      const value: unknown = JSON.parse(await file.text())
      if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new SyntaxError('no object')
      setDocument(value as Record<string, unknown>)
    } catch {
      setComplaint('This file is no JSON. Export the character as JSON, and choose that file.')
    }
  }
  const bring = async () => {
    if (document === null) return
    const written = await act('import_character', { campaignId, format, document })
    if (written?.kind === 'done') setMade(written.value)
  }
  if (made !== null)
    return (
      <Dialog title={`${made.name} is here`} onClose={onClose}>
        <p>{`With ${count(made.itemCount, 'thing')} in the bag.`}</p>
        {made.report.length > 0 && (
          <>
            <h3>What to look at</h3>
            <ul>
              {made.report.map((line) => (
                <li key={line}>{line}</li>
              ))}
            </ul>
          </>
        )}
        <Link class="btn primary" href={sectionPath(campaignId, 'characters', made.id)}>
          To the sheet
        </Link>
      </Dialog>
    )
  return (
    <Dialog title="Bring a sheet along" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          void bring()
        }}
      >
        <SelectField label="Where it comes from" value={format} onValue={setFormat} options={formats} />
        <label class="field">
          <span>The file</span>
          <input
            class="input"
            type="file"
            accept=".json,application/json"
            onChange={(event) => void read(event.currentTarget.files?.[0])}
          />
        </label>
        {complaint !== '' && (
          <p class="error" role="alert">
            {complaint}
          </p>
        )}
        <Button type="submit" variant="primary" disabled={document === null}>
          Bring it
        </Button>
      </form>
    </Dialog>
  )
}
