import { closeSync, openSync, readSync, statSync } from 'node:fs'
import Database from 'better-sqlite3'

const header = 'SQLite format 3\0'
const patienceMs = 200

export interface OpenedFile {
  readonly path: string
  readonly device: number
  readonly inode: number
}

/** Names the file that a store opened, so that one put in its place can be told from it. */
export function openedFile(path: string): OpenedFile {
  const { dev, ino } = statSync(path)
  return { path, device: dev, inode: ino }
}

/**
 * Whether the database can really be used (SPEC 4.7). Asked on a fresh connection: a cached page answers `SELECT 1` on a
 * locked or garbage file, and the write-ahead log hides a damaged first page, so the file's own header is read too.
 * Returns null when it can, else why not. Takes at most about 200 ms.
 */
export function whyNotReady(opened: OpenedFile): string | null {
  try {
    const { dev, ino } = statSync(opened.path)
    if (dev !== opened.device || ino !== opened.inode) return 'the database file was replaced'
    if (!hasHeader(opened.path)) return 'the database file is damaged'
    const probe = new Database(opened.path, { fileMustExist: true, timeout: patienceMs })
    try {
      probe.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get()
      // A lock that another process holds for writing lets reads pass in WAL mode; the server would still be of no use.
      probe.exec('BEGIN IMMEDIATE; ROLLBACK')
      return null
    } finally {
      probe.close()
    }
  } catch (error) {
    return reason(error)
  }
}

function hasHeader(path: string): boolean {
  const file = openSync(path, 'r')
  try {
    const start = Buffer.alloc(header.length)
    return readSync(file, start, 0, header.length, 0) === header.length && start.toString('latin1') === header
  } finally {
    closeSync(file)
  }
}

function reason(error: unknown): string {
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''
  if (code.startsWith('SQLITE_BUSY')) return 'the database is locked by another program'
  if (code === 'SQLITE_CORRUPT' || code === 'SQLITE_NOTADB') return 'the database file is damaged'
  if (code === 'ENOENT' || code === 'SQLITE_CANTOPEN') return 'the database file is not where it was'
  return 'the database cannot be opened'
}
