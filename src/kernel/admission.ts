import type * as z from 'zod'
import { authorise, type Verdict } from './authorise.ts'
import { fail } from './errors.ts'
import { schemaMarks } from './fields.ts'
import { type AnyOperation, routeOf } from './operation.ts'
import type { Call, Located, Unit } from './system.ts'
import { type Actor, capRole, type Door, type Viewer } from './viewer.ts'

/** A call with a credential. */
export type KnownCall = Call & { readonly actor: Actor }

export interface Admission {
  readonly viewer: Viewer
  readonly verdict: Verdict
}

/**
 * Steps 2 to 4 of the pipeline: who the caller is in the campaign that a call is about, and whether they may make it.
 * Throws `not_found`, `forbidden`, `write_mode` and `invalid_state`.
 */
export function admit(unit: Unit, operation: AnyOperation, input: never, call: KnownCall): Admission {
  const { actor, door } = call
  const outside: Viewer = { userId: actor.userId, campaignId: null, role: null, admin: actor.admin, door }
  const viewerIn = (campaignId: number | null): Viewer | null =>
    campaignId === null ? outside : viewerOf(unit, actor, door, campaignId, operation)
  const located = locateTarget(unit, operation, input, viewerIn)
  const target = located?.entity != null && located.row !== null ? { entity: located.entity, row: located.row } : null
  if (located === null || located.campaignId === null) {
    if (actor.credential.campaignId !== null && operation.effect !== 'read') {
      throw fail('forbidden', 'This token is bound to one campaign.')
    }
    const verdict = authorise({ operation, actor, door, role: null, target, playersPropose: false }, input)
    return { viewer: outside, verdict }
  }
  const viewer = viewerIn(located.campaignId)
  const campaign = unit.campaign(located.campaignId)
  if (viewer === null || campaign === null) throw notFound(unit, 'campaign')
  const verdict = authorise(
    { operation, actor, door, role: viewer.role, target, playersPropose: campaign.playersPropose },
    input,
  )
  if (operation.effect !== 'read' && campaign.status === 'archived' && !operation.allowedWhen?.includes('archived')) {
    throw fail('invalid_state', 'This campaign is archived and read-only. Set its status to active first.')
  }
  return { viewer, verdict }
}

/** Step 2: membership, token campaign, trash. Null is the same `not_found` as for what is absent. */
function viewerOf(
  unit: Unit,
  actor: Actor,
  door: Door,
  campaignId: number,
  operation: Pick<AnyOperation, 'allowedWhen'>,
): Viewer | null {
  const bound = actor.credential.campaignId
  if (bound !== null && bound !== campaignId) return null
  const role = unit.roleOf(actor.userId, campaignId)
  const campaign = unit.campaign(campaignId)
  if (role === null || campaign === null) return null
  if (campaign.trashed && !operation.allowedWhen?.includes('trashed')) return null
  return { userId: actor.userId, campaignId, role: capRole(role, actor.credential.scope), admin: actor.admin, door }
}

/** The first id in the path decides where a call happens, else a campaign named in the input. */
function locateTarget(
  unit: Unit,
  operation: AnyOperation,
  input: Readonly<Record<string, unknown>>,
  viewerIn: (id: number | null) => Viewer | null,
): Located | null {
  const target = targetOf(operation)
  const id = target === null ? undefined : input[target.member]
  if (target === null || typeof id !== 'number') return null
  const located = unit.locate(target.entity, id, viewerIn)
  if (located === null) throw notFound(unit, target.entity)
  return located
}

/** The member of an operation's input that says what a call is about, and which entity that is. */
interface Target {
  readonly member: string
  readonly entity: string
}

/** Declarations do not change, and each call asks. */
const targets = new WeakMap<AnyOperation, Target | null>()

function targetOf(operation: AnyOperation): Target | null {
  const known = targets.get(operation)
  if (known !== undefined) return known
  const { placeholders } = routeOf(operation.route)
  const member =
    placeholders.find((key) => entityOf(operation, key) !== undefined) ??
    ('campaignId' in operation.input.shape ? 'campaignId' : undefined)
  const target = member === undefined ? null : { member, entity: entityOf(operation, member) ?? 'campaign' }
  targets.set(operation, target)
  return target
}

function entityOf(operation: AnyOperation, member: string): string | undefined {
  const schema = operation.input.shape[member] as z.ZodType | undefined
  return schema === undefined ? undefined : schemaMarks.get(schema)?.entity
}

/** The operation that finds ids of what a path names stands in the message: a language model calls it next. */
function notFound(unit: Unit, entity: string): Error {
  return fail('not_found', `There is no such thing, or you may not see it. ${unit.listedBy(entity)} finds ids.`)
}

/** What a proposed call is about. Throws `validation_failed` where that is not in the proposer's campaign. */
export function sameCampaign(unit: Unit, operation: AnyOperation, input: never, viewer: Viewer): Located {
  const located = locateTarget(unit, operation, input, (id) => (id === viewer.campaignId ? viewer : null))
  if (located === null) throw fail('validation_failed', 'A proposal is about something in its own campaign.')
  return located
}
