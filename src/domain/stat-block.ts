import * as z from 'zod'
import { line, name, prose } from '../kernel/fields.ts'
import { isDice } from './dice-text.ts'
import { readBy } from './read-by.ts'

// The numbers of a rule entry, by its kind. One declaration: packs, homebrew and importers are read by it, the JSON schema
// in assets/packs is made from it, and whoever runs a fight takes its types. Distances are feet, weights pounds.

export const entryKinds = ['creature', 'spell', 'item', 'condition', 'rule'] as const
export const entryKind = z.enum(entryKinds)
export type EntryKind = z.output<typeof entryKind>

/** The key of a rule system, or `generic` for what is for any of them. */
export const ruleSystemKey = z
  .string()
  .max(40)
  .regex(/^[a-z0-9][a-z0-9-]*$/, 'a key: small letters, digits and hyphens')

const key = z
  .string()
  .max(60)
  .regex(/^[a-z0-9][a-z0-9-]*$/, 'a key: small letters, digits and hyphens')
const dice = z.string().max(60).refine(isDice, 'dice, as in 2d6+3, of at most 100 dice')
const feet = z.int().min(0).max(10_000)
const few = <T extends z.ZodType>(item: T, most = 40) => z.array(item).max(most)
/** Numbers by the keys of a rule system: abilities, saves, skills. */
const byKey = (least: number, most: number) =>
  z
    .record(key, z.int().min(least).max(most))
    .refine((record) => Object.keys(record).length <= 40, 'no more than 40 of them')

/** One kind of damage; several stand in a list. `when`: only then, in words. */
const damage = z.strictObject({ dice, type: name(40).optional(), when: line(120).optional() })
/** A condition put on whoever is hit or fails. `key` is that of the rule system. */
const effect = z.strictObject({
  key,
  level: z.int().min(1).max(20).optional(),
  rounds: z.int().min(1).max(1000).optional(),
  /** The same save ends it at the end of each of its turns. */
  saveEnds: z.boolean().optional(),
})
/** `half`: who makes it takes half of the damage. `pathfinder2e` has four outcomes where it says `basic`. */
const save = z.strictObject({
  ability: key,
  dc: z.int().min(1).max(60),
  half: z.boolean().optional(),
  basic: z.boolean().optional(),
})

/** What a creature can do in a fight. */
const action = z.strictObject({
  name: name(80),
  cost: z.enum(['action', 'bonus', 'reaction', 'legendary', 'lair', 'free']).optional(),
  /** How many of these it costs, where not one: legendary actions, actions of a turn. */
  count: z.int().min(1).max(5).optional(),
  text: prose(4000).optional(),
  attack: z
    .strictObject({
      bonus: z.int().min(-10).max(60),
      kind: z.enum(['melee', 'ranged', 'either']),
      reach: feet.optional(),
      /** Without and with disadvantage, or the increment alone. */
      range: z.array(feet).min(1).max(2).optional(),
      agile: z.boolean().optional(),
    })
    .optional(),
  damage: few(damage, 6).optional(),
  save: save.optional(),
  /** `60 ft cone`. */
  area: line(80).optional(),
  effects: few(effect, 6).optional(),
  /** Comes back on this face of a d6 or higher, at the start of its turn. */
  recharge: z.strictObject({ from: z.int().min(2).max(6) }).optional(),
  uses: z
    .strictObject({ count: z.int().min(1).max(20), per: z.enum(['turn', 'round', 'short', 'long', 'day']) })
    .optional(),
  /** The actions that it is made of, by their names. */
  multiattack: few(z.strictObject({ action: name(80), count: z.int().min(1).max(12) }), 8).optional(),
})

const defence = z.strictObject({
  type: name(60),
  amount: z.int().min(1).max(100).optional(),
  /** What it does not hold against: `not from silvered weapons`. */
  except: line(120).optional(),
})

export const creatureBlock = z
  .strictObject({
    size: z.enum(['tiny', 'small', 'medium', 'large', 'huge', 'gargantuan']).optional(),
    /** `beast`, `undead`: what an encounter is made up by. */
    type: name(60).optional(),
    alignment: line(60).optional(),
    /** Challenge or level: 0.25 is a quarter. */
    rating: z.number().min(-1).max(30).optional(),
    experience: z.int().min(0).max(1_000_000).optional(),
    armourClass: z.strictObject({ value: z.int().min(0).max(60), from: line(80).optional() }).optional(),
    hitPoints: z.strictObject({ value: z.int().min(1).max(10_000), dice: dice.optional() }).optional(),
    speeds: z.partialRecord(z.enum(['walk', 'burrow', 'climb', 'fly', 'swim']), feet).optional(),
    hovers: z.boolean().optional(),
    /** Scores or modifiers, whichever the system writes. */
    abilities: byKey(-10, 50).optional(),
    saves: byKey(-10, 60).optional(),
    skills: byKey(-10, 60).optional(),
    initiative: z.int().min(-10).max(60).optional(),
    senses: few(line(80), 10).optional(),
    /** What it notices without looking. */
    passivePerception: z.int().min(0).max(60).optional(),
    languages: line(200).optional(),
    resistances: few(defence).optional(),
    immunities: few(defence).optional(),
    vulnerabilities: few(defence).optional(),
    conditionImmunities: few(key).optional(),
    traits: few(z.strictObject({ name: name(80), text: prose(4000) })).optional(),
    actions: few(action, 60).optional(),
    /** Legendary actions that it has in a round. */
    legendary: z.int().min(1).max(10).optional(),
    /** Where it lives: `forest`, `dungeon`. */
    environments: few(key, 20).optional(),
  })
  .superRefine((block, context) => {
    const names = new Set(block.actions?.map((each) => each.name))
    for (const [index, each] of (block.actions ?? []).entries())
      for (const [part, one] of (each.multiattack ?? []).entries())
        if (!names.has(one.action) || one.action === each.name)
          context.addIssue({
            code: 'custom',
            path: ['actions', index, 'multiattack', part, 'action'],
            message: 'not the name of another of its actions',
          })
  })
