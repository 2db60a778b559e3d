import type { ModelBudget, ModelFailureClass, ModelFeature, ModelUsage } from '../kernel/model-port.ts'
import type { Store } from '../storage/store.ts'

// What every attempt costs (DESIGN 9). It is set aside before a socket is opened and settled however the attempt ends:
//
// 1. one transaction asks the budgets, what is open included, and writes the row
// 2. the attempt runs; whatever becomes of it, `settle` writes what it cost
// 3. what a process left open when it died is settled at the next start as if the prompt had been read

export interface Reservation {
  readonly id: number
  readonly runId: string
}

export interface Attempt {
  readonly campaignId: number
  readonly feature: Exclude<ModelFeature, 'test'>
  readonly runId: string
  readonly userId: number | null
  readonly attempt: number
  readonly model: string
  /** Tokens that it may cost: of the prompt and the answer. */
  readonly reserved: number
  readonly expectedInput: number
  readonly budget: ModelBudget | null
  readonly monthlyTokens: number | null
  readonly now: string
}

/** What is left of the smaller budget for one more attempt; null where there is none. */
export function tokensLeft(
  store: Store,
  attempt: Pick<Attempt, 'campaignId' | 'feature' | 'budget' | 'monthlyTokens' | 'now'>,
): number | null {
  const { campaignId, feature, budget, monthlyTokens, now } = attempt
  const lefts: number[] = []
  if (budget !== null) {
    const used = store.get(
      `SELECT coalesce(sum(counted), 0) AS used FROM model_calls
       WHERE campaign_id = @campaignId AND feature = @feature AND day >= @day AND created_at >= @since AND deleted_at IS NULL`,
      { campaignId, feature, day: (budget.since ?? '').slice(0, 10), since: budget.since ?? '' },
    )
    lefts.push(budget.tokens - Number(used?.used))
  }
  if (monthlyTokens !== null) {
    const used = store.get('SELECT coalesce(sum(counted), 0) AS used FROM model_calls WHERE day >= @day', {
      day: `${now.slice(0, 7)}-01`,
    })
    lefts.push(monthlyTokens - Number(used?.used))
  }
  return lefts.length === 0 ? null : Math.min(...lefts)
}

/** Sets aside what an attempt may cost; null where a budget has not as much left. */
export function reserve(store: Store, attempt: Attempt): Reservation | null {
  return store.transaction(() => {
    const left = tokensLeft(store, attempt)
    if (left !== null && left < attempt.reserved) return null
    const { campaignId, feature, runId, userId, model, reserved, expectedInput, now } = attempt
    const { id } = store.run(
      `INSERT INTO model_calls (campaign_id, created_at, updated_at, public_updated_at, feature, run_id, opens_run, attempt,
         model, by_user_id, state, reserved, expected_input, counted, day)
       VALUES (@campaignId, @now, @now, @now, @feature, @runId,
         NOT EXISTS (SELECT 1 FROM model_calls WHERE campaign_id = @campaignId AND run_id = @runId AND +feature = @feature AND deleted_at IS NULL),
         @attempt, @model, @userId, 'open', @reserved, @expectedInput, @reserved, @day)`,
      {
        ...{ campaignId, now, feature, runId, attempt: attempt.attempt, model, userId, reserved, expectedInput },
        day: now.slice(0, 10),
      },
    )
    return { id, runId }
  })
}

/** Writes what an attempt cost. Where the campaign was deleted or the database restored meanwhile, there is nothing to settle. */
export function settle(
  store: Store,
  { id, runId }: Reservation,
  { input, output, source }: ModelUsage,
  failure: ModelFailureClass | null,
  now: string,
): void {
  store.transaction(() =>
    store.run(
      `UPDATE model_calls SET state = 'settled', input_tokens = @input, output_tokens = @output, counted = @input + @output,
         source = @source, failure = @failure, settled_at = @now, updated_at = @now, public_updated_at = @now,
         revision = revision + 1, public_revision = public_revision + 1
       WHERE id = @id AND run_id = @runId AND state = 'open'`,
      { id, runId, input, output, source, failure, now },
    ),
  )
}

/** At the start, before anything runs: what the last process left open. Returns how many there were. */
export function settleLeftOpen(store: Store, now: string): number {
  // Where nothing is open nothing is written: the disk may be full.
  if (store.get("SELECT 1 AS found FROM model_calls WHERE state = 'open' LIMIT 1") === undefined) return 0
  return store.transaction(
    () =>
      store.run(
        `UPDATE model_calls SET state = 'settled', input_tokens = expected_input, counted = expected_input,
           source = 'estimated', failure = 'cut', settled_at = @now, updated_at = @now, public_updated_at = @now
         WHERE state = 'open'`,
        { now },
      ).changes,
  )
}
