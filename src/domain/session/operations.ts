import * as z from 'zod'
import { type Context, searchHit } from '../../kernel/context.ts'
import { fail, invalid } from '../../kernel/errors.ts'
import { prose, userId } from '../../kernel/fields.ts'
import { limits } from '../../kernel/limits.ts'
import { defineOperation } from '../../kernel/operation.ts'
import { listInput, listView, pageInput, pageOf } from '../../kernel/paging.ts'
import { campaign } from '../campaign/entity.ts'
import { character } from '../character/entity.ts'
import { deletes, trashedOutput, updates } from '../plain.ts'
import { attendanceOutput, setAttendance, withAttendance } from './attendance.ts'
import { session, sessionStatus } from './entity.ts'
import { prepareSession, prepOutput } from './prep.ts'
import { draftOutput, draftRecap, recapOf, recapOutput } from './recap.ts'
import { minutesBetween } from './rules.ts'

const sessionWithAttendance = session.output.extend({ attendance: attendanceOutput })
const sessionDetail = sessionWithAttendance.extend({
  /** The first backlinks; list_mentions goes on with the cursor. */
  mentionedBy: pageOf(searchHit),
})
const writable = ['title', 'playedAt', 'gameNightId', 'prep', 'dmSecret'] as const

function nextNumber(context: Context): number {
  return (context.read(session).max('number') ?? 0) + 1
}

function attended(context: Context, sessionId: number) {
  const row = context.read(session).get(sessionId)
  return { ...row, attendance: withAttendance(context, [row])[0]?.attendance ?? [] }
}

function refuseTaken(context: Context, number: number | undefined, sessionId: number | null): void {
  if (number === undefined) return
  const taken = context.read(session).first({ where: { number }, columns: ['id'] })
  if (taken !== null && taken.id !== sessionId) {
    throw invalid(
      'number',
      'is taken',
      `There is a session ${number} already. The next free number is ${nextNumber(context)}.`,
    )
  }
}

