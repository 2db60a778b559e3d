import type { Condition, Rolled, RollMode, Throw } from '../life.ts'
import { has, levelOf, ownChecksOf, plus } from '../shared.ts'
import type { Action, Check, CheckKind, Outcome, Sheet } from '../sheet.ts'
import type { Load, Named, RollEffect } from '../system.ts'
import { abilities, bulkBySize, rankBonus, ranks, saves, skills } from './tables.ts'

/** Attributes are modifiers here. */
export function abilityModifier(sheet: Sheet, ability: string): number {
  return sheet.abilities[ability] ?? 0
}

/** Rank and level; the untrained get nothing. */
export function proficiencyOf(level: number, rank: string): number {
  const bonus = rankBonus[rank]
  return bonus === undefined ? 0 : level + bonus
}

interface Penalty {
  readonly type: 'status' | 'circumstance'
  readonly name: string
  readonly value: number
}

/** Of each type only the worst counts. */
export function worst(penalties: readonly Penalty[]): readonly Penalty[] {
  return (['status', 'circumstance'] as const).flatMap((type) => {
    const of = penalties.filter((each) => each.type === type && each.value > 0)
    const most = of.toSorted((a, b) => b.value - a.value)[0]
    return most === undefined ? [] : [most]
  })
}

const byAbility: Readonly<Record<string, string>> = {
  str: 'enfeebled',
  dex: 'clumsy',
  con: 'drained',
  int: 'stupefied',
  wis: 'stupefied',
  cha: 'stupefied',
}

const status = (conditions: readonly Condition[], key: string): Penalty => ({
  type: 'status',
  name: key,
  value: levelOf(conditions, key),
})

/** What conditions take off one's own roll. */
export function penaltiesOf(
  conditions: readonly Condition[],
  kind: CheckKind | 'attack' | 'ac',
  ability: string | null,
): readonly Penalty[] {
  const found = [status(conditions, 'frightened'), status(conditions, 'sickened')]
  const key = ability === null ? undefined : byAbility[ability]
  if (key !== undefined) found.push(status(conditions, key))
  const fixed = (name: string, type: Penalty['type'], value: number): void => {
    if (has(conditions, name)) found.push({ type, name, value })
  }
  if (ability === 'dex' && has(conditions, 'encumbered')) found.push({ type: 'status', name: 'encumbered', value: 1 })
  if (kind === 'save' || kind === 'ac') fixed('fatigued', 'status', 1)
  if (kind === 'skill' || kind === 'perception') fixed('fascinated', 'status', 2)
  if (kind === 'perception') fixed('blinded', 'status', 4)
  if (kind === 'perception' || kind === 'ac' || (kind === 'save' && ability === 'dex'))
    fixed('unconscious', 'status', 4)
  if (kind === 'attack') fixed('prone', 'circumstance', 2)
  if (kind === 'ac' && isOffGuard(conditions)) found.push({ type: 'circumstance', name: 'off-guard', value: 2 })
  return worst(found)
}

export function isOffGuard(conditions: readonly Condition[]): boolean {
  return ['off-guard', 'prone', 'grabbed', 'restrained', 'paralyzed', 'confused', 'unconscious'].some((key) =>
    has(conditions, key),
  )
}

export function rollEffect(
  conditions: readonly Condition[],
  kind: CheckKind | 'attack',
  ability: string | null,
): RollEffect {
  const off = penaltiesOf(conditions, kind, ability)
  const modifier = 0 - off.reduce((sum, { value }) => sum + value, 0)
  return { mode: 'plain', modifier, fails: false, reasons: off.map(({ name, value }) => `${name} −${value}`) }
}

export function targetEffect(target: readonly Condition[]): RollEffect & { readonly critical: boolean } {
  // What lowers an armour class is in the armour class: an attack against it is rolled as it is.
  return {
    mode: 'plain',
    modifier: 0,
    fails: false,
    reasons: isOffGuard(target) ? ['off-guard'] : [],
    critical: false,
  }
}

function check(
  sheet: Sheet,
  conditions: readonly Condition[],
  id: string,
  kind: CheckKind,
  name: string,
  ability: string,
  rank: string | null,
): Check {
  const parts = [
    { name: abilities.find(({ key }) => key === ability)?.short ?? ability, value: abilityModifier(sheet, ability) },
  ]
  const proficiency = rank === null ? 0 : proficiencyOf(sheet.level, rank)
  if (proficiency !== 0) parts.push({ name: ranks.find(({ key }) => key === rank)?.name ?? '', value: proficiency })
  const bonus = sheet.bonuses[id] ?? 0
  if (bonus !== 0) parts.push({ name: 'Bonus', value: bonus })
  const off = penaltiesOf(conditions, kind, ability)
  for (const { name: why, value } of off) parts.push({ name: why, value: -value })
  const modifier = parts.reduce((sum, { value }) => sum + value, 0)
  return {
    id,
    kind,
    name,
    ability,
    modifier,
    parts,
    rank,
    expression: plus('1d20', modifier),
    mode: 'plain',
    fails: false,
    reasons: off.map(({ name: why, value }) => `${why} −${value}`),
    compare: 'at-least',
  }
}

export function perceptionCheck(sheet: Sheet, conditions: readonly Condition[]): Check {
  const rank = sheet.skills.perception ?? 'trained'
  return check(sheet, conditions, 'perception', 'perception', 'Perception', 'wis', rank)
}

