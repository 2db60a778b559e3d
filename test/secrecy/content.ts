import { crc32, deflateSync } from 'node:zlib'
import type { Person, TestWorld } from '../support/world.ts'
import { type CanaryName, wordOf } from './canaries.ts'
import { askTheSeat } from './content-ai.ts'

type Input = Readonly<Record<string, unknown>>

/** What everybody sees, with secret fields, and private texts of player and viewer. What secrets hang on is named `canary`. */
export async function addOpenThings(world: TestWorld): Promise<void> {
  const campaignId = world.id('campaign')
  const { as, userId } = world
  const make = async (person: Person, operation: string, input: Input): Promise<number> =>
    (await as(person, operation, { campaignId, ...input })).id
  // As every table begins: nobody has agreed to anything.
  for (const person of ['player', 'otherPlayer'] as const)
    await as(person, 'set_my_ai_consent', { campaignId, consent: false })
  await as('dm', 'update_campaign', { campaignId, description: wordOf('campaign description') })
  const quest = await make('dm', 'create_quest', {
    title: 'A lantern in the orchard',
    body: wordOf('quest body'),
    status: 'active',
    tags: ['lantern'],
    dmSecret: wordOf('quest dmSecret'),
  })
  await as('dm', 'create_objective', { questId: quest, text: wordOf('objective text') })
  const location = await make('dm', 'create_location', {
    name: 'The lamp room',
    body: wordOf('location body'),
    dmSecret: `${wordOf('location dmSecret')} [the quest](quest:${quest})`,
  })
  await make('dm', 'create_homebrew', {
    kind: 'creature',
    name: 'Lantern moth',
    body: wordOf('homebrew body'),
    dmSecret: wordOf('homebrew dmSecret'),
  })
  const rows = [{ text: wordOf('draw for the party') }]
  const tableId = await make('dm', 'create_random_table', { name: 'What the lamp shows', rows })
  await as('dm', 'roll_random_table', { tableId, visibility: 'party' })
  await askTheSeat(world, campaignId)
  const faction = await make('dm', 'create_faction', {
    name: 'The lamplighters',
    goals: wordOf('faction goals'),
    dmSecret: `${wordOf('faction dmSecret')} [the quest](quest:${quest})`,
    tags: ['lantern'],
  })
  const because = wordOf('reason of a reputation')
  await as('dm', 'adjust_faction_reputation', { factionId: faction, delta: 5, reason: because })
  const npc = await make('dm', 'create_npc', {
    name: 'The lamplighter',
    factionId: faction,
    body: `${wordOf('npc body')} [the room](location:${location})`,
    locationId: location,
    dmSecret: `${wordOf('npc dmSecret')} [the quest](quest:${quest})`,
    tags: ['lantern'],
  })
  await make('dm', 'create_relation', {
    fromType: 'npc',
    fromId: npc,
    toType: 'faction',
    toId: faction,
    label: wordOf('label of a relation'),
    inverseLabel: wordOf('other half of a relation'),
    inverseLabelHidden: true,
  })
  const session = await make('dm', 'create_session', {
    title: 'The lamp goes out',
    status: 'played',
    prep: wordOf('session prep'),
    dmSecret: wordOf('session dmSecret'),
  })
  await as('dm', 'publish_session_recap', { sessionId: session, recap: wordOf('recap') })
  const timelineEvent = await make('dm', 'create_timeline_event', {
    title: 'The lamp goes out in the orchard',
    worldDate: '412-2-7',
    body: wordOf('event body'),
    sessionId: session,
    dmSecret: `${wordOf('event dmSecret')} [the quest](quest:${quest})`,
  })
  const sheet = await make('dm', 'create_attachment', {
    fileName: 'valley.png',
    contentBase64: pictureWith('plain valley').toString('base64'),
    hidden: true,
  })
  const map = await make('dm', 'create_map', {
    name: 'The lamp valley',
    attachmentId: sheet,
    body: wordOf('map body'),
    dmSecret: `${wordOf('map dmSecret')} [the quest](quest:${quest})`,
    fogEnabled: true,
  })
  await as('dm', 'set_map_fog', { mapId: map, reveal: [{ x: 0, y: 0, width: 0.5, height: 1 }] })
  await as('dm', 'create_map_pin', { mapId: map, x: 0.2, y: 0.2, label: wordOf('pin label') })
  await as('dm', 'set_map_token', { mapId: map, x: 0.3, y: 0.3, label: wordOf('token label') })
  const notes = wordOf('game night notes')
  const gameNightId = await make('dm', 'create_game_night', { startsAt: '2026-12-18T18:00:00Z', notes })
  await as('player', 'set_rsvp', { gameNightId, answer: 'yes', note: wordOf('word with an answer') })
  await attach(world, 'coDm', 'lamp.png', wordOf('open attachment metadata'), { caption: wordOf('attachment caption') })

  await as('dm', 'update_charter', { campaignId, houseRules: wordOf('house rules') })
  const wish = { campaignId, text: wordOf('wish of player'), sharedWithDm: false, aiUseAllowed: false }
  await as('player', 'set_my_support_preference', wish)
  const about = { entityType: 'npc', entityId: npc }
  await make('player', 'create_note', { body: wordOf('party note'), visibility: 'party', ...about })
  await make('player', 'create_note', { body: wordOf('private note of player'), visibility: 'private' })
  await make('player', 'create_note', { body: wordOf('note to the DM of player'), visibility: 'dm' })
  await make('player', 'send_whisper', {
    recipientUserId: userId.otherPlayer,
    body: wordOf('whisper between players'),
  })
  await make('player', 'send_whisper', { recipientUserId: userId.viewer, body: wordOf('whisper to the viewer') })
  await make('player', 'submit_inbox_item', { body: wordOf('inbox of player'), ...about })
  await make('player', 'create_proposal', {
    changes: [{ operation: 'create_npc', input: { name: wordOf('proposal of player') } }],
  })
  await attach(world, 'player', `${wordOf('own hidden attachment')}.png`, 'plain', { hidden: true })
  const character = await make('player', 'create_character', {
    name: 'The lamp carrier',
    level: 2,
    hpMax: 12,
    body: `${wordOf('character body')} [the room](location:${location})`,
    notes: wordOf('notes of player on a character'),
  })
  await as('dm', 'update_character', { characterId: character, dmSecret: wordOf('character dmSecret') })
  const lamp = { name: 'A lamp', characterId: character, notes: wordOf('notes on an item') }
  await make('dm', 'create_inventory_item', { ...lamp, dmSecret: wordOf('item dmSecret') })
  await as('player', 'adjust_treasury', { campaignId, delta: { gp: 5 }, reason: wordOf('reason in the ledger') })
  await as('player', 'roll_dice', { campaignId, expression: '2d6', label: wordOf('label of a roll') })
  const between = { visibility: 'dm', label: wordOf('roll of player and the DM') }
  await as('player', 'roll_dice', { campaignId, expression: '2d6', ...between })
  const ask = { campaignId, characterIds: [character], checkId: 'skill.perception' }
  await as('dm', 'request_check', { ...ask, reason: wordOf('reason of a request to roll') })
  await as('dm', 'request_check', { ...ask, secret: true, reason: wordOf('secret request of player') })
  const encounter = await make('dm', 'create_encounter', {
    name: 'The lamp falls',
    body: wordOf('fight body'),
    dmSecret: `${wordOf('fight dmSecret')} [the quest](quest:${quest})`,
    questId: quest,
  })
  const cry = { key: 'cry', name: wordOf('action that was used') }
  const fallen = {
    kind: 'monster',
    name: wordOf('combatant name'),
    hpMax: 30,
    ac: 14,
    notes: wordOf('combatant notes'),
  }
  const block = { says: wordOf('stat block'), actions: [cry] }
  const { id: combatant } = await as('dm', 'add_combatant', { encounterId: encounter, ...fallen, statblock: block })
  await as('dm', 'begin_encounter', { encounterId: encounter })
  await as('dm', 'use_combatant_action', { combatantId: combatant, action: 'cry' })
  // Behind the first turn nobody who comes in late acts at once.
  await as('dm', 'next_turn', { encounterId: encounter })
  const fought = { encounter, combatant }
  const named = { ...fought, quest, npc, location, faction, session, timeline_event: timelineEvent, map, character }
  for (const [entity, id] of Object.entries(named)) world.name(id, entity, 'canary')
}

