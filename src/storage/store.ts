import { existsSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import Database, { type Database as Connection, type Statement } from 'better-sqlite3'
import { fail } from '../kernel/errors.ts'
import type { SqlValue } from './columns.ts'
import { migrate } from './migrations.ts'
import type { Registry } from './registry.ts'
import type { Migration } from './schema.ts'

type Bindings = Readonly<Record<string, SqlValue>>

/** Owns the one writing connection and its statements. It is replaced at a restore: take the request's, keep none. */
export interface Store {
  readonly path: string
  readonly registry: Registry
  readonly connection: Connection
  get(sql: string, bindings?: Bindings): Readonly<Record<string, SqlValue>> | undefined
  all(sql: string, bindings?: Bindings): readonly Readonly<Record<string, SqlValue>>[]
  /** Returns the last row id and how many rows changed. */
  run(sql: string, bindings?: Bindings): { readonly id: number; readonly changes: number }
  /** One transaction that holds the write lock from its first statement. Throws `unavailable` while another program has it. */
  transaction<T>(work: () => T): T
  savepoint<T>(work: () => T): T
  /**
   * What `make` read, kept until the next write. What is read inside a transaction is not kept: that may be rolled back.
   * For the few small rows that every request asks for: who calls, their role, the state of their campaign.
   */
  memo<T>(key: string, make: () => T): T
  /** Checkpoints and closes; no `-wal` is left behind. */
  close(): void
}

export interface StoreOptions {
  readonly path: string
  readonly registry: Registry
  readonly migrations: readonly Migration[]
  readonly now: string
  /** Where a copy is kept before a migration changes an existing database; null keeps none. */
  readonly copyBeforeMigration: string | null
  /** Hears the text of each statement as it is prepared; tests read the plans of all of them. */
  readonly onPrepare?: ((sql: string) => void) | undefined
}

const statementsKept = 800
const memosKept = 5000

/**
 * Opens the database, migrates it and checks that it can be used.
 * An acknowledged write survives a power cut: WAL with synchronous=FULL.
 * Throws `unavailable` for a database that is locked or damaged, and what `migrate` throws.
 */
export function openStore(options: StoreOptions): Store {
  const { path: file, registry, migrations, now, copyBeforeMigration, onPrepare } = options
  const isNew = !existsSync(file)
  mkdirSync(path.dirname(file), { recursive: true })
  const connection = new Database(file)
  try {
    connection.pragma('journal_mode = WAL')
    connection.pragma('synchronous = FULL')
    connection.pragma('foreign_keys = ON')
    connection.pragma('trusted_schema = OFF')
    // Nobody else in this program writes. Waiting for another one holds up everybody, so it does not last.
    connection.pragma('busy_timeout = 500')
    connection.pragma('cache_size = -16000')
    migrate(connection, migrations, now, (from) => {
      if (isNew || from === 0 || copyBeforeMigration === null) return
      mkdirSync(copyBeforeMigration, { recursive: true })
      const copy = path.join(copyBeforeMigration, `before-schema-${from + 1}-${now.replaceAll(/[:.]/g, '-')}.db`)
      connection.prepare('VACUUM INTO ?').run(copy)
    })
  } catch (error) {
    connection.close()
    throw whyUnusable(error, file)
  }
  return storeOn(connection, file, registry, onPrepare)
}

function storeOn(
  connection: Connection,
  file: string,
  registry: Registry,
  onPrepare: StoreOptions['onPrepare'] = () => {},
): Store {
  const statements = new Map<string, Statement>()
  const memos = new Map<string, unknown>()
  const statement = (sql: string): Statement => {
    const known = statements.get(sql) ?? prepare(sql)
    if (!known.readonly) memos.clear()
    return known
  }
  const prepare = (sql: string): Statement => {
    const kept = planKept(sql)
    onPrepare(kept)
    const made = connection.prepare(kept)
    if (statements.size >= statementsKept) statements.delete(statements.keys().next().value as string)
    statements.set(sql, made)
    return made
  }
  return {
    path: file,
    registry,
    connection,
    get: (sql, bindings = {}) => statement(sql).get(bindings) as Readonly<Record<string, SqlValue>> | undefined,
    all: (sql, bindings = {}) => statement(sql).all(bindings) as readonly Readonly<Record<string, SqlValue>>[],
    run(sql, bindings = {}) {
      const { lastInsertRowid, changes } = statement(sql).run(bindings)
      return { id: Number(lastInsertRowid), changes }
    },
    transaction: (work) => refusingBusy(() => connection.transaction(work).immediate()),
    // better-sqlite3 makes a nested transaction a savepoint.
    savepoint: (work) => connection.transaction(work)(),
    memo<T>(key: string, make: () => T): T {
      // What is known was read outside of any transaction, and nothing was written since: that stays true inside of one.
      if (memos.has(key)) return memos.get(key) as T
      if (connection.inTransaction) return make()
      if (memos.size >= memosKept) memos.clear()
      const made = make()
      memos.set(key, made)
      return made
    },
    close() {
      if (!connection.open) return
      statements.clear()
      connection.pragma('wal_checkpoint(TRUNCATE)')
      connection.close()
    },
  }
}

/**
 * SQLite plans a SELECT anew whenever a value is bound that its planner looks at: for small integers it guesses better,
 * and pays with several times what the statement costs. It looks at bare parameters only.
 */
function planKept(sql: string): string {
  if (!/^\s*SELECT\b/i.test(sql)) return sql
  return sql.replaceAll(/'(?:[^']|'')*'|@\w+/g, (part) => (part.startsWith('@') ? `coalesce(${part}, NULL)` : part))
}

function refusingBusy<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!codeOf(error).startsWith('SQLITE_BUSY')) throw error
    throw fail('unavailable', 'Another program keeps the database locked. Try again in a moment.', {
      retryAfterSeconds: 2,
      cause: error,
    })
  }
}

function whyUnusable(cause: unknown, file: string): unknown {
  const code = codeOf(cause)
  if (code.startsWith('SQLITE_BUSY'))
    return fail('unavailable', `The database ${file} is used by another program. Close that one first.`, { cause })
  if (code === 'SQLITE_NOTADB' || code.startsWith('SQLITE_CORRUPT'))
    return fail(
      'unavailable',
      `The database ${file} is damaged. Restore a backup, or put an intact copy in its place.`,
      { cause },
    )
  return cause
}

function codeOf(error: unknown): string {
  return error instanceof Database.SqliteError ? error.code : ''
}
