import type { Difficulty, Foe } from '../sheet.ts'
import { experienceByDifference, tiers } from './tables.ts'

/** The level of a party: the mean of its members, rounded. */
export function levelOfParty(party: readonly number[]): number {
  return party.length === 0 ? 1 : Math.round(party.reduce((sum, level) => sum + level, 0) / party.length)
}

/** What a foe is worth by how far its level is from the party's; nothing when far below, null when too far above to be rated. */
export function experienceOf({ rating }: Pick<Foe, 'rating'>, party: readonly number[]): number | null {
  const difference = rating - levelOfParty(party)
  if (difference < -4) return 0
  return experienceByDifference[difference + 4] ?? null
}

/** The smallest tier whose budget is enough. The budget is for four; each one more or less moves it. */
export function difficultyOf(party: readonly number[], foes: readonly Foe[]): Difficulty {
  const bounds = tiers.map(({ key, name, budget, each }) => ({
    key,
    name,
    experience: Math.max(0, budget + each * (party.length - 4)),
  }))
  const worth = foes.map((foe) => ({ ...foe, each: experienceOf(foe, party) }))
  const total = worth.reduce((sum, { each, count }) => sum + (each ?? 0) * count, 0)
  const sums = worth.map(({ name, count, rating, each }) => {
    const who = `${count === 1 ? '' : `${count} × `}${name}, level ${rating}`
    if (each === null) return `${who}: too far above the party to be rated`
    return `${who}, ${each}${count === 1 ? '' : ' each'}`
  })
  sums.push(`${total} XP in all, for a party of level ${levelOfParty(party)}`)
  sums.push(`Budgets for ${party.length}: ${bounds.map(({ name, experience }) => `${name} ${experience}`).join(', ')}`)
  const verdict = (tier: string, says: string, ...warnings: readonly string[]): Difficulty => ({
    tier,
    says,
    total,
    weighed: total,
    bounds,
    sums,
    warnings,
  })
  if (party.length === 0) return verdict('none', 'Not rated', 'There is no active character to measure against.')
  if (worth.some(({ each }) => each === null))
    return verdict('beyond', 'Beyond extreme', 'A foe is more than four levels above the party.')
  const tier = bounds.find(({ experience }) => total <= experience)
  return tier === undefined ? verdict('beyond', 'Beyond extreme') : verdict(tier.key, tier.name)
}
