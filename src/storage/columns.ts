import type * as z from 'zod'
import type { Entity } from '../kernel/entity.ts'
import type { Field } from '../kernel/fields.ts'

export type ColumnKind = 'text' | 'integer' | 'real' | 'boolean' | 'json'

export interface Column {
  readonly key: string
  readonly column: string
  readonly kind: ColumnKind
  /** Null for the standard columns. */
  readonly field: Field | null
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

const standard = (entity: Entity): readonly Column[] => [
  { key: 'id', column: 'id', kind: 'integer', field: null },
  { key: 'campaignId', column: entity.scope === 'root' ? 'id' : 'campaign_id', kind: 'integer', field: null },
  { key: 'revision', column: 'revision', kind: 'integer', field: null },
  { key: 'createdAt', column: 'created_at', kind: 'text', field: null },
  { key: 'updatedAt', column: 'updated_at', kind: 'text', field: null },
  { key: 'deletedAt', column: 'deleted_at', kind: 'text', field: null },
]

const cache = new WeakMap<Entity, readonly Column[]>()

/** All columns of an entity that become members of a row, standard ones first. */
export function columnsOf(entity: Entity): readonly Column[] {
  const known = cache.get(entity)
  if (known) return known
  const own = Object.entries(entity.fields).map(([key, field]) => ({
    key,
    column: columnName(key),
    kind: kindOf(field.schema),
    field,
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
  if (kind === 'json') return JSON.parse(value as string)
  if (kind === 'boolean') return value === 1
  return value
}
