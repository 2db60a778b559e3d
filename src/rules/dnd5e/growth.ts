import { levelOf, lowered, without } from '../shared.ts'
import type { HitDice, Resource, RestingBody, RestResult, Sheet, SlotsGiven } from '../sheet.ts'
import type { Grown, LevelRules, LifeRules, RestKind } from '../system.ts'
import { abilityModifier } from './statistics.ts'
import { type ClassRule, classes, type Edition, experienceByLevel, fullCaster, pactSlots } from './tables.ts'

// Levels, hit dice, spell slots and rests.

export function classNamed(name: string): ClassRule | null {
  return classes.get(lowered(name)) ?? null
}

export const levels: LevelRules = {
  most: experienceByLevel.length,
  experienceFor: (level) => experienceByLevel[level - 1] ?? null,
  award(level, experience, award) {
    const sum = Math.max(0, experience + award)
    const next = experienceByLevel[level]
    return { experience: sum, ready: next !== undefined && sum >= next }
  },
  afterLevel: (_level, experience) => experience,
}

/** The level that experience has reached. */
export function levelAt(experience: number): number {
  return experienceByLevel.filter((least) => experience >= least).length
}

/** Hit points of the first level of a class: all of its die, and constitution. */
export function firstHitPoints({ die }: ClassRule, constitution: number): number {
  return die + constitution
}

const fixedGain = (die: number, constitution: number): number => die / 2 + 1 + constitution

function sidesFor(sheet: Sheet, className: string | null): number | null {
  const known = className === null ? null : classNamed(className)
  if (known !== null) return known.die
  const die = sheet.hitDice[0]?.die.match(/^d(\d+)$/)?.[1]
  return die === undefined ? null : Number(die)
}

export function usualGain(sheet: Sheet, className: string | null): number | null {
  const sides = sidesFor(sheet, className ?? sheet.classes[0]?.name ?? null)
  return sides === null ? null : Math.max(1, fixedGain(sides, abilityModifier(sheet, 'con')))
}

export function levelUp(sheet: Sheet, hpGain: number, className: string | null): Grown {
  const grows = className ?? sheet.classes[0]?.name ?? null
  const sides = sidesFor(sheet, grows)
  const die = sides === null ? null : `d${sides}`
  const owned = sheet.hitDice.some((each) => each.die === die)
  const hitDice = sheet.hitDice.map((each) => (each.die === die ? { ...each, max: each.max + 1 } : each))
  const has = sheet.classes.some(({ name }) => grows !== null && lowered(name) === lowered(grows))
  const grown = sheet.classes.map((each) =>
    grows !== null && lowered(each.name) === lowered(grows) ? { ...each, level: each.level + 1 } : each,
  )
  return {
    level: sheet.level + 1,
    hpMax: (sheet.hpMax ?? 0) + hpGain,
    hpGain,
    experience: sheet.experience,
    hitDice: die === null || owned ? hitDice : [...hitDice, { die, max: 1, used: 0 }],
    classes: has || grows === null ? grown : [...grown, { name: grows, level: 1 }],
  }
}

/** What a class adds to the level by which slots are counted, alone and beside other casters. */
function casterLevel(edition: Edition, { caster }: ClassRule, level: number, alone: boolean): number {
  if (caster === 'full') return level
  if (caster !== 'half') return 0
  if (edition === '2024') return Math.ceil(level / 2)
  if (!alone) return Math.floor(level / 2)
  return level === 1 ? 0 : Math.ceil(level / 2)
}

export function slotsFor(edition: Edition, owned: Sheet['classes']): readonly SlotsGiven[] | null {
  const known = owned.map(({ name, level }) => ({ rule: classNamed(name), level }))
  if (known.length === 0 || known.some(({ rule }) => rule === null)) return null
  const rules = known as readonly { readonly rule: ClassRule; readonly level: number }[]
  const casters = rules.filter(({ rule }) => rule.caster === 'full' || rule.caster === 'half')
  const sum = casters.reduce((all, each) => all + casterLevel(edition, each.rule, each.level, casters.length === 1), 0)
  const ordinary = (fullCaster[Math.min(sum, fullCaster.length) - 1] ?? []).map((max, index) => ({
    level: index + 1,
    max,
    pact: false,
  }))
  const warlock = rules.find(({ rule }) => rule.caster === 'pact')
  const row = warlock === undefined ? undefined : pactSlots.find(([most]) => warlock.level <= most)
  return row === undefined ? ordinary : [...ordinary, { level: row[2], max: row[1], pact: true }]
}

