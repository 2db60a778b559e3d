import type { UserSummary } from '../kernel/context.ts'
import { areLookAlike, foldUsername } from '../kernel/usernames.ts'
import type { Store } from './store.ts'

/**
 * Whoever has this name, in any case and composition; null where nobody has. SQLite's NOCASE knows ASCII only, and the
 * users of one server are few enough to compare each.
 */
export function userNamed(store: Store, username: string): UserSummary | null {
  const name = username.trim().normalize('NFC')
  const folded = foldUsername(name)
  const row =
    store.get('SELECT id, username FROM users WHERE username = @name COLLATE NOCASE', { name }) ??
    store.all('SELECT id, username FROM users').find((each) => foldUsername(String(each.username)) === folded)
  return row ? { id: row.id as number, username: String(row.username) } : null
}

/** Those whose name could be taken for this one, itself included. */
export function usersLike(store: Store, username: string): readonly UserSummary[] {
  return store
    .all('SELECT id, username FROM users')
    .map((row) => ({ id: row.id as number, username: String(row.username) }))
    .filter((each) => areLookAlike(each.username, username))
}
