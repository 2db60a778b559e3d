/** Characters of an excerpt. */
export const excerptLength = 160
/** Characters of a text that are read to make one: marks and addresses in its first lines take some of them. */
export const excerptSource = 600

/**
 * A mark, the words that it leaves, and what a text holds that has one: lists make fifty excerpts of texts that have none.
 * A look for fixed letters costs a twentieth of what a pattern does.
 */
const marks: readonly { readonly mark: RegExp; readonly words: string; isIn(text: string): boolean }[] = [
  // Pictures go, links and mentions leave their words.
  { mark: /!\[[^\]]*\]\([^)]*\)/gu, words: ' ', isIn: (text) => text.includes('![') },
  { mark: /\[([^\]]*)\]\([^)]*\)/gu, words: '$1', isIn: (text) => text.includes('](') },
  // What begins a line: headings, quotations, items, rules.
  {
    mark: /^[ \t]*(?:#{1,6}[ \t]|>[ \t]?|[-*+][ \t]|\d{1,3}[.)][ \t]|(?:[-*_][ \t]*){3,}$)/gmu,
    words: '',
    isIn: (text) => /[\n\r\u2028\u2029]/.test(text) || /^[ \t]*[#>\-*+_\d]/.test(text),
  },
  {
    mark: /`{1,3}|\*{1,3}|~~|(?<!\p{L}|\p{N})_{1,3}|_{1,3}(?!\p{L}|\p{N})/gu,
    words: '',
    isIn: (text) => /[`*~_]/.test(text),
  },
  // White space that is not one space.
  { mark: /[^\S ]\s*| \s+/gu, words: ' ', isIn: (text) => text.includes('  ') || /[^\S ]/.test(text) },
]

/** What no sign of going on stands behind. White space is one space by then. */
const endings = ' ,;:.\u2026\u2013-'

/** Excerpts that were made last, by the texts that they are of. */
const made = new Map<string, string>()
const mostMade = 1000

/**
 * The same as `excerptOf`, for lists, which are read again and again: to find one by its text costs a part of making it.
 * `markdown` is no longer than what is read of a text (`excerptSource`).
 */
export function listedExcerptOf(markdown: string): string {
  const known = made.get(markdown)
  if (known !== undefined) return known
  const excerpt = excerptOf(markdown)
  if (made.size >= mostMade) made.clear()
  made.set(markdown, excerpt)
  return excerpt
}

/**
 * The beginning of a text as plain words on one line: at most 160 characters, or `length`, cut between words, with a sign
 * where it goes on. Most texts give enough words in a part of what is read; where a link or a picture may be cut in two
 * there, all of it is.
 */
export function excerptOf(markdown: string, length = excerptLength): string {
  const source = Math.max(excerptSource, length * 2)
  const part = length + 40
  if (markdown.length > part) {
    const plain = plainOf(markdown, part)
    if (plain.length > length && !plain.includes('[')) return shortened(plain, length)
  }
  const plain = plainOf(markdown, source)
  return plain.length <= length && markdown.length <= source ? plain : shortened(plain, length)
}

/** Where none of these stands nothing of a text is a mark: one look in place of one for each. */
const someMark = /[[`*~_]|[^\S ]| {2}|^[ ]*[#>\-+\d]/

function plainOf(markdown: string, source: number): string {
  let text = whole(markdown.slice(0, source))
  if (!someMark.test(text)) return text.trim()
  for (const { mark, words, isIn } of marks) if (isIn(text)) text = text.replaceAll(mark, words)
  return text.trim()
}

/** Cut between words, where one ends in the second half. */
function shortened(plain: string, length: number): string {
  const room = plain.slice(0, length - 1)
  const lastSpace = room.lastIndexOf(' ')
  const cut = lastSpace > length / 2 ? room.slice(0, lastSpace) : whole(room)
  let end = cut.length
  while (end > 0 && endings.includes(cut[end - 1] as string)) end--
  return `${cut.slice(0, end)}…`
}

/** Without the half of a character at its end. */
function whole(text: string): string {
  const last = text.charCodeAt(text.length - 1)
  return last >= 0xd800 && last <= 0xdbff ? text.slice(0, -1) : text
}
