import type { Context } from '../kernel/context.ts'
import type { Entity, RowOf } from '../kernel/entity.ts'
import { invalid } from '../kernel/errors.ts'

// Rows that lie in others of their kind: quests under quests, places in places.

/**
 * A row and those above it, the nearest first. It ends where `parentOf` gives null: at the top, or at a parent that the
 * reader does not see. A circle, which a restored revision can make, ends it too.
 */
export function* upwards<T extends { readonly id: number }>(
  row: T | null,
  parentOf: (row: T) => T | null,
): Generator<T, void> {
  const met = new Set<number>()
  for (let next = row; next !== null && !met.has(next.id); next = parentOf(next)) {
    met.add(next.id)
    yield next
  }
}

type Node = Readonly<Record<string, unknown>> & { readonly id: number }

/**
 * Throws `validation_failed` where a row would lie in itself or in one that lies in it. It looks through the caller's eyes,
 * so that a player's proposal tells nothing of hidden rows between the two; the Dungeon Master who approves sees them all.
 */
export function refuseCircle<E extends Entity>(
  context: Context,
  entity: E,
  field: keyof RowOf<E> & string,
  id: number,
  parentId: number | null | undefined,
): void {
  const rows = context.read(entity)
  const find = (at: unknown) => rows.find((at ?? null) as number | null) as Readonly<Record<string, unknown>> | null
  const parents = upwards(find(parentId) as Node | null, (row) => find(row[field]) as Node | null)
  if (parentId === id || parents.some((above) => above.id === id))
    throw invalid(field, 'would make a circle', `A ${entity.label} cannot lie in itself, nor in one that lies in it.`)
}
