import type { Entity } from '../kernel/entity.ts'
import { checkOwnership } from '../kernel/ownership.ts'

export interface Owned {
  readonly entity: Entity
  /** The field that names the owner. */
  readonly field: string
}

/** All entities by name, and what each owns. */
export interface Registry {
  readonly all: readonly Entity[]
  /** Throws on a name that no entity has: a programming error. */
  get(name: string): Entity
  find(name: string): Entity | undefined
  ownedBy(name: string): readonly Owned[]
}

export function createRegistry(entities: readonly Entity[]): Registry {
  const byName = new Map(entities.map((entity) => [entity.name, entity]))
  if (byName.size !== entities.length) throw new Error('two entities have the same name')
  checkOwnership(entities)
  const owned = new Map<string, Owned[]>()
  for (const entity of entities) {
    for (const [field, { marks }] of Object.entries(entity.fields)) {
      if (marks.references && marks.references !== 'user' && !byName.has(marks.references)) {
        throw new Error(`${entity.name}.${field} references ${marks.references}, which is not an entity`)
      }
      if (marks.owned && marks.references)
        owned.set(marks.references, [...(owned.get(marks.references) ?? []), { entity, field }])
    }
  }
  return {
    all: entities,
    find: (name) => byName.get(name),
    get(name) {
      const entity = byName.get(name)
      if (!entity) throw new Error(`there is no entity ${name}`)
      return entity
    },
    ownedBy: (name) => owned.get(name) ?? [],
  }
}
