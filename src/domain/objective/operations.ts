import * as z from 'zod'
import { limits } from '../../kernel/limits.ts'
import { defineOperation } from '../../kernel/operation.ts'
import { listInput, pageOf } from '../../kernel/paging.ts'
import { lastPosition, placeRows, placesOf } from '../ordering.ts'
import { changed, deletes, trashedOutput, updates } from '../plain.ts'
import { quest } from '../quest/entity.ts'
import { objective } from './entity.ts'

const inQuest = { questId: quest.id }
const one = { objectiveId: objective.id }

export const objectiveOperations = {
  list_objectives: defineOperation({
    name: 'list_objectives',
    title: 'List objectives',
    description: 'Of a quest, in order.',
    toolset: 'story',
    access: 'viewer',
    effect: 'read',
    route: 'GET /quests/{questId}/objectives',
    input: z.strictObject({ ...inQuest, ...listInput }),
    output: pageOf(objective.listed),
    example: (world) => ({ questId: world.id('quest') }),
    handle: (context, { questId, ...page }) =>
      context.read(objective).list(page, { where: { questId }, order: [['position', 'asc']] }),
  }),
  create_objective: defineOperation({
    name: 'create_objective',
    title: 'Create objective',
    description: "At a quest's end.",
    toolset: 'story',
    access: 'dm+propose',
    effect: 'write',
    route: 'POST /quests/{questId}/objectives',
    creates: true,
    input: z.strictObject({ ...inQuest, ...objective.create('text', 'hidden', 'optional') }),
    output: objective.output,
    example: (world) => ({ questId: world.id('quest'), text: 'Ask Nettie about the song' }),
    handle(context, { questId, ...values }) {
      const position = lastPosition(placesOf(context, objective, { questId }))
      return changed(context, objective, context.write(objective).insert({ questId, ...values, position }))
    },
  }),
  update_objective: defineOperation({
    name: 'update_objective',
    title: 'Update objective',
    description: 'Change an objective.',
    toolset: 'story',
    access: 'dm+propose',
    effect: 'write',
    route: 'PATCH /objectives/{objectiveId}',
    input: z.strictObject({ ...one, ...objective.update('text', 'hidden', 'optional') }),
    output: objective.output,
    example: (world) => ({ objectiveId: world.id('objective'), text: 'Ask Nettie who taught her the song' }),
    handle: updates(objective, 'objectiveId'),
  }),
  set_objective_done: defineOperation({
    name: 'set_objective_done',
    title: 'Tick objective',
    description: 'Tick or untick.',
    toolset: 'story',
    access: 'player',
    effect: 'write',
    route: 'PUT /objectives/{objectiveId}/done',
    input: z.strictObject({ ...one, done: z.boolean() }),
    output: objective.output,
    example: (world) => ({ objectiveId: world.id('objective'), done: true }),
    handle: updates(objective, 'objectiveId'),
  }),
  reorder_objectives: defineOperation({
    name: 'reorder_objectives',
    title: 'Reorder objectives',
    description: 'First of all or behind afterObjectiveId; others stay.',
    toolset: 'story',
    access: 'dm',
    effect: 'write',
    route: 'PUT /quests/{questId}/objectives/order',
    input: z.strictObject({
      ...inQuest,
      objectiveIds: z.array(objective.id).min(1).max(limits.batch),
      afterObjectiveId: objective.id.optional(),
    }),
    /** Those that were put in order, not all of the quest. */
    output: z.object({ objectiveIds: z.array(z.int()) }),
    example: (world) => ({ questId: world.id('quest'), objectiveIds: [world.id('objective')] }),
    handle: (context, { questId, objectiveIds, afterObjectiveId }) => ({
      objectiveIds: placeRows(placesOf(context, objective, { questId }), objectiveIds, afterObjectiveId, {
        rows: 'objectiveIds',
        after: 'afterObjectiveId',
      }),
    }),
  }),
  delete_objective: defineOperation({
    name: 'delete_objective',
    title: 'Delete objective',
    description: 'To the trash.',
    toolset: 'story',
    access: 'dm',
    effect: 'destroy',
    route: 'DELETE /objectives/{objectiveId}',
    input: z.strictObject(one),
    output: trashedOutput,
    example: (world) => ({ objectiveId: world.id('objective') }),
    handle: deletes(objective, 'objectiveId'),
  }),
}
