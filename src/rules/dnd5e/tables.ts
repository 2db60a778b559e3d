import type { Ability, Coin, ConditionRule, Proficiency, Rank } from '../system.ts'

// Numbers of the fifth edition. Those of SRD 5.1 and 5.2 are under CC BY 4.0; which edition a number is of, its reader says.

export type Edition = '2014' | '2024'

export const abilities: readonly Ability[] = [
  { key: 'str', name: 'Strength', short: 'STR' },
  { key: 'dex', name: 'Dexterity', short: 'DEX' },
  { key: 'con', name: 'Constitution', short: 'CON' },
  { key: 'int', name: 'Intelligence', short: 'INT' },
  { key: 'wis', name: 'Wisdom', short: 'WIS' },
  { key: 'cha', name: 'Charisma', short: 'CHA' },
]

export const skills: readonly Proficiency[] = [
  { key: 'acrobatics', name: 'Acrobatics', ability: 'dex' },
  { key: 'animal-handling', name: 'Animal handling', ability: 'wis' },
  { key: 'arcana', name: 'Arcana', ability: 'int' },
  { key: 'athletics', name: 'Athletics', ability: 'str' },
  { key: 'deception', name: 'Deception', ability: 'cha' },
  { key: 'history', name: 'History', ability: 'int' },
  { key: 'insight', name: 'Insight', ability: 'wis' },
  { key: 'intimidation', name: 'Intimidation', ability: 'cha' },
  { key: 'investigation', name: 'Investigation', ability: 'int' },
  { key: 'medicine', name: 'Medicine', ability: 'wis' },
  { key: 'nature', name: 'Nature', ability: 'int' },
  { key: 'perception', name: 'Perception', ability: 'wis' },
  { key: 'performance', name: 'Performance', ability: 'cha' },
  { key: 'persuasion', name: 'Persuasion', ability: 'cha' },
  { key: 'religion', name: 'Religion', ability: 'int' },
  { key: 'sleight-of-hand', name: 'Sleight of hand', ability: 'dex' },
  { key: 'stealth', name: 'Stealth', ability: 'dex' },
  { key: 'survival', name: 'Survival', ability: 'wis' },
]

export const saves: readonly Proficiency[] = abilities.map(({ key, name }) => ({ key, name, ability: key }))

export const ranks: readonly Rank[] = [
  { key: 'untrained', name: 'Not proficient' },
  { key: 'half', name: 'Half proficient' },
  { key: 'proficient', name: 'Proficient' },
  { key: 'expertise', name: 'Expertise' },
]

/** How often the proficiency bonus is added, by rank. */
export const proficiencyTimes: Readonly<Record<string, number>> = { half: 0.5, proficient: 1, expertise: 2 }

export const damageTypes: readonly string[] = [
  'acid',
  'bludgeoning',
  'cold',
  'fire',
  'force',
  'lightning',
  'necrotic',
  'piercing',
  'poison',
  'psychic',
  'radiant',
  'slashing',
  'thunder',
]

export const carryBySize: Readonly<Record<string, number>> = { tiny: 0.5, large: 2, huge: 4, gargantuan: 8 }

export const coins: readonly Coin[] = [
  { key: 'cp', name: 'Copper', value: 1 },
  { key: 'sp', name: 'Silver', value: 10 },
  { key: 'ep', name: 'Electrum', value: 50 },
  { key: 'gp', name: 'Gold', value: 100 },
  { key: 'pp', name: 'Platinum', value: 1000 },
]

/** Experience at which each level begins, from the first on. */
export const experienceByLevel: readonly number[] = [
  0, 300, 900, 2700, 6500, 14_000, 23_000, 34_000, 48_000, 64_000, 85_000, 100_000, 120_000, 140_000, 165_000, 195_000,
  225_000, 265_000, 305_000, 355_000,
]

const experienceFromOneOn = [
  200, 450, 700, 1100, 1800, 2300, 2900, 3900, 5000, 5900, 7200, 8400, 10_000, 11_500, 13_000, 15_000, 18_000, 20_000,
  22_000, 25_000, 33_000, 41_000, 50_000, 62_000, 75_000, 90_000, 105_000, 120_000, 135_000, 155_000,
]
/** Experience by challenge. Of challenge 0 it is 0 or 10, as the creature says. */
export const experienceByChallenge: ReadonlyMap<number, number> = new Map([
  [0.125, 25],
  [0.25, 50],
  [0.5, 100],
  ...experienceFromOneOn.map((experience, index) => [index + 1, experience] as const),
])

/** 2014: where easy, medium, hard and deadly begin for one character, by level. Not part of SRD 5.1. */
export const thresholds: readonly (readonly number[])[] = [
  [25, 50, 75, 100],
  [50, 100, 150, 200],
  [75, 150, 225, 400],
  [125, 250, 375, 500],
  [250, 500, 750, 1100],
  [300, 600, 900, 1400],
  [350, 750, 1100, 1700],
  [450, 900, 1400, 2100],
  [550, 1100, 1600, 2400],
  [600, 1200, 1900, 2800],
  [800, 1600, 2400, 3600],
  [1000, 2000, 3000, 4500],
  [1100, 2200, 3400, 5100],
  [1250, 2500, 3800, 5700],
  [1400, 2800, 4300, 6400],
  [1600, 3200, 4800, 7200],
  [2000, 3900, 5900, 8800],
  [2100, 4200, 6300, 9500],
  [2400, 4900, 7300, 10_900],
  [2800, 5700, 8500, 12_700],
]

