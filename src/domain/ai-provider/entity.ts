import * as z from 'zod'
import { defineEntity } from '../../kernel/entity.ts'
import { instant, nullable, required } from '../../kernel/fields.ts'
import { administrators } from '../../kernel/visibility.ts'

/**
 * The language model of this server, as its administrators chose it: one row, or none where nobody chose. It lies in the
 * database, so that a backup brings it home; the key with it opens only beside the key file for which it was sealed.
 */
export const aiProvider = defineEntity({
  name: 'ai_provider',
  table: 'ai_providers',
  label: 'AI provider',
  listedBy: 'get_ai_provider',
  scope: 'server',
  visible: administrators,
  lists: { orders: [[]] },
  since: 4,
  fields: {
    kind: required(z.enum(['none', 'openai_compatible', 'anthropic'])),
    /** Where its API lies, without a slash at the end. */
    baseUrl: nullable(z.string()),
    /** On this computer or in its network, or out on the internet: which addresses it may have. */
    reach: required(z.enum(['local', 'internet'])),
    model: nullable(z.string()),
    /** How many tokens fit in one request with its answer, where the administrator or the provider said. */
    contextTokens: nullable(z.int()),
    /** The most tokens that all campaigns together may use in a calendar month (UTC); null is no bound. */
    monthlyTokens: nullable(z.int()),
    /** See ai/sealed-key.ts. */
    sealedKey: nullable(z.string(), { internal: true, journal: 'name' }),
    /** The end of the key, to tell it from others: four characters at most. */
    keyHint: nullable(z.string(), { journal: 'name' }),
    keySetAt: nullable(instant()),
  },
})
