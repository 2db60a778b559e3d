import * as z from 'zod'
import { instant } from '../../kernel/fields.ts'
import { defineOperation } from '../../kernel/operation.ts'
import { campaign } from '../campaign/entity.ts'
import { gameNight, nightStatus } from '../game-night/entity.ts'

const dayMs = 24 * 3600 * 1000
/** How long a feed tells of what has been, and of what was called off: calendars that poll rarely take it away by then. */
const daysBack = 90
const daysCancelled = 30
/** A table that plays every night for a year. */
const mostNights = 400

/**
 * The nights of a campaign as a calendar needs them, with the key by which it knows each again. It runs for the owner of a
 * feed, through the one pipeline, and is no operation of the catalogue: nobody else can call it.
 */
export const readFeedNights = defineOperation({
  name: 'read_calendar_feed',
  title: 'Read a calendar feed',
  description: 'The settled nights of a campaign, for the calendar of a member.',
  toolset: 'server',
  access: 'viewer',
  effect: 'read',
  route: 'GET /campaigns/{campaignId}/calendar-feed/nights',
  mcp: { none: 'It answers calendars.' },
  input: z.strictObject({ campaignId: campaign.id }),
  output: z.object({
    campaign: z.string(),
    nights: z.array(
      z.object({
        key: z.string(),
        revision: z.int(),
        updatedAt: instant(),
        startsAt: instant(),
        durationMinutes: z.int(),
        title: z.string().nullable(),
        location: z.string().nullable(),
        notes: z.string().nullable(),
        status: nightStatus,
        cancelReason: z.string().nullable(),
      }),
    ),
  }),
  example: (world) => ({ campaignId: world.id('campaign') }),
  handle(context) {
    const ago = (days: number): string => new Date(Date.parse(context.now) - days * dayMs).toISOString()
    const calledOffSince = ago(daysCancelled)
    // Whole rows for their keys: who sees the campaign sees every night of it (domain/game-night/entity.ts).
    const nights = context
      .unfiltered(gameNight)
      .each({ where: { tentative: false, startsAt: { from: ago(daysBack) } }, order: [['startsAt', 'asc']] })
      .filter(({ status, updatedAt }) => status === 'planned' || updatedAt >= calledOffSince)
      .take(mostNights)
      .map(({ calendarKey: key, revision, updatedAt, startsAt, durationMinutes, title, ...night }) => {
        const { location, notes, status, cancelReason } = night
        return { key, revision, updatedAt, startsAt, durationMinutes, title, location, notes, status, cancelReason }
      })
    return { campaign: context.read(campaign).get(context.campaignId).name, nights: Array.from(nights) }
  },
})

export type FeedNights = z.output<(typeof readFeedNights)['output']>
