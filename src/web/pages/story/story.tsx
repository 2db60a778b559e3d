import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Link } from 'wouter-preact'
import type { ArcStatus, StoryArc, StoryBeat, StoryGraph } from '../../api/contract.ts'
import { Button, IconButton } from '../../kit/button.tsx'
import { HiddenBadge } from '../../kit/dm-only.tsx'
import { useTrash } from '../../kit/entity-actions.tsx'
import { count } from '../../kit/format.ts'
import { Icon, type IconName } from '../../kit/icon.tsx'
import { arcStatuses } from '../../kit/labels.ts'
import { Menu } from '../../kit/menu.tsx'
import { LoadError, Loading } from '../../kit/page.tsx'
import { ToggleGroup } from '../../kit/toggle-group.tsx'
import { useAction } from '../../shell/actions.ts'
import { useCampaign, usePageTitle, useQuery } from '../../shell/context.ts'
import { campaignPath } from '../../shell/links.ts'
import { useShortcuts } from '../../shell/navigation.tsx'
import { NotFound } from '../../shell/not-found.tsx'
import { GraphInput, useStoryActs } from './acts.ts'
import { ArcForm, BeatForm } from './forms.tsx'
import { byArc, type Direction, isFinished, layOut, stepFrom } from './layout.ts'
import { BeatLeaf } from './leaf.tsx'
import { Outline } from './outline.tsx'
import { Threads } from './threads.tsx'
import './styles.ts'

/** What is open in the leaflet instead of the chosen beat. */
type Writing = { readonly beatIn: number | null } | { readonly arc: number | null } | null

export function StoryPage(): JSX.Element {
  return <Story from={null} />
}

export function StoryAt({ id }: { id: number }): JSX.Element {
  return <Story from={id} />
}

/** The story, at what an arc has come to. */
export function StoryOfArc({ id }: { id: number }): JSX.Element {
  const { isDm } = useCampaign()
  const { data: arc, error, retry } = useQuery('get_arc', isDm ? { arcId: id } : null)
  if (!isDm) return <NotFound />
  if (!arc) return error ? <LoadError error={error} retry={retry} /> : <Loading />
  const now =
    arc.beats.find(({ status }) => status === 'active') ?? arc.beats.find(({ status }) => status === 'planned')
  return <Story from={(now ?? arc.beats.at(-1))?.id ?? null} />
}

/** Where the tale is and what the party could do. Nobody but a DM gets this page. */
function Story({ from }: { from: number | null }): JSX.Element {
  const { campaignId, campaign, isDm } = useCampaign()
  usePageTitle('Story', campaign.name)
  const whole = { campaignId }
  const { data: all, error, retry } = useQuery('get_story_graph', isDm ? whole : null)
  // A story too large to be shown whole comes around the beat that was asked for.
  const isElsewhere = all?.truncated === true && from !== null && !all.beats.some(({ id }) => id === from)
  const around = { campaignId, beatId: from ?? 0 }
  const near = useQuery('get_story_graph', isElsewhere ? around : null)
  const graph = isElsewhere ? near.data : all
  if (!isDm) return <NotFound />
  if (!graph) return error ? <LoadError error={error} retry={retry} /> : <Loading />
  return (
    <GraphInput.Provider value={isElsewhere ? around : whole}>
      <Canvas graph={graph} from={from} />
    </GraphInput.Provider>
  )
}

/** What is shown at first: what was asked for, else what is told now, else what comes next. */
function firstOf({ beats, arcs }: StoryGraph, from: number | null): number | null {
  const beatsOf = byArc(beats)
  const inOrder = arcs.filter((arc) => !isFinished(arc)).flatMap(({ id }) => beatsOf.get(id) ?? [])
  const found =
    beats.find(({ id }) => id === from) ??
    inOrder.find(({ status }) => status === 'active') ??
    inOrder.find(({ status }) => status === 'planned') ??
    inOrder[0]
  return found?.id ?? null
}

/** Whether there is room for threads; a phone gets the outline alone. */
function useRoom(): boolean {
  const [query] = useState(() => matchMedia('(min-width: 64rem)'))
  const [room, setRoom] = useState(query.matches)
  useEffect(() => {
    const onChange = () => setRoom(query.matches)
    query.addEventListener('change', onChange)
    return () => query.removeEventListener('change', onChange)
  }, [query])
  return room
}

