import { describe, expect, test } from 'vitest'
import {
  type CalendarMonth,
  dateWords,
  dayAt,
  daysOfMonth,
  eraOf,
  exists,
  faultOf,
  firstDayOf,
  gregorian,
  identified,
  type LeapRule,
  lastDayOf,
  momentFrom,
  momentOf,
  moonOn,
  parseWorldDate,
  settle,
  type WorldCalendar,
  type WorldDate,
  weekdayOf,
  writeWorldDate,
} from '../../src/kernel/world-calendar.ts'

// The arithmetic of calendars: of one that everybody knows, of the orchard's, and of ten thousand that nobody does.

const date = (text: string): WorldDate => parseWorldDate(text) ?? expect.fail(`${text} is no date`)
const numberOf = (calendar: WorldCalendar, text: string): number => settle(calendar, date(text)).number

const thirty = ['Thaw', 'Ploughing', 'Blossom', 'Greening', 'Long Light', 'Haysun', 'Firstfruit', 'Pressing']
const orchard: WorldCalendar = {
  months: [
    ...[...thirty, 'Leaffall', 'Rimefall', 'Deepwinter', 'Candlemonth'].map((name, index) => ({
      id: index + 1,
      name,
      days: 30,
    })),
    { id: 13, name: 'Unsold Days', days: 5, leap: [{ every: 4, days: 1 }], between: true },
  ],
  weekdays: ['Ploughday', 'Riverday', 'Marketday', 'Bellday', 'Candleday', 'Restday'],
  firstWeekday: 0,
  moons: [{ name: 'The Lantern', period: 27, fullOn: '412-10-6' }],
  eras: [
    { name: 'before the bell', from: -200 },
    { name: 'of the bell', from: 390, restarts: true },
  ],
}

describe('the Gregorian calendar', () => {
  test.each(['1-1-1', '4-2-29', '1582-10-15', '1900-2-28', '2000-2-29', '2026-11-22', '9999-12-31'])(
    'counts %s as the machine does',
    (text) => {
      const { year, month, day } = date(text)
      const at = new Date(0)
      at.setUTCFullYear(year, (month ?? 0) - 1, day ?? 0)
      const since = new Date(0)
      since.setUTCFullYear(1, 0, 1)
      expect(numberOf(gregorian, text)).toBe((at.getTime() - since.getTime()) / 86_400_000)
      expect(weekdayOf(gregorian, dayAt(gregorian, numberOf(gregorian, text)))).toBe((at.getUTCDay() + 6) % 7)
    },
  )

  test('has no 29 February in 1900 and no thirteenth month', () => {
    expect(
      ['2000-2-29', '1900-2-29', '2026-13', '2026-2-30', '0-2-29', '-4-2-29'].map((text) =>
        exists(gregorian, date(text)),
      ),
    ).toEqual([true, false, false, false, true, true])
  })
})

describe('the calendar of the orchard', () => {
  test('keeps the week out of the days between years, which are six in every fourth', () => {
    expect([411, 412].map((year) => daysOfMonth(orchard.months.at(-1) as CalendarMonth, year))).toEqual([5, 6])
    expect([411, 412].map((year) => firstDayOf(orchard, year + 1) - firstDayOf(orchard, year))).toEqual([365, 366])
    const weekday = (text: string) => weekdayOf(orchard, dayAt(orchard, numberOf(orchard, text)))
    expect([weekday('412-10-9'), weekday('412-13-2'), weekday('413-1-1')]).toEqual([2, null, 0])
  })

  test('says dates, eras and moons in words', () => {
    expect(['412-10-9', '412-10', '412', '380-1-2'].map((text) => dateWords(orchard, date(text)))).toEqual([
      '9 Rimefall, 23 of the bell',
      'Rimefall 23 of the bell',
      '23 of the bell',
      '2 Thaw, 380',
    ])
    expect([eraOf(orchard, 389)?.name, eraOf(orchard, -500)]).toEqual(['before the bell', null])
    const word = (text: string) => moonOn(orchard, orchard.moons[0] ?? expect.fail(), numberOf(orchard, text)).word
    expect([word('412-10-6'), word('412-10-13'), word('412-10-20'), word('412-11-3')]).toEqual([
      'full',
      'last quarter',
      'new',
      'full',
    ])
  })

  test('reads a day that is gone as the last before it, and as itself once it is back', () => {
    const shorter: WorldCalendar = {
      ...orchard,
      months: orchard.months
        .filter(({ id }) => id !== 1 && id !== 11)
        .map((each) => ({ ...each, days: Math.min(each.days, 24) })),
    }
    const read = (text: string) => {
      const settled = settle(shorter, date(text))
      return [writeWorldDate(settled), settled.moved]
    }
    expect(read('412-10-28')).toEqual(['412-10-24', true])
    expect(read('412-10-24')).toEqual(['412-10-24', false])
    expect(read('412-11-3')).toEqual(['412-10-24', true])
    expect(read('412-1-9')).toEqual(['412-2-1', true])
    expect(settle(orchard, date('412-10-28')).moved).toBe(false)
  })
})

