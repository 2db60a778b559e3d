import { createHash } from 'node:crypto'
import type { Entity, Lists } from '../kernel/entity.ts'
import type { Field, Fields } from '../kernel/fields.ts'
import { sortKey } from '../kernel/sort-key.ts'
import { type Column, columnName, columnOf, columnsOf, encode, homeColumns } from './columns.ts'
import { migrationSources } from './migrations/all.ts'
import type { MigrationSource } from './migrations/source.ts'
import type { Registry } from './registry.ts'

export interface Migration {
  readonly number: number
  readonly name: string
  readonly sql: string
  /** SHA-256 of the SQL, kept with the applied migration: a released migration never changes. */
  readonly checksum: string
}

/**
 * Every migration this program knows, in order. Released ones are text. What those behind them bring follows from the
 * declarations: an entity and a field carry the number of the migration that brought them; indexes and the columns beside
 * texts come with the first migration that lacks them.
 */
export function migrationsOf(
  registry: Registry,
  sources: readonly MigrationSource[] = migrationSources,
): readonly Migration[] {
  const made: Migration[] = []
  const present: Present = { indexes: new Set(), columns: new Set() }
  for (const [index, source] of sources.entries()) {
    const { number, name, before = '', after = '', frozen } = source
    if (number !== index + 1) throw new Error(`migration ${number} stands in place ${index + 1}`)
    const derived = frozen?.derived ?? derivedSql(registry, number, present, number === sources.length)
    const sql = [before, derived, after]
      .map((part) => part.trim())
      .filter((part) => part !== '')
      .join('\n')
    take(present, sql)
    made.push({ number, name, sql, checksum: frozen?.checksum ?? checksumOf(sql) })
  }
  return made
}

export function checksumOf(sql: string): string {
  return createHash('sha256').update(sql).digest('hex')
}

/** What the migrations so far have made, of what carries no number of its own. */
interface Present {
  readonly indexes: Set<string>
  /** Sort columns, as `table.column`. */
  readonly columns: Set<string>
}

/** Reads from the text of a migration, which is ours, what it makes and takes away. */
function take({ indexes, columns }: Present, sql: string): void {
  for (const [, name = ''] of sql.matchAll(/^CREATE (?:UNIQUE )?INDEX (\w+)/gm)) indexes.add(name)
  for (const [, name = ''] of sql.matchAll(/^DROP INDEX (\w+)/gm)) indexes.delete(name)
  for (const [, table = '', body = ''] of sql.matchAll(/^CREATE TABLE (\w+) \(\n(.*?)\n\) STRICT/gms)) {
    for (const [, column = ''] of body.matchAll(/^ {2}(\w+_sort) /gm)) columns.add(`${table}.${column}`)
  }
  for (const [, table = '', verb, column = '', to] of sql.matchAll(
    /^ALTER TABLE (\w+) (ADD|DROP|RENAME) COLUMN (\w+_sort)(?: TO (\w+))?/gm,
  )) {
    if (verb === 'ADD') columns.add(`${table}.${column}`)
    else columns.delete(`${table}.${column}`)
    if (to !== undefined) columns.add(`${table}.${to}`)
  }
}

/** The SQL of a migration as far as it follows from the declarations. The newest brings all that is lacking. */
function derivedSql(registry: Registry, number: number, present: Present, isNewest: boolean): string {
  const entities = registry.all.filter(({ since }) => since <= number)
  const tables = entities.flatMap((entity) => tableSql(registry, entity, number, present))
  const wanted = entities.flatMap((entity) => indexesOf(entity))
  const created = wanted.filter(({ name, since }) => since <= number && !present.indexes.has(name))
  const dropped = isNewest ? [...present.indexes].filter((name) => isDerived(registry, name, wanted)) : []
  return [
    ...tables,
    ...dropped.map((name) => `DROP INDEX ${name};`),
    ...created.map(({ name, unique, on }) => `CREATE ${unique ? 'UNIQUE ' : ''}INDEX ${name} ON ${on};`),
  ].join('\n')
}

