import type { Entity, RowOf } from '../kernel/entity.ts'
import { fail } from '../kernel/errors.ts'
import { limits } from '../kernel/limits.ts'
import { decodeCursor, encodeCursor, type ListRequest, type Page, type PageRequest } from '../kernel/paging.ts'
import type { Query, Reader, RowReader, UnfilteredReader } from '../kernel/reader.ts'
import type { Viewer } from '../kernel/viewer.ts'
import { anyOf, fieldsOfPredicate, type ParentOf, type Predicate, sees } from '../kernel/visibility.ts'
import { sayWithheld } from '../kernel/withheld.ts'
import { count, countBy, greatest, labelsOf, sumBy, sumsBy } from './aggregates.ts'
import { type Column, columnsOf, decode, hasPublicColumns, homeColumns } from './columns.ts'
import { arrivalIndexOf } from './indexes.ts'
import { authorsAsked, inOrder, type KeyedRow } from './joined-lists.ts'
import { labelled } from './labels.ts'
import {
  type AnyQuery,
  afterSql,
  type Conditions,
  namesOf,
  passing,
  type Sorting,
  sortKeys,
  totalOrder,
} from './query.ts'
import { keptQuery, type MadeQuery, shapeOf } from './query-shapes.ts'
import { isOpen } from './registry.ts'
import { allRows, decodeRow, type RowSource, type Untyped, visibleRows } from './row-source.ts'
import type { MemoKind, Store } from './store.ts'
import { totalOf } from './totals.ts'
import { withheldRows } from './withheld-rows.ts'

/*
 * What a page of the NPCs of one place costs a player: one statement, of which this is the shape.
 *
 *   SELECT t.id AS "id", ..., t.location_id AS "locationId",
 *     (SELECT substr(target.name, 1, 121) FROM locations target WHERE target.id = t.location_id AND target.deleted_at IS NULL
 *        AND target.campaign_id = @campaign AND target.hidden IN (0) AND target.discovery IN (...)) AS "locationId:title",
 *     t.name_sort AS "k0", t.id AS "k1"
 *   FROM npcs t
 *   WHERE t.deleted_at IS NULL AND t.campaign_id = @campaign AND +t.hidden IN (0)         -- whose rows, and who sees them
 *     AND t.location_id = @w0 AND EXISTS (SELECT 1 FROM locations target WHERE ...)       -- the filter, and who may read it
 *     AND (t.name_sort, t.id) > (@c0, @c1)                                                -- behind the cursor
 *   ORDER BY "k0" asc, "k1" asc LIMIT @limit
 *
 *   SEARCH t USING INDEX npcs_list_campaign_id_location_id_name_sort_id (campaign_id=? AND location_id=? AND name_sort>?)
 *   SEARCH target USING INTEGER PRIMARY KEY (rowid=?), for each row of the page and each reference in it
 *
 * - Its text depends on the entity, on what kind of viewer asks (`dm`, `admin`, outside AI, toolsets) and on the shape of the
 *   query, never on a value: SQLite compiles it once and the store keeps it.
 * - With an index on campaign, filter, order and id it reads as many rows as the page has, and those between that are hidden;
 *   without one it reads and sorts all of the campaign. `lists` of the entity declares the index.
 * - A reference costs one search by primary key for each row of the page, for its name and for its being seen at once. A link
 *   to any kind of thing costs the same: only the branch of its kind is run.
 * - A filter stands on the bare column, so that the index serves; what decides whether the viewer may read it stands beside it.
 *   An order by a field that not everybody reads, or by a reference, is by an expression and sorts all.
 * - A Dungeon Master's statement has no test that would always hold: predicates are folded when it is made.
 */

/** With `totals` the first page of a list says how many there are in all. */
export function readerFor<E extends Entity>(store: Store, entity: E, viewer: Viewer, totals = false): Reader<E> {
  return rowReader(store, visibleRows(store, entity, viewer), viewer, totals) as unknown as Reader<E>
}

