import { expect } from 'vitest'
import { beyondRogue } from '../support/foreign-sheets.ts'
import type { Seat } from '../support/played.ts'
import { tinyPng } from '../support/world-content.ts'
import { atBay, atTheLanding, atTheWeir, chase } from './evening-fights.ts'
import { abilities, bow, type Evening, itemsOf, type Row, sword, type Table, word } from './evening-table.ts'

// One evening of a table: five characters, three fights, a chase, what they found, and a level. The Dungeon Master has an
// assistant and a browser, one player an assistant and a phone, two players an assistant each.

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

async function sitDown({ world, dm, ash, bo, cass }: Table): Promise<Evening> {
  const { id: campaignId } = await dm.call('create_campaign', {
    ...{ name: 'The Ferry Toll', ruleSystem: 'dnd5e 2014', hidesNewThings: false },
  })
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
