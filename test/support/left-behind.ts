import { readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import type { Store } from '../../src/storage/store.ts'

// What a call leaves behind: rows, and bytes in files.

export type Row = Readonly<Record<string, unknown>>

/** Every row of the database by its table and key; not the pages of the search index. */
export function rowsOf(store: Store): Map<string, Row> {
  const tables = store.all("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'search_text%'")
  const found = new Map<string, Row>()
  for (const { name } of tables) {
    for (const row of store.all(`SELECT * FROM ${String(name)}`)) {
      const key = name === 'sqlite_sequence' ? row.name : (row.id ?? row.scope ?? JSON.stringify(row))
      found.set(`${String(name)} ${String(key)}`, { table: name, ...row })
    }
  }
  return found
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => path.join(folder, name))
    .filter((file) => statSync(file).isFile())
}

/** The bytes of every file of a folder. */
export function everythingIn(folder: string): string {
  return filesIn(folder)
    .map((file) => readFileSync(file, 'latin1'))
    .join('\n')
}
