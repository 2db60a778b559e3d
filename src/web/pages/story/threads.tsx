import type { ComponentChildren, JSX } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import type { StoryArc } from '../../api/contract.ts'
import { Icon } from '../../kit/icon.tsx'
import { curve, type Direction, dropAt, type Loom, neighbour, noteOf, type Spot } from './layout.ts'

/** How far beyond the window beats and strands are drawn. */
const margin = 600

interface Window {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

const arrows: Readonly<Record<string, Direction>> = {
  ArrowLeft: 'left',
  ArrowRight: 'right',
  ArrowUp: 'up',
  ArrowDown: 'down',
}

/** The story as threads: beats are buttons that lie over one drawing of lines. */
export function Threads({
  loom,
  chosen,
  zoom,
  mayMove,
  onChoose,
  onMove,
  onShift,
  onNew,
  headOf,
}: {
  loom: Loom
  chosen: number | null
  zoom: number
  mayMove: boolean
  onChoose: (beatId: number) => void
  onMove: (beatId: number, arcId: number, afterBeatId: number | null) => void
  /** Shift with an arrow. */
  onShift: (beatId: number, direction: Direction) => void
  /** A loose end was pressed. */
  onNew: (arcId: number) => void
  headOf: (arc: StoryArc) => ComponentChildren
}): JSX.Element {
  const self = useRef<HTMLDivElement>(null)
  const [view, setView] = useState<Window>({ x: 0, y: 0, width: 2000, height: 1400 })
  const [at, setAt] = useState<number | null>(null)
  const focusing = useRef(false)
  const cursor = at !== null && loom.spots.has(at) ? at : chosen

  const look = () => {
    const box = self.current
    if (!box) return
    setView({
      x: box.scrollLeft / zoom,
      y: box.scrollTop / zoom,
      width: box.clientWidth / zoom,
      height: box.clientHeight / zoom,
    })
  }
  useLayoutEffect(look, [zoom, loom])
  useEffect(() => {
    addEventListener('resize', look)
    return () => removeEventListener('resize', look)
  })

  /** Brings a beat into the window, so that it is drawn and can have the focus. */
  const bring = (id: number, always: boolean) => {
    const [box, spot] = [self.current, loom.spots.get(id)]
    if (!box || !spot) return
    const [x, y] = [spot.x * zoom, spot.y * zoom]
    const isIn =
      x > box.scrollLeft + 90 &&
      x < box.scrollLeft + box.clientWidth - 90 &&
      y > box.scrollTop + 40 &&
      y < box.scrollTop + box.clientHeight - 120
    if (isIn && !always) return
    box.scrollTo({ left: x - box.clientWidth / 2, top: y - box.clientHeight / 2 })
    look()
  }
  useLayoutEffect(() => {
    if (chosen !== null) bring(chosen, false)
  }, [chosen])
  useEffect(() => {
    if (!focusing.current || cursor === null) return
    focusing.current = false
    document.getElementById(`beat-${cursor}`)?.focus({ preventScroll: true })
  })

  const onKeyDown = (event: KeyboardEvent, id: number) => {
    const direction = arrows[event.key]
    if (direction === undefined || event.altKey || event.ctrlKey || event.metaKey) return
    event.preventDefault()
    focusing.current = true
    if (event.shiftKey) {
      onShift(id, direction)
      return
    }
    const next = neighbour(loom, id, direction)
    if (next === null) return
    setAt(next)
    bring(next, false)
  }

  const isNear = (spot: Spot): boolean =>
    spot.beat.id === cursor ||
    spot.beat.id === chosen ||
    (spot.x > view.x - margin &&
      spot.x < view.x + view.width + margin &&
      spot.y > view.y - margin &&
      spot.y < view.y + view.height + margin)
  const near = [...loom.spots.values()].filter(isNear)
  const drag = useDrag(loom, zoom, self, mayMove ? onMove : null)

  return (
    <div ref={self} class="loomwrap" onScroll={look}>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is a part of a form */}
      <div
        class="loom"
        role="group"
        aria-label={`${loom.lanes.length} arcs as threads of beats. Arrow keys walk along them, Enter opens one, Shift and an arrow moves it.`}
        style={{ width: `${loom.width}px`, height: `${loom.height}px`, zoom }}
      >
        <svg width={loom.width} height={loom.height} aria-hidden="true">
          {loom.strands.map(({ from, to, branch, look: kind }) => {
            const [one, other] = [loom.spots.get(from), loom.spots.get(to)]
            if (!one || !other || !crosses(one, other, view)) return null
            return <path key={`${from}-${to}-${branch?.id ?? ''}`} class={kind} d={curve(one, other)} />
          })}
          {loom.lanes
            .filter(({ top, height, end }) => end.from < end.x && isInView(top, height, view))
            .map(({ arc, end }) => (
              <path key={`end-${arc.id}`} class="open" d={`M${end.from} ${end.y}H${end.x - 24}`} />
            ))}
        </svg>
        {loom.lanes
          .filter(({ top, height }) => isInView(top, height, view))
          .map(({ arc, top, end }) => (
            <section key={arc.id} aria-label={arc.title}>
              <div class={top === 0 ? 'lane' : 'lane line-above'} style={{ top: `${top}px` }}>
                <span>
                  <h2>{arc.title}</h2>
                  {headOf(arc)}
                </span>
              </div>
              {mayMove && (
                <button
                  type="button"
                  class="beat new"
                  style={{ '--x': `${end.x}px`, '--y': `${end.y}px` }}
                  onClick={() => onNew(arc.id)}
                >
                  <i>
                    <Icon name="plus" />
                  </i>
                  <strong>And then?</strong>
                  <small>Not written yet</small>
                </button>
              )}
            </section>
          ))}
        {near.map((spot) => (
          <BeatButton
            key={spot.beat.id}
            spot={spot}
            pressed={spot.beat.id === chosen}
            reachable={spot.beat.id === (cursor ?? near[0]?.beat.id)}
            moving={drag.moving?.id === spot.beat.id ? drag.moving : null}
            onPointerDown={(event) => drag.begin(event, spot.beat.id)}
            onClick={() => {
              if (drag.wasMoved()) return
              setAt(spot.beat.id)
              onChoose(spot.beat.id)
            }}
            onKeyDown={(event) => onKeyDown(event, spot.beat.id)}
          />
        ))}
      </div>
    </div>
  )
}

