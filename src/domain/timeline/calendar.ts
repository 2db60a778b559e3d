import * as z from 'zod'
import type { Context } from '../../kernel/context.ts'
import { fail, invalid } from '../../kernel/errors.ts'
import { defineOperation } from '../../kernel/operation.ts'
import {
  calendarLimits,
  dateWords,
  dayAt,
  eraOf,
  faultOf,
  gregorian,
  identified,
  moonOn,
  moonPhases,
  parseWorldDate,
  settle,
  type WorldCalendar,
  weekdayOf,
  writeWorldDate,
} from '../../kernel/world-calendar.ts'
import { calendarParts, givenMonth, worldCalendar, worldDate } from '../calendar/entity.ts'
import { campaign } from '../campaign/entity.ts'
import { knownDate, todayOf } from '../world-date.ts'
import { timelineEvent } from './entity.ts'
import { reachedBetween } from './reached.ts'
import { eventOutput, shown } from './read.ts'

const calendarOutput = worldCalendar.extend({
  campaignId: campaign.id,
  /** That of the campaign, on which the calendar lies. */
  revision: z.int(),
  /** Nobody has defined another. */
  gregorian: z.boolean(),
  /** Today in the world; null until somebody says. */
  currentDate: z.string().nullable(),
  today: z
    .object({
      text: z.string(),
      weekday: z.string().nullable(),
      era: z.string().nullable(),
      /** `phase` goes from 0, new, over 0.5, full, to 1. */
      moons: z.array(z.object({ name: z.string(), phase: z.number(), word: z.enum(moonPhases) })),
    })
    .nullable(),
})

function answer(context: Context): z.input<typeof calendarOutput> {
  const {
    id: _,
    calendar: kept,
    worldDate: written,
    campaignId,
    revision,
  } = context.read(campaign).get(context.campaignId)
  const calendar = kept ?? gregorian
  const today = todayOf(calendar, written)
  return {
    ...mutable(calendar),
    campaignId,
    revision,
    gregorian: kept === null,
    currentDate: today && writeWorldDate(today),
    today: today && {
      text: dateWords(calendar, today),
      weekday: calendar.weekdays[weekdayOf(calendar, today) ?? -1] ?? null,
      era: eraOf(calendar, today.year)?.name ?? null,
      moons: calendar.moons.map((moon) => ({ name: moon.name, ...moonOn(calendar, moon, today.number) })),
    },
  }
}

const mutable = (calendar: WorldCalendar) => calendar as z.output<typeof worldCalendar>

