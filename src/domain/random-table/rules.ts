import type { Random } from '../../kernel/random.ts'
import { boundsOf, type DiceThrow, isDice, termsOf, throwDice } from '../dice-text.ts'
import type { DrawnStep, TableRow } from './entity.ts'

// Random tables, without a database: what makes one whole, and how it is rolled on.

/** How far one table leads into the next, and how many lines one roll draws, all that they lead to included. */
export const mostDepth = 6
export const mostDraws = 100
/** Totals that a table's dice may come to. */
const widest = 10_000

/** What is wrong with a table: where, and in words. */
export interface Fault {
  readonly path: string
  readonly message: string
}

export interface Table {
  readonly id: number
  readonly name: string
  readonly expression: string | null
  readonly rows: readonly TableRow[]
}

/**
 * The rows as they are kept, or what is wrong. With dice every total has one row and none has two; where no row says which,
 * and there are as many rows as totals, they are taken in order.
 */
export function settled(expression: string | null, rows: readonly TableRow[]): readonly TableRow[] | Fault {
  const dice = rows.findIndex(({ text, more }) => !wellThrown(text) || !wellThrown(more ?? ''))
  if (dice !== -1) return { path: `rows[${dice}].text`, message: 'dice in [[ ]] are a sum, as in [[2d6+1]]' }
  if (expression === null) {
    const ranged = rows.findIndex(({ from, to }) => from !== undefined || to !== undefined)
    return ranged === -1
      ? rows
      : { path: `rows[${ranged}].from`, message: 'a range needs the dice of the table: expression' }
  }
  if (!isDice(expression)) return { path: 'expression', message: 'dice, as in 1d12 or 2d6' }
  const { least, most } = boundsOf(expression)
  if (most - least >= widest) return { path: 'expression', message: `more than ${widest} totals` }
  const weighed = rows.findIndex(({ weight }) => weight !== undefined)
  if (weighed !== -1) return { path: `rows[${weighed}].weight`, message: 'a table has dice or weights, not both' }
  const isUnranged = rows.every(({ from, to }) => from === undefined && to === undefined)
  if (isUnranged && rows.length === most - least + 1) return rows.map((row, index) => ({ ...row, from: least + index }))
  return faultOfRanges(rows, least, most) ?? rows
}

function faultOfRanges(rows: readonly TableRow[], least: number, most: number): Fault | null {
  const taken = new Map<number, number>()
  for (const [index, { from, to }] of rows.entries()) {
    if (from === undefined)
      return { path: `rows[${index}].from`, message: `which of ${least} to ${most} it stands for` }
    const last = to ?? from
    if (from < least || last > most) return { path: `rows[${index}].from`, message: `outside of ${least} to ${most}` }
    if (last < from) return { path: `rows[${index}].to`, message: 'before its beginning' }
    for (let total = from; total <= last; total++) {
      const other = taken.get(total)
      if (other !== undefined) return { path: `rows[${index}].from`, message: `${total} has line ${other + 1} already` }
      taken.set(total, index)
    }
  }
  for (let total = least; total <= most; total++)
    if (!taken.has(total))
      return { path: 'rows', message: `${total} has no line; each of ${least} to ${most} needs one` }
  return null
}

const thrownInWords = /\[\[([^\][]{1,60})\]\]/g

function wellThrown(text: string): boolean {
  return Array.from(text.matchAll(thrownInWords)).every(([, expression = '']) => isDice(expression))
}

/**
 * The names of the tables along which one would lead back to itself, or deeper than allowed; null where none does. `read`
 * gives a table by its id, the one that is about to be written included; null for what is gone.
 */
export function circleFrom(table: Table, read: (id: number) => Table | null): readonly string[] | null {
  const known = new Map<number, number>()
  const walk = (at: Table, above: readonly Table[]): readonly string[] | number => {
    const path = [...above, at]
    if (above.some(({ id }) => id === at.id) || path.length > mostDepth) return path.map(({ name }) => name)
    let deepest = 1
    for (const next of new Set(at.rows.flatMap(({ tableId }) => tableId ?? []))) {
      const below = known.get(next)
      const target = below === undefined ? read(next) : null
      const found = below ?? (target === null ? 0 : walk(target, path))
      if (typeof found !== 'number') return found
      if (found + path.length > mostDepth) return [...path.map(({ name }) => name), read(next)?.name ?? '']
      known.set(next, found)
      deepest = Math.max(deepest, found + 1)
    }
    return deepest
  }
  const found = walk(table, [])
  return typeof found === 'number' ? null : found
}

/** Thrown where a roll asks for more lines than `mostDraws`, or deeper than `mostDepth`. */
export class TooMuch extends Error {}

/** Rolls on a table, and on those that its lines lead to. `read` as for `circleFrom`; what is gone is left out. */
export function drawFrom(table: Table, read: (id: number) => Table | null, random: Random): readonly DrawnStep[] {
  const steps: DrawnStep[] = []
  const draw = (at: Table, depth: number): void => {
    if (steps.length >= mostDraws || depth >= mostDepth) throw new TooMuch()
    const { index, thrown } = rowOf(at, random)
    const row = at.rows[index] as TableRow
    const words = inWords(row.text, random)
    const more = row.more === undefined ? null : inWords(row.more, random)
    steps.push({
      depth,
      tableId: at.id,
      table: at.name,
      expression: at.expression,
      total: thrown.total,
      dice: thrown.dice,
      row: index,
      text: words.text,
      more: more?.text ?? null,
      thrown: [...words.thrown, ...(more?.thrown ?? [])],
    })
    const next = row.tableId === undefined ? null : read(row.tableId)
    for (let time = 0; next !== null && time < (row.times ?? 1); time++) draw(next, depth + 1)
  }
  draw(table, 0)
  return steps
}

function rowOf({ expression, rows }: Table, random: Random): { readonly index: number; readonly thrown: DiceThrow } {
  if (expression !== null && termsOf(expression) !== null) {
    const thrown = throwDice(expression, random)
    const index = rows.findIndex(({ from = 0, to }) => thrown.total >= from && thrown.total <= (to ?? from))
    return { index: Math.max(0, index), thrown }
  }
  const sum = rows.reduce((all, { weight = 1 }) => all + weight, 0)
  const total = random.integer(1, sum)
  let left = total
  const index = rows.findIndex(({ weight = 1 }) => {
    left -= weight
    return left <= 0
  })
  return { index, thrown: { expression: '', total, dice: [] } }
}

function inWords(text: string, random: Random): { readonly text: string; readonly thrown: DiceThrow[] } {
  const thrown: DiceThrow[] = []
  const said = text.replaceAll(thrownInWords, (_, expression: string) => {
    const one = throwDice(expression, random)
    thrown.push(one)
    return String(one.total)
  })
  return { text: said, thrown }
}
