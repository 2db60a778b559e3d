import type { ComponentChildren, JSX } from 'preact'
import { useContext, useId, useRef, useState } from 'preact/hooks'
import { Button, IconButton } from './button.tsx'
import { FieldErrors } from './field.tsx'
import { Prose } from './prose.tsx'

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
export function WriteField({
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
  const id = useId()
  const area = useRef<HTMLTextAreaElement>(null)
  const [preview, setPreview] = useState(false)
  const problem = useContext(FieldErrors).find((detail) => name !== undefined && detail.path.split('.')[0] === name)

  /** Puts marks around what is chosen, or before each of its lines; undo in the browser still works. */
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
    field.focus()
    field.setRangeText(made, start, end, 'end')
    if (!chosen && after) field.setSelectionRange(start + before.length, start + before.length)
    onValue(field.value)
  }

  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class={secret ? 'write blue' : 'write'}>
        <div class="bar">
          <IconButton icon="bold" label="Bold" disabled={preview} onClick={() => mark('**', '**')} />
          <IconButton icon="ital" label="Emphasis" disabled={preview} onClick={() => mark('*', '*')} />
          <IconButton icon="list" label="List" disabled={preview} onClick={() => mark('- ', '', true)} />
          <IconButton icon="quote" label="Spoken words" disabled={preview} onClick={() => mark('> ', '', true)} />
          <Button look="quiet" class="end small" aria-pressed={preview} onClick={() => setPreview(!preview)}>
            {preview ? 'Go on writing' : 'Preview'}
          </Button>
        </div>
        {preview ? (
          <div class="previewed">{value ? <Prose text={value} /> : <p class="faint">Nothing written yet.</p>}</div>
        ) : (
          <textarea
            ref={area}
            id={id}
            name={name}
            rows={rows}
            placeholder={placeholder}
            autofocus={autofocus}
            aria-invalid={problem ? true : undefined}
            aria-describedby={`${id}-note`}
            value={value}
            onInput={(event) => onValue(event.currentTarget.value)}
          />
        )}
      </div>
      <span id={`${id}-note`} class={problem ? 'hint bad' : 'hint'}>
        {problem ? problem.message : hint}
      </span>
    </div>
  )
}
