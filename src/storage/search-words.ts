import { editDistance } from '../kernel/edit-distance.ts'
import { foldText } from '../kernel/sort-key.ts'
import { isUnspaced, spacedCharacter, spacedOut, unspacedCharacter } from '../kernel/unspaced.ts'

/** The most words of a question that are looked for; each costs a walk through the index. */
const mostWords = 8

const digit = /^\p{Nd}$/u
/** What scripts with and without spaces write together (`龍の Dragon7`, `第7章`) are words of their own, as they are in the index. */
const wordPattern = new RegExp(`${unspacedCharacter}+|${spacedCharacter}+`, 'gv')

/** One word of a question. */
export interface SearchWord {
  /** As it was asked for. */
  readonly asked: string
  /** Beginnings, folded: what is found begins with one of them. The first is the word that was asked for. */
  readonly forms: readonly string[]
  /** Only the whole word is meant: a digit, with which too many others begin. */
  readonly whole: boolean
  /** It is looked for inside of words too: its script puts no spaces between them (kernel/unspaced.ts). */
  readonly anywhere: boolean
}

export interface SearchWords {
  readonly words: readonly SearchWord[]
  /** Words that stand alone and are too short to be looked for. */
  readonly short: readonly string[]
  /** Words beyond the most that are looked for. */
  readonly beyond: readonly string[]
}

/**
 * The words of a question: each once, in any case and accent, no more than eight. A word has two characters at least; one is
 * enough in scripts that write a word so, and a digit counts as a whole word ("Room 7").
 */
export function wordsOf(question: string): SearchWords {
  const words = new Map<string, SearchWord>()
  const [short, beyond] = [new Set<string>(), new Set<string>()]
  for (const part of question.split(/\s+/u)) {
    const found = part.match(wordPattern) ?? []
    for (const word of found) {
      const folded = foldText(word)
      const anywhere = isUnspaced(word)
      const isShort = Array.from(folded).length < 2 && !anywhere && !digit.test(folded)
      // The s of "Marta's" is nobody's question.
      if (isShort && found.length === 1) short.add(word)
      if (isShort || words.has(folded)) continue
      if (words.size >= mostWords) beyond.add(word)
      else words.set(folded, { asked: word, forms: formsOf(folded), whole: digit.test(folded), anywhere })
    }
  }
  return { words: Array.from(words.values()), short: Array.from(short), beyond: Array.from(beyond) }
}

/**
 * The word, and the other number of an English noun where that does not begin as the word does: goblins and goblin, stories
 * and story, wolves and wolf. Words of other languages gain a beginning that finds nothing more.
 */
function formsOf(word: string): readonly string[] {
  if (!/^[a-z]{4,}$/.test(word)) return [word]
  const other = endings.find(([ending]) => ending.test(word))
  return other === undefined ? [word] : [word, word.replace(...other)]
}

const endings: readonly (readonly [RegExp, string])[] = [
  [/ies$/, 'y'],
  [/ves$/, 'f'],
  [/(?<=s|x|z|ch|sh|o)es$/, ''],
  [/(?<![su])s$/, ''],
  [/(?<![aeiou])y$/, 'ies'],
  [/fe?$/, 'ves'],
]

/** The words of an index that begin so; null where they are too many, or not to be found this way. */
export type TermsOf = (beginning: string) => readonly string[] | null

/**
 * The words as a question of FTS5, all of them to be found in these columns; null where there is none. With `termsOf` it asks
 * for the words of the index that begin so one by one: FTS5 reads those from any place on and stops where it is told, but for
 * a beginning it gathers all that holds it, of all campaigns, before it gives the first.
 */
export function matchExpression(
  { words }: Pick<SearchWords, 'words'>,
  columns: string,
  termsOf: TermsOf = () => null,
): string | null {
  if (words.length === 0) return null
  return words
    .map(({ asked, forms: [, ...others], whole, anywhere }) => {
      if (anywhere) return `${columns} : ${phraseOf(asked)}`
      // SQLite folds for itself, and takes fewer letters for one than `foldText` does: it gets the word as it was written.
      const alternatives = [asked, ...others].flatMap((form) => {
        if (whole) return [`"${form}"`]
        const terms = termsOf(form)
        if (terms === null) return [`"${form}" *`]
        return terms.length === 0 ? [`"${form}"`] : terms.map((term) => `"${term}"`)
      })
      return `${columns} : (${alternatives.join(' OR ')})`
    })
    .join(' AND ')
}

