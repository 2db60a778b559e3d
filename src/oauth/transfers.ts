import * as z from 'zod'
import { fail } from '../kernel/errors.ts'
import { idOf, instant, userId } from '../kernel/fields.ts'
import { pageInput, pageOf } from '../kernel/paging.ts'
import { type AnyTransfer, defineTransfer } from '../kernel/transfer.ts'
import { roles, writeModes } from '../kernel/viewer.ts'
import { listServerRecords } from './audit.ts'
import { findClient, listClients, removeClient } from './clients.ts'
import { endGrant, findGrant, grantsOfClient, listGrants } from './grants.ts'
import type { DefineChange, OauthServices } from './ports.ts'
import { hostOf } from './redirects.ts'

const grantId = () => idOf('oauth_grant')
const clientId = () => z.string().min(1).max(300)

const connectedApp = z.object({
  grantId: grantId(),
  clientId: z.string(),
  name: z.string(),
  hosts: z.array(z.string()),
  scope: z.enum(roles),
  campaignId: z.int().nullable(),
  campaignName: z.string().nullable(),
  writeMode: z.enum(writeModes),
  toolsets: z.array(z.string()).nullable(),
  createdAt: instant(),
  lastUsedAt: instant().nullable(),
  expiresAt: instant(),
})

const registeredClient = z.object({
  clientId: z.string(),
  name: z.string(),
  hosts: z.array(z.string()),
  authMethod: z.string(),
  createdAt: instant(),
  authorisedAt: instant().nullable(),
  liveGrants: z.int(),
})

const serverRecord = z.object({
  id: z.int(),
  at: instant(),
  operation: z.string(),
  effect: z.string(),
  door: z.string(),
  actorUserId: z.int().nullable(),
  actorName: z.string().nullable(),
  credentialKind: z.string().nullable(),
  credentialId: z.int().nullable(),
  clientId: z.string().nullable(),
  reason: z.string().nullable(),
  facts: z.record(z.string(), z.unknown()),
})

/** The apps that people have let in: one's own for everybody, all for an administrator. */
export function oauthTransfers(services: OauthServices, defineChange: DefineChange): readonly AnyTransfer[] {
  return [
    listApps(services),
    disconnectApp(defineChange),
    listRegistered(services),
    removeRegistered(defineChange),
    listAudit(services),
  ]
}

function hostsOf(redirectUris: readonly string[]): string[] {
  return Array.from(new Set(redirectUris.map(hostOf)))
}

const listApps = ({ store, clock }: OauthServices) =>
  defineTransfer({
    name: 'list_connected_apps',
    title: 'List my connected apps',
    description: 'The apps that the caller has let in through OAuth, with what each may see and do.',
    access: 'session',
    effect: 'read',
    route: 'GET /me/apps',
    input: z.strictObject(pageInput),
    output: pageOf(connectedApp),
    example: () => ({}),
    async handle({ actor }, page) {
      if (actor === null) throw fail('unauthenticated')
      const { items, nextCursor } = listGrants(store(), actor.userId, page, clock().toISOString())
      return { items: items.map(({ redirectUris, ...app }) => ({ ...app, hosts: hostsOf(redirectUris) })), nextCursor }
    },
  })

const disconnectApp = (defineChange: DefineChange) =>
  defineChange({
    name: 'disconnect_app',
    title: 'Disconnect an app',
    description: "Takes back what the caller let an app do, at once; an administrator may end anybody's.",
    access: 'session',
    effect: 'destroy',
    route: 'DELETE /me/apps/{grantId}',
    input: z.strictObject({ grantId: grantId() }),
    output: z.object({ disconnected: z.object({ grantId: z.int() }) }),
    example: (world) => ({ grantId: world.id('oauth_grant') }),
    run({ store, now, actor }, { grantId: id }) {
      const grant = findGrant(store, id)
      const mine = grant !== null && (grant.userId === actor.userId || actor.admin)
      if (!mine || !endGrant(store, id, 'disconnected', now)) {
        throw fail('not_found', 'No such app is connected. GET /api/v1/me/apps finds ids.')
      }
      return {
        answer: { disconnected: { grantId: id } },
        facts: { grantId: id, clientId: grant.clientId, userId: grant.userId },
        ended: [{ userId: grant.userId, only: { kind: 'oauth', id } }],
      }
    },
  })

const listRegistered = ({ store, clock }: OauthServices) =>
  defineTransfer({
    name: 'list_oauth_clients',
    title: 'List registered apps',
    description: 'All OAuth clients that have registered here, those that nobody has let in yet among them.',
    access: 'admin',
    effect: 'read',
    route: 'GET /oauth/clients',
    input: z.strictObject(pageInput),
    output: pageOf(registeredClient),
    example: () => ({}),
    async handle(_, page) {
      const { items, nextCursor } = listClients(store(), page, clock().toISOString())
      return {
        items: items.map(({ redirectUris, ...client }) => ({ ...client, hosts: hostsOf(redirectUris) })),
        nextCursor,
      }
    },
  })

const removeRegistered = (defineChange: DefineChange) =>
  defineChange({
    name: 'remove_oauth_client',
    title: 'Remove a registered app',
    description: 'Deletes a registration and ends what anybody let it do. The app may register again.',
    access: 'admin',
    effect: 'destroy',
    route: 'DELETE /oauth/clients/{clientId}',
    input: z.strictObject({ clientId: clientId() }),
    output: z.object({ removed: z.object({ clientId: z.string() }) }),
    example: (world) => ({ clientId: world.text('oauth_client') }),
    run({ store }, { clientId: id }) {
      const client = findClient(store, id)
      if (client === null) throw fail('not_found', 'There is no such app. GET /api/v1/oauth/clients finds ids.')
      const grants = grantsOfClient(store, id)
      removeClient(store, id)
      return {
        answer: { removed: { clientId: id } },
        facts: { clientId: id, clientName: client.name, grants: grants.length },
        ended: grants.map((grant) => ({ userId: grant.userId, only: { kind: 'oauth', id: grant.id } })),
      }
    },
  })

const listAudit = ({ store }: OauthServices) =>
  defineTransfer({
    name: 'list_server_audit',
    title: 'List the audit records of the server',
    description:
      'What changed outside campaigns, newest first: sign-ins, users, tokens, connected apps, replayed OAuth tokens, restores.',
    access: 'admin',
    effect: 'read',
    route: 'GET /audit',
    input: z.strictObject({
      ...pageInput,
      operation: z.string().min(1).max(100).optional(),
      actorUserId: userId().optional(),
    }),
    output: pageOf(serverRecord),
    example: () => ({}),
    handle: async (_, { operation, actorUserId, ...page }) =>
      listServerRecords(store(), { operation, actorUserId }, page),
  })
