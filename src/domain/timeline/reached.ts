import type { Context } from '../../kernel/context.ts'
import { momentFrom, type WorldCalendar } from '../../kernel/world-calendar.ts'
import { timelineEvent } from './entity.ts'

/**
 * The first 200 events on the days that are gone by between two days, by their numbers, and how many there are: forwards
 * those after the first day up to the second, backwards those that are then to come again.
 */
export function reachedBetween(context: Context, calendar: WorldCalendar, from: number, to: number) {
  const [low, high] = [Math.min(from, to), Math.max(from, to)]
  const moment = { from: momentFrom(calendar, low + 1), to: momentFrom(calendar, high + 1) - 1 }
  const order = [['moment', from < to ? 'asc' : 'desc']] as const
  const { items } = context.read(timelineEvent).page({ where: { moment }, order, limit: 200 })
  return { items, count: context.read(timelineEvent).count({ moment }) }
}
