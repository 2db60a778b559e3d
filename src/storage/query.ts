import type { Entity } from '../kernel/entity.ts'
import { limits } from '../kernel/limits.ts'
import type { CursorKey } from '../kernel/paging.ts'
import type { Query, Test } from '../kernel/reader.ts'
import { foldText } from '../kernel/sort-key.ts'
import { encode, type SqlValue } from './columns.ts'
import { bearsSql } from './labels.ts'
import type { ReadColumn, RowSource } from './row-source.ts'
import { placeBindings, readerFieldsOf, withinSql } from './search-places.ts'
import { matchExpression, nextTermSql, termsIn, wordsOf } from './search-words.ts'
import type { Store } from './store.ts'
import { allSql } from './visibility-sql.ts'

/** A query about rows of any entity. */
export type AnyQuery = Query<Entity, PropertyKey>
export type Conditions = Readonly<Record<string, Test>>
export type Sorting = readonly (readonly [string, 'asc' | 'desc'])[]

/** Text of a WHERE and its named bindings; `1` where everything passes. */
export interface Built {
  readonly sql: string
  readonly bindings: Readonly<Record<string, SqlValue>>
}

/** Conditions, with whether they name so few rows that these are read one by one, whatever the order of the list. */
export interface Narrowing extends Built {
  readonly isByIds: boolean
}

/** From here on a list of values is bound as one, so that the statement stays the same however many there are. */
export const fewValues = 8

/**
 * What passes the tests, for who may read what they ask about: `location_id = @w0` and whatever makes that value readable, so
 * that an index on the column serves. A value that is not readable passes nothing; a reference whose target is not seen reads
 * as null.
 */
export function conditionsSql(source: RowSource, conditions: Conditions): Built {
  const parts: string[] = []
  const bindings: Record<string, SqlValue> = {}
  for (const [key, test] of Object.entries(conditions)) {
    if (test === undefined) continue
    const column = source.column(key)
    const bind = (value: unknown): string => {
      const name = `w${Object.keys(bindings).length}`
      bindings[name] = encodeFor(column, value)
      return `@${name}`
    }
    parts.push(column.readable, ...testSql(source, column, test, bind))
  }
  return { sql: allSql(...parts), bindings }
}

function encodeFor({ kind }: ReadColumn, value: unknown): SqlValue {
  if (Array.isArray(value)) return JSON.stringify(value.map((each) => encode(kind, each)))
  return encode(kind === 'json' ? 'text' : kind, value)
}

function testSql(
  { entity }: RowSource,
  { key, stored, seen }: ReadColumn,
  test: Exclude<Test, undefined>,
  bind: (value: unknown) => string,
): string[] {
  if (test === null) return [seen === '1' ? `${stored} IS NULL` : `(${stored} IS NULL OR ${seen} IS NOT TRUE)`]
  if (isList(test)) return [oneOf(stored, test, bind), seen]
  if (typeof test !== 'object') return [`${stored} = ${bind(test)}`, seen]
  if ('set' in test) return [`${stored} IS NOT NULL`, seen]
  if ('has' in test) {
    const borne = bearsSql(entity, key, () => bind(foldText(test.has)))
    return [borne ?? `EXISTS (SELECT 1 FROM json_each(${stored}) WHERE value = ${bind(test.has)})`]
  }
  return [
    ...(test.from === undefined ? [] : [`${stored} >= ${bind(test.from)}`]),
    ...(test.to === undefined ? [] : [`${stored} <= ${bind(test.to)}`]),
    seen,
  ]
}

function isList(test: Exclude<Test, undefined>): test is readonly (string | number | boolean)[] {
  return Array.isArray(test)
}

function oneOf(sql: string, values: readonly unknown[], bind: (value: unknown) => string): string {
  if (values.length === 0) return '0'
  if (values.length <= fewValues) return `${sql} IN (${values.map(bind).join(', ')})`
  return `${sql} IN (SELECT value FROM json_each(${bind(values)}))`
}

/** Up to so many documents that hold the words are gathered before a list is read. */
const mostGathered = 3000
/** Up to so many rows that hold them are put in order; among more a page is sooner full in the order of the list. */
const mostSorted = limits.page.most

