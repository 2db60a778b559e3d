import * as z from 'zod'
import type { Context } from '../../kernel/context.ts'
import { fail, invalid } from '../../kernel/errors.ts'
import { line } from '../../kernel/fields.ts'
import { defineOperation } from '../../kernel/operation.ts'
import type { Life } from '../../rules/life.ts'
import type { RuleSystem } from '../../rules/system.ts'
import { campaign } from '../campaign/entity.ts'
import { condition, key, recharge } from '../sheet-schemas.ts'
import { type CharacterRow, changeable, classWords, lifeOf, lifePatch, rulesOf, sheetOf } from '../sheets.ts'
import { character } from './entity.ts'
import { chosen, glance, glanceOutput, someCharacters, stateOf, stateOutput } from './read.ts'

/** Keeps a life and answers the sheet at a glance, with what the table is told. */
function live(context: Context, system: RuleSystem, characterId: number, life: Life, says: readonly string[]) {
  context.write(character).update(characterId, lifePatch(life))
  return { ...glance(system, context.read(character).get(characterId)), says: [...says] }
}

const amount = z.int().min(-100_000).max(100_000)
function resourceOf(row: CharacterRow, wanted: string): CharacterRow['resources'][number] {
  const found = row.resources.find((each) => each.key === wanted)
  if (found !== undefined) return found
  const names = row.resources.map((each) => each.key).join(', ')
  throw invalid(
    'key',
    'not on this sheet',
    `${row.name} has no resource ${wanted}. ${names === '' ? 'There is none; set_character_resource makes one.' : `There is ${names}.`}`,
  )
}