/** What a spent hit die heals: its face and constitution, not below 0; by the newer rules not below 1. */
export function hitDieHeals(edition: Edition, sheet: Sheet, rolled: number): number {
  return Math.max(edition === '2024' ? 1 : 0, rolled + abilityModifier(sheet, 'con'))
}

const refused = (body: RestingBody, why: string): RestResult => ({
  refused: why,
  life: body.life,
  slots: body.slots,
  resources: body.resources,
  hitDice: body.sheet.hitDice,
  says: [],
})

const full = (resources: readonly Resource[], ...kinds: readonly Resource['recharge'][]): readonly Resource[] =>
  resources.map((each) => (kinds.includes(each.recharge) ? { ...each, left: each.max } : each))

function shortRest(edition: Edition, rules: LifeRules, body: RestingBody): RestResult {
  const { sheet, spent } = body
  if (edition === '2024' && body.life.hp < 1) return refused(body, 'A rest needs at least one hit point.')
  let { life } = body
  let hitDice: readonly HitDice[] = sheet.hitDice
  let healed = 0
  for (const { die, rolled } of spent) {
    const row = hitDice.find((each) => each.die === die && each.used < each.max)
    if (row === undefined) return refused(body, `There is no ${die} left to spend.`)
    hitDice = hitDice.map((each) => (each === row ? { ...each, used: each.used + 1 } : each))
    healed += hitDieHeals(edition, sheet, rolled)
  }
  const before = life.hp
  life = rules.heal(life, healed, sheet).life
  const slots = body.slots.map((row) => (row.pact ? { ...row, used: 0 } : row))
  const says = spent.length === 0 ? [] : [`${spent.length} hit dice spent, ${life.hp - before} hit points back.`]
  return { refused: null, life, slots, resources: full(body.resources, 'turn', 'short'), hitDice, says }
}

/** Hit dice that a long rest brings back: by the older rules half of all, at least one, the largest first. */
function backAgain(edition: Edition, hitDice: readonly HitDice[]): readonly HitDice[] {
  if (edition === '2024') return hitDice.map((each) => ({ ...each, used: 0 }))
  let left = Math.max(1, Math.floor(hitDice.reduce((sum, { max }) => sum + max, 0) / 2))
  const largestFirst = hitDice.toSorted((a, b) => Number(b.die.slice(1)) - Number(a.die.slice(1)))
  const after = new Map<HitDice, HitDice>()
  for (const each of largestFirst) {
    const back = Math.min(each.used, left)
    left -= back
    after.set(each, { ...each, used: each.used - back })
  }
  return hitDice.map((each) => after.get(each) ?? each)
}

function longRest(edition: Edition, rules: LifeRules, body: RestingBody): RestResult {
  const { sheet } = body
  if (body.life.hp < 1 && body.life.hpMax > 0) return refused(body, 'A long rest needs at least one hit point.')
  const tired = levelOf(body.life.conditions, 'exhaustion')
  const rested = without(body.life.conditions, 'exhaustion')
  const conditions = tired > 1 ? [...rested, { key: 'exhaustion', level: tired - 1 }] : rested
  const sized = rules.resized({ ...body.life, conditions, hpTemp: 0 }, sheet)
  return {
    refused: null,
    life: { ...sized, hp: sized.hpMax },
    slots: body.slots.map((row) => ({ ...row, used: 0 })),
    resources: full(body.resources, 'turn', 'short', 'long', 'day'),
    hitDice: backAgain(edition, sheet.hitDice),
    says: [],
  }
}

export function rest(edition: Edition, rules: LifeRules, kind: RestKind, body: RestingBody): RestResult {
  if (body.life.state === 'dead') return refused(body, 'The dead do not rest.')
  return kind === 'short' ? shortRest(edition, rules, body) : longRest(edition, rules, body)
}
