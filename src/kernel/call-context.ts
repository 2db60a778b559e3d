import { admit, type KnownCall, sameCampaign } from './admission.ts'
import type { Context, Pipeline, PrepareContext, ProposedChange } from './context.ts'
import { Failure, fail } from './errors.ts'
import { parseInput } from './input.ts'
import { describeInput } from './input-target.ts'
import { limits } from './limits.ts'
import { modelEyes } from './model-port.ts'
import { refersToResult } from './named-results.ts'
import type { AnyOperation } from './operation.ts'
import { apply, eachInPlace, inCampaign, rehearse, type Stage, waitable } from './proposing.ts'
import type { System, Unit } from './system.ts'
import type { Actor, Role, Viewer } from './viewer.ts'

// What the two halves of an operation get: `prepare` before its transaction, `handle` inside it, and through either the way
// back into the pipeline for what is proposed.

/** What `handle` gets. `operation` is the one that runs; `prepared` is what its `prepare` gave; `authorRole` as in Context. */
export function contextFor(
  system: System,
  unit: Unit,
  operation: AnyOperation,
  viewer: Viewer,
  call: KnownCall,
  prepared: unknown,
  authorRole: Role | null = viewer.role,
): Context<never> {
  const actor = operation.anonymous ? nobody(call.actor) : call.actor
  const reason = operation.anonymous ? null : call.reason
  const pipeline = (): Pipeline => pipelineFor(system, stageFor(system, unit, viewer, call))
  const totals = call.totals === true
  return unit.context({ viewer, actor, reason, authorRole, prepared, pipeline, totals })
}

function pipelineFor({ operations }: System, stage: Stage): Pipeline {
  return {
    rehearse: (changes, ready) => rehearse(stage, changes, ready),
    apply: (proposals) => apply(stage, proposals),
    describe(name) {
      const known = operations.get(name)
      return known === undefined
        ? { title: name, toolset: '', about: null, creates: false, references: {} }
        : describeInput(known)
    },
  }
}

/** Where what is proposed in a call runs. */
export function stageFor(system: System, unit: Unit, viewer: Viewer, call: KnownCall): Stage {
  return {
    operations: system.operations,
    unit,
    call,
    viewer,
    contextOf: (operation, prepared, authorRole) =>
      contextFor(system, unit, operation, viewer, call, prepared, authorRole),
  }
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
 * Runs an operation's `prepare`, for as long as it may take. Throws what it throws, `cancelled` where the caller went
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
  const late = AbortSignal.timeout(operation.prepareMs ?? limits.prepareMs)
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
    readForModel: (entity, { secrets }) =>
      system.view((unit) => {
        const { campaignId } = viewer
        if (campaignId === null) throw fail('not_found')
        const terms = unit.termsOf(campaignId)
        const eyes = modelEyes({ campaignId, external: system.services.model.status().external, secrets, terms })
        return contextFor(system, unit, operation, eyes, call, undefined).read(entity)
      }),
    search: (request) => system.search(viewer, request, signal),
    searchRules: (request) => system.searchRules(viewer, request, signal),
    pipeline: {
      prepare: (changes) => eachInPlace(changes, (change) => prepareProposed(system, change, call, viewer, signal)),
    },
  }
}

async function prepareProposed(
  system: System,
  proposed: ProposedChange,
  call: KnownCall,
  viewer: Viewer,
  signal: AbortSignal,
): Promise<unknown> {
  signal.throwIfAborted()
  const operation = waitable(system.operations, proposed.operation)
  // What names the result of another change is refused when the changes are tried.
  if (operation.prepare === undefined || refersToResult(proposed.input)) return undefined
  const input = parseInput(operation.input, inCampaign(operation, proposed, viewer).input) as never
  const admission = system.view((unit) => {
    sameCampaign(unit, operation, input, viewer)
    return admit(unit, operation, input, call)
  })
  return operation.prepare(prepareContextFor(system, operation, admission.viewer, call, signal), input)
}
