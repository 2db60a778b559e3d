import * as z from 'zod'
import { limits } from './limits.ts'
import type { Predicate } from './visibility.ts'

/** `required`: always there. `nullable`: absent is null, an update clears it with null. `default`: has a value from the start. */
export type Presence = 'required' | 'nullable' | 'default'

/**
 * How a field travels when its campaign leaves this server and comes home: `carry` as it is; `remap` with its ids rewritten;
 * `person` what somebody at the table is called, who gets another name wherever the campaign goes to others; `own` a text of
 * the table alone, for which the world gets a made-up one; `file` said anew by the file that goes along; or not at all, for
 * the reason given. kernel/travel.ts says what holds where nothing is said.
 */
export type Carry = 'carry' | 'remap' | 'person' | 'own' | 'file' | { readonly drop: string }

/** A row of any kind. */
export type LooseRow = Readonly<Record<string, unknown>>

/** The tale itself; what the table agreed on and wrote to each other; what the people at it did, and when. */
export type Circle = 'tale' | 'table' | 'people'

export interface Marks {
  /**
   * Who of those that see the row may read the field: Dungeon Masters; its owner and Dungeon Masters; or whom a predicate
   * of the row names (a Dungeon Master only where it says so). Absent: everybody who sees the row. It holds in answers,
   * filters, orders, search, mentions, journal, live events and exports alike.
   */
  readonly readableBy?: 'dm' | 'owner' | Predicate
  /** Never leaves the storage: hashes. Not in outputs, journals or exports. */
  readonly internal?: boolean
  /**
   * A place in an order. Rows are read by it and the journal keeps it, but no answer has it: the gaps between places would
   * tell of rows that the reader does not see.
   */
  readonly place?: boolean
  /**
   * Indexed for full-text search: as the thing's name, as its text, or for Dungeon Masters alone, as what only they may read
   * is in any case. Not with a `readableBy` other than `dm`.
   */
  readonly search?: 'title' | 'body' | 'secret'
  /** Rows are found by it in whichever campaign they are: the hash of a secret. */
  readonly lookup?: boolean
  /** Holds another entity's id. */
  readonly references?: string
  /** One half of a link to any kind of thing; it names the member with the other half. */
  readonly link?: { readonly type: string } | { readonly id: string }
  /** Large or hot: the journal keeps that it changed, not its values, and undo leaves it as it is. */
  readonly journal?: 'name'
  /**
   * It follows from other rows and is worked out whenever they change (kernel/consequence.ts): the journal keeps that it
   * changed, and it stands in the way of no undo.
   */
  readonly derived?: boolean
  /** A person's decision: no revert and no earlier revision brings it back. */
  readonly decision?: boolean
  /** The referenced row owns this one: it goes to the trash with it and comes back with it. */
  readonly owned?: boolean
  /** 128 random bits in hex, which the database makes for each new row. */
  readonly random?: boolean
  /** Number of the migration that brought the field. A released field never changes its number. */
  readonly since?: number
  readonly carry?: Carry
  /** What came of playing: a campaign that begins anew has its first value again. */
  readonly ofPlay?: boolean
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
  /**
   * Who receives the member. `owner` names the sibling member that holds the owner's user id. `cleared`: what reading the row
   * has cleared for this viewer, since the answer alone does not show it (kernel/projection.ts).
   */
  readonly audience?: 'dm' | { readonly owner: string } | 'cleared'
  /** The entity whose id this is. */
  readonly entity?: string
  /** A password: nothing that is kept of a call holds it, nor a hash of it that could be guessed from. */
  readonly secret?: true
}

export const schemaMarks = z.registry<SchemaMarks>()

/** The form of a value in words, for whom its schema would be too long: language models read every one of them each time. */
export const schemaWords = z.registry<{ readonly words: string }>()

/** A value whose form stands in words in the tools of language models: each member that there is, with an example where it helps. */
export function inWords<S extends z.ZodObject>(schema: S, words: string): S {
  schemaWords.add(schema, { words })
  return schema
}

/** A member of an input that is a password. */
export function secretText<S extends z.ZodString>(schema: S): S {
  schemaMarks.add(schema, { secret: true })
  return schema
}

/**
 * The same schema for the same argument. Some texts and ids stand in a thousand places, each is half a dozen schemas one inside
 * of the other, and none of them is ever changed: what says more of one of them (`optional`, `describe`) makes another.
 */
function shared<A extends string | number, S>(make: (argument: A) => S): (argument: A) => S {
  const made = new Map<A, S>()
  return (argument) => {
    const known = made.get(argument)
    if (known !== undefined) return known
    const schema = make(argument)
    made.set(argument, schema)
    return schema
  }
}

/** The schema of the id of an entity; it carries the entity's name so that routes and documents know it. */
export const idOf: (entity: string) => z.ZodInt = shared((entity: string) => {
  const schema = z.int().min(1)
  schemaMarks.add(schema, { entity })
  return schema
})

const kindName = () => z.string().max(40)
/**
 * The name of a kind of thing in an input: any, or one that can be linked to, trashed, hidden or mentioned. An operation hands it
 * to `context.entity`, which refuses others and names those there are.
 */
