import type { Database } from 'better-sqlite3'
import { fail } from '../kernel/errors.ts'
import { foldText, sortKey } from '../kernel/sort-key.ts'
import { spacedOut } from '../kernel/unspaced.ts'
import { applicationId, hasLedger } from './open-database.ts'
import type { Migration } from './schema.ts'

const ledger = `CREATE TABLE IF NOT EXISTS migrations (
  number INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  checksum TEXT NOT NULL,
  applied_at TEXT NOT NULL
) STRICT;`

interface Applied {
  readonly number: number
  readonly name: string
  readonly checksum: string
}

export function appliedMigrations(db: Database): readonly Applied[] {
  const known = db.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'migrations'`).get()
  if (known === undefined) return []
  if (!hasLedger(db)) throw fail('archive_schema_foreign', 'This is the database of another program.')
  return db.prepare('SELECT number, name, checksum FROM migrations ORDER BY number').all() as Applied[]
}

/**
 * The migrations still to apply. What was applied must be a prefix of what is known, checksum by checksum.
 * Throws `archive_schema_foreign` for a database of a newer program or of another one, naming both versions.
 */
export function pendingMigrations(applied: readonly Applied[], known: readonly Migration[]): readonly Migration[] {
  if (applied.length > known.length) {
    throw fail(
      'archive_schema_foreign',
      `This database has schema ${applied.length}, made by a newer version of Talekeeper; this version knows schema ${known.length}. Use the newer version.`,
    )
  }
  for (const [index, each] of applied.entries()) {
    const expected = known[index]
    if (expected === undefined || each.number !== expected.number || each.checksum !== expected.checksum) {
      throw fail(
        'archive_schema_foreign',
        `Migration ${each.number} (${each.name}) of this database is not the one this version of Talekeeper knows.`,
      )
    }
  }
  return known.slice(applied.length)
}

/** Applies what is pending, one transaction each. Returns how many. `before` runs once, ahead of the first. */
export function migrate(
  db: Database,
  known: readonly Migration[],
  now: string,
  before: (from: number) => void = () => {},
): number {
  const applied = appliedMigrations(db)
  const pending = pendingMigrations(applied, known)
  if (pending.length > 0) {
    before(applied.length)
    for (const [name, make] of Object.entries({ sort_key: sortKey, fold_text: foldText, spaced_out: spacedOut }))
      db.function(name, { deterministic: true }, (text) => (typeof text === 'string' ? make(text) : null))
  }
  for (const { number, name, checksum, sql } of pending) {
    db.transaction(() => {
      db.exec(ledger)
      db.exec(sql)
      db.pragma(`application_id = ${applicationId}`)
      db.prepare('INSERT INTO migrations (number, name, checksum, applied_at) VALUES (?, ?, ?, ?)').run(
        number,
        name,
        checksum,
        now,
      )
    }).immediate()
  }
  return pending.length
}

/** The whole schema as text, to be compared: a restored database must have exactly ours. */
export function schemaText(db: Database): string {
  const rows = db
    .prepare(`SELECT type, name, sql FROM sqlite_schema WHERE name NOT LIKE 'sqlite_%' ORDER BY type, name`)
    .all() as {
    type: string
    name: string
    sql: string | null
  }[]
  return rows.map(({ type, name, sql }) => `${type} ${name}: ${(sql ?? '').replaceAll(/\s+/g, ' ')}`).join('\n')
}
