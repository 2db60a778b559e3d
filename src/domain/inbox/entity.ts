import * as z from 'zod'
import { defineEntity } from '../../kernel/entity.ts'
import { byUser, instant, line, link, nullable, prose, required, userId, withDefault } from '../../kernel/fields.ts'
import type { Notice } from '../../kernel/notices.ts'
import { agreedBy, anyOf, dungeonMasters, self } from '../../kernel/visibility.ts'

export const inboxStatus = z.enum(['open', 'resolved'])

/** What somebody hears of a note to the Dungeon Masters: these that it is there, its author what became of it. */
function tellsOfItem(
  before: { readonly status: string } | null,
  after: { readonly status: string; readonly authorUserId: number },
): readonly Notice[] {
  if (before === null) return [{ kind: 'inbox_item', to: { least: 'dm' } }]
  if (before.status === after.status || after.status === 'open') return []
  return [{ kind: 'inbox_resolved', to: { userId: after.authorUserId } }]
}

/** Something a member passed to the DM. The DM sees all, a player their own. */
export const inboxItem = defineEntity({
  name: 'inbox_item',
  table: 'inbox_items',
  label: 'inbox item',
  listedBy: 'list_inbox_items',
  owner: 'authorUserId',
  writtenBy: 'authorUserId',
  title: 'body',
  trash: true,
  visible: anyOf(dungeonMasters, self('authorUserId')),
  tells: tellsOfItem,
  lists: { orders: [[]], filters: ['status'], arrivals: true },
  fields: {
    authorUserId: required(userId(), { ...byUser, references: 'user' }),
    body: required(prose(10_000).min(1), { search: 'body' }),
    status: withDefault(inboxStatus, 'open'),
    ...link('entityType', 'entityId'),
    resolution: nullable(line(1000), { readableBy: agreedBy('resolvedByUserId') }),
    resolvedAt: nullable(instant()),
    resolvedByUserId: nullable(userId(), { ...byUser, references: 'user' }),
  },
})
