import { existsSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import { fail } from '../kernel/errors.ts'

const fileName = 'lock.db'

/** That this process owns a data folder. */
export interface FolderLock {
  release(): void
}

/** Whether any process has ever locked this folder. */
export function wasLocked(dataDir: string): boolean {
  return existsSync(path.join(dataDir, fileName))
}

/**
 * Takes the lock of a data folder, or returns null where another process has it. The operating system holds it: an
 * exclusive transaction on an empty SQLite file, which is the one lock that Node can reach on every system. It is free
 * again the moment its process is gone, by `kill -9` too, and not while that process only stands still. Nothing is ever
 * written into the file, so that a full disk is no obstacle. It stays when the lock is given back: removing it would let
 * two processes lock two files of one name.
 * @throws unavailable where the folder cannot be locked at all, with what to do about it.
 */
export function lockFolder(dataDir: string): FolderLock | null {
  const file = path.join(dataDir, fileName)
  let connection: Database.Database | undefined
  try {
    connection = new Database(file, { timeout: 0 })
    // Else a journal is written beside the empty file.
    connection.pragma('journal_mode = MEMORY')
    connection.exec('BEGIN EXCLUSIVE')
  } catch (error) {
    connection?.close()
    // By its code and not its class: where the native module could not be loaded there is no class.
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    // What says by itself what is wrong: a damaged installation (natives.ts). SQLite's own errors have a code or are of a type.
    if (code === '' && !(error instanceof TypeError)) throw error
    if (code.startsWith('SQLITE_BUSY')) return null
    throw fail('unavailable', whyUnlockable(code, dataDir, file), { cause: error })
  }
  const held = connection
  return {
    release() {
      if (held.open) held.close()
    },
  }
}

function whyUnlockable(code: string, dataDir: string, file: string): string {
  if (code === 'SQLITE_NOTADB')
    return `${file} is not the empty file that Talekeeper made. Delete it, then start again.`
  if (code.startsWith('SQLITE_IOERR'))
    return `The folder ${dataDir} cannot be locked (${code}). Set DATA_DIR to a folder on a disk of this machine.`
  return `Talekeeper may not write in ${dataDir}. Give its account the right to write there, or set DATA_DIR to another folder.`
}
