import * as z from 'zod'
import { diceFault } from '../kernel/dice.ts'
import { line, name } from '../kernel/fields.ts'

// What a sheet holds besides plain members. Keys are those of the campaign's rule system, or of the table's own making.

/** Lower case, with hyphens: `sleight-of-hand`. */
export const key = () =>
  z
    .string()
    .max(40)
    .regex(/^[a-z][a-z0-9-]*$/, 'lower-case letters, digits and hyphens, beginning with a letter')

const few = (most: number) => (record: object) => Object.keys(record).length <= most

export const abilityValues = () => z.record(key(), z.int().min(-1000).max(1000)).refine(few(40), 'at most 40')
export const rankValues = () => z.record(key(), key()).refine(few(60), 'at most 60')
/** By the id of a check, as `save.dex`, or `ac` and `initiative`. */
export const bonusValues = () =>
  z
    .record(
      z
        .string()
        .max(60)
        .regex(/^[a-z][a-z0-9.-]*$/),
      z.int().min(-100).max(100),
    )
    .refine(few(60), 'at most 60')
/** Feet by the way somebody moves besides walking. */
export const speedValues = () => z.record(key(), z.int().min(0).max(10_000)).refine(few(10), 'at most 10')
export const markValues = () => z.record(z.string().max(40), z.int().min(0).max(1000)).refine(few(20), 'at most 20')

export const diceText = () =>
  z
    .string()
    .trim()
    .min(1)
    .max(200)
    .refine((text) => diceFault(text) === null, 'not an expression of dice, as 2d6+3')

export const condition = z.strictObject({
  key: name(60),
  level: z.int().min(1).max(100).optional(),
  rounds: z.int().min(1).max(10_000).optional(),
  source: line(120).optional(),
  save: z.strictObject({ checkId: z.string().max(60), difficulty: z.int().min(0).max(200) }).optional(),
  note: line(120).optional(),
})
export const conditions = () => z.array(condition).max(60)

const different = (list: readonly { readonly key: string }[]): boolean =>
  new Set(list.map((each) => each.key)).size === list.length

export const action = z.strictObject({
  key: key(),
  name: name(),
  cost: key().optional(),
  says: z.string().max(1000).optional(),
  attack: z.int().min(-100).max(200).optional(),
  agile: z.boolean().optional(),
  save: z
    .strictObject({
      checkId: z.string().max(60),
      difficulty: z.int().min(0).max(200),
      half: z.boolean().optional(),
    })
    .optional(),
  damage: z
    .array(z.strictObject({ expression: diceText(), type: line(40).optional() }))
    .max(10)
    .optional(),
  heals: diceText().optional(),
  conditions: z.array(condition).max(10).optional(),
  uses: z.strictObject({ resource: key(), count: z.int().min(1).max(100) }).optional(),
  spellLevel: z.int().min(1).max(10).optional(),
  rechargeFrom: z.int().min(1).max(100).optional(),
  concentration: z.boolean().optional(),
})
export const actions = () => z.array(action).max(200).refine(different, 'no key twice')

export const ownCheck = z.strictObject({
  key: key(),
  name: name(),
  expression: diceText(),
  compare: z.enum(['at-least', 'at-most']).optional(),
})
export const ownChecks = () => z.array(ownCheck).max(60).refine(different, 'no key twice')

export const recharge = z.enum(['turn', 'short', 'long', 'day', 'none'])
export const resource = z.strictObject({
  key: key(),
  name: name(),
  max: z.int().min(0).max(10_000),
  left: z.int().min(0).max(10_000),
  recharge,
})
export const resources = () =>
  z
    .array(resource)
    .max(60)
    .refine(different, 'no key twice')
    .refine((list) => list.every(({ left, max }) => left <= max), 'no more left than there is')

export const slotRow = z.strictObject({
  level: z.int().min(1).max(10),
  max: z.int().min(0).max(100),
  used: z.int().min(0).max(100),
  pact: z.boolean().optional(),
})
export const slots = () =>
  z
    .array(slotRow)
    .max(20)
    .refine((list) => list.every(({ used, max }) => used <= max), 'no more used than there are')

export const hitDie = z.strictObject({
  die: z.string().regex(/^d\d{1,3}$/),
  max: z.int().min(0).max(200),
  used: z.int().min(0).max(200),
})
export const hitDice = () =>
  z
    .array(hitDie)
    .max(20)
    .refine((list) => list.every(({ used, max }) => used <= max), 'no more used than there are')

const damageTypes = z.array(line(40)).max(40)
const amounts = z.array(z.strictObject({ type: line(40), amount: z.int().min(0).max(1000).optional() })).max(40)
/** `all` as a type is every type. */
export const defences = z.strictObject({
  immunities: damageTypes.optional(),
  resistances: amounts.optional(),
  weaknesses: amounts.optional(),
  conditionImmunities: damageTypes.optional(),
  threshold: z.int().min(0).max(1000).optional(),
})