const zooms = [0.4, 0.55, 0.7, 0.85, 1, 1.2, 1.5] as const

function Canvas({ graph, from }: { graph: StoryGraph; from: number | null }): JSX.Element {
  const { campaignId, mayWrite } = useCampaign()
  const acts = useStoryActs()
  const room = useRoom()
  const [view, setView] = useState<'threads' | 'outline'>('threads')
  const [picked, setPicked] = useState<number | null | undefined>(undefined)
  const [writing, setWriting] = useState<Writing>(null)
  const [withFinished, setWithFinished] = useState(false)
  const [zoom, setZoom] = useState(1)
  const isThere = (id: number | null | undefined) => graph.beats.some((beat) => beat.id === id)
  const chosen = picked === null || isThere(picked) ? (picked as number | null) : firstOf(graph, from)

  const chosenBeat = graph.beats.find(({ id }) => id === chosen)
  const finished = graph.arcs.filter(isFinished)
  const arcs = graph.arcs.filter((arc) => withFinished || !isFinished(arc) || arc.id === chosenBeat?.arcId)
  const loom = layOut(graph, arcs)
  const threads = room && view === 'threads'

  // What moves among its neighbours loses the focus: it gets it back until another key is pressed.
  const held = useRef<number | null>(null)
  useEffect(() => {
    if (held.current !== null && document.activeElement === document.body)
      document.getElementById(`beat-${held.current}`)?.focus({ preventScroll: true })
  })
  const choose = (beatId: number | null) => {
    held.current = null
    setWriting(null)
    setPicked(beatId)
  }
  /** What was written is kept or left: the focus goes to the beat that is shown now. */
  const done = (beatId: number | null) => {
    choose(beatId)
    held.current = beatId
  }
  const move = (beatId: number, arcId: number, afterBeatId: number | null) => {
    const beat = graph.beats.find(({ id }) => id === beatId)
    if (beat && mayWrite) void acts.move(beat, arcId, afterBeatId)
  }
  /** Shift with an arrow: earlier or later, or into the arc above or below. */
  const shift = (beatId: number, direction: Direction) => {
    const beat = graph.beats.find(({ id }) => id === beatId)
    if (!beat) return
    held.current = beatId
    if (direction === 'left' || direction === 'right') {
      const step = stepFrom(byArc(graph.beats).get(beat.arcId) ?? [], beatId, direction === 'left' ? -1 : 1)
      if (step) move(beatId, beat.arcId, step.afterBeatId)
      return
    }
    const arc = arcs[arcs.findIndex(({ id }) => id === beat.arcId) + (direction === 'up' ? -1 : 1)]
    if (arc) move(beatId, arc.id, graph.beats.findLast((one) => one.arcId === arc.id)?.id ?? null)
  }
  const onArrow = (event: KeyboardEvent, beatId: number, beats: readonly StoryBeat[]) => {
    const by = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : 0
    if (by === 0 || event.altKey || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    held.current = null
    if (event.shiftKey) {
      held.current = beatId
      const step = stepFrom(beats, beatId, by)
      if (step) move(beatId, beats[0]?.arcId ?? 0, step.afterBeatId)
      return
    }
    const all = [...document.querySelectorAll<HTMLElement>('.story-outline .o')]
    all[all.indexOf(event.currentTarget as HTMLElement) + by]?.focus()
  }
  useShortcuts([
    { key: 'w', run: () => document.querySelector<HTMLElement>('[data-way]')?.focus() },
    {
      key: 'escape',
      run: () => (writing ? setWriting(null) : document.getElementById(`beat-${chosen}`)?.focus()),
    },
  ])

  const headOf = (arc: StoryArc) => <ArcHead graph={graph} arc={arc} onEdit={() => setWriting({ arc: arc.id })} />
  const form = writing && <Form graph={graph} writing={writing} onDone={done} onClose={() => done(chosen)} />
  const leaf = chosen !== null && (
    <BeatLeaf key={chosen} graph={graph} beatId={chosen} inPlace={!room} onChoose={choose} />
  )
  const finishedWord = withFinished
    ? 'Fold what is finished'
    : `${finished.length === 1 ? 'One finished arc' : count(finished.length, 'finished arc')}`

  if (graph.arcs.length === 0 && graph.beats.length === 0) {
    return (
      <div class="canvas">
        <Top campaignId={campaignId} />
        {form ? <div class="leaflet story-first">{form}</div> : <Empty onBegin={() => setWriting({ beatIn: null })} />}
      </div>
    )
  }
  return (
    <div class="canvas">
      <Top campaignId={campaignId}>
        {room && (
          <ToggleGroup
            label="How to look at it"
            options={[
              { value: 'threads', word: 'Threads' },
              { value: 'outline', word: 'Outline' },
            ]}
            value={view}
            onValue={setView}
          />
        )}
      </Top>
      {graph.truncated && (
        <p class="banner story-part">
          {`Not all ${graph.beatCount} beats are here: these are the ones around what is told now.`}
        </p>
      )}
      {threads ? (
        <Threads
          loom={loom}
          chosen={chosen}
          zoom={zoom}
          mayMove={mayWrite}
          onChoose={choose}
          onMove={move}
          onShift={shift}
          onNew={(arcId) => setWriting({ beatIn: arcId })}
          headOf={headOf}
        />
      ) : (
        (room || !form) && (
          <Outline
            graph={graph}
            arcs={arcs}
            loom={loom}
            chosen={chosen}
            onChoose={choose}
            onArrow={onArrow}
            headOf={headOf}
          >
            {!room && leaf}
          </Outline>
        )
      )}
      {!room && form && <div class="leaflet">{form}</div>}
      {room && (
        <aside class="leaflet" aria-label={writing ? 'What is being written' : 'The chosen beat'}>
          {form || leaf || <p class="soft">Choose a beat, or write one.</p>}
          {threads && !writing && <Keys />}
        </aside>
      )}
      <div class="canvas-tools" role="toolbar" aria-label="The story">
        {mayWrite && !(form && !room) && (
          <>
            <Button
              variant="primary"
              icon="plus"
              onClick={() => setWriting({ beatIn: chosenBeat?.arcId ?? arcs[0]?.id ?? null })}
            >
              Add a beat
            </Button>
            <Button icon="thread" onClick={() => setWriting({ arc: null })}>
              Add an arc
            </Button>
          </>
        )}
        {threads && (
          <>
            <IconButton
              icon="minus"
              label="Smaller"
              onClick={() => setZoom(zooms.findLast((one) => one < zoom) ?? zoom)}
            />
            <IconButton icon="plus" label="Larger" onClick={() => setZoom(zooms.find((one) => one > zoom) ?? zoom)} />
            <Button onClick={() => setZoom(fitting(loom))}>All of it</Button>
          </>
        )}
        {finished.length > 0 && (
          <Button aria-expanded={withFinished} onClick={() => setWithFinished(!withFinished)}>
            {finishedWord}
          </Button>
        )}
      </div>
    </div>
  )
}

/** As large as it can be with all of it in the window, as far as it can still be read. */
function fitting({ width, height }: { readonly width: number; readonly height: number }): number {
  const box = document.querySelector('.loomwrap')
  if (!box) return 1
  const most = Math.min(box.clientWidth / width, (box.clientHeight - 80) / height, 1)
  return Math.max(zooms[0], Math.floor(most * 100) / 100)
}

function Top({ campaignId, children }: { campaignId: number; children?: JSX.Element | false }): JSX.Element {
  return (
    <header class="canvas-top">
      <Link class="icon" href={campaignPath(campaignId)} aria-label="Back home">
        <Icon name="left" />
      </Link>
      <h1>Story</h1>
      <HiddenBadge>Only you ever see this page</HiddenBadge>
      {children}
    </header>
  )
}

function Form({
  graph,
  writing,
  onDone,
  onClose,
}: {
  graph: StoryGraph
  writing: NonNullable<Writing>
  onDone: (beatId: number) => void
  onClose: () => void
}): JSX.Element {
  const arcId = 'arc' in writing ? writing.arc : null
  const arc = useQuery('get_arc', arcId === null ? null : { arcId })
  if ('beatIn' in writing)
    return (
      <>
        <h2>A new beat</h2>
        <p class="soft small">One thing that may happen.</p>
        <BeatForm graph={graph} beat={null} arcId={writing.beatIn} onDone={onDone} onClose={onClose} />
      </>
    )
  if (arcId !== null && !arc.data) return arc.error ? <LoadError error={arc.error} within /> : <Loading />
  return (
    <>
      <h2>{arc.data ? 'Change the arc' : 'A new arc'}</h2>
      <ArcForm arc={arc.data ?? null} onClose={onClose} />
    </>
  )
}

const states = [
  { status: 'active', icon: 'right', word: 'It is going on' },
  { status: 'planned', icon: 'clock', word: 'It is to come' },
  { status: 'resolved', icon: 'check', word: 'It is told to its end' },
  { status: 'dropped', icon: 'x', word: 'Drop it' },
] as const satisfies readonly { status: ArcStatus; icon: IconName; word: string }[]

function ArcHead({ graph, arc, onEdit }: { graph: StoryGraph; arc: StoryArc; onEdit: () => void }): JSX.Element {
  const { mayWrite } = useCampaign()
  const act = useAction()
  const acts = useStoryActs()
  const trash = useTrash()
  const at = graph.arcs.findIndex(({ id }) => id === arc.id)
  const setStatus = (status: ArcStatus) => {
    const before = arc.status
    void act(
      'set_arc_status',
      { arcId: arc.id, status },
      {
        message: `${arc.title}: ${arcStatuses[status].toLowerCase()}.`,
        undo: () => act('set_arc_status', { arcId: arc.id, status: before }),
      },
    )
  }
  const { done, total } = arc.progress
  return (
    <span class="arc-about">
      {arc.status !== 'active' && <span class="chip">{arcStatuses[arc.status]}</span>}
      <span>{total === 0 ? 'Nothing in it yet' : `${done} of ${total} told`}</span>
      {mayWrite && (
        <Menu
          label={`More about the arc “${arc.title}”`}
          items={[
            { icon: 'pen', word: 'Edit', run: onEdit },
            at > 0 && { icon: 'up', word: 'Move up', run: () => acts.moveArc(graph, arc.id, -1) },
            at < graph.arcs.length - 1 && {
              icon: 'down',
              word: 'Move down',
              run: () => acts.moveArc(graph, arc.id, 1),
            },
            ...states.map(({ status, icon, word }) =>
              status === arc.status ? (false as const) : { icon, word, run: () => setStatus(status) },
            ),
            {
              icon: 'trash',
              word: 'Throw it away',
              danger: true,
              run: () => trash({ entityType: 'arc', entityId: arc.id, label: arc.title }),
            },
          ]}
        />
      )}
    </span>
  )
}

function Keys(): JSX.Element {
  return (
    <p class="hintline" aria-hidden="true">
      <span>
        <kbd>←</kbd>
        <kbd>→</kbd>walk the thread
      </span>
      <span>
        <kbd>↑</kbd>
        <kbd>↓</kbd>between ways
      </span>
      <span>
        <kbd>Enter</kbd>open
      </span>
      <span>
        <kbd>Shift</kbd>and an arrow moves it
      </span>
      <span>
        <kbd>w</kbd>way out
      </span>
    </p>
  )
}

function Empty({ onBegin }: { onBegin: () => void }): JSX.Element {
  const { mayWrite } = useCampaign()
  return (
    <div class="empty">
      <svg
        viewBox="0 0 96 72"
        fill="none"
        stroke="currentColor"
        stroke-width="2"
        stroke-linecap="round"
        stroke-linejoin="round"
        aria-hidden="true"
      >
        <path d="M8 36h22M42 36c14 0 12-22 30-22M42 36c14 0 12 22 30 22M42 36h28" />
        <path d="m36 30 6 6-6 6-6-6ZM78 8l6 6-6 6-6-6ZM78 30l6 6-6 6-6-6ZM78 52l6 6-6 6-6-6Z" />
      </svg>
      <p class="h3">No thread yet</p>
      <p class="soft">
        A beat is one thing that may happen. Write the next one, then ask yourself what they could do about it.
      </p>
      {mayWrite && (
        <Button variant="primary" icon="quill" onClick={onBegin}>
          Write the first beat
        </Button>
      )}
    </div>
  )
}
