import * as z from 'zod'
import { invalid } from './errors.ts'
import { limits } from './limits.ts'

/** Input members of every list. */
export const pageInput = {
  limit: z.int().min(1).max(limits.page.most).optional(),
  cursor: z.string().max(500).optional(),
}

export const listView = z.enum(['brief', 'full'])

/**
 * Input members of a list whose rows have texts: words that narrow it (the first eight of two letters or more), and whether
 * the long texts come along. `brief`, the default, has the beginning of the first of them instead.
 */
export const listInput = {
  query: z.string().trim().min(1).max(limits.query).optional(),
  view: listView.optional(),
  ...pageInput,
}

export interface PageRequest {
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

export interface ListRequest extends PageRequest {
  readonly query?: string | undefined
  readonly view?: z.output<typeof listView> | undefined
}

export interface Page<T> {
  readonly items: T[]
  /** Opaque; null at the end. */
  readonly nextCursor: string | null
  /** How many there are in all that the reader sees, counted to a thousand; of a first page where it was asked for. */
  readonly total?: number | undefined
  /** What was withheld from an outside AI; absent where a person reads, and where nothing could be. */
  readonly withheld?: number | undefined
  /** In a sentence: that something was, and what would change it. */
  readonly withheldMessage?: string | undefined
}

/** What an answer says of the texts that it leaves out: how many, never whose or which. */
export const withheldOutput = { withheld: z.int().optional(), withheldMessage: z.string().optional() }

/** The answer of every list. */
export function pageOf<T extends z.ZodType>(item: T) {
  return z.object({
    items: z.array(item),
    nextCursor: z.string().nullable(),
    total: z.int().optional(),
    ...withheldOutput,
  })
}

export type CursorKey = readonly (string | number | null)[]

const cursorShape = z
  .array(z.union([z.string(), z.number(), z.null()]))
  .min(1)
  .max(6)

/** A cursor carries the sort key of the last row; it is not secret, only opaque. */
export function encodeCursor(key: CursorKey): string {
  const bytes = new TextEncoder().encode(JSON.stringify(key))
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

/** What the parts of a sort key are; a bare number says how many there are, of whatever kind. */
export type CursorParts = number | readonly ('integer' | 'text' | 'any')[]

function fits(key: CursorKey, parts: CursorParts): boolean {
  if (typeof parts === 'number') return key.length === parts
  const isOf = { integer: Number.isSafeInteger, text: (part: unknown) => typeof part === 'string', any: () => true }
  return key.length === parts.length && parts.every((kind, index) => isOf[kind](key[index]))
}

/** Throws `validation_failed` on anything that `encodeCursor` did not make for a sort key of these parts. */
export function decodeCursor(cursor: string, parts: CursorParts): CursorKey {
  try {
    const binary = atob(cursor.replaceAll('-', '+').replaceAll('_', '/'))
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(binary, (char) => char.charCodeAt(0)))
    const key = cursorShape.parse(JSON.parse(text))
    if (fits(key, parts)) return key
  } catch {
    // Falls through: every way of being wrong gets the same answer.
  }
  throw invalid(
    'cursor',
    'not a cursor of this list',
    'The cursor is not one this list gave out. Leave it away to start from the beginning.',
  )
}

/** How many things are looked at for one page of those that fit. */
const mostSifted = 500

/**
 * A page of what fits, of things that no index finds. Of those behind the key it looks at 500 at most, so that a page of a
 * word that nothing says costs no more than one of a word that everything says: such a page may be short, or empty, and still
 * have a next one.
 */
export function sift<T>(
  { limit, cursor }: PageRequest,
  after: (key: CursorKey | null) => Iterable<T>,
  keyOf: (item: T) => CursorKey,
  fits: (item: T) => boolean,
  parts: CursorParts = ['integer'],
): Page<T> {
  const size = limit ?? limits.page.standard
  const items: T[] = []
  let looked = 0
  let last: T | null = null
  for (const item of after(cursor === undefined ? null : decodeCursor(cursor, parts))) {
    if (last !== null && (looked === mostSifted || items.length === size)) {
      return { items, nextCursor: encodeCursor(keyOf(last)) }
    }
    if (fits(item)) items.push(item)
    looked++
    last = item
  }
  return { items, nextCursor: null }
}

/**
 * A page of what is at hand or walked through. `after` gives items in their order, those behind a key (null: from the
 * beginning); no more than `most` of them are taken. `parts` is what a key consists of: an id, where it is not said.
 */
export function pageFrom<T>(
  { limit, cursor }: PageRequest,
  after: (key: CursorKey | null, most: number) => Iterable<T>,
  keyOf: (item: T) => CursorKey,
  parts: CursorParts = ['integer'],
): Page<T> {
  const size = limit ?? limits.page.standard
  const items: T[] = []
  for (const item of after(cursor === undefined ? null : decodeCursor(cursor, parts), size + 1)) {
    const last = items[size - 1]
    if (last !== undefined) return { items, nextCursor: encodeCursor(keyOf(last)) }
    items.push(item)
  }
  return { items, nextCursor: null }
}
