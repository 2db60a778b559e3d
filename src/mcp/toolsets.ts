import type { IncomingHttpHeaders } from 'node:http'
import { nearest } from '../kernel/edit-distance.ts'
import { invalid } from '../kernel/errors.ts'
import { type AnyOperation, toolsets } from '../kernel/operation.ts'
import { type Actor, atLeast, capRole, type Role, type ToolPreset } from '../kernel/viewer.ts'
import { whyNotWaiting } from '../kernel/waiting.ts'

/** What one request wants to see of the catalogue. It narrows the list; who may do what is decided by `execute` alone. */
export interface Selection {
  /** A tool is listed when each group holds a name of its toolset or of a preset that has it. */
  readonly groups: readonly (readonly string[])[]
  /** Tools that are listed beside those of the groups; where no groups were asked for, they alone. */
  readonly tools: readonly string[]
  /** Tools that are not listed in any case. */
  readonly without: readonly string[]
  /** The toolsets that the credential opens; null opens all. */
  readonly opened: readonly string[] | null
  /** Lists reads only, and refuses every other call. */
  readonly readOnly: boolean
  /** The most that the credential can be in any campaign: what asks for more is not listed. */
  readonly role: Role
  /** Lists of changes only those that can wait as proposals. */
  readonly proposing: boolean
  /** The credential knows one campaign: what happens outside of it is not listed. */
  readonly bound: boolean
  /** Whether players may ask for changes, as far as that is known of the one campaign. */
  readonly playersPropose: boolean
  /**
   * Lists of changes only those of every day: what else can wait is found by two tools beside them and asked for with
   * `create_proposal`. So for who proposes and asked for nothing in particular.
   */
  readonly everyday: boolean
  /** Three tools stand for all that is listed. */
  readonly compact: boolean
}

/** What the one campaign of a bound credential says about who calls. */
export interface BoundSeat {
  readonly role: Role
  readonly playersPropose: boolean
}

/** Everything a player does at the table. Under 40 tools, where the first hosts stop reading. */
const player = names(`
  list_campaigns get_campaign_summary search_campaign list_recent_changes
  list_quests get_quest list_npcs get_npc list_locations get_location
  get_party get_character update_character adjust_character_hp set_character_conditions
  adjust_spell_slots adjust_character_resource list_inventory transfer_inventory_item
  roll_dice list_checks roll_check list_check_requests answer_check_request
  list_encounters get_turn use_combatant_action next_turn
  list_session_recaps list_notes create_note submit_inbox_item
  get_next_game_night set_rsvp create_proposal raise_safety_signal
  search_rules get_rule_entry get_charter
`)

/** Running a night as the Dungeon Master. Under 60 tools. */
const session = names(`
  list_campaigns get_campaign_summary search_campaign
  list_quests get_quest set_quest_status set_objective_done
  list_npcs get_npc create_npc list_locations get_location set_location_discovery advance_world_date
  get_party get_character adjust_character_hp set_character_conditions award_xp
  take_short_rest take_long_rest create_inventory_item adjust_treasury
  roll_dice request_check list_random_tables roll_random_table
  list_encounters get_encounter create_encounter begin_encounter roll_initiative get_turn next_turn
  previous_turn end_encounter undo_encounter_event list_combatants add_combatant update_combatant
  set_combatant_initiative damage_combatant heal_combatant set_combatant_conditions roll_death_save
  use_combatant_action apply_encounter_rewards list_sessions start_session end_session
  create_note list_inbox_items reveal_entity hide_entity search_rules get_rule_entry
  raise_safety_signal clear_safety_signal
`)

/** Preparing and keeping a campaign as its Dungeon Master. Under 100 tools. */
const dmCore = names(`
  list_campaigns get_campaign get_campaign_summary create_campaign update_campaign search_campaign
  list_recent_changes list_quests get_quest create_quest update_quest set_quest_status
  list_objectives create_objective update_objective set_objective_done list_arcs get_arc create_arc
  update_arc list_beats get_beat create_beat update_beat set_beat_status get_story_graph
  list_npcs get_npc create_npc update_npc set_npc_disposition list_locations get_location
  create_location update_location set_location_discovery list_factions get_faction create_faction
  update_faction adjust_faction_reputation list_relations create_relation list_mentions
  list_timeline_events create_timeline_event get_world_calendar advance_world_date list_maps get_map
  get_party list_characters get_character update_character award_xp list_inventory
  create_inventory_item transfer_inventory_item adjust_treasury roll_dice list_random_tables
  create_random_table roll_random_table list_encounters get_encounter create_encounter
  update_encounter get_encounter_difficulty generate_encounter list_combatants add_combatant
  list_sessions get_session create_session update_session get_session_prep draft_session_recap
  publish_session_recap list_session_recaps list_notes create_note update_note list_inbox_items
  resolve_inbox_item get_next_game_night create_game_night list_members get_charter
  list_proposals approve_proposals reject_proposals revert_change reveal_entity hide_entity
`)

const chosenTools: Readonly<Record<Exclude<ToolPreset, 'compact'>, ReadonlySet<string>>> = {
  player,
  session,
  'dm-core': dmCore,
}
export const presets: Readonly<Record<string, ReadonlySet<string>>> = chosenTools

/** How many tools each ready-made selection shows. */
export const presetCounts: Readonly<Record<ToolPreset, number>> = {
  player: player.size,
  session: session.size,
  'dm-core': dmCore.size,
  compact: 3,
}

/**
 * The changes that an assistant asks for day by day, where each waits for a person: preparing and keeping a campaign, and a
 * player's own. Nobody runs a fight by asking for each blow.
 */
