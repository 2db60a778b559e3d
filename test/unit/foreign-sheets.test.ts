import { describe, expect, test } from 'vitest'
import { importers } from '../../src/rules/importers.ts'
import type { Imported } from '../../src/rules/importing.ts'
import { plainText } from '../../src/rules/importing.ts'
import { systemOf } from '../../src/rules/systems.ts'
import {
  beyondBarbarian,
  beyondPaladin,
  beyondRogue,
  foundryBarbarian,
  foundryCleric,
  foundryRogue,
} from '../support/foreign-sheets.ts'
import { sheetWith } from '../support/sheets.ts'

const rules = systemOf('D&D 5e (2024)')

function read(format: string, document: unknown): Imported {
  const sheet = importers.find((each) => each.format === format)?.read(document, rules.slotsFor)
  if (sheet == null) throw new Error(`no sheet of ${format}`)
  return sheet
}

describe('D&D Beyond', () => {
  test('a rogue: what their people, class, armour and levels add up to', () => {
    const sheet = read('dndbeyond', beyondRogue)
    expect(sheet).toMatchObject({
      name: 'Wren Tallow',
      species: 'Halfling',
      level: 3,
      classes: [{ name: 'Rogue', level: 3 }],
      experience: 950,
      abilities: { str: 8, dex: 17, con: 14, int: 10, wis: 12, cha: 13 },
      skills: { stealth: 'expertise', perception: 'proficient', deception: 'proficient' },
      saves: { dex: 'proficient', int: 'proficient' },
      // Leather 11 and DEX 3; what comes with the fifth level does not count yet.
      ac: 14,
      speed: 25,
      // 18 of dice and three times CON 2, four of them lost.
      hpMax: 24,
      hp: 20,
      hpTemp: 3,
      hitDice: [{ die: 'd8', max: 3, used: 1 }],
      coins: { gp: 15, sp: 4 },
    })
    expect(sheet.items[1]).toEqual({
      name: 'Arrows',
      quantity: 20,
      weight: 0.05,
      value: null,
      notes: 'Fletched in grey.',
      equipped: false,
      attuned: false,
    })
    expect(sheet.report.join(' ')).toContain('against being frightened')
    const checks = rules.checks(sheetWith({ ...sheet, speeds: {} }), [])
    // Twice a proficiency of 2 and DEX 3.
    expect(checks.find(({ id }) => id === 'skill.stealth')?.modifier).toBe(7)
  })

  test('two classes: slots of both, a ring that is bound and a cloak that is not', () => {
    const sheet = read('dndbeyond', beyondPaladin)
    expect(sheet).toMatchObject({
      level: 7,
      // Chain mail 16, shield 2, ring 1.
      ac: 19,
      // 42, CON 2 and a feat's 2 for each of seven levels.
      hpMax: 70,
      bonuses: { 'save.str': 1, 'save.cha': 1 },
      spellSlots: [
        { level: 1, max: 4, used: 1 },
        { level: 2, max: 3, used: 3 },
        { level: 3, max: 2, used: 0 },
      ],
      hitDice: [
        { die: 'd10', max: 5, used: 0 },
        { die: 'd6', max: 2, used: 0 },
      ],
    })
  })

  test('what the player wrote over the sums wins; what is not counted is told', () => {
    const sheet = read('dndbeyond', beyondBarbarian)
    expect(sheet).toMatchObject({
      // Ten, DEX 2, CON 3.
      ac: 15,
      hpMax: 50,
      skills: { athletics: 'expertise', acrobatics: 'half' },
      saves: { str: 'proficient' },
      bonuses: { 'skill.perception': 2 },
    })
    expect(sheet.report).toContain('Not counted: resistance cold.')
  })
})

describe('Foundry dnd5e', () => {
  test('a rogue of 4.3: hit points by their levels, armour by what is worn', () => {
    const sheet = read('foundry-dnd5e', foundryRogue)
    expect(sheet).toMatchObject({
      name: 'Wren',
      species: 'Halfling',
      level: 3,
      experience: 950,
      // 8, the average 5, 6, and three times CON 2.
      hpMax: 25,
      hp: 20,
      hpTemp: 5,
      ac: 14,
      skills: { stealth: 'expertise', perception: 'proficient', athletics: 'half' },
      saves: { dex: 'proficient', int: 'proficient' },
      bonuses: { initiative: 2, 'skill.perception': 1 },
      hitDice: [{ die: 'd8', max: 3, used: 1 }],
      coins: { gp: 15, sp: 4 },
      body: 'Left-handed.',
    })
    expect(sheet.items.map(({ name, quantity, value }) => [name, quantity, value])).toEqual([
      ['Leather', 1, '10 gp'],
      ['Arrows', 20, null],
    ])
    expect(sheet.report).toEqual(['They are small: say so on the sheet.'])
  })

  test('a cleric from before core 10: what is stored counts, used slots are those that are missing', () => {
    expect(read('foundry-dnd5e', foundryCleric)).toMatchObject({
      species: 'Dwarf',
      level: 5,
      hpMax: 38,
      hp: 31,
      ac: 18,
      speed: 25,
      hitDice: [{ die: 'd8', max: 5, used: 2 }],
      spellSlots: [
        { level: 1, max: 4, used: 2 },
        { level: 2, max: 3, used: 0 },
        { level: 3, max: 2, used: 2 },
      ],
    })
  })

  test('a barbarian of 5.3: effects that add a plain number count, all others are told', () => {
    const sheet = read('foundry-dnd5e', foundryBarbarian)
    // 12, 7, twice CON 3, and one for each level.
    expect([sheet.hpMax, sheet.hp]).toEqual([27, 27])
    // Ten, DEX 2, CON 3, a shield 2, its ward 1.
    expect(sheet.ac).toBe(18)
    expect(sheet.report).toEqual([
      'Not counted: Odd on system.bonuses.mwak.damage.',
      'Not counted: hit points of “@prof”.',
    ])
  })
})

test('what is no sheet is none, whatever it is', () => {
  for (const { read: of } of importers)
    for (const document of [
      null,
      7,
      'x',
      [],
      {},
      { data: null },
      { name: 'x', type: 'npc', system: {} },
      { data: { name: '' } },
    ])
      expect(of(document, rules.slotsFor)).toBeNull()
})

test('HTML becomes text, and nothing that runs stays', () => {
  expect(plainText('<p>One &amp; two</p><script>alert(1)</script><p>three<br>four</p>')).toBe(
    'One & two\nalert(1)three\nfour',
  )
  expect(plainText('<img src=x onerror=y>')).toBeNull()
})
