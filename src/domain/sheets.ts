import type { Context } from '../kernel/context.ts'
import type { FieldsOf, Patch, VisibleRowOf } from '../kernel/entity.ts'
import { fail } from '../kernel/errors.ts'
import type { Condition, Life } from '../rules/life.ts'
import type { Sheet } from '../rules/sheet.ts'
import type { RuleSystem } from '../rules/system.ts'
import { systemOf } from '../rules/systems.ts'
import { campaign } from './campaign/entity.ts'
import { character } from './character/entity.ts'

// A character's row as the rules read it. It is the one place of somebody's hit points and conditions, in a fight too.

export type CharacterRow = VisibleRowOf<typeof character>

/** The rules that the campaign of the call plays by. */
export function rulesOf(context: Pick<Context, 'read' | 'campaignId'>): RuleSystem {
  const { campaignId } = context
  // One member of a row that holds a calendar: this is asked at every blow.
  const found = context.read(campaign).first({ where: { id: campaignId }, columns: ['ruleSystem'] })
  if (found === null) throw fail('not_found')
  return systemOf(found.ruleSystem)
}

/** "Paladin 5 / Sorcerer 2" are two; a class without a number has all of the levels. */
export function classesOf(className: string | null, level: number): Sheet['classes'] {
  const words = (className ?? '').split(/[/,]/).map((word) => word.trim())
  return words
    .filter((word) => word !== '')
    .map((word) => {
      const [, name = word, count] = /^(.*?)\s+(\d{1,3})$/.exec(word) ?? []
      return { name, level: count === undefined ? level : Number(count) }
    })
}

export function classWords(classes: Sheet['classes']): string | null {
  const [only, second] = classes
  if (only === undefined) return null
  return second === undefined ? only.name : classes.map(({ name, level }) => `${name} ${level}`).join(' / ')
}

type SheetParts = Pick<
  CharacterRow,
  | 'level'
  | 'className'
  | 'abilities'
  | 'skills'
  | 'saves'
  | 'bonuses'
  | 'checks'
  | 'size'
  | 'ac'
  | 'speed'
  | 'otherSpeeds'
  | 'hpMax'
  | 'hitDice'
  | 'experience'
  | 'defences'
>

export function sheetOf(row: SheetParts): Sheet {
  return {
    level: row.level,
    isCharacter: true,
    classes: classesOf(row.className, row.level),
    abilities: row.abilities,
    skills: row.skills,
    saves: row.saves,
    bonuses: row.bonuses,
    checks: row.checks,
    size: row.size,
    ac: row.ac,
    speeds: row.speed === null ? row.otherSpeeds : { ...row.otherSpeeds, walk: row.speed },
    hpMax: row.hpMax,
    hitDice: row.hitDice,
    experience: row.experience,
    defences: row.defences,
  }
}

type LifeParts = Pick<CharacterRow, 'hp' | 'hpMax' | 'hpTemp' | 'lifeState' | 'marks' | 'conditions' | 'concentration'>

/** How they live now, with the maximum that their conditions leave. */
export function lifeOf(system: RuleSystem, row: SheetParts & LifeParts): Life {
  const { hp, hpMax, hpTemp, lifeState: state, marks, conditions, concentration } = row
  return system.life.resized({ hp, hpMax: hpMax ?? 0, hpTemp, state, marks, conditions, concentration }, sheetOf(row))
}

/** How somebody stands, in a word, and what lies on them: for who is told no more. `ruleSystem` as a campaign has it. */
export function standingOf(ruleSystem: string | null, row: SheetParts & LifeParts) {
  const rules = systemOf(ruleSystem)
  const life = lifeOf(rules, row)
  return { band: rules.life.band(life), conditions: life.conditions }
}

/** What of a row a life is kept in. */
export function lifePatch(life: Life) {
  const { hp, hpTemp, state, marks, conditions, concentration } = life
  return {
    hp,
    hpTemp,
    lifeState: state,
    marks: { ...marks },
    conditions: conditions.map(stored),
    concentration,
  } satisfies Patch<FieldsOf<typeof character>>
}

/** Without the members that say nothing. */
function stored({ key, level, rounds, source, save, note }: Condition) {
  return {
    key,
    ...(level === undefined ? {} : { level }),
    ...(rounds === undefined ? {} : { rounds }),
    ...(source === undefined ? {} : { source }),
    ...(save === undefined ? {} : { save: { ...save } }),
    ...(note === undefined ? {} : { note }),
  }
}

/**
 * A character whom the caller may change. What nobody plays is the Dungeon Masters', unlike the party's cart, which is
 * everybody's. Throws `forbidden`.
 */
export function changeable(context: Context, characterId: number): CharacterRow {
  const row = context.read(character).get(characterId)
  if (row.ownerUserId !== null || context.viewer.role === 'dm') return row
  throw fail('forbidden', `Nobody plays ${row.name}. A Dungeon Master gives them to somebody with assign_character.`)
}