/** Characters that follow each other, each of which the index has as a word (`spacedOut`). */
function phraseOf(asked: string): string {
  return `"${(spacedOut(asked) ?? asked).trim()}"`
}

/** More words than these begin in too many ways to be asked for one by one. */
const mostTerms = 64
/** The index keeps beginnings of these lengths as words of their own (`prefix`), which are read as such. */
export const keptBeginnings = [3, 2] as const
const keptBeginning = 3

/**
 * Finds the words of an index in `search_text_terms`, each by one step into it. `next` gives the first that is neither before
 * `from` nor behind `to`. Words of other letters than ASCII are left to FTS5, which folds them in its own way.
 */
export function termsIn(next: (from: string, to: string) => string | undefined): TermsOf {
  const known = new Map<string, readonly string[] | null>()
  const find = (beginning: string): readonly string[] | null => {
    const found: string[] = []
    for (let from = beginning; ; ) {
      const term = next(from, `${beginning}\u{10ffff}`)
      if (term === undefined) return found
      if (found.length >= mostTerms) return null
      found.push(term)
      from = `${term}\u0001`
    }
  }
  return (asked) => {
    const beginning = asked.toLowerCase()
    if (beginning.length <= keptBeginning || !/^[a-z0-9]+$/.test(beginning)) return null
    const kept = known.get(beginning)
    if (kept !== undefined) return kept
    const made = find(beginning)
    known.set(beginning, made)
    return made
  }
}

/** One step into the words of the index of campaigns: binds `from` and `to`. */
export const nextTermSql = 'SELECT term FROM search_text_terms WHERE term >= @from AND term < @to LIMIT 1'

/** Counts the words in folded texts that were asked for. */
export function occurrencesOf(words: readonly SearchWord[]): (folded: string) => number {
  const asked = words.flatMap(({ forms, whole, anywhere }) =>
    forms
      // What begins with a shorter form is counted with that.
      .filter((form) => whole || !forms.some((other) => other !== form && form.startsWith(other)))
      .map((form) => ({ form, whole, anywhere })),
  )
  return (folded) => {
    let count = 0
    for (const { form, whole, anywhere } of asked) {
      for (let at = folded.indexOf(form); at >= 0; at = folded.indexOf(form, at + form.length)) {
        if (!anywhere && at > 0 && isLetter(folded, at - 1)) continue
        if (whole && isLetter(folded, at + form.length)) continue
        count += 1
      }
    }
    return count
  }
}

const letter = new RegExp(spacedCharacter, 'v')

/** Whether a word that stands beside goes on there: one of a script without spaces ends with each character. */
function isLetter(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  if (Number.isNaN(code)) return false
  if (code < 128) return (code > 96 && code < 123) || (code > 47 && code < 58) || (code > 64 && code < 91)
  return letter.test(text.charAt(at))
}

/** Whether a word of a text, folded, is one that was asked for. */
function isAskedFor(words: readonly SearchWord[], folded: string): boolean {
  return words.some(({ forms, whole, anywhere }) => {
    if (anywhere) return false
    return whole ? forms.includes(folded) : forms.some((form) => folded.startsWith(form))
  })
}

export interface PlacedWord {
  readonly start: number
  readonly end: number
  readonly folded: string
}

/** The words of a text, one after the other, with where they stand. */
function* wordsIn(text: string): Generator<PlacedWord> {
  for (const match of text.matchAll(wordPattern)) {
    yield { start: match.index, end: match.index + match[0].length, folded: foldText(match[0]) }
  }
}

/** A word of a text, or a part of one of a script without spaces. */
export interface PlacedPart {
  readonly start: number
  readonly end: number
  readonly isAsked: boolean
}

/** The words of a text one after the other, with whether they were asked for; what stands inside of a word is a part of its own. */
export function* partsIn(text: string, words: readonly SearchWord[]): Generator<PlacedPart> {
  const inside = words.flatMap(({ forms, anywhere }) => (anywhere ? forms : []))
  for (const { start, end, folded } of wordsIn(text)) {
    if (inside.some((form) => folded.includes(form))) yield* partsOf(text.slice(start, end), start, inside)
    else yield { start, end, isAsked: isAskedFor(words, folded) }
  }
}

