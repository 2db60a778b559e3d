import { admit, type KnownCall, sameCampaign } from './admission.ts'
import type { Context, Pipeline, PrepareContext, ProposedCall, RehearsedCall } from './context.ts'
import { Failure, fail, invalid } from './errors.ts'
import { parseInput } from './input.ts'
import { limits } from './limits.ts'
import type { AnyOperation } from './operation.ts'
import type { System, Unit } from './system.ts'
import type { Actor, Viewer } from './viewer.ts'

// What the two halves of an operation get: `prepare` before its transaction, `handle` inside it, and through either the way
// back into the pipeline for what is proposed.

/** What `handle` gets. `operation` is the one that runs; `prepared` is what its `prepare` gave. */
export function contextFor(
  system: System,
  unit: Unit,
  operation: AnyOperation,
  viewer: Viewer,
  call: KnownCall,
  prepared: unknown,
): Context<never> {
  const pipeline: Pipeline = {
    rehearse: (proposed, ready) => rehearse(system, unit, proposed, call, viewer, ready),
    apply: (proposed, from, ready) => applyProposed(system, unit, proposed, from, call, viewer, ready),
  }
  const [actor, reason] = operation.anonymous ? [nobody(call.actor), null] : [call.actor, call.reason]
  return unit.context({ viewer, actor, reason, prepared, pipeline })
}

/** Somebody with the same rights and no name: a handler of an anonymous call has nothing to write down. */
function nobody({ credential }: Actor): Actor {
  const { scope, campaignId, writeMode } = credential
  return {
    userId: 0,
    username: '',
    admin: false,
    credential: { kind: 'system', id: 0, scope, campaignId, writeMode, clientId: null, toolsets: null },
  }
}

/**
 * Runs an operation's `prepare`, for at most `limits.prepareMs`. Throws what it throws, `cancelled` where the caller went
 * away meanwhile, and `unavailable` where the time was up or the server stops.
 */
export async function prepareCall(
  system: System,
  operation: AnyOperation,
  viewer: Viewer,
  input: never,
  call: KnownCall,
): Promise<unknown> {
  if (operation.prepare === undefined) return undefined
  const late = AbortSignal.timeout(limits.prepareMs)
  const left = call.signal ?? new AbortController().signal
  const signal = AbortSignal.any([late, left, system.stopping])
  try {
    const prepared = await operation.prepare(prepareContextFor(system, operation, viewer, call, signal), input)
    signal.throwIfAborted()
    return prepared
  } catch (cause) {
    if (!signal.aborted || cause instanceof Failure) throw cause
    if (left.aborted) throw fail('cancelled', undefined, { cause })
    throw system.stopping.aborted
      ? fail('unavailable', 'The server is stopping. Nothing was changed.', { cause })
      : fail('unavailable', 'Getting this ready took too long. Nothing was changed; ask for less at once.', { cause })
  }
}

function prepareContextFor(
  system: System,
  operation: AnyOperation,
  viewer: Viewer,
  call: KnownCall,
  signal: AbortSignal,
): PrepareContext {
  const now = <T>(look: (context: Context<never>) => T): T =>
    system.view((unit) => look(contextFor(system, unit, operation, viewer, call, undefined)))
  const { actor, random } = now((context) => context)
  return {
    viewer,
    actor,
    random,
    signal,
    services: system.services,
    address: operation.anonymous ? null : (call.address ?? null),
    get now() {
      return now((context) => context.now)
    },
    get campaignId() {
      return now((context) => context.campaignId)
    },
    // A context for each: what the database says of the viewer's campaign may have changed since the last.
    read: (entity) => now((context) => context.read(entity)),
    search: (request) => system.search(viewer, request, signal),
    pipeline: { prepare: (proposed) => prepareProposed(system, proposed, call, viewer, signal) },
  }
}

async function prepareProposed(
  system: System,
  proposed: ProposedCall,
  call: KnownCall,
  viewer: Viewer,
  signal: AbortSignal,
): Promise<unknown> {
  signal.throwIfAborted()
  const operation = proposable(system, proposed.operation)
  if (operation.prepare === undefined) return undefined
  const input = parseInput(operation.input, proposed.input) as never
  const admission = system.view((unit) => {
    sameCampaign(unit, operation, input, viewer)
    return admit(unit, operation, input, call)
  })
  return operation.prepare(prepareContextFor(system, operation, admission.viewer, call, signal), input)
}

/** Tries a proposed call as its proposer and rolls it back, so that what could never be approved is refused when it is asked. */
export function rehearse(
  system: System,
  unit: Unit,
  proposed: ProposedCall,
  call: KnownCall,
  viewer: Viewer,
  prepared: unknown,
): RehearsedCall {
  const operation = proposable(system, proposed.operation)
  const input = parseInput(operation.input, proposed.input) as never
  const located = sameCampaign(unit, operation, input, viewer)
  // By whatever tool it is asked for: who may not propose this operation is refused here.
  admit(unit, operation, input, call)
  unit.rehearse(() => operation.handle(contextFor(system, unit, operation, viewer, call, prepared), input))
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
  from: Parameters<Pipeline['apply']>[1],
  call: KnownCall,
  viewer: Viewer,
  prepared: unknown,
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
  }
  unit.changeSet(head, () => operation.handle(contextFor(system, unit, operation, viewer, call, prepared), input))
}

function proposable(system: System, name: string): AnyOperation {
  const operation = system.operations.get(name)
  if (operation?.access === 'dm+propose') return operation
  const names = Array.from(system.operations.values())
    .filter(({ access }) => access === 'dm+propose')
    .map((each) => each.name)
  throw invalid(
    'operation',
    'not an operation that can be proposed',
    `${name} cannot be proposed. These can: ${names.join(', ')}.`,
  )
}
