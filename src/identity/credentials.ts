import { fail } from '../kernel/errors.ts'
import type { Actor, Role, WriteMode } from '../kernel/viewer.ts'
import type { SqlValue } from '../storage/columns.ts'
import { createLastUse, instantOf, type LastUse } from '../storage/last-use.ts'
import { hashSecret } from '../storage/secrets.ts'
import type { MemoKind, Store } from '../storage/store.ts'
import type { Log } from './services.ts'
import { oldestSession, sessionActor } from './sessions.ts'

/** What a request brings to prove who sent it. */
export interface Presented {
  /** The Authorization header. */
  readonly authorization: string | undefined
  /** The value of the session cookie; null where a cookie does not count. */
  readonly sessionSecret: string | null
  /** This server's address as the caller typed it; without it no OAuth access token counts. */
  readonly audience?: string | undefined
  /** Gets what notes the time of last use, to be called or not; where it is absent, that is noted at once. */
  readonly whenUsed?: ((note: () => void) => void) | undefined
}

export interface Credentials {
  /**
   * Who calls; null where nothing usable was presented. A bad bearer never falls back to the cookie.
   * Throws `unauthenticated`.
   */
  resolve(presented: Presented): Actor | null
  /** Writes down when credentials were last used. Called by itself within seconds; `close` calls it a last time. */
  flush(): void
  close(): void
}

export interface CredentialParts {
  store(): Store
  clock(): Date
  readonly log: Log
  /** The actor behind an OAuth access token that is valid now and was made for this audience, by its hash. */
  resolveAccessToken?(hash: string, audience: string, whenUsed: WhenUsed): Actor | null
}

type WhenUsed = NonNullable<Presented['whenUsed']>
type Raw = Readonly<Record<string, SqlValue>>

export function createCredentials(parts: CredentialParts): Credentials {
  const { store, clock, log, resolveAccessToken } = parts
  const useOf = (table: 'sessions' | 'personal_tokens'): LastUse =>
    createLastUse({ store, log, update: `UPDATE ${table} SET last_used_at = @at WHERE hash = @hash` })
  const sessionUse = useOf('sessions')
  const tokenUse = useOf('personal_tokens')
  const flush = (): void => {
    sessionUse.flush()
    tokenUse.flush()
  }

  const bySession = (secret: string, whenUsed: WhenUsed): Actor | null => {
    if (!sessionPattern.test(secret)) return null
    const now = clock()
    const { hash, kept } = knownBy(store(), sessionsBySecret, secret, readSession)
    if (kept === null || !isLive(kept, now.toISOString())) return null
    whenUsed(() => sessionUse.touch(hash, kept.usedAt, now))
    return kept.actor
  }

  const byToken = (secret: string, whenUsed: WhenUsed): Actor | null => {
    const now = clock()
    const { hash, kept } = knownBy(store(), tokensBySecret, secret, readToken)
    if (kept === null || isOver(kept, now)) return null
    whenUsed(() => tokenUse.touch(hash, kept.usedAt, now))
    return kept.actor
  }

  const byBearer = (bearer: string, audience: string | undefined, whenUsed: WhenUsed): Actor | null => {
    if (!bearerPattern.test(bearer)) return null
    if (bearer.startsWith('tkp_')) return byToken(bearer, whenUsed)
    if (audience === undefined) return null
    const actor = resolveAccessToken?.(hashSecret(bearer), audience, whenUsed) ?? null
    // Connected apps never carry server-admin rights (SPEC 5.5), whoever resolved them.
    return actor && { ...actor, admin: false }
  }

  return {
    flush,
    close: flush,
    resolve({ authorization, sessionSecret, audience, whenUsed = (note) => note() }) {
      if (authorization === undefined || isForProxy.test(authorization)) {
        return sessionSecret === null ? null : bySession(sessionSecret, whenUsed)
      }
      const bearer = authorization.startsWith('Bearer ')
        ? authorization.slice('Bearer '.length).trim()
        : /^bearer +(\S+) *$/i.exec(authorization)?.[1]
      const actor = bearer === undefined ? null : byBearer(bearer, audience, whenUsed)
      if (actor === null) throw fail('unauthenticated', 'The bearer token is not valid: unknown, expired or revoked.')
      return actor
    },
  }
}

