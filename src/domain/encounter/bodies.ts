import { type Fighter, lifeOf, type Moving } from '../../combat/fight.ts'
import { movingKeys } from '../../combat/patch.ts'
import type { Context } from '../../kernel/context.ts'
import type { FieldsOf, Patch, RowOf } from '../../kernel/entity.ts'
import type { Sheet } from '../../rules/sheet.ts'
import type { RuleSystem } from '../../rules/system.ts'
import { character } from '../character/entity.ts'
import { lifeOf as lifeOfSheet, sheetOf as sheetOfCharacter } from '../sheets.ts'
import { combatant } from './entity.ts'

// Where the rules find what somebody in a fight is and has: the one place that knows. A creature has a stat block of its own, a
// character their sheet: hit points, conditions and what is counted are read there and written there, and kept nowhere else.

export type CombatantRow = RowOf<typeof combatant>
export type CharacterRow = RowOf<typeof character>
/** Characters by their ids. */
export type Sheets = ReadonlyMap<number, CharacterRow>

/** The sheets of those in a fight who have one. */
export function sheetsFor(
  context: Pick<Context, 'unfiltered'>,
  rows: readonly Pick<CombatantRow, 'characterId'>[],
): Sheets {
  const ids = rows.flatMap(({ characterId }) => (characterId === null ? [] : [characterId]))
  if (ids.length === 0) return new Map()
  const { items } = context.unfiltered(character).page({ where: { id: ids }, limit: 200 })
  return new Map(items.map((each) => [each.id, each]))
}

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
  return withInitiative(rules, sheet, initiativeModifier)
}

/** What is written down is all of it: the bonus is what the sheet itself does not give. Null: what follows from the sheet. */
function withInitiative(rules: RuleSystem, sheet: Sheet, modifier: number | null): Sheet {
  if (modifier === null) return sheet
  const plain = { ...sheet, bonuses: { ...sheet.bonuses, initiative: 0 } }
  const own = rules.initiative(plain, []).modifier
  return { ...sheet, bonuses: { ...sheet.bonuses, initiative: modifier - own } }
}

export function fighterFrom(rules: RuleSystem, row: CombatantRow, sheets: Sheets): Fighter {
  const own = row.characterId === null ? undefined : sheets.get(row.characterId)
  if (own === undefined) return creatureFrom(rules, row)
  const body = ofSheet(rules, own)
  const sheet = withInitiative(rules, body.sheet, row.initiativeModifier)
  return { ...creatureFrom(rules, row), ...body, sheet }
}

/** What a character brings along from their sheet. */
function ofSheet(rules: RuleSystem, row: CharacterRow) {
  const { hp, hpTemp, state, marks, conditions, concentration } = lifeOfSheet(rules, row as never)
  return {
    sheet: sheetOfCharacter(row as never),
    actions: row.actions,
    hp,
    hpTemp,
    lifeState: state,
    marks,
    conditions,
    concentration,
    resources: row.resources,
    slots: row.spellSlots,
  }
}

function creatureFrom(rules: RuleSystem, row: CombatantRow): Fighter {
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

/** What of a fighter is of the body, and so kept on the sheet of a character. */
const ofBody = ['hp', 'hpTemp', 'lifeState', 'marks', 'conditions', 'concentration', 'resources', 'slots'] as const
const isOfBody = (key: string): boolean => (ofBody as readonly string[]).includes(key)

/** Writes down what has changed of somebody, each part where it is kept. */
export function writeFighter(
  context: Pick<Context, 'write'>,
  rules: RuleSystem,
  row: CombatantRow,
  sheets: Sheets,
  fighter: Fighter,
  changed: Partial<Moving>,
): void {
  const values = Object.fromEntries(
    movingKeys.filter((key) => key in changed).map((key) => [key, stored(fighter[key])]),
  )
  const own = row.characterId === null ? undefined : sheets.get(row.characterId)
  if (own === undefined) {
    const band = rules.life.band(lifeOf(rules, fighter))
    context.write(combatant).update(row.id, { ...values, band } as Patch<FieldsOf<typeof combatant>>)
    return
  }
  const here = Object.entries(values).filter(([key]) => !isOfBody(key))
  const there = Object.entries(values)
    .filter(([key]) => isOfBody(key))
    .map(([key, value]) => [key === 'slots' ? 'spellSlots' : key, value])
  if (here.length > 0) context.write(combatant).update(row.id, Object.fromEntries(here))
  if (there.length > 0) context.write(character).update(own.id, Object.fromEntries(there))
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