describe('a written date', () => {
  test('is a year, a month or a day, and is written as it is read', () => {
    const texts = ['412', '412-10', '412-10-9', '-12-3-1', '0', '412-9.5-3']
    expect(texts.map((text) => writeWorldDate(date(text)))).toEqual(texts)
    expect(writeWorldDate(date(' 0412-010-09 '))).toBe('412-10-9')
  })

  test.each([
    '',
    'x',
    '412-',
    '412-0',
    '412-10-0',
    '4120000',
    '412-10-9-1',
    '412-9.3-1',
    '412-1001',
    '1e3',
    '412-10-1001',
  ])('%j is none', (text) => {
    expect(parseWorldDate(text)).toBeNull()
  })
})

describe('months that come and go', () => {
  const ids = (given: readonly { id?: number; name: string }[], before = orchard.months) =>
    identified(
      given.map((each) => ({ days: 30, ...each })),
      before,
    )?.map(({ id }) => id) ?? null

  test('keep their ids by themselves or by their names, and a new one goes between', () => {
    expect(ids([{ name: 'thaw' }, { name: 'Sowing' }, { name: 'Ploughing' }])).toEqual([1, 1.5, 2])
    expect(ids([{ id: 1, name: 'Melt' }, { name: 'A' }, { name: 'B' }, { id: 2, name: 'Plough' }])).toHaveLength(4)
    expect(ids([{ name: 'Thaw' }, { name: 'Candlemonth' }, { name: 'Nightmonth' }])).toEqual([1, 12, 13])
    expect(ids([{ name: 'First' }, { name: 'Second' }])).toEqual([1, 2])
  })

  test('are refused out of their order, and where no room is left', () => {
    expect(ids([{ name: 'Ploughing' }, { name: 'Thaw' }])).toBeNull()
    expect(
      ids([
        { id: 2, name: 'A' },
        { id: 2, name: 'B' },
      ]),
    ).toBeNull()
    expect(ids([{ id: 1, name: 'A' }, { name: 'B' }, { id: 1 + 1 / 1024, name: 'C' }])).toBeNull()
  })

  test('ten between the same two', () => {
    let months: readonly CalendarMonth[] = [
      { id: 1, name: 'A', days: 30 },
      { id: 2, name: 'Z', days: 30 },
    ]
    for (let turn = 0; turn < 10; turn++) {
      const [first, ...rest] = months
      const given = [first as CalendarMonth, { name: `new ${turn}`, days: 1 }, ...rest]
      months = identified(given, months) ?? expect.fail(`no room for the ${turn}th`)
    }
    expect(months).toHaveLength(12)
  })
})

test.each([
  ['no month but days between', { months: [{ id: 1, name: 'Feast', days: 3, between: true }] }, 'months'],
  ['a month of no day', { months: [{ id: 1, name: 'None', days: 0 }] }, 'months.0.days'],
  [
    'a month that leaps to nothing',
    { months: [{ id: 1, name: 'M', days: 3, leap: [{ every: 2, days: -3 }] }] },
    'months.0.days',
  ],
  [
    'two months of a name',
    {
      months: [
        { id: 1, name: 'M', days: 3 },
        { id: 2, name: 'm', days: 3 },
      ],
    },
    'months.1.name',
  ],
  ['a week that begins behind its end', { firstWeekday: 6 }, 'firstWeekday'],
  ['a moon that was full on no day', { moons: [{ name: 'M', period: 3, fullOn: '412' }] }, 'moons.0.fullOn'],
  [
    'eras out of their order',
    {
      eras: [
        { name: 'A', from: 5 },
        { name: 'B', from: 5 },
      ],
    },
    'eras.1.from',
  ],
  [
    'two eras of a name',
    {
      eras: [
        { name: 'A', from: 5 },
        { name: 'a', from: 6 },
      ],
    },
    'eras.1.name',
  ],
])('%s is no calendar', (_, part, path) => {
  expect(faultOf(orchard)).toBeNull()
  expect(faultOf({ ...orchard, ...part })?.path).toBe(path)
})

