import { cancelling, lowered, sizes } from '../shared.ts'
import type { RuleSystem, SystemFace, SystemFamily } from '../system.ts'
import { difficultyOf, experienceOf, tiersOf } from './difficulty.ts'
import { beyondSheet, foundrySheet } from './foreign-sheets.ts'
import { classNamed, hitDieHeals, levels, levelUp, rest, slotsFor, usualGain } from './growth.ts'
import { lifeRules } from './life.ts'
import {
  abilityModifier,
  attackThrow,
  checksOf,
  checkThrow,
  criticalDamage,
  initiativeCheck,
  isHelpless,
  loadOf,
  outcomeOf,
  passivesOf,
  proficiencyBonus,
  rollEffect,
  speedsOf,
  targetEffect,
  usualSpeed,
} from './statistics.ts'
import { abilities, coins, conditionRules, damageTypes, type Edition, ranks, saves, skills } from './tables.ts'

const face: SystemFace = {
  abilities: 'score',
  abilityBounds: { least: 1, most: 30, usual: 10 },
  armour: 'Armour class',
  marks: [
    { key: 'successes', name: 'Holding on', most: 3, good: true },
    { key: 'failures', name: 'Slipping', most: 3, good: false },
  ],
  recovery: 'Death save',
  spellSlots: true,
  hitDice: true,
  attacksOfTurn: 1,
  costs: [
    { key: 'action', name: 'Action', spends: { part: 'action', count: 1 } },
    { key: 'bonus', name: 'Bonus action', spends: { part: 'bonus', count: 1 } },
    { key: 'reaction', name: 'Reaction', spends: { part: 'reaction', count: 1 }, outOfTurn: true },
    { key: 'free', name: 'Free' },
    { key: 'legendary', name: 'Legendary action', outOfTurn: true },
  ],
  rests: [
    { key: 'short', kind: 'short', name: 'Short rest', says: 'An hour. Hit dice may be spent.' },
    { key: 'long', kind: 'long', name: 'Long rest', says: 'Eight hours. Hit points, slots and what returns by night.' },
  ],
}

function dnd5e(edition: Edition): RuleSystem {
  const life = lifeRules(edition)
  return {
    id: `dnd5e-${edition}`,
    title: `D&D 5e (${edition})`,
    face,
    abilities,
    skills,
    saves,
    ranks,
    conditions: conditionRules(edition),
    damageTypes,
    sizes,
    coins,
    attunement: 3,
    usualSpeed,
    levels,
    secondsOfRound: 6,
    tiers: tiersOf(edition),
    life,
    abilityModifier,
    proficiencyBonus,
    checks: (sheet, conditions) => checksOf(edition, sheet, conditions),
    passives: (sheet, conditions) => passivesOf(edition, sheet, conditions),
    checkThrow,
    outcome: outcomeOf,
    rollEffect: (conditions, kind, ability) => rollEffect(edition, conditions, kind, ability),
    targetEffect,
    combineModes: cancelling,
    armourClass: (sheet) => (sheet.ac ?? 10 + abilityModifier(sheet, 'dex')) + (sheet.bonuses.ac ?? 0),
    speeds: (sheet, conditions) => speedsOf(edition, sheet, conditions),
    load: loadOf,
    initiative(sheet, conditions) {
      const check = initiativeCheck(edition, sheet, conditions)
      return { ...checkThrow(check, check.mode, 0), modifier: check.modifier ?? 0 }
    },
    compareInitiative: (first, second) => second.total - first.total || second.modifier - first.modifier,
    canAct: ({ state, conditions }) => state === 'up' && !isHelpless(conditions),
    attackThrow: (action, conditions, mode) => attackThrow(edition, action, conditions, mode),
    criticalDamage,
    shareAfterSave: ({ passed }, half) => (passed ? (half ? 'half' : 'none') : 'full'),
    recharge: ({ rechargeFrom, name }) =>
      rechargeFrom === undefined ? null : { expression: '1d6', label: `${name} again`, from: rechargeFrom },
    hitDieThrow: (die) => (/^d\d+$/.test(die) ? { expression: `1${die}`, label: 'Hit die' } : null),
    hitDieHeals: (sheet, rolled) => hitDieHeals(edition, sheet, rolled),
    rest: (kind, body) => rest(edition, life, kind, body),
    usualGain,
    levelUp,
    slotsFor: (classes) => slotsFor(edition, classes),
    classOf(className) {
      const known = classNamed(className)
      return known === null ? null : { hitDie: `d${known.die}`, saves: known.saves }
    },
    difficulty: (party, foes) => difficultyOf(edition, party, foes),
    experienceOf,
    experienceShare: (total, party) => (party === 0 ? 0 : Math.floor(total / party)),
  }
}

const older = dnd5e('2014')
const newer = dnd5e('2024')

export const dnd5eFamily: SystemFamily = {
  id: 'dnd5e',
  title: 'D&D 5e',
  variants: [newer, older],
  foreignSheets: [beyondSheet, foundrySheet],
  recognises(words) {
    const said = lowered(words)
    if (!/\b(dnd|d&d|dungeons (&|and) dragons|5e|fifth edition)/.test(said) && !/\bsrd ?5/.test(said)) return null
    return /2014|5\.1/.test(said) ? older : newer
  },
}
