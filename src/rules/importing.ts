import type { HitDice, Sheet, SlotRow, SlotsGiven } from './sheet.ts'

// Sheets that other programs write. Members may be missing, null, or numbers in quotes; what is not understood is told, and
// refuses nothing.

export interface ImportedItem {
  readonly name: string
  readonly quantity: number
  readonly weight: number | null
  readonly value: string | null
  readonly notes: string | null
  readonly equipped: boolean
  readonly attuned: boolean
}

export interface Imported {
  readonly name: string
  readonly species: string | null
  readonly classes: Sheet['classes']
  readonly level: number
  readonly experience: number
  readonly abilities: Readonly<Record<string, number>>
  readonly skills: Readonly<Record<string, string>>
  readonly saves: Readonly<Record<string, string>>
  readonly bonuses: Readonly<Record<string, number>>
  readonly ac: number | null
  readonly speed: number | null
  readonly hpMax: number | null
  readonly hp: number | null
  readonly hpTemp: number
  readonly hitDice: readonly HitDice[]
  readonly spellSlots: readonly SlotRow[]
  readonly body: string | null
  readonly items: readonly ImportedItem[]
  readonly coins: Readonly<Record<string, number>>
  /** What was not understood, or worked out in a way that should be looked at: a sentence each. */
  readonly report: readonly string[]
}

/** What sheets of another program are called. */
export interface ForeignSheet {
  /** As a caller names it. */
  readonly format: string
  readonly title: string
}

export interface SheetImporter extends ForeignSheet {
  /** Null where the document is no sheet of this kind. */
  read(document: unknown, slotsFor: (classes: Sheet['classes']) => readonly SlotsGiven[] | null): Imported | null
}

export type Json = Readonly<Record<string, unknown>>

export function object(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}
}

export function list(value: unknown): readonly Json[] {
  if (Array.isArray(value)) return value.map(object)
  return Object.values(object(value)).map(object)
}

/** A number, in quotes or not; the other value where there is none. */
export function num<T>(value: unknown, otherwise: T): number | T {
  const read = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof read === 'number' && Number.isFinite(read) ? read : otherwise
}

const tags = /<[^<>]*>/g
const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', nbsp: ' ', '#39': "'" }

/** Text out of HTML: what stands between the tags, a line for each paragraph. */
export function plainText(value: unknown, most = 4000): string | null {
  if (typeof value !== 'string') return null
  const lines = value.replace(/<\/(p|li|div|h\d)>|<br\s*\/?>/gi, '\n').replace(tags, '')
  const read = lines.replace(/&(#?\w+);/g, (whole, name: string) => entities[name.toLowerCase()] ?? whole)
  const tidy = read
    .replace(/(?![\n\t])\p{Cc}/gu, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
  return tidy === '' ? null : tidy.slice(0, most)
}

/** One line of it. */
export function oneLine(value: unknown, most = 120): string | null {
  return (
    plainText(value, most * 2)
      ?.replace(/\s+/g, ' ')
      .slice(0, most)
      .trim() || null
  )
}

/** Slots as the rules give them, with those that the sheet says are used. */
export function slotRows(
  given: readonly SlotsGiven[] | null,
  usedOf: (slot: SlotsGiven) => number,
): readonly SlotRow[] {
  return (given ?? []).map((slot) => ({
    level: slot.level,
    max: slot.max,
    used: Math.max(0, Math.min(slot.max, usedOf(slot))),
    ...(slot.pact ? { pact: true } : {}),
  }))
}
