import { beforeEach, describe, expect, test } from 'vitest'
import { type Answer, makeTable, type Person, type Table } from './support.ts'

// Fights on a real store: who sees what of them, who may do what when, and what takes it back.

let table: Table
beforeEach(async () => {
  table = await makeTable()
  await table.call('ellen', 'update_campaign', { ruleSystem: 'dnd5e 2014' })
})

const dm = (name: string, input: object = {}): Promise<Answer> => table.call('ellen', name, { ...input })
const fight = async (values: object = {}): Promise<number> =>
  (await dm('create_encounter', { name: 'The press-house at midnight', ...values })).id
const add = async (encounterId: number, name: string, values: object = {}): Promise<number> =>
  (await dm('add_combatant', { encounterId, kind: 'monster', name, hpMax: 20, ac: 12, ...values })).id
const wren = (encounterId: number, values: object = {}) =>
  add(encounterId, 'Wren', { kind: 'character', controllerUserId: table.userId('wren'), hpMax: 31, ...values })
const get = (person: Person, encounterId: number): Promise<Answer> =>
  table.call(person, 'get_encounter', { encounterId })
const namesOf = ({ combatants }: Answer): string[] => combatants.map(({ name }: Answer) => name)
const events = async (person: Person, encounterId: number): Promise<Answer[]> =>
  (await table.call(person, 'list_encounter_events', { encounterId, limit: 200 })).items

/** Wren first, then a stag, then a picker whom players do not see. */
async function midnight() {
  const encounterId = await fight()
  const ids = {
    wren: await wren(encounterId),
    stag: await add(encounterId, 'Wicker Stag', { hpMax: 85 }),
    picker: await add(encounterId, 'Hollow Picker', { hidden: true }),
  }
  for (const [combatantId, initiative] of [
    [ids.wren, 21],
    [ids.stag, 18],
    [ids.picker, 13],
  ])
    await dm('set_combatant_initiative', { combatantId, initiative })
  await dm('begin_encounter', { encounterId })
  return { encounterId, ...ids }
}

type Midnight = Awaited<ReturnType<typeof midnight>>

/** All that tells of a fight, but for what only counts changes. */
async function stateOf(encounterId: number): Promise<string> {
  const whole = await get('ellen', encounterId)
  const timeless = (row: Answer) => ({ ...row, revision: 0, updatedAt: '' })
  return JSON.stringify({ ...timeless(whole), combatants: whole.combatants.map(timeless) })
}

