import type { Blow, Condition, Life } from '../rules/life.ts'
import type { Check } from '../rules/sheet.ts'
import {
  type Decision,
  type Fight,
  type Fighter,
  fighterOf,
  type Judge,
  lifeOf,
  movingOf,
  type RollLine,
  withFighter,
} from './fight.ts'
import { rollLine, type Telling, tellFrom } from './telling.ts'

// What hurts, heals and lasts.

export interface Harm {
  readonly id: number
  readonly blow: Blow
  /** Whether concentration was kept at the table; rolled where nobody says. */
  readonly concentrationKept?: boolean | undefined
  /** Who did it, where it was somebody. */
  readonly byId?: number | null
}

/** A check of somebody's, as it falls. */
export interface CheckRolled {
  readonly passed: boolean
  readonly outcome: ReturnType<Judge['rules']['outcome']>
  readonly line: RollLine
}

export function checkOf({ rules }: Judge, fighter: Fighter, checkId: string): Check | null {
  return rules.checks(fighter.sheet, fighter.conditions).find(({ id }) => id === checkId) ?? null
}

/** Rolls one of somebody's checks; one that they do not have is a bare die of nothing, and fails. */
export function rollCheck(judge: Judge, fighter: Fighter, checkId: string, difficulty: number): CheckRolled {
  const check = checkOf(judge, fighter, checkId)
  const failed = { degree: 'failure', passed: false, says: 'Failure' } as const
  if (check === null || check.fails) {
    const label = check === null ? checkId : check.name
    const text = check === null ? 'not on this sheet' : check.reasons.join(' ') || 'fails'
    return { passed: false, outcome: failed, line: { label, text, total: 0 } }
  }
  const { expression, label } = judge.rules.checkThrow(check, check.mode, 0)
  const rolled = judge.roll(expression)
  const outcome = judge.rules.outcome(rolled, difficulty, check.kind)
  return { passed: outcome.passed, outcome, line: rollLine(`${label}, DC ${difficulty}`, rolled) }
}

/** Concentration of somebody who cannot keep it any more ends by itself. */
export function settledConcentration(
  { rules }: Judge,
  life: Life,
): { readonly life: Life; readonly says: readonly string[] } {
  if (life.concentration === null || rules.life.keepsConcentration(life)) return { life, says: [] }
  return { life: { ...life, concentration: null }, says: [`No longer concentrating on ${life.concentration}.`] }
}

/** Tells of damage: what of it gets through, what becomes of them, and whether they go on concentrating. */
export function tellHarm(
  judge: Judge,
  telling: Telling,
  { id, blow, concentrationKept, byId = null }: Harm,
  rolls: readonly RollLine[] = [],
): void {
  const fighter = fighterOf(telling.fight, id)
  if (fighter === null) return
  const before = lifeOf(judge.rules, fighter)
  const hurt = judge.rules.life.damage(before, blow, fighter.sheet)
  const lines = [...rolls]
  const says = [...hurt.says]
  let { life } = hurt
  if (before.concentration !== null && life.concentration === null)
    says.push(`No longer concentrating on ${before.concentration}.`)
  if (hurt.concentration !== null && life.concentration !== null) {
    const { checkId, difficulty } = hurt.concentration
    const save = concentrationKept === undefined ? rollCheck(judge, fighter, checkId, difficulty) : null
    if (save !== null) lines.push(save.line)
    if (!(concentrationKept ?? save?.passed)) {
      says.push(`No longer concentrating on ${life.concentration}.`)
      life = { ...life, concentration: null }
    }
  }
  const types = [...new Set(blow.parts.flatMap(({ type }) => (type === null ? [] : [type])))].join(' and ')
  const rolled = blow.parts.reduce((sum, { amount }) => sum + amount, 0)
  telling.tell(withFighter(telling.fight, id, { ...movingOf(life), ...dueOf(life, fighter) }), {
    kind: 'damage',
    fighterId: byId,
    targetId: id,
    amount: hurt.dealt,
    rolls: lines,
    says: [types === '' ? 'Hurt.' : `Hurt by ${types}.`, ...says],
    numbers: [
      `${hurt.dealt} damage${hurt.dealt === rolled ? '' : ` of ${rolled}`}.`,
      hurt.absorbed > 0 ? `${hurt.absorbed} absorbed.` : '',
    ],
  })
}

