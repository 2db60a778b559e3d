import * as z from 'zod'
import type { Context } from '../../kernel/context.ts'
import { fail, invalid } from '../../kernel/errors.ts'
import { name } from '../../kernel/fields.ts'
import { defineOperation } from '../../kernel/operation.ts'
import type { Foe } from '../../rules/sheet.ts'
import type { RuleSystem } from '../../rules/system.ts'
import { character } from '../character/entity.ts'
import { inventoryItem } from '../inventory/entity.ts'
import { changePurse } from '../purses.ts'
import { lifeOf, rulesOf } from '../sheets.ts'
import { beat } from '../story/entity.ts'
import { coinCounts } from '../treasury/entity.ts'
import { combatant, encounter, rewards } from './entity.ts'
import { mostCombatants } from './fight.ts'

const one = { encounterId: encounter.id }

interface FoeGroup extends Foe {
  readonly fallen: number
}

/** Those against the party, of one name and rating together; numbers behind a name do not count. */
function foesOf(context: Context, encounterId: number): readonly FoeGroup[] {
  const { items } = context
    .read(combatant)
    .page({ where: { encounterId, removed: false, ally: false }, order: [['place', 'asc']], limit: mostCombatants })
  const groups = new Map<string, FoeGroup>()
  for (const { kind, name: called, statblock, lifeState } of items) {
    if (kind === 'character') continue
    const { rating, level, experience } = statblock ?? {}
    const foe = { name: called.replace(/ \d+$/, ''), rating: rating ?? level ?? 0 }
    const key = `${foe.rating} ${foe.name}`
    const known = groups.get(key) ?? { ...foe, count: 0, fallen: 0, experience }
    const fell = lifeState === 'up' ? 0 : 1
    groups.set(key, { ...known, count: known.count + 1, fallen: known.fallen + fell })
  }
  return [...groups.values()]
}

/** The characters who would get something: those in the fight, or else all who are active. */
export function partyOf(context: Context, encounterId: number | null) {
  const inFight =
    encounterId === null
      ? []
      : context
          .read(combatant)
          .page({ where: { encounterId, removed: false, kind: 'character' }, limit: mostCombatants }).items
  const ids = inFight.flatMap(({ characterId }) => (characterId === null ? [] : [characterId]))
  const where = ids.length > 0 ? { id: ids } : ({ status: 'active' } as const)
  return context.read(character).page({ where, order: [['name', 'asc']], limit: 100 }).items
}

const bound = z.object({ key: z.string(), name: z.string(), experience: z.int() })

export const difficultyOutput = z.object({
  system: z.string(),
  /** `none` where the rules do not say. */
  tier: z.string(),
  says: z.string(),
  total: z.int(),
  weighed: z.int(),
  bounds: z.array(bound),
  sums: z.array(z.string()),
  warnings: z.array(z.string()),
  /** Levels of those it is measured against, and how many foes there are. */
  party: z.array(z.int()),
  foeCount: z.int(),
  foes: z.array(z.object({ name: z.string(), count: z.int(), rating: z.number(), experienceEach: z.int().nullable() })),
})

/** How hard foes are for characters of these levels, by the rules, with the sums behind it. */
export function ratedAgainst(
  rules: RuleSystem,
  party: readonly number[],
  foes: readonly Foe[],
): z.output<typeof difficultyOutput> {
  const facts = {
    system: rules.id,
    party: [...party],
    foeCount: foes.reduce((sum, { count }) => sum + count, 0),
    foes: foes.map((foe) => ({
      name: foe.name,
      count: foe.count,
      rating: foe.rating,
      experienceEach: rules.experienceOf(foe, party),
    })),
  }
  const rated = rules.difficulty(party, foes)
  if (rated === null) {
    const sums = foes.map(({ name: called, count }) => `${count} × ${called}`)
    const says = 'This game does not rate fights'
    return { ...facts, tier: 'none', says, total: 0, weighed: 0, bounds: [], sums, warnings: [] }
  }
  const { bounds, sums, warnings, ...rest } = rated
  return { ...facts, ...rest, bounds: [...bounds], sums: [...sums], warnings: [...warnings] }
}

