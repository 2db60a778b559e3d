import type { Browser, Page } from 'playwright-core'
import { expect } from 'vitest'
import { desk, newPage, phone } from '../browser/chromium.ts'
import { cookieOf } from '../browser/shared-app.ts'
import { beyondRogue } from '../support/foreign-sheets.ts'
import type { Seat } from '../support/played.ts'
import type { Person, TestWorld } from '../support/world.ts'
import { tinyPng } from '../support/world-content.ts'

// One evening of a table: five characters, three fights, a chase, what they found, and a level. The Dungeon Master has an
// assistant and a browser, one player an assistant and a phone, two players an assistant each.

/** Browsers at the table. */
export interface Browsers {
  /** The Dungeon Master's, at an address. */
  desk(path: string): Promise<Page>
  /** The first player's phone. */
  phone(path: string): Promise<Page>
}

export interface Table {
  readonly world: TestWorld
  readonly dm: Seat
  readonly ash: Seat
  readonly bo: Seat
  readonly cass: Seat
  /** Null where this machine has none: then what is done in them is done without a door. */
  readonly browsers: Browsers | null
}

export function browsersOf(browser: Browser, world: TestWorld, base: string): Browsers {
  const opened = new Map<Person, Promise<Page>>()
  const at = async (person: Person, size: typeof desk, path: string): Promise<Page> => {
    const make = async (): Promise<Page> => {
      const { page } = await newPage(browser, size)
      await page.context().addCookies([cookieOf(world, person, base)])
      return page
    }
    const page = await (opened.get(person) ?? opened.set(person, make()).get(person) ?? make())
    await page.goto(base + path)
    await page.locator('h1').first().waitFor()
    return page
  }
  return {
    desk: (path) => at('dm', desk, path),
    phone: (path) => at('player', phone, path),
  }
}

export async function playEvening(table: Table): Promise<void> {
  const evening = await sitDown(table)
  await atTheLanding(table, evening)
  await chase(table, evening)
  const weir = await atTheWeir(table, evening)
  await atBay(table, evening)
  await loot(table, evening)
  await goHome(table, evening)
  await asItStands(table, evening, weir)
}

type Row = Readonly<Record<string, unknown>>
const itemsOf = (answer: { readonly items: readonly Row[] }): readonly Row[] => answer.items
const namesOf = (rows: readonly Row[]): readonly string[] => rows.map(({ name }) => String(name))

/** Who and what there is by the time they sit down. */
interface Evening {
  readonly campaignId: number
  readonly ash: number
  readonly bo: number
  readonly cass: number
  readonly dell: number
  readonly tallow: number
  readonly party: readonly number[]
  readonly placeId: number
  readonly questId: number
  readonly sessionId: number
  readonly mapId: number
}

const sword = {
  key: 'sword',
  name: 'Sword',
  cost: 'action',
  attack: 5,
  damage: [{ expression: '1d8+3', type: 'slashing' }],
}
const bow = { key: 'bow', name: 'Bow', cost: 'action', attack: 5, damage: [{ expression: '1d8+3', type: 'piercing' }] }
const word = { key: 'word', name: 'Healing word', cost: 'bonus', spellLevel: 1, heals: '1d4+3' }
const abilities = { str: 14, dex: 14, con: 14, int: 10, wis: 14, cha: 10 }

