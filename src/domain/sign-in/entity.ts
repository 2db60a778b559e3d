import * as z from 'zod'
import { defineEntity } from '../../kernel/entity.ts'
import { instant, nullable, required } from '../../kernel/fields.ts'
import { administrators, anyOf, self } from '../../kernel/visibility.ts'

/**
 * A browser in which somebody is signed in. It ends with its row; `lastUsedAt` is kept outside of the journal
 * (storage/last-use.ts), and rows that have run out are cleared away without a record.
 */
export const signIn = defineEntity({
  name: 'sign_in',
  table: 'sessions',
  label: 'sign-in',
  listedBy: 'list_tokens',
  scope: 'user',
  visible: anyOf(self('userId'), administrators),
  fields: {
    /** SHA-256 of the cookie's value. */
    hash: required(z.string(), { internal: true }),
    lastUsedAt: required(instant(), { journal: 'name' }),
    userAgent: nullable(z.string(), { journal: 'name' }),
  },
})
