import type { Blow, Changed, Condition, Defences, Hurt, Life, Rolled, TurnAsk } from '../life.ts'
import {
  absorbed,
  aged,
  bandOf,
  has,
  levelOf,
  mark,
  marked,
  unchanged,
  within,
  without,
  withSourced,
} from '../shared.ts'
import type { Sheet } from '../sheet.ts'
import type { LifeRules, TurnPart } from '../system.ts'
import { checksOf, d20, isHelpless, rollEffect, speedsOf } from './statistics.ts'
import type { Edition } from './tables.ts'

/** Conditions that came with falling go with standing up again. */
const atNought = 'at 0 hit points'
const clear = { successes: 0, failures: 0 }

/** Concentration: ten, or half of the damage if that is more; the newer rules end at thirty. */
export function concentrationDifficulty(edition: Edition, dealt: number): number {
  const half = Math.max(10, Math.floor(dealt / 2))
  return edition === '2024' ? Math.min(30, half) : half
}

const names = (list: readonly string[] | undefined, type: string | null): boolean =>
  list?.some((each) => each === 'all' || each === type) ?? false
const types = (list: Defences['resistances']): readonly string[] => list?.map(({ type }) => type) ?? []

/**
 * What of a blow gets through: for each type of damage immunity, then what a save and flat reductions take, then resistance
 * (half, once), then vulnerability (double, once); all of it together against a threshold.
 */
export function dealtBy(blow: Blow, defences: Defences, conditions: readonly Condition[]): number {
  const byType = new Map<string | null, number>()
  for (const { amount, type } of blow.parts) byType.set(type, (byType.get(type) ?? 0) + amount)
  const resisted = [...types(defences.resistances), ...(has(conditions, 'petrified') ? ['all'] : [])]
  let reduction = blow.reduction ?? 0
  let sum = 0
  for (const [type, rolled] of byType) {
    if (names(defences.immunities, type)) continue
    let amount = Math.floor(rolled * { none: 0, half: 0.5, full: 1, double: 2 }[blow.share ?? 'full'])
    const taken = Math.min(amount, reduction)
    amount -= taken
    reduction -= taken
    if (names(resisted, type)) amount = Math.floor(amount / 2)
    if (names(types(defences.weaknesses), type)) amount *= 2
    sum += amount
  }
  return sum < (defences.threshold ?? 0) ? 0 : sum
}

const dead = (life: Life, why: string): Changed =>
  unchanged({ ...marked(life, clear), hp: 0, state: 'dead', concentration: null }, why)

function fallen(life: Life, state: 'dying' | 'stable'): Life {
  const lying = withSourced(withSourced(life.conditions, { key: 'unconscious', source: atNought }), { key: 'prone' })
  return { ...marked(life, clear), hp: 0, state, conditions: lying, concentration: null }
}

function up(life: Life, hp: number): Life {
  const conditions = without(life.conditions, 'unconscious', atNought)
  return { ...marked(life, clear), hp: within(hp, 1, Math.max(1, life.hpMax)), state: 'up', conditions }
}

function failing(life: Life, count: number): Changed {
  const failures = mark(life, 'failures') + count
  if (failures >= 3) return dead(life, 'Three failures: dead.')
  return unchanged(marked({ ...life, state: 'dying' }, { failures }), count === 1 ? 'A failure.' : 'Two failures.')
}

function struck(edition: Edition, life: Life, left: number, blow: Blow, sheet: Sheet): Changed {
  if (left === 0) return unchanged(life)
  if (life.state !== 'up') {
    if (left >= life.hpMax) return dead(life, 'The blow is more than anybody lives through.')
    return failing(life, blow.critical ? 2 : 1)
  }
  const over = left - life.hp
  if (over < 0) return unchanged({ ...life, hp: life.hp - left })
  if (blow.knockOut) {
    if (edition === '2014') return unchanged(fallen(life, 'stable'), 'Knocked out.')
    const asleep = withSourced(life.conditions, { key: 'unconscious', source: 'knocked out' })
    return unchanged({ ...life, hp: 1, conditions: asleep, concentration: null }, 'Knocked out.')
  }
  if (!sheet.isCharacter) return dead(life, 'Dead.')
  if (over >= life.hpMax) return dead(life, 'The blow is more than anybody lives through.')
  return unchanged(fallen(life, 'dying'), 'Down, and dying.')
}