async function sitDown({ world, dm, ash, bo, cass }: Table): Promise<Evening> {
  const { id: campaignId } = await dm.call('create_campaign', { name: 'The Ferry Toll', ruleSystem: 'dnd5e 2014' })
  const here = { campaignId }
  await dm.call('set_campaign_status', { ...here, status: 'active' })
  const { code } = await dm.call('create_invite', { ...here, role: 'player', maxUses: 3 })
  for (const player of [ash, bo, cass]) await player.call('accept_invite', { code })
  const place = await dm.call('create_location', { ...here, name: 'The ferry landing', kind: 'landing' })
  await dm.call('set_location_discovery', { locationId: place.id, discovery: 'discovered' })
  await dm.call('update_location', { locationId: place.id, body: 'A rope, a bell and a hut. The rope is cut.' })
  expect((await ash.call('get_location', { locationId: place.id })).name).toBe('The ferry landing')
  const quest = await dm.call('create_quest', { ...here, title: 'Who cut the rope', status: 'active' })
  await dm.call('create_objective', { questId: quest.id, text: 'Catch the one who ran' })
  await dm.call('create_objective', { questId: quest.id, text: 'Splice the rope', optional: true })
  expect(itemsOf(await bo.call('list_objectives', { questId: quest.id }))).toHaveLength(2)
  const arc = await dm.call('create_arc', { ...here, title: 'The toll' })
  await dm.call('update_arc', { arcId: arc.id, summary: 'Who takes it, and for whom.' })
  const beat = await dm.call('create_beat', { arcId: arc.id, title: 'The landing', questId: quest.id })
  const flight = await dm.call('create_beat', { arcId: arc.id, title: 'Over the weir' })
  await dm.call('create_branch', { beatId: beat.id, label: 'They give chase', toBeatId: flight.id })
  expect(itemsOf(await dm.call('list_branches', { beatId: beat.id }))).toHaveLength(1)

  const own = { ...here, abilities, level: 1, ac: 15, hpMax: 12 }
  const made = async (seat: Seat, name: string, className: string, actions: readonly object[]): Promise<number> =>
    (await seat.call('create_character', { ...own, name, className, actions })).id
  const ashId = await made(ash, 'Ash', 'Fighter', [sword])
  const boId = await made(bo, 'Bo', 'Cleric', [sword, word])
  const cassId = await made(cass, 'Cass', 'Ranger', [bow])
  const dellId = await made(dm, 'Dell', 'Wizard', [bow])
  await dm.call('assign_character', { characterId: dellId, userId: world.userId.player })
  const brought = await cass.call('import_character', { ...here, format: 'dndbeyond', document: beyondRogue })
  expect(brought.name).toBe('Wren Tallow')
  await ash.call('set_character_resource', {
    ...{ characterId: ashId, key: 'wind', name: 'Second wind', max: 1, recharge: 'short' },
  })
  const party = [ashId, boId, cassId, dellId, brought.id]

  const picture = { ...here, fileName: 'landing.png', contentBase64: tinyPng }
  const sheet = await dm.call('create_attachment', { ...picture, kind: 'map', hidden: true })
  await dm.call('update_attachment', { attachmentId: sheet.id, caption: 'The landing, from the water' })
  expect((await dm.call('get_attachment', { attachmentId: sheet.id })).caption).toContain('water')
  const spare = await dm.call('create_attachment', picture)
  await dm.call('delete_attachment', { attachmentId: spare.id })
  const map = await dm.call('create_map', { ...here, name: 'Landing', attachmentId: sheet.id, fogEnabled: true })
  await dm.call('update_map', { mapId: map.id, name: 'The landing', locationId: place.id })
  await dm.call('set_map_fog', { mapId: map.id, reveal: [{ x: 0, y: 0, width: 0.6, height: 0.6 }] })
  const pin = await dm.call('create_map_pin', { mapId: map.id, x: 0.2, y: 0.3, label: 'The hut' })
  await dm.call('update_map_pin', { pinId: pin.id, x: 0.25 })
  await dm.call('create_map_pin', { mapId: map.id, x: 0.9, y: 0.9, label: 'Where they hid' })
  expect(itemsOf(await bo.call('list_map_pins', { mapId: map.id })).map(({ label }) => label)).toEqual(['The hut'])
  await dm.call('set_map_token', { mapId: map.id, label: 'Ash', playerUserId: world.userId.player, x: 0.3, y: 0.3 })
  const seen = await ash.call('get_map', { mapId: map.id })
  await ash.call('set_map_token', { mapId: map.id, tokenId: seen.tokens[0].id, x: 0.35, y: 0.3 })

  const night = await dm.call('create_game_night', {
    ...{ ...here, startsAt: '2026-12-04T19:00', timeZone: 'Europe/Brussels', title: 'The landing' },
  })
  expect((await cass.call('get_game_night', { gameNightId: night.id })).title).toBe('The landing')
  const session = await dm.call('create_session', { ...here, title: 'The landing', gameNightId: night.id })
  await dm.call('update_session', { sessionId: session.id, prep: 'The rope is cut. Then they run.' })
  await dm.call('start_session', { sessionId: session.id })
  await dm.call('set_session_attendance', { sessionId: session.id, characterIds: party })
  return {
    ...{ campaignId, ash: ashId, bo: boId, cass: cassId, dell: dellId, tallow: brought.id, party },
    ...{ placeId: place.id, questId: quest.id, sessionId: session.id, mapId: map.id },
  }
}

