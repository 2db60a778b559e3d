import * as z from 'zod'
import { type AuthMethod, authMethods, insertClient } from './clients.ts'
import { refuse } from './errors.ts'
import type { OauthServices } from './ports.ts'
import { requireRedirectUri } from './redirects.ts'

/** Of a registration's body, in bytes. */
export const registrationBytes = 16 * 1024
const mostRedirectUris = 10
const mostNameLength = 100

/** The members that count; others are ignored (RFC 7591, 2). Null counts as left away: some clients write all members out. */
const metadata = z.object({
  redirect_uris: z.array(z.string()).nullish(),
  client_name: z.string().nullish(),
  token_endpoint_auth_method: z.string().nullish(),
  grant_types: z.array(z.string()).nullish(),
  response_types: z.array(z.string()).nullish(),
})
type Metadata = z.output<typeof metadata>

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
  const { registration, limits, placeOf, store, clock } = services
  if (!registration) {
    throw refuse('access_denied', 'this server registers no clients by itself (OAUTH_DCR); use a personal access token')
  }
  await limits.count('register', placeOf(address))
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

/** Throws `invalid_client_metadata`. */
export function readMetadata(body: unknown): Metadata {
  const result = metadata.safeParse(body)
  if (result.success) return result.data
  const [issue] = result.error.issues
  throw refuse('invalid_client_metadata', `${issue?.path.join('.') || 'the body'}: ${issue?.message ?? 'not valid'}`)
}

/** RFC 7591, 2: clients of a flow with redirects register them. */
export function usableRedirects({ redirect_uris: uris }: Metadata): readonly string[] {
  if (!uris || uris.length === 0) throw refuse('invalid_redirect_uri', 'redirect_uris names at least one address')
  if (uris.length > mostRedirectUris) {
    throw refuse('invalid_redirect_uri', `redirect_uris names at most ${mostRedirectUris} addresses`)
  }
  for (const uri of uris) requireRedirectUri(uri)
  return Array.from(new Set(uris))
}

/** RFC 7591, 2: without the member it is client_secret_basic, and the client gets a secret. */
function knownAuthMethod({ token_endpoint_auth_method: asked }: Metadata): AuthMethod {
  const known = authMethods.find((method) => method === (asked ?? 'client_secret_basic'))
  if (known === undefined) {
    throw refuse('invalid_client_metadata', `token_endpoint_auth_method is one of ${authMethods.join(', ')}`)
  }
  return known
}

/** Both lists may be left away (RFC 7591, 2); where they are given, the one flow that there is must be in them. */
export function includesCodeFlow({ grant_types: grants, response_types: responses }: Metadata): void {
  if (grants && grants.length > 0 && !grants.includes('authorization_code')) {
    throw refuse('invalid_client_metadata', 'grant_types holds authorization_code')
  }
  if (responses && responses.length > 0 && !responses.includes('code')) {
    throw refuse('invalid_client_metadata', 'response_types holds code')
  }
}

/** A name that a client gave itself, fit to be shown: one line, and nothing that turns or hides the text around it. */
export function shownName(given: string): string {
  const plain = given
    .toWellFormed()
    .normalize('NFC')
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ')
    .replaceAll(/[\p{Cf}\p{Co}\p{Cn}]/gu, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
  // Cut by what a reader sees as one character, so that none is halved.
  const parts = Array.from(new Intl.Segmenter('en').segment(plain), ({ segment }) => segment)
  let name = ''
  for (const part of parts) {
    if (name.length + part.length > mostNameLength) break
    name += part
  }
  return name.trim() || 'A nameless app'
}
