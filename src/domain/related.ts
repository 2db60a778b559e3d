import * as z from 'zod'
import type { Context } from '../kernel/context.ts'
import type { VisibleRowOf } from '../kernel/entity.ts'
import { type Page, type PageRequest, pageFrom } from '../kernel/paging.ts'
import { relation } from './relation/entity.ts'

/** A relation as it is answered. A half that is not for the reader is null, as one that nobody has written. */
export const relationOutput = relation.output
  .omit({ label: true, inverseLabel: true })
  .extend({ label: z.string().nullable(), inverseLabel: z.string().nullable() })

export type RelationRow = VisibleRowOf<typeof relation>

export function shownRelation(row: RelationRow) {
  return { ...row, label: row.label ?? null, inverseLabel: row.inverseLabel ?? null }
}

/** The relations of one thing, whichever end it is, in the order in which they were made. */
export function relationsOf(
  context: Context,
  entityType: string,
  entityId: number,
  request: PageRequest,
): Page<ReturnType<typeof shownRelation>> {
  const { items, nextCursor } = pageFrom(
    request,
    (key, limit) => {
      const id = key === null ? undefined : { from: Number(key[0]) + 1 }
      const order = [['id', 'asc']] as const
      const from = context.read(relation).page({ where: { fromType: entityType, fromId: entityId, id }, order, limit })
      const to = context.read(relation).page({ where: { toType: entityType, toId: entityId, id }, order, limit })
      return [...from.items, ...to.items].sort((one, other) => one.id - other.id)
    },
    ({ id }) => [id],
  )
  return { items: items.map(shownRelation), nextCursor }
}