/** Whole rows of the viewer's campaign, of the viewer themself or of the server, as the entity's scope is. */
export function unfilteredReaderFor<E extends Entity>(store: Store, entity: E, viewer: Viewer): UnfilteredReader<E> {
  return rowReader(store, allRows(store, entity, viewer)) as unknown as RowReader<E, RowOf<E>>
}

/** Whether a viewer reads a row of that id, without reading it. */
export function isSeen(store: Store, entity: Entity, viewer: Viewer, id: number): boolean {
  const { from, where, texts, bindings } = visibleRows(store, entity, viewer)
  const text = texts.get('is seen') ?? `SELECT 1 AS seen FROM ${from} WHERE ${where} AND t.id = @id`
  texts.set('is seen', text)
  return store.get(text, { ...bindings, id }) !== undefined
}

/** The first rows of a list behind its cursor, one more than a page has, to be joined with those of other lists. */
export function keyedRows(
  store: Store,
  entity: Entity,
  viewer: Viewer,
  query: Query<Entity> & PageRequest,
): readonly KeyedRow[] {
  const { size, after } = placeOf(query)
  return keyed(select(store, visibleRows(store, entity, viewer), query, size + 1, after))
}

function keyed({ rows, keyOf }: Selected): readonly KeyedRow[] {
  return rows.map((row, index) => ({ row, key: keyOf(index) }))
}

/** What is asked of a page: its order, how many rows, and behind which key. Throws `validation_failed` on a foreign cursor. */
export function placeOf({ order, limit, cursor }: Query<Entity> & PageRequest) {
  const sorting = totalOrder(order as Sorting | undefined)
  const parts = sorting.map(([key]) => (key === 'id' ? 'integer' : 'any'))
  const after = cursor === undefined ? null : decodeCursor(cursor, parts)
  return { sorting, size: limit ?? limits.page.standard, after }
}

/** A whole row whether it is in the trash or not; for the journal, the trash and live events. */
export function wholeRow(store: Store, entity: Entity, id: number): Untyped | null {
  return rowBy(
    store,
    textOf(entity, wholeTexts, () => columnsOf(entity)),
    id,
  )
}

/** What of a row decides who sees and changes it, without its texts: read before everything that is about one thing. */
export function accessRowOf(store: Store, entity: Entity, id: number): Readonly<Untyped> | null {
  return store.memo(outlinesOf(entity), id, () =>
    rowBy(
      store,
      textOf(entity, accessTexts, () => deciding(entity)),
      id,
    ),
  )
}

const outlineKinds = new WeakMap<Entity, MemoKind>()

function outlinesOf(entity: Entity): MemoKind {
  const known = outlineKinds.get(entity) ?? { tables: [entity.table] }
  outlineKinds.set(entity, known)
  return known
}

interface RowText {
  readonly columns: readonly Column[]
  readonly sql: string
}

const wholeTexts = new WeakMap<Entity, RowText>()
const accessTexts = new WeakMap<Entity, RowText>()

function textOf(entity: Entity, kept: WeakMap<Entity, RowText>, choose: () => readonly Column[]): RowText {
  const known = kept.get(entity)
  if (known) return known
  const columns = choose()
  const list = columns.map(({ key, column }) => `t.${column} AS "${key}"`).join(', ')
  const text = { columns, sql: `SELECT ${list} FROM ${entity.table} t WHERE t.id = @id` }
  kept.set(entity, text)
  return text
}

function rowBy(store: Store, { columns, sql }: RowText, id: number): Untyped | null {
  const raw = store.get(sql, { id })
  return raw ? decodeRow(columns, raw) : null
}

function deciding(entity: Entity): readonly Column[] {
  const home = homeColumns[entity.scope]?.key ?? null
  const { owner, controller, acting } = entity
  const always = ['id', home, 'revision', 'publicRevision', 'deletedAt', owner, controller, acting]
  const predicates = [entity.visible, entity.readsAll].flatMap(fieldsOfPredicate)
  const asked = new Set<string | null>([...always, ...predicates])
  return columnsOf(entity).filter(({ key }) => asked.has(key))
}

