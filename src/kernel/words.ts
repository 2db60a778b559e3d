import { foldText } from './sort-key.ts'
import { isUnspaced } from './unspaced.ts'

/** The words of a text, without capitals and accents. */
export const wordsIn = (text: string): readonly string[] => foldText(text).match(/[\p{L}\p{N}]+/gu) ?? []

/**
 * Whether each of some words (of `wordsIn`) begins a word of the text, or stands inside of one where its script puts no spaces
 * between them: what somebody who types looks for.
 */
export function speaksOf(text: string, words: readonly string[]): boolean {
  const said = wordsIn(text)
  return words.every((word) => {
    const isInside = isUnspaced(word)
    return said.some((each) => (isInside ? each.includes(word) : each.startsWith(word)))
  })
}
