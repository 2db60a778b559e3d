import { type LabelCount, mergedLabels } from '../kernel/label-counts.ts'
import { foldText } from '../kernel/sort-key.ts'
import { decode } from './columns.ts'
import { keptCount, keptNumbers, valueIn } from './kept-counts.ts'
import { type AnyQuery, type Conditions, passing } from './query.ts'
import type { RowSource } from './row-source.ts'
import type { Store } from './store.ts'
import { countedLabels, countedValues } from './tallies.ts'

// Numbers of many rows: from what each write keeps where that is kept, else counted now.

export function count(store: Store, source: RowSource, query: AnyQuery, most: number | null = null): number {
  const known = query.matching === undefined ? keptCount(store, source, (query.where ?? {}) as Conditions) : null
  if (known !== null) return most === null ? known : Math.min(known, most)
  const { sql, bindings } = passing(store, source, query)
  if (most !== null) {
    const some = `SELECT 1 FROM ${source.from} WHERE ${sql} LIMIT @most`
    return store.get(`SELECT count(*) AS n FROM (${some})`, { ...bindings, most })?.n as number
  }
  return store.get(`SELECT count(*) AS n FROM ${source.from} WHERE ${sql}`, bindings)?.n as number
}

export function greatest(store: Store, source: RowSource, field: string, where: Conditions): unknown {
  const { value, kind } = source.column(field)
  const { sql, bindings } = passing(store, source, { where } as AnyQuery, { sql: `${value} IS NOT NULL`, bindings: {} })
  const row = store.get(
    `SELECT ${value} AS value FROM ${source.from} WHERE ${sql} ORDER BY ${value} DESC LIMIT 1`,
    bindings,
  )
  return row === undefined ? null : decode(kind, row.value)
}

/** `+` where rows are narrowed: SQLite would take the index of what they are grouped by in place of that of the filter. */
function grouped(value: string, where: Conditions): string {
  return Object.values(where).some((test) => test !== undefined) ? `+${value}` : value
}

export function countBy(
  store: Store,
  source: RowSource,
  field: string,
  where: Conditions,
): ReadonlyMap<unknown, number> {
  const kept = Object.values(where).every((test) => test === undefined) ? keptNumbers(source, field) : null
  if (kept !== null)
    return new Map(
      countedValues(store, source.bindings.campaign ?? null, kept.tally, kept.parts).map(({ value, count }) => [
        valueIn(kept.tally, value),
        count,
      ]),
    )
  const { stored, value, readable, kind } = source.column(field)
  const { sql, bindings } = passing(store, source, { where } as AnyQuery, { sql: readable, bindings: {} })
  // The texts of a list are counted each by itself.
  const isList = kind === 'json'
  const [from, key] = isList ? [`${source.from}, json_each(${stored}) part`, 'part.value'] : [source.from, value]
  const rows = store.all(
    `SELECT ${grouped(key, where)} AS value, count(*) AS n FROM ${from} WHERE ${sql} GROUP BY 1 ORDER BY min(t.id)${isList ? ', min(part.key)' : ''}`,
    bindings,
  )
  return new Map(rows.map((row) => [decode(isList ? 'text' : kind, row.value), row.n as number]))
}

export function sumBy(
  store: Store,
  source: RowSource,
  field: string,
  by: string,
  where: Conditions,
): ReadonlyMap<unknown, { readonly sum: number; readonly count: number }> {
  const kept = Object.values(where).every((test) => test === undefined) ? keptNumbers(source, by, field) : null
  if (kept !== null && source.column(field).readable === '1')
    return new Map(
      countedValues(store, source.bindings.campaign ?? null, kept.tally, kept.parts).map(({ value, sum, count }) => [
        valueIn(kept.tally, value),
        { sum, count },
      ]),
    )
  const found = sumsBy(store, source, [field], by, where)
  return new Map(Array.from(found, ([value, { sums, count }]) => [value, { sum: sums[field] as number, count }]))
}

export function sumsBy(
  store: Store,
  source: RowSource,
  fields: readonly string[],
  by: string,
  where: Conditions,
): ReadonlyMap<unknown, { readonly sums: Readonly<Record<string, number>>; readonly count: number }> {
  const group = source.column(by)
  const { sql, bindings } = passing(store, source, { where } as AnyQuery, { sql: group.readable, bindings: {} })
  const totals = fields.map((field, index) => `coalesce(sum(${source.column(field).value}), 0) AS total${index}`)
  const rows = store.all(
    `SELECT ${[`${grouped(group.value, where)} AS value`, ...totals, 'count(*) AS n'].join(', ')} FROM ${source.from} WHERE ${sql} GROUP BY 1 ORDER BY min(t.id)`,
    bindings,
  )
  return new Map(
    rows.map((row) => {
      const sums = fields.map((field, index) => [field, row[`total${index}`] as number])
      return [decode(group.kind, row.value), { sums: Object.fromEntries(sums), count: row.n as number }]
    }),
  )
}

/** The labels of a list field behind one. */
export function labelsOf(
  store: Store,
  source: RowSource,
  field: string,
  behind: { readonly after: string; readonly limit: number },
): readonly LabelCount[] {
  const kept = keptNumbers(source, field)
  if (kept !== null) return countedLabels(store, source.bindings.campaign ?? null, kept.tally, kept.parts, behind)
  const spelled = Array.from(countBy(store, source, field, {}), ([label, count]) => ({
    key: foldText(String(label)),
    label: String(label),
    count,
    most: count,
  }))
  return mergedLabels([spelled])
    .filter(({ key }) => key > behind.after)
    .slice(0, behind.limit)
}