/** Whether the viewer, a member of its campaign, sees a row: the twin in TypeScript of what a reader asks SQLite. */
export function seesRow(store: Store, entity: Entity, row: Readonly<Untyped>, viewer: Viewer): boolean {
  return row.deletedAt === null && holdsFor(store, entity.visible, entity, row, viewer)
}

/** Whether a predicate of a row's entity holds for a viewer to whom that kind of thing is open. */
export function holdsFor(
  store: Store,
  predicate: Predicate,
  entity: Entity,
  row: Readonly<Untyped>,
  viewer: Viewer,
): boolean {
  return isOpen(store.registry, entity, viewer.toolsets) && sees(predicate, row, viewer, parentsIn(store, viewer))
}

/**
 * The revision of a row that its viewer knows: that of all its changes for who reads all of it, else that of those which
 * anybody below the Dungeon Masters notices.
 */
export function revisionFor(store: Store, entity: Entity, row: Readonly<Untyped>, viewer: Viewer): number {
  const isWhole = !hasPublicColumns(entity) || sees(entity.readsAll, row, viewer, parentsIn(store, viewer))
  return Number(isWhole ? row.revision : row.publicRevision)
}

const nobody = anyOf()

/** Where a predicate finds the rows that it follows: parents, owners, and what links name. */
export function parentsIn(store: Store, viewer: Viewer): ParentOf {
  return (name, id, by) => {
    const target =
      by === 'linked' ? store.registry.kinds('linked').find((each) => each.name === name) : store.registry.get(name)
    const found = target === undefined ? null : accessRowOf(store, target, id)
    if (target === undefined || found === null) return null
    const visible = isOpen(store.registry, target, viewer.toolsets) ? target.visible : nobody
    return { row: found, visible, isOwn: target.isOwn }
  }
}

export function missing(entity: Entity): Error {
  return fail('not_found', `There is no such ${entity.label}, or you may not see it. ${entity.listedBy} finds ids.`)
}

/** Rows read in one go where there is no end to them. */
const slice = 500
/** More than this is not "all of a few". */
const most = 1000

type AnyReader = RowReader<Entity, Untyped> & { list(input: ListRequest, query: AnyQuery): Page<Untyped> }

function rowReader(store: Store, source: RowSource, viewer: Viewer | null = null, totals = false): AnyReader {
  return new SourceReader(store, source, viewer, totals) as unknown as AnyReader
}

/** A class and not an object of closures: one is made for every kind of thing that a call reads. */
class SourceReader {
  readonly #store: Store
  readonly #source: RowSource
  readonly #viewer: Viewer | null
  readonly #totals: boolean

  constructor(store: Store, source: RowSource, viewer: Viewer | null, totals: boolean) {
    this.#store = store
    this.#source = source
    this.#viewer = viewer
    this.#totals = totals
  }

  find(id: number | null): Untyped | null {
    const source = this.#source
    const raw = id === null ? undefined : this.#store.array(source.one, { ...source.bindings, id })
    return raw === undefined ? null : source.selection().toRow(raw)
  }

