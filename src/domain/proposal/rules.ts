import type { Context, RehearsedChanges, TouchedRow } from '../../kernel/context.ts'
import type { Entity, RowOf, VisibleRowOf } from '../../kernel/entity.ts'
import { proposal } from './entity.ts'

type Row = VisibleRowOf<typeof proposal>

/** What of rehearsed changes is kept with a proposal. */
export function keptOf(context: Context, rehearsed: RehearsedChanges) {
  const { changes, title, touched, journalAt, forAuthor } = rehearsed
  // A link names what has a name to be called by.
  const isNamed = rehearsed.target !== null && context.findEntity(rehearsed.target.entityType)?.title != null
  const target = isNamed ? rehearsed.target : null
  return {
    changes: changes.map(({ input, ...rest }) => ({ ...rest, input: { ...input } })),
    title,
    forAuthor,
    toolsets: Array.from(new Set(changes.map(({ operation }) => context.pipeline.describe(operation).toolset))),
    targetType: target?.entityType ?? null,
    targetId: target?.entityId ?? null,
    touched: touched.map(({ fields, ...row }) => ({ ...row, fields: [...fields] })),
    journalAt,
    fingerprint: context.secrets.hash(JSON.stringify(changes)),
  }
}

/**
 * Files rehearsed changes as a pending proposal of the caller and returns its id. The same changes that wait already are not
 * filed twice; they count from now on where they had grown stale.
 */
export function fileProposal(context: Context, rehearsed: RehearsedChanges, reason: string | null): number {
  const authorUserId = context.actor.userId
  const { title, ...kept } = keptOf(context, rehearsed)
  const where = { status: 'pending', authorUserId, fingerprint: kept.fingerprint } as const
  const waiting = context.unfiltered(proposal).first({ where })
  if (waiting === null)
    return context.write(proposal).insert({ ...kept, title, reason, authorUserId, appName: context.appName })
  const id = waiting.id as number
  if (isOutdated(context, waiting)) context.write(proposal).update(id, kept)
  return id
}

/** Whether a member that it changes was changed since it was filed, whoever may know of it. */
function isOutdated({ journal }: Context, { touched, journalAt }: RowOf<typeof proposal>): boolean {
  return touched.some(({ entityType, entityId, fields }) =>
    journal.changedSince(entityType, entityId, journalAt).some((field) => fields.includes(field)),
  )
}

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
