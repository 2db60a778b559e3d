import { type Admission, admit, type KnownCall, sameCampaign } from './admission.ts'
import type { Context, ProposedCall, RehearsedCall } from './context.ts'
import { Failure, fail } from './errors.ts'
import { parseInput } from './input.ts'
import type { AnyOperation } from './operation.ts'
import { project } from './projection.ts'
import type { Call, Outcome, System, Unit } from './system.ts'
import type { Viewer } from './viewer.ts'

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
  const leave = await system.acquireShared()
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
