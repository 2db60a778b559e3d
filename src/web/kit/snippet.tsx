import type { JSX } from 'preact'
import { excerpt } from './prose.tsx'

/** Text around a match; the matched words stand between U+0002 and U+0003. */
export function Snippet({ text }: { text: string }): JSX.Element {
  const parts = text.split('\u0002').flatMap((part, index) => (index === 0 ? [part] : splitOnce(part)))
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
  return before + excerpt(inner, 400) + after
}

/** The same text without the marks. */
export const unmarked = (text: string): string => text.replaceAll('\u0002', '').replaceAll('\u0003', '')

/** The matched words, and what follows them. */
function splitOnce(part: string): [string, string] {
  const end = part.indexOf('\u0003')
  return end === -1 ? [part, ''] : [part.slice(0, end), part.slice(end + 1)]
}
