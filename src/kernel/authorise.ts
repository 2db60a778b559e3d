import { fail } from './errors.ts'
import type { Access, AnyOperation } from './operation.ts'
import { actingControllerOf, controllerOf, type OwnedRow, ownerOf, type RowOf } from './ownership.ts'
import { type Actor, atLeast, type Door, type Effect, isMachine, type Role } from './viewer.ts'
import { whyNotWaiting } from './waiting.ts'

/** What authorisation looks at. */
export interface Claim {
  readonly operation: AnyOperation
  readonly actor: Actor
  readonly door: Door
  /** Membership role capped by the credential; null outside a campaign. */
  readonly role: Role | null
  /** The rows by which an access word that asks whose something is gets judged: all of them must be theirs. None: nobody's. */
  readonly subjects: readonly OwnedRow[]
  readonly rowOf: RowOf
  readonly playersPropose: boolean
}

export interface Judgement {
  readonly verdict: 'direct' | 'propose'
  /** It needs no Dungeon Master: whoever calls could make the change themself. False where they are one. */
  readonly own: boolean
}
type Verdict = Judgement['verdict']

/** Throws `forbidden`, `write_mode` or `human_needed`; otherwise says whether the call runs or becomes a proposal. */
export function authorise(claim: Claim, input: never): Judgement {
  const { operation, actor, door, role } = claim
  byToolset(claim)
  const verdict = byRole(claim)
  const waits = byWriteMode(claim)
  if (actor.credential.scope === 'viewer' && operation.effect !== 'read' && !operation.viewerMay) {
    throw fail('forbidden', 'This token may only read.')
  }
  const page = isMachine(actor, door) ? (operation.humanOnly?.(input) ?? null) : null
  if (page !== null) throw fail('human_needed', `Only a person can decide this. Open ${page} in the web app.`)
  return { verdict: waits ? 'propose' : verdict, own: verdict === 'direct' && !atLeast(role, 'dm') }
}

function byRole({ operation, actor, role, subjects, rowOf, playersPropose }: Claim): Verdict {
  const floor = (least: Role): Verdict => {
    if (!atLeast(role, least)) throw fail('forbidden', `${operation.name} needs the role ${least} in this campaign.`)
    return 'direct'
  }
  /** Whether everything of the call is the caller's, along one path. `nobodys`: whether what is nobody's will do. */
  const isTheirs = (whose: typeof ownerOf, nobodys: boolean): boolean => {
    const users = subjects.length === 0 ? [null] : subjects.map((each) => whose(each, rowOf))
    return users.every((user) => (user === null ? nobodys : user === actor.userId))
  }
  const orDungeonMaster = (theirs: boolean, refusal: string): Verdict => {
    floor('player')
    if (!theirs && !atLeast(role, 'dm')) throw fail('forbidden', refusal)
    return 'direct'
  }
  switch (operation.access) {
    case 'public':
    case 'user':
      return 'direct'
    case 'viewer':
    case 'player':
      return floor(operation.access)
    case 'dm':
      return floor(operation.playersOwn ? 'player' : 'dm')
    case 'dm+propose':
      if (atLeast(role, 'dm')) return 'direct'
      floor('player')
      if (!playersPropose) throw fail('forbidden', 'In this campaign players do not propose changes.')
      return 'propose'
    case 'author':
      floor('player')
      if (!isTheirs(ownerOf, false)) throw fail('forbidden', 'Only its author may do this.')
      return 'direct'
    case 'author+dm':
      return orDungeonMaster(isTheirs(ownerOf, false), 'Only its author or a Dungeon Master may do this.')
    case 'owner':
      return orDungeonMaster(
        isTheirs(ownerOf, true),
        'This belongs to somebody else: only they or a Dungeon Master may do this.',
      )
    case 'controller':
      return orDungeonMaster(
        isTheirs(controllerOf, false),
        'Only who plays this one, or a Dungeon Master, may do this.',
      )
    case 'turn':
      return orDungeonMaster(
        isTheirs(actingControllerOf, false),
        'It is the turn of another: only who plays the one that acts, or a Dungeon Master, may do this.',
      )
    case 'admin':
      if (!actor.admin) throw fail('forbidden', 'Only a server administrator may do this.')
      return 'direct'
    case 'session':
      return personal(actor)
  }
}

/** Tokens, passwords and connected apps are managed from the web app, or with an administrator's own token; never through OAuth. */
export function personal(actor: Actor): Verdict {
  const { kind } = actor.credential
  if (kind === 'session' || (kind === 'token' && actor.admin)) return 'direct'
  throw fail('forbidden', 'This needs you to be signed in to the web app.')
}

/** What somebody left closed when they let an app in stays closed, whichever way it comes. */
function byToolset({ operation, actor }: Claim): void {
  const { toolsets } = actor.credential
  if (toolsets === null || toolsets.includes(operation.toolset)) return
  throw fail(
    'forbidden',
    `This app was let into ${toolsets.join(', ')} only; ${operation.name} is of ${operation.toolset}.`,
  )
}

/** Whether the credential makes a proposal of the call, whatever its owner may. */
function byWriteMode({ operation, actor, role }: Claim): boolean {
  const mode = actor.credential.writeMode
  if (mode === 'direct' || operation.effect === 'read') return false
  if (mode === 'read') throw fail('write_mode', 'This token may only read.')
  if (operation.proposes) return false
  const why = whyNotWaiting(operation) ?? (atLeast(role, 'player') ? null : 'viewers propose nothing')
  if (why === null) return true
  throw fail(
    'write_mode',
    `This token may only propose changes, and ${operation.name} cannot wait, since ${why}. A person does it in the web app.`,
  )
}

/** Access of transfers that are not tied to a campaign row. */
export function authoriseTransfer(access: Access, actor: Actor | null, effect: Effect): void {
  if (access === 'public') return
  if (actor === null) throw fail('unauthenticated')
  if (access === 'admin' && !actor.admin) throw fail('forbidden', 'Only a server administrator may do this.')
  if (access === 'session') personal(actor)
  if (effect !== 'read' && (actor.credential.writeMode !== 'direct' || actor.credential.scope === 'viewer')) {
    throw fail('write_mode', 'This token may only read.')
  }
}
