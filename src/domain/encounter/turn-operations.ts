import * as z from 'zod'
import { line } from '../../kernel/fields.ts'
import { limits } from '../../kernel/limits.ts'
import { defineOperation } from '../../kernel/operation.ts'
import { combatant, encounter, encounterEvent } from './entity.ts'
import { carryOut, encounterOf, stepBack, undoEvent } from './fight.ts'
import { detailOf, doneOutput, doneTo, encounterDetail, eventsSeen, turnOf, turnOutput } from './read.ts'

const one = { encounterId: encounter.id }
const key = { idempotencyKey: z.string().max(limits.idempotencyKey).optional() }
const course = turnOutput.extend({ events: z.array(encounterEvent.output) })

export const turnOperations = {
  begin_encounter: defineOperation({
    name: 'begin_encounter',
    title: 'Begin encounter',
    description: 'planning to running; missing initiative is rolled.',
    toolset: 'combat',
    access: 'dm',
    effect: 'write',
    route: 'POST /encounters/{encounterId}/begin',
    input: z.strictObject(one),
    output: encounterDetail,
    example: (world) => ({ encounterId: world.id('encounter', 'ready') }),
    handle(context, { encounterId }) {
      carryOut(context, encounterId, { do: 'begin' })
      return detailOf(context, encounterId)
    },
  }),
  roll_initiative: defineOperation({
    name: 'roll_initiative',
    title: 'Roll initiative',
    description: 'For all or some without one, or again with reroll.',
    toolset: 'combat',
    access: 'dm',
    effect: 'write',
    route: 'POST /encounters/{encounterId}/initiative',
    input: z.strictObject({
      ...one,
      combatantIds: z.array(combatant.id).min(1).max(100).optional(),
      reroll: z.boolean().optional(),
    }),
    output: encounterDetail,
    example: (world) => ({ encounterId: world.id('encounter'), reroll: true }),
    handle(context, { encounterId, combatantIds, reroll }) {
      carryOut(context, encounterId, { do: 'roll-initiative', ids: combatantIds ?? null, reroll: reroll ?? false })
      return detailOf(context, encounterId)
    },
  }),
  get_turn: defineOperation({
    name: 'get_turn',
    title: 'Get turn',
    description: 'Round, whose turn, who is next, conditions ending.',
    toolset: 'combat',
    access: 'viewer',
    effect: 'read',
    route: 'GET /encounters/{encounterId}/turn',
    input: z.strictObject(one),
    output: turnOutput,
    example: (world) => ({ encounterId: world.id('encounter') }),
    handle: (context, { encounterId }) => turnOf(context, encounterId),
  }),
  next_turn: defineOperation({
    name: 'next_turn',
    title: 'Next turn',
    description: 'Durations, saves, recharges follow. expectedTurn: turn of get_turn, so that none ends twice.',
    toolset: 'combat',
    access: 'turn',
    effect: 'write',
    route: 'POST /encounters/{encounterId}/next-turn',
    tells: ['round', 'acting', 'next'],
    input: z.strictObject({ ...one, expectedTurn: z.string().max(40).optional(), ...key }),
    output: course,
    example: (world) => ({ encounterId: world.id('encounter') }),
    handle(context, { encounterId, expectedTurn }) {
      const ids = carryOut(context, encounterId, { do: 'next', expected: expectedTurn })
      return { ...turnOf(context, encounterId), events: eventsSeen(context, ids) }
    },
  }),
  previous_turn: defineOperation({
    name: 'previous_turn',
    title: 'Previous turn',
    description: 'Step back exactly one turn, with its effects.',
    toolset: 'combat',
    access: 'dm',
    effect: 'write',
    route: 'POST /encounters/{encounterId}/previous-turn',
    tells: ['round', 'acting', 'next'],
    input: z.strictObject(one),
    output: turnOutput,
    example: (world) => ({ encounterId: world.id('encounter', 'turned') }),
    handle(context, { encounterId }) {
      stepBack(context, encounterId)
      return turnOf(context, encounterId)
    },
  }),
  end_encounter: defineOperation({
    name: 'end_encounter',
    title: 'End encounter',
    description: 'running to ended. outcome: in words.',
    toolset: 'combat',
    access: 'dm',
    effect: 'write',
    route: 'POST /encounters/{encounterId}/end',
    input: z.strictObject({ ...one, outcome: line().optional() }),
    output: encounterDetail,
    example: (world) => ({ encounterId: world.id('encounter'), outcome: 'The stag is ash, and Nettie remembers.' }),
    handle(context, { encounterId, outcome }) {
      carryOut(context, encounterId, { do: 'end', outcome: outcome || undefined })
      if (outcome) context.write(encounter).update(encounterId, { outcome })
      return detailOf(context, encounterId)
    },
  }),
  reopen_encounter: defineOperation({
    name: 'reopen_encounter',
    title: 'Reopen encounter',
    description: 'ended to running, where it stood.',
    toolset: 'combat',
    access: 'dm',
    effect: 'write',
    route: 'POST /encounters/{encounterId}/reopen',
    input: z.strictObject(one),
    output: encounterDetail,
    example: (world) => ({ encounterId: world.id('encounter', 'ended') }),
    handle(context, { encounterId }) {
      carryOut(context, encounterId, { do: 'reopen' })
      return detailOf(context, encounterId)
    },
  }),
  undo_encounter_event: defineOperation({
    name: 'undo_encounter_event',
    title: 'Undo encounter event',
    description: 'The newest damage, healing, condition or removal.',
    toolset: 'combat',
    access: 'dm',
    effect: 'write',
    route: 'POST /encounter-events/{eventId}/undo',
    input: z.strictObject({ eventId: encounterEvent.id }),
    output: encounterDetail,
    example: (world) => ({ eventId: world.id('encounter_event') }),
    handle: (context, { eventId }) => detailOf(context, undoEvent(context, eventId)),
  }),
  set_combatant_initiative: defineOperation({
    name: 'set_combatant_initiative',
    title: 'Set combatant initiative',
    description: 'By hand; the order follows.',
    toolset: 'combat',
    access: 'controller',
    effect: 'write',
    route: 'PUT /combatants/{combatantId}/initiative',
    input: z.strictObject({ combatantId: combatant.id, initiative: z.int().min(-100).max(1000) }),
    output: doneOutput,
    example: (world) => ({ combatantId: world.id('combatant', 'own'), initiative: 17 }),
    handle(context, { combatantId, initiative }) {
      const command = { do: 'set-initiative', id: combatantId, total: initiative } as const
      return doneTo(context, combatantId, carryOut(context, encounterOf(context, combatantId), command))
    },
  }),
  move_combatant: defineOperation({
    name: 'move_combatant',
    title: 'Move combatant',
    description: 'Behind another in the order, or first (null).',
    toolset: 'combat',
    access: 'dm',
    effect: 'write',
    route: 'PUT /combatants/{combatantId}/position',
    input: z.strictObject({ combatantId: combatant.id, afterCombatantId: combatant.id.nullable() }),
    output: doneOutput,
    example: (world) => ({ combatantId: world.id('combatant'), afterCombatantId: null }),
    handle(context, { combatantId, afterCombatantId }) {
      const command = { do: 'move', id: combatantId, afterId: afterCombatantId } as const
      return doneTo(context, combatantId, carryOut(context, encounterOf(context, combatantId), command))
    },
  }),
}
