import type * as z from 'zod'
import { authorise, type Verdict } from './authorise.ts'
import type { Context, ProposedCall, RehearsedCall, Services } from './context.ts'
import type { Entity } from './entity.ts'
import { type ErrorDetail, Failure, fail } from './errors.ts'
import { schemaMarks } from './fields.ts'
import { type AnyOperation, type Door, routeOf } from './operation.ts'
import { project } from './projection.ts'
import { type Actor, capRole, type Role, type Viewer } from './viewer.ts'

/** One call of one operation, from whichever door. */
export interface Call {
  /** Null where no credential was sent; only operations open to the public take that. */
  readonly actor: Actor | null
  readonly door: Door
  readonly idempotencyKey: string | null
  readonly reason: string | null
  readonly requestId: string
}

export interface Outcome {
  /** `proposed`: nothing was changed yet; the answer is the proposal that was filed. */
  readonly status: 'done' | 'proposed'
  readonly output: unknown
}

export interface CampaignFacts {
  readonly id: number
  readonly status: string
  readonly trashed: boolean
  readonly playersPropose: boolean
}

export interface Located {
  readonly campaignId: number
  /** Null for records of the journal, which are not entities. */
  readonly entity: Entity | null
  /** Its id, revision, owner and what decides who sees it; not its texts. */
  readonly row: Readonly<Record<string, unknown>> | null
}

/** Who is named in the journal for what a unit of work changes. */
export interface ChangeSetHead {
  readonly operation: AnyOperation
  readonly campaignId: number | null
  readonly actor: Actor
  readonly door: Door
  readonly reason: string | null
  readonly proposal: { readonly proposalId: number; readonly proposedByUserId: number } | null
  /** Whether `revert_change` may undo it. A filed proposal is withdrawn or rejected instead. */
  readonly revertible: boolean
}

export interface ContextParts {
  readonly viewer: Viewer
  readonly actor: Actor
  readonly reason: string | null
  readonly prepared: unknown
  readonly pipeline: Context['pipeline']
}

/** The storage's side of one call. Synchronous; inside `transaction` everything it does is one unit. */
export interface Unit {
  campaign(id: number): CampaignFacts | null
  roleOf(userId: number, campaignId: number): Role | null
  /** The campaign and row that an id of the path names; null where it is absent, in the trash, or not to be seen by the viewer. */
  locate(entity: string, id: number, viewerOf: (campaignId: number) => Viewer | null): Located | null
  /** The operation that lists an entity. */
  listedBy(entity: string): string
  context(parts: ContextParts): Context<never>
  /** Runs `work` as one change set in a savepoint. */
  changeSet<T>(head: ChangeSetHead, work: () => T): T
  /** Runs `work` and undoes all of it. */
  rehearse<T>(work: () => T): T
  idempotent: {
    find(scope: string): { readonly inputHash: string; readonly answer: string | null } | null
    keep(scope: string, inputHash: string, answer: string | null): void
    hash(input: unknown): string
  }
}

export interface System {
  readonly operations: ReadonlyMap<string, AnyOperation>
  readonly services: Services
  /** Waits while a restore swaps the database; the returned function ends the call. */
  enter(): Promise<() => void>
  /** Runs `work` in one transaction and announces what it changed after the commit. */
  transaction<T>(work: (unit: Unit) => T): T
  /** For reads: one consistent view, nothing written. */
  view<T>(work: (unit: Unit) => T): T
  /** Writes a proposal through the caller's context and returns it. */
  fileProposal(
    context: Context,
    call: RehearsedCall & ProposedCall,
    reason: string | null,
  ): { readonly output: unknown; readonly schema: z.ZodType }
}

interface Admission {
  readonly viewer: Viewer
  readonly verdict: Verdict
}

