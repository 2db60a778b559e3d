import * as z from 'zod'
import { fail, invalid } from '../kernel/errors.ts'
import { limits } from '../kernel/limits.ts'
import { decodeCursor, encodeCursor, type Page, type PageRequest } from '../kernel/paging.ts'
import type { SqlValue } from '../storage/columns.ts'
import type { Store } from '../storage/store.ts'

export interface User {
  readonly id: number
  readonly username: string
  readonly admin: boolean
  readonly disabled: boolean
  readonly createdAt: string
}

/** A user with what signing in needs; it never leaves this folder. */
export interface Account extends User {
  readonly passwordHash: string
}

// Letters of any script with their marks, digits, and between them . _ - and single spaces.
const usernamePattern = /^[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}._-]| (?! ))*$/u

/** A name that somebody chooses. Trimmed, in composed form. */
export const chosenUsername = () =>
  z
    .string()
    .trim()
    .normalize('NFC')
    .min(2, 'at least 2 characters')
    .max(40, 'at most 40 characters')
    .regex(
      usernamePattern,
      'letters, digits, dot, underscore, hyphen and single spaces, beginning with a letter or digit',
    )

/** A name to be looked up. */
export const givenUsername = () => z.string().trim().min(1).max(100)

/** Two names that fold to the same text are the same name. */
export function foldUsername(username: string): string {
  return username.trim().normalize('NFKC').toLowerCase()
}

/** What stands for the hash of a user whose registration has not ended. No password matches it. */
const unfinished = '!'

const columns = 'id, username, password_hash, admin, disabled_at, created_at'

export function findAccount(store: Store, id: number): Account | null {
  const row = store.get(`SELECT ${columns} FROM users WHERE id = @id`, { id })
  return row ? accountOf(row) : null
}

export function findAccountByName(store: Store, username: string): Account | null {
  const name = username.trim().normalize('NFC')
  const row = store.get(`SELECT ${columns} FROM users WHERE username = @name`, { name })
  if (row) return accountOf(row)
  // SQLite's NOCASE knows ASCII only. The users of one server are few enough to compare each.
  const folded = foldUsername(name)
  const same = store
    .all('SELECT id, username FROM users')
    .find((each) => foldUsername(String(each.username)) === folded)
  return same ? findAccount(store, Number(same.id)) : null
}

/** Throws `not_found`. */
export function getUser(store: Store, id: number): User {
  const account = findAccount(store, id)
  if (account === null) throw fail('not_found', 'There is no such user. GET /api/v1/users finds ids.')
  return userOf(account)
}

export function hasUsers(store: Store): boolean {
  return store.get('SELECT 1 AS known FROM users LIMIT 1') !== undefined
}

/** All users by id. */
export function listUsers(store: Store, { limit, cursor }: PageRequest): Page<User> {
  const size = limit ?? limits.page.standard
  const after = cursor === undefined ? 0 : Number(decodeCursor(cursor, ['integer'])[0])
  const rows = store.all(`SELECT ${columns} FROM users WHERE id > @after ORDER BY id LIMIT @size`, {
    after,
    size: size + 1,
  })
  const items = rows.slice(0, size).map((row) => userOf(accountOf(row)))
  const last = items.at(-1)
  return { items, nextCursor: rows.length > size && last ? encodeCursor([last.id]) : null }
}

export interface NewUser {
  readonly username: string
  readonly passwordHash: string
  readonly admin: boolean
}

/** Throws `validation_failed` where the name is taken. */
export function insertUser(store: Store, { username, passwordHash, admin }: NewUser, now: string): User {
  refuseTaken(store, username, null)
  const { id } = store.run(
    `INSERT INTO users (username, password_hash, admin, created_at, updated_at) VALUES (@username, @passwordHash, @admin, @now, @now)`,
    { username, passwordHash, admin: admin ? 1 : 0, now },
  )
  return getUser(store, id)
}

