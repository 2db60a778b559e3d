import { mkdirSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import Database, { type Database as Connection, type Statement } from 'better-sqlite3'
import { fail, storageFailure } from '../kernel/errors.ts'
import type { SqlValue } from './columns.ts'
import { migrate } from './migrations.ts'
import { openDatabase, whyUnusable } from './open-database.ts'
import type { Registry } from './registry.ts'
import type { Migration } from './schema.ts'

type Bindings = Readonly<Record<string, SqlValue>>

/** Owns the one writing connection and its statements. It is replaced at a restore: take the request's, keep none. */
export interface Store {
  readonly path: string
  readonly registry: Registry
  readonly connection: Connection
  /** See OpenedDatabase. */
  readonly isShared: boolean
  get(sql: string, bindings?: Bindings): Readonly<Record<string, SqlValue>> | undefined
  all(sql: string, bindings?: Bindings): readonly Readonly<Record<string, SqlValue>>[]
  /** Returns the last row id and how many rows changed. */
  run(sql: string, bindings?: Bindings): { readonly id: number; readonly changes: number }
  /**
   * One transaction that holds the write lock from its first statement. Throws `unavailable` while another program has it,
   * `disk_full`, and `storage_unavailable` where the file is not where it was opened: nobody would find what is written.
   */
  transaction<T>(work: () => T): T
  savepoint<T>(work: () => T): T
  /**
   * What `make` read, kept until the next write. What is read inside a transaction is not kept: that may be rolled back.
   * For the few small rows that every request asks for: who calls, their role, the state of their campaign.
   */
  memo<T>(key: string, make: () => T): T
  /** Checkpoints and closes; no `-wal` is left behind, where the disk lets it be brought in. */
  close(): void
}

export interface StoreOptions {
  readonly path: string
  readonly registry: Registry
  readonly migrations: readonly Migration[]
  readonly now: string
  /** Whether a database that is missing or empty is begun; true when absent. */
  readonly mayCreate?: boolean
  /** Where a copy is kept before a migration changes an existing database; null keeps none. */
  readonly copyBeforeMigration: string | null
  /** Hears the text of each statement as it is prepared; tests read the plans of all of them. */
  readonly onPrepare?: ((sql: string) => void) | undefined
}

const statementsKept = 800
const memosKept = 5000

/**
 * Opens the database and migrates it. Throws what `openDatabase` and `migrate` throw.
 */
export function openStore(options: StoreOptions): Store {
  const { path: file, registry, migrations, now, mayCreate = true, copyBeforeMigration, onPrepare } = options
  const { connection, isShared } = openDatabase(file, { mayCreate })
  try {
    migrate(connection, migrations, now, (from) => {
      if (from === 0 || copyBeforeMigration === null) return
      mkdirSync(copyBeforeMigration, { recursive: true, mode: 0o700 })
      const copy = path.join(copyBeforeMigration, `before-schema-${from + 1}-${now.replaceAll(/[:.]/g, '-')}.db`)
      try {
        connection.prepare('VACUUM INTO ?').run(copy)
      } catch (error) {
        rmSync(copy, { force: true })
        throw error
      }
    })
  } catch (error) {
    connection.close()
    throw whyUnusable(error, file)
  }
  return storeOn(connection, isShared, file, registry, onPrepare)
}

/**
 * The same database as it is now, whatever is written meanwhile: one read transaction on a connection of its own, until it is
 * closed. Where there is no room for a second connection, and inside of a transaction, it is the store itself.
 */
export function openSnapshot(store: Store): Store {
  if (!store.isShared || store.connection.inTransaction) return { ...store, close: () => {} }
  const connection = new Database(store.path, { readonly: true, fileMustExist: true })
  try {
    connection.pragma('trusted_schema = OFF')
    connection.exec('BEGIN')
    const snapshot = storeOn(connection, true, store.path, store.registry)
    snapshot.get('SELECT 1 AS held FROM migrations LIMIT 1')
    return { ...snapshot, close: () => connection.close() }
  } catch (error) {
    connection.close()
    throw error
  }
}

function storeOn(
  connection: Connection,
  isShared: boolean,
  file: string,
  registry: Registry,
  onPrepare: StoreOptions['onPrepare'] = () => {},
): Store {
  const { dev, ino } = statSync(file)
  /** Looks last whether the file is still where it was opened: before the commit, and hardly before. */
  const inPlace =
    <T>(work: () => T): (() => T) =>
    () => {
      const result = work()
      const present = statSync(file, { throwIfNoEntry: false })
      if (present?.ino !== ino || present.dev !== dev) throw fail('storage_unavailable')
      return result
    }
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
    isShared,
    get: (sql, bindings = {}) => statement(sql).get(bindings) as Readonly<Record<string, SqlValue>> | undefined,
    all: (sql, bindings = {}) => statement(sql).all(bindings) as readonly Readonly<Record<string, SqlValue>>[],
    run(sql, bindings = {}) {
      const { lastInsertRowid, changes } = statement(sql).run(bindings)
      return { id: Number(lastInsertRowid), changes }
    },
    transaction: (work) => explained(() => connection.transaction(inPlace(work)).immediate()),
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
      try {
        connection.pragma('wal_checkpoint(TRUNCATE)')
      } catch {
        // On a full disk the log stays beside the database; whoever opens it next brings it in.
      } finally {
        connection.close()
      }
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

function explained<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof Database.SqliteError)) throw error
    if (!error.code.startsWith('SQLITE_BUSY')) throw storageFailure(error) ?? error
    throw fail('unavailable', 'Another program keeps the database locked. Try again in a moment.', {
      retryAfterSeconds: 2,
      cause: error,
    })
  }
}
