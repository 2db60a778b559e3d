import { combine } from './dice.ts'
import { type DiceTerm, type Expression, type Match, type Modifier, matches, parseDice } from './dice-parse.ts'

// The chances of an expression, computed and not tried: each result with its probability.

export type Odds = ReadonlyMap<number, number>

/** No more than so many results and products of results are worked through. */
const mostResults = 20_000
const mostWork = 4_000_000
/** Explosions are followed until what is left is less likely than this. */
const negligible = 1e-14

/**
 * The probability of each result. Null where it would take too long, or where dice are kept after an explosion or rolled again
 * after keeping: their number is no longer known beforehand. Throws `DiceError` where the text cannot be read.
 */
export function oddsOf(text: string): Odds | null {
  return of(parseDice(text))
}

export interface OddsSummary {
  readonly least: number
  readonly most: number
  readonly mean: number
  readonly mode: number
}

export function summaryOf(odds: Odds): OddsSummary {
  let [least, most, mean, mode, likeliest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0, 0, 0]
  for (const [value, chance] of odds) {
    if (value < least) least = value
    if (value > most) most = value
    mean += value * chance
    if (chance > likeliest) [mode, likeliest] = [value, chance]
  }
  return { least, most, mean, mode }
}

/** How likely a result of at least this is. */
export function chanceOf(odds: Odds, least: number): number {
  let sum = 0
  for (const [value, chance] of odds) if (value >= least) sum += chance
  return Math.min(1, sum)
}

function of(expression: Expression): Odds | null {
  switch (expression.is) {
    case 'number':
      return new Map([[expression.value, 1]])
    case 'dice':
      return ofTerm(expression)
    case 'group':
      return of(expression.of)
    case 'minus':
      return mapped(of(expression.of), (value) => 0 - value)
    default: {
      const [left, right] = [of(expression.left), of(expression.right)]
      // Dividing by what may be zero has no result.
      if (left === null || right === null) return null
      if ((expression.is === '/' || expression.is === '%') && right.has(0)) return null
      return joined(left, right, (a, b) => combine(expression.is, a, b, expression.position))
    }
  }
}

function add(odds: Map<number, number>, value: number, chance: number): void {
  odds.set(value, (odds.get(value) ?? 0) + chance)
}

function mapped(odds: Odds | null, change: (value: number) => number): Odds | null {
  if (odds === null) return null
  const after = new Map<number, number>()
  for (const [value, chance] of odds) add(after, change(value), chance)
  return after
}

function joined(left: Odds, right: Odds, join: (a: number, b: number) => number): Odds | null {
  if (left.size * right.size > mostWork) return null
  const after = new Map<number, number>()
  for (const [a, chanceA] of left) for (const [b, chanceB] of right) add(after, join(a, b), chanceA * chanceB)
  return after.size > mostResults ? null : after
}

/** The sum of so many independent results of the same kind. */
function times(odds: Odds, count: number): Odds | null {
  let sum: Odds | null = new Map([[0, 1]])
  for (let power: Odds | null = odds, left = count; left > 0; left >>= 1) {
    if (sum === null || power === null) return null
    if (left & 1) sum = joined(sum, power, (a, b) => a + b)
    if (left > 1) power = joined(power, power, (a, b) => a + b)
  }
  return sum
}

type Keeping = Extract<Modifier, { do: 'keep' | 'drop' }>
type Exploding = Extract<Modifier, { do: 'explode' }>

/** What one die counts for, by its value. */
function countOf({ modifiers }: DiceTerm): (value: number) => number {
  const wins = modifiers.flatMap((each): Match[] => (each.do === 'success' ? [each.match] : []))
  const losses = modifiers.flatMap((each): Match[] => (each.do === 'failure' ? [each.match] : []))
  if (wins.length + losses.length === 0) return (value) => value
  const lost = wins.length > 0 ? -1 : 1
  return (value) =>
    (wins.some((match) => matches(match, value)) ? 1 : 0) + (losses.some((match) => matches(match, value)) ? lost : 0)
}

