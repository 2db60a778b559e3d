import type { CursorKey } from '../kernel/paging.ts'
import type { Query } from '../kernel/reader.ts'
import { foldText } from '../kernel/sort-key.ts'
import { encode, type SqlValue } from './columns.ts'
import { labelTablesOf } from './label-tables.ts'
import { type Conditions, fewValues } from './query.ts'
import type { RowSource } from './row-source.ts'

/** What the text of a query follows from, and what it binds: who has the text of a shape need not make it again. */
export interface Shaped {
  readonly shape: string
  readonly bindings: Readonly<Record<string, SqlValue>>
}

/**
 * The shape of a query that looks for no words. Its bindings have the names that `conditionsSql` and `afterSql` give them, in
 * the same order; `keptQuery` holds the two against each other whenever a text is made.
 */
export function shapeOf(
  source: RowSource,
  { where, order, columns }: Query<never, PropertyKey>,
  after: CursorKey | null,
  brief: boolean,
): Shaped {
  const bindings: Record<string, SqlValue> = { ...source.bindings }
  let bound = 0
  const bind = (value: SqlValue): void => {
    bindings[`w${bound}`] = value
    bound += 1
  }
  let shape = brief ? 'brief' : `of ${columns?.join(' ') ?? ''}`
  for (const [key, direction] of (order ?? []) as readonly (readonly [string, string])[])
    shape += `, by ${key} ${direction}`
  for (const [key, test] of Object.entries((where ?? {}) as Conditions)) {
    if (test === undefined) continue
    const { kind } = source.column(key)
    const value = (each: unknown): SqlValue => encode(kind === 'json' ? 'text' : kind, each)
    if (test === null) shape += `, ${key} null`
    else if (Array.isArray(test)) {
      const isFew = test.length <= fewValues
      shape += `, ${key} ${isFew ? test.length : 'many'}`
      if (isFew) for (const each of test) bind(value(each))
      else bind(JSON.stringify(test.map((each) => encode(kind, each))))
    } else if (typeof test !== 'object') {
      shape += `, ${key} is`
      bind(value(test))
    } else if ('set' in test) shape += `, ${key} set`
    else if ('has' in test) {
      shape += `, ${key} has`
      bind(value(labelTablesOf(source.entity).some((each) => each.key === key) ? foldText(test.has) : test.has))
    } else {
      const { from, to } = test as { readonly from?: unknown; readonly to?: unknown }
      shape += `, ${key} within ${from === undefined ? '' : 'from'} ${to === undefined ? '' : 'to'}`
      if (from !== undefined) bind(value(from))
      if (to !== undefined) bind(value(to))
    }
  }
  for (const [index, value] of (after ?? []).entries()) {
    shape += value === null ? ', behind null' : ', behind'
    bindings[`c${index}`] = value
  }
  return { shape, bindings }
}

export interface MadeQuery {
  readonly text: string
  readonly bindings: Shaped['bindings']
}

/** Shapes of queries by which the rows of one kind are asked for; more than the program has, but for mistakes. */
const shapesKept = 300

/** The same text for the same shape, by which its statement is found at once. */
export function keptQuery({ texts }: RowSource, shaped: Shaped, make: () => MadeQuery): MadeQuery {
  const known = texts.get(shaped.shape)
  if (known !== undefined) return { text: known, bindings: shaped.bindings }
  const made = make()
  requireSame(shaped, made.bindings)
  if (texts.size >= shapesKept) texts.clear()
  texts.set(shaped.shape, made.text)
  return made
}

/** Throws where a text binds anything else than its shape does: a programming error. */
function requireSame(shaped: Shaped, made: Shaped['bindings']): void {
  const names = Object.keys(made)
  if (
    names.length !== Object.keys(shaped.bindings).length ||
    names.some((name) => made[name] !== shaped.bindings[name])
  )
    throw new Error(`a query of shape "${shaped.shape}" binds other values than its text`)
}
