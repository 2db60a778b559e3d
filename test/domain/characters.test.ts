import { beforeEach, describe, expect, test } from 'vitest'
import { beyondRogue, foundryCleric } from '../support/foreign-sheets.ts'
import { type Answer, makeTable, named, type Person, type Table } from './support.ts'

// Sheets, what becomes of whoever they are of, and what they carry. The rules themselves are tested beside them.

let table: Table
let wren: number
let osk: number
beforeEach(async () => {
  table = await makeTable()
  await table.call('ellen', 'update_campaign', { ruleSystem: 'D&D 5e (2014)' })
  const sheet = { className: 'Rogue', level: 3, abilities: { dex: 18, con: 14 }, hpMax: 24, ac: 15 }
  wren = (await table.call('wren', 'create_character', { name: 'Wren', ...sheet })).id
  osk = (await table.call('pell', 'create_character', { name: 'Osk', ...sheet, className: 'Paladin' })).id
})

const call = (person: Person, name: string, input: object): Promise<Answer> => table.call(person, name, { ...input })
const hp = (input: object, person: Person = 'wren') =>
  call(person, 'adjust_character_hp', { characterId: wren, ...input })
const get = (person: Person, characterId = wren) => call(person, 'get_character', { characterId })

describe('a sheet', () => {
  test('belongs to the player who makes it, with what their class brings along', async () => {
    const made = await get('wren')
    expect(made).toMatchObject({
      ownerUserId: table.userId('wren'),
      hp: 24,
      hitDice: [{ die: 'd8', max: 3, used: 0 }],
      saves: { dex: 'proficient', int: 'proficient' },
      spellSlots: [],
    })
    expect(made.computed).toMatchObject({ ac: 15, initiative: 4, proficiencyBonus: 2, band: 'unhurt', hpMax: 24 })
    expect((await get('pell', osk)).spellSlots).toEqual([{ level: 1, max: 3, used: 0 }])
  })

  test("a Dungeon Master's is nobody's until it is given away, and nobody else changes it meanwhile", async () => {
    const { id } = await call('ellen', 'create_character', { name: 'Pell', hpMax: 9 })
    expect((await get('gast', id)).ownerUserId).toBeNull()
    const refusal = await table.refusal('wren', 'update_character', { characterId: id, ac: 20 })
    expect(refusal).toMatchObject({ code: 'forbidden', message: expect.stringContaining('assign_character') })
    await call('ellen', 'assign_character', { characterId: id, userId: table.userId('wren') })
    expect((await call('wren', 'update_character', { characterId: id, ac: 20 })).ac).toBe(20)
    expect(await table.refusal('ellen', 'assign_character', { characterId: id, userId: 4711 })).toMatchObject({
      code: 'validation_failed',
    })
  })

  test("somebody else's is read and not changed; notes are its player's and the Dungeon Master's", async () => {
    await call('wren', 'update_character', { characterId: wren, notes: 'I owe the clerk.' })
    await call('ellen', 'update_character', { characterId: wren, dmSecret: 'She is followed.' })
    expect(await table.refusal('pell', 'update_character', { characterId: wren, ac: 1 })).toMatchObject({
      code: 'forbidden',
    })
    for (const name of ['set_character_status', 'level_up_character', 'adjust_spell_slots'])
      expect(
        (
          await table.refusal('pell', name, {
            characterId: wren,
            ...(name.startsWith('set') ? { status: 'dead' } : name.startsWith('adj') ? { level: 1, delta: -1 } : {}),
          })
        ).code,
      ).toBe('forbidden')
    expect(await get('pell')).not.toHaveProperty('notes')
    expect(await get('wren')).toMatchObject({ notes: 'I owe the clerk.' })
    expect(await get('wren')).not.toHaveProperty('dmSecret')
    expect(await get('ellen')).toMatchObject({ notes: 'I owe the clerk.', dmSecret: 'She is followed.' })
    expect(await table.refusal('wren', 'update_character', { characterId: wren, dmSecret: 'No.' })).toMatchObject({
      code: 'forbidden',
    })
  })

  test('a key that the rules do not know is refused by its name, with those there are', async () => {
    const refusal = await table.refusal('wren', 'update_character', {
      characterId: wren,
      skills: { steath: 'proficient' },
    })
    expect(refusal.message).toContain('steath')
    expect(refusal.message).toContain('stealth')
    expect(
      (await table.refusal('wren', 'update_character', { characterId: wren, skills: { stealth: 'good' } })).message,
    ).toContain('expertise')
  })

  test('by the game that the campaign plays: without one, whatever a table names', async () => {
    await call('ellen', 'update_campaign', { ruleSystem: 'Blades in the Dark' })
    const { id } = await call('wren', 'create_character', {
      name: 'Silk',
      abilities: { prowl: 2 },
      checks: [{ key: 'prowl', name: 'Prowl', expression: '2d6kh1' }],
    })
    expect(named((await call('pell', 'list_checks', { characterId: id })).items)).toEqual(['Prowl'])
    const party = await call('gast', 'get_party', {})
    expect([party.system.id, named(party.characters)]).toEqual(['generic', ['Osk', 'Silk', 'Wren']])
  })
})

