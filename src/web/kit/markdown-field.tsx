import type { ComponentChildren, JSX } from 'preact'
import { useContext, useRef, useState } from 'preact/hooks'
import { CampaignContext } from '../shell/context.ts'
import { Button, IconButton } from './button.tsx'
import { useFieldError } from './field.tsx'
import { useUniqueId } from './hooks.ts'
import { MentionDialog } from './mention-dialog.tsx'
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
  const [mentioning, setMentioning] = useState(false)
  const here = useContext(CampaignContext)
  const problem = useFieldError(name)

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

  /** Puts a mention where the text cursor is, in place of the @ that asked for it. */
  const mention = (markdown: string) => {
    setMentioning(false)
    const field = area.current
    if (!field) return
    const { selectionStart: start, selectionEnd: end } = field
    const from = field.value[start - 1] === '@' ? start - 1 : start
    field.setRangeText(markdown, from, end, 'end')
    onValue(field.value)
    requestAnimationFrame(() => field.focus())
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
          {here && (
            <IconButton
              icon="at"
              label="Speak of somebody or something"
              disabled={preview}
              onClick={() => setMentioning(true)}
            />
          )}
          <Button variant="quiet" class="end small" aria-pressed={preview} onClick={() => setPreview(!preview)}>
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
            onInput={(event) => {
              onValue(event.currentTarget.value)
              const before = event.currentTarget.value.slice(0, event.currentTarget.selectionStart)
              if (here && (event as InputEvent).data === '@' && /(^|\s)@$/.test(before)) setMentioning(true)
            }}
          />
        )}
      </div>
      {mentioning && <MentionDialog onPick={mention} onClose={() => setMentioning(false)} />}
      <span id={`${id}-note`} class={problem ? 'hint bad' : 'hint'}>
        {problem ? problem.message : hint}
      </span>
    </div>
  )
}
