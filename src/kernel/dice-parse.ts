// Expressions of dice, as people type them: `4d6kh3 [strength] + 2`. Pure, for server and web alike.

/** Bounds of what is parsed and rolled. */
export const diceLimits = {
  length: 200,
  depth: 20,
  /** Dice that an expression begins with, in all of its terms. */
  dice: 500,
  sides: 1000,
  /** Dice that rerolls and explosions may add, in all. */
  extra: 1000,
  number: 1_000_000,
} as const

/** What is wrong with an expression, and at which character, counted from 0. */
export class DiceError extends Error {
  readonly position: number

  constructor(message: string, position: number) {
    super(message)
    this.name = 'DiceError'
    this.position = position
  }
}

export type Comparison = '=' | '<' | '>' | '<=' | '>='
export interface Match {
  readonly compare: Comparison
  readonly value: number
}

export function matches({ compare, value }: Match, face: number): boolean {
  if (compare === '=') return face === value
  if (compare === '<') return face < value
  if (compare === '>') return face > value
  return compare === '<=' ? face <= value : face >= value
}

/** What is done to the dice of a term, in the order in which it is written. */
export type Modifier =
  | { readonly do: 'keep' | 'drop'; readonly end: 'highest' | 'lowest'; readonly count: number }
  | { readonly do: 'reroll'; readonly match: Match; readonly again: boolean }
  | { readonly do: 'explode'; readonly match: Match; readonly how: 'once' | 'again' | 'compound' | 'penetrate' }
  | { readonly do: 'min' | 'max'; readonly value: number }
  | { readonly do: 'success' | 'failure'; readonly match: Match }

export interface DiceTerm {
  readonly is: 'dice'
  readonly count: number
  /** The least and the greatest face. */
  readonly from: number
  readonly to: number
  readonly modifiers: readonly Modifier[]
  readonly label: string | null
  readonly position: number
  /** As it was written, without its label. */
  readonly text: string
}

export type Expression =
  | { readonly is: 'number'; readonly value: number; readonly label: string | null }
  | DiceTerm
  | { readonly is: 'minus'; readonly of: Expression }
  | { readonly is: 'group'; readonly of: Expression; readonly label: string | null }
  | {
      readonly is: '+' | '-' | '*' | '/' | '%'
      readonly left: Expression
      readonly right: Expression
      readonly position: number
    }

interface Cursor {
  readonly text: string
  at: number
  depth: number
  dice: number
}

/** Reads an expression. Throws `DiceError` with the position of what cannot be read. */
export function parseDice(text: string): Expression {
  if (text.length > diceLimits.length)
    throw new DiceError(`An expression has at most ${diceLimits.length} characters.`, diceLimits.length)
  const cursor: Cursor = { text, at: 0, depth: 0, dice: 0 }
  if (peek(cursor) === '') throw new DiceError('There is nothing to roll. Try 1d6+2.', 0)
  const expression = sum(cursor)
  if (peek(cursor) !== '') throw unread(cursor)
  return expression
}

function unread(cursor: Cursor): DiceError {
  const left = peek(cursor)
  if (left === '') return new DiceError('Something is missing at the end.', cursor.text.length)
  const word = /^[a-z]+|^\d+|^[^\s\w]/i.exec(cursor.text.slice(cursor.at))?.[0] ?? left
  return new DiceError(`“${word}” cannot be read here.`, cursor.at)
}

function skip(cursor: Cursor): void {
  while (/\s/.test(cursor.text[cursor.at] ?? '')) cursor.at++
}

function peek(cursor: Cursor): string {
  skip(cursor)
  return cursor.text[cursor.at] ?? ''
}

function take(cursor: Cursor, pattern: RegExp): string | null {
  skip(cursor)
  const found = pattern.exec(cursor.text.slice(cursor.at))?.[0]
  if (found === undefined) return null
  cursor.at += found.length
  return found
}

function whole(cursor: Cursor): number | null {
  skip(cursor)
  const at = cursor.at
  const digits = take(cursor, /^\d+/)
  if (digits === null) return null
  const value = Number(digits)
  if (value > diceLimits.number) throw new DiceError(`A number is at most ${diceLimits.number}.`, at)
  return value
}

function deeper<T>(cursor: Cursor, read: () => T): T {
  if (++cursor.depth > diceLimits.depth)
    throw new DiceError(`Parentheses and signs go at most ${diceLimits.depth} deep.`, cursor.at)
  const value = read()
  cursor.depth--
  return value
}

function sum(cursor: Cursor): Expression {
  let left = product(cursor)
  for (;;) {
    const sign = peek(cursor)
    if (sign !== '+' && sign !== '-') return left
    const position = cursor.at++
    left = { is: sign, left, right: product(cursor), position }
  }
}

function product(cursor: Cursor): Expression {
  let left = signed(cursor)
  for (;;) {
    const sign = peek(cursor)
    if (sign !== '*' && sign !== '/' && sign !== '%') return left
    const position = cursor.at++
    left = { is: sign, left, right: signed(cursor), position }
  }
}

function signed(cursor: Cursor): Expression {
  const sign = peek(cursor)
  if (sign !== '-' && sign !== '+') return single(cursor)
  cursor.at++
  const of = deeper(cursor, () => signed(cursor))
  return sign === '-' ? { is: 'minus', of } : of
}

function single(cursor: Cursor): Expression {
  const next = peek(cursor)
  if (next === '(') {
    cursor.at++
    const of = deeper(cursor, () => sum(cursor))
    if (peek(cursor) !== ')') throw new DiceError('A parenthesis is not closed.', cursor.at)
    cursor.at++
    return { is: 'group', of, label: label(cursor) }
  }
  const start = cursor.at
  const both = take(cursor, /^(adv|dis)(?![a-z])/i)
  if (both !== null) return advantage(cursor, start, 20, both)
  const count = whole(cursor)
  if (take(cursor, /^d(?![hl])/i) !== null) return dice(cursor, start, count ?? 1)
  if (count === null) throw unread(cursor)
  return { is: 'number', value: count, label: label(cursor) }
}

