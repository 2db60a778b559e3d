import * as z from 'zod'
import { defineEntity } from '../../kernel/entity.ts'
import { byUser, prose, required, userId, withDefault } from '../../kernel/fields.ts'
import { allOf, anyOf, dungeonMasters, self, where } from '../../kernel/visibility.ts'

/** What helps a member at the table, in their own words. They alone read it, until they say two separate times yes. */
export const supportPreference = defineEntity({
  name: 'support_preference',
  table: 'support_preferences',
  label: 'support preference',
  listedBy: 'list_support_preferences',
  owner: 'userId',
  writtenBy: 'userId',
  agreedOn: 'aiUseAllowed',
  journal: 'fields',
  visible: anyOf(self('userId'), allOf(dungeonMasters, where('sharedWithDm', true))),
  unique: [['userId']],
  lists: { orders: [[]] },
  since: 4,
  fields: {
    userId: required(userId(), { ...byUser, references: 'user' }),
    text: required(prose(4000).min(1), { carry: { drop: 'it is between a person and their table' } }),
    sharedWithDm: withDefault(z.boolean(), false, { ...byUser, decision: true }),
    aiUseAllowed: withDefault(z.boolean(), false, { ...byUser, decision: true }),
  },
})
