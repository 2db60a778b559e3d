import { beforeEach, describe, expect, test } from 'vitest'
import { type Answer, makeTable, type Person, type Table } from './support.ts'

// A character in a fight is their sheet; and what a fight leaves behind.

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
const get = (person: Person, encounterId: number): Promise<Answer> =>
  table.call(person, 'get_encounter', { encounterId })

describe('a character in a fight', () => {
  async function osk() {
    const sheet = {
      name: 'Osk',
      level: 3,
      className: 'Fighter',
      hpMax: 44,
      ac: 18,
      spellSlots: [{ level: 1, max: 2, used: 0 }],
    }
    const { id: characterId } = await table.call('wren', 'create_character', sheet)
    const encounterId = await fight()
    const combatantId = await add(encounterId, 'x', {
      kind: 'character',
      name: undefined,
      characterId,
      hpMax: undefined,
      ac: undefined,
    })
    await add(encounterId, 'Heron')
    await dm('begin_encounter', { encounterId })
    return { characterId, encounterId, combatantId }
  }
  const sheetOf = (characterId: number): Promise<Answer> => table.call('pell', 'get_character', { characterId })

  test('has the hit points and conditions of their sheet, whichever way they change', async () => {
    const { characterId, encounterId, combatantId } = await osk()
    const hurt = await table.call('wren', 'damage_combatant', { combatantId, amount: 14 })
    expect([hurt.name, hurt.hp, hurt.hpMax, (await sheetOf(characterId)).hp]).toEqual(['Osk', 30, 44, 30])
    await table.call('wren', 'adjust_character_hp', { characterId, delta: 4 })
    await table.call('wren', 'set_character_conditions', { characterId, add: [{ key: 'prone' }] })
    const seen = (await get('pell', encounterId)).combatants.find(({ id }: Answer) => id === combatantId)
    expect([seen.hp, seen.band, seen.conditions]).toEqual([34, 'hurt', [{ key: 'prone' }]])
    await dm('set_combatant_conditions', { combatantId, add: [{ key: 'poisoned' }], remove: [{ key: 'prone' }] })
    await dm('adjust_combatant_resource', { combatantId, key: 'slot.1', delta: -1 })
    const sheet = await sheetOf(characterId)
    expect([sheet.conditions, sheet.spellSlots[0].used]).toEqual([[{ key: 'poisoned' }], 1])
    await dm('end_encounter', { encounterId })
    expect((await sheetOf(characterId)).hp).toBe(34)
    expect(
      await table.refusal('ellen', 'add_combatant', { encounterId, kind: 'character', characterId }),
    ).toMatchObject({
      code: 'invalid_state',
    })
  })

  test('is undone on the sheet, but not past what the sheet built on it', async () => {
    const { characterId, combatantId } = await osk()
    const { events: told } = await dm('damage_combatant', { combatantId, amount: 14 })
    await table.call('wren', 'adjust_character_hp', { characterId, delta: 4 })
    const eventId = told[0].id
    expect(await table.refusal('ellen', 'undo_encounter_event', { eventId })).toMatchObject({
      code: 'invalid_state',
      message: expect.stringContaining('built on Osk'),
    })
    await table.call('wren', 'adjust_character_hp', { characterId, set: 30 })
    await dm('undo_encounter_event', { eventId })
    expect((await sheetOf(characterId)).hp).toBe(44)
  })

  test('is played by whoever plays the character now', async () => {
    const { characterId, combatantId } = await osk()
    await dm('assign_character', { characterId, userId: table.userId('pell') })
    expect((await table.call('pell', 'damage_combatant', { combatantId, amount: 1 })).hp).toBe(43)
    expect(await table.refusal('wren', 'damage_combatant', { combatantId, amount: 1 })).toMatchObject({
      code: 'forbidden',
    })
  })

  test('gets experience and coins once, however often it is asked for', async () => {
    const { characterId, encounterId } = await osk()
    const foe = await add(encounterId, 'Picker', { count: 2, statblock: { rating: 1 } })
    await dm('damage_combatant', { combatantId: foe, amount: 99 })
    const rating = await dm('get_encounter_difficulty', { encounterId })
    expect([rating.party, rating.foeCount, rating.sums.length > 0]).toEqual([[3], 3, true])
    const give = { encounterId, xp: 200, coins: { gp: 12 }, items: [{ name: 'A jar' }] }
    expect(await table.refusal('ellen', 'apply_encounter_rewards', give)).toMatchObject({ code: 'invalid_state' })
    await dm('end_encounter', { encounterId })
    const after = await dm('get_encounter_aftermath', { encounterId })
    expect([after.experience, after.experienceEach, after.characters.length]).toEqual([200, 200, 1])
    const asked = await Promise.allSettled([dm('apply_encounter_rewards', give), dm('apply_encounter_rewards', give)])
    expect(asked.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    expect((await sheetOf(characterId)).experience).toBe(200)
    expect((await dm('get_treasury')).coins).toEqual({ gp: 12 })
    const { items } = await dm('list_audit_records', { operation: 'apply_encounter_rewards' })
    await dm('revert_change', { auditRecordId: items[0].id })
    expect([(await sheetOf(characterId)).experience, (await dm('get_treasury')).coins]).toEqual([0, {}])
  })
})
