import { describe, expect, test } from 'vitest'
import { rollDice } from '../../src/kernel/dice.ts'
import { chanceOf, oddsOf, summaryOf } from '../../src/kernel/dice-odds.ts'
import { DiceError, diceLimits, parseDice } from '../../src/kernel/dice-parse.ts'
import { seededRandom } from '../support/random.ts'

/** Dice that fall as told. */
function falling(...faces: readonly number[]) {
  const left = [...faces]
  return (from: number, to: number): number => {
    const face = left.shift()
    if (face === undefined || face < from || face > to) throw new Error(`no face between ${from} and ${to} is left`)
    return face
  }
}

function faultOf(text: string): { message: string; position: number } {
  try {
    rollDice(text, (from) => from)
  } catch (fault) {
    if (fault instanceof DiceError) return { message: fault.message, position: fault.position }
    throw fault
  }
  throw new Error(`${text} was read`)
}

describe('rolling', () => {
  test.each<[string, number[], number]>([
    ['4d6kh3', [4, 4, 6, 3], 14],
    ['4d6k3', [4, 4, 6, 3], 14],
    ['4d6dl1', [4, 4, 6, 3], 14],
    ['4d6d1', [4, 4, 6, 3], 14],
    ['4d6dh1', [4, 4, 6, 3], 11],
    ['2d6ro<3', [1, 6, 3], 9],
    ['2d6r<3', [1, 6, 2], 8],
    ['2d6rr<3', [1, 6, 2, 1, 5], 11],
    ['2d6r', [1, 6, 4], 10],
    ['8d6min2', [1, 6, 4, 2, 6, 2, 5, 6], 33],
    ['3d6max4', [6, 2, 5], 10],
    ['3d6mi3ma5', [6, 1, 4], 12],
    ['2d6x', [4, 6, 6, 2], 18],
    ['2d6!', [4, 6, 6, 2], 18],
    ['2d6xo', [6, 6, 6, 6], 24],
    ['2d6x>4', [5, 1, 2], 8],
    ['2d6!!', [4, 6, 6, 2], 18],
    ['2d6!p', [6, 6, 6, 4, 1], 20],
    ['5d10cs>=8', [8, 2, 10, 7, 9], 3],
    ['5d10>=8', [8, 2, 10, 7, 9], 3],
    ['5d10cs', [10, 2, 10, 7, 9], 2],
    ['4d6cs>4cf<3', [2, 5, 4, 5], 1],
    ['4d6cf', [1, 5, 1, 5], 2],
    ['2d20kl1+5', [17, 5], 10],
    ['adv+5', [17, 5], 22],
    ['dis', [17, 5], 5],
    ['adv dis', [9], 9],
    ['d20adv + 2', [3, 11], 13],
    ['1d12 dis', [3, 11], 3],
    ['(2d4+1)*2', [3, 1], 10],
    ['-7/2', [], -4],
    ['7/2', [], 3],
    ['-7%3', [], 2],
    ['2+3*4', [], 14],
    ['--3', [], 3],
    ['3dF', [1, -1, 0], 0],
    ['d%', [100], 100],
    ['2D6 + 1', [2, 3], 6],
    ['1d8 [slashing] + 2d6[fire]', [8, 1, 2], 11],
    ['4d6 kh3', [1, 1, 1, 6], 8],
    ['4d6rr1kh3', [1, 2, 3, 4, 6], 13],
  ])('%s with %j is %i', (text, faces, total) => {
    expect(rollDice(text, falling(...faces)).total).toBe(total)
  })

  test('what was dropped, rolled again, exploded or counted stays in the answer', () => {
    const { terms, text, natural } = rollDice('3d6r1x6dl1 [sneak] + 4', falling(1, 6, 2, 3, 5))
    expect(terms[0]).toMatchObject({ label: 'sneak', sides: 6, total: 14, counting: false })
    expect(terms[0]?.dice.map(({ face, out, extra }) => [face, out, extra])).toEqual([
      [1, 'rerolled', false],
      [3, null, false],
      [6, null, false],
      [5, null, true],
      [2, 'dropped', false],
    ])
    expect(text).toBe('3d6r1x6dl1 [sneak] (~~1~~, 3, 6, 5, ~~2~~) + 4')
    expect(natural).toBeNull()
  })

  test('the face of the one die that counts is told', () => {
    expect(rollDice('2d20kh1+7', falling(4, 20)).natural).toBe(20)
    expect(rollDice('1d20-2', falling(1)).natural).toBe(1)
    expect(rollDice('2d6', falling(1, 2)).natural).toBeNull()
  })
})

