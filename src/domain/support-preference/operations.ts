import * as z from 'zod'
import type { Context } from '../../kernel/context.ts'
import { defineOperation } from '../../kernel/operation.ts'
import { pageInput, pageOf } from '../../kernel/paging.ts'
import { campaign } from '../campaign/entity.ts'
import { member } from '../member/entity.ts'
import { supportPreference } from './entity.ts'

const inCampaign = { campaignId: campaign.id }
const mineRoute = '/campaigns/{campaignId}/me/support-preference'

function mine(context: Context) {
  return context.read(supportPreference).first({ where: { userId: context.actor.userId } })
}

export const supportPreferenceOperations = {
  list_support_preferences: defineOperation({
    name: 'list_support_preferences',
    title: 'List support preferences',
    description: "One's own; a DM's also those shared with them.",
    toolset: 'table',
    access: 'player',
    effect: 'read',
    route: 'GET /campaigns/{campaignId}/support-preferences',
    input: z.strictObject({ ...inCampaign, ...pageInput }),
    output: pageOf(supportPreference.output),
    example: (world) => ({ campaignId: world.id('campaign') }),
    handle(context, page) {
      // Of whoever has left nobody needs it any more.
      const members = Array.from(context.read(member).each({ where: { accepted: true }, columns: ['userId'] }))
      const where = { userId: members.map(({ userId }) => userId) }
      return context.read(supportPreference).page({ where, ...page })
    },
  }),
  set_my_support_preference: defineOperation({
    name: 'set_my_support_preference',
    title: 'Set my support preference',
    description: "What helps the caller, and who may know. Letting an AI use it is a person's decision.",
    toolset: 'table',
    access: 'player',
    effect: 'write',
    route: `PUT ${mineRoute}`,
    byPerson: 'these are a person’s own words, for whom they choose',
    input: z.strictObject({
      ...inCampaign,
      text: supportPreference.fields.text.schema,
      sharedWithDm: z.boolean(),
      aiUseAllowed: z.boolean(),
    }),
    output: supportPreference.output,
    humanOnly: ({ campaignId, aiUseAllowed }) => (aiUseAllowed ? `/campaigns/${campaignId}/charter` : null),
    example: (world) => ({
      campaignId: world.id('campaign'),
      text: 'Tell me before a jump scare.',
      sharedWithDm: true,
      aiUseAllowed: false,
    }),
    handle(context, { campaignId: _, ...values }) {
      const before = mine(context)
      const { userId } = context.actor
      if (before !== null) context.write(supportPreference).update(before.id, values)
      const id = before?.id ?? context.write(supportPreference).insert({ ...values, userId })
      return context.read(supportPreference).get(id)
    },
  }),
  delete_my_support_preference: defineOperation({
    name: 'delete_my_support_preference',
    title: 'Delete my support preference',
    description: 'Take back for good what helps the caller.',
    toolset: 'table',
    access: 'player',
    effect: 'destroy',
    route: `DELETE ${mineRoute}`,
    byPerson: 'these are a person’s own words, for whom they choose',
    input: z.strictObject(inCampaign),
    output: z.object({ removed: z.boolean() }),
    example: (world) => ({ campaignId: world.id('campaign') }),
    handle(context) {
      const before = mine(context)
      if (before !== null) context.write(supportPreference).remove(before.id)
      return { removed: before !== null }
    },
  }),
}
