import * as z from 'zod'
import type { Context } from '../../kernel/context.ts'
import { fail } from '../../kernel/errors.ts'
import { idOf, instant } from '../../kernel/fields.ts'
import { defineOperation } from '../../kernel/operation.ts'
import { pageInput, pageOf } from '../../kernel/paging.ts'
import { roles, toolPresets, writeModes } from '../../kernel/viewer.ts'
import { campaign } from '../campaign/entity.ts'
import { oauthClient, oauthGrant } from './entity.ts'
import { hostsOf } from './rules.ts'

const connectedApp = z.object({
  grantId: idOf('oauth_grant'),
  clientId: z.string(),
  name: z.string(),
  hosts: z.array(z.string()),
  scope: z.enum(roles),
  campaignId: z.int().nullable(),
  campaignName: z.string().nullable(),
  writeMode: z.enum(writeModes),
  toolsets: z.array(z.string()).nullable(),
  toolPreset: z.enum(toolPresets).nullable(),
  createdAt: instant(),
  lastUsedAt: instant().nullable(),
  expiresAt: instant(),
})

const registeredApp = z.object({
  clientId: z.string(),
  name: z.string(),
  hosts: z.array(z.string()),
  authMethod: z.string(),
  createdAt: instant(),
  authorisedAt: instant().nullable(),
  liveGrants: z.int(),
})

const mcp = { none: 'What an app may do is a decision of a person who is signed in; no app decides it for another.' }

/** The apps that people have let in through OAuth: one's own for everybody, all for an administrator. */
export const appOperations = {
  list_connected_apps: defineOperation({
    name: 'list_connected_apps',
    title: 'List my connected apps',
    description: 'The apps that the caller has let in through OAuth, with what each may see and do.',
    toolset: 'server',
    access: 'session',
    effect: 'read',
    route: 'GET /me/apps',
    mcp,
    input: z.strictObject(pageInput),
    output: pageOf(connectedApp),
    example: () => ({}),
    handle(context, page) {
      const live = { userId: context.actor.userId, endedAt: null, expiresAt: { from: context.now } }
      const { items, nextCursor } = context.read(oauthGrant).page({ where: live, order: [['id', 'desc']], ...page })
      const clients = clientsOf(context, items)
      return {
        items: items.map(({ id, clientId, campaignId, ...grant }) => {
          const { name = clientId, redirectUris = [] } = clients.get(clientId) ?? {}
          const campaignName = campaignId === null ? null : nameOfCampaign(context, campaignId)
          return { ...grant, grantId: id, clientId, name, hosts: hostsOf(redirectUris), campaignId, campaignName }
        }),
        nextCursor,
      }
    },
  }),
  disconnect_app: defineOperation({
    name: 'disconnect_app',
    title: 'Disconnect an app',
    description: "Takes back what the caller let an app do, at once; an administrator may end anybody's.",
    toolset: 'server',
    access: 'session',
    effect: 'destroy',
    route: 'DELETE /me/apps/{grantId}',
    mcp,
    input: z.strictObject({ grantId: idOf('oauth_grant') }),
    output: z.object({ disconnected: z.object({ grantId: z.int() }) }),
    example: (world) => ({ grantId: world.id('oauth_grant') }),
    handle(context, { grantId }) {
      const known = context.read(oauthGrant).find(grantId)
      if (known === null || known.endedAt !== null)
        throw fail('not_found', 'No such app is connected. list_connected_apps finds ids.')
      context.write(oauthGrant).update(grantId, { endedAt: context.now, endedReason: 'disconnected' })
      return { disconnected: { grantId } }
    },
  }),
  list_oauth_clients: defineOperation({
    name: 'list_oauth_clients',
    title: 'List registered apps',
    description: 'All OAuth clients that have registered here, those that nobody has let in yet among them.',
    toolset: 'server',
    access: 'admin',
    effect: 'read',
    route: 'GET /oauth/clients',
    mcp,
    input: z.strictObject(pageInput),
    output: pageOf(registeredApp),
    example: () => ({}),
    handle(context, page) {
      const { items, nextCursor } = context.read(oauthClient).page({ order: [['id', 'desc']], ...page })
      const clientId = items.map((client) => client.clientId)
      const live = { clientId, endedAt: null, expiresAt: { from: context.now } }
      const liveGrants = context.read(oauthGrant).countBy('clientId', live)
      return {
        items: items.map(({ redirectUris, ...client }) => ({
          ...client,
          hosts: hostsOf(redirectUris),
          liveGrants: liveGrants.get(client.clientId) ?? 0,
        })),
        nextCursor,
      }
    },
  }),
  remove_oauth_client: defineOperation({
    name: 'remove_oauth_client',
    title: 'Remove a registered app',
    description: 'Deletes a registration and ends what anybody let it do. The app may register again.',
    toolset: 'server',
    access: 'admin',
    effect: 'destroy',
    route: 'DELETE /oauth/clients/{clientId}',
    mcp,
    input: z.strictObject({ clientId: z.string().min(1).max(300) }),
    output: z.object({ removed: z.object({ clientId: z.string() }) }),
    example: (world) => ({ clientId: world.text('oauth_client') }),
    handle(context, { clientId }) {
      const known = context.read(oauthClient).first({ where: { clientId }, columns: ['id'] })
      if (known === null) throw fail('not_found', 'There is no such app. list_oauth_clients finds ids.')
      context.write(oauthClient).remove(known.id)
      const grants = context.read(oauthGrant).each({ where: { clientId }, columns: ['id'] })
      for (const { id } of Array.from(grants)) context.write(oauthGrant).remove(id)
      return { removed: { clientId } }
    },
  }),
}

/** By client id. What an app calls itself is told to whoever let it in, though the registrations are the administrator's. */
function clientsOf(context: Context, grants: readonly { readonly clientId: string }[]) {
  const clientId = Array.from(new Set(grants.map((grant) => grant.clientId)))
  const rows = context.unfiltered(oauthClient).all({ where: { clientId } })
  return new Map(rows.map((row) => [row.clientId, row]))
}

/** Null where the caller is no member (any more). */
function nameOfCampaign(context: Context, campaignId: number): string | null {
  const membership = context.memberships().find((each) => each.campaignId === campaignId)
  return membership ? (context.within(campaignId, membership.role).read(campaign).find(campaignId)?.name ?? null) : null
}
