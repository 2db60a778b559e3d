import type { Query, Reader, UnfilteredReader } from '../kernel/context.ts'
import type { Entity, RowOf, VisibleRowOf } from '../kernel/entity.ts'
import { fail } from '../kernel/errors.ts'
import { limits } from '../kernel/limits.ts'
import { type CursorKey, decodeCursor, encodeCursor, type Page, type PageRequest } from '../kernel/paging.ts'
import type { Viewer } from '../kernel/viewer.ts'
import { type ParentOf, type Predicate, sees } from '../kernel/visibility.ts'
import { type Column, columnsOf, decode, homeColumns, type SqlValue, scopeSql } from './columns.ts'
import { afterSql, type Conditions, conditionsSql, type Sorting, totalOrder } from './query.ts'
import type { Registry } from './registry.ts'
import type { Store } from './store.ts'
import { linkSql, type SqlViewer, sqlViewerOf, visibleSql } from './visibility-sql.ts'

type Raw = Readonly<Record<string, SqlValue>>
type Untyped = Record<string, unknown>

/** The SQL behind a row source: it depends on the entity and on what kind of viewer it is for, and is made once for each. */
interface Plan {
  readonly from: string
  readonly columns: readonly Column[]
  /** The SQL of a column as this source may read it. */
  expression(column: Column): string
  /** All columns, for a SELECT. */
  readonly list: string
  /** The statement that reads one row. */
  readonly one: string
}

/** Whose rows: a viewer's, or (for rules) all of a campaign's. */
interface RowSource extends Plan {
  readonly bindings: Readonly<Record<string, SqlValue>>
  toRow(raw: Raw): Untyped
}

const plans = new WeakMap<Registry, Map<string, Plan>>()

function planOf(registry: Registry, key: string, make: () => Omit<Plan, 'list' | 'one'>): Plan {
  const kept = plans.get(registry) ?? new Map<string, Plan>()
  plans.set(registry, kept)
  const known = kept.get(key)
  if (known) return known
  const { from, columns, expression } = make()
  const list = columns.map((column) => `${expression(column)} AS "${column.key}"`).join(', ')
  const plan = { from, columns, expression, list, one: `SELECT ${list} FROM ${from} AND t.id = @id` }
  kept.set(key, plan)
  return plan
}

export function readerFor<E extends Entity>(store: Store, entity: E, viewer: Viewer, withholds: boolean): Reader<E> {
  const source = visibleRows(store, entity, viewer, withholds)
  const find = (id: number | null): VisibleRowOf<E> | null =>
    id === null ? null : ((one(store, source, id) as VisibleRowOf<E> | undefined) ?? null)
  return {
    find,
    get(id) {
      const row = find(id)
      if (row === null) throw missing(entity)
      return row
    },
    page(query) {
      const { size, sorting, after } = pageRequest(query)
      const rows = keyedRows(store, entity, source, query, sorting, size + 1, after)
      return pageOfKeyed(entity, rows, size, withholds) as unknown as Page<VisibleRowOf<E>>
    },
    all: (query = {}) => every(store, entity, source, query) as unknown as VisibleRowOf<E>[],
    count: (where = {}) => count(store, entity, source, where as Conditions),
  }
}

/** A row as a viewer reads it, and where it stands in the order of its list. */
export interface KeyedRow {
  readonly row: Readonly<Untyped>
  readonly key: CursorKey
}

/** What is asked of a page: how many rows, in which order, behind which place. Throws `validation_failed` on a foreign cursor. */
export function pageRequest({ order, limit, cursor }: Query<Entity> & PageRequest) {
  const sorting = totalOrder(order as Sorting | undefined)
  const after = cursor === undefined ? null : decodeCursor(cursor, sorting.length)
  return { size: limit ?? limits.page.standard, sorting, after }
}

/** A page of rows of which there may be one more than fit. */
export function pageOfKeyed(
  entity: Entity,
  rows: readonly KeyedRow[],
  size: number,
  withholds: boolean,
): Page<Readonly<Untyped>> {
  const items = rows.slice(0, size).map(({ row }) => row)
  const last = rows.length > size ? rows[size - 1] : undefined
  const page = { items, nextCursor: last === undefined ? null : encodeCursor(last.key) }
  if (!withholds || entity.memberText === null) return page
  return { ...page, withheld: items.filter((item) => 'textWithheld' in item).length }
}

