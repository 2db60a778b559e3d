import type { ForeignZip } from '../../archive/foreign-zip.ts'
import { worldCalendar } from '../../domain/calendar/entity.ts'
import {
  dayAt,
  exists,
  firstDayOf,
  parseWorldDate,
  type WorldCalendar,
  writeWorldDate,
} from '../../kernel/world-calendar.ts'
import { type Book, type Json, lineOf, listOf, numberOf, textOf } from './book.ts'
import { inText, isSet, parsed } from './kanka-records.ts'

/** The calendar that came along. */
export interface KankaCalendar {
  /** The fields of the campaign that it becomes; none where there is no calendar of ours in it. */
  readonly fields: Json
  /** Of Kanka. */
  readonly id: number | null
  /** A day of it as we write days; null for one that it does not have. */
  day(year: unknown, month: unknown, day: unknown): string | null
}

const none: KankaCalendar = { fields: {}, id: null, day: () => null }

/** The first calendar, where it fits ours. Months keep their places, so that dates keep their months. */
export async function calendarOf(zip: ForeignZip, book: Book): Promise<KankaCalendar> {
  const files = [...zip.entries.keys()].filter((name) => /^calendars\/[^/]+\.json$/i.test(name))
  for (const name of files.slice(1)) book.drop('calendar', '', 'a campaign has one calendar', name)
  const [first] = files
  if (first === undefined) return none
  const record = await parsed(zip, first)
  const weekdays = (
    typeof record.weekdays === 'string' ? inText(record.weekdays).map((each) => each.name) : listOf(record.weekdays)
  )
    .map((each) => lineOf(each, 60))
    .filter((each) => each !== null)
  const months = inText(record.months)
  const leap = leapOf(record, months.length, book, first)
  const read = worldCalendar.safeParse({
    months: months.map((month, index) => ({
      id: index + 1,
      name: lineOf(month.name, 60) ?? `Month ${index + 1}`,
      days: numberOf(month.length) ?? 0,
      ...(month.type === 'intercalary' ? { between: true } : {}),
      ...(leap?.month === index + 1 ? { leap: [leap.rule] } : {}),
    })),
    weekdays,
    firstWeekday: 0,
    moons: [],
    eras: [],
  })
  if (!read.success) {
    book.drop('calendar', '', 'its months and weekdays make no calendar of ours', first)
    return none
  }
  const calendar = { ...read.data, moons: moonsOf(record, read.data, book, first) }
  for (const member of ['seasons', 'years', 'calendarWeather', 'week_names', 'month_aliases'])
    if (inText(record[member]).length > 0) book.drop('calendar', member, 'not read from calendars of Kanka', first)
  const day: KankaCalendar['day'] = (...parts) => {
    const [year, month, number] = parts.map(numberOf)
    if (year == null || month == null || number == null) return null
    const text = writeWorldDate({ year, month, day: number })
    const date = parseWorldDate(text)
    return date !== null && exists(calendar, date) ? text : null
  }
  const [, ...now] = /^(-?\d{1,5})-(\d{1,3})-(\d{1,3})$/.exec(textOf(record.date)) ?? []
  const worldDate = day(now[0], now[1], now[2])
  return { fields: { calendar, ...(worldDate === null ? {} : { worldDate }) }, id: numberOf(record.id), day }
}

/** A month that is longer every so many years, counted from one of them. */
function leapOf(record: Json, months: number, book: Book, place: string) {
  if (!isSet(record.has_leap_year)) return null
  const [month, days] = [numberOf(record.leap_year_month), numberOf(record.leap_year_amount)]
  const [every, start] = [numberOf(record.leap_year_offset), numberOf(record.leap_year_start) ?? 0]
  if (month === null || month < 1 || month > months || days === null || every === null || every < 1) {
    book.drop('calendar', 'leap years', 'not said in full', place)
    return null
  }
  return { month, rule: { every, days, offset: ((start % every) + every) % every } }
}

/** Moons with how long they take. Which day Kanka counts from is said nowhere: from the first day of all. */
function moonsOf(record: Json, calendar: WorldCalendar, book: Book, place: string): WorldCalendar['moons'] {
  return inText(record.moons).flatMap((moon) => {
    const period = Number(textOf(moon.fullmoon) || moon.fullmoon)
    const name = lineOf(moon.name, 60)
    if (name === null || !Number.isFinite(period) || period < 1 || period > 10_000) {
      book.drop('calendar', 'moons', 'not said in full', place)
      return []
    }
    book.drop(
      'calendar',
      'phases of moons',
      'which day Kanka counts them from is said nowhere: look at them once',
      place,
    )
    const { year, month, day } = dayAt(calendar, firstDayOf(calendar, 0) + (numberOf(moon.offset) ?? 0))
    return [{ name, period, fullOn: writeWorldDate({ year, month, day }) }]
  })
}
