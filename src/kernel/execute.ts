import * as z from 'zod'
import { type Admission, admit, type KnownCall } from './admission.ts'
import { contextFor, prepareCall, stageFor } from './call-context.ts'
import { Failure, fail } from './errors.ts'
import { schemaMarks } from './fields.ts'
import { findByName } from './find-by-name.ts'
import { parseInput } from './input.ts'
import { throughEyes } from './looking-as.ts'
import type { SharedHold } from './maintenance-lock.ts'
import type { AnyOperation } from './operation.ts'
import { withoutPasswords } from './passwords.ts'
import { project } from './projection.ts'
import { rehearse } from './proposing.ts'
import type { Call, ChangedRow, ChangeSetHead, Outcome, System, Unit } from './system.ts'
import { type Actor, capRole, type Viewer } from './viewer.ts'

/**
 * The one way in, from every door.
 *
 * 1. parse the input strictly
 * 2. find the campaign; what is absent, foreign or hidden is the same `not_found`
 * 3. authorise: role, ownership, token scope, token campaign, write mode, human decisions
 * 4. lifecycle: archived and trashed campaigns refuse writes
 * 5. idempotency
 * 6. prepare, then authorise again, since that took time
 * 7. one transaction: the credential again, the handler or a proposal, journal, search index, idempotency answer
 * 8. project the output
 * 9. announce, after the commit (by `transaction`)
 *
 * Step 0, the credential, is the door's: it turns a request into a `Call`. Where a Dungeon Master looks through the eyes of a
 * player, the call is that player's from then on (looking-as.ts).
 *
 * Of an anonymous operation nothing is kept that joins the call to who made it: its change set names nobody, neither door
 * nor reason, its handler gets no name to write down, and what its idempotency key remembers is sealed. What the door
 * writes of a request (log, times of last use) is the door's to leave away.
 */
export function execute(system: System, operation: AnyOperation, raw: unknown, call: Call): Outcome | Promise<Outcome> {
  const held = system.acquireShared()
  return held instanceof Promise
    ? held.then((leave) => runHeld(system, operation, raw, call, leave))
    : runHeld(system, operation, raw, call, held)
}

/** Most reads are answered at once: one that prepares nothing waits for nothing, and no promise is made for it. */
function runHeld(
  system: System,
  operation: AnyOperation,
  raw: unknown,
  call: Call,
  leave: SharedHold,
): Outcome | Promise<Outcome> {
  let later: Promise<Outcome> | null = null
  try {
    if (!isKnown(call)) throw fail('unauthenticated')
    const asked = call.viewAs === undefined ? call : system.view((unit) => throughEyes(unit, operation, call))
    const input = parseInput(operation.input, raw, (name) => findByName(system, operation, raw, asked, name)) as never
    const key = asked.idempotencyKey ?? keyIn(input)
    const known = key === asked.idempotencyKey ? asked : { ...asked, idempotencyKey: key }
    if (operation.effect === 'read' && operation.prepare === undefined) return runRead(system, operation, input, known)
    later = (operation.effect === 'read' ? runPreparedRead : runPreparedWrite)(system, operation, input, known)
    return later.finally(leave)
  } finally {
    if (later === null) leave()
  }
}

async function runPreparedWrite(
  system: System,
  operation: AnyOperation,
  input: never,
  call: KnownCall,
): Promise<Outcome> {
  const before = system.view((unit) => beforeWrite(unit, operation, input, call))
  if ('output' in before) return before
  const prepared = await prepareCall(system, operation, before.viewer, input, call)
  return system.transactionSoon((unit) => runWrite(system, unit, operation, input, call, prepared))
}

function isKnown(call: Call): call is KnownCall {
  return call.actor !== null
}

/** The key that an input carries, where its operation takes one: what a door has no header for is said there. */
function keyIn({ idempotencyKey }: { readonly idempotencyKey?: unknown }): string | null {
  return typeof idempotencyKey === 'string' ? idempotencyKey : null
}

/**
 * Runs a write inside a transaction that is open, for what has to happen together with other changes or not at all. Throws
 * what `execute` throws; an operation with a `prepare` cannot be run so.
 */
export function executeWithin(
  system: System,
  unit: Unit,
  operation: AnyOperation,
  raw: unknown,
  call: KnownCall,
): Outcome {
  if (operation.prepare) throw new Error(`${operation.name} prepares before its transaction`)
  return runWrite(system, unit, operation, parseInput(operation.input, raw) as never, call, undefined)
}

async function runPreparedRead(
  system: System,
  operation: AnyOperation,
  input: never,
  call: KnownCall,
): Promise<Outcome> {
  const before = system.view((unit) => admit(unit, operation, input, call)).viewer
  return runRead(system, operation, input, call, before, await prepareCall(system, operation, before, input, call))
}

/** `before` is who the caller was when the read was prepared. */
function runRead(
  system: System,
  operation: AnyOperation,
  input: never,
  call: KnownCall,
  before?: Viewer,
  prepared?: unknown,
): Outcome {
  return system.view((unit) => {
    const { viewer } = admit(unit, operation, input, call)
    if (before !== undefined && !isSameViewer(before, viewer)) throw fail('unavailable', changedMeanwhile)
    const context = contextFor(system, unit, operation, viewer, call, prepared)
    return { status: 'done', output: project(operation.output, operation.handle(context, input), viewer) }
  })
}

/** What a read got ready is for the eyes that it was read through: of somebody with other rights it says too much or too little. */
const changedMeanwhile = 'Your rights in this campaign changed while this was read. Ask again.'

