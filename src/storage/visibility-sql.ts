import type { Entity } from '../kernel/entity.ts'
import { atLeast, type Viewer } from '../kernel/viewer.ts'
import type { Predicate } from '../kernel/visibility.ts'
import { columnOf, encode } from './columns.ts'
import type { Registry } from './registry.ts'

/** What of a viewer a predicate's text depends on; `@viewer` is bound at run time. */
export interface SqlViewer {
  readonly dm: boolean
  readonly admin: boolean
}

export function sqlViewerOf(viewer: Viewer): SqlViewer {
  return { dm: atLeast(viewer.role, 'dm'), admin: viewer.admin }
}

/** The SQL of a predicate for rows of `alias`; its twin is `sees` in kernel/visibility.ts. Binds `@viewer`. */
export function visibleSql(registry: Registry, entity: Entity, alias: string, audience: SqlViewer): string {
  return compile(registry, entity, entity.visible, alias, audience, 0)
}

function compile(
  registry: Registry,
  entity: Entity,
  predicate: Predicate,
  alias: string,
  audience: SqlViewer,
  depth: number,
): string {
  switch (predicate.is) {
    case 'everyone':
      return '1'
    case 'dm':
      return audience.dm ? '1' : '0'
    case 'admin':
      return audience.admin ? '1' : '0'
    case 'field': {
      const { column, kind } = columnOf(entity, predicate.field)
      const values = predicate.in.map((value) => literal(encode(kind, value)))
      return `${alias}.${column} IN (${values.join(', ')})`
    }
    case 'self': {
      const { column } = columnOf(entity, predicate.field)
      if (predicate.through === undefined) return `${alias}.${column} IS @viewer`
      const owned = registry.get(predicate.through)
      const inner = `${alias}${depth}`
      const own = owned.isOwn === null ? '0' : compile(registry, owned, owned.isOwn, inner, audience, depth + 1)
      return `EXISTS (SELECT 1 FROM ${owned.table} ${inner} WHERE ${inner}.id = ${alias}.${column} AND ${own})`
    }
    case 'parent': {
      const parent = registry.get(predicate.entity)
      const inner = `${alias}${depth}`
      const seen = compile(registry, parent, parent.visible, inner, audience, depth + 1)
      return `EXISTS (SELECT 1 FROM ${parent.table} ${inner} WHERE ${inner}.id = ${alias}.${columnOf(entity, predicate.field).column} AND ${inner}.deleted_at IS NULL AND ${seen})`
    }
    case 'any':
    case 'all': {
      const parts = predicate.of.map((inner) => compile(registry, entity, inner, alias, audience, depth))
      return fold(parts, predicate.is)
    }
  }
}

// Constants are folded so that a DM's statement has no test left that is always true.
function fold(parts: readonly string[], kind: 'any' | 'all'): string {
  const decisive = kind === 'any' ? '1' : '0'
  if (parts.includes(decisive)) return decisive
  const open = parts.filter((part) => part !== '0' && part !== '1')
  if (open.length === 0) return kind === 'any' ? '0' : '1'
  return `(${open.join(kind === 'any' ? ' OR ' : ' AND ')})`
}

function literal(value: string | number | null): string {
  if (value === null) return 'NULL'
  return typeof value === 'number' ? String(value) : `'${value.replaceAll("'", "''")}'`
}

/** A link as the viewer may read it: null where its row is in the trash or hidden from them. */
export function linkSql(registry: Registry, target: string, expression: string, audience: SqlViewer): string {
  if (target === 'user') return expression
  const entity = registry.get(target)
  const seen = visibleSql(registry, entity, 'link', audience)
  return `CASE WHEN EXISTS (SELECT 1 FROM ${entity.table} link WHERE link.id = ${expression} AND link.deleted_at IS NULL AND ${seen}) THEN ${expression} END`
}
