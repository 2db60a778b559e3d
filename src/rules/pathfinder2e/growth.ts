import { levelOf, lowered as lowerCase, mark, marked, without } from '../shared.ts'
import type { Resource, RestingBody, RestResult, Sheet, SlotsGiven } from '../sheet.ts'
import type { Grown, LevelRules, LifeRules, RestKind } from '../system.ts'
import { lowered } from './life.ts'
import { abilityModifier } from './statistics.ts'
import { casters, classHitPoints } from './tables.ts'

const experienceOfLevel = 1000

export const levels: LevelRules = {
  most: 20,
  experienceFor: () => experienceOfLevel,
  award(level, experience, award) {
    const sum = Math.max(0, experience + award)
    return { experience: sum, ready: level < 20 && sum >= experienceOfLevel }
  },
  afterLevel: (_level, experience) => Math.max(0, experience - experienceOfLevel),
}

export function usualGain(sheet: Sheet, className: string | null): number | null {
  const named = className ?? sheet.classes[0]?.name
  const most = named === undefined ? undefined : classHitPoints.get(lowerCase(named))
  return most === undefined ? null : most + abilityModifier(sheet, 'con')
}

export function levelUp(sheet: Sheet, hpGain: number): Grown {
  return {
    level: sheet.level + 1,
    hpMax: (sheet.hpMax ?? 0) + hpGain,
    hpGain,
    experience: levels.afterLevel(sheet.level, sheet.experience),
    hitDice: sheet.hitDice,
    classes: sheet.classes.map((each, index) => (index === 0 ? { ...each, level: each.level + 1 } : each)),
  }
}

/** A new rank with every odd level, whole with the even one behind it; one slot of the tenth at nineteen. */
export function slotsFor(owned: Sheet['classes']): readonly SlotsGiven[] | null {
  const [only] = owned
  const name = only === undefined ? null : lowerCase(only.name)
  if (only === undefined || name === null || !classHitPoints.has(name)) return null
  const row = casters.get(name)
  if (row === undefined) return []
  const slots: SlotsGiven[] = []
  for (let rank = 1; rank <= 9 && only.level >= 2 * rank - 1; rank++)
    slots.push({ level: rank, max: only.level >= 2 * rank ? row[1] : row[0], pact: false })
  if (only.level >= 19) slots.push({ level: 10, max: 1, pact: false })
  return slots
}

const full = (resources: readonly Resource[]): readonly Resource[] =>
  resources.map((each) => (each.recharge === 'none' ? each : { ...each, left: each.max }))

/** Ten minutes: one point of focus back. Whoever is whole is wounded no more. */
function refocus(body: RestingBody): RestResult {
  const { life, resources, slots, sheet } = body
  const back = resources.map((each) =>
    each.recharge === 'short' ? { ...each, left: Math.min(each.max, each.left + 1) } : each,
  )
  const isWhole = life.hp >= life.hpMax && mark(life, 'wounded') > 0
  return {
    refused: null,
    life: isWhole ? marked(life, { wounded: 0 }) : life,
    slots,
    resources: back,
    hitDice: sheet.hitDice,
    says: isWhole ? ['Wounded no more.'] : [],
  }
}

/** Eight hours: constitution, at least one, for each level; tired no more, doomed and drained a step less. */
function night(rules: LifeRules, body: RestingBody): RestResult {
  const { sheet } = body
  const fewer = lowered(lowered(without(body.life.conditions, 'fatigued'), 'doomed'), 'drained')
  const sized = rules.resized({ ...body.life, conditions: fewer }, sheet)
  const back = Math.max(1, abilityModifier(sheet, 'con')) * sheet.level
  const healed = rules.heal({ ...sized, hpTemp: 0 }, back, sheet).life
  const isWhole = healed.hp >= healed.hpMax
  const drained = levelOf(fewer, 'drained')
  return {
    refused: null,
    life: isWhole ? marked(healed, { wounded: 0 }) : healed,
    slots: body.slots.map((row) => ({ ...row, used: 0 })),
    resources: full(body.resources),
    hitDice: sheet.hitDice,
    says: drained > 0 ? [`Still drained ${drained}.`] : [],
  }
}

export function rest(rules: LifeRules, kind: RestKind, body: RestingBody): RestResult {
  if (body.life.state !== 'dead') return kind === 'short' ? refocus(body) : night(rules, body)
  const { life, slots, resources, sheet } = body
  return { refused: 'The dead do not rest.', life, slots, resources, hitDice: sheet.hitDice, says: [] }
}
