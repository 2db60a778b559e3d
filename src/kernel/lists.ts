import type { Fields } from './fields.ts'

export interface Lists<F extends Fields> {
  /** Every order in which rows are read, without the id that ends each. */
  readonly orders: readonly (readonly (readonly [(keyof F & string) | 'createdAt' | 'updatedAt', 'asc' | 'desc'])[])[]
  /** Fields by whose value lists are narrowed. */
  readonly filters?: readonly (keyof F & string)[]
  /** Also read by when they last changed, newest first, whatever they go with. */
  readonly recent?: boolean
  /** Also read by when they were made, newest first, whatever they go with: what came within a time. */
  readonly arrivals?: boolean
  /** Fields by whose values all of a campaign is counted, and what is added up beside: the numbers are kept (storage/tallies.ts). */
  readonly counts?: readonly { readonly by: keyof F & string; readonly sum?: keyof F & string }[]
}
