import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
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

/** A text box for prose, which shows mentions, lists, spoken words and emphasis as what they are. What it holds is Markdown. */
export function ProseArea(props: ProseAreaProps): JSX.Element {
  const [Box, setBox] = useState<typeof ProseBox | 'plain' | undefined>(() => ready)
  useEffect(() => {
    if (Box === undefined) void loadEditor().then(() => setBox(() => (failed || !ready ? 'plain' : ready)))
  }, [])
  const { id, rows = 5, tools: _, onValue, ...rest } = props
  // Nobody types into what is about to be replaced.
  if (Box === undefined) return <div class="prose-waiting" style={{ minHeight: `${rows * 1.55 + 1.5}em` }} />
  if (Box !== 'plain') return <Box {...props} />
  // Without its code words are written as they are stored.
  return (
    <textarea {...rest} id={id} rows={rows} class="input" onInput={(event) => onValue(event.currentTarget.value)} />
  )
}
