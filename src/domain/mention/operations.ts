import * as z from 'zod'
import { searchHit } from '../../kernel/context.ts'
import { kindOfThing } from '../../kernel/fields.ts'
import { mergedLabels } from '../../kernel/label-counts.ts'
import { defineOperation } from '../../kernel/operation.ts'
import { pageFrom, pageInput, pageOf } from '../../kernel/paging.ts'
import { campaign } from '../campaign/entity.ts'
import { location } from '../location/entity.ts'
import { npc } from '../npc/entity.ts'
import { quest } from '../quest/entity.ts'

export const mentionOperations = {
  list_mentions: defineOperation({
    name: 'list_mentions',
    title: 'List mentions',
    description: 'Texts that mention this thing.',
    toolset: 'world',
    access: 'viewer',
    effect: 'read',
    route: 'GET /campaigns/{campaignId}/mentions',
    input: z.strictObject({
      campaignId: campaign.id,
      entityType: kindOfThing.mention,
      entityId: z.int().min(1),
      ...pageInput,
    }),
    output: pageOf(searchHit),
    example: (world) => ({ campaignId: world.id('campaign'), entityType: 'npc', entityId: world.id('npc') }),
    handle(context, { entityType, entityId, limit, cursor }) {
      context.read(context.entity(entityType, 'mention')).get(entityId)
      return context.mentions(entityType, entityId, { limit, cursor })
    },
  }),
  list_tags: defineOperation({
    name: 'list_tags',
    title: 'List tags',
    description: 'Of quests, NPCs and locations, with counts.',
    toolset: 'world',
    access: 'viewer',
    effect: 'read',
    route: 'GET /campaigns/{campaignId}/tags',
    input: z.strictObject({ campaignId: campaign.id, ...pageInput }),
    output: pageOf(z.object({ tag: z.string(), count: z.int() })),
    example: (world) => ({ campaignId: world.id('campaign') }),
    handle(context, { campaignId: _, ...page }) {
      const { items, nextCursor } = pageFrom(
        page,
        (after, limit) => {
          const behind = { after: String(after?.[0] ?? ''), limit }
          const lists = [quest, npc, location].map((entity) => context.read(entity).labelsOf('tags', behind))
          return mergedLabels(lists).slice(0, limit)
        },
        ({ key }) => [key],
        ['text'],
      )
      return { items: items.map(({ label, count }) => ({ tag: label, count })), nextCursor }
    },
  }),
}
