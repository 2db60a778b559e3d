import * as z from 'zod'
import { defineEntity } from '../../kernel/entity.ts'
import { instant, nullable, required, withDefault } from '../../kernel/fields.ts'
import { administrators, anyOf, self } from '../../kernel/visibility.ts'

/** Somebody who can sign in to this server. Campaigns know people by their memberships; an export carries no users. */
export const user = defineEntity({
  name: 'user',
  table: 'users',
  label: 'user',
  listedBy: 'list_users',
  scope: 'server',
  visible: anyOf(administrators, self('id')),
  lists: { orders: [[]] },
  fields: {
    /** Random and never changed: by it a restore finds the same person again, whatever they are called by then. */
    key: withDefault(z.string(), '', { internal: true, random: true }),
    /** As they wrote it. No two users have names that fold to one text (kernel/usernames.ts). */
    username: required(z.string()),
    /** A PHC string of argon2id. */
    passwordHash: required(z.string(), { internal: true }),
    /** When an administrator or they themself set another password than the first; it moves with every one. */
    passwordSetAt: nullable(instant()),
    /** Administers this server. */
    admin: withDefault(z.boolean(), false),
    disabledAt: nullable(instant()),
  },
})
