import { beforeEach, expect, test } from 'vitest'
import type { Actor } from '../../src/kernel/viewer.ts'
import { type Answer, makeTable, type Table } from './support.ts'

// Pages of the Open5e API, in the shapes of its two versions, with made-up creatures in them.

let table: Table
beforeEach(async () => {
  table = await makeTable()
})

const admin = (actor: Actor): Actor => ({ ...actor, admin: true })
const head = {
  key: 'open5e-made-up',
  title: 'Made up',
  licence: { name: 'CC BY 4.0', url: 'https://creativecommons.org/licenses/by/4.0/' },
  attribution: 'By nobody.',
}
const install = (results: readonly object[], more: object = {}): Promise<Answer> =>
  table.callAs(admin, 'install_rule_pack', {
    document: { ...head, count: results.length, next: null, previous: null, results, ...more },
  })
const entryOf = async (name: string): Promise<Answer> => {
  const { items } = await table.call('ellen', 'search_rules', { query: name })
  return table.call('ellen', 'get_rule_entry', { ruleEntryId: items[0].id })
}

const creature = {
  key: 'made-up_brine-hound',
  name: 'Brine hound',
  size: { name: 'Large', key: 'large' },
  type: { name: 'Beast', key: 'beast' },
  alignment: 'unaligned',
  armor_class: 14,
  armor_detail: 'natural armor',
  hit_points: 37,
  hit_dice: '5d10 + 10',
  ability_scores: { strength: 17, dexterity: 15, constitution: 15, intelligence: 3, wisdom: 12, charisma: 7 },
  saving_throws: { dexterity: 4 },
  skill_bonuses: { perception: 3 },
  speed: { walk: 50, swim: 20, unit: 'feet' },
  challenge_rating: '0.500',
  experience_points: null,
  passive_perception: 13,
  darkvision_range: 60,
  resistances_and_immunities: {
    damage_resistances: [{ name: 'Cold', key: 'cold' }],
    condition_immunities: [{ name: 'Charmed', key: 'charmed' }],
  },
  languages: { as_string: '' },
  traits: [{ name: 'Salt nose', desc: 'It smells water.' }],
  actions: [
    {
      name: 'Bite',
      // The field is wrong in places; the words are right.
      attacks: [{ to_hit_mod: 5, damage_type: { key: 'thunder' } }],
      desc: 'Melee Weapon Attack: +5 to hit, reach 5 ft., one target. Hit: 10 (2d6 + 3) piercing damage plus 3 (1d6) cold damage. DC 13 Strength saving throw or be knocked prone.',
      action_type: 'ACTION',
      usage_limits: null,
    },
    {
      name: 'Brine Breath',
      desc: 'Each creature in a 15-foot cone makes a DC 12 Dexterity saving throw, taking 7 (2d6) cold damage on a failed save, or half as much damage on a successful one.',
      action_type: 'ACTION',
      usage_limits: { type: 'RECHARGE_ON_ROLL', param: 5 },
    },
    { name: 'Shake', desc: 'It shakes itself.', action_type: 'LEGENDARY_ACTION', legendary_action_cost: 2 },
  ],
}

test('a creature of version 2 has its numbers, from the words where those say more', async () => {
  const pack = await install([creature])
  expect(pack).toMatchObject({ entryCount: 1, licenceName: 'CC BY 4.0', version: '1.0.0' })
  const { statblock } = await entryOf('Brine hound')
  expect(statblock).toMatchObject({
    size: 'large',
    type: 'beast',
    rating: 0.5,
    armourClass: { value: 14, from: 'natural armor' },
    hitPoints: { value: 37, dice: '5d10+10' },
    speeds: { walk: 50, swim: 20 },
    abilities: { str: 17, dex: 15, con: 15, int: 3, wis: 12, cha: 7 },
    saves: { dex: 4 },
    skills: { perception: 3 },
    senses: ['darkvision 60 ft'],
    resistances: [{ type: 'cold' }],
    conditionImmunities: ['charmed'],
    legendary: 3,
  })
  expect(statblock.actions[0]).toMatchObject({
    attack: { bonus: 5, kind: 'melee', reach: 5 },
    damage: [
      { dice: '2d6+3', type: 'piercing' },
      { dice: '1d6', type: 'cold' },
    ],
    save: { ability: 'str', dc: 13 },
  })
  expect(statblock.actions[1]).toMatchObject({ save: { ability: 'dex', dc: 12, half: true }, recharge: { from: 5 } })
  expect(statblock.actions[2]).toMatchObject({ cost: 'legendary', count: 2 })
})

test('a creature of version 1, a spell, a thing and a rule are told apart', async () => {
  const older = {
    slug: 'old-hound',
    name: 'Old hound',
    size: 'Medium',
    type: 'beast',
    armor_class: 12,
    armor_desc: null,
    hit_points: 11,
    hit_dice: '2d8+2',
    speed: { walk: 40 },
    strength: 12,
    dexterity: 15,
    strength_save: null,
    skills: { stealth: 4 },
    challenge_rating: '1/4',
    damage_resistances: 'cold from far away',
    special_abilities: [{ name: 'Pack', desc: 'Never alone.' }],
    actions: [
      {
        name: 'Bite (Recharge 5-6)',
        desc: 'Melee Weapon Attack: +4 to hit, reach 5 ft. Hit: 7 (2d4 + 2) piercing damage.',
      },
    ],
    legendary_actions: null,
  }
  const spell = {
    slug: 'ward',
    name: 'Ward',
    level_int: 1,
    casting_time: '1 action',
    concentration: 'yes',
    desc: 'A line of salt.',
    school: 'Abjuration',
  }
  const item = {
    key: 'salt-bag',
    name: 'Salt bag',
    category: { name: 'Adventuring Gear' },
    cost: '5.00',
    weight: '2.500',
    desc: 'A bag.',
  }
  await install([older, spell, item, { slug: 'thirst', name: 'Thirst', desc: 'Doubled upon salt.' }])
  const kinds = (await table.call('ellen', 'list_rule_packs')).items[0].kinds
  expect(kinds).toEqual({ creature: 1, spell: 1, item: 1, rule: 1 })
  const hound = await entryOf('Old hound')
  expect(hound.statblock).toMatchObject({ rating: 0.25, hitPoints: { dice: '2d8+2' }, abilities: { str: 12, dex: 15 } })
  expect(hound.statblock.actions[0]).toMatchObject({ recharge: { from: 5 }, attack: { bonus: 4 } })
  expect(hound.body).toContain('Resists: cold from far away.')
  expect((await entryOf('Ward')).statblock).toMatchObject({ level: 1, concentration: true, school: 'abjuration' })
  expect((await entryOf('Salt bag')).statblock).toMatchObject({ cost: '5 gp', weight: 2.5 })
})

test('what was left out is said: pages that follow, and dice that stand in the text alone', async () => {
  const strange = { ...creature, key: 'strange', actions: [{ name: 'Odd', desc: 'Roll 3d6 and think.' }] }
  const { notes } = await install([strange], { next: 'https://api.open5e.com/?page=2' })
  expect(notes.join(' ')).toContain('Odd: its dice stand in the text only')
  expect(notes.join(' ')).toContain('one page of several')
})
