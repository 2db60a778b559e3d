import { examplePack } from '../../src/domain/rule-pack/operations.ts'
import type { TestServer } from './server.ts'
import type { Person, TestWorld } from './world.ts'
import { seated } from './world-ai.ts'
import { fights } from './world-fights.ts'

/** Ids by `entity` or `entity variant`, as examples ask for them. */
export type Content = Map<string, number>

interface Parts {
  readonly server: TestServer
  readonly userId: Readonly<Record<Person, number>>
  readonly as: TestWorld['as']
}

export interface Scene extends Parts {
  readonly ids: Content
  /** The campaign that a scene plays in. */
  readonly campaignId: number
  /** Runs a create operation and keeps the id of what it made, under each name. */
  make(person: Person, operation: string, input: object, ...names: readonly string[]): Promise<number>
}

/** The smallest PNG there is. */
export const tinyPng = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGM4AQAAygDJmcpdfgAAAABJRU5ErkJggg=='

/**
 * Makes everything that an example names, through the pipeline, so that journal and search index are real. Each scene is
 * one part of the product; one that a new resource needs is added to the list.
 */
export async function fillWorld(parts: Parts): Promise<{ readonly ids: Content; readonly inviteCode: string }> {
  const ids: Content = new Map()
  const make: Scene['make'] = async (person, operation, input, ...names) => {
    const { id } = await parts.as(person, operation, { ...input })
    for (const name of names) ids.set(name, id)
    return id
  }
  const campaignId = await campaigns(parts, ids, make)
  const scene: Scene = { ...parts, ids, campaignId, make }
  const inviteCode = await invites(scene)
  const world = [
    places,
    factions,
    story,
    threads,
    party,
    fights,
    bonds,
    nights,
    evenings,
    history,
    writings,
    pictures,
    charts,
  ]
  const told = [...world, tables, rules, seated]
  for (const play of [...told, promised, asked, changed, agreed, waiting]) await play(scene)
  return { ids, inviteCode }
}

/**
 * The main one; one more with the same members, where a session is live; one in the trash; one of the DM alone, to which
 * the bound token is bound; one of the outsider; one that anybody can join.
 */
async function campaigns({ as, userId }: Parts, ids: Content, make: Scene['make']): Promise<number> {
  const shared = async (name: string, ...names: readonly string[]): Promise<number> => {
    const campaignId = await make('dm', 'create_campaign', { name, hidesNewThings: false }, ...names)
    for (const [person, role] of [
      ['coDm', 'dm'],
      ['player', 'player'],
      ['otherPlayer', 'player'],
      ['viewer', 'viewer'],
    ] as const) {
      const { id } = await as('dm', 'add_member', { campaignId, userId: userId[person], role })
      await as(person, 'accept_invitation', { campaignId })
      if (names.includes('campaign')) ids.set(`member ${person}`, id)
    }
    return campaignId
  }
  const main = await shared('The Orchard in Winter', 'campaign')
  await as('dm', 'set_campaign_status', { campaignId: main, status: 'active' })
  await shared('The Salt Road', 'campaign live')
  await as('dm', 'delete_campaign', { campaignId: await shared('Burnt Acre', 'campaign trashed') })
  await make('dm', 'create_campaign', { name: 'A table for one' }, 'campaign bound')
  await make('outsider', 'create_campaign', { name: 'Another table' }, 'campaign foreign')
  await make('coDm', 'create_campaign', { name: 'An open table' }, 'campaign open')
  for (const person of Object.keys(userId) as Person[]) ids.set(`user ${person}`, userId[person])
  ids.set('user', userId.player)
  // Everybody who may whisper can whisper to the viewer.
  ids.set('user other_member', userId.viewer)
  return main
}

/** The code opens the campaign that nobody of the matrix is in, so that whoever may join can. */
async function invites({ as, ids, campaignId, make }: Scene): Promise<string> {
  await make('dm', 'create_invite', { campaignId, role: 'player' }, 'invite')
  const { code } = await as('coDm', 'create_invite', { campaignId: ids.get('campaign open'), maxUses: 50 })
  return code
}