/** Everything that neither the player nor the viewer may notice. It is made last, so that no id before it is another one. */
export async function addHiddenThings(world: TestWorld): Promise<void> {
  await hiddenThings(world)
  await textsOfOthers(world)
  await whatWas(world)
  await otherCampaigns(world)
}

async function hiddenThings(world: TestWorld): Promise<void> {
  const campaignId = world.id('campaign')
  const [quest, location] = [world.id('quest', 'canary'), world.id('location', 'canary')]
  const make = async (operation: string, input: Input): Promise<number> => {
    const isBelow = operation === 'create_beat' || operation === 'create_branch'
    return (await world.as('dm', operation, { ...(isBelow ? {} : { campaignId }), ...input })).id
  }
  const aboutOpen = `[the quest](quest:${quest}) [the room](location:${location})`
  const hiddenQuest = await make('create_quest', {
    title: `${wordOf('hidden quest title')} lantern orchard`,
    body: `${wordOf('hidden quest body')} ${aboutOpen}`,
    reward: wordOf('hidden quest reward'),
    dmSecret: wordOf('hidden quest dmSecret'),
    status: 'active',
    parentQuestId: quest,
    locationId: location,
    hidden: true,
    tags: [wordOf('hidden quest tag'), 'lantern'],
  })
  const objective = (questId: number, text: CanaryName, hidden: boolean) =>
    world.as('dm', 'create_objective', { questId, text: wordOf(text), hidden })
  await objective(quest, 'hidden objective', true)
  await objective(hiddenQuest, 'objective of hidden quest', false)
  const place = { parentLocationId: location, body: `${wordOf('hidden location body')} ${aboutOpen}` }
  await make('create_location', {
    ...place,
    name: wordOf('hidden location name'),
    kind: wordOf('hidden location kind'),
    hidden: true,
    tags: [wordOf('hidden location tag'), 'lantern'],
  })
  await make('create_location', {
    ...place,
    name: wordOf('unknown location name'),
    body: wordOf('unknown location body'),
    discovery: 'unknown',
  })
  const faction = await make('create_faction', {
    name: `${wordOf('hidden faction name')} lantern orchard`,
    kind: wordOf('hidden faction kind'),
    goals: `${wordOf('hidden faction goals')} ${aboutOpen}`,
    hidden: true,
    tags: [wordOf('hidden faction tag'), 'lantern'],
  })
  await make('create_timeline_event', {
    title: `${wordOf('hidden event title')} lantern orchard`,
    worldDate: '412-2-11',
    era: wordOf('hidden event era'),
    body: `${wordOf('hidden event body')} ${aboutOpen}`,
    hidden: true,
  })
  await make('create_inventory_item', {
    name: `${wordOf('hidden item name')} lantern orchard`,
    characterId: world.id('character', 'canary'),
    notes: `${wordOf('hidden item notes')} ${aboutOpen}`,
    hidden: true,
  })
  const sealed = { visibility: 'secret', label: wordOf('sealed roll of the DM') }
  const labelled = `2d6 [${wordOf('sealed expression of the DM')}]`
  await world.as('dm', 'roll_dice', { campaignId, expression: labelled, ...sealed })
  const because = wordOf('reason of a hidden reputation')
  await world.as('dm', 'adjust_faction_reputation', { factionId: faction, delta: -5, reason: because })
  const hiddenNpc = await make('create_npc', {
    factionId: faction,
    name: `${wordOf('hidden npc name')} lantern orchard`,
    role: wordOf('hidden npc role'),
    species: wordOf('hidden npc species'),
    voice: wordOf('hidden npc voice'),
    body: `${wordOf('hidden npc body')} ${aboutOpen}`,
    dmSecret: wordOf('hidden npc dmSecret'),
    locationId: location,
    hidden: true,
    tags: [wordOf('hidden npc tag'), 'lantern'],
  })
  await make('create_encounter', { name: `${wordOf('planned fight name')} lantern orchard`, questId: quest })
  const fight = { body: `${wordOf('hidden fight body')} ${aboutOpen}`, hidden: true }
  const encounterId = await make('create_encounter', { ...fight, name: `${wordOf('hidden fight name')} lantern` })
  const foe = { kind: 'monster', hpMax: 9, name: `${wordOf('hidden combatant name')} lantern orchard` }
  await world.as('dm', 'add_combatant', { encounterId, ...foe })
  await world.as('dm', 'begin_encounter', { encounterId })
  const leap = { key: 'leap', name: wordOf('hidden combatant action') }
  const lurking = { ...foe, hidden: true, statblock: { actions: [leap] }, encounterId: world.id('encounter', 'canary') }
  const { id: combatantId } = await world.as('dm', 'add_combatant', lurking)
  const open = world.id('combatant', 'canary')
  await world.as('dm', 'use_combatant_action', { combatantId, action: 'leap', targetIds: [open] })
  const add = [{ key: wordOf('hidden combatant condition') }]
  await world.as('dm', 'set_combatant_conditions', { combatantId, add })
  await make('create_homebrew', {
    kind: 'rule',
    name: `${wordOf('hidden homebrew name')} lantern orchard`,
    body: `${wordOf('hidden homebrew body')} ${aboutOpen}`,
    hidden: true,
  })
  const rows = [{ text: `${wordOf('draw for the DM')} lantern`, more: wordOf('table line') }]
  const tableId = await make('create_random_table', { name: `${wordOf('table name')} lantern orchard`, rows })
  await world.as('dm', 'roll_random_table', { tableId })
  const arcId = await make('create_arc', {
    title: `${wordOf('arc title')} lantern orchard`,
    summary: `${wordOf('arc summary')} ${aboutOpen}`,
  })
  const beatId = await make('create_beat', {
    arcId,
    title: `${wordOf('beat title')} lantern orchard`,
    body: `${wordOf('beat body')} ${aboutOpen}`,
    dmSecret: wordOf('beat dmSecret'),
    status: 'active',
    questId: quest,
    locationId: location,
    sessionId: world.id('session', 'canary'),
  })
  const way = { label: `${wordOf('branch label')} lantern`, condition: wordOf('branch condition') }
  await make('create_branch', { beatId, ...way })
  const bond = (to: object, label: CanaryName, more: object) =>
    make('create_relation', {
      fromType: 'npc',
      fromId: world.id('npc', 'canary'),
      ...to,
      label: wordOf(label),
      ...more,
    })
  await bond({ toType: 'quest', toId: quest }, 'label of a hidden relation', { hidden: true })
  const toHidden = { inverseLabel: wordOf('label from a hidden npc') }
  await bond({ toType: 'npc', toId: hiddenNpc }, 'label towards a hidden npc', toHidden)
  const mapId = world.id('map', 'canary')
  const pin = (on: number, label: CanaryName, values: Input) =>
    world.as('dm', 'create_map_pin', { mapId: on, x: 0.2, y: 0.4, label: `${wordOf(label)} lantern`, ...values })
  await pin(mapId, 'hidden pin', { hidden: true })
  await pin(mapId, 'pin under fog', { x: 0.8 })
  await pin(mapId, 'pin of a hidden npc', { entityType: 'npc', entityId: hiddenNpc })
  const hiddenMap = await make('create_map', {
    name: wordOf('hidden map name'),
    attachmentId: world.id('attachment', 'map'),
    locationId: location,
    hidden: true,
  })
  await pin(hiddenMap, 'pin on a hidden map', { entityType: 'map', entityId: mapId })
  const token = (label: CanaryName, values: Input) =>
    world.as('dm', 'set_map_token', { mapId, x: 0.2, y: 0.6, label: wordOf(label), ...values })
  await token('hidden token', { hidden: true })
  await token('token under fog', { x: 0.8 })
  await attach(world, 'coDm', `${wordOf('hidden attachment name')}.png`, wordOf('hidden attachment bytes'), {
    caption: wordOf('hidden attachment caption'),
    hidden: true,
  })
  await attach(world, 'dm', `${wordOf('hidden attachment of the DM')}.png`, 'plain', { hidden: true })
}

