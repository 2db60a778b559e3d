import type { Context, ProposedCall, RehearsedCall } from '../../kernel/context.ts'
import { proposal } from './entity.ts'

/** Files a rehearsed call as a pending proposal of the caller and returns it. */
export function fileProposal(context: Context, call: ProposedCall & RehearsedCall, reason: string | null) {
  const id = context.write(proposal).insert({
    authorUserId: context.actor.userId,
    title: call.title,
    operation: call.operation,
    input: { ...call.input },
    reason,
    targetType: call.target?.entityType ?? null,
    targetId: call.target?.entityId ?? null,
    targetRevision: call.target?.revision ?? null,
  })
  return { proposal: context.read(proposal).get(id) }
}

/** Members that a call would change, before and after, as far as the reader sees the target. */
export function difference(
  input: Readonly<Record<string, unknown>>,
  target: Readonly<Record<string, unknown>> | null,
): { readonly field: string; readonly before: unknown; readonly after: unknown }[] {
  return Object.entries(input)
    .filter(([field]) => !/(^|[a-z])Id$/.test(field) || (target !== null && field in target))
    .filter(([field]) => field !== 'campaignId' && field !== 'expectedRevision')
    .map(([field, after]) => ({ field, before: target?.[field] ?? null, after }))
    .filter(({ before, after }) => JSON.stringify(before) !== JSON.stringify(after))
}