/**
 * Rows whose searchable texts hold all of the words, as far as the reader may read them. Words too short to be looked for
 * narrow nothing: somebody has only begun to type. Where few documents hold the words, their rows are found and put in order;
 * where many do, the list is read in its order and each row is asked for them, so that a page costs the same either way.
 */
export function matchingSql(store: Store, source: RowSource, words: string): Narrowing {
  const matched = matchedIn(store, source, words)
  if (matched === null) return { sql: wordsOf(words).short.length > 0 ? '1' : '0', bindings: {}, isByIds: false }
  const { holding, isKind, bindings } = matched
  const sample = store.get(
    `SELECT count(*) AS n, coalesce(sum(isKind), 0) AS ofKind FROM (${holding(`${isKind} AS isKind`, '')} LIMIT ${mostGathered})`,
    bindings,
  )
  const isCommon = Number(sample?.n) >= mostGathered && Number(sample?.ofKind) * 10 >= mostGathered
  const sql = isCommon
    ? `EXISTS (SELECT 1 FROM search_documents document CROSS JOIN search_text ON search_text.rowid = document.id
        WHERE ${isKind} AND document.entity_id = t.id AND search_text MATCH @match)`
    : `t.id IN (${holding('document.entity_id', ` AND ${isKind}`)})`
  return { sql, bindings, isByIds: Number(sample?.n) < mostGathered && Number(sample?.ofKind) <= mostSorted }
}

/** The ids of rows whose texts hold the words, one after another as the index has them; null where no word can be looked for. */
export function matchedSql(store: Store, source: RowSource, words: string): Built | null {
  const matched = matchedIn(store, source, words)
  if (matched === null) return null
  const { holding, isKind, bindings } = matched
  return { sql: holding('document.entity_id AS id', ` AND ${isKind}`), bindings }
}

interface Matched {
  /** Selects from the documents that hold the words; `more` narrows them. */
  holding(columns: string, more: string): string
  /** The condition on `document` that it is of the kind that is read. */
  readonly isKind: string
  readonly bindings: Built['bindings']
}

function matchedIn(store: Store, source: RowSource, words: string): Matched | null {
  const terms = termsIn((from, to) => store.get(nextTermSql, { from, to })?.term as string | undefined)
  const match = matchExpression(wordsOf(words), source.searched, terms)
  if (match === null) return null
  const parts = partsOf(source)
  return {
    isKind: `document.entity_type = '${source.entity.name}'`,
    bindings: { ...source.bindings, ...placeBindings(Number(source.bindings.campaign)), match },
    holding: (columns, more) =>
      parts
        .map(
          (
            part,
          ) => `SELECT ${columns} FROM search_text CROSS JOIN search_documents document ON document.id = search_text.rowid
          WHERE search_text MATCH @match AND ${part}${more}`,
        )
        .join(' UNION ALL '),
  }
}

/** Where in the index the documents lie that a reader could see: what is closed only Dungeon Masters do, and whom a row names. */
function partsOf({ entity, searched }: RowSource): readonly string[] {
  const [open, closed] = [withinSql('search_text.rowid', 'open'), withinSql('search_text.rowid', 'closed')]
  return searched.includes('secret') || readerFieldsOf(entity).length > 0 ? [open, closed] : [open]
}

/** The order with `id` as its last key, so that it is total and a cursor names one place in it. */
export function totalOrder(order: Sorting | undefined): Sorting {
  const given = order ?? []
  return given.some(([key]) => key === 'id') ? given : [...given, ['id', given.at(-1)?.[1] ?? 'asc']]
}

/** Rows that pass, but for the order and the bound. */
export function passing(
  store: Store,
  source: RowSource,
  { where, matching, order }: AnyQuery,
  ...more: readonly Built[]
): Narrowing {
  const matched = matching === undefined ? null : matchingSql(store, source, matching)
  const built = [conditionsSql(source, (where ?? {}) as Conditions), ...(matched === null ? [] : [matched]), ...more]
  const rows = isOfLink(source, where ?? {}, order as Sorting | undefined)
    ? source.whereLinked
    : isNarrowed(source, where ?? {})
      ? source.whereNarrowed
      : source.where
  return {
    sql: allSql(rows, ...built.map(({ sql }) => sql)),
    bindings: Object.assign({}, source.bindings, ...built.map(({ bindings }) => bindings)) as Built['bindings'],
    isByIds: matched?.isByIds === true || Array.isArray((where as Conditions | undefined)?.id),
  }
}

