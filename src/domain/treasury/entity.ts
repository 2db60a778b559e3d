import * as z from 'zod'
import { defineEntity } from '../../kernel/entity.ts'
import { byUser, line, nullable, parent, required, userId, withDefault } from '../../kernel/fields.ts'
import { everyone } from '../../kernel/visibility.ts'
import { mostCoins } from '../coins.ts'

/** Numbers of coins by their kind, as the rules call them. */
export const coinCounts = (least: number) =>
  z
    .record(z.string().regex(/^[a-z]{1,12}$/), z.int().min(least).max(mostCoins))
    .refine((coins) => Object.keys(coins).length <= 12, 'at most 12 kinds')

/** The purse of the party: one for a campaign, from the first coin on. */
export const purse = defineEntity({
  name: 'purse',
  table: 'purses',
  label: 'purse',
  listedBy: 'get_treasury',
  trash: true,
  visible: everyone,
  // One for a campaign: there is nothing else that they could differ by.
  unique: [['place']],
  lists: { orders: [[]] },
  since: 4,
  fields: {
    place: withDefault(z.literal('party'), 'party'),
    coins: withDefault(coinCounts(0), {}),
  },
})

/** A line of its ledger, never written over. */
export const purseEntry = defineEntity({
  name: 'purse_entry',
  table: 'purse_entries',
  label: 'entry of the ledger',
  listedBy: 'get_treasury',
  trash: true,
  visible: everyone,
  lists: { orders: [[]], filters: ['purseId'], counts: [{ by: 'purseId' }] },
  since: 4,
  fields: {
    purseId: parent('purse'),
    byUserId: nullable(userId(), { ...byUser, references: 'user' }),
    delta: required(coinCounts(-mostCoins)),
    /** What was in the purse then. */
    balance: required(coinCounts(0)),
    reason: nullable(line()),
  },
})
