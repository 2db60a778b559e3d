import * as z from 'zod'
import type { Context } from '../../kernel/context.ts'
import type { VisibleRowOf } from '../../kernel/entity.ts'
import { fail } from '../../kernel/errors.ts'
import { line } from '../../kernel/fields.ts'
import { defineOperation } from '../../kernel/operation.ts'
import { pageFrom, pageInput, pageOf } from '../../kernel/paging.ts'
import { groupOf } from '../../kernel/reader.ts'
import { campaign } from '../campaign/entity.ts'
import { character } from '../character/entity.ts'
import { changeable, lifeOf, rulesOf, sheetOf } from '../sheets.ts'
import { checkRequest, checkRequestStatus, diceRoll, rollVisibility } from './entity.ts'
import { thrown, thrownOutput } from './roll-operations.ts'
import { checkOf, rollCheck } from './rolls.ts'

const mode = z.enum(['plain', 'advantage', 'disadvantage'])
const target = z.int().min(-1000).max(1000)

export const checkOutput = z.object({
  id: z.string(),
  kind: z.string(),
  name: z.string(),
  ability: z.string().nullable(),
  modifier: z.int().nullable(),
  parts: z.array(z.object({ name: z.string(), value: z.int() })),
  rank: z.string().nullable(),
  expression: z.string(),
  mode,
  fails: z.boolean(),
  reasons: z.array(z.string()),
  compare: z.enum(['at-least', 'at-most']),
})

const requestOutput = checkRequest.output.extend({
  roll: diceRoll.output.pick({ id: true, total: true, terms: true, outcome: true, outcomeSays: true }).nullable(),
  /** Whose player is asked. */
  ownerUserId: z.int().nullable(),
})

type RequestRow = VisibleRowOf<typeof checkRequest>
const requests = (context: Context) => context.read(checkRequest)

/** Requests with what came of them, as far as the reader may see that. */
function shown(context: Context, rows: readonly RequestRow[]): z.input<typeof requestOutput>[] {
  const ids: number[] = rows.map(({ id }) => id)
  const rolls = context.read(diceRoll).groupBy('checkRequestId', ids, {
    columns: ['total', 'terms', 'outcome', 'outcomeSays', 'checkRequestId'],
    limit: 1,
  })
  const owners = new Map(
    [...new Set(rows.map(({ characterId }) => characterId))].map((characterId) => [
      characterId,
      context.read(character).find(characterId)?.ownerUserId ?? null,
    ]),
  )
  return rows.map((row) => {
    const [roll] = groupOf(rolls, row.id as number).items
    return {
      ...row,
      ownerUserId: owners.get(row.characterId) ?? null,
      roll:
        roll === undefined
          ? null
          : {
              id: roll.id,
              total: roll.total,
              terms: roll.terms,
              outcome: roll.outcome,
              outcomeSays: roll.outcomeSays,
            },
    }
  })
}

