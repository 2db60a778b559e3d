import * as z from 'zod'
import type { Context } from '../../kernel/context.ts'
import type { VisibleRowOf } from '../../kernel/entity.ts'
import { fail, invalid } from '../../kernel/errors.ts'
import { defineOperation } from '../../kernel/operation.ts'
import { pageInput, pageOf } from '../../kernel/paging.ts'
import { roles } from '../../kernel/viewer.ts'
import { campaign } from '../campaign/entity.ts'
import { member } from './entity.ts'
import { keepOneDungeonMaster } from './rules.ts'

const memberOutput = member.output
  .omit({ lastVisitAt: true, calendarFeedVersion: true, user: true, addedByUserId: true, addedByUser: true })
  .extend({ username: z.string() })
const inCampaign = { campaignId: campaign.id }

function named(row: VisibleRowOf<typeof member>) {
  return { ...row, username: row.user.title }
}

const consentOutput = z.object({
  consent: z.boolean(),
  policy: z.enum(['member_consent', 'disabled']),
  covers: z.string(),
})
const covers =
  'What you pass to the DM or note for the party or the DM in this campaign, and what you propose, may be sent to an external AI: that of whoever at the table may read it. Private notes and whispers never are.'

function myMembership(context: Context) {
  const mine = context.read(member).first({ where: { userId: context.actor.userId } })
  if (mine === null) throw fail('not_found')
  return mine
}

function myConsent(context: Context) {
  const { aiContentPolicy: policy } = context.read(campaign).get(context.campaignId)
  return { consent: myMembership(context).aiConsent ?? false, policy, covers }
}

export const memberOperations = {
  list_members: defineOperation({
    name: 'list_members',
    title: 'List members',
    description: 'AI consent: the DM sees all, members their own.',
    toolset: 'table',
    access: 'viewer',
    effect: 'read',
    route: 'GET /campaigns/{campaignId}/members',
    input: z.strictObject({ ...inCampaign, ...pageInput }),
    output: pageOf(memberOutput),
    example: (world) => ({ campaignId: world.id('campaign') }),
    handle(context, page) {
      const { items, nextCursor } = context.read(member).page(page)
      return { items: items.map(named), nextCursor }
    },
  }),
  add_member: defineOperation({
    name: 'add_member',
    title: 'Add member',
    description: 'A user of this server, by id or name. They accept in the web app.',
    toolset: 'table',
    access: 'dm',
    effect: 'write',
    byPerson: 'who is at the table a person decides',
    route: 'POST /campaigns/{campaignId}/members',
    creates: true,
    input: z.strictObject({
      ...inCampaign,
      userId: z.int().min(1).optional(),
      username: z.string().max(80).optional(),
      role: z.enum(roles),
    }),
    output: memberOutput,
    example: (world) => ({
      campaignId: world.id('campaign'),
      username: world.text('outsider'),
      role: 'player' as const,
    }),
    handle(context, { userId, username, role }) {
      if ((userId === undefined) === (username === undefined))
        throw invalid('userId', 'or username, one of the two', 'Give either userId or username.')
      const user = userId === undefined ? context.users.byUsername(username as string) : context.users.find(userId)
      if (!user)
        throw invalid(
          userId === undefined ? 'username' : 'userId',
          'no such user',
          'There is no such user on this server. Send them an invite with create_invite.',
        )
      if (context.unfiltered(member).count({ userId: user.id }) > 0)
        throw fail('invalid_state', `${user.username} is a member already.`)
      // Nobody finds themself at a table, with whoever sits there, that they have not agreed to sit at.
      const accepted = context.actor.admin || user.id === context.actor.userId
      const id = context.write(member).insert({ userId: user.id, role, accepted, addedByUserId: context.actor.userId })
      return named(context.read(member).get(id))
    },
  }),
  update_member: defineOperation({
    name: 'update_member',
    title: 'Change a role',
    description: "Change a member's role. One Dungeon Master stays.",
    toolset: 'table',
    access: 'dm',
    effect: 'write',
    byPerson: 'who is at the table a person decides',
    route: 'PATCH /members/{memberId}',
    input: z.strictObject({ memberId: member.id, ...member.update('role'), role: z.enum(roles) }),
    output: memberOutput,
    example: (world) => ({ memberId: world.id('member', 'player'), role: 'viewer' as const }),
    handle(context, { memberId, expectedRevision, role }) {
      if (role !== 'dm') keepOneDungeonMaster(context, context.unfiltered(member).get(memberId))
      context.write(member).update(memberId, { role }, expectedRevision)
      return named(context.read(member).get(memberId))
    },
  }),
  remove_member: defineOperation({
    name: 'remove_member',
    title: 'Remove member',
    description: 'What they wrote stays.',
    toolset: 'table',
    access: 'dm',
    effect: 'destroy',
    byPerson: 'who is at the table a person decides',
    route: 'DELETE /members/{memberId}',
    input: z.strictObject({ memberId: member.id }),
    output: z.object({ removed: z.object({ memberId: z.int(), userId: z.int() }) }),
    example: (world) => ({ memberId: world.id('member', 'player') }),
    handle(context, { memberId }) {
      const row = context.unfiltered(member).get(memberId)
      keepOneDungeonMaster(context, row)
      context.write(member).remove(memberId)
      return { removed: { memberId, userId: row.userId } }
    },
  }),
  leave_campaign: defineOperation({
    name: 'leave_campaign',
    title: 'Leave campaign',
    description: 'The last Dungeon Master cannot.',
    toolset: 'table',
    access: 'viewer',
    effect: 'destroy',
    byPerson: 'who is at the table a person decides',
    route: 'POST /campaigns/{campaignId}/leave',
    allowedWhen: ['archived'],
    input: z.strictObject(inCampaign),
    output: z.object({ left: z.object({ campaignId: z.int() }) }),
    example: (world) => ({ campaignId: world.id('campaign') }),
    handle(context, { campaignId }) {
      const row = context.unfiltered(member).get(myMembership(context).id)
      keepOneDungeonMaster(context, row)
      context.write(member).remove(row.id)
      return { left: { campaignId } }
    },
  }),
  get_my_ai_consent: defineOperation({
    name: 'get_my_ai_consent',
    title: 'Get my AI consent',
    description: "The caller's, and what it covers.",
    toolset: 'table',
    access: 'viewer',
    effect: 'read',
    route: 'GET /campaigns/{campaignId}/me/ai-consent',
    input: z.strictObject(inCampaign),
    output: consentOutput,
    example: (world) => ({ campaignId: world.id('campaign') }),
    handle: (context) => myConsent(context),
  }),
  set_my_ai_consent: defineOperation({
    name: 'set_my_ai_consent',
    title: 'Set my AI consent',
    description: "Only for oneself. Turning it on is a person's decision; off always works.",
    toolset: 'table',
    access: 'viewer',
    effect: 'write',
    byPerson: 'a consent is given by the person themself',
    route: 'PUT /campaigns/{campaignId}/me/ai-consent',
    allowedWhen: ['archived'],
    input: z.strictObject({ ...inCampaign, consent: z.boolean() }),
    output: consentOutput,
    humanOnly: ({ campaignId, consent }) => (consent ? `/campaigns/${campaignId}/members` : null),
    example: (world) => ({ campaignId: world.id('campaign'), consent: false }),
    handle(context, { consent }) {
      context.write(member).update(myMembership(context).id, { aiConsent: consent })
      return myConsent(context)
    },
  }),
}
