import * as z from 'zod'
import type { Entity } from '../kernel/entity.ts'
import type { Field } from '../kernel/fields.ts'
import { carryOf } from '../kernel/travel.ts'

/** How the rows of one kind of thing are read from a document. */
export interface ArrivingKind {
  readonly entity: Entity
  readonly schema: z.ZodObject
  /** Members that are known and not taken, with the reason. */
  readonly dropped: ReadonlyMap<string, string>
  /** Fields with the id of another row, and of which kind. */
  readonly references: readonly { readonly key: string; readonly target: string; readonly isNeeded: boolean }[]
  /** Links to any kind of thing, by the members with their halves. */
  readonly links: readonly { readonly type: string; readonly id: string }[]
  /** Values with ids inside of them. */
  readonly inner: readonly { readonly key: string; readonly schema: z.ZodType }[]
  /** Texts in which things may be mentioned, and values with such texts in them. */
  readonly texts: readonly string[]
  /** Fields with a user, who is the importer where there must be one. */
  readonly people: readonly string[]
}

const id = () => z.int().min(1)

/**
 * SPEC 4.5: what nights of organised play have and nights of ours do not. Their answers stay, as name, answer and note.
 */
export const organisedPlay: Readonly<Record<string, string>> = {
  seriesId: 'a night is one by itself here, and no part of a series',
  recurrence: 'a night is one by itself here, and no part of a series',
  venueId: 'a place is words here: they are in location',
  roomBooking: 'rooms are not booked here',
  assignedDmId: 'users of one server are not users of another',
  seatCapacity: 'seats are not counted here',
  eventKey: 'nights are not grouped by events here',
  seasonKey: 'nights are not grouped by seasons here',
  icsUid: 'a calendar knows a night of one server, not its copy',
}

const standard = { id: id(), createdAt: z.iso.datetime().optional(), updatedAt: z.iso.datetime().optional() }
/** Members that every export has and no import needs. */
const ignored = new Set(['revision', 'campaignId', 'deletedAt'])

export function arrivingKind(entity: Entity): ArrivingKind {
  const shape: Record<string, z.ZodType> = { ...standard }
  if (entity.scope === 'root') shape.id = id().optional()
  const dropped = new Map<string, string>(entity.name === 'game_night' ? Object.entries(organisedPlay) : [])
  const kind = { references: [], links: [], inner: [], texts: [], people: [] } as {
    references: { key: string; target: string; isNeeded: boolean }[]
    links: { type: string; id: string }[]
    inner: { key: string; schema: z.ZodType }[]
    texts: string[]
    people: string[]
  }
  for (const [key, field] of Object.entries(entity.fields)) {
    const { marks, presence } = field
    const carry = carryOf(entity, key)
    if (typeof carry === 'object') {
      dropped.set(key, carry.drop)
      if (marks.references === 'user' && presence === 'required') kind.people.push(key)
      continue
    }
    if (carry === 'file') continue
    if (marks.references !== undefined)
      kind.references.push({ key, target: marks.references, isNeeded: presence !== 'nullable' })
    if (marks.link !== undefined && 'type' in marks.link) kind.links.push({ type: marks.link.type, id: key })
    if (carry === 'remap' && marks.references === undefined && marks.link === undefined)
      kind.inner.push({ key, schema: field.schema })
    if (holdsTexts(field)) kind.texts.push(key)
    shape[key] = member(field)
  }
  if (entity.name === 'attachment') shape.file = z.string().min(1).max(255).optional()
  return { entity, schema: z.object(shape), dropped, ...kind }
}

function member({ schema, presence }: Field): z.ZodType {
  if (presence === 'nullable') return schema.nullable().optional()
  return presence === 'required' ? schema : schema.optional()
}

function holdsTexts({ schema }: Field): boolean {
  const { type, format } = schema._zod.def as { readonly type: string; readonly format?: string }
  return type === 'string' ? format === undefined : !['number', 'boolean', 'enum', 'literal'].includes(type)
}

/** Members of a row that are no fields of its kind, and those that stay behind with the reason. */
export function leftBehind(
  { schema, dropped }: ArrivingKind,
  row: Readonly<Record<string, unknown>>,
): readonly { readonly member: string; readonly reason: string }[] {
  return Object.keys(row).flatMap((key) => {
    if (key in schema.shape || ignored.has(key)) return []
    const value = row[key]
    if (value === null || value === undefined) return []
    return [{ member: key.slice(0, 80), reason: dropped.get(key) ?? 'nothing here is called so' }]
  })
}
