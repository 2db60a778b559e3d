import * as z from 'zod'
import type { Context } from '../../kernel/context.ts'
import { fail, invalid } from '../../kernel/errors.ts'
import { instant, line } from '../../kernel/fields.ts'
import { defineOperation } from '../../kernel/operation.ts'
import { listInput, pageOf } from '../../kernel/paging.ts'
import { campaign } from '../campaign/entity.ts'
import { gameNight, nightStatus, rsvp, rsvpAnswer } from './entity.ts'
import { detail, nightListed, nightOutput, withAnswers } from './night.ts'
import { endOf, isOver, knownZone, longestAgo, momentOf, plannedTime, storedInstant, zoneName } from './rules.ts'

const writable = ['title', 'durationMinutes', 'location', 'notes', 'tentative'] as const
const aNight = { gameNightId: gameNight.id }

/** The zone in which the table spoke of its latest night; UTC before the first one. */
function usualZone(context: Context): string {
  return context.read(gameNight).first({ order: [['startsAt', 'desc']], columns: ['timeZone'] })?.timeZone ?? 'UTC'
}

/** Calls off every other night that is only asked about. */
function letGoOthers(context: Context, keptId: number): void {
  const offered = Array.from(
    context.read(gameNight).each({ where: { tentative: true, status: 'planned' }, columns: ['id'] }),
  )
  for (const { id } of offered) if (id !== keptId) context.write(gameNight).update(id, { status: 'cancelled' })
}

