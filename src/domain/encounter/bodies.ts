import { type Fighter, lifeOf, type Moving } from '../../combat/fight.ts'
import { movingKeys } from '../../combat/patch.ts'
import type { FieldsOf, Patch, RowOf } from '../../kernel/entity.ts'
import type { Sheet } from '../../rules/sheet.ts'
import type { RuleSystem } from '../../rules/system.ts'
import type { combatant } from './entity.ts'

// Where the rules find what somebody in a fight is and has: the one place that knows. A creature has a stat block of its own.

export type CombatantRow = RowOf<typeof combatant>

type Body = Pick<CombatantRow, 'kind' | 'hpMax' | 'ac' | 'initiativeModifier' | 'statblock'>

/** What the rules compute with. */
export function sheetOf(rules: RuleSystem, { kind, hpMax, ac, initiativeModifier, statblock }: Body): Sheet {
  const { level = 1, rating, abilities, skills, saves, bonuses, checks, size, speeds, defences } = statblock
  const sheet: Sheet = {
    level,
    rating: rating ?? level,
    isCharacter: kind === 'character',
    classes: [],
    abilities: abilities ?? {},
    skills: skills ?? {},
    saves: saves ?? {},
    bonuses: bonuses ?? {},
    checks: checks ?? [],
    size: size ?? null,
    ac,
    speeds: speeds ?? {},
    hpMax,
    hitDice: [],
    experience: 0,
    defences: defences ?? {},
  }
  if (initiativeModifier === null) return sheet
  // What is written down is all of it: the bonus is what the sheet itself does not give.
  const plain = { ...sheet, bonuses: { ...sheet.bonuses, initiative: 0 } }
  const own = rules.initiative(plain, []).modifier
  return { ...sheet, bonuses: { ...sheet.bonuses, initiative: initiativeModifier - own } }
}

export function fighterFrom(rules: RuleSystem, row: CombatantRow): Fighter {
  return {
    id: row.id,
    name: row.name,
    sheet: sheetOf(rules, row),
    actions: row.statblock.actions ?? [],
    group: row.initiativeGroup,
    hp: row.hp,
    hpTemp: row.hpTemp,
    lifeState: row.lifeState,
    marks: row.marks,
    conditions: row.conditions,
    concentration: row.concentration,
    resources: row.resources,
    slots: row.slots,
    initiative: row.initiative,
    place: row.place,
    parts: row.parts,
    attacksMade: row.attacksMade,
    delaying: row.delaying,
    readied: row.readied,
    recoveryDue: row.recoveryDue,
    spent: row.spent,
    removed: row.removed,
  }
}

/** What of somebody is written down, after some of it has changed. */
export function patchOf(
  rules: RuleSystem,
  fighter: Fighter,
  changed: Partial<Moving>,
): Patch<FieldsOf<typeof combatant>> {
  const kept = movingKeys.filter((key) => key in changed)
  const values = Object.fromEntries(kept.map((key) => [key, stored(fighter[key])]))
  return { ...values, band: rules.life.band(lifeOf(rules, fighter)) } as Patch<FieldsOf<typeof combatant>>
}

/** Without members that say nothing: what is read again is what was written. */
function stored(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(stored)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, each]) => (each === undefined ? [] : [[key, stored(each)]])),
  )
}

/** How somebody of that body is who has not been in a fight yet. */
export function freshLife(rules: RuleSystem, body: Body) {
  const { hp, hpTemp, state, marks, conditions, concentration } = rules.life.fresh(sheetOf(rules, body))
  return {
    hp,
    hpTemp,
    lifeState: state,
    marks: { ...marks },
    conditions: conditions.map((each) => stored(each) as never),
    concentration,
    band: 'unhurt' as const,
    resources: body.statblock.resources ?? [],
    slots: body.statblock.slots ?? [],
  }
}