/** Whether an index is one that declarations made once and do not make any more. Names of hand-written ones begin otherwise. */
function isDerived(registry: Registry, name: string, wanted: readonly Index[]): boolean {
  if (wanted.some((index) => index.name === name)) return false
  return registry.all.some(({ table }) => indexKinds.some((kind) => name.startsWith(`${table}_${kind}_`)))
}

function tableSql(registry: Registry, entity: Entity, number: number, present: Present): readonly string[] {
  const { table, since } = entity
  const own = columnsOf(entity).filter((column) => column.field !== null && sinceOf(entity, column) === number)
  if (since === number) return [createTable(registry, entity, own)]
  const sorted = columnsOf(entity).filter(
    ({ sortColumn }) => sortColumn !== null && !present.columns.has(`${table}.${sortColumn}`),
  )
  const wanted = new Set(columnsOf(entity).map(({ sortColumn }) => `${table}.${sortColumn}`))
  const unwanted = [...present.columns].filter((name) => name.startsWith(`${table}.`) && !wanted.has(name))
  return [
    ...own.map((column) => `ALTER TABLE ${table} ADD COLUMN ${definition(registry, column)};`),
    ...sorted.flatMap((column) => [
      `ALTER TABLE ${table} ADD COLUMN ${sortDefinition(column)};`,
      `UPDATE ${table} SET ${column.sortColumn} = sort_key(${column.column}) WHERE ${column.column} IS NOT NULL;`,
    ]),
    ...unwanted.map((name) => `ALTER TABLE ${table} DROP COLUMN ${name.slice(table.length + 1)};`),
  ]
}

function sinceOf(entity: Entity, { field }: Column): number {
  return Math.max(field?.marks.since ?? 1, entity.since)
}

const homeDefinitions = {
  campaignId: 'campaign_id INTEGER NOT NULL REFERENCES campaigns(id)',
  userId: 'user_id INTEGER NOT NULL REFERENCES users(id) ON DELETE CASCADE',
} as const

function createTable(registry: Registry, entity: Entity, own: readonly Column[]): string {
  const home = homeColumns[entity.scope]
  const lines = [
    'id INTEGER PRIMARY KEY AUTOINCREMENT',
    ...(home === null || home.column === 'id' ? [] : [homeDefinitions[home.key as keyof typeof homeDefinitions]]),
    'revision INTEGER NOT NULL DEFAULT 1',
    'created_at TEXT NOT NULL',
    'updated_at TEXT NOT NULL',
    'deleted_at TEXT',
    'trash_batch INTEGER',
    ...own.map((column) => definition(registry, column)),
    ...own.filter(({ sortColumn }) => sortColumn !== null).map(sortDefinition),
  ]
  return `CREATE TABLE ${entity.table} (\n  ${lines.join(',\n  ')}\n) STRICT;`
}

const sqlTypes = { text: 'TEXT', integer: 'INTEGER', real: 'REAL', boolean: 'INTEGER', json: 'TEXT' } as const

