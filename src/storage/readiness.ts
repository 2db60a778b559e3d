import { closeSync, fstatSync, openSync, readSync, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import Database from 'better-sqlite3'
import type { Store } from './store.ts'

const header = 'SQLite format 3\0'
const patienceMs = 200

/** The file that a store has open, so that one put in its place can be told from it. */
export interface OpenedFile {
  /** Null when the database can be used, else why not. Takes at most about 200 ms. */
  whyNotReady(): string | null
  /** Call it when no connection to the database is open any more, and not before. */
  close(): void
}

/** With less than this a write may fail at any time: one change takes some pages of the log. */
const leastFreeBytes = 1024 * 1024

/** Whether there is room left on the disk that holds a folder, for this process's account. */
export function hasRoom(folder: string): boolean {
  const { bavail, bsize, blocks } = statfsSync(folder)
  // Some network and virtual file systems count nothing.
  return blocks === 0 || bavail * bsize >= leastFreeBytes
}

/**
 * Watches whether the database can really be used (SPEC 4.7). It is asked on a fresh connection: a cached page answers
 * `SELECT 1` on a locked or garbage file. The write-ahead log hides a damaged first page, so the file's own header is
 * read too, through a descriptor that stays open: closing any descriptor of a file ends all POSIX locks that the process
 * has on it, those of SQLite included, and another program could then remove the log of the live database.
 */
export function openedFile(path: string): OpenedFile {
  const descriptor = openSync(path, 'r')
  const { dev, ino } = fstatSync(descriptor)
  let open = true
  return {
    whyNotReady() {
      try {
        const present = statSync(path)
        if (present.dev !== dev || present.ino !== ino) return 'the database file was replaced'
        if (!hasHeader(descriptor)) return 'the database file is damaged'
        if (!hasRoom(dirname(path))) return 'the disk is full'
        tryOut(path)
        return null
      } catch (error) {
        return reason(error)
      }
    },
    close() {
      if (open) closeSync(descriptor)
      open = false
    },
  }
}

function hasHeader(descriptor: number): boolean {
  const start = Buffer.alloc(header.length)
  return readSync(descriptor, start, 0, header.length, 0) === header.length && start.toString('latin1') === header
}

function tryOut(path: string): void {
  const probe = new Database(path, { fileMustExist: true, timeout: patienceMs })
  try {
    probe.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get()
    // A lock that another process holds for writing lets reads pass in WAL mode; the server would still be of no use.
    probe.exec('BEGIN IMMEDIATE; ROLLBACK')
  } finally {
    probe.close()
  }
}

function reason(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''
  if (code.startsWith('SQLITE_BUSY')) return 'the database is locked by another program'
  if (code === 'SQLITE_CORRUPT' || code === 'SQLITE_NOTADB') return 'the database file is damaged'
  if (code === 'ENOENT' || code === 'SQLITE_CANTOPEN') return 'the database file is not where it was'
  return 'the database cannot be opened'
}

/** SQLite's quick check and the number of rows of each table: for diagnostics, not for every request. */
export function examineDatabase(store: Store): { check: string; schemaVersion: number; rows: Record<string, number> } {
  const tables = store.all(
    `SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' AND name NOT LIKE 'search_text%' ORDER BY name`,
  )
  const countOf = (table: string): number => Number(store.get(`SELECT count(*) AS n FROM "${table}"`)?.n)
  return {
    check: String(store.get('PRAGMA quick_check(1)')?.quick_check),
    schemaVersion: countOf('migrations'),
    rows: Object.fromEntries(tables.map(({ name }) => [String(name), countOf(String(name))])),
  }
}