async function places({ campaignId, make }: Scene): Promise<void> {
  const place = (values: object, ...names: string[]) =>
    make('dm', 'create_location', { campaignId, ...values }, ...names)
  const parentLocationId = await place(
    { name: 'The Pomary', body: 'An orchard behind a wall.', tags: ['orchard'], dmSecret: 'Nothing in it is dead.' },
    'location',
  )
  await place({ name: 'The press', parentLocationId }, 'location leaf')
  await place(
    { name: 'The ice cellar', parentLocationId, hidden: true, dmSecret: 'The bell lies here.' },
    'location hidden',
  )
  await place({ name: 'The far shore', discovery: 'unknown' }, 'location unknown')
}

async function factions({ as, campaignId, make }: Scene): Promise<void> {
  const faction = (values: object, ...names: string[]) =>
    make('dm', 'create_faction', { campaignId, ...values }, ...names)
  const factionId = await faction(
    { name: 'The Pomary house', kind: 'A trading house', goals: '- The winter, pressed', dmSecret: 'They drink it.' },
    'faction',
  )
  await as('dm', 'adjust_faction_reputation', { factionId, delta: 15, reason: 'They paid the toll.' })
  await faction(
    { name: 'The cracked bell', goals: '- To ring', hidden: true, dmSecret: 'Under the ice.' },
    'faction hidden',
  )
  await faction({ name: 'The reeve’s office' }, 'faction spare')
}

async function story({ as, ids, campaignId, make }: Scene): Promise<void> {
  const locationId = ids.get('location')
  const npc = (values: object, ...names: string[]) => make('dm', 'create_npc', { campaignId, ...values }, ...names)
  const giverNpcId = await npc(
    {
      name: 'Marta Quill',
      body: 'Keeps the ledger of the orchard.',
      locationId,
      factionId: ids.get('faction'),
      dmSecret: 'She sold the year.',
    },
    'npc',
  )
  await npc(
    { name: 'The Cellarer', body: 'Counts the bells.', hidden: true, dmSecret: 'Marta’s brother.' },
    'npc hidden',
  )
  await as('dm', 'delete_npc', { npcId: await npc({ name: 'Old Hob', dmSecret: 'Never lived.' }, 'npc trashed') })

  const quest = (values: object, ...names: string[]) => make('dm', 'create_quest', { campaignId, ...values }, ...names)
  const step = (questId: number, values: object, ...names: string[]) =>
    make('dm', 'create_objective', { questId, ...values }, ...names)
  const open = await quest(
    {
      title: 'A cradle with no maker',
      body: `Asked for by [Marta](npc:${giverNpcId}).`,
      status: 'active',
      giverNpcId,
      locationId,
      dmSecret: 'She made it herself.',
      tags: ['orchard'],
    },
    'quest',
  )
  await step(open, { text: 'Find the maker’s mark' }, 'objective')
  await step(open, { text: 'Look under the ice', hidden: true }, 'objective hidden')
  const veiled = await quest({ title: 'The year that was sold', hidden: true, parentQuestId: open }, 'quest hidden')
  await step(veiled, { text: 'Buy it back' }, 'objective under hidden')
}

/** What may come: two arcs, of which one leads into the other. */
async function threads({ ids, campaignId, make }: Scene): Promise<void> {
  const arc = (values: object, ...names: string[]) => make('dm', 'create_arc', { campaignId, ...values }, ...names)
  const beat = (arcId: number, values: object, ...names: string[]) =>
    make('dm', 'create_beat', { arcId, ...values }, ...names)
  const way = (beatId: number, values: object, ...names: string[]) =>
    make('dm', 'create_branch', { beatId, ...values }, ...names)
  const harvest = await arc({ title: 'The harvest', summary: 'The winter is pressed.' }, 'arc')
  const bell = await arc({ title: 'A bell that will not ring', status: 'planned' }, 'arc other')
  await arc({ title: 'The far bank', status: 'resolved' }, 'arc spare')
  const lullaby = { title: 'Nettie hears her own lullaby', status: 'active', dmSecret: 'It is Hob’s year too.' }
  const now = await beat(harvest, { ...lullaby, questId: ids.get('quest'), locationId: ids.get('location') }, 'beat')
  const door = await beat(harvest, { title: 'The press-house at midnight' }, 'beat next')
  await beat(harvest, { title: 'Marta reads it to them' }, 'beat spare')
  const wakes = await beat(bell, { title: 'Aldersey wakes' }, 'beat other')
  await way(now, { label: 'They break the door', toBeatId: door, condition: 'a hard fight' }, 'branch')
  await way(now, { label: 'They ring the cracked bell', toBeatId: wakes }, 'branch other')
  await way(now, { label: 'They go home' }, 'branch spare')
}

