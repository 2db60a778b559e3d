/** A picture that does not go along. */
export interface LeftOut {
  readonly attachmentId: number
  readonly name: string
  /** In words for people. */
  readonly reason: string
}

/** Why a picture stays behind. */
export const reasons = {
  missing: 'its file is not on the server any more',
  unclean: 'what its file tells of people and places cannot be taken out of it',
} as const