export const calendarOperations = {
  get_world_calendar: defineOperation({
    name: 'get_world_calendar',
    title: 'Get world calendar',
    description: 'Months with the ids that dates use, weekdays, moons, eras, current date.',
    toolset: 'world',
    access: 'viewer',
    effect: 'read',
    route: 'GET /campaigns/{campaignId}/calendar',
    input: z.strictObject({ campaignId: campaign.id }),
    output: calendarOutput,
    example: (world) => ({ campaignId: world.id('campaign') }),
    handle: (context) => answer(context),
  }),
  update_world_calendar: defineOperation({
    name: 'update_world_calendar',
    title: 'Update world calendar',
    description: 'gregorian at first. Months keep their id or name. A day that is gone counts as the last before it.',
    toolset: 'world',
    access: 'dm',
    effect: 'write',
    route: 'PUT /campaigns/{campaignId}/calendar',
    input: z.strictObject({
      campaignId: campaign.id,
      months: z.array(givenMonth).min(1).max(calendarLimits.months),
      weekdays: calendarParts.weekdays,
      firstWeekday: calendarParts.firstWeekday.optional(),
      moons: calendarParts.moons.optional(),
      eras: calendarParts.eras.optional(),
      currentDate: worldDate().nullable().optional(),
      expectedRevision: z.int().min(1).optional(),
    }),
    output: calendarOutput.extend({
      /** The first 200 events on days that this calendar has not, and how many there are. */
      moved: z.array(eventOutput),
      movedCount: z.int(),
    }),
    example: (world) => ({
      campaignId: world.id('campaign'),
      months: [
        { name: 'Leaffall', days: 30 },
        { name: 'Rimefall', days: 30 },
        { name: 'Unsold Days', days: 5, leap: [{ every: 4, days: 1 }], between: true },
      ],
      weekdays: ['Ploughday', 'Riverday', 'Marketday', 'Bellday', 'Candleday', 'Restday'],
      moons: [{ name: 'The Lantern', period: 27, fullOn: '412-2-6' }],
      currentDate: '412-2-12',
    }),
    handle(context, { campaignId, months, currentDate, expectedRevision, ...parts }) {
      const before = context.read(campaign).get(campaignId).calendar ?? gregorian
      const known = identified(months, before.months)
      if (known === null)
        throw invalid(
          'months',
          'ids grow along the year',
          'months: ids grow along the year. Leave the id of a new month away; a month that goes elsewhere is a new one.',
        )
      const given = {
        months: known,
        weekdays: parts.weekdays,
        firstWeekday: parts.firstWeekday ?? Math.min(before.firstWeekday, parts.weekdays.length - 1),
        moons: parts.moons ?? before.moons,
        eras: parts.eras ?? before.eras,
      }
      const fault = faultOf(given)
      if (fault !== null) throw invalid(fault.path, fault.message)
      const patch = {
        calendar: mutable(given),
        ...(currentDate === undefined ? {} : { worldDate: currentDate && dayIn(given, currentDate) }),
      }
      context.write(campaign).update(campaignId, patch, expectedRevision)
      return { ...answer(context), ...movedEvents(context, given) }
    },
  }),
  advance_world_date: defineOperation({
    name: 'advance_world_date',
    title: 'Advance world date',
    description: 'By days, back if negative; answers the events on the way.',
    toolset: 'world',
    access: 'dm',
    effect: 'write',
    route: 'POST /campaigns/{campaignId}/calendar/advance',
    input: z.strictObject({ campaignId: campaign.id, days: z.int().min(-1_000_000).max(1_000_000) }),
    output: calendarOutput.extend({
      /** The first 200 that were gone by, in the order in which they were, and how many. */
      reached: z.array(eventOutput),
      reachedCount: z.int(),
    }),
    example: (world) => ({ campaignId: world.id('campaign'), days: 3 }),
    handle(context, { campaignId, days }) {
      const { calendar: kept, worldDate: written } = context.read(campaign).get(campaignId)
      const calendar = kept ?? gregorian
      const today = todayOf(calendar, written)
      if (today === null)
        throw fail('invalid_state', 'Nobody has said yet what day it is. update_world_calendar takes currentDate.')
      if (days === 0) throw invalid('days', 'by no day at all')
      const then = dayAt(calendar, today.number + days)
      if (Math.abs(then.year) > calendarLimits.year)
        throw invalid('days', `the calendar ends at year ${calendarLimits.year}`)
      context.write(campaign).update(campaignId, { worldDate: writeWorldDate(then) })
      const { items, count } = reachedBetween(context, calendar, today.number, then.number)
      return { ...answer(context), reached: items.map((event) => shown(calendar, event)), reachedCount: count }
    },
  }),
}

/** A date that is a day. Throws `validation_failed`. */
function dayIn(calendar: WorldCalendar, text: string): string {
  const date = knownDate(calendar, 'currentDate', text)
  if (date.day === null) throw invalid('currentDate', 'a day, as 412-10-9')
  return writeWorldDate(date)
}

/** Every event is looked at, a few hundred at a time: no index knows which days a calendar has. */
function movedEvents(context: Context, calendar: WorldCalendar) {
  const ids: number[] = []
  const dates = context
    .read(timelineEvent)
    .each({ where: { moment: { set: true } }, order: [['moment', 'asc']], columns: ['worldDate'] })
  for (const { id, worldDate: written } of dates) {
    const date = written === null ? null : parseWorldDate(written)
    if (date?.day != null && settle(calendar, date).moved) ids.push(id)
  }
  const first = context
    .read(timelineEvent)
    .page({ where: { id: ids.slice(0, 200) }, order: [['moment', 'asc']], limit: 200 })
  return { moved: first.items.map((event) => shown(calendar, event)), movedCount: ids.length }
}
