import * as z from 'zod'
import { defineEntity } from '../../kernel/entity.ts'
import { byUser, instant, nullable, required, withDefault } from '../../kernel/fields.ts'
import { dungeonMasters } from '../../kernel/visibility.ts'

const notCarried = { carry: { drop: 'an invite opens one server' } } as const

/** A code that lets somebody join. Only its hash is stored; the code itself is shown once. */
export const invite = defineEntity({
  name: 'invite',
  table: 'invites',
  label: 'invite',
  listedBy: 'list_invites',
  visible: dungeonMasters,
  lists: { orders: [[]] },
  fields: {
    codeHash: required(z.string(), { ...notCarried, internal: true, lookup: true }),
    hint: required(z.string(), notCarried),
    role: required(z.enum(['player', 'viewer']), byUser),
    expiresAt: required(instant(), notCarried),
    maxUses: required(z.int().min(1).max(50), notCarried),
    uses: withDefault(z.int().min(0), 0, notCarried),
    revokedAt: nullable(instant(), notCarried),
  },
})
