import type { JSX } from 'preact'
import { opening } from './prose.tsx'

/** Text around a match; the matched words stand between U+0002 and U+0003. */
export function Snippet({ text }: { text: string }): JSX.Element {
  const parts = text.split(/\u0002([^\u0003]*)\u0003/u)
  return (
    <>
      {parts.map((part, index) => {
        const key = `${index} ${part}`
        return index % 2 === 1 ? <mark key={key}>{part}</mark> : <span key={key}>{bare(part)}</span>
      })}
    </>
  )
}

/** Without Markdown marks, and with the spaces at its ends kept. */
function bare(part: string): string {
  const [, before = '', inner = '', after = ''] = /^(\s*)([\s\S]*?)(\s*)$/u.exec(part) ?? []
  return before + opening(inner, 400) + after
}
