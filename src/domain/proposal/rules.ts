import { referenceName } from '../../kernel/audience.ts'
import type { Context, ProposedCall, ProposedInput, RehearsedCall } from '../../kernel/context.ts'
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

export interface Difference {
  readonly field: string
  readonly before: unknown
  readonly after: unknown
  /** What a link names, for this reader; null where it names nothing that they see. */
  readonly beforeTitle?: string | null
  readonly afterTitle?: string | null
}

/** Members that a call would change, before and after, as far as the reader sees the target; links with what they name. */
export function difference(
  context: Context,
  input: Readonly<Record<string, unknown>>,
  target: Readonly<Record<string, unknown>> | null,
  { about, creates, references }: ProposedInput,
): Difference[] {
  const before = creates ? null : target
  const kindOf = (field: string): string | undefined =>
    field === 'entityId' && typeof input.entityType === 'string' ? input.entityType : references[field]
  return Object.entries(input)
    .filter(([field]) => field !== about && field !== 'campaignId' && field !== 'expectedRevision')
    .map(([field, after]) => ({ field, before: before?.[field] ?? null, after }))
    .filter((each) => JSON.stringify(each.before) !== JSON.stringify(each.after))
    .map((each) => {
      const kind = kindOf(each.field)
      if (kind === undefined) return each
      const beside = before?.[referenceName(each.field)] as { readonly title?: string } | null | undefined
      return { ...each, beforeTitle: beside?.title ?? null, afterTitle: titleOf(context, kind, each.after) }
    })
}

function titleOf(context: Context, kind: string, id: unknown): string | null {
  if (typeof id !== 'number') return null
  if (kind === 'user') return context.users.find(id)?.username ?? null
  const entity = context.entity(kind)
  const row: Readonly<Record<string, unknown>> | null = context.read(entity).find(id)
  if (row === null) return null
  const { title, untitled } = entity
  const named = title === null ? null : row[title]
  return String(named ?? (untitled === null ? '' : `${untitled.word} ${String(row[untitled.field])}`))
}
