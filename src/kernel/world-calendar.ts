// The calendar of a world, as arithmetic: days and dates into each other, weekdays, moons, eras. It is pure and without
// zod, since the web app counts with it too.
//
// A date names its month by the month's id and not by its place. Ids grow along the year and stay as months come and go
// between them, so that dates keep their order and their month whatever becomes of the calendar: nothing that is dated is
// ever rewritten. A date whose day is not there any more is read as the last day before it, and as it was written again as
// soon as that day exists.

/** In every so many years, those that leave `offset` over, a month is longer by so many days, or shorter. */
export interface LeapRule {
  readonly every: number
  readonly days: number
  readonly offset?: number | undefined
}

export interface CalendarMonth {
  /** Grows along the year; at most 1,000, in steps of 1/1024. */
  readonly id: number
  readonly name: string
  readonly days: number
  readonly leap?: readonly LeapRule[] | undefined
  /** Days that stand between months and belong to no week. */
  readonly between?: boolean | undefined
}

export interface CalendarMoon {
  readonly name: string
  /** Days from full to full. */
  readonly period: number
  /** A day on which it was full. */
  readonly fullOn: string
}

export interface CalendarEra {
  readonly name: string
  /** Its first year. */
  readonly from: number
  /** Whether years are counted anew in it, from 1. */
  readonly restarts?: boolean | undefined
}

export interface WorldCalendar {
  readonly months: readonly CalendarMonth[]
  readonly weekdays: readonly string[]
  /** The weekday, counted from 0, of the first day of year 1. */
  readonly firstWeekday: number
  readonly moons: readonly CalendarMoon[]
  /** In the order of their first years. */
  readonly eras: readonly CalendarEra[]
}

/** A year, a month of it, or a day of that; the month by its id. */
export interface WorldDate {
  readonly year: number
  readonly month: number | null
  readonly day: number | null
}

export const calendarLimits = {
  months: 60,
  /** Days of one month, leap days included. */
  days: 1000,
  leapRules: 6,
  leapEvery: 10_000,
  weekdays: 30,
  moons: 10,
  moonPeriod: 10_000,
  eras: 30,
  name: 60,
  year: 999_999,
  monthId: 1000,
} as const

const month = (id: number, name: string, days: number): CalendarMonth => ({ id, name, days })

/** Where no other is said: the Gregorian calendar, also for the years before it. */
export const gregorian: WorldCalendar = {
  months: [
    month(1, 'January', 31),
    {
      ...month(2, 'February', 28),
      leap: [
        { every: 4, days: 1 },
        { every: 100, days: -1 },
        { every: 400, days: 1 },
      ],
    },
    month(3, 'March', 31),
    month(4, 'April', 30),
    month(5, 'May', 31),
    month(6, 'June', 30),
    month(7, 'July', 31),
    month(8, 'August', 31),
    month(9, 'September', 30),
    month(10, 'October', 31),
    month(11, 'November', 30),
    month(12, 'December', 31),
  ],
  weekdays: ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'],
  firstWeekday: 0,
  moons: [],
  eras: [],
}

const written = /^(-?\d{1,6})(?:-(\d{1,4}(?:\.\d{1,10})?)(?:-(\d{1,4}))?)?$/

/** Reads `412`, `412-10` or `412-10-9`; null for anything else. */
export function parseWorldDate(text: string): WorldDate | null {
  const [, year, monthId, day] = written.exec(text.trim()) ?? []
  if (year === undefined) return null
  const date = {
    // `+ 0` makes of -0 what it is.
    year: Number(year) + 0,
    month: monthId === undefined ? null : Number(monthId),
    day: day === undefined ? null : Number(day),
  }
  const isMonth = date.month === null || isMonthId(date.month)
  return isMonth && date.day !== 0 && (date.day ?? 1) <= calendarLimits.days ? date : null
}

