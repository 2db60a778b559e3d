import { foldText } from './sort-key.ts'

/** The words of a text, without capitals and accents. */
export const wordsIn = (text: string): readonly string[] => foldText(text).match(/[\p{L}\p{N}]+/gu) ?? []

/** Whether each of some words (of `wordsIn`) begins a word of the text: what somebody who types looks for. */
export function speaksOf(text: string, words: readonly string[]): boolean {
  const said = wordsIn(text)
  return words.every((word) => said.some((each) => each.startsWith(word)))
}