describe('a fight', () => {
  test('is not there for players until it begins, and then without whom they do not see', async () => {
    const encounterId = await fight({ dmSecret: 'The left antler.' })
    await wren(encounterId)
    await expect(get('wren', encounterId)).rejects.toMatchObject({ code: 'not_found' })
    expect((await table.call('wren', 'list_encounters')).items).toEqual([])
    const running = await midnight()
    const [whole, seen] = [await get('ellen', running.encounterId), await get('wren', running.encounterId)]
    expect(namesOf(whole)).toEqual(['Wren', 'Wicker Stag', 'Hollow Picker'])
    expect([namesOf(seen), seen.combatantCount, seen.dmSecret]).toEqual([['Wren', 'Wicker Stag'], 2, undefined])
    expect([whole.round, whole.turn]).toEqual([1, `1.${running.wren}`])
  })

  test('goes round by round, and a turn that is over is not ended again', async () => {
    const { encounterId, wren: first } = await midnight()
    const turn = await table.call('wren', 'next_turn', { encounterId, expectedTurn: `1.${first}` })
    expect([turn.acting.name, turn.next.map(({ name }: Answer) => name)]).toEqual(['Wicker Stag', ['Wren']])
    expect(await table.refusal('ellen', 'next_turn', { encounterId, expectedTurn: `1.${first}` })).toMatchObject({
      code: 'invalid_state',
      message: expect.stringContaining('That turn is over'),
    })
    await dm('next_turn', { encounterId })
    const hidden = await table.call('wren', 'get_turn', { encounterId })
    expect([hidden.acting, hidden.turn]).toEqual([null, null])
    const round = await dm('next_turn', { encounterId })
    expect([round.round, round.acting.name]).toEqual([2, 'Wren'])
  })

  test('is ended by nobody whose turn it is not', async () => {
    const { encounterId } = await midnight()
    expect(await table.refusal('pell', 'next_turn', { encounterId })).toMatchObject({ code: 'forbidden' })
    await table.call('wren', 'next_turn', { encounterId })
    expect(await table.refusal('wren', 'next_turn', { encounterId })).toMatchObject({ code: 'forbidden' })
  })

  test('steps back exactly one turn, and what was done meanwhile stays', async () => {
    const { encounterId, wren: first, stag } = await midnight()
    await dm('set_combatant_conditions', { combatantId: first, add: [{ key: 'poisoned', rounds: 1 }] })
    const before = await stateOf(encounterId)
    await dm('next_turn', { encounterId })
    expect((await dm('get_combatant', { combatantId: first })).conditions).toEqual([])
    await dm('previous_turn', { encounterId })
    expect(await stateOf(encounterId)).toBe(before)
    await dm('next_turn', { encounterId })
    await dm('damage_combatant', { combatantId: stag, amount: 7 })
    await dm('previous_turn', { encounterId })
    expect((await dm('get_combatant', { combatantId: stag })).hp).toBe(78)
    expect(await table.refusal('ellen', 'previous_turn', { encounterId })).toMatchObject({
      message: expect.stringContaining('no turn to go back to'),
    })
  })

  test('that has ended changes no more, until it is taken up again where it stood', async () => {
    const { encounterId, stag } = await midnight()
    await dm('end_encounter', { encounterId, outcome: 'They ran.' })
    const before = await stateOf(encounterId)
    for (const [name, input] of [
      ['damage_combatant', { combatantId: stag, amount: 5 }],
      ['heal_combatant', { combatantId: stag, amount: 5 }],
      ['set_combatant_conditions', { combatantId: stag, add: [{ key: 'prone' }] }],
      ['next_turn', { encounterId }],
      ['previous_turn', { encounterId }],
      ['roll_initiative', { encounterId, reroll: true }],
      ['move_combatant', { combatantId: stag, afterCombatantId: null }],
      ['remove_combatant', { combatantId: stag }],
      ['add_combatant', { encounterId, kind: 'monster', name: 'Late' }],
      ['use_combatant_action', { combatantId: stag, action: 'Antlers' }],
      ['update_combatant', { combatantId: stag, hpMax: 5 }],
      ['begin_encounter', { encounterId }],
      ['end_encounter', { encounterId }],
    ] as const) {
      const refusal = await table.refusal('ellen', name, input)
      expect([name, refusal.code, refusal.message]).toEqual([name, 'invalid_state', expect.stringMatching(/ended/)])
    }
    expect(await stateOf(encounterId)).toBe(before)
    const again = await dm('reopen_encounter', { encounterId })
    expect([again.status, again.round]).toEqual(['running', 1])
  })

  test('copied begins anew, with everybody unhurt', async () => {
    const { encounterId, stag } = await midnight()
    await dm('damage_combatant', { combatantId: stag, amount: 50 })
    const copy = await dm('duplicate_encounter', { encounterId, name: 'Again' })
    const whole = await get('ellen', copy.id)
    expect([whole.status, namesOf(whole)]).toEqual(['planning', ['Wren', 'Wicker Stag', 'Hollow Picker']])
    expect(whole.combatants.map(({ hp, initiative }: Answer) => [hp, initiative])).toEqual([
      [31, null],
      [85, null],
      [20, null],
    ])
  })

  test('holds a hundred and no more', async () => {
    const encounterId = await fight()
    await add(encounterId, 'Rat', { count: 50 })
    await add(encounterId, 'Bat', { count: 50 })
    expect(await table.refusal('ellen', 'add_combatant', { encounterId, kind: 'monster', name: 'Cat' })).toMatchObject({
      code: 'validation_failed',
      message: expect.stringContaining('100 are the most'),
    })
    expect((await dm('list_combatants', { encounterId, limit: 200 })).items).toHaveLength(100)
  })
})

