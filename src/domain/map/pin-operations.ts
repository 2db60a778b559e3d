import * as z from 'zod'
import type { Context } from '../../kernel/context.ts'
import type { RowOf } from '../../kernel/entity.ts'
import { fail, invalid } from '../../kernel/errors.ts'
import { isFogged } from '../../kernel/fog.ts'
import { defineOperation } from '../../kernel/operation.ts'
import { pageInput, pageOf } from '../../kernel/paging.ts'
import { member } from '../member/entity.ts'
import { changed, deletes, trashedOutput } from '../plain.ts'
import { map, mapToken, pin, share } from './entity.ts'
import { settleMap, strokesThatCount } from './fog.ts'
import { isDungeonMaster } from './read.ts'
import { mostPins, mostTokens } from './rules.ts'

const placed = ['x', 'y', 'label', 'entityType', 'entityId', 'icon', 'hidden'] as const

/** A player puts nothing where they see nothing: it would be gone from before their eyes. */
function refuseFog(context: Context, mapId: number, { x, y }: { readonly x: number; readonly y: number }): void {
  if (isDungeonMaster(context) || !context.read(map).get(mapId).fogEnabled) return
  if (isFogged(strokesThatCount(context, mapId), x, y))
    throw fail('invalid_state', 'This part of the map lies under fog. Choose one that you can see.')
}

function refuseItself(mapId: number, type: string | null | undefined, id: number | null | undefined): void {
  if (type === 'map' && id === mapId)
    throw invalid('entityId', 'the map itself', 'entityId: a pin leads to another map, not to the one it is on.')
}

/** What a token is found by where its id is not given: whom it stands for, else what it is called. */
function sameToken(
  context: Context,
  mapId: number,
  { tokenId, npcId, label }: { tokenId?: number | undefined; npcId?: number | undefined; label?: string | undefined },
): RowOf<typeof mapToken> | null {
  const tokens = context.unfiltered(mapToken)
  if (tokenId !== undefined) {
    const token = tokens.find(tokenId)
    if (token?.mapId !== mapId)
      throw invalid('tokenId', 'is on another map', 'tokenId: it is on another map than this.')
    return token
  }
  if (npcId === undefined && label === undefined)
    throw invalid('tokenId', 'is missing', 'Say which token: tokenId of one that is there, npcId, or a label.')
  return tokens.first({ where: npcId === undefined ? { mapId, npcId: null, label } : { mapId, npcId } })
}

