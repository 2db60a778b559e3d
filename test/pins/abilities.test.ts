import { expect, test } from 'vitest'
import { type Ability, abilities, abilitiesOf, doingsOf, kindsOfCampaigns } from '../support/abilities.ts'
import { walkLimitMs } from '../support/long.ts'
import { expectPinned } from '../support/pin.ts'
import { shareWorld } from '../support/shared-world.ts'

// What can be done with every kind of thing, and why what cannot be done cannot. test/domain/every-kind.test.ts does it.

const shared = shareWorld()

const people = ['member', 'invite']
const marks = ['charter_acknowledgement', 'safety_signal', 'support_preference', 'notification']
const parts = [
  'reputation_change',
  'purse',
  'purse_entry',
  'dice_roll',
  'check_request',
  'fog_stroke',
  'attendance',
  'rsvp',
]
const chosen = ['table_draw', 'session_share', 'proposal']
const undecided = chosen.filter((kind) => kind !== 'proposal')
const preparation = ['arc', 'beat', 'branch', 'table']
/** What stands on a map or in a fight is listed with it, short and whole. */
const onOthers = ['pin', 'map_token', 'combatant', 'encounter_event']

/** What an AI of this server did: kept by the program, in no journal, and read in lists of its own. */
const worked = ['scribe_run', 'ai_turn', 'model_call']
/** There is one in a campaign, made with the first word about it. */
const agreed = ['scribe_settings', 'ai_seat']