function definition(registry: Registry, { column, kind, field }: Column): string {
  const { presence, marks, initial } = field as Field
  const parts = [column, sqlTypes[kind]]
  if (presence !== 'nullable') parts.push('NOT NULL')
  if (presence === 'default') {
    const value = encode(kind, initial)
    parts.push(`DEFAULT ${typeof value === 'number' ? value : quoted(String(value))}`)
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

/** It has a default although the writer always gives it one: SQLite adds no column without to a table with rows in it. */
function sortDefinition({ sortColumn, field }: Column): string {
  const { presence, initial } = field as Field
  if (presence === 'nullable') return `${sortColumn} TEXT`
  return `${sortColumn} TEXT NOT NULL DEFAULT ${quoted(typeof initial === 'string' ? sortKey(initial) : '')}`
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

interface Index {
  readonly name: string
  readonly unique: boolean
  /** The table, its columns and which rows. */
  readonly on: string
  /** The first migration in which all its columns are there. */
  readonly since: number
}

/** What the name of an index says behind its table: why it is there. */
const indexKinds = ['home', 'ref', 'link', 'unique', 'trash', 'list'] as const

const living = 'WHERE deleted_at IS NULL'

/**
 * The indexes of an entity: of the campaign, person or parent that rows go with; of every reference and link, for those
 * who point here; of what is unique; of the trash; and of every order in which lists are read, by itself, by each of the
 * filters, and by what hides rows from players.
 */
export function indexesOf(entity: Entity): readonly Index[] {
  const { table } = entity
  const home = homeColumns[entity.scope]
  const homes = home === null || home.column === 'id' ? [] : [home.column]
  const index = (kind: (typeof indexKinds)[number], columns: readonly string[], rows = '', unique = false): Index => ({
    name: `${table}_${kind}_${columns.map((column) => column.replace(' ', '_').toLowerCase()).join('_')}`,
    unique,
    on: `${table}(${columns.join(', ')})${rows === '' ? '' : ` ${rows}`}`,
    since: Math.max(entity.since, ...fieldsIn(entity, columns).map((column) => sinceOf(entity, column))),
  })
  const found = [
    ...homes.map((column) => index('home', [column])),
    ...columnsOf(entity).flatMap(({ column, field }) => {
      if (field?.marks.references) return [index('ref', [column])]
      const link = field?.marks.link
      return link !== undefined && 'id' in link ? [index('link', [column, columnName(link.id)])] : []
    }),
    ...entity.unique.map((keys) => {
      const columns = keys.map((key) => columnOf(entity, key).column)
      return index('unique', [...homes, ...columns], living, true)
    }),
    ...(entity.trash ? [index('trash', [...homes, 'trash_batch DESC', 'id'], 'WHERE deleted_at IS NOT NULL')] : []),
    ...listColumns(entity).map((columns) => index('list', [...homes, ...columns], living)),
  ]
  return [...new Map(found.map((each) => [each.name, each])).values()]
}

function fieldsIn(entity: Entity, columns: readonly string[]): readonly Column[] {
  const names = new Set(columns.map((column) => column.split(' ')[0]))
  return columnsOf(entity).filter(({ column, sortColumn }) => names.has(column) || names.has(String(sortColumn)))
}

/**
 * The columns behind the home of each index of a list. Rows that go with a parent by which they are listed are always of
 * one, so that every index of theirs begins with it. The order of the ids alone is that of the home's own index.
 */
function listColumns(entity: Entity): readonly (readonly string[])[] {
  const { orders, filters = [] } = entity.lists
  const within = filters.filter((key) => entity.fields[key]?.marks.owned)
  const others = [...filters.filter((key) => !within.includes(key)), ...(entity.hide ? ['hidden'] : [])]
  return orders.flatMap((order) => {
    const last = order.at(-1)?.[1] ?? 'asc'
    const keys = order.map(([key, direction]) => {
      const { column, sortColumn } = columnOf(entity, key)
      // An index is read in either direction, so only a key that goes against the others says which.
      return `${sortColumn ?? column}${direction === last ? '' : ' DESC'}`
    })
    const isServed = order.length === 0 || entity.unique.some((group) => sameKeys(group, order))
    return [[], ...others.map((filter) => [filter])]
      .map((filter) => [...within, ...filter])
      .filter((filter) => filter.length > 0 || !isServed)
      .map((filter) => [...filter.map((key) => columnOf(entity, key).column), ...keys, 'id'])
  })
}

function sameKeys(group: readonly string[], order: Lists<Fields>['orders'][number]): boolean {
  return group.length === order.length && order.every(([key], index) => group[index] === key)
}
