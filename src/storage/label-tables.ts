import type { Entity } from '../kernel/entity.ts'
import { type Column, columnOf, homeColumns } from './columns.ts'

// A list of labels by which lists are narrowed (tags) has a table beside it: one row for each label of a row, folded, in the
// first order of the lists. So the rows that bear one are read page by page, in order, however many do or do not.

export interface LabelTable {
  /** The field with the labels. */
  readonly key: string
  readonly table: string
  /** Where the rows lie, as in the table of the entity; null where they lie nowhere in particular. */
  readonly home: string | null
  /** The keys of the order, which the table repeats. */
  readonly order: readonly Column[]
}

const cache = new WeakMap<Entity, readonly LabelTable[]>()

export function labelTablesOf(entity: Entity): readonly LabelTable[] {
  const known = cache.get(entity)
  if (known) return known
  const { orders, filters = [] } = entity.lists
  const home = homeColumns[entity.scope]
  const order = (orders[0] ?? []).map(([key]) => columnOf(entity, key))
  // What may be null has no place in a primary key; such lists are sorted when they are read.
  const kept = order.every(({ field }) => field?.presence !== 'nullable') ? order : []
  const tables = filters
    .map((key) => columnOf(entity, key))
    .filter(({ kind }) => kind === 'json')
    .map(({ key, column }) => ({
      key,
      table: `${entity.table}_${column}`,
      home: home === null || home.column === 'id' ? null : home.column,
      order: kept,
    }))
  cache.set(entity, tables)
  return tables
}

export function keyColumn({ sortColumn, column }: Column): string {
  return sortColumn ?? column
}
