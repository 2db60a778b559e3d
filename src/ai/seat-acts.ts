import type { SeatAction } from '../domain/ai-seat/entity.ts'
import type { Entity } from '../kernel/entity.ts'
import { Failure } from '../kernel/errors.ts'
import { execute } from '../kernel/execute.ts'
import { schemaMarks } from '../kernel/fields.ts'
import { entityOf } from '../kernel/input-target.ts'
import { leanAnswer } from '../kernel/lean.ts'
import type { ModelToolCall } from '../kernel/model-port.ts'
import type { AnyOperation } from '../kernel/operation.ts'
import type { Outcome, System } from '../kernel/system.ts'
import { type Actor, type Viewer, viewerOf } from '../kernel/viewer.ts'
import { modelActor, ownContext } from './model-actor.ts'
import type { SeatRights } from './seat-tools.ts'

// What the seat does, one operation at a time, through the pipeline like everybody. It reads through the eyes of the model; it
// writes with the rights of a Dungeon Master, since that is whose chair it sits beside, and is told of what it wrote only what
// it sees through its own eyes.

export interface ActingTurn {
  readonly turnId: number
  readonly campaignId: number
  readonly userId: number
  readonly external: boolean
  readonly rights: SeatRights
  readonly signal: AbortSignal
}

export interface Act {
  readonly action: SeatAction
  /** What the model is told of it. */
  readonly result: unknown
}

type Json = Readonly<Record<string, unknown>>

interface EventOfFight {
  readonly id: number
  readonly encounterId: number
}

/** Who the seat is when it reads. */
export function readerOf({ turnId: id, userId, campaignId, external, rights }: ActingTurn): Actor {
  const scope = rights.maySeeSecrets ? 'dm' : 'player'
  return modelActor({ by: 'seat', id, userId, campaignId, scope, writeMode: 'read', external })
}

function writerOf({ turnId: id, userId, campaignId, rights }: ActingTurn): Actor {
  const writeMode = rights.mode === 'driver' ? 'direct' : 'propose'
  return modelActor({ by: 'seat', id, userId, campaignId, scope: 'dm', writeMode, external: false })
}

/** What the seat sees through. */
export function eyesOf(system: System, turn: ActingTurn): Viewer {
  const { campaignId, rights } = turn
  const role = rights.maySeeSecrets ? 'dm' : 'player'
  return system.view((unit) =>
    viewerOf(readerOf(turn), 'seat', { campaignId, role, terms: () => unit.termsOf(campaignId) }),
  )
}

/** Reads as the seat. Throws what the operation throws. */
export async function readAs(system: System, turn: ActingTurn, name: string, input: Json): Promise<unknown> {
  const operation = system.operations.get(name) as AnyOperation
  const outcome = await execute(system, operation, input, callOf(turn, readerOf(turn)))
  return leanAnswer(operation, outcome, input)
}

function callOf(turn: ActingTurn, actor: Actor) {
  const { turnId, signal } = turn
  return { actor, door: 'seat', idempotencyKey: null, reason: null, requestId: `seat-${turnId}`, signal } as const
}

/** Runs one call of a tool that the seat was offered. Throws nothing that the model should hear of instead. */
export async function act(
  system: System,
  turn: ActingTurn,
  operation: AnyOperation,
  call: ModelToolCall,
): Promise<Act> {
  const refused = (says: string): Act => ({
    action: { ...blank(operation), outcome: 'refused', says: shortened(says) },
    result: { error: says },
  })
  const given = argumentsOf(call.argumentsText)
  if (given === null) return refused('The arguments are no JSON object. Call it again with one.')
  const { campaignId } = turn
  const input = 'campaignId' in operation.input.shape ? { ...given, campaignId } : given
  try {
    if (operation.effect === 'read') {
      const result = await readAs(system, turn, operation.name, input)
      return { action: { ...blank(operation), outcome: 'looked', says: titleIn(result) }, result }
    }
    const unseen = unseenIn(system, turn, operation, input)
    if (unseen !== null) return refused(unseen)
    const outcome = await execute(system, operation, input, callOf(turn, writerOf(turn)))
    return outcome.status === 'proposed' ? proposed(operation, outcome) : done(system, turn, operation, input, outcome)
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    // A sentence may name what the seat does not see; what is wrong with the input it must know.
    const isTold =
      turn.rights.maySeeSecrets || error.code === 'validation_failed' || error.message.startsWith('Not run:')
    return refused(
      isTold || operation.effect === 'read' ? error.message : `It was refused (${error.code}). Look again first.`,
    )
  }
}