function* partsOf(word: string, start: number, forms: readonly string[]): Generator<PlacedPart> {
  // Where each folded letter comes from: folding takes characters apart and leaves some of them out.
  let folded = ''
  const ends: number[] = []
  const starts = new Map<number, number>()
  for (let at = 0; at < word.length; ) {
    const character = String.fromCodePoint(word.codePointAt(at) as number)
    const part = foldText(character)
    if (part !== '') starts.set(folded.length, at)
    folded += part
    at += character.length
    for (let each = 0; each < part.length; each += 1) ends.push(at)
    // A mark that folding leaves out goes with the letter that it stands on.
    if (part === '' && ends.length > 0) ends[ends.length - 1] = at
  }
  let told = 0
  for (let at = 0; at < folded.length; ) {
    const from = starts.get(at)
    const found = from === undefined ? [] : forms.filter((form) => folded.startsWith(form, at))
    const length = Math.max(0, ...found.map((form) => form.length))
    if (from === undefined || length === 0) {
      at += 1
      continue
    }
    const to = ends[at + length - 1] as number
    if (from > told) yield { start: start + told, end: start + from, isAsked: false }
    yield { start: start + from, end: start + to, isAsked: true }
    told = to
    at += length
  }
  if (told < word.length) yield { start: start + told, end: start + word.length, isAsked: false }
}

/** How many letters may be wrong: none in short words, which are too like each other. */
function mistakesIn(word: string): number {
  if (word.length < 4) return 0
  return word.length < 8 ? 1 : 2
}

/**
 * Says of a title how many letters are wrong in all of the words for them to stand in it; null where one is too far from any. A
 * letter that is missing, too many or another counts one, and so do two that changed places.
 */
export function mistakesFor(words: readonly SearchWord[]): (title: string) => number | null {
  const asked = words.map(({ forms: [form = ''], whole, anywhere }) => {
    return { form, anywhere, most: whole ? 0 : mistakesIn(form), letters: lettersOf(form) }
  })
  return (title) => {
    const there = foldedWords(title)
    let sum = 0
    for (const { form, anywhere, most, letters } of asked) {
      if (anywhere && there.some((word) => word.includes(form))) continue
      let fewest = Number.POSITIVE_INFINITY
      for (const word of there) {
        // A look at which letters there are keeps from comparing most of them.
        if (Math.abs(word.length - form.length) > most || differsBy(lettersOf(word), letters) > most) continue
        fewest = Math.min(fewest, editDistance(form, word, most))
      }
      if (fewest > most) return null
      sum += fewest
    }
    return sum
  }
}

const asciiWord = /[a-z0-9]+/g

function foldedWords(title: string): readonly string[] {
  const folded = foldText(title)
  if (/^[\0-\x7f]*$/.test(title)) return folded.match(asciiWord) ?? []
  return Array.from(wordsIn(title), (word) => word.folded)
}

/** Which letters a word has, a bit each; all beyond the Latin ones and the digits share a few. */
function lettersOf(word: string): number {
  let letters = 0
  for (let at = 0; at < word.length; at += 1) {
    const code = word.charCodeAt(at)
    letters |= 1 << (code > 96 && code < 123 ? code - 97 : 26 + (code % 6))
  }
  return letters
}

/** How many letters one word has that the other has not, whichever has more of them: each mistake adds one at most. */
function differsBy(one: number, other: number): number {
  return Math.max(bitsIn(one & ~other), bitsIn(other & ~one))
}

function bitsIn(bits: number): number {
  let count = 0
  for (let left = bits; left !== 0; left &= left - 1) count += 1
  return count
}

/**
 * The beginnings of the words as a question of FTS5 for titles: most mistakes are made further on. Null where a word does not
 * say how it begins.
 */
export function beginningsExpression(words: readonly SearchWord[], length: number): string | null {
  const parts = words.map(({ asked, forms: [form = ''], whole, anywhere }) => {
    if (anywhere) return `{title} : ${phraseOf(asked)}`
    if (whole || mistakesIn(form) === 0) return `{title} : "${asked}"`
    return /^[a-z0-9]{3}/.test(form) ? `{title} : "${form.slice(0, length)}" *` : null
  })
  return parts.length === 0 || parts.includes(null) ? null : parts.join(' AND ')
}