/** The better or the worse of two; both together are one plain die. */
function advantage(cursor: Cursor, start: number, sides: number, first: string): DiceTerm {
  const said = new Set([first.toLowerCase()])
  for (let more = take(cursor, /^(adv|dis)(?![a-z])/i); more !== null; more = take(cursor, /^(adv|dis)(?![a-z])/i))
    said.add(more.toLowerCase())
  const end = said.has('adv') ? 'highest' : 'lowest'
  const keep: readonly Modifier[] = said.size === 2 ? [] : [{ do: 'keep', end, count: 1 }]
  return term(cursor, start, said.size === 2 ? 1 : 2, 1, sides, keep)
}

function term(
  cursor: Cursor,
  start: number,
  count: number,
  from: number,
  to: number,
  first: readonly Modifier[] = [],
): DiceTerm {
  cursor.dice += count
  if (count < 1) throw new DiceError('At least one die is rolled.', start)
  if (cursor.dice > diceLimits.dice) throw new DiceError(`At most ${diceLimits.dice} dice are rolled at once.`, start)
  const modifiers = [...first, ...modifiersOf(cursor, from, to)]
  const text = cursor.text.slice(start, cursor.at).trim()
  return { is: 'dice', count, from, to, modifiers, label: label(cursor), position: start, text }
}

function dice(cursor: Cursor, start: number, count: number): DiceTerm {
  const at = cursor.at
  if (take(cursor, /^%/) !== null) return term(cursor, start, count, 1, 100)
  if (take(cursor, /^f(?![a-z])/i) !== null) return term(cursor, start, count, -1, 1)
  const sides = whole(cursor)
  if (sides === null) throw new DiceError('How many sides? d6, d20, d% or dF.', at)
  if (sides < 1 || sides > diceLimits.sides)
    throw new DiceError(`There is no d${sides}: a die has 1 to ${diceLimits.sides} sides.`, at)
  const both = count === 1 ? take(cursor, /^(adv|dis)(?![a-z])/i) : null
  return both === null ? term(cursor, start, count, 1, sides) : advantage(cursor, start, sides, both)
}

const keeping = {
  k: ['keep', 'highest'],
  kh: ['keep', 'highest'],
  kl: ['keep', 'lowest'],
  d: ['drop', 'lowest'],
  dl: ['drop', 'lowest'],
  dh: ['drop', 'highest'],
} as const

/** Longest first, so that none is taken for the beginning of another. */
const words = /^(min|max|mi|ma|cs|cf|kh|kl|dh|dl|rr|ro|xo|!!|!p|k|d|r|x|!|(?=[<>=]))/i

function modifiersOf(cursor: Cursor, from: number, to: number): readonly Modifier[] {
  const found: Modifier[] = []
  for (;;) {
    skip(cursor)
    const at = cursor.at
    const word = take(cursor, words)?.toLowerCase()
    if (word === undefined) return found
    found.push(modifier(cursor, word, at, from, to))
  }
}

function modifier(cursor: Cursor, word: string, at: number, from: number, to: number): Modifier {
  if (word in keeping) {
    const [what, end] = keeping[word as keyof typeof keeping]
    return { do: what, end, count: whole(cursor) ?? 1 }
  }
  if (word === 'min' || word === 'mi' || word === 'max' || word === 'ma') {
    const value = number(cursor)
    if (value === null) throw new DiceError(`“${word}” needs a number behind it.`, cursor.at)
    return { do: word.startsWith('mi') ? 'min' : 'max', value }
  }
  const match = matchOf(cursor)
  if (word === '' || word === 'cs') return { do: 'success', match: match ?? { compare: '=', value: to } }
  if (word === 'cf') return { do: 'failure', match: match ?? { compare: '=', value: from === 1 ? 1 : from } }
  if (word.startsWith('r')) {
    const again = word === 'rr'
    const which = match ?? { compare: '=', value: from }
    if (again) refuseAll(which, from, to, at)
    return { do: 'reroll', match: which, again }
  }
  const which = match ?? { compare: '=', value: to }
  const how = word === 'xo' ? 'once' : word === '!!' ? 'compound' : word === '!p' ? 'penetrate' : 'again'
  if (how !== 'once') refuseAll(which, from, to, at)
  return { do: 'explode', match: which, how }
}

/** A whole number that may be negative where a sign stands before it. */
function number(cursor: Cursor): number | null {
  const isNegative = take(cursor, /^-(?=\s*\d)/) !== null
  const value = whole(cursor)
  return value === null ? null : isNegative ? -value : value
}

function matchOf(cursor: Cursor): Match | null {
  const compare = take(cursor, /^(<=|>=|<|>|=)/) as Comparison | null
  if (compare === null) {
    const value = whole(cursor)
    return value === null ? null : { compare: '=', value }
  }
  const value = number(cursor)
  if (value === null) throw new DiceError(`“${compare}” needs a number behind it.`, cursor.at)
  return { compare, value }
}

function refuseAll(match: Match, from: number, to: number, at: number): void {
  for (let face = from; face <= to; face++) if (!matches(match, face)) return
  throw new DiceError('That is so for every face: it would never end.', at)
}

function label(cursor: Cursor): string | null {
  if (peek(cursor) !== '[') return null
  const end = cursor.text.indexOf(']', cursor.at)
  if (end < 0) throw new DiceError('A label is not closed.', cursor.at)
  const text = cursor.text.slice(cursor.at + 1, end)
  cursor.at = end + 1
  return text
}