/** Puts all of the party into a fight; Ash first, so that the phone has the first turn. */
async function bringParty({ dm }: Table, { party }: Evening, encounterId: number): Promise<void> {
  for (const [index, characterId] of party.entries())
    await dm.call('add_combatant', { encounterId, kind: 'character', characterId, initiativeModifier: 60 - 10 * index })
}

async function fightersOf({ dm }: Table, encounterId: number) {
  const rows = itemsOf(await dm.call('list_combatants', { encounterId }))
  return (name: string): number => Number(rows.find((each) => String(each.name).startsWith(name))?.id)
}

/** From the rule pack to the log: a fight that the dice made up, run by assistants alone. */
async function atTheLanding(table: Table, evening: Evening): Promise<void> {
  const { dm, ash, bo, cass } = table
  const here = { campaignId: evening.campaignId }
  const pack = itemsOf(await dm.call('list_rule_packs')).find(({ title }) => title === 'First evening')
  expect((await dm.call('get_rule_pack', { rulePackId: pack?.id })).attribution).toContain('System Reference')
  const [thug] = itemsOf(await dm.call('search_rules', { query: 'thug', kind: 'creature', ...here }))
  expect((await bo.call('get_rule_entry', { ruleEntryId: thug?.id, ...here })).name).toBe('Thug')
  const generated = await dm.call('generate_encounter', {
    ...{ ...here, difficulty: 'easy', creatureType: 'humanoid', maxCreatures: 4, seed: 'rope', save: true },
  })
  const again = await dm.call('generate_encounter', {
    ...{ ...here, difficulty: 'easy', creatureType: 'humanoid', maxCreatures: 4, seed: 'rope' },
  })
  expect(again.roster).toEqual(generated.roster)
  const encounterId = generated.encounter.id
  const words = { name: 'At the landing', locationId: evening.placeId, questId: evening.questId }
  await dm.call('update_encounter', { encounterId, ...words, body: 'Dusk. The bell still swings.' })
  const copy = await dm.call('duplicate_encounter', { encounterId, name: 'If they come back' })
  await dm.call('delete_encounter', { encounterId: copy.id })
  await bringParty(table, evening, encounterId)
  await dm.call('add_combatant', { encounterId, kind: 'monster', ruleEntryId: thug?.id, name: 'The one who runs' })
  await dm.call('get_encounter_difficulty', { encounterId })
  await dm.call('roll_initiative', { encounterId })
  await dm.call('begin_encounter', { encounterId })
  const of = await fightersOf(table, encounterId)
  for (const [name, initiative] of [
    ['Ash', 99],
    ['Bo', 98],
    ['Cass', 97],
    ['The one who runs', 96],
  ] as const)
    await dm.call('set_combatant_initiative', { combatantId: of(name), initiative })
  await dm.call('move_combatant', { combatantId: of('Cass'), afterCombatantId: of('The one who runs') })
  const seen = await ash.call('get_encounter', { encounterId })
  expect(namesOf(seen.combatants).slice(0, 4)).toEqual(['Ash', 'Bo', 'The one who runs', 'Cass'])
  expect(JSON.stringify(seen)).not.toContain('"hp":32')

  // A turn out of turn, and one that somebody else has ended already.
  expect((await bo.refused('next_turn', { encounterId })).message).toMatch(/\w/)
  await ash.call('use_combatant_action', {
    ...{ combatantId: of('Ash'), action: 'Sword', targetIds: [of('The one who runs')] },
  })
  const { turn } = await ash.call('get_turn', { encounterId })
  await ash.call('next_turn', { encounterId, expectedTurn: turn })
  expect((await dm.refused('next_turn', { encounterId, expectedTurn: turn })).message).toContain('is over already')
  // The wrong one was hit, and it is taken back.
  const hit = await dm.call('damage_combatant', { combatantId: of('Bo'), amount: 6, type: 'bludgeoning' })
  expect(Object.keys(hit).toSorted()).toEqual(['events', 'hp', 'id', 'lifeState', 'name', 'revision'])
  await dm.call('undo_encounter_event', { eventId: hit.events[0].id })
  await dm.call('damage_combatant', { combatantId: of('Ash'), amount: 6, type: 'bludgeoning' })
  // To heal somebody else one does it with an action of one's own.
  expect((await bo.refused('heal_combatant', { combatantId: of('Ash'), amount: 4 })).code).toBe('forbidden')
  await bo.call('use_combatant_action', { combatantId: of('Bo'), action: 'Healing word', targetIds: [of('Ash')] })
  await bo.call('adjust_combatant_resource', { combatantId: of('Bo'), key: 'slot.1', delta: -1 })
  await bo.call('set_combatant_turn', { combatantId: of('Bo'), readied: 'when it comes near', movement: 10 })
  await bo.call('next_turn', { encounterId })
  await dm.call('previous_turn', { encounterId })
  await bo.call('next_turn', { encounterId })
  await dm.call('next_turn', { encounterId })
  await cass.call('use_combatant_action', {
    ...{ combatantId: of('Cass'), action: 'Bow', targetIds: [of('The one who runs')], mode: 'disadvantage', far: true },
  })
  await dm.call('remove_combatant', { combatantId: of('The one who runs') })
  for (const { id, kind } of (await dm.call('get_encounter', { encounterId })).combatants)
    if (kind === 'monster') await dm.call('damage_combatant', { combatantId: id, amount: 100 })
  await dm.call('end_encounter', { encounterId, outcome: 'One of them ran.' })
  const after = await dm.call('get_encounter_aftermath', { encounterId })
  await dm.call('apply_encounter_rewards', { encounterId, xp: after.experience, coins: { sp: 14 } })
  expect((await dm.refused('apply_encounter_rewards', { encounterId, xp: 10 })).code).toBe('already_done')
}

