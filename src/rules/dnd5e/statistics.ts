import type { Condition, Rolled, RollMode, Throw } from '../life.ts'
import { cancelling, has, levelOf, ownChecksOf, plus } from '../shared.ts'
import type { Action, Check, CheckKind, Outcome, Sheet } from '../sheet.ts'
import type { Load, Named, RollEffect } from '../system.ts'
import { abilities, carryBySize, type Edition, proficiencyTimes, ranks, saves, skills } from './tables.ts'

/** Ability modifier: half of what a score lies above or below ten, rounded down. */
export function modifierOf(score: number): number {
  return Math.floor((score - 10) / 2)
}

/** Proficiency bonus by level, or by challenge of a foe: 2, and one more for every four from five on. */
export function proficiencyFor(levelOrChallenge: number): number {
  return 2 + Math.floor((Math.max(1, levelOrChallenge) - 1) / 4)
}

export const usualSpeed = 30

export function abilityModifier(sheet: Sheet, ability: string): number {
  return modifierOf(sheet.abilities[ability] ?? 10)
}

export function proficiencyBonus(sheet: Sheet): number {
  return proficiencyFor(sheet.isCharacter ? sheet.level : (sheet.rating ?? sheet.level))
}

function ranked(sheet: Sheet, rank: string): { readonly name: string; readonly value: number } | null {
  const times = proficiencyTimes[rank] ?? 0
  if (times === 0) return null
  const name = ranks.find(({ key }) => key === rank)?.name ?? rank
  return { name, value: Math.floor(proficiencyBonus(sheet) * times) }
}

const holdsStill = ['paralyzed', 'petrified', 'stunned', 'unconscious'] as const
const keepsFromActing = ['incapacitated', ...holdsStill] as const

export function isHelpless(conditions: readonly Condition[]): boolean {
  return keepsFromActing.some((key) => has(conditions, key))
}

/** What conditions do to one's own roll. */
export function rollEffect(
  edition: Edition,
  conditions: readonly Condition[],
  kind: CheckKind | 'attack',
  ability: string | null,
): RollEffect {
  const up: string[] = []
  const down: string[] = []
  const note = (key: string, list: string[]): void => {
    if (has(conditions, key)) list.push(key)
  }
  const exhaustion = levelOf(conditions, 'exhaustion')
  const isCheck = kind === 'ability' || kind === 'skill' || kind === 'initiative'
  if (isCheck || kind === 'attack') {
    note('frightened', down)
    note('poisoned', down)
  }
  if (kind === 'attack') {
    for (const key of ['blinded', 'prone', 'restrained']) note(key, down)
    if (edition === '2024') note('grappled', down)
    note('invisible', up)
  }
  if (kind === 'initiative' && edition === '2024') {
    note('invisible', up)
    if (isHelpless(conditions)) down.push('incapacitated')
  }
  if (kind === 'save' && ability === 'dex') note('restrained', down)
  if (edition === '2014' && (isCheck ? exhaustion >= 1 : exhaustion >= 3)) down.push(`exhaustion ${exhaustion}`)
  const modifier = edition === '2024' ? 0 - 2 * exhaustion : 0
  const cause = holdsStill.find((key) => has(conditions, key))
  const fails = kind === 'save' && (ability === 'str' || ability === 'dex') && cause !== undefined
  const mode = cancelling([...up.map(() => 'advantage' as const), ...down.map(() => 'disadvantage' as const)])
  const weary = modifier === 0 ? [] : [`exhaustion ${exhaustion}`]
  return { mode, modifier, fails, reasons: [...(fails ? [cause] : []), ...up, ...down, ...weary] }
}

/** What the conditions of a target do to attacks against it. */
export function targetEffect(
  conditions: readonly Condition[],
  near: boolean,
): RollEffect & { readonly critical: boolean } {
  const up = ['blinded', 'paralyzed', 'petrified', 'restrained', 'stunned', 'unconscious'].filter((key) =>
    has(conditions, key),
  )
  const down = has(conditions, 'invisible') ? ['invisible'] : []
  if (has(conditions, 'prone') || has(conditions, 'unconscious')) (near ? up : down).push('prone')
  const mode = cancelling([...up.map(() => 'advantage' as const), ...down.map(() => 'disadvantage' as const)])
  const critical = near && (has(conditions, 'paralyzed') || has(conditions, 'unconscious'))
  return { mode, modifier: 0, fails: false, reasons: [...up, ...down], critical }
}

interface Part {
  readonly name: string
  readonly value: number
}

function check(
  edition: Edition,
  sheet: Sheet,
  conditions: readonly Condition[],
  kind: CheckKind,
  { key, name }: Named,
  ability: string,
  rank: string | null,
): Check {
  const id = kind === 'initiative' ? 'initiative' : `${kind}.${key}`
  const effect = rollEffect(edition, conditions, kind, ability)
  const short = abilities.find((each) => each.key === ability)?.short ?? ability
  const parts: Part[] = [{ name: short, value: abilityModifier(sheet, ability) }]
  const proficient = rank === null ? null : ranked(sheet, rank)
  if (proficient !== null) parts.push(proficient)
  const bonus = sheet.bonuses[id] ?? 0
  if (bonus !== 0) parts.push({ name: 'Bonus', value: bonus })
  if (effect.modifier !== 0) parts.push({ name: 'Exhaustion', value: effect.modifier })
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
    mode: effect.mode,
    fails: effect.fails,
    reasons: effect.reasons,
    compare: 'at-least',
  }
}