/** Strictly parses an operation's input. Throws `validation_failed` with a path for each thing that is wrong. */
export function parseInput<I extends z.ZodType>(schema: I, raw: unknown): z.output<I> {
  const result = schema.safeParse(raw ?? {})
  if (result.success) return result.data
  const details = result.error.issues.flatMap(detailsOf).slice(0, 20)
  const summary = details.map(({ path, message }) => (path ? `${path}: ${message}` : message)).join('; ')
  throw fail('validation_failed', `The input is not valid. ${summary.slice(0, 500)}`, { details })
}

/**
 * The one way in, from every door.
 *
 * 1. parse the input strictly
 * 2. find the campaign; what is absent, foreign or hidden is the same `not_found`
 * 3. authorise: role, token scope, token campaign, write mode, human decisions
 * 4. lifecycle: archived and trashed campaigns refuse writes
 * 5. idempotency
 * 6. prepare, then authorise again, since that took time
 * 7. one transaction: the handler or a proposal, journal, search index, idempotency answer
 * 8. project the output
 * 9. announce, after the commit (by `transaction`)
 *
 * Step 0, the credential, is the door's: it turns a request into a `Call`.
 */
export async function execute(system: System, operation: AnyOperation, raw: unknown, call: Call): Promise<Outcome> {
  const leave = await system.enter()
  try {
    if (call.actor === null) throw fail('unauthenticated')
    const known: KnownCall = { ...call, actor: call.actor }
    const input = parseInput(operation.input, raw) as never
    if (operation.effect === 'read') return runRead(system, operation, input, known)
    const earlier = system.view((unit) => answeredBefore(unit, operation, input, known))
    if (earlier !== null) return earlier
    const prepared = operation.prepare ? await operation.prepare(system.services, input) : undefined
    return system.transaction((unit) => runWrite(system, unit, operation, input, known, prepared))
  } finally {
    leave()
  }
}

/** A member that does not belong there is named by its own path, not by that of the object around it. */
function detailsOf(issue: z.core.$ZodIssue): ErrorDetail[] {
  const path = issue.path.map(String)
  if (issue.code !== 'unrecognized_keys') return [{ path: path.join('.'), message: issue.message }]
  return issue.keys.map((key) => ({ path: [...path, key].join('.'), message: 'there is no such member' }))
}

type KnownCall = Call & { readonly actor: Actor }

function runRead(system: System, operation: AnyOperation, input: never, call: KnownCall): Outcome {
  return system.view((unit) => {
    const { viewer } = admit(unit, operation, input, call)
    const context = contextFor(system, unit, viewer, call, undefined)
    return { status: 'done', output: project(operation.output, operation.handle(context, input), viewer) }
  })
}

/** Steps 2 to 5, ahead of `prepare`: the answer of a call that was made before, or null where this one is to be made. */
function answeredBefore(unit: Unit, operation: AnyOperation, input: never, call: KnownCall): Outcome | null {
  try {
    admit(unit, operation, input, call)
  } catch (error) {
    // The first call may have taken away what both are about: a delete that is repeated answers as it did then.
    const mayBeGone = error instanceof Failure && (error.code === 'not_found' || error.code === 'invalid_state')
    const earlier = mayBeGone ? remembered(unit, operation, input, call) : null
    if (earlier === null) throw error
    return earlier
  }
  return remembered(unit, operation, input, call)
}

function runWrite(
  system: System,
  unit: Unit,
  operation: AnyOperation,
  input: never,
  call: KnownCall,
  prepared: unknown,
): Outcome {
  const admission = admit(unit, operation, input, call)
  return withIdempotency(unit, operation, input, call, () =>
    perform(system, unit, operation, input, call, prepared, admission),
  )
}

