import type { Difficulty, Foe } from '../sheet.ts'
import type { Named } from '../system.ts'
import { budgets, type Edition, experienceByChallenge, multipliers, thresholds } from './tables.ts'

export function tiersOf(edition: Edition): readonly Named[] {
  return edition === '2014'
    ? [
        { key: 'easy', name: 'Easy' },
        { key: 'medium', name: 'Medium' },
        { key: 'hard', name: 'Hard' },
        { key: 'deadly', name: 'Deadly' },
      ]
    : [
        { key: 'low', name: 'Low' },
        { key: 'moderate', name: 'Moderate' },
        { key: 'high', name: 'High' },
      ]
}

/** What a foe is worth: by its challenge. Only of challenge 0 its own number counts. */
export function experienceOf({ rating, experience }: Foe): number {
  return experienceByChallenge.get(rating) ?? experience ?? 0
}

/** Each tier's sum over the party; a level beyond the table counts as its last. */
function boundsFor(edition: Edition, party: readonly number[]): Difficulty['bounds'] {
  const rows = edition === '2014' ? thresholds : budgets
  const rowOf = (level: number): readonly number[] => rows[Math.max(1, Math.min(level, rows.length)) - 1] ?? []
  return tiersOf(edition).map(({ key, name }, tier) => ({
    key,
    name,
    experience: party.reduce((sum, level) => sum + (rowOf(level)[tier] ?? 0), 0),
  }))
}

/** 2014: many foes count more, and more still against few; six or more characters take a step off. */
export function multiplierFor(foes: number, party: number): number {
  const step = foes <= 1 ? 1 : foes === 2 ? 2 : foes <= 6 ? 3 : foes <= 10 ? 4 : foes <= 14 ? 5 : 6
  const moved = step + (party <= 2 ? 1 : party >= 6 ? -1 : 0)
  return multipliers[moved] ?? 1
}

const written = (count: number): string => count.toLocaleString('en')

export function difficultyOf(edition: Edition, party: readonly number[], foes: readonly Foe[]): Difficulty {
  const bounds = boundsFor(edition, party)
  const count = foes.reduce((sum, foe) => sum + foe.count, 0)
  const total = foes.reduce((sum, foe) => sum + foe.count * experienceOf(foe), 0)
  const times = edition === '2014' && count > 0 ? multiplierFor(count, party.length) : 1
  const weighed = Math.floor(total * times)
  const sums = foes.map((foe) =>
    foe.count === 1
      ? `${foe.name}, ${written(experienceOf(foe))}`
      : `${foe.count} × ${foe.name}, ${written(experienceOf(foe))} each`,
  )
  sums.push(`${written(total)} XP in all`)
  if (times !== 1) sums.push(`× ${times} for ${count} foes against ${party.length}: ${written(weighed)}`)
  sums.push(`This party: ${bounds.map(({ name, experience }) => `${name} ${written(experience)}`).join(', ')}`)
  const warnings = edition === '2024' && count > 2 * party.length ? ['More than two foes for each character.'] : []
  const tier = party.length === 0 ? null : tierOf(edition, bounds, weighed)
  if (tier === null) warnings.push('There is no active character to measure against.')
  const name = bounds.find(({ key }) => key === tier)?.name
  const says = tier === 'trivial' ? 'Trivial' : (name ?? (tier === null ? 'Not rated' : 'Beyond high'))
  return { tier: tier ?? 'none', says, total, weighed, bounds, sums, warnings }
}

function tierOf(edition: Edition, bounds: Difficulty['bounds'], weighed: number): string {
  // The older rules say where a tier begins, the newer what it may cost.
  if (edition === '2014') return bounds.findLast(({ experience }) => weighed >= experience)?.key ?? 'trivial'
  return bounds.find(({ experience }) => weighed <= experience)?.key ?? 'beyond'
}
