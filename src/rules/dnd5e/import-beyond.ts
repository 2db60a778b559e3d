import {
  type Imported,
  type ImportedItem,
  type Json,
  list,
  num,
  object,
  oneLine,
  plainText,
  type SheetImporter,
  slotRows,
} from '../importing.ts'
import { lowered } from '../shared.ts'
import { beyondSheet } from './foreign-sheets.ts'
import { armourClassOf, modifierOf } from './statistics.ts'
import { abilities, saves, skills } from './tables.ts'

// D&D Beyond's character JSON (v5): ingredients and no results, so that everything is worked out here. Undocumented; read after
// what ddb-importer 7.4.1 does with it.

interface Modifier {
  readonly type: string
  readonly subType: string
  readonly value: number
  readonly statId: number | null
  /** Levels of the class whose feature it is; null for what is of no class. */
  readonly classLevel: number | null
}

/** Their ids of skills, from 2 on. */
const skillIds = [
  'athletics',
  'acrobatics',
  'sleight-of-hand',
  'stealth',
  'arcana',
  'history',
  'investigation',
  'nature',
  'religion',
  'animal-handling',
  'insight',
  'medicine',
  'perception',
  'survival',
  'deception',
  'intimidation',
  'performance',
  'persuasion',
]

function modifierFrom(raw: Json, classLevel: number | null): Modifier {
  return {
    type: lowered(String(raw.type ?? '')),
    subType: lowered(String(raw.subType ?? '')),
    value: num(raw.value, num(raw.fixedValue, 0)),
    statId: num(raw.statId, null),
    classLevel,
  }
}

/** Whether what an item grants counts: it needs neither hand nor bond, or has those that it needs. */
function isWorking(item: Json): boolean {
  const { canEquip, canAttune, isConsumable } = object(item.definition)
  if (isConsumable === true) return false
  if (canAttune === true) return item.isAttuned === true && (item.equipped === true || canEquip !== true)
  return canEquip !== true || item.equipped === true
}

function modifiersOf(data: Json, report: string[]): readonly Modifier[] {
  const all = object(data.modifiers)
  const found: Modifier[] = []
  const add = (raw: Json, classLevel: number | null): void => {
    const restriction = oneLine(raw.restriction)
    const name = oneLine(raw.friendlySubtypeName) ?? String(raw.subType ?? 'something')
    if (restriction !== null) report.push(`Not counted: ${name}, which holds only “${restriction}”.`)
    else found.push(modifierFrom(raw, classLevel))
  }
  for (const source of ['race', 'background', 'feat']) for (const raw of list(all[source])) add(raw, null)
  const features = new Map<number, { readonly required: number; readonly level: number; readonly starting: boolean }>()
  for (const one of list(data.classes))
    for (const feature of list(one.classFeatures)) {
      const { id, requiredLevel } = object(feature.definition)
      const of = { required: num(requiredLevel, 1), level: num(one.level, 1), starting: one.isStartingClass === true }
      features.set(num(id, 0), of)
    }
  for (const raw of list(all.class)) {
    const feature = features.get(num(raw.componentId, -1))
    if (feature !== undefined && feature.required > feature.level) continue
    if (feature !== undefined && !feature.starting && raw.availableToMulticlass === false) continue
    add(raw, feature?.level ?? null)
  }
  for (const item of list(data.inventory)) {
    if (!isWorking(item)) continue
    for (const raw of list(object(item.definition).grantedModifiers)) add(raw, null)
  }
  if (list(all.condition).length > 0) report.push('What conditions do was not taken over: put them on the sheet anew.')
  return found
}

const longName = (index: number): string => lowered(abilities[index]?.name ?? '')

function abilityScores(data: Json, modifiers: readonly Modifier[]): Readonly<Record<string, number>> {
  const at = (rows: unknown, index: number): number | null =>
    num(list(rows).find((row) => num(row.id, 0) === index + 1)?.value, null)
  return Object.fromEntries(
    abilities.map(({ key }, index) => {
      const subType = `${longName(index)}-score`
      const of = (type: string) => modifiers.filter((each) => each.type === type && each.subType === subType)
      const added = of('bonus').reduce((sum, { value }) => sum + value, 0)
      const most = Math.max(20, ...of('bonus-maximum').map(({ value }) => value))
      const score = Math.min(most, (at(data.stats, index) ?? 10) + added) + (at(data.bonusStats, index) ?? 0)
      const set = Math.max(score, ...of('set').map(({ value }) => value))
      return [key, at(data.overrideStats, index) ?? set]
    }),
  )
}

