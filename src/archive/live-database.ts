import Database, { type Database as Connection } from 'better-sqlite3'
import { fail } from '../kernel/errors.ts'
import { columnsOf } from './tables.ts'

/** The database that a restore replaces, for what of it stays in force. It may be damaged, or older than this program. */
export interface LiveDatabase {
  /** Rows with these columns; none where the table lacks one of them or cannot be read. */
  rows(table: string, columns: readonly string[], where?: string): readonly Readonly<Record<string, unknown>>[]
  close(): void
}

const unreadable = ['SQLITE_CORRUPT', 'SQLITE_NOTADB', 'SQLITE_CANTOPEN', 'SQLITE_IOERR']

/**
 * Opens the live database so that no other connection can be open beside it, and brings its `-wal` into it. Null when it
 * is gone or damaged: a restore is what repairs that, so it must not stand in the way.
 * Throws `archive_busy` while another program has it open.
 */
export function openLiveDatabase(file: string, log: (error: unknown) => void): LiveDatabase | null {
  let db: Connection | undefined
  try {
    db = new Database(file, { fileMustExist: true, timeout: 3000 })
    // In WAL mode this succeeds only when no other process or thread has the file open.
    db.pragma('locking_mode = EXCLUSIVE')
    db.exec('BEGIN IMMEDIATE; COMMIT')
    db.pragma('wal_checkpoint(TRUNCATE)')
    return reading(db, log)
  } catch (error) {
    db?.close()
    const code = error instanceof Error && 'code' in error ? String(error.code) : undefined
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

function reading(db: Connection, log: (error: unknown) => void): LiveDatabase {
  return {
    rows(table, columns, where = '1') {
      try {
        const present = columnsOf(db, table)
        if (!columns.every((name) => present.has(name))) return []
        const sql = `SELECT ${columns.join(', ')} FROM ${table} WHERE ${where}`
        return db.prepare(sql).all() as Readonly<Record<string, unknown>>[]
      } catch (error) {
        // Rows of a damaged database are as good as lost.
        log(error)
        return []
      }
    },
    close: () => db.close(),
  }
}
