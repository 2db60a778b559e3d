/** Characters of an excerpt. */
export const excerptLength = 160
/** Characters of a text that are read to make one: marks and addresses in its first lines take some of them. */
export const excerptSource = 600

/** A mark, the words that it leaves, and what a text holds that has one: lists make fifty excerpts of texts that have none. */
const marks: readonly { readonly mark: RegExp; readonly words: string; readonly sign: RegExp }[] = [
  // Pictures go, links and mentions leave their words.
  { mark: /!\[[^\]]*\]\([^)]*\)/gu, words: ' ', sign: /!\[/ },
  { mark: /\[([^\]]*)\]\([^)]*\)/gu, words: '$1', sign: /\]\(/ },
  // What begins a line: headings, quotations, items, rules.
  {
    mark: /^[ \t]*(?:#{1,6}[ \t]|>[ \t]?|[-*+][ \t]|\d{1,3}[.)][ \t]|(?:[-*_][ \t]*){3,}$)/gmu,
    words: '',
    sign: /^[ \t]*[#>\-*+_\d]/m,
  },
  { mark: /`{1,3}|\*{1,3}|~~|(?<!\p{L}|\p{N})_{1,3}|_{1,3}(?!\p{L}|\p{N})/gu, words: '', sign: /[`*~_]/ },
  // White space that is not one space.
  { mark: /[^\S ]\s*| \s+/gu, words: ' ', sign: /[^\S ]| \s/ },
]

/** The beginning of a text as plain words on one line: at most 160 characters, or `length`, cut between words, with a sign where it goes on. */
export function excerptOf(markdown: string, length = excerptLength): string {
  const source = Math.max(excerptSource, length * 2)
  const plain = marks
    .reduce(
      (text, { mark, words, sign }) => (sign.test(text) ? text.replaceAll(mark, words) : text),
      beginningOf(markdown, source),
    )
    .trim()
  if (plain.length <= length && markdown.length <= source) return plain
  const room = plain.slice(0, length - 1)
  const lastSpace = room.lastIndexOf(' ')
  const cut = lastSpace > length / 2 ? room.slice(0, lastSpace) : whole(room)
  return `${cut.replace(/[\s,;:.\u2026\u2013-]+$/u, '')}…`
}

function beginningOf(text: string, source: number): string {
  return whole(text.slice(0, source))
}

/** Without the half of a character at its end. */
function whole(text: string): string {
  const last = text.charCodeAt(text.length - 1)
  return last >= 0xd800 && last <= 0xdbff ? text.slice(0, -1) : text
}
