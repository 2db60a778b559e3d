import * as z from 'zod'
import type { Context } from '../../kernel/context.ts'
import { invalid } from '../../kernel/errors.ts'
import { defineOperation } from '../../kernel/operation.ts'
import { campaign } from '../campaign/entity.ts'
import { callFeature, modelCall } from './entity.ts'

const mostDays = 366
const standardDays = 30
const dayMs = 86_400_000

const counts = z.object({
  runs: z.int(),
  calls: z.int(),
  inputTokens: z.int(),
  outputTokens: z.int(),
})
const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10)

/** The counts of one feature by day, of days on which there was something. */
function byDay(
  context: Context,
  feature: z.output<typeof callFeature>,
  days: { readonly from: string; readonly to: string },
) {
  const rows = context.read(modelCall)
  const where = { feature, day: days }
  const used = rows.sumsBy(['opensRun', 'inputTokens', 'outputTokens'], 'day', where)
  const guessed = rows.countBy('day', { ...where, source: 'estimated' })
  return Array.from(used, ([day, { sums, count }]) => ({
    feature,
    day,
    runs: sums.opensRun,
    calls: count,
    inputTokens: sums.inputTokens,
    outputTokens: sums.outputTokens,
    isEstimated: guessed.has(day),
  }))
}

export const aiUsageOperations = {
  get_ai_usage: defineOperation({
    name: 'get_ai_usage',
    title: 'Get AI usage',
    description: 'Tokens and runs by feature and day; 30 days unless told.',
    toolset: 'ai',
    access: 'dm',
    effect: 'read',
    route: 'GET /campaigns/{campaignId}/ai-usage',
    input: z.strictObject({ campaignId: campaign.id, from: z.iso.date().optional(), to: z.iso.date().optional() }),
    output: z.object({
      from: z.iso.date(),
      to: z.iso.date(),
      totals: counts,
      features: z.array(counts.extend({ feature: callFeature })),
      /** By day, then feature; days without a call are left out. */
      days: z.array(
        counts.extend({
          day: z.iso.date(),
          feature: callFeature,
          /** Some of it is reckoned: the provider did not say. */
          isEstimated: z.boolean(),
        }),
      ),
    }),
    example: (world) => ({ campaignId: world.id('campaign') }),
    handle(context, { from: asked, to: until }) {
      const to = until ?? context.now.slice(0, 10)
      const from = asked ?? dayOf(Date.parse(to) - (standardDays - 1) * dayMs)
      if (from > to) throw invalid('from', 'behind the end')
      if (Date.parse(to) - Date.parse(from) >= mostDays * dayMs)
        throw invalid('from', `at most ${mostDays} days at once`)
      const all = callFeature.options.map((feature) => byDay(context, feature, { from, to }))
      const totalOf = (lines: readonly z.output<typeof counts>[]) => ({
        runs: lines.reduce((sum, each) => sum + each.runs, 0),
        calls: lines.reduce((sum, each) => sum + each.calls, 0),
        inputTokens: lines.reduce((sum, each) => sum + each.inputTokens, 0),
        outputTokens: lines.reduce((sum, each) => sum + each.outputTokens, 0),
      })
      return {
        ...{ from, to, totals: totalOf(all.flat()) },
        features: callFeature.options.map((feature, index) => ({ feature, ...totalOf(all[index] ?? []) })),
        days: all.flat().toSorted((one, other) => (one.day < other.day ? -1 : one.day > other.day ? 1 : 0)),
      }
    },
  }),
}
