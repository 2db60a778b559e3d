import * as z from 'zod'
import type { Context } from '../../kernel/context.ts'
import type { VisibleRowOf } from '../../kernel/entity.ts'
import { name } from '../../kernel/fields.ts'
import { limits } from '../../kernel/limits.ts'
import { defineOperation } from '../../kernel/operation.ts'
import { listInput, pageOf } from '../../kernel/paging.ts'
import { groupOf } from '../../kernel/reader.ts'
import { campaign } from '../campaign/entity.ts'
import { npc } from '../npc/entity.ts'
import { changed, creates, trashed, trashedOutput, updates } from '../plain.ts'
import { quest } from '../quest/entity.ts'
import { refuseCircle } from '../tree.ts'
import { discovery, location } from './entity.ts'
import { placesAbove } from './rules.ts'

const locationDetail = location.output.extend({
  /** The places it lies in, the outermost first. */
  path: z.array(location.output.pick({ id: true, name: true })),
  /** The first 200 by name, of places and of people; list_locations and list_npcs have them all. */
  children: z.array(location.output.pick({ id: true, name: true, kind: true, discovery: true, hidden: true })),
  childCount: z.int(),
  npcs: z.array(npc.output.pick({ id: true, name: true, role: true, disposition: true, status: true, hidden: true })),
  npcCount: z.int(),
  /** The first 200 that lead here, in order, and how many there are. */
  quests: z.array(quest.output.pick({ id: true, title: true, status: true })),
  questCount: z.int(),
})
const writable = [
  'name',
  'kind',
  'parentLocationId',
  'body',
  'discovery',
  'imageAttachmentId',
  'dmSecret',
  'hidden',
  'tags',
] as const

function detail(context: Context, row: VisibleRowOf<typeof location>) {
  const order = [['name', 'asc']] as const
  const id: number = row.id
  const inside = { order, columns: ['name', 'kind', 'discovery', 'hidden'] } as const
  const children = groupOf(context.read(location).groupBy('parentLocationId', [id], inside), id)
  const there = { order, columns: ['name', 'role', 'disposition', 'status', 'hidden'] } as const
  const npcs = groupOf(context.read(npc).groupBy('locationId', [id], there), id)
  const here = { order: [['position', 'asc']], columns: ['title', 'status'] } as const
  const quests = groupOf(context.read(quest).groupBy('locationId', [id], here), id)
  return {
    ...row,
    path: placesAbove(row, (id) => context.read(location).find(id)),
    children: children.items,
    childCount: children.count,
    npcs: npcs.items,
    npcCount: npcs.count,
    quests: quests.items,
    questCount: quests.count,
  }
}

export const locationOperations = {
  list_locations: defineOperation({
    name: 'list_locations',
    title: 'List locations',
    description: 'By name: all, or those directly in one.',
    toolset: 'world',
    access: 'viewer',
    effect: 'read',
    route: 'GET /campaigns/{campaignId}/locations',
    input: z.strictObject({
      campaignId: campaign.id,
      parentLocationId: location.id.optional(),
      discovery: discovery.optional(),
      tag: name(limits.tag).optional(),
      ...listInput,
    }),
    output: pageOf(location.listed),
    example: (world) => ({ campaignId: world.id('campaign') }),
    handle: (context, { parentLocationId, discovery, tag, ...page }) =>
      context.read(location).list(page, {
        where: { parentLocationId, discovery, tags: tag === undefined ? undefined : { has: tag } },
        order: [['name', 'asc']],
      }),
  }),
  get_location: defineOperation({
    name: 'get_location',
    title: 'Get location',
    description: 'With path, places in it, NPCs there.',
    toolset: 'world',
    access: 'viewer',
    effect: 'read',
    route: 'GET /locations/{locationId}',
    input: z.strictObject({ locationId: location.id }),
    output: locationDetail,
    example: (world) => ({ locationId: world.id('location') }),
    handle: (context, { locationId }) => detail(context, context.read(location).get(locationId)),
  }),
  create_location: defineOperation({
    name: 'create_location',
    title: 'Create location',
    description: 'New location.',
    toolset: 'world',
    access: 'dm+propose',
    effect: 'write',
    route: 'POST /campaigns/{campaignId}/locations',
    creates: true,
    input: z.strictObject({ campaignId: campaign.id, ...location.create(...writable) }),
    output: location.output,
    example: (world) => ({
      campaignId: world.id('campaign'),
      name: 'The upper room',
      kind: 'room',
      parentLocationId: world.id('location'),
      discovery: 'rumoured' as const,
    }),
    handle: creates(location),
  }),
  update_location: defineOperation({
    name: 'update_location',
    title: 'Update location',
    description: 'Change a location.',
    toolset: 'world',
    access: 'dm+propose',
    effect: 'write',
    route: 'PATCH /locations/{locationId}',
    input: z.strictObject({ locationId: location.id, ...location.update(...writable) }),
    output: location.output,
    example: (world) => ({ locationId: world.id('location'), body: 'The press runs at night now.' }),
    handle(context, { locationId, expectedRevision, ...patch }) {
      refuseCircle(context, location, 'parentLocationId', locationId, patch.parentLocationId)
      context.write(location).update(locationId, patch, expectedRevision)
      return changed(context, location, locationId)
    },
  }),
  move_location: defineOperation({
    name: 'move_location',
    title: 'Move location',
    description: 'Into another, or to the top with null.',
    toolset: 'world',
    access: 'dm',
    effect: 'write',
    route: 'PUT /locations/{locationId}/parent',
    input: z.strictObject({ locationId: location.id, parentLocationId: location.id.nullable() }),
    output: location.output,
    example: (world) => ({ locationId: world.id('location', 'leaf'), parentLocationId: world.id('location') }),
    handle(context, { locationId, parentLocationId }) {
      refuseCircle(context, location, 'parentLocationId', locationId, parentLocationId)
      context.write(location).update(locationId, { parentLocationId })
      return changed(context, location, locationId)
    },
  }),
  set_location_discovery: defineOperation({
    name: 'set_location_discovery',
    title: 'Set location discovery',
    description: 'Players do not see what is unknown.',
    toolset: 'world',
    access: 'dm+propose',
    effect: 'write',
    route: 'PUT /locations/{locationId}/discovery',
    input: z.strictObject({ locationId: location.id, discovery }),
    output: location.output,
    example: (world) => ({ locationId: world.id('location'), discovery: 'explored' as const }),
    handle: updates(location, 'locationId'),
  }),
  delete_location: defineOperation({
    name: 'delete_location',
    title: 'Delete location',
    description: 'To the trash; places in it move up.',
    toolset: 'world',
    access: 'dm',
    effect: 'destroy',
    route: 'DELETE /locations/{locationId}',
    input: z.strictObject({ locationId: location.id }),
    output: trashedOutput,
    example: (world) => ({ locationId: world.id('location', 'leaf') }),
    handle(context, { locationId }) {
      // A parent that is in the trash reads as null, and then the places move to the top.
      const { parentLocationId } = context.read(location).get(locationId)
      const inside = context.unfiltered(location).each({ where: { parentLocationId: locationId }, columns: ['id'] })
      for (const { id } of inside) context.write(location).update(id, { parentLocationId })
      return trashed(context, location, locationId)
    },
  }),
}
