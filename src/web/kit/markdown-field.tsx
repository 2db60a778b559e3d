import type { ComponentChildren, JSX } from 'preact'
import { useContext, useRef } from 'preact/hooks'
import { CampaignContext } from '../shell/context.ts'
import { IconButton } from './button.tsx'
import { useFieldError, useLimit, usePlace } from './field.tsx'
import { useUniqueId } from './hooks.ts'
import { ProseArea } from './prose-area.tsx'
import type { ProseEditor } from './prose-editor.ts'
import { useKeptText } from './words.ts'

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

/** A place to write prose, with a few helpers above it. */
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
  const tools = useRef<ProseEditor | null>(null)
  const here = useContext(CampaignContext)
  const problem = useFieldError(name)
  const limit = useLimit(name)
  const onText = useKeptText(usePlace(name, label), value, onValue)

  /** Begins a mention where the caret is: the list of names comes by itself. */
  const mention = () => {
    const { current: editor } = tools
    if (!editor) return
    const { state } = editor.view
    const { from, to } = state.selection.main
    editor.write(/\S/.test(state.sliceDoc(from - 1, from)) ? ' @' : '@', from, to)
  }

  return (
    <div class="field">
      <label for={id}>{label}</label>
      <div class={secret ? 'markdown-field blue' : 'markdown-field'}>
        {/* biome-ignore lint/a11y/noStaticElementInteractions: the editor keeps the focus, and a phone its keyboard */}
        <div class="bar" onMouseDown={(event) => event.preventDefault()}>
          <IconButton icon="bold" label="Bold" onClick={() => tools.current?.wrap('**')} />
          <IconButton icon="ital" label="Emphasis" onClick={() => tools.current?.wrap('*')} />
          <IconButton icon="list" label="List" onClick={() => tools.current?.beginLines('- ')} />
          <IconButton icon="quote" label="Spoken words" onClick={() => tools.current?.beginLines('> ')} />
          {here && <IconButton icon="at" label="Speak of somebody or something" onClick={mention} />}
        </div>
        <ProseArea
          tools={tools}
          id={id}
          name={name}
          rows={rows}
          placeholder={placeholder}
          maxLength={limit}
          autofocus={autofocus}
          aria-invalid={problem ? true : undefined}
          aria-describedby={`${id}-note`}
          value={value}
          onValue={onText}
        />
      </div>
      <span id={`${id}-note`} class={problem ? 'hint bad' : 'hint'}>
        {problem ? problem.message : hint}
      </span>
    </div>
  )
}
