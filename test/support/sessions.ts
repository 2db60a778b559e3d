import { mintSecret } from '../../src/storage/secrets.ts'
import type { Store } from '../../src/storage/store.ts'

/** Signs somebody in without a password and without a record. Returns the value of the cookie. */
export function insertSession(store: Store, userId: number, now: string): string {
  const { value, hash } = mintSecret('tkw')
  store.run(
    `INSERT INTO sessions (user_id, hash, created_at, updated_at, last_used_at, user_agent)
     VALUES (@userId, @hash, @now, @now, @now, 'a browser')`,
    { userId, hash, now },
  )
  return value
}

/**
 * The id of a session of somebody that is in use now, for calls that come through no door: every write asks whether the
 * credential behind it still stands.
 */
export function sessionOf(store: Store, userId: number, now: string): number {
  const marked = { hash: `session of user ${userId}`, now }
  const { changes } = store.run('UPDATE sessions SET created_at = @now, last_used_at = @now WHERE hash = @hash', marked)
  if (changes === 0)
    store.run(
      `INSERT INTO sessions (user_id, hash, created_at, updated_at, last_used_at) VALUES (@userId, @hash, @now, @now, @now)`,
      { ...marked, userId },
    )
  return Number(store.get('SELECT id FROM sessions WHERE hash = @hash', { hash: marked.hash })?.id)
}
