import * as z from 'zod'
import { type Context, searchHit } from '../../kernel/context.ts'
import type { VisibleRowOf } from '../../kernel/entity.ts'
import { invalid } from '../../kernel/errors.ts'
import { line, name } from '../../kernel/fields.ts'
import { limits } from '../../kernel/limits.ts'
import { defineOperation } from '../../kernel/operation.ts'
import { listInput, pageOf } from '../../kernel/paging.ts'
import { groupOf } from '../../kernel/reader.ts'
import { campaign } from '../campaign/entity.ts'
import { npc } from '../npc/entity.ts'
import { changed, creates, deletes, trashedOutput } from '../plain.ts'
import { relationOutput, relationsOf } from '../related.ts'
import { faction, reputationChange } from './entity.ts'
import { adjusted, mostReputation } from './rules.ts'

const factionDetail = faction.output.extend({
  /** The first 200 by name, and how many there are; list_npcs has them all. */
  members: z.array(
    npc.output.pick({ id: true, name: true, role: true, status: true, hidden: true, portraitAttachmentId: true }),
  ),
  memberCount: z.int(),
  /** The last 200 steps of the reputation, the newest first, and how many there were. */
  reputationHistory: z.array(
    reputationChange.output.pick({ id: true, delta: true, reputation: true, reason: true, createdAt: true }),
  ),
  reputationChangeCount: z.int(),
  /** The first of them; list_relations goes on with the cursor. */
  relations: pageOf(relationOutput),
  /** The first backlinks; list_mentions goes on with the cursor. */
  mentionedBy: pageOf(searchHit),
})
const writable = [
  'name',
  'kind',
  'goals',
  'body',
  'reputation',
  'emblemAttachmentId',
  'dmSecret',
  'hidden',
  'tags',
] as const

function detail(context: Context, row: VisibleRowOf<typeof faction>) {
  const id: number = row.id
  const who = {
    order: [['name', 'asc']],
    columns: ['name', 'role', 'status', 'hidden', 'portraitAttachmentId'],
  } as const
  const members = groupOf(context.read(npc).groupBy('factionId', [id], who), id)
  const steps = { order: [['createdAt', 'desc']], columns: ['delta', 'reputation', 'reason', 'createdAt'] } as const
  const history = groupOf(context.read(reputationChange).groupBy('factionId', [id], steps), id)
  return {
    ...row,
    members: members.items,
    memberCount: members.count,
    reputationHistory: history.items,
    reputationChangeCount: history.count,
    relations: relationsOf(context, 'faction', row.id, { limit: 20 }),
    mentionedBy: context.mentions('faction', row.id, { limit: 20 }),
  }
}

/** Keeps a step of the reputation, where there is one. */
function keepChange(context: Context, factionId: number, before: number, after: number, reason: string | null): void {
  if (after === before) return
  context.write(reputationChange).insert({ factionId, delta: after - before, reputation: after, reason })
}

export const factionOperations = {
  list_factions: defineOperation({
    name: 'list_factions',
    title: 'List factions',
    description: 'By name, with their standing.',
    toolset: 'world',
    access: 'viewer',
    effect: 'read',
    route: 'GET /campaigns/{campaignId}/factions',
    input: z.strictObject({ campaignId: campaign.id, tag: name(limits.tag).optional(), ...listInput }),
    output: pageOf(faction.listed),
    example: (world) => ({ campaignId: world.id('campaign') }),
    handle: (context, { tag, ...page }) =>
      context.read(faction).list(page, {
        where: { tags: tag === undefined ? undefined : { has: tag } },
        order: [['name', 'asc']],
      }),
  }),
  get_faction: defineOperation({
    name: 'get_faction',
    title: 'Get faction',
    description: 'With members, relations, how its standing came about, mentions.',
    toolset: 'world',
    access: 'viewer',
    effect: 'read',
    route: 'GET /factions/{factionId}',
    input: z.strictObject({ factionId: faction.id }),
    output: factionDetail,
    example: (world) => ({ factionId: world.id('faction') }),
    handle: (context, { factionId }) => detail(context, context.read(faction).get(factionId)),
  }),
  create_faction: defineOperation({
    name: 'create_faction',
    title: 'Create faction',
    description: 'New faction.',
    toolset: 'world',
    access: 'dm+propose',
    effect: 'write',
    route: 'POST /campaigns/{campaignId}/factions',
    creates: true,
    input: z.strictObject({ campaignId: campaign.id, ...faction.create(...writable) }),
    output: faction.output,
    example: (world) => ({
      campaignId: world.id('campaign'),
      name: 'The Pomary',
      kind: 'A trading house',
      goals: '- The winter of 412 pressed before Long Night\n- ~~Hob Fennick quiet~~',
      reputation: -20,
      tags: ['orchard'],
    }),
    handle: creates(faction),
  }),
  update_faction: defineOperation({
    name: 'update_faction',
    title: 'Update faction',
    description: 'adjust_faction_reputation keeps why a reputation moved.',
    toolset: 'world',
    access: 'dm+propose',
    effect: 'write',
    route: 'PATCH /factions/{factionId}',
    input: z.strictObject({ factionId: faction.id, ...faction.update(...writable) }),
    output: faction.output,
    example: (world) => ({ factionId: world.id('faction'), body: 'They press apples in autumn and years in winter.' }),
    handle(context, { factionId, expectedRevision, ...patch }) {
      const before = context.read(faction).get(factionId).reputation
      context.write(faction).update(factionId, patch, expectedRevision)
      keepChange(context, factionId, before, patch.reputation ?? before, null)
      return changed(context, faction, factionId)
    },
  }),
  adjust_faction_reputation: defineOperation({
    name: 'adjust_faction_reputation',
    title: 'Adjust faction reputation',
    description: 'Add to it (-100 to 100), and keep why.',
    toolset: 'world',
    access: 'dm',
    effect: 'write',
    route: 'POST /factions/{factionId}/reputation',
    input: z.strictObject({
      factionId: faction.id,
      delta: z
        .int()
        .min(-2 * mostReputation)
        .max(2 * mostReputation),
      reason: line().optional(),
    }),
    output: factionDetail,
    example: (world) => ({ factionId: world.id('faction'), delta: -15, reason: 'Tamsin refused to be weighed' }),
    handle(context, { factionId, delta, reason }) {
      const before = context.read(faction).get(factionId).reputation
      const after = adjusted(before, delta)
      if (after === null)
        throw invalid('delta', `The reputation stands at ${before}: a change by ${delta} leaves it there.`)
      context.write(faction).update(factionId, { reputation: after.reputation })
      keepChange(context, factionId, before, after.reputation, reason || null)
      return detail(context, context.read(faction).get(factionId))
    },
  }),
  delete_faction: defineOperation({
    name: 'delete_faction',
    title: 'Delete faction',
    description: 'To the trash. Its members stay.',
    toolset: 'world',
    access: 'dm',
    effect: 'destroy',
    route: 'DELETE /factions/{factionId}',
    input: z.strictObject({ factionId: faction.id }),
    output: trashedOutput,
    example: (world) => ({ factionId: world.id('faction', 'spare') }),
    handle: deletes(faction, 'factionId'),
  }),
}
