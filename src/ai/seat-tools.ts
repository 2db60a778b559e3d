import * as z from 'zod'
import type { seatGroup, seatMode } from '../domain/ai-seat/entity.ts'
import type { JsonSchema, ModelTool } from '../kernel/model-port.ts'
import type { AnyOperation } from '../kernel/operation.ts'

// What the seat can be given to do. Twice narrowed: `isForSeat` says by its declaration whether it may ever have an operation,
// and the lists below which of those it is offered, since a model that is shown 277 tools reads nothing else. What is not on
// the list is refused when it is called, and `execute` decides again about what is.

export interface SeatRights {
  readonly mode: z.output<typeof seatMode>
  readonly driverMay: readonly z.output<typeof seatGroup>[]
  readonly maySeeSecrets: boolean
}

const reads = words(`
  get_campaign_summary search_campaign get_party get_npc get_location get_quest get_encounter get_turn search_rules
`)
const coDmReads = words('get_character get_faction list_notes list_session_recaps')
/** Of these it asks for each: a person takes it, or does not. */
const coDmWrites = words(`
  create_npc update_npc create_location create_quest update_quest set_quest_status create_objective set_objective_done
  create_timeline_event
`)
const driverWrites: Readonly<Record<z.output<typeof seatGroup>, readonly string[]>> = {
  fights: words(`
    begin_encounter roll_initiative next_turn use_combatant_action damage_combatant heal_combatant
    set_combatant_conditions adjust_character_hp
  `),
  dice: words('roll_dice roll_random_table'),
  tale: words(`
    create_npc set_npc_disposition set_location_discovery set_quest_status set_objective_done create_timeline_event
  `),
  // What it does not see it cannot reveal.
  reveal: words('reveal_entity hide_entity'),
}

function words(text: string): readonly string[] {
  return text.trim().split(/\s+/)
}

const toolsets: ReadonlySet<string> = new Set(['story', 'world', 'maps', 'party', 'dice', 'combat'])
const readToolsets: ReadonlySet<string> = new Set([...toolsets, 'campaign', 'journal', 'rules'])
const accesses: ReadonlySet<string> = new Set(['viewer', 'player', 'owner', 'controller', 'turn', 'dm', 'dm+propose'])
/** Of the toolset that also approves, reverts and empties the trash, these two alone. */
const beside: ReadonlySet<string> = new Set(driverWrites.reveal)

/**
 * Whether the seat could ever be given an operation. Never what destroys, what a person decides, what is written in somebody's
 * own name, what holds a secret or leaves the machine; nothing of members, settings, tokens, proposals or the seat itself.
 */
export function isForSeat(operation: AnyOperation): boolean {
  const { name, effect, access, toolset, byPerson, humanOnly, anonymous, secretAnswer, callsOut, proposes } = operation
  const isAPersons = byPerson !== undefined || humanOnly !== undefined || proposes === true
  if (effect === 'destroy' || isAPersons || anonymous || secretAnswer || callsOut || operation.mcp) return false
  if (effect === 'read') {
    const isOfCampaign = accesses.has(access) || (access === 'user' && 'campaignId' in operation.input.shape)
    return readToolsets.has(toolset) && isOfCampaign
  }
  return accesses.has(access) && (toolsets.has(toolset) || beside.has(name))
}

/** The operations that the seat is offered, by what it may now. */
export function seatOperations(
  known: ReadonlyMap<string, AnyOperation>,
  { mode, driverMay, maySeeSecrets }: SeatRights,
): ReadonlyMap<string, AnyOperation> {
  const groups = driverMay.filter((group) => group !== 'reveal' || maySeeSecrets)
  const names = {
    off: [],
    co_dm: [...reads, ...coDmReads, ...coDmWrites],
    driver: [...reads, ...groups.flatMap((group) => driverWrites[group])],
  }[mode]
  const offered = names.flatMap((name) => {
    const operation = known.get(name)
    return operation !== undefined && isForSeat(operation) ? [[name, operation] as const] : []
  })
  return new Map(offered)
}

/** What the seat says itself: whose call it is. */
const filledIn = ['campaignId', 'idempotencyKey', 'expectedRevision']
const tools = new WeakMap<AnyOperation, ModelTool>()

/** An operation as a model is told of it. */
export function toolOf(operation: AnyOperation): ModelTool {
  const known = tools.get(operation)
  if (known !== undefined) return known
  const { name, description, input } = operation
  const kept = Object.fromEntries(Object.entries(input.shape).filter(([key]) => !filledIn.includes(key)))
  const { $schema: _, ...parameters } = z.toJSONSchema(z.strictObject(kept), {
    ...{ target: 'draft-7', io: 'input', reused: 'inline', unrepresentable: 'any' },
  }) as JsonSchema
  const tool = { name, description, parameters }
  tools.set(operation, tool)
  return tool
}
