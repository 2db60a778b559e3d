import type { ComponentChildren, JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { StoryArc, StoryBeat, StoryGraph } from '../../api/contract.ts'
import { Button } from '../../kit/button.tsx'
import { byArc, type Loom, noteOf } from './layout.ts'

/** Of longer stories only the arcs are opened that somebody opens, and that of the chosen beat. */
const openUpTo = 200
/** So many beats of an arc are listed at once, around the chosen one. */
const atOnce = 100

/** The story as a list: the twin of the threads, and all of it on a phone. The chosen beat opens in its place. */
export function Outline({
  graph,
  arcs,
  loom,
  chosen,
  onChoose,
  onArrow,
  headOf,
  children,
}: {
  graph: StoryGraph
  arcs: readonly StoryArc[]
  loom: Loom
  chosen: number | null
  onChoose: (beatId: number | null) => void
  onArrow: (event: KeyboardEvent, beatId: number, beats: readonly StoryBeat[]) => void
  /** What stands beside the title of an arc. */
  headOf: (arc: StoryArc) => ComponentChildren
  /** What is known of the chosen beat. */
  children: ComponentChildren
}): JSX.Element {
  const beatsOf = byArc(graph.beats)
  const all = graph.beats.length <= openUpTo
  const arcOfChosen = graph.beats.find(({ id }) => id === chosen)?.arcId
  const [opened, setOpened] = useState<ReadonlyMap<number, boolean>>(new Map())
  const isOpen = ({ id }: StoryArc) => opened.get(id) ?? (all || id === arcOfChosen)
  return (
    <div class="story-outline">
      {arcs.map((arc) => {
        const beats = beatsOf.get(arc.id) ?? []
        return (
          <section key={arc.id} aria-label={arc.title}>
            <div class="arc-head">
              <h2>
                {all ? (
                  arc.title
                ) : (
                  <button
                    type="button"
                    class="arc-toggle"
                    aria-expanded={isOpen(arc)}
                    onClick={() => setOpened(new Map([...opened, [arc.id, !isOpen(arc)]]))}
                  >
                    {arc.title}
                  </button>
                )}
              </h2>
              {headOf(arc)}
            </div>
            {isOpen(arc) && (
              <Beats
                beats={beats}
                loom={loom}
                chosen={chosen}
                onChoose={onChoose}
                onArrow={(event, id) => onArrow(event, id, beats)}
              >
                {children}
              </Beats>
            )}
          </section>
        )
      })}
    </div>
  )
}

const lookOf: Readonly<Record<StoryBeat['status'], string>> = {
  planned: '',
  active: 'now',
  done: 'told',
  skipped: 'off',
}

/** Beats that hang below the one that leads to them: what is one of several ways out, and not what came to pass. */
function hanging(beats: readonly StoryBeat[], loom: Loom): ReadonlyMap<number, number> {
  const own = new Map<number, StoryBeat>(beats.map((beat) => [beat.id, beat]))
  const ways = new Map<number, number>()
  for (const { from, branch } of loom.strands) if (branch) ways.set(from, (ways.get(from) ?? 0) + 1)
  const below = new Map<number, number>()
  for (const { from, to, branch } of loom.strands) {
    const beat = own.get(to)
    const isOneOfSeveral = branch !== null && (ways.get(from) ?? 0) > 1 && own.has(from)
    if (beat && isOneOfSeveral && (beat.status === 'planned' || beat.status === 'skipped')) below.set(to, from)
  }
  // Below one that hangs itself would be a ladder: those stand on the thread.
  for (const [to, from] of below) if (below.has(from)) below.delete(to)
  return below
}

function Beats({
  beats,
  loom,
  chosen,
  onChoose,
  onArrow,
  children,
}: {
  beats: readonly StoryBeat[]
  loom: Loom
  chosen: number | null
  onChoose: (beatId: number | null) => void
  onArrow: (event: KeyboardEvent, beatId: number) => void
  children: ComponentChildren
}): JSX.Element {
  const at = Math.max(
    0,
    beats.findIndex(({ id }) => id === chosen),
  )
  const [span, setSpan] = useState({ before: atOnce, behind: atOnce })
  const [from, to] = [Math.max(0, at - span.before), Math.min(beats.length, at + span.behind)]
  const shown = beats.slice(from, to)
  const below = hanging(shown, loom)
  const item = (beat: StoryBeat): JSX.Element => {
    const spot = loom.spots.get(beat.id)
    const note = [spot?.if, noteOf(beat, spot?.eitherWay)].filter(Boolean).join('. ')
    const look = lookOf[beat.status]
    const under = shown.filter(({ id }) => below.get(id) === beat.id)
    return (
      <li key={beat.id} class={look || undefined}>
        <button
          id={`beat-${beat.id}`}
          type="button"
          class={look === 'off' ? 'o off' : 'o'}
          aria-expanded={beat.id === chosen}
          onClick={() => onChoose(beat.id === chosen ? null : beat.id)}
          onKeyDown={(event) => onArrow(event, beat.id)}
        >
          <span>
            <strong>{beat.title}</strong>
            {note && <small>{note}</small>}
          </span>
        </button>
        {beat.id === chosen && <div class="inhand">{children}</div>}
        {under.length > 0 && <ol class="outline">{under.map(item)}</ol>}
      </li>
    )
  }
  return (
    <>
      {from > 0 && (
        <Button variant="quiet" icon="up" onClick={() => setSpan({ ...span, before: span.before + atOnce })}>
          {`${from} earlier`}
        </Button>
      )}
      <ol class="outline">{shown.filter(({ id }) => !below.has(id)).map(item)}</ol>
      {to < beats.length && (
        <Button variant="quiet" icon="down" onClick={() => setSpan({ ...span, behind: span.behind + atOnce })}>
          {`${beats.length - to} later`}
        </Button>
      )}
    </>
  )
}
