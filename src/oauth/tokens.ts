import type { Role } from '../kernel/viewer.ts'
import type { SqlValue } from '../storage/columns.ts'
import { hashSecret, mintSecret } from '../storage/secrets.ts'
import type { Store } from '../storage/store.ts'
import { prolongGrant } from './grants.ts'
import type { AuthorizationRequest } from './requests.ts'
import { type Lifetimes, later } from './settings.ts'

/** A code as it was given out. Its id is also the number of the family of tokens that it begins. */
export interface Code {
  readonly id: number
  readonly grantId: number
  readonly redirectUri: string
  readonly redirectGiven: boolean
  readonly codeChallenge: string
  readonly expiresAt: string
  readonly claimedAt: string | null
}

/** Gives out the one code of a grant. Returns its value, which is nowhere kept. */
export function issueCode(
  store: Store,
  grantId: number,
  request: Pick<AuthorizationRequest, 'redirectUri' | 'redirectGiven' | 'codeChallenge'>,
  expiresAt: string,
  now: string,
): string {
  const { value, hash } = mintSecret('tkc')
  store.run(
    `INSERT INTO oauth_codes (grant_id, hash, redirect_uri, redirect_given, code_challenge, created_at, expires_at)
     VALUES (@grantId, @hash, @redirectUri, @redirectGiven, @codeChallenge, @now, @expiresAt)`,
    {
      grantId,
      hash,
      redirectUri: request.redirectUri,
      redirectGiven: request.redirectGiven ? 1 : 0,
      codeChallenge: request.codeChallenge,
      now,
      expiresAt,
    },
  )
  return value
}

export function findCode(store: Store, value: string): Code | null {
  const row = store.get(
    'SELECT id, grant_id, redirect_uri, redirect_given, code_challenge, expires_at, claimed_at FROM oauth_codes WHERE hash = @hash',
    { hash: hashSecret(value) },
  )
  if (!row) return null
  return {
    id: Number(row.id),
    grantId: Number(row.grant_id),
    redirectUri: String(row.redirect_uri),
    redirectGiven: row.redirect_given === 1,
    codeChallenge: String(row.code_challenge),
    expiresAt: String(row.expires_at),
    claimedAt: row.claimed_at as string | null,
  }
}

/** Takes a code, once (SPEC 5.7). The condition decides, not an earlier look. */
export function claimCode(store: Store, id: number, now: string): boolean {
  return (
    store.run('UPDATE oauth_codes SET claimed_at = @now WHERE id = @id AND claimed_at IS NULL', { id, now }).changes ===
    1
  )
}

export interface Token {
  readonly id: number
  readonly grantId: number
  readonly family: number
  readonly kind: 'access' | 'refresh'
  readonly scope: Role
  readonly expiresAt: string
  /** When a refresh token was exchanged for the next one. */
  readonly claimedAt: string | null
  readonly revokedAt: string | null
}

export function findToken(store: Store, value: string): Token | null {
  const row = store.get(
    'SELECT id, grant_id, family, kind, scope, expires_at, claimed_at, revoked_at FROM oauth_tokens WHERE hash = @hash',
    { hash: hashSecret(value) },
  )
  return row ? tokenOf(row) : null
}

/** Takes a refresh token, once (SPEC 5.8). */
export function claimRefreshToken(store: Store, id: number, now: string): boolean {
  const { changes } = store.run(
    "UPDATE oauth_tokens SET claimed_at = @now WHERE id = @id AND kind = 'refresh' AND claimed_at IS NULL AND revoked_at IS NULL",
    { id, now },
  )
  return changes === 1
}

export function revokeAccessToken(store: Store, id: number, now: string): void {
  store.run('UPDATE oauth_tokens SET revoked_at = @now WHERE id = @id AND revoked_at IS NULL', { id, now })
}

/** The answer of the token endpoint (RFC 6749, 5.1). */
export interface TokenAnswer {
  readonly access_token: string
  readonly token_type: 'Bearer'
  readonly expires_in: number
  readonly refresh_token: string
  readonly scope: Role
}

interface Issue {
  readonly grantId: number
  readonly family: number
  /** Of the access token. */
  readonly scope: Role
  /** Of the refresh token: what was granted, however narrow this access token is (RFC 6749, 6). */
  readonly granted: Role
}

/** Gives out an access token and the refresh token that follows, and lets the grant live as long as that. */
export function issueTokens(
  store: Store,
  { grantId, family, scope, granted }: Issue,
  lifetimes: Lifetimes,
  now: string,
): TokenAnswer {
  const access = mintSecret('tka')
  const refresh = mintSecret('tkr')
  const refreshUntil = later(now, lifetimes.refresh)
  const insert = (kind: Token['kind'], hash: string, its: Role, expiresAt: string): void =>
    void store.run(
      `INSERT INTO oauth_tokens (grant_id, family, kind, hash, scope, created_at, expires_at)
       VALUES (@grantId, @family, @kind, @hash, @scope, @now, @expiresAt)`,
      { grantId, family, kind, hash, scope: its, now, expiresAt },
    )
  insert('access', access.hash, scope, later(now, lifetimes.access))
  insert('refresh', refresh.hash, granted, refreshUntil)
  prolongGrant(store, grantId, refreshUntil)
  return {
    access_token: access.value,
    token_type: 'Bearer',
    expires_in: lifetimes.access,
    refresh_token: refresh.value,
    scope,
  }
}

/** Spent codes and rotated tokens are kept until they would have run out, so that a replay is known as one. */
export function sweepTokens(store: Store, now: string): void {
  const dayBefore = later(now, -24 * 3600)
  store.run('DELETE FROM oauth_codes WHERE expires_at < @dayBefore', { dayBefore })
  store.run('DELETE FROM oauth_tokens WHERE expires_at < @dayBefore', { dayBefore })
}

function tokenOf(row: Readonly<Record<string, SqlValue>>): Token {
  return {
    id: Number(row.id),
    grantId: Number(row.grant_id),
    family: Number(row.family),
    kind: row.kind as Token['kind'],
    scope: row.scope as Role,
    expiresAt: String(row.expires_at),
    claimedAt: row.claimed_at as string | null,
    revokedAt: row.revoked_at as string | null,
  }
}
