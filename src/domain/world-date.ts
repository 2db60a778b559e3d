import type { Context } from '../kernel/context.ts'
import { invalid } from '../kernel/errors.ts'
import {
  dateWords,
  dayAt,
  exists,
  gregorian,
  parseWorldDate,
  settle,
  type WorldCalendar,
  type WorldDate,
  type WorldDay,
  writeWorldDate,
} from '../kernel/world-calendar.ts'
import { campaign } from './campaign/entity.ts'

/** The calendar by which the campaign of a call counts. */
export function calendarOf(context: Context): WorldCalendar {
  return context.read(campaign).get(context.campaignId).calendar ?? gregorian
}

/** A stored date as the calendar has it now, and in words; nulls where there is none. */
export function worldDateIn(calendar: WorldCalendar | null, written: string | null) {
  const date = written === null ? null : parseWorldDate(written)
  if (date === null) return { worldDate: null, worldDateText: null }
  const settled = settle(calendar ?? gregorian, date)
  return { worldDate: writeWorldDate(settled), worldDateText: dateWords(calendar ?? gregorian, settled) }
}

/** A date out of an input. Throws `validation_failed` where the calendar has no such day, month or year. */
export function knownDate(calendar: WorldCalendar, path: string, text: string): WorldDate {
  const date = parseWorldDate(text)
  if (date !== null && exists(calendar, date)) return date
  const months = calendar.months.map(({ id, name, days }) => `${id} ${name} (${days})`).join(', ')
  throw invalid(
    path,
    'no such day in the calendar of this world',
    `${path}: this world has no ${text}. Its months, by id: ${months}. get_world_calendar says how it counts.`,
  )
}

/** The day that is today by the calendar as it is now. */
export function todayOf(calendar: WorldCalendar, written: string | null): WorldDay | null {
  const date = written === null ? null : parseWorldDate(written)
  return date && dayAt(calendar, settle(calendar, date).number)
}
