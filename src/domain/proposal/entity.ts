import * as z from 'zod'
import { defineEntity } from '../../kernel/entity.ts'
import { byUser, instant, line, link, nullable, required, userId, withDefault } from '../../kernel/fields.ts'
import type { Notice } from '../../kernel/notices.ts'
import { agreedBy, anyOf, dungeonMasters, self } from '../../kernel/visibility.ts'

export const proposalStatus = z.enum(['pending', 'approved', 'rejected', 'withdrawn'])
const notCarried = { carry: { drop: 'proposals are not carried over (SPEC 4.5)' } } as const

/** Dungeon Masters hear of what is asked, and who asked of the decision. */
function tellsOfProposal(
  before: { readonly status: string } | null,
  after: { readonly status: string; readonly authorUserId: number },
): readonly Notice[] {
  if (before === null) return [{ kind: 'proposal_filed', to: { least: 'dm' } }]
  const { status } = after
  if (before.status === status || (status !== 'approved' && status !== 'rejected')) return []
  return [{ kind: `proposal_${status}`, to: { userId: after.authorUserId } }]
}

/** A change somebody asks for. It is an operation with its input, tried when it was filed and run when it is approved. */
export const proposal = defineEntity({
  name: 'proposal',
  table: 'proposals',
  label: 'proposal',
  listedBy: 'list_proposals',
  owner: 'authorUserId',
  writtenBy: 'authorUserId',
  title: 'title',
  visible: anyOf(dungeonMasters, self('authorUserId')),
  tells: tellsOfProposal,
  lists: { orders: [[]], filters: ['status'] },
  fields: {
    authorUserId: required(userId(), { ...byUser, references: 'user' }),
    title: required(line(), notCarried),
    operation: required(z.string().max(60), notCarried),
    input: required(z.record(z.string(), z.unknown()), notCarried),
    reason: nullable(line(500), notCarried),
    status: withDefault(proposalStatus, 'pending', notCarried),
    ...link('targetType', 'targetId', notCarried.carry),
    /** The revision of the target when it was filed. It counts changes that only a Dungeon Master may know of. */
    targetRevision: nullable(z.int(), { ...notCarried, readableBy: 'dm' }),
    decidedByUserId: nullable(userId(), { ...byUser, references: 'user' }),
    decidedAt: nullable(instant(), notCarried),
    decisionNote: nullable(line(1000), { ...notCarried, readableBy: agreedBy('decidedByUserId') }),
  },
})