/** `own` is the player's, as everywhere, `other` somebody else's; what they carry, what they own together, what fell. */
async function party({ as, ids, campaignId, make }: Scene): Promise<void> {
  await as('dm', 'update_campaign', { campaignId, ruleSystem: 'D&D 5e (2024)' })
  const sheet = { className: 'Rogue', level: 3, abilities: { dex: 18, wis: 14 }, ac: 15, hpMax: 24 }
  const one = (person: Person, name: string, values: object, ...names: string[]) =>
    make(person, 'create_character', { campaignId, name, ...sheet, ...values }, ...names)
  const slots = [{ level: 1, max: 4, used: 1 }]
  const own = await one('player', 'Wren', { notes: 'Owes the clerk.', spellSlots: slots }, 'character', 'character own')
  await as('player', 'set_character_resource', { characterId: own, key: 'second-wind', name: 'Second wind', max: 2 })
  const other = await one('otherPlayer', 'Osk', { className: 'Fighter' }, 'character other')
  await one('dm', 'Pell', { dmSecret: 'She is the bell.' }, 'character unowned')
  await one('dm', 'Old Hob', {}, 'character spare')
  const item = (person: Person, name: string, values: object, ...names: string[]) =>
    make(person, 'create_inventory_item', { campaignId, name, ...values }, ...names)
  const torches = { characterId: own, quantity: 5, weight: 1 }
  await item('player', 'Torch', torches, 'inventory_item', 'inventory_item own')
  await item('otherPlayer', 'Glaive', { characterId: other }, 'inventory_item other')
  await item('player', 'Handcart', {}, 'inventory_item party')
  await item('dm', 'A year in a jar', { hidden: true, dmSecret: 'It is Marta’s.' }, 'inventory_item hidden')
  await as('dm', 'adjust_treasury', { campaignId, delta: { gp: 140, sp: 30 }, reason: 'The toll' })
  const roll = async (person: Person, values: object, name: string) => {
    const { roll: fell } = await as(person, 'roll_dice', { campaignId, expression: '1d20+5', ...values })
    ids.set(name, fell.id)
  }
  await roll('player', { characterId: own, label: 'Behind the vat' }, 'dice_roll')
  await roll('player', { visibility: 'dm' }, 'dice_roll own_sealed')
  await roll('dm', { visibility: 'secret', label: 'The Cellarer keeps still' }, 'dice_roll hidden')
  const ask = async (characterId: number, values: object, ...names: string[]) => {
    const asking = { campaignId, characterIds: [characterId], checkId: 'skill.perception', difficulty: 14, ...values }
    const { requests } = await as('dm', 'request_check', asking)
    for (const name of names) ids.set(name, requests[0].id)
  }
  await ask(own, { reason: 'To hear the song' }, 'check_request', 'check_request own')
  await ask(other, { secret: true, reason: 'Whether Marta lied' }, 'check_request hidden')
}

/** What the people, places and houses are to each other. */
async function bonds({ ids, campaignId, make }: Scene): Promise<void> {
  const bond = (from: string, to: string, values: object, ...names: string[]) => {
    const [fromType, toType] = [from, to].map((name) => name.split(' ')[0])
    const ends = { fromType, fromId: ids.get(from), toType, toId: ids.get(to) }
    return make('dm', 'create_relation', { campaignId, ...ends, ...values }, ...names)
  }
  await bond('npc', 'faction', { label: 'keeps its ledger', inverseLabel: 'pays her in paper' }, 'relation')
  await bond('npc', 'npc hidden', { label: 'has never met him', inverseLabel: 'is her brother' })
  await bond('faction', 'location', { label: 'buries its dead in it', hidden: true }, 'relation hidden')
  await bond('npc', 'location', { label: 'counts its trees', inverseLabel: 'grows around her' }, 'relation spare')
}

