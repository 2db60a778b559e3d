import * as z from 'zod'
import { defineEntity } from '../../kernel/entity.ts'
import { byUser, instant, link, nullable, required, userId } from '../../kernel/fields.ts'
import { noticeKinds } from '../../kernel/notices.ts'
import { allOf, self, withLinked } from '../../kernel/visibility.ts'

const notCarried = { drop: 'what people of one server were told' } as const

/**
 * That one member is told of one thing. It is there for them as long as they see the thing, whatever they could see when it
 * was written. Changes make them (storage/notices.ts, and `tells` of the entities).
 */
export const notification = defineEntity({
  name: 'notification',
  table: 'notifications',
  label: 'notification',
  listedBy: 'list_notifications',
  owner: 'userId',
  journal: 'none',
  visible: allOf(self('userId'), withLinked('entityType', 'entityId')),
  lists: { orders: [[]], filters: ['userId'] },
  since: 4,
  fields: {
    userId: required(userId(), { ...byUser, references: 'user' }),
    kind: required(z.enum(noticeKinds), { carry: notCarried }),
    ...link('entityType', 'entityId', notCarried),
    /** What a text names, where that is what it is about. */
    ...link('aboutType', 'aboutId', notCarried),
    byUserId: nullable(userId(), { ...byUser, references: 'user' }),
    readAt: nullable(instant(), { carry: notCarried }),
  },
})