describe('what cannot be rolled', () => {
  test.each<[string, number, string]>([
    ['', 0, 'nothing to roll'],
    ['2d', 2, 'How many sides'],
    ['1d7½', 3, '½'],
    ['2d6 + ', 6, 'missing'],
    ['2d6 + foo', 6, 'foo'],
    ['(2d6', 4, 'not closed'],
    ['2d6)', 3, ')'],
    ['d6 [fire', 3, 'not closed'],
    ['d0', 1, 'There is no d0'],
    ['d1001', 1, '1000'],
    ['0d6', 0, 'At least one'],
    ['501d6', 0, '500'],
    ['400d6+400d6', 6, '500'],
    ['2000000', 0, '1000000'],
    ['1d6rr<7', 3, 'never end'],
    ['1d1x', 3, 'never end'],
    ['1d6min', 6, 'needs a number'],
    ['1d6cs>', 6, 'needs a number'],
    ['1/0', 1, 'zero'],
    ['2d6(3)', 3, '('],
  ])('%s: at %i, for %s', (text, position, why) => {
    const fault = faultOf(text)
    expect(fault.message).toContain(why)
    expect(fault.position).toBe(position)
  })

  test('too long, too deep, and dice that never stop', () => {
    expect(faultOf('1+'.repeat(150)).message).toContain('200')
    expect(faultOf(`${'('.repeat(30)}1${')'.repeat(30)}`).message).toContain('20 deep')
    expect(() => rollDice('500d6x>1', () => 6)).toThrow(/1000 dice/)
  })
})

/** Every way in which so many dice can fall, each as likely as the others. */
function* ways(dice: readonly number[]): Generator<readonly number[]> {
  const [first, ...rest] = dice
  if (first === undefined) yield []
  else for (let face = 1; face <= first; face++) for (const others of ways(rest)) yield [face, ...others]
}

describe('chances', () => {
  // Each is counted out by rolling every way in which its dice can fall.
  const counted: readonly (readonly [string, readonly number[]])[] = [
    ['1d6', [6]],
    ['2d6', [6, 6]],
    ['3d6', [6, 6, 6]],
    ['1d20+5', [20]],
    ['2d20kh1', [20, 20]],
    ['2d20kl1+3', [20, 20]],
    ['adv-1', [20, 20]],
    ['dis', [20, 20]],
    ['3d20kh1', [20, 20, 20]],
    ['4d6kh3', [6, 6, 6, 6]],
    ['4d6dl1', [6, 6, 6, 6]],
    ['4d6kl2', [6, 6, 6, 6]],
    ['5d4dh2', [4, 4, 4, 4, 4]],
    ['4d6kh3min2', [6, 6, 6, 6]],
    ['2d6min3', [6, 6]],
    ['2d6max4', [6, 6]],
    ['3d6min2max5', [6, 6, 6]],
    ['4d6min2kh3', [6, 6, 6, 6]],
    ['1d8+1d6', [8, 6]],
    ['1d8-1d6', [8, 6]],
    ['1d4*1d6', [4, 6]],
    ['(2d4+1)*2', [4, 4]],
    ['1d12/2', [12]],
    ['1d12%5', [12]],
    ['-2d6', [6, 6]],
    ['1d20/1d4', [20, 4]],
    ['5d6cs>4', [6, 6, 6, 6, 6]],
    ['4d10>=8', [10, 10, 10, 10]],
    ['4d6cs>4cf<3', [6, 6, 6, 6]],
    ['4d6cf', [6, 6, 6, 6]],
    ['3d8cs=8', [8, 8, 8]],
    ['4d6kh2cs>=5', [6, 6, 6, 6]],
    ['2d10+1d4+2', [10, 10, 4]],
    ['1d100', [100]],
    ['2d12kh1+1d6', [12, 12, 6]],
    ['1d10', [10]],
    ['adv+1d4', [20, 20, 4]],
    ['3d4dl1+2', [4, 4, 4]],
    ['2d8min2*2', [8, 8]],
    ['2d4kh1-1d4', [4, 4, 4]],
  ]
  test.each(counted)('%s', (text, dice) => {
    const all = dice.reduce((product, sides) => product * sides, 1)
    const expected = new Map<number, number>()
    for (const faces of ways(dice)) {
      const { total } = rollDice(text, falling(...faces))
      expected.set(total, (expected.get(total) ?? 0) + 1)
    }
    const odds = oddsOf(text)
    expect(Array.from(odds?.keys() ?? []).toSorted((a, b) => a - b)).toEqual(
      [...expected.keys()].toSorted((a, b) => a - b),
    )
    for (const [value, count] of expected) expect(odds?.get(value), `${text} = ${value}`).toBeCloseTo(count / all, 12)
  })

  // Where dice are rolled again there is no end of ways: the fraction is worked out beside it.
  test.each<[string, number, number, string]>([
    ['1d6r1', 6, 7 / 36, '1/6, and 1/6 after a one'],
    ['1d6r1', 1, 1 / 36, 'a one twice'],
    ['2d6rr<3', 12, 1 / 16, 'two dice of four faces'],
    ['1d6x', 6, 0, 'a six is never the end'],
    ['1d6x', 7, 1 / 36, 'a six and a one'],
    ['1d6xo', 12, 1 / 36, 'two sixes'],
    ['1d4!p', 4, 1 / 16, 'a four and a one less one'],
    ['1d6!!cs>=8', 1, 5 / 36, 'a six, and anything but a one'],
    ['4dF', 4, 1 / 81, 'four pluses'],
    ['4dF', 0, 19 / 81, 'as many pluses as minuses'],
  ])('%s is %i by %f: %s', (text, value, chance) => {
    const odds = oddsOf(text)
    expect(odds?.get(value) ?? 0).toBeCloseTo(chance, 12)
    expect(Array.from(odds?.values() ?? []).reduce((sum, each) => sum + each, 0)).toBeCloseTo(1, 12)
  })

  test('sums in words for a plot', () => {
    const odds = oddsOf('2d20kh1+9')
    if (odds === null) throw new Error('no chances')
    expect(summaryOf(odds)).toMatchObject({ least: 10, most: 29, mode: 29 })
    expect(summaryOf(odds).mean).toBeCloseTo(13.825 + 9, 10)
    // All but the 7 × 7 of 400 in which both show less than eight.
    expect(chanceOf(odds, 17)).toBeCloseTo(1 - 49 / 400, 12)
  })

  test('what would take too long, or cannot be known beforehand, has none', () => {
    expect(oddsOf('4d6xkh3')).toBeNull()
    expect(oddsOf('4d6kh3r1')).toBeNull()
    expect(oddsOf('1d6/(1d6-1)')).toBeNull()
    expect(oddsOf('400d1000kh200')).toBeNull()
  })
})

