import * as z from 'zod'
import type { Context } from '../../kernel/context.ts'
import { fail } from '../../kernel/errors.ts'
import { defineOperation } from '../../kernel/operation.ts'
import { campaign } from '../campaign/entity.ts'
import { member } from '../member/entity.ts'

// Each member's own address of the nights as a calendar (RFC 5545). It is a secret, made from the membership and a number that
// rotating raises: who leaves, or makes a new one, ends the old.

const inCampaign = { campaignId: campaign.id }
const feedOutput = z.object({
  /** Below this server's address; whoever has it reads the nights of this campaign. */
  path: z.string(),
})

function mine(context: Context) {
  const row = context.read(member).first({ where: { userId: context.actor.userId } })
  if (row === null) throw fail('not_found')
  return { id: row.id as number, version: row.calendarFeedVersion ?? 0 }
}

export const calendarFeedOperations = {
  get_calendar_feed: defineOperation({
    name: 'get_calendar_feed',
    title: 'Get calendar feed',
    description: "The caller's secret address for a calendar app.",
    toolset: 'schedule',
    access: 'viewer',
    effect: 'read',
    route: 'GET /campaigns/{campaignId}/calendar-feed',
    secretAnswer: true,
    input: z.strictObject(inCampaign),
    output: feedOutput,
    example: (world) => ({ campaignId: world.id('campaign') }),
    prepare: async ({ services }) => services.calendarFeeds,
    handle: (context) => ({ path: context.prepared.pathOf(mine(context)) }),
  }),
  rotate_calendar_feed: defineOperation({
    name: 'rotate_calendar_feed',
    title: 'Make a new calendar feed',
    description: 'A new secret address; the old one is dead at once.',
    toolset: 'schedule',
    access: 'viewer',
    effect: 'write',
    route: 'POST /campaigns/{campaignId}/calendar-feed/rotate',
    secretAnswer: true,
    input: z.strictObject(inCampaign),
    output: feedOutput,
    example: (world) => ({ campaignId: world.id('campaign') }),
    prepare: async ({ services }) => services.calendarFeeds,
    handle(context) {
      const { id, version } = mine(context)
      context.write(member).update(id, { calendarFeedVersion: version + 1 })
      return { path: context.prepared.pathOf({ id, version: version + 1 }) }
    },
  }),
}