/** Values that the player wrote over what was worked out: by kind and by what it is about. */
function edits(data: Json) {
  const rows = list(data.characterValues)
  return (typeId: number, valueId: number | null = null): number | null => {
    const found = rows.find(
      (row) => num(row.typeId, 0) === typeId && (valueId === null || num(row.valueId, -1) === valueId),
    )
    return found === undefined ? null : num(found.value, null)
  }
}

function armourClass(
  data: Json,
  scores: Readonly<Record<string, number>>,
  modifiers: readonly Modifier[],
  edit: ReturnType<typeof edits>,
): number {
  const override = edit(1)
  if (override !== null) return override
  const dex = modifierOf(scores.dex ?? 10)
  const worn = list(data.inventory)
    .filter((item) => item.equipped === true)
    .map((item) => object(item.definition))
    .map((each) => ({ kind: num(each.armorTypeId, 0), base: num(each.armorClass, 0) }))
  const kinds = [null, 'light', 'medium', 'heavy'] as const
  const armours = worn.flatMap(({ kind, base }) => {
    const named = kinds[kind] ?? null
    return named === null ? [] : [armourClassOf(dex, { base, kind: named })]
  })
  const unarmoured = modifiers
    .filter(({ type, subType }) => type === 'set' && subType === 'unarmored-armor-class')
    .map(
      ({ value, statId }) =>
        10 + dex + value + (statId === null ? 0 : modifierOf(scores[abilities[statId - 1]?.key ?? ''] ?? 10)),
    )
  const base = armours.length > 0 ? Math.max(...armours) : Math.max(10 + dex, ...unarmoured)
  const shield = Math.max(0, ...worn.filter(({ kind }) => kind === 4).map(({ base: each }) => each))
  const counting = ['armor-class', armours.length > 0 ? 'armored-armor-class' : 'unarmored-armor-class']
  const bonus = modifiers
    .filter(({ type, subType }) => type === 'bonus' && counting.includes(subType))
    .reduce((sum, { value }) => sum + value, 0)
  return base + shield + bonus + (edit(2) ?? 0) + (edit(3) ?? 0)
}

const ranksByValue = [null, 'untrained', 'half', 'proficient', 'expertise'] as const

function proficiencies(modifiers: readonly Modifier[], edit: ReturnType<typeof edits>) {
  const has = (type: string, subType: string): boolean =>
    modifiers.some((each) => each.type === type && each.subType === subType)
  const half = has('half-proficiency', 'ability-checks')
  const bonuses: Record<string, number> = {}
  const skillRanks = Object.fromEntries(
    skills.flatMap(({ key }) => {
      const id = skillIds.indexOf(key) + 2
      const bonus = (edit(24, id) ?? 0) + (edit(25, id) ?? 0)
      if (bonus !== 0) bonuses[`skill.${key}`] = bonus
      const written = ranksByValue[edit(26, id) ?? 0] ?? null
      const rank = has('expertise', key)
        ? 'expertise'
        : has('proficiency', key)
          ? 'proficient'
          : has('half-proficiency', key) || half
            ? 'half'
            : null
      const shown = written ?? rank
      return shown === null || shown === 'untrained' ? [] : [[key, shown]]
    }),
  )
  const saveRanks = Object.fromEntries(
    saves.flatMap(({ key, name }, index) => {
      const bonus = (edit(39, index + 1) ?? 0) + (edit(40, index + 1) ?? 0)
      if (bonus !== 0) bonuses[`save.${key}`] = bonus
      const written = ranksByValue[edit(41, index + 1) ?? 0] ?? null
      const rank = has('proficiency', `${lowered(name)}-saving-throws`) ? 'proficient' : null
      const shown = written ?? rank
      return shown === null || shown === 'untrained' ? [] : [[key, shown]]
    }),
  )
  const everySave = modifiers
    .filter(({ type, subType }) => type === 'bonus' && subType === 'saving-throws')
    .reduce((sum, { value }) => sum + value, 0)
  if (everySave !== 0) for (const { key } of saves) bonuses[`save.${key}`] = (bonuses[`save.${key}`] ?? 0) + everySave
  const initiative = modifiers
    .filter(({ type, subType }) => type === 'bonus' && subType === 'initiative')
    .reduce((sum, { value }) => sum + value, 0)
  if (initiative !== 0) bonuses.initiative = initiative
  return { skills: skillRanks, saves: saveRanks, bonuses }
}

