import type { Change, Fight, Fighter, FightPart, FightPatch, Moving } from './fight.ts'

// What differs between two states of a fight, and how to go from one to the other, both ways.

export const movingKeys = [
  'hp',
  'hpTemp',
  'lifeState',
  'marks',
  'conditions',
  'concentration',
  'resources',
  'slots',
  'initiative',
  'place',
  'parts',
  'attacksMade',
  'delaying',
  'readied',
  'recoveryDue',
  'spent',
  'removed',
] as const satisfies readonly (keyof Moving)[]

const fightKeys = ['status', 'round', 'actingId', 'turns'] as const satisfies readonly (keyof FightPart)[]

/** Equal as they are kept. The members of what is kept always come in one order, but for those that a rule left away. */
export function sameAs(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return false
  if (Array.isArray(one) || Array.isArray(other)) {
    if (!Array.isArray(one) || !Array.isArray(other) || one.length !== other.length) return false
    return one.every((each, index) => sameAs(each, other[index]))
  }
  const [left, right] = [one as Record<string, unknown>, other as Record<string, unknown>]
  const keys = new Set([...Object.keys(left), ...Object.keys(right)])
  return Array.from(keys).every((key) => sameAs(left[key], right[key]))
}

function changeOf<T>(before: T, after: T, keys: readonly (keyof T)[]): Change<T> | null {
  const changed = keys.filter((key) => !sameAs(before[key], after[key]))
  if (changed.length === 0) return null
  const pick = (from: T) => Object.fromEntries(changed.map((key) => [key, from[key]])) as Partial<T>
  return { before: pick(before), after: pick(after) }
}

/** What differs. Both have the same fighters. */
export function patchBetween(before: Fight, after: Fight): FightPatch {
  const fighters = after.fighters.flatMap((now) => {
    const was = before.fighters.find(({ id }) => id === now.id)
    const change = was === undefined || was === now ? null : changeOf<Moving>(was, now, movingKeys)
    return change === null ? [] : [{ id: now.id, ...change }]
  })
  return { fight: changeOf<FightPart>(before, after, fightKeys), fighters }
}

function patched(fight: Fight, patch: FightPatch, side: 'before' | 'after'): Fight {
  const changes = new Map(patch.fighters.map((each) => [each.id, each[side]]))
  const fighters = fight.fighters.map((each): Fighter => ({ ...each, ...changes.get(each.id) }))
  return { ...fight, ...patch.fight?.[side], fighters }
}

/** The fight after an event. */
export function apply(fight: Fight, patch: FightPatch): Fight {
  return patched(fight, patch, 'after')
}

/**
 * The fight as it would be without an event; what happened since to others of its members stays. Where something has built on
 * it since, nobody but the name of whom that was about.
 */
export function takeBack(fight: Fight, patch: FightPatch): Fight | { readonly builtOn: string } {
  for (const { id, after } of patch.fighters) {
    const now = fight.fighters.find((each) => each.id === id)
    if (now === undefined) return { builtOn: 'somebody who is not in the fight any more' }
    const differs = (Object.keys(after) as (keyof Moving)[]).some((key) => !sameAs(now[key], after[key]))
    if (differs) return { builtOn: now.name }
  }
  const { after } = patch.fight ?? { after: {} as Partial<FightPart> }
  const moved = (Object.keys(after) as (keyof FightPart)[]).some((key) => fight[key] !== after[key])
  return moved ? { builtOn: 'the order of turns' } : patched(fight, patch, 'before')
}
