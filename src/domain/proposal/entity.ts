import * as z from 'zod'
import { defineEntity } from '../../kernel/entity.ts'
import { byUser, instant, line, link, name, nullable, required, userId, withDefault } from '../../kernel/fields.ts'
import type { Notice } from '../../kernel/notices.ts'
import { agreedBy, allOf, anyOf, dungeonMasters, inOpenToolsets, self, where } from '../../kernel/visibility.ts'

export const proposalStatus = z.enum(['pending', 'approved', 'rejected', 'withdrawn'])
const notCarried = { carry: { drop: 'proposals are not carried over (SPEC 4.5)' } } as const
const since = 4

/**
 * Whoever takes it hears of what is asked: Dungeon Masters, or its author alone; these also of what an app filed for them.
 * Who asked hears of the decision.
 */
function tellsOfProposal(
  before: { readonly status: string } | null,
  after: Readonly<{ status: string; authorUserId: number; forAuthor: boolean; appName: string | null }>,
): readonly Notice[] {
  const { status, authorUserId, forAuthor, appName } = after
  if (before === null)
    return [
      { kind: 'proposal_filed', to: forAuthor ? { userId: authorUserId } : { least: 'dm' }, own: appName !== null },
    ]
  if (before.status === status || (status !== 'approved' && status !== 'rejected')) return []
  return [{ kind: `proposal_${status}`, to: { userId: authorUserId } }]
}

/** An operation with its input; by `as` a later change may name what it makes. */
export const proposedChange = z.object({
  operation: z.string().max(60),
  input: z.record(z.string(), z.unknown()),
  as: z.string().max(40).optional(),
})
const touchedRow = z.object({ entityType: z.string(), entityId: z.int(), fields: z.array(z.string()) })

/**
 * Changes that somebody asks for: operations with their input, tried together when they were filed and run together when they
 * are approved. What is its author's own to decide nobody else sees.
 */
export const proposal = defineEntity({
  name: 'proposal',
  table: 'proposals',
  label: 'proposal',
  listedBy: 'list_proposals',
  owner: 'authorUserId',
  writtenBy: 'authorUserId',
  title: 'title',
  visible: allOf(
    anyOf(allOf(dungeonMasters, where('forAuthor', false)), self('authorUserId')),
    inOpenToolsets('toolsets'),
  ),
  tells: tellsOfProposal,
  lists: { orders: [[]], filters: ['status'] },
  fields: {
    authorUserId: required(userId(), { ...byUser, references: 'user' }),
    title: required(line(), notCarried),
    changes: withDefault(z.array(proposedChange), [], { ...notCarried, since }),
    reason: nullable(line(500), notCarried),
    /** Which app filed it: a token by its name, a connected app by its own. Null where a person did. */
    appName: nullable(name(), { ...notCarried, since }),
    status: withDefault(proposalStatus, 'pending', notCarried),
    /** Its author takes it, and nobody else: it makes or changes what is theirs. */
    forAuthor: withDefault(z.boolean(), false, { ...notCarried, since }),
    ...link('targetType', 'targetId', notCarried.carry),
    /** Of its changes: an app that was not let into one of them does not read what is asked for there. */
    toolsets: withDefault(z.array(z.string()), [], { ...notCarried, internal: true, since }),
    /** What it changes of what existed when it was filed, and the place of the journal then. */
    touched: withDefault(z.array(touchedRow), [], { ...notCarried, internal: true, since }),
    journalAt: withDefault(z.int(), 0, { ...notCarried, internal: true, since }),
    /** Tells the same changes of the same author from others. */
    fingerprint: nullable(z.string(), { ...notCarried, internal: true, since }),
    decidedByUserId: nullable(userId(), { ...byUser, references: 'user' }),
    decidedAt: nullable(instant(), notCarried),
    decisionNote: nullable(line(1000), { ...notCarried, readableBy: agreedBy('decidedByUserId') }),
  },
})
