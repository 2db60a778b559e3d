import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { instantOf, wallTimeAt } from '../../src/kernel/zoned-time.ts'
import { CallError } from '../../src/web/api/call.ts'
import { groupBy, matches } from '../../src/web/kit/list.tsx'
import { parseNumber } from '../../src/web/kit/number-field.tsx'
import { zonesByRegion } from '../../src/web/kit/zones.ts'

describe('a typed number', () => {
  test('is digits with a sign before them; nothing is none, and what is no number is not guessed at', () => {
    expect(['12', ' -3 ', '+4', '−7', '0'].map((text) => parseNumber(text))).toEqual([12, -3, 4, -7, 0])
    expect([parseNumber(''), parseNumber('  ')]).toEqual([null, null])
    for (const text of ['12a', '1e3', '0x10', '1 000', '1,000', '1.5', '--2', '∞']) {
      expect(parseNumber(text), text).toBeUndefined()
    }
  })

  test('has a point or a comma where decimals are wanted', () => {
    expect([parseNumber('1.5', 1), parseNumber('1,5', 1), parseNumber('-0.25', 2)]).toEqual([1.5, 1.5, -0.25])
    expect([parseNumber('1.55', 1), parseNumber('1.', 1), parseNumber('.5', 1)]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })
})

describe('a time on the wall', () => {
  test('is an instant by its zone', () => {
    const wall = { date: '2026-11-27', time: '19:30' }
    expect(instantOf(wall, 'Europe/Berlin')).toBe('2026-11-27T18:30:00.000Z')
    expect(instantOf(wall, 'America/New_York')).toBe('2026-11-28T00:30:00.000Z')
    expect(instantOf(wall, 'Asia/Kolkata')).toBe('2026-11-27T14:00:00.000Z')
    expect(wallTimeAt('2026-11-28T00:30:00.000Z', 'America/New_York')).toEqual(wall)
    expect([instantOf({ date: '', time: '19:30' }, 'UTC'), instantOf({ date: '2026-11-27', time: '' }, 'UTC')]).toEqual(
      [null, null],
    )
  })

  test('that is shown twice is the first, and one that is never shown comes as late after midnight', () => {
    expect(instantOf({ date: '2026-10-25', time: '02:30' }, 'Europe/Berlin')).toBe('2026-10-25T00:30:00.000Z')
    expect(instantOf({ date: '2026-03-29', time: '02:30' }, 'Europe/Berlin')).toBe('2026-03-29T01:30:00.000Z')
    expect(wallTimeAt('2026-03-29T01:30:00.000Z', 'Europe/Berlin')).toEqual({ date: '2026-03-29', time: '03:30' })
  })

  test('is shown again by every zone as it was written, but for hours that clocks leave out or repeat', () => {
    const zones = [...zonesByRegion().values()].flat()
    expect(zones).toContain('Europe/Berlin')
    const minute = fc.integer({ min: Date.UTC(1971, 0, 2) / 60_000, max: Date.UTC(2037, 0, 1) / 60_000 })
    fc.assert(
      fc.property(fc.constantFrom(...zones), minute, (zone, minutes) => {
        const wall = wallTimeAt(minutes * 60_000, zone)
        const instant = instantOf(wall, zone)
        // An hour that is shown twice comes back as its first; what the clock shows is the same.
        expect(instant && wallTimeAt(instant, zone)).toEqual(wall)
      }),
      { numRuns: 300, seed: 20_261_122 },
    )
  })
})

test('a complaint about one row of a form names the row', () => {
  const error = new CallError(400, 'validation_failed', 'No.', [{ path: 'text', message: 'is too long' }])
  expect(error.within('steps.0').details).toEqual([{ path: 'steps.0.text', message: 'is too long' }])
})

test('lists are narrowed by every word, whatever its accents, and grouped in their order', () => {
  expect(matches('arger wirt', 'Der Wirt, in Ärger')).toBe(true)
  expect(matches('wirt bell', 'Der Wirt, in Ärger')).toBe(false)
  expect([...groupBy([1, 2, 3, 4], (value) => value % 2)]).toEqual([
    [1, [1, 3]],
    [0, [2, 4]],
  ])
})