describe('hit points', () => {
  test('damage goes through temporary ones and resistance, healing stops at the maximum', async () => {
    await call('wren', 'update_character', { characterId: wren, defences: { resistances: [{ type: 'fire' }] } })
    await hp({ temporary: 5 })
    expect(await hp({ delta: -15, type: 'fire' })).toMatchObject({ hp: 22, hpTemp: 0 })
    expect(await hp({ delta: 40 })).toMatchObject({ hp: 24 })
    expect(await table.refusal('wren', 'adjust_character_hp', { characterId: wren, delta: 1, set: 2 })).toMatchObject({
      code: 'validation_failed',
    })
  })

  test('counted with the same key count once', async () => {
    const once = { delta: -4, idempotencyKey: 'tap 1' }
    expect([(await hp(once)).hp, (await hp(once)).hp, (await get('wren')).hp]).toEqual([20, 20, 20])
    expect((await hp({ delta: -4, idempotencyKey: 'tap 2' })).hp).toBe(16)
  })

  test('at nought they lie dying and are healed up again', async () => {
    const fallen = await hp({ delta: -30 })
    expect(fallen).toMatchObject({ hp: 0, lifeState: 'dying', computed: { band: 'down' } })
    expect(fallen.says[0]).toContain('dying')
    expect(await hp({ delta: 3 }, 'ellen')).toMatchObject({ hp: 3, lifeState: 'up', marks: {} })
  })

  test('a change of the maximum brings the whole along, and stops who has more', async () => {
    expect(await call('wren', 'update_character', { characterId: wren, hpMax: 30 })).toMatchObject({ hp: 30 })
    await hp({ delta: -5 })
    expect(await call('wren', 'update_character', { characterId: wren, hpMax: 20 })).toMatchObject({ hp: 20 })
  })

  test('dead is dead until somebody says that they are back', async () => {
    await hp({ delta: -60 })
    expect((await get('wren')).lifeState).toBe('dead')
    expect((await hp({ delta: 10 })).says).toEqual(['Nothing heals the dead.'])
    await call('wren', 'set_character_status', { characterId: wren, status: 'dead' })
    await call('wren', 'set_character_status', { characterId: wren, status: 'active' })
    expect(await get('wren')).toMatchObject({ lifeState: 'up', hp: 1 })
  })

  test('conditions count where the rules say so', async () => {
    const add = [
      { key: 'exhaustion', level: 4 },
      { key: 'poisoned', rounds: 3 },
    ]
    const after = await call('wren', 'set_character_conditions', { characterId: wren, add })
    expect(after).toMatchObject({ hp: 12, computed: { hpMax: 12 } })
    const checks = await call('gast', 'list_checks', { characterId: wren, limit: 200 })
    expect(checks.items.find(({ id }: Answer) => id === 'skill.stealth')).toMatchObject({ mode: 'disadvantage' })
    const cured = await call('wren', 'set_character_conditions', { characterId: wren, remove: ['exhaustion'] })
    expect(cured.conditions).toEqual([{ key: 'poisoned', rounds: 3 }])
  })
})

