import * as z from 'zod'
import type { Context } from '../../kernel/context.ts'
import { limits } from '../../kernel/limits.ts'
import { groupOf } from '../../kernel/reader.ts'
import { inboxItem } from '../inbox/entity.ts'
import { objective } from '../objective/entity.ts'
import { quest } from '../quest/entity.ts'
import { consentOutput, gateByConsent } from './consent.ts'
import { session } from './entity.ts'
import { newest, recapOf, recapOutput } from './recap.ts'

export const prepOutput = z.object({
  nextSession: session.output.nullable(),
  lastRecap: recapOutput.nullable(),
  openQuests: z.array(
    quest.output
      .pick({
        id: true,
        title: true,
        status: true,
        giverNpcId: true,
        giverNpc: true,
        locationId: true,
        location: true,
        hidden: true,
      })
      .extend({
        /** The first 50 in order; list_objectives has them all. */
        openObjectives: z.array(objective.output.pick({ id: true, text: true, optional: true, hidden: true })),
        openObjectiveCount: z.int(),
      }),
  ),
  inbox: z.array(
    inboxItem.output.pick({
      id: true,
      body: true,
      authorUserId: true,
      authorUser: true,
      entityType: true,
      entityId: true,
      entity: true,
      createdAt: true,
    }),
  ),
  /** There was more than the first quests or the newest items that are given here. */
  truncated: z.boolean(),
  /** What the consent gate withheld from an AI; null where a person asks. */
  consent: consentOutput.nullable(),
})

/** Open threads for the next session. An outside AI gets the inbox through the consent gate (SPEC appendix 3), a person all of it. */
export function prepareSession(context: Context): z.input<typeof prepOutput> {
  const order = [['position', 'asc']] as const
  const openQuests = context
    .read(quest)
    .page({ where: { status: ['active', 'available'] }, order, limit: limits.page.most })
  const steps = context.read(objective).groupBy(
    'questId',
    openQuests.items.map(({ id }) => id),
    { where: { done: false }, order, limit: 50, columns: ['text', 'optional', 'hidden'] },
  )
  const where = { status: 'open' } as const
  const open = newest(context.read(inboxItem).page({ where, order: [['id', 'desc']], limit: limits.page.most }))
  const { ai } = context.viewer
  const gated = ai && gateByConsent(ai, { inbox: open.rows }, context.withheld(inboxItem, where))
  const sessions = context.read(session)
  const firstOf = (status: 'live' | 'planned') => sessions.first({ where: { status }, order: [['number', 'asc']] })
  const lastRecapped = sessions.first({ where: { recap: { set: true } }, order: [['number', 'desc']] })
  return {
    nextSession: firstOf('live') ?? firstOf('planned'),
    lastRecap: lastRecapped && recapOf(lastRecapped),
    openQuests: openQuests.items.map((row) => {
      const { items: openObjectives, count: openObjectiveCount } = groupOf(steps, row.id as number)
      return { ...row, openObjectives, openObjectiveCount }
    }),
    inbox: gated?.admitted.inbox ?? open.rows,
    truncated: openQuests.nextCursor !== null || open.truncated,
    consent: gated?.consent ?? null,
  }
}
