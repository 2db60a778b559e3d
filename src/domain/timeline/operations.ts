import * as z from 'zod'
import { type Context, searchHit } from '../../kernel/context.ts'
import { name } from '../../kernel/fields.ts'
import { defineOperation } from '../../kernel/operation.ts'
import { listInput, pageOf } from '../../kernel/paging.ts'
import { worldDate } from '../calendar/entity.ts'
import { campaign } from '../campaign/entity.ts'
import { asNew, changed, deletes, trashedOutput } from '../plain.ts'
import { calendarOf, knownDate } from '../world-date.ts'
import { timelineEvent } from './entity.ts'
import { dated, eventOutput, listedEventOutput, pageOfEvents, shown } from './read.ts'

const eventDetail = eventOutput.extend({
  /** The first backlinks; list_mentions goes on with the cursor. */
  mentionedBy: pageOf(searchHit),
})
const writable = ['title', 'worldDate', 'era', 'body', 'sessionId', 'dmSecret', 'hidden'] as const

/** What an input says of the date; nothing where it says nothing. Throws `validation_failed` on a day that there is not. */
function datedBy(context: Context, text: string | null | undefined) {
  if (text === undefined) return {}
  return dated(text === null ? null : knownDate(calendarOf(context), 'worldDate', text))
}

export const timelineOperations = {
  list_timeline_events: defineOperation({
    name: 'list_timeline_events',
    title: 'List timeline events',
    description:
      'By date; undated first. from and to: 412, 412-10 or 412-10-9, inclusive. atTable: played in a session.',
    toolset: 'world',
    access: 'viewer',
    effect: 'read',
    route: 'GET /campaigns/{campaignId}/timeline',
    input: z.strictObject({
      campaignId: campaign.id,
      era: name().optional(),
      from: worldDate().optional(),
      to: worldDate().optional(),
      atTable: z.boolean().optional(),
      direction: z.enum(['forward', 'backward']).optional(),
      ...listInput,
    }),
    output: pageOf(listedEventOutput),
    example: (world) => ({ campaignId: world.id('campaign') }),
    handle(context, { campaignId: _, from, to, era, atTable, direction, ...request }) {
      const calendar = calendarOf(context)
      const bounds = {
        from: from === undefined ? undefined : knownDate(calendar, 'from', from),
        to: to === undefined ? undefined : knownDate(calendar, 'to', to),
      }
      const page = pageOfEvents(context, calendar, { era, atTable, direction, ...bounds }, request)
      return { ...page, items: page.items.map((event) => shown(calendar, event)) }
    },
  }),
  get_timeline_event: defineOperation({
    name: 'get_timeline_event',
    title: 'Get timeline event',
    description: 'And where it is mentioned.',
    toolset: 'world',
    access: 'viewer',
    effect: 'read',
    route: 'GET /timeline-events/{timelineEventId}',
    input: z.strictObject({ timelineEventId: timelineEvent.id }),
    output: eventDetail,
    example: (world) => ({ timelineEventId: world.id('timeline_event') }),
    handle: (context, { timelineEventId }) => ({
      ...shown(calendarOf(context), context.read(timelineEvent).get(timelineEventId)),
      mentionedBy: context.mentions('timeline_event', timelineEventId, { limit: 20 }),
    }),
  }),
  create_timeline_event: defineOperation({
    name: 'create_timeline_event',
    title: 'Create timeline event',
    description: "worldDate by get_world_calendar's ids: 412, 412-10 or 412-10-9.",
    toolset: 'world',
    access: 'dm+propose',
    effect: 'write',
    route: 'POST /campaigns/{campaignId}/timeline',
    creates: true,
    input: z.strictObject({ campaignId: campaign.id, ...timelineEvent.create(...writable) }),
    output: eventOutput,
    example: (world) => ({
      campaignId: world.id('campaign'),
      title: 'The bell of Aldersey cracks',
      worldDate: '390',
      body: 'On the first stroke of Long Night.',
    }),
    handle(context, { campaignId: _, worldDate: date, ...values }) {
      const id = context.write(timelineEvent).insert({ ...asNew(context, values), ...datedBy(context, date) })
      return shown(calendarOf(context), changed(context, timelineEvent, id))
    },
  }),
  update_timeline_event: defineOperation({
    name: 'update_timeline_event',
    title: 'Update timeline event',
    description: 'Change an event.',
    toolset: 'world',
    access: 'dm+propose',
    effect: 'write',
    route: 'PATCH /timeline-events/{timelineEventId}',
    input: z.strictObject({ timelineEventId: timelineEvent.id, ...timelineEvent.update(...writable) }),
    output: eventOutput,
    example: (world) => ({ timelineEventId: world.id('timeline_event'), title: 'The bell of Aldersey cracks in two' }),
    handle(context, { timelineEventId, expectedRevision, worldDate: date, ...patch }) {
      const change = { ...patch, ...datedBy(context, date) }
      context.write(timelineEvent).update(timelineEventId, change, expectedRevision)
      return shown(calendarOf(context), changed(context, timelineEvent, timelineEventId))
    },
  }),
  delete_timeline_event: defineOperation({
    name: 'delete_timeline_event',
    title: 'Delete timeline event',
    description: 'To the trash.',
    toolset: 'world',
    access: 'dm',
    effect: 'destroy',
    route: 'DELETE /timeline-events/{timelineEventId}',
    input: z.strictObject({ timelineEventId: timelineEvent.id }),
    output: trashedOutput,
    example: (world) => ({ timelineEventId: world.id('timeline_event', 'spare') }),
    handle: deletes(timelineEvent, 'timelineEventId'),
  }),
}
