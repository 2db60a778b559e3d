import * as z from 'zod'
import { checkAudiences, checkReferences, referenceName } from './audience.ts'
import { alongPaths, readsAllOf, withPaths } from './entity-readers.ts'
import {
  type Circle,
  type Field,
  type Fields,
  idOf,
  isProse,
  type LooseRow,
  type ProseSchema,
  type SchemaMarks,
  schemaMarks,
} from './fields.ts'
import { type LinkedThing, linkedThingOutput, type Reference, referenceOutput } from './linked-things.ts'
import type { Lists } from './lists.ts'
import type { Notice, TellsOf } from './notices.ts'
import { agreedBy, allOf, type Predicate, self } from './visibility.ts'

declare const visibleTo: unique symbol
/** An id that came from a read through a viewer's eyes. Whole rows have plain numbers, so the compiler refuses to return them. */
export type VisibleId<N extends string> = number & { readonly [visibleTo]: N }

type ValueOf<F> = F extends Field<infer S, infer P> ? (P extends 'nullable' ? z.output<S> | null : z.output<S>) : never
type KeysWith<F extends Fields, M extends string> = {
  [K in keyof F]: F[K]['marks'] extends Readonly<Record<M, true>> ? K : never
}[keyof F]
type InternalKeys<F extends Fields> = KeysWith<F, 'internal'>
/** Fields that no answer has. */
type UnshownKeys<F extends Fields> = InternalKeys<F> | KeysWith<F, 'place'>
/** Fields that not everybody reads who sees the row. */
type SecretKeys<F extends Fields> = {
  [K in keyof F]: F[K]['marks'] extends { readonly readableBy: 'dm' | 'owner' | Predicate } ? K : never
}[keyof F]
type ProseKeys<F extends Fields> = { [K in keyof F]: F[K]['schema'] extends ProseSchema ? K : never }[keyof F]
type RequiredKeys<F extends Fields> = { [K in keyof F]: F[K]['presence'] extends 'required' ? K : never }[keyof F]

type Internal = { readonly internal: true }
/** A reference is a field that names one kind of row; a link names its kind in another member. */
type ReferenceKeys<F extends Fields> = {
  [K in keyof F]: F[K]['marks'] extends Internal
    ? never
    : F[K]['marks'] extends { readonly references: string }
      ? K
      : never
}[keyof F]
type LinkKeys<F extends Fields> = {
  [K in keyof F]: F[K]['marks'] extends { readonly link: { readonly type: string } } ? K : never
}[keyof F]
/** `locationId` -> `location`. */
type Beside<K> = K extends `${infer B}Id` ? B : never

type Maybe<F, T> = F extends Field<z.ZodType, 'nullable'> ? T | null : T
type Named<F extends Fields> = {
  readonly [K in Exclude<ReferenceKeys<F>, SecretKeys<F>> as Beside<K>]: Maybe<F[K], Reference>
} & {
  readonly [K in Extract<ReferenceKeys<F>, SecretKeys<F>> as Beside<K>]?: Maybe<F[K], Reference>
} & { readonly [K in LinkKeys<F> as Beside<K>]: LinkedThing | null }

/** Columns every row has besides its own fields. */
export interface Standard {
  readonly id: number
  readonly revision: number
  readonly createdAt: string
  readonly updatedAt: string
  readonly deletedAt: string | null
}

/** What rows of a campaign have beside these: revision and time of the last change that not only a Dungeon Master notices. */
interface Public {
  readonly publicRevision: number
  readonly publicUpdatedAt: string
}

/**
 * Where a row lives, by the scope of its entity: in a campaign (the campaign's own id on a campaign), with a person, or, on
 * the server, nowhere in particular.
 */
type WholeHome<S extends Scope> = Home<S> & ([S] extends ['campaign' | 'root'] ? Public : unknown)
type Home<S extends Scope> = [S] extends ['campaign' | 'root']
  ? { readonly campaignId: number }
  : [S] extends ['user']
    ? { readonly userId: number }
    : unknown

export type Values<F extends Fields> = { readonly [K in keyof F]: ValueOf<F[K]> }
/** A whole row, secrets included: for guards and writes, never for an answer. */
export type Row<F extends Fields, S extends Scope = Scope> = Values<F> & Standard & WholeHome<S>
/** A row as one viewer sees it, with the names of what it references. */
export type VisibleRow<N extends string, F extends Fields, S extends Scope = Scope> = {
  readonly [K in Exclude<keyof F, SecretKeys<F> | InternalKeys<F>>]: ValueOf<F[K]>
} & { readonly [K in Exclude<SecretKeys<F>, InternalKeys<F>>]?: ValueOf<F[K]> } & Named<F> &
  Omit<Standard, 'id' | 'deletedAt'> &
  Home<S> & { readonly id: VisibleId<N> }
