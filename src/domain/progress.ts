import * as z from 'zod'
import type { Context } from '../kernel/context.ts'
import { objective } from './objective/entity.ts'

export const progressOutput = z.object({ done: z.int(), total: z.int() })

/** Quests with their progress. It counts what the viewer sees, so that a hidden step shows in no sum. Optional steps do not count. */
export function withProgress<T extends { readonly id: number }>(context: Context, quests: readonly T[]) {
  const questId = quests.map(({ id }) => id)
  const steps = context.read(objective).sumBy('done', 'questId', { questId, optional: false })
  return quests.map((quest) => {
    const { sum: done, count: total } = steps.get(quest.id) ?? { sum: 0, count: 0 }
    return { ...quest, progress: { done, total } }
  })
}
