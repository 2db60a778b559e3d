import type { Store } from '../storage/store.ts'
import { recordGrantEvent } from './audit.ts'
import { authenticateClient } from './client-authentication.ts'
import type { Client } from './clients.ts'
import { endGrant, findGrant, type Grant } from './grants.ts'
import { required } from './parameters.ts'
import type { OauthServices } from './ports.ts'
import type { FormCall } from './token.ts'
import { findToken, revokeAccessToken, type Token } from './tokens.ts'

/**
 * POST /oauth/revoke (RFC 7009): a client gives a token back. A refresh token ends the grant with all its tokens, an
 * access token only itself. The answer is the same for tokens that are unknown or another client's (RFC 7009, 2.2).
 * Throws OauthError where the client or the form is not right.
 */
export async function revokeToken(services: OauthServices, call: FormCall): Promise<void> {
  await services.limits.count('token', services.rateLimitKey(call.address))
  const store = services.store()
  const now = services.clock().toISOString()
  const ended = store.transaction((): Grant | null => {
    const client = authenticateClient(store, call.form, call.authorization)
    // token_type_hint is only a hint; tokens say themselves what they are (RFC 7009, 2.1).
    const token = findToken(store, required(call.form, 'token'))
    const grant = token === null ? null : findGrant(store, token.grantId)
    return token === null || grant === null ? null : giveBack(store, client, token, grant, now)
  })
  if (ended !== null) services.onCredentialsEnded(ended.userId, { kind: 'oauth', id: ended.id })
}

/** The grant whose streams must close; null where nothing changed. */
function giveBack(store: Store, client: Client, token: Token, grant: Grant, now: string): Grant | null {
  if (grant.clientId !== client.clientId || token.revokedAt !== null) return null
  if (token.kind === 'access') {
    revokeAccessToken(store, token.id, now)
    return grant
  }
  if (!endGrant(store, grant.id, 'revoked', now)) return null
  const facts = { family: token.family }
  recordGrantEvent(store, { operation: 'revoke_oauth_token', effect: 'destroy', grant, facts }, now)
  return grant
}