const everydayChanges: ReadonlySet<string> = new Set([...dmCore, ...player, 'revise_proposal', 'withdraw_proposal'])
const notEveryday: ReadonlySet<AnyOperation['toolset']> = new Set(['combat', 'dice'])

function isEveryday({ name, toolset }: AnyOperation): boolean {
  return everydayChanges.has(name) && !notEveryday.has(toolset)
}

function names(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/))
}

const known: ReadonlySet<string> = new Set([...toolsets, ...Object.keys(presets)])

export function isSelected(selection: Selection, operation: AnyOperation): boolean {
  const { groups, tools, without, opened } = selection
  if (without.includes(operation.name) || !isReachable(selection, operation)) return false
  if (opened !== null && !opened.includes(operation.toolset)) return false
  if (tools.includes(operation.name)) return true
  if (groups.length === 0)
    return tools.length === 0 && !(selection.everyday && operation.effect !== 'read' && !isEveryday(operation))
  return groups.every((group) => group.some((name) => name === operation.toolset || presets[name]?.has(operation.name)))
}

/** Whether the credential could ever call it. A scope caps the role in every campaign (SPEC 5.4). */
function isReachable(
  { readOnly, role, proposing, bound, playersPropose }: Selection,
  operation: AnyOperation,
): boolean {
  const { access, effect, viewerMay, proposes } = operation
  const changes = effect !== 'read'
  if (changes && readOnly) return false
  if (changes && bound && access === 'user') return false
  if (role === 'viewer') {
    if (changes && (viewerMay !== true || proposing)) return false
    return access === 'public' || access === 'user' || access === 'viewer'
  }
  if (!atLeast(role, 'dm') && (access === 'dm' || (access === 'dm+propose' && !playersPropose))) return false
  return !changes || !proposing || proposes === true || whyNotWaiting(operation) === null
}

/**
 * Reads `?toolsets=`, `?tools=`, `?exclude_tools=`, `?readonly=` and `?mode=`, and the headers `X-MCP-Toolsets`, `X-MCP-Tools`,
 * `X-MCP-Exclude-Tools`, `X-MCP-Readonly` and `X-MCP-Mode`. Toolsets that are given twice narrow twice; tools are listed beside
 * them, and what is excluded is so in any case. A credential that may only read counts as read-only, and one that opens some
 * toolsets narrows to them. `seat` is the one campaign of a bound credential. Throws `validation_failed` on a name that is not
 * known: a misspelt toolset must not look like a server without tools. A client that asks for nothing of it gets the selection
 * that its person chose at consent; where none was chosen and its changes wait, those of every day.
 */
export function selectionOf(
  url: URL,
  headers: IncomingHttpHeaders,
  actor: Actor,
  isTool: ReadonlyMap<string, unknown>,
  seat: BoundSeat | null = null,
): Selection {
  const given = (parameter: string): readonly string[] => [
    ...url.searchParams.getAll(parameter),
    ...valuesOf(headers[`x-mcp-${parameter.replace('_', '-')}`]),
  ]
  const named = (parameter: string): readonly string[] =>
    given(parameter).flatMap((text) => readTools(parameter, text, isTool))
  const flags = given('readonly').map(readFlag)
  const asked = given('toolsets').map(readNames)
  const tools = named('tools')
  const modes = given('mode').map(readMode)
  const { toolsets: opened, toolPreset = null, scope, writeMode, campaignId } = actor.credential
  // What the person chose at consent stands in for a client that cannot say what it takes.
  const preset = asked.length + tools.length + modes.length === 0 ? toolPreset : null
  const groups = [...asked, ...(preset === null || preset === 'compact' ? [] : [[preset]])]
  return {
    groups: groups.filter((group) => group.length > 0 && !group.includes('all')),
    tools,
    without: named('exclude_tools'),
    opened,
    readOnly: writeMode === 'read' || flags.includes(true),
    role: seat === null ? scope : capRole(seat.role, scope),
    proposing: writeMode === 'propose',
    bound: campaignId !== null,
    playersPropose: seat?.playersPropose ?? true,
    everyday: writeMode === 'propose' && toolPreset === null && asked.length + tools.length + modes.length === 0,
    compact: preset === 'compact' || modes.includes('compact'),
  }
}

function valuesOf(header: string | string[] | undefined): readonly string[] {
  if (header === undefined) return []
  return Array.isArray(header) ? header : [header]
}

function namesIn(text: string): readonly string[] {
  return text
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '')
}

function readTools(parameter: string, text: string, known: ReadonlyMap<string, unknown>): readonly string[] {
  const names = namesIn(text)
  const stranger = names.find((name) => !known.has(name))
  if (stranger === undefined) return names
  const near = nearest(stranger, [...known.keys()])
  const hint = near === null ? 'tools/list names them.' : `Did you mean ${near}?`
  throw invalid(parameter, 'not a tool', `There is no tool ${stranger.slice(0, 64)}. ${hint}`)
}

function readNames(text: string): readonly string[] {
  const names = namesIn(text)
  const stranger = names.find((name) => name !== 'all' && !known.has(name))
  if (stranger === undefined) return names
  throw invalid(
    'toolsets',
    'not a toolset or preset',
    `There is no toolset ${stranger.slice(0, 40)}. These are: ${[...known].join(', ')}.`,
  )
}

function readMode(text: string): 'compact' | 'full' {
  const mode = text.trim().toLowerCase()
  if (mode === 'compact' || mode === 'full') return mode
  throw invalid('mode', 'not compact or full', 'mode is compact or full.')
}

function readFlag(text: string): boolean {
  const flag = text.trim().toLowerCase()
  if (flag === '1' || flag === 'true') return true
  if (flag === '0' || flag === 'false') return false
  throw invalid('readonly', 'not 1 or 0', 'readonly is 1 or 0.')
}
