import {
  DiceError,
  type DiceTerm,
  diceLimits,
  type Expression,
  type DiceError as Failure,
  type Match,
  matches,
  parseDice,
} from './dice-parse.ts'

// Rolling what dice-parse has read. Chance comes from outside: cryptographic in the running program, seeded in tests.

/** A whole number between two, both included. */
export type Chance = (from: number, to: number) => number

/** One die as it fell. */
export interface Die {
  readonly face: number
  /** What it counts for: its face, or what modifiers made of it. */
  readonly value: number
  /** Not counted: dropped, or rolled again. */
  readonly out: 'dropped' | 'rerolled' | null
  /** It came from another that exploded. */
  readonly extra: boolean
  /** Where successes are counted: +1, −1 or 0. */
  readonly counts: number | null
}

/** The dice of one term, in the order in which they fell. */
export interface RolledTerm {
  readonly text: string
  readonly label: string | null
  /** The greatest face. */
  readonly sides: number
  readonly dice: readonly Die[]
  readonly total: number
  /** The total counts successes. */
  readonly counting: boolean
}

export interface DiceResult {
  readonly total: number
  readonly terms: readonly RolledTerm[]
  /** In words: `4d6kh3 (6, 5, ~~1~~, 4) + 2`. */
  readonly text: string
  /** The one die that was kept where one was; what a system asks for that minds a face. Null otherwise. */
  readonly natural: number | null
}

interface Falling {
  face: number
  value: number
  out: Die['out']
  extra: boolean
}

interface Roll {
  readonly chance: Chance
  readonly terms: RolledTerm[]
  extra: number
}

/** Rolls an expression. Throws `DiceError` where it cannot be read, or goes beyond its bounds while rolling. */
export function rollDice(text: string, chance: Chance): DiceResult {
  const roll: Roll = { chance, terms: [], extra: 0 }
  const { total, written } = evaluate(parseDice(text), roll)
  const kept = roll.terms.flatMap(({ dice }) => dice.filter(({ out, extra }) => out === null && !extra))
  const [only] = kept
  return {
    total,
    terms: roll.terms,
    text: written,
    natural: kept.length === 1 && only !== undefined ? only.face : null,
  }
}

/** Whether a text can be rolled: null, or what is wrong with it. */
export function diceFault(text: string): Failure | null {
  try {
    parseDice(text)
    return null
  } catch (fault) {
    if (fault instanceof DiceError) return fault
    throw fault
  }
}

interface Value {
  readonly total: number
  readonly written: string
}

const labelled = (text: string, label: string | null): string => (label === null ? text : `${text} [${label}]`)

function evaluate(expression: Expression, roll: Roll): Value {
  switch (expression.is) {
    case 'number':
      return { total: expression.value, written: labelled(String(expression.value), expression.label) }
    case 'dice':
      return rollTerm(expression, roll)
    case 'minus': {
      const { total, written } = evaluate(expression.of, roll)
      return { total: 0 - total, written: `-${written}` }
    }
    case 'group': {
      const { total, written } = evaluate(expression.of, roll)
      return { total, written: labelled(`(${written})`, expression.label) }
    }
    default: {
      const left = evaluate(expression.left, roll)
      const right = evaluate(expression.right, roll)
      const total = combine(expression.is, left.total, right.total, expression.position)
      return { total, written: `${left.written} ${expression.is} ${right.written}` }
    }
  }
}

/** Division rounds down, as the games do that divide; what is left of it has the sign of the divisor. */
export function combine(sign: '+' | '-' | '*' | '/' | '%', left: number, right: number, position: number): number {
  if (sign === '+') return left + right
  if (sign === '-') return left - right
  if (sign === '*') return safe(left * right, position)
  if (right === 0) throw new DiceError('Nothing is divided by zero.', position)
  return sign === '/' ? Math.floor(left / right) : left - right * Math.floor(left / right)
}

function safe(product: number, position: number): number {
  if (Number.isSafeInteger(product)) return product
  throw new DiceError('The result is too large.', position)
}