function perform(
  system: System,
  unit: Unit,
  operation: AnyOperation,
  input: never,
  call: KnownCall,
  prepared: unknown,
  admission: Admission,
): Outcome {
  const { viewer, verdict } = admission
  const head = {
    operation,
    campaignId: viewer.campaignId,
    actor: call.actor,
    door: call.door,
    reason: call.reason,
    proposal: null,
    revertible: verdict === 'direct' && !operation.irreversible,
  }
  if (verdict === 'propose') {
    const rehearsed = rehearse(system, unit, { operation: operation.name, input }, call, viewer)
    return unit.changeSet(head, () => {
      const context = contextFor(system, unit, viewer, call, undefined)
      const { output, schema } = system.fileProposal(context, { operation: operation.name, ...rehearsed }, call.reason)
      return { status: 'proposed', output: project(schema, output, viewer) }
    })
  }
  return unit.changeSet(head, () => {
    const context = contextFor(system, unit, viewer, call, prepared)
    return {
      status: 'done',
      output: project(operation.output, operation.handle(context, input), viewerAfter(viewer, operation)),
    }
  })
}

// Creating a campaign makes the caller its DM; the answer is projected for whom they have become.
function viewerAfter(viewer: Viewer, operation: AnyOperation): Viewer {
  return operation.access === 'user' && viewer.role === null ? { ...viewer, role: 'dm' } : viewer
}

/** Steps 2 to 4. */
function admit(unit: Unit, operation: AnyOperation, input: never, call: KnownCall): Admission {
  const { actor, door } = call
  const viewerIn = (campaignId: number): Viewer | null => viewerOf(unit, actor, door, campaignId, operation)
  const located = locateTarget(unit, operation, input, viewerIn)
  if (located === null) {
    if (actor.credential.campaignId !== null && operation.effect !== 'read') {
      throw fail('forbidden', 'This token is bound to one campaign.')
    }
    const viewer: Viewer = { userId: actor.userId, campaignId: null, role: null, admin: actor.admin, door }
    return {
      viewer,
      verdict: authorise({ operation, actor, door, role: null, target: null, playersPropose: false }, input),
    }
  }
  const viewer = viewerIn(located.campaignId)
  const campaign = unit.campaign(located.campaignId)
  if (viewer === null || campaign === null) throw notFound(unit, 'campaign')
  const target = located.entity !== null && located.row !== null ? { entity: located.entity, row: located.row } : null
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
  viewerIn: (id: number) => Viewer | null,
): Located | null {
  const { placeholders } = routeOf(operation.route)
  const member =
    placeholders.find((key) => entityOf(operation, key) !== undefined) ??
    ('campaignId' in operation.input.shape ? 'campaignId' : undefined)
  const id = member === undefined ? undefined : input[member]
  if (member === undefined || typeof id !== 'number') return null
  const entity = entityOf(operation, member) ?? 'campaign'
  const located = unit.locate(entity, id, viewerIn)
  if (located === null) throw notFound(unit, entity)
  return located
}

function entityOf(operation: AnyOperation, member: string): string | undefined {
  const schema = operation.input.shape[member] as z.ZodType | undefined
  return schema === undefined ? undefined : schemaMarks.get(schema)?.entity
}

/** The operation that finds ids of what a path names stands in the message: a language model calls it next. */
function notFound(unit: Unit, entity: string): Error {
  return fail('not_found', `There is no such thing, or you may not see it. ${unit.listedBy(entity)} finds ids.`)
}

function contextFor(system: System, unit: Unit, viewer: Viewer, call: KnownCall, prepared: unknown): Context<never> {
  const pipeline: Context['pipeline'] = {
    rehearse: (proposed) => rehearse(system, unit, proposed, call, viewer),
    apply: (proposed, from) => applyProposed(system, unit, proposed, from, call, viewer),
  }
  return unit.context({ viewer, actor: call.actor, reason: call.reason, prepared, pipeline })
}

