import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import type { Cache, PendingChange } from '../../api/cache.ts'
import type { BeatStatus, Input, StoryBeat, StoryGraph, Way } from '../../api/contract.ts'
import { useAction } from '../../shell/actions.ts'
import { useCampaign } from '../../shell/context.ts'

/** Which graph the page shows: of a story too large to be whole, the part around a beat. */
export const GraphInput = createContext<Input<'get_story_graph'> | null>(null)

type Change = (graph: StoryGraph) => StoryGraph

const withStatus =
  (status: ReadonlyMap<number, BeatStatus>): Change =>
  (graph) => ({
    ...graph,
    beats: graph.beats.map((beat) => ({ ...beat, status: status.get(beat.id) ?? beat.status })),
  })

/** What can be done with the story by one press: shown at once, taken back when it does not come through, and to be undone. */
export function useStoryActs() {
  const { campaignId } = useCampaign()
  const act = useAction()

  const shown = useContext(GraphInput) ?? { campaignId }
  const overGraph = (cache: Cache, change: Change): PendingChange => cache.one('get_story_graph', shown).overlay(change)

  return {
    take: (beatId: number, way: Pick<Way, 'id' | 'label' | 'toBeatId'>) =>
      act(
        'take_branch',
        { branchId: way.id },
        {
          message: `They chose: ${way.label}.`,
          ahead: {
            what: 'The choice',
            show: (cache) => [
              overGraph(cache, (graph) => {
                const status = new Map<number, BeatStatus>([[beatId, 'done']])
                const next = graph.beats.find(({ id }) => id === way.toBeatId)
                if (next && next.status !== 'done') status.set(next.id, 'active')
                return withStatus(status)(graph)
              }),
              cache.one('get_beat', { beatId }).overlay((beat) => ({
                ...beat,
                status: 'done',
                branches: beat.branches.map((one) => ({
                  ...one,
                  status: one.id === way.id ? ('taken' as const) : ('not_taken' as const),
                })),
              })),
            ],
          },
        },
      ),

    setStatus: (beat: Pick<StoryBeat, 'id' | 'title'>, status: BeatStatus, message: string) =>
      act(
        'set_beat_status',
        { beatId: beat.id, status },
        {
          message,
          ahead: {
            what: 'The new state',
            show: (cache) => [
              overGraph(cache, withStatus(new Map([[beat.id, status]]))),
              cache.one('get_beat', { beatId: beat.id }).overlay((now) => ({ ...now, status })),
            ],
          },
        },
      ),

    move: (beat: Pick<StoryBeat, 'id' | 'title'>, arcId: number, afterBeatId: number | null) =>
      act(
        'move_beat',
        { beatId: beat.id, arcId, ...(afterBeatId === null ? {} : { afterBeatId }) },
        {
          message: `${beat.title} stands elsewhere now.`,
          ahead: { what: 'The move', show: (cache) => [overGraph(cache, moved(beat.id, arcId, afterBeatId))] },
        },
      ),

    moveArc: (graph: StoryGraph, arcId: number, by: -1 | 1) => {
      const order = graph.arcs.map(({ id }): number => id)
      const at = order.indexOf(arcId)
      order.splice(at, 1)
      order.splice(at + by, 0, arcId)
      const afterArcId = order[at + by - 1]
      const placeOf = ({ id }: { readonly id: number }): number => order.indexOf(id)
      return act(
        'reorder_arcs',
        { campaignId, arcIds: [arcId], ...(afterArcId === undefined ? {} : { afterArcId }) },
        {
          ahead: {
            what: 'The new order',
            show: (cache) => [
              overGraph(cache, (now) => ({
                ...now,
                arcs: now.arcs.toSorted((one, other) => placeOf(one) - placeOf(other)),
              })),
            ],
          },
        },
      )
    },
  }
}

function moved(beatId: number, arcId: number, afterBeatId: number | null): Change {
  return (graph) => {
    const beat = graph.beats.find(({ id }) => id === beatId)
    if (!beat) return graph
    const others = graph.beats.filter(({ id }) => id !== beatId)
    const at =
      afterBeatId === null
        ? others.findIndex((other) => other.arcId === arcId)
        : others.findIndex(({ id }) => id === afterBeatId) + 1
    const beats = others.toSpliced(at === -1 ? others.length : at, 0, { ...beat, arcId })
    return { ...graph, beats }
  }
}
