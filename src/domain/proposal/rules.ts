import type { Context, TouchedRow } from '../../kernel/context.ts'
import type { Entity, VisibleRowOf } from '../../kernel/entity.ts'
import { isOutdated } from '../file-proposal.ts'
import { proposal } from './entity.ts'

type Row = VisibleRowOf<typeof proposal>

/**
 * Which of some proposals would be refused: what they change is gone for the reader, or a member that they change was changed
 * since they were filed.
 */
export function staleOf(context: Context, rows: readonly Row[]): (row: Row) => boolean {
  const ids = rows.filter(({ status }) => status === 'pending').map(({ id }) => id)
  const pending = ids.length === 0 ? [] : context.unfiltered(proposal).all({ where: { id: ids } as never })
  const touched = pending.flatMap((row) => row.touched)
  const there = new Map<string, ReadonlySet<number>>()
  for (const [kind, group] of Map.groupBy(touched, ({ entityType }) => entityType)) {
    const entity = context.findEntity(kind)
    const asked = group.map(({ entityId }) => entityId)
    if (entity !== null) there.set(kind, new Set(readRows(context, entity, asked).map(({ id }) => id as number)))
  }
  // What is no kind of thing of a campaign (the campaign itself) does not go away.
  const isGone = ({ entityType, entityId }: TouchedRow): boolean => there.get(entityType)?.has(entityId) === false
  const stale = new Set(
    pending.filter((row) => row.touched.some(isGone) || isOutdated(context, row)).map(({ id }) => id as number),
  )
  return ({ id }) => stale.has(id as number)
}

/** How many rows one statement reads. */
const atOnce = 500

/** Those of some rows that the reader sees. */
export function readRows(context: Context, entity: Entity, ids: readonly number[]) {
  const asked = Array.from(new Set(ids))
  const starts = Array.from({ length: Math.ceil(asked.length / atOnce) }, (_, index) => index * atOnce)
  return starts.flatMap((from) =>
    context.read(entity).all({ where: { id: asked.slice(from, from + atOnce) } as never }),
  )
}