export const kindOfThing = {
  any: kindName(),
  linked: kindName(),
  trash: kindName(),
  hide: kindName(),
  mention: kindName(),
} as const
export type KindAbility = keyof typeof kindOfThing

/** Tells the documents made from inputs which kinds there are. A schema cannot know: it is declared before the last of them is. */
export function documentKinds(kinds: Readonly<Record<KindAbility, readonly string[]>>): void {
  for (const [ability, names] of Object.entries(kinds))
    z.globalRegistry.add(kindOfThing[ability as KindAbility], { enum: [...names] })
}

/** An optional reference to another row. Reads as null while that row is in the trash or hidden from the reader. */
export function reference<const E extends string, const M extends Marks = Marks>(
  entity: E,
  marks?: M,
): Field<z.ZodInt, 'nullable', M & { readonly references: E }> {
  return nullable(idOf(entity), { carry: 'remap', ...(marks ?? ({} as M)), references: entity })
}

type LinkFields<T extends string, I extends string> = {
  readonly [K in T]: Field<z.ZodString, 'nullable', { readonly link: { readonly id: I } }>
} & {
  readonly [K in I]: Field<z.ZodInt, 'nullable', { readonly link: { readonly type: T } }>
}

/**
 * An optional link to any kind of thing: the entity's name in one member, the id in the other; both or neither. Reads as
 * null while its target is in the trash or hidden from the reader. Spread into `fields`.
 */
export function link<const T extends string, const I extends string>(
  type: T,
  id: I,
  carry: Carry = 'remap',
): LinkFields<T, I> {
  return {
    [type]: nullable(kindOfThing.linked, { link: { id }, carry: carry === 'remap' ? 'carry' : carry }),
    [id]: nullable(z.int().min(1), { link: { type }, carry }),
  } as unknown as LinkFields<T, I>
}

/** The row that owns this one. `carry`: where rows of this kind stay behind when it leaves. */
export function parent<const E extends string>(
  entity: E,
  carry: Carry = 'remap',
): Field<z.ZodInt, 'required', { readonly references: E; readonly owned: true }> {
  return required(idOf(entity), { references: entity, owned: true, carry })
}

/** A user of this server. Users are not campaign content: an export drops them. */
export const userId = (): z.ZodInt => idOf('user')
export const byUser = { carry: { drop: 'users of one server are not users of another' } } as const satisfies Marks

// Control characters other than tab and line breaks are never meant and break terminals and exports.
const controls = /[^\P{Cc}\t\n\r]/u
const noControls = (text: string): boolean => !controls.test(text) && text.isWellFormed()

// What changes the direction of the text behind it, so that a line reads as another one than it is; and what is not seen and
// no script or emoji needs (soft hyphens and zero-width spaces come along with pasted text). Joiners, variation selectors
// and tags stay: emoji, Persian and the scripts of India are made with them.
const unseen =
  /[\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069]|[\u00AD\u115F\u1160\u17B4\u17B5\u180E\u200B\u2060-\u2065\u206A-\u206F\u3164\uFEFF\uFFA0]/g

/** One line of text as it is kept: without what nobody sees. */
const oneLine = () => z.string().overwrite((text) => text.replaceAll(unseen, ''))

const nameOf = shared((most: number) =>
  oneLine()
    .trim()
    .min(1)
    .max(most)
    .refine((text) => text === '' || /[^\p{DI}\s]/u.test(text), 'something that can be seen')
    .refine((text) => noControls(text) && !text.includes('\n'), 'one line of text, without control characters'),
)
/** One line of text, trimmed, in which something can be seen. */
export const name = (most: number = limits.name) => nameOf(most)

const lineOf = shared((most: number) =>
  oneLine()
    .trim()
    .max(most)
    .refine((text) => noControls(text) && !text.includes('\n'), 'one line of text, without control characters'),
)
/** One line of text that may be empty. */
export const line = (most: number = limits.line) => lineOf(most)

declare const longText: unique symbol
/** A text that lists leave out: they have an excerpt of the first of them. */
export type ProseSchema = z.ZodString & { readonly [longText]: true }

const proseOf = shared(
  (most: number) => z.string().max(most).refine(noControls, 'text without control characters') as ProseSchema,
)
/** Markdown of any number of lines. */
export const prose = (most: number = limits.prose): ProseSchema => proseOf(most)

/** No line is as long. */
const longestLine = 2000

export function isProse({ schema }: Pick<Field, 'schema'>): boolean {
  return schema instanceof z.ZodString && (schema.maxLength ?? 0) > longestLine
}

const labels = z
  .array(name(limits.tag))
  .max(limits.tags)
  .refine((list) => new Set(list.map((tag) => tag.toLowerCase())).size === list.length, 'no tag twice')
/** Short labels without order or doubles. */
export const tags = () => labels

const anyInstant = z.iso.datetime()
/** An instant: ISO 8601 in UTC. */
export const instant = () => anyInstant

const anyDay = z.iso.date()
/** A calendar day without a time or zone: YYYY-MM-DD. */
export const day = () => anyDay