/** The first rows of a list through the viewer's eyes, with their keys. */
export function visibleKeyedRows(
  store: Store,
  entity: Entity,
  viewer: Viewer,
  withholds: boolean,
  query: Query<Entity> & PageRequest,
): readonly KeyedRow[] {
  const { size, sorting, after } = pageRequest(query)
  return keyedRows(store, entity, visibleRows(store, entity, viewer, withholds), query, sorting, size + 1, after)
}

function keyedRows(
  store: Store,
  entity: Entity,
  source: RowSource,
  { where }: Query<Entity>,
  sorting: Sorting,
  limit: number,
  after: CursorKey | null,
): readonly KeyedRow[] {
  return select(store, entity, source, (where ?? {}) as Conditions, sorting, limit, after).map((raw) => ({
    row: source.toRow(raw),
    key: sorting.map((_, index) => raw[`k${index}`] ?? null),
  }))
}

/** Whole rows of the viewer's campaign, of the viewer themself or of the server, as the entity's scope is. */
export function unfilteredReaderFor<E extends Entity>(store: Store, entity: E, viewer: Viewer): UnfilteredReader<E> {
  const source = allRows(store, entity, viewer)
  const find = (id: number | null): RowOf<E> | null =>
    id === null ? null : ((one(store, source, id) as RowOf<E> | undefined) ?? null)
  return {
    find,
    get(id) {
      const row = find(id)
      if (row === null) throw missing(entity)
      return row
    },
    all: (query = {}) => every(store, entity, source, query) as unknown as RowOf<E>[],
    count: (where = {}) => count(store, entity, source, where as Conditions),
  }
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
  return store.memo(`outline ${entity.name} ${id}`, () =>
    rowBy(
      store,
      textOf(entity, accessTexts, () => deciding(entity)),
      id,
    ),
  )
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
  const asked = new Set<string | null>([
    'id',
    home,
    'revision',
    'deletedAt',
    entity.owner,
    entity.controller,
    entity.acting,
  ])
  const ask = (predicate: Predicate): void => {
    if (predicate.is === 'any' || predicate.is === 'all') for (const inner of predicate.of) ask(inner)
    if ('field' in predicate) asked.add(predicate.field)
  }
  ask(entity.visible)
  return columnsOf(entity).filter(({ key }) => asked.has(key))
}

/** Whether the viewer, a member of its campaign, sees a row: the twin in TypeScript of what a reader asks SQLite. */
export function seesRow(store: Store, entity: Entity, row: Readonly<Untyped>, viewer: Viewer): boolean {
  const parentOf: ParentOf = (name, id) => {
    const parent = store.registry.get(name)
    const found = accessRowOf(store, parent, id)
    return found === null ? null : { row: found, visible: parent.visible, isOwn: parent.isOwn }
  }
  return row.deletedAt === null && sees(entity.visible, row, viewer, parentOf)
}

export function missing(entity: Entity): Error {
  return fail('not_found', `There is no such ${entity.label}, or you may not see it. ${entity.listedBy} finds ids.`)
}

function visibleRows(store: Store, entity: Entity, viewer: Viewer, withholds: boolean): RowSource {
  const audience = sqlViewerOf(viewer)
  const { owner } = entity
  const plan = planOf(
    store.registry,
    `${entity.name} ${audience.dm ? 'dm' : ''} ${audience.admin ? 'admin' : ''}`,
    () => viewerPlan(store.registry, entity, audience),
  )
  return {
    ...plan,
    bindings: { campaign: viewer.campaignId, viewer: viewer.userId },
    toRow(raw) {
      const row = decodeRow(plan.columns, raw)
      const own = owner !== null && row[owner] === viewer.userId
      if (!own && !audience.dm) {
        for (const { key, field } of plan.columns) if (field?.marks.readableBy === 'owner') delete row[key]
      }
      if (withholds && entity.memberText !== null && !own && row[entity.memberText]) {
        row[entity.memberText] = ''
        row.textWithheld = true
      }
      return row
    },
  }
}