  get(id: number): Untyped {
    const row = this.find(id)
    if (row === null) throw missing(this.#source.entity)
    return row
  }

  first(query: AnyQuery = {}): Untyped | null {
    return select(this.#store, this.#source, query, 1).rows[0] ?? null
  }

  page(query: AnyQuery & PageRequest): Page<Untyped> {
    return pageOfRows(this.#store, this.#source, this.#viewer, query, { totals: this.#totals })
  }

  list({ query, view, limit, cursor }: ListRequest, asked: AnyQuery): Page<Untyped> {
    const wanted = { ...asked, matching: query, limit, cursor }
    const how = { brief: view !== 'full', totals: this.#totals }
    return pageOfRows(this.#store, this.#source, this.#viewer, wanted, how)
  }

  all(query: AnyQuery = {}): readonly Untyped[] {
    const { rows } = select(this.#store, this.#source, query, most + 1)
    const { name } = this.#source.entity
    if (rows.length > most) throw new Error(`${name}: more than ${most} rows for all() with ${namesOf(query)}`)
    return rows
  }

  each(query: AnyQuery = {}): Generator<Untyped, void, undefined> {
    return eachRow(this.#store, this.#source, query)
  }

  count(where: Conditions = {}, most?: number): number {
    return count(this.#store, this.#source, { where } as AnyQuery, most)
  }

  max(field: string, where: Conditions = {}): unknown {
    return greatest(this.#store, this.#source, field, where)
  }

  labelsOf(field: string, behind: Parameters<typeof labelsOf>[3]): ReturnType<typeof labelsOf> {
    return labelsOf(this.#store, this.#source, field, behind)
  }

  countBy(field: string, where: Conditions = {}): ReturnType<typeof countBy> {
    return countBy(this.#store, this.#source, field, where)
  }

  sumBy(field: string, by: string, where: Conditions = {}): ReturnType<typeof sumBy> {
    return sumBy(this.#store, this.#source, field, by, where)
  }

  sumsBy(fields: readonly string[], by: string, where: Conditions = {}): ReturnType<typeof sumsBy> {
    return sumsBy(this.#store, this.#source, fields, by, where)
  }

  groupBy(by: string, values: readonly unknown[], query: AnyQuery = {}): unknown {
    return groupBy(this.#store, this.#source, by, values as never, query as never)
  }
}

interface Selected {
  readonly rows: readonly Untyped[]
  /** The sort key of a row, by its place. */
  keyOf(index: number): (string | number | null)[]
}

function select(
  store: Store,
  rows: RowSource,
  asked: AnyQuery,
  limit: number,
  after: readonly (string | number | null)[] | null = null,
  brief = false,
): Selected {
  const { source, query } = labelled(rows, asked) ?? { source: rows, query: asked }
  const { list, width, toRow } = brief ? source.brief() : source.selection(query.columns)
  const keys = sortKeys(source, totalOrder(query.order as Sorting | undefined))
  const make = (): MadeQuery => {
    const narrowing = passing(store, source, query, ...(after === null ? [] : [afterSql(keys, after)]))
    const { sql: tests, bindings } = narrowing
    // SQLite takes any index for narrow, and would go through the whole list for the few that hold the words.
    const byArrival =
      (query.order as Sorting | undefined)?.[0]?.[0] === 'createdAt' ? arrivalIndexOf(source.entity) : null
    const hint = narrowing.isByIds ? ' NOT INDEXED' : byArrival === null ? '' : ` INDEXED BY ${byArrival}`
    const from = source === rows ? `${source.from}${hint}` : source.from
    const named = keys.map(({ sql }, index) => `${sql} AS "k${index}"`).join(', ')
    const order = keys.map(({ direction }, index) => `"k${index}" ${direction}`).join(', ')
    const text = `SELECT ${list}, ${named} FROM ${from} WHERE ${tests} ORDER BY ${order} LIMIT @limit`
    return { text, bindings }
  }
  // Whoever looks for words, or in a table of labels, asks too variously for a text to be kept.
  const isKept = query.matching === undefined && source === rows
  const { text, bindings } = isKept ? keptQuery(source, shapeOf(source, query as never, after, brief), make) : make()
  const raw = store.arrays(text, { ...bindings, limit })
  return {
    rows: raw.map(toRow),
    keyOf: (index) => keys.map((_, part) => raw[index]?.[width + part] ?? null),
  }
}

function pageOfRows(
  store: Store,
  source: RowSource,
  viewer: Viewer | null,
  query: AnyQuery & PageRequest,
  { brief = false, totals = false }: { readonly brief?: boolean; readonly totals?: boolean } = {},
): Page<Untyped> {
  const { sorting, size, after } = placeOf(query as Query<Entity> & PageRequest)
  const authors = viewer === null ? null : authorsAsked(source.entity, viewer, query)
  const selectOf = (asked: AnyQuery): Selected => select(store, source, asked, size + 1, after, brief)
  const { rows, keyOf } =
    authors === null
      ? selectOf(query)
      : joined(
          authors.map((where) => selectOf({ ...query, where })),
          sorting,
        )
  const items = rows.slice(0, size)
  const nextCursor = rows.length > size ? encodeCursor(keyOf(size - 1)) : null
  const { entity } = source
  const page =
    totals && after === null
      ? { items, nextCursor, total: totalOf(store, source, query, rows.length, size) }
      : { items, nextCursor }
  if (viewer === null || entity.forAi === null) return page
  return { ...page, ...sayWithheld(viewer.ai, withheldRows(store, entity, viewer, query.where)) }
}

function joined(lists: readonly Selected[], sorting: Sorting): Selected {
  const all = inOrder(lists.flatMap(keyed), sorting)
  return { rows: all.map(({ row }) => row), keyOf: (index) => [...(all[index]?.key ?? [])] }
}

function* eachRow(store: Store, source: RowSource, query: AnyQuery): Generator<Untyped, void, undefined> {
  let after: readonly (string | number | null)[] | null = null
  for (;;) {
    const { rows, keyOf }: Selected = select(store, source, query, slice, after)
    yield* rows
    if (rows.length < slice) return
    after = keyOf(rows.length - 1)
  }
}

function groupBy(
  store: Store,
  source: RowSource,
  by: string,
  values: readonly unknown[],
  query: AnyQuery & { readonly limit?: number },
): ReadonlyMap<unknown, { readonly items: Untyped[]; readonly count: number }> {
  // Of no groups there is nothing to read; SQLite would read an index to its end for a test that never holds.
  if (values.length === 0) return new Map()
  const [value, ...others] = values
  // One group is a page of a list, and its index serves; it is counted only where it does not fit.
  if (others.length === 0) return oneGroup(store, source, by, value, query)
  const group = source.column(by)
  const keys = sortKeys(source, totalOrder(query.order as Sorting | undefined))
  const { sql: tests, bindings } = passing(store, source, {
    ...query,
    where: { ...query.where, [by]: values },
  } as AnyQuery)
  const { list, width, toRow } = source.selection(query.columns)
  const order = keys.map(({ sql, direction }) => `${sql} ${direction}`).join(', ')
  // Places are numbered first, so that names are looked up for the rows that are given only.
  const rows = store.arrays(
    `SELECT ${list}, placed.total AS "?total", ${group.value} AS "?group" FROM
       (SELECT t.id AS id, row_number() OVER (PARTITION BY ${group.stored} ORDER BY ${order}) AS place,
          count(*) OVER (PARTITION BY ${group.stored}) AS total FROM ${source.from} WHERE ${tests}) placed
     JOIN ${source.from} ON t.id = placed.id WHERE placed.place <= @limit ORDER BY "?group", placed.place`,
    { ...bindings, limit: query.limit ?? limits.page.most },
  )
  const groups = new Map<unknown, { items: Untyped[]; count: number }>()
  for (const raw of rows) {
    const value = decode(group.kind, raw[width + 1])
    const known = groups.get(value) ?? { items: [], count: raw[width] as number }
    groups.set(value, known)
    known.items.push(toRow(raw))
  }
  return groups
}

function oneGroup(
  store: Store,
  source: RowSource,
  by: string,
  value: unknown,
  { limit = limits.page.most, ...query }: AnyQuery & { readonly limit?: number },
): ReadonlyMap<unknown, { readonly items: Untyped[]; readonly count: number }> {
  const asked = { ...query, where: { ...query.where, [by]: value } } as AnyQuery
  const { rows } = select(store, source, asked, limit + 1)
  if (rows.length === 0) return new Map()
  const items = rows.slice(0, limit)
  return new Map([[value, { items, count: rows.length > limit ? count(store, source, asked) : rows.length }]])
}
