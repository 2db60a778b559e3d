import type { RuleSystem } from '../rules/system.ts'
import type { Fight, Fighter } from './fight.ts'

// The order of a round. Everybody has a place, a number far from their neighbours': whoever comes in, or is moved, gets one
// between two, and nobody else's changes. So nothing that others see tells of somebody whom they do not see.

const gap = 2 ** 30

/** Those in the fight, in the order of the round. */
export function ordered(fight: Fight): readonly Fighter[] {
  return fight.fighters.filter(({ removed }) => !removed).toSorted((a, b) => a.place - b.place || a.id - b.id)
}

/** Those whose turn can come: the dead are passed over, as long as anybody else is there. */
export function inTurn(fight: Fight): readonly Fighter[] {
  const all = ordered(fight)
  const alive = all.filter(({ lifeState }) => lifeState !== 'dead')
  return alive.length > 0 ? alive : all
}

/** Who comes after the one that acts, and whether a round ends with it. Null where nobody fights. */
export function afterActing(fight: Fight): { readonly id: number; readonly newRound: boolean } | null {
  const turns = inTurn(fight)
  const [first] = turns
  if (first === undefined) return null
  const acting = fight.fighters.find(({ id }) => id === fight.actingId)
  const place = acting?.place ?? Number.NEGATIVE_INFINITY
  const next = turns.find((each) => each.place > place || (each.place === place && each.id > (acting?.id ?? 0)))
  return next === undefined ? { id: first.id, newRound: true } : { id: next.id, newRound: false }
}

/** Negative where the first acts before the second; who has no initiative yet comes last. */
function compare(rules: RuleSystem, one: Fighter, other: Fighter): number {
  if (one.initiative === null || other.initiative === null)
    return Number(one.initiative === null) - Number(other.initiative === null)
  const entry = ({ initiative, sheet, conditions }: Fighter) => ({
    total: initiative ?? 0,
    modifier: rules.initiative(sheet, conditions).modifier,
    isCharacter: sheet.isCharacter,
  })
  return rules.compareInitiative(entry(one), entry(other))
}

/** Places of some by their initiative, between those of the others, who stay where they are. */
export function placed(rules: RuleSystem, fight: Fight, ids: ReadonlySet<number>): Fight {
  const moving = ordered(fight).filter(({ id }) => ids.has(id))
  const line: Fighter[] = ordered(fight).filter(({ id }) => !ids.has(id))
  for (const each of moving.toSorted((a, b) => compare(rules, a, b))) {
    const before = line.findIndex((other) => compare(rules, each, other) < 0)
    line.splice(before < 0 ? line.length : before, 0, each)
  }
  return respaced(fight, line, ids)
}

/** Somebody right behind another, or first of all. */
export function placedBehind(fight: Fight, id: number, afterId: number | null): Fight {
  const line = ordered(fight).filter((each) => each.id !== id)
  const moved = fight.fighters.find((each) => each.id === id)
  if (moved === undefined) return fight
  line.splice(afterId === null ? 0 : line.findIndex((each) => each.id === afterId) + 1, 0, moved)
  return respaced(fight, line, new Set([id]))
}

/** New places for those that moved, in a line as it is to be; for all of them where there is no room. */
function respaced(fight: Fight, line: readonly Fighter[], moved: ReadonlySet<number>): Fight {
  const places = new Map<number, number>()
  for (let start = 0; start < line.length; ) {
    if (!moved.has(line[start]?.id ?? 0)) {
      start++
      continue
    }
    let end = start
    while (end < line.length && moved.has(line[end]?.id ?? 0)) end++
    const [left, right] = [line[start - 1]?.place, line[end]?.place]
    const count = end - start
    const step =
      left === undefined || right === undefined ? gap : Math.min(gap, Math.floor((right - left) / (count + 1)))
    if (step < 1) return respaced(fight, line, new Set(line.map(({ id }) => id)))
    const from = left ?? (right === undefined ? 0 : right - step * (count + 1))
    for (let index = 0; index < count; index++) places.set(line[start + index]?.id ?? 0, from + step * (index + 1))
    start = end
  }
  const fighters = fight.fighters.map((each) => {
    const place = places.get(each.id)
    return place === undefined ? each : { ...each, place }
  })
  return { ...fight, fighters }
}
