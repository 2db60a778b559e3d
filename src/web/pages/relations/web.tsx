import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Icon } from '../../kit/icon.tsx'
import { type Bond, canvas, mostAround, otherEnd, type Place, placesAround, type Soul, type Web } from './bonds.ts'
import { Face } from './face.tsx'

interface WebProps {
  readonly web: Web
  readonly middle: Soul
  readonly around: readonly Soul[]
  readonly chosen: string | null
  readonly zoom: number
  readonly onChoose: (bond: Bond) => void
  readonly onMiddle: (soul: Soul) => void
  readonly onOpen: (soul: Soul) => void
}

const nudges: Readonly<Record<string, Place>> = {
  ArrowLeft: { x: -24, y: 0 },
  ArrowRight: { x: 24, y: 0 },
  ArrowUp: { x: 0, y: -24 },
  ArrowDown: { x: 0, y: 24 },
}

/** One thing in the middle and what is bound to it round it; each line has the words of both, and where they point. */
export function BondWeb({ web, middle, around, chosen, zoom, onChoose, onMiddle, onOpen }: WebProps): JSX.Element {
  const self = useRef<HTMLDivElement>(null)
  const [moved, setMoved] = useState<Readonly<Record<string, Place>>>({})
  const [focused, setFocused] = useState<string | null>(null)
  const drag = useRef<{ readonly key: string; readonly from: Place; readonly at: Place; far: boolean } | null>(null)
  const shown = around.slice(0, mostAround)
  const spots = placesAround(shown.length)
  const round = [middle, ...shown]
  useEffect(() => {
    const scroller = self.current
    if (scroller) scroller.scrollLeft = (scroller.scrollWidth - scroller.clientWidth) / 2
  }, [middle.key, zoom])

  const placeOf = (key: string): Place => {
    const home =
      key === middle.key ? canvas.middle : (spots[shown.findIndex((soul) => soul.key === key)] ?? canvas.middle)
    const by = moved[key]
    return by ? { x: home.x + by.x, y: home.y + by.y } : home
  }
  const nudge = (key: string, by: Place) =>
    setMoved((now) => ({ ...now, [key]: { x: (now[key]?.x ?? 0) + by.x, y: (now[key]?.y ?? 0) + by.y } }))
  const bondWith = (soul: Soul): Bond | undefined =>
    web.bonds.find(({ ends }) => ends.some(({ key }) => key === soul.key) && ends.some(({ key }) => key === middle.key))
  const press = (soul: Soul) => {
    const bond = soul.key === middle.key ? undefined : bondWith(soul)
    if (bond) onChoose(bond)
    else onOpen(soul)
  }
  const go = (index: number) => {
    const to = round[(index + round.length) % round.length]
    if (to === undefined) return
    setFocused(to.key)
    self.current?.querySelectorAll<HTMLElement>('.soul')[round.indexOf(to)]?.focus()
  }
  const onKeyDown = (event: KeyboardEvent, soul: Soul) => {
    const by = nudges[event.key]
    if (by !== undefined) {
      event.preventDefault()
      if (event.shiftKey) nudge(soul.key, by)
      else go(round.indexOf(soul) + (by.x + by.y > 0 ? 1 : -1))
    } else if (event.key === 'Enter' && event.shiftKey) {
      event.preventDefault()
      onMiddle(soul)
    }
  }
  const isMiddle = (key: string): boolean => key === middle.key
  const isShown = (key: string): boolean => round.some((soul) => soul.key === key)
  const near = web.bonds.filter(
    ({ ends }) => ends.some(({ key }) => isMiddle(key)) && ends.every(({ key }) => isShown(key)),
  )
  const far = web.bonds.filter(
    ({ ends }) => !ends.some(({ key }) => isMiddle(key)) && ends.every(({ key }) => isShown(key)),
  )
  const lookOf = (bond: Bond): string =>
    [bond.key === chosen && 'chosen', bond.partly && 'dm'].filter(Boolean).join(' ')
  const stop = focused !== null && isShown(focused) ? focused : middle.key
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset would be a box of its own
    <div
      ref={self}
      class="bond-scroller desktop-only"
      role="group"
      aria-label={`Who is bound to ${middle.title}. Arrow keys go round, Enter opens what binds them, M puts somebody in the middle, Shift and an arrow moves them.`}
    >
      <div class="bond-web" style={{ zoom }}>
        <svg viewBox={`0 0 ${canvas.width} ${canvas.height}`} aria-hidden="true">
          {far.map((bond) => (
            <path key={bond.key} class={`far ${lookOf(bond)}`} d={pathOf(bond, placeOf)} />
          ))}
          {near.map((bond) => (
            <path key={bond.key} class={lookOf(bond)} d={pathOf(bond, placeOf)} />
          ))}
        </svg>
        {round.map((soul) => {
          const { x, y } = placeOf(soul.key)
          const look = ['soul', isMiddle(soul.key) && 'hub', soul.hidden && 'dm'].filter(Boolean).join(' ')
          return (
            <button
              key={soul.key}
              type="button"
              class={look}
              data-soul={soul.key}
              style={{ '--x': `${x}px`, '--y': `${y}px` }}
              tabIndex={soul.key === stop ? 0 : -1}
              onFocus={() => setFocused(soul.key)}
              onKeyDown={(event) => onKeyDown(event, soul)}
              onPointerDown={(event) => {
                drag.current = {
                  key: soul.key,
                  from: { x: event.clientX, y: event.clientY },
                  at: moved[soul.key] ?? { x: 0, y: 0 },
                  far: false,
                }
                event.currentTarget.setPointerCapture(event.pointerId)
              }}
              onPointerMove={(event) => {
                const now = drag.current
                if (now?.key !== soul.key) return
                const by = { x: (event.clientX - now.from.x) / zoom, y: (event.clientY - now.from.y) / zoom }
                now.far ||= Math.hypot(by.x, by.y) > 6
                if (now.far) setMoved((all) => ({ ...all, [soul.key]: { x: now.at.x + by.x, y: now.at.y + by.y } }))
              }}
              onClick={() => {
                const dragged = drag.current?.far === true
                drag.current = null
                if (!dragged) press(soul)
              }}
            >
              <Face soul={soul} size={isMiddle(soul.key) ? 'l' : 'm'} />
              <span>
                {soul.hidden && <Icon name="eyeoff" size="s" />}
                {soul.title}
              </span>
            </button>
          )
        })}
        {near.map((bond) => {
          const { x, y } = wordsOf(bond, middle.key, placeOf)
          return (
            <button
              key={bond.key}
              type="button"
              tabIndex={-1}
              class={bond.key === chosen ? 'bond chosen' : 'bond'}
              aria-current={bond.key === chosen ? 'true' : undefined}
              style={{ '--x': `${x}px`, '--y': `${y}px` }}
              onClick={() => onChoose(bond)}
            >
              <span class="visually-hidden">
                {bond.ends[0].title} and {bond.ends[1].title}:
              </span>
              {bond.halves.map((half) => {
                const [from, to] = [half.of, otherEnd(bond, half.of).key].map(placeOf) as [Place, Place]
                const angle = (Math.atan2(to.y - from.y, to.x - from.x) * 180) / Math.PI
                return (
                  <span key={`${half.relation.id} ${half.half}`} class={half.hidden ? 'dm-ink' : undefined}>
                    <i style={{ '--a': `${angle.toFixed(0)}deg` }} />
                    {half.hidden && <Icon name="eyeoff" size="s" />}
                    {half.word}
                  </span>
                )
              })}
            </button>
          )
        })}
      </div>
    </div>
  )
}

