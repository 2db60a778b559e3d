import { authMethods } from '../domain/app/entity.ts'
import { type ClientMetadata, includesCodeFlow, readMetadata, shownName, usableRedirects } from './client-metadata.ts'
import { type AuthMethod, insertClient } from './clients.ts'
import { refuse } from './errors.ts'
import type { OauthServices } from './ports.ts'

/** Of a registration's body, in bytes. */
export const registrationBytes = 16 * 1024

/** The answer of a registration (RFC 7591, 3.2.1). */
export interface Registration {
  readonly client_id: string
  readonly client_secret?: string
  /** When the secret ends: 0 is never. */
  readonly client_secret_expires_at?: 0
  /** In seconds since 1970. */
  readonly client_id_issued_at: number
  readonly client_name: string
  readonly redirect_uris: readonly string[]
  readonly token_endpoint_auth_method: AuthMethod
  readonly grant_types: readonly string[]
  readonly response_types: readonly string[]
}

/**
 * POST /oauth/register: a client makes itself known (RFC 7591, 3.1). It gets nothing by it but the right to ask a person.
 * Throws `access_denied` where registration is off, `invalid_client_metadata`, `invalid_redirect_uri`, `temporarily_unavailable`.
 */
export async function register(services: OauthServices, body: unknown, address: string): Promise<Registration> {
  const { registration, limits, rateLimitKey, store, clock } = services
  if (!registration) {
    throw refuse('access_denied', 'this server registers no clients by itself (OAUTH_DCR); use a personal access token')
  }
  await limits.count('register', rateLimitKey(address))
  const asked = readMetadata(body)
  const redirectUris = usableRedirects(asked)
  const authMethod = knownAuthMethod(asked)
  includesCodeFlow(asked)
  const name = shownName(asked.client_name ?? '')
  const now = clock().toISOString()
  const present = store()
  const { clientId, secret } = present.transaction(() => insertClient(present, { name, authMethod, redirectUris }, now))
  return {
    client_id: clientId,
    ...(secret === null ? {} : { client_secret: secret, client_secret_expires_at: 0 }),
    client_id_issued_at: Math.floor(Date.parse(now) / 1000),
    client_name: name,
    redirect_uris: redirectUris,
    token_endpoint_auth_method: authMethod,
    // Refresh tokens are given to every client, whether it knew that it may ask for them or not.
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
  }
}

/** RFC 7591, 2: without the member it is client_secret_basic, and the client gets a secret. */
function knownAuthMethod({ token_endpoint_auth_method: asked }: ClientMetadata): AuthMethod {
  const known = authMethods.find((method) => method === (asked ?? 'client_secret_basic'))
  if (known === undefined) {
    throw refuse('invalid_client_metadata', `token_endpoint_auth_method is one of ${authMethods.join(', ')}`)
  }
  return known
}