/** Three rounds of checks: assistants answer for two, the phone for one, and the Dungeon Master rolls behind the screen. */
async function chase({ world, dm, ash, bo, cass, browsers }: Table, evening: Evening): Promise<void> {
  const here = { campaignId: evening.campaignId }
  const runners = [
    [ash, evening.ash],
    [bo, evening.bo],
    [cass, evening.cass],
  ] as const
  for (const [reason, checkId, difficulty] of [
    ['Over the weir', 'skill.acrobatics', 12],
    ['Through the reeds', 'skill.perception', 13],
  ] as const) {
    const { requests } = await dm.call('request_check', {
      ...{ ...here, characterIds: runners.map(([, id]) => id), checkId, difficulty, reason, showDifficulty: true },
    })
    for (const [seat, id] of runners) {
      const request = requests.find((each: { readonly character: { readonly id: number } }) => each.character.id === id)
      if (seat !== ash) await seat.call('answer_check_request', { checkRequestId: request.id })
      else if (browsers === null) await world.as('player', 'answer_check_request', { checkRequestId: request.id })
      else {
        const page = await browsers.phone(`/campaigns/${evening.campaignId}/dice`)
        const card = page.locator('.ask-card').filter({ hasText: reason })
        await card.getByRole('button', { name: 'Roll', exact: true }).click()
        await card.getByRole('button', { name: 'Roll', exact: true }).waitFor({ state: 'detached' })
      }
    }
    const answered = itemsOf(await dm.call('list_check_requests', { ...here, status: 'answered' }))
    expect(answered.filter((each) => each.reason === reason)).toHaveLength(3)
  }
  const { roll: sealed } = await dm.call('roll_dice', {
    ...here,
    expression: '1d20+1',
    label: 'It hides',
    visibility: 'secret',
  })
  expect(itemsOf(await bo.call('list_dice_rolls', here)).map(({ id }) => id)).not.toContain(sealed.id)
  await dm.call('reveal_dice_roll', { rollId: sealed.id })
  expect(itemsOf(await bo.call('list_dice_rolls', here)).map(({ id }) => id)).toContain(sealed.id)
  await cass.call('set_character_conditions', { characterId: evening.cass, add: [{ key: 'exhaustion', level: 1 }] })
  await dm.call('take_short_rest', { ...here, hitDice: [{ characterId: evening.ash, die: 'd10', count: 1 }] })
  await bo.call('adjust_spell_slots', { characterId: evening.bo, level: 1, delta: 1 })
}