export function checksOf(edition: Edition, sheet: Sheet, conditions: readonly Condition[]): readonly Check[] {
  const make = (kind: CheckKind, named: Named, ability: string, rank: string | null): Check =>
    check(edition, sheet, conditions, kind, named, ability, rank)
  return [
    ...abilities.map((each) => make('ability', each, each.key, null)),
    ...saves.map((each) =>
      make('save', { key: each.key, name: `${each.name} save` }, each.ability, sheet.saves[each.key] ?? 'untrained'),
    ),
    ...skills.map((each) => skillCheck(edition, sheet, conditions, each)),
    initiativeCheck(edition, sheet, conditions),
    ...ownChecksOf(sheet),
  ]
}

function skillCheck(
  edition: Edition,
  sheet: Sheet,
  conditions: readonly Condition[],
  skill: (typeof skills)[number],
): Check {
  return check(edition, sheet, conditions, 'skill', skill, skill.ability, sheet.skills[skill.key] ?? 'untrained')
}

export function initiativeCheck(edition: Edition, sheet: Sheet, conditions: readonly Condition[]): Check {
  return check(edition, sheet, conditions, 'initiative', { key: 'initiative', name: 'Initiative' }, 'dex', null)
}

/** A passive value: ten and the bonus of the check, five more or less with advantage or disadvantage. */
export function passiveOf({ modifier, mode }: Pick<Check, 'modifier' | 'mode'>): number {
  return 10 + (modifier ?? 0) + { plain: 0, advantage: 5, disadvantage: -5 }[mode]
}

const passiveSkills = ['perception', 'insight', 'investigation'].flatMap((key) =>
  skills.filter((skill) => skill.key === key),
)

export function passivesOf(
  edition: Edition,
  sheet: Sheet,
  conditions: readonly Condition[],
): readonly (Named & { readonly value: number })[] {
  return passiveSkills.map((skill) => {
    const value = passiveOf(skillCheck(edition, sheet, conditions, skill))
    return { key: skill.key, name: `Passive ${skill.name.toLowerCase()}`, value }
  })
}

const dice: Readonly<Record<RollMode, string>> = { plain: '1d20', advantage: '2d20kh1', disadvantage: '2d20kl1' }

export function d20(modifier: number, mode: RollMode): string {
  return plus(dice[mode], modifier)
}

export function checkThrow({ modifier, expression, name }: Check, mode: RollMode, bonus: number): Throw {
  if (modifier !== null) return { expression: d20(modifier + bonus, mode), label: name }
  const leading = /^1?d20(?![0-9])/i
  return { expression: plus(expression.replace(leading, dice[mode]), bonus), label: name }
}

export function attackThrow(
  edition: Edition,
  action: Action,
  conditions: readonly Condition[],
  mode: RollMode,
): Throw | null {
  if (action.attack === undefined) return null
  const { modifier } = rollEffect(edition, conditions, 'attack', null)
  return { expression: d20(action.attack + modifier, mode), label: action.name }
}

const verdict = (degree: Outcome['degree'], says: string): Outcome => ({
  degree,
  passed: degree === 'success' || degree === 'critical-success',
  says,
})

/** The face of the die decides attacks by itself when it is a twenty or a one, and nothing else. */
export function outcomeOf({ total, natural }: Rolled, difficulty: number, kind: CheckKind | 'attack'): Outcome {
  const isEnough = total >= difficulty
  if (kind !== 'attack') return isEnough ? verdict('success', 'Success') : verdict('failure', 'Failure')
  if (natural === 20) return verdict('critical-success', 'Critical hit')
  if (natural === 1) return verdict('critical-failure', 'Miss')
  return isEnough ? verdict('success', 'Hit') : verdict('failure', 'Miss')
}

/** Every die of the damage twice; what is added stays as it is. */
export function criticalDamage(expression: string): string {
  return expression.replace(/(?<![\d.a-z])(\d*)d(?=[\d%f])/gi, (_, count: string) => `${2 * Number(count || 1)}d`)
}

export function speedsOf(
  edition: Edition,
  sheet: Sheet,
  conditions: readonly Condition[],
): Readonly<Record<string, number>> {
  const exhaustion = levelOf(conditions, 'exhaustion')
  const stuck = ['grappled', 'restrained', 'paralyzed', 'petrified', 'unconscious'].some((key) => has(conditions, key))
  const still = stuck || (edition === '2014' && (has(conditions, 'stunned') || exhaustion >= 5))
  const after = (feet: number): number => {
    if (still) return 0
    if (edition === '2024') return Math.max(0, feet - 5 * exhaustion)
    return exhaustion >= 2 ? Math.floor(feet / 2) : feet
  }
  const speeds = 'walk' in sheet.speeds ? sheet.speeds : { walk: usualSpeed, ...sheet.speeds }
  return Object.fromEntries(Object.entries(speeds).map(([way, feet]) => [way, after(feet)]))
}

/** Pounds that one carries, and pushes or drags, by strength and size. */
export function loadOf(sheet: Sheet): Load {
  const times = carryBySize[sheet.size ?? 'medium'] ?? 1
  const strength = sheet.abilities.str ?? 10
  return { unit: 'lb', free: Math.floor(strength * 15 * times), most: Math.floor(strength * 30 * times) }
}

export interface Worn {
  readonly base: number
  readonly kind: 'light' | 'medium' | 'heavy'
}

/** Armour class: ten and dexterity, or the base of what is worn with as much dexterity as it lets through; a shield, cover. */
export function armourClassOf(
  dexterity: number,
  worn: Worn | null,
  shield = 0,
  cover: 'none' | 'half' | 'three-quarters' = 'none',
): number {
  const nimble =
    worn === null || worn.kind === 'light' ? dexterity : worn.kind === 'medium' ? Math.min(dexterity, 2) : 0
  return (worn?.base ?? 10) + nimble + shield + { none: 0, half: 2, 'three-quarters': 5 }[cover]
}
