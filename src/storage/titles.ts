import type { Entity } from '../kernel/entity.ts'
import { limits } from '../kernel/limits.ts'
import type { Reference } from '../kernel/linked-things.ts'
import { columnOf, type SqlValue } from './columns.ts'
import type { Registry } from './registry.ts'
import { allSql, type SqlViewer, visibleScopeSql, visibleSql } from './visibility-sql.ts'

// What things are called, beside the rows that name them.

/** Through whose eyes the SQL reads. */
export interface Eyes {
  readonly registry: Registry
  readonly audience: SqlViewer
}

/** What a thing is called, in SQL: its title or what stands for it. One character more than is shown, to tell what is cut. */
function titleSql(entity: Entity, alias: string): string {
  const { title, untitled } = entity
  if (title === null) return "''"
  const named = `substr(${alias}.${columnOf(entity, title).column}, 1, ${limits.name + 1})`
  const otherwise =
    untitled === null ? "''" : `'${untitled.word} ' || ${alias}.${columnOf(entity, untitled.field).column}`
  return entity.fields[title]?.presence === 'nullable' ? `coalesce(${named}, ${otherwise})` : named
}

/**
 * The title of the row that a reference names, or NULL where that one is not seen. Binds `@viewer` and `@campaign`. With
 * `trashed` what is in the trash has its name too: for who keeps the history.
 */
export function targetTitleSql(eyes: Eyes, target: string, id: string, trashed = false): string {
  if (target === 'user') return `(SELECT target.username FROM users target WHERE target.id = ${id})`
  const { registry, audience } = eyes
  const entity = registry.get(target)
  const test = allSql(
    `target.id = ${id}`,
    ...(trashed ? [] : ['target.deleted_at IS NULL']),
    visibleScopeSql(entity, 'target'),
    visibleSql(registry, entity, 'target', audience),
  )
  return test === '0' ? 'NULL' : `(SELECT ${titleSql(entity, 'target')} FROM ${entity.table} target WHERE ${test})`
}

/** The title of what a link names, or NULL where that is not seen. Binds `@viewer` and `@campaign`. */
export function linkTitleSql(eyes: Eyes, type: string, id: string, trashed = false): string {
  const kinds = eyes.registry
    .kinds('linked')
    .map(({ name }) => `WHEN '${name}' THEN ${targetTitleSql(eyes, name, id, trashed)}`)
  return kinds.length === 0 ? 'NULL' : `CASE ${type} ${kinds.join(' ')} END`
}

/** A reference with the name that was read for it; null where it names nothing. */
export function namedBy(id: SqlValue | undefined, title: SqlValue | undefined): Reference | null {
  return typeof id === 'number' ? { id, title: oneLine(title) } : null
}

/** A title as it is shown, or null where what has it is not seen. */
export function seenTitle(title: SqlValue | undefined): string | null {
  return title === null || title === undefined ? null : oneLine(title)
}

/** A title on one line of at most 120 characters, with a sign where it was cut. */
export function oneLine(title: SqlValue | undefined): string {
  const line = String(title ?? '')
    .replaceAll(/\s+/gu, ' ')
    .trim()
  if (line.length <= limits.name) return line
  const characters = Array.from(line)
  return characters.length <= limits.name ? line : `${characters.slice(0, limits.name - 1).join('')}…`
}
