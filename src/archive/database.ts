import Database, { type Database as Connection } from 'better-sqlite3'
import { Failure, fail } from '../kernel/errors.ts'
import { appliedMigrations, migrate, pendingMigrations } from '../storage/migrations.ts'
import type { Migration } from '../storage/schema.ts'
import { hashOfFileKey, uploadPrefix } from './format.ts'
import type { Manifest } from './manifest.ts'
import { type Review, reviewDatabase } from './review.ts'
import { columnsOf, hasTable } from './tables.ts'

/** One row of `attachments`, as far as an archive is concerned. */
export interface AttachmentRow {
  readonly id: number
  readonly fileKey: string
  readonly bytes: number
  readonly sha256: string
  readonly missing: boolean
}

export interface DatabaseFacts {
  /** Migrations that the archive's database had; `schemaVersion` is how many this program knows. */
  readonly archivedSchema: number
  readonly schemaVersion: number
  readonly campaigns: number | null
  readonly users: number | null
  readonly review: Review
}

/**
 * Opens the copy of a database that nothing else uses, and that may come from anybody: no function in its schema is
 * trusted, and there are no side files when it is closed.
 */
export function openCopy(file: string): Connection {
  const db = new Database(file, { fileMustExist: true })
  try {
    db.pragma('trusted_schema = OFF')
    db.pragma('cell_size_check = ON')
    db.pragma('foreign_keys = ON')
    db.pragma('journal_mode = DELETE')
    db.pragma('synchronous = FULL')
    return db
  } catch (error) {
    db.close()
    throw error
  }
}

/** Copies a live database as one moment shows it, without holding up its writer (SPEC 2.4). */
export function snapshot(live: string, target: string): void {
  const db = new Database(live, { readonly: true, fileMustExist: true })
  try {
    // Each page is read and written once: a cache only holds memory, and the copy has one of the same size.
    db.pragma('cache_size = -1000')
    db.prepare('VACUUM INTO ?').run(target)
  } finally {
    db.close()
  }
}

export function attachmentRows(db: Connection): readonly AttachmentRow[] {
  if (!hasTable(db, 'attachments')) return []
  const rows = db
    .prepare('SELECT id, file_key, byte_size, sha256, missing FROM attachments ORDER BY id')
    .all() as readonly { id: number; file_key: string; byte_size: number; sha256: string; missing: number }[]
  return rows.map((row) => ({
    id: row.id,
    fileKey: row.file_key,
    bytes: row.byte_size,
    sha256: row.sha256,
    missing: row.missing !== 0,
  }))
}

export function markMissing(db: Connection, changed: ReadonlyMap<number, boolean>): void {
  const update = db.prepare('UPDATE attachments SET missing = ? WHERE id = ?')
  db.transaction(() => {
    for (const [id, missing] of changed) update.run(missing ? 1 : 0, id)
  })()
}

/**
 * Judges the database of an archive and brings it to this version's schema:
 * 1. it is whole: every page, index and reference
 * 2. its migrations are ours, none newer, and as many as the manifest says
 * 3. after migrating, its schema is exactly ours: no foreign table, view, trigger or index
 * 4. its attachments and the archive's uploads agree
 * Throws `archive_invalid`, `archive_schema_foreign`, `archive_entry_missing`, `archive_not_clean`, `archive_checksum_mismatch`.
 */
export function examineDatabase(
  file: string,
  manifest: Manifest,
  known: readonly Migration[],
  now: string,
): DatabaseFacts {
  try {
    const db = openCopy(file)
    try {
      checkIntegrity(db)
      const archivedSchema = checkMigrations(db, manifest, known)
      bringUp(db, manifest, known, now)
      checkAttachments(attachmentRows(db), manifest)
      return {
        archivedSchema,
        schemaVersion: known.length,
        campaigns: countOf(db, 'campaigns'),
        users: countOf(db, 'users'),
        review: reviewDatabase(db, manifest.createdAt),
      }
    } finally {
      db.close()
    }
  } catch (cause) {
    if (cause instanceof Failure || isFullDisk(cause)) throw cause
    if (cause instanceof Database.SqliteError) {
      throw fail('archive_invalid', `The database in the backup cannot be used (${cause.code}).`, { cause })
    }
    throw cause
  }
}

function checkIntegrity(db: Connection): void {
  const problems = db.pragma('integrity_check(5)') as readonly { integrity_check: string }[]
  const [first] = problems
  if (first?.integrity_check !== 'ok') {
    throw fail('archive_invalid', 'The database in the backup is damaged: SQLite finds errors in it.')
  }
  checkReferences(db)
}

function checkReferences(db: Connection): void {
  const [broken] = db.pragma('foreign_key_check') as readonly { table: string; parent: string }[]
  if (broken !== undefined) {
    throw fail(
      'archive_invalid',
      `The database in the backup is damaged: a row of ${broken.table} names a row of ${broken.parent} that does not exist.`,
    )
  }
}

