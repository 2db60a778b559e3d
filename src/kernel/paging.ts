import * as z from 'zod'
import { fail } from './errors.ts'
import { limits } from './limits.ts'

/** Input members of every list. */
export const pageInput = {
  limit: z.int().min(1).max(limits.page.most).optional(),
  cursor: z.string().max(500).optional(),
}

export interface PageRequest {
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

export interface Page<T> {
  readonly items: T[]
  /** Opaque; null at the end. */
  readonly nextCursor: string | null
  /** How many texts of other members were withheld from an external AI; absent where none could be. */
  readonly withheld?: number | undefined
}

/** The answer of every list. */
export function pageOf<T extends z.ZodType>(item: T) {
  return z.object({ items: z.array(item), nextCursor: z.string().nullable(), withheld: z.int().optional() })
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

/** Throws `validation_failed` on anything that `encodeCursor` did not make for a sort key of this many parts. */
export function decodeCursor(cursor: string, parts: number): CursorKey {
  try {
    const binary = atob(cursor.replaceAll('-', '+').replaceAll('_', '/'))
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(binary, (char) => char.charCodeAt(0)))
    const key = cursorShape.parse(JSON.parse(text))
    if (key.length === parts) return key
  } catch {
    // Falls through: every way of being wrong gets the same answer.
  }
  throw fail(
    'validation_failed',
    'The cursor is not one this list gave out. Leave it away to start from the beginning.',
    {
      details: [{ path: 'cursor', message: 'not a cursor of this list' }],
    },
  )
}
