import { statSync } from 'node:fs'
import Database, { type Database as Connection } from 'better-sqlite3'
import { Failure, fail } from '../kernel/errors.ts'

/** `PRAGMA application_id` of our databases, by which one of another program is told from them: "TKPR". */
export const applicationId = 0x544b5052

/**
 * The database cannot be used as it is, and another start will not change that: it has to be put in order by hand.
 * Whoever shows this adds what can be put in its place.
 */
export class UnusableDatabase extends Failure {
  constructor(message: string, cause?: unknown) {
    super('storage_unavailable', message, { cause })
    this.name = 'UnusableDatabase'
  }
}

export interface OpenedDatabase {
  readonly connection: Connection
  /**
   * False where there is no room for the file that connections share (`-shm`): this connection then keeps all others out,
   * reads, and writes as far as the disk lets it.
   */
  readonly isShared: boolean
}

/**
 * Opens the connection that writes. An acknowledged write survives a power cut: WAL with synchronous=FULL. A file that
 * is not ours is refused before anything is changed in it; one that is missing or empty unless `mayCreate`.
 * @throws UnusableDatabase; `unavailable` while another program has it; `disk_full` and `storage_unavailable`.
 */
export function openDatabase(file: string, { mayCreate }: { readonly mayCreate: boolean }): OpenedDatabase {
  const facts = statSync(file, { throwIfNoEntry: false })
  if (facts === undefined && !mayCreate) throw new UnusableDatabase(`The database ${file} is missing.`)
  if (facts?.isFile() === false) throw new UnusableDatabase(`The database ${file} is no file.`)
  if (facts?.size === 0 && !mayCreate) throw new UnusableDatabase(`The database ${file} is empty.`)
  try {
    return { connection: connect(file, mayCreate, 'shared'), isShared: true }
  } catch (error) {
    if (!isWithoutRoom(error)) throw whyUnusable(error, file)
  }
  try {
    return { connection: connect(file, mayCreate, 'alone'), isShared: false }
  } catch (error) {
    throw whyUnusable(error, file)
  }
}

function connect(file: string, mayCreate: boolean, mode: 'shared' | 'alone'): Connection {
  const connection = new Database(file)
  try {
    // Before the first look at a database in WAL mode: then it keeps the index of the log in its own memory.
    if (mode === 'alone') connection.pragma('locking_mode = EXCLUSIVE')
    refuseForeign(connection, file, mayCreate)
    connection.pragma('journal_mode = WAL')
    connection.pragma('synchronous = FULL')
    connection.pragma('foreign_keys = ON')
    connection.pragma('trusted_schema = OFF')
    // Nobody else in this program writes. Waiting for another one holds up everybody, so it does not last.
    connection.pragma('busy_timeout = 500')
    connection.pragma('cache_size = -16000')
    // Every change set is a savepoint. What it would put back is kept in memory: past sixteen pages, which nearly each has,
    // SQLite would make a file for it, write it and delete it, at a tenth of what a change costs.
    connection.pragma('temp_store = MEMORY')
    return connection
  } catch (error) {
    connection.close()
    throw error
  }
}

function refuseForeign(connection: Connection, file: string, mayCreate: boolean): void {
  const id = connection.pragma('application_id', { simple: true })
  const tables = connection.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).pluck().all()
  // Until the first migration is in, there is nothing: it comes in one transaction.
  const isBlank = tables.length === 0 && id === 0
  if (isBlank && mayCreate) return
  if (isBlank) throw new UnusableDatabase(`The database ${file} is empty.`)
  if ((id !== 0 && id !== applicationId) || !hasLedger(connection))
    throw new UnusableDatabase(`${file} is the database of another program.`)
}

/** Whether there is a table of applied migrations as ours is: many programs have one of that name. */
export function hasLedger(connection: Connection): boolean {
  const columns = connection.prepare(`SELECT name FROM pragma_table_info('migrations')`).pluck().all()
  return ['number', 'name', 'checksum', 'applied_at'].every((name) => columns.includes(name))
}

function isWithoutRoom(error: unknown): boolean {
  return ['SQLITE_FULL', 'SQLITE_IOERR_SHMSIZE', 'SQLITE_IOERR_SHMOPEN'].includes(codeOf(error))
}

/** What to say of an error that kept a database from being opened or migrated; the error itself where there is nothing to say. */
export function whyUnusable(cause: unknown, file: string): unknown {
  const code = codeOf(cause)
  if (code.startsWith('SQLITE_BUSY'))
    return fail('unavailable', `The database ${file} is used by another program. Close that one first.`, { cause })
  if (code === 'SQLITE_NOTADB' || code.startsWith('SQLITE_CORRUPT'))
    return new UnusableDatabase(`The database ${file} is damaged.`, cause)
  if (isWithoutRoom(cause))
    return fail('disk_full', `The disk with ${file} is full. Make room on it, then start again.`, { cause })
  if (code.startsWith('SQLITE_CANTOPEN') || code.startsWith('SQLITE_READONLY'))
    return fail(
      'storage_unavailable',
      `Talekeeper may not read and write ${file}, or not its folder. Give its account the right to do so, then start again.`,
      { cause },
    )
  if (code.startsWith('SQLITE_IOERR'))
    return fail('storage_unavailable', `The disk with ${file} cannot be read or written (${code}). Check the disk.`, {
      cause,
    })
  return cause
}

function codeOf(error: unknown): string {
  // By its code and not its class: where the native module could not be loaded there is no class.
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}