/** One that is settled and answered, one called off, and two days that the table is asked about. */
async function nights({ as, campaignId, make }: Scene): Promise<void> {
  const night = (startsAt: string, values: object, ...names: string[]) =>
    make('dm', 'create_game_night', { campaignId, startsAt, timeZone: 'Europe/Brussels', ...values }, ...names)
  const gameNightId = await night(
    '2026-11-27T19:00',
    { location: 'At Noor’s', notes: 'Somebody bring the good lamp.' },
    'game_night',
  )
  await as('player', 'set_rsvp', { gameNightId, answer: 'yes', note: 'I bring the lamp' })
  await as('otherPlayer', 'set_rsvp', { gameNightId, answer: 'maybe' })
  const off = await night('2026-11-13T19:00', {}, 'game_night cancelled')
  await as('dm', 'cancel_game_night', { gameNightId: off, reason: 'Half of us are coughing' })
  for (const day of ['04', '05']) await night(`2026-12-${day}T19:00`, { tentative: true }, 'game_night tentative')
}

async function evenings({ as, ids, userId, campaignId, make }: Scene): Promise<void> {
  const played = await make(
    'dm',
    'create_session',
    { campaignId, status: 'played', title: 'The wall', playedAt: '2026-11-06', prep: 'The gate is open.' },
    'session',
  )
  await as('dm', 'set_session_attendance', { sessionId: played, userIds: [userId.dm, userId.player] })
  await as('dm', 'publish_session_recap', { sessionId: played, recap: 'They climbed the wall and met the clerk.' })
  await make('dm', 'create_session', { campaignId, title: 'The ledger', prep: 'Marta waits.' }, 'session planned')
  // In another campaign, since one session at a time is live.
  await make('dm', 'create_session', { campaignId: ids.get('campaign live') }, 'session live')
  await as('dm', 'start_session', { sessionId: ids.get('session live') })
}

/** A calendar of its own, the day that is today in it, and what happened when. */
async function history({ as, ids, campaignId, make }: Scene): Promise<void> {
  await as('dm', 'update_world_calendar', {
    campaignId,
    months: [
      { name: 'Leaffall', days: 30 },
      { name: 'Rimefall', days: 30 },
      { name: 'Unsold Days', days: 5, leap: [{ every: 4, days: 1 }], between: true },
    ],
    weekdays: ['Ploughday', 'Riverday', 'Marketday', 'Bellday', 'Candleday', 'Restday'],
    moons: [{ name: 'The Lantern', period: 27, fullOn: '412-2-6' }],
    eras: [{ name: 'The years of the bell', from: 390 }],
    currentDate: '412-2-9',
  })
  const event = (values: object, ...names: string[]) =>
    make('dm', 'create_timeline_event', { campaignId, ...values }, ...names)
  await event(
    { title: 'They climbed the wall', worldDate: '412-2-8', sessionId: ids.get('session'), dmSecret: 'It let them.' },
    'timeline_event',
  )
  await event({ title: 'The winter is pressed', worldDate: '412-2-10', hidden: true }, 'timeline_event hidden')
  await event({ title: 'Somebody wove the stag' }, 'timeline_event spare')
}

/** `own` is the player's, everywhere. */
async function writings({ as, ids, userId, campaignId, make }: Scene): Promise<void> {
  const note = (person: Person, body: string, visibility: string, ...names: string[]) =>
    make(person, 'create_note', { campaignId, body, visibility }, ...names)
  await note('otherPlayer', 'The bell rang twice.', 'party', 'note party')
  await note('player', 'I owe the clerk a coin.', 'party', 'note own')
  await note('player', 'I do not trust Marta.', 'private', 'note private')
  await note('player', 'May my character be her niece?', 'dm', 'note dm')
  const whisper = { campaignId, recipientUserId: userId.otherPlayer, body: 'I kept the ferryman’s coin.' }
  await make('player', 'send_whisper', whisper, 'note whisper')

  const item = (person: Person, body: string, ...names: string[]) =>
    make(person, 'submit_inbox_item', { campaignId, body, entityType: 'npc', entityId: ids.get('npc') }, ...names)
  await item('otherPlayer', 'Who rings the bell?', 'inbox_item other')
  await item('player', 'I want to look under the ice.', 'inbox_item', 'inbox_item own')
  await as('dm', 'resolve_inbox_item', {
    inboxItemId: await item('player', 'Was the gate open?', 'inbox_item resolved'),
    resolution: 'It was.',
  })
}