function itemsOf(data: Json): readonly ImportedItem[] {
  const owned = list(data.inventory).map((item) => ({ item, of: object(item.definition) }))
  const own = list(data.customItems).map((item) => ({ item, of: item }))
  return [...owned, ...own].flatMap(({ item, of }) => {
    const name = oneLine(of.name)
    if (name === null) return []
    const cost = num(of.cost, 0)
    return [
      {
        name,
        quantity: Math.max(1, Math.round(num(item.quantity, 1))),
        weight: num(of.weight, null),
        value: cost > 0 ? `${cost} gp` : null,
        notes: plainText(of.description),
        equipped: item.equipped === true,
        attuned: item.isAttuned === true,
      },
    ]
  })
}

/** Kinds of modifiers that are read somewhere above; all others are told. */
const understood =
  /-score$|-saving-throws$|^saving-throws$|^initiative$|armor-class$|^hit-points|^ability-checks$|^speed$|^(ability-score-maximum)$/

function unread(modifiers: readonly Modifier[]): readonly string[] {
  const known = new Set(skills.map(({ key }) => key))
  const left = modifiers.filter(
    ({ type, subType }) =>
      !understood.test(subType) && !known.has(subType) && !['language', 'size'].includes(type) && type !== '',
  )
  return [...new Set(left.map(({ type, subType }) => `Not counted: ${type} ${subType}.`))]
}

function read(document: unknown, slotsFor: Parameters<SheetImporter['read']>[1]): Imported | null {
  const whole = object(document)
  const data = 'data' in whole ? object(whole.data) : 'ddb' in whole ? object(object(whole.ddb).character) : whole
  const name = oneLine(data.name)
  if (name === null || !Array.isArray(data.stats) || !Array.isArray(data.classes)) return null
  const report: string[] = []
  const modifiers = modifiersOf(data, report)
  const edit = edits(data)
  const scores = abilityScores(data, modifiers)
  const classes = list(data.classes).map((one) => ({
    name: oneLine(object(one.definition).name) ?? 'Unknown',
    level: num(one.level, 1),
    die: num(object(one.definition).hitDice, 8),
    used: num(one.hitDiceUsed, 0),
  }))
  const level = classes.reduce((sum, one) => sum + one.level, 0)
  const con = modifierOf(scores.con ?? 10)
  const bonusOf = (subType: string) => modifiers.filter((each) => each.type === 'bonus' && each.subType === subType)
  const perLevel = bonusOf('hit-points-per-level').reduce(
    (sum, { value, classLevel }) => sum + value * (classLevel ?? level),
    0,
  )
  const flat = bonusOf('hit-points').reduce((sum, { value }) => sum + value, 0)
  const worked = num(data.baseHitPoints, 0) + con * level + perLevel + flat
  const hpMax = num(data.overrideHitPoints, worked) + num(data.bonusHitPoints, 0)
  const given = slotsFor(classes)
  if (given === null) report.push('The rules do not know one of the classes: spell slots are left to you.')
  const usedBy = (rows: unknown, of: number): number => num(list(rows).find((row) => num(row.level, 0) === of)?.used, 0)
  const walk = num(object(object(object(data.race).weightSpeeds).normal).walk, null)
  const faster = bonusOf('speed').reduce((sum, { value }) => sum + value, 0)
  const spells = list(data.classSpells).reduce((sum, each) => sum + list(each.spells).length, 0)
  if (spells > 0) report.push(`${spells} spells are left to you: add what is cast often to what they can do.`)
  report.push(...unread(modifiers))
  return {
    name,
    species: oneLine(object(data.race).fullName),
    classes: classes.map(({ name: called, level: of }) => ({ name: called, level: of })),
    level,
    experience: Math.max(0, Math.round(num(data.currentXp, 0))),
    abilities: scores,
    ...proficiencies(modifiers, edit),
    ac: armourClass(data, scores, modifiers, edit),
    speed: walk === null ? null : walk + faster,
    hpMax,
    hp: hpMax - num(data.removedHitPoints, 0),
    hpTemp: Math.max(0, num(data.temporaryHitPoints, 0)),
    hitDice: classes.map(({ die, level: max, used }) => ({ die: `d${die}`, max, used: Math.min(max, used) })),
    spellSlots: slotRows(given, ({ level: of, pact }) => usedBy(pact ? data.pactMagic : data.spellSlots, of)),
    body: plainText(object(data.traits).personalityTraits),
    items: itemsOf(data),
    coins: Object.fromEntries(
      ['cp', 'sp', 'ep', 'gp', 'pp'].map((coin) => [coin, Math.max(0, num(object(data.currencies)[coin], 0))]),
    ),
    report,
  }
}

export const beyondImporter: SheetImporter = { ...beyondSheet, read }
