import type { Query, Reader } from '../kernel/context.ts'
import type { Entity } from '../kernel/entity.ts'
import { limits } from '../kernel/limits.ts'

/** The ids of all rows that a viewer sees and that pass a test, however many: for what is changed one by one. */
export function allIds<E extends Entity>(reader: Reader<E>, where: NonNullable<Query<E>['where']>): readonly number[] {
  const ids: number[] = []
  let cursor: string | undefined
  do {
    const page = reader.page({ where, limit: limits.page.most, cursor })
    ids.push(...page.items.map(({ id }) => id as number))
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined)
  return ids
}