export const pinOperations = {
  list_map_pins: defineOperation({
    name: 'list_map_pins',
    title: 'List map pins',
    description: 'Of a map.',
    toolset: 'maps',
    access: 'viewer',
    effect: 'read',
    route: 'GET /maps/{mapId}/pins',
    input: z.strictObject({ mapId: map.id, ...pageInput }),
    output: pageOf(pin.output),
    example: (world) => ({ mapId: world.id('map') }),
    handle: (context, { mapId, ...page }) =>
      context.read(pin).page({ where: { mapId }, order: [['id', 'asc']], ...page }),
  }),
  create_map_pin: defineOperation({
    name: 'create_map_pin',
    title: 'Create map pin',
    description: 'At x, y (0 to 1), linked to a thing or a map within.',
    toolset: 'maps',
    access: 'dm+propose',
    effect: 'write',
    route: 'POST /maps/{mapId}/pins',
    creates: true,
    input: z.strictObject({ mapId: map.id, ...pin.create(...placed) }),
    output: pin.output,
    example: (world) => ({
      mapId: world.id('map'),
      x: 0.62,
      y: 0.31,
      label: 'The press-house',
      entityType: 'location',
      entityId: world.id('location'),
      icon: 'house' as const,
    }),
    handle(context, { mapId, ...values }) {
      if (context.unfiltered(pin).count({ mapId }) >= mostPins)
        throw fail('invalid_state', `A map has ${mostPins} pins at most. Take one off it first.`)
      refuseItself(mapId, values.entityType, values.entityId)
      refuseFog(context, mapId, values)
      const id = context.write(pin).insert({ mapId, ...values })
      settleMap(context, mapId)
      return changed(context, pin, id)
    },
  }),
  update_map_pin: defineOperation({
    name: 'update_map_pin',
    title: 'Update map pin',
    description: 'Move or change a pin.',
    toolset: 'maps',
    access: 'dm',
    effect: 'write',
    route: 'PATCH /map-pins/{pinId}',
    input: z.strictObject({ pinId: pin.id, ...pin.update(...placed) }),
    output: pin.output,
    example: (world) => ({ pinId: world.id('pin'), x: 0.6, y: 0.3 }),
    handle(context, { pinId, expectedRevision, ...patch }) {
      const { mapId } = context.read(pin).get(pinId)
      refuseItself(mapId, patch.entityType, patch.entityId)
      context.write(pin).update(pinId, patch, expectedRevision)
      settleMap(context, mapId)
      return context.read(pin).get(pinId)
    },
  }),
  delete_map_pin: defineOperation({
    name: 'delete_map_pin',
    title: 'Delete map pin',
    description: 'To the trash.',
    toolset: 'maps',
    access: 'dm',
    effect: 'destroy',
    route: 'DELETE /map-pins/{pinId}',
    input: z.strictObject({ pinId: pin.id }),
    output: trashedOutput,
    example: (world) => ({ pinId: world.id('pin', 'spare') }),
    handle: deletes(pin, 'pinId'),
  }),
  set_map_token: defineOperation({
    name: 'set_map_token',
    title: 'Set map token',
    description: 'Place or move: tokenId, npcId or a label. playerUserId may move it.',
    toolset: 'maps',
    access: 'controller',
    subject: 'tokenId',
    effect: 'write',
    route: 'PUT /maps/{mapId}/tokens',
    input: z.strictObject({
      mapId: map.id,
      tokenId: mapToken.id.optional(),
      x: share(),
      y: share(),
      ...mapToken.update('label', 'npcId', 'playerUserId', 'size', 'hidden'),
    }),
    output: mapToken.output,
    example: (world) => ({ mapId: world.id('map'), tokenId: world.id('map_token', 'own'), x: 0.5, y: 0.4 }),
    handle(context, { mapId, tokenId, expectedRevision, ...values }) {
      const { npcId, label, playerUserId } = values
      const found = sameToken(context, mapId, { tokenId, npcId: npcId ?? undefined, label: label ?? undefined })
      if (!isDungeonMaster(context)) {
        const more = Object.entries(values).find(([key, value]) => key !== 'x' && key !== 'y' && value !== undefined)
        if (more) throw fail('forbidden', `Whose token it is may move it; only a Dungeon Master sets its ${more[0]}.`)
        refuseFog(context, mapId, values)
      }
      if (playerUserId && context.read(member).count({ userId: playerUserId, accepted: true }) === 0) {
        const sentence = 'playerUserId: not a member of this campaign. list_members finds user ids.'
        throw invalid('playerUserId', 'not a member', sentence)
      }
      if (found === null && context.unfiltered(mapToken).count({ mapId }) >= mostTokens)
        throw fail('invalid_state', `A map has ${mostTokens} tokens at most. Take one off it first.`)
      const tokens = context.write(mapToken)
      if (found !== null) tokens.update(found.id, values, expectedRevision)
      const id = found?.id ?? tokens.insert({ mapId, ...values })
      settleMap(context, mapId)
      return context.read(mapToken).get(id)
    },
  }),
  remove_map_token: defineOperation({
    name: 'remove_map_token',
    title: 'Remove map token',
    description: 'To the trash.',
    toolset: 'maps',
    access: 'dm',
    effect: 'destroy',
    route: 'DELETE /map-tokens/{tokenId}',
    input: z.strictObject({ tokenId: mapToken.id }),
    output: trashedOutput,
    example: (world) => ({ tokenId: world.id('map_token', 'spare') }),
    handle: deletes(mapToken, 'tokenId'),
  }),
}