/** The text of a date, as `parseWorldDate` reads it. */
export function writeWorldDate({ year, month: monthId, day }: WorldDate): string {
  return [year, monthId, day].filter((part) => part !== null).join('-')
}

/** Fractions of a month's id that are told apart; a power of two, so that halves of halves stay exact. */
const monthSteps = 1024
const daySteps = 1024

function isMonthId(id: number): boolean {
  return id > 0 && id <= calendarLimits.monthId && Number.isInteger(id * monthSteps)
}

/** The place of a date among all others, in any calendar with these ids of months. What says less comes first. */
export function momentOf({ year, month: monthId, day }: WorldDate): number {
  return (year * monthSteps * monthSteps + Math.round((monthId ?? 0) * monthSteps)) * daySteps + (day ?? 0)
}

/** A date as the calendar has it. */
export interface SettledDate extends WorldDate {
  /** The number of its day, or of the first of its days: 0 is the first day of year 1. */
  readonly number: number
  /** The day that was written does not exist: this is the last before it. */
  readonly moved: boolean
}

/** A day as the calendar has it. */
export interface WorldDay extends WorldDate {
  readonly month: number
  readonly day: number
  readonly number: number
}

const floorMod = (value: number, by: number): number => ((value % by) + by) % by

const isLeap = ({ every, offset }: LeapRule, year: number): boolean => floorMod(year - (offset ?? 0), every) === 0

/** In how many of the years from 1 to before `year` a rule holds; negative for years before 1. */
function timesBefore({ every, offset = 0 }: LeapRule, year: number): number {
  return Math.floor((year - 1 - offset) / every) - Math.floor(-offset / every)
}

export function daysOfMonth({ days, leap }: CalendarMonth, year: number): number {
  return (leap ?? []).reduce((sum, rule) => (isLeap(rule, year) ? sum + rule.days : sum), days)
}

/** Days of all these months before the first of `year`. */
function daysBefore(months: readonly CalendarMonth[], year: number): number {
  return months.reduce(
    (sum, { days, leap }) =>
      (leap ?? []).reduce((more, rule) => more + rule.days * timesBefore(rule, year), sum + days * (year - 1)),
    0,
  )
}

/** The number of the first day of a year. */
export const firstDayOf = ({ months }: WorldCalendar, year: number): number => daysBefore(months, year)

/** The date of a day by its number. */
export function dayAt(calendar: WorldCalendar, number: number): WorldDay {
  const year = yearOf(calendar, number)
  let left = number - firstDayOf(calendar, year)
  for (const each of calendar.months) {
    const days = daysOfMonth(each, year)
    if (left < days) return { year, month: each.id, day: left + 1, number }
    left -= days
  }
  throw new Error('the days of a year are those of its months')
}

/** Years have at least a day each, so that their first days grow with them. */
function yearOf(calendar: WorldCalendar, number: number): number {
  let [low, step] = [1, 1]
  const starts = (year: number): boolean => firstDayOf(calendar, year) <= number
  while (!starts(low)) [low, step] = [low - step, step * 2]
  step = 1
  while (starts(low + step)) [low, step] = [low + step, step * 2]
  let high = low + step
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (starts(middle)) low = middle
    else high = middle
  }
  return low
}

/** What a date is in the calendar as it is now. */
export function settle(calendar: WorldCalendar, date: WorldDate): SettledDate {
  const { year, month: monthId, day } = date
  const first = firstDayOf(calendar, year)
  if (monthId === null) return { ...date, number: first, moved: false }
  let [number, last] = [first, null as SettledDate | null]
  for (const each of calendar.months) {
    if (each.id > monthId) break
    const days = daysOfMonth(each, year)
    if (days > 0 && each.id === monthId) {
      if (day === null) return { ...date, number, moved: false }
      if (day <= days) return { ...date, number: number + day - 1, moved: false }
    }
    if (days > 0) last = { year, month: each.id, day: days, number: number + days - 1, moved: true }
    number += days
  }
  return last ?? { ...dayAt(calendar, first), moved: true }
}

