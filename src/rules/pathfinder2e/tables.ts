import type { Ability, Coin, ConditionRule, Named, Proficiency, Rank } from '../system.ts'

// Numbers of the second edition of Pathfinder after its remaster.

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
  { key: 'arcana', name: 'Arcana', ability: 'int' },
  { key: 'athletics', name: 'Athletics', ability: 'str' },
  { key: 'crafting', name: 'Crafting', ability: 'int' },
  { key: 'deception', name: 'Deception', ability: 'cha' },
  { key: 'diplomacy', name: 'Diplomacy', ability: 'cha' },
  { key: 'intimidation', name: 'Intimidation', ability: 'cha' },
  { key: 'lore', name: 'Lore', ability: 'int' },
  { key: 'medicine', name: 'Medicine', ability: 'wis' },
  { key: 'nature', name: 'Nature', ability: 'wis' },
  { key: 'occultism', name: 'Occultism', ability: 'int' },
  { key: 'performance', name: 'Performance', ability: 'cha' },
  { key: 'religion', name: 'Religion', ability: 'wis' },
  { key: 'society', name: 'Society', ability: 'int' },
  { key: 'stealth', name: 'Stealth', ability: 'dex' },
  { key: 'survival', name: 'Survival', ability: 'wis' },
  { key: 'thievery', name: 'Thievery', ability: 'dex' },
]

export const saves: readonly Proficiency[] = [
  { key: 'fortitude', name: 'Fortitude', ability: 'con' },
  { key: 'reflex', name: 'Reflex', ability: 'dex' },
  { key: 'will', name: 'Will', ability: 'wis' },
]

export const ranks: readonly Rank[] = [
  { key: 'untrained', name: 'Untrained' },
  { key: 'trained', name: 'Trained' },
  { key: 'expert', name: 'Expert' },
  { key: 'master', name: 'Master' },
  { key: 'legendary', name: 'Legendary' },
]
/** What a rank adds beside the level. */
export const rankBonus: Readonly<Record<string, number>> = { trained: 2, expert: 4, master: 6, legendary: 8 }

export const damageTypes: readonly string[] = [
  'acid',
  'bleed',
  'bludgeoning',
  'cold',
  'electricity',
  'fire',
  'force',
  'mental',
  'piercing',
  'poison',
  'slashing',
  'sonic',
  'spirit',
  'vitality',
  'void',
]

export const bulkBySize: Readonly<Record<string, number>> = { tiny: 0.5, large: 2, huge: 4, gargantuan: 8 }

export const coins: readonly Coin[] = [
  { key: 'cp', name: 'Copper', value: 1 },
  { key: 'sp', name: 'Silver', value: 10 },
  { key: 'gp', name: 'Gold', value: 100 },
  { key: 'pp', name: 'Platinum', value: 1000 },
]

/** Hit points of a class at each level, without constitution. */
export const classHitPoints: ReadonlyMap<string, number> = new Map([
  ['alchemist', 8],
  ['barbarian', 12],
  ['bard', 8],
  ['champion', 10],
  ['cleric', 8],
  ['druid', 8],
  ['fighter', 10],
  ['investigator', 8],
  ['monk', 10],
  ['oracle', 8],
  ['ranger', 10],
  ['rogue', 8],
  ['sorcerer', 6],
  ['swashbuckler', 10],
  ['witch', 6],
  ['wizard', 6],
])

/** Slots of each rank that a prepared and a spontaneous caster has: what the highest rank begins with, and then. */
export const casters: ReadonlyMap<string, readonly [first: number, then: number]> = new Map([
  ['bard', [2, 3]],
  ['cleric', [2, 3]],
  ['druid', [2, 3]],
  ['witch', [2, 3]],
  // With the slot of their school.
  ['wizard', [3, 4]],
  ['oracle', [3, 4]],
  ['sorcerer', [3, 4]],
])

/** Experience of a foe by how far its level is above the party's, from four below to four above. */
export const experienceByDifference: readonly number[] = [10, 15, 20, 30, 40, 60, 80, 120, 160]

/** Of four characters, and what one more or less changes. */
export const tiers: readonly (Named & { readonly budget: number; readonly each: number })[] = [
  { key: 'trivial', name: 'Trivial', budget: 40, each: 10 },
  { key: 'low', name: 'Low', budget: 60, each: 20 },
  { key: 'moderate', name: 'Moderate', budget: 80, each: 20 },
  { key: 'severe', name: 'Severe', budget: 120, each: 30 },
  { key: 'extreme', name: 'Extreme', budget: 160, each: 40 },
]

const plain = (key: string, says: string): ConditionRule => ({
  key,
  name: titled(key),
  valued: false,
  most: null,
  says,
})
const counted = (key: string, most: number | null, says: string): ConditionRule => ({
  key,
  name: titled(key),
  valued: true,
  most,
  says,
})
const titled = (key: string): string => `${key[0]?.toUpperCase()}${key.slice(1).replaceAll('-', ' ')}`

export const conditions: readonly ConditionRule[] = [
  plain('blinded', 'Sees nothing: all ground is difficult, and Perception suffers.'),
  counted('clumsy', null, 'Its value off all that goes by Dexterity, armour class among it.'),
  plain('confused', 'Attacks at random, off guard.'),
  plain('dazzled', 'Everything is concealed.'),
  plain('deafened', 'Hears nothing, and notices less.'),
  counted('doomed', null, 'Dies that much sooner.'),
  counted('drained', null, 'Its value off all that goes by Constitution, and hit points by level.'),
  plain('encumbered', 'Clumsy and slower.'),
  counted('enfeebled', null, 'Its value off all that goes by Strength, and its damage.'),
  plain('fascinated', 'Perception and skills suffer by two.'),
  plain('fatigued', 'One off armour class and saves.'),
  plain('fleeing', 'Runs.'),
  counted('frightened', null, 'Its value off all checks and DCs; one less at the end of each turn.'),
  plain('grabbed', 'Off guard and held in place.'),
  plain('hidden', 'Found by luck alone.'),
  plain('immobilized', 'Does not move.'),
  plain('invisible', 'Undetected by all.'),
  plain('off-guard', 'Two off armour class.'),
  plain('paralyzed', 'Off guard; acts in thought alone.'),
  plain('petrified', 'Stone.'),
  counted('persistent-damage', null, 'Hurts at the end of each turn until it is put out.'),
  plain('prone', 'Off guard; two off attacks; crawls or stands up.'),
  plain('quickened', 'One action more.'),
  plain('restrained', 'Off guard and bound: only escapes.'),
  counted('sickened', null, 'Its value off all checks and DCs.'),
  counted('slowed', null, 'That many actions fewer in each turn.'),
  counted('stunned', null, 'That many actions lost, over as many turns as it takes.'),
  counted('stupefied', null, 'Its value off all that goes by the mind; spells may fail.'),
  plain('unconscious', 'Off guard and knows nothing; four off armour class, Perception and Reflex.'),
]
