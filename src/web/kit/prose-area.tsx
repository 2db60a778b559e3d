import type { JSX } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { ProseBox } from './prose-box.tsx'
import type { ProseAreaProps } from './prose-props.ts'

let ready: typeof ProseBox | undefined
let failed = false

/** Fetches the editor ahead of time: where words are written there may be no reception later. */
export async function loadEditor(): Promise<void> {
  try {
    ready ??= (await import('./prose-box.tsx')).ProseBox
    failed = false
  } catch {
    failed = true
  }
}

/**
 * A text box for prose, which shows mentions, lists, spoken words and emphasis as what they are. What it holds is Markdown.
 * Until its code has come it is a plain one: what is typed meanwhile stays, and the caret goes over to the other.
 */
export function ProseArea(props: ProseAreaProps): JSX.Element {
  const [Box, setBox] = useState<typeof ProseBox | 'plain' | undefined>(() => ready)
  const waiting = useRef<HTMLTextAreaElement>(null)
  const [begunEmpty] = useState(props.value === '')
  useLayoutEffect(() => {
    if (props.autofocus) waiting.current?.focus()
  }, [])
  useEffect(() => {
    if (Box === undefined) void loadEditor().then(() => setBox(() => (failed || !ready ? 'plain' : ready)))
  }, [])
  const { id, rows = 5, tools: _, onValue, ...rest } = props
  if (Box !== undefined && Box !== 'plain') {
    const before = waiting.current
    const caret = before !== null && document.activeElement === before ? before.selectionStart : undefined
    return <Box {...props} {...(caret === undefined ? {} : { caret })} />
  }
  return (
    <textarea
      {...rest}
      ref={waiting}
      id={id}
      rows={rows}
      // Signs of Markdown are not shown for the moment until they are drawn as what they mean.
      class={Box === undefined && !begunEmpty ? 'input prose-waiting' : 'input'}
      onInput={(event) => onValue(event.currentTarget.value)}
    />
  )
}
