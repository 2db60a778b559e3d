import * as z from 'zod'
import type { Context } from '../../kernel/context.ts'
import { limits } from '../../kernel/limits.ts'
import { defineOperation } from '../../kernel/operation.ts'
import { listInput, pageOf } from '../../kernel/paging.ts'
import { groupOf } from '../../kernel/reader.ts'
import { campaign } from '../campaign/entity.ts'
import { lastPosition, placeRows, placesOf } from '../ordering.ts'
import { deletes, trashedOutput } from '../plain.ts'
import { arc, arcStatus, beat } from './entity.ts'
import { arcOutput, progressOutput, waysOutput, withTold, withWays } from './read.ts'

const one = { arcId: arc.id }
const beatColumns = ['title', 'status', 'sessionId', 'session', 'questId', 'quest', 'locationId', 'location'] as const
const arcDetail = arcOutput.extend({
  /** The first 200 in order, without their texts; list_beats has them all. */
  beats: z.array(
    beat.output
      .pick({
        id: true,
        title: true,
        status: true,
        sessionId: true,
        session: true,
        questId: true,
        quest: true,
        locationId: true,
        location: true,
      })
      .extend(waysOutput),
  ),
  beatCount: z.int(),
})

function plain(context: Context, arcId: number) {
  const [row] = withTold(context, [context.read(arc).get(arcId)])
  if (row === undefined) throw new Error('an arc that is there is told so far')
  return row
}

export const arcOperations = {
  list_arcs: defineOperation({
    name: 'list_arcs',
    title: 'List arcs',
    description: 'In order, with how many beats are told.',
    toolset: 'story',
    access: 'dm',
    effect: 'read',
    route: 'GET /campaigns/{campaignId}/arcs',
    input: z.strictObject({ campaignId: campaign.id, status: arcStatus.optional(), ...listInput }),
    output: pageOf(arc.listed.extend({ progress: progressOutput })),
    example: (world) => ({ campaignId: world.id('campaign') }),
    handle(context, { status, ...page }) {
      const { items, nextCursor } = context.read(arc).list(page, { where: { status }, order: [['position', 'asc']] })
      return { items: withTold(context, items), nextCursor }
    },
  }),
  get_arc: defineOperation({
    name: 'get_arc',
    title: 'Get arc',
    description: 'With its beats and where each can lead.',
    toolset: 'story',
    access: 'dm',
    effect: 'read',
    route: 'GET /arcs/{arcId}',
    input: z.strictObject(one),
    output: arcDetail,
    example: (world) => ({ arcId: world.id('arc') }),
    handle(context, { arcId }) {
      const query = { order: [['position', 'asc']], columns: beatColumns } as const
      const beats = groupOf(context.read(beat).groupBy('arcId', [arcId], query), arcId)
      return { ...plain(context, arcId), beats: withWays(context, beats.items), beatCount: beats.count }
    },
  }),
  create_arc: defineOperation({
    name: 'create_arc',
    title: 'Create arc',
    description: 'Story arc, last in order, active unless said.',
    toolset: 'story',
    access: 'dm',
    effect: 'write',
    route: 'POST /campaigns/{campaignId}/arcs',
    creates: true,
    input: z.strictObject({ campaignId: campaign.id, ...arc.create('title', 'summary', 'status') }),
    output: arcOutput,
    example: (world) => ({
      campaignId: world.id('campaign'),
      title: 'A bell that will not ring true',
      summary: 'What it was cast from, and who wakes when it rings.',
    }),
    handle(context, { campaignId: _, ...values }) {
      const position = lastPosition(placesOf(context, arc))
      return plain(context, context.write(arc).insert({ ...values, position }))
    },
  }),
  update_arc: defineOperation({
    name: 'update_arc',
    title: 'Update arc',
    description: 'Change an arc.',
    toolset: 'story',
    access: 'dm',
    effect: 'write',
    route: 'PATCH /arcs/{arcId}',
    input: z.strictObject({ ...one, ...arc.update('title', 'summary') }),
    output: arcOutput,
    example: (world) => ({ arcId: world.id('arc'), summary: 'The winter is pressed before Long Night.' }),
    handle(context, { arcId, expectedRevision, ...patch }) {
      context.write(arc).update(arcId, patch, expectedRevision)
      return plain(context, arcId)
    },
  }),
  set_arc_status: defineOperation({
    name: 'set_arc_status',
    title: 'Set arc status',
    description: 'Its beats stay as they are.',
    toolset: 'story',
    access: 'dm',
    effect: 'write',
    route: 'PUT /arcs/{arcId}/status',
    input: z.strictObject({ ...one, status: arcStatus }),
    output: arcOutput,
    example: (world) => ({ arcId: world.id('arc'), status: 'resolved' as const }),
    handle(context, { arcId, status }) {
      context.write(arc).update(arcId, { status })
      return plain(context, arcId)
    },
  }),
  reorder_arcs: defineOperation({
    name: 'reorder_arcs',
    title: 'Reorder arcs',
    description: 'First of all or behind afterArcId; others stay.',
    toolset: 'story',
    access: 'dm',
    effect: 'write',
    route: 'PUT /campaigns/{campaignId}/arcs/order',
    input: z.strictObject({
      campaignId: campaign.id,
      arcIds: z.array(arc.id).min(1).max(limits.batch),
      afterArcId: arc.id.optional(),
    }),
    /** Those that were put in order, not all arcs. */
    output: z.object({ arcIds: z.array(z.int()) }),
    example: (world) => ({ campaignId: world.id('campaign'), arcIds: [world.id('arc')] }),
    handle: (context, { arcIds, afterArcId }) => ({
      arcIds: placeRows(placesOf(context, arc), arcIds, afterArcId, { rows: 'arcIds', after: 'afterArcId' }),
    }),
  }),
  delete_arc: defineOperation({
    name: 'delete_arc',
    title: 'Delete arc',
    description: 'To the trash, with its beats.',
    toolset: 'story',
    access: 'dm',
    effect: 'destroy',
    route: 'DELETE /arcs/{arcId}',
    input: z.strictObject(one),
    output: trashedOutput,
    example: (world) => ({ arcId: world.id('arc', 'spare') }),
    handle: deletes(arc, 'arcId'),
  }),
}
