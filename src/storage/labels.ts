import type { Entity } from '../kernel/entity.ts'
import type { Query } from '../kernel/reader.ts'
import { foldText } from '../kernel/sort-key.ts'
import { columnOf, type SqlValue } from './columns.ts'
import { keyColumn, type LabelTable, labelTablesOf } from './label-tables.ts'
import type { RowSource } from './row-source.ts'
import type { Store } from './store.ts'
import { allSql } from './visibility-sql.ts'

/** Writes the labels of a row that is new; most have none. */
export function addLabels(store: Store, entity: Entity, id: number, values: Readonly<Record<string, unknown>>): void {
  const given = labelTablesOf(entity).filter(({ key }) => Array.isArray(values[key]) && values[key].length > 0)
  if (given.length > 0)
    bringLabels(
      store,
      entity,
      id,
      given.map(({ key }) => key),
    )
}

/** Brings the labels of a row up to date, of those lists that a change of these fields concerns. */
export function bringLabels(store: Store, entity: Entity, id: number, changed: readonly string[]): void {
  for (const { key, table, home, order } of labelTablesOf(entity)) {
    if (![key, ...order.map((each) => each.key)].some((each) => changed.includes(each))) continue
    const { column } = columnOf(entity, key)
    const stored = store.get(`SELECT t.${column} AS labels FROM ${entity.table} t WHERE t.id = @id`, { id })?.labels
    const labels = new Set((JSON.parse(String(stored ?? '[]')) as string[]).map(foldText))
    store.run(`DELETE FROM ${table} WHERE id = @id`, { id })
    const columns = [...(home === null ? [] : [home]), ...order.map(keyColumn), 'id']
    for (const label of labels)
      store.run(
        `INSERT INTO ${table} (label, ${columns.join(', ')}) SELECT @label, ${columns.map((each) => `t.${each}`).join(', ')} FROM ${entity.table} t WHERE t.id = @id`,
        { id, label },
      )
  }
}

/** The SQL that holds for rows of `t` that bear a label, or null for a field that is no list of labels. */
export function bearsSql(entity: Entity, key: string, label: () => string): string | null {
  const found = labelTablesOf(entity).find((each) => each.key === key)
  if (found === undefined) return null
  return `t.id IN (SELECT label.id FROM ${found.table} label WHERE ${labelSql(found, label())})`
}

function labelSql({ home }: LabelTable, label: string): string {
  const homes = { campaign_id: 'label.campaign_id = @campaign', user_id: 'label.user_id IS @viewer' } as const
  return allSql(home === null ? '1' : homes[home as keyof typeof homes], `label.label = ${label}`)
}

interface Labelled {
  readonly source: RowSource
  readonly query: Query<Entity>
}

/**
 * The same query, read from the table of the labels, where it asks for a label in the order that this table has. Null
 * otherwise: then the rows that bear the label are found and put in order.
 */
export function labelled(source: RowSource, query: Query<Entity>): Labelled | null {
  const { entity } = source
  const where = (query.where ?? {}) as Readonly<Record<string, unknown>>
  const found = labelTablesOf(entity).find(({ key }) => where[key] !== undefined && source.column(key).readable === '1')
  const test = found === undefined ? undefined : (where[found.key] as { readonly has?: string } | null)
  const asked = (query.order ?? []).filter(([key]) => key !== 'id')
  const isItsOrder =
    found !== undefined &&
    asked.length === found.order.length &&
    asked.every(([key], index) => key === found.order[index]?.key && source.column(key).readable === '1')
  if (found === undefined || typeof test?.has !== 'string' || !isItsOrder) return null
  const { [found.key]: _, ...others } = where
  const keys = new Set(['id', ...found.order.map(({ key }) => key)])
  const bindings: Record<string, SqlValue> = { ...source.bindings, label: foldText(test.has) }
  return {
    query: { ...query, where: others as never },
    source: {
      ...source,
      bindings,
      // In this order, and no other.
      from: `${found.table} label CROSS JOIN ${source.from}`,
      where: allSql(labelSql(found, '@label'), 't.id = label.id', source.where),
      whereNarrowed: allSql(labelSql(found, '@label'), 't.id = label.id', source.whereNarrowed),
      whereLinked: allSql(labelSql(found, '@label'), 't.id = label.id', source.whereLinked),
      column(key) {
        const column = source.column(key)
        return keys.has(key) ? { ...column, sorted: `label.${keyColumn(column)}` } : column
      },
    },
  }
}