export type CreatureBlock = z.output<typeof creatureBlock>

const spellBlock = z.strictObject({
  /** 0 is a cantrip. */
  level: z.int().min(0).max(10),
  school: name(40).optional(),
  castingTime: line(80).optional(),
  range: line(80).optional(),
  area: line(80).optional(),
  components: line(200).optional(),
  duration: line(80).optional(),
  concentration: z.boolean().optional(),
  ritual: z.boolean().optional(),
  /** Who learns it. */
  lists: few(name(40), 20).optional(),
  attack: z.enum(['melee', 'ranged']).optional(),
  save: z.strictObject({ ability: key, half: z.boolean().optional(), basic: z.boolean().optional() }).optional(),
  damage: few(damage, 6).optional(),
  heals: dice.optional(),
  effects: few(effect, 6).optional(),
})

const itemBlock = z.strictObject({
  /** `weapon`, `armour`, `gear`, `potion`. */
  category: name(40).optional(),
  cost: line(40).optional(),
  weight: z.number().min(0).max(100_000).optional(),
  rarity: name(40).optional(),
  attunement: z.boolean().optional(),
  weapon: z
    .strictObject({
      damage: few(damage, 4),
      twoHanded: dice.optional(),
      range: z.array(feet).min(1).max(2).optional(),
      properties: few(name(60), 12).optional(),
    })
    .optional(),
  armour: z
    .strictObject({
      base: z.int().min(0).max(40),
      /** The most that Dexterity adds; absent where all of it does. */
      dexterityAtMost: z.int().min(0).max(20).optional(),
      strength: z.int().min(1).max(30).optional(),
      noisy: z.boolean().optional(),
    })
    .optional(),
  heals: dice.optional(),
  /** Added to what wears or holds it. */
  bonus: z.int().min(-10).max(10).optional(),
})

const conditionBlock = z.strictObject({
  /** Under which a rule system knows it. */
  key,
  valued: z.boolean().optional(),
  most: z.int().min(1).max(20).optional(),
})

/** What a kind's numbers have to be. A rule has none. */
export const blockOf = {
  creature: creatureBlock,
  spell: spellBlock,
  item: itemBlock,
  condition: conditionBlock,
  rule: z.strictObject({}),
} as const satisfies Record<EntryKind, z.ZodObject>

/** The numbers of any kind, as they lie in a row; read by `blockOf` before they were kept. */
export const keptBlock = z.record(z.string(), z.unknown())

/** Numbers that are kept, read by what their kind asks for. Throws `validation_failed` with the place. */
export function readBlock(kind: EntryKind, block: unknown, place: string): z.output<typeof keptBlock> {
  return readBy<z.ZodType<z.output<typeof keptBlock>>>(blockOf[kind] as never, block, place)
}

const titled = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
const fractions: Readonly<Record<string, string>> = { '0.125': '1/8', '0.25': '1/4', '0.5': '1/2' }
/** Challenge as it is written: 1/4. */
export const ratingText = (rating: number): string => fractions[String(rating)] ?? String(rating)

/** What an entry is in one line, below its name in a list. It is searched, so that "undead" finds all of them. */
export function summaryOf(kind: EntryKind, block: Readonly<Record<string, unknown>> | null, system: string): string {
  const word = titled(kind === 'item' ? 'thing' : kind)
  const said = parts(kind, block ?? {}, system).filter((part) => part !== '')
  return said.length === 0 ? word : `${word}, ${said.join('. ')}`
}

function parts(kind: EntryKind, block: Readonly<Record<string, unknown>>, system: string): readonly string[] {
  const text = (member: string): string => (typeof block[member] === 'string' ? String(block[member]) : '')
  if (kind === 'creature') {
    const what = [text('size'), text('type')].filter((part) => part !== '').join(' ')
    const rated = typeof block.rating === 'number' ? ratingText(block.rating) : ''
    return [what, rated && `${system.startsWith('pathfinder') ? 'Level' : 'Challenge'} ${rated}`]
  }
  if (kind === 'spell') {
    const level = block.level === 0 ? 'cantrip' : `level ${block.level}`
    return [level, titled(text('school'))]
  }
  if (kind === 'item') {
    const weight = typeof block.weight === 'number' ? `${block.weight} lb` : ''
    return [text('category'), titled(text('rarity')), text('cost'), weight]
  }
  return kind === 'condition' && block.valued === true ? ['with a value'] : []
}
