import type { Entity } from '../kernel/entity.ts'
import type { Predicate } from '../kernel/visibility.ts'
import { columnOf } from './columns.ts'
import { parentsOf } from './parts.ts'
import { wholeRow } from './reader.ts'
import { replaceRecent } from './recent-changes.ts'
import type { Registry } from './registry.ts'
import { replaceDocument, searchable } from './search.ts'
import { type Part, partOf, readerFieldsOf } from './search-places.ts'
import type { Store } from './store.ts'
import { talliesOf } from './tallies.ts'
import { moveTallies } from './tally-writes.ts'

type Row = Readonly<Record<string, unknown>>

interface Follower {
  readonly entity: Entity
  /** The field that names what it follows. */
  readonly field: string
}

const cache = new WeakMap<Registry, ReadonlyMap<string, readonly Follower[]>>()

/** The kinds of thing that are seen by who sees a thing of that kind. */
function followersOf(registry: Registry, name: string): readonly Follower[] {
  const known = cache.get(registry)
  if (known) return known.get(name) ?? []
  const found = new Map<string, Follower[]>()
  const walk = (entity: Entity, predicate: Predicate): void => {
    if (predicate.is === 'any' || predicate.is === 'all') for (const each of predicate.of) walk(entity, each)
    if (predicate.is !== 'parent') return
    const { entity: parent, field } = predicate
    found.set(parent, [...(found.get(parent) ?? []), { entity, field }])
  }
  for (const entity of registry.all) walk(entity, entity.visible)
  cache.set(registry, found)
  return found.get(name) ?? []
}

/** After a row was hidden or shown: what follows it goes from one part to the other, in the search index and in the counts. */
export function moveFollowers(store: Store, entity: Entity, before: Row, after: Row): void {
  if (followersOf(store.registry, entity.name).length === 0 || readerFieldsOf(entity).length > 0) return
  const parents = parentsOf(store)
  const to = partOf(entity, after, parents)
  if (partOf(entity, before, parents) !== to) move(store, entity, Number(after.id), to)
}

/** Whether anything is kept of such things apart. There are thousands of what is not, as the events of a fight. */
function hasPlace(registry: Registry, entity: Entity): boolean {
  if (searchable(entity) || talliesOf(entity).length > 0) return true
  return followersOf(registry, entity.name).some((follower) => hasPlace(registry, follower.entity))
}

function move(store: Store, entity: Entity, id: number, to: Part): void {
  for (const { entity: follower, field } of followersOf(store.registry, entity.name)) {
    if (!hasPlace(store.registry, follower)) continue
    const { column } = columnOf(follower, field)
    const rows = store.all(`SELECT t.id AS id FROM ${follower.table} t WHERE t.${column} = @id ORDER BY t.id`, { id })
    for (const { id: followerId } of rows) {
      const row = wholeRow(store, follower, Number(followerId))
      if (row === null) continue
      const parents = parentsOf(store)
      // What lies where it lay, whatever it follows, is hidden by itself or seen besides.
      const within = (isOpen: boolean): Part =>
        partOf(follower, row, (name, its) => (name === entity.name && its === id ? isOpen : parents(name, its)))
      if (within(true) === within(false)) continue
      replaceDocument(store, follower, row)
      moveTallies(store, follower, row, to)
      replaceRecent(store, follower, row)
      move(store, follower, Number(followerId), to)
    }
  }
}
