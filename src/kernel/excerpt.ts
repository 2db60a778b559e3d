/** Characters of an excerpt. */
export const excerptLength = 160
/** Characters of a text that are read to make one: marks and addresses in its first lines take some of them. */
export const excerptSource = 600

const marks: readonly (readonly [RegExp, string])[] = [
  // Pictures go, links and mentions leave their words.
  [/!\[[^\]]*\]\([^)]*\)/gu, ' '],
  [/\[([^\]]*)\]\([^)]*\)/gu, '$1'],
  // What begins a line: headings, quotations, items, rules.
  [/^[ \t]*(?:#{1,6}[ \t]|>[ \t]?|[-*+][ \t]|\d{1,3}[.)][ \t]|(?:[-*_][ \t]*){3,}$)/gmu, ''],
  [/`{1,3}|\*{1,3}|~~|(?<!\p{L}|\p{N})_{1,3}|_{1,3}(?!\p{L}|\p{N})/gu, ''],
]

/** The beginning of a text as plain words on one line: at most 160 characters, or `length`, cut between words, with a sign where it goes on. */
export function excerptOf(markdown: string, length = excerptLength): string {
  const source = Math.max(excerptSource, length * 2)
  const plain = marks
    .reduce((text, [mark, words]) => text.replaceAll(mark, words), beginningOf(markdown, source))
    .replaceAll(/\s+/gu, ' ')
    .trim()
  if (plain.length <= length && markdown.length <= source) return plain
  const room = plain.slice(0, length - 1)
  const lastSpace = room.lastIndexOf(' ')
  const cut = lastSpace > length / 2 ? room.slice(0, lastSpace) : room.replace(/[\ud800-\udbff]$/u, '')
  return `${cut.replace(/[\s,;:.\u2026\u2013-]+$/u, '')}…`
}

/** No half of a character at its end. */
function beginningOf(text: string, source: number): string {
  return text.slice(0, source).replace(/[\ud800-\udbff]$/u, '')
}
