import { expect } from 'vitest'
import type { Seat } from '../support/played.ts'
import type { TestWorld } from '../support/world.ts'

// A campaign from session zero to its third recap: the assistant of a Dungeon Master, two players and somebody who watches.

type Row = Readonly<Record<string, unknown>>

export interface TaleTable {
  readonly world: TestWorld
  readonly dm: Seat
  readonly wren: Seat
  readonly oda: Seat
  readonly guest: Seat
}

export async function playTale({ world, dm, wren, oda, guest }: TaleTable): Promise<void> {
  const itemsOf = (answer: { readonly items: readonly Row[] }): readonly Row[] => answer.items

  // Session zero: a campaign, its people, what the table agrees on, and who they are.
  await dm.call('get_me')
  await dm.call('list_campaigns')
  const { id: campaignId } = await dm.call('create_campaign', {
    name: 'The Salt Lantern',
    ruleSystem: 'D&D 5e (2024)',
    hidesNewThings: false,
  })
  const here = { campaignId }
  await dm.call('update_campaign', { ...here, description: 'A lighthouse that burns years instead of oil.' })
  await dm.call('set_campaign_status', { ...here, status: 'active' })
  const invite = await dm.call('create_invite', { ...here, role: 'player', maxUses: 2 })
  await wren.call('accept_invite', { code: invite.code })
  await oda.call('accept_invite', { code: invite.code })
  const watching = await dm.call('create_invite', { ...here, role: 'viewer' })
  // With a key that only reads, one joins in the browser.
  expect((await guest.refused('accept_invite', { code: watching.code })).code).toBe('forbidden')
  await world.as('viewer', 'accept_invite', { code: watching.code })
  const other = await dm.call('add_member', { ...here, username: 'coDm', role: 'viewer' })
  await dm.call('update_member', { memberId: other.id, role: 'dm' })
  await dm.call('remove_member', { memberId: other.id })
  expect(itemsOf(await dm.call('list_members', here)).map(({ role }) => role)).toEqual([
    ...['dm', 'player', 'player', 'viewer'],
  ])
  await dm.call('revoke_invite', { inviteId: itemsOf(await dm.call('list_invites', here))[0]?.id })
  await dm.call('update_campaign_settings', { ...here, playersPropose: true })
  await dm.call('get_campaign_settings', here)
  await dm.call('update_charter', {
    ...here,
    tone: 'Quiet dread, and kindness.',
    lines: '- Harm to animals at length',
    veils: '- Drowning',
  })
  const charter = await wren.call('get_charter', here)
  expect(charter.lines).toContain('animals')
  await wren.call('acknowledge_charter', { ...here, revision: charter.revision })
  await oda.call('acknowledge_charter', { ...here, revision: charter.revision })
  await wren.call('set_my_support_preference', {
    ...here,
    text: 'Tell me before a jump scare.',
    sharedWithDm: true,
    aiUseAllowed: false,
  })
  await oda.call('get_my_ai_consent', here)
  await oda.call('set_my_ai_consent', { ...here, consent: false })

  // The world and the story of it.
  await dm.call('update_world_calendar', {
    ...here,
    months: [
      { name: 'Brine', days: 30 },
      { name: 'Gull', days: 30 },
    ],
    weekdays: ['Tideday', 'Netday', 'Restday'],
    currentDate: '301-1-4',
  })
  await dm.call('get_world_calendar', here)
  const coast = await dm.call('create_location', {
    ...here,
    name: 'The Saltgrave coast',
    kind: 'coast',
    discovery: 'discovered',
  })
  const tower = await dm.call('create_location', {
    ...here,
    name: 'The Lantern',
    kind: 'lighthouse',
    parentLocationId: coast.id,
    discovery: 'discovered',
  })
  const cave = await dm.call('create_location', { ...here, name: 'The Wick', kind: 'cave', hidden: true })
  await dm.call('move_location', { locationId: cave.id, parentLocationId: tower.id })
  await dm.call('update_location', { locationId: tower.id, body: 'It has not been dark for ninety years.' })
  const guild = await dm.call('create_faction', { ...here, name: 'The Wickers', kind: 'A guild', reputation: 10 })
  await dm.call('update_faction', { factionId: guild.id, goals: '- Keep the light\n- Keep the price quiet' })
  const keeper = await dm.call('create_npc', {
    ...here,
    name: 'Isel Marrow',
    role: 'Keeper of the light',
    locationId: tower.id,
    factionId: guild.id,
    dmSecret: 'She has burnt her own childhood already.',
    tags: ['lantern'],
  })
  const stranger = await dm.call('create_npc', { ...here, name: 'The Tallow Man', hidden: true })
  await dm.call('update_npc', { npcId: keeper.id, voice: 'As if she counted the words left.' })
  await dm.call('create_relation', {
    ...here,
    fromType: 'npc',
    fromId: keeper.id,
    toType: 'npc',
    toId: stranger.id,
    label: 'pays him',
    inverseLabel: 'is owed by',
    hidden: true,
  })
  const [bond] = itemsOf(await dm.call('list_relations', here))
  await dm.call('update_relation', { relationId: bond?.id, label: 'pays him in years' })
  await dm.call('get_relation_graph', { ...here, aroundType: 'npc', aroundId: keeper.id })
  await dm.call('create_timeline_event', {
    ...here,
    title: 'The Lantern is lit',
    worldDate: '211',
    body: 'Nobody says how.',
  })
  await dm.call('create_timeline_event', { ...here, title: 'The next year falls due', worldDate: '301-1-9' })
  const quest = await dm.call('create_quest', {
    ...here,
    title: 'What the light costs',
    body: `[Isel](npc:${keeper.id}) asks for oil, and looks away.`,
    giverNpcId: keeper.id,
    locationId: tower.id,
    status: 'active',
  })
  const second = await dm.call('create_quest', { ...here, title: 'A boat that came back empty' })
  await dm.call('reorder_quests', { ...here, questIds: [second.id, quest.id] })
  const ask = await dm.call('create_objective', { questId: quest.id, text: 'Ask Isel what she cannot remember' })
  const climb = await dm.call('create_objective', { questId: quest.id, text: 'Climb to the lamp', optional: true })
  await dm.call('update_objective', { objectiveId: climb.id, text: 'Climb to the lamp by night' })
  await dm.call('reorder_objectives', { questId: quest.id, objectiveIds: [climb.id, ask.id] })
  const arc = await dm.call('create_arc', { ...here, title: 'Ninety years of light', summary: 'Who paid.' })
  const later = await dm.call('create_arc', { ...here, title: 'The dark coast' })
  await dm.call('reorder_arcs', { ...here, arcIds: [arc.id, later.id] })
  await dm.call('set_arc_status', { arcId: arc.id, status: 'active' })
  const arrive = await dm.call('create_beat', { arcId: arc.id, title: 'They come by boat', locationId: coast.id })
  const refuse = await dm.call('create_beat', { arcId: arc.id, title: 'The lamp goes out' })
  const pay = await dm.call('create_beat', { arcId: arc.id, title: 'Somebody pays', questId: quest.id })
  await dm.call('move_beat', { beatId: pay.id, afterBeatId: arrive.id })
  await dm.call('set_beat_status', { beatId: arrive.id, status: 'active' })
  await dm.call('update_beat', { beatId: arrive.id, body: 'Fog, and one light in it.' })
  const payBranch = await dm.call('create_branch', { beatId: arrive.id, label: 'They pay', toBeatId: pay.id })
  await dm.call('create_branch', { beatId: arrive.id, label: 'They refuse', toBeatId: refuse.id })
  await dm.call('update_branch', { branchId: payBranch.id, condition: 'if one of them offers a year' })
  expect(JSON.stringify(await dm.call('get_story_graph', here))).toContain('Somebody pays')
  const met = await dm.call('create_random_table', {
    ...here,
    name: 'Washed ashore',
    expression: '1d4',
    rows: [
      { from: 1, to: 2, text: 'Nothing but foam' },
      { from: 3, text: '[[1d4]] candles, still dry' },
      { from: 4, text: 'A boot with a name in it' },
    ],
  })
  await dm.call('roll_random_table', { tableId: met.id })
  await dm.call('update_random_table', { tableId: met.id, description: 'Whenever they walk the tide line' })
  await dm.call('get_random_table', { tableId: met.id })
  await dm.call('create_homebrew', {
    ...here,
    kind: 'rule',
    name: 'Burning a year',
    body: 'Advantage, and one memory less.',
  })
  await dm.call('list_homebrew', here)

  // Who they play.
  const fern = await wren.call('create_character', {
    ...here,
    name: 'Fern',
    className: 'Cleric',
    level: 2,
    abilities: { wis: 16, con: 14 },
    hpMax: 17,
    ac: 16,
  })
  const asked = await oda.call('create_character', {
    ...here,
    name: 'Bram',
    className: 'Fighter',
    level: 2,
    hpMax: 20,
    ac: 17,
  })
  const sage = await dm.call('create_character', { ...here, name: 'Old Teal', level: 1, hpMax: 6 })
  await dm.call('assign_character', { characterId: sage.id, userId: world.userId.player })
  await wren.call('update_character', { characterId: fern.id, body: 'She whistles when she is afraid.' })
  await wren.call('set_character_resource', {
    characterId: fern.id,
    key: 'turn',
    name: 'Turn undead',
    max: 1,
    recharge: 'short',
  })
  await wren.call('adjust_character_resource', { characterId: fern.id, key: 'turn', delta: -1 })
  const rope = await wren.call('create_inventory_item', { ...here, characterId: fern.id, name: 'Rope', quantity: 2 })
  await wren.call('transfer_inventory_item', { itemId: rope.id, toCharacterId: asked.id, quantity: 1 })
  const knife = await oda.call('create_inventory_item', { ...here, characterId: asked.id, name: 'Gutting knife' })
  await oda.call('set_item_equipped', { itemId: knife.id, equipped: true })
  await oda.call('update_inventory_item', { itemId: knife.id, notes: 'Her mother’s.' })
  await dm.call('adjust_treasury', { ...here, delta: { gp: 40 }, reason: 'What the guild paid ahead' })
  expect((await dm.call('get_party', here)).characters.length).toBe(3)
  expect((await guest.call('get_treasury', here)).coins).toMatchObject({ gp: 40 })

  // When they meet.
  const night = await dm.call('create_game_night', {
    ...here,
    startsAt: '2026-12-04T19:00',
    timeZone: 'Europe/Brussels',
    location: 'At Noor’s',
  })
  await wren.call('set_rsvp', { gameNightId: night.id, answer: 'yes' })
  await oda.call('set_rsvp', { gameNightId: night.id, answer: 'maybe', note: 'The train' })
  await dm.call('update_game_night', { gameNightId: night.id, startsAt: '2026-12-05T19:00' })
  expect((await guest.call('get_next_game_night', here)).gameNight).toMatchObject({ id: night.id })
  await dm.call('cancel_game_night', { gameNightId: night.id, reason: 'Snow' })
  await dm.call('reinstate_game_night', { gameNightId: night.id })

  const recaps = [
    'We came by boat, and the light was on.',
    'Bram bled on the stair. The Tallow Man has a face after all.',
    'Somebody paid. The light is on, and none of us says who.',
  ]
  const evenings: number[] = []
  for (const [index, title] of ['The boat', 'The stair', 'The price'].entries()) {
    const session = await dm.call('create_session', {
      ...here,
      title,
      prep: `Begin with what waits. [Isel](npc:${keeper.id}).`,
    })
    evenings.push(session.id)
    const prep = await dm.call('get_session_prep', here)
    expect(prep.nextSession.id).toBe(session.id)
    await dm.call('start_session', { sessionId: session.id })
    await dm.call('set_session_attendance', { sessionId: session.id, characterIds: [fern.id, asked.id] })

    if (index === 0) {
      await wren.call('roll_dice', { ...here, expression: '1d20+3', label: 'To see the rocks', characterId: fern.id })
      await wren.call('list_checks', { characterId: fern.id, limit: 5 })
      await wren.call('roll_check', { characterId: fern.id, checkId: 'skill.perception' })
      const { requests } = await dm.call('request_check', {
        ...here,
        characterIds: [fern.id, asked.id],
        checkId: 'skill.insight',
        difficulty: 12,
        reason: 'Isel looks away',
      })
      const of = (id: number) => (each: { readonly character: { readonly id: number } }) => each.character.id === id
      const forFern = requests.find(of(fern.id))
      await wren.call('answer_check_request', { checkRequestId: forFern.id })
      const forBram = requests.find(of(asked.id))
      await dm.call('cancel_check_request', { checkRequestId: forBram.id })
      await wren.call('set_objective_done', { objectiveId: ask.id, done: true })
      await wren.call('create_note', { ...here, body: 'Isel cannot say where she grew up.', visibility: 'party' })
      await oda.call('create_note', { ...here, body: 'I do not trust Wren’s cleric.', visibility: 'private' })
      await oda.call('send_whisper', { ...here, recipientUserId: world.userId.dm, body: 'Bram takes a candle.' })
      const question = await wren.call('submit_inbox_item', { ...here, body: 'May Fern read the log of the tower?' })
      await dm.refused('get_inbox_item', { inboxItemId: question.id })
      await wren.call('list_inbox_items', here)
      await dm.call('set_npc_disposition', { npcId: keeper.id, disposition: 'friendly' })
      await dm.call('adjust_faction_reputation', { factionId: guild.id, delta: -5, reason: 'They asked too much' })
      await wren.call('raise_safety_signal', { ...here, kind: 'pause' })
      await dm.call('clear_safety_signal', here)
    }
    if (index === 1) {
      const fight = await dm.call('create_encounter', {
        ...here,
        name: 'On the stair',
        questId: quest.id,
        locationId: tower.id,
      })
      await dm.call('add_combatant', { encounterId: fight.id, kind: 'character', characterId: fern.id })
      await dm.call('add_combatant', { encounterId: fight.id, kind: 'character', characterId: asked.id })
      await dm.call('add_combatant', {
        encounterId: fight.id,
        kind: 'monster',
        name: 'Wax hound',
        count: 2,
        hpMax: 11,
        ac: 12,
        statblock: {
          rating: 0.5,
          abilities: { dex: 14 },
          actions: [{ key: 'bite', name: 'Bite', attack: 4, damage: [{ expression: '1d6+2', type: 'piercing' }] }],
        },
      })
      await dm.call('get_encounter_difficulty', { encounterId: fight.id })
      await dm.call('begin_encounter', { encounterId: fight.id })
      const fighters = itemsOf(await dm.call('list_combatants', { encounterId: fight.id }))
      const of = (name: string) => fighters.find((each) => String(each.name).startsWith(name))?.id
      const [hound, bram] = [of('Wax hound'), of('Bram')]
      await dm.call('set_combatant_initiative', { combatantId: bram, initiative: 22 })
      await dm.call('update_combatant', { combatantId: hound, notes: 'It smells of honey.' })
      await dm.call('use_combatant_action', { combatantId: hound, action: 'Bite', targetIds: [bram] })
      await dm.call('damage_combatant', { combatantId: bram, amount: 9, type: 'fire' })
      await oda.call('set_combatant_conditions', { combatantId: bram, add: [{ key: 'prone', rounds: 1 }] })
      await oda.call('heal_combatant', { combatantId: bram, amount: 3 })
      expect((await guest.call('get_combatant', { combatantId: hound })).hp).toBeUndefined()
      await dm.call('get_turn', { encounterId: fight.id })
      await dm.call('next_turn', { encounterId: fight.id })
      await dm.call('damage_combatant', { combatantId: hound, amount: 30 })
      const [blow] = itemsOf(await dm.call('list_encounter_events', { encounterId: fight.id, limit: 1 }))
      expect(blow).toBeDefined()
      await dm.call('end_encounter', { encounterId: fight.id, outcome: 'The hounds are wax.' })
      await dm.call('get_encounter_aftermath', { encounterId: fight.id })
      await dm.call('apply_encounter_rewards', {
        encounterId: fight.id,
        xp: 100,
        coins: { gp: 5 },
        items: [{ name: 'A dry candle' }],
      })
      await dm.call('reveal_entity', { ...here, entityType: 'npc', entityId: stranger.id })
      await oda.call('adjust_character_hp', { characterId: asked.id, delta: -1 })
      await wren.call('set_character_conditions', { characterId: fern.id, add: [{ key: 'frightened' }] })
      await dm.call('take_short_rest', here)
    }
    if (index === 2) {
      expect((await dm.call('take_branch', { branchId: payBranch.id })).id).toBe(arrive.id)
      const asking = await oda.call('create_proposal', {
        ...here,
        changes: [
          { operation: 'create_location', input: { name: 'The Tallow works' }, as: 'works' },
          { operation: 'create_npc', input: { name: 'Dip', locationId: { $of: 'works' } } },
        ],
        reason: 'We met Dip on the way out',
      })
      // Oda agreed to no outside AI: it is the Dungeon Master herself who reads it and takes it.
      expect(itemsOf(await dm.call('list_proposals', { ...here, status: 'pending' }))).toEqual([])
      await dm.refused('get_proposal', { proposalId: asking.id })
      const { revision } = await oda.call('get_proposal', { proposalId: asking.id })
      await world.as('dm', 'approve_proposals', { ...here, proposals: [{ proposalId: asking.id, revision }] })
      const vain = await wren.call('update_quest', { questId: quest.id, reward: 'The tower' })
      await wren.call('withdraw_proposal', { proposalId: vain.proposal.id })
      const idea = await dm.call('create_proposal', {
        ...here,
        changes: [{ operation: 'set_location_discovery', input: { locationId: tower.id, discovery: 'explored' } }],
      })
      const own = { proposalId: idea.id, revision: idea.revision }
      await dm.call('approve_proposals', { ...here, proposals: [own] })
      await dm.call('set_quest_status', { questId: quest.id, status: 'completed' })
      await dm.call('award_xp', { ...here, amount: 200, reason: 'They paid' })
      await dm.call('level_up_character', { characterId: fern.id, hpGain: 6 })
      const gone = await dm.call('create_npc', { ...here, name: 'A mistake' })
      await dm.call('delete_npc', { npcId: gone.id })
      expect(itemsOf(await dm.call('list_trash', here))[0]?.entityId).toBe(gone.id)
      await dm.call('restore_from_trash', { ...here, entityType: 'npc', entityId: gone.id })
      await dm.call('delete_npc', { npcId: gone.id })
      await dm.call('purge_from_trash', { ...here, entityType: 'npc', entityId: gone.id })
      const [record] = itemsOf(await dm.call('list_audit_records', { ...here, operation: 'award_xp' }))
      await dm.call('get_audit_record', { auditRecordId: record?.id })
      await dm.call('revert_change', { auditRecordId: record?.id })
      const versions = itemsOf(await dm.call('list_revisions', { ...here, entityType: 'npc', entityId: keeper.id }))
      expect(versions.length).toBeGreaterThan(2)
      await dm.call('get_revision', { revisionId: versions[0]?.id })
    }
    await dm.call('take_long_rest', { ...here, advanceDays: 1 })
    await dm.call('end_session', { sessionId: session.id })
    await dm.call('draft_session_recap', { ...here, sessionId: session.id })
    await dm.call('publish_session_recap', { sessionId: session.id, recap: recaps[index] })
  }
  const reached = await dm.call('advance_world_date', { ...here, days: 3 })
  expect(JSON.stringify(reached)).toContain('The next year falls due')
  const share = await dm.call('create_session_share', { sessionId: evenings[2], expiresAt: '2026-12-24T18:00:00Z' })
  expect(share.path).toContain('/share/')
  await dm.call('list_session_shares', { sessionId: evenings[2] })

  // What everybody finds afterwards.
  expect(itemsOf(await guest.call('list_session_recaps', here)).map(({ recap }) => recap)).toEqual(recaps.toReversed())
  expect(itemsOf(await guest.call('search_campaign', { ...here, query: 'tallow' })).map(({ title }) => title)).toEqual(
    expect.arrayContaining(['The Tallow Man', 'The Tallow works']),
  )
  expect(JSON.stringify(await guest.call('search_campaign', { ...here, query: 'tallow' }))).toContain(
    'The **Tallow** Man',
  )
  await guest.refused('get_location', { locationId: cave.id })
  expect((await guest.refused('create_npc', { ...here, name: 'x' })).code).toBe('forbidden')
  expect(itemsOf(await guest.call('list_relations', here))).toEqual([])
  expect(itemsOf(await dm.call('list_notes', here)).map(({ excerpt }) => excerpt)).not.toContain(
    'I do not trust Wren’s cleric.',
  )
  for (const tool of [
    ...['list_quests', 'list_npcs', 'list_locations', 'list_factions', 'list_maps', 'list_characters', 'list_sessions'],
    ...[
      'list_game_nights',
      'list_encounters',
      'list_timeline_events',
      'list_dice_rolls',
      'list_inventory',
      'list_tags',
    ],
    ...['list_recent_changes', 'get_campaign', 'get_campaign_summary', 'get_campaign_statistics', 'list_attachments'],
  ])
    await guest.call(tool, here)
  await guest.call('get_npc', { npcId: keeper.id })
  await guest.call('get_faction', { factionId: guild.id })
  await guest.call('get_session', { sessionId: evenings[0] })
  await guest.call('list_mentions', { ...here, entityType: 'npc', entityId: keeper.id })
  await guest.call('list_notifications')
  await dm.call('list_arcs', here)
  await dm.call('list_beats', { arcId: arc.id })
  await dm.call('get_arc', { arcId: arc.id })
  await dm.call('list_random_tables', here)
  await dm.call('export_campaign', { ...here, format: 'zip', profile: 'handoff' })

  const state = await dm.call('get_quest', { questId: quest.id })
  expect(state).toMatchObject({ status: 'completed', giverNpc: { title: 'Isel Marrow' } })
  expect(state.objectives.map(({ text, done }: Row) => [text, done])).toEqual([
    ['Climb to the lamp by night', false],
    ['Ask Isel what she cannot remember', true],
  ])
  expect((await dm.call('get_beat', { beatId: pay.id })).status).toBe('active')
  expect((await dm.call('get_beat', { beatId: refuse.id })).status).toBe('skipped')
  expect((await dm.call('get_character', { characterId: fern.id })).level).toBe(3)
  expect((await dm.call('get_faction', { factionId: guild.id })).reputation).toBe(5)
  expect((await dm.call('get_treasury', here)).coins).toMatchObject({ gp: 45 })
  expect((await dm.call('get_world_calendar', here)).currentDate).toBe('301-1-10')
  const [dip] = itemsOf(await dm.call('list_npcs', { ...here, query: 'Dip' }))
  expect(dip?.location).toMatchObject({ title: 'The Tallow works' })
}