function damage(edition: Edition, life: Life, blow: Blow, sheet: Sheet): Hurt {
  const dealt = dealtBy(blow, sheet.defences, life.conditions)
  const none = { life, says: [], dealt, absorbed: 0, lost: 0, concentration: null }
  if (life.hpMax === 0 || life.state === 'dead' || dealt === 0) return none
  const shield = absorbed(life, dealt)
  const { life: after, says } = struck(edition, shield.life, shield.left, blow, sheet)
  const keeps = after.concentration !== null && after.state === 'up'
  const concentration = keeps ? { checkId: 'save.con', difficulty: concentrationDifficulty(edition, dealt) } : null
  return { life: after, says, dealt, absorbed: shield.absorbed, lost: life.hp - after.hp, concentration }
}

function heal(life: Life, amount: number): Changed {
  if (life.state === 'dead') return unchanged(life, 'Nothing heals the dead.')
  if (amount <= 0 || life.hpMax === 0) return unchanged(life)
  const hp = Math.min(life.hp + amount, life.hpMax)
  return life.state === 'up' ? unchanged({ ...life, hp }) : unchanged(up(life, hp), 'Up again.')
}

/** Half of the maximum is gone with the fourth level of exhaustion, by the older rules. */
export function maximumOf(edition: Edition, sheet: Sheet, conditions: readonly Condition[]): number {
  const whole = sheet.hpMax ?? 0
  return edition === '2014' && levelOf(conditions, 'exhaustion') >= 4 ? Math.floor(whole / 2) : whole
}

function resized(edition: Edition, life: Life, sheet: Sheet): Life {
  const hpMax = maximumOf(edition, sheet, life.conditions)
  return { ...life, hpMax, hp: Math.min(life.hp, hpMax) }
}

function addCondition(edition: Edition, life: Life, added: Condition, sheet: Sheet): Changed {
  if (sheet.defences.conditionImmunities?.includes(added.key)) return unchanged(life, `Cannot be ${added.key}.`)
  if (added.key === 'exhaustion') {
    const level = added.level ?? levelOf(life.conditions, 'exhaustion') + 1
    const conditions = [...without(life.conditions, 'exhaustion'), { ...added, level: Math.min(level, 6) }]
    const tired = resized(edition, { ...life, conditions }, sheet)
    return level >= 6 ? dead(tired, 'The sixth level of exhaustion kills.') : unchanged(tired)
  }
  const conditions = withSourced(life.conditions, added)
  const lying =
    added.key === 'unconscious' && !has(conditions, 'prone') ? [...conditions, { key: 'prone' }] : conditions
  const after = { ...life, conditions: lying }
  return unchanged(isHelpless(lying) ? { ...after, concentration: null } : after)
}

/** The roll of somebody dying is a save like others: what makes saves harder makes it harder. */
function recoveryOf(edition: Edition, life: Life) {
  if (life.state !== 'dying') return null
  const { mode, modifier } = rollEffect(edition, life.conditions, 'save', null)
  return { expression: d20(modifier, mode), label: 'Death save', difficulty: 10 }
}

function recover(life: Life, { total, natural }: Rolled): Changed {
  if (life.state !== 'dying') return unchanged(life)
  if (natural === 20) return unchanged(up(life, 1), 'Up again with one hit point.')
  if (natural === 1) return failing(life, 2)
  if (total < 10) return failing(life, 1)
  const successes = mark(life, 'successes') + 1
  if (successes < 3) return unchanged(marked(life, { successes }), 'A success.')
  return unchanged({ ...marked(life, clear), state: 'stable' }, 'Steady, and asleep.')
}

