import type { IncomingHttpHeaders } from 'node:http'
import { invalid } from '../kernel/errors.ts'
import { type AnyOperation, toolsets } from '../kernel/operation.ts'
import type { Actor } from '../kernel/viewer.ts'

/** What one request wants to see of the catalogue. It narrows the list; who may do what is decided by `execute` alone. */
export interface Selection {
  /** A tool is listed when each group holds a name of its toolset or of a preset that has it. */
  readonly groups: readonly (readonly string[])[]
  /** Lists reads only, and refuses every other call. */
  readonly readOnly: boolean
  /** Lists only what scope `viewer` could call anywhere. */
  readonly viewer: boolean
  /** Three tools stand for all that is listed. */
  readonly compact: boolean
}

type Selectable = Pick<AnyOperation, 'name' | 'toolset' | 'access' | 'effect' | 'viewerMay'>

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

export const presets: Readonly<Record<string, ReadonlySet<string>>> = { player, session, 'dm-core': dmCore }

function names(text: string): ReadonlySet<string> {
  return new Set(text.trim().split(/\s+/))
}

const known: ReadonlySet<string> = new Set([...toolsets, ...Object.keys(presets)])

export function isSelected({ groups, readOnly, viewer }: Selection, operation: Selectable): boolean {
  if (readOnly && operation.effect !== 'read') return false
  if (viewer && !isOpenToViewers(operation)) return false
  return groups.every((group) => group.some((name) => name === operation.toolset || presets[name]?.has(operation.name)))
}

/** A scope caps the role in every campaign (SPEC 5.4), so what asks for more than a viewer always refuses this one. */
function isOpenToViewers({ access, effect, viewerMay }: Selectable): boolean {
  if (effect !== 'read' && viewerMay !== true) return false
  return access === 'public' || access === 'user' || access === 'viewer'
}

/**
 * Reads `?toolsets=`, `?readonly=` and `?mode=`, and the headers `X-MCP-Toolsets`, `X-MCP-Readonly` and `X-MCP-Mode`;
 * given twice they narrow twice. A credential that may only read counts as read-only, one that opens some toolsets
 * narrows to them. Throws `validation_failed` on a name that is not known: a misspelt toolset must not look like a
 * server without tools.
 */
export function selectionOf(url: URL, headers: IncomingHttpHeaders, actor: Actor): Selection {
  const asked = [...url.searchParams.getAll('toolsets'), ...valuesOf(headers['x-mcp-toolsets'])]
  const flags = [...url.searchParams.getAll('readonly'), ...valuesOf(headers['x-mcp-readonly'])].map(readFlag)
  const groups = asked.map(readNames).filter((group) => group.length > 0 && !group.includes('all'))
  const modes = [...url.searchParams.getAll('mode'), ...valuesOf(headers['x-mcp-mode'])].map(readMode)
  const { toolsets: opened, scope, writeMode } = actor.credential
  return {
    groups: opened === null ? groups : [...groups, opened],
    readOnly: writeMode === 'read' || flags.includes(true),
    viewer: scope === 'viewer',
    compact: modes.includes('compact'),
  }
}

function valuesOf(header: string | string[] | undefined): readonly string[] {
  if (header === undefined) return []
  return Array.isArray(header) ? header : [header]
}

function readNames(text: string): readonly string[] {
  const names = text
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '')
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