/**
 * Whether rows are asked for by the thing that they name with a link, by one to which they refer and which no list is narrowed
 * by, or by several, in the order of their ids. SQLite would go through all of the campaign, which comes in that order, or all
 * that pass another filter, rather than put the few in order.
 */
function isOfLink(
  { entity }: RowSource,
  where: Readonly<Record<string, unknown>>,
  order: Sorting | undefined,
): boolean {
  if ((order ?? []).some(([key]) => key !== 'id')) return false
  const isGiven = (test: unknown): boolean =>
    typeof test === 'string' || typeof test === 'number' || Array.isArray(test)
  return Object.entries(entity.fields).some(([key, { marks }]) => {
    const { link, references } = marks
    if (references !== undefined && Array.isArray(where[key])) return true
    if (references !== undefined && isGiven(where[key]) && !entity.lists.filters?.includes(key)) return true
    return link !== undefined && 'id' in link && isGiven(where[key]) && isGiven(where[link.id])
  })
}

function isNarrowed({ entity }: RowSource, where: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(where).some(
    ([key, test]) =>
      test !== undefined && (entity.lists.filters?.includes(key) || entity.fields[key]?.marks.references !== undefined),
  )
}

export interface SortKey {
  readonly sql: string
  readonly direction: 'asc' | 'desc'
  readonly nullable: boolean
}

/** The keys of an order as this reader reads them: what they may not read sorts as null. */
export function sortKeys(source: RowSource, sorting: Sorting): readonly SortKey[] {
  return sorting.map(([key, direction]) => {
    const { value, sorted, stored, field } = source.column(key)
    return { sql: sorted, direction, nullable: value !== stored || field?.presence === 'nullable' }
  })
}

/** Rows behind a cursor, for keys of mixed direction that may be null (SQLite sorts nulls first, upwards). */
export function afterSql(keys: readonly SortKey[], cursor: CursorKey): Built {
  const bindings = Object.fromEntries(cursor.map((value, index) => [`c${index}`, value]))
  const [first] = keys
  const isSimple = keys.every(({ nullable, direction }) => !nullable && direction === first?.direction)
  // One comparison of rows is what SQLite can begin to read an index by.
  if (isSimple) {
    const names = cursor.map((_, index) => `@c${index}`)
    const sign = first?.direction === 'desc' ? '<' : '>'
    return { sql: `(${keys.map(({ sql }) => sql).join(', ')}) ${sign} (${names.join(', ')})`, bindings }
  }
  const alternatives = keys.map(({ sql, direction }, depth) => {
    const equal = keys.slice(0, depth).map((earlier, index) => `${earlier.sql} IS @c${index}`)
    return [...equal, beyond(sql, direction, cursor[depth] ?? null, `@c${depth}`)].join(' AND ')
  })
  // Of other keys the bound on the first says nothing more, but lets an index begin there.
  const isBounded = first !== undefined && cursor[0] != null && (first.direction === 'asc' || !first.nullable)
  const bound = isBounded ? `${first.sql} ${first.direction === 'asc' ? '>=' : '<='} @c0 AND ` : ''
  return { sql: `${bound}(${alternatives.map((part) => `(${part})`).join(' OR ')})`, bindings }
}

function beyond(sql: string, direction: 'asc' | 'desc', value: string | number | null, placeholder: string): string {
  if (direction === 'asc') return value === null ? `${sql} IS NOT NULL` : `${sql} > ${placeholder}`
  // Nothing sorts behind null downwards.
  return value === null ? '0' : `(${sql} < ${placeholder} OR ${sql} IS NULL)`
}

/** The names of what a query asks about; its values may be somebody's text. */
export function namesOf({ where, matching, order }: AnyQuery): string {
  const parts = { where: Object.keys(where ?? {}), matching: matching !== undefined, order: order ?? [] }
  return JSON.stringify(parts)
}
