import * as z from 'zod'
import { fail } from '../../kernel/errors.ts'
import { instant } from '../../kernel/fields.ts'
import { defineOperation } from '../../kernel/operation.ts'
import { pageInput, pageOf } from '../../kernel/paging.ts'
import { roles } from '../../kernel/viewer.ts'
import { campaign } from '../campaign/entity.ts'
import { member } from '../member/entity.ts'
import { invite } from './entity.ts'
import { whyUnusable } from './rules.ts'

const inCampaign = { campaignId: campaign.id }
const dayInMs = 24 * 3600 * 1000

export const inviteOperations = {
  list_invites: defineOperation({
    name: 'list_invites',
    title: 'List invites',
    description: 'Open ones: role, uses left, expiry.',
    toolset: 'table',
    access: 'dm',
    effect: 'read',
    route: 'GET /campaigns/{campaignId}/invites',
    input: z.strictObject({ ...inCampaign, ...pageInput }),
    output: pageOf(invite.output),
    example: (world) => ({ campaignId: world.id('campaign') }),
    handle(context, page) {
      const open = { revokedAt: null, expiresAt: { from: context.now } }
      return context.read(invite).page({ where: open, order: [['id', 'desc']], ...page })
    },
  }),
  create_invite: defineOperation({
    name: 'create_invite',
    title: 'Create invite',
    description: 'Link for players or viewers; its code is shown once.',
    toolset: 'table',
    access: 'dm',
    effect: 'write',
    byPerson: 'who is at the table a person decides',
    route: 'POST /campaigns/{campaignId}/invites',
    creates: true,
    secretAnswer: true,
    tells: ['code', 'path'],
    input: z.strictObject({
      ...inCampaign,
      role: z.enum(['player', 'viewer']).optional(),
      expiresInDays: z.int().min(1).max(90).optional(),
      maxUses: z.int().min(1).max(50).optional(),
    }),
    output: invite.output.extend({ code: z.string(), path: z.string() }),
    example: (world) => ({ campaignId: world.id('campaign'), role: 'player' as const, expiresInDays: 7 }),
    handle(context, { role = 'player', expiresInDays = 14, maxUses = 10 }) {
      const code = context.secrets.mint('tki')
      const expiresAt = new Date(Date.parse(context.now) + expiresInDays * dayInMs).toISOString()
      const id = context.write(invite).insert({ codeHash: code.hash, hint: code.hint, role, expiresAt, maxUses })
      return { ...context.read(invite).get(id), code: code.value, path: `/join#${code.value}` }
    },
  }),
  revoke_invite: defineOperation({
    name: 'revoke_invite',
    title: 'Revoke invite',
    description: 'Make an invite useless at once.',
    toolset: 'table',
    access: 'dm',
    effect: 'destroy',
    byPerson: 'who is at the table a person decides',
    route: 'DELETE /invites/{inviteId}',
    input: z.strictObject({ inviteId: invite.id }),
    output: z.object({ revoked: z.object({ inviteId: z.int(), revokedAt: instant() }) }),
    example: (world) => ({ inviteId: world.id('invite') }),
    handle(context, { inviteId }) {
      context.write(invite).update(inviteId, { revokedAt: context.now })
      return { revoked: { inviteId, revokedAt: context.now } }
    },
  }),
  accept_invite: defineOperation({
    name: 'accept_invite',
    title: 'Accept invite',
    description: 'Join a campaign with a code.',
    toolset: 'table',
    access: 'user',
    effect: 'write',
    route: 'POST /invites/accept',
    input: z.strictObject({ code: z.string().max(100) }),
    output: z.object({ campaignId: z.int(), campaignName: z.string(), role: z.enum(roles) }),
    example: (world) => ({ code: world.text('invite') }),
    handle(context, { code }) {
      const found = context.byHash(invite, 'codeHash', context.secrets.hash(code))
      const inside = found && context.within(found.campaignId, 'dm')
      const row = found && inside ? inside.unfiltered(invite).find(found.id) : null
      const home = inside ? inside.unfiltered(campaign).find(inside.campaignId) : null
      if (!inside || row === null || home === null || whyUnusable(row, context.now) !== null)
        throw fail('not_found', 'This invite does not work any more. Ask for a new one.')
      if (home.status === 'archived') throw fail('invalid_state', 'This campaign is archived: nobody can join it now.')
      const known = inside.unfiltered(member).first({ where: { userId: context.actor.userId } })
      if (known?.accepted) throw fail('invalid_state', 'You are a member of this campaign already.')
      // Whoever was added as well, and did not answer yet, comes in by what they chose themself.
      if (known) inside.write(member).update(known.id, { role: row.role, accepted: true })
      else inside.write(member).insert({ userId: context.actor.userId, role: row.role })
      inside.write(invite).update(row.id, { uses: row.uses + 1 })
      return { campaignId: inside.campaignId, campaignName: home.name, role: row.role }
    },
  }),
}