async function textsOfOthers({ as, id, userId }: TestWorld): Promise<void> {
  const campaignId = id('campaign')
  const [npc, quest] = [id('npc', 'canary'), id('quest', 'canary')]
  const make = async (person: Person, operation: string, input: Input): Promise<number> =>
    (await as(person, operation, { campaignId, ...input })).id
  const note = (person: Person, name: CanaryName, visibility: string) =>
    make(person, 'create_note', { body: wordOf(name), visibility, entityType: 'npc', entityId: npc })
  await note('otherPlayer', 'private note of otherPlayer', 'private')
  await note('dm', 'private note of the DM', 'private')
  await note('otherPlayer', 'note to the DM of otherPlayer', 'dm')
  const whisper = (person: Person, to: Person, name: CanaryName) =>
    make(person, 'send_whisper', { recipientUserId: userId[to], body: wordOf(name) })
  await whisper('dm', 'otherPlayer', 'whisper of the DM')
  await whisper('otherPlayer', 'coDm', 'whisper past the DM')

  const between = { visibility: 'dm', label: wordOf('roll of otherPlayer and the DM') }
  await as('otherPlayer', 'roll_dice', { campaignId, expression: '2d6', ...between })
  const asked = { campaignId, characterIds: [id('character', 'other')], checkId: 'skill.insight', secret: true }
  await as('dm', 'request_check', { ...asked, reason: wordOf('secret request of otherPlayer') })

  const inboxItemId = await make('otherPlayer', 'submit_inbox_item', { body: wordOf('inbox of otherPlayer') })
  await as('dm', 'resolve_inbox_item', { inboxItemId, resolution: wordOf('inbox resolution') })
  const ask = (person: Person, input: Input, reason?: string) =>
    make(person, 'create_proposal', {
      changes: [{ operation: 'update_quest', input: { questId: quest, ...input } }],
      ...(reason === undefined ? {} : { reason }),
    })
  const proposed = await ask(
    'otherPlayer',
    { body: wordOf('proposal of otherPlayer') },
    wordOf('proposal reason of otherPlayer'),
  )
  await as('dm', 'reject_proposals', { campaignId, proposalIds: [proposed], note: wordOf('decision on otherPlayer') })
  await ask('dm', { dmSecret: wordOf('proposal of the DM') })
  await as('dm', 'create_invite', { campaignId })
  const wish = { text: wordOf('wish of otherPlayer for the DM'), sharedWithDm: true, aiUseAllowed: false }
  await as('otherPlayer', 'set_my_support_preference', { campaignId, ...wish })
  const shared = { label: wordOf('label of a shared recap'), expiresAt: '2026-12-24T18:00:00Z' }
  await as('dm', 'create_session_share', { sessionId: id('session', 'canary'), ...shared })
  await as('dm', 'create_display', { campaignId, label: wordOf('label of a display') })
}

