// Sheets of other programs, made by hand. No file here comes from them.
//
// D&D Beyond: the shape of character version 5 as ddb-importer 7.4.1 reads it (stats by id, modifiers by source, inventory with
// definitions). Foundry: actors of the dnd5e system as its data models write them, 3.0 (`hitDice`, `data` before core 10), 4.0 and 5.3.

const stats = (...values: readonly number[]) => values.map((value, index) => ({ id: index + 1, value }))
const nothing = stats(0, 0, 0, 0, 0, 0).map(({ id }) => ({ id, value: null }))

function beyond(values: object): Readonly<Record<string, unknown>> {
  return {
    bonusStats: nothing,
    overrideStats: nothing,
    removedHitPoints: 0,
    temporaryHitPoints: 0,
    currencies: { cp: 0, sp: 0, ep: 0, gp: 0, pp: 0 },
    inventory: [],
    race: { fullName: 'Human', weightSpeeds: { normal: { walk: 30 } } },
    modifiers: { race: [], class: [], background: [], item: [], feat: [], condition: [] },
    ...values,
  }
}
const grants = (type: string, subType: string, more: object = {}) => ({
  type,
  subType,
  value: null,
  restriction: '',
  ...more,
})

/** A rogue of three levels, in leather, hurt, whose people are nimble. */
export const beyondRogue = {
  success: true,
  data: beyond({
    name: 'Wren Tallow',
    currentXp: '950',
    stats: stats(8, 15, 14, 10, 12, 13),
    baseHitPoints: 18,
    removedHitPoints: 4,
    temporaryHitPoints: 3,
    race: { fullName: 'Halfling', weightSpeeds: { normal: { walk: 25 } } },
    classes: [
      {
        level: 3,
        isStartingClass: true,
        hitDiceUsed: 1,
        definition: { name: 'Rogue', hitDice: 8 },
        classFeatures: [{ definition: { id: 7, requiredLevel: 1 } }, { definition: { id: 8, requiredLevel: 5 } }],
      },
    ],
    modifiers: {
      race: [
        grants('bonus', 'dexterity-score', { value: 2 }),
        grants('advantage', 'saving-throws', { restriction: 'against being frightened' }),
      ],
      class: [
        grants('proficiency', 'dexterity-saving-throws', { componentId: 7 }),
        grants('proficiency', 'intelligence-saving-throws', { componentId: 7 }),
        grants('proficiency', 'stealth', { componentId: 7 }),
        grants('expertise', 'stealth', { componentId: 7 }),
        grants('proficiency', 'perception', { componentId: 7 }),
        grants('bonus', 'armor-class', { componentId: 8, value: 5 }),
      ],
      background: [grants('proficiency', 'deception')],
      item: [],
      feat: [],
      condition: [],
    },
    inventory: [
      {
        quantity: 1,
        equipped: true,
        definition: { name: 'Leather', armorTypeId: 1, armorClass: 11, canEquip: true, weight: 10, cost: 10 },
      },
      {
        quantity: 20,
        equipped: false,
        definition: { name: 'Arrows', canEquip: false, weight: 0.05, description: '<p>Fletched in <b>grey</b>.</p>' },
      },
    ],
    currencies: { cp: 0, sp: 4, ep: 0, gp: 15, pp: 0 },
  }),
}

/** Two classes, plate and shield, one ring that counts and one cloak that does not. */
export const beyondPaladin = beyond({
  name: 'Osk',
  stats: stats(16, 10, 14, 8, 12, 16),
  baseHitPoints: 42,
  classes: [
    { level: 5, isStartingClass: true, definition: { name: 'Paladin', hitDice: 10 }, classFeatures: [] },
    { level: 2, isStartingClass: false, definition: { name: 'Sorcerer', hitDice: 6 }, classFeatures: [] },
  ],
  modifiers: {
    race: [],
    class: [grants('proficiency', 'wisdom-saving-throws'), grants('proficiency', 'charisma-saving-throws')],
    background: [],
    item: [grants('bonus', 'armor-class', { value: 9 })],
    feat: [grants('bonus', 'hit-points-per-level', { value: 2 })],
    condition: [],
  },
  inventory: [
    { equipped: true, definition: { name: 'Chain mail', armorTypeId: 3, armorClass: 16, canEquip: true } },
    { equipped: true, definition: { name: 'Shield', armorTypeId: 4, armorClass: 2, canEquip: true } },
    {
      equipped: true,
      isAttuned: true,
      definition: {
        name: 'Ring',
        canEquip: true,
        canAttune: true,
        grantedModifiers: [
          grants('bonus', 'armor-class', { value: 1 }),
          grants('bonus', 'saving-throws', { value: 1 }),
        ],
      },
    },
    {
      equipped: true,
      isAttuned: false,
      definition: {
        name: 'Cloak',
        canEquip: true,
        canAttune: true,
        grantedModifiers: [grants('bonus', 'armor-class', { value: 1 })],
      },
    },
  ],
  spellSlots: [
    { level: 1, used: 1, available: 0 },
    { level: 2, used: 3, available: 0 },
  ],
})

