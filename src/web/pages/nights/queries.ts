import type { Input } from '../../api/contract.ts'

// What the pages of nights ask for. Inputs are the same in every place, so that they share one answer.

type Listing = Input<'list_game_nights'>

/** The days that the table is asked about. */
export const offeredInput = (campaignId: number): Listing => ({
  campaignId,
  status: 'planned',
  tentative: true,
  limit: 50,
})

/** The last nights that are settled, those to come first. */
export const plannedInput = (campaignId: number): Listing => ({
  campaignId,
  status: 'planned',
  tentative: false,
  newestFirst: true,
  limit: 50,
})

/** The nights called off last, those to come first. */
export const cancelledInput = (campaignId: number): Listing => ({
  campaignId,
  status: 'cancelled',
  tentative: false,
  newestFirst: true,
  limit: 20,
})
