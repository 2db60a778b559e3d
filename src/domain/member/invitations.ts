import * as z from 'zod'
import type { Context } from '../../kernel/context.ts'
import { fail } from '../../kernel/errors.ts'
import { instant } from '../../kernel/fields.ts'
import { referenceOutput } from '../../kernel/linked-things.ts'
import { defineOperation } from '../../kernel/operation.ts'
import { pageFrom, pageInput, pageOf } from '../../kernel/paging.ts'
import { roles } from '../../kernel/viewer.ts'
import { campaign } from '../campaign/entity.ts'
import { member } from './entity.ts'

const mcp = { none: 'Whether to sit at a table is a decision of the person, made in the web app.' }
const joined = z.object({ campaignId: z.int(), campaignName: z.string(), role: z.enum(roles) })
const one = { campaignId: campaign.id }

/** The memberships of the caller that somebody else made and that they have not answered. Throws `not_found`. */
function waitingIn(context: Context, campaignId: number) {
  const found = context.memberships({ waiting: true }).find((each) => each.campaignId === campaignId)
  if (found === undefined)
    throw fail('not_found', 'There is no invitation to answer. list_my_invitations shows those that wait.')
  return seatIn(context, found)
}

function seatIn(context: Context, { campaignId, role }: ReturnType<Context['memberships']>[number]) {
  const inside = context.within(campaignId, role)
  const row = inside.unfiltered(member).first({ where: { userId: context.actor.userId } })
  const home = inside.unfiltered(campaign).find(campaignId)
  if (row === null || home === null) throw fail('not_found')
  return { inside, row, campaignName: home.name }
}

/** What becomes of somebody whom another person added to a campaign: until they agree they are no member of it. */
export const invitationOperations = {
  list_my_invitations: defineOperation({
    name: 'list_my_invitations',
    title: 'List my invitations',
    description: 'Campaigns to which somebody added the caller, and that the caller has not accepted or declined.',
    toolset: 'server',
    access: 'session',
    effect: 'read',
    route: 'GET /me/invitations',
    mcp,
    input: z.strictObject(pageInput),
    output: pageOf(
      z.object({
        campaignId: z.int(),
        campaignName: z.string(),
        role: z.enum(roles),
        addedByUser: referenceOutput.nullable(),
        addedAt: instant(),
      }),
    ),
    example: () => ({}),
    handle: (context, page) =>
      pageFrom(
        page,
        function* (key) {
          for (const waiting of context.memberships({ waiting: true })) {
            if (waiting.campaignId <= Number(key?.[0] ?? 0)) continue
            const { row, campaignName } = seatIn(context, waiting)
            const by = row.addedByUserId === null ? null : context.users.find(row.addedByUserId)
            yield {
              campaignId: waiting.campaignId,
              campaignName,
              role: row.role,
              addedByUser: by && { id: by.id, title: by.username },
              addedAt: row.createdAt,
            }
          }
        },
        ({ campaignId }) => [campaignId],
      ),
  }),
  accept_invitation: defineOperation({
    name: 'accept_invitation',
    title: 'Accept an invitation',
    description: 'Join a campaign to which somebody added the caller.',
    toolset: 'server',
    access: 'session',
    effect: 'write',
    route: 'POST /me/invitations/{campaignId}/accept',
    mcp,
    input: z.strictObject(one),
    output: joined,
    example: (world) => ({ campaignId: world.id('campaign', 'invited') }),
    handle(context, { campaignId }) {
      const { inside, row, campaignName } = waitingIn(context, campaignId)
      inside.write(member).update(row.id, { accepted: true })
      return { campaignId, campaignName, role: row.role }
    },
  }),
  decline_invitation: defineOperation({
    name: 'decline_invitation',
    title: 'Decline an invitation',
    description: 'Turn down a campaign to which somebody added the caller.',
    toolset: 'server',
    access: 'session',
    effect: 'destroy',
    route: 'POST /me/invitations/{campaignId}/decline',
    mcp,
    input: z.strictObject(one),
    output: z.object({ declined: z.object({ campaignId: z.int() }) }),
    example: (world) => ({ campaignId: world.id('campaign', 'invited') }),
    handle(context, { campaignId }) {
      const { inside, row } = waitingIn(context, campaignId)
      inside.write(member).remove(row.id)
      return { declined: { campaignId } }
    },
  }),
}
