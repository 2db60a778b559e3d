import * as z from 'zod'
import { defineEntity } from '../../kernel/entity.ts'
import { idOf, instant, nullable, required } from '../../kernel/fields.ts'
import { roles, toolPresets, writeModes } from '../../kernel/viewer.ts'
import { administrators, anyOf, self } from '../../kernel/visibility.ts'

/** How a client proves at the token endpoint that it is the one that was registered (RFC 7591, 2). */
export const authMethods = ['none', 'client_secret_post', 'client_secret_basic'] as const

/**
 * An app that has made itself known to the OAuth server (RFC 7591, or by its metadata document). Strangers register: what
 * they do is no change by a person and stands in no journal. An administrator removes.
 */
export const oauthClient = defineEntity({
  name: 'oauth_client',
  table: 'oauth_clients',
  label: 'app',
  listedBy: 'list_oauth_clients',
  scope: 'server',
  visible: administrators,
  since: 3,
  lists: { orders: [[]] },
  fields: {
    clientId: required(z.string()),
    secretHash: nullable(z.string(), { internal: true }),
    authMethod: required(z.enum(authMethods)),
    /** What it calls itself. */
    name: required(z.string()),
    redirectUris: required(z.array(z.string())),
    authorisedAt: nullable(instant()),
    /** Since when a sweep has found nobody connected with it. */
    idleSince: nullable(instant()),
  },
})

/**
 * What a person lets an app do, as chosen at consent. It ends by `endedAt`, and its tokens with it; it is prolonged with
 * each refresh token and its last use is written, both outside of the journal.
 */
export const oauthGrant = defineEntity({
  name: 'oauth_grant',
  table: 'oauth_grants',
  label: 'connected app',
  listedBy: 'list_connected_apps',
  scope: 'user',
  visible: anyOf(self('userId'), administrators),
  since: 3,
  lists: { orders: [[]] },
  fields: {
    clientId: required(z.string()),
    scope: required(z.enum(roles)),
    /** The only campaign that it opens. Not a reference: one that is gone must leave it bound to nothing, not unbound. */
    campaignId: nullable(idOf('campaign')),
    writeMode: required(z.enum(writeModes)),
    /** Null opens every toolset, later ones too. */
    toolsets: nullable(z.array(z.string())),
    /** Which tools it is shown where it asks for no selection of its own; null is all that it may open. */
    toolPreset: nullable(z.enum(toolPresets), { since: 4 }),
    /** The address of this server that it was made for (RFC 8707). */
    resource: required(z.string()),
    expiresAt: required(instant(), { journal: 'name' }),
    lastUsedAt: nullable(instant(), { journal: 'name' }),
    endedAt: nullable(instant()),
    /** Why: its person, its client, a replay, a lost credential, or nobody used it. */
    endedReason: nullable(z.enum(['disconnected', 'revoked', 'replayed', 'credentials_ended', 'expired'])),
  },
})
