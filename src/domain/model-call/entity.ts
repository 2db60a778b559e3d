import * as z from 'zod'
import { defineEntity } from '../../kernel/entity.ts'
import { byUser, instant, nullable, required, userId, withDefault } from '../../kernel/fields.ts'
import { modelFailures } from '../../kernel/model-port.ts'
import { dungeonMasters } from '../../kernel/visibility.ts'

export const callFeature = z.enum(['scribe', 'seat', 'drafts'])
const notCarried = { carry: { drop: 'what models of one server were asked' } } as const
const failureClasses = Object.keys(modelFailures) as [keyof typeof modelFailures]

/**
 * One attempt to get an answer from a model: what was reserved for it, and what it then cost. It holds neither prompt nor
 * answer. `ai/` writes it outside of any operation (ai/reservations.ts).
 */
export const modelCall = defineEntity({
  name: 'model_call',
  table: 'model_calls',
  label: 'call of a model',
  listedBy: 'get_ai_usage',
  journal: 'none',
  visible: dungeonMasters,
  lists: { orders: [[['day', 'asc']]], filters: ['feature', 'runId'] },
  since: 4,
  fields: {
    feature: required(callFeature, notCarried),
    /** The calls of one run: a turn of the seat, a run of the scribe, a draft. */
    runId: required(z.string().max(80), notCarried),
    /** The first call of its run. */
    opensRun: withDefault(z.boolean(), false, notCarried),
    attempt: required(z.int(), notCarried),
    model: required(z.string().max(200), notCarried),
    byUserId: nullable(userId(), { ...byUser, references: 'user' }),
    /** `open` while the model is asked. */
    state: required(z.enum(['open', 'settled']), notCarried),
    /** Tokens that were set aside for it. */
    reserved: required(z.int(), notCarried),
    /** What it costs if it ends without a word, once it was sent. */
    expectedInput: required(z.int(), notCarried),
    inputTokens: withDefault(z.int(), 0, notCarried),
    outputTokens: withDefault(z.int(), 0, notCarried),
    /** What counts against a budget: the reservation while it is open, then what it cost. */
    counted: required(z.int(), notCarried),
    /** `estimated`: the provider did not say. */
    source: nullable(z.enum(['reported', 'estimated']), notCarried),
    failure: nullable(z.enum(failureClasses), notCarried),
    /** The day on which it began, in UTC. */
    day: required(z.iso.date(), notCarried),
    settledAt: nullable(instant(), notCarried),
  },
})