function rollTerm(term: DiceTerm, roll: Roll): Value {
  const fall = (extra: boolean): Falling => {
    const face = roll.chance(term.from, term.to)
    return { face, value: face, out: null, extra }
  }
  const further = (extra: boolean): Falling => {
    if (++roll.extra > diceLimits.extra)
      throw new DiceError(`More than ${diceLimits.extra} dice were rolled again. Ask for less.`, term.position)
    return fall(extra)
  }
  let pool = Array.from({ length: term.count }, () => fall(false))
  for (const modifier of term.modifiers) {
    if (modifier.do === 'keep' || modifier.do === 'drop') drop(pool, modifier)
    else if (modifier.do === 'min' || modifier.do === 'max') {
      for (const die of pool) die.value = Math[modifier.do === 'min' ? 'max' : 'min'](die.value, modifier.value)
    } else if (modifier.do === 'reroll') {
      pool = pool.flatMap((die) => rerolled(die, modifier, further))
    } else if (modifier.do === 'explode') pool = pool.flatMap((die) => exploded(die, modifier, further))
  }
  const rolled = counted(term, pool)
  roll.terms.push(rolled)
  return { total: rolled.total, written: `${labelled(term.text, term.label)} (${rolled.dice.map(dieText).join(', ')})` }
}

function drop(
  pool: readonly Falling[],
  { do: what, end, count }: Extract<DiceTerm['modifiers'][number], { do: 'keep' | 'drop' }>,
): void {
  const counting = pool.filter(({ out }) => out === null)
  const away = what === 'drop' ? Math.min(count, counting.length) : Math.max(0, counting.length - count)
  const fromLow = (what === 'drop') === (end === 'lowest')
  // Of equal dice the later goes first.
  const order = counting
    .map((die, index) => ({ die, index }))
    .toSorted((a, b) => (fromLow ? a.die.value - b.die.value : b.die.value - a.die.value) || b.index - a.index)
  for (const { die } of order.slice(0, away)) die.out = 'dropped'
}

function rerolled(
  first: Falling,
  { match, again }: { readonly match: Parameters<typeof matches>[0]; readonly again: boolean },
  further: (extra: boolean) => Falling,
): Falling[] {
  const all = [first]
  for (let die = first; die.out === null && matches(match, die.value); ) {
    die.out = 'rerolled'
    die = further(die.extra)
    all.push(die)
    if (!again) break
  }
  return all
}

function exploded(
  first: Falling,
  { match, how }: Extract<DiceTerm['modifiers'][number], { do: 'explode' }>,
  further: (extra: boolean) => Falling,
): Falling[] {
  if (first.out !== null) return [first]
  const all = [first]
  for (let die = first; matches(match, how === 'penetrate' ? die.face : die.value); ) {
    die = further(true)
    all.push(die)
    if (how === 'penetrate') die.value = die.face - 1
    if (how === 'once') break
  }
  if (how !== 'compound') return all
  first.value = all.reduce((sum, { value }) => sum + value, 0)
  return [first]
}

function counted(term: DiceTerm, pool: readonly Falling[]): RolledTerm {
  const matchesOf = (what: 'success' | 'failure'): readonly Match[] =>
    term.modifiers.flatMap((each) =>
      (each.do === 'success' || each.do === 'failure') && each.do === what ? [each.match] : [],
    )
  const [wins, losses] = [matchesOf('success'), matchesOf('failure')]
  const counting = wins.length + losses.length > 0
  // Failures are taken off successes; by themselves they are what is counted.
  const lost = wins.length > 0 ? -1 : 1
  const countOf = (value: number): number =>
    (wins.some((match) => matches(match, value)) ? 1 : 0) + (losses.some((match) => matches(match, value)) ? lost : 0)
  const dice = pool.map((die): Die => ({ ...die, counts: counting && die.out === null ? countOf(die.value) : null }))
  const total = dice.reduce((sum, { out, value, counts }) => (out === null ? sum + (counts ?? value) : sum), 0)
  return { text: term.text, label: term.label, sides: term.to, dice, total, counting }
}

function dieText({ face, value, out, counts }: Die): string {
  const shown = face === value ? String(face) : `${face}→${value}`
  if (out !== null) return `~~${shown}~~`
  return counts !== null && counts !== 0 ? `**${shown}**` : shown
}
