import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { encodeCursor, pageInput } from '../../src/kernel/paging.ts'
import { foldText, sortKey } from '../../src/kernel/sort-key.ts'

/** As SQLite compares them: byte by byte. */
function sorted(texts: readonly string[]): readonly string[] {
  return [...texts].sort((one, other) => Buffer.compare(Buffer.from(sortKey(one)), Buffer.from(sortKey(other))))
}

describe('names sort as people sort them', () => {
  test.each([
    ['accents beside their letter', ['anger', 'Ärger', 'arm', 'Émile', 'Emilia', 'Zorn']],
    ['case is none', ['apple', 'Banana', 'cherry', 'Date']],
    ['numbers by their value', ['Room 1', 'Room 2', 'Room 10', 'Room 20', 'Room 100']],
    ['numbers inside', ['2nd night', '10th night', 'a1b2', 'a1b10', 'a2b1']],
    ['letters of their own', ['Łódź', 'Lodz 2', 'Ørsted', 'Ost', 'Straße', 'Strasse 2', 'Þor']],
  ])('%s', (_, names) => {
    expect(sorted([...names].reverse())).toEqual(names)
  })

  test('leading zeros do not count, and a number stands before a letter', () => {
    expect(sortKey('Room 007')).toBe(sortKey('Room 7'))
    expect(sorted(['Room A', 'Room 12'])).toEqual(['Room 12', 'Room A'])
  })
})

describe('what people type is found', () => {
  test.each([
    ['Ärger', 'arger'],
    ['ÄRGER', 'ärger'],
    ['Straße', 'STRASSE'],
    ['ﬁre', 'FIRE'],
    ['İstanbul', 'istanbul'],
    ['ΟΔΟΣ', 'οδος'],
    ['Cafe\u0301', 'café'],
  ])('%s is %s', (one, other) => {
    expect(foldText(one)).toBe(foldText(other))
  })

  test('vowel signs that tell words apart stay', () => {
    expect(foldText('कि')).not.toBe(foldText('का'))
    expect(foldText('กิ')).not.toBe(foldText('กา'))
  })
})

test('numbers of any length are ordered by their value', () => {
  const property = fc.property(
    fc.bigInt({ min: 0n, max: 10n ** 30n }),
    fc.bigInt({ min: 0n, max: 10n ** 30n }),
    (one, other) => {
      const [a, b] = [sortKey(`Room ${one}`), sortKey(`Room ${other}`)]
      expect(a < b).toBe(one < other)
    },
  )
  fc.assert(property, { seed: 20261120 })
})

test('a key is short and whole, so that a cursor with it is one that a list takes back', () => {
  const property = fc.property(fc.string({ unit: 'binary', maxLength: 500 }), (text) => {
    const key = sortKey(text)
    expect(Buffer.byteLength(key)).toBeLessThanOrEqual(160)
    if (text.isWellFormed()) expect(key.isWellFormed()).toBe(true)
    expect(sortKey(text)).toBe(key)
  })
  fc.assert(property, { seed: 20261120, numRuns: 200 })
  const longest = sortKey('"\\'.repeat(200))
  expect(pageInput.cursor.safeParse(encodeCursor([longest, Number.MAX_SAFE_INTEGER])).success).toBe(true)
})