function viewerPlan(registry: Registry, entity: Entity, audience: SqlViewer): Omit<Plan, 'list' | 'one'> {
  const columns = columnsOf(entity).filter(
    ({ key, field }) =>
      key !== 'deletedAt' && !field?.marks.internal && (audience.dm || field?.marks.readableBy !== 'dm'),
  )
  const links = new Set(
    columns.filter(({ field }) => field?.marks.references && !field.marks.owned).map(({ key }) => key),
  )
  return {
    from: `${entity.table} t WHERE t.deleted_at IS NULL AND ${visibleScopeSql(entity)} AND ${visibleSql(registry, entity, 't', audience)}`,
    columns,
    expression({ key, column, field }) {
      if (field?.marks.readableBy === 'dm' && !audience.dm)
        throw new Error(`${entity.name}.${key} cannot be asked about by who may not see it`)
      return links.has(key)
        ? linkSql(registry, field?.marks.references as string, `t.${column}`, audience)
        : `t.${column}`
    },
  }
}

function allRows(store: Store, entity: Entity, viewer: Viewer): RowSource {
  const plan = planOf(store.registry, `${entity.name} whole`, () => ({
    from: `${entity.table} t WHERE t.deleted_at IS NULL AND ${scopeSql(entity, 't')}`,
    columns: columnsOf(entity),
    expression: ({ column }) => `t.${column}`,
  }))
  const bindings = { campaign: viewer.campaignId, viewer: viewer.userId }
  return { ...plan, bindings, toRow: (raw) => decodeRow(plan.columns, raw) }
}

// Whose rows of a person others see, their predicate alone says.
function visibleScopeSql(entity: Entity): string {
  return entity.scope === 'user' ? '1' : scopeSql(entity, 't')
}

function one(store: Store, source: RowSource, id: number): Untyped | undefined {
  const raw = store.get(source.one, used(source, { id }))
  return raw ? source.toRow(raw) : undefined
}

function every(store: Store, entity: Entity, source: RowSource, query: Query<Entity>): readonly Untyped[] {
  return select(
    store,
    entity,
    source,
    (query.where ?? {}) as Conditions,
    totalOrder(query.order as Sorting | undefined),
    1000,
    null,
  ).map((raw) => source.toRow(raw))
}

function count(store: Store, entity: Entity, source: RowSource, where: Conditions): number {
  const built = conditionsSql(entity, where, source.expression)
  const sql = `SELECT count(*) AS n FROM ${source.from}${built.sql ? ` AND ${built.sql}` : ''}`
  return store.get(sql, used(source, built.bindings))?.n as number
}

function select(
  store: Store,
  entity: Entity,
  source: RowSource,
  where: Conditions,
  order: Sorting,
  limit: number,
  after: readonly (string | number | null)[] | null,
): readonly Raw[] {
  const keys = order.map(([key, direction]) => {
    const column = columnsOf(entity).find((each) => each.key === key)
    if (!column) throw new Error(`${entity.name} has no field ${key} to sort by`)
    const own = source.expression(column)
    const { sortColumn } = column
    const isNullable = column.field?.presence === 'nullable' || column.field?.marks.references !== undefined
    return { sql: sortColumn === null ? own : `t.${sortColumn}`, direction, isNullable }
  })
  const built = conditionsSql(entity, where, source.expression)
  const behind = after === null ? { sql: '', bindings: {} } : afterSql(keys, after)
  const tests = [built.sql, behind.sql]
    .filter((part) => part !== '')
    .map((part) => ` AND ${part}`)
    .join('')
  const sortKeys = keys.map(({ sql }, index) => `${sql} AS "k${index}"`).join(', ')
  const orderSql = keys.map(({ direction }, index) => `"k${index}" ${direction}`).join(', ')
  const sql = `SELECT ${source.list}, ${sortKeys} FROM ${source.from}${tests} ORDER BY ${orderSql} LIMIT @limit`
  return store.all(sql, used(source, { ...built.bindings, ...behind.bindings, limit }))
}

function used(source: RowSource, more: Readonly<Record<string, SqlValue>>): Record<string, SqlValue> {
  return { ...source.bindings, ...more }
}

function decodeRow(columns: readonly Column[], raw: Raw): Untyped {
  const row: Untyped = {}
  for (const { key, kind } of columns) row[key] = decode(kind, raw[key])
  return row
}
