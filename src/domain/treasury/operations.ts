import * as z from 'zod'
import type { Context } from '../../kernel/context.ts'
import { line } from '../../kernel/fields.ts'
import { defineOperation } from '../../kernel/operation.ts'
import { campaign } from '../campaign/entity.ts'
import { mostCoins, worth } from '../coins.ts'
import { changePurse } from '../purses.ts'
import { rulesOf } from '../sheets.ts'
import { coinCounts, purse, purseEntry } from './entity.ts'

const treasuryOutput = z.object({
  coins: coinCounts(0),
  /** The kinds of the game, the smallest first, with what one is worth in it. */
  kinds: z.array(z.object({ key: z.string(), name: z.string(), value: z.int() })),
  /** All of it in the smallest coin. */
  worth: z.int(),
  /** The last 50, the newest first, and how many there are. */
  entries: z.array(
    purseEntry.output.pick({
      id: true,
      delta: true,
      balance: true,
      reason: true,
      byUserId: true,
      byUser: true,
      createdAt: true,
    }),
  ),
  entryCount: z.int(),
})

function answer(context: Context): z.input<typeof treasuryOutput> {
  const kinds = rulesOf(context).coins.map(({ key, name, value }) => ({ key, name, value }))
  const coins = context.read(purse).first()?.coins ?? {}
  const { items } = context.read(purseEntry).page({ order: [['id', 'desc']], limit: 50 })
  return {
    coins,
    kinds,
    worth: worth(coins, new Map(kinds.map(({ key, value }) => [key, value]))),
    entries: items.map(({ id, delta, balance, reason, byUserId, byUser, createdAt }) => ({
      id,
      delta,
      balance,
      reason,
      byUserId,
      byUser,
      createdAt,
    })),
    entryCount: context.read(purseEntry).count(),
  }
}

export const treasuryOperations = {
  get_treasury: defineOperation({
    name: 'get_treasury',
    title: 'Get treasury',
    description: 'Coins, and the newest of the ledger.',
    toolset: 'party',
    access: 'viewer',
    effect: 'read',
    route: 'GET /campaigns/{campaignId}/treasury',
    input: z.strictObject({ campaignId: campaign.id }),
    output: treasuryOutput,
    example: (world) => ({ campaignId: world.id('campaign') }),
    handle: answer,
  }),
  adjust_treasury: defineOperation({
    name: 'adjust_treasury',
    title: 'Adjust treasury',
    description: 'Add coins by kind, negative spends; never below nought.',
    toolset: 'party',
    access: 'player',
    effect: 'write',
    route: 'POST /campaigns/{campaignId}/treasury',
    input: z.strictObject({ campaignId: campaign.id, delta: coinCounts(-mostCoins), reason: line().optional() }),
    output: treasuryOutput,
    tells: ['coins', 'worth'],
    example: (world) => ({ campaignId: world.id('campaign'), delta: { gp: -12 }, reason: 'A night at the Weir' }),
    handle(context, { delta: given, reason }) {
      changePurse(context, given, reason || null)
      return answer(context)
    },
  }),
}