function isSameViewer(one: Viewer, other: Viewer): boolean {
  return JSON.stringify(one) === JSON.stringify(other)
}

/** Steps 2 to 5, ahead of `prepare`: the answer of a call that was made before, or who this one is let in as. */
function beforeWrite(unit: Unit, operation: AnyOperation, input: never, call: KnownCall): Outcome | Admission {
  try {
    const admission = admit(unit, operation, input, call)
    return remembered(unit, operation, input, call) ?? admission
  } catch (error) {
    // The first call may have taken away what both are about: a delete that is repeated answers as it did then.
    const mayBeGone = error instanceof Failure && (error.code === 'not_found' || error.code === 'invalid_state')
    const earlier = mayBeGone ? remembered(unit, operation, input, call) : null
    if (earlier === null) throw error
    return earlier
  }
}

function runWrite(
  system: System,
  unit: Unit,
  operation: AnyOperation,
  input: never,
  asked: KnownCall,
  prepared: unknown,
): Outcome {
  const call = { ...asked, actor: unit.recheck(asked.actor) }
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
  { viewer, verdict }: Admission,
): Outcome {
  const head = headOf(operation, call, viewer)
  if (verdict === 'propose') {
    const rehearsed = rehearse(stageFor(system, unit, viewer, call), [{ operation: operation.name, input }], [prepared])
    return unit.changeSet(head, () => {
      const context = contextFor(system, unit, operation, viewer, call, undefined)
      const { output, schema } = system.fileProposal(context, rehearsed, call.reason)
      return { status: 'proposed', output: project(schema, output, viewer) }
    })
  }
  const outcome = unit.changeSet(head, ({ id }): Outcome => {
    const context = contextFor(system, unit, operation, viewer, call, prepared)
    const output = operation.handle(context, input)
    const answer = project(operation.output, output, viewerAfter(unit, viewer, call.actor))
    return { status: 'done', output: answer, ...(operation.anonymous || operation.unrecorded ? {} : { recordId: id }) }
  })
  const changed = changedBy(unit, operation, outcome.output)
  const { recordId } = outcome
  const isTheirsToRevert = viewer.campaignId !== null && viewer.role === 'dm' && recordId !== undefined
  return {
    ...outcome,
    ...(changed === null ? {} : { changed }),
    ...(isTheirsToRevert && unit.isRevertible(recordId) ? { revertible: true } : {}),
  }
}

/** What a write did to the row that it answers, where it answers one. */
function changedBy(unit: Unit, { output }: AnyOperation, answer: unknown): ChangedRow | null {
  const schema = output instanceof z.ZodObject ? (output.shape.id as z.ZodType | undefined) : undefined
  const entity = schema === undefined ? undefined : schemaMarks.get(schema)?.entity
  const id = (answer as { readonly id?: unknown } | null)?.id
  return entity === undefined || typeof id !== 'number' ? null : unit.changedRow(entity, id)
}

function headOf(operation: AnyOperation, call: KnownCall, { campaignId }: Viewer): ChangeSetHead {
  const { actor, door, reason } = call
  return operation.anonymous
    ? { operation, campaignId, actor: null, door: 'system', reason: null, proposal: null }
    : { operation, campaignId, actor, door, reason, proposal: null }
}

/** A call that began outside a campaign may have entered one (made it, joined it): its answer is for whom they are there now. */
function viewerAfter(unit: Unit, viewer: Viewer, actor: Actor): Viewer {
  const campaignId = viewer.campaignId === null ? unit.entered() : null
  if (campaignId === null) return viewer
  const role = unit.roleOf(actor.userId, campaignId)
  return { ...viewer, campaignId, role: role && capRole(role, actor.credential.scope) }
}

/**
 * Step 5. The scope is the credential, the door and the operation, so that nobody reads another's answer by guessing a key,
 * nor at one door what was answered at another, through which less may leave.
 */
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
  const { rest, passwords } = withoutPasswords(operation.input, input as Readonly<Record<string, unknown>>)
  unit.idempotent.keep(scopeOf(unit, operation, call), unit.idempotent.hash(rest), answer, passwords)
  return outcome
}

/**
 * What this key answered before. Throws `idempotency_conflict` for another input, passwords included, and `already_done`
 * where the answer held a secret or the passwords of then are forgotten.
 */
function remembered(unit: Unit, operation: AnyOperation, input: unknown, call: KnownCall): Outcome | null {
  const scope = call.idempotencyKey === null ? null : scopeOf(unit, operation, call)
  const earlier = scope === null ? null : unit.idempotent.find(scope)
  if (scope === null || earlier === null) return null
  const { rest, passwords } = withoutPasswords(operation.input, input as Readonly<Record<string, unknown>>)
  const isSame = passwords === null ? true : unit.idempotent.isSame(scope, passwords)
  if (earlier.inputHash !== unit.idempotent.hash(rest) || isSame === false) throw fail('idempotency_conflict')
  if (isSame === null) throw fail('already_done', 'This was already done, before the server was last started.')
  if (earlier.answer === null) throw fail('already_done')
  return JSON.parse(earlier.answer) as Outcome
}

function scopeOf(unit: Unit, { name, anonymous }: AnyOperation, { actor, door, idempotencyKey }: KnownCall): string {
  const scope = `${actor.credential.kind}:${actor.credential.id}:${door}:${name}:${idempotencyKey}`
  return anonymous ? unit.seal(scope) : scope
}
