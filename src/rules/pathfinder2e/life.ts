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
  withHighest,
  within,
  without,
} from '../shared.ts'
import type { Sheet } from '../sheet.ts'
import type { LifeRules, TurnPart } from '../system.ts'
import { checksOf, d20, outcomeOf, speedsOf } from './statistics.ts'
import { conditions as known } from './tables.ts'

/** Strict: what makes somebody dying worse adds how wounded they are each time, as the first printing had it. */
export interface Options {
  readonly strict: boolean
}

const atNought = 'at 0 hit points'

const highest = (list: Defences['resistances'], type: string | null): number =>
  (list ?? [])
    .filter((each) => each.type === 'all' || each.type === type)
    .reduce((most, { amount }) => Math.max(most, amount ?? 0), 0)

/** What of a blow gets through: doubled or halved first, then for each type immunity, the highest weakness, the highest resistance. */
export function dealtBy(blow: Blow, defences: Defences): number {
  const byType = new Map<string | null, number>()
  for (const { amount, type } of blow.parts) byType.set(type, (byType.get(type) ?? 0) + amount)
  let reduction = blow.reduction ?? 0
  let sum = 0
  for (const [type, rolled] of byType) {
    let amount = Math.floor(rolled * { none: 0, half: 0.5, full: 1, double: 2 }[blow.share ?? 'full'])
    if (amount === 0 || defences.immunities?.some((each) => each === 'all' || each === type)) continue
    amount += highest(defences.weaknesses, type)
    amount = Math.max(0, amount - highest(defences.resistances, type))
    const taken = Math.min(amount, reduction)
    reduction -= taken
    sum += amount - taken
  }
  return sum < (defences.threshold ?? 0) ? 0 : sum
}

/** How dying somebody may be: four, less for the doomed. */
export function mostDying(conditions: readonly Condition[]): number {
  return 4 - levelOf(conditions, 'doomed')
}

const dead = (life: Life, why: string): Changed =>
  unchanged({ ...marked(life, { dying: 0 }), hp: 0, state: 'dead', concentration: null }, why)

function dyingAt(life: Life, dying: number): Changed {
  if (dying >= mostDying(life.conditions)) return dead(life, 'Dead.')
  const lying = withHighest(life.conditions, { key: 'unconscious', source: atNought })
  const after = marked({ ...life, hp: 0, state: 'dying', concentration: null, conditions: lying }, { dying })
  return unchanged(after, `Dying ${dying}.`)
}

/** No longer dying: asleep at nought, or awake; either way wounded a step more. */
function saved(life: Life, hp: number): Life {
  const wounded = mark(life, 'wounded') + (life.state === 'dying' ? 1 : 0)
  const after = marked({ ...life, hp }, { dying: 0, wounded })
  if (hp === 0) return { ...after, state: 'stable' }
  return { ...after, state: 'up', conditions: without(after.conditions, 'unconscious', atNought) }
}

function struck(life: Life, left: number, blow: Blow, sheet: Sheet, { strict }: Options): Changed {
  if (left === 0) return unchanged(life)
  if (left >= 2 * life.hpMax) return dead(life, 'The blow is more than anybody lives through.')
  const step = blow.critical ? 2 : 1
  const wounded = mark(life, 'wounded')
  if (life.state === 'dying') return dyingAt(life, mark(life, 'dying') + step + (strict ? wounded : 0))
  if (life.state === 'up' && left < life.hp) return unchanged({ ...life, hp: life.hp - left })
  if (blow.knockOut) {
    const lying = withHighest(life.conditions, { key: 'unconscious', source: atNought })
    return unchanged({ ...life, hp: 0, state: 'stable', conditions: lying, concentration: null }, 'Knocked out.')
  }
  return sheet.isCharacter ? dyingAt(life, step + wounded) : dead(life, 'Dead.')
}

/** What drained takes from the maximum: its value for each level. */
export function maximumOf(sheet: Sheet, conditions: readonly Condition[]): number {
  if (sheet.hpMax === null) return 0
  return Math.max(1, sheet.hpMax - sheet.level * levelOf(conditions, 'drained'))
}

function resized(life: Life, sheet: Sheet): Life {
  const hpMax = maximumOf(sheet, life.conditions)
  return { ...life, hpMax, hp: Math.min(life.hp, hpMax) }
}

