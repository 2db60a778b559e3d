import * as z from 'zod'
import { defineEntity } from '../../kernel/entity.ts'
import { byUser, name, nullable, parent, reference, required, userId } from '../../kernel/fields.ts'
import { withParent } from '../../kernel/visibility.ts'

/** Whether somebody was at the table in a session. Where a session has none, nobody has said who was there. */
export const attendance = defineEntity({
  name: 'attendance',
  table: 'attendances',
  label: 'attendance',
  listedBy: 'get_session',
  trash: true,
  visible: withParent('sessionId', 'session'),
  unique: [['sessionId', 'userId']],
  lists: { orders: [[]], filters: ['sessionId'], counts: [{ by: 'name', sum: 'present' }] },
  since: 4,
  about: 'people',
  fields: {
    sessionId: parent('session'),
    /** Null for what came with an import: users of one server are not users of another. */
    userId: nullable(userId(), { ...byUser, references: 'user' }),
    /** Whom they played; alone where nobody plays them. */
    characterId: reference('character'),
    /** What they were called then. */
    name: required(name(), { carry: 'person' }),
    present: required(z.boolean()),
  },
})
