import { authorise, type Judgement } from './authorise.ts'
import type { Entity } from './entity.ts'
import { fail, invalid } from './errors.ts'
import { entityOf, targetOf } from './input-target.ts'
import type { AnyOperation } from './operation.ts'
import { asksWhose, judges, type OwnedRow } from './ownership.ts'
import type { Call, Located, Unit } from './system.ts'
import { type Actor, type Door, type Viewer, viewerOf } from './viewer.ts'

/** A call with a credential. */
export type KnownCall = Call & { readonly actor: Actor }

export interface Admission extends Judgement {
  readonly viewer: Viewer
}

/**
 * Steps 2 to 4 of the pipeline: who the caller is in the campaign that a call is about, and whether they may make it.
 * Throws `not_found`, `forbidden`, `write_mode` and `invalid_state`.
 */
export function admit(unit: Unit, operation: AnyOperation, input: never, call: KnownCall): Admission {
  const { actor, door } = call
  const outside = viewerOf(actor, door, null)
  let inside: Viewer | null = null
  const viewerIn = (campaignId: number | null): Viewer | null => {
    if (campaignId === null) return outside
    if (inside?.campaignId !== campaignId) inside = viewerAt(unit, actor, door, campaignId, operation)
    return inside
  }
  const located = locateTarget(unit, operation, input, viewerIn)
  if (located === null || located.campaignId === null) {
    if (actor.credential.campaignId !== null && operation.effect !== 'read') {
      throw fail('forbidden', 'This token is bound to one campaign.')
    }
    const subjects = located === null ? [] : subjectsOf(unit, operation, input, located, outside)
    const { rowOf } = unit
    const judged = authorise({ operation, actor, door, role: null, subjects, rowOf, playersPropose: false }, input)
    return { viewer: outside, ...judged }
  }
  const viewer = viewerIn(located.campaignId)
  const campaign = unit.campaign(located.campaignId)
  if (viewer === null || campaign === null) throw notFound(unit, 'campaign')
  const subjects = subjectsOf(unit, operation, input, located, viewer)
  const { playersPropose } = campaign
  const judged = authorise(
    { operation, actor, door, role: viewer.role, subjects, rowOf: unit.rowOf, playersPropose },
    input,
  )
  if (operation.effect !== 'read' && campaign.status === 'archived' && !operation.allowedWhen?.includes('archived')) {
    throw fail('invalid_state', 'This campaign is archived and read-only. Set its status to active first.')
  }
  return { viewer, ...judged }
}

/** Step 2: membership, token campaign, trash. Null is the same `not_found` as for what is absent. */
export function viewerAt(
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
  return viewerOf(actor, door, { campaignId, role, terms: () => unit.termsOf(campaignId) })
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

function subjectMembers({ subject }: AnyOperation): readonly string[] {
  return subject === undefined ? [] : [subject].flat()
}

/**
 * The rows by which ownership is judged: the path's, and those that the subject names, each through the caller's eyes and
 * in the same campaign. Throws `validation_failed` for any that is absent, foreign or hidden, in the same words.
 */
function subjectsOf(
  unit: Unit,
  operation: AnyOperation,
  input: Readonly<Record<string, unknown>>,
  { entity, row }: Located,
  viewer: Viewer,
): readonly OwnedRow[] {
  if (!asksWhose(operation.access)) return []
  const ofPath = entity !== null && row !== null && judges(operation.access, entity) ? [{ entity, row }] : []
  const named = subjectMembers(operation).flatMap((member) => {
    const kind = entityOf(operation, member) ?? ''
    return idsIn(input[member]).map((id) => {
      const found = unit.locate(kind, id, (campaignId) => (campaignId === viewer.campaignId ? viewer : null))
      if (found?.entity == null || found.row === null) {
        const label = kind.replaceAll('_', ' ')
        const sentence = `${member}: there is no such ${label} here. ${unit.listedBy(kind)} finds ids.`
        throw invalid(member, `no such ${label}`, sentence)
      }
      return { entity: found.entity, row: found.row }
    })
  })
  return [...ofPath, ...named]
}

function idsIn(value: unknown): readonly number[] {
  return [value].flat().filter((id) => typeof id === 'number')
}

/**
 * Throws, naming the operation, where its access asks whose something is and neither its path nor its subject leads to what
 * somebody owns, plays or has the turn of; where a subject is named that nothing asks for; and where an anonymous operation
 * could become a proposal, which has an author. Run over the catalogue at start-up: an operation that could not be judged
 * would be open to all or to nobody.
 */
export function checkOperations(operations: Iterable<AnyOperation>, entities: readonly Entity[]): void {
  const byName = new Map(entities.map((entity) => [entity.name, entity]))
  for (const operation of operations) {
    const { name, access } = operation
    const isJudged = (member: string): boolean => {
      const entity = byName.get(entityOf(operation, member) ?? '')
      return entity !== undefined && judges(access, entity)
    }
    const members = subjectMembers(operation)
    if (operation.anonymous && access === 'dm+propose') throw new Error(`${name}: a proposal is never anonymous`)
    if (!asksWhose(access)) {
      if (members.length > 0) throw new Error(`${name}: its access ${access} asks for no subject`)
      continue
    }
    const unjudged = members.find((member) => !isJudged(member))
    if (unjudged !== undefined) throw new Error(`${name}: its access ${access} cannot be judged by ${unjudged}`)
    const target = targetOf(operation)?.member
    if (members.length === 0 && (target === undefined || !isJudged(target)))
      throw new Error(`${name}: its access ${access} needs a subject, since its path names nothing of anybody's`)
  }
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