describe('hit points of a creature', () => {
  const stagOf = (whole: Answer) => whole.combatants.find(({ name }: Answer) => name === 'Wicker Stag')

  test.each([
    ['exact', 38, 'bloodied', 85],
    ['band', undefined, 'bloodied', undefined],
    ['hidden', undefined, undefined, undefined],
  ])('are shown to players as %s', async (monsterHp, hp, band, hpMax) => {
    const { encounterId, stag } = await midnight()
    await dm('update_encounter', { encounterId, monsterHp })
    await dm('damage_combatant', { combatantId: stag, amount: 47, type: 'fire' })
    const seen = stagOf(await get('wren', encounterId))
    expect([seen.hp, seen.band, seen.hpMax]).toEqual([hp, band, hpMax])
    const one = await table.call('wren', 'get_combatant', { combatantId: stag })
    expect([one.hp, one.band, one.ac, one.statblock]).toEqual([hp, band, undefined, undefined])
    expect(stagOf(await get('ellen', encounterId)).hp).toBe(38)
    const [told] = await events('wren', encounterId)
    expect([told.kind, told.says]).toEqual(['damage', 'Hurt by fire.'])
    const number = monsterHp === 'exact' ? 47 : undefined
    expect([told.amount, told.numbers === undefined]).toEqual([number, monsterHp !== 'exact'])
  })

  test('of a character are the whole table’s, and its player may change them', async () => {
    const { encounterId, wren: combatantId } = await midnight()
    const hurt = await table.call('wren', 'damage_combatant', { combatantId, amount: 8 })
    expect(hurt.hp).toBe(23)
    expect((await get('pell', encounterId)).combatants[0].hp).toBe(23)
    expect(await table.refusal('pell', 'damage_combatant', { combatantId, amount: 1 })).toMatchObject({
      code: 'forbidden',
    })
    const healed = await table.call('wren', 'heal_combatant', { combatantId, amount: 100 })
    expect([healed.hp, healed.events[0].amount]).toEqual([31, 8])
  })
})

describe('somebody hidden', () => {
  test('is in no answer, list, count, event or order of a player, whatever they do', async () => {
    const { encounterId, picker, stag } = await midnight()
    await dm('next_turn', { encounterId })
    await dm('next_turn', { encounterId })
    await dm('damage_combatant', { combatantId: picker, amount: 3 })
    await dm('move_combatant', { combatantId: picker, afterCombatantId: null })
    await dm('set_combatant_initiative', { combatantId: picker, initiative: 30 })
    const told = JSON.stringify([
      await get('wren', encounterId),
      await events('wren', encounterId),
      await table.call('wren', 'get_turn', { encounterId }),
      await table.call('wren', 'list_combatants', { encounterId }),
    ])
    expect(told).not.toContain('Picker')
    expect(told).not.toContain(`"${picker}"`)
    expect((await events('ellen', encounterId)).length).toBeGreaterThan((await events('wren', encounterId)).length)
    await expect(table.call('wren', 'get_combatant', { combatantId: picker })).rejects.toMatchObject({
      code: 'not_found',
    })
    await expect(
      table.call('wren', 'use_combatant_action', { combatantId: picker, action: 'x' }),
    ).rejects.toMatchObject({ code: 'not_found' })
    const before = await table.call('wren', 'get_combatant', { combatantId: stag })
    await dm('move_combatant', { combatantId: picker, afterCombatantId: stag })
    expect(await table.call('wren', 'get_combatant', { combatantId: stag })).toEqual(before)
  })

  test('comes into the order when shown, and what it did before stays untold', async () => {
    const { encounterId, picker } = await midnight()
    await dm('damage_combatant', { combatantId: picker, amount: 3 })
    await dm('update_combatant', { combatantId: picker, hidden: false })
    expect(namesOf(await get('wren', encounterId))).toEqual(['Wren', 'Wicker Stag', 'Hollow Picker'])
    expect(JSON.stringify(await events('wren', encounterId))).not.toContain('Picker')
    await dm('update_combatant', { combatantId: picker, hidden: true })
    await dm('damage_combatant', { combatantId: picker, amount: 3 })
    expect(namesOf(await get('wren', encounterId))).toEqual(['Wren', 'Wicker Stag'])
  })
})