export const characterStateOperations = {
  adjust_character_hp: defineOperation({
    name: 'adjust_character_hp',
    title: 'Adjust character hit points',
    description: 'Damage (negative delta), heal, set, temporary. Resistance by type and dying follow.',
    toolset: 'party',
    access: 'owner',
    effect: 'write',
    route: 'POST /characters/{characterId}/hp',
    input: z.strictObject({
      characterId: character.id,
      delta: amount.optional(),
      set: amount.min(0).optional(),
      temporary: amount.min(0).optional(),
      /** Of the damage. */
      type: line(40).optional(),
      critical: z.boolean().optional(),
      idempotencyKey: z.string().min(1).max(128).optional(),
    }),
    output: stateOutput.extend({
      concentration: z.object({ checkId: z.string(), difficulty: z.int() }).nullable(),
    }),
    tells: ['hp', 'hpTemp', 'lifeState', 'says', 'concentration'],
    example: (world) => ({ characterId: world.id('character', 'own'), delta: -2 }),
    handle(context, { characterId, delta, set, temporary, type, critical }) {
      const given = [delta, set, temporary].filter((each) => each !== undefined)
      if (given.length !== 1) throw invalid('delta', 'one of delta, set and temporary')
      const system = rulesOf(context)
      const row = changeable(context, characterId)
      if (row.hpMax === null)
        throw fail('invalid_state', `${row.name} counts no hit points. update_character takes hpMax.`)
      const [sheet, life] = [sheetOf(row), lifeOf(system, row)]
      if (delta !== undefined && delta < 0) {
        const parts = [{ amount: -delta, type: type === undefined || type === '' ? null : type }]
        const hurt = system.life.damage(life, { parts, critical }, sheet)
        return { ...live(context, system, characterId, hurt.life, hurt.says), concentration: hurt.concentration }
      }
      const after =
        temporary !== undefined
          ? system.life.temporary(life, temporary)
          : set !== undefined
            ? system.life.set(life, set, sheet)
            : system.life.heal(life, delta ?? 0, sheet)
      return { ...live(context, system, characterId, after.life, after.says), concentration: null }
    },
  }),
  set_character_conditions: defineOperation({
    name: 'set_character_conditions',
    title: 'Set character conditions',
    description: 'Add conditions; remove by key.',
    toolset: 'party',
    access: 'owner',
    effect: 'write',
    route: 'PUT /characters/{characterId}/conditions',
    input: z.strictObject({
      characterId: character.id,
      add: z.array(condition).max(20).optional(),
      remove: z.array(z.string().max(60)).max(60).optional(),
    }),
    output: stateOutput,
    tells: ['conditions', 'says'],
    example: (world) => ({
      characterId: world.id('character', 'own'),
      add: [{ key: 'poisoned', rounds: 10 }],
      remove: ['prone'],
    }),
    handle(context, { characterId, add, remove }) {
      const system = rulesOf(context)
      const row = changeable(context, characterId)
      const sheet = sheetOf(row)
      let life = lifeOf(system, row)
      const says: string[] = []
      const step = (changed: { readonly life: Life; readonly says: readonly string[] }): void => {
        life = changed.life
        says.push(...changed.says)
      }
      for (const each of remove ?? []) step(system.life.removeCondition(life, each))
      for (const each of add ?? []) step(system.life.addCondition(life, each, sheet))
      life = system.life.resized(life, sheet)
      return live(context, system, characterId, life, says)
    },
  }),
  award_xp: defineOperation({
    name: 'award_xp',
    title: 'Award experience',
    description: 'The same to each, or split by the rules. All active unless named.',
    toolset: 'party',
    access: 'dm',
    effect: 'write',
    route: 'POST /campaigns/{campaignId}/xp',
    input: z.strictObject({
      campaignId: campaign.id,
      amount: z.int().min(-1_000_000).max(1_000_000),
      split: z.boolean().optional(),
      characterIds: someCharacters.optional(),
      reason: line().optional(),
    }),
    output: z.object({
      each: z.int(),
      characters: z.array(glanceOutput),
      /** Who may take another level. */
      ready: z.array(z.object({ characterId: z.int(), name: z.string() })),
    }),
    tells: ['each', 'ready'],
    example: (world) => ({ campaignId: world.id('campaign'), amount: 120, reason: 'The stag at the ford' }),
    handle(context, { amount: sum, split, characterIds }) {
      const system = rulesOf(context)
      const rows = chosen(context, characterIds)
      const each = split ? system.experienceShare(sum, rows.length) : sum
      const characters = rows.map((row) => {
        const experience =
          system.levels?.award(row.level, row.experience, each).experience ?? Math.max(0, row.experience + each)
        context.write(character).update(row.id, { experience })
        return glance(system, context.read(character).get(row.id))
      })
      const ready = characters.filter(({ computed }) => computed.levelReady)
      return { each, characters, ready: ready.map(({ id, name }) => ({ characterId: id, name })) }
    },
  }),
  level_up_character: defineOperation({
    name: 'level_up_character',
    title: 'Level up character',
    description: 'Hit points rolled, chosen or by class. className: a second class.',
    toolset: 'party',
    access: 'owner',
    effect: 'write',
    route: 'POST /characters/{characterId}/level-up',
    input: z.strictObject({
      characterId: character.id,
      hpGain: z.int().min(0).max(1000).optional(),
      className: line(60).optional(),
    }),
    output: stateOutput,
    tells: ['level', 'says'],
    example: (world) => ({ characterId: world.id('character', 'own'), hpGain: 5 }),
    handle(context, { characterId, hpGain, className }) {
      const system = rulesOf(context)
      const row = changeable(context, characterId)
      const sheet = sheetOf(row)
      if (system.levels !== null && row.level >= system.levels.most)
        throw fail('invalid_state', `${row.name} is of the last level.`)
      const gain = hpGain ?? system.usualGain(sheet, className ?? null)
      if (gain === null)
        throw invalid('hpGain', 'how many', `The rules do not know how many hit points ${row.name} gets: say hpGain.`)
      const grown = system.levelUp(sheet, gain, className ?? null)
      const before = lifeOf(system, row)
      const slots = system.slotsFor(grown.classes)
      context.write(character).update(characterId, {
        level: grown.level,
        experience: grown.experience,
        className: classWords(grown.classes) ?? row.className,
        hitDice: grown.hitDice.map((each) => ({ ...each })),
        ...(row.hpMax === null ? {} : { hpMax: grown.hpMax, hp: before.hp + (before.state === 'up' ? gain : 0) }),
        ...(slots === null
          ? {}
          : {
              spellSlots: slots.map(({ level, max, pact }) => ({
                level,
                max,
                used: Math.min(
                  max,
                  row.spellSlots.find((each) => each.level === level && !each.pact === !pact)?.used ?? 0,
                ),
                ...(pact ? { pact } : {}),
              })),
            }),
      })
      return stateOf(
        context,
        system,
        characterId,
        `${row.name} is of level ${grown.level}, with ${gain} hit points more.`,
      )
    },
  }),
  adjust_spell_slots: defineOperation({
    name: 'adjust_spell_slots',
    title: 'Adjust spell slots',
    description: 'Negative uses, positive regains.',
    toolset: 'party',
    access: 'owner',
    effect: 'write',
    route: 'POST /characters/{characterId}/spell-slots',
    input: z.strictObject({
      characterId: character.id,
      level: z.int().min(1).max(10),
      delta: z.int().min(-100).max(100),
      /** Of the pool that a short rest brings back. */
      pact: z.boolean().optional(),
    }),
    output: stateOutput,
    tells: ['spellSlots'],
    example: (world) => ({ characterId: world.id('character', 'own'), level: 1, delta: -1 }),
    handle(context, { characterId, level, delta, pact }) {
      const row = changeable(context, characterId)
      const slot = row.spellSlots.find((each) => each.level === level && (pact === undefined || !each.pact === !pact))
      if (slot === undefined) throw invalid('level', `${row.name} has no slots of level ${level}`)
      const left = slot.max - slot.used + delta
      if (left < 0) throw fail('invalid_state', `${row.name} has ${slot.max - slot.used} slots of level ${level} left.`)
      const used = slot.max - Math.min(left, slot.max)
      const spellSlots = row.spellSlots.map((each) => (each === slot ? { ...each, used } : each))
      context.write(character).update(characterId, { spellSlots })
      return stateOf(context, rulesOf(context), characterId)
    },
  }),
  set_character_resource: defineOperation({
    name: 'set_character_resource',
    title: 'Set character resource',
    description: 'Define or change something counted.',
    toolset: 'party',
    access: 'owner',
    effect: 'write',
    route: 'PUT /characters/{characterId}/resources/{key}',
    input: z.strictObject({
      characterId: character.id,
      key: key(),
      name: line(120).optional(),
      max: z.int().min(0).max(10_000).optional(),
      recharge: recharge.optional(),
    }),
    output: stateOutput,
    tells: ['resources'],
    example: (world) => ({
      characterId: world.id('character', 'own'),
      key: 'luck',
      name: 'Luck',
      max: 3,
      recharge: 'long' as const,
    }),
    handle(context, { characterId, key: wanted, name, max, recharge: comesBack }) {
      const row = changeable(context, characterId)
      const before = row.resources.find((each) => each.key === wanted)
      const most = max ?? before?.max
      if (most === undefined) throw invalid('max', 'how many there are of something new')
      if (before === undefined && row.resources.length >= 60) throw invalid('key', 'a sheet has at most 60 resources')
      const after = {
        key: wanted,
        name: name || before?.name || wanted,
        max: most,
        // What was spent stays spent.
        left: before === undefined ? most : Math.max(0, Math.min(most, before.left + most - before.max)),
        recharge: comesBack ?? before?.recharge ?? ('long' as const),
      }
      const resources =
        before === undefined ? [...row.resources, after] : row.resources.map((each) => (each === before ? after : each))
      context.write(character).update(characterId, { resources })
      return stateOf(context, rulesOf(context), characterId)
    },
  }),
  adjust_character_resource: defineOperation({
    name: 'adjust_character_resource',
    title: 'Adjust character resource',
    description: 'Negative uses, positive regains.',
    toolset: 'party',
    access: 'owner',
    effect: 'write',
    route: 'POST /characters/{characterId}/resources/{key}',
    input: z.strictObject({ characterId: character.id, key: key(), delta: z.int().min(-10_000).max(10_000) }),
    output: stateOutput,
    tells: ['resources'],
    example: (world) => ({ characterId: world.id('character', 'own'), key: 'second-wind', delta: -1 }),
    handle(context, { characterId, key: wanted, delta }) {
      const row = changeable(context, characterId)
      const before = resourceOf(row, wanted)
      if (before.left + delta < 0) throw fail('invalid_state', `${before.name}: ${before.left} left.`)
      const left = Math.min(before.max, before.left + delta)
      const resources = row.resources.map((each) => (each === before ? { ...each, left } : each))
      context.write(character).update(characterId, { resources })
      return stateOf(context, rulesOf(context), characterId)
    },
  }),
  delete_character_resource: defineOperation({
    name: 'delete_character_resource',
    title: 'Delete character resource',
    description: 'Take something counted off the sheet.',
    toolset: 'party',
    access: 'owner',
    effect: 'destroy',
    route: 'DELETE /characters/{characterId}/resources/{key}',
    input: z.strictObject({ characterId: character.id, key: key() }),
    output: stateOutput,
    example: (world) => ({ characterId: world.id('character', 'own'), key: 'second-wind' }),
    handle(context, { characterId, key: wanted }) {
      const row = changeable(context, characterId)
      const gone = resourceOf(row, wanted)
      context.write(character).update(characterId, { resources: row.resources.filter((each) => each !== gone) })
      return stateOf(context, rulesOf(context), characterId)
    },
  }),
}