/** A fight of the table's own making, run from the desk by keys, with a turn on the phone. */
async function atTheWeir(table: Table, evening: Evening): Promise<number> {
  const { world, dm, bo, browsers } = table
  const here = { campaignId: evening.campaignId }
  const eel = await dm.call('create_homebrew', {
    ...{ ...here, kind: 'creature', name: 'Toll eel', body: 'It has swallowed coins for years.' },
    statblock: {
      ...{ size: 'large', type: 'beast', rating: 1, experience: 200, armourClass: { value: 12 } },
      ...{ hitPoints: { value: 22 }, speeds: { walk: 5, swim: 40 }, abilities: { str: 15, dex: 14, con: 12 } },
      actions: [
        {
          ...{ name: 'Bite', attack: { bonus: 4, kind: 'melee', reach: 5 } },
          damage: [{ dice: '1d8+2', type: 'piercing' }],
        },
      ],
    },
  })
  await dm.call('update_homebrew', { ruleEntryId: eel.id, body: 'It has swallowed the toll for years, and it shows.' })
  const mistake = await dm.call('create_homebrew', { ...here, kind: 'rule', name: 'Wet bowstrings', body: 'No.' })
  await dm.call('delete_homebrew', { ruleEntryId: mistake.id })
  const { id: encounterId } = await dm.call('create_encounter', { ...here, name: 'At the weir', monsterHp: 'band' })
  await bringParty(table, evening, encounterId)
  await dm.call('add_combatant', { encounterId, kind: 'monster', ruleEntryId: eel.id, count: 2 })
  await dm.call('begin_encounter', { encounterId })
  const of = await fightersOf(table, encounterId)
  const address = `/campaigns/${evening.campaignId}/fights/${encounterId}`
  if (browsers === null) {
    await world.as('player', 'damage_combatant', { combatantId: of('Ash'), amount: 5 })
    await world.as('player', 'next_turn', { encounterId })
    await world.as('dm', 'next_turn', { encounterId })
  } else {
    const hers = await browsers.phone(address)
    await hers.getByRole('heading', { name: 'Your turn, Ash' }).waitFor()
    await hers.getByRole('button', { name: 'Lose 5', exact: true }).click()
    await hers.getByRole('button', { name: 'Take it back' }).waitFor()
    const theirs = await browsers.desk(address)
    const status = theirs.locator('.runner [role=status]').first()
    await expect.poll(() => status.textContent()).toContain('Ash acts')
    await hers.getByRole('button', { name: 'End my turn' }).click()
    await expect.poll(() => status.textContent()).toContain('Bo acts')
    await theirs.keyboard.press('n')
    await expect.poll(() => status.textContent()).toContain('Cass acts')
  }
  // Somebody goes under, and is brought back.
  const bite = await dm.call('use_combatant_action', {
    ...{ combatantId: of('Toll eel'), action: 'Bite', targetIds: [of('Dell')], apply: false },
  })
  expect(bite.applied).toBe(false)
  const dell = await dm.call('get_combatant', { combatantId: of('Dell') })
  await dm.call('damage_combatant', { combatantId: of('Dell'), amount: dell.hp, type: 'piercing' })
  await dm.call('next_turn', { encounterId })
  const { acting } = await dm.call('get_turn', { encounterId })
  expect(acting.name).toBe('Dell')
  const saved = await dm.call('roll_death_save', { combatantId: of('Dell') })
  expect(saved.events[0].kind).toBe('death_save')
  await bo.call('heal_combatant', { combatantId: of('Bo'), amount: 1 })
  await dm.call('heal_combatant', { combatantId: of('Dell'), amount: 7 })
  expect((await dm.call('get_combatant', { combatantId: of('Dell') })).lifeState).toBe('up')
  for (const name of ['Toll eel 1', 'Toll eel 2'])
    await dm.call('damage_combatant', { combatantId: of(name), amount: 40, type: 'slashing' })
  await dm.call('end_encounter', { encounterId, outcome: 'The eels are full of coins.' })
  await dm.call('apply_encounter_rewards', {
    ...{ encounterId, xp: 400, coins: { gp: 31, cp: 6 }, items: [{ name: 'A swallowed signet' }] },
  })
  return encounterId
}