/** The place among all dates from which on they are settled on a day or later. */
export function momentFrom(calendar: WorldCalendar, number: number): number {
  const { year, month: monthId, day } = dayAt(calendar, number)
  if (number === firstDayOf(calendar, year)) return momentOf({ year, month: null, day: null })
  return momentOf({ year, month: monthId, day: day === 1 ? null : day })
}

/** The number of the last day of what a date names: the day, the month or the year. */
export function lastDayOf(calendar: WorldCalendar, date: WorldDate): number {
  const { year, month: monthId, day, number } = settle(calendar, date)
  if (monthId === null) return firstDayOf(calendar, year + 1) - 1
  const whole = calendar.months.find(({ id }) => id === monthId)
  return day === null && whole !== undefined ? number + daysOfMonth(whole, year) - 1 : number
}

/** Whether a date names a day, month or year that there is. */
export function exists(calendar: WorldCalendar, date: WorldDate): boolean {
  return Math.abs(date.year) <= calendarLimits.year && !settle(calendar, date).moved
}

/** The place of a day in the week; null for a day between months. */
export function weekdayOf(calendar: WorldCalendar, { year, month: monthId, day }: WorldDay): number | null {
  const inWeek = calendar.months.filter(({ between }) => !between)
  const own = inWeek.findIndex(({ id }) => id === monthId)
  if (own < 0) return null
  const before = inWeek.slice(0, own).reduce((sum, each) => sum + daysOfMonth(each, year), daysBefore(inWeek, year))
  return floorMod(calendar.firstWeekday + before + day - 1, calendar.weekdays.length)
}

export const moonPhases = [
  'new',
  'waxing crescent',
  'first quarter',
  'waxing gibbous',
  'full',
  'waning gibbous',
  'last quarter',
  'waning crescent',
] as const

/** How far a moon is on its way from new (0) over full (0.5) to new, and the word for it. */
export function moonOn(
  calendar: WorldCalendar,
  { fullOn, period }: CalendarMoon,
  number: number,
): { readonly phase: number; readonly word: (typeof moonPhases)[number] } {
  const full = parseWorldDate(fullOn)
  const since = number - (full === null ? 0 : settle(calendar, full).number)
  const phase = floorMod(since / period + 0.5, 1)
  return { phase, word: moonPhases[Math.round(phase * 8) % 8] ?? 'new' }
}

/** The era that a year lies in; null before the first. */
export function eraOf({ eras }: WorldCalendar, year: number): CalendarEra | null {
  return eras.findLast(({ from }) => from <= year) ?? null
}

/** The years of an era, both included; the last has no end. */
export function yearsOf({ eras }: WorldCalendar, era: CalendarEra): { readonly from: number; readonly to: number } {
  const next = eras[eras.indexOf(era) + 1]
  return { from: era.from, to: next === undefined ? calendarLimits.year : next.from - 1 }
}

/** `412`, or `3 of the Fourth Age` where an era counts its years anew. */
export function yearWords(calendar: WorldCalendar, year: number): string {
  const era = eraOf(calendar, year)
  return era?.restarts ? `${year - era.from + 1} ${era.name}` : String(year)
}

/** A date as people write it: `9 Rimefall, 412`, `Rimefall 412`, `412`. */
export function dateWords(calendar: WorldCalendar, date: WorldDate): string {
  const inYear = dayWords(calendar, date)
  const year = yearWords(calendar, date.year)
  if (inYear === '') return year
  return date.day === null ? `${inYear} ${year}` : `${inYear}, ${year}`
}

/** The same without the year: `9 Rimefall`; nothing where a date is no more than a year. */
export function dayWords(calendar: WorldCalendar, { year, month: monthId, day }: WorldDate): string {
  const found = calendar.months.find(({ id }) => id === monthId)
  if (found === undefined) return ''
  // A feast of one day is called by its name alone.
  if (day === null || (found.between && daysOfMonth(found, year) === 1)) return found.name
  return `${day} ${found.name}`
}

