import * as z from 'zod'
import { act } from '../../combat/acting.ts'
import { fail } from '../../kernel/errors.ts'
import { line, name } from '../../kernel/fields.ts'
import { limits } from '../../kernel/limits.ts'
import { defineOperation } from '../../kernel/operation.ts'
import { refuseWhileStill } from '../safety-state.ts'
import { conditions } from '../sheet-schemas.ts'
import { combatant } from './entity.ts'
import { carryOut, encounterOf, keep, keptFight, refuse } from './fight.ts'
import { doneOutput, doneTo } from './read.ts'

const one = { combatantId: combatant.id }
const key = { idempotencyKey: z.string().max(limits.idempotencyKey).optional() }
const amount = z.int().min(0).max(100_000)
const left = z.int().min(0).max(10_000).optional()

const rolled = z.array(z.object({ label: z.string(), text: z.string(), total: z.number() }))

export const harmOperations = {
  damage_combatant: defineOperation({
    name: 'damage_combatant',
    title: 'Damage combatant',
    description: 'As rolled; resistance, concentration, dying follow. save: what a save left of it.',
    toolset: 'combat',
    access: 'controller',
    effect: 'write',
    route: 'POST /combatants/{combatantId}/damage',
    tells: ['hp', 'lifeState', 'events'],
    input: z.strictObject({
      ...one,
      amount,
      type: line(40).optional(),
      save: z.enum(['none', 'half', 'full', 'double']).optional(),
      critical: z.boolean().optional(),
      knockOut: z.boolean().optional(),
      /** Whether concentration was kept at the table; rolled where nobody says. */
      concentrationKept: z.boolean().optional(),
      ...key,
    }),
    output: doneOutput,
    example: (world) => ({ combatantId: world.id('combatant', 'own'), amount: 5, type: 'fire' }),
    handle(context, { combatantId, amount: points, type, save, critical, knockOut, concentrationKept }) {
      const blow = {
        parts: [{ amount: points, type: type?.toLowerCase() || null }],
        share: save,
        critical,
        knockOut,
      }
      const command = { do: 'damage', id: combatantId, blow, concentrationKept } as const
      return doneTo(context, combatantId, carryOut(context, encounterOf(context, combatantId), command))
    },
  }),
  heal_combatant: defineOperation({
    name: 'heal_combatant',
    title: 'Heal combatant',
    description: 'Up to the maximum. temporary: never add up.',
    toolset: 'combat',
    access: 'controller',
    effect: 'write',
    route: 'POST /combatants/{combatantId}/heal',
    tells: ['hp', 'lifeState', 'events'],
    input: z.strictObject({ ...one, amount, temporary: z.boolean().optional(), ...key }),
    output: doneOutput,
    example: (world) => ({ combatantId: world.id('combatant', 'own'), amount: 4 }),
    handle(context, { combatantId, amount: points, temporary }) {
      const command = { do: 'heal', id: combatantId, amount: points, temporary: temporary ?? false } as const
      return doneTo(context, combatantId, carryOut(context, encounterOf(context, combatantId), command))
    },
  }),
  set_combatant_conditions: defineOperation({
    name: 'set_combatant_conditions',
    title: 'Set combatant conditions',
    description: 'Add conditions; remove by key, or key and source.',
    toolset: 'combat',
    access: 'controller',
    effect: 'write',
    route: 'PUT /combatants/{combatantId}/conditions',
    tells: ['conditions'],
    input: z.strictObject({
      ...one,
      add: conditions().max(20).optional(),
      remove: z
        .array(z.strictObject({ key: name(60), source: line(120).optional() }))
        .max(20)
        .optional(),
    }),
    output: doneOutput,
    example: (world) => ({ combatantId: world.id('combatant', 'own'), add: [{ key: 'prone', rounds: 1 }] }),
    handle(context, { combatantId, add, remove }) {
      const command = { do: 'conditions', id: combatantId, add: add ?? [], remove: remove ?? [] } as const
      return doneTo(context, combatantId, carryOut(context, encounterOf(context, combatantId), command))
    },
  }),
  roll_death_save: defineOperation({
    name: 'roll_death_save',
    title: 'Roll at the edge of death',
    description: 'Roll what somebody dying rolls at their turn, and apply it.',
    toolset: 'combat',
    access: 'controller',
    effect: 'write',
    route: 'POST /combatants/{combatantId}/death-save',
    tells: ['lifeState', 'marks', 'events'],
    input: z.strictObject({ ...one, ...key }),
    output: doneOutput,
    example: (world) => ({ combatantId: world.id('combatant', 'dying') }),
    handle(context, { combatantId }) {
      const command = { do: 'death-save', id: combatantId } as const
      return doneTo(context, combatantId, carryOut(context, encounterOf(context, combatantId), command))
    },
  }),
  use_combatant_action: defineOperation({
    name: 'use_combatant_action',
    title: 'Use combatant action',
    description: 'Roll an action of its stat block against targets and apply all; apply false only rolls.',
    toolset: 'combat',
    access: 'controller',
    effect: 'write',
    route: 'POST /combatants/{combatantId}/actions',
    tells: ['applied', 'rolls', 'results'],
    input: z.strictObject({
      ...one,
      /** Its key or name. */
      action: name(),
      targetIds: z.array(combatant.id).max(100).optional(),
      mode: z.enum(['plain', 'advantage', 'disadvantage']).optional(),
      /** From further away than a blow reaches. */
      far: z.boolean().optional(),
      apply: z.boolean().optional(),
    }),
    output: doneOutput.extend({
      applied: z.boolean(),
      action: z.string(),
      rolls: rolled,
      results: z.array(
        z.object({
          targetId: combatant.id,
          name: z.string(),
          outcome: z.string().nullable(),
          /** As rolled, before what the target has against it. */
          damage: z.int().nullable(),
          rolls: rolled,
        }),
      ),
    }),
    example: (world) => ({
      combatantId: world.id('combatant', 'own'),
      action: 'Knife',
      targetIds: [world.id('combatant')],
    }),
    handle(context, { combatantId, action, targetIds = [], mode, far, apply = true }) {
      refuseWhileStill(context)
      const kept = keptFight(context, encounterOf(context, combatantId))
      if (kept.fight.status !== 'running')
        throw fail(
          'invalid_state',
          kept.fight.status === 'ended'
            ? 'This fight has ended. reopen_encounter takes it up again.'
            : 'This fight has not begun. begin_encounter does that.',
        )
      // Whom the caller does not see is not there.
      const targets = [...new Set(targetIds)].map((id) => context.read(combatant).get(id))
      const asked = { id: combatantId, action, targetIds: targets.map(({ id }) => Number(id)) }
      const decided = act(kept.judge, kept.fight, { ...asked, mode: mode ?? 'plain', far: far ?? false })
      if (decided.refused !== null) throw refuse(decided)
      const ids = apply ? keep(context, kept, decided) : []
      const isMine = ({ controllerUserId }: { readonly controllerUserId: number | null }): boolean =>
        context.viewer.role === 'dm' || controllerUserId === context.actor.userId
      return {
        ...doneTo(context, combatantId, ids),
        applied: apply,
        action: decided.action.name,
        rolls: [...decided.rolls],
        results: decided.results.flatMap(({ targetId, outcome, damage, rolls }) => {
          const target = targets.find(({ id }) => id === targetId)
          if (target === undefined) return []
          // The save of a creature is its own: what it rolled is for those who run it.
          const own = decided.action.save === undefined || isMine(target)
          return [{ targetId: target.id, name: target.name, outcome, damage, rolls: own ? [...rolls] : [] }]
        }),
      }
    },
  }),
  adjust_combatant_resource: defineOperation({
    name: 'adjust_combatant_resource',
    title: 'Adjust combatant resource',
    description: 'Negative spends. key of its resources, or slot.3 for level 3.',
    toolset: 'combat',
    access: 'controller',
    effect: 'write',
    route: 'POST /combatants/{combatantId}/resources',
    tells: ['resources', 'slots'],
    input: z.strictObject({
      ...one,
      key: z.string().trim().min(1).max(60),
      delta: z
        .int()
        .min(-10_000)
        .max(10_000)
        .refine((count) => count !== 0, 'not 0'),
    }),
    output: doneOutput,
    example: (world) => ({ combatantId: world.id('combatant', 'own'), key: 'luck', delta: -1 }),
    handle(context, { combatantId, key: resource, delta }) {
      const command = { do: 'resource', id: combatantId, key: resource, delta } as const
      return doneTo(context, combatantId, carryOut(context, encounterOf(context, combatantId), command))
    },
  }),
  set_combatant_turn: defineOperation({
    name: 'set_combatant_turn',
    title: 'Set combatant turn',
    description: 'What is left of a turn (counts, feet), concentration, delaying, readied.',
    toolset: 'combat',
    access: 'controller',
    effect: 'write',
    route: 'PUT /combatants/{combatantId}/turn',
    tells: ['parts', 'concentration', 'delaying', 'readied'],
    input: z.strictObject({
      ...one,
      action: left,
      bonusAction: left,
      reaction: left,
      movement: left,
      concentration: line(120).nullable().optional(),
      delaying: z.boolean().optional(),
      readied: line().nullable().optional(),
    }),
    output: doneOutput,
    example: (world) => ({ combatantId: world.id('combatant', 'own'), readied: 'when the door opens' }),
    handle(context, { combatantId, concentration, readied, ...rest }) {
      const words = {
        concentration: concentration === '' ? null : concentration,
        readied: readied === '' ? null : readied,
      }
      const command = { do: 'turn', id: combatantId, ...rest, ...words } as const
      return doneTo(context, combatantId, carryOut(context, encounterOf(context, combatantId), command))
    },
  }),
}
