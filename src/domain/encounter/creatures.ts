import type * as z from 'zod'
import type { Context } from '../../kernel/context.ts'
import { fail, invalid } from '../../kernel/errors.ts'
import { firstPackEntryId } from '../../kernel/rule-shelf.ts'
import type { Action } from '../../rules/sheet.ts'
import type { RuleSystem } from '../../rules/system.ts'
import { homebrew } from '../homebrew/entity.ts'
import { type CreatureBlock, creatureBlock } from '../stat-block.ts'
import { sheetOf } from './bodies.ts'
import type { statblock } from './entity.ts'

// A creature of a rule book as somebody in a fight: its numbers become those that the rules of the campaign compute with.

type Statblock = z.output<typeof statblock>
type BlockAction = NonNullable<CreatureBlock['actions']>[number]

/** What a combatant is made of. */
export interface CreatureBody {
  readonly name: string
  readonly hpMax: number | null
  readonly ac: number | null
  readonly initiativeModifier: number | null
  readonly statblock: Statblock
}

/** The creature of a rule entry, of a pack or of the campaign. Throws `not_found`, and `validation_failed` for what is no creature. */
export function creatureOf(context: Context, rules: RuleSystem, ruleEntryId: number): CreatureBody {
  const entry =
    ruleEntryId < firstPackEntryId ? context.read(homebrew).find(ruleEntryId) : context.rules.entry(ruleEntryId)
  if (entry === null)
    throw fail('not_found', 'There is no such rule entry, or you may not see it. search_rules finds ids.')
  if (entry.kind !== 'creature')
    throw invalid(
      'ruleEntryId',
      'a creature',
      `${entry.name} is no creature. search_rules with kind creature finds some.`,
    )
  return bodyOf(rules, entry.name, creatureBlock.parse(entry.statblock ?? {}))
}

export function bodyOf(rules: RuleSystem, name: string, block: CreatureBlock): CreatureBody {
  const { rating, experience, size, type, abilities, speeds, actions = [], legendary } = block
  const keys = new Set<string>()
  const counted: NonNullable<Statblock['resources']> =
    legendary === undefined
      ? []
      : [{ key: 'legendary', name: 'Legendary actions', max: legendary, left: legendary, recharge: 'turn' }]
  const plain = {
    ...(rating === undefined ? {} : { rating }),
    ...(experience === undefined ? {} : { experience }),
    ...(size === undefined ? {} : { size }),
    ...(type === undefined ? {} : { type }),
    ...(abilities === undefined ? {} : { abilities }),
    ...(speeds === undefined ? {} : { speeds: given(speeds) }),
  }
  const own = actions.map((each) => actionFrom(rules, each, keyFor(each.name, keys), counted))
  const says = wordsOf(block)
  const made: Statblock = {
    ...plain,
    bonuses: bonusesOf(rules, plain, block),
    defences: defencesOf(block),
    actions: own,
    ...(counted.length === 0 ? {} : { resources: counted }),
    ...(says === '' ? {} : { says }),
  }
  return {
    name: name.slice(0, 100),
    hpMax: block.hitPoints?.value ?? null,
    ac: block.armourClass?.value ?? null,
    initiativeModifier: block.initiative ?? null,
    statblock: made,
  }
}

function given(values: Readonly<Record<string, number | undefined>>): Record<string, number> {
  return Object.fromEntries(
    Object.entries(values).flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])),
  )
}

/** A book has the whole bonus of a save or skill; a sheet keeps what the rules do not give by themselves. */
function bonusesOf(rules: RuleSystem, plain: Statblock, { saves, skills }: CreatureBlock): Record<string, number> {
  const body = { kind: 'monster', hpMax: null, ac: null, initiativeModifier: null, statblock: plain } as const
  const checks = rules.checks(sheetOf(rules, body), [])
  const wanted = [
    ...Object.entries(saves ?? {}).map(([key, total]) => [`save.${key}`, total] as const),
    ...Object.entries(skills ?? {}).map(([key, total]) => [`skill.${key}`, total] as const),
  ]
  return Object.fromEntries(
    wanted.flatMap(([id, total]) => {
      const modifier = checks.find((each) => each.id === id)?.modifier
      return modifier == null || modifier === total ? [] : [[id, total - modifier]]
    }),
  )
}

function defencesOf({ resistances, immunities, vulnerabilities, conditionImmunities }: CreatureBlock) {
  const amounts = (list: CreatureBlock['resistances']) =>
    (list ?? []).map(({ type, amount }) => ({ type: type.slice(0, 40), ...(amount === undefined ? {} : { amount }) }))
  return {
    immunities: (immunities ?? []).map(({ type }) => type.slice(0, 40)),
    resistances: amounts(resistances),
    weaknesses: amounts(vulnerabilities),
    conditionImmunities: (conditionImmunities ?? []).map((each) => each.slice(0, 40)),
  }
}