/** A month as it is defined: one that has been there before has its id, or is known by its name. */
export type GivenMonth = Omit<CalendarMonth, 'id'> & { readonly id?: number | undefined }

/**
 * Gives every month an id that grows along the year: those of months that stay, and between them new ones. Null where the
 * ids are not in order, or where no room is left between two of them.
 */
export function identified(
  given: readonly GivenMonth[],
  before: readonly CalendarMonth[],
): readonly CalendarMonth[] | null {
  const fold = (name: string): string => name.trim().toLowerCase()
  const named = given.map((each) => each.id ?? before.find(({ name }) => fold(name) === fold(each.name))?.id ?? null)
  // A whole new calendar: nothing that is dated goes by these names, and its months are counted from 1.
  const ids = named.every((id) => id === null) ? given.map((_, index) => index + 1) : filledIn(named)
  const isRising = ids?.every((id, index) => isMonthId(id) && (index === 0 || id > (ids[index - 1] ?? 0)))
  return ids && isRising ? given.map((each, index) => ({ ...each, id: ids[index] ?? 0 })) : null
}

function filledIn(named: readonly (number | null)[]): readonly number[] | null {
  const ids: number[] = []
  for (const [index, known] of named.entries()) {
    if (known !== null) {
      ids.push(known)
      continue
    }
    const low = ids.at(-1) ?? 0
    const next = named.slice(index).findIndex((id) => id !== null)
    if (next < 0) {
      ids.push(Math.floor(low) + 1)
      continue
    }
    const high = named[index + next] ?? 0
    const step = Math.floor(((high - low) * monthSteps) / (next + 1)) / monthSteps
    if (step <= 0) return null
    ids.push(low + (step >= 1 ? Math.floor(step) : step))
  }
  return ids
}

/** What makes a calendar impossible: the member of it, and why in words; null where nothing does. */
export function faultOf(calendar: WorldCalendar): { readonly path: string; readonly message: string } | null {
  const { months, weekdays, firstWeekday, moons, eras } = calendar
  const limits = calendarLimits
  const twice = (names: readonly string[]): number =>
    names.findIndex((name, index) => names.slice(0, index).some((one) => one.toLowerCase() === name.toLowerCase()))
  const isMonthTwice = twice(months.map(({ name }) => name))
  if (isMonthTwice >= 0) return { path: `months.${isMonthTwice}.name`, message: 'two months have this name' }
  if (months.every(({ between }) => between)) return { path: 'months', message: 'a year needs a month' }
  for (const [index, each] of months.entries()) {
    const rules = each.leap ?? []
    const least = rules.reduce((sum, { days }) => sum + Math.min(0, days), each.days)
    const most = rules.reduce((sum, { days }) => sum + Math.max(0, days), each.days)
    if (least < (each.between ? 0 : 1)) return { path: `months.${index}.days`, message: 'it has a day in every year' }
    if (most > limits.days) return { path: `months.${index}.days`, message: `at most ${limits.days} days` }
  }
  if (firstWeekday >= weekdays.length)
    return { path: 'firstWeekday', message: `the week has ${weekdays.length} days, counted from 0` }
  for (const [index, { fullOn }] of moons.entries()) {
    const date = parseWorldDate(fullOn)
    if (date === null || date.day === null || Math.abs(date.year) > limits.year)
      return { path: `moons.${index}.fullOn`, message: 'a day, as 412-10-9' }
  }
  const isEraTwice = twice(eras.map(({ name }) => name))
  if (isEraTwice >= 0) return { path: `eras.${isEraTwice}.name`, message: 'two eras have this name' }
  const early = eras.findIndex(({ from }, index) => index > 0 && from <= (eras[index - 1]?.from ?? 0))
  return early < 0 ? null : { path: `eras.${early}.from`, message: 'eras stand in the order of their first years' }
}
