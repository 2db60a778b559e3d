import type { Entity } from './entity.ts'
import type { Access } from './operation.ts'

/** What ownership asks of a declaration. */
export type Owned = Pick<Entity, 'name' | 'scope' | 'fields' | 'owner' | 'controller' | 'acting'>

/** A row with its declaration. */
export interface OwnedRow {
  readonly entity: Owned
  readonly row: Readonly<Record<string, unknown>>
}

/**
 * A row by its id, whoever may see it, and in the trash too: what is deleted gives nobody a right. Null where there is none.
 */
export type RowOf = (entity: string, id: number) => OwnedRow | null

/** The user whose it is, along the path of `owner`; null where it is nobody's. */
export function ownerOf(owned: OwnedRow, rowOf: RowOf): number | null {
  return userAlong('owner', owned, rowOf)
}

/** The user who plays it, along the path of `controller`; null where nobody does. */
export function controllerOf(owned: OwnedRow, rowOf: RowOf): number | null {
  return userAlong('controller', owned, rowOf)
}

/** The user who plays the one that acts now; null where nothing acts or nobody plays it. */
export function actingControllerOf({ entity, row }: OwnedRow, rowOf: RowOf): number | null {
  const acting = entity.acting === null ? null : next(entity, entity.acting, row, rowOf)
  return acting === null || typeof acting === 'number' ? null : controllerOf(acting, rowOf)
}

type Way = 'owner' | 'controller'

/** Declarations make no circles (`checkOwnership`), so that the way ends. */
function userAlong(way: Way, { entity, row }: OwnedRow, rowOf: RowOf): number | null {
  const field = entity[way]
  const found = field === null ? null : next(entity, field, row, rowOf)
  return found === null || typeof found === 'number' ? found : userAlong(way, found, rowOf)
}

/** Where a field leads: to a user, or to another row. */
function next(entity: Owned, field: string, row: OwnedRow['row'], rowOf: RowOf): number | OwnedRow | null {
  const id = row[field]
  if (typeof id !== 'number') return null
  const target = entity.fields[field]?.marks.references
  return target === undefined || target === 'user' ? id : rowOf(target, id)
}

/** The words that ask whose something is. */
const pathOf: Partial<Record<Access, Way | 'acting'>> = {
  owner: 'owner',
  author: 'owner',
  'author+dm': 'owner',
  controller: 'controller',
  turn: 'acting',
}

/** Whether an access word is judged by a row of this entity. */
export function judges(access: Access, entity: Owned): boolean {
  const path = pathOf[access]
  return path !== undefined && entity[path] !== null
}

/** Whether an access word asks whose something is. */
export function asksWhose(access: Access): boolean {
  return pathOf[access] !== undefined
}

/**
 * Throws, naming the entity, where a path of ownership does not end at a user: at a field that references nothing, at an
 * entity that has no owner itself, or never, because it comes back to where it was.
 */
export function checkOwnership(entities: readonly Owned[]): void {
  const byName = new Map(entities.map((entity) => [entity.name, entity]))
  const follow = (start: Owned, entity: Owned, way: Way, passed: readonly string[]): void => {
    const field = entity[way] as string
    const trail = [...passed, `${entity.name}.${field}`]
    const refuse = (why: string): Error => new Error(`${start.name}: its ${way} (${trail.join(' -> ')}) ${why}`)
    // A person's row names them in a column of its own.
    const isTheirs = entity.scope === 'user' && field === 'userId'
    const target = isTheirs ? 'user' : entity.fields[field]?.marks.references
    if (target === undefined) throw refuse('references neither a user nor an entity')
    if (target === 'user') return
    const owner = byName.get(target)
    if (owner === undefined || owner[way] === null) throw refuse(`leads to ${target}, which has none`)
    if (trail.some((step) => step.startsWith(`${target}.`))) throw refuse(`comes back to ${target}`)
    follow(start, owner, way, trail)
  }
  for (const entity of entities) {
    if (entity.owner !== null) follow(entity, entity, 'owner', [])
    if (entity.controller !== null) follow(entity, entity, 'controller', [])
    if (entity.acting === null) continue
    const acting = byName.get(entity.fields[entity.acting]?.marks.references ?? '')
    if (acting?.controller == null)
      throw new Error(`${entity.name}: its acting (${entity.acting}) leads to nothing that somebody plays`)
  }
}