test('2,000 strings out of nowhere: each is rolled or refused at a place in it, and never for long', () => {
  const random = seededRandom(7)
  const parts = [
    'd',
    'd6',
    '2d20',
    '4d6',
    'kh',
    'kl1',
    'dl',
    'dh2',
    'r',
    'rr<3',
    'x',
    'xo',
    '!',
    '!!',
    '!p',
    'min2',
    'max',
    'cs>',
    'cf',
    '+',
    '-',
    '*',
    '/',
    '%',
    '(',
    ')',
    ' ',
    '9',
    '100',
    '0',
    'F',
    '[a]',
    '[',
    ']',
    'adv',
    'dis',
    '>=',
    '½',
    'é',
    '\u0000',
    'dd',
    '💀',
    '1e9',
    '0x1f',
    '999999999999999999999',
  ]
  let rolled = 0
  for (let turn = 0; turn < 2000; turn++) {
    const text = Array.from({ length: random.integer(1, 6) }, () => parts[random.integer(0, parts.length - 1)]).join('')
    let steps = 0
    const chance = (from: number, to: number): number => {
      steps++
      return random.integer(from, to)
    }
    try {
      const { total } = rollDice(text, chance)
      expect(Number.isSafeInteger(total), text).toBe(true)
      rolled++
    } catch (fault) {
      if (!(fault instanceof DiceError)) throw fault
      expect(fault.position, text).toBeGreaterThanOrEqual(0)
      expect(fault.position, text).toBeLessThanOrEqual(text.length)
    }
    expect(steps, text).toBeLessThanOrEqual(diceLimits.dice + diceLimits.extra)
  }
  expect(rolled).toBeGreaterThan(100)
})

test('an expression is read the same however it is spaced', () => {
  expect(parseDice('2d6+3')).toMatchObject({ is: '+', left: { count: 2, to: 6 }, right: { value: 3 } })
  expect(rollDice(' 2d6 + 3 ', falling(1, 2)).total).toBe(6)
})
