import * as z from 'zod'
import type { Context } from '../../kernel/context.ts'
import type { VisibleRowOf } from '../../kernel/entity.ts'
import { name } from '../../kernel/fields.ts'
import { limits } from '../../kernel/limits.ts'
import { defineOperation } from '../../kernel/operation.ts'
import { listInput, pageOf } from '../../kernel/paging.ts'
import { groupOf } from '../../kernel/reader.ts'
import { campaign } from '../campaign/entity.ts'
import { objective } from '../objective/entity.ts'
import { lastPosition, placeRows, placesOf } from '../ordering.ts'
import { asNew, changed, deletes, trashedOutput } from '../plain.ts'
import { progressOutput, withProgress } from '../progress.ts'
import { refuseCircle } from '../tree.ts'
import { quest, questStatus } from './entity.ts'

const questOutput = quest.output.extend({ progress: progressOutput })
const listedQuest = quest.listed.extend({ progress: progressOutput })
const questDetail = questOutput.extend({
  /** The first 200 in order; list_objectives has them all. */
  objectives: z.array(objective.output),
  objectiveCount: z.int(),
  /** The first 200 in order; list_quests has them all. */
  subquests: z.array(questOutput),
  subquestCount: z.int(),
})
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

function detail(context: Context, row: VisibleRowOf<typeof quest>) {
  const questId = row.id as number
  const order = [['position', 'asc']] as const
  const objectives = groupOf(context.read(objective).groupBy('questId', [questId], { order }), questId)
  const subquests = groupOf(context.read(quest).groupBy('parentQuestId', [questId], { order }), questId)
  const [self, ...under] = withProgress(context, [row, ...subquests.items])
  return {
    ...row,
    progress: self?.progress ?? { done: 0, total: 0 },
    objectives: objectives.items,
    objectiveCount: objectives.count,
    subquests: under,
    subquestCount: subquests.count,
  }
}

function changedQuest(context: Context, questId: number) {
  return detail(context, changed(context, quest, questId))
}

export const questOperations = {
  list_quests: defineOperation({
    name: 'list_quests',
    title: 'List quests',
    description: 'In order, with progress.',
    toolset: 'story',
    access: 'viewer',
    effect: 'read',
    route: 'GET /campaigns/{campaignId}/quests',
    input: z.strictObject({
      campaignId: campaign.id,
      status: questStatus.optional(),
      parentQuestId: quest.id.optional(),
      tag: name(limits.tag).optional(),
      ...listInput,
    }),
    output: pageOf(listedQuest),
    example: (world) => ({ campaignId: world.id('campaign') }),
    handle(context, { status, parentQuestId, tag, ...page }) {
      const where = { status, parentQuestId, tags: tag === undefined ? undefined : { has: tag } }
      const found = context.read(quest).list(page, { where, order: [['position', 'asc']] })
      return { ...found, items: withProgress(context, found.items) }
    },
  }),
  get_quest: defineOperation({
    name: 'get_quest',
    title: 'Get quest',
    description: 'With objectives, subquests and links.',
    toolset: 'story',
    access: 'viewer',
    effect: 'read',
    route: 'GET /quests/{questId}',
    input: z.strictObject({ questId: quest.id }),
    output: questDetail,
    example: (world) => ({ questId: world.id('quest') }),
    handle: (context, { questId }) => detail(context, context.read(quest).get(questId)),
  }),
  create_quest: defineOperation({
    name: 'create_quest',
    title: 'Create quest',
    description: 'New quest, last in order.',
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
      return changedQuest(context, context.write(quest).insert({ ...asNew(context, values), position }))
    },
  }),
  update_quest: defineOperation({
    name: 'update_quest',
    title: 'Update quest',
    description: 'Change a quest.',
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
    description: "Change a quest's status.",
    toolset: 'story',
    access: 'dm+propose',
    effect: 'write',
    route: 'PUT /quests/{questId}/status',
    input: z.strictObject({ questId: quest.id, status: questStatus }),
    output: questDetail,
    example: (world) => ({ questId: world.id('quest'), status: 'completed' as const }),
    handle(context, { questId, status }) {
      context.write(quest).update(questId, { status })
      return changedQuest(context, questId)
    },
  }),
  reorder_quests: defineOperation({
    name: 'reorder_quests',
    title: 'Reorder quests',
    description: 'First of all or behind afterQuestId; others stay.',
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
      questIds: placeRows(placesOf(context, quest), questIds, afterQuestId, {
        rows: 'questIds',
        after: 'afterQuestId',
      }),
    }),
  }),
  delete_quest: defineOperation({
    name: 'delete_quest',
    title: 'Delete quest',
    description: 'To the trash, with its objectives.',
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
