import type { JSX } from 'preact'
import { useRef } from 'preact/hooks'
import { Icon } from './icon.tsx'

/** How near to the edge of the window a row is dragged before the page goes on below it, and by how much at a time. */
const EDGE_PX = 72
const SCROLL_PX = 14

interface Drag {
  readonly rows: readonly HTMLElement[]
  /** Where the middle of each row is on the page. */
  readonly middles: readonly number[]
  readonly from: number
  readonly height: number
  readonly beganAt: number
  to: number
}

/**
 * A grip by which a row is dragged to another place in its list: the rows are the elements with `data-row` beside its own.
 * It is for hands only; whoever shows it offers the same by buttons.
 */
export function DragHandle({ onDrop }: { onDrop: (to: number) => void }): JSX.Element {
  const drag = useRef<Drag | null>(null)

  const begin = (event: JSX.TargetedPointerEvent<HTMLSpanElement>) => {
    const row = event.currentTarget.closest<HTMLElement>('[data-row]')
    if (!row?.parentElement || event.button !== 0) return
    const rows = [...row.parentElement.querySelectorAll<HTMLElement>(':scope > [data-row]')]
    const boxes = rows.map((one) => one.getBoundingClientRect())
    const from = rows.indexOf(row)
    const middles = boxes.map(({ top, height }) => top + height / 2 + scrollY)
    const height = boxes[from]?.height ?? 0
    drag.current = { rows, middles, from, to: from, height, beganAt: event.clientY + scrollY }
    event.currentTarget.setPointerCapture(event.pointerId)
    event.preventDefault()
  }

  const move = ({ clientY }: PointerEvent) => {
    const now = drag.current
    if (!now) return
    const { rows, middles, from, height, beganAt } = now
    if (clientY < EDGE_PX) scrollBy(0, -SCROLL_PX)
    else if (clientY > innerHeight - EDGE_PX) scrollBy(0, SCROLL_PX)
    const by = clientY + scrollY - beganAt
    const middle = (middles[from] ?? 0) + by
    now.to = middles.filter((other, index) => index !== from && other < middle).length
    rows.forEach((row, index) => {
      const makesRoom =
        index === from ? 0 : Number(index > from && index <= now.to) - Number(index < from && index >= now.to)
      row.style.translate = `0 ${index === from ? by : -makesRoom * height}px`
      row.classList.toggle('dragged', index === from)
    })
  }

  const end = (dropped: boolean) => {
    const ended = drag.current
    drag.current = null
    if (!ended) return
    for (const row of ended.rows) {
      row.style.translate = ''
      row.classList.remove('dragged')
    }
    if (dropped && ended.to !== ended.from) onDrop(ended.to)
  }

  return (
    <span
      class="grip"
      aria-hidden="true"
      onPointerDown={begin}
      onPointerMove={move}
      onPointerUp={() => end(true)}
      onPointerCancel={() => end(false)}
    >
      <Icon name="grip" />
    </span>
  )
}
