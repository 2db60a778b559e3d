import { createHash, timingSafeEqual } from 'node:crypto'
import type { Unit } from '../kernel/system.ts'
import type { Store } from '../storage/store.ts'
import { isSameAudience, requireOwnResource } from './audience.ts'
import { endGrant } from './audit.ts'
import { authenticateClient } from './client-authentication.ts'
import type { Client } from './clients.ts'
import { type OauthError, refuse } from './errors.ts'
import { findGrant, type Grant } from './grants.ts'
import { optional, type Parameters, required } from './parameters.ts'
import type { OauthServices } from './ports.ts'
import { narrowedScope, readScope } from './scopes.ts'
import {
  type Code,
  claimCode,
  claimRefreshToken,
  findCode,
  findToken,
  issueTokens,
  type Token,
  type TokenAnswer,
} from './tokens.ts'

/** One form sent to the token or revocation endpoint. */
export interface FormCall {
  readonly form: Parameters
  readonly authorization: string | undefined
  /** This server's address as the client typed it. */
  readonly origin: string
  readonly address: string
}

/** One token request, inside its transaction. */
interface TokenRequest extends FormCall {
  readonly services: OauthServices
  readonly unit: Unit
  readonly store: Store
  readonly now: string
  readonly client: Client
}

/** Whose access ended because something was used twice. */
type Replayed = Pick<Grant, 'id' | 'userId'>
/** A refusal is returned where the transaction must be kept, and thrown where there is nothing to keep. */
type Outcome = { readonly answer: TokenAnswer } | { readonly refusal: OauthError; readonly replayed: Replayed | null }

const grantTypes: Readonly<Record<string, (request: TokenRequest) => Outcome>> = {
  authorization_code: redeemCode,
  refresh_token: refresh,
}

/**
 * POST /oauth/token (RFC 6749, 3.2): an authorization code or a refresh token for a pair of tokens. All of it happens in
 * one transaction, and what is redeemed is taken by a conditional update: of any number of calls at once, one gets an
 * answer (SPEC 5.7). Throws OauthError.
 */
export async function redeemGrant(services: OauthServices, call: FormCall): Promise<TokenAnswer> {
  await services.limits.count('token', services.rateLimitKey(call.address))
  const now = services.clock().toISOString()
  const outcome = services.system().transaction((unit): Outcome => {
    const store = services.store()
    const client = authenticateClient(store, call.form, call.authorization)
    const grantType = required(call.form, 'grant_type')
    const redeem = Object.hasOwn(grantTypes, grantType) ? grantTypes[grantType] : undefined
    if (redeem === undefined) {
      throw refuse('unsupported_grant_type', `the grant types are ${Object.keys(grantTypes).join(' and ')}`)
    }
    return redeem({ ...call, services, unit, store, now, client })
  })
  if ('answer' in outcome) return outcome.answer
  const { refusal, replayed } = outcome
  if (replayed !== null) {
    services.log.warn(
      { grantId: replayed.id, userId: replayed.userId },
      'An OAuth grant was ended: something of it was used twice.',
    )
  }
  throw refusal
}

/** What the checks of a code look at. */
interface Redemption extends TokenRequest {
  readonly code: Code
  readonly grant: Grant
  readonly verifier: string
}

/** In the order in which a code meets them. Each throws what is wrong. */
const codeChecks: readonly ((redemption: Redemption) => void)[] = [
  codeIsInTime,
  redirectIsTheSame,
  verifierFits,
  resourceIsGranted,
]

/** RFC 6749, 4.1.3. */
function redeemCode(request: TokenRequest): Outcome {
  const { store, now, form, services } = request
  const value = required(form, 'code')
  const verifier = required(form, 'code_verifier')
  const code = findCode(store, value)
  const grant = code === null ? null : findGrant(store, code.grantId)
  if (code === null || grant === null || !isOfClient(grant, request)) {
    throw refuse('invalid_grant', 'the code is unknown, or not of this client')
  }
  if (code.claimedAt !== null) return replay(request, grant, code.id, 'replay_oauth_code')
  if (grant.endedAt !== null || grant.ownerDisabled) throw refuse('invalid_grant', 'the access was taken back')
  for (const check of codeChecks) check({ ...request, code, grant, verifier })
  if (!claimCode(store, code.id, now)) return replay(request, grant, code.id, 'replay_oauth_code')
  const issue = { grantId: grant.id, family: code.id, scope: grant.scope, granted: grant.scope }
  return { answer: issueTokens(store, issue, services.lifetimes, now) }
}