function saveCheck(
  sheet: Sheet,
  conditions: readonly Condition[],
  { key, name, ability }: (typeof saves)[number],
): Check {
  return check(sheet, conditions, `save.${key}`, 'save', name, ability, sheet.saves[key] ?? 'trained')
}

function skillCheck(
  sheet: Sheet,
  conditions: readonly Condition[],
  { key, name, ability }: (typeof skills)[number],
): Check {
  return check(sheet, conditions, `skill.${key}`, 'skill', name, ability, sheet.skills[key] ?? 'untrained')
}

export function checksOf(sheet: Sheet, conditions: readonly Condition[]): readonly Check[] {
  return [
    perceptionCheck(sheet, conditions),
    ...saves.map((each) => saveCheck(sheet, conditions, each)),
    ...skills.map((each) => skillCheck(sheet, conditions, each)),
    ...ownChecksOf(sheet),
  ]
}

const passiveSkills = skills.filter(({ key }) => key === 'stealth')
const passiveSaves = saves.filter(({ key }) => key === 'will')

/** The DC of a statistic: ten and its modifier. */
export function passivesOf(
  sheet: Sheet,
  conditions: readonly Condition[],
): readonly (Named & { readonly value: number })[] {
  return [
    perceptionCheck(sheet, conditions),
    ...passiveSkills.map((each) => skillCheck(sheet, conditions, each)),
    ...passiveSaves.map((each) => saveCheck(sheet, conditions, each)),
  ].map(({ id, name, modifier }) => ({ key: id, name: `${name} DC`, value: 10 + (modifier ?? 0) }))
}

const dice: Readonly<Record<RollMode, string>> = { plain: '1d20', advantage: '2d20kh1', disadvantage: '2d20kl1' }

/** Fortune and misfortune: the better or the worse of two. */
export function d20(modifier: number, mode: RollMode): string {
  return plus(dice[mode], modifier)
}

export function checkThrow({ modifier, expression, name }: Check, mode: RollMode, bonus: number): Throw {
  if (modifier !== null) return { expression: d20(modifier + bonus, mode), label: name }
  return { expression: plus(expression.replace(/^1?d20(?![0-9])/i, dice[mode]), bonus), label: name }
}

const degrees = ['critical-failure', 'failure', 'success', 'critical-success'] as const
const words: Readonly<Record<Outcome['degree'], string>> = {
  'critical-failure': 'Critical failure',
  failure: 'Failure',
  success: 'Success',
  'critical-success': 'Critical success',
}

/** Ten above or below is a step more; a twenty or a one on the die moves the result by one. */
export function outcomeOf({ total, natural }: Rolled, difficulty: number): Outcome {
  const step = total >= difficulty + 10 ? 3 : total >= difficulty ? 2 : total > difficulty - 10 ? 1 : 0
  const moved = step + (natural === 20 ? 1 : natural === 1 ? -1 : 0)
  const degree = degrees[Math.max(0, Math.min(3, moved))] as Outcome['degree']
  return { degree, passed: degree === 'success' || degree === 'critical-success', says: words[degree] }
}

/** The second and the third attack of a turn are harder, by the weapon that is used then. */
export function multipleAttackPenalty(attacksMade: number, agile: boolean): number {
  return Math.min(attacksMade, 2) * (agile ? -4 : -5)
}

export function attackThrow(
  action: Action,
  conditions: readonly Condition[],
  mode: RollMode,
  attacksMade: number,
): Throw | null {
  if (action.attack === undefined) return null
  const { modifier } = rollEffect(conditions, 'attack', null)
  const penalty = attacksMade === 0 ? 0 : multipleAttackPenalty(attacksMade, action.agile ?? false)
  return { expression: d20(action.attack + modifier + penalty, mode), label: action.name }
}

export function armourClass(sheet: Sheet, conditions: readonly Condition[]): number {
  const whole = sheet.ac ?? 10 + abilityModifier(sheet, 'dex')
  const off = penaltiesOf(conditions, 'ac', 'dex').reduce((sum, { value }) => sum + value, 0)
  return whole + (sheet.bonuses.ac ?? 0) - off
}

export const usualSpeed = 25

export function speedsOf(sheet: Sheet, conditions: readonly Condition[]): Readonly<Record<string, number>> {
  const still = ['grabbed', 'restrained', 'immobilized', 'paralyzed', 'petrified', 'unconscious'].some((key) =>
    has(conditions, key),
  )
  const after = (feet: number): number => {
    if (still) return 0
    return has(conditions, 'encumbered') ? Math.max(5, feet - 10) : feet
  }
  const speeds = 'walk' in sheet.speeds ? sheet.speeds : { walk: usualSpeed, ...sheet.speeds }
  return Object.fromEntries(Object.entries(speeds).map(([way, feet]) => [way, after(feet)]))
}

/** Bulk: encumbered above five and strength, no more than ten and strength. */
export function loadOf(sheet: Sheet): Load {
  const times = bulkBySize[sheet.size ?? 'medium'] ?? 1
  const strength = abilityModifier(sheet, 'str')
  return { unit: 'Bulk', free: Math.floor((5 + strength) * times), most: Math.floor((10 + strength) * times) }
}
