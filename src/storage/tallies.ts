import type { Entity } from '../kernel/entity.ts'
import { type LabelCount, mergedLabels } from '../kernel/label-counts.ts'
import { foldText } from '../kernel/sort-key.ts'
import type { Predicate } from '../kernel/visibility.ts'
import { type Column, columnOf, type SqlValue } from './columns.ts'
import { isOpen, type Registry } from './registry.ts'
import type { Part } from './search-places.ts'
import type { Store } from './store.ts'
import type { SqlViewer } from './visibility-sql.ts'

// How many rows have which value of a field that is counted over a whole campaign (`lists.counts`): kept with each write, so
// that asking costs the same however many rows there are. What only Dungeon Masters see is counted apart, as it lies apart
// in the search index (search-places.ts): a member's counts are made of what members see, and take no longer for the rest.

export interface Tally {
  /** Under which its numbers stand. */
  readonly name: string
  readonly by: Column
  /** What is added up beside the count; null where nothing is. */
  readonly sum: Column | null
}

const cache = new WeakMap<Entity, readonly Tally[]>()

export function talliesOf(entity: Entity): readonly Tally[] {
  const known = cache.get(entity)
  if (known) return known
  const made = (entity.lists.counts ?? []).map(({ by, sum }) => ({
    name: [entity.name, by, ...(sum === undefined ? [] : [sum])].join('.'),
    by: columnOf(entity, by),
    sum: sum === undefined ? null : columnOf(entity, sum),
  }))
  if (made.length > 0 && !isPlaced(entity.visible))
    throw new Error(`${entity.name}: who sees a row depends on who asks, so that it cannot be counted ahead`)
  cache.set(entity, made)
  return made
}

/**
 * Whether the part in which a row lies says who sees it: nobody is named, and nothing hangs on who asks but the role, and
 * whether an outside AI does.
 */
function isPlaced(predicate: Predicate): boolean {
  switch (predicate.is) {
    case 'everyone':
    case 'dm':
    case 'field':
    case 'parent':
    case 'agreed':
      return true
    case 'any':
    case 'all':
      return predicate.of.every(isPlaced)
    case 'admin':
    case 'self':
    case 'linked':
    case 'opened':
      return false
  }
}

/** What of a part stands in its lines. */
export const codeOf = { open: 0, closed: 1 } as const

/** Texts of a list are counted together in whatever case they are written, as they are found. */
export function tallyKey({ by }: Tally, value: string): string {
  return by.kind === 'json' ? foldText(value) : value
}

/** The parts whose rows are exactly those that a viewer sees; null where rows have to be asked one by one. */
export function countedParts(registry: Registry, entity: Entity, audience: SqlViewer): readonly Part[] | null {
  if (!isPlaced(entity.visible)) return null
  if (!isOpen(registry, entity, audience.toolsets)) return []
  const seesAll = (of: Entity, who: Asking): boolean => holdsForAll(registry, of.visible, who)
  // Who looks on has to see it too.
  if (audience.onlooker !== null && !seesAll(entity, { dm: true, ai: null, toolsets: audience.toolsets })) return null
  if (seesAll(entity, audience)) return ['open', 'closed']
  return audience.dm || !followsOpen(registry, entity.visible, audience) ? null : ['open']
}

type Asking = Pick<SqlViewer, 'dm' | 'ai' | 'toolsets'>

/** Whether every row passes. What is there has its parent: they go to the trash together. */
function holdsForAll(registry: Registry, predicate: Predicate, who: Asking): boolean {
  const holds = (each: Predicate): boolean => holdsForAll(registry, each, who)
  switch (predicate.is) {
    case 'everyone':
      return true
    case 'dm':
      return who.dm
    case 'agreed':
      return who.ai === null
    case 'any':
      return predicate.of.some(holds)
    case 'all':
      return predicate.of.every(holds)
    case 'parent': {
      const parent = registry.get(predicate.entity)
      return isOpen(registry, parent, who.toolsets) && holds(parent.visible)
    }
    default:
      return false
  }
}

/** Whether the parents, whose part a row is in, are kinds that are open and lie in parts themselves, and nothing waits for somebody's agreement. */
function followsOpen(registry: Registry, predicate: Predicate, who: Asking): boolean {
  if (predicate.is === 'any' || predicate.is === 'all')
    return predicate.of.every((each) => followsOpen(registry, each, who))
  if (predicate.is === 'agreed') return who.ai === null
  if (predicate.is !== 'parent') return true
  const parent = registry.get(predicate.entity)
  return (
    isOpen(registry, parent, who.toolsets) && isPlaced(parent.visible) && followsOpen(registry, parent.visible, who)
  )
}

export interface Counted {
  readonly value: string
  readonly count: number
  readonly sum: number
}

/** All values of a field that has few, in the order in which their texts sort. */
export function countedValues(store: Store, campaign: SqlValue, { name }: Tally, parts: readonly Part[]): Counted[] {
  const found = new Map<string, Counted>()
  for (const part of parts) {
    for (const row of store.all(
      'SELECT value, count, sum FROM tallies WHERE campaign_id = @campaign AND name = @name AND part = @part ORDER BY key, value',
      { campaign, name, part: codeOf[part] },
    )) {
      const value = String(row.value)
      const known = found.get(value) ?? { value, count: 0, sum: 0 }
      found.set(value, { value, count: known.count + Number(row.count), sum: known.sum + Number(row.sum) })
    }
  }
  return Array.from(found.values())
}

/** The labels behind one, by their keys; no more than `limit`. */
export function countedLabels(
  store: Store,
  campaign: SqlValue,
  { name }: Tally,
  parts: readonly Part[],
  { after, limit }: { readonly after: string; readonly limit: number },
): readonly LabelCount[] {
  const lists = parts.map((part) =>
    store
      .all(
        // Beside max() stands the value of the row that has it (SQLite, "Bare columns in an aggregate query").
        `SELECT key, value, max(count) AS most, sum(count) AS count FROM tallies
         WHERE campaign_id = @campaign AND name = @name AND part = @part AND key > @after GROUP BY key ORDER BY key LIMIT @limit`,
        { campaign, name, part: codeOf[part], after, limit },
      )
      .map(({ key, value, most, count }) => ({
        key: String(key),
        label: String(value),
        count: Number(count),
        most: Number(most),
      })),
  )
  return mergedLabels(lists).slice(0, limit)
}