function codeIsInTime({ code, now }: Redemption): void {
  if (code.expiresAt <= now) throw refuse('invalid_grant', 'the code has expired')
}

/** RFC 6749, 4.1.3: named in the authorization request, it is named here, letter by letter. */
function redirectIsTheSame({ code, form }: Redemption): void {
  const given = optional(form, 'redirect_uri')
  if (given === null && code.redirectGiven) throw refuse('invalid_request', 'redirect_uri is missing')
  if (given !== null && given !== code.redirectUri) {
    throw refuse('invalid_grant', 'redirect_uri is not the one of the authorization request')
  }
}

/** RFC 7636, 4.1 and 4.6. Every code has a challenge. */
function verifierFits({ code, verifier }: Redemption): void {
  if (!/^[A-Za-z0-9._~-]{43,128}$/.test(verifier)) {
    throw refuse('invalid_grant', 'code_verifier has 43 to 128 unreserved characters')
  }
  const made = createHash('sha256').update(verifier).digest()
  const challenge = Buffer.from(code.codeChallenge, 'base64url')
  if (challenge.length !== made.length || !timingSafeEqual(made, challenge)) {
    throw refuse('invalid_grant', 'code_verifier does not fit the code_challenge')
  }
}

/** RFC 8707, 2.2: the same resource as was granted, or none. */
function resourceIsGranted({ form, grant }: Pick<Redemption, 'form' | 'grant'>): void {
  const resources = form.getAll('resource')
  requireOwnResource(resources, grant.resource)
}

/** RFC 6749, 6; RFC 9700, 4.14. */
function refresh(request: TokenRequest): Outcome {
  const { store, now, form, services } = request
  const token = findToken(store, required(form, 'refresh_token'))
  const grant = token === null ? null : findGrant(store, token.grantId)
  if (token?.kind !== 'refresh' || grant === null || !isOfClient(grant, request)) {
    throw refuse('invalid_grant', 'the refresh token is unknown, or not of this client')
  }
  if (token.claimedAt !== null) return replay(request, grant, token.family, 'replay_oauth_token')
  if (token.revokedAt !== null || grant.endedAt !== null || grant.ownerDisabled) {
    throw refuse('invalid_grant', 'the access was taken back, authorize again')
  }
  tokenIsInTime(token, now)
  resourceIsGranted({ form, grant })
  const scope = narrowedScope(readScope(optional(form, 'scope')), token.scope)
  if (!claimRefreshToken(store, token.id, now)) return replay(request, grant, token.family, 'replay_oauth_token')
  const issue = { grantId: grant.id, family: token.family, scope, granted: token.scope }
  return { answer: issueTokens(store, issue, services.lifetimes, now) }
}

function tokenIsInTime(token: Token, now: string): void {
  if (token.expiresAt <= now) throw refuse('invalid_grant', 'the refresh token has expired, authorize again')
}

/** A code or token counts only from the client that it was given to (RFC 6749, 4.1.3 and 6), at the server it was made for. */
function isOfClient(grant: Grant, { client, origin }: TokenRequest): boolean {
  return grant.clientId === client.clientId && isSameAudience(grant.resource, origin)
}

/**
 * Something was used twice, so somebody else may have it: everything that came of it ends at once (SPEC 5.8; RFC 6749,
 * 4.1.2; RFC 9700, 4.14.2). The record names client, grant and family; a second replay finds nothing left to end.
 */
function replay(
  { unit }: TokenRequest,
  grant: Grant,
  family: number,
  operation: 'replay_oauth_code' | 'replay_oauth_token',
): Outcome {
  const ended = endGrant(unit, grant, { operation, reason: 'replayed', facts: { family } })
  const what = operation === 'replay_oauth_code' ? 'code' : 'refresh token'
  const refusal = refuse(
    'invalid_grant',
    `the ${what} was used before; all access that came of it has ended, authorize again`,
  )
  return { refusal, replayed: ended ? grant : null }
}