function ofTerm(term: DiceTerm): Odds | null {
  const faces = term.to - term.from + 1
  let die: Odds = new Map(Array.from({ length: faces }, (_, index) => [term.from + index, 1 / faces]))
  const afresh = die
  let keeping: Keeping | null = null
  let exploding: Exploding | null = null
  const later: ((value: number) => number)[] = []
  for (const modifier of term.modifiers) {
    if (modifier.do === 'success' || modifier.do === 'failure') continue
    if (modifier.do === 'min' || modifier.do === 'max') {
      const { value: bound } = modifier
      const change = (value: number): number => Math[modifier.do === 'min' ? 'max' : 'min'](value, bound)
      if (keeping === null && exploding === null) die = mapped(die, change) ?? die
      else later.push(change)
    } else if (keeping !== null || exploding !== null) return null
    else if (modifier.do === 'reroll') die = rerolled(die, afresh, modifier.match, modifier.again)
    else if (modifier.do === 'explode') exploding = modifier
    else if (modifier.do === 'keep' || modifier.do === 'drop') keeping = modifier
  }
  const count = countOf(term)
  const worth = (value: number): number => count(later.reduce((now, change) => change(now), value))
  if (exploding !== null) {
    const chain = exploded(die, afresh, exploding, worth)
    return chain === null ? null : times(chain, term.count)
  }
  if (keeping !== null) return kept(die, term.count, keeping, worth)
  const one = mapped(die, worth)
  return one === null ? null : times(one, term.count)
}

/** A die whose value matches is thrown once more, or until it does not. A new throw is as no modifier has touched it. */
function rerolled(die: Odds, afresh: Odds, match: Match, again: boolean): Odds {
  const stays = new Map(Array.from(die).filter(([value]) => !matches(match, value)))
  const leaves = 1 - Array.from(stays.values()).reduce((sum, chance) => sum + chance, 0)
  const after = new Map(stays)
  if (!again) {
    for (const [value, chance] of afresh) add(after, value, leaves * chance)
    return after
  }
  const settled = Array.from(afresh).filter(([value]) => !matches(match, value))
  const all = settled.reduce((sum, [, chance]) => sum + chance, 0)
  for (const [value, chance] of settled) add(after, value, (leaves * chance) / all)
  return after
}

/** A die and all that come of it, until one does not match. */
function exploded(die: Odds, afresh: Odds, { match, how }: Exploding, worth: (value: number) => number): Odds | null {
  const total = new Map<number, number>()
  // What the chain is worth so far, of chains that go on; compounding counts at the end, as one die.
  let going: Odds = new Map([[0, 1]])
  const value = (each: number): number => (how === 'compound' ? each : worth(each))
  const end = (sum: number, chance: number): void => add(total, how === 'compound' ? worth(sum) : sum, chance)
  for (let step = 0; going.size > 0; step++) {
    const next = new Map<number, number>()
    for (const [sum, chance] of going)
      for (const [face, likely] of step === 0 ? die : afresh) {
        const mine = sum + value(how === 'penetrate' && step > 0 ? face - 1 : face)
        if (matches(match, face) && (how !== 'once' || step === 0)) add(next, mine, chance * likely)
        else end(mine, chance * likely)
      }
    const left = Array.from(next.values()).reduce((sum, chance) => sum + chance, 0)
    if (left < negligible || next.size > mostResults) {
      for (const [sum, chance] of next) end(sum, chance)
      break
    }
    going = next
  }
  return total.size > mostResults ? null : total
}

/** The dice that are kept of so many: from the kept end on, how many show each value. */
function kept(
  die: Odds,
  count: number,
  { do: what, end, count: asked }: Keeping,
  worth: (value: number) => number,
): Odds | null {
  const keep = what === 'keep' ? Math.min(asked, count) : Math.max(0, count - asked)
  const highestFirst = (what === 'keep') === (end === 'highest')
  const values = Array.from(die).toSorted(([a], [b]) => (highestFirst ? b - a : a - b))
  if (values.length * count * count * keep > mostWork / 10) return null
  // By how many dice lie at this value or nearer to the kept end: what the kept ones of them sum up to.
  let states = new Map<number, Map<number, number>>([[0, new Map([[0, 1]])]])
  let work = 0
  for (const [value, chance] of values) {
    const next = new Map<number, Map<number, number>>()
    for (const [used, sums] of states) {
      for (let more = 0; used + more <= count; more++) {
        const ways = choose(count - used, more) * chance ** more
        const counted = Math.max(0, Math.min(more, keep - used))
        const into = next.get(used + more) ?? new Map<number, number>()
        next.set(used + more, into)
        for (const [sum, likely] of sums) add(into, sum + counted * worth(value), likely * ways)
        work += sums.size
      }
      if (work > mostWork) return null
    }
    states = next
  }
  return states.get(count) ?? null
}

function choose(of: number, some: number): number {
  let ways = 1
  for (let index = 0; index < some; index++) ways = (ways * (of - index)) / (index + 1)
  return ways
}