/**
 * Keeps a name for somebody who is about to accept an invite. Until `finishUser` the user is disabled and has no
 * password; what a crash leaves behind is removed by `removeUnfinishedUsers`.
 */
export function insertUnfinishedUser(store: Store, username: string, now: string): User {
  const user = insertUser(store, { username, passwordHash: unfinished, admin: false }, now)
  store.run('UPDATE users SET disabled_at = @now WHERE id = @id', { now, id: user.id })
  return user
}

/** Throws `invalid_state` where the user has gone meanwhile. */
export function finishUser(store: Store, id: number, passwordHash: string, now: string): User {
  const { changes } = store.run(
    `UPDATE users SET password_hash = @passwordHash, disabled_at = NULL, updated_at = @now WHERE id = @id AND password_hash = '${unfinished}'`,
    { id, passwordHash, now },
  )
  if (changes !== 1) throw fail('invalid_state', 'The registration was interrupted. Open the invite again.')
  return getUser(store, id)
}

/** Takes an unfinished user away again, unless they have become a member of something. */
export function removeUnfinishedUser(store: Store, id: number): void {
  store.run(`${removeUnfinished} AND id = @id`, { id })
}

/** Those whom a crash left behind. A registration that is under way takes moments, not minutes. */
export function removeUnfinishedUsers(store: Store, now: string): void {
  const before = new Date(Date.parse(now) - 10 * 60_000).toISOString()
  store.run(`${removeUnfinished} AND created_at <= @before`, { before })
}

const removeUnfinished = `DELETE FROM users WHERE password_hash = '${unfinished}' AND id NOT IN (SELECT user_id FROM memberships)`

/** Throws `validation_failed` where the name is taken. */
export function renameUser(store: Store, id: number, username: string, now: string): void {
  refuseTaken(store, username, id)
  store.run('UPDATE users SET username = @username, updated_at = @now WHERE id = @id', { id, username, now })
}

export function setPasswordHash(store: Store, id: number, passwordHash: string, now: string): void {
  store.run('UPDATE users SET password_hash = @passwordHash, updated_at = @now WHERE id = @id', {
    id,
    passwordHash,
    now,
  })
}

/** Throws `last_admin`. */
export function setDisabled(store: Store, id: number, disabled: boolean, now: string): void {
  if (disabled) refuseLastAdmin(store, id)
  store.run('UPDATE users SET disabled_at = @disabledAt, updated_at = @now WHERE id = @id', {
    id,
    disabledAt: disabled ? now : null,
    now,
  })
}

/** Throws `last_admin`. */
export function setAdmin(store: Store, id: number, admin: boolean, now: string): void {
  if (!admin) refuseLastAdmin(store, id)
  store.run('UPDATE users SET admin = @admin, updated_at = @now WHERE id = @id', { id, admin: admin ? 1 : 0, now })
}

function refuseLastAdmin(store: Store, id: number): void {
  const admins = store.all('SELECT id FROM users WHERE admin = 1 AND disabled_at IS NULL LIMIT 2')
  if (admins.length === 1 && admins[0]?.id === id) throw fail('last_admin')
}

/** Throws `validation_failed` where somebody other than `except` has the name. */
export function refuseTaken(store: Store, username: string, except: number | null): void {
  const holder = findAccountByName(store, username)
  if (holder === null || holder.id === except) return
  throw invalid('username', 'already taken', 'Somebody on this server has that name already. Choose another one.')
}

function accountOf(row: Readonly<Record<string, SqlValue>>): Account {
  return {
    id: Number(row.id),
    username: String(row.username),
    passwordHash: String(row.password_hash),
    admin: row.admin === 1,
    disabled: row.disabled_at !== null,
    createdAt: String(row.created_at),
  }
}

export function userOf({ id, username, admin, disabled, createdAt }: Account): User {
  return { id, username, admin, disabled, createdAt }
}
