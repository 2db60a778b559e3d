import type { Difficulty, Foe } from './sheet.ts'
import type { RuleSystem } from './system.ts'

// Which foes a fight is made of when the dice choose. What is hard the system says; here is only who is tried.

/** A creature that may be chosen. */
export interface Candidate {
  readonly id: number
  readonly name: string
  /** Challenge or level; null where it has none. */
  readonly rating: number | null
  readonly experience?: number | undefined
}

export interface Roster {
  readonly foes: readonly (Candidate & { readonly count: number })[]
  /** Null where the system does not rate fights. */
  readonly difficulty: Difficulty | null
}

/** What is asked for. `tier` is a key of `RuleSystem.tiers`; of a system without any it is not looked at. */
export interface RosterWish {
  readonly party: readonly number[]
  readonly tier: string
  readonly mostFoes: number
  /** The same word, creatures and party give the same roster, on every machine. */
  readonly seed: string
}

/** A whole number below `most`. */
type Pick = (most: number) => number

/** Numbers that follow from a word: FNV-1a of it begins a mulberry32. It decides nothing that anybody gains from knowing. */
export function pickBy(word: string): Pick {
  let state = 0x811c9dc5
  for (const byte of new TextEncoder().encode(word)) state = Math.imul(state ^ byte, 0x01000193)
  return (most) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * most)
  }
}

/** Rosters that are tried until one is as hard as was asked for. */
const mostTries = 120

/** Foes as hard as is asked for; null where none of what there is comes to it. */
export function rosterFor(rules: RuleSystem, candidates: readonly Candidate[], wish: RosterWish): Roster | null {
  const { party, tier, mostFoes, seed } = wish
  const pick = pickBy(seed)
  const all = candidates.toSorted((one, other) => one.id - other.id)
  if (rules.tiers.length === 0) return unrated(all, Math.min(mostFoes, Math.max(1, party.length)), pick)
  const asked = rules.tiers.findIndex(({ key }) => key === tier)
  const rankOf = (foes: readonly Foe[]): number => rank(rules, rules.difficulty(party, foes))
  const alone = new Map<string, number>()
  const usable = all.filter(({ rating, experience, name }) => {
    if (rating === null) return false
    const key = `${rating} ${experience}`
    const known = alone.get(key) ?? rankOf([{ name, rating, experience, count: 1 }])
    alone.set(key, known)
    return known <= asked
  })
  for (let tried = 0; tried < mostTries && usable.length > 0; tried++) {
    const foes = grown(drawn(usable, 1 + pick(3), pick), asked, { rankOf, mostFoes, pick })
    if (foes === null) continue
    return { foes, difficulty: rules.difficulty(party, foes.map(foeOf)) }
  }
  return null
}

/** Below nought for what is hardly a fight, beyond the last tier for what is more than that. */
function rank(rules: RuleSystem, difficulty: Difficulty | null): number {
  if (difficulty === null || difficulty.tier === 'none') return Number.POSITIVE_INFINITY
  if (difficulty.tier === 'trivial') return -1
  const at = rules.tiers.findIndex(({ key }) => key === difficulty.tier)
  return at < 0 ? rules.tiers.length : at
}

type Counted = Candidate & { readonly count: number }

const foeOf = ({ name, rating, experience, count }: Counted): Foe => ({ name, rating: rating ?? 0, experience, count })

/** Some of them, none twice. */
function drawn(from: readonly Candidate[], kinds: number, pick: Pick): readonly Candidate[] {
  const left = [...from]
  const chosen: Candidate[] = []
  while (chosen.length < kinds && left.length > 0) chosen.push(...left.splice(pick(left.length), 1))
  return chosen
}

interface Growth {
  readonly rankOf: (foes: readonly Foe[]) => number
  readonly mostFoes: number
  readonly pick: Pick
}

/** One of each, and more of them until it is as hard as asked; null where it never is. */
function grown(kinds: readonly Candidate[], asked: number, { rankOf, mostFoes, pick }: Growth): Counted[] | null {
  if (kinds.length > mostFoes) return null
  let foes: Counted[] = kinds.map((each) => ({ ...each, count: 1 }))
  let fits: Counted[] | null = null
  for (let total = kinds.length; total <= mostFoes; total++) {
    const now = rankOf(foes.map(foeOf))
    if (now > asked) break
    if (now === asked) {
      fits = foes
      // A third of what fits may grow on, so that not every one is as small as it can be.
      if (pick(3) > 0) break
    }
    const more = pick(foes.length)
    foes = foes.map((each, index) => (index === more ? { ...each, count: each.count + 1 } : each))
  }
  return fits
}

/** Where nothing is rated: as many as there are characters, of one kind or two. */
function unrated(from: readonly Candidate[], count: number, pick: Pick): Roster | null {
  const kinds = drawn(from, count > 1 ? 1 + pick(2) : 1, pick)
  const [first, second] = kinds
  if (first === undefined) return null
  const others = second === undefined ? 0 : 1 + pick(count - 1)
  const foes = [{ ...first, count: count - others }, ...(second === undefined ? [] : [{ ...second, count: others }])]
  return { foes: foes.filter((each) => each.count > 0), difficulty: null }
}