/** A row of a list: without its long texts, unless they were asked for, and with the beginning of the first. */
export type ListedRow<N extends string, F extends Fields, S extends Scope = Scope> = Omit<
  VisibleRow<N, F, S>,
  ProseKeys<F>
> & { readonly [K in Exclude<ProseKeys<F>, UnshownKeys<F>>]?: ValueOf<F[K]> } & { readonly excerpt?: string | null }
/** What an insert takes. A person's row is the caller's own where nobody is named. */
export type NewRow<F extends Fields, S extends Scope = Scope> = { readonly [K in RequiredKeys<F>]: ValueOf<F[K]> } & {
  readonly [K in Exclude<keyof F, RequiredKeys<F>>]?: ValueOf<F[K]> | undefined
} & ([S] extends ['user'] ? { readonly userId?: number | undefined } : unknown)
export type Patch<F extends Fields> = { readonly [K in keyof F]?: ValueOf<F[K]> | undefined }

type MaybeNull<F, S extends z.ZodType> = F extends Field<z.ZodType, 'nullable'> ? z.ZodNullable<S> : S
type Nullable<F> = F extends Field<infer S, infer P> ? (P extends 'nullable' ? z.ZodNullable<S> : S) : never
type HomeShape<S extends Scope> = [S] extends ['campaign' | 'root']
  ? { campaignId: z.ZodInt }
  : [S] extends ['user']
    ? { userId: z.ZodInt }
    : unknown
type OutputShape<N extends string, F extends Fields, S extends Scope> = {
  [K in Exclude<keyof F, SecretKeys<F> | UnshownKeys<F>>]: Nullable<F[K]>
} & { [K in Exclude<SecretKeys<F>, UnshownKeys<F>>]: z.ZodOptional<Nullable<F[K]>> } & {
  [K in Exclude<ReferenceKeys<F>, SecretKeys<F>> as Beside<K>]: MaybeNull<F[K], typeof referenceOutput>
} & {
  [K in Extract<ReferenceKeys<F>, SecretKeys<F>> as Beside<K>]: z.ZodOptional<MaybeNull<F[K], typeof referenceOutput>>
} & { [K in LinkKeys<F> as Beside<K>]: z.ZodNullable<typeof linkedThingOutput> } & {
  id: z.ZodType<VisibleId<N>, VisibleId<N>>
  revision: z.ZodInt
  createdAt: z.ZodISODateTime
  updatedAt: z.ZodISODateTime
} & HomeShape<S>
type ListedShape<N extends string, F extends Fields, S extends Scope> = Omit<
  OutputShape<N, F, S>,
  Exclude<ProseKeys<F>, SecretKeys<F>>
> & { [K in Exclude<ProseKeys<F>, SecretKeys<F> | UnshownKeys<F>>]: z.ZodOptional<Nullable<F[K]>> } & {
  excerpt: z.ZodOptional<z.ZodNullable<z.ZodString>>
}
type CreateShape<F extends Fields, K extends keyof F> = {
  [P in K]: F[P]['presence'] extends 'required' ? F[P]['schema'] : z.ZodOptional<F[P]['schema']>
}
type UpdateShape<F extends Fields, K extends keyof F> = {
  [P in K]: F[P]['presence'] extends 'nullable'
    ? z.ZodOptional<z.ZodNullable<F[P]['schema']>>
    : z.ZodOptional<F[P]['schema']>
}

/**
 * `full`: values before and after. `fields`: names of changed fields only. `anonymous`: nothing that names a person. `none`:
 * what a person keeps for themself and is nobody's history; only an `unrecorded` operation writes it.
 */
export type JournalDetail = 'full' | 'fields' | 'anonymous' | 'none'

/**
 * `campaign`: rows of a campaign. `root`: the campaign itself. `server`: rows that belong to nobody in particular, as rule
 * packs and users do. `user`: rows of one person across all campaigns, in the column `user_id`.
 */
export type Scope = 'campaign' | 'root' | 'server' | 'user'

