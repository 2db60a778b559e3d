import type { LinkedThing } from '../api/contract.ts'
import { entityLabel } from '../kinds.ts'
import { fold } from './format.ts'

/** A mention that is being written: where its @ stands, and what was typed behind it. */
export interface WrittenMention {
  readonly start: number
  readonly query: string
}

/** Names are a few words; whatever is longer is a sentence that has an @ in it. */
const MOST_LETTERS = 60
const MOST_WORDS = 5

/**
 * The mention that ends at the caret; null where none is being written there. An @ begins one at the start of a word, so
 * that the one in an address of mail does not.
 */
export function mentionAt(text: string, caret: number): WrittenMention | null {
  const start = caret === 0 ? -1 : text.lastIndexOf('@', caret - 1)
  if (start === -1 || caret - start > MOST_LETTERS || /[\p{L}\p{N}_@/]/u.test(text.charAt(start - 1))) return null
  const query = text.slice(start + 1, caret)
  const words = wordsOf(query).length
  const isName = words > 0 && words <= MOST_WORDS && !/^\s|[\n@[\]()<>]|\s\s/.test(query)
  return isName || query === '' ? { start, query } : null
}

/** Whether each typed word begins a word of the name. */
export function isNamedBy(query: string, name: string): boolean {
  const words = wordsOf(name)
  return wordsOf(query).every((typed) => words.some((word) => word.startsWith(typed)))
}

/** Whether the name begins as it was typed: such names stand first. */
export const beginsWith = (query: string, name: string): boolean => fold(name).startsWith(fold(query.trim()))

const wordsOf = (text: string): readonly string[] => fold(text).match(/[\p{L}\p{N}]+/gu) ?? []

/** How a mention stands in a text: `[Nettie](npc:12)`. What would end the link early is left out of the name. */
export function mentionText({ title, entityType, entityId }: LinkedThing): string {
  const name = title.replace(/[[\]\\]/g, '').replace(/\s+/g, ' ')
  return `[${name.slice(0, 200) || entityLabel(entityType)}](${entityType}:${entityId})`
}
