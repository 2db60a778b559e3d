import type { Role } from './viewer.ts'

/** What somebody is told of. */
export const noticeKinds = [
  'proposal_filed',
  'proposal_approved',
  'proposal_rejected',
  'whisper',
  'inbox_item',
  'inbox_resolved',
  'night_planned',
  'night_asked',
  'night_moved',
  'night_cancelled',
  'night_reinstated',
  'mention',
  'charter_changed',
  'safety',
] as const
export type NoticeKind = (typeof noticeKinds)[number]

/**
 * That somebody is to be told of the row that changed. Whoever changed it is not told; an anonymous change is told to all.
 * Whether they see the row is asked whenever they look, so that a notice of what is hidden is none.
 */
export interface Notice {
  readonly kind: NoticeKind
  /** One member, or every member with at least a role. */
  readonly to: { readonly userId: number } | { readonly least: Role }
  /** Also to whoever it is from: an app did it in their name. */
  readonly own?: boolean
}

/** The notices of a change, by the whole row before and after it; null before where it was made. */
export type TellsOf = (
  before: Readonly<Record<string, unknown>> | null,
  after: Readonly<Record<string, unknown>>,
) => readonly Notice[]
