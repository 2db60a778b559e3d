import type { RollMode } from '../rules/life.ts'
import type { Action } from '../rules/sheet.ts'
import {
  type Fight,
  type Fighter,
  fighterOf,
  type Happening,
  type Judge,
  lifeOf,
  type Moving,
  type RollLine,
  withFighter,
} from './fight.ts'
import { rollCheck, tellConditions, tellHarm, tellHealing } from './harm.ts'
import { rollLine, type Telling, tellFrom } from './telling.ts'

// What somebody does with an action of theirs: attacks, saves against it, damage, healing and what it leaves behind.

export interface Act {
  readonly id: number
  /** The key or the name of an action. */
  readonly action: string
  readonly targetIds: readonly number[]
  readonly mode: RollMode
  /** From further away than a blow reaches. */
  readonly far: boolean
}

/** How an action went against one target. */
export interface ActResult {
  readonly targetId: number
  /** How the attack, or the save against it, came out; null where there was neither. */
  readonly outcome: string | null
  readonly hits: boolean
  readonly rolls: readonly RollLine[]
  /** As rolled, before what the target has against it. */
  readonly damage: number | null
}

export type ActDecision =
  | { readonly refused: string; readonly path?: string }
  | {
      readonly refused: null
      readonly fight: Fight
      readonly events: readonly Happening[]
      readonly action: Action
      /** Rolls that are nobody's in particular: damage of all, or of none. */
      readonly rolls: readonly RollLine[]
      readonly results: readonly ActResult[]
    }

export function actionOf({ actions }: Fighter, named: string): Action | null {
  const word = named.trim().toLowerCase()
  return actions.find(({ key }) => key === named) ?? actions.find(({ name }) => name.toLowerCase() === word) ?? null
}

/** What an action takes from who does it; a sentence where they do not have it. */
function paid(judge: Judge, fight: Fight, fighter: Fighter, action: Action): Partial<Moving> | string {
  const { rules, by } = judge
  const cost = rules.face.costs.find(({ key }) => key === action.cost)
  const part = cost?.spends === undefined ? undefined : fighter.parts.find(({ key }) => key === cost.spends?.part)
  const isOwnTurn = fight.actingId === fighter.id
  if (by === 'player' && !isOwnTurn && cost?.outOfTurn !== true) {
    const acting = fight.actingId === null ? null : fighterOf(fight, fight.actingId)
    return `It is not the turn of ${fighter.name}${acting === null ? '' : ', but of another'}. Only reactions come out of turn.`
  }
  if (!rules.canAct(lifeOf(rules, fighter))) return `${fighter.name} cannot act now.`
  if (fighter.spent.includes(action.key)) return `${action.name} has to come back first.`
  const price = cost?.spends?.count ?? 1
  if (by === 'player' && part !== undefined && part.left < price)
    return `${fighter.name} has no ${part.name.toLowerCase()} left this turn.`
  const { resources, slots } = fighter
  const { uses, spellLevel } = action
  const counted = uses === undefined ? undefined : resources.find(({ key }) => key === uses.resource)
  if (uses !== undefined && (counted === undefined || counted.left < uses.count))
    return `${action.name} costs ${uses.count} of ${counted?.name ?? uses.resource}, and ${counted?.left ?? 0} are left.`
  const slot =
    spellLevel === undefined || spellLevel === 0
      ? undefined
      : slots.find((each) => each.level >= spellLevel && each.used < each.max)
  if (spellLevel !== undefined && spellLevel > 0 && slot === undefined)
    return `${fighter.name} has no slot of level ${spellLevel} or higher left.`
  return {
    parts: fighter.parts.map((each) => (each === part ? { ...each, left: Math.max(0, each.left - price) } : each)),
    resources: resources.map((each) => (each === counted ? { ...each, left: each.left - (uses?.count ?? 0) } : each)),
    slots: slots.map((each) => (each === slot ? { ...each, used: each.used + 1 } : each)),
    spent: action.rechargeFrom === undefined ? fighter.spent : [...fighter.spent, action.key],
    attacksMade: fighter.attacksMade + (action.attack === undefined ? 0 : 1),
    ...(action.concentration ? { concentration: action.name } : {}),
  }
}

interface Damage {
  readonly parts: { readonly amount: number; readonly type: string | null }[]
  readonly lines: readonly RollLine[]
}

function rollDamage({ rules, roll }: Judge, action: Action, critical: boolean): Damage {
  const lines: RollLine[] = []
  const parts = (action.damage ?? []).map(({ expression, type }) => {
    const rolled = roll(critical ? rules.criticalDamage(expression) : expression)
    lines.push(rollLine(type ?? 'Damage', rolled))
    return { amount: Math.max(0, rolled.total), type: type ?? null }
  })
  return { parts, lines }
}

interface Struck {
  readonly hits: boolean
  readonly critical: boolean
  readonly outcome: string | null
  readonly line: RollLine | null
}

