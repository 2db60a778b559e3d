import type { Database as Connection } from 'better-sqlite3'

export function hasTable(db: Connection, table: string): boolean {
  return db.prepare(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?`).get(table) !== undefined
}

/** Names of the columns of a table; empty when there is no such table. */
export function columnsOf(db: Connection, table: string): ReadonlySet<string> {
  const rows = db.prepare('SELECT name FROM pragma_table_info(?)').all(table) as readonly { name: string }[]
  return new Set(rows.map((row) => row.name))
}
