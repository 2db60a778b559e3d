// Scripts that put no space between words: Chinese, Japanese, and Korean, whose words are joined with others. Where one word
// ends there only who reads them knows, so a search looks for the characters that were asked for, wherever they follow each other.

/** One such character, for a pattern with the flag `v`. Marks that other scripts share (full stops, brackets) are none. */
export const unspacedCharacter =
  '[[\\p{L}\\p{N}\\p{M}]&&[\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Hangul}\\p{scx=Bopomofo}]]'

/** A letter, digit or mark of any other script. */
export const spacedCharacter =
  '[[\\p{L}\\p{N}\\p{M}]--[\\p{scx=Han}\\p{scx=Hiragana}\\p{scx=Katakana}\\p{scx=Hangul}\\p{scx=Bopomofo}]]'

/** The first of these scripts in Unicode: most texts have none of their characters, which this tells quickly. */
const firstOfAny = /[\u1100-\u{10ffff}]/u
const oneOfThem = new RegExp(unspacedCharacter, 'v')
const runs = new RegExp(`${unspacedCharacter}+`, 'gv')

/** Whether a text has characters of such a script. */
export function isUnspaced(text: string): boolean {
  return firstOfAny.test(text) && oneOfThem.test(text)
}

/**
 * A text with spaces around each character of such a script, so that what knows words by spaces takes each for a word; in the
 * form that keyboards write (NFKC). Null where there is none, and the text is to be taken as it is.
 */
export function spacedOut(text: string): string | null {
  if (!isUnspaced(text)) return null
  return text.replaceAll(runs, (run) => ` ${Array.from(run.normalize('NFKC')).join(' ')} `)
}