/** The attack against one target. Where nothing protects by a number, the roll is told and the table decides. */
function strike(judge: Judge, attacker: Fighter, target: Fighter, action: Action, { mode, far }: Act): Struck {
  const { rules, roll } = judge
  const against = rules.targetEffect(target.conditions, !far)
  const own = rules.rollEffect(attacker.conditions, 'attack', null)
  const thrown = rules.attackThrow(
    action,
    attacker.conditions,
    rules.combineModes([mode, against.mode, own.mode]),
    attacker.attacksMade,
  )
  if (thrown === null) return { hits: true, critical: false, outcome: null, line: null }
  const rolled = roll(thrown.expression)
  const line = rollLine(thrown.label, rolled)
  const armour = rules.armourClass(target.sheet, target.conditions)
  if (armour === null) return { hits: true, critical: false, outcome: null, line }
  const { passed, degree } = rules.outcome(rolled, armour, 'attack')
  const critical = passed && (degree === 'critical-success' || against.critical)
  return { hits: passed, critical, outcome: critical ? 'Critical hit' : passed ? 'Hit' : 'Miss', line }
}

/** Does it. Every target gets an event of its own, so that what is told of one is told of nobody else. */
export function act(judge: Judge, fight: Fight, asked: Act): ActDecision {
  const fighter = fighterOf(fight, asked.id)
  if (fighter === null) return { refused: 'There is no such combatant in this fight.' }
  const action = actionOf(fighter, asked.action)
  if (action === null) {
    const known = fighter.actions.map(({ name }) => name).join(', ')
    return {
      refused: `${fighter.name} has no action ${asked.action}. ${known === '' ? 'Write one into the stat block first.' : `There are ${known}.`}`,
      path: 'action',
    }
  }
  const targets: Fighter[] = []
  for (const targetId of asked.targetIds) {
    const target = fighterOf(fight, targetId)
    if (target === null || target.removed)
      return {
        refused: `Combatant ${targetId} is not in this fight any more. list_combatants has those who are.`,
        path: 'targetIds',
      }
    targets.push(target)
  }
  const price = paid(judge, fight, fighter, action)
  if (typeof price === 'string') return { refused: price }

  const telling = tellFrom(fight)
  const rolls: RollLine[] = []
  const results: ActResult[] = []
  telling.tell(withFighter(fight, fighter.id, price), {
    kind: 'action',
    fighterId: fighter.id,
    says: [`${action.name}.`],
  })
  const shared = action.attack === undefined || targets.length === 0 ? rollDamage(judge, action, false) : null
  if (shared !== null) rolls.push(...shared.lines)
  const healed = action.heals === undefined ? null : judge.roll(action.heals)
  if (healed !== null) rolls.push(rollLine('Healing', healed))
  if (targets.length === 0 && action.attack !== undefined) {
    const thrown = judge.rules.attackThrow(action, fighter.conditions, asked.mode, fighter.attacksMade)
    if (thrown !== null) rolls.unshift(rollLine(thrown.label, judge.roll(thrown.expression)))
  }
  for (const target of targets)
    results.push(against(judge, telling, { fighter, target, action, asked, shared, healed: healed?.total ?? null }))
  return { refused: null, fight: telling.fight, events: telling.events, action, rolls, results }
}

interface Against {
  readonly fighter: Fighter
  readonly target: Fighter
  readonly action: Action
  readonly asked: Act
  readonly shared: Damage | null
  readonly healed: number | null
}

function against(
  judge: Judge,
  telling: Telling,
  { fighter, target, action, asked, shared, healed }: Against,
): ActResult {
  const { rules } = judge
  const lines: RollLine[] = []
  const struck =
    action.attack === undefined
      ? { hits: true, critical: false, outcome: null, line: null }
      : strike(judge, fighter, target, action, asked)
  if (struck.line !== null) lines.push(struck.line)
  let { outcome, hits } = struck
  let share: ReturnType<typeof rules.shareAfterSave> | undefined
  if (hits && action.save !== undefined) {
    const { checkId, difficulty, half } = action.save
    const now = fighterOf(telling.fight, target.id) ?? target
    const save = rollCheck(judge, now, checkId, difficulty)
    lines.push(save.line)
    share = rules.shareAfterSave(save.outcome, half ?? false)
    outcome = save.passed ? 'Saved' : 'Failed the save'
    hits = !save.passed
  }
  const damage = shared ?? (hits ? rollDamage(judge, action, struck.critical) : null)
  if (shared === null && damage !== null) lines.push(...damage.lines)
  const isHurt = (damage?.parts.length ?? 0) > 0 && (action.attack === undefined || struck.hits) && share !== 'none'
  if (isHurt && damage !== null) {
    const blow = { parts: damage.parts, critical: struck.critical, ...(share === undefined ? {} : { share }) }
    tellHarm(judge, telling, { id: target.id, blow, byId: fighter.id }, lines)
  } else {
    telling.tell(telling.fight, {
      kind: 'action',
      fighterId: fighter.id,
      targetId: target.id,
      rolls: lines,
      says: outcome === null ? [] : [`${outcome}.`],
    })
  }
  if (healed !== null) tellHealing(judge, telling, target.id, Math.max(0, healed), false, fighter.id)
  if (hits && action.conditions !== undefined && action.conditions.length > 0) {
    const add = action.conditions.map((each) => ({ ...each, source: each.source ?? fighter.name }))
    tellConditions(judge, telling, target.id, { add, remove: [] }, fighter.id)
  }
  const rolled = damage?.parts.reduce((sum, { amount }) => sum + amount, 0) ?? null
  return { targetId: target.id, outcome, hits, rolls: lines, damage: isHurt ? rolled : null }
}
