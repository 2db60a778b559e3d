import * as z from 'zod'
import { defineEntity } from '../../kernel/entity.ts'
import { idOf, instant, name, nullable, required, userId, withDefault } from '../../kernel/fields.ts'
import { roles, writeModes } from '../../kernel/viewer.ts'
import { administrators, anyOf, self } from '../../kernel/visibility.ts'

/**
 * A personal access token (SPEC 2.5, 4.3, 5). It acts as its owner, narrowed by what is said here. Only its hash is stored;
 * the value is shown once. `lastUsedAt` is kept outside of the journal (storage/last-use.ts).
 */
export const personalToken = defineEntity({
  name: 'personal_token',
  table: 'personal_tokens',
  label: 'token',
  listedBy: 'list_tokens',
  scope: 'user',
  visible: anyOf(self('userId'), administrators),
  lists: { orders: [[]] },
  fields: {
    /** Who made it: its owner, or an administrator for them. */
    mintedByUserId: nullable(userId(), { references: 'user' }),
    /** SHA-256 of its value. */
    hash: required(z.string(), { internal: true }),
    /** The first characters of its value, to tell it from others. */
    hint: required(z.string(), { journal: 'name' }),
    name: required(name()),
    scope: required(z.enum(roles)),
    /** The only campaign that it opens. Not a reference: one that is gone must leave it bound to nothing, not unbound. */
    campaignId: nullable(idOf('campaign')),
    writeMode: required(z.enum(writeModes)),
    /** Carries its owner's server-admin rights. */
    admin: withDefault(z.boolean(), false),
    expiresAt: nullable(instant()),
    lastUsedAt: nullable(instant(), { journal: 'name' }),
    revokedAt: nullable(instant()),
  },
})
