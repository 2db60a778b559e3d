import type { Consequence } from '../kernel/consequence.ts'
import type { Entity } from '../kernel/entity.ts'
import type { KindAbility } from '../kernel/fields.ts'
import { kindsThat } from '../kernel/kinds.ts'
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
  kinds(can: KindAbility): readonly Entity[]
  /** The toolset that a kind of thing belongs to; undefined of what lies outside of campaigns, or where none was told. */
  toolsetOf(name: string): string | undefined
  /** What is brought up to date at the end of a change set. */
  readonly consequences: readonly Consequence[]
}

/** Whether a kind of thing is open to who may read these toolsets; what belongs to none always is. */
export function isOpen(registry: Registry, entity: Entity, toolsets: readonly string[] | null): boolean {
  if (toolsets === null) return true
  const toolset = registry.toolsetOf(entity.name)
  return toolset === undefined || toolsets.includes(toolset)
}

/** `toolsets`: of each kind of thing of a campaign by its name, as the catalogue derives them. */
export function createRegistry(
  entities: readonly Entity[],
  toolsets: ReadonlyMap<string, string> = new Map(),
  consequences: readonly Consequence[] = [],
): Registry {
  const byName = new Map(entities.map((entity) => [entity.name, entity]))
  if (byName.size !== entities.length) throw new Error('two entities have the same name')
  checkOwnership(entities)
  const owned = new Map<string, Owned[]>()
  const kinds = new Map<KindAbility, readonly Entity[]>()
  for (const entity of entities) {
    for (const [field, { marks }] of Object.entries(entity.fields)) {
      if (marks.references && marks.references !== 'user' && !byName.has(marks.references)) {
        throw new Error(`${entity.name}.${field} references ${marks.references}, which is not an entity`)
      }
      if (entity.journal === 'anonymous' && marks.references === 'user')
        throw new Error(`${entity.name}.${field} names a user, and its journal is to name nobody`)
      if (marks.owned && marks.references)
        owned.set(marks.references, [...(owned.get(marks.references) ?? []), { entity, field }])
    }
  }
  return {
    all: entities,
    consequences,
    find: (name) => byName.get(name),
    toolsetOf: (name) => toolsets.get(name),
    get(name) {
      const entity = byName.get(name)
      if (!entity) throw new Error(`there is no entity ${name}`)
      return entity
    },
    ownedBy: (name) => owned.get(name) ?? [],
    kinds(can) {
      const known = kinds.get(can) ?? kindsThat(entities, can)
      kinds.set(can, known)
      return known
    },
  }
}
