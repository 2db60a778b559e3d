import { aiTurn } from '../domain/ai-seat/entity.ts'
import { fail } from '../kernel/errors.ts'
import type { Store } from '../storage/store.ts'
import { talliesOf } from '../storage/tallies.ts'
import type { SeatRights } from './seat-tools.ts'

/** The seat as a turn finds it when it asks, in one read. */
export interface SeatNow extends SeatRights {
  readonly persona: string | null
  readonly tokenBudget: number
  readonly budgetSince: string | null
}

/** Why a turn goes no further, and how it ends then. */
export interface Stop {
  readonly state: 'stopped' | 'spent' | 'failed'
  readonly says: string
}

/** Under which names it is kept how much all turns of a campaign have used (storage/tallies.ts). */
const tokensKept = talliesOf(aiTurn)
  .map(({ name }) => `'${name}'`)
  .join(', ')

/**
 * Reads the seat of a turn anew, ahead of each thing that it does: who paused it, what it was allowed, whether the table is
 * still. Inside the transaction of an operation it is the last word.
 */
export function seatOfTurn(store: Store, turnId: number): SeatNow | Stop {
  const row = store.get(
    `SELECT t.state, t.mode AS begun_as, t.read_secrets, s.mode, s.persona, s.driver_may, s.token_budget, s.budget_since,
       s.may_see_secrets, s.paused_at, c.status, c.deleted_at, m.role,
       (SELECT count(*) FROM safety_signals still WHERE still.campaign_id = t.campaign_id AND still.deleted_at IS NULL) AS still,
       (SELECT coalesce(sum(used.sum), 0) FROM tallies used
        WHERE used.campaign_id = t.campaign_id AND used.name IN (${tokensKept})) - coalesce(s.used_before, 0) AS used
     FROM ai_turns t
     JOIN campaigns c ON c.id = t.campaign_id
     LEFT JOIN ai_seats s ON s.campaign_id = t.campaign_id AND s.deleted_at IS NULL
     LEFT JOIN users u ON u.id = t.asked_by_user_id AND u.disabled_at IS NULL
     LEFT JOIN memberships m ON m.campaign_id = t.campaign_id AND m.user_id = u.id AND m.deleted_at IS NULL AND m.accepted = 1
     WHERE t.id = @turnId AND t.deleted_at IS NULL`,
    { turnId },
  )
  const stop = (says: string, state: Stop['state'] = 'stopped'): Stop => ({ state, says })
  if (row === undefined || row.state !== 'running') return stop('This turn has ended.')
  if (row.paused_at !== null) return stop('Somebody at the table stopped it.')
  if (Number(row.still) > 0) return stop('Somebody asked to stop: the table is still.')
  if (row.mode === null || row.mode === 'off') return stop('A Dungeon Master took it off its seat.')
  if (row.deleted_at !== null || row.status === 'archived') return stop('The campaign is put away.')
  if (row.role !== 'dm') return stop('Whoever asked is no Dungeon Master here any more.')
  if (row.mode !== row.begun_as || row.may_see_secrets !== row.read_secrets)
    return stop('A Dungeon Master changed what it may do. Ask again.')
  if (Number(row.used) >= Number(row.token_budget)) return stop(spent, 'spent')
  return {
    mode: row.mode as SeatRights['mode'],
    persona: row.persona as string | null,
    driverMay: JSON.parse(String(row.driver_may)) as SeatRights['driverMay'],
    maySeeSecrets: row.may_see_secrets === 1,
    tokenBudget: Number(row.token_budget),
    budgetSince: row.budget_since as string | null,
  }
}

export const spent = 'What it was allowed is used up. A Dungeon Master can allow more.'

export function isStop(seat: SeatNow | Stop): seat is Stop {
  return 'says' in seat
}

/** Inside the transaction of whatever a turn changes. Throws `invalid_state`, with why it goes no further. */
export function refuseStopped(store: Store, turnId: number): void {
  const seat = seatOfTurn(store, turnId)
  if (isStop(seat)) throw fail('invalid_state', `Not run: ${seat.says}`)
}