describe('what runs out', () => {
  test('slots and what is counted are used and come back, never below nought', async () => {
    const slot = (delta: number) => call('pell', 'adjust_spell_slots', { characterId: osk, level: 1, delta })
    expect((await slot(-3)).spellSlots).toEqual([{ level: 1, max: 3, used: 3 }])
    expect(await table.refusal('pell', 'adjust_spell_slots', { characterId: osk, level: 1, delta: -1 })).toMatchObject({
      code: 'invalid_state',
    })
    const counted = { characterId: osk, key: 'lay-on-hands' }
    await call('pell', 'set_character_resource', { ...counted, name: 'Lay on hands', max: 15 })
    await call('pell', 'adjust_character_resource', { ...counted, delta: -6 })
    const more = await call('pell', 'set_character_resource', { ...counted, max: 20 })
    expect(more.resources).toEqual([{ key: 'lay-on-hands', name: 'Lay on hands', max: 20, left: 14, recharge: 'long' }])
    const rested = await call('ellen', 'take_long_rest', { characterIds: [osk] })
    expect(rested.characters[0]).toMatchObject({ spellSlots: [{ used: 0 }], resources: [{ left: 20 }] })
    expect((await call('pell', 'delete_character_resource', counted)).resources).toEqual([])
    expect((await table.refusal('pell', 'adjust_character_resource', { ...counted, delta: 1 })).message).toContain(
      'lay-on-hands',
    )
  })

  test('a short rest rolls hit dice; who cannot rest is told why and the others do', async () => {
    await hp({ delta: -14 })
    const hitDice = [{ characterId: wren, die: 'd8', count: 2 }]
    const [rested] = (await call('ellen', 'take_short_rest', { hitDice })).characters.filter(
      ({ id }: Answer) => id === wren,
    )
    expect(rested.hitDice).toEqual([{ die: 'd8', max: 3, used: 2 }])
    // Two dice of eight sides and twice a constitution of two.
    expect(rested.hp).toBeGreaterThanOrEqual(16)
    await hp({ set: 0 })
    const night = await call('ellen', 'take_long_rest', {})
    expect(night.refused).toMatchObject([{ characterId: wren, why: expect.stringContaining('hit point') }])
    expect(named(night.characters)).toEqual(['Osk'])
    expect(await table.refusal('wren', 'take_long_rest', {})).toMatchObject({ code: 'forbidden' })
  })

  test('a night moves the date of the world along when it is asked to', async () => {
    await call('ellen', 'update_world_calendar', {
      months: [{ name: 'Rime', days: 30 }],
      weekdays: ['Bellday'],
      currentDate: '412-1-29',
    })
    const { worldDate } = await call('ellen', 'take_long_rest', { advanceDays: 2 })
    expect((await call('gast', 'get_world_calendar', {})).currentDate).toBe(worldDate)
  })

  test('experience is given to each or shared, and a level is taken with its hit points', async () => {
    const given = await call('ellen', 'award_xp', { amount: 3601, split: true })
    expect([given.each, given.ready]).toEqual([1800, []])
    const more = await call('ellen', 'award_xp', { amount: 900, characterIds: [wren] })
    expect(more.ready).toEqual([{ characterId: wren, name: 'Wren' }])
    const grown = await call('wren', 'level_up_character', { characterId: wren })
    // Five of the class and two of constitution.
    expect(grown).toMatchObject({ level: 4, hp: 31, hitDice: [{ die: 'd8', max: 4 }] })
    const both = await call('wren', 'level_up_character', { characterId: wren, hpGain: 6, className: 'Wizard' })
    expect(both).toMatchObject({ level: 5, className: 'Rogue 4 / Wizard 1', spellSlots: [{ level: 1, max: 2 }] })
  })
})

