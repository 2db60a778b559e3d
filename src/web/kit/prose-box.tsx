import './prose-styles.ts'
import type { JSX } from 'preact'
import { useContext, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { entityLabel } from '../kinds.ts'
import { CampaignContext } from '../shell/context.ts'
import { MentionList } from './mention-list.tsx'
import { createProseEditor, type ProseEditor } from './prose-editor.ts'
import type { ProseAreaProps } from './prose-props.ts'

type Told = Readonly<Record<string, string>>

/** The editor for prose, with the names that an @ may mean. Its code comes with the first text that is written. */
export function ProseBox(props: ProseAreaProps): JSX.Element {
  const { id, name, value, rows = 5, placeholder, maxLength, autofocus, caret, tools, onValue } = props
  const here = useContext(CampaignContext)
  const host = useRef<HTMLDivElement>(null)
  const [editor, setEditor] = useState<ProseEditor | null>(null)
  const written = useRef(value)
  const latest = useRef(onValue)
  latest.current = onValue
  const [listed, setListed] = useState<Told | null>(null)

  useLayoutEffect(() => {
    const parent = host.current
    if (!parent) return
    const made = createProseEditor({
      parent,
      text: value,
      limit: maxLength,
      placeholder,
      kindWord: entityLabel,
      onText(text) {
        written.current = text
        latest.current(text)
      },
    })
    // A label is no label of what is not a field: a press on it is answered here.
    const label = document.querySelector<HTMLLabelElement>(`label[for="${id}"]`)
    const onLabel = () => made.view.focus()
    if (label) label.id ||= `${id}-label`
    label?.addEventListener('click', onLabel)
    setEditor(made)
    if (tools) tools.current = made
    if (caret !== undefined) made.view.dispatch({ selection: { anchor: Math.min(caret, made.view.state.doc.length) } })
    // A dialog gives the focus to what says so, once it is open.
    if (autofocus) made.view.contentDOM.autofocus = true
    if (autofocus || caret !== undefined) made.view.focus()
    return () => {
      label?.removeEventListener('click', onLabel)
      if (tools) tools.current = null
      made.view.destroy()
    }
  }, [])

  // Before anything more can be typed: what was written meanwhile would be taken for what somebody else made of it.
  useLayoutEffect(() => {
    if (!editor || value === written.current) return
    written.current = value
    editor.replaceAll(value)
  }, [editor, value])

  const about: Told = {
    id,
    'aria-labelledby': `${id}-label`,
    ...(props['aria-describedby'] ? { 'aria-describedby': props['aria-describedby'] } : {}),
    ...(props['aria-invalid'] ? { 'aria-invalid': 'true' } : {}),
    ...listed,
  }
  useLayoutEffect(() => editor?.describe(about), [editor, JSON.stringify(about)])
  return (
    <>
      <div ref={host} class="prose-editor" style={{ '--rows': rows }} />
      {/* The text as it is stored, for whatever reads the form. */}
      <input type="hidden" name={name} value={value} />
      {editor && here && <MentionList editor={editor} describe={setListed} />}
    </>
  )
}