export const checkOperations = {
  list_checks: defineOperation({
    name: 'list_checks',
    title: 'List checks',
    description: 'What a character can roll, with modifiers.',
    toolset: 'dice',
    access: 'viewer',
    effect: 'read',
    route: 'GET /characters/{characterId}/checks',
    input: z.strictObject({ characterId: character.id, ...pageInput }),
    output: pageOf(checkOutput),
    example: (world) => ({ characterId: world.id('character') }),
    handle(context, { characterId, ...page }) {
      const system = rulesOf(context)
      const row = context.read(character).get(characterId)
      const all = system.checks(sheetOf(row), lifeOf(system, row).conditions).map((check, at) => ({ check, at }))
      const { items, nextCursor } = pageFrom(
        page,
        (key, most) => all.slice(key === null ? 0 : Number(key[0]) + 1).slice(0, most),
        ({ at }) => [at],
      )
      return {
        items: items.map(({ check }) => ({
          ...check,
          parts: check.parts.map((part) => ({ ...part })),
          reasons: [...check.reasons],
        })),
        nextCursor,
      }
    },
  }),
  roll_check: defineOperation({
    name: 'roll_check',
    title: 'Roll check',
    description: "Roll a character's check or save (checkId of list_checks); conditions count.",
    toolset: 'dice',
    access: 'owner',
    effect: 'write',
    route: 'POST /characters/{characterId}/checks/{checkId}',
    creates: true,
    input: z.strictObject({
      characterId: character.id,
      checkId: z.string().max(60),
      mode: mode.optional(),
      difficulty: target.optional(),
      bonus: z.int().min(-100).max(100).optional(),
      visibility: rollVisibility.optional(),
      label: line().optional(),
    }),
    output: thrownOutput,
    tells: ['roll', 'says'],
    example: (world) => ({ characterId: world.id('character', 'own'), checkId: 'skill.perception', difficulty: 12 }),
    handle(context, { characterId, checkId, mode: asked, difficulty, bonus, visibility, label }) {
      const system = rulesOf(context)
      const row = changeable(context, characterId)
      const id = rollCheck(context, system, row, checkOf(system, row, checkId), {
        mode: asked ?? 'plain',
        bonus: bonus ?? 0,
        difficulty: difficulty ?? null,
        difficultyShown: difficulty !== undefined,
        visibility: visibility ?? 'party',
        label: label || null,
      })
      return thrown(context, id)
    },
  }),
  request_check: defineOperation({
    name: 'request_check',
    title: 'Request check',
    description: 'Ask players to roll. secret: only the DM sees what comes of it.',
    toolset: 'dice',
    access: 'dm',
    effect: 'write',
    route: 'POST /campaigns/{campaignId}/check-requests',
    creates: true,
    input: z.strictObject({
      campaignId: campaign.id,
      characterIds: z.array(character.id).min(1).max(50),
      checkId: z.string().max(60),
      difficulty: target.optional(),
      showDifficulty: z.boolean().optional(),
      secret: z.boolean().optional(),
      reason: line().optional(),
    }),
    output: z.object({ requests: z.array(requestOutput) }),
    example: (world) => ({
      campaignId: world.id('campaign'),
      characterIds: [world.id('character')],
      checkId: 'skill.perception',
      difficulty: 14,
      reason: 'To hear the song',
    }),
    handle(context, { characterIds, checkId, difficulty, showDifficulty, secret, reason }) {
      const system = rulesOf(context)
      const batch = context.random.id()
      const ids = [...new Set(characterIds)].map((characterId) => {
        const row = context.read(character).get(characterId)
        return context.write(checkRequest).insert({
          characterId,
          requestedByUserId: context.actor.userId,
          batch,
          checkId,
          checkName: checkOf(system, row, checkId).name,
          reason: reason || null,
          difficulty: difficulty ?? null,
          difficultyShown: showDifficulty ?? false,
          secret: secret ?? false,
        })
      })
      return {
        requests: shown(
          context,
          ids.map((id) => requests(context).get(id)),
        ),
      }
    },
  }),
  list_check_requests: defineOperation({
    name: 'list_check_requests',
    title: 'List check requests',
    description: 'Newest first, with results.',
    toolset: 'dice',
    access: 'player',
    effect: 'read',
    route: 'GET /campaigns/{campaignId}/check-requests',
    input: z.strictObject({ campaignId: campaign.id, status: checkRequestStatus.optional(), ...pageInput }),
    output: pageOf(requestOutput),
    example: (world) => ({ campaignId: world.id('campaign'), status: 'open' as const }),
    handle(context, { status, limit, cursor }) {
      const { items, nextCursor } = requests(context).page({
        where: { status },
        order: [['id', 'desc']],
        limit,
        cursor,
      })
      return { items: shown(context, items), nextCursor }
    },
  }),
  answer_check_request: defineOperation({
    name: 'answer_check_request',
    title: 'Answer check request',
    description: "Roll what was asked, for one's own character.",
    toolset: 'dice',
    access: 'owner',
    effect: 'write',
    route: 'POST /check-requests/{checkRequestId}/answer',
    input: z.strictObject({
      checkRequestId: checkRequest.id,
      mode: mode.optional(),
    }),
    output: thrownOutput,
    tells: ['roll', 'says'],
    example: (world) => ({ checkRequestId: world.id('check_request', 'own') }),
    handle(context, { checkRequestId, mode: asked }) {
      const system = rulesOf(context)
      const request = open(context, checkRequestId)
      const row = changeable(context, request.characterId)
      // The roll is compared with the number, whether or not whoever rolls may read it.
      const { difficulty } = context.unfiltered(checkRequest).get(checkRequestId)
      const rollId = rollCheck(context, system, row, checkOf(system, row, request.checkId), {
        mode: asked ?? 'plain',
        bonus: 0,
        difficulty,
        difficultyShown: request.difficultyShown,
        visibility: request.secret ? 'secret' : 'party',
        label: request.reason,
        checkRequestId,
      })
      context.write(checkRequest).update(checkRequestId, { status: 'answered' })
      return thrown(context, rollId)
    },
  }),
  cancel_check_request: defineOperation({
    name: 'cancel_check_request',
    title: 'Cancel check request',
    description: 'Withdraw an unanswered request.',
    toolset: 'dice',
    access: 'dm',
    effect: 'write',
    route: 'POST /check-requests/{checkRequestId}/cancel',
    input: z.strictObject({ checkRequestId: checkRequest.id }),
    output: z.object({ request: requestOutput }),
    example: (world) => ({ checkRequestId: world.id('check_request') }),
    handle(context, { checkRequestId }) {
      open(context, checkRequestId)
      context.write(checkRequest).update(checkRequestId, { status: 'cancelled' })
      const [request] = shown(context, [requests(context).get(checkRequestId)])
      if (request === undefined) throw fail('not_found')
      return { request }
    },
  }),
}

/** A request that still waits. Throws `invalid_state` where it was answered or withdrawn. */
function open(context: Context, checkRequestId: number): RequestRow {
  const row = requests(context).get(checkRequestId)
  if (row.status === 'open') return row
  throw fail(
    'invalid_state',
    row.status === 'answered' ? 'This was rolled already.' : 'This was withdrawn: there is nothing to roll any more.',
  )
}