/** Tries a proposed call as its proposer and rolls it back, so that what could never be approved is refused when it is asked. */
function rehearse(system: System, unit: Unit, proposed: ProposedCall, call: KnownCall, viewer: Viewer): RehearsedCall {
  const operation = proposable(system, proposed.operation)
  const input = parseInput(operation.input, proposed.input) as never
  const located = sameCampaign(unit, operation, input, viewer)
  // By whatever tool it is asked for: who may not propose this operation is refused here.
  admit(unit, operation, input, call)
  unit.rehearse(() => operation.handle(contextFor(system, unit, viewer, call, undefined), input))
  const target =
    located.entity !== null && located.entity.scope === 'campaign' && located.row !== null
      ? {
          entityType: located.entity.name,
          entityId: located.row.id as number,
          revision: located.row.revision as number,
        }
      : null
  return { input, title: operation.title, target }
}

function applyProposed(
  system: System,
  unit: Unit,
  proposed: ProposedCall,
  from: Parameters<Context['pipeline']['apply']>[1],
  call: KnownCall,
  viewer: Viewer,
): void {
  const operation = proposable(system, proposed.operation)
  const input = parseInput(operation.input, proposed.input) as never
  const { row } = sameCampaign(unit, operation, input, viewer)
  if (from.targetRevision !== null && row?.revision !== from.targetRevision) {
    throw fail(
      'stale_revision',
      `Proposal ${from.proposalId} was made for an earlier version. Reject it, or ask for it again.`,
    )
  }
  const { verdict } = admit(unit, operation, input, call)
  if (verdict !== 'direct') throw fail('write_mode', 'Only somebody who could make this change may approve it.')
  const { proposalId, proposedByUserId } = from
  const head = {
    operation,
    campaignId: viewer.campaignId,
    actor: call.actor,
    door: call.door,
    reason: call.reason,
    proposal: { proposalId, proposedByUserId },
    revertible: !operation.irreversible,
  }
  unit.changeSet(head, () => operation.handle(contextFor(system, unit, viewer, call, undefined), input))
}

function proposable(system: System, name: string): AnyOperation {
  const operation = system.operations.get(name)
  if (operation?.access === 'dm+propose') return operation
  const names = Array.from(system.operations.values())
    .filter(({ access }) => access === 'dm+propose')
    .map((each) => each.name)
  throw fail('validation_failed', `${name} cannot be proposed. These can: ${names.join(', ')}.`, {
    details: [{ path: 'operation', message: 'not an operation that can be proposed' }],
  })
}

function sameCampaign(unit: Unit, operation: AnyOperation, input: never, viewer: Viewer): Located {
  const located = locateTarget(unit, operation, input, (id) => (id === viewer.campaignId ? viewer : null))
  if (located === null) throw fail('validation_failed', 'A proposal is about something in its own campaign.')
  return located
}

/** Step 5. The scope is the credential and the operation, so that nobody reads another's answer by guessing a key. */
function withIdempotency(
  unit: Unit,
  operation: AnyOperation,
  input: unknown,
  call: KnownCall,
  work: () => Outcome,
): Outcome {
  if (call.idempotencyKey === null) return work()
  const earlier = remembered(unit, operation, input, call)
  if (earlier !== null) return earlier
  const outcome = work()
  const answer = operation.secretAnswer ? null : JSON.stringify(outcome)
  unit.idempotent.keep(scopeOf(operation, call), unit.idempotent.hash(input), answer)
  return outcome
}

/** What this key answered before. Throws `idempotency_conflict` for another input, `already_done` where it held a secret. */
function remembered(unit: Unit, operation: AnyOperation, input: unknown, call: KnownCall): Outcome | null {
  const earlier = call.idempotencyKey === null ? null : unit.idempotent.find(scopeOf(operation, call))
  if (earlier === null) return null
  if (earlier.inputHash !== unit.idempotent.hash(input)) throw fail('idempotency_conflict')
  if (earlier.answer === null) throw fail('already_done')
  return JSON.parse(earlier.answer) as Outcome
}

function scopeOf({ name }: AnyOperation, { actor, idempotencyKey }: KnownCall): string {
  return `${actor.credential.kind}:${actor.credential.id}:${name}:${idempotencyKey}`
}