/** A line that bends a little, so that two of them do not lie on each other. */
function bendOf({ ends: [one, other] }: Bond, placeOf: (key: string) => Place): readonly [Place, Place, Place] {
  const [from, to] = [placeOf(one.key), placeOf(other.key)]
  const bend = 0.06
  const control = {
    x: (from.x + to.x) / 2 + (to.y - from.y) * bend,
    y: (from.y + to.y) / 2 - (to.x - from.x) * bend,
  }
  return [from, control, to]
}

function pathOf(bond: Bond, placeOf: (key: string) => Place): string {
  const [from, control, to] = bendOf(bond, placeOf)
  return `M${from.x} ${from.y}Q${control.x} ${control.y} ${to.x} ${to.y}`
}

/** Where the words of a line stand: past its half, since lines come together in the middle of the web. */
function wordsOf(bond: Bond, middle: string, placeOf: (key: string) => Place): Place {
  const [from, control, to] = bendOf(bond, placeOf)
  const steep = Math.abs(to.y - from.y) > Math.abs(to.x - from.x)
  const part = steep ? 0.6 : 0.54
  const t = bond.ends[0].key === middle ? part : 1 - part
  const at = (one: number, bend: number, other: number): number =>
    one * (1 - t) ** 2 + 2 * bend * t * (1 - t) + other * t ** 2
  return { x: at(from.x, control.x, to.x), y: at(from.y, control.y, to.y) }
}