describe('what happened', () => {
  test('is undone newest first, to the state before, and only once', async () => {
    const { encounterId, stag, wren: first } = await midnight()
    const start = await stateOf(encounterId)
    const hurt = await dm('damage_combatant', { combatantId: stag, amount: 30, type: 'fire' })
    const middle = await stateOf(encounterId)
    const prone = await dm('set_combatant_conditions', { combatantId: first, add: [{ key: 'prone', rounds: 2 }] })
    const [eventId, later] = [hurt.events[0].id, prone.events[0].id]
    expect(await table.refusal('ellen', 'undo_encounter_event', { eventId })).toMatchObject({
      code: 'invalid_state',
      message: expect.stringContaining(`event ${later}`),
    })
    await dm('undo_encounter_event', { eventId: later })
    expect(await stateOf(encounterId)).toBe(middle)
    await dm('undo_encounter_event', { eventId })
    expect(await stateOf(encounterId)).toBe(start)
    expect(await table.refusal('ellen', 'undo_encounter_event', { eventId })).toMatchObject({ code: 'invalid_state' })
    expect((await events('wren', encounterId)).find(({ id }: Answer) => id === eventId).undone).toBe(true)
  })

  test('brings back who was taken out, at their place and in their turn', async () => {
    const { encounterId, stag } = await midnight()
    await dm('next_turn', { encounterId })
    const before = await stateOf(encounterId)
    const gone = await dm('remove_combatant', { combatantId: stag })
    expect(namesOf(await get('ellen', encounterId))).toEqual(['Wren', 'Hollow Picker'])
    expect(await table.refusal('ellen', 'damage_combatant', { combatantId: stag, amount: 1 })).toMatchObject({
      code: 'invalid_state',
      message: expect.stringContaining('taken out of this fight'),
    })
    await dm('undo_encounter_event', { eventId: gone.events[0].id })
    expect(await stateOf(encounterId)).toBe(before)
  })

  test('is not reverted from the history: the fight has its own way back', async () => {
    const { encounterId, stag } = await midnight()
    await dm('damage_combatant', { combatantId: stag, amount: 5 })
    for (const operation of ['damage_combatant', 'begin_encounter']) {
      const { items } = await dm('list_audit_records', { operation })
      expect(items[0].revertible).toBe(false)
      expect(await table.refusal('ellen', 'revert_change', { auditRecordId: items[0].id })).toMatchObject({
        code: 'invalid_state',
      })
    }
    const { items: damages } = await dm('list_audit_records', { operation: 'damage_combatant' })
    expect((await table.refusal('ellen', 'revert_change', { auditRecordId: damages[0].id })).message).toContain(
      'undo_encounter_event',
    )
    const { items: added } = await dm('list_audit_records', { operation: 'add_combatant' })
    expect(await table.refusal('ellen', 'revert_change', { auditRecordId: added[0].id })).toMatchObject({
      code: 'invalid_state',
    })
    expect((await get('ellen', encounterId)).combatants[1].hp).toBe(80)
  })

  test.each([
    ['damage_combatant', ({ stag }: Midnight) => ({ combatantId: stag, amount: 5 })],
    ['heal_combatant', ({ stag }: Midnight) => ({ combatantId: stag, amount: 5 })],
    ['next_turn', ({ encounterId }: Midnight) => ({ encounterId })],
    ['roll_death_save', ({ wren: combatantId }: Midnight) => ({ combatantId })],
  ])('asked for again with the same key, %s answers as it did and changes nothing', async (name, inputOf) => {
    const night = await midnight()
    await dm('damage_combatant', { combatantId: night.stag, amount: 30 })
    if (name === 'roll_death_save') {
      await dm('next_turn', { encounterId: night.encounterId })
      await dm('damage_combatant', { combatantId: night.wren, amount: 40 })
      for (let turn = 0; turn < 2; turn++) await dm('next_turn', { encounterId: night.encounterId })
    }
    const input = { ...inputOf(night), idempotencyKey: 'tap-1' }
    const before = await stateOf(night.encounterId)
    const first = await dm(name, input)
    const after = await stateOf(night.encounterId)
    const told = (await events('ellen', night.encounterId)).length
    expect(after).not.toBe(before)
    expect(await dm(name, input)).toEqual(first)
    expect([await stateOf(night.encounterId), (await events('ellen', night.encounterId)).length]).toEqual([after, told])
  })
})

