import type { Entity } from '../kernel/entity.ts'
import type { Fields } from '../kernel/fields.ts'
import type { Lists } from '../kernel/lists.ts'
import { type Column, columnName, columnOf, columnsOf, homeColumns, sinceOf } from './columns.ts'

export interface Index {
  readonly name: string
  readonly unique: boolean
  /** The table, its columns and which rows. */
  readonly on: string
  /** The first migration in which all its columns are there. */
  readonly since: number
}

/** What the name of an index says behind its table: why it is there. */
export const indexKinds = ['home', 'ref', 'link', 'lookup', 'unique', 'trash', 'list'] as const

const living = 'WHERE deleted_at IS NULL'

/**
 * The indexes of an entity: of the campaign or person that rows go with; of every reference and link, for when what they
 * point to goes; of hashes by which rows are found; of what is unique; of the trash; and of every order in which lists are
 * read, by itself, by each of the filters, and by what hides rows from players.
 */
export function indexesOf(entity: Entity): readonly Index[] {
  const { table } = entity
  const home = homeColumns[entity.scope]
  const homes = home === null || home.column === 'id' ? [] : [home.column]
  const index = (kind: (typeof indexKinds)[number], columns: readonly string[], rows = '', unique = false): Index => ({
    name: `${table}_${kind}_${columns.map((column) => column.replace(' ', '_').toLowerCase()).join('_')}`,
    unique,
    on: `${table}(${columns.join(', ')})${rows === '' ? '' : ` ${rows}`}`,
    since: Math.max(entity.since, ...fieldsIn(entity, columns).map((column) => sinceOf(entity, column))),
  })
  const found = [
    ...homes.map((column) => index('home', [column])),
    ...columnsOf(entity).flatMap(({ column, field }) => {
      if (field?.marks.references) return [index('ref', [column])]
      if (field?.marks.lookup) return [index('lookup', [column])]
      const link = field?.marks.link
      return link !== undefined && 'id' in link ? [index('link', [column, columnName(link.id)])] : []
    }),
    ...entity.unique.map((keys) => {
      const columns = keys.map((key) => columnOf(entity, key).column)
      return index('unique', [...homes, ...columns], living, true)
    }),
    ...(entity.trash ? [index('trash', [...homes, 'trash_batch DESC', 'id'], 'WHERE deleted_at IS NOT NULL')] : []),
    ...listColumns(entity).map((columns) => index('list', [...homes, ...columns], living)),
  ]
  return [...new Map(found.map((each) => [each.name, each])).values()]
}

function fieldsIn(entity: Entity, columns: readonly string[]): readonly Column[] {
  const names = new Set(columns.map((column) => column.split(' ')[0]))
  return columnsOf(entity).filter(({ column, sortColumn }) => names.has(column) || names.has(String(sortColumn)))
}

/**
 * The columns behind the home of each index of a list. Rows that go with a parent by which they are listed are always of
 * one, so that every index of theirs begins with it. The order of the ids alone is that of the home's own index.
 */
function listColumns(entity: Entity): readonly (readonly string[])[] {
  const { orders, filters = [], recent = false, arrivals = false } = entity.lists
  const within = filters.filter((key) => entity.fields[key]?.marks.owned)
  // Lists of labels have a table of their own (labels.ts).
  const single = filters.filter((key) => !within.includes(key) && columnOf(entity, key).kind !== 'json')
  const others = [...single, ...(entity.hide ? ['hidden'] : [])]
  const byTime = recent ? [['updated_at', 'id'], ...(entity.hide ? [['hidden', 'public_updated_at', 'id']] : [])] : []
  const inOrder = orders.flatMap((order) => {
    const last = order.at(-1)?.[1] ?? 'asc'
    const keys = order.map(([key, direction]) => {
      const { column, sortColumn } = columnOf(entity, key)
      // An index is read in either direction, so only a key that goes against the others says which.
      return `${sortColumn ?? column}${direction === last ? '' : ' DESC'}`
    })
    const isServed = order.length === 0 || entity.unique.some((group) => sameKeys(group, order))
    return [[], ...others.map((filter) => [filter])]
      .map((filter) => [...within, ...filter])
      .filter((filter) => filter.length > 0 || !isServed)
      .map((filter) => [...filter.map((key) => columnOf(entity, key).column), ...keys, 'id'])
  })
  return [...inOrder, ...byTime, ...(arrivals ? [arrivalColumns] : [])]
}

const arrivalColumns = ['created_at', 'id'] as const

/**
 * The index by which what came within a time is read; null where there is none. SQLite would rather take that of a filter, and
 * go through all that ever had its value.
 */
export function arrivalIndexOf(entity: Entity): string | null {
  const ending = `_${arrivalColumns.join('_')}`
  return entity.lists.arrivals === true
    ? (indexesOf(entity).find(({ name }) => name.startsWith(`${entity.table}_list_`) && name.endsWith(ending))?.name ??
        null)
    : null
}

function sameKeys(group: readonly string[], order: Lists<Fields>['orders'][number]): boolean {
  return group.length === order.length && order.every(([key], index) => group[index] === key)
}
