import type { Unit } from '../kernel/system.ts'
import type { Store } from '../storage/store.ts'
import { endGrant } from './audit.ts'
import { authenticateClient } from './client-authentication.ts'
import type { Client } from './clients.ts'
import { findGrant, type Grant } from './grants.ts'
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
  const now = services.clock().toISOString()
  const narrowed = services.system().transaction((unit): Grant | null => {
    const store = services.store()
    const client = authenticateClient(store, call.form, call.authorization)
    // token_type_hint is only a hint; tokens say themselves what they are (RFC 7009, 2.1).
    const token = findToken(store, required(call.form, 'token'))
    const grant = token === null ? null : findGrant(store, token.grantId)
    return token === null || grant === null ? null : giveBack({ unit, store, now }, client, token, grant)
  })
  if (narrowed !== null) services.closeStreams(narrowed.userId, { kind: 'oauth', id: narrowed.id })
}

interface Work {
  readonly unit: Unit
  readonly store: Store
  readonly now: string
}

/** The grant that lives on without an access token that streams may be open with; null for anything else. */
function giveBack({ unit, store, now }: Work, client: Client, token: Token, grant: Grant): Grant | null {
  if (grant.clientId !== client.clientId || token.revokedAt !== null) return null
  if (token.kind === 'access') {
    revokeAccessToken(store, token.id, now)
    return grant
  }
  endGrant(unit, grant, { operation: 'revoke_oauth_token', reason: 'revoked', facts: { family: token.family } })
  return null
}