/** The secrets that count as a bearer: personal and OAuth access tokens, 256 bits in base64url. */
const bearerPattern = /^(?:tkp|tka)_[A-Za-z0-9_-]{43}$/
/** The secret of a session; what is no such text is kept nowhere. */
const sessionPattern = /^tkw_[A-Za-z0-9_-]{43}$/
/** A scheme that this server never asks for: a proxy in front of it did, and passed the answer on. */
const isForProxy = /^(?:basic|digest|negotiate|ntlm)\b/i

/**
 * The actor behind the same session or token as it is now; null where it has ended. Asked inside the transaction of every
 * write, since work that took time was allowed for what may have ended meanwhile.
 */
export function recheckOwn(store: Store, { credential }: Actor, now: string): Actor | null {
  const { kind, id } = credential
  if (kind === 'session') {
    const session = store.memo(sessionsById, id, () => readSession(store, 'id', id))
    return session !== null && isLive(session, now) ? session.actor : null
  }
  const token = store.memo(tokensById, id, () => readToken(store, 'id', id))
  return token === null || isOver(token, new Date(now)) ? null : token.actor
}

// Who calls is asked with every request: what is known of a credential is kept, under the secret itself, until its row may
// have changed, and only the time is judged anew.

const sessionTables = ['sessions', 'users']
const tokenTables = ['personal_tokens', 'users']
const sessionsById: MemoKind = { tables: sessionTables }
const sessionsBySecret: MemoKind = { tables: sessionTables }
const tokensById: MemoKind = { tables: tokenTables }
const tokensBySecret: MemoKind = { tables: tokenTables }

interface Kept {
  readonly actor: Actor
  /** When it was last used, in milliseconds. */
  readonly usedAt: number | null
}

interface KeptSession extends Kept {
  readonly createdAt: string
  readonly lastUsedAt: string
}

interface KeptToken extends Kept {
  /** In milliseconds. */
  readonly expiresAt: number | null
}

/** What a secret opens, with its hash. */
interface Known<K> {
  readonly hash: string
  readonly kept: K | null
}

function knownBy<K>(
  store: Store,
  of: MemoKind,
  secret: string,
  read: (store: Store, by: 'hash', hash: string) => K | null,
): Known<K> {
  return store.memo(of, secret, () => {
    const hash = hashSecret(secret)
    return { hash, kept: read(store, 'hash', hash) }
  })
}

function readSession(store: Store, by: 'id' | 'hash', key: string | number): KeptSession | null {
  const row = store.get(
    `SELECT s.id, s.created_at, s.last_used_at, u.id AS user_id, u.username, u.admin FROM sessions s JOIN users u ON u.id = s.user_id
     WHERE s.${by} = @key AND u.disabled_at IS NULL`,
    { key },
  )
  if (row === undefined) return null
  const [createdAt, lastUsedAt] = [String(row.created_at), String(row.last_used_at)]
  return { actor: actorOfSession(row), usedAt: instantOf(row.last_used_at), createdAt, lastUsedAt }
}

function isLive({ createdAt, lastUsedAt }: KeptSession, now: string): boolean {
  const { created, used } = oldestSession(now)
  return createdAt > created && lastUsedAt > used
}

function readToken(store: Store, by: 'id' | 'hash', key: string | number): KeptToken | null {
  const row = store.get(
    `SELECT t.id, t.scope, t.campaign_id, t.write_mode, t.expires_at, t.last_used_at, t.admin AND u.admin AS admin, u.id AS user_id, u.username
     FROM personal_tokens t JOIN users u ON u.id = t.user_id
     WHERE t.${by} = @key AND t.revoked_at IS NULL AND u.disabled_at IS NULL`,
    { key },
  )
  return row === undefined
    ? null
    : { actor: actorOfToken(row), usedAt: instantOf(row.last_used_at), expiresAt: instantOf(row.expires_at) }
}

function isOver({ expiresAt }: KeptToken, now: Date): boolean {
  return expiresAt !== null && expiresAt <= now.getTime()
}

function actorOfSession(row: Raw): Actor {
  const user = { id: Number(row.user_id), username: String(row.username), admin: row.admin === 1 }
  return sessionActor(Number(row.id), user)
}

function actorOfToken(row: Raw): Actor {
  return {
    userId: Number(row.user_id),
    username: String(row.username),
    admin: row.admin === 1,
    credential: {
      kind: 'token',
      id: Number(row.id),
      scope: row.scope as Role,
      campaignId: row.campaign_id as number | null,
      writeMode: row.write_mode as WriteMode,
      clientId: null,
      toolsets: null,
    },
  }
}
