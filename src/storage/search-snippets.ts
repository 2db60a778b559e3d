import { type PlacedPart, partsIn, type SearchWord } from './search-words.ts'

/** Marks around matched words in a snippet: control characters, which no text may hold. */
const [matchStart, matchEnd] = ['\u0002', '\u0003']

const wordsBefore = 6
const wordsInAll = 24
/** A snippet of long words, or of a text that is one word, is no longer than this on either side of what was found. */
const mostCharacters = 160

export interface Snippet {
  readonly text: string
  /** Whether a word that was asked for stands in it. */
  readonly found: boolean
}

/**
 * The words around the first that was asked for, each such word marked; the beginning of the text where none stands in it.
 * `mayGoOn` is asked as the text is read: where it says no, the rest is not looked into.
 */
export function snippetOf(text: string, words: readonly SearchWord[], mayGoOn: () => boolean): Snippet {
  const before: PlacedPart[] = []
  const shown: PlacedPart[] = []
  let read = 0
  for (const part of partsIn(text, words)) {
    read += 1
    if (shown.length === 0 && !part.isAsked) {
      if (read % 500 === 0 && !mayGoOn()) break
      before.push(part)
      if (before.length > wordsBefore) before.shift()
      continue
    }
    shown.push(part)
    if (before.length + shown.length >= wordsInAll) break
  }
  const first = shown[0]
  if (first === undefined) return { text: beginningOf(text), found: false }
  const start = Math.max((before[0] ?? first).start, first.start - mostCharacters)
  const end = Math.min((shown.at(-1) ?? first).end, first.start + mostCharacters)
  let marked = ''
  let at = start
  for (const { start: from, end: to, isAsked } of shown) {
    if (from >= end) break
    if (!isAsked) continue
    const until = Math.min(to, end)
    marked += `${text.slice(at, from)}${matchStart}${text.slice(from, until)}${matchEnd}`
    at = until
  }
  marked += text.slice(at, end)
  return { text: `${start > 0 ? '…' : ''}${marked}${end < text.length ? '…' : ''}`.toWellFormed(), found: true }
}

function beginningOf(text: string): string {
  const cut = text.slice(0, mostCharacters).toWellFormed()
  return cut.length < text.length ? `${cut}…` : cut
}
