import type { Role } from '../kernel/viewer.ts'
import type { Store } from '../storage/store.ts'

/** What a client asks for, as it was judged when it came. */
export interface NewRequest {
  readonly clientId: string
  /** Which browser brought it; see form-tokens.ts. */
  readonly browserHash: string
  /** The address of this server as the client typed it. */
  readonly issuer: string
  readonly redirectUri: string
  /** Whether the client named the address, or left it to its only one (RFC 6749, 4.1.3). */
  readonly redirectGiven: boolean
  /** The highest that may be granted. */
  readonly scope: Role
  readonly state: string | null
  readonly codeChallenge: string
  readonly resource: string
  readonly expiresAt: string
}

export interface AuthorizationRequest extends NewRequest {
  readonly id: number
}

/** Open requests; beyond that the oldest go. A page that somebody looks at is among the newest. */
const mostOpen = 2000

export function insertRequest(store: Store, request: NewRequest, now: string): AuthorizationRequest {
  const { id } = store.run(
    `INSERT INTO oauth_requests (client_id, browser_hash, issuer, redirect_uri, redirect_given, scope, state, code_challenge, resource, created_at, expires_at)
     VALUES (@clientId, @browserHash, @issuer, @redirectUri, @redirectGiven, @scope, @state, @codeChallenge, @resource, @now, @expiresAt)`,
    { ...request, redirectGiven: request.redirectGiven ? 1 : 0, now },
  )
  store.run('DELETE FROM oauth_requests WHERE id <= @id', { id: id - mostOpen })
  return { ...request, id }
}

/** A request that waits for its answer in this browser; null where there is none (any more). */
export function openRequest(store: Store, id: number, browserHash: string, now: string): AuthorizationRequest | null {
  const row = store.get(
    'SELECT * FROM oauth_requests WHERE id = @id AND browser_hash = @browserHash AND used_at IS NULL AND expires_at > @now',
    { id, browserHash, now },
  )
  if (!row) return null
  return {
    id: Number(row.id),
    clientId: String(row.client_id),
    browserHash: String(row.browser_hash),
    issuer: String(row.issuer),
    redirectUri: String(row.redirect_uri),
    redirectGiven: row.redirect_given === 1,
    scope: row.scope as Role,
    state: row.state as string | null,
    codeChallenge: String(row.code_challenge),
    resource: String(row.resource),
    expiresAt: String(row.expires_at),
  }
}

/** Answers a request, once: false where it was answered before. */
export function useRequest(store: Store, id: number, now: string): boolean {
  const { changes } = store.run(
    'UPDATE oauth_requests SET used_at = @now WHERE id = @id AND used_at IS NULL AND expires_at > @now',
    { id, now },
  )
  return changes === 1
}

export function sweepRequests(store: Store, now: string): void {
  store.run('DELETE FROM oauth_requests WHERE expires_at <= @now', { now })
}
