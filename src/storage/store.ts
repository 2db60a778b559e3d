import { mkdirSync, rmSync, statSync } from 'node:fs'
import path from 'node:path'
import Database, { type Database as Connection, type Statement } from 'better-sqlite3'
import { fail, storageFailure } from '../kernel/errors.ts'
import type { SqlValue } from './columns.ts'
import { migrate } from './migrations.ts'
import { openDatabase, whyUnusable } from './open-database.ts'
import { planKept } from './plan-kept.ts'
import type { Registry } from './registry.ts'
import type { Migration } from './schema.ts'

type Bindings = Readonly<Record<string, SqlValue>>

/** Owns the one writing connection and its statements. It is replaced at a restore: take the request's, keep none. */
export interface Store {
  readonly path: string
  readonly registry: Registry
  /** For what no statement of the store does. Whoever takes it ends the view that reads share. */
  readonly connection: Connection
  /** See OpenedDatabase. */
  readonly isShared: boolean
  get(sql: string, bindings?: Bindings): Readonly<Record<string, SqlValue>> | undefined
  all(sql: string, bindings?: Bindings): readonly Readonly<Record<string, SqlValue>>[]
  /** Rows as arrays of their columns, which cost half of what objects do where many are read. */
  arrays(sql: string, bindings?: Bindings): readonly (readonly SqlValue[])[]
  /** The first of them. */
  array(sql: string, bindings?: Bindings): readonly SqlValue[] | undefined
  /** Returns the last row id and how many rows changed. */
  run(sql: string, bindings?: Bindings): { readonly id: number; readonly changes: number }
  /**
   * One transaction that holds the write lock from its first statement. Throws `unavailable` while another program has it,
   * `disk_full`, and `storage_unavailable` where the file is not where it was opened: nobody would find what is written.
   */
  transaction<T>(work: () => T): T
  /** A part of a transaction that can fail by itself. Throws what `transaction` does; where the disk ends it, all of it is undone. */
  savepoint<T>(work: () => T): T
  /**
   * What `make` read, kept until one of the tables is written that it is of. What is read inside a transaction is not kept:
   * that may be rolled back. For the few small rows that every request asks for: who calls, their role, the state of their
   * campaign.
   */
  memo<T>(of: MemoKind, key: string | number, make: () => T): T
  /** Checkpoints and closes; no `-wal` is left behind, where the disk lets it be brought in. */
  close(): void
}

/** One kind of thing that a store keeps until it may have changed. Made once, at the top of a file. */
export interface MemoKind {
  /** The tables that it is read from; null where any write may change it. */
  readonly tables: readonly string[] | null
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
  const statements = new Map<string, Prepared>()
  const ofArrays = new Map<string, Prepared>()
  const shared = sharedView(connection)
  const memos = new Map<MemoKind, Map<string | number, unknown>>()
  let memoCount = 0
  const statement = (sql: string, kept = statements): Statement => {
    const { made, writes } = kept.get(sql) ?? prepare(sql, kept)
    if (writes === null) shared.begin()
    else {
      shared.end()
      forget(writes)
    }
    return made
  }
  const forget = (table: string): void => {
    for (const [{ tables }, known] of memos)
      if (tables === null || table === anyTable || tables.includes(table)) {
        memoCount -= known.size
        known.clear()
      }
  }
  const prepare = (sql: string, kept: Map<string, Prepared>): Prepared => {
    const text = planKept(sql)
    onPrepare(text)
    const made = connection.prepare(text)
    if (kept === ofArrays) made.raw()
    const prepared = { made, writes: made.readonly ? null : tableWritten(sql) }
    if (kept.size >= statementsKept) kept.delete(kept.keys().next().value as string)
    kept.set(sql, prepared)
    return prepared
  }
  // Made once: what makes a transaction of a function costs more than most statements. Nested, it is a savepoint.
  const run = connection.transaction((work: () => unknown) => work())
  return {
    path: file,
    registry,
    get connection() {
      shared.end()
      return connection
    },
    isShared,
    get: (sql, bindings = {}) => statement(sql).get(bindings) as Readonly<Record<string, SqlValue>> | undefined,
    all: (sql, bindings = {}) => statement(sql).all(bindings) as readonly Readonly<Record<string, SqlValue>>[],
    arrays: (sql, bindings = {}) => statement(sql, ofArrays).all(bindings) as readonly (readonly SqlValue[])[],
    array: (sql, bindings = {}) => statement(sql, ofArrays).get(bindings) as readonly SqlValue[] | undefined,
    run(sql, bindings = {}) {
      const { lastInsertRowid, changes } = statement(sql).run(bindings)
      return { id: Number(lastInsertRowid), changes }
    },
    transaction<T>(work: () => T): T {
      shared.end()
      return explained(() => run.immediate(inPlace(work)) as T)
    },
    savepoint<T>(work: () => T): T {
      shared.end()
      return explained(() => run(work) as T)
    },
    memo<T>(of: MemoKind, key: string | number, make: () => T): T {
      let kind = memos.get(of)
      // What is known was read outside of any transaction, and nothing was written since: that stays true inside of one.
      const known = kind?.get(key)
      if (known !== undefined || kind?.has(key)) return known as T
      if (connection.inTransaction && !shared.isOpen()) return make()
      const made = make()
      if (memoCount >= memosKept) forget(anyTable)
      if (kind === undefined) {
        kind = new Map()
        memos.set(of, kind)
      }
      kind.set(key, made)
      memoCount += 1
      return made
    },
    close() {
      if (!connection.open) return
      shared.end()
      statements.clear()
      ofArrays.clear()
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

interface SharedView {
  /** Unless a transaction is open. */
  begin(): void
  /** Ahead of everything that writes. */
  end(): void
  isOpen(): boolean
}

/**
 * What is read in one turn of the event loop is read in one transaction: alone, each statement takes a lock of the file and
 * gives it back, in two calls of the system that cost as much as reading a row. Another program's write is seen in the next
 * turn, our own at once, since it ends the view.
 */
function sharedView(connection: Connection): SharedView {
  const [start, stop] = [connection.prepare('BEGIN'), connection.prepare('COMMIT')]
  let isOpen = false
  const end = (): void => {
    if (!isOpen) return
    isOpen = false
    if (connection.open && connection.inTransaction) stop.run()
  }
  return {
    begin() {
      if (isOpen || connection.inTransaction) return
      start.run()
      isOpen = true
      setImmediate(end)
    },
    end,
    isOpen: () => isOpen,
  }
}

interface Prepared {
  readonly made: Statement
  /** The table that it writes, or `anyTable`; null where it writes none. */
  readonly writes: string | null
}

/** A DELETE takes along what refers to its rows, and what is no plain INSERT or UPDATE may do anything. */
const anyTable = '*'

function tableWritten(sql: string): string {
  return /^\s*(?:INSERT(?: OR IGNORE)? INTO|UPDATE) (\w+)\b/.exec(sql)?.[1] ?? anyTable
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
