import { diceFault, rollDice } from '../kernel/dice.ts'
import { type Expression, parseDice } from '../kernel/dice-parse.ts'
import type { Random } from '../kernel/random.ts'

// Sums of dice and numbers as stat blocks and tables write them: `2d6+3`. They are read and thrown as every other expression
// is; what the full notation can say besides is none of them.

/** Dice of one throw. */
const mostDice = 100

export interface DiceTerm {
  readonly sign: 1 | -1
  readonly count: number
  /** Null for a plain number, which then is `count`. */
  readonly sides: number | null
}

/** The terms of a sum of dice; null where it is none, or asks for more than 100 dice or 1,000 sides. */
export function termsOf(text: string): readonly DiceTerm[] | null {
  const terms = diceFault(text) === null ? summed(parseDice(text), 1) : null
  const count = terms?.reduce((sum, { count: dice, sides }) => sum + (sides === null ? 0 : dice), 0)
  return count === undefined || count > mostDice ? null : terms
}

/** The terms of what the notation of rolls has read; null where it is more than a sum. */
function summed(expression: Expression, sign: 1 | -1): readonly DiceTerm[] | null {
  switch (expression.is) {
    case 'number':
      return expression.label === null ? [{ sign, count: expression.value, sides: null }] : null
    case 'dice': {
      const { count, from, to, modifiers, label } = expression
      return from === 1 && modifiers.length === 0 && label === null ? [{ sign, count, sides: to }] : null
    }
    case 'minus':
      return expression.of.is === 'minus' ? null : summed(expression.of, sign === 1 ? -1 : 1)
    case '+':
    case '-': {
      const left = summed(expression.left, sign)
      const right = summed(expression.right, expression.is === '+' ? sign : sign === 1 ? -1 : 1)
      return left === null || right === null ? null : [...left, ...right]
    }
    default:
      return null
  }
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
  if (!isDice(expression)) throw new Error(`no sum of dice: ${expression}`)
  const { total, terms } = rollDice(expression, (from, to) => random.integer(from, to))
  return { expression, total, dice: terms.flatMap(({ sides, dice }) => dice.map(({ face }) => ({ sides, face }))) }
}
