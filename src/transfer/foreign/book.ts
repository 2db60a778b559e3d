import { limits } from '../../kernel/limits.ts'
import { documentFormat, documentVersion } from '../document-format.ts'
import { createDropLog, type DropLog } from '../import-drops.ts'

// What other programs keep, as a document of ours: ids of our own making, texts within our bounds, and a list of all that was
// not understood. Whether it is right the import judges, as with any document.

/** What anything is that came from a file of somebody else. */
export type Json = Readonly<Record<string, unknown>>
export type NewRow = Record<string, unknown> & { readonly id: number }

export interface ForeignDocument {
  readonly document: Readonly<Record<string, unknown>>
  /** What was not understood, in the words of the report. */
  readonly dropped: ReturnType<DropLog['list']>
}

export interface Book {
  add(kind: string, row: Readonly<Record<string, unknown>>): NewRow
  rows(kind: string): readonly NewRow[]
  /** Notes what was not taken: of which kind, which member, why, and where it stood. */
  drop(kind: string, member: string, reason: string, place: string): void
  /** A text within the bounds; what is beyond is noted. Null for nothing. */
  prose(text: string, place: string): string | null
  done(campaign: Readonly<Record<string, unknown>>, madeBy: string): ForeignDocument
}

export function createBook(): Book {
  const rows = new Map<string, NewRow[]>()
  const drops = createDropLog()
  return {
    add(kind, given) {
      const known = rows.get(kind) ?? []
      const row = { ...given, id: known.length + 1 }
      known.push(row)
      rows.set(kind, known)
      return row
    },
    rows: (kind) => rows.get(kind) ?? [],
    drop: (kind, member, reason, place) => drops.add(kind, member.slice(0, 80), reason, place.slice(0, 200)),
    prose(text, place) {
      const kept = withoutControls(text).trim()
      if (kept === '') return null
      if (kept.length <= limits.prose) return kept
      drops.add(
        'text',
        '',
        `a text may have ${limits.prose} characters: the end of it is left out`,
        place.slice(0, 200),
      )
      return kept.slice(0, limits.prose - 1).toWellFormed()
    },
    done: (campaign, madeBy) => ({
      document: { format: documentFormat, version: documentVersion, madeBy, campaign, rows: Object.fromEntries(rows) },
      dropped: drops.list(),
    }),
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken away
const controls = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g

function withoutControls(text: string): string {
  return text.toWellFormed().replaceAll('\r\n', '\n').replaceAll('\r', '\n').replaceAll(controls, '')
}

/** One line of at most so many characters; null for nothing. */
export function lineOf(value: unknown, most: number = limits.line): string | null {
  const text = typeof value === 'number' ? String(value) : value
  if (typeof text !== 'string') return null
  const kept = withoutControls(text).replaceAll(/\s+/g, ' ').trim().slice(0, most).toWellFormed().trim()
  return /[^\p{DI}\s]/u.test(kept) ? kept : null
}

/** What a thing is called. */
export function nameOf(value: unknown, otherwise: string): string {
  return lineOf(value, limits.name) ?? otherwise
}

/** Short labels within the bounds, none twice. */
export function tagsOf(values: readonly unknown[]): readonly string[] {
  const kept = new Map<string, string>()
  for (const value of values) {
    const tag = lineOf(typeof value === 'string' ? value.replace(/^#/, '') : value, limits.tag)
    if (tag !== null && !kept.has(tag.toLowerCase())) kept.set(tag.toLowerCase(), tag)
  }
  return [...kept.values()].slice(0, limits.tags)
}

export function recordOf(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** A whole number that may have come as a text. */
export function numberOf(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : null
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''
}

/** A picture that the web shows, by its name. */
export const isPicture = (name: string): boolean => /\.(?:png|jpe?g|webp|gif|avif)$/i.test(name)
