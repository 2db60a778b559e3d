import * as z from 'zod'
import { defineEntity } from '../../kernel/entity.ts'
import { name, nullable, prose, reference, required, withDefault } from '../../kernel/fields.ts'
import { limits } from '../../kernel/limits.ts'
import { unlessHidden } from '../../kernel/visibility.ts'
import { momentOf, parseWorldDate } from '../../kernel/world-calendar.ts'
import { worldDate } from '../calendar/entity.ts'

/** Something that happened in the world, or will, or did at nobody knows what time. */
export const timelineEvent = defineEntity({
  name: 'timeline_event',
  table: 'timeline_events',
  label: 'timeline event',
  listedBy: 'list_timeline_events',
  title: 'title',
  trash: true,
  hide: true,
  mention: true,
  visible: unlessHidden,
  lists: { orders: [[['moment', 'asc']]], filters: ['era'] },
  since: 4,
  arriving({ worldDate: text }) {
    const date = typeof text === 'string' ? parseWorldDate(text) : null
    return { moment: date && momentOf(date) }
  },
  fields: {
    title: required(name(limits.line), { search: 'title' }),
    /** As it was written. Answers have what the calendar makes of it. */
    worldDate: nullable(worldDate()),
    /** The place of the date among all others; null without one. It holds in any calendar (kernel/world-calendar.ts). */
    moment: nullable(z.int(), { place: true }),
    /** An era of the calendar, or a word of one's own. */
    era: nullable(name(), { search: 'body' }),
    body: nullable(prose(), { search: 'body' }),
    sessionId: reference('session'),
    dmSecret: nullable(prose(), { readableBy: 'dm', search: 'body' }),
    hidden: withDefault(z.boolean(), false),
  },
})
