import type { Context, RehearsedChanges } from '../kernel/context.ts'
import type { RowOf } from '../kernel/entity.ts'
import { proposal } from './proposal/entity.ts'

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
export function isOutdated({ journal }: Context, { touched, journalAt }: RowOf<typeof proposal>): boolean {
  return touched.some(({ entityType, entityId, fields }) =>
    journal.changedSince(entityType, entityId, journalAt).some((field) => fields.includes(field)),
  )
}
