import * as z from 'zod'
import type { SqlValue } from '../storage/columns.ts'
import type { Store } from '../storage/store.ts'
import { userNamed } from '../storage/user-names.ts'

// What signing in needs of users before anybody is known; everything else reads and writes them as any other rows.

/** A user with what signing in needs; it never leaves this folder. */
export interface Account {
  readonly id: number
  /** Random and never changed, through renaming and restores. */
  readonly key: string
  readonly username: string
  readonly passwordHash: string
  readonly admin: boolean
  readonly disabled: boolean
}

/** A name to be looked up. */
export const givenUsername = () => z.string().trim().min(1).max(100)

export function findAccount(store: Store, id: number): Account | null {
  const row = store.get('SELECT id, key, username, password_hash, admin, disabled_at FROM users WHERE id = @id', { id })
  return row ? accountOf(row) : null
}

export function findAccountByName(store: Store, username: string): Account | null {
  const known = userNamed(store, username)
  return known && findAccount(store, known.id)
}

export function hasUsers(store: Store): boolean {
  return store.get('SELECT 1 AS known FROM users LIMIT 1') !== undefined
}

function accountOf(row: Readonly<Record<string, SqlValue>>): Account {
  return {
    id: Number(row.id),
    key: String(row.key),
    username: String(row.username),
    passwordHash: String(row.password_hash),
    admin: row.admin === 1,
    disabled: row.disabled_at !== null,
  }
}
