import { createHash } from 'node:crypto'
import type { Entity } from '../kernel/entity.ts'
import type { Field } from '../kernel/fields.ts'
import { type Column, columnsOf, encode } from './columns.ts'
import type { Registry } from './registry.ts'
import { systemTables, systemTriggers } from './system-tables.ts'

export interface Migration {
  readonly number: number
  readonly name: string
  readonly sql: string
  /** SHA-256 of the SQL, kept with the applied migration: a released migration never changes. */
  readonly checksum: string
}

const names: Readonly<Record<number, string>> = {
  1: 'first tables',
  2: 'AI consent controls',
  3: 'OAuth',
}

/**
 * Every migration this program knows, in order. An entity's fields carry the number of the migration that brought them,
 * so that a new field is declared in one place; what is no entity stands in system-tables.ts.
 */
export function migrationsOf(registry: Registry): readonly Migration[] {
  const newest = Math.max(...Object.keys(names).map(Number))
  return Array.from({ length: newest }, (_, index) => {
    const number = index + 1
    const statements = [
      systemTables[number] ?? '',
      ...registry.all.map((entity) => entityStep(registry, entity, number)),
      systemTriggers[number] ?? '',
    ]
    const sql = statements.filter((part) => part !== '').join('\n')
    return { number, name: names[number] ?? '', sql, checksum: createHash('sha256').update(sql).digest('hex') }
  })
}

function entityStep(registry: Registry, entity: Entity, number: number): string {
  if (entity.since > number) return ''
  const since = (column: Column): number => Math.max(column.field?.marks.since ?? 1, entity.since)
  if (entity.since === number)
    return createTable(
      registry,
      entity,
      columnsOf(entity).filter((column) => column.field !== null && since(column) === number),
    )
  return columnsOf(entity)
    .filter((column) => column.field !== null && since(column) === number)
    .flatMap((column) => [
      `ALTER TABLE ${entity.table} ADD COLUMN ${definition(registry, column)};`,
      ...index(entity, column),
    ])
    .join('\n')
}

function createTable(registry: Registry, entity: Entity, own: readonly Column[]): string {
  const lines = [
    'id INTEGER PRIMARY KEY AUTOINCREMENT',
    ...(entity.scope === 'root' ? [] : ['campaign_id INTEGER NOT NULL REFERENCES campaigns(id)']),
    'revision INTEGER NOT NULL DEFAULT 1',
    'created_at TEXT NOT NULL',
    'updated_at TEXT NOT NULL',
    'deleted_at TEXT',
    'trash_batch INTEGER',
    ...own.map((column) => definition(registry, column)),
  ]
  const statements = [
    `CREATE TABLE ${entity.table} (\n  ${lines.join(',\n  ')}\n) STRICT;`,
    ...(entity.scope === 'root' ? [] : [`CREATE INDEX ${entity.table}_campaign ON ${entity.table}(campaign_id);`]),
    ...own.flatMap((column) => index(entity, column)),
    ...entity.unique.map((keys) => {
      const columns = keys.map((key) => columnsOf(entity).find((column) => column.key === key)?.column)
      return `CREATE UNIQUE INDEX ${entity.table}_unique_${columns.join('_')} ON ${entity.table}(campaign_id, ${columns.join(', ')}) WHERE deleted_at IS NULL;`
    }),
  ]
  return statements.join('\n')
}

const sqlTypes = { text: 'TEXT', integer: 'INTEGER', real: 'REAL', boolean: 'INTEGER', json: 'TEXT' } as const

function definition(registry: Registry, { column, kind, field }: Column): string {
  const { presence, marks, initial } = field as Field
  const parts = [column, sqlTypes[kind]]
  if (presence !== 'nullable') parts.push('NOT NULL')
  if (presence === 'default') {
    const value = encode(kind, initial)
    parts.push(`DEFAULT ${typeof value === 'number' ? value : `'${String(value).replaceAll("'", "''")}'`}`)
  }
  if (kind === 'boolean') parts.push(`CHECK (${column} IN (0, 1))`)
  if (kind === 'json')
    parts.push(`CHECK (${presence === 'nullable' ? `${column} IS NULL OR ` : ''}json_valid(${column}))`)
  if (marks.references) {
    const table = marks.references === 'user' ? 'users' : registry.get(marks.references).table
    parts.push(`REFERENCES ${table}(id)${presence === 'nullable' ? ' ON DELETE SET NULL' : ''}`)
  }
  return parts.join(' ')
}

function index(entity: Entity, { column, field }: Column): string[] {
  return field?.marks.references ? [`CREATE INDEX ${entity.table}_${column} ON ${entity.table}(${column});`] : []
}