/** Bare-chested, with what the player wrote over the sums. */
export const beyondBarbarian = {
  ddb: {
    character: beyond({
      name: 'Tamsin',
      stats: stats(17, 14, 16, 8, 10, 10),
      baseHitPoints: 33,
      overrideHitPoints: 50,
      classes: [{ level: 4, isStartingClass: true, definition: { name: 'Barbarian', hitDice: 12 }, classFeatures: [] }],
      modifiers: {
        race: [],
        class: [
          grants('set', 'unarmored-armor-class', { statId: 3, value: 0 }),
          grants('half-proficiency', 'ability-checks'),
          grants('resistance', 'cold'),
        ],
        background: [],
        item: [],
        feat: [],
        condition: [],
      },
      characterValues: [
        { typeId: 26, value: 4, valueId: '2' },
        { typeId: '41', value: 3, valueId: '1' },
        { typeId: 24, value: 2, valueId: 14 },
      ],
    }),
  },
}

const abilities = (str: number, dex: number, con: number, int: number, wis: number, cha: number, proficient: string) =>
  Object.fromEntries(
    Object.entries({ str, dex, con, int, wis, cha }).map(([key, value]) => [
      key,
      { value, proficient: proficient.includes(key) ? 1 : 0, bonuses: {} },
    ]),
  )

/** As 4.0 writes one: no maximum, what each level gave, used hit dice as `spent`. */
export const foundryRogue = {
  name: 'Wren',
  type: 'character',
  _stats: { systemId: 'dnd5e', systemVersion: '4.3.0' },
  system: {
    abilities: abilities(8, 16, 14, 10, 12, 13, 'dex int'),
    attributes: {
      hp: { value: 20, max: null, temp: 5, bonuses: { level: '', overall: '' } },
      ac: { calc: 'default', flat: null },
      movement: { walk: 30 },
      init: { bonus: '2' },
    },
    skills: {
      ste: { value: 2, bonuses: {} },
      prc: { value: 1, bonuses: { check: '1' } },
      ath: { value: 0.5 },
      arc: { value: 0 },
    },
    details: {
      xp: { value: 950 },
      biography: { public: '<p>Left-handed.</p>', value: '<p>Owes the clerk.</p>' },
      race: 'aBc',
    },
    currency: { gp: 15, sp: '4' },
    traits: { size: 'sm' },
    spells: {},
  },
  items: [
    {
      name: 'Rogue',
      type: 'class',
      system: {
        levels: 3,
        hd: { denomination: 'd8', spent: 1 },
        advancement: [{ type: 'HitPoints', value: { 1: 'max', 2: 'avg', 3: 6 } }],
      },
    },
    { name: 'Halfling', type: 'race', system: {} },
    {
      name: 'Leather',
      type: 'equipment',
      system: {
        equipped: true,
        type: { value: 'light' },
        armor: { value: 11 },
        weight: { value: 10, units: 'lb' },
        price: { value: 10, denomination: 'gp' },
        quantity: 1,
      },
    },
    {
      name: 'Arrows',
      type: 'consumable',
      system: { quantity: 20, weight: { value: 0.05 }, description: { value: '<p>Grey</p>' } },
    },
  ],
  effects: [],
}

/** As it was before core 10: `data`, a stored maximum, a flat armour class. */
export const foundryCleric = {
  name: 'Ilsabet',
  type: 'character',
  data: {
    abilities: abilities(10, 12, 14, 10, 16, 12, 'wis cha'),
    attributes: { hp: { value: 31, max: 38, temp: null }, ac: { calc: 'flat', flat: 18 }, movement: { walk: 25 } },
    skills: { med: { value: 1 } },
    details: { race: 'Dwarf', xp: { value: 6500 } },
    currency: {},
    spells: { spell1: { value: 2 }, spell2: { value: 3 }, spell3: { value: 0 } },
  },
  items: [
    { name: 'Cleric', type: 'class', data: { levels: 5, hitDice: 'd8', hitDiceUsed: 2 } },
    { name: 'Mace', type: 'weapon', data: { quantity: 1, equipped: true, weight: 4, price: 5 } },
  ],
  effects: [],
}

/** As 5.3 writes one: advancement by id, effects that count and effects that do not. */
export const foundryBarbarian = {
  name: 'Tamsin',
  type: 'character',
  _stats: { systemId: 'dnd5e', systemVersion: '5.3.3' },
  system: {
    abilities: abilities(17, 14, 16, 8, 10, 10, 'str con'),
    attributes: {
      hp: { value: null, max: null, temp: 0, bonuses: { level: '1', overall: '@prof' } },
      ac: { calc: 'unarmoredBarb' },
      movement: { walk: 40 },
    },
    skills: {},
    details: {},
    currency: {},
    spells: {},
  },
  items: [
    {
      name: 'Barbarian',
      type: 'class',
      system: {
        levels: 2,
        hd: { denomination: 'd12', spent: 0 },
        advancement: { aa: { type: 'HitPoints', value: { 1: 'max', 2: 'avg' } } },
      },
    },
    {
      name: 'Shield',
      type: 'equipment',
      system: { equipped: true, attuned: false, type: { value: 'shield' }, armor: { value: 2 } },
      effects: [
        {
          name: 'Warded',
          transfer: true,
          disabled: false,
          system: { changes: [{ key: 'system.attributes.ac.bonus', type: 'add', value: '1' }] },
        },
      ],
    },
  ],
  effects: [
    { name: 'Rage', disabled: true, changes: [{ key: 'system.attributes.ac.bonus', mode: 2, value: '4' }] },
    { name: 'Odd', disabled: false, changes: [{ key: 'system.bonuses.mwak.damage', mode: 2, value: '1d4' }] },
  ],
}
