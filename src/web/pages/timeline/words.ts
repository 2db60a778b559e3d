import {
  type CalendarMoon,
  daysOfMonth,
  dayWords,
  eraOf,
  moonOn,
  parseWorldDate,
  settle,
  type WorldCalendar,
  type WorldDate,
  yearWords,
} from '../../../kernel/world-calendar.ts'
import type { Input, TimelineEvent } from '../../api/contract.ts'

/** A month as update_world_calendar takes it. */
export type GivenMonth = Input<'update_world_calendar'>['months'][number]

const small = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve']

/** `three`, `27`. */
export const numberWord = (count: number): string => small[count] ?? String(count)
/** `one day`, `three days`. */
export const daysWord = (count: number): string => `${numberWord(count)} ${count === 1 ? 'day' : 'days'}`

/** The number of the day that an event is on, or of the first of its days; null where nobody knows when. */
export function numberOf(calendar: WorldCalendar, { worldDate }: Pick<TimelineEvent, 'worldDate'>): number | null {
  const date = worldDate === null ? null : parseWorldDate(worldDate)
  return date && settle(calendar, date).number
}

/** `9 Rimefall`; with the year where it is not this one; `Nobody knows when` without a date. */
export function dateOf(calendar: WorldCalendar, worldDate: string | null, thisYear: number | null): string {
  const date = worldDate === null ? null : parseWorldDate(worldDate)
  if (date === null) return 'Nobody knows when'
  const inYear = dayWords(calendar, date)
  if (inYear === '') return yearWords(calendar, date.year)
  if (date.year === thisYear) return inYear
  return date.day === null
    ? `${inYear} ${yearWords(calendar, date.year)}`
    : `${inYear}, ${yearWords(calendar, date.year)}`
}

/** `412 since the River’s Turning`, as far as the calendar has an era for it. */
export function yearInEra(calendar: WorldCalendar, year: number): string {
  const era = eraOf(calendar, year)
  return era === null || era.restarts ? yearWords(calendar, year) : `${year} ${era.name}`
}

const shapes: Readonly<Record<string, string>> = {
  'waxing crescent': 'waxing',
  'first quarter': 'half, waxing',
  'waxing gibbous': 'waxing',
  'waning gibbous': 'waning',
  'last quarter': 'half, waning',
  'waning crescent': 'waning',
}

export function moonWord(calendar: WorldCalendar, moon: CalendarMoon, number: number): string {
  const { word } = moonOn(calendar, moon, number)
  return shapes[word] ?? word
}

/** The months that have a day in a year, days between months included. */
export const monthsIn = (calendar: WorldCalendar, year: number) =>
  calendar.months.filter((month) => daysOfMonth(month, year) > 0)

/** The month before or after one, and its year. */
export function besideMonth(calendar: WorldCalendar, { year, month }: WorldDate, step: 1 | -1): WorldDate {
  const months = monthsIn(calendar, year)
  const next = months[months.findIndex(({ id }) => id === month) + step]
  if (next !== undefined) return { year, month: next.id, day: null }
  const other = monthsIn(calendar, year + step)
  return { year: year + step, month: other.at(step === 1 ? 0 : -1)?.id ?? null, day: null }
}

/** What update_world_calendar takes to leave the calendar as it is. */
export const calendarInput = ({ months, weekdays, firstWeekday, moons, eras }: WorldCalendar) => ({
  months: months.map((month) => ({ ...month, leap: month.leap?.map((rule) => ({ ...rule })) })),
  weekdays: [...weekdays],
  firstWeekday,
  moons: moons.map((moon) => ({ ...moon })),
  eras: eras.map((era) => ({ ...era })),
})