interface SpecParts<N extends string, F extends Fields, S extends Scope> {
  readonly name: N
  readonly table: string
  /** What a person calls one of them; used in messages. */
  readonly label: string
  /** The operation that finds ids, named in errors. */
  readonly listedBy: string
  /** Where its rows live; `campaign` where nothing is said. */
  readonly scope?: S
  readonly fields: F
  readonly journal?: JournalDetail
  /** The field that names it, for search, mentions and the trash. */
  readonly title?: keyof F & string
  /** What it is called without one: a word and a field, as in "Session 12". */
  readonly untitled?: { readonly word: string; readonly field: keyof F & string }
  /**
   * Whose it is, for `author`, `owner` and `readableBy: 'owner'`: a field with a user's id, or a reference to another row,
   * which then is owned as that one is. What the path leads to nobody is any player's. A person's row is theirs.
   */
  readonly owner?: keyof F & string
  /** Who plays it, for `controller`, in the same form; the owner where nothing is said. Nobody's is the Dungeon Masters'. */
  readonly controller?: keyof F & string
  /** The reference to the one that acts now, for `turn`: who plays that one. */
  readonly acting?: keyof F & string
  /**
   * The field with the user whose words a row is: what members write for each other. To an outside AI others' are there only
   * with their consent and under the campaign's policy (SPEC 2.2).
   */
  readonly writtenBy?: keyof F & string
  /** Which of these rows no consent covers. */
  readonly neverForAi?: Predicate
  /** The field with its author's yes to outside AI for this very row, in place of their general consent. */
  readonly agreedOn?: keyof F & string
  /** Who is told of which changes of a row. */
  readonly tells?: (before: Row<F, S> | null, after: Row<F, S>) => readonly Notice[]
  readonly trash?: boolean
  /** Where what is done to it has a way back of its own: the sentence that sends people there. No revert does it. */
  readonly undoneBy?: string
  readonly hide?: boolean
  readonly mention?: boolean
  /** How it is listed; the indexes follow. */
  readonly lists?: Lists<F>
  /** Groups of fields that are unique together within the campaign. */
  readonly unique?: readonly (readonly (keyof F & string)[])[]
  /** Number of the migration that brought the table. A released table never changes its number. */
  readonly since?: number
  /** Whom it is about, by its toolset where nothing is said; and whether it came of playing, so that a new campaign has none. */
  readonly about?: Circle
  readonly ofPlay?: boolean
  /** Puts right what has to fit between the fields of a row from outside: those members. Throws `validation_failed`. */
  arriving?(row: LooseRow): LooseRow
}

/** Who sees its rows has to be said, except of a person's: those are their own where nothing is said. */
export type EntitySpec<N extends string, F extends Fields, S extends Scope> = SpecParts<N, F, S> &
  ([S] extends ['user'] ? { readonly visible?: Predicate } : { readonly visible: Predicate })

export interface Entity<N extends string = string, F extends Fields = Fields, S extends Scope = Scope> {
  readonly name: N
  readonly table: string
  readonly label: string
  readonly listedBy: string
  readonly scope: S
  readonly fields: F
  readonly visible: Predicate
  readonly journal: JournalDetail
  readonly title: string | null
  readonly untitled: { readonly word: string; readonly field: string } | null
  readonly owner: string | null
  readonly controller: string | null
  readonly acting: string | null
  /** Whether the viewer owns a row: what `owner` says, as a predicate. Null where nobody can. */
  readonly isOwn: Predicate | null
  readonly lists: Lists<Fields>
  /** What decides which rows an outside AI sees, beside `visible`, of which it is a part; null where nothing does. */
  readonly forAi: Predicate | null
  /** Who is told of a change, of whole rows; null where nobody ever is. */
  readonly tells: TellsOf | null
  /**
   * Who is told of every change of a row: it is readable whole to them. Whoever is not sees a revision and a time that move
   * with what everybody below the Dungeon Masters can see.
   */
  readonly readsAll: Predicate
  readonly trash: boolean
  readonly undoneBy: string | null
  readonly hide: boolean
  readonly mention: boolean
  readonly unique: readonly (readonly string[])[]
  readonly since: number
  readonly about: Circle | null
  readonly ofPlay: boolean
  arriving(row: LooseRow): LooseRow
  /** The id in inputs. */
  readonly id: z.ZodInt
  /** The row in answers; secret members are optional and marked with their audience. */
  readonly output: z.ZodObject<OutputShape<N, F, S>, z.core.$strip>
  /** A row of a list: `output`, without the long texts where they were not asked for, and with an excerpt of the first. */
  readonly listed: z.ZodObject<ListedShape<N, F, S>, z.core.$strip>
  /** Its long texts, in their order. */
  readonly prose: readonly string[]
  /** The long text whose beginning lists show: the first that everybody reads. */
  readonly excerpt: string | null
  /** Members for a create input: required fields required, the rest optional. */
  create<K extends keyof F>(...keys: readonly K[]): CreateShape<F, K>
  /** Members for an update input: absent keeps, null clears what can be empty. There are never defaults. */
  update<K extends keyof F>(...keys: readonly K[]): UpdateShape<F, K> & { expectedRevision: z.ZodOptional<z.ZodInt> }
}

