import type { Database as Connection } from 'better-sqlite3'
import { administrators } from './rights.ts'
import { hasTable } from './tables.ts'

/** A personal token in an archive that would work after a restore, unless it was revoked here since. */
export interface LiveToken {
  readonly username: string
  readonly name: string
  readonly scope: string
  /** Whether it carries the right to administer the server. */
  readonly admin: boolean
}

/** What whoever restores an archive should know of who gets in by it, and of what cannot be. */
export interface Review {
  readonly administrators: readonly string[]
  /** At most 200; `tokenCount` counts them all. */
  readonly tokens: readonly LiveToken[]
  readonly tokenCount: number
  readonly warnings: readonly string[]
}

const mostTokens = 200

/** What no server of ours writes, though the schema allows it: counted by SQL, told with the sentence. */
const impossible: readonly { readonly table: string; readonly where: string; readonly tells: string }[] = [
  {
    table: 'users',
    where: `disabled_at IS NULL AND password_hash NOT LIKE '$argon2id$v=19$m=%'`,
    tells: 'accounts have no password that could be right',
  },
  {
    table: 'users',
    where: `username = '' OR username <> trim(username) OR length(username) > 40`,
    tells: 'accounts have a name that nobody can choose',
  },
  {
    table: 'personal_tokens',
    where: `admin = 1 AND (scope <> 'dm' OR campaign_id IS NOT NULL OR write_mode <> 'direct')`,
    tells: 'limited tokens carry the right to administer the server',
  },
  {
    table: 'personal_tokens',
    where: `admin = 1 AND revoked_at IS NULL AND (SELECT u.admin FROM users u WHERE u.id = user_id) = 0`,
    tells: 'tokens carry the right to administer the server for accounts that do not have it',
  },
  {
    table: 'memberships',
    where: `role NOT IN ('viewer', 'player', 'dm')`,
    tells: 'members have a role that does not exist',
  },
  {
    table: 'campaigns',
    where: `deleted_at IS NULL AND NOT EXISTS (SELECT 1 FROM memberships m JOIN users u ON u.id = m.user_id
      WHERE m.campaign_id = campaigns.id AND m.role = 'dm' AND m.deleted_at IS NULL AND u.disabled_at IS NULL)`,
    tells: 'campaigns have no Dungeon Master who can sign in',
  },
]

/** Tables that say when a row was made, for clocks that were wrong. */
const dated = ['users', 'campaigns', 'change_sets']

const looksAt = ['users', 'personal_tokens', 'memberships', 'campaigns', 'change_sets']

/** Looks through a database of our schema. `createdAt` is when the archive says that it was made. */
export function reviewDatabase(db: Connection, createdAt: string): Review {
  if (!looksAt.every((table) => hasTable(db, table)))
    return { administrators: [], tokens: [], tokenCount: 0, warnings: [] }
  const admins = administrators(db)
  const tokens = liveTokens(db, createdAt)
  const warnings = [
    ...(admins.length > 0 || countOf(db, 'users', '1') === 0
      ? []
      : ['Nobody in this backup can administer the server: a restore gives that right to whoever restores it.']),
    ...impossible.flatMap(({ table, where, tells }) => {
      const count = countOf(db, table, where)
      return count === 0 ? [] : [`Rows that should not be: ${count} ${tells}.`]
    }),
    ...dated.flatMap((table) => {
      const column = table === 'change_sets' ? 'at' : 'created_at'
      const count = countOf(db, table, `${column} > '${dayAfter(createdAt)}'`)
      return count === 0 ? [] : [`Rows that should not be: ${count} of ${table} are from after the backup.`]
    }),
  ]
  return { administrators: admins, tokens: tokens.slice(0, mostTokens), tokenCount: tokens.length, warnings }
}

function liveTokens(db: Connection, at: string): readonly LiveToken[] {
  const rows = db
    .prepare(
      `SELECT u.username, t.name, t.scope, t.admin FROM personal_tokens t JOIN users u ON u.id = t.user_id
       WHERE t.revoked_at IS NULL AND u.disabled_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > ?) ORDER BY t.admin DESC, t.id`,
    )
    .all(at) as readonly (Omit<LiveToken, 'admin'> & { readonly admin: number })[]
  return rows.map((row) => ({ ...row, admin: row.admin === 1 }))
}

function countOf(db: Connection, table: string, where: string): number {
  return db.prepare(`SELECT count(*) FROM ${table} WHERE ${where}`).pluck().get() as number
}

function dayAfter(instant: string): string {
  return new Date(Date.parse(instant) + 24 * 3600 * 1000).toISOString()
}
