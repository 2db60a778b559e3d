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
import { lowered, sizes } from '../shared.ts'
import { foundrySheet } from './foreign-sheets.ts'
import { armourClassOf, modifierOf } from './statistics.ts'
import { abilities } from './tables.ts'

// An actor of Foundry's dnd5e system, 3.0 to 5.3, as "Export Data" writes it: what was put in, never what follows from it.

const skillKeys: Readonly<Record<string, string>> = {
  acr: 'acrobatics',
  ani: 'animal-handling',
  arc: 'arcana',
  ath: 'athletics',
  dec: 'deception',
  his: 'history',
  ins: 'insight',
  itm: 'intimidation',
  inv: 'investigation',
  med: 'medicine',
  nat: 'nature',
  prc: 'perception',
  prf: 'performance',
  per: 'persuasion',
  rel: 'religion',
  slt: 'sleight-of-hand',
  ste: 'stealth',
  sur: 'survival',
}
const ranks: Readonly<Record<string, string>> = { '0.5': 'half', '1': 'proficient', '2': 'expertise' }

interface Class {
  readonly name: string
  readonly level: number
  readonly die: number
  readonly used: number
  /** What each level gave: all of the die, its average, or what was rolled. */
  readonly hitPoints: readonly unknown[]
}

const systemOf = (thing: Json): Json => object('system' in thing ? thing.system : thing.data)

function classesOf(items: readonly Json[]): readonly Class[] {
  return items
    .filter(({ type }) => type === 'class')
    .map((item) => {
      const system = systemOf(item)
      const hd = object(system.hd)
      const die = String(hd.denomination ?? system.hitDice ?? 'd8').replace(/^d/, '')
      const gained = list(system.advancement).find(({ type }) => type === 'HitPoints')
      return {
        name: oneLine(item.name) ?? 'Unknown',
        level: num(system.levels, 1),
        die: num(die, 8),
        used: num(hd.spent, num(system.hitDiceUsed, 0)),
        hitPoints: Object.values(object(gained?.value)),
      }
    })
}

/** A plain number out of a formula; anything else is told. */
function plain(formula: unknown, what: string, report: string[]): number {
  if (formula === undefined || formula === null || formula === '') return 0
  const read = num(formula, null)
  if (read !== null) return read
  report.push(`Not counted: ${what} of “${oneLine(formula) ?? 'something'}”.`)
  return 0
}

function hitPoints(hp: Json, classes: readonly Class[], constitution: number, report: string[]): number {
  const stored = num(hp.max, null)
  if (stored !== null && stored > 0) return stored
  const level = classes.reduce((sum, one) => sum + one.level, 0)
  const rolled = classes.flatMap(({ die, hitPoints: gained }) =>
    gained.map((each) => (each === 'max' ? die : each === 'avg' ? die / 2 + 1 : num(each, 0))),
  )
  if (rolled.length < level) report.push('Not every level says how many hit points it gave: look at the maximum.')
  const bonuses = object(hp.bonuses)
  return (
    rolled.reduce((sum, each) => sum + each, 0) +
    constitution * level +
    plain(bonuses.level, 'hit points for each level', report) * level +
    plain(bonuses.overall, 'hit points', report)
  )
}

function armourClass(
  ac: Json,
  scores: Readonly<Record<string, number>>,
  items: readonly Json[],
  report: string[],
): number {
  const mod = (key: string): number => modifierOf(scores[key] ?? 10)
  const calc = String(ac.calc ?? 'default')
  const flat = num(ac.flat, null)
  if (calc === 'flat' && flat !== null) return flat
  const worn = items
    .filter(({ type }) => type === 'equipment')
    .map(systemOf)
    .filter(({ equipped }) => equipped === true)
    .map((system) => {
      const kind = String(object(system.type).value ?? object(system.armor).type ?? '')
      return { kind, value: num(object(system.armor).value, 0) }
    })
  const armour = worn.find(({ kind }) => kind === 'light' || kind === 'medium' || kind === 'heavy')
  const shield = Math.max(0, ...worn.filter(({ kind }) => kind === 'shield').map(({ value }) => value))
  const dex = mod('dex')
  const bare: Readonly<Record<string, number>> = {
    natural: flat ?? 10 + dex,
    mage: 13 + dex,
    draconic: 13 + dex,
    unarmoredMonk: 10 + dex + mod('wis'),
    unarmoredBarb: 10 + dex + mod('con'),
    unarmoredBard: 10 + dex + mod('cha'),
  }
  const known = bare[calc]
  if (known === undefined && calc !== 'default') report.push(`Armour class is worked out by “${calc}”: look at it.`)
  const base =
    known ??
    armourClassOf(
      dex,
      armour === undefined ? null : { base: armour.value, kind: armour.kind as 'light' | 'medium' | 'heavy' },
    )
  return base + shield
}

function itemsOf(items: readonly Json[]): readonly ImportedItem[] {
  const carried = ['weapon', 'equipment', 'consumable', 'tool', 'loot', 'container', 'backpack']
  return items
    .filter(({ type }) => carried.includes(String(type)))
    .flatMap((item) => {
      const system = systemOf(item)
      const name = oneLine(item.name)
      if (name === null) return []
      const price = object(system.price)
      const cost = num(price.value, num(system.price, 0))
      return [
        {
          name,
          quantity: Math.max(1, Math.round(num(system.quantity, 1))),
          weight: num(object(system.weight).value, num(system.weight, null)),
          value: cost > 0 ? `${cost} ${oneLine(price.denomination, 4) ?? 'gp'}` : null,
          notes: plainText(object(system.description).value),
          equipped: system.equipped === true,
          attuned: system.attuned === true || num(system.attunement, 0) === 2,
        },
      ]
    })
}

