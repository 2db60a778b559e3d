import type { Entity } from '../../src/kernel/entity.ts'
import { columnsOf } from '../../src/storage/columns.ts'
import type { Store } from '../../src/storage/store.ts'

const sqlTypes = { text: 'TEXT', integer: 'INTEGER', real: 'REAL', boolean: 'INTEGER', json: 'TEXT' } as const

/** Makes the tables of entities that only a test knows; no migration does. */
export function createTables(store: Store, entities: readonly Entity[]): void {
  for (const entity of entities) {
    const own = columnsOf(entity).flatMap(({ column, kind, field }) => {
      if (field === null) return []
      const { references } = field.marks
      const table = references === 'user' ? 'users' : references && store.registry.get(references).table
      const initial = field.presence === 'default' ? ` DEFAULT ${JSON.stringify(Number(field.initial) || 0)}` : ''
      const link = table ? ` REFERENCES ${table}(id)${field.presence === 'nullable' ? ' ON DELETE SET NULL' : ''}` : ''
      return [`${column} ${sqlTypes[kind]}${initial}${link}`]
    })
    const standard = [
      'id INTEGER PRIMARY KEY AUTOINCREMENT',
      'campaign_id INTEGER NOT NULL REFERENCES campaigns(id)',
      'revision INTEGER NOT NULL DEFAULT 1',
      'created_at TEXT NOT NULL',
      'updated_at TEXT NOT NULL',
      'deleted_at TEXT',
      'trash_batch INTEGER',
    ]
    store.connection.exec(`CREATE TABLE ${entity.table} (${[...standard, ...own].join(', ')}) STRICT`)
  }
}