describe('what is carried', () => {
  const give = (person: Person, values: object) => call(person, 'create_inventory_item', values)
  const bag = async (person: Person, input: object) =>
    (await call(person, 'list_inventory', input)).items.map(({ name, quantity }: Answer) => `${quantity} ${name}`)

  test('some of it goes to somebody else, and what is the same lies together', async () => {
    const torch = { name: 'Torch', weight: 1 }
    const { id: itemId } = await give('wren', { ...torch, characterId: wren, quantity: 5 })
    await give('pell', { ...torch, characterId: osk, quantity: 2 })
    const handed = await call('wren', 'transfer_inventory_item', { itemId, toCharacterId: osk, quantity: 3 })
    expect([handed.item.quantity, handed.left.quantity]).toEqual([5, 2])
    await call('wren', 'transfer_inventory_item', { itemId })
    expect([await bag('gast', { characterId: wren }), await bag('gast', { characterId: osk })]).toEqual([
      [],
      ['5 Torch'],
    ])
    expect(await bag('gast', { party: true })).toEqual(['2 Torch'])
    const refusal = await table.refusal('wren', 'transfer_inventory_item', { itemId, toCharacterId: wren, quantity: 9 })
    expect(refusal.message).toContain('There are 2')
  })

  test("nobody takes what another carries; the cart is everybody's who plays", async () => {
    const { id: itemId } = await give('pell', { name: 'Glaive', characterId: osk })
    expect((await table.refusal('wren', 'transfer_inventory_item', { itemId, toCharacterId: wren })).code).toBe(
      'forbidden',
    )
    expect((await table.refusal('wren', 'create_inventory_item', { name: 'Lice', characterId: osk })).code).toBe(
      'forbidden',
    )
    const { id: cart } = await give('wren', { name: 'Handcart' })
    await call('pell', 'update_inventory_item', { itemId: cart, notes: 'A wheel is loose.' })
    expect((await table.refusal('gast', 'update_inventory_item', { itemId: cart, notes: 'x' })).code).toBe('forbidden')
  })

  test('nobody is attuned to more than three, and nothing on the cart is worn', async () => {
    const attune = (itemId: number) => ({ itemId, equipped: true, attuned: true })
    for (const name of ['Ring', 'Cloak', 'Lamp'])
      await call('wren', 'set_item_equipped', attune((await give('wren', { name, characterId: wren })).id))
    const { id: fourth } = await give('wren', { name: 'Comb', characterId: wren })
    expect((await table.refusal('wren', 'set_item_equipped', attune(fourth))).message).toContain('more than 3')
    await call('wren', 'transfer_inventory_item', { itemId: fourth })
    expect((await table.refusal('wren', 'set_item_equipped', { itemId: fourth, equipped: true })).message).toContain(
      'cart',
    )
  })

  test('what is hidden nobody sees, whoever carries it; it goes to the trash with them and comes back', async () => {
    await give('ellen', { name: 'Curse', characterId: wren, hidden: true })
    expect([await bag('wren', { characterId: wren }), await bag('ellen', { characterId: wren })]).toEqual([
      [],
      ['1 Curse'],
    ])
    await call('ellen', 'delete_character', { characterId: wren })
    expect(await bag('ellen', {})).toEqual([])
    await call('ellen', 'restore_from_trash', { entityType: 'character', entityId: wren })
    expect(await bag('ellen', {})).toEqual(['1 Curse'])
  })
})

describe('the purse', () => {
  test('keeps each coin with its reason and never goes below nought', async () => {
    await call('wren', 'adjust_treasury', { delta: { gp: 40, sp: 5 }, reason: 'The toll' })
    const after = await call('pell', 'adjust_treasury', { delta: { gp: -12 }, reason: 'The Weir' })
    expect([after.coins, after.worth, after.entryCount]).toEqual([{ gp: 28, sp: 5 }, 2850, 2])
    expect(after.entries.map(({ delta, balance, reason }: Answer) => [delta, balance, reason])[0]).toEqual([
      { gp: -12 },
      { gp: 28, sp: 5 },
      'The Weir',
    ])
    const refusal = await table.refusal('wren', 'adjust_treasury', { delta: { gp: -29 } })
    expect(refusal).toMatchObject({ code: 'invalid_state', message: expect.stringContaining('28 gold') })
    expect((await table.refusal('wren', 'adjust_treasury', { delta: { zl: 1 } })).message).toContain(
      'cp, sp, ep, gp, pp',
    )
    expect((await call('gast', 'get_treasury', {})).coins).toEqual({ gp: 28, sp: 5 })
  })

  test('taken back, the coins are back and the line is gone, unless somebody has paid since', async () => {
    await call('wren', 'adjust_treasury', { delta: { gp: 40 } })
    await call('wren', 'adjust_treasury', { delta: { gp: -10 } })
    const { items } = await call('ellen', 'list_audit_records', { operation: 'adjust_treasury' })
    expect((await table.refusal('ellen', 'revert_change', { auditRecordId: items[1].id })).code).toBe('invalid_state')
    await call('ellen', 'revert_change', { auditRecordId: items[0].id })
    expect(await call('gast', 'get_treasury', {})).toMatchObject({ coins: { gp: 40 }, entryCount: 1 })
  })
})

