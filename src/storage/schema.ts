import { createHash } from 'node:crypto'
import type { Entity } from '../kernel/entity.ts'
import type { Field } from '../kernel/fields.ts'
import { sortKey } from '../kernel/sort-key.ts'
import { type Column, columnOf, columnsOf, encode, hasPublicColumns, homeColumns, sinceOf } from './columns.ts'
import { type Index, indexesOf, indexKinds } from './indexes.ts'
import { keyColumn, type LabelTable, labelTablesOf } from './label-tables.ts'
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

interface MadeMigration extends Migration {
  /** What of its SQL follows, or followed, from the declarations. */
  readonly derived: string
}

/**
 * Every migration this program knows, in order. Released ones are text. What those behind them bring follows from the
 * declarations: an entity and a field carry the number of the migration that brought them; indexes and the columns beside
 * texts come with the first migration that lacks them. Throws on a declaration of a migration that there is not.
 */
export function migrationsOf(
  registry: Registry,
  sources: readonly MigrationSource[] = migrationSources,
): readonly MadeMigration[] {
  const present: Present = { indexes: new Set(), columns: new Set(), labels: new Map() }
  const unfrozen = sources.findIndex(({ frozen }) => frozen === null)
  checkNumbers(registry, sources.length)
  return sources.map((source, index) => {
    const { number, name, frozen } = source
    if (number !== index + 1) throw new Error(`migration ${number} stands in place ${index + 1}`)
    if (frozen !== null && unfrozen >= 0 && unfrozen < index)
      throw new Error(`migration ${number} is frozen, and one before it is not`)
    take(present, source.before)
    const derived = frozen?.derived ?? derivedSql(registry, number, present, number === sources.length)
    take(present, derived)
    take(present, source.after)
    // Where everything follows from the declarations there is nothing to part with.
    const sql = sqlOf(unfrozen === 0 ? { ...source, farewell: '' } : source, derived)
    return { number, name, sql, derived, checksum: frozen?.checksum ?? checksumOf(sql) }
  })
}

/** The checksums of all migrations, written into the bundle by the build; there are none where the sources run. */
declare const TALEKEEPER_CHECKSUMS: readonly string[] | undefined

/**
 * The migrations of `registry`, as a start needs them: by their checksums, which the build has written down. Their texts are
 * made when a database lacks one of them, and that is seldom.
 */
export function startingMigrations(
  registry: () => Registry,
  checksums: readonly string[] | null = typeof TALEKEEPER_CHECKSUMS === 'undefined' ? null : TALEKEEPER_CHECKSUMS,
): readonly Migration[] {
  if (checksums === null) return migrationsOf(registry())
  let made: readonly Migration[] | undefined
  return migrationSources.map(({ number, name }, index) => ({
    number,
    name,
    checksum: checksums[index] ?? '',
    get sql() {
      made ??= migrationsOf(registry())
      return made[index]?.sql ?? ''
    },
  }))
}

/** The whole text of a migration. */
export function sqlOf({ before = '', after = '', farewell = '' }: MigrationSource, derived: string): string {
  const parts = [before, derived, after, farewell].map((part) => part.trim())
  return parts.filter((part) => part !== '').join('\n')
}

export function checksumOf(sql: string): string {
  return createHash('sha256').update(sql).digest('hex')
}

function checkNumbers(registry: Registry, newest: number): void {
  for (const entity of registry.all) {
    const late = columnsOf(entity).find((column) => column.field !== null && sinceOf(entity, column) > newest)
    if (entity.since <= newest && late === undefined) continue
    const what = entity.since > newest ? entity.name : `${entity.name}.${late?.key}`
    throw new Error(`${what} is of a migration behind ${newest}: add its file to storage/migrations`)
  }
}

/** What the migrations so far have made, of what carries no number of its own. */
interface Present {
  readonly indexes: Set<string>
  /** Sort columns and the public revision, as `table.column`. */
  readonly columns: Set<string>
  /** Tables of labels, by their names. */
  readonly labels: Map<string, string>
}

