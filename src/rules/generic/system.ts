import type { Changed, Hurt, Life, Throw } from '../life.ts'
import {
  absorbed,
  aged,
  bandOf,
  cancelling,
  lowered,
  ownChecksOf,
  plus,
  unchanged,
  within,
  without,
  withSourced,
} from '../shared.ts'
import type { Outcome, Resource } from '../sheet.ts'
import type { LifeRules, RuleSystem, SystemFamily } from '../system.ts'

// A table that plays by no system that is known here: abilities, checks and conditions are what each sheet names, with dice of
// its own. Nothing is computed that nobody wrote down.

const outcomeOf = (passed: boolean): Outcome => ({
  degree: passed ? 'success' : 'failure',
  passed,
  says: passed ? 'Success' : 'Failure',
})

/** Whoever counts no hit points is never at nought. */
const counted = (life: Life): boolean => life.hpMax > 0

function settled(life: Life, says: readonly string[] = []): Changed {
  if (!counted(life) || life.state === 'dead') return { life, says }
  if (life.hp > 0) return { life: { ...life, state: 'up' }, says }
  if (life.state === 'stable') return { life, says }
  return { life: { ...life, state: 'stable', concentration: null }, says: [...says, 'Down.'] }
}

const life: LifeRules = {
  fresh: (sheet) => ({
    hp: sheet.hpMax ?? 0,
    hpMax: sheet.hpMax ?? 0,
    hpTemp: 0,
    state: 'up',
    marks: {},
    conditions: [],
    concentration: null,
  }),
  damage(before, blow): Hurt {
    const share = { none: 0, half: 0.5, full: 1, double: 2 }[blow.share ?? 'full']
    const rolled = blow.parts.reduce((sum, { amount }) => sum + amount, 0)
    const dealt = Math.max(0, Math.floor(rolled * share) - (blow.reduction ?? 0))
    if (!counted(before) || before.state === 'dead')
      return { life: before, says: [], dealt, absorbed: 0, lost: 0, concentration: null }
    const shield = absorbed(before, dealt)
    const lost = Math.min(before.hp, shield.left)
    const { life: after, says } = settled({ ...shield.life, hp: before.hp - lost })
    return { life: after, says, dealt, absorbed: shield.absorbed, lost, concentration: null }
  },
  heal(before, amount) {
    if (before.state === 'dead') return unchanged(before, 'Nothing heals the dead.')
    return settled({ ...before, hp: within(before.hp + amount, 0, before.hpMax) })
  },
  temporary: (before, amount) => unchanged({ ...before, hpTemp: Math.max(before.hpTemp, amount) }),
  set: (before, hp) => settled({ ...before, hp: within(hp, 0, before.hpMax) }),
  resized: (before, sheet) => ({ ...before, hpMax: sheet.hpMax ?? 0, hp: Math.min(before.hp, sheet.hpMax ?? 0) }),
  recovery: () => null,
  recover: (before) => unchanged(before),
  steadying: () => null,
  steady: (before) => unchanged(before),
  revive: (before, hp) =>
    unchanged(
      { ...before, state: 'up', marks: {}, hp: within(hp, counted(before) ? 1 : 0, before.hpMax) },
      'Back again.',
    ),
  addCondition: (before, condition) => unchanged({ ...before, conditions: withSourced(before.conditions, condition) }),
  removeCondition: (before, key, source) =>
    unchanged({ ...before, conditions: without(before.conditions, key, source) }),
  turnBegins: (before) => ({
    life: before,
    says: [],
    asks: [],
    parts: [{ key: 'turn', name: 'Your turn', count: 1, unit: 'each', outOfTurn: false }],
  }),
  turnEnds(before) {
    const { kept, over } = aged(before.conditions)
    return { life: { ...before, conditions: kept }, says: over.map(({ key }) => `No longer ${key}.`), asks: [] }
  },
  answerTurn: (before) => unchanged(before),
  keepsConcentration: (before) => before.state === 'up',
  band: bandOf,
}

const attackThrow = (name: string, bonus: number): Throw => ({ expression: String(bonus), label: name })

const generic: RuleSystem = {
  id: 'generic',
  title: 'Any other game',
  face: {
    abilities: 'value',
    abilityBounds: { least: -1000, most: 1000, usual: 0 },
    armour: 'Armour',
    marks: [],
    recovery: null,
    spellSlots: false,
    hitDice: false,
    attacksOfTurn: 1,
    costs: [],
    rests: [{ key: 'rest', kind: 'long', name: 'Rest', says: 'What comes back with a rest is full again.' }],
  },
  abilities: [],
  skills: [],
  saves: [],
  ranks: [],
  conditions: [],
  damageTypes: [],
  sizes: [],
  coins: [{ key: 'coin', name: 'Coins', value: 1 }],
  attunement: null,
  usualSpeed: null,
  levels: null,
  secondsOfRound: null,
  tiers: [],
  life,
  abilityModifier: (sheet, ability) => sheet.abilities[ability] ?? 0,
  proficiencyBonus: () => null,
  checks: ownChecksOf,
  passives: () => [],
  checkThrow: (check, _mode, bonus) => ({ expression: plus(check.expression, bonus), label: check.name }),
  outcome: ({ total }, difficulty) => outcomeOf(total >= difficulty),
  rollEffect: () => ({ mode: 'plain', modifier: 0, fails: false, reasons: [] }),
  targetEffect: () => ({ mode: 'plain', modifier: 0, fails: false, reasons: [], critical: false }),
  combineModes: cancelling,
  armourClass: (sheet) => sheet.ac,
  speeds: (sheet) => sheet.speeds,
  load: () => null,
  initiative: (sheet) => ({
    expression: sheet.checks.find(({ key }) => key === 'initiative')?.expression ?? '0',
    label: 'Initiative',
    modifier: sheet.bonuses.initiative ?? 0,
  }),
  compareInitiative: (first, second) => second.total - first.total,
  canAct: ({ state }) => state === 'up',
  attackThrow: (action) => (action.attack === undefined ? null : attackThrow(action.name, action.attack)),
  criticalDamage: (expression) => expression,
  shareAfterSave: ({ passed }, half) => (passed ? (half ? 'half' : 'none') : 'full'),
  recharge: () => null,
  hitDieThrow: () => null,
  hitDieHeals: () => 0,
  rest(kind, { life: before, slots, resources, sheet }) {
    const back = (recharge: Resource['recharge']): boolean =>
      recharge === kind || (kind === 'long' && (recharge === 'day' || recharge === 'short'))
    return {
      refused: null,
      life: before,
      slots,
      resources: resources.map((each) => (back(each.recharge) ? { ...each, left: each.max } : each)),
      hitDice: sheet.hitDice,
      says: [],
    }
  },
  usualGain: (sheet) => (sheet.hpMax === null ? 0 : null),
  levelUp: (sheet, hpGain) => ({
    level: sheet.level + 1,
    hpMax: (sheet.hpMax ?? 0) + hpGain,
    hpGain,
    experience: sheet.experience,
    hitDice: sheet.hitDice,
    classes: sheet.classes,
  }),
  slotsFor: () => null,
  classOf: () => null,
  difficulty: () => null,
  experienceOf: () => null,
  experienceShare: (total, party) => (party === 0 ? 0 : Math.floor(total / party)),
}

export const genericFamily: SystemFamily = {
  id: 'generic',
  title: generic.title,
  variants: [generic],
  foreignSheets: [],
  recognises: (words) => (['generic', lowered(generic.title)].includes(lowered(words)) ? generic : null),
}

/** What a campaign plays by that names no system that is known. */
export const anyGame: RuleSystem = generic
