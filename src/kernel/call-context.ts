import { admit, describeInput, type KnownCall, sameCampaign } from './admission.ts'
import type { Context, Pipeline, PrepareContext, ProposedCall, RehearsedCall } from './context.ts'
import { Failure, fail, invalid } from './errors.ts'
import { parseInput } from './input.ts'
import { limits } from './limits.ts'
import type { AnyOperation } from './operation.ts'
import type { System, Unit } from './system.ts'
import { type Actor, personIn, type Role, type Viewer } from './viewer.ts'

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
    describe(name) {
      const known = system.operations.get(name)
      return known === undefined ? { about: null, creates: false, references: {} } : describeInput(known)
    },
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
    searchRules: (request) => system.searchRules(viewer, request, signal),
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
  unit.rehearse((set) => {
    operation.handle(contextFor(system, unit, operation, viewer, call, prepared), input)
    const unseen = set.unseenBy({ ...viewer, ai: null, toolsets: null })
    if (unseen !== null) throw fail('forbidden', `This touches what you may not see: ${unseen}. Leave it away.`)
  })
  const target =
    located.entity !== null && located.entity.scope === 'campaign' && located.row !== null
      ? {
          entityType: located.entity.name,
          entityId: located.row.id as number,
          revision: located.row.revision as number,
        }
      : null
  return { input: withoutRevision(input), title: operation.title, target }
}

/** What its author read was compared when it was filed; whoever approves it counts other revisions. */
function withoutRevision<I extends object>({ expectedRevision: _, ...input }: I & { expectedRevision?: unknown }) {
  return input
}

/**
 * Runs what was proposed, as the approver. Refused where it is stale: a field that it changes was changed since it was filed.
 * And where it touches what its author does not see (any more): nobody overwrites in the dark, by another's hand either.
 */
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
  const input = parseInput(operation.input, withoutRevision(proposed.input)) as never
  const { entity, row } = sameCampaign(unit, operation, input, viewer)
  const { verdict } = admit(unit, operation, input, call)
  if (verdict !== 'direct') throw fail('write_mode', 'Only somebody who could make this change may approve it.')
  const { proposalId, proposedByUserId, targetRevision } = from
  const about = entity !== null && row !== null ? { type: entity.name, id: Number(row.id) } : null
  const since = about && targetRevision !== null ? unit.changedSince(about.type, about.id, targetRevision) : []
  const author = personIn(viewer.campaignId, authorRole(unit, proposedByUserId, viewer.campaignId), proposedByUserId)
  const head = {
    operation,
    campaignId: viewer.campaignId,
    actor: call.actor,
    door: call.door,
    reason: call.reason,
    proposal: { proposalId, proposedByUserId },
  }
  unit.changeSet(head, (set) => {
    operation.handle(contextFor(system, unit, operation, viewer, call, prepared), input)
    const changes = about === null ? [] : set.changedOf(about.type, about.id)
    if ([...Object.keys(input), ...changes].some((field) => since.includes(field)))
      throw fail(
        'stale_revision',
        `Proposal ${proposalId} was made for an earlier version: what it changes was changed since. Reject it, or ask for it again.`,
      )
    const unseen = set.unseenBy(author)
    if (unseen !== null)
      throw fail(
        'invalid_state',
        `Proposal ${proposalId} touches what its author does not see: ${unseen}. Reject it, and make the change yourself if it is right.`,
      )
  })
}

/** Whoever has left meanwhile is judged as a player. */
function authorRole(unit: Unit, userId: number, campaignId: number | null): Role {
  return (campaignId === null ? null : unit.roleOf(userId, campaignId)) ?? 'player'
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