export type RowOf<E> = E extends Entity<string, infer F, infer S> ? Row<F, S> : never
export type VisibleRowOf<E> = E extends Entity<infer N, infer F, infer S> ? VisibleRow<N, F, S> : never
export type ListedRowOf<E> = E extends Entity<infer N, infer F, infer S> ? ListedRow<N, F, S> : never
export type NewRowOf<E> = E extends Entity<string, infer F, infer S> ? NewRow<F, S> : never
export type FieldsOf<E> = E extends Entity<string, infer F, infer _> ? F : never

/** The member that lets a writer say which revision they read; a newer one answers 409 `stale_revision`. */
const expectedRevision = z.int().min(1).optional()

/**
 * Declares an entity; SQL, projection, search, trash, journal and schemas follow from it. Throws on a mark that names no
 * field, on the name of a standard column, on a field that a table with rows in it cannot take, and on an audience that could
 * not be honoured (kernel/audience.ts).
 */
export function defineEntity<const N extends string, const F extends Fields, const S extends Scope = 'campaign'>(
  declared: EntitySpec<N, F, S>,
): Entity<N, F, S> {
  const spec: SpecParts<N, F, S> & { readonly visible?: Predicate } = declared
  const scope = spec.scope ?? ('campaign' as S)
  const owner = spec.owner ?? (scope === 'user' ? 'userId' : null)
  for (const key of [
    spec.title,
    spec.owner,
    spec.controller,
    spec.acting,
    spec.writtenBy,
    spec.agreedOn,
    spec.untitled?.field,
  ]) {
    if (key !== undefined && !(key in spec.fields)) throw new Error(`${spec.name}: there is no field ${key}`)
  }
  if (spec.hide && !('hidden' in spec.fields)) throw new Error(`${spec.name}: hide needs a field "hidden"`)
  const forAi =
    spec.writtenBy === undefined ? null : agreedBy(spec.writtenBy, { never: spec.neverForAi, on: spec.agreedOn })
  checkFields(spec.name, spec.fields, scope, spec.since ?? 1)
  const declaredVisible = spec.visible ?? self('userId')
  const visible = forAi === null ? declaredVisible : allOf(declaredVisible, forAi)
  checkAudiences({ ...spec, visible, owner })
  checkReferences(spec)
  const isOwn = owner === null ? null : alongPaths(self(owner), spec.fields)
  const output = outputOf(spec, scope)
  const prose = Object.keys(spec.fields).filter((key) => isProse(spec.fields[key] as Field))
  const excerpt = prose.find((key) => spec.fields[key]?.marks.readableBy === undefined) ?? null
  return {
    name: spec.name,
    table: spec.table,
    label: spec.label,
    listedBy: spec.listedBy,
    scope,
    fields: withPaths(spec.fields),
    visible: alongPaths(visible, spec.fields),
    journal: spec.journal ?? 'full',
    title: spec.title ?? null,
    untitled: spec.untitled ?? null,
    owner,
    controller: spec.controller ?? owner,
    acting: spec.acting ?? null,
    isOwn,
    forAi,
    tells: (spec.tells as TellsOf | undefined) ?? null,
    readsAll: readsAllOf(spec.fields, isOwn),
    lists: (spec.lists ?? { orders: [] }) as Lists<Fields>,
    trash: spec.trash ?? false,
    undoneBy: spec.undoneBy ?? null,
    hide: spec.hide ?? false,
    mention: spec.mention ?? false,
    unique: spec.unique ?? [],
    since: spec.since ?? 1,
    ...{ about: spec.about ?? null, ofPlay: spec.ofPlay ?? false },
    arriving: spec.arriving ?? (() => ({})),
    id: idOf(spec.name),
    output,
    listed: listedOf(output, prose, excerpt),
    prose,
    excerpt,
    create: (...keys) => pick(spec.fields, keys, createMember) as never,
    update: (...keys) => ({ ...pick(spec.fields, keys, updateMember), expectedRevision }) as never,
  }
}

