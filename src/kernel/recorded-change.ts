import type { Context, Pipeline } from './context.ts'
import type { Facts } from './journal.ts'
import type { OpenChangeSet, Unit } from './system.ts'
import { type Actor, viewerOf } from './viewer.ts'

/** A change of the server that is no call of an operation: signing in, the first user, what OAuth's own endpoints do. */
export interface RecordedChange {
  /** Its name in the history. */
  readonly operation: string
  readonly effect: 'write' | 'destroy'
  /** Who does it. A user's id, or 0 where there is none yet, if `attribute` tells the credential in the end. */
  readonly by: Actor | number
  readonly reason?: string | null
  /** What the changed rows do not say. */
  readonly facts?: Facts
}

/** What such a change works with. */
export interface Recording extends OpenChangeSet {
  /** Outside of campaigns, through the eyes of who does it. */
  readonly context: Context
  /** The same for rows of another person, whose browser or app it was. */
  as(userId: number): Context
}

/** Runs `work` as one change set of the server's history, in the transaction of `unit`: journalled and announced as any other. */
export function recordChange<T>(unit: Unit, change: RecordedChange, work: (recording: Recording) => T): T {
  const { operation, effect, by, reason = null, facts } = change
  const actor = typeof by === 'number' ? null : by
  const as = (userId: number): Context => contextOf(unit, nameless(userId))
  const context = actor === null ? as(by as number) : contextOf(unit, actor)
  const head = { operation: { name: operation, effect }, campaignId: null, actor, door: 'rest', reason } as const
  return unit.changeSet({ ...head, proposal: null, facts }, (set) => work({ ...set, context, as }))
}

function contextOf(unit: Unit, actor: Actor): Context {
  const viewer = viewerOf(actor, 'rest', null)
  return unit.context({ viewer, actor, reason: null, authorRole: viewer.role, prepared: undefined, pipeline })
}

function nameless(userId: number): Actor {
  const whole = { scope: 'dm', campaignId: null, writeMode: 'direct', clientId: null, toolsets: null } as const
  return { userId, username: '', admin: false, credential: { kind: 'system', id: 0, ...whole } }
}

const never = (): never => {
  throw new Error('nothing is proposed outside of campaigns')
}
const pipeline = (): Pipeline => ({ rehearse: never, apply: never, describe: never })
