import * as z from 'zod'
import type { Context } from '../../kernel/context.ts'
import { fail, invalid } from '../../kernel/errors.ts'
import { line } from '../../kernel/fields.ts'
import { defineOperation } from '../../kernel/operation.ts'
import { pageInput, pageOf } from '../../kernel/paging.ts'
import { campaign } from '../campaign/entity.ts'
import { character } from '../character/entity.ts'
import { diceRoll, rollVisibility } from './entity.ts'
import { keepRoll, rolled } from './rolls.ts'

const rollOutput = diceRoll.output

/** What was rolled, for those who may see it: a player who rolls in secret learns nothing but that it was rolled. */
export const thrownOutput = z.object({ roll: rollOutput.nullable(), says: z.string() })

export function thrown(context: Context, id: number): z.input<typeof thrownOutput> {
  const roll = context.read(diceRoll).find(id)
  if (roll === null) return { roll, says: 'Rolled. Only the Dungeon Master sees what fell.' }
  return {
    roll,
    says: `${roll.label ?? roll.expression}: ${roll.total}${roll.outcomeSays ? `, ${roll.outcomeSays}` : ''}`,
  }
}

export const rollOperations = {
  roll_dice: defineOperation({
    name: 'roll_dice',
    title: 'Roll dice',
    description: '4d6kh3, 2d20kl1+5, adv+3, 8d10>=7, 3d6x, [labels]. dm: you and the DM; secret: DM only.',
    toolset: 'dice',
    access: 'player',
    effect: 'write',
    route: 'POST /campaigns/{campaignId}/rolls',
    creates: true,
    input: z.strictObject({
      campaignId: campaign.id,
      expression: z.string().trim().min(1).max(200),
      label: line().optional(),
      characterId: character.id.optional(),
      visibility: rollVisibility.optional(),
      difficulty: z.int().min(-1000).max(1000).optional(),
    }),
    output: thrownOutput,
    tells: ['roll', 'says'],
    example: (world) => ({ campaignId: world.id('campaign'), expression: '2d6+3', label: 'The bell rope' }),
    handle(context, { expression, label, characterId, visibility, difficulty }) {
      if (characterId !== undefined) {
        const who = context.read(character).get(characterId)
        if (context.viewer.role !== 'dm' && who.ownerUserId !== context.actor.userId)
          throw invalid(
            'characterId',
            'somebody else plays them',
            `You roll for your own characters, not for ${who.name}.`,
          )
      }
      const result = rolled(context, expression)
      const passed = difficulty === undefined ? null : result.total >= difficulty
      const id = keepRoll(context, expression, result, {
        characterId: characterId ?? null,
        label: label || null,
        visibility: visibility ?? 'party',
        difficulty: difficulty ?? null,
        difficultyShown: difficulty !== undefined,
        outcome: passed === null ? null : passed ? 'success' : 'failure',
        outcomeSays: passed === null ? null : passed ? 'Success' : 'Failure',
      })
      return thrown(context, id)
    },
  }),
  list_dice_rolls: defineOperation({
    name: 'list_dice_rolls',
    title: 'List dice rolls',
    description: 'Newest first.',
    toolset: 'dice',
    access: 'viewer',
    effect: 'read',
    route: 'GET /campaigns/{campaignId}/rolls',
    input: z.strictObject({
      campaignId: campaign.id,
      userId: diceRoll.fields.userId.schema.optional(),
      characterId: character.id.optional(),
      ...pageInput,
    }),
    output: pageOf(rollOutput),
    example: (world) => ({ campaignId: world.id('campaign') }),
    handle: (context, { userId, characterId, limit, cursor }) =>
      context.read(diceRoll).page({ where: { userId, characterId }, order: [['id', 'desc']], limit, cursor }),
  }),
  reveal_dice_roll: defineOperation({
    name: 'reveal_dice_roll',
    title: 'Reveal dice roll',
    description: 'Show a secret roll to the table.',
    toolset: 'dice',
    access: 'author+dm',
    effect: 'write',
    route: 'POST /rolls/{rollId}/reveal',
    input: z.strictObject({ rollId: diceRoll.id }),
    output: thrownOutput,
    example: (world) => ({ rollId: world.id('dice_roll', 'own_sealed') }),
    handle(context, { rollId }) {
      const roll = context.read(diceRoll).get(rollId)
      if (roll.visibility === 'party') throw fail('invalid_state', 'The table sees this roll already.')
      context.write(diceRoll).update(rollId, { visibility: 'party', revealedAt: context.now })
      return thrown(context, rollId)
    },
  }),
}
