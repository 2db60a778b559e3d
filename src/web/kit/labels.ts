import type {
  ArcStatus,
  BeatStatus,
  CampaignStatus,
  Discovery,
  Disposition,
  NoteVisibility,
  NpcStatus,
  OperationName,
  QuestStatus,
  Role,
} from '../api/contract.ts'
import { allKinds, entityLabel } from '../kinds.ts'

/** The words people read for the words that machines use. */

export const roles: Readonly<Record<Role, string>> = { dm: 'Dungeon Master', player: 'Player', viewer: 'Guest' }

export const questStatuses: Readonly<Record<QuestStatus, string>> = {
  available: 'Available',
  active: 'Active',
  on_hold: 'On hold',
  completed: 'Completed',
  failed: 'Failed',
  abandoned: 'Abandoned',
}

export const arcStatuses: Readonly<Record<ArcStatus, string>> = {
  planned: 'To come',
  active: 'Active',
  resolved: 'Told to its end',
  dropped: 'Dropped',
}

export const beatStatuses: Readonly<Record<BeatStatus, string>> = {
  planned: 'To come',
  active: 'Now',
  done: 'Told',
  skipped: 'Not taken',
}

export const dispositions: Readonly<Record<Disposition, string>> = {
  hostile: 'Hostile',
  unfriendly: 'Unfriendly',
  neutral: 'Neutral',
  friendly: 'Friendly',
  allied: 'Allied',
}

export const npcStatuses: Readonly<Record<NpcStatus, string>> = {
  alive: 'Alive',
  dead: 'Dead',
  missing: 'Missing',
  unknown: 'Nobody knows',
}

export const discoveries: Readonly<Record<Discovery, string>> = {
  unknown: 'Unknown',
  rumoured: 'Rumoured',
  discovered: 'Discovered',
  explored: 'Explored',
}

export const campaignStatuses: Readonly<Record<CampaignStatus, string>> = {
  planning: 'Planning',
  active: 'Active',
  paused: 'Paused',
  completed: 'Completed',
  archived: 'Archived',
}

export const visibilities: Readonly<Record<NoteVisibility, string>> = {
  private: 'Only you',
  dm: 'You and the DM',
  party: 'Everyone at the table',
  whisper: 'A whisper',
}

const fields: Readonly<Record<string, string>> = {
  name: 'Name',
  title: 'Title',
  body: 'Description',
  description: 'Description',
  text: 'Step',
  status: 'State',
  role: 'Who they are',
  species: 'Species',
  voice: 'Voice',
  disposition: 'Towards the party',
  locationId: 'Place',
  parentLocationId: 'Lies within',
  parentQuestId: 'Part of',
  giverNpcId: 'Given by',
  factionId: 'Belongs to',
  arcId: 'Arc',
  questId: 'Quest',
  sessionId: 'Session',
  beatId: 'Beat',
  toBeatId: 'Leads to',
  label: 'What they do',
  condition: 'What it takes',
  summary: 'What it is about',
  portraitAttachmentId: 'Portrait',
  imageAttachmentId: 'Picture',
  coverAttachmentId: 'Cover',
  reward: 'Reward',
  dmSecret: 'Secret',
  ownerUserId: 'Played by',
  className: 'What they are',
  hpMax: 'Hit points at most',
  hp: 'Hit points',
  hpTemp: 'Temporary hit points',
  ac: 'Armour',
  lifeState: 'How they live',
  hidden: 'Hidden from players',
  tags: 'Tags',
  kind: 'Kind',
  discovery: 'Known to the party',
  recap: 'Recap',
  prep: 'Preparation',
  playedAt: 'Played on',
  number: 'Number',
  optional: 'Optional',
  done: 'Done',
  reason: 'Why',
  visibility: 'Who may read it',
  aiContentPolicy: 'Notes and outside AI',
  playersPropose: 'Players may propose',
  hidesNewThings: 'New things begin hidden',
  tone: 'What kind of tale it is',
  lines: 'Lines',
  veils: 'Veils',
  houseRules: 'How we play',
  safetyTools: 'What we may use',
}