async function whatWas(world: TestWorld): Promise<void> {
  const { as, userId, callers } = world
  const campaignId = world.id('campaign')
  const make = async (person: Person, operation: string, input: Input): Promise<number> =>
    (await as(person, operation, { campaignId, ...input })).id
  const changed = await make('dm', 'create_npc', {
    name: 'One who was another',
    body: wordOf('earlier npc body'),
    dmSecret: wordOf('earlier npc dmSecret'),
    hidden: true,
  })
  await as('dm', 'update_npc', { npcId: changed, body: 'Nothing.', dmSecret: null })
  await callers.dm.request(
    'PATCH',
    `/api/v1/npcs/${changed}`,
    { voice: 'Hoarse.' },
    { 'x-reason': wordOf('reason of a change') },
  )
  const rewritten = await make('otherPlayer', 'create_note', {
    body: wordOf('earlier note to the DM'),
    visibility: 'dm',
  })
  await as('otherPlayer', 'update_note', { noteId: rewritten, body: 'Something else.' })

  const trashedNpc = await make('dm', 'create_npc', {
    name: wordOf('trashed npc name'),
    dmSecret: wordOf('trashed npc dmSecret'),
    hidden: true,
  })
  await as('dm', 'delete_npc', { npcId: trashedNpc })
  const trashedQuest = await make('dm', 'create_quest', { title: 'Never begun', hidden: true })
  await as('dm', 'create_objective', { questId: trashedQuest, text: wordOf('trashed objective') })
  await as('dm', 'delete_quest', { questId: trashedQuest })
  const dropNote = async (person: Person, noteId: number) => as(person, 'delete_note', { noteId })
  const note = (name: CanaryName, visibility: string) =>
    make('otherPlayer', 'create_note', { body: wordOf(name), visibility })
  await dropNote('otherPlayer', await note('trashed party note', 'party'))
  await dropNote('otherPlayer', await note('trashed private note', 'private'))
  const recipientUserId = userId.coDm
  const whispered = await make('otherPlayer', 'send_whisper', { recipientUserId, body: wordOf('trashed whisper') })
  await dropNote('otherPlayer', whispered)
  const inboxItemId = await make('otherPlayer', 'submit_inbox_item', { body: wordOf('trashed inbox item') })
  await as('otherPlayer', 'delete_inbox_item', { inboxItemId })
}