async function pictures({ campaignId, make }: Scene): Promise<void> {
  const picture = (person: Person, fileName: string, values: object, ...names: string[]) =>
    make(person, 'create_attachment', { campaignId, fileName, contentBase64: tinyPng, ...values }, ...names)
  await picture('dm', 'orchard.png', { caption: 'The wall' }, 'attachment')
  await picture('player', 'lantern.png', {}, 'attachment own')
  await picture('dm', 'bell.png', { hidden: true, caption: 'Under the ice' }, 'attachment hidden')
}

/** What the table promised each other, what helps the player at it, and a recap that somebody else may read. */
async function promised({ as, ids, campaignId, make }: Scene): Promise<void> {
  await as('dm', 'update_charter', {
    campaignId,
    tone: 'A winter tale: slow, strange, kind at the edges.',
    lines: '- Harm to animals at length',
    veils: '- Torture',
    safetyTools: '- The X-card, always',
    houseRules: '- Phones are for dice and notes',
  })
  const help = { campaignId, text: 'Tell me before a jump scare.', sharedWithDm: true, aiUseAllowed: false }
  await make('player', 'set_my_support_preference', help, 'support_preference')
  await make(
    'dm',
    'create_session_share',
    { sessionId: ids.get('session'), label: 'For my sister', expiresAt: '2026-12-24T18:00:00Z' },
    'session_share',
  )
  await make('dm', 'create_display', { campaignId, label: 'Over the fireplace' }, 'display')
  const { items } = await as('player', 'list_notifications', { campaignId })
  ids.set('notification', items.find(({ kind }: { kind: string }) => kind === 'charter_changed').id)
}

/** A valley of which half is uncovered, a floor within it, and what stands on it: seen, hidden and under fog. */
async function charts({ as, ids, userId, campaignId, make }: Scene): Promise<void> {
  const sheet = { campaignId, fileName: 'valley.png', contentBase64: tinyPng, kind: 'map', hidden: true }
  const attachmentId = await make('dm', 'create_attachment', { ...sheet, caption: 'The valley' }, 'attachment map')
  const chart = (values: object, ...names: string[]) =>
    make('dm', 'create_map', { campaignId, attachmentId, ...values }, ...names)
  const mapId = await chart(
    { name: 'The valley', locationId: ids.get('location'), fogEnabled: true, dmSecret: 'It is a hand.' },
    'map',
  )
  await as('dm', 'set_map_fog', { mapId, reveal: [{ x: 0.2, y: 0.2, width: 0.6, height: 0.6 }] })
  const ground = await chart({ name: 'The ground floor' }, 'map within')
  await chart({ name: 'The ice cellar', hidden: true, fogEnabled: true, dmSecret: 'The bell lies here.' }, 'map hidden')
  await chart({ name: 'The far bank' }, 'map spare')
  const pin = (values: object, ...names: string[]) => make('dm', 'create_map_pin', { mapId, ...values }, ...names)
  await pin({ x: 0.5, y: 0.5, label: 'The press', entityType: 'map', entityId: ground, icon: 'house' }, 'pin')
  await pin({ x: 0.6, y: 0.6, label: 'A cracked bell', hidden: true }, 'pin hidden')
  await pin({ x: 0.05, y: 0.9, label: 'The weir' }, 'pin fogged')
  await pin({ x: 0.7, y: 0.4, label: 'The ferry', icon: 'water' }, 'pin spare')
  const token = async (values: object, ...names: string[]) => {
    const { id } = await as('dm', 'set_map_token', { mapId, ...values })
    for (const name of names) ids.set(`map_token ${name}`.trim(), id)
  }
  await token({ x: 0.4, y: 0.4, label: 'Asha', playerUserId: userId.player }, '', 'own')
  await token({ x: 0.4, y: 0.5, label: 'Tamsin', playerUserId: userId.otherPlayer }, 'other')
  await token({ x: 0.5, y: 0.3, npcId: ids.get('npc') }, 'npc')
  await token({ x: 0.5, y: 0.6, label: 'A hound', hidden: true }, 'hidden')
  await token({ x: 0.9, y: 0.9, label: 'The reeve' }, 'fogged')
  await token({ x: 0.3, y: 0.3, label: 'A cart' }, 'spare')
}

