import { fail } from '../kernel/errors.ts'

/**
 * Puts rows in the given order, the rest behind them as they were, and writes only positions that differ.
 * Returns the whole order. Throws `validation_failed` on an id that is no row or is named twice.
 */
export function orderPositions(
  current: readonly { readonly id: number; readonly position: number }[],
  wanted: readonly number[],
  place: (id: number, position: number) => void,
): number[] {
  const known = new Map(current.map((row) => [row.id, row.position]))
  const first = new Set(wanted)
  const stranger = wanted.find((id) => !known.has(id))
  if (stranger !== undefined || first.size !== wanted.length) {
    throw fail(
      'validation_failed',
      stranger === undefined ? 'An id is named twice.' : `There is no row ${stranger} here to put in order.`,
    )
  }
  const order = [...wanted, ...current.map((row) => row.id).filter((id) => !first.has(id))]
  for (const [index, id] of order.entries()) if (known.get(id) !== index + 1) place(id, index + 1)
  return order
}
