import { cancelling, lowered, sizes } from '../shared.ts'
import type { RuleSystem, SystemFace, SystemFamily } from '../system.ts'
import { difficultyOf, experienceOf } from './difficulty.ts'
import { levels, levelUp, rest, slotsFor, usualGain } from './growth.ts'
import { isHelpless, lifeRules } from './life.ts'
import {
  abilityModifier,
  armourClass,
  attackThrow,
  checksOf,
  checkThrow,
  d20,
  loadOf,
  outcomeOf,
  passivesOf,
  perceptionCheck,
  rollEffect,
  speedsOf,
  targetEffect,
  usualSpeed,
} from './statistics.ts'
import { abilities, classHitPoints, coins, conditions, damageTypes, ranks, saves, skills, tiers } from './tables.ts'

const face: SystemFace = {
  abilities: 'modifier',
  abilityBounds: { least: -5, most: 10, usual: 0 },
  armour: 'Armour class',
  marks: [
    { key: 'dying', name: 'Dying', most: 4, good: false },
    { key: 'wounded', name: 'Wounded', most: 3, good: false },
  ],
  recovery: 'Recovery check',
  spellSlots: true,
  hitDice: false,
  attacksOfTurn: 3,
  costs: [
    { key: 'one', name: 'One action', spends: { part: 'action', count: 1 } },
    { key: 'two', name: 'Two actions', spends: { part: 'action', count: 2 } },
    { key: 'three', name: 'Three actions', spends: { part: 'action', count: 3 } },
    { key: 'reaction', name: 'Reaction', spends: { part: 'reaction', count: 1 }, outOfTurn: true },
    { key: 'free', name: 'Free' },
  ],
  rests: [
    { key: 'refocus', kind: 'short', name: 'Refocus', says: 'Ten minutes. A point of focus comes back.' },
    { key: 'night', kind: 'long', name: "Night's rest", says: 'Eight hours. Hit points by level, slots and focus.' },
  ],
}

function pathfinder2e(strict: boolean): RuleSystem {
  const life = lifeRules({ strict })
  return {
    id: strict ? 'pathfinder2e-strict' : 'pathfinder2e',
    title: strict ? 'Pathfinder 2e (wounded counts each time)' : 'Pathfinder 2e',
    face,
    abilities,
    skills,
    saves,
    ranks,
    conditions,
    damageTypes,
    sizes,
    coins,
    attunement: null,
    usualSpeed,
    levels,
    secondsOfRound: 6,
    tiers,
    life,
    abilityModifier,
    proficiencyBonus: () => null,
    checks: checksOf,
    passives: passivesOf,
    checkThrow,
    outcome: outcomeOf,
    rollEffect,
    targetEffect,
    combineModes: cancelling,
    armourClass,
    speeds: speedsOf,
    load: loadOf,
    initiative(sheet, held) {
      const modifier = perceptionCheck(sheet, held).modifier ?? 0
      const all = modifier + (sheet.bonuses.initiative ?? 0)
      return { expression: d20(all, 'plain'), label: 'Initiative', modifier: all }
    },
    compareInitiative: (first, second) =>
      second.total - first.total || Number(first.isCharacter) - Number(second.isCharacter),
    canAct: ({ state, conditions: held }) => state === 'up' && !isHelpless(held),
    attackThrow: (action, held, mode, attacksMade) => attackThrow(action, held, mode, attacksMade),
    criticalDamage: (expression) => `(${expression})*2`,
    shareAfterSave({ degree }, half) {
      if (!half) return degree === 'success' || degree === 'critical-success' ? 'none' : 'full'
      return ({ 'critical-success': 'none', success: 'half', failure: 'full', 'critical-failure': 'double' } as const)[
        degree
      ]
    },
    recharge: () => null,
    hitDieThrow: () => null,
    hitDieHeals: () => 0,
    rest: (kind, body) => rest(life, kind, body),
    usualGain,
    levelUp: (sheet, hpGain) => levelUp(sheet, hpGain),
    slotsFor,
    classOf: (className) => (classHitPoints.has(lowered(className)) ? { hitDie: null, saves: [] } : null),
    difficulty: difficultyOf,
    experienceOf,
    experienceShare: (total, party) => (party === 0 ? 0 : Math.floor((total * 4) / party)),
  }
}

const usual = pathfinder2e(false)
const strict = pathfinder2e(true)

export const pathfinder2eFamily: SystemFamily = {
  id: 'pathfinder2e',
  title: 'Pathfinder 2e',
  variants: [usual, strict],
  foreignSheets: [],
  recognises(words) {
    const said = lowered(words)
    if (!/\bpathfinder|\bpf ?2/.test(said)) return null
    return /strict|each time/.test(said) ? strict : usual
  },
}
