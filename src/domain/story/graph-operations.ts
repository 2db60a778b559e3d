import * as z from 'zod'
import type { Context } from '../../kernel/context.ts'
import type { VisibleRowOf } from '../../kernel/entity.ts'
import { defineOperation } from '../../kernel/operation.ts'
import { encodeCursor } from '../../kernel/paging.ts'
import { campaign } from '../campaign/entity.ts'
import { session } from '../session/entity.ts'
import { arc, beat, branch } from './entity.ts'
import { inOrder, progressOutput, withTold } from './read.ts'
import { leadsOf, mostBeats, mostBranches } from './rules.ts'

/** So many arcs come with a graph. */
const mostArcs = 1_000

const graphOutput = z.object({
  /** In order. */
  arcs: z.array(arc.output.pick({ id: true, title: true, status: true }).extend({ progress: progressOutput })),
  /** In the order of their arc. */
  beats: z.array(
    beat.output
      .pick({ id: true, arcId: true, title: true, status: true, sessionId: true })
      .extend({ sessionNumber: z.int().nullable() }),
  ),
  branches: z.array(
    branch.output.pick({ id: true, beatId: true, toBeatId: true, label: true, condition: true, status: true }),
  ),
  /** Beats without branches, and the one of their arc that they lead on to. */
  continuations: z.array(z.object({ beatId: z.int(), nextBeatId: z.int() })),
  /** How many beats there are in all. */
  beatCount: z.int(),
  /** Not all is here: beats near the one asked for, and the branches between them. */
  truncated: z.boolean(),
})

type NodeRow = Pick<VisibleRowOf<typeof beat>, 'id' | 'arcId' | 'title' | 'status' | 'sessionId' | 'position'>
const order = [['position', 'asc']] as const
const nodeColumns = ['arcId', 'title', 'status', 'sessionId', 'position'] as const

/** What a neighbourhood is around where none is named: what is told now in the first arc that has such a beat, or else the first beat. */
function current(context: Context): number | null {
  const arcs = context
    .read(arc)
    .page({ order, columns: ['id'], limit: mostArcs })
    .items.map(({ id }) => id)
  const firstOf = (where: { readonly status?: 'active' }): number | null => {
    const beats = context.read(beat).groupBy('arcId', arcs, { where, order, columns: ['id'], limit: 1 })
    const inArc = arcs.find((id) => beats.has(id))
    return inArc === undefined ? null : (beats.get(inArc)?.items[0]?.id ?? null)
  }
  return firstOf({ status: 'active' }) ?? firstOf({})
}

/** Half of them stand before the beat in its arc and half behind it; what ways lead out of these to, fills what is left. */
function neighbourhood(context: Context, beatId: number | null): readonly NodeRow[] {
  const beats = context.read(beat)
  if (beatId === null) return []
  const { arcId, position } = beats.get(beatId)
  const side = (direction: 'asc' | 'desc', key: number, limit: number) =>
    beats.page({
      where: { arcId },
      order: [['position', direction]],
      columns: nodeColumns,
      limit,
      cursor: encodeCursor([position, key]),
    }).items
  const half = Math.floor(mostBeats / 2)
  // Right before its own key: with the beat itself.
  const near = [...side('desc', beatId, half), ...side('asc', beatId - 1, half)]
  const known = new Set<number>(near.map(({ id }) => id))
  const ways = context.read(branch).page({
    where: { beatId: [...known] },
    columns: ['toBeatId'],
    limit: mostBranches,
  }).items
  const further = [...new Set(ways.map(({ toBeatId }) => toBeatId))]
    .filter((id): id is number => id !== null && !known.has(id))
    .slice(0, mostBeats - near.length)
  if (further.length === 0) return near
  return [...near, ...beats.page({ where: { id: further }, columns: nodeColumns, limit: mostBeats }).items]
}

function numbersOf(context: Context, ids: readonly (number | null)[]): ReadonlyMap<number, number> {
  const id = [...new Set(ids)].filter((each): each is number => each !== null)
  if (id.length === 0) return new Map()
  const rows = context.read(session).page({ where: { id }, columns: ['number'], limit: id.length }).items
  return new Map(rows.map((row) => [row.id as number, row.number]))
}

export const graphOperations = {
  get_story_graph: defineOperation({
    name: 'get_story_graph',
    title: 'Get story graph',
    description: 'Nodes and edges; of over 5,000 beats those around beatId or now.',
    toolset: 'story',
    access: 'dm',
    effect: 'read',
    route: 'GET /campaigns/{campaignId}/story-graph',
    input: z.strictObject({ campaignId: campaign.id, beatId: beat.id.optional() }),
    output: graphOutput,
    example: (world) => ({ campaignId: world.id('campaign') }),
    handle(context, { beatId }) {
      const around = beatId === undefined ? undefined : context.read(beat).get(beatId).id
      const beatCount = context.read(beat).count()
      const isWhole = beatCount <= mostBeats
      const rows = inOrder(
        isWhole
          ? context.read(beat).page({ columns: nodeColumns, limit: mostBeats }).items
          : neighbourhood(context, around ?? current(context)),
      )
      const shown = new Set<number>(rows.map(({ id }) => id))
      const edges = context.read(branch).page({
        ...(isWhole ? {} : { where: { beatId: [...shown] } }),
        columns: ['beatId', 'toBeatId', 'label', 'condition', 'status'],
        limit: mostBranches,
      })
      const arcs = context.read(arc).page({ order, columns: ['title', 'status'], limit: mostArcs })
      const numbers = numbersOf(
        context,
        rows.map(({ sessionId }) => sessionId),
      )
      return {
        arcs: withTold(context, arcs.items),
        beats: rows.map(({ position: _, ...row }) => ({
          ...row,
          sessionNumber: row.sessionId === null ? null : (numbers.get(row.sessionId) ?? null),
        })),
        branches: edges.items,
        continuations: leadsOf({ beats: rows, branches: edges.items })
          .filter(({ branchId }) => branchId === null)
          .map(({ from, to }) => ({ beatId: from, nextBeatId: to })),
        beatCount,
        truncated: !isWhole || edges.nextCursor !== null || arcs.nextCursor !== null,
      }
    },
  }),
}
