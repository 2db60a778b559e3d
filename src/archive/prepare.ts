import type { Database as Connection } from 'better-sqlite3'
import { hasTable } from './tables.ts'

/** How many rows, by table. */
export type RowCounts = Readonly<Record<string, number>>

/**
 * Tables whose rows would bring access back that ended since the backup: rotated refresh tokens, spent codes, sessions
 * that were signed out. All of them go; clients sign in again, and their registrations stay.
 */
export const signInTables: readonly string[] = [
  'oauth_tokens',
  'oauth_codes',
  'oauth_grants',
  'oauth_requests',
  'sessions',
]

/** Empties the tables of sign-ins in the staged database. */
export function dropSignIns(db: Connection): RowCounts {
  const counts: Record<string, number> = {}
  db.transaction(() => {
    for (const table of signInTables) {
      if (hasTable(db, table)) counts[table] = db.prepare(`DELETE FROM ${table}`).run().changes
    }
  })()
  return counts
}
