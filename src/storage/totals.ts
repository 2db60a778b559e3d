import { labelled } from './labels.ts'
import { type AnyQuery, matchedSql, passing } from './query.ts'
import type { RowSource } from './row-source.ts'
import type { Store } from './store.ts'

/** How far a total is counted: from there on it is `1,000+` to a person. */
const mostCounted = 1000

/** How many rows pass, no further than `mostCounted`; what is on one page is counted already. */
export function totalOf(store: Store, rows: RowSource, asked: AnyQuery, found: number, size: number): number {
  if (found <= size) return found
  const { matching, ...unmatched } = asked
  const matched = matching === undefined ? null : matchedSql(store, rows, matching)
  // From word to row, so that it ends with the thousandth; a set of all that hold the word would be made first.
  const { source, query } =
    matched === null
      ? (labelled(rows, asked) ?? { source: rows, query: asked })
      : { source: rows, query: unmatched as AnyQuery }
  const { sql, bindings } = passing(store, source, query)
  const from = matched === null ? source.from : `(${matched.sql}) matched CROSS JOIN ${source.from}`
  const test = matched === null ? sql : `t.id = matched.id AND ${sql}`
  const few = `SELECT 1 FROM ${from} WHERE ${test} LIMIT ${mostCounted}`
  return store.get(`SELECT count(*) AS n FROM (${few})`, { ...bindings, ...matched?.bindings })?.n as number
}