/** `dmSecret` -> `Secret`, `rewardCoins` -> `Reward coins`. */
export function fieldLabel(name: string): string {
  const known = fields[name]
  if (known) return known
  const spaced = name.replace(/Id$/, '').replace(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`)
  return spaced.charAt(0).toUpperCase() + spaced.slice(1)
}

const valueWords: Readonly<Record<string, string>> = {
  ...arcStatuses,
  ...beatStatuses,
  ...questStatuses,
  ...dispositions,
  ...npcStatuses,
  ...discoveries,
  ...campaignStatuses,
}

/** A value of a change as words; text stays text. */
export function valueLabel(value: unknown): string {
  if (value === null || value === undefined || value === '') return ''
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  if (Array.isArray(value)) return value.map(valueLabel).join(', ')
  if (typeof value === 'object') {
    const parts = Object.entries(value).map(([field, part]) => [fieldLabel(field), valueLabel(part)] as const)
    return parts.flatMap(([field, word]) => (word === '' ? [] : [`${field}: ${word}`])).join('; ')
  }
  const text = String(value)
  return valueWords[text] ?? text
}

/** What somebody does by an operation, as the rest of a sentence that begins with their name. */
const deeds: Readonly<Partial<Record<OperationName, string>>> = {
  set_quest_status: 'moves a quest on',
  set_objective_done: 'ticks a step',
  set_arc_status: 'moves an arc on',
  set_beat_status: 'moves a beat on',
  take_branch: 'says what the party chose',
  reorder_objectives: 'reorders the steps',
  set_npc_disposition: 'changes how a person feels about the party',
  set_location_discovery: 'changes what the party knows of a place',
  move_location: 'moves a place',
  publish_session_recap: 'writes a recap',
  approve_proposals: 'takes proposals',
  reject_proposals: 'declines proposals',
  reveal_entity: 'shows something to the players',
  hide_entity: 'hides something from the players',
  restore_from_trash: 'brings something back from the trash',
  purge_from_trash: 'deletes something for good',
  restore_revision: 'brings back an earlier version',
  revert_change: 'undoes a change',
  update_campaign_settings: 'changes the settings',
  set_campaign_status: 'changes the state of the campaign',
  set_my_ai_consent: 'decides about outside AI and their notes',
  add_member: 'brings in a member',
  remove_member: 'takes a member off the table',
  leave_campaign: 'leaves',
  accept_invite: 'joins',
  revoke_invite: 'takes an invitation back',
  send_whisper: 'whispers',
  submit_inbox_item: 'leaves a note for the DM',
  create_proposal: 'hands in a proposal',
  acknowledge_charter: 'has read the charter',
  raise_safety_signal: 'asks to stop',
  clear_safety_signal: 'lets the table go on',
  set_my_support_preference: 'says what helps them at the table',
  delete_my_support_preference: 'takes back what helps them at the table',
  create_display: 'opens a display',
  update_display: 'changes a display',
  revoke_display: 'takes a display back',
  create_session_share: 'shares a recap',
  revoke_session_share: 'ends a shared recap',
}

/** For what has no words of its own: the verb that an operation begins with. */
const verbs: Readonly<Record<string, string>> = {
  create: 'adds a',
  update: 'changes a',
  delete: 'moves to the trash a',
  start: 'begins a',
  end: 'ends a',
  reorder: 'reorders the',
  restore: 'brings back a',
  move: 'moves a',
  set: 'sets a',
  resolve: 'settles a',
  reopen: 'reopens a',
  withdraw: 'takes back a',
  revise: 'rewrites a',
}

/** What somebody does by an operation; the words for one that this page is too old to know are made from its name. */
export function operationLabel(operation: string): string {
  const known = deeds[operation as OperationName]
  if (known) return known
  const cut = operation.indexOf('_')
  const verb = verbs[operation.slice(0, cut)] ?? operation.slice(0, cut)
  const joined = `${verb} ${nounLabel(operation.slice(cut + 1))}`
  return joined.replace(/ a ([aeiou])/, ' an $1')
}

/** `Create NPC` -> `Adds a person`, `2 changes: create NPC, update quest` -> `2 changes: adds a person, changes a quest`. */
export function proposalTitle(title: string): string {
  const deedOf = (operation: string): string => {
    const name = operation.toLowerCase().replaceAll(' ', '_')
    const isKnown = name in deeds || name.slice(0, name.indexOf('_')) in verbs
    return isKnown && !operation.endsWith('…') ? operationLabel(name) : operation
  }
  const [, head = '', list = title] = /^(\d+ changes: )(.*)$/.exec(title) ?? []
  const words = list.split(', ').map(deedOf).join(', ')
  return head + (head === '' ? words.charAt(0).toUpperCase() + words.slice(1) : words)
}

/** `npc` -> `person`, `npcs` -> `people`. */
function nounLabel(noun: string): string {
  return allKinds.find(({ list }) => list === `list_${noun}`)?.many ?? entityLabel(noun)
}
