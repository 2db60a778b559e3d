import * as z from 'zod'
import { defineEntity } from '../../kernel/entity.ts'
import {
  byUser,
  day,
  instant,
  line,
  name,
  nullable,
  parent,
  prose,
  required,
  userId,
  withDefault,
} from '../../kernel/fields.ts'
import { everyone, withParent } from '../../kernel/visibility.ts'
import { knownZone, momentOf, tellsOfNight, usualMinutes, zoneName } from './rules.ts'

export const nightStatus = z.enum(['planned', 'cancelled'])

/** An evening on which the table means to play. Who sees the campaign sees it whole. */
export const gameNight = defineEntity({
  name: 'game_night',
  table: 'game_nights',
  label: 'game night',
  listedBy: 'list_game_nights',
  title: 'title',
  untitled: { word: 'Game night of', field: 'localDate' },
  trash: true,
  visible: everyone,
  tells: tellsOfNight,
  lists: { orders: [[['startsAt', 'asc']]], filters: ['status', 'tentative'], counts: [{ by: 'status' }] },
  since: 4,
  arriving({ startsAt, timeZone }) {
    const zone = knownZone(String(timeZone))
    return { timeZone: zone, ...momentOf(String(startsAt), zone) }
  },
  fields: {
    title: nullable(name(), { search: 'title' }),
    /** An instant; the zone says how people speak of it. */
    startsAt: required(instant()),
    timeZone: required(zoneName()),
    /** The day in that zone. */
    localDate: required(day()),
    durationMinutes: withDefault(
      z
        .int()
        .min(15)
        .max(24 * 60),
      usualMinutes,
    ),
    location: nullable(line(), { search: 'body' }),
    notes: nullable(prose(), { search: 'body' }),
    status: withDefault(nightStatus, 'planned'),
    /** One of several days that the table is asked about: not settled, and in no calendar. */
    tentative: withDefault(z.boolean(), false),
    cancelReason: nullable(line()),
    /** By which calendars know it again, for ever. */
    calendarKey: withDefault(z.string(), '', {
      internal: true,
      random: true,
      carry: { drop: 'a calendar knows a night of one server, not its copy (SPEC 4.5)' },
    }),
  },
})

export const rsvpAnswer = z.enum(['yes', 'maybe', 'no'])

/** Whether somebody comes to a game night. The answer counts for the time at which they were asked. */
export const rsvp = defineEntity({
  name: 'rsvp',
  table: 'rsvps',
  label: 'answer to a game night',
  listedBy: 'get_game_night',
  owner: 'userId',
  trash: true,
  visible: withParent('gameNightId', 'game_night'),
  unique: [['gameNightId', 'userId']],
  lists: { orders: [[]], filters: ['gameNightId'] },
  since: 4,
  arriving: ({ timeZone }) => ({ timeZone: timeZone == null ? null : knownZone(String(timeZone)) }),
  fields: {
    gameNightId: parent('game_night'),
    /** Null for what came with an import: users of one server are not users of another. */
    userId: nullable(userId(), { ...byUser, references: 'user' }),
    /** What they were called when they answered. */
    name: required(name(), { carry: 'person' }),
    answer: required(rsvpAnswer),
    note: nullable(line()),
    /** Where their clock is, so that others see what it shows. */
    timeZone: nullable(zoneName()),
    /** When the night was to begin as they answered. */
    forStartsAt: required(instant()),
  },
})
