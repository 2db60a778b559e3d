import type { Context, Pipeline } from '../kernel/context.ts'
import type { Unit } from '../kernel/system.ts'
import { type Actor, personIn, type Role, type Viewer, type WriteMode } from '../kernel/viewer.ts'

/** By which the journal names what acts in this program by itself. */
export const clientIds = { scribe: 'talekeeper-scribe', seat: 'talekeeper-seat' } as const

interface Acting {
  readonly by: keyof typeof clientIds
  /** The run, or the turn, that it acts for. */
  readonly id: number
  /** In whose name: what they may not do it may not either. */
  readonly userId: number
  readonly campaignId: number
  readonly scope: Role
  readonly writeMode: WriteMode
  /** Whether what it reads is given to a model outside of this server. */
  readonly external: boolean
}

/** Who the scribe and the seat are in the pipeline: nobody in particular, bound to one campaign, in the name of a member. */
export function modelActor({ by, id, userId, campaignId, scope, writeMode, external }: Acting): Actor {
  const clientId = clientIds[by]
  return {
    userId,
    username: '',
    admin: false,
    credential: { kind: 'system', id, scope, campaignId, writeMode, clientId, toolsets: null, model: { external } },
  }
}

const never = (): never => {
  throw new Error('nothing is proposed here')
}
const pipeline = (): Pipeline => ({ rehearse: never, apply: never, describe: never })

/** A context of the program itself in a campaign, through the eyes given; those of a Dungeon Master where none are. */
export function ownContext(unit: Unit, campaignId: number, viewer: Viewer = personIn(campaignId, 'dm')): Context {
  const actor = modelActor({
    ...{ by: 'scribe', id: 0, userId: 0, campaignId, scope: 'dm', writeMode: 'direct', external: false },
  })
  return unit.context({ viewer, actor, reason: null, authorRole: viewer.role, prepared: undefined, pipeline })
}

/**
 * Runs `work` as bookkeeping of the program in a campaign: it is told to live streams, and no record is kept of it. Only what
 * has no journal may be written.
 */
export function keepingBooks<T>(
  unit: Unit,
  campaignId: number,
  work: (context: Context) => T,
  name: 'run_scribe' | 'narrate' = 'run_scribe',
): T {
  const operation = { name, effect: 'write', unrecorded: true } as const
  const head = { operation, campaignId, actor: null, door: 'system', reason: null, proposal: null } as const
  return unit.changeSet(head, () => work(ownContext(unit, campaignId)))
}

/** A sentence as a row keeps it. */
export function asMessage(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length <= 900 ? line : `${line.slice(0, 899)}…`
}
