import * as z from 'zod'
import type { Context } from '../../kernel/context.ts'
import type { ListedRowOf, VisibleRowOf } from '../../kernel/entity.ts'
import { limits } from '../../kernel/limits.ts'
import { encodeCursor, type ListRequest, type Page } from '../../kernel/paging.ts'
import type { Where } from '../../kernel/reader.ts'
import {
  eraOf,
  lastDayOf,
  momentFrom,
  momentOf,
  parseWorldDate,
  settle,
  type WorldCalendar,
  type WorldDate,
  writeWorldDate,
  yearsOf,
} from '../../kernel/world-calendar.ts'
import { worldDateIn } from '../world-date.ts'
import { timelineEvent } from './entity.ts'

export type TimelineEvent = VisibleRowOf<typeof timelineEvent>
export type ListedEvent = ListedRowOf<typeof timelineEvent>

const inCalendar = {
  worldDateText: z.string().nullable(),
  /** The day that was written, where the calendar has none such any more: it then counts for the last before it. */
  movedFrom: z.string().nullable(),
}
export const eventOutput = timelineEvent.output.extend(inCalendar)
export const listedEventOutput = timelineEvent.listed.extend(inCalendar)

/** An event as the calendar has it: its date, the words for it, and the era that it lies in. */
export function shown<E extends Pick<TimelineEvent, 'moment' | 'worldDate' | 'era'>>(
  calendar: WorldCalendar,
  { moment: _, ...event }: E,
) {
  const date = event.worldDate === null ? null : parseWorldDate(event.worldDate)
  if (date === null) return { ...event, worldDateText: null, movedFrom: null }
  return {
    ...event,
    ...worldDateIn(calendar, event.worldDate),
    era: event.era ?? eraOf(calendar, date.year)?.name ?? null,
    movedFrom: settle(calendar, date).moved ? event.worldDate : null,
  }
}

/** The fields of a date that is written: itself, and its place among all others. */
export function dated(date: WorldDate | null) {
  return date === null ? { worldDate: null, moment: null } : { worldDate: writeWorldDate(date), moment: momentOf(date) }
}

export interface EventFilter {
  readonly era?: string | undefined
  readonly from?: WorldDate | undefined
  readonly to?: WorldDate | undefined
  readonly atTable?: boolean | undefined
  readonly direction?: 'forward' | 'backward' | undefined
}

type Conditions = Where<typeof timelineEvent>

/**
 * Events in the order of their dates. Those that nobody can date come before all others, and last backwards. An era of the
 * calendar holds what is dated in its years, and what was given its name without a date; any other word what was given it.
 */
export function pageOfEvents(
  context: Context,
  calendar: WorldCalendar,
  { era, from, to, atTable, direction = 'forward' }: EventFilter,
  request: ListRequest,
): Page<ListedEvent> {
  const forward = direction === 'forward'
  const where: Conditions = { sessionId: atTable ? { set: true } : atTable === false ? null : undefined }
  const span: { readonly from?: number; readonly to?: number } = {
    ...(from === undefined ? {} : { from: momentFrom(calendar, settle(calendar, from).number) }),
    ...(to === undefined ? {} : { to: momentFrom(calendar, lastDayOf(calendar, to) + 1) - 1 }),
  }
  const isSpan = from !== undefined || to !== undefined
  const known = calendar.eras.find(({ name }) => name.toLowerCase() === era?.toLowerCase())
  const parts: Conditions[] = []
  if (known === undefined) parts.push({ ...where, era, moment: isSpan ? span : undefined })
  else {
    const years = yearsOf(calendar, known)
    const moment = {
      from: Math.max(span.from ?? Number.MIN_SAFE_INTEGER, momentOf({ year: years.from, month: null, day: null })),
      to: Math.min(span.to ?? Number.MAX_SAFE_INTEGER, momentOf({ year: years.to + 1, month: null, day: null }) - 1),
    }
    const undated = isSpan ? [] : [{ ...where, era: known.name, moment: null }]
    parts.push(...(forward ? [...undated, { ...where, moment }] : [{ ...where, moment }, ...undated]))
  }
  return joined(context, parts, forward, request)
}

/** Lists one behind the other as one: in each the cursor stands where it stood in the order of all. */
function joined(
  context: Context,
  parts: readonly Conditions[],
  forward: boolean,
  { limit = limits.page.standard, ...request }: ListRequest,
): Page<ListedEvent> {
  const order = [['moment', forward ? 'asc' : 'desc']] as const
  const items: ListedEvent[] = []
  for (const where of parts) {
    const last = items.at(-1)
    if (items.length === limit && last !== undefined) {
      // The page is full: does anything lie behind it?
      if (context.read(timelineEvent).first({ where, matching: request.query }) === null) continue
      return { items, nextCursor: encodeCursor([last.moment, last.id]) }
    }
    const page = context.read(timelineEvent).list({ ...request, limit: limit - items.length }, { where, order })
    items.push(...page.items)
    if (page.nextCursor !== null) return { items, nextCursor: page.nextCursor }
  }
  return { items, nextCursor: null }
}
