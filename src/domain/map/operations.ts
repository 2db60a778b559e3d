import * as z from 'zod'
import type { Context } from '../../kernel/context.ts'
import { fail, invalid } from '../../kernel/errors.ts'
import { mostStrokes } from '../../kernel/fog.ts'
import { defineOperation } from '../../kernel/operation.ts'
import { listInput, pageOf } from '../../kernel/paging.ts'
import { attachment } from '../attachment/entity.ts'
import { campaign } from '../campaign/entity.ts'
import { location } from '../location/entity.ts'
import { asNew, changed, deletes, trashedOutput } from '../plain.ts'
import { fogStroke, map } from './entity.ts'
import { countStrokes, settleMap } from './fog.ts'
import { detail, listedMap, mapDetail, mapOutput, mapWithFog, shape, withAddresses, withFog } from './read.ts'
import { countingStrokes, mostShapes, strokesOf, tooManyStrokes } from './rules.ts'

const writable = ['name', 'kind', 'locationId', 'grid', 'body', 'dmSecret', 'hidden'] as const

function refuseNoImage(context: Context, attachmentId: number | undefined): void {
  if (attachmentId === undefined || context.read(attachment).find(attachmentId) !== null) return
  const sentence = 'attachmentId: there is no such attachment here. list_attachments finds ids.'
  throw invalid('attachmentId', 'no such attachment', sentence)
}

export const mapOperations = {
  list_maps: defineOperation({
    name: 'list_maps',
    title: 'List maps',
    description: 'By name, with image; all, or of one location.',
    toolset: 'maps',
    access: 'viewer',
    effect: 'read',
    route: 'GET /campaigns/{campaignId}/maps',
    input: z.strictObject({ campaignId: campaign.id, locationId: location.id.optional(), ...listInput }),
    output: pageOf(listedMap),
    example: (world) => ({ campaignId: world.id('campaign') }),
    handle(context, { locationId, ...input }) {
      const page = context.read(map).list(input, { where: { locationId }, order: [['name', 'asc']] })
      return { ...page, items: page.items.map((row) => withAddresses(context, row)) }
    },
  }),
  get_map: defineOperation({
    name: 'get_map',
    title: 'Get map',
    description: 'With pins, tokens and fog. Places are 0 to 1 from left and top. Players do not get what fog covers.',
    toolset: 'maps',
    access: 'viewer',
    effect: 'read',
    route: 'GET /maps/{mapId}',
    input: z.strictObject({ mapId: map.id }),
    output: mapDetail,
    example: (world) => ({ mapId: world.id('map') }),
    handle: (context, { mapId }) => detail(context, context.read(map).get(mapId)),
  }),
  create_map: defineOperation({
    name: 'create_map',
    title: 'Create map',
    description: 'Of an uploaded image. fogEnabled covers it from the start.',
    toolset: 'maps',
    access: 'dm',
    effect: 'write',
    route: 'POST /campaigns/{campaignId}/maps',
    creates: true,
    input: z.strictObject({
      campaignId: campaign.id,
      attachmentId: attachment.id,
      ...map.create(...writable, 'fogEnabled'),
    }),
    output: mapOutput,
    example: (world) => ({
      campaignId: world.id('campaign'),
      name: 'The valley of Aldersey',
      attachmentId: world.id('attachment'),
      kind: 'A valley',
      grid: { columns: 24, distance: 1, unit: 'mile' },
    }),
    handle(context, { campaignId: _, ...values }) {
      refuseNoImage(context, values.attachmentId)
      const id = context.write(map).insert(asNew(context, values))
      settleMap(context, id)
      return withAddresses(context, context.read(map).get(id))
    },
  }),
  update_map: defineOperation({
    name: 'update_map',
    title: 'Update map',
    description: 'With another image pins and fog stay.',
    toolset: 'maps',
    access: 'dm',
    effect: 'write',
    route: 'PATCH /maps/{mapId}',
    input: z.strictObject({ mapId: map.id, attachmentId: attachment.id.optional(), ...map.update(...writable) }),
    output: mapOutput,
    example: (world) => ({ mapId: world.id('map'), name: 'Aldersey and its orchard' }),
    handle(context, { mapId, expectedRevision, ...patch }) {
      refuseNoImage(context, patch.attachmentId)
      context.write(map).update(mapId, patch, expectedRevision)
      settleMap(context, mapId)
      return withAddresses(context, changed(context, map, mapId))
    },
  }),
  delete_map: defineOperation({
    name: 'delete_map',
    title: 'Delete map',
    description: 'To the trash, with pins, tokens, fog. Its image stays.',
    toolset: 'maps',
    access: 'dm',
    effect: 'destroy',
    route: 'DELETE /maps/{mapId}',
    input: z.strictObject({ mapId: map.id }),
    output: trashedOutput,
    example: (world) => ({ mapId: world.id('map', 'spare') }),
    handle: deletes(map, 'mapId'),
  }),
  set_map_fog: defineOperation({
    name: 'set_map_fog',
    title: 'Set map fog',
    description: 'reset covers all, then reveal uncovers and conceal covers.',
    toolset: 'maps',
    access: 'dm',
    effect: 'write',
    route: 'PUT /maps/{mapId}/fog',
    input: z.strictObject({
      mapId: map.id,
      enabled: z.boolean().optional(),
      reset: z.boolean().optional(),
      reveal: z.array(shape).max(mostShapes).optional(),
      conceal: z.array(shape).max(mostShapes).optional(),
    }),
    output: mapWithFog,
    example: (world) => ({
      mapId: world.id('map'),
      enabled: true,
      reveal: [{ x: 0.1, y: 0.1, width: 0.4, height: 0.3 }],
    }),
    handle(context, { mapId, enabled, ...change }) {
      const strokes = strokesOf(change)
      if (countingStrokes(countStrokes(context, mapId), strokes) > mostStrokes)
        throw fail('invalid_state', tooManyStrokes)
      for (const stroke of strokes) context.write(fogStroke).insert({ mapId, ...stroke, points: [...stroke.points] })
      context.write(map).update(mapId, { fogEnabled: enabled })
      settleMap(context, mapId)
      return withFog(context, context.read(map).get(mapId))
    },
  }),
}
