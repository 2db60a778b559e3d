import type { JSX } from 'preact'
import { useRef, useState } from 'preact/hooks'
import type { MapPin, MapToken } from '../../api/contract.ts'
import { entityLabel } from '../../kinds.ts'
import { PinIcon } from './pin-icon.tsx'
import { moved, type Point, type Size, type View } from './view.ts'

export const titleOfPin = (pin: MapPin): string =>
  pin.label || pin.entity?.title || (pin.entity ? `A ${entityLabel(pin.entity.entityType)}` : 'A pin')
export const titleOfToken = (token: MapToken): string => token.label || token.npc?.title || 'Somebody'

/** Why players do not see it, as words; null where they do. */
export function whyUnseen({ hidden, underFog }: { hidden: boolean; underFog: boolean }): string | null {
  return hidden ? 'hidden from players' : underFog ? 'under fog' : null
}

const steps: Readonly<Record<string, Point>> = {
  ArrowLeft: { x: -0.01, y: 0 },
  ArrowRight: { x: 0.01, y: 0 },
  ArrowUp: { x: 0, y: -0.01 },
  ArrowDown: { x: 0, y: 0.01 },
}

interface Mark extends Point {
  readonly id: number
}

/** A mark follows the pointer, and Shift with an arrow; it is kept where it is let go. */
function useCarried(mark: Mark, view: View, size: Size, onMove: ((to: Point) => void) | null) {
  const [carried, setCarried] = useState<Point | null>(null)
  const drag = useRef<{ readonly x: number; readonly y: number; far: boolean } | null>(null)
  const waiting = useRef<ReturnType<typeof setTimeout> | undefined>(undefined)
  const at = carried ?? mark
  const keep = (to: Point) => {
    clearTimeout(waiting.current)
    setCarried(null)
    onMove?.(to)
  }
  return {
    at,
    wasDragged: () => drag.current?.far === true,
    on: {
      onPointerDown(event: PointerEvent) {
        drag.current = null
        event.stopPropagation()
        if (onMove === null || event.button !== 0) return
        drag.current = { x: event.clientX, y: event.clientY, far: false }
        ;(event.currentTarget as HTMLElement).setPointerCapture(event.pointerId)
      },
      onPointerMove(event: PointerEvent) {
        const begun = drag.current
        if (begun === null || !(event.currentTarget as HTMLElement).hasPointerCapture(event.pointerId)) return
        const by = { x: event.clientX - begun.x, y: event.clientY - begun.y }
        begun.far ||= Math.hypot(by.x, by.y) > 7
        if (begun.far)
          setCarried(moved(mark, { x: by.x / (size.width * view.scale), y: by.y / (size.height * view.scale) }))
      },
      onPointerUp(event: PointerEvent) {
        event.stopPropagation()
        if (drag.current?.far && carried) keep(carried)
      },
      onKeyDown(event: KeyboardEvent) {
        const step = steps[event.key]
        if (step === undefined || !event.shiftKey || onMove === null) return
        event.preventDefault()
        event.stopPropagation()
        const to = moved(at, step)
        setCarried(to)
        clearTimeout(waiting.current)
        waiting.current = setTimeout(() => keep(to), 500)
      },
    },
  }
}

interface MarkProps {
  readonly view: View
  readonly size: Size
  readonly chosen: boolean
  /** Null: it is not for this reader to move. */
  readonly onMove: ((to: Point) => void) | null
  readonly onChoose: () => void
}

const placeOf = ({ x, y }: Point) => ({ left: `${x * 100}%`, top: `${y * 100}%` })

export function PinMark({ pin, view, size, chosen, onMove, onChoose }: MarkProps & { pin: MapPin }): JSX.Element {
  const { at, on, wasDragged } = useCarried(pin, view, size, onMove)
  const unseen = whyUnseen(pin)
  return (
    <button
      {...on}
      id={`pin-${pin.id}`}
      type="button"
      class={['map-pin', chosen && 'on', unseen && 'dm'].filter(Boolean).join(' ')}
      style={placeOf(at)}
      aria-pressed={chosen}
      onClick={() => !wasDragged() && onChoose()}
    >
      <svg viewBox="-27 -60 54 62" aria-hidden="true">
        <path class="drop" d="M0 0-16.500-17.500A24 24 0 1 1 16.500-17.500Z" />
      </svg>
      <PinIcon name={pin.icon} />
      <span>
        {titleOfPin(pin)}
        {unseen && <span class="visually-hidden">, {unseen}</span>}
      </span>
    </button>
  )
}

export function TokenMark({
  token,
  view,
  size,
  columns,
  chosen,
  onMove,
  onChoose,
}: MarkProps & { token: MapToken; columns: number | null }): JSX.Element {
  const { at, on, wasDragged } = useCarried(token, view, size, onMove)
  const unseen = whyUnseen(token)
  const title = titleOfToken(token)
  const square = columns === null ? 0 : (size.width * view.scale) / columns
  const width = Math.max(30, square * token.size)
  return (
    <button
      {...on}
      id={`token-${token.id}`}
      type="button"
      class={['map-token', chosen && 'on', unseen && 'dm', onMove && 'mine'].filter(Boolean).join(' ')}
      style={{ ...placeOf(at), '--size': `${width}px` }}
      aria-pressed={chosen}
      onClick={() => !wasDragged() && onChoose()}
    >
      <b aria-hidden="true">{initials(title)}</b>
      <span>
        {title}
        {unseen && <span class="visually-hidden">, {unseen}</span>}
      </span>
    </button>
  )
}

function initials(title: string): string {
  const words = title.split(/\s+/).filter((word) => !/^(the|a|an|of)$/i.test(word))
  return words
    .slice(0, 2)
    .map((word) => Array.from(word)[0] ?? '')
    .join('')
    .toUpperCase()
}
