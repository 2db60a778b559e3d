import * as z from 'zod'
import type { Context } from '../../kernel/context.ts'
import { fail, invalid } from '../../kernel/errors.ts'
import { defineOperation } from '../../kernel/operation.ts'
import { pageInput, pageOf } from '../../kernel/paging.ts'
import { campaign } from '../campaign/entity.ts'
import { changed, deletes, trashedOutput } from '../plain.ts'
import { relationOutput, relationsOf, shownRelation } from '../related.ts'
import { relatable, relation } from './entity.ts'
import { graphAround, graphLimits, graphOutput, wholeGraph } from './graph.ts'

const id = z.int().min(1)

/** While there is no second half it is hidden as the first is: a line has a word for whoever sees it. */
function wholeHalves<T extends { inverseLabel?: string | null | undefined; labelHidden?: boolean | undefined }>(
  values: T,
) {
  return values.inverseLabel ? values : { ...values, inverseLabelHidden: values.labelHidden ?? false }
}

/** Throws where the two are the same, or bound already as far as the caller sees. */
function refuseDouble(
  context: Context,
  where: { readonly fromType: string; readonly fromId: number; readonly toType: string; readonly toId: number },
): void {
  if (where.fromType === where.toType && where.fromId === where.toId)
    throw invalid('toId', 'the same thing', 'toId: nothing is bound to itself. Name two things.')
  const double = context.read(relation).first({ where, columns: [] })
  if (double !== null)
    throw fail(
      'invalid_state',
      `These two are bound already, by relation ${double.id}. update_relation changes its words.`,
    )
}

/** The thing in the middle, by the name that it has for the caller. Throws `not_found`, `validation_failed`. */
function middleOf(context: Context, entityType: string, entityId: number) {
  const entity = context.entity(entityType, 'linked')
  const row = context.read(entity).get(entityId) as unknown as Readonly<Record<string, unknown>>
  return { entityType, entityId, title: String(row[entity.title ?? ''] ?? '') }
}

export const relationOperations = {
  list_relations: defineOperation({
    name: 'list_relations',
    title: 'List relations',
    description: 'Of one thing, or all.',
    toolset: 'world',
    access: 'viewer',
    effect: 'read',
    route: 'GET /campaigns/{campaignId}/relations',
    input: z.strictObject({
      campaignId: campaign.id,
      entityType: relatable.optional(),
      entityId: id.optional(),
      ...pageInput,
    }),
    output: pageOf(relationOutput),
    example: (world) => ({ campaignId: world.id('campaign'), entityType: 'npc' as const, entityId: world.id('npc') }),
    handle(context, { entityType, entityId, limit, cursor }) {
      if ((entityType === undefined) !== (entityId === undefined))
        throw invalid('entityId', 'goes with entityType', 'entityType and entityId go together, or both stay away.')
      if (entityType !== undefined && entityId !== undefined) {
        context.entity(entityType, 'linked')
        return relationsOf(context, entityType, entityId, { limit, cursor })
      }
      const page = context.read(relation).page({ order: [['id', 'asc']], limit, cursor })
      return { ...page, items: page.items.map(shownRelation) }
    },
  }),
  create_relation: defineOperation({
    name: 'create_relation',
    title: 'Create relation',
    description: 'label: what the first is to the second; inverseLabel: the other way.',
    toolset: 'world',
    access: 'dm+propose',
    effect: 'write',
    route: 'POST /campaigns/{campaignId}/relations',
    creates: true,
    input: z.strictObject({
      campaignId: campaign.id,
      fromType: relatable,
      fromId: id,
      toType: relatable,
      toId: id,
      ...relation.create('label', 'inverseLabel', 'labelHidden', 'inverseLabelHidden', 'hidden'),
    }),
    output: relationOutput,
    example: (world) => ({
      campaignId: world.id('campaign'),
      fromType: 'npc' as const,
      fromId: world.id('npc'),
      toType: 'quest' as const,
      toId: world.id('quest'),
      label: 'made it herself',
      inverseLabel: 'will find her out',
    }),
    handle(context, { campaignId: _, ...values }) {
      const { fromType, fromId, toType, toId } = values
      refuseDouble(context, { fromType, fromId, toType, toId })
      const relationId = context.write(relation).insert(wholeHalves(values))
      return shownRelation(changed(context, relation, relationId))
    },
  }),
  update_relation: defineOperation({
    name: 'update_relation',
    title: 'Update relation',
    description: 'Its words, or who may know them.',
    toolset: 'world',
    access: 'dm',
    effect: 'write',
    route: 'PATCH /relations/{relationId}',
    input: z.strictObject({
      relationId: relation.id,
      ...relation.update('label', 'inverseLabel', 'labelHidden', 'inverseLabelHidden', 'hidden'),
    }),
    output: relationOutput,
    example: (world) => ({ relationId: world.id('relation'), label: 'keeps its ledger, and reads it' }),
    handle(context, { relationId, expectedRevision, ...patch }) {
      const { inverseLabel, labelHidden } = context.read(relation).get(relationId)
      const now = { inverseLabel, labelHidden, ...defined(patch) }
      const change = now.inverseLabel ? patch : { ...patch, inverseLabelHidden: now.labelHidden ?? false }
      context.write(relation).update(relationId, change, expectedRevision)
      return shownRelation(changed(context, relation, relationId))
    },
  }),
  delete_relation: defineOperation({
    name: 'delete_relation',
    title: 'Delete relation',
    description: 'To the trash. Both ends stay.',
    toolset: 'world',
    access: 'dm',
    effect: 'destroy',
    route: 'DELETE /relations/{relationId}',
    input: z.strictObject({ relationId: relation.id }),
    output: trashedOutput,
    example: (world) => ({ relationId: world.id('relation', 'spare') }),
    handle: deletes(relation, 'relationId'),
  }),
  get_relation_graph: defineOperation({
    name: 'get_relation_graph',
    title: 'Get relation graph',
    description: 'Nodes and edges around one thing, depth steps out (2 unless told), or all.',
    toolset: 'world',
    access: 'viewer',
    effect: 'read',
    route: 'GET /campaigns/{campaignId}/relation-graph',
    input: z.strictObject({
      campaignId: campaign.id,
      aroundType: relatable.optional(),
      aroundId: id.optional(),
      depth: z.int().min(1).max(graphLimits.depth).optional(),
    }),
    output: graphOutput,
    example: (world) => ({ campaignId: world.id('campaign'), aroundType: 'npc' as const, aroundId: world.id('npc') }),
    handle(context, { aroundType, aroundId, depth = 2 }) {
      if ((aroundType === undefined) !== (aroundId === undefined))
        throw invalid('aroundId', 'goes with aroundType', 'aroundType and aroundId go together, or both stay away.')
      if (aroundType === undefined || aroundId === undefined) return wholeGraph(context)
      return graphAround(context, middleOf(context, aroundType, aroundId), depth)
    },
  }),
}

/** What a patch says, without what it leaves as it is. */
function defined<T extends object>(patch: T): Partial<T> {
  return Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined)) as Partial<T>
}
