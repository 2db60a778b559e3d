import * as z from 'zod'
import { defineEntity } from '../../kernel/entity.ts'
import { byUser, instant, nullable, required, userId, withDefault } from '../../kernel/fields.ts'
import { roles } from '../../kernel/viewer.ts'
import { everyone } from '../../kernel/visibility.ts'

/** A user's place in a campaign. Members do not see each other's consent; the DM sees everyone's (SPEC appendix 4). */
export const member = defineEntity({
  name: 'member',
  table: 'memberships',
  label: 'member',
  listedBy: 'list_members',
  owner: 'userId',
  visible: everyone,
  unique: [['userId']],
  lists: { orders: [[]] },
  fields: {
    userId: required(userId(), { ...byUser, references: 'user' }),
    role: required(z.enum(roles), byUser),
    lastVisitAt: nullable(instant(), { ...byUser, readableBy: 'owner' }),
    aiConsent: withDefault(z.boolean(), false, { ...byUser, readableBy: 'owner', decision: true, since: 2 }),
    /** What the secret address of their calendar is made of, with the membership; another one ends the address. */
    calendarFeedVersion: withDefault(z.int().min(0), 0, { ...byUser, readableBy: 'owner', decision: true, since: 4 }),
  },
})