/** The one who ran, at bay: over before it began, and taken up again. */
async function atBay(table: Table, evening: Evening): Promise<void> {
  const { dm, ash, cass } = table
  const { id: encounterId } = await dm.call('create_encounter', { campaignId: evening.campaignId, name: 'At bay' })
  await bringParty(table, evening, encounterId)
  const statblock = { rating: 2, abilities: { dex: 12, con: 14 }, actions: [{ ...sword, name: 'Hatchet' }] }
  const runner = { kind: 'monster', name: 'The one who ran', hpMax: 40, ac: 13, statblock }
  await dm.call('add_combatant', { encounterId, ...runner })
  await dm.call('begin_encounter', { encounterId })
  const of = await fightersOf(table, encounterId)
  await dm.call('end_encounter', { encounterId, outcome: 'It gives up.' })
  await dm.call('reopen_encounter', { encounterId })
  await ash.call('use_combatant_action', {
    ...{ combatantId: of('Ash'), action: 'sword', targetIds: [of('The one who ran')], mode: 'advantage' },
  })
  await cass.call('set_combatant_conditions', { combatantId: of('Cass'), remove: [{ key: 'exhaustion' }] })
  await dm.call('set_combatant_conditions', {
    ...{ combatantId: of('The one who ran'), add: [{ key: 'restrained', rounds: 1, source: 'Rope' }] },
  })
  const left = await dm.call('get_combatant', { combatantId: of('The one who ran') })
  await dm.call('damage_combatant', { combatantId: of('The one who ran'), amount: left.hp, knockOut: true })
  await dm.call('end_encounter', { encounterId, outcome: 'Caught, and talking.' })
  const log = itemsOf(await ash.call('list_encounter_events', { encounterId, limit: 50 })).map(({ says }) => says)
  expect(log).toContain('Caught, and talking.')
}

/** What they found is shared out, and they are one level better for it. */
async function loot({ dm, ash, bo, cass }: Table, evening: Evening): Promise<void> {
  const here = { campaignId: evening.campaignId }
  const [signet] = itemsOf(await ash.call('list_inventory', { ...here, party: true }))
  expect((await bo.call('get_inventory_item', { itemId: signet?.id })).name).toBe('A swallowed signet')
  await ash.call('transfer_inventory_item', { itemId: signet?.id, toCharacterId: evening.ash })
  await ash.call('set_item_equipped', { itemId: signet?.id, equipped: true, slot: 'hand' })
  const slime = await cass.call('create_inventory_item', { ...here, characterId: evening.cass, name: 'Eel slime' })
  await cass.call('delete_inventory_item', { itemId: slime.id })
  await bo.call('adjust_treasury', { ...here, delta: { gp: -5 }, reason: 'A new rope for the ferry' })
  const awarded = await dm.call('award_xp', { ...here, amount: 300, reason: 'The rope holds again' })
  expect(awarded.ready).toHaveLength(4)
  for (const [seat, characterId] of [
    [ash, evening.ash],
    [bo, evening.bo],
    [cass, evening.cass],
    [dm, evening.dell],
  ] as const)
    expect((await seat.call('level_up_character', { characterId, hpGain: 7 })).level).toBe(2)
  await ash.call('adjust_character_resource', { characterId: evening.ash, key: 'wind', delta: -1 })
  await ash.call('delete_character_resource', { characterId: evening.ash, key: 'wind' })
  await cass.call('set_character_status', { characterId: evening.tallow, status: 'retired' })
}

