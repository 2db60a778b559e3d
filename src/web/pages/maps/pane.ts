import type { RefObject } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { filling, fitting, type Point, panned, type Size, shareAt, type View, zoomed } from './view.ts'

export interface PaneInput {
  /** The image in its own pixels; null while it is on its way. */
  readonly size: Size | null
  /** A finger or the mouse draws instead of moving the map. */
  readonly drawing: boolean
  onTap(at: Point): void
  onDraw(from: Point, to: Point, done: boolean): void
}

export interface Pane {
  readonly self: RefObject<HTMLDivElement>
  readonly view: View | null
  zoom(factor: number): void
  pan(by: Point): void
  showAll(): void
  /** Where on the map a pointer is. */
  at(event: PointerEvent): Point
  readonly on: {
    onPointerDown(event: PointerEvent): void
    onPointerMove(event: PointerEvent): void
    onPointerUp(event: PointerEvent): void
    onPointerCancel(event: PointerEvent): void
    onScroll(): void
  }
}

/** Pixels that a press may wander and still be one. */
const still = 7

/** The window of a map: one finger moves it, or draws, two make it larger; so does the wheel. */
export function usePane({ size, drawing, onTap, onDraw }: PaneInput): Pane {
  const self = useRef<HTMLDivElement>(null)
  const [view, setView] = useState<View | null>(null)
  const touched = useRef(false)
  const fingers = useRef(new Map<number, Point>())
  const stroke = useRef<{ readonly from: Point; readonly begun: Point; far: boolean } | null>(null)
  const paneSize = (): Size => ({ width: self.current?.clientWidth ?? 1, height: self.current?.clientHeight ?? 1 })
  const inPane = ({ clientX, clientY }: { clientX: number; clientY: number }): Point => {
    const box = self.current?.getBoundingClientRect()
    return { x: clientX - (box?.left ?? 0), y: clientY - (box?.top ?? 0) }
  }
  const change = (by: (now: View, map: Size, pane: Size) => View) => {
    touched.current = true
    setView((now) => (now && size ? by(now, size, paneSize()) : now))
  }
  const known = size ? `${size.width} ${size.height}` : null
  useLayoutEffect(() => {
    if (!size) return
    const settle = () => {
      if (!touched.current) setView(filling(size, paneSize()))
    }
    settle()
    const watcher = new ResizeObserver(settle)
    if (self.current) watcher.observe(self.current)
    return () => watcher.disconnect()
  }, [known])
  useEffect(() => {
    const box = self.current
    const onWheel = (event: WheelEvent) => {
      event.preventDefault()
      const factor = Math.exp(-Math.sign(event.deltaY) * Math.min(0.3, Math.abs(event.deltaY) / 400))
      const at = inPane(event)
      change((now, map, pane) => zoomed(now, factor, at, map, pane))
    }
    box?.addEventListener('wheel', onWheel, { passive: false })
    return () => box?.removeEventListener('wheel', onWheel)
  })
  const middle = (): Point => ({ x: paneSize().width / 2, y: paneSize().height / 2 })
  const at = (event: PointerEvent): Point => (view && size ? shareAt(view, inPane(event), size) : { x: 0, y: 0 })
  const end = (event: PointerEvent, cancelled: boolean) => {
    const begun = stroke.current
    const two = fingers.current.size > 1
    fingers.current.delete(event.pointerId)
    if (begun === null || two) return
    stroke.current = null
    if (cancelled) return
    if (!begun.far) onTap(at(event))
    else if (drawing) onDraw(begun.from, at(event), true)
  }
  return {
    self,
    view,
    at,
    zoom: (factor) => change((now, map, pane) => zoomed(now, factor, middle(), map, pane)),
    pan: (by) => change((now, map, pane) => panned(now, by, map, pane)),
    showAll: () => change((_, map, pane) => fitting(map, pane)),
    on: {
      onPointerDown(event) {
        if (event.button !== 0) return
        self.current?.setPointerCapture(event.pointerId)
        fingers.current.set(event.pointerId, inPane(event))
        // A second finger makes it larger: what the first began to draw is none of it.
        stroke.current = fingers.current.size === 1 ? { from: at(event), begun: inPane(event), far: false } : null
      },
      onPointerMove(event) {
        const before = fingers.current.get(event.pointerId)
        if (before === undefined) return
        const now = inPane(event)
        fingers.current.set(event.pointerId, now)
        const other = [...fingers.current].find(([id]) => id !== event.pointerId)?.[1]
        if (other !== undefined) {
          const apart = (one: Point): number => Math.max(1, Math.hypot(one.x - other.x, one.y - other.y))
          const factor = apart(now) / apart(before)
          const between = { x: (now.x + other.x) / 2, y: (now.y + other.y) / 2 }
          const by = { x: (now.x - before.x) / 2, y: (now.y - before.y) / 2 }
          change((was, map, pane) => panned(zoomed(was, factor, between, map, pane), by, map, pane))
          return
        }
        const begun = stroke.current
        if (begun === null) return
        begun.far ||= Math.hypot(now.x - begun.begun.x, now.y - begun.begun.y) > still
        if (!begun.far) return
        if (drawing) onDraw(begun.from, at(event), false)
        else change((was, map, pane) => panned(was, { x: now.x - before.x, y: now.y - before.y }, map, pane))
      },
      onPointerUp: (event) => end(event, false),
      onPointerCancel: (event) => end(event, true),
      // What has the focus is scrolled to by the browser: the map moves there instead.
      onScroll() {
        const box = self.current
        if (!box) return
        const { scrollLeft: x, scrollTop: y } = box
        if (x === 0 && y === 0) return
        box.scrollTo(0, 0)
        change((now, map, pane) => panned(now, { x: -x, y: -y }, map, pane))
      },
    },
  }
}