function addCondition(life: Life, added: Condition, sheet: Sheet): Changed {
  if (sheet.defences.conditionImmunities?.includes(added.key)) return unchanged(life, `Cannot be ${added.key}.`)
  if (added.key === 'persistent-damage') {
    // One for each type of damage, the higher.
    const same = life.conditions.filter(({ key, note }) => key === added.key && note === added.note)
    const rest = life.conditions.filter((each) => !same.includes(each))
    return unchanged({ ...life, conditions: [...rest, ...withHighest(same, added)] })
  }
  const isValued = known.some(({ key, valued }) => valued && key === added.key)
  const conditions = withHighest(life.conditions, isValued ? { ...added, level: added.level ?? 1 } : added)
  const after = { ...life, conditions }
  if (added.key === 'doomed' && mostDying(conditions) <= mark(life, 'dying')) return dead(after, 'Doomed.')
  if (added.key !== 'drained') return unchanged(after)
  const more = levelOf(conditions, 'drained') - levelOf(life.conditions, 'drained')
  return unchanged(resized({ ...after, hp: Math.max(Math.min(1, life.hp), life.hp - sheet.level * more) }, sheet))
}

/** A value one lower; a condition without any left falls away. */
export function lowered(conditions: readonly Condition[], key: string): readonly Condition[] {
  return conditions.flatMap((each) => {
    if (each.key !== key) return [each]
    const level = (each.level ?? 1) - 1
    return level > 0 ? [{ ...each, level }] : []
  })
}

const withLevel = (conditions: readonly Condition[], key: string, level: number): readonly Condition[] =>
  level > 0 ? conditions.map((each) => (each.key === key ? { ...each, level } : each)) : without(conditions, key)

const cannotAct = ['unconscious', 'paralyzed', 'petrified'] as const
export const isHelpless = (conditions: readonly Condition[]): boolean => cannotAct.some((key) => has(conditions, key))

/** Stunned takes actions and gets less by them; they count towards what slowed takes. */
function actionsOf(life: Life): { readonly actions: number; readonly conditions: readonly Condition[] } {
  const all = 3 + (has(life.conditions, 'quickened') ? 1 : 0)
  const stunned = levelOf(life.conditions, 'stunned')
  const lost = Math.min(stunned, all)
  const slower = Math.max(0, levelOf(life.conditions, 'slowed') - lost)
  return {
    actions: Math.max(0, all - lost - slower),
    conditions: withLevel(life.conditions, 'stunned', stunned - lost),
  }
}

function partsOf(life: Life, sheet: Sheet, actions: number): readonly TurnPart[] {
  const acts = life.state === 'up' && !isHelpless(life.conditions)
  return [
    { key: 'action', name: 'Actions', count: acts ? actions : 0, unit: 'each', outOfTurn: false },
    { key: 'reaction', name: 'Reaction', count: acts ? 1 : 0, unit: 'each', outOfTurn: true },
    {
      key: 'movement',
      name: 'Speed',
      count: acts ? (speedsOf(sheet, life.conditions).walk ?? 0) : 0,
      unit: 'feet',
      outOfTurn: false,
    },
  ]
}

function recoveryOf(life: Life) {
  if (life.state !== 'dying') return null
  return { expression: '1d20', label: 'Recovery check', difficulty: 10 + mark(life, 'dying') }
}

function recover(life: Life, rolled: Rolled, { strict }: Options): Changed {
  if (life.state !== 'dying') return unchanged(life)
  const dying = mark(life, 'dying')
  const { degree } = outcomeOf(rolled, 10 + dying)
  const moves = { 'critical-success': -2, success: -1, failure: 1, 'critical-failure': 2 }[degree]
  if (moves > 0) return dyingAt(life, dying + moves + (strict ? mark(life, 'wounded') : 0))
  return dying + moves > 0 ? dyingAt(life, dying + moves) : unchanged(saved(life, 0), 'Steady, and asleep.')
}

/** What hurts at the end of a turn, and the flat check that ends it; saves that end what has one. */
function dueAtEnd(life: Life, sheet: Sheet): readonly TurnAsk[] {
  if (life.state === 'dead') return []
  const checks = checksOf(sheet, life.conditions)
  return life.conditions.flatMap((each): TurnAsk[] => {
    if (each.key === 'persistent-damage') {
      const [, dice, type] = /^(\d+d\d+(?:[+-]\d+)?)\s*(.*)$/.exec(each.note ?? '') ?? [null, null, each.note ?? '']
      const label = `Persistent ${type || 'damage'}`
      const about = { condition: each.key, checkId: null }
      return [
        { ...about, kind: 'persistent', expression: dice ?? String(each.level ?? 1), label, difficulty: null },
        { ...about, kind: 'flat', expression: '1d20', label: `${label}: put out`, difficulty: 15 },
      ]
    }
    const check = checks.find(({ id }) => id === each.save?.checkId)
    if (each.save === undefined || check === undefined) return []
    const { checkId, difficulty } = each.save
    const expression = d20(check.modifier ?? 0, check.mode)
    return [
      {
        kind: 'save',
        expression,
        label: `${check.name} against ${each.key}`,
        condition: each.key,
        difficulty,
        checkId,
      },
    ]
  })
}