function checkMigrations(db: Connection, manifest: Manifest, known: readonly Migration[]): number {
  const applied = appliedMigrations(db)
  if (applied.length === 0)
    throw fail('archive_schema_foreign', 'The database in the backup was not made by Talekeeper.')
  if (applied.length > known.length) {
    throw fail(
      'archive_schema_foreign',
      `The backup was made by Talekeeper ${manifest.appVersion} with schema ${applied.length}; this version knows schema ${known.length}. Restore it with that version or a newer one.`,
    )
  }
  pendingMigrations(applied, known)
  if (applied.length !== manifest.schemaVersion) {
    throw fail(
      'archive_invalid',
      `The manifest says schema ${manifest.schemaVersion}, the database has ${applied.length}.`,
    )
  }
  return applied.length
}

function bringUp(db: Connection, manifest: Manifest, known: readonly Migration[], now: string): void {
  try {
    if (migrate(db, known, now) > 0) checkReferences(db)
  } catch (cause) {
    if (cause instanceof Failure || isFullDisk(cause)) throw cause
    throw fail(
      'archive_schema_foreign',
      `The database of schema ${manifest.schemaVersion} could not be brought to schema ${known.length}.`,
      { cause },
    )
  }
  const expected = new Database(':memory:')
  try {
    migrate(expected, known, now)
    compareSchemas(schemaObjects(db), schemaObjects(expected))
  } finally {
    expected.close()
  }
}

/** Says nothing of the archive. */
function isFullDisk(error: unknown): boolean {
  return error instanceof Database.SqliteError && error.code === 'SQLITE_FULL'
}

/** Statistics of the query planner come and go; all else is compared letter by letter. */
const plannerTables = new Set(['sqlite_stat1', 'sqlite_stat4'])

function schemaObjects(db: Connection): ReadonlyMap<string, string> {
  const rows = db.prepare('SELECT type, name, tbl_name, sql FROM sqlite_schema').all() as readonly {
    type: string
    name: string
    tbl_name: string
    sql: string | null
  }[]
  return new Map(
    rows
      .filter((row) => !(row.type === 'table' && plannerTables.has(row.name)))
      .map((row) => [`${row.type} ${row.name}`, `${row.tbl_name}: ${row.sql ?? ''}`]),
  )
}

function compareSchemas(found: ReadonlyMap<string, string>, expected: ReadonlyMap<string, string>): void {
  for (const [name, text] of found) {
    const ours = expected.get(name)
    if (ours === undefined) throw foreignSchema(`${name} is not part of Talekeeper`)
    if (ours !== text) throw foreignSchema(`${name} is not as Talekeeper defines it`)
  }
  for (const name of expected.keys()) {
    if (!found.has(name)) throw foreignSchema(`${name} is missing`)
  }
}

function foreignSchema(reason: string): Error {
  return fail('archive_schema_foreign', `The database in the backup is not one this version can take over: ${reason}.`)
}

function checkAttachments(rows: readonly AttachmentRow[], manifest: Manifest): void {
  const uploads = new Map(manifest.uploads.map((upload) => [upload.path, upload]))
  const named = new Set<string>()
  for (const row of rows) {
    if (hashOfFileKey(row.fileKey) !== row.sha256) {
      throw fail('archive_invalid', `The attachment ${row.id} has a file key that does not fit its SHA-256.`)
    }
    if (row.missing) continue
    const path = uploadPrefix + row.fileKey
    const upload = uploads.get(path)
    if (upload === undefined)
      throw fail('archive_entry_missing', `The file of the attachment ${row.id} is not in the backup.`)
    if (upload.size !== row.bytes || upload.sha256 !== row.sha256) {
      throw fail('archive_checksum_mismatch', `The file of the attachment ${row.id} is not the one its row describes.`)
    }
    named.add(path)
  }
  if (named.size !== uploads.size) throw fail('archive_not_clean', 'The backup holds uploads that no attachment names.')
  const missing = rows.filter((row) => row.missing).map((row) => `${row.id} ${row.fileKey}`)
  const recorded = new Set(manifest.reconciliation.missing.map((each) => `${each.attachmentId} ${each.fileKey}`))
  if (missing.length !== recorded.size || !missing.every((each) => recorded.has(each))) {
    throw fail('archive_not_clean', 'The backup records other missing files than its database.')
  }
}

function countOf(db: Connection, table: string): number | null {
  if (!hasTable(db, table)) return null
  const filter = columnsOf(db, table).has('deleted_at') ? ' WHERE deleted_at IS NULL' : ''
  return (db.prepare(`SELECT count(*) AS n FROM ${table}${filter}`).get() as { n: number }).n
}
