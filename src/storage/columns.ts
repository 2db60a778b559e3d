import type * as z from 'zod'
import type { Entity, Scope } from '../kernel/entity.ts'
import type { Field } from '../kernel/fields.ts'

export type ColumnKind = 'text' | 'integer' | 'real' | 'boolean' | 'json'

export interface Column {
  readonly key: string
  readonly column: string
  readonly kind: ColumnKind
  /** Null for the standard columns. */
  readonly field: Field | null
  /** The column beside it by which rows are ordered as people order texts; null where the values themselves sort well. */
  readonly sortColumn: string | null
}

/** camelCase member -> snake_case column. */
export function columnName(key: string): string {
  return key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

function kindOf(schema: z.ZodType): ColumnKind {
  const def = schema._zod.def as {
    readonly type: string
    readonly format?: string
    readonly checks?: readonly unknown[]
  }
  switch (def.type) {
    case 'string':
    case 'enum':
    case 'literal':
      return 'text'
    case 'boolean':
      return 'boolean'
    case 'number':
      return def.format === 'safeint' || def.format === 'int32' ? 'integer' : 'real'
    case 'array':
    case 'object':
    case 'record':
      return 'json'
    default:
      throw new Error(`no column kind for the schema kind ${def.type}`)
  }
}

/** The column that says where a row lives; a campaign is its own, and rows of the server live nowhere in particular. */
export const homeColumns: Readonly<Record<Scope, { readonly key: string; readonly column: string } | null>> = {
  campaign: { key: 'campaignId', column: 'campaign_id' },
  root: { key: 'campaignId', column: 'id' },
  server: null,
  user: { key: 'userId', column: 'user_id' },
}

/** The campaign that a row is of; null for what lies in none. */
export function campaignOf(entity: Entity, row: Readonly<Record<string, unknown>>): number | null {
  return homeColumns[entity.scope]?.key === 'campaignId' ? (row.campaignId as number) : null
}

/** SQL that holds for the rows of `alias` that a call is about: of its campaign, or the caller's own. */
export function scopeSql(entity: Entity, alias: string): string {
  const home = homeColumns[entity.scope]
  if (home === null) return '1'
  return `${alias}.${home.column} = ${home.key === 'userId' ? '@viewer' : '@campaign'}`
}

/** The pair beside `revision` and `updatedAt` that moves with what not only a Dungeon Master notices. */
const publicColumns = [
  ['publicRevision', 'public_revision', 'integer'],
  ['publicUpdatedAt', 'public_updated_at', 'text'],
] as const satisfies readonly (readonly [string, string, ColumnKind])[]

/** Rows of a campaign have it; of others, and of the server, nothing is kept from who sees a row but what is internal. */
export function hasPublicColumns({ scope }: Pick<Entity, 'scope'>): boolean {
  return scope === 'campaign' || scope === 'root'
}

export function isPublicColumn(key: string): boolean {
  return publicColumns.some(([name]) => name === key)
}

/** What stands beside `revision` or `updatedAt`; null for every other column. */
export function publicColumnOf(entity: Entity, key: string): Column | null {
  if (!hasPublicColumns(entity)) return null
  if (key === 'revision') return columnOf(entity, 'publicRevision')
  return key === 'updatedAt' ? columnOf(entity, 'publicUpdatedAt') : null
}

function standard(entity: Entity): readonly Column[] {
  const home = homeColumns[entity.scope]
  const columns: readonly (readonly [string, string, ColumnKind])[] = [
    ['id', 'id', 'integer'],
    ...(home === null ? [] : [[home.key, home.column, 'integer'] as const]),
    ['revision', 'revision', 'integer'],
    ['createdAt', 'created_at', 'text'],
    ['updatedAt', 'updated_at', 'text'],
    ['deletedAt', 'deleted_at', 'text'],
    ...(hasPublicColumns(entity) ? publicColumns : []),
  ]
  return columns.map(([key, column, kind]) => ({ key, column, kind, field: null, sortColumn: null }))
}

/** Texts that people write; days, instants and choices sort by their own letters. */
function isFreeText({ schema }: Field): boolean {
  const { type, format } = schema._zod.def as { readonly type: string; readonly format?: string }
  return type === 'string' && format === undefined
}

const cache = new WeakMap<Entity, readonly Column[]>()

/** All columns of an entity that become members of a row, standard ones first. */
export function columnsOf(entity: Entity): readonly Column[] {
  const known = cache.get(entity)
  if (known) return known
  const ordered = new Set<string>(entity.lists.orders.flat().map(([key]) => key))
  const own = Object.entries(entity.fields).map(([key, field]) => ({
    key,
    column: columnName(key),
    kind: kindOf(field.schema),
    field,
    sortColumn: ordered.has(key) && isFreeText(field) ? `${columnName(key)}_sort` : null,
  }))
  const columns = [...standard(entity), ...own]
  cache.set(entity, columns)
  return columns
}

export function columnOf(entity: Entity, key: string): Column {
  const column = columnsOf(entity).find((each) => each.key === key)
  if (!column) throw new Error(`${entity.name} has no field ${key}`)
  return column
}

export type SqlValue = string | number | null

export function encode(kind: ColumnKind, value: unknown): SqlValue {
  if (value === null || value === undefined) return null
  if (kind === 'json') return JSON.stringify(value)
  if (kind === 'boolean') return value ? 1 : 0
  return value as string | number
}

export function decode(kind: ColumnKind, value: unknown): unknown {
  if (value === null || value === undefined) return null
  if (kind === 'json') return value === '[]' ? [] : value === '{}' ? {} : JSON.parse(value as string)
  if (kind === 'boolean') return value === 1
  return value
}

/** The migration that brought a column of a field. */
export function sinceOf(entity: Entity, { field }: Column): number {
  return Math.max(field?.marks.since ?? 1, entity.since)
}
