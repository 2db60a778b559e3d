import type { Test } from '../kernel/context.ts'
import type { Entity } from '../kernel/entity.ts'
import type { CursorKey } from '../kernel/paging.ts'
import { type Column, columnOf, encode, type SqlValue } from './columns.ts'

export type Conditions = Readonly<Record<string, Test>>
export type Sorting = readonly (readonly [string, 'asc' | 'desc'])[]

/** Text of a WHERE and its named bindings. `expression` gives the SQL of a column, as the reader may see it. */
export interface Built {
  readonly sql: string
  readonly bindings: Record<string, SqlValue>
}

export function conditionsSql(entity: Entity, conditions: Conditions, expression: (column: Column) => string): Built {
  const parts: string[] = []
  const bindings: Record<string, SqlValue> = {}
  const bind = (column: Column, value: unknown): string => {
    const key = `w${Object.keys(bindings).length}`
    bindings[key] = encode(column.kind === 'json' ? 'text' : column.kind, value)
    return `@${key}`
  }
  for (const [key, test] of Object.entries(conditions)) {
    if (test === undefined) continue
    const column = columnOf(entity, key)
    parts.push(...testSql(expression(column), test, (value) => bind(column, value)))
  }
  return { sql: parts.join(' AND '), bindings }
}

function testSql(sql: string, test: Exclude<Test, undefined>, bind: (value: unknown) => string): string[] {
  if (test === null) return [`${sql} IS NULL`]
  if (Array.isArray(test)) return [test.length === 0 ? '0' : `${sql} IN (${test.map(bind).join(', ')})`]
  if (typeof test !== 'object') return [`${sql} = ${bind(test)}`]
  if ('set' in test) return [`${sql} IS NOT NULL`]
  if ('has' in test) return [`EXISTS (SELECT 1 FROM json_each(${sql}) WHERE value = ${bind(test.has)} COLLATE NOCASE)`]
  const { from, to } = test as { readonly from?: unknown; readonly to?: unknown }
  return [
    ...(from === undefined ? [] : [`${sql} >= ${bind(from)}`]),
    ...(to === undefined ? [] : [`${sql} <= ${bind(to)}`]),
  ]
}

/** The order with `id` as its last key, so that it is total and a cursor names one place in it. */
export function totalOrder(order: Sorting | undefined): Sorting {
  const given = order ?? []
  return given.some(([key]) => key === 'id') ? given : [...given, ['id', given.at(-1)?.[1] ?? 'asc']]
}

export interface OrderKey {
  readonly sql: string
  readonly direction: 'asc' | 'desc'
  readonly isNullable: boolean
}

/**
 * Rows behind a cursor, for keys of mixed direction that may be null (SQLite sorts nulls first, upwards). The bound on the
 * first key says nothing more, but it is what lets an index begin there.
 */
export function afterSql(columns: readonly OrderKey[], key: CursorKey): Built {
  const bindings: Record<string, SqlValue> = {}
  const alternatives = columns.map(({ sql, direction }, depth) => {
    const equal = columns.slice(0, depth).map((earlier, index) => `${earlier.sql} IS @c${index}`)
    return [...equal, beyond(sql, direction, key[depth] ?? null, `@c${depth}`)].join(' AND ')
  })
  for (const [index, value] of key.entries()) bindings[`c${index}`] = value
  const first = columns[0]
  const isBounded = first !== undefined && key[0] != null && (first.direction === 'asc' || !first.isNullable)
  const bound = isBounded ? `${first.sql} ${first.direction === 'asc' ? '>=' : '<='} @c0 AND ` : ''
  return { sql: `${bound}(${alternatives.map((part) => `(${part})`).join(' OR ')})`, bindings }
}

function beyond(sql: string, direction: 'asc' | 'desc', value: string | number | null, placeholder: string): string {
  if (direction === 'asc') return value === null ? `${sql} IS NOT NULL` : `${sql} > ${placeholder}`
  // Nothing sorts behind null downwards.
  return value === null ? '0' : `(${sql} < ${placeholder} OR ${sql} IS NULL)`
}
