import type { Entity } from './entity.ts'
import type { KindAbility } from './fields.ts'

/** The kinds of things of a campaign: any, or those that can be linked to (they have a title to be called by), trashed, hidden, mentioned. */
export function kindsThat<E extends Pick<Entity, 'scope' | 'title' | 'trash' | 'hide' | 'mention'>>(
  entities: readonly E[],
  can: KindAbility,
): readonly E[] {
  return entities
    .filter(({ scope }) => scope === 'campaign')
    .filter((entity) => can === 'any' || (can === 'linked' ? entity.title !== null : entity[can]))
}