function blank({ name: operation, title }: AnyOperation): SeatAction {
  const nothing = { auditRecordId: null, encounterEventIds: [], encounterId: null, proposalId: null, says: null }
  return { ...nothing, operation, title, outcome: 'looked' }
}

function proposed(operation: AnyOperation, { output }: Outcome): Act {
  const { id, title } = (output as { readonly proposal: { readonly id: number; readonly title: string } }).proposal
  const action = { ...blank(operation), outcome: 'proposed', says: shortened(title), proposalId: id } as const
  return { action, result: { proposed: true, proposalId: id, note: 'It waits for a person. Nothing was changed.' } }
}

function done(system: System, turn: ActingTurn, operation: AnyOperation, input: Json, outcome: Outcome): Act {
  const seen = turn.rights.maySeeSecrets
    ? leanAnswer(operation, outcome, input)
    : seenOf(system, turn, operation, outcome)
  const { events } = outcome.output as { readonly events?: readonly EventOfFight[] }
  const { encounterId = events?.[0]?.encounterId } = input
  const action: SeatAction = {
    ...blank(operation),
    outcome: 'done',
    says: titleIn(seen),
    auditRecordId: outcome.recordId ?? null,
    encounterEventIds: events?.map(({ id }) => id) ?? [],
    encounterId: typeof encounterId === 'number' ? encounterId : null,
  }
  return { action, result: { done: true, ...(typeof seen === 'object' ? seen : {}) } }
}

/** The row that a write answers, as the seat itself sees it. */
function seenOf(system: System, turn: ActingTurn, operation: AnyOperation, { output }: Outcome): Json {
  const { id } = output as { readonly id?: unknown }
  const schema = (operation.output as { readonly shape?: Json }).shape?.id
  const name = schema === undefined ? undefined : schemaMarks.get(schema as never)?.entity
  if (typeof id !== 'number' || name === undefined) return {}
  const eyes = eyesOf(system, turn)
  return system.view((unit) => {
    const context = ownContext(unit, turn.campaignId, eyes)
    const entity: Entity | null = context.findEntity(name)
    const row = entity === null ? null : context.read(entity).find(id)
    return row === null ? {} : (leanAnswer({ effect: 'read' }, { status: 'done', output: { ...row } }) as Json)
  })
}

/** Why a write is not run: it names what the seat does not see. Nobody acts in the dark by guessing ids. */
function unseenIn(system: System, turn: ActingTurn, operation: AnyOperation, input: Json): string | null {
  const { campaignId } = turn
  const eyes = eyesOf(system, turn)
  return system.view((unit) => {
    const kinds = ownContext(unit, campaignId)
    for (const [member, value] of Object.entries(input)) {
      const name = entityOf(operation, member)
      if (name === undefined || name === 'campaign' || kinds.findEntity(name) === null) continue
      const ids = [value].flat().filter((id) => typeof id === 'number')
      const isSeen = (id: number): boolean => unit.locate(name, id, (at) => (at === campaignId ? eyes : null)) !== null
      if (!ids.every(isSeen)) return `${member}: there is no such ${name.replaceAll('_', ' ')} that you may see.`
    }
    return null
  })
}

/** The arguments as the model wrote them; null where they are no object. */
function argumentsOf(text: string): Json | null {
  try {
    const value: unknown = JSON.parse(text.trim() === '' ? '{}' : text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : null
  } catch {
    return null
  }
}

/** What a row is called, for people. */
function titleIn(value: unknown): string | null {
  if (typeof value !== 'object' || value === null) return null
  const { name, title, label } = value as Json
  const word = [name, title, label].find((each) => typeof each === 'string')
  return word === undefined ? null : shortened(String(word))
}

function shortened(text: string): string {
  return text.length <= 300 ? text : `${text.slice(0, 299).toWellFormed()}…`
}
