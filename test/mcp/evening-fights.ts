import { expect } from 'vitest'
import { type Evening, itemsOf, namesOf, sword, type Table } from './evening-table.ts'

// The fights of the evening and the chase between them.

/** Puts all of the party into a fight; Ash first, so that the phone has the first turn. */
async function bringParty({ dm }: Table, { party }: Evening, encounterId: number): Promise<void> {
  for (const [index, characterId] of party.entries())
    await dm.call('add_combatant', {
      encounterId,
      kind: 'character',
      characterId,
      initiativeModifier: 100 - 25 * index,
    })
}

async function fightersOf({ dm }: Table, encounterId: number) {
  const rows = itemsOf(await dm.call('list_combatants', { encounterId }))
  return (name: string): number => Number(rows.find((each) => String(each.name).startsWith(name))?.id)
}

/** From the rule pack to the log: a fight that the dice made up, run by assistants alone. */
export async function atTheLanding(table: Table, evening: Evening): Promise<void> {
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
export async function chase({ world, dm, ash, bo, cass, browsers }: Table, evening: Evening): Promise<void> {
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
        // It stands above the tray, so that a thumb reaches it.
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
export async function atTheWeir(table: Table, evening: Evening): Promise<number> {
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
export async function atBay(table: Table, evening: Evening): Promise<void> {
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
