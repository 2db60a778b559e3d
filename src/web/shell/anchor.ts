/** The thing whose page is open, so that what is written down can be about it. */
export interface Anchor {
  readonly entityType: string
  readonly entityId: number
  readonly label: string
}