export const gameNightOperations = {
  list_game_nights: defineOperation({
    name: 'list_game_nights',
    title: 'List game nights',
    description: 'By date, with who comes. tentative: days the table is asked about.',
    toolset: 'schedule',
    access: 'viewer',
    effect: 'read',
    route: 'GET /campaigns/{campaignId}/game-nights',
    input: z.strictObject({
      campaignId: campaign.id,
      from: instant().optional(),
      to: instant().optional(),
      status: nightStatus.optional(),
      tentative: z.boolean().optional(),
      newestFirst: z.boolean().optional(),
      ...listInput,
    }),
    output: pageOf(nightListed),
    example: (world) => ({ campaignId: world.id('campaign') }),
    handle(context, { from, to, status, tentative, newestFirst, ...input }) {
      const startsAt = {
        ...(from === undefined ? {} : { from: storedInstant(from) }),
        ...(to === undefined ? {} : { to: storedInstant(to) }),
      }
      const order = [['startsAt', newestFirst ? 'desc' : 'asc']] as const
      const page = context.read(gameNight).list(input, { where: { startsAt, status, tentative }, order })
      return { ...page, items: withAnswers(context, page.items) }
    },
  }),
  get_game_night: defineOperation({
    name: 'get_game_night',
    title: 'Get game night',
    description: 'Who comes, what they say, who has not answered.',
    toolset: 'schedule',
    access: 'viewer',
    effect: 'read',
    route: 'GET /game-nights/{gameNightId}',
    input: z.strictObject(aNight),
    output: nightOutput,
    example: (world) => ({ gameNightId: world.id('game_night') }),
    handle: (context, { gameNightId }) => detail(context, gameNightId),
  }),
  get_next_game_night: defineOperation({
    name: 'get_next_game_night',
    title: 'Get next game night',
    description: 'The settled one on now or next, or null; how many days are asked about.',
    toolset: 'schedule',
    access: 'viewer',
    effect: 'read',
    route: 'GET /campaigns/{campaignId}/game-nights/next',
    input: z.strictObject({ campaignId: campaign.id }),
    output: z.object({ gameNight: nightOutput.nullable(), tentativeCount: z.int() }),
    example: (world) => ({ campaignId: world.id('campaign') }),
    handle(context) {
      const nights = context.read(gameNight)
      const startsAt = { from: longestAgo(context.now) }
      const settled = { tentative: false, status: 'planned', startsAt } as const
      const next = nights
        .each({ where: settled, order: [['startsAt', 'asc']] })
        .find((night) => !isOver(night, context.now))
      return {
        gameNight: next === undefined ? null : (withAnswers(context, [next])[0] ?? null),
        tentativeCount: nights.count({ tentative: true, status: 'planned', startsAt: { from: context.now } }),
      }
    },
  }),
  create_game_night: defineOperation({
    name: 'create_game_night',
    title: 'Plan a game night',
    description:
      'startsAt: an instant, or a time without Z in timeZone (the last used). tentative: asked, not settled.',
    toolset: 'schedule',
    access: 'dm',
    effect: 'write',
    route: 'POST /campaigns/{campaignId}/game-nights',
    creates: true,
    input: z.strictObject({
      campaignId: campaign.id,
      startsAt: plannedTime(),
      timeZone: gameNight.fields.timeZone.schema.optional(),
      ...gameNight.create(...writable),
    }),
    output: nightOutput,
    example: (world) => ({
      campaignId: world.id('campaign'),
      startsAt: '2026-12-04T19:00',
      timeZone: 'Europe/Brussels',
      location: 'At Noor’s, the upper bell',
      notes: 'Somebody bring the good lamp.',
    }),
    handle(context, { campaignId: _, startsAt, timeZone, ...values }) {
      const zone = timeZone === undefined ? usualZone(context) : knownZone(timeZone)
      const id = context.write(gameNight).insert({ ...values, ...momentOf(startsAt, zone), timeZone: zone })
      return detail(context, id)
    },
  }),
  update_game_night: defineOperation({
    name: 'update_game_night',
    title: 'Update game night',
    description: 'Another time asks all again. tentative false with callOffOthers takes one day of a poll.',
    toolset: 'schedule',
    access: 'dm',
    effect: 'write',
    route: 'PATCH /game-nights/{gameNightId}',
    input: z.strictObject({
      ...aNight,
      startsAt: plannedTime().optional(),
      timeZone: gameNight.fields.timeZone.schema.optional(),
      ...gameNight.update(...writable),
      callOffOthers: z.boolean().optional(),
    }),
    output: nightOutput,
    example: (world) => ({ gameNightId: world.id('game_night'), notes: 'Noor’s bell is the upper one.' }),
    handle(context, { gameNightId, expectedRevision, startsAt, timeZone, callOffOthers, ...patch }) {
      const before = context.read(gameNight).get(gameNightId)
      const zone = timeZone === undefined ? before.timeZone : knownZone(timeZone)
      // Another zone alone is how people speak of the same instant.
      const moment = momentOf(startsAt ?? before.startsAt, zone)
      context.write(gameNight).update(gameNightId, { ...patch, ...moment, timeZone: zone }, expectedRevision)
      if (callOffOthers) {
        const after = context.read(gameNight).get(gameNightId)
        if (after.tentative || after.status === 'cancelled')
          throw invalid(
            'callOffOthers',
            'only for a day that is taken',
            'callOffOthers goes with tentative: false, on a night that is planned: it is the day the table takes.',
          )
        letGoOthers(context, gameNightId)
      }
      return detail(context, gameNightId)
    },
  }),
  cancel_game_night: defineOperation({
    name: 'cancel_game_night',
    title: 'Call off a game night',
    description: 'planned to cancelled; everybody reads the reason.',
    toolset: 'schedule',
    access: 'dm',
    effect: 'write',
    route: 'POST /game-nights/{gameNightId}/cancel',
    input: z.strictObject({ ...aNight, reason: line().optional() }),
    output: nightOutput,
    example: (world) => ({ gameNightId: world.id('game_night'), reason: 'Half of us are coughing' }),
    handle(context, { gameNightId, reason }) {
      if (context.read(gameNight).get(gameNightId).status === 'cancelled')
        throw fail('invalid_state', 'This night is called off already. reinstate_game_night plans it again.')
      context.write(gameNight).update(gameNightId, { status: 'cancelled', cancelReason: reason || null })
      return detail(context, gameNightId)
    },
  }),
  reinstate_game_night: defineOperation({
    name: 'reinstate_game_night',
    title: 'Reinstate a game night',
    description: 'cancelled to planned, answers kept.',
    toolset: 'schedule',
    access: 'dm',
    effect: 'write',
    route: 'POST /game-nights/{gameNightId}/reinstate',
    input: z.strictObject(aNight),
    output: nightOutput,
    example: (world) => ({ gameNightId: world.id('game_night', 'cancelled') }),
    handle(context, { gameNightId }) {
      if (context.read(gameNight).get(gameNightId).status === 'planned')
        throw fail('invalid_state', 'This night is planned; there is nothing to reinstate.')
      context.write(gameNight).update(gameNightId, { status: 'planned', cancelReason: null })
      return detail(context, gameNightId)
    },
  }),
  set_rsvp: defineOperation({
    name: 'set_rsvp',
    title: 'Answer a game night',
    description: "The caller's own answer, with a note for the table.",
    toolset: 'schedule',
    access: 'player',
    effect: 'write',
    route: 'PUT /game-nights/{gameNightId}/rsvp',
    input: z.strictObject({
      ...aNight,
      answer: rsvpAnswer,
      note: line().nullable().optional(),
      timeZone: zoneName().optional(),
    }),
    output: nightOutput,
    example: (world) => ({ gameNightId: world.id('game_night'), answer: 'yes' as const, note: 'Half past, the train' }),
    handle(context, { gameNightId, answer, note, timeZone }) {
      const night = context.read(gameNight).get(gameNightId)
      if (night.status === 'cancelled') throw fail('invalid_state', 'This night is called off: nobody is asked.')
      if (isOver(night, context.now))
        throw fail(
          'invalid_state',
          `This night was over at ${endOf(night)}. set_session_attendance says who was there.`,
        )
      const { userId, username } = context.actor
      const word = note === undefined ? undefined : note || null
      const zone = timeZone === undefined ? undefined : knownZone(timeZone)
      const own = { answer, note: word, timeZone: zone, forStartsAt: night.startsAt, name: username }
      const before = context.read(rsvp).first({ where: { gameNightId, userId }, columns: ['id'] })
      if (before === null) context.write(rsvp).insert({ ...own, gameNightId, userId })
      else context.write(rsvp).update(before.id, own)
      return detail(context, gameNightId)
    },
  }),
}