test('what happened in a fight is kept there, and the history of the campaign names its texts alone', async () => {
  const { stag: combatantId } = await midnight()
  await dm('damage_combatant', { combatantId, amount: 5 })
  const sql = `SELECT fields, after FROM changes WHERE entity_type = 'encounter_event' ORDER BY id DESC LIMIT 1`
  const { fields, after } = table.store.get(sql) ?? {}
  expect(JSON.parse(String(fields))).toEqual(expect.arrayContaining(['kind', 'says', 'numbers']))
  expect(JSON.parse(String(after))).toMatchObject({ kind: 'damage', amount: 5, undone: false })
  expect(Object.keys(JSON.parse(String(after)))).not.toEqual(expect.arrayContaining(['says']))
})

describe('while the table is still', () => {
  test('no turn and no act goes on, for anybody; what is put right in the fight may be', async () => {
    const { encounterId, stag, wren: combatantId } = await midnight()
    const spare = await fight()
    await add(spare, 'Heron')
    await dm('next_turn', { encounterId })
    await table.call('gast', 'raise_safety_signal', { kind: 'x_card' })
    const before = await stateOf(encounterId)
    for (const [name, input] of [
      ['next_turn', { encounterId }],
      ['use_combatant_action', { combatantId: stag, action: 'Antlers' }],
      ['set_combatant_turn', { combatantId: stag, delaying: true }],
      ['roll_death_save', { combatantId }],
      ['roll_initiative', { encounterId, reroll: true }],
      ['begin_encounter', { encounterId: spare }],
    ] as const) {
      const refusal = await table.refusal('ellen', name, input)
      expect([name, refusal.code, refusal.message]).toEqual([
        name,
        'invalid_state',
        expect.stringContaining('the table is still'),
      ])
    }
    expect(await stateOf(encounterId)).toBe(before)
    expect((await dm('damage_combatant', { combatantId: stag, amount: 5 })).hp).toBe(80)
    expect((await dm('previous_turn', { encounterId })).round).toBe(1)
    await dm('remove_combatant', { combatantId: stag })
    expect((await dm('end_encounter', { encounterId, outcome: 'We stop here.' })).status).toBe('ended')
    expect((await table.refusal('ellen', 'reopen_encounter', { encounterId })).message).toContain('the table is still')
    await dm('clear_safety_signal')
    expect((await dm('reopen_encounter', { encounterId })).status).toBe('running')
  })
})

