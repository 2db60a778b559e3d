import * as z from 'zod'
import { type Context, searchHit } from '../../kernel/context.ts'
import type { VisibleRowOf } from '../../kernel/entity.ts'
import { name } from '../../kernel/fields.ts'
import { limits } from '../../kernel/limits.ts'
import { defineOperation } from '../../kernel/operation.ts'
import { listInput, pageOf } from '../../kernel/paging.ts'
import { groupOf } from '../../kernel/reader.ts'
import { campaign } from '../campaign/entity.ts'
import { location } from '../location/entity.ts'
import { creates, deletes, trashedOutput, updates } from '../plain.ts'
import { quest } from '../quest/entity.ts'
import { relationOutput, relationsOf } from '../related.ts'
import { disposition, npc } from './entity.ts'

const npcDetail = npc.output.extend({
  /** The first 200 that they give, in order, and how many there are. */
  quests: z.array(quest.output.pick({ id: true, title: true, status: true })),
  questCount: z.int(),
  /** The first of them; list_relations goes on with the cursor. */
  relations: pageOf(relationOutput),
  /** The first backlinks; list_mentions goes on with the cursor. */
  mentionedBy: pageOf(searchHit),
})
const writable = [
  'name',
  'role',
  'species',
  'disposition',
  'status',
  'locationId',
  'factionId',
  'body',
  'voice',
  'portraitAttachmentId',
  'dmSecret',
  'hidden',
  'tags',
] as const

function detail(context: Context, row: VisibleRowOf<typeof npc>) {
  const given = context
    .read(quest)
    .groupBy('giverNpcId', [row.id], { order: [['position', 'asc']], columns: ['title', 'status'] })
  const { items: quests, count: questCount } = groupOf(given, row.id as number)
  return {
    ...row,
    quests,
    questCount,
    relations: relationsOf(context, 'npc', row.id, { limit: 20 }),
    mentionedBy: context.mentions('npc', row.id, { limit: 20 }),
  }
}

export const npcOperations = {
  list_npcs: defineOperation({
    name: 'list_npcs',
    title: 'List NPCs',
    description: 'By name, or those met or written about last first.',
    toolset: 'world',
    access: 'viewer',
    effect: 'read',
    route: 'GET /campaigns/{campaignId}/npcs',
    input: z.strictObject({
      campaignId: campaign.id,
      locationId: location.id.optional(),
      factionId: npc.fields.factionId.schema.optional(),
      disposition: disposition.optional(),
      tag: name(limits.tag).optional(),
      hidden: z.boolean().optional(),
      order: z.enum(['name', 'recent']).optional(),
      ...listInput,
    }),
    output: pageOf(npc.listed),
    example: (world) => ({ campaignId: world.id('campaign') }),
    handle: (context, { locationId, factionId, disposition, tag, hidden, order, ...page }) =>
      context.read(npc).list(page, {
        where: { locationId, factionId, disposition, hidden, tags: tag === undefined ? undefined : { has: tag } },
        order: order === 'recent' ? [['updatedAt', 'desc']] : [['name', 'asc']],
      }),
  }),
  get_npc: defineOperation({
    name: 'get_npc',
    title: 'Get NPC',
    description: 'With place, relations, quests given, mentions.',
    toolset: 'world',
    access: 'viewer',
    effect: 'read',
    route: 'GET /npcs/{npcId}',
    input: z.strictObject({ npcId: npc.id }),
    output: npcDetail,
    example: (world) => ({ npcId: world.id('npc') }),
    handle: (context, { npcId }) => detail(context, context.read(npc).get(npcId)),
  }),
  create_npc: defineOperation({
    name: 'create_npc',
    title: 'Create NPC',
    description: 'New NPC.',
    toolset: 'world',
    access: 'dm+propose',
    effect: 'write',
    route: 'POST /campaigns/{campaignId}/npcs',
    creates: true,
    input: z.strictObject({ campaignId: campaign.id, ...npc.create(...writable) }),
    output: npc.output,
    example: (world) => ({
      campaignId: world.id('campaign'),
      name: 'Marta Quill',
      role: "Keeper of the Pomary's ledger",
      disposition: 'neutral' as const,
      locationId: world.id('location'),
      tags: ['ledger'],
    }),
    handle: creates(npc),
  }),
  update_npc: defineOperation({
    name: 'update_npc',
    title: 'Update NPC',
    description: 'Change an NPC.',
    toolset: 'world',
    access: 'dm+propose',
    effect: 'write',
    route: 'PATCH /npcs/{npcId}',
    input: z.strictObject({ npcId: npc.id, ...npc.update(...writable) }),
    output: npc.output,
    example: (world) => ({ npcId: world.id('npc'), voice: 'Dry and low; finishes your sentence with a smaller word.' }),
    handle: updates(npc, 'npcId'),
  }),
  set_npc_disposition: defineOperation({
    name: 'set_npc_disposition',
    title: 'Set NPC disposition',
    description: 'How they stand to the party.',
    toolset: 'world',
    access: 'dm+propose',
    effect: 'write',
    route: 'PUT /npcs/{npcId}/disposition',
    input: z.strictObject({ npcId: npc.id, disposition }),
    output: npc.output,
    example: (world) => ({ npcId: world.id('npc'), disposition: 'friendly' as const }),
    handle: updates(npc, 'npcId'),
  }),
  delete_npc: defineOperation({
    name: 'delete_npc',
    title: 'Delete NPC',
    description: 'To the trash.',
    toolset: 'world',
    access: 'dm',
    effect: 'destroy',
    route: 'DELETE /npcs/{npcId}',
    input: z.strictObject({ npcId: npc.id }),
    output: trashedOutput,
    example: (world) => ({ npcId: world.id('npc') }),
    handle: deletes(npc, 'npcId'),
  }),
}