/** A table that leads to another. */
async function tables({ as, campaignId, make }: Scene): Promise<void> {
  const table = (values: object, ...names: string[]) =>
    make('dm', 'create_random_table', { campaignId, ...values }, ...names)
  const tableId = await table(
    { name: 'Travellers and their trouble', rows: [{ text: 'A pedlar of years' }, { text: 'A cart of cradles' }] },
    'table',
  )
  await table({ name: 'Met on the salt road', rows: [{ text: 'A traveller', tableId }] }, 'table spare')
  await as('dm', 'roll_random_table', { tableId })
}

/** Two packs, of which nothing names one, and what the table wrote itself. */
async function rules({ as, ids, campaignId, make }: Scene): Promise<void> {
  const pack = (key: string, title: string) => ({ document: { ...examplePack, key, title } })
  await make('admin', 'install_rule_pack', pack('orchard', 'The open orchard'), 'rule_pack')
  await make('admin', 'install_rule_pack', pack('spare', 'A tinker’s almanac'), 'rule_pack spare')
  const rulePackIds = [ids.get('rule_pack')]
  const found = await as('dm', 'search_rules', { query: 'salt hound', rulePackIds })
  ids.set('rule_entry pack', found.items[0].id)
  const entry = (values: object, ...names: string[]) =>
    make('dm', 'create_homebrew', { campaignId, ...values }, ...names)
  await entry(
    { kind: 'creature', name: 'Lantern moth', body: 'Drawn to flame.', dmSecret: 'It slept at Nettie’s.' },
    'rule_entry',
  )
  await entry({ kind: 'condition', name: 'Salt-blind', hidden: true }, 'rule_entry hidden')
  await entry({ kind: 'rule', name: 'Going without water' }, 'rule_entry spare')
}

async function asked({ campaignId, make }: Scene): Promise<void> {
  const proposal = (person: Person, npc: string, ...names: string[]) =>
    make(
      person,
      'create_proposal',
      {
        campaignId,
        changes: [{ operation: 'create_npc', input: { name: npc } }],
        reason: 'We met them at the mill.',
      },
      ...names,
    )
  await proposal('otherPlayer', 'The miller', 'proposal')
  await proposal('player', 'Old Marta', 'proposal own')
}

/** A change that can be undone, and the version before it. */
async function changed({ server, as, ids, campaignId }: Scene): Promise<void> {
  const npcId = ids.get('npc')
  await as('dm', 'update_npc', { npcId, voice: 'Dry and low.' })
  const audit = await as('dm', 'list_audit_records', { campaignId, operation: 'update_npc' })
  ids.set('audit_record', audit.items[0].id)
  ids.set('audit_record revertible', audit.items[0].id)
  const revisions = await as('dm', 'list_revisions', { campaignId, entityType: 'npc', entityId: npcId })
  ids.set('revision', revisions.items.at(-1).id)
  server.clock.advance(60_000)
}

/** Whoever wrote what examples are about lets outside AI read it, so that they succeed at every door. */
async function agreed({ as, campaignId }: Scene): Promise<void> {
  for (const person of ['player', 'otherPlayer'] as const)
    await as(person, 'set_my_ai_consent', { campaignId, consent: true })
}

/** A table at which the player was seated by somebody else, and has not said anything yet. */
async function waiting({ as, userId, make }: Scene): Promise<void> {
  const campaignId = await make('outsider', 'create_campaign', { name: 'A table of strangers' }, 'campaign invited')
  await as('outsider', 'add_member', { campaignId, userId: userId.player, role: 'player' })
}