describe('actions', () => {
  const antlers = {
    actions: [
      {
        key: 'antlers',
        name: 'Antlers',
        cost: 'action',
        attack: 40,
        damage: [{ expression: '2d8+4', type: 'piercing' }],
      },
      {
        key: 'thorns',
        name: 'Shed thorns',
        save: { checkId: 'save.dex', difficulty: 14, half: true },
        damage: [{ expression: '4d6', type: 'piercing' }],
        rechargeFrom: 5,
      },
    ],
  }

  test('hit, hurt and are told to each target apart; a preview leaves all as it is', async () => {
    const { encounterId, stag, wren: first, picker } = await midnight()
    await dm('update_combatant', { combatantId: stag, statblock: antlers })
    const before = await stateOf(encounterId)
    const shown = await dm('use_combatant_action', {
      combatantId: stag,
      action: 'Antlers',
      targetIds: [first],
      apply: false,
    })
    expect([shown.applied, shown.results[0].outcome]).toEqual([false, expect.stringMatching(/hit/i)])
    expect(await stateOf(encounterId)).toBe(before)
    const done = await dm('use_combatant_action', { combatantId: stag, action: 'thorns', targetIds: [first, picker] })
    expect(done.results.map(({ name }: Answer) => name)).toEqual(['Wren', 'Hollow Picker'])
    const told = (await events('wren', encounterId)).filter(({ targetId }: Answer) => targetId !== null)
    expect(told.map(({ target }: Answer) => target.title)).toEqual(['Wren'])
    expect(await table.refusal('ellen', 'use_combatant_action', { combatantId: stag, action: 'thorns' })).toMatchObject(
      {
        message: expect.stringContaining('has to come back first'),
      },
    )
    await dm('undo_encounter_event', { eventId: done.events[0].id })
    expect(await stateOf(encounterId)).toBe(before)
  })

  test('of a player keep to their turn, to what is left of it, and to whom they see', async () => {
    const { encounterId, stag, wren: first, picker } = await midnight()
    const knife = { key: 'knife', name: 'Knife', cost: 'action', attack: 40, damage: [{ expression: '1d4+3' }] }
    await dm('update_combatant', { combatantId: first, statblock: { actions: [knife] } })
    const use = { combatantId: first, action: 'Knife' }
    expect(await table.refusal('wren', 'use_combatant_action', { ...use, targetIds: [picker] })).toMatchObject({
      code: 'not_found',
    })
    const hit = await table.call('wren', 'use_combatant_action', { ...use, targetIds: [stag] })
    expect([hit.results[0].outcome, hit.results[0].damage > 0]).toEqual([expect.stringMatching(/hit/i), true])
    expect(JSON.stringify(hit.events)).not.toContain('of 85')
    expect(await table.refusal('wren', 'use_combatant_action', { ...use, targetIds: [stag] })).toMatchObject({
      message: expect.stringContaining('no action left'),
    })
    await table.call('wren', 'next_turn', { encounterId })
    expect(await table.refusal('wren', 'use_combatant_action', { ...use, targetIds: [stag] })).toMatchObject({
      message: expect.stringContaining('not the turn of Wren'),
    })
    expect(await table.refusal('pell', 'use_combatant_action', use)).toMatchObject({ code: 'forbidden' })
  })
})

describe('somebody at nought', () => {
  test('rolls at the start of their turn, once, and healing stands them up', async () => {
    const { encounterId, wren: combatantId } = await midnight()
    await dm('next_turn', { encounterId })
    const down = await dm('damage_combatant', { combatantId, amount: 40 })
    expect([down.hp, down.lifeState]).toEqual([0, 'dying'])
    expect(await table.refusal('wren', 'roll_death_save', { combatantId })).toMatchObject({
      message: expect.stringContaining('at the start of their own turn'),
    })
    await dm('next_turn', { encounterId })
    await dm('next_turn', { encounterId })
    const rolled = await table.call('wren', 'roll_death_save', { combatantId })
    expect(rolled.events[0].kind).toBe('death_save')
    expect(await table.refusal('wren', 'roll_death_save', { combatantId })).toMatchObject({ code: 'invalid_state' })
    const up = await dm('heal_combatant', { combatantId, amount: 5 })
    expect([up.lifeState, up.marks]).toEqual(['up', {}])
  })
})
