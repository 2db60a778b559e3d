import * as z from 'zod'
import type { Context } from '../../kernel/context.ts'
import type { VisibleRowOf } from '../../kernel/entity.ts'
import { limits } from '../../kernel/limits.ts'
import { defineOperation } from '../../kernel/operation.ts'
import { pageInput, pageOf } from '../../kernel/paging.ts'
import { campaign } from '../campaign/entity.ts'
import { objective } from '../objective/entity.ts'
import { lastPosition, placeRows, placesOf } from '../ordering.ts'
import { changed, deletes, trashedOutput } from '../plain.ts'
import { refuseCircle } from '../tree.ts'
import { quest, questStatus } from './entity.ts'

const progress = z.object({ done: z.int(), total: z.int() })
const questOutput = quest.output.extend({ progress })
const questDetail = questOutput.extend({ objectives: z.array(objective.output), subquests: z.array(questOutput) })
const writable = [
  'title',
  'body',
  'status',
  'parentQuestId',
  'giverNpcId',
  'locationId',
  'reward',
  'dmSecret',
  'hidden',
  'tags',
] as const

/** Progress counts what the viewer sees, so that a hidden step shows in no sum. Optional steps do not count. */
function withProgress(context: Context, row: VisibleRowOf<typeof quest>) {
  const objectives = context.read(objective)
  const total = objectives.count({ questId: row.id, optional: false })
  return { ...row, progress: { done: objectives.count({ questId: row.id, optional: false, done: true }), total } }
}

function detail(context: Context, questId: number) {
  const row = withProgress(context, context.read(quest).get(questId))
  const subquests = context.read(quest).all({ where: { parentQuestId: questId }, order: [['position', 'asc']] })
  return {
    ...row,
    objectives: context.read(objective).all({ where: { questId }, order: [['position', 'asc']] }),
    subquests: subquests.map((each) => withProgress(context, each)),
  }
}

function changedQuest(context: Context, questId: number) {
  changed(context, quest, questId)
  return detail(context, questId)
}

export const questOperations = {
  list_quests: defineOperation({
    name: 'list_quests',
    title: 'List quests',
    description: 'Quests in order, with progress.',
    toolset: 'story',
    access: 'viewer',
    effect: 'read',
    route: 'GET /campaigns/{campaignId}/quests',
    input: z.strictObject({
      campaignId: campaign.id,
      status: questStatus.optional(),
      parentQuestId: quest.id.optional(),
      ...pageInput,
    }),
    output: pageOf(questOutput),
    example: (world) => ({ campaignId: world.id('campaign') }),
    handle(context, { status, parentQuestId, limit, cursor }) {
      const { items, nextCursor } = context
        .read(quest)
        .page({ where: { status, parentQuestId }, order: [['position', 'asc']], limit, cursor })
      return { items: items.map((row) => withProgress(context, row)), nextCursor }
    },
  }),
  get_quest: defineOperation({
    name: 'get_quest',
    title: 'Get quest',
    description: 'One quest with objectives, subquests and links.',
    toolset: 'story',
    access: 'viewer',
    effect: 'read',
    route: 'GET /quests/{questId}',
    input: z.strictObject({ questId: quest.id }),
    output: questDetail,
    example: (world) => ({ questId: world.id('quest') }),
    handle: (context, { questId }) => detail(context, questId),
  }),
  create_quest: defineOperation({
    name: 'create_quest',
    title: 'Create quest',
    description: "New quest, last in order. A player's call becomes a proposal.",
    toolset: 'story',
    access: 'dm+propose',
    effect: 'write',
    route: 'POST /campaigns/{campaignId}/quests',
    creates: true,
    input: z.strictObject({ campaignId: campaign.id, ...quest.create(...writable) }),
    output: questDetail,
    example: (world) => ({
      campaignId: world.id('campaign'),
      title: 'The bell under the ice',
      body: 'Somebody rings it at night.',
      tags: ['winter'],
    }),
    handle(context, { campaignId, ...values }) {
      const position = lastPosition(placesOf(context, quest))
      return changedQuest(context, context.write(quest).insert({ ...values, position }))
    },
  }),
  update_quest: defineOperation({
    name: 'update_quest',
    title: 'Update quest',
    description: 'Change a quest. Absent keeps, null clears.',
    toolset: 'story',
    access: 'dm+propose',
    effect: 'write',
    route: 'PATCH /quests/{questId}',
    input: z.strictObject({ questId: quest.id, ...quest.update(...writable) }),
    output: questDetail,
    example: (world) => ({ questId: world.id('quest'), reward: 'A winter coat' }),
    handle(context, { questId, expectedRevision, ...patch }) {
      refuseCircle(context, quest, 'parentQuestId', questId, patch.parentQuestId)
      context.write(quest).update(questId, patch, expectedRevision)
      return changedQuest(context, questId)
    },
  }),
  set_quest_status: defineOperation({
    name: 'set_quest_status',
    title: 'Set quest status',
    description: 'available, active, on_hold, completed, failed or abandoned.',
    toolset: 'story',
    access: 'dm+propose',
    effect: 'write',
    route: 'PUT /quests/{questId}/status',
    input: z.strictObject({ questId: quest.id, status: questStatus }),
    output: questDetail,
    example: (world) => ({ questId: world.id('quest'), status: 'completed' as const }),
    handle(context, { questId, status }) {
      context.write(quest).update(questId, { status })
      return detail(context, questId)
    },
  }),
  reorder_quests: defineOperation({
    name: 'reorder_quests',
    title: 'Reorder quests',
    description: 'Put these quests in this order, first of all or right behind afterQuestId; the others keep theirs.',
    toolset: 'story',
    access: 'dm',
    effect: 'write',
    route: 'PUT /campaigns/{campaignId}/quests/order',
    input: z.strictObject({
      campaignId: campaign.id,
      questIds: z.array(quest.id).min(1).max(limits.batch),
      afterQuestId: quest.id.optional(),
    }),
    /** Those that were put in order, not all quests. */
    output: z.object({ questIds: z.array(z.int()) }),
    example: (world) => ({ campaignId: world.id('campaign'), questIds: [world.id('quest')] }),
    handle: (context, { questIds, afterQuestId }) => ({
      questIds: placeRows(placesOf(context, quest), questIds, afterQuestId),
    }),
  }),
  delete_quest: defineOperation({
    name: 'delete_quest',
    title: 'Delete quest',
    description: 'Move a quest with its objectives to the trash.',
    toolset: 'story',
    access: 'dm',
    effect: 'destroy',
    route: 'DELETE /quests/{questId}',
    input: z.strictObject({ questId: quest.id }),
    output: trashedOutput,
    example: (world) => ({ questId: world.id('quest') }),
    handle: deletes(quest, 'questId'),
  }),
}