/** What is written down, and what is put right, before they go home. */
async function goHome({ world, dm, ash, bo, cass }: Table, evening: Evening): Promise<void> {
  const here = { campaignId: evening.campaignId }
  const note = await ash.call('create_note', { ...here, body: 'It was paid by the reeve.', visibility: 'party' })
  await ash.call('update_note', { noteId: note.id, body: 'It was paid by the reeve, in new coin.' })
  expect((await ash.call('get_note', { noteId: note.id })).body).toContain('new coin')
  const scrap = await cass.call('create_note', { ...here, body: 'Buy rope', visibility: 'private' })
  await cass.call('delete_note', { noteId: scrap.id })
  // To agree to an AI reading along is a person's own act, in the browser.
  await world.as('otherPlayer', 'set_my_ai_consent', { ...here, consent: true })
  const asked = await bo.call('submit_inbox_item', { ...here, body: 'Do we know the reeve?' })
  await dm.call('get_inbox_item', { inboxItemId: asked.id })
  await dm.call('resolve_inbox_item', { inboxItemId: asked.id, resolution: 'By sight.' })
  await dm.call('reopen_inbox_item', { inboxItemId: asked.id })
  await bo.call('delete_inbox_item', { inboxItemId: asked.id })
  const reeve = await dm.call('create_npc', { ...here, name: 'The reeve', role: 'Takes the toll', hidden: true })
  await dm.call('update_npc', { npcId: reeve.id, role: 'Takes every toll' })
  const versions = itemsOf(await dm.call('list_revisions', { ...here, entityType: 'npc', entityId: reeve.id }))
  await dm.call('restore_revision', { revisionId: versions.at(-1)?.id })
  expect((await dm.call('get_npc', { npcId: reeve.id })).role).toBe('Takes the toll')
  await dm.call('reveal_entity', { ...here, entityType: 'npc', entityId: reeve.id })
  await dm.call('hide_entity', { ...here, entityType: 'npc', entityId: reeve.id })
  await cass.refused('get_npc', { npcId: reeve.id })
  const event = await dm.call('create_timeline_event', { ...here, title: 'The rope is cut', worldDate: '390' })
  await dm.call('update_timeline_event', { timelineEventId: event.id, title: 'The rope was cut' })
  expect((await cass.call('get_timeline_event', { timelineEventId: event.id })).title).toBe('The rope was cut')
  const twice = await dm.call('create_timeline_event', { ...here, title: 'The rope is cut', worldDate: '390' })
  await dm.call('delete_timeline_event', { timelineEventId: twice.id })
  const map = await dm.call('get_map', { mapId: evening.mapId })
  await dm.call('remove_map_token', { tokenId: map.tokens[0].id })
  await dm.call('delete_map_pin', { pinId: map.pins[0].id })
  await dm.call('set_quest_status', { questId: evening.questId, status: 'completed' })
  await dm.call('end_session', { sessionId: evening.sessionId })
  await dm.call('publish_session_recap', { sessionId: evening.sessionId, recap: 'The rope holds. The reeve smiles.' })
  await cass.call('list_notifications', {})
  await cass.call('mark_notifications_read', { all: true })
  expect(itemsOf(await cass.call('list_notifications', { unread: true }))).toEqual([])
}

/** How everything stands in the end, as each of them is told. */
async function asItStands({ dm, bo, cass }: Table, evening: Evening, encounterId: number): Promise<void> {
  const here = { campaignId: evening.campaignId }
  const { characters } = await bo.call('get_party', here)
  expect(
    Object.fromEntries(characters.map(({ name, level, experience }: Row) => [name, { level, experience }])),
  ).toMatchObject({ Ash: { level: 2 }, Bo: { level: 2 }, Cass: { level: 2 }, Dell: { level: 2 } })
  const xp = new Set(characters.map(({ experience }: Row) => experience))
  // All of them were in the same fights and were given the same.
  expect(xp.size).toBe(1)
  const { coins } = await cass.call('get_treasury', here)
  expect(coins).toMatchObject({ gp: 26, sp: 14, cp: 6 })
  const ash = await dm.call('get_character', { characterId: evening.ash })
  expect([ash.hpMax, ash.hp <= ash.hpMax, ash.resources]).toEqual([19, true, []])
  const fights = itemsOf(await bo.call('list_encounters', here))
  expect(fights.map(({ name, status }) => [name, status])).toEqual([
    ['At bay', 'ended'],
    ['At the weir', 'ended'],
    ['At the landing', 'ended'],
  ])
  const weir = await dm.call('get_encounter', { encounterId })
  expect(weir.rewards).toMatchObject({ xp: 400, each: 80, items: ['A swallowed signet'] })
  expect((await dm.call('get_quest', { questId: evening.questId })).status).toBe('completed')
}