/** A key for a name, unlike those that are taken. */
function keyFor(name: string, taken: Set<string>): string {
  const plain = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+/, '')
    .slice(0, 30)
    .replace(/-$/, '')
  const begin = plain === '' ? 'act' : plain
  let key = begin
  for (let number = 2; taken.has(key); number++) key = `${begin}-${number}`
  taken.add(key)
  return key
}

/** What of a turn an action takes, as the system of the campaign counts it. */
function costOf({ face }: RuleSystem, { cost = 'action', count = 1 }: BlockAction): string | undefined {
  const found =
    cost === 'action'
      ? face.costs.find(({ spends, outOfTurn }) => spends?.part === 'action' && spends.count === count && !outOfTurn)
      : face.costs.find(({ key }) => key === cost)
  return found?.key
}

function actionFrom(
  rules: RuleSystem,
  action: BlockAction,
  key: string,
  counted: NonNullable<Statblock['resources']>,
): NonNullable<Statblock['actions']>[number] {
  const { name, text, attack, damage = [], save, effects, uses, recharge, multiattack } = action
  const checkId = save === undefined ? null : `save.${save.ability}`
  const cost = costOf(rules, action)
  const several = multiattack?.map((each) => (each.count === 1 ? each.action : `${each.count} × ${each.action}`))
  // What only holds at times is for the table to add.
  const [always, attimes] = [
    damage.filter(({ when }) => when === undefined),
    damage.filter(({ when }) => when !== undefined),
  ]
  const words = [
    several === undefined ? '' : `${several.join(', ')}.`,
    text ?? '',
    ...attimes.map(({ dice, type, when }) => `${dice} ${type ?? 'damage'} ${when}.`),
  ]
  const says = words.filter(Boolean).join(' ').slice(0, 1000)
  return {
    key,
    name,
    ...(cost === undefined ? {} : { cost }),
    ...(says === '' ? {} : { says }),
    ...(attack === undefined ? {} : { attack: attack.bonus }),
    ...(save === undefined || checkId === null
      ? {}
      : { save: { checkId, difficulty: save.dc, half: (save.half ?? false) || (save.basic ?? false) } }),
    ...(always.length === 0
      ? {}
      : {
          damage: always.map(({ dice, type }) => ({
            expression: dice,
            ...(type === undefined ? {} : { type: type.slice(0, 40) }),
          })),
        }),
    ...(effects === undefined ? {} : { conditions: effects.map((each) => conditionFrom(each, checkId, save?.dc)) }),
    ...usesOf(action, key, uses, counted),
    ...(recharge === undefined ? {} : { rechargeFrom: recharge.from }),
  }
}

function conditionFrom(
  { key, level, rounds, saveEnds }: NonNullable<BlockAction['effects']>[number],
  checkId: string | null,
  difficulty: number | undefined,
) {
  return {
    key,
    ...(level === undefined ? {} : { level }),
    ...(rounds === undefined ? {} : { rounds }),
    ...(saveEnds && checkId !== null && difficulty !== undefined ? { save: { checkId, difficulty } } : {}),
  }
}

const rechargeOf = { turn: 'turn', round: 'turn', short: 'short', long: 'long', day: 'day' } as const

/** What is counted of an action; `counted` gets what is not among it yet. */
function usesOf(
  { name, cost, count = 1 }: BlockAction,
  key: string,
  uses: BlockAction['uses'],
  counted: NonNullable<Statblock['resources']>,
): Pick<Action, 'uses'> | Record<string, never> {
  if (cost === 'legendary' && counted.some((each) => each.key === 'legendary'))
    return { uses: { resource: 'legendary', count } }
  if (uses === undefined) return {}
  counted.push({ key, name, max: uses.count, left: uses.count, recharge: rechargeOf[uses.per] })
  return { uses: { resource: key, count: 1 } }
}

/** What it can do besides, in words; what a defence does not hold against stands there too. */
function wordsOf({ traits = [], senses, languages, resistances = [], immunities = [] }: CreatureBlock): string {
  const except = [...resistances, ...immunities].flatMap(({ type, except: but }) =>
    but === undefined ? [] : [`Its defence against ${type}: ${but}.`],
  )
  const facts = [senses?.length ? `Senses: ${senses.join(', ')}.` : '', languages ? `Speaks ${languages}.` : '']
  return [...traits.map(({ name, text }) => `**${name}.** ${text}`), ...except, ...facts]
    .filter(Boolean)
    .join('\n\n')
    .slice(0, 4000)
}