export function lifeRules(options: Options): LifeRules {
  const damage = (life: Life, blow: Blow, sheet: Sheet): Hurt => {
    const dealt = dealtBy(blow, sheet.defences)
    const none = { life, says: [], dealt, absorbed: 0, lost: 0, concentration: null }
    if (life.hpMax === 0 || life.state === 'dead' || dealt === 0) return none
    const shield = absorbed(life, dealt)
    const { life: after, says } = struck(shield.life, shield.left, blow, sheet, options)
    return { life: after, says, dealt, absorbed: shield.absorbed, lost: life.hp - after.hp, concentration: null }
  }
  return {
    fresh(sheet) {
      const hpMax = maximumOf(sheet, [])
      return { hp: hpMax, hpMax, hpTemp: 0, state: 'up', marks: {}, conditions: [], concentration: null }
    },
    damage,
    heal(life, amount) {
      if (life.state === 'dead') return unchanged(life, 'Nothing heals the dead.')
      if (amount <= 0 || life.hpMax === 0) return unchanged(life)
      const hp = Math.min(life.hp + amount, life.hpMax)
      return life.state === 'up' ? unchanged({ ...life, hp }) : unchanged(saved(life, hp), 'Up again.')
    },
    temporary: (life, amount) => unchanged({ ...life, hpTemp: Math.max(life.hpTemp, amount) }),
    set(life, hp, sheet) {
      const to = within(hp, 0, life.hpMax)
      if (life.hpMax === 0) return unchanged(life)
      if (to > 0) return unchanged(life.state === 'up' ? { ...life, hp: to } : saved(life, to))
      if (life.state !== 'up') return unchanged(life)
      return sheet.isCharacter ? dyingAt(life, 1 + mark(life, 'wounded')) : dead(life, 'Dead.')
    },
    resized,
    recovery: recoveryOf,
    recover: (life, rolled) => recover(life, rolled, options),
    steadying: (life) =>
      life.state === 'dying' ? { checkId: 'skill.medicine', difficulty: 15 + mark(life, 'dying') } : null,
    steady: (life) => (life.state === 'dying' ? unchanged(saved(life, 0), 'Steady, and asleep.') : unchanged(life)),
    revive: (life, hp) =>
      unchanged(
        marked(saved({ ...life, state: 'stable' }, within(hp, 1, life.hpMax)), { wounded: 0 }),
        'Back from the dead.',
      ),
    addCondition,
    removeCondition: (life, key, source) => unchanged({ ...life, conditions: without(life.conditions, key, source) }),
    turnBegins(life, sheet) {
      const { actions, conditions } = actionsOf(life)
      const recovery = recoveryOf(life)
      const asks: TurnAsk[] =
        recovery === null ? [] : [{ ...recovery, kind: 'recovery', condition: null, checkId: null }]
      return { life: { ...life, conditions }, says: [], asks, parts: partsOf(life, sheet, actions) }
    },
    turnEnds(life, sheet) {
      const { kept, over } = aged(life.conditions)
      const after = resized({ ...life, conditions: lowered(kept, 'frightened') }, sheet)
      return { life: after, says: over.map(({ key }) => `No longer ${key}.`), asks: dueAtEnd(after, sheet) }
    },
    answerTurn(life, ask, rolled, sheet) {
      if (ask.kind === 'recovery') return recover(life, rolled, options)
      if (ask.kind === 'persistent') {
        const type = ask.label.replace(/^Persistent /, '')
        return damage(life, { parts: [{ amount: rolled.total, type: type === 'damage' ? null : type }] }, sheet)
      }
      if (ask.condition === null || rolled.total < (ask.difficulty ?? 0)) return unchanged(life)
      const key = ask.condition
      const kept = life.conditions.filter(
        (each) => each.key !== key || (ask.kind === 'flat' && !ask.label.includes(noteType(each.note))),
      )
      return unchanged({ ...life, conditions: kept }, `No longer ${key}.`)
    },
    keepsConcentration: ({ state, conditions }) => state === 'up' && !isHelpless(conditions),
    band: bandOf,
  }
}

/** The type of damage in the note of what goes on hurting. */
const noteType = (note: string | undefined): string => (note ?? '').replace(/^\d+d\d+(?:[+-]\d+)?\s*/, '')
