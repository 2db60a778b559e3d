import * as z from 'zod'
import { limits } from './limits.ts'

/** `required`: always there. `nullable`: absent is null, an update clears it with null. `default`: has a value from the start. */
export type Presence = 'required' | 'nullable' | 'default'

/** How a field travels in a campaign export: as it is, with its ids rewritten, or not at all (the text is the reason). */
export type Carry = 'carry' | 'remap' | { readonly drop: string }

export interface Marks {
  /** Secret text of the Dungeon Master: never in what anybody else receives, nor in what they can search. */
  readonly dmOnly?: boolean
  /** Shown to the user whom the entity's `owner` field names, and to Dungeon Masters. */
  readonly ownerOnly?: boolean
  /** Never leaves the storage: hashes. Not in outputs, journals or exports. */
  readonly internal?: boolean
  /** Indexed for full-text search: as the thing's name, or as its text. */
  readonly search?: 'title' | 'body'
  /** Holds another entity's id. */
  readonly references?: string
  /** The referenced row owns this one: it goes to the trash with it and comes back with it. */
  readonly owned?: boolean
  /** Number of the migration that brought the field. A released field never changes its number. */
  readonly since?: number
  readonly carry?: Carry
}

export interface Field<S extends z.ZodType = z.ZodType, P extends Presence = Presence, M extends Marks = Marks> {
  readonly schema: S
  readonly presence: P
  readonly marks: M
  /** The value of a `default` field where none is given. */
  readonly initial: z.output<S> | null
}

export type Fields = Readonly<Record<string, Field>>

export function required<S extends z.ZodType, const M extends Marks = Marks>(
  schema: S,
  marks?: M,
): Field<S, 'required', M> {
  return { schema, presence: 'required', marks: marks ?? ({} as M), initial: null }
}

export function nullable<S extends z.ZodType, const M extends Marks = Marks>(
  schema: S,
  marks?: M,
): Field<S, 'nullable', M> {
  return { schema, presence: 'nullable', marks: marks ?? ({} as M), initial: null }
}

export function withDefault<S extends z.ZodType, const M extends Marks = Marks>(
  schema: S,
  initial: z.output<S>,
  marks?: M,
): Field<S, 'default', M> {
  return { schema, presence: 'default', marks: marks ?? ({} as M), initial }
}

/** What a schema says beyond its type; projection and the catalogue read it. */
export interface SchemaMarks {
  /** Who receives the member. `owner` names the sibling member that holds the owner's user id. */
  readonly audience?: 'dm' | { readonly owner: string }
  /** The entity whose id this is. */
  readonly entity?: string
}

export const schemaMarks = z.registry<SchemaMarks>()

/** A new schema for the id of an entity; instances carry the entity's name so that routes and documents know it. */
export function idOf(entity: string): z.ZodInt {
  const schema = z.int().min(1)
  schemaMarks.add(schema, { entity })
  return schema
}

/** An optional link to another row. Reads as null while that row is in the trash or hidden from the reader. */
export function reference<const E extends string, const M extends Marks = Marks>(
  entity: E,
  marks?: M,
): Field<z.ZodInt, 'nullable', M & { readonly references: E }> {
  return nullable(idOf(entity), { carry: 'remap', ...(marks ?? ({} as M)), references: entity })
}

/** The row that owns this one. */
export function parent<const E extends string>(
  entity: E,
): Field<z.ZodInt, 'required', { readonly references: E; readonly owned: true }> {
  return required(idOf(entity), { references: entity, owned: true, carry: 'remap' })
}

/** A user of this server. Users are not campaign content: an export drops them. */
export const userId = (): z.ZodInt => idOf('user')
export const byUser = { carry: { drop: 'users of one server are not users of another' } } as const satisfies Marks

// Control characters other than tab and line breaks are never meant and break terminals and exports.
const controls = /[^\P{Cc}\t\n\r]/u
const noControls = (text: string): boolean => !controls.test(text) && text.isWellFormed()

/** One line of text, trimmed, not empty. */
export const name = (most: number = limits.name) =>
  z
    .string()
    .trim()
    .min(1)
    .max(most)
    .refine((text) => noControls(text) && !text.includes('\n'), 'one line of text, without control characters')

/** One line of text that may be empty. */
export const line = (most: number = limits.line) =>
  z
    .string()
    .trim()
    .max(most)
    .refine((text) => noControls(text) && !text.includes('\n'), 'one line of text, without control characters')

/** Markdown of any number of lines. */
export const prose = (most: number = limits.prose) =>
  z.string().max(most).refine(noControls, 'text without control characters')

/** Short labels without order or doubles. */
export const tags = () =>
  z
    .array(name(limits.tag))
    .max(limits.tags)
    .refine((list) => new Set(list.map((tag) => tag.toLowerCase())).size === list.length, 'no tag twice')

/** An instant: ISO 8601 in UTC. */
export const instant = () => z.iso.datetime()

/** A calendar day without a time or zone: YYYY-MM-DD. */
export const day = () => z.iso.date()