function partsOf(edition: Edition, life: Life, sheet: Sheet): readonly TurnPart[] {
  const acts = life.state === 'up' && !isHelpless(life.conditions) ? 1 : 0
  const feet = speedsOf(edition, sheet, life.conditions).walk ?? 0
  return [
    { key: 'action', name: 'Action', count: acts, unit: 'each', outOfTurn: false },
    { key: 'bonus', name: 'Bonus action', count: acts, unit: 'each', outOfTurn: false },
    { key: 'reaction', name: 'Reaction', count: acts, unit: 'each', outOfTurn: true },
    { key: 'movement', name: 'Movement', count: life.state === 'up' ? feet : 0, unit: 'feet', outOfTurn: false },
  ]
}

/** Saves that end conditions come at the end of one's own turn. */
function savesDue(edition: Edition, life: Life, sheet: Sheet): readonly TurnAsk[] {
  const due = life.conditions.filter((each) => each.save !== undefined)
  if (due.length === 0 || life.state === 'dead') return []
  const checks = checksOf(edition, sheet, life.conditions)
  return due.flatMap(({ key, save }): TurnAsk[] => {
    const check = checks.find(({ id }) => id === save?.checkId)
    if (save === undefined || check === undefined) return []
    const expression = check.fails ? '0' : d20(check.modifier ?? 0, check.mode)
    const { checkId, difficulty } = save
    return [{ kind: 'save', expression, label: `${check.name} against ${key}`, condition: key, difficulty, checkId }]
  })
}

export function lifeRules(edition: Edition): LifeRules {
  return {
    fresh(sheet) {
      const hpMax = maximumOf(edition, sheet, [])
      return { hp: hpMax, hpMax, hpTemp: 0, state: 'up', marks: {}, conditions: [], concentration: null }
    },
    damage: (life, blow, sheet) => damage(edition, life, blow, sheet),
    heal,
    temporary: (life, amount) => unchanged({ ...life, hpTemp: Math.max(life.hpTemp, amount) }),
    set(life, hp, sheet) {
      const to = within(hp, 0, life.hpMax)
      if (life.hpMax === 0) return unchanged(life)
      if (to > 0) return unchanged(life.state === 'up' ? { ...life, hp: to } : up(life, to))
      if (life.state !== 'up') return unchanged(life)
      return sheet.isCharacter ? unchanged(fallen(life, 'dying'), 'Down, and dying.') : dead(life, 'Dead.')
    },
    resized: (life, sheet) => resized(edition, life, sheet),
    recovery: (life) => recoveryOf(edition, life),
    recover,
    steadying: (life) => (life.state === 'dying' ? { checkId: 'skill.medicine', difficulty: 10 } : null),
    steady: (life) =>
      life.state === 'dying'
        ? unchanged({ ...marked(life, clear), state: 'stable' }, 'Steady, and asleep.')
        : unchanged(life),
    revive: (life, hp) => unchanged(up(life, hp), 'Back from the dead.'),
    addCondition: (life, condition, sheet) => addCondition(edition, life, condition, sheet),
    removeCondition: (life, key, source) => unchanged({ ...life, conditions: without(life.conditions, key, source) }),
    turnBegins(life, sheet) {
      const recovery = recoveryOf(edition, life)
      const asks: TurnAsk[] =
        recovery === null ? [] : [{ ...recovery, kind: 'recovery', condition: null, checkId: null }]
      return { life, says: [], asks, parts: partsOf(edition, life, sheet) }
    },
    turnEnds(life, sheet) {
      const { kept, over } = aged(life.conditions)
      const after = resized(edition, { ...life, conditions: kept }, sheet)
      return {
        life: after,
        says: over.map(({ key }) => `No longer ${key}.`),
        asks: savesDue(edition, after, sheet),
      }
    },
    answerTurn(life, ask, rolled) {
      if (ask.kind === 'recovery') return recover(life, rolled)
      if (ask.condition === null || rolled.total < (ask.difficulty ?? 0)) return unchanged(life)
      const key = ask.condition
      return unchanged({ ...life, conditions: without(life.conditions, key) }, `No longer ${key}.`)
    },
    keepsConcentration: ({ state, conditions }) => state === 'up' && !isHelpless(conditions),
    band: bandOf,
  }
}