function isInView(top: number, height: number, view: Window): boolean {
  return top + height > view.y - margin && top < view.y + view.height + margin
}

function crosses(one: Spot, other: Spot, view: Window): boolean {
  return (
    Math.max(one.x, other.x) > view.x - margin &&
    Math.min(one.x, other.x) < view.x + view.width + margin &&
    Math.max(one.y, other.y) > view.y - margin &&
    Math.min(one.y, other.y) < view.y + view.height + margin
  )
}

const looks = { planned: 'beat', active: 'beat now', done: 'beat told', skipped: 'beat off' } as const

interface Moving {
  readonly id: number
  readonly dx: number
  readonly dy: number
}

function BeatButton({
  spot: { beat, x, y, if: way, eitherWay },
  pressed,
  reachable,
  moving,
  ...on
}: {
  spot: Spot
  pressed: boolean
  reachable: boolean
  moving: Moving | null
  onPointerDown: (event: PointerEvent) => void
  onClick: () => void
  onKeyDown: (event: KeyboardEvent) => void
}): JSX.Element {
  const note = noteOf(beat, eitherWay)
  const at = moving === null ? {} : { transform: `translate(${moving.dx}px, ${moving.dy}px)`, zIndex: 4 }
  return (
    <button
      {...on}
      id={`beat-${beat.id}`}
      type="button"
      class={looks[beat.status]}
      tabIndex={reachable ? 0 : -1}
      aria-current={beat.status === 'active' ? 'step' : undefined}
      aria-pressed={pressed}
      style={{ '--x': `${x}px`, '--y': `${y}px`, ...at }}
    >
      <i />
      {way && <small class="if">{way}</small>}
      <strong>{beat.title}</strong>
      {note && <small>{note}</small>}
    </button>
  )
}

/** A beat follows the pointer and stands where it is let go. Keys and the menu of the beat do the same. */
function useDrag(
  loom: Loom,
  zoom: number,
  self: { readonly current: HTMLDivElement | null },
  onMove: ((beatId: number, arcId: number, afterBeatId: number | null) => void) | null,
) {
  const [moving, setMoving] = useState<Moving | null>(null)
  const moved = useRef(false)
  return {
    moving,
    wasMoved: () => moved.current,
    begin(event: PointerEvent, id: number) {
      moved.current = false
      if (onMove === null || event.button !== 0) return
      const start = { x: event.clientX, y: event.clientY }
      const follow = (to: PointerEvent) => {
        const [dx, dy] = [(to.clientX - start.x) / zoom, (to.clientY - start.y) / zoom]
        if (!moved.current && Math.hypot(dx, dy) < 8) return
        moved.current = true
        setMoving({ id, dx, dy })
      }
      const drop = (to: PointerEvent) => {
        end()
        const box = self.current?.getBoundingClientRect()
        if (!moved.current || !box || !self.current) return
        const place = dropAt(
          loom,
          id,
          (to.clientX - box.left + self.current.scrollLeft) / zoom,
          (to.clientY - box.top + self.current.scrollTop) / zoom,
        )
        if (place) onMove(id, place.arcId, place.afterBeatId)
      }
      const end = () => {
        setMoving(null)
        removeEventListener('pointermove', follow)
        removeEventListener('pointerup', drop)
        removeEventListener('pointercancel', end)
      }
      addEventListener('pointermove', follow)
      addEventListener('pointerup', drop)
      addEventListener('pointercancel', end)
    },
  }
}
