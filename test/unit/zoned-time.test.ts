import { describe, expect, test } from 'vitest'
import { endOf, isOver, momentOf, tally } from '../../src/domain/game-night/rules.ts'
import { instantOf, meaningOf, wallTimeAt } from '../../src/kernel/zoned-time.ts'
import { seededRandom } from '../support/random.ts'

// Times on the wall and instants, in every zone of the world.

const zones = ['UTC', ...Intl.supportedValuesOf('timeZone')]
const minuteMs = 60_000
const dayMs = 24 * 60 * minuteMs

/** The instants of 2026 and 2027 at which clocks of a zone are changed, to within ten minutes. */
function changesOf(zone: string): readonly number[] {
  const offset = (instant: number): number => {
    const { date, time } = wallTimeAt(instant, zone)
    return Date.parse(`${date}T${time}:00Z`) - instant
  }
  const days = Array.from({ length: 730 }, (_, index) => Date.UTC(2026, 0, 1) + index * dayMs)
  return days
    .filter((day) => offset(day) !== offset(day + dayMs))
    .map((day) => {
      let at = day
      while (offset(at) === offset(day)) at += 10 * minuteMs
      return at
    })
}

describe('a time on a clock', () => {
  test('that is shown means the instant at which it is shown, in 5,000 zones and dates', () => {
    const random = seededRandom()
    for (let round = 0; round < 5000; round++) {
      const zone = zones[random.integer(0, zones.length - 1)] as string
      const instant = Date.UTC(2000, 0, 1) + random.integer(0, 100 * 366 * 24 * 60) * minuteMs
      const wall = wallTimeAt(instant, zone)
      const meaning = meaningOf(wall, zone)
      const about = `${zone} ${new Date(instant).toISOString()}`
      expect(meaning?.shown, about).toContain(new Date(instant).toISOString())
      for (const shown of meaning?.shown ?? []) expect(wallTimeAt(shown, zone), about).toEqual(wall)
      expect(meaning?.taken, about).toBe(meaning?.shown[0])
    }
  })

  test('is told to be skipped or doubled exactly where it is, around every change of the clocks of 2026 and 2027', () => {
    for (const zone of [
      'Europe/Brussels',
      'America/Toronto',
      'Australia/Lord_Howe',
      'America/Santiago',
      'Asia/Beirut',
    ]) {
      const odd = new Set<number>()
      for (const change of changesOf(zone)) {
        // What a clock shows in the two days around the change, every ten minutes.
        const counts = new Map<string, number>()
        for (let instant = change - dayMs; instant < change + dayMs; instant += 10 * minuteMs) {
          const { date, time } = wallTimeAt(instant, zone)
          counts.set(`${date}T${time}`, (counts.get(`${date}T${time}`) ?? 0) + 1)
        }
        const middle = Date.parse(`${[...counts.keys()][Math.floor(counts.size / 2)]}:00Z`)
        for (let local = middle - dayMs / 4; local < middle + dayMs / 4; local += 10 * minuteMs) {
          const [date = '', time = ''] = new Date(local).toISOString().slice(0, 16).split('T')
          const shown = meaningOf({ date, time }, zone)?.shown.length ?? -1
          expect(shown, `${zone} ${date} ${time}`).toBe(counts.get(`${date}T${time}`) ?? 0)
          odd.add(shown)
        }
      }
      expect([...odd].sort(), zone).toEqual([0, 1, 2])
    }
  })

  test('that is skipped is taken as if clocks had not been put forward', () => {
    expect(instantOf({ date: '2027-03-28', time: '02:30' }, 'Europe/Brussels')).toBe('2027-03-28T01:30:00.000Z')
    expect(instantOf({ date: '2011-12-30', time: '12:00' }, 'Pacific/Apia')).toBe('2011-12-30T22:00:00.000Z')
    expect(meaningOf({ date: '2011-12-30', time: '12:00' }, 'Pacific/Apia')?.shown).toEqual([])
  })

  test('that is no time means nothing', () => {
    expect(meaningOf({ date: '2026-13-01', time: '12:00' }, 'UTC')).toBeNull()
    expect(meaningOf({ date: '', time: '' }, 'UTC')).toBeNull()
  })
})

describe('a night', () => {
  test('that is planned for the same time every week is at that time on every clock, in 400 zones', () => {
    for (const zone of zones) {
      for (let week = 0; week < 52; week += 3) {
        const date = new Date(Date.UTC(2026, 10, 27) + week * 7 * 86_400_000).toISOString().slice(0, 10)
        // No zone changes its clocks at noon.
        const { startsAt, localDate } = momentOf(`${date}T12:00`, zone)
        expect([localDate, wallTimeAt(startsAt, zone)], zone).toEqual([date, { date, time: '12:00' }])
      }
    }
  })

  test('lasts as many minutes, whatever the clocks do meanwhile', () => {
    const night = { startsAt: '2027-03-28T00:00:00.000Z', durationMinutes: 240 }
    expect(endOf(night)).toBe('2027-03-28T04:00:00.000Z')
    expect([isOver(night, '2027-03-28T03:59:59.999Z'), isOver(night, endOf(night))]).toEqual([false, true])
  })

  test('counts the answers to its own time alone', () => {
    const [now, then] = ['2026-11-27T18:00:00.000Z', '2026-11-27T19:00:00.000Z']
    const answers = [
      { answer: 'yes', forStartsAt: now },
      { answer: 'yes', forStartsAt: then },
      { answer: 'no', forStartsAt: now },
    ] as const
    expect(tally(answers, { startsAt: now })).toEqual({ yes: 1, maybe: 0, no: 1 })
  })
})
