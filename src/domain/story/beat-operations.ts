import * as z from 'zod'
import type { Context } from '../../kernel/context.ts'
import { invalid } from '../../kernel/errors.ts'
import { defineOperation } from '../../kernel/operation.ts'
import { listInput, pageOf } from '../../kernel/paging.ts'
import { lastPosition, placeRows, placesOf } from '../ordering.ts'
import { deletes, trashedOutput } from '../plain.ts'
import { arc, beat, beatStatus } from './entity.ts'
import { beatDetail, detailOf, reopen, toldIn } from './read.ts'

const one = { beatId: beat.id }
const writable = ['title', 'body', 'dmSecret', 'status', 'sessionId', 'questId', 'locationId'] as const

/** The arc that a beat is moved into: the one that is named, that of the beat it is to stand behind, or its own. */
function arcToBe(context: Context, beatId: number, arcId: number | undefined, afterBeatId: number | undefined): number {
  const own = context.read(beat).get(beatId).arcId
  const after = afterBeatId === undefined ? null : context.read(beat).find(afterBeatId)
  if (arcId === undefined) return after?.arcId ?? own
  if (after !== null && after.arcId !== arcId)
    throw invalid('afterBeatId', 'is in another arc', `Beat ${after.id} is in arc ${after.arcId}, not in ${arcId}.`)
  return arcId
}

export const beatOperations = {
  list_beats: defineOperation({
    name: 'list_beats',
    title: 'List beats',
    description: 'Of an arc, in order.',
    toolset: 'story',
    access: 'dm',
    effect: 'read',
    route: 'GET /arcs/{arcId}/beats',
    input: z.strictObject({ arcId: arc.id, status: beatStatus.optional(), ...listInput }),
    output: pageOf(beat.listed),
    example: (world) => ({ arcId: world.id('arc') }),
    handle: (context, { arcId, status, ...page }) =>
      context.read(beat).list(page, { where: { arcId, status }, order: [['position', 'asc']] }),
  }),
  get_beat: defineOperation({
    name: 'get_beat',
    title: 'Get beat',
    description: 'With its ways out, what leads to it, session, quest, place.',
    toolset: 'story',
    access: 'dm',
    effect: 'read',
    route: 'GET /beats/{beatId}',
    input: z.strictObject(one),
    output: beatDetail,
    example: (world) => ({ beatId: world.id('beat') }),
    handle: (context, { beatId }) => detailOf(context, beatId),
  }),
  create_beat: defineOperation({
    name: 'create_beat',
    title: 'Create beat',
    description: 'Last in its arc. create_branch leads to it.',
    toolset: 'story',
    access: 'dm',
    effect: 'write',
    route: 'POST /arcs/{arcId}/beats',
    creates: true,
    input: z.strictObject({ arcId: arc.id, ...beat.create(...writable) }),
    output: beatDetail,
    example: (world) => ({
      arcId: world.id('arc'),
      title: 'Who drinks the winter',
      body: 'Long Night begins when the cup is full.',
      questId: world.id('quest'),
      locationId: world.id('location'),
    }),
    handle(context, { arcId, ...values }) {
      const position = lastPosition(placesOf(context, beat, { arcId }))
      const told = values.sessionId === undefined ? toldIn(context, values.status) : {}
      return detailOf(context, context.write(beat).insert({ arcId, ...values, ...told, position }))
    },
  }),
  update_beat: defineOperation({
    name: 'update_beat',
    title: 'Update beat',
    description: 'Change a beat. take_branch says what the party did.',
    toolset: 'story',
    access: 'dm',
    effect: 'write',
    route: 'PATCH /beats/{beatId}',
    input: z.strictObject({ ...one, ...beat.update(...writable) }),
    output: beatDetail,
    example: (world) => ({ beatId: world.id('beat'), body: 'The song stops when the screw comes down.' }),
    handle(context, { beatId, expectedRevision, ...patch }) {
      context.write(beat).update(beatId, patch, expectedRevision)
      reopen(context, beatId, patch.status)
      return detailOf(context, beatId)
    },
  }),
  set_beat_status: defineOperation({
    name: 'set_beat_status',
    title: 'Set beat status',
    description: 'planned (to come), active (now), done (told), skipped. planned and active open its ways again.',
    toolset: 'story',
    access: 'dm',
    effect: 'write',
    route: 'PUT /beats/{beatId}/status',
    input: z.strictObject({ ...one, status: beatStatus }),
    output: beatDetail,
    example: (world) => ({ beatId: world.id('beat'), status: 'active' as const }),
    handle(context, { beatId, status }) {
      const isNews = context.read(beat).get(beatId).status !== status
      context.write(beat).update(beatId, { status, ...(isNews ? toldIn(context, status) : {}) })
      reopen(context, beatId, status)
      return detailOf(context, beatId)
    },
  }),
  move_beat: defineOperation({
    name: 'move_beat',
    title: 'Move beat',
    description: 'Behind afterBeatId, or first in an arc: its own, unless arcId is given.',
    toolset: 'story',
    access: 'dm',
    effect: 'write',
    route: 'PUT /beats/{beatId}/position',
    input: z.strictObject({ ...one, arcId: arc.id.optional(), afterBeatId: beat.id.optional() }),
    output: beatDetail,
    example: (world) => ({ beatId: world.id('beat', 'next'), afterBeatId: world.id('beat') }),
    handle(context, { beatId, ...to }) {
      const arcId = arcToBe(context, beatId, to.arcId, to.afterBeatId)
      const places = placesOf(context, beat, { arcId })
      const own = context.unfiltered(beat).find(beatId)
      const moving = {
        ...places,
        find: (id: number) => (id === beatId ? own : places.find(id)),
        // Its arc and its place in one change.
        put: (id: number, position: number) => context.write(beat).update(id, { arcId, position }),
      }
      placeRows(moving, [beatId], to.afterBeatId, { rows: 'beatId', after: 'afterBeatId' })
      return detailOf(context, beatId)
    },
  }),
  delete_beat: defineOperation({
    name: 'delete_beat',
    title: 'Delete beat',
    description: 'To the trash, with its ways out.',
    toolset: 'story',
    access: 'dm',
    effect: 'destroy',
    route: 'DELETE /beats/{beatId}',
    input: z.strictObject(one),
    output: trashedOutput,
    example: (world) => ({ beatId: world.id('beat', 'spare') }),
    handle: deletes(beat, 'beatId'),
  }),
}