export const afterOperations = {
  get_encounter_difficulty: defineOperation({
    name: 'get_encounter_difficulty',
    title: 'Get encounter difficulty',
    description: 'For the active party.',
    toolset: 'combat',
    access: 'dm',
    effect: 'read',
    route: 'GET /encounters/{encounterId}/difficulty',
    input: z.strictObject(one),
    output: difficultyOutput,
    example: (world) => ({ encounterId: world.id('encounter') }),
    handle(context, { encounterId }) {
      const foes = foesOf(context, context.read(encounter).get(encounterId).id)
      return ratedAgainst(
        rulesOf(context),
        partyOf(context, null).map(({ level }) => level),
        foes,
      )
    },
  }),
  get_encounter_aftermath: defineOperation({
    name: 'get_encounter_aftermath',
    title: 'Get encounter aftermath',
    description: 'What to settle: experience, who fell, quest and beats.',
    toolset: 'combat',
    access: 'dm',
    effect: 'read',
    route: 'GET /encounters/{encounterId}/aftermath',
    input: z.strictObject(one),
    output: encounter.output
      .pick({
        id: true,
        name: true,
        status: true,
        round: true,
        outcome: true,
        questId: true,
        quest: true,
        rewards: true,
      })
      .extend({
        foes: z.array(
          z.object({ name: z.string(), count: z.int(), fallen: z.int(), experienceEach: z.int().nullable() }),
        ),
        /** Of all foes who fell, and what each character would get of it; null where the game gives none. */
        experience: z.int().nullable(),
        experienceEach: z.int().nullable(),
        characters: z.array(
          character.output.pick({ id: true, name: true, level: true, hp: true, lifeState: true }).extend({
            hpMax: z.int(),
          }),
        ),
        /** The first 50 of the quest that are open. */
        beats: z.array(beat.output.pick({ id: true, title: true, status: true })),
      }),
    example: (world) => ({ encounterId: world.id('encounter', 'ended') }),
    handle(context, { encounterId }) {
      const rules = rulesOf(context)
      const row = context.read(encounter).get(encounterId)
      const party = partyOf(context, encounterId)
      const levels = party.map(({ level }) => level)
      const foes = foesOf(context, encounterId).map((foe) => ({ ...foe, each: rules.experienceOf(foe, levels) }))
      const rated = foes.some(({ each }) => each !== null)
      const total = rated ? foes.reduce((sum, { each, fallen }) => sum + (each ?? 0) * fallen, 0) : null
      const open = { questId: row.questId ?? -1, status: ['planned', 'active'] } as const
      return {
        ...row,
        foes: foes.map(({ name: called, count, fallen, each }) => ({
          name: called,
          count,
          fallen,
          experienceEach: each,
        })),
        experience: total,
        experienceEach: total === null ? null : rules.experienceShare(total, party.length),
        characters: party.map((each) => ({ ...each, hpMax: lifeOf(rules, each).hpMax })),
        beats: row.questId === null ? [] : context.read(beat).page({ where: open, limit: 50 }).items,
      }
    },
  }),
  apply_encounter_rewards: defineOperation({
    name: 'apply_encounter_rewards',
    title: 'Apply encounter rewards',
    description: 'Experience (a sum, shared), items to the cart, coins to the purse; once.',
    toolset: 'combat',
    access: 'dm',
    effect: 'write',
    route: 'POST /encounters/{encounterId}/rewards',
    tells: ['rewards'],
    input: z.strictObject({
      ...one,
      xp: z.int().min(0).max(1_000_000).optional(),
      characterIds: z.array(character.id).min(1).max(100).optional(),
      items: z
        .array(z.strictObject({ name: name(), quantity: z.int().min(1).max(1_000_000).optional() }))
        .max(50)
        .optional(),
      coins: coinCounts(0).optional(),
    }),
    output: encounter.output.extend({ rewards: rewards.nullable() }),
    example: (world) => ({
      encounterId: world.id('encounter', 'ended'),
      xp: 450,
      coins: { gp: 12 },
      items: [{ name: 'A jar of winter' }],
    }),
    handle(context, { encounterId, xp = 0, characterIds, items = [], coins = {} }) {
      const row = context.read(encounter).get(encounterId)
      if (row.rewards !== null)
        throw fail('already_done', 'This fight was rewarded already. revert_change takes that back.')
      if (row.status !== 'ended')
        throw fail('invalid_state', 'Rewards come after a fight. end_encounter ends this one.')
      if (xp === 0 && items.length === 0 && Object.values(coins).every((count) => count === 0))
        throw invalid('xp', 'something to give', 'Give experience, items or coins.')
      const rules = rulesOf(context)
      const party =
        characterIds === undefined
          ? partyOf(context, encounterId)
          : [...new Set(characterIds)].map((id) => context.read(character).get(id))
      if (xp > 0 && party.length === 0) throw fail('invalid_state', 'There is no character to give experience to.')
      const each = rules.experienceShare(xp, party.length)
      for (const { id, level, experience } of each === 0 ? [] : party) {
        const after = rules.levels?.award(level, experience, each).experience ?? experience + each
        context.write(character).update(id, { experience: after })
      }
      for (const item of items) context.write(inventoryItem).insert(item)
      if (Object.values(coins).some((count) => count > 0)) changePurse(context, coins, row.name, 'coins')
      const given = {
        xp,
        each,
        characterIds: party.map(({ id }) => Number(id)),
        coins,
        items: items.map(({ name: called, quantity = 1 }) => (quantity === 1 ? called : `${quantity} × ${called}`)),
        at: context.now,
      }
      context.write(encounter).update(encounterId, { rewards: given })
      return context.read(encounter).get(encounterId)
    },
  }),
}
