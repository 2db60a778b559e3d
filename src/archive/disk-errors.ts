import { type ErrorCode, fail } from '../kernel/errors.ts'
import { fileErrorCode } from '../storage/files.ts'
import type { ArchiveLog } from './ports.ts'

type Explanation = readonly [ErrorCode, string]

const full: Explanation = ['disk_full', 'The disk is full. Nothing was changed. Make room, then try again.']
const forbidden: Explanation = [
  'invalid_state',
  'Talekeeper may not use a file or folder that it needs. Nothing was changed. Give its account the right to read and write there.',
]
const apart: Explanation = [
  'invalid_state',
  'A file cannot be moved to another file system. Nothing was changed. Bring the folder it is in onto one file system.',
]
const broken: Explanation = [
  'internal_error',
  'The disk did not do what it was asked for. Nothing was changed. Check the disk, and keep a backup on another one.',
]

const elsewhere: Explanation = [
  'invalid_state',
  'A file or folder that is needed is not there, or is something else. Nothing was changed. Check the path.',
]

const damaged: Explanation = [
  'storage_unavailable',
  'The database is damaged, so no backup of it can be made. Nothing was changed. Restore a good backup.',
]

/** What somebody can do about an error of the system, or of SQLite on its files, by its code. */
const explanations: ReadonlyMap<string | undefined, Explanation> = new Map([
  ['ENOSPC', full],
  ['EDQUOT', full],
  ['SQLITE_FULL', full],
  ['EACCES', forbidden],
  ['EPERM', forbidden],
  ['EROFS', forbidden],
  ['EXDEV', apart],
  ['EIO', broken],
  ['SQLITE_CORRUPT', damaged],
  ['SQLITE_NOTADB', damaged],
  ['ENOENT', elsewhere],
  ['ENOTDIR', elsewhere],
  ['EISDIR', elsewhere],
  ['EEXIST', elsewhere],
  ['ELOOP', elsewhere],
  ['ENAMETOOLONG', elsewhere],
])

/**
 * Turns errors of the file system into failures that say what to do and name the file, and logs the errors themselves.
 * `work` has to clean up after itself: the sentences say that nothing was changed.
 */
export async function explainDiskErrors<T>(work: Promise<T>, log: ArchiveLog): Promise<T> {
  try {
    return await work
  } catch (cause) {
    const explanation = explanations.get(fileErrorCode(cause))
    if (explanation === undefined || !(cause instanceof Error)) throw cause
    log.warn({ err: cause }, 'Archive work ended at a file that could not be used.')
    const [code, sentence] = explanation
    throw fail(code, `${sentence} The system says: ${cause.message.slice(0, 300)}`, { cause })
  }
}
