import type { ComponentChildren, JSX } from 'preact'
import { useContext, useRef, useState } from 'preact/hooks'
import { CampaignContext } from '../shell/context.ts'
import { Button, IconButton } from './button.tsx'
import { useFieldError, useLimit } from './field.tsx'
import { useUniqueId } from './hooks.ts'
import { Prose } from './prose.tsx'
import { ProseArea } from './prose-area.tsx'
import { writeInto } from './text-box.ts'

interface WriteProps {
  readonly label: string
  readonly name?: string
  readonly value: string
  readonly onValue: (value: string) => void
  readonly rows?: number
  readonly hint?: ComponentChildren
  readonly placeholder?: string
  /** Written in the DM's blue ink. */
  readonly secret?: boolean
  readonly autofocus?: boolean
}

/** A place to write prose: a plain text area with a few Markdown helpers and a preview. */
export function MarkdownField({
  label,
  name,
  value,
  onValue,
  rows = 8,
  hint,
  placeholder,
  secret,
  autofocus,
}: WriteProps): JSX.Element {
  const id = useUniqueId()
  const area = useRef<HTMLTextAreaElement>(null)
  const [preview, setPreview] = useState(false)
  const here = useContext(CampaignContext)
  const problem = useFieldError(name)
  const limit = useLimit(name)

  /** Puts marks around what is chosen, or before each of its lines. */
  const mark = (before: string, after: string, lines = false) => {
    const field = area.current
    if (!field) return
    const { selectionStart: start, selectionEnd: end } = field
    const chosen = field.value.slice(start, end)
    const made = lines
      ? chosen
          .split('\n')
          .map((line) => before + line)
          .join('\n')
      : before + chosen + after
    writeInto(field, made, start, end)
    if (!chosen && after) field.setSelectionRange(start + before.length, start + before.length)
  }

  /** Begins a mention where the caret is: the list of names comes by itself. */
  const mention = () => {
    const field = area.current
    if (!field) return
    const { selectionStart: start, selectionEnd: end } = field
    writeInto(field, /\S$/.test(field.value.slice(0, start)) ? ' @' : '@', start, end)
  }

  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class={secret ? 'markdown-field blue' : 'markdown-field'}>
        <div class="bar">
          <IconButton icon="bold" label="Bold" disabled={preview} onClick={() => mark('**', '**')} />
          <IconButton icon="ital" label="Emphasis" disabled={preview} onClick={() => mark('*', '*')} />
          <IconButton icon="list" label="List" disabled={preview} onClick={() => mark('- ', '', true)} />
          <IconButton icon="quote" label="Spoken words" disabled={preview} onClick={() => mark('> ', '', true)} />
          {here && <IconButton icon="at" label="Speak of somebody or something" disabled={preview} onClick={mention} />}
          <Button variant="quiet" class="end small" aria-pressed={preview} onClick={() => setPreview(!preview)}>
            {preview ? 'Go on writing' : 'Preview'}
          </Button>
        </div>
        {preview ? (
          <div class="previewed">{value ? <Prose text={value} /> : <p class="faint">Nothing written yet.</p>}</div>
        ) : (
          <ProseArea
            area={area}
            id={id}
            name={name}
            rows={rows}
            placeholder={placeholder}
            maxLength={limit}
            autofocus={autofocus}
            aria-invalid={problem ? true : undefined}
            aria-describedby={`${id}-note`}
            value={value}
            onValue={onValue}
          />
        )}
      </div>
      <span id={`${id}-note`} class={problem ? 'hint bad' : 'hint'}>
        {problem ? problem.message : hint}
      </span>
    </div>
  )
}
