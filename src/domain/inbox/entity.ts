import * as z from 'zod'
import { defineEntity } from '../../kernel/entity.ts'
import { byUser, instant, line, link, nullable, prose, required, userId, withDefault } from '../../kernel/fields.ts'
import { agreedBy, anyOf, dungeonMasters, self } from '../../kernel/visibility.ts'

export const inboxStatus = z.enum(['open', 'resolved'])

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
  lists: { orders: [[]], filters: ['status'] },
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
