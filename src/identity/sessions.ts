import type { Actor } from '../kernel/viewer.ts'
import { hashSecret, mintSecret } from '../storage/secrets.ts'
import type { Store } from '../storage/store.ts'
import type { User } from './users.ts'

export const sessionLifetime = {
  /** A session ends after this time without use, */
  idleDays: 30,
  /** and after this time in any case. */
  mostDays: 90,
} as const

const dayMs = 24 * 3600 * 1000

export interface NewSession {
  readonly actor: Actor
  /** The value of the cookie. */
  readonly secret: string
}

/** Begins a session. The user's sessions that have run out are cleared away with it. */
export function beginSession(store: Store, user: User, userAgent: string | null, now: string): NewSession {
  removeExpiredSessions(store, now, user.id)
  const { value, hash } = mintSecret('tkw')
  const { id } = store.run(
    'INSERT INTO sessions (user_id, hash, created_at, last_used_at, user_agent) VALUES (@userId, @hash, @now, @now, @userAgent)',
    { userId: user.id, hash, now, userAgent: userAgent?.slice(0, 300) ?? null },
  )
  return { actor: sessionActor(id, user), secret: value }
}

/** A person signed in to the web app: all that they are, in all their campaigns. */
export function sessionActor(id: number, user: Pick<User, 'id' | 'username' | 'admin'>): Actor {
  return {
    userId: user.id,
    username: user.username,
    admin: user.admin,
    credential: {
      kind: 'session',
      id,
      scope: 'dm',
      campaignId: null,
      writeMode: 'direct',
      clientId: null,
      toolsets: null,
    },
  }
}

/** What a session must be younger than: `created` and `used` are instants, for comparison with the row's. */
export function oldestSession(now: string): { readonly created: string; readonly used: string } {
  const before = (days: number): string => new Date(Date.parse(now) - days * dayMs).toISOString()
  return { created: before(sessionLifetime.mostDays), used: before(sessionLifetime.idleDays) }
}

export function removeExpiredSessions(store: Store, now: string, userId: number | null = null): void {
  store.run(
    'DELETE FROM sessions WHERE (created_at <= @created OR last_used_at <= @used) AND (@userId IS NULL OR user_id = @userId)',
    { ...oldestSession(now), userId },
  )
}

/** Ends the session of a cookie. Returns whose it was; null where there was none. */
export function endSession(store: Store, secret: string): { readonly id: number; readonly userId: number } | null {
  const hash = hashSecret(secret)
  const row = store.get('SELECT id, user_id FROM sessions WHERE hash = @hash', { hash })
  if (!row) return null
  store.run('DELETE FROM sessions WHERE hash = @hash', { hash })
  return { id: Number(row.id), userId: Number(row.user_id) }
}

/** Ends all sessions of a user, but for the one that is kept. */
export function endSessions(store: Store, userId: number, keepId: number | null): void {
  store.run('DELETE FROM sessions WHERE user_id = @userId AND id IS NOT @keepId', { userId, keepId })
}