/** The roll of somebody at nought falls away once nothing decides any more. */
function dueOf(life: Life, fighter: Fighter) {
  return { recoveryDue: fighter.recoveryDue && life.state === 'dying' }
}

export function tellHealing(
  judge: Judge,
  telling: Telling,
  id: number,
  amount: number,
  temporary: boolean,
  byId: number | null = null,
  rolls: readonly RollLine[] = [],
): void {
  const fighter = fighterOf(telling.fight, id)
  if (fighter === null) return
  const { life: rules } = judge.rules
  const before = lifeOf(judge.rules, fighter)
  const { life, says } = temporary ? rules.temporary(before, amount) : rules.heal(before, amount, fighter.sheet)
  const gained = temporary ? life.hpTemp - before.hpTemp : life.hp - before.hp
  telling.tell(withFighter(telling.fight, id, { ...movingOf(life), ...dueOf(life, fighter) }), {
    kind: 'heal',
    fighterId: byId,
    targetId: id,
    amount: gained,
    rolls,
    says: [temporary ? 'Shielded.' : 'Healed.', ...says],
    numbers: [temporary ? `${life.hpTemp} temporary.` : `${gained} healed.`],
  })
}

export interface ConditionChange {
  readonly add: readonly Condition[]
  readonly remove: readonly { readonly key: string; readonly source?: string | undefined }[]
}

/** As many as anybody can have at once. */
export const mostConditions = 40

export function tellConditions(
  judge: Judge,
  telling: Telling,
  id: number,
  { add, remove }: ConditionChange,
  byId: number | null = null,
): void {
  const fighter = fighterOf(telling.fight, id)
  if (fighter === null) return
  const { rules } = judge
  const says: string[] = []
  let life = lifeOf(rules, fighter)
  for (const { key, source } of remove) {
    const after = rules.life.removeCondition(life, key, source)
    if (after.life.conditions.length < life.conditions.length) says.push(`No longer ${nameOf(judge, key)}.`)
    says.push(...after.says)
    life = after.life
  }
  for (const condition of add) {
    const after = rules.life.addCondition(life, condition, fighter.sheet)
    if (after.life.conditions !== life.conditions)
      says.push(`${capital(nameOf(judge, condition.key))}${lasting(condition)}.`)
    says.push(...after.says)
    life = after.life
  }
  const settled = settledConcentration(judge, life)
  const patch = { ...movingOf(settled.life), ...dueOf(settled.life, fighter) }
  telling.tell(withFighter(telling.fight, id, patch), {
    kind: 'condition',
    fighterId: byId,
    targetId: id,
    says: [...says, ...settled.says],
  })
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

function nameOf({ rules }: Judge, key: string): string {
  return rules.conditions.find((each) => each.key === key)?.name.toLowerCase() ?? key
}

function lasting({ level, rounds }: Condition): string {
  return `${level === undefined ? '' : ` ${level}`}${rounds === undefined ? '' : rounds === 1 ? ', one round' : `, ${rounds} rounds`}`
}

/** Throws nothing: what cannot be done says why. */
export function changeConditions(judge: Judge, fight: Fight, fighter: Fighter, change: ConditionChange): Decision {
  const strange = change.add.find(({ save }) => save !== undefined && checkOf(judge, fighter, save.checkId) === null)
  if (strange?.save !== undefined) {
    const known = judge.rules.checks(fighter.sheet, []).map(({ id }) => id)
    return {
      refused: `${fighter.name} has no check ${strange.save.checkId}. ${known.length === 0 ? 'Leave the save away.' : `There are ${known.join(', ')}.`}`,
      path: 'add',
    }
  }
  if (fighter.conditions.length + change.add.length > mostConditions)
    return { refused: `${fighter.name} has ${fighter.conditions.length} conditions; ${mostConditions} are the most.` }
  const telling = tellFrom(fight)
  tellConditions(judge, telling, fighter.id, change)
  if (telling.events.every(({ patch }) => patch.fighters.length === 0)) {
    const why = telling.events.map(({ says }) => says).join(' ')
    return { refused: why === '' ? `${fighter.name} stands so already.` : `${fighter.name}: ${why}` }
  }
  return { refused: null, fight: telling.fight, events: telling.events }
}
