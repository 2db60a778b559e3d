import type { Random } from '../kernel/random.ts'

// Sums of dice and numbers as stat blocks and tables write them: `2d6+3`. The full notation of rolls is not read here.

/** Dice of one throw, and sides of one die. */
const mostDice = 100
const mostSides = 1000

const term = /([+-]?)(?:(\d{0,3})d(\d{1,4})|(\d{1,6}))/gy

export interface DiceTerm {
  readonly sign: 1 | -1
  readonly count: number
  /** Null for a plain number, which then is `count`. */
  readonly sides: number | null
}

/** The terms of a sum of dice; null where it is none, or asks for more than 100 dice or 1,000 sides. */
export function termsOf(text: string): readonly DiceTerm[] | null {
  const plain = text
    .trim()
    .replaceAll(/ ?([+-]) ?/g, '$1')
    .toLowerCase()
  const terms: DiceTerm[] = []
  term.lastIndex = 0
  while (term.lastIndex < plain.length) {
    const found = term.exec(plain)
    if (found === null || (terms.length > 0 && found[1] === '')) return null
    const [, sign, count, sides, number] = found
    const isDice = sides !== undefined
    terms.push({
      sign: sign === '-' ? -1 : 1,
      count: isDice ? (count === '' ? 1 : Number(count)) : Number(number),
      sides: isDice ? Number(sides) : null,
    })
  }
  const dice = terms.filter(({ sides }) => sides !== null)
  const isBounded = dice.every(({ count, sides }) => count >= 1 && (sides ?? 1) >= 1 && (sides ?? 1) <= mostSides)
  const isFew = dice.reduce((sum, { count }) => sum + count, 0) <= mostDice
  return terms.length > 0 && isBounded && isFew ? terms : null
}

/** Whether a text is a sum of dice or a number. */
export const isDice = (text: string): boolean => termsOf(text) !== null

/** What a sum comes to on average, rounded down as stat blocks do. */
export function averageOf(text: string): number {
  const terms = termsOf(text) ?? []
  return Math.floor(
    terms.reduce((sum, { sign, count, sides }) => sum + sign * count * (sides === null ? 1 : (sides + 1) / 2), 0),
  )
}

/** The least and the most that a sum comes to. */
export function boundsOf(text: string): { readonly least: number; readonly most: number } {
  let [least, most] = [0, 0]
  for (const { sign, count, sides } of termsOf(text) ?? []) {
    const ends = [sign * count, sign * count * (sides ?? 1)] as const
    least += Math.min(...ends)
    most += Math.max(...ends)
  }
  return { least, most }
}

export interface DiceThrow {
  readonly expression: string
  readonly total: number
  /** The face of each die, in the order in which they stand. */
  readonly dice: { readonly sides: number; readonly face: number }[]
}

/** Throws a sum of dice. The one place where chance comes into tables. */
export function throwDice(expression: string, random: Random): DiceThrow {
  const terms = termsOf(expression)
  if (terms === null) throw new Error(`no sum of dice: ${expression}`)
  const dice: DiceThrow['dice'] = []
  let total = 0
  for (const { sign, count, sides } of terms) {
    if (sides === null) total += sign * count
    else
      for (let die = 0; die < count; die++) {
        const face = random.integer(1, sides)
        dice.push({ sides, face })
        total += sign * face
      }
  }
  return { expression, total, dice }
}
