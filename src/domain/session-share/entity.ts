import { defineEntity } from '../../kernel/entity.ts'
import { instant, name, nullable, parent, required } from '../../kernel/fields.ts'
import { dungeonMasters } from '../../kernel/visibility.ts'

const notCarried = { carry: { drop: 'an address opens one server' } } as const

/** A secret address under which anybody reads the recap of one session. Only its hash is stored; it is shown once. */
export const sessionShare = defineEntity({
  name: 'session_share',
  table: 'session_shares',
  label: 'shared recap',
  listedBy: 'list_session_shares',
  trash: true,
  visible: dungeonMasters,
  lists: { orders: [[]], filters: ['sessionId'] },
  since: 4,
  fields: {
    sessionId: parent('session', notCarried.carry),
    /** For whom it is, so that one knows which to end. */
    label: nullable(name(), notCarried),
    tokenHash: required(name(), { ...notCarried, internal: true, lookup: true }),
    hint: required(name(), notCarried),
    expiresAt: required(instant(), { ...notCarried, decision: true }),
    revokedAt: nullable(instant(), { ...notCarried, decision: true }),
  },
})