/** Effects that lie on the actor, or on what is worn, and add a plain number to something known. */
function effectsOf(document: Json, items: readonly Json[], report: string[]) {
  const added = new Map<string, number>()
  const worn = items.filter((item) => systemOf(item).equipped !== false)
  const all = [
    ...list(document.effects),
    ...worn.flatMap((item) => list(item.effects).filter(({ transfer }) => transfer === true)),
  ]
  const known =
    /^system\.(attributes\.ac\.bonus|attributes\.hp\.bonuses\.overall|attributes\.init\.bonus|abilities\.\w{3}\.value)$/
  for (const effect of all) {
    if (effect.disabled === true) continue
    for (const change of [...list(effect.changes), ...list(object(effect.system).changes)]) {
      const key = String(change.key ?? '')
      const value = num(change.value, null)
      const adds = change.mode === 2 || change.mode === '2' || change.type === 'add'
      if (known.test(key) && value !== null && adds) added.set(key, (added.get(key) ?? 0) + value)
      else report.push(`Not counted: ${oneLine(effect.name ?? effect.label) ?? 'an effect'} on ${key}.`)
    }
  }
  return (key: string): number => added.get(`system.${key}`) ?? 0
}

function read(document: unknown, slotsFor: Parameters<SheetImporter['read']>[1]): Imported | null {
  const actor = object(document)
  const system = systemOf(actor)
  const name = oneLine(actor.name)
  const written = object(system.abilities)
  if (name === null || actor.type !== 'character' || !('str' in written)) return null
  const report: string[] = []
  const items = list(actor.items)
  const effect = effectsOf(actor, items, report)
  const scores = Object.fromEntries(
    abilities.map(({ key }) => [key, num(object(written[key]).value, 10) + effect(`abilities.${key}.value`)]),
  )
  const classes = classesOf(items)
  const level = Math.max(
    1,
    classes.reduce((sum, one) => sum + one.level, 0),
  )
  const attributes = object(system.attributes)
  const hp = object(attributes.hp)
  const con = modifierOf(scores.con ?? 10)
  const hpMax = Math.round(hitPoints(hp, classes, con, report) + effect('attributes.hp.bonuses.overall'))
  const bonuses: Record<string, number> = {}
  const bonus = (id: string, amount: number): void => {
    if (amount !== 0) bonuses[id] = (bonuses[id] ?? 0) + amount
  }
  for (const { key, name: called } of abilities)
    bonus(`save.${key}`, plain(object(object(written[key]).bonuses).save, `${called} saves`, report))
  for (const [short, value] of Object.entries(object(system.skills))) {
    const key = skillKeys[short]
    if (key !== undefined) bonus(`skill.${key}`, plain(object(object(value).bonuses).check, key, report))
  }
  bonus('initiative', plain(object(attributes.init).bonus, 'initiative', report) + effect('attributes.init.bonus'))
  const slots = object(system.spells)
  const given = slotsFor(classes)
  if (given === null) report.push('The rules do not know one of the classes: spell slots are left to you.')
  const traits = object(system.traits)
  const size =
    { sm: 'small', med: 'medium', lg: 'large', grg: 'gargantuan' }[String(traits.size)] ?? String(traits.size ?? '')
  if (size !== '' && size !== 'medium' && sizes.some(({ key }) => key === size))
    report.push(`They are ${size}: say so on the sheet.`)
  const race = items.find(({ type }) => type === 'race')
  const details = object(system.details)
  const spells = items.filter(({ type }) => type === 'spell').length
  if (spells > 0) report.push(`${spells} spells are left to you: add what is cast often to what they can do.`)
  return {
    name,
    species: oneLine(race?.name) ?? (typeof details.race === 'string' ? oneLine(details.race) : null),
    classes: classes.map(({ name: called, level: of }) => ({ name: called, level: of })),
    level,
    experience: Math.max(0, Math.round(num(object(details.xp).value, 0))),
    abilities: scores,
    skills: Object.fromEntries(
      Object.entries(object(system.skills)).flatMap(([short, value]) => {
        const [key, rank] = [skillKeys[short], ranks[String(num(object(value).value, 0))]]
        return key === undefined || rank === undefined ? [] : [[key, rank]]
      }),
    ),
    saves: Object.fromEntries(
      abilities.flatMap(({ key }) => (num(object(written[key]).proficient, 0) >= 1 ? [[key, 'proficient']] : [])),
    ),
    bonuses,
    ac: armourClass(object(attributes.ac), scores, items, report) + effect('attributes.ac.bonus'),
    speed: num(object(attributes.movement).walk, null),
    hpMax,
    hp: num(hp.value, hpMax),
    hpTemp: Math.max(0, num(hp.temp, 0)),
    hitDice: classes.map(({ die, level: max, used }) => ({ die: `d${die}`, max, used: Math.min(max, used) })),
    spellSlots: slotRows(given, ({ level: of, max, pact }) => {
      const row = object(slots[pact ? 'pact' : `spell${of}`])
      return max - num(row.value, max)
    }),
    body: plainText(object(details.biography).public) ?? plainText(object(details.biography).value),
    items: itemsOf(items),
    coins: Object.fromEntries(
      ['cp', 'sp', 'ep', 'gp', 'pp'].map((coin) => [
        coin,
        Math.max(0, Math.round(num(object(system.currency)[coin], 0))),
      ]),
    ),
    report:
      lowered(String(object(actor._stats).systemId ?? 'dnd5e')) === 'dnd5e'
        ? report
        : ['It was made for another system.', ...report],
  }
}

export const foundryImporter: SheetImporter = { ...foundrySheet, read }
