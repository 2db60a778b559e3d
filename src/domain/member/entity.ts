import * as z from 'zod'
import { defineEntity } from '../../kernel/entity.ts'
import { byUser, instant, nullable, required, userId, withDefault } from '../../kernel/fields.ts'
import { roles } from '../../kernel/viewer.ts'
import { anyOf, dungeonMasters, where } from '../../kernel/visibility.ts'

/** A user's place in a campaign. Members do not see each other's consent; the DM sees everyone's (SPEC appendix 4). */
export const member = defineEntity({
  name: 'member',
  table: 'memberships',
  label: 'member',
  listedBy: 'list_members',
  owner: 'userId',
  // Who was added and has not answered yet is no member, to anybody but the Dungeon Masters who wait for it.
  visible: anyOf(dungeonMasters, where('accepted', true)),
  unique: [['userId']],
  lists: { orders: [[]] },
  fields: {
    userId: required(userId(), { ...byUser, references: 'user' }),
    role: required(z.enum(roles), byUser),
    /** Whether they agreed to be in it: whom somebody else added is in it from then on. */
    accepted: withDefault(z.boolean(), true, { ...byUser, decision: true, since: 4 }),
    addedByUserId: nullable(userId(), { ...byUser, references: 'user', since: 4 }),
    lastVisitAt: nullable(instant(), { ...byUser, readableBy: 'owner' }),
    aiConsent: withDefault(z.boolean(), false, { ...byUser, readableBy: 'owner', decision: true, since: 2 }),
    /** What the secret address of their calendar is made of, with the membership; another one ends the address. */
    calendarFeedVersion: withDefault(z.int().min(0), 0, { ...byUser, readableBy: 'owner', decision: true, since: 4 }),
  },
})