/** The columns that say where a row lives, by scope; they are no fields. */
const homes: Readonly<Record<Scope, readonly string[]>> = {
  campaign: ['campaignId'],
  root: ['campaignId'],
  server: [],
  user: ['userId'],
}
const publicColumns = ['publicRevision', 'publicUpdatedAt']

function checkFields(entity: string, fields: Fields, scope: Scope, since: number): void {
  const taken = new Set([
    'id',
    'revision',
    'createdAt',
    'updatedAt',
    'deletedAt',
    'trashBatch',
    ...publicColumns,
    ...homes[scope],
  ])
  for (const [key, { presence, marks }] of Object.entries(fields)) {
    if (taken.has(key)) throw new Error(`${entity}: every row has a column ${key}; no field has its name`)
    if ((marks.since ?? 1) <= since || presence === 'nullable') continue
    // SQLite adds a column to a table with rows in it only with a value for them, and a link only without one.
    if (presence === 'required')
      throw new Error(
        `${entity}.${key}: rows that are older have no value for it. Give it a default, or let it be null.`,
      )
    if (marks.references !== undefined)
      throw new Error(`${entity}.${key}: rows that are older link to nothing. Let it be null.`)
  }
}

function pick<F extends Fields>(
  fields: F,
  keys: readonly (keyof F)[],
  member: (field: Field) => z.ZodType,
): Record<string, z.ZodType> {
  return Object.fromEntries(keys.map((key) => [key, member(fields[key] as Field)]))
}

function createMember(field: Field): z.ZodType {
  return field.presence === 'required' ? field.schema : field.schema.optional()
}

function updateMember(field: Field): z.ZodType {
  return field.presence === 'nullable' ? field.schema.nullable().optional() : field.schema.optional()
}

function outputOf<N extends string, F extends Fields, S extends Scope>(
  spec: SpecParts<N, F, S>,
  scope: S,
): z.ZodObject<OutputShape<N, F, S>, z.core.$strip> {
  const shape: Record<string, z.ZodType> = {
    id: idOf(spec.name),
    ...Object.fromEntries(homes[scope].map((key) => [key, idOf(key === 'userId' ? 'user' : 'campaign')])),
    revision: z.int().min(1),
    createdAt: z.iso.datetime(),
    updatedAt: z.iso.datetime(),
  }
  for (const [key, field] of Object.entries(spec.fields)) {
    const { internal, place, references, link } = field.marks
    if (internal || place) continue
    const member = (schema: z.ZodType): z.ZodType => {
      const value = field.presence === 'nullable' ? schema.nullable() : schema
      return field.marks.readableBy === undefined ? value : secret(value, field, spec)
    }
    shape[key] = member(field.schema)
    if (references !== undefined) shape[referenceName(key)] = member(referenceOutput)
    if (link !== undefined && 'type' in link) shape[referenceName(key)] = member(linkedThingOutput)
  }
  return z.object(shape) as never
}

function listedOf<N extends string, F extends Fields, S extends Scope>(
  output: z.ZodObject<OutputShape<N, F, S>, z.core.$strip>,
  prose: readonly string[],
  excerpt: string | null,
): z.ZodObject<ListedShape<N, F, S>, z.core.$strip> {
  const members = Object.entries(output.shape).map(([key, schema]) => {
    const isLeftOut = prose.includes(key) && !(schema instanceof z.ZodOptional)
    return [key, isLeftOut ? (schema as z.ZodType).optional() : schema]
  })
  const shown = excerpt === null ? {} : { excerpt: z.string().nullable().optional() }
  return z.object({ ...Object.fromEntries(members), ...shown }) as never
}

function secret(value: z.ZodType, field: Field, { fields, owner }: { fields: Fields; owner?: string }): z.ZodType {
  const optional = value.optional()
  schemaMarks.add(optional, { audience: audienceOf(field, fields, owner) })
  return optional
}

/** How the net knows for whom a member is: by the role, by a sibling with the owner's user id, or by what reading has cleared. */
function audienceOf({ marks }: Field, fields: Fields, owner: string | undefined): NonNullable<SchemaMarks['audience']> {
  if (marks.readableBy === 'dm') return 'dm'
  if (marks.readableBy !== 'owner' || owner === undefined) return 'cleared'
  const { presence, marks: path } = fields[owner] as Field
  const isUser = path.references === undefined || path.references === 'user'
  return isUser && presence !== 'nullable' ? { owner } : 'cleared'
}