async function otherCampaigns({ as, id }: TestWorld): Promise<void> {
  const foreign = id('campaign', 'foreign')
  await as('outsider', 'update_campaign', { campaignId: foreign, description: wordOf('foreign campaign') })
  await as('outsider', 'create_npc', { campaignId: foreign, name: wordOf('foreign npc') })
  const note = (name: CanaryName) => ({ body: wordOf(name), visibility: 'private' })
  await as('outsider', 'create_note', { campaignId: foreign, ...note('foreign private note') })
  const bound = id('campaign', 'bound')
  await as('dm', 'create_npc', {
    campaignId: bound,
    hidden: false,
    name: wordOf('bound campaign npc'),
    dmSecret: wordOf('bound campaign npc dmSecret'),
  })
  await as('dm', 'create_note', { campaignId: bound, ...note('bound campaign private note') })
}

async function attach(world: TestWorld, person: Person, fileName: string, comment: string, values: Input) {
  const contentBase64 = pictureWith(comment).toString('base64')
  await world.as(person, 'create_attachment', {
    campaignId: world.id('campaign'),
    fileName,
    contentBase64,
    ...values,
  })
}

/** A PNG of four grey points that carries a comment as metadata. */
export function pictureWith(comment: string): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
    length.writeUInt32BE(data.length)
    sum.writeUInt32BE(crc32(body))
    return Buffer.concat([length, body, sum])
  }
  const head = Buffer.from([0, 0, 0, 2, 0, 0, 0, 2, 8, 0, 0, 0, 0])
  // Each row begins with its filter; the points come from the comment, so that no two pictures share a file.
  const [one = 0, two = 0] = Buffer.from(comment.slice(-2))
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', head),
    chunk('tEXt', Buffer.from(`Comment\0${comment}.`, 'latin1')),
    chunk('IDAT', deflateSync(Buffer.from([0, one, two, 0, two, one]))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}