/** Why some kinds of things lack an ability, in groups. */
const reasons: readonly (readonly [ability: Ability, reason: string, kinds: readonly string[]])[] = [
  ['made', 'there is one for everybody who has coins, from the first coins on: adjust_treasury', ['purse']],
  ['made', 'set_map_token makes one where no tokenId is given', ['map_token']],
  ['made', 'set_session_attendance makes those that are not there yet', ['attendance']],
  ['made', 'there is one: update_charter makes it', ['charter']],
  ['made', 'raise_safety_signal, of which no journal is kept', ['safety_signal']],
  ['made', 'other changes make it; it is nobody’s history', ['notification']],
  [
    'changed',
    'it says what happened, once',
    ['reputation_change', 'purse_entry', 'table_draw', 'charter_acknowledgement'],
  ],
  ['changed', 'the strokes of a map are one field of it: set_map_fog puts others in their place', ['fog_stroke']],
  ['changed', 'set_rsvp is said again; its example is the first answer', ['rsvp']],
  ['changed', 'it stands or it does not', ['safety_signal']],
  ['changed', 'set_my_support_preference is said again; its example is the first', ['support_preference']],
  ['changed', 'only that it was read is noted, and that is nobody’s history', ['notification']],
  [
    'refused when stale',
    'nobody edits it: it is made, answered, taken back or counted',
    [...parts, ...marks, ...chosen, 'invite', 'inbox_item', 'encounter_event'],
  ],
  ['trashed and restored', 'what people may do is given and taken, and does not come back from a trash', people],
  ['trashed and restored', 'dice that fell have fallen', ['dice_roll']],
  ['trashed and restored', 'it is decided or withdrawn, and remains to be read', ['proposal']],
  ['trashed and restored', 'there is one, which is rewritten', ['charter']],
  ['trashed and restored', 'a person’s own word, which that person takes back', marks],
  [
    'with what it owns',
    'nothing stands only with it',
    [
      ...['campaign', 'objective', 'branch', 'npc', 'location', 'inventory_item', 'relation', 'timeline_event', 'note'],
      ...['inbox_item', 'attachment', 'table', 'rule_entry', 'reputation_change', 'purse_entry', 'dice_roll'],
      ...['check_request', 'fog_stroke', 'attendance', 'rsvp'],
      ...[...people, ...chosen, ...marks, ...onOthers],
    ],
  ],
  ['purged', 'it has no trash', [...people, 'dice_roll', 'proposal', 'charter', ...marks]],
  ['revisions', 'the journal keeps that a note changed, and none of its words', ['note']],
  [
    'revisions',
    'the journal names no person with it, or keeps nothing of it',
    ['safety_signal', 'support_preference', 'notification'],
  ],
  ['reverted', 'what people may do is changed by deciding anew', people],
  [
    'reverted',
    'what somebody said, agreed to or threw is not taken back by another',
    ['dice_roll', 'note', 'proposal', 'charter', ...marks],
  ],
  ['reverted', 'a fight has an undo of its own: undo_encounter_event', ['encounter_event']],
  ['hidden and revealed', 'only Dungeon Masters see it', [...preparation, 'invite', 'session_share']],
  [
    'hidden and revealed',
    'it is seen by whom it is about or was written for',
    ['note', 'inbox_item', 'proposal', ...marks],
  ],
  [
    'hidden and revealed',
    'it shows and hides with what it belongs to, or by who was to see it',
    [...parts, 'table_draw', 'encounter_event'],
  ],
  [
    'hidden and revealed',
    'the table plays with it in the open',
    ['campaign', 'member', 'character', 'session', 'game_night', 'charter'],
  ],
  [
    'found',
    'it has no words of its own',
    [...people, 'purse', 'dice_roll', 'attendance', 'rsvp', 'map_token', ...marks],
  ],
  [
    'found',
    'its few words are read where it belongs',
    ['reputation_change', 'purse_entry', 'check_request', 'relation', 'fog_stroke', 'encounter_event', 'session_share'],
  ],
  ['found', 'it is where one searches', ['campaign']],
  ['found', 'proposals are a list of their own, and no part of the tale', ['proposal']],
  [
    'mentioned',
    'it stands inside of something that can be mentioned',
    [...parts, 'objective', 'arc', 'beat', 'branch', ...onOthers, 'table_draw', 'session_share', 'relation'],
  ],
  [
    'mentioned',
    'it is about the table, or somebody’s own',
    [
      'campaign',
      ...people,
      'note',
      'inbox_item',
      'game_night',
      'encounter',
      'attachment',
      'proposal',
      'charter',
      ...marks,
    ],
  ],
  ['heard of', 'a signal is heard of by get_campaign, as no event names a row of it', ['safety_signal']],
  ['heard of', 'only its person is told, by an event of their own', ['notification']],
  [
    'brief lists',
    'its rows are short',
    ['campaign', ...people, ...parts, ...onOthers, ...undecided, ...marks, 'relation', 'attachment', 'charter'],
  ],
  [
    'lists by words',
    'there are few of it, or it is read by what it belongs to',
    ['campaign', ...people, ...parts, ...onOthers, ...undecided, ...marks, 'relation', 'attachment', 'charter'],
  ],
  [
    'travels',
    'users of one server are not users of another',
    [...people, 'charter_acknowledgement', 'safety_signal', 'support_preference', 'notification'],
  ],
  ['travels', 'what waits is decided where it was asked for', ['proposal']],
  ['travels', 'an address of one server', ['session_share']],
  ['made', 'there is one: update_ai_seat makes it, whose example changes it', ['ai_seat']],
  ['made', 'the program keeps it while it works; it is in no journal', worked],
  ['changed', 'the program keeps it while it works; it is in no journal', worked],
  ['changed', 'update_scribe_settings is said again; its example is the first', ['scribe_settings']],
  ['refused when stale', 'nobody edits it: the program does', worked],
  [
    'refused when stale',
    'the example is the first word about it, of which there is no revision yet',
    ['scribe_settings'],
  ],
  ['trashed and restored', 'it says what an AI did and cost, which nobody takes away', worked],
  ['trashed and restored', 'there is one, which is rewritten', agreed],
  ['trashed and restored', 'an address is ended, and a new one made', ['display']],
  ['with what it owns', 'nothing stands only with it', [...worked, ...agreed, 'display']],
  ['purged', 'it has no trash', [...worked, ...agreed, 'display']],
  ['revisions', 'the program keeps it while it works; it is in no journal', worked],
  ['reverted', 'what an AI may do, and what a screen shows, is decided anew', [...agreed, 'display']],
  ['reverted', 'what was done is reverted, not the record of it', worked],
  [
    'hidden and revealed',
    'it is about the table and its AI, seen by whom that concerns',
    [...worked, ...agreed, 'display'],
  ],
  ['found', 'it is no part of the tale', [...worked, ...agreed, 'display']],
  ['mentioned', 'it is no part of the tale', [...worked, ...agreed, 'display']],
  ['heard of', 'how far the work is is told by an event of its own', worked],
  ['brief lists', 'its rows are short, or there is one', [...worked, ...agreed, 'display']],
  ['lists by words', 'there are few of it, or it is read by what it belongs to', [...worked, ...agreed, 'display']],
  ['travels', 'it says what an AI of this server did', worked],
  ['travels', 'who sits at another table a person decides there', ['ai_seat']],
  ['travels', 'an address of one server', ['display']],
]

test(
  'is pinned, with a reason for whatever is missing',
  { timeout: walkLimitMs },
  shared.owned(async (world) => {
    const doings = await doingsOf(world)
    const reasonFor = (kind: string, ability: Ability): string | undefined =>
      reasons.find(([of, , kinds]) => of === ability && kinds.includes(kind))?.[1]
    const lines = kindsOfCampaigns.flatMap((entity) => {
      const there = abilitiesOf(entity, doings)
      return abilities.map(
        (ability) => `${entity.name}\t${ability}\t${there[ability] ?? `- ${reasonFor(entity.name, ability)}`}`,
      )
    })
    expectPinned('abilities.tsv', lines)
    const wanting = lines.filter((line) => line.endsWith('\t- undefined'))
    expect(wanting, 'give each a reason, or the ability').toEqual([])
    const needless = reasons.flatMap(([ability, , kinds]) =>
      kinds.filter((kind) => {
        const entity = kindsOfCampaigns.find(({ name }) => name === kind)
        return entity === undefined || abilitiesOf(entity, doings)[ability] !== null
      }),
    )
    expect(needless, 'these have it').toEqual([])
  }),
)
