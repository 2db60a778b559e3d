import * as z from 'zod'
import type { Context } from '../../kernel/context.ts'
import { rollDice } from '../../kernel/dice.ts'
import { fail, invalid } from '../../kernel/errors.ts'
import { defineOperation } from '../../kernel/operation.ts'
import { dayAt, gregorian, writeWorldDate } from '../../kernel/world-calendar.ts'
import type { RestingBody } from '../../rules/sheet.ts'
import type { RestKind, RuleSystem } from '../../rules/system.ts'
import { campaign } from '../campaign/entity.ts'
import { type CharacterRow, lifeOf, lifePatch, rulesOf, sheetOf } from '../sheets.ts'
import { todayOf } from '../world-date.ts'
import { character } from './entity.ts'
import { chosen, someCharacters, stateOf, stateOutput } from './read.ts'

const hitDiceSpent = z
  .array(
    z.strictObject({
      characterId: character.id,
      die: z.string().regex(/^d\d{1,3}$/),
      count: z.int().min(1).max(40),
    }),
  )
  .max(200)

const restOutput = z.object({
  characters: z.array(stateOutput),
  /** Who could not, and why. */
  refused: z.array(z.object({ characterId: z.int(), name: z.string(), why: z.string() })),
  /** The day that it now is in the world, where days went by. */
  worldDate: z.string().nullable(),
})

interface Rested {
  readonly characters: z.input<typeof stateOutput>[]
  readonly refused: { readonly characterId: number; readonly name: string; readonly why: string }[]
}

function restAll(
  context: Context,
  kind: RestKind,
  rows: readonly CharacterRow[],
  spentBy: (row: CharacterRow) => RestingBody['spent'],
): Rested {
  const system = rulesOf(context)
  const rested: Rested = { characters: [], refused: [] }
  for (const row of rows) {
    const { id: characterId, name } = row
    const result = system.rest(kind, {
      sheet: sheetOf(row),
      life: lifeOf(system, row),
      slots: row.spellSlots,
      resources: row.resources,
      spent: spentBy(row),
    })
    if (result.refused !== null) {
      rested.refused.push({ characterId, name, why: result.refused })
      continue
    }
    context.write(character).update(characterId, {
      ...lifePatch(result.life),
      hitDice: result.hitDice.map((each) => ({ ...each })),
      spellSlots: result.slots.map(({ level, max, used, pact }) => ({ level, max, used, ...(pact ? { pact } : {}) })),
      resources: result.resources.map((each) => ({ ...each })),
    })
    rested.characters.push(stateOf(context, system, characterId, ...result.says))
  }
  return rested
}

/** Rolls the hit dice that somebody spends. */
function spend(context: Context, system: RuleSystem, asked: z.output<typeof hitDiceSpent>) {
  const chance = (from: number, to: number): number => context.random.integer(from, to)
  return (row: CharacterRow): RestingBody['spent'] =>
    asked
      .filter(({ characterId }) => characterId === row.id)
      .flatMap(({ die, count }) => {
        const thrown = system.hitDieThrow(die)
        if (thrown === null) throw invalid('hitDice', `${system.title} has no hit dice to spend`)
        return Array.from({ length: count }, () => ({ die, rolled: rollDice(thrown.expression, chance).total }))
      })
}

export const characterRestOperations = {
  take_short_rest: defineOperation({
    name: 'take_short_rest',
    title: 'Take short rest',
    description: 'All active or those named: hit dice are rolled and spent, resources return.',
    toolset: 'party',
    access: 'dm',
    effect: 'write',
    route: 'POST /campaigns/{campaignId}/short-rest',
    input: z.strictObject({
      campaignId: campaign.id,
      characterIds: someCharacters.optional(),
      hitDice: hitDiceSpent.optional(),
    }),
    output: restOutput,
    tells: ['refused'],
    example: (world) => ({ campaignId: world.id('campaign') }),
    handle(context, { characterIds, hitDice }) {
      const spentBy = spend(context, rulesOf(context), hitDice ?? [])
      return { ...restAll(context, 'short', chosen(context, characterIds), spentBy), worldDate: null }
    },
  }),
  take_long_rest: defineOperation({
    name: 'take_long_rest',
    title: 'Take long rest',
    description: 'All active or those named. advanceDays moves the world date.',
    toolset: 'party',
    access: 'dm',
    effect: 'write',
    route: 'POST /campaigns/{campaignId}/long-rest',
    input: z.strictObject({
      campaignId: campaign.id,
      characterIds: someCharacters.optional(),
      advanceDays: z.int().min(0).max(1000).optional(),
    }),
    output: restOutput,
    tells: ['refused', 'worldDate'],
    example: (world) => ({ campaignId: world.id('campaign'), advanceDays: 1 }),
    handle(context, { campaignId, characterIds, advanceDays }) {
      const rested = restAll(context, 'long', chosen(context, characterIds), () => [])
      if (!advanceDays) return { ...rested, worldDate: null }
      const { calendar: kept, worldDate: written } = context.read(campaign).get(campaignId)
      const calendar = kept ?? gregorian
      const today = todayOf(calendar, written)
      if (today === null)
        throw fail('invalid_state', 'Nobody has said yet what day it is. update_world_calendar takes currentDate.')
      const worldDate = writeWorldDate(dayAt(calendar, today.number + advanceDays))
      context.write(campaign).update(campaignId, { worldDate })
      return { ...rested, worldDate }
    },
  }),
}