/** Reads from the text of a migration, which is ours, what it makes and takes away. */
function take({ indexes, columns, labels }: Present, sql = ''): void {
  for (const [, name = ''] of sql.matchAll(/^CREATE (?:UNIQUE )?INDEX (\w+)/gm)) indexes.add(name)
  for (const [, name = ''] of sql.matchAll(/^DROP INDEX (\w+)/gm)) indexes.delete(name)
  for (const [, table = '', body = ''] of sql.matchAll(/^CREATE TABLE (\w+) \(\n(.*?)\n\) STRICT/gms)) {
    for (const [, column = ''] of body.matchAll(/^ {2}(\w+_sort|public_revision) /gm)) columns.add(`${table}.${column}`)
  }
  for (const [, table = ''] of sql.matchAll(/^DROP TABLE (\w+)/gm)) labels.delete(table)
  for (const [text, table = ''] of sql.matchAll(/^CREATE TABLE (\w+) \(\n {2}label TEXT NOT NULL,\n.*?;$/gms))
    labels.set(table, text)
  for (const [, table = '', verb, column = '', to] of sql.matchAll(
    /^ALTER TABLE (\w+) (ADD|DROP|RENAME) COLUMN (\w+_sort|public_revision)(?: TO (\w+))?/gm,
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
  const labels = entities.flatMap((entity) => labelTablesOf(entity).map((each) => labelSource(entity, each)))
  const lacking = labels.filter(({ since, name, create }) => since <= number && present.labels.get(name) !== create)
  const outdated = [...present.labels.keys()].filter(
    (name) => lacking.some((each) => each.name === name) || (isNewest && !labels.some((each) => each.name === name)),
  )
  const wanted = entities.flatMap((entity) => indexesOf(entity))
  const created = wanted.filter(({ name, since }) => since <= number && !present.indexes.has(name))
  const dropped = isNewest ? [...present.indexes].filter((name) => isDerived(registry, name, wanted)) : []
  return [
    ...dropped.map((name) => `DROP INDEX ${name};`),
    ...outdated.map((name) => `DROP TABLE ${name};`),
    ...tables,
    ...lacking.flatMap(({ create, index, fill, of }) => [create, index, ...(of.since < number ? [fill] : [])]),
    ...created.map(({ name, unique, on }) => `CREATE ${unique ? 'UNIQUE ' : ''}INDEX ${name} ON ${on};`),
  ].join('\n')
}

/** The statements that make a table of labels: itself, the index by which a row's labels are found, and what it holds. */
function labelSource(entity: Entity, { key, table, home, order }: LabelTable) {
  const { column } = columnOf(entity, key)
  const repeated = [
    ...(home === null ? [] : [`${home} INTEGER NOT NULL`]),
    ...order.map((each) => repeatedColumn(each)),
  ]
  const keys = [...(home === null ? [] : [home]), 'label', ...order.map(keyColumn), 'id']
  const lines = [
    'label TEXT NOT NULL',
    ...repeated,
    `id INTEGER NOT NULL REFERENCES ${entity.table}(id) ON DELETE CASCADE`,
    `PRIMARY KEY (${keys.join(', ')})`,
  ]
  const given = keys.map((each) => (each === 'label' ? 'fold_text(part.value)' : `t.${each}`))
  return {
    of: entity,
    name: table,
    since: Math.max(...[columnOf(entity, key), ...order].map((each) => sinceOf(entity, each))),
    create: `CREATE TABLE ${table} (\n  ${lines.join(',\n  ')}\n) STRICT, WITHOUT ROWID;`,
    index: `CREATE INDEX ${table}_row ON ${table}(id);`,
    fill: `INSERT OR IGNORE INTO ${table} (${keys.join(', ')}) SELECT ${given.join(', ')} FROM ${entity.table} t, json_each(t.${column}) part;`,
  }
}

function repeatedColumn(column: Column): string {
  return `${keyColumn(column)} ${column.sortColumn === null ? sqlTypes[column.kind] : 'TEXT'} NOT NULL`
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
    (column) =>
      column.sortColumn !== null &&
      sinceOf(entity, column) <= number &&
      !present.columns.has(`${table}.${column.sortColumn}`),
  )
  const wanted = new Set([
    `${table}.public_revision`,
    ...columnsOf(entity).map(({ sortColumn }) => `${table}.${sortColumn}`),
  ])
  const unwanted = [...present.columns].filter((name) => name.startsWith(`${table}.`) && !wanted.has(name))
  return [
    ...own.map((column) => `ALTER TABLE ${table} ADD COLUMN ${definition(registry, column)};`),
    ...sorted.flatMap((column) => [
      `ALTER TABLE ${table} ADD COLUMN ${sortDefinition(column)};`,
      `UPDATE ${table} SET ${column.sortColumn} = sort_key(${column.column}) WHERE ${column.column} IS NOT NULL;`,
    ]),
    ...(hasPublicColumns(entity) && !present.columns.has(`${table}.public_revision`) ? publicSql(table) : []),
    ...unwanted.map((name) => `ALTER TABLE ${table} DROP COLUMN ${name.slice(table.length + 1)};`),
  ]
}

/** What stands beside revision and time for who does not see all of a row. The writer gives a new row its time. */
const publicDefinitions = ['public_revision INTEGER NOT NULL DEFAULT 1', "public_updated_at TEXT NOT NULL DEFAULT ''"]

/** They begin with what everybody was shown before there were two. */
function publicSql(table: string): readonly string[] {
  return [
    ...publicDefinitions.map((column) => `ALTER TABLE ${table} ADD COLUMN ${column};`),
    `UPDATE ${table} SET public_revision = revision, public_updated_at = updated_at;`,
  ]
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
    ...(hasPublicColumns(entity) ? publicDefinitions : []),
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
    if (marks.random) parts.push('DEFAULT (lower(hex(randomblob(16))))')
    else parts.push(`DEFAULT ${typeof value === 'number' ? value : quoted(String(value))}`)
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