/** 2024: what low, moderate and high difficulty may cost for one character, by level. */
export const budgets: readonly (readonly number[])[] = [
  [50, 75, 100],
  [100, 150, 200],
  [150, 225, 400],
  [250, 375, 500],
  [500, 750, 1100],
  [600, 1000, 1400],
  [750, 1300, 1700],
  [1000, 1700, 2100],
  [1300, 2000, 2600],
  [1600, 2300, 3100],
  [1900, 2900, 4100],
  [2200, 3700, 4700],
  [2600, 4200, 5400],
  [2900, 4900, 6200],
  [3300, 5400, 7800],
  [3800, 6100, 9800],
  [4500, 7200, 11_700],
  [5000, 8700, 14_200],
  [5500, 10_700, 17_200],
  [6400, 13_200, 22_000],
]

/** Multipliers for many foes, 2014. */
export const multipliers: readonly number[] = [0.5, 1, 1.5, 2, 2.5, 3, 4, 5]

/** Slots of a full caster by level, those of the first spell level first. */
export const fullCaster: readonly (readonly number[])[] = [
  [2],
  [3],
  [4, 2],
  [4, 3],
  [4, 3, 2],
  [4, 3, 3],
  [4, 3, 3, 1],
  [4, 3, 3, 2],
  [4, 3, 3, 3, 1],
  [4, 3, 3, 3, 2],
  [4, 3, 3, 3, 2, 1],
  [4, 3, 3, 3, 2, 1],
  [4, 3, 3, 3, 2, 1, 1],
  [4, 3, 3, 3, 2, 1, 1],
  [4, 3, 3, 3, 2, 1, 1, 1],
  [4, 3, 3, 3, 2, 1, 1, 1],
  [4, 3, 3, 3, 2, 1, 1, 1, 1],
  [4, 3, 3, 3, 3, 1, 1, 1, 1],
  [4, 3, 3, 3, 3, 2, 1, 1, 1],
  [4, 3, 3, 3, 3, 2, 2, 1, 1],
]

/** Of a warlock: up to which level, how many slots, of which spell level. */
export const pactSlots: readonly (readonly [most: number, count: number, level: number])[] = [
  [1, 1, 1],
  [2, 2, 1],
  [4, 2, 2],
  [6, 2, 3],
  [8, 2, 4],
  [10, 2, 5],
  [16, 3, 5],
  [20, 4, 5],
]

export interface ClassRule {
  readonly die: number
  readonly saves: readonly string[]
  readonly caster: 'full' | 'half' | 'pact' | null
}

export const classes: ReadonlyMap<string, ClassRule> = new Map([
  ['barbarian', { die: 12, saves: ['str', 'con'], caster: null }],
  ['bard', { die: 8, saves: ['dex', 'cha'], caster: 'full' }],
  ['cleric', { die: 8, saves: ['wis', 'cha'], caster: 'full' }],
  ['druid', { die: 8, saves: ['int', 'wis'], caster: 'full' }],
  ['fighter', { die: 10, saves: ['str', 'con'], caster: null }],
  ['monk', { die: 8, saves: ['str', 'dex'], caster: null }],
  ['paladin', { die: 10, saves: ['wis', 'cha'], caster: 'half' }],
  ['ranger', { die: 10, saves: ['str', 'dex'], caster: 'half' }],
  ['rogue', { die: 8, saves: ['dex', 'int'], caster: null }],
  ['sorcerer', { die: 6, saves: ['con', 'cha'], caster: 'full' }],
  ['warlock', { die: 8, saves: ['wis', 'cha'], caster: 'pact' }],
  ['wizard', { die: 6, saves: ['int', 'wis'], caster: 'full' }],
])

const plain = (key: string, says: string): ConditionRule => ({
  key,
  name: `${key[0]?.toUpperCase()}${key.slice(1)}`,
  valued: false,
  most: null,
  says,
})

export function conditionRules(edition: Edition): readonly ConditionRule[] {
  const is2024 = edition === '2024'
  return [
    plain('blinded', 'Sees nothing. Attacks at a disadvantage, and is attacked at an advantage.'),
    plain('charmed', 'Does not attack who charms them, and is easily talked to by them.'),
    plain('deafened', 'Hears nothing.'),
    plain('frightened', 'Checks and attacks at a disadvantage while the source is in sight; goes no nearer.'),
    plain('grappled', `Does not move.${is2024 ? ' Attacks others than who holds them at a disadvantage.' : ''}`),
    plain(
      'incapacitated',
      `No actions, no reactions, no concentration.${is2024 ? ' No bonus action, no speech.' : ''}`,
    ),
    plain('invisible', 'Attacks at an advantage, and is attacked at a disadvantage.'),
    plain('paralyzed', 'Cannot act or move; fails Strength and Dexterity saves. Hits from near by are critical.'),
    plain('petrified', 'Stone: cannot act or move, fails Strength and Dexterity saves, resists all damage.'),
    plain('poisoned', 'Checks and attacks at a disadvantage.'),
    plain('prone', 'Crawls. Attacks at a disadvantage; from near by is attacked at an advantage, from afar not.'),
    plain('restrained', 'Does not move. Attacks and Dexterity saves at a disadvantage; attacked at an advantage.'),
    plain('stunned', 'Cannot act; fails Strength and Dexterity saves. Attacked at an advantage.'),
    plain('unconscious', 'Lies prone and knows nothing. Hits from near by are critical.'),
    {
      key: 'exhaustion',
      name: 'Exhaustion',
      valued: true,
      most: 6,
      says: is2024
        ? 'For each level: 2 off every roll of a d20, 5 feet off the speed. Six kill.'
        : 'By level: checks at a disadvantage, half speed, attacks and saves too, half the hit points, no speed, death.',
    },
  ]
}
