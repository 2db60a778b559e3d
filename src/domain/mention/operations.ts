import * as z from 'zod'
import { type Context, searchHit } from '../../kernel/context.ts'
import type { Entity } from '../../kernel/entity.ts'
import { limits } from '../../kernel/limits.ts'
import { defineOperation } from '../../kernel/operation.ts'
import { decodeCursor, encodeCursor, pageInput, pageOf } from '../../kernel/paging.ts'
import { campaign } from '../campaign/entity.ts'
import { location } from '../location/entity.ts'
import { npc } from '../npc/entity.ts'
import { quest } from '../quest/entity.ts'
import { countTags } from './rules.ts'

/** The tags of every visible row of an entity, row by row. */
function* tagsOf<E extends Entity>(context: Context, entity: E): Generator<readonly string[]> {
  let cursor: string | undefined
  do {
    const page = context.read(entity).page({ limit: limits.page.most, cursor })
    for (const row of page.items) yield (row as unknown as { readonly tags: readonly string[] }).tags
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined)
}

export const mentionOperations = {
  list_mentions: defineOperation({
    name: 'list_mentions',
    title: 'List mentions',
    description: 'Backlinks: where this thing is mentioned in texts the caller may see.',
    toolset: 'world',
    access: 'viewer',
    effect: 'read',
    route: 'GET /campaigns/{campaignId}/mentions',
    input: z.strictObject({
      campaignId: campaign.id,
      entityType: z.string().max(40),
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
    description: 'Tags of quests, NPCs and locations, by name, with how many things have each.',
    toolset: 'world',
    access: 'viewer',
    effect: 'read',
    route: 'GET /campaigns/{campaignId}/tags',
    input: z.strictObject({ campaignId: campaign.id, ...pageInput }),
    output: pageOf(z.object({ tag: z.string(), count: z.int() })),
    example: (world) => ({ campaignId: world.id('campaign') }),
    handle(context, { limit, cursor }) {
      const lists = [...tagsOf(context, quest), ...tagsOf(context, npc), ...tagsOf(context, location)]
      const after = cursor === undefined ? '' : String(decodeCursor(cursor, 1)[0])
      const size = limit ?? limits.page.standard
      const rest = countTags(lists).filter(({ key }) => key > after)
      const last = rest.length > size ? rest[size - 1] : undefined
      return {
        items: rest.slice(0, size).map(({ tag, count }) => ({ tag, count })),
        nextCursor: last === undefined ? null : encodeCursor([last.key]),
      }
    },
  }),
}