describe('a sheet from elsewhere', () => {
  const bring = (format: string, document: object, person: Person = 'wren') =>
    call(person, 'import_character', { format, document })

  test('out of an answer of ours: everything but whose it was', async () => {
    await hp({ delta: -6 })
    await call('wren', 'set_character_resource', { characterId: wren, key: 'luck', name: 'Luck', max: 3 })
    const inventory = [{ name: 'Torch', quantity: 5, equipped: true }]
    const brought = await bring('talekeeper', { ...(await get('wren')), inventory, mood: 'grim' }, 'pell')
    const { ownerUserId, abilities, hp: left, resources, itemCount, report } = brought
    expect([ownerUserId, abilities, left, itemCount]).toEqual([table.userId('pell'), { dex: 18, con: 14 }, 18, 1])
    expect(resources).toMatchObject([{ key: 'luck', left: 3 }])
    expect(report).toContain('Not taken over: mood.')
    const bag = await call('pell', 'list_inventory', { characterId: brought.id })
    expect(bag.items[0]).toMatchObject({ name: 'Torch', quantity: 5, equipped: true })
  })

  test('out of another program, with what was not understood', async () => {
    const brought = await bring('dndbeyond', beyondRogue)
    expect(brought).toMatchObject({ name: 'Wren Tallow', className: 'Rogue', hp: 20, hpTemp: 3, itemCount: 3 })
    expect(brought.computed).toMatchObject({ ac: 14, hpMax: 24 })
    expect(brought.report.join(' ')).toContain('coins lie in the bag')
    expect((await bring('foundry-dnd5e', foundryCleric)).spellSlots[0]).toMatchObject({ max: 4, used: 2 })
  })

  test('that no sheet can hold is refused at its place, and nothing is kept', async () => {
    const before = (await call('gast', 'list_characters', {})).items.length
    const bad = async (format: string, document: object) =>
      (await table.refusal('wren', 'import_character', { format, document })).message
    expect(await bad('talekeeper', { name: 'X', level: 'many' })).toContain('document.level')
    expect(await bad('talekeeper', { name: 'X', inventory: [{ name: 'A' }, { quantity: 2 }] })).toContain(
      'document.items.1.name',
    )
    expect(await bad('talekeeper', { name: 'X', abilities: { luck: 3 } })).toContain('luck')
    expect(await bad('dndbeyond', { name: 'X' })).toContain('D&D Beyond')
    expect(await bad('foundry-dnd5e', { name: 'X', type: 'npc' })).toContain('Foundry')
    expect((await call('gast', 'list_characters', {})).items).toHaveLength(before)
  })
})

test('a character is bound to others and spoken of as people are', async () => {
  const npcId = (await call('ellen', 'create_npc', { name: 'Marta', body: `Owes [Wren](character:${wren}).` })).id
  const ends = { fromType: 'character', fromId: wren, toType: 'npc', toId: npcId }
  await call('ellen', 'create_relation', { ...ends, label: 'does not trust her' })
  const sheet = await get('gast')
  expect(sheet.relations.items.map(({ label }: Answer) => label)).toEqual(['does not trust her'])
  expect(sheet.mentionedBy.items.map(({ title }: Answer) => title)).toEqual(['Marta'])
  const graph = await call('gast', 'get_relation_graph', { aroundType: 'character', aroundId: wren })
  expect(graph.nodes.map(({ title }: Answer) => title)).toEqual(['Wren', 'Marta'])
})

test('who was there is said by characters: with whoever plays them, or alone', async () => {
  const { id: guest } = await call('ellen', 'create_character', { name: 'Old Hob' })
  const { id: sessionId } = await call('ellen', 'create_session', { status: 'played' })
  const mark = async (input: object) =>
    (await call('ellen', 'set_session_attendance', { sessionId, ...input })).attendance
      .filter(({ present }: Answer) => present)
      .map(({ name, character }: Answer) => [name, character?.title ?? null])
  expect(await mark({ characterIds: [wren, guest] })).toEqual([
    ['wren', 'Wren'],
    ['Old Hob', 'Old Hob'],
  ])
  expect(await mark({ characterIds: [osk], userIds: [table.userId('ellen')] })).toEqual([
    ['ellen', null],
    ['pell', 'Osk'],
  ])
  expect((await table.refusal('ellen', 'set_session_attendance', { sessionId })).code).toBe('validation_failed')
  expect((await table.refusal('ellen', 'set_session_attendance', { sessionId, characterIds: [4711] })).code).toBe(
    'not_found',
  )
})
