import * as z from 'zod'
import type { Context } from '../../kernel/context.ts'
import type { Entity } from '../../kernel/entity.ts'
import { character } from '../character/entity.ts'
import { faction } from '../faction/entity.ts'
import { location } from '../location/entity.ts'
import { npc } from '../npc/entity.ts'
import { quest } from '../quest/entity.ts'
import { type RelationRow, relationOutput, shownRelation } from '../related.ts'
import { relatable, relation } from './entity.ts'

/** How much of the web one answer holds, and how many relations are looked at for it. */
export const graphLimits = { nodes: 5000, relations: 20_000, depth: 4 } as const

export const graphOutput = z.object({
  nodes: z.array(
    z.object({
      entityType: relatable,
      entityId: z.int(),
      title: z.string(),
      /** How many relations away from the middle; 0 everywhere where there is no middle. */
      steps: z.int(),
      hidden: z.boolean(),
      /** A face or an emblem. */
      pictureAttachmentId: z.int().nullable(),
    }),
  ),
  edges: z.array(relationOutput),
  /** There is more than this answer holds: ask around one of its nodes. */
  truncated: z.boolean(),
})

interface Thing {
  readonly entityType: string
  readonly entityId: number
}
interface Node extends Thing {
  readonly title: string
  readonly steps: number
}

const keyOf = ({ entityType, entityId }: Thing): string => `${entityType} ${entityId}`

/** A graph that grows until it is full. */
function growing() {
  const nodes = new Map<string, Node>()
  const edges = new Map<number, RelationRow>()
  let truncated = false
  let looked = 0
  /** Whether both ends of a relation are part of it now. */
  const put = (thing: (Thing & { title: string }) | null, steps: number): boolean => {
    if (thing === null) return false
    if (nodes.has(keyOf(thing))) return true
    if (nodes.size >= graphLimits.nodes) {
      truncated = true
      return false
    }
    nodes.set(keyOf(thing), { ...thing, steps })
    return true
  }
  return {
    nodes,
    edges,
    put,
    add(row: RelationRow, steps: number): void {
      if (put(row.from, steps) && put(row.to, steps)) edges.set(row.id, row)
    },
    has: (thing: Thing | null): boolean => thing !== null && nodes.has(keyOf(thing)),
    /** Whether another relation may be looked at. */
    look(): boolean {
      looked += 1
      if (looked > graphLimits.relations) truncated = true
      return !truncated
    },
    truncated: () => truncated,
  }
}

type Graph = ReturnType<typeof growing>

/** Everything that is related to anything, in the order in which it was: as much of it as the answer holds. */
export function wholeGraph(context: Context): z.input<typeof graphOutput> {
  const graph = growing()
  for (const row of context.read(relation).each()) {
    if (!graph.look()) break
    graph.add(row, 0)
  }
  return answer(context, graph)
}

/**
 * What is bound to a thing, and what to that, as many steps as are asked for; and what binds those that were found to each
 * other. It costs a few statements for each step, however many things there are.
 */
export function graphAround(
  context: Context,
  middle: Thing & { title: string },
  depth: number,
): z.input<typeof graphOutput> {
  const graph = growing()
  graph.put(middle, 0)
  let edge: readonly Thing[] = [middle]
  for (let steps = 1; steps <= depth && edge.length > 0; steps++) {
    for (const row of relationsAt(context, edge, ['from', 'to'])) {
      if (!graph.look()) break
      graph.add(row, steps)
    }
    edge = [...graph.nodes.values()].filter((node) => node.steps === steps)
  }
  // Of the outermost only what stays within: whatever begins at one of them and ends at another.
  for (const row of relationsAt(context, edge, ['from'])) {
    if (!graph.look()) break
    if (graph.has(row.from) && graph.has(row.to)) graph.edges.set(row.id, row)
  }
  return answer(context, graph)
}

function* relationsAt(
  context: Context,
  things: readonly Thing[],
  ends: readonly ('from' | 'to')[],
): Generator<RelationRow, void, undefined> {
  const byType = Map.groupBy(things, ({ entityType }) => entityType)
  for (const [type, of] of byType) {
    const ids = of.map(({ entityId }) => entityId)
    for (const end of ends) {
      const where = end === 'from' ? { fromType: type, fromId: ids } : { toType: type, toId: ids }
      yield* context.read(relation).each({ where })
    }
  }
}

interface Look {
  readonly hidden: boolean
  readonly pictureAttachmentId: number | null
}

/** How the things of one kind look, by their ids: one walk over them. */
const looks: Readonly<
  Record<z.output<typeof relatable>, (context: Context, id: readonly number[]) => Iterable<readonly [number, Look]>>
> = {
  *npc(context, id) {
    for (const row of context.read(npc).each({ where: { id }, columns: ['hidden', 'portraitAttachmentId'] }))
      yield [row.id, { hidden: row.hidden, pictureAttachmentId: row.portraitAttachmentId }]
  },
  *character(context, id) {
    for (const row of context.read(character).each({ where: { id }, columns: ['portraitAttachmentId'] }))
      yield [row.id, { hidden: false, pictureAttachmentId: row.portraitAttachmentId }]
  },
  *faction(context, id) {
    for (const row of context.read(faction).each({ where: { id }, columns: ['hidden', 'emblemAttachmentId'] }))
      yield [row.id, { hidden: row.hidden, pictureAttachmentId: row.emblemAttachmentId }]
  },
  location: (context, id) => withoutPicture(context, location, id),
  quest: (context, id) => withoutPicture(context, quest, id),
}

function* withoutPicture(
  context: Context,
  entity: typeof location | typeof quest,
  id: readonly number[],
): Iterable<readonly [number, Look]> {
  const rows = context.read(entity as Entity).each({ where: { id } as object, columns: ['hidden'] as never })
  for (const row of rows as unknown as Iterable<{ readonly id: number; readonly hidden: boolean }>)
    yield [row.id, { hidden: row.hidden, pictureAttachmentId: null }]
}

function answer(context: Context, graph: Graph): z.input<typeof graphOutput> {
  const nodes = [...graph.nodes.values()]
  const found = new Map<string, Look>()
  for (const entityType of relatable.options) {
    const ids = nodes.filter((node) => node.entityType === entityType).map(({ entityId }) => entityId)
    if (ids.length === 0) continue
    for (const [entityId, look] of looks[entityType](context, ids)) found.set(keyOf({ entityType, entityId }), look)
  }
  return {
    nodes: nodes.map(({ entityType, entityId, title, steps }) => {
      const { hidden = false, pictureAttachmentId = null } = found.get(keyOf({ entityType, entityId })) ?? {}
      return {
        entityType: entityType as z.output<typeof relatable>,
        entityId,
        title,
        steps,
        hidden,
        pictureAttachmentId,
      }
    }),
    edges: [...graph.edges.values()].map(shownRelation),
    truncated: graph.truncated(),
  }
}