export const sessionOperations = {
  list_sessions: defineOperation({
    name: 'list_sessions',
    title: 'List sessions',
    description: 'Newest first, with who was there.',
    toolset: 'journal',
    access: 'viewer',
    effect: 'read',
    route: 'GET /campaigns/{campaignId}/sessions',
    input: z.strictObject({ campaignId: campaign.id, status: sessionStatus.optional(), ...listInput }),
    output: pageOf(session.listed.extend({ attendance: attendanceOutput })),
    example: (world) => ({ campaignId: world.id('campaign') }),
    handle(context, { status, ...input }) {
      const page = context.read(session).list(input, { where: { status }, order: [['number', 'desc']] })
      return { ...page, items: withAttendance(context, page.items) }
    },
  }),
  get_session: defineOperation({
    name: 'get_session',
    title: 'Get session',
    description: 'With recap, who was there, mentions.',
    toolset: 'journal',
    access: 'viewer',
    effect: 'read',
    route: 'GET /sessions/{sessionId}',
    input: z.strictObject({ sessionId: session.id }),
    output: sessionDetail,
    example: (world) => ({ sessionId: world.id('session') }),
    handle: (context, { sessionId }) => ({
      ...attended(context, sessionId),
      mentionedBy: context.mentions('session', sessionId, { limit: 20 }),
    }),
  }),
  create_session: defineOperation({
    name: 'create_session',
    title: 'Create session',
    description: 'The next number, planned unless played already.',
    toolset: 'journal',
    access: 'dm',
    effect: 'write',
    route: 'POST /campaigns/{campaignId}/sessions',
    creates: true,
    input: z.strictObject({
      campaignId: campaign.id,
      number: session.fields.number.schema.optional(),
      status: sessionStatus.exclude(['live']).optional(),
      ...session.create(...writable),
    }),
    output: session.output,
    example: (world) => ({ campaignId: world.id('campaign'), title: 'The ledger', prep: 'Marta waits on the stair.' }),
    handle(context, { campaignId: _, number, ...values }) {
      refuseTaken(context, number, null)
      const id = context.write(session).insert({ ...values, number: number ?? nextNumber(context) })
      return context.read(session).get(id)
    },
  }),
  update_session: defineOperation({
    name: 'update_session',
    title: 'Update session',
    description: 'Change a session. publish_session_recap sets the recap.',
    toolset: 'journal',
    access: 'dm',
    effect: 'write',
    route: 'PATCH /sessions/{sessionId}',
    input: z.strictObject({ sessionId: session.id, ...session.update('number', ...writable) }),
    output: session.output,
    example: (world) => ({ sessionId: world.id('session'), title: 'A cradle with no maker' }),
    handle(context, { sessionId, expectedRevision, ...patch }) {
      refuseTaken(context, patch.number, sessionId)
      context.write(session).update(sessionId, patch, expectedRevision)
      return context.read(session).get(sessionId)
    },
  }),
  start_session: defineOperation({
    name: 'start_session',
    title: 'Start session',
    description: 'planned to live, one at a time; new notes belong to it.',
    toolset: 'journal',
    access: 'dm',
    effect: 'write',
    route: 'POST /sessions/{sessionId}/start',
    input: z.strictObject({ sessionId: session.id }),
    output: session.output,
    example: (world) => ({ sessionId: world.id('session', 'planned') }),
    handle(context, { sessionId }) {
      const sessions = context.read(session)
      const { status } = sessions.get(sessionId)
      if (status !== 'planned') throw fail('invalid_state', `This session is ${status}; only a planned one can start.`)
      const live = sessions.first({ where: { status: 'live' } })
      if (live !== null)
        throw fail('invalid_state', `Session ${live.number} is live. End it first with end_session (id ${live.id}).`)
      context.write(session).update(sessionId, { status: 'live', startedAt: context.now })
      return sessions.get(sessionId)
    },
  }),
  end_session: defineOperation({
    name: 'end_session',
    title: 'End session',
    description: 'live to played.',
    toolset: 'journal',
    access: 'dm',
    effect: 'write',
    route: 'POST /sessions/{sessionId}/end',
    tells: ['minutes'],
    input: z.strictObject({ sessionId: session.id }),
    output: session.output.extend({ minutes: z.int().nullable() }),
    example: (world) => ({ sessionId: world.id('session', 'live') }),
    handle(context, { sessionId }) {
      const { status, startedAt } = context.read(session).get(sessionId)
      if (status !== 'live') throw fail('invalid_state', `This session is ${status}; only a live one can end.`)
      context.write(session).update(sessionId, { status: 'played', endedAt: context.now })
      return { ...context.read(session).get(sessionId), minutes: minutesBetween(startedAt, context.now) }
    },
  }),
  set_session_attendance: defineOperation({
    name: 'set_session_attendance',
    title: 'Set session attendance',
    description: 'Who was there: characters or users. Replaces; others were away.',
    toolset: 'journal',
    access: 'dm',
    effect: 'write',
    route: 'PUT /sessions/{sessionId}/attendance',
    input: z.strictObject({
      sessionId: session.id,
      characterIds: z.array(character.id).max(limits.batch).optional(),
      userIds: z.array(userId()).max(limits.batch).optional(),
    }),
    output: sessionWithAttendance,
    example: (world) => ({ sessionId: world.id('session'), characterIds: [world.id('character')] }),
    handle(context, { sessionId, characterIds, userIds }) {
      if (characterIds === undefined && userIds === undefined) throw invalid('characterIds', 'who was there')
      setAttendance(context, sessionId, { characterIds: characterIds ?? [], userIds: userIds ?? [] })
      return attended(context, sessionId)
    },
  }),
  get_session_prep: defineOperation({
    name: 'get_session_prep',
    title: 'Get session prep',
    description: 'Beats told now, open quests and objectives, inbox (as consented), last recap.',
    toolset: 'journal',
    access: 'dm',
    effect: 'read',
    route: 'GET /campaigns/{campaignId}/session-prep',
    input: z.strictObject({ campaignId: campaign.id, view: listView.optional() }),
    output: prepOutput,
    example: (world) => ({ campaignId: world.id('campaign') }),
    handle: (context, { view }) => prepareSession(context, view),
  }),
  delete_session: defineOperation({
    name: 'delete_session',
    title: 'Delete session',
    description: 'To the trash. Its notes stay.',
    toolset: 'journal',
    access: 'dm',
    effect: 'destroy',
    route: 'DELETE /sessions/{sessionId}',
    input: z.strictObject({ sessionId: session.id }),
    output: trashedOutput,
    example: (world) => ({ sessionId: world.id('session', 'planned') }),
    handle: deletes(session, 'sessionId'),
  }),
  list_session_recaps: defineOperation({
    name: 'list_session_recaps',
    title: 'List session recaps',
    description: 'Published ones, newest first.',
    toolset: 'journal',
    access: 'viewer',
    effect: 'read',
    route: 'GET /campaigns/{campaignId}/recaps',
    input: z.strictObject({ campaignId: campaign.id, ...pageInput }),
    output: pageOf(recapOutput),
    example: (world) => ({ campaignId: world.id('campaign') }),
    handle(context, { limit, cursor }) {
      const page = context
        .read(session)
        .page({ where: { recap: { set: true } }, order: [['number', 'desc']], limit, cursor })
      return { items: page.items.map(recapOf), nextCursor: page.nextCursor }
    },
  }),
  draft_session_recap: defineOperation({
    name: 'draft_session_recap',
    title: 'Draft session recap',
    description: 'Material and outline (last session unless said). consent: what was withheld.',
    toolset: 'journal',
    access: 'dm',
    effect: 'read',
    route: 'GET /campaigns/{campaignId}/recap-draft',
    input: z.strictObject({ campaignId: campaign.id, sessionId: session.id.optional() }),
    output: draftOutput,
    example: (world) => ({ campaignId: world.id('campaign') }),
    handle: (context, { sessionId }) => draftRecap(context, sessionId),
  }),
  publish_session_recap: defineOperation({
    name: 'publish_session_recap',
    title: 'Publish session recap',
    description: 'Set the recap that players read.',
    toolset: 'journal',
    access: 'dm+propose',
    effect: 'write',
    route: 'PUT /sessions/{sessionId}/recap',
    input: z.strictObject({ sessionId: session.id, recap: prose().min(1) }),
    output: session.output,
    example: (world) => ({
      sessionId: world.id('session'),
      recap: 'We had been warned about the dog and not about the clerk.',
    }),
    handle: updates(session, 'sessionId'),
  }),
}
