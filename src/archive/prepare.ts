import Database, { type Database as Connection } from 'better-sqlite3'
import { fail } from '../kernel/errors.ts'
import { columnsOf, hasTable, openCopy } from './database.ts'

/** How many sign-ins of each kind were dropped, and how many revocations were carried over. By table. */
export type RowCounts = Readonly<Record<string, number>>

/**
 * Tables whose rows would bring access back that ended since the backup: rotated refresh tokens, spent codes, sessions
 * that were signed out. All of them go; clients sign in again, and their registrations stay.
 */
export const signInTables = ['oauth_tokens', 'oauth_codes', 'oauth_grants', 'oauth_requests', 'sessions'] as const

interface Revocation {
  readonly table: string
  readonly column: string
  /**
   * Columns that make a row the same one in both databases. An id alone may mean something else there; a secret's hash
   * (`hash`, `code_hash`) means the same everywhere.
   */
  readonly match: readonly string[] | 'hash'
}

/** What was taken away since the backup stays taken away. */
export const revocations: readonly Revocation[] = [
  { table: 'personal_tokens', column: 'revoked_at', match: 'hash' },
  { table: 'users', column: 'disabled_at', match: ['id', 'username'] },
  { table: 'invites', column: 'revoked_at', match: 'hash' },
  { table: 'session_shares', column: 'revoked_at', match: 'hash' },
]

/** Empties the tables of sign-ins in the staged database. */
export function dropSignIns(db: Connection): RowCounts {
  const counts: Record<string, number> = {}
  db.transaction(() => {
    for (const table of signInTables) {
      if (hasTable(db, table)) counts[table] = db.prepare(`DELETE FROM ${table}`).run().changes
    }
  })()
  return counts
}

/**
 * Copies revocations from the live database, which must be closed, to the staged one. Null when the live one is gone or
 * damaged: a restore is what repairs that, so it must not stand in the way.
 * Throws `archive_busy` while another program has the live database open.
 */
export function carryRevocations(live: string, staged: string, log: (error: unknown) => void): RowCounts | null {
  const source = openExclusively(live, log)
  if (source === null) return null
  try {
    const target = openCopy(staged)
    try {
      return target.transaction(() => copyRevocations(source, target, log))()
    } finally {
      target.close()
    }
  } finally {
    source.close()
  }
}

function copyRevocations(source: Connection, target: Connection, log: (error: unknown) => void): RowCounts {
  const counts: Record<string, number> = {}
  for (const { table, column, match } of revocations) {
    const keys = match === 'hash' ? hashColumns(target, table) : match
    const needed = [column, ...keys]
    if (keys.length === 0 || !hasColumns(target, table, needed)) continue
    const select = `SELECT ${needed.join(', ')} FROM ${table} WHERE ${column} IS NOT NULL`
    // The live database may be damaged, or older than this program.
    const rows = readable(() => (hasColumns(source, table, needed) ? source.prepare(select).all() : []), log)
    const condition = keys.map((name) => `${name} = @${name}`).join(' AND ')
    const update = target.prepare(`UPDATE ${table} SET ${column} = @${column} WHERE ${column} IS NULL AND ${condition}`)
    counts[table] = rows.reduce((sum, row) => sum + update.run(row).changes, 0)
  }
  return counts
}

function hashColumns(db: Connection, table: string): readonly string[] {
  return [...columnsOf(db, table)].filter((name) => name === 'hash' || name.endsWith('_hash'))
}

function hasColumns(db: Connection, table: string, names: readonly string[]): boolean {
  const columns = columnsOf(db, table)
  return names.every((name) => columns.has(name))
}

/** Rows of a damaged live database are as good as lost. */
function readable(read: () => readonly unknown[], log: (error: unknown) => void): readonly Record<string, unknown>[] {
  try {
    return read() as readonly Record<string, unknown>[]
  } catch (error) {
    log(error)
    return []
  }
}

const unreadable = ['SQLITE_CORRUPT', 'SQLITE_NOTADB', 'SQLITE_CANTOPEN', 'SQLITE_IOERR']

/**
 * Opens the live database so that no other connection can be open beside it, and brings its `-wal` into it. Null when
 * there is none or it cannot be read.
 */
function openExclusively(file: string, log: (error: unknown) => void): Connection | null {
  let db: Connection | undefined
  try {
    db = new Database(file, { fileMustExist: true, timeout: 3000 })
    // In WAL mode this succeeds only when no other process or thread has the file open.
    db.pragma('locking_mode = EXCLUSIVE')
    db.exec('BEGIN IMMEDIATE; COMMIT')
    db.pragma('wal_checkpoint(TRUNCATE)')
    return db
  } catch (error) {
    db?.close()
    const code = error instanceof Database.SqliteError ? error.code : undefined
    if (code?.startsWith('SQLITE_BUSY') || code?.startsWith('SQLITE_LOCKED')) {
      throw fail('archive_busy', 'Another program has the database open. Close it, then try again.', {
        cause: error,
        retryAfterSeconds: 15,
      })
    }
    // better-sqlite3 says TypeError for a folder that does not exist.
    const gone = error instanceof TypeError || unreadable.some((known) => code?.startsWith(known))
    if (!gone) throw error
    log(error)
    return null
  }
}
