import { readFileSync } from 'node:fs'
import { beforeEach, describe, expect, test } from 'vitest'
import { sheetOf } from '../../src/domain/encounter/bodies.ts'
import type { Actor } from '../../src/kernel/viewer.ts'
import { systemOf } from '../../src/rules/systems.ts'
import { type Answer, makeTable, type Table } from './support.ts'

// Foes from the rule books: one that is put into a fight, and a roster that the dice choose.

const starter = JSON.parse(readFileSync('assets/packs/starter.json', 'utf8'))

let table: Table
beforeEach(async () => {
  table = await makeTable()
  const admin = (actor: Actor): Actor => ({ ...actor, admin: true })
  await table.callAs(admin, 'install_rule_pack', { document: starter })
})

const dm = (name: string, input: object = {}): Promise<Answer> => table.call('ellen', name, { ...input })
const playing = (ruleSystem: string) => dm('update_campaign', { ruleSystem })
async function party(level: number, count = 4): Promise<void> {
  for (let one = 0; one < count; one++) await dm('create_character', { name: `Hero ${one}`, level, hpMax: 30 })
}
const generate = (values: object): Promise<Answer> => dm('generate_encounter', { difficulty: 'hard', ...values })
const found = async (query: string): Promise<number> =>
  (await dm('search_rules', { query, kind: 'creature' })).items.find(({ name }: Answer) => name === query).id

describe('a creature of a rule book in a fight', () => {
  test('has the numbers of the book, saves and skills included, and can do what stands there', async () => {
    await playing('dnd5e 2014')
    const { id: encounterId } = await dm('create_encounter', { name: 'The lair' })
    const dragon = await dm('add_combatant', {
      encounterId,
      kind: 'monster',
      ruleEntryId: await found('Adult red dragon'),
    })
    expect([dragon.name, dragon.hp, dragon.hpMax, dragon.ac, dragon.statblock.rating]).toEqual([
      'Adult red dragon',
      256,
      256,
      19,
      17,
    ])
    const entry = starter.entries.find(({ name }: Answer) => name === 'Adult red dragon').statblock
    const { sheet, checks } = saves(dragon)
    for (const [key, total] of Object.entries(entry.saves))
      expect([key, checks.get(`save.${key}`)]).toEqual([key, total])
    for (const [key, total] of Object.entries(entry.skills))
      expect([key, checks.get(`skill.${key}`)]).toEqual([key, total])
    expect(sheet.actions.find(({ name }: Answer) => name === 'Fire breath')).toMatchObject({
      save: { checkId: 'save.dex', difficulty: 21, half: true },
      damage: [{ expression: '18d6', type: 'fire' }],
      rechargeFrom: 5,
    })
    expect(sheet.resources).toContainEqual({
      key: 'legendary',
      name: 'Legendary actions',
      max: 3,
      left: 3,
      recharge: 'turn',
    })
    expect(sheet.defences.immunities).toEqual(['fire'])
  })

  test('bites, breathes and recharges as the fight’s own rules do it', async () => {
    await playing('dnd5e 2014')
    const { id: encounterId } = await dm('create_encounter', { name: 'The lair' })
    const wolf = await dm('add_combatant', { encounterId, kind: 'monster', ruleEntryId: await found('Wolf'), count: 2 })
    expect(wolf.added.map(({ name }: Answer) => name)).toEqual(['Wolf 1', 'Wolf 2'])
    const more = await dm('add_combatant', { encounterId, kind: 'monster', ruleEntryId: await found('Wolf') })
    expect(more.name).toBe('Wolf')
    await dm('add_combatant', { encounterId, kind: 'character', name: 'Wren', hpMax: 300, ac: 1 })
    const whole = await dm('begin_encounter', { encounterId })
    const initiatives = whole.combatants.filter(({ kind }: Answer) => kind === 'monster')
    expect(new Set(initiatives.map(({ initiative }: Answer) => initiative)).size).toBe(1)
    const target = whole.combatants.find(({ name }: Answer) => name === 'Wren').id
    const bite = await dm('use_combatant_action', { combatantId: wolf.id, action: 'Bite', targetIds: [target] })
    expect(bite.results[0].rolls[0].text).toMatch(/^1d20 .* \+ 4$/)
  })

  test('is taken for every creature of the starter pack, in the game that it is of', async () => {
    for (const [system, ruleSystem] of [
      ['dnd5e', 'dnd5e 2014'],
      ['pathfinder2e', 'Pathfinder 2e'],
      ['generic', 'Something of our own'],
    ] as const) {
      await playing(ruleSystem)
      const { id: encounterId } = await dm('create_encounter', { name: system })
      const names = starter.entries
        .filter((each: Answer) => each.kind === 'creature' && each.system === system)
        .map(({ name }: Answer) => name)
      for (const name of names) {
        const one = await dm('add_combatant', { encounterId, kind: 'monster', ruleEntryId: await found(name) })
        expect([one.name, one.hp > 0]).toEqual([name, true])
      }
    }
  })

  test('is refused where it is none, or where there is no such entry', async () => {
    const { id: encounterId } = await dm('create_encounter', { name: 'The lair' })
    const { items } = await dm('search_rules', { query: 'fireball', kind: 'spell' })
    const spell = { encounterId, kind: 'monster', ruleEntryId: items[0].id }
    expect(await table.refusal('ellen', 'add_combatant', spell)).toMatchObject({ code: 'validation_failed' })
    expect(await table.refusal('ellen', 'add_combatant', { ...spell, ruleEntryId: 1_999_999 })).toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('search_rules'),
    })
  })
})