describe('ten thousand calendars', () => {
  let seed = 412
  const random = (below: number): number => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((seed / 2 ** 32) * below)
  }
  const some = <T>(least: number, below: number, make: (index: number) => T): T[] =>
    Array.from({ length: least + random(below) }, (_, index) => make(index))
  const rule = (days: number): LeapRule => ({
    every: 1 + random(random(2) ? 8 : 500),
    days: random(days) - Math.floor(days / 2),
    offset: random(9),
  })
  const anyCalendar = (): WorldCalendar => {
    let id = 0
    const months = some(1, 16, (index): CalendarMonth => {
      id += random(4) ? 1 : 0.5
      const between = index > 0 && random(4) === 0
      return {
        id,
        name: `m${index}`,
        days: between ? random(6) : 20 + random(60),
        between,
        leap: some(0, 3, () => rule(12)),
      }
    }).map((each) => ({ ...each, leap: each.between ? each.leap?.filter(({ days }) => days > 0) : each.leap }))
    return { ...orchard, months, weekdays: some(1, 12, (index) => `d${index}`), moons: [], eras: [] }
  }
  const calendars = Array.from({ length: 10_000 }, anyCalendar)
  const anyDay = (): number => (random(2) ? random(2_000_000) - 1_000_000 : random(2000) - 1000)

  test('are possible, and turn every day into a date and back', () => {
    for (const calendar of calendars) {
      expect(faultOf(calendar)).toBeNull()
      const number = anyDay()
      const day = dayAt(calendar, number)
      const settled = settle(calendar, day)
      if (settled.number !== number || settled.moved) expect.fail(JSON.stringify({ calendar, number, day, settled }))
    }
  })

  test('let one day follow another, in dates, weekdays and places', () => {
    for (const calendar of calendars) {
      const number = anyDay()
      const [today, tomorrow] = [dayAt(calendar, number), dayAt(calendar, number + 1)]
      const isWithin = tomorrow.month === today.month && tomorrow.year === today.year
      const isNext = isWithin ? tomorrow.day === today.day + 1 : tomorrow.day === 1
      const [one, other] = [weekdayOf(calendar, today), weekdayOf(calendar, tomorrow)]
      const inWeek = one === null || other === null || other === (one + 1) % calendar.weekdays.length
      if (!isNext || !inWeek || momentOf(today) >= momentOf(tomorrow))
        expect.fail(JSON.stringify({ calendar, today, tomorrow, one, other }))
    }
  })

  test('keep dates in order, also those of another calendar, and find them by day', () => {
    for (const [index, calendar] of calendars.entries()) {
      const other = calendars[(index + 1) % calendars.length] ?? calendar
      const some = Array.from({ length: 4 }, (): WorldDate => {
        const day = dayAt(random(2) ? calendar : other, random(20_000) - 10_000)
        const less = random(5)
        return less === 0 ? { ...day, day: null } : less === 1 ? { ...day, month: null, day: null } : day
      }).sort((a, b) => momentOf(a) - momentOf(b))
      const settled = some.map((each) => settle(calendar, each).number)
      const number = settled[random(4)] ?? 0
      const from = momentFrom(calendar, number)
      const isOrdered = settled.every((each, place) => place === 0 || each >= (settled[place - 1] ?? 0))
      const isFound = some.every((each, place) => momentOf(each) >= from === (settled[place] ?? 0) >= number)
      const isWithin = some.every((each, place) => lastDayOf(calendar, each) >= (settled[place] ?? 0))
      if (!isOrdered || !isFound || !isWithin) expect.fail(JSON.stringify({ calendar, some, settled, number, from }))
    }
  })
})
