import { signIn } from '../domain/sign-in/entity.ts'
import type { Recording } from '../kernel/recorded-change.ts'
import type { Actor } from '../kernel/viewer.ts'
import { hashSecret } from '../storage/secrets.ts'
import type { Store } from '../storage/store.ts'
import type { Account } from './users.ts'

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

type Person = Pick<Account, 'id' | 'username' | 'admin'>

/** Begins a session, and names it as what the change was made with. */
export function beginSession({ context, attribute }: Recording, user: Person, userAgent: string | null): NewSession {
  const { value, hash } = context.secrets.mint('tkw')
  const values = { userId: user.id, hash, lastUsedAt: context.now, userAgent: userAgent?.slice(0, 300) ?? null }
  const actor = sessionActor(context.write(signIn).insert(values), user)
  attribute(actor)
  return { actor, secret: value }
}

/** A person signed in to the web app: all that they are, in all their campaigns. */
export function sessionActor(id: number, user: Person): Actor {
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

export function removeExpiredSessions(store: Store, now: string): void {
  store.run('DELETE FROM sessions WHERE created_at <= @created OR last_used_at <= @used', oldestSession(now))
}

/** The session of a cookie, whether it has run out or not; null where there is none. */
export function findSession(store: Store, secret: string): { readonly id: number; readonly userId: number } | null {
  const row = store.get('SELECT id, user_id FROM sessions WHERE hash = @hash', { hash: hashSecret(secret) })
  return row ? { id: Number(row.id), userId: Number(row.user_id) } : null
}