describe('a roster', () => {
  test.each([
    ['dnd5e 2014', ['easy', 'medium', 'hard', 'deadly']],
    ['dnd5e 2024', ['low', 'moderate', 'high']],
    ['Pathfinder 2e', ['low', 'moderate', 'severe']],
  ])('of %s is as hard as was asked, the same for the same word, and says its sums', async (ruleSystem, tiers) => {
    await playing(ruleSystem)
    await party(3)
    for (const difficulty of tiers) {
      const first = await generate({ difficulty, seed: 'rimefall nine' })
      expect([difficulty, first.difficulty.tier]).toEqual([difficulty, difficulty])
      expect(await generate({ difficulty, seed: 'rimefall nine' })).toEqual(first)
      expect(first.difficulty.sums.length).toBeGreaterThan(1)
      expect(first.difficulty.foeCount).toBeLessThanOrEqual(8)
      expect(first.encounter).toBeNull()
    }
    const words = ['one', 'two', 'three', 'four', 'five', 'six']
    const drawn = await Promise.all(words.map((seed) => generate({ difficulty: tiers[1], seed })))
    expect(new Set(drawn.map(({ roster }) => JSON.stringify(roster))).size).toBeGreaterThan(1)
  })

  test('keeps to a place and a kind, and to how many there may be', async () => {
    await playing('dnd5e 2014')
    await party(4)
    const block = (name: string) => starter.entries.find((each: Answer) => each.name === name).statblock
    const { roster } = await generate({ environment: 'Ruins', creatureType: 'Undead', maxCreatures: 5, seed: 'a' })
    for (const { name } of roster)
      expect([block(name).type, block(name).environments]).toEqual(['undead', expect.arrayContaining(['ruins'])])
    expect(roster.reduce((sum: number, { count }: Answer) => sum + count, 0)).toBeLessThanOrEqual(5)
    expect(
      await table.refusal('ellen', 'generate_encounter', { difficulty: 'hard', creatureType: 'plumber' }),
    ).toMatchObject({ code: 'invalid_state', message: expect.stringContaining('No creature on the shelf') })
    expect(await table.refusal('ellen', 'generate_encounter', { difficulty: 'silly' })).toMatchObject({
      code: 'validation_failed',
      message: expect.stringContaining('easy, medium, hard, deadly'),
    })
  })

  test('becomes a fight with those foes, whose difficulty says the same', async () => {
    await playing('dnd5e 2014')
    await party(4)
    const { roster, difficulty, encounter } = await generate({ seed: 'kept', save: true })
    const whole = await dm('get_encounter', { encounterId: encounter.id })
    expect([whole.status, whole.combatantCount]).toEqual(['planning', difficulty.foeCount])
    const again = await dm('get_encounter_difficulty', { encounterId: encounter.id })
    expect([again.tier, again.total]).toEqual([difficulty.tier, difficulty.total])
    expect(again.foes.map(({ name, count }: Answer) => [name, count])).toEqual(
      roster.map(({ name, count }: Answer) => [name, count]),
    )
  })

  test('has creatures that the campaign wrote itself, and none of a pack that it does not read', async () => {
    await playing('dnd5e 2014')
    await party(1)
    const own = { kind: 'creature', name: 'Bone thing', statblock: { rating: 0.25, type: 'oddity' } }
    await dm('create_homebrew', own)
    const { roster } = await generate({ difficulty: 'easy', creatureType: 'oddity', seed: 'a' })
    expect(roster.map(({ name }: Answer) => name)).toEqual(['Bone thing'])
    await dm('update_campaign_settings', { rulePackIds: [] })
    expect(
      await table.refusal('ellen', 'generate_encounter', { difficulty: 'easy', creatureType: 'beast' }),
    ).toMatchObject({ code: 'invalid_state' })
  })

  test('of a game that rates no fights is one foe for each character, and of nobody’s it needs a party', async () => {
    await playing('Something of our own')
    await party(1, 3)
    const { roster, difficulty } = await generate({ difficulty: 'any', seed: 'a' })
    expect([roster.reduce((sum: number, { count }: Answer) => sum + count, 0), difficulty.tier]).toEqual([3, 'none'])
    await playing('dnd5e 2014')
    const { items } = await dm('list_characters', { limit: 50 })
    for (const { id } of items) await dm('delete_character', { characterId: id })
    expect(await table.refusal('ellen', 'generate_encounter', { difficulty: 'hard' })).toMatchObject({
      code: 'invalid_state',
      message: expect.stringContaining('no active character'),
    })
  })
})

/** What it rolls, by the id of each check. */
function saves(combatant: Answer) {
  const rules = systemOf('dnd5e 2014')
  const checks = new Map(rules.checks(sheetOf(rules, combatant), []).map(({ id, modifier }) => [id, modifier]))
  return { sheet: combatant.statblock, checks }
}
