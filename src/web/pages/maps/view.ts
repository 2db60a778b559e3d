// Where a map lies in its window: pure arithmetic. Points on the map are shares of it, 0 to 1; points in the window pixels.

export interface Point {
  readonly x: number
  readonly y: number
}
export interface Size {
  readonly width: number
  readonly height: number
}
/** The map's upper left corner in the window, and how many pixels of the window one of its own takes. */
export interface View extends Point {
  readonly scale: number
}
/** Between two corners, whichever they are. */
export interface Box extends Point, Size {}

/** How much of the map stays in the window, however far it is moved. */
const stays = 96
const largest = 8

/** All of the map, as large as it goes. */
export function fitting(map: Size, pane: Size): View {
  const scale = Math.min(pane.width / map.width, pane.height / map.height)
  return { scale, x: (pane.width - map.width * scale) / 2, y: (pane.height - map.height * scale) / 2 }
}

/** All of the window, where the map is to be the page. */
export function filling(map: Size, pane: Size): View {
  const scale = Math.max(pane.width / map.width, pane.height / map.height)
  const most = Math.max(scale, fitting(map, pane).scale)
  return { scale: most, x: (pane.width - map.width * most) / 2, y: (pane.height - map.height * most) / 2 }
}

function held(view: View, map: Size, pane: Size): View {
  const bound = (at: number, size: number, window: number): number =>
    Math.min(window - stays, Math.max(stays - size, at))
  const { scale } = view
  return { scale, x: bound(view.x, map.width * scale, pane.width), y: bound(view.y, map.height * scale, pane.height) }
}

/** Moved by some pixels. */
export function panned(view: View, by: Point, map: Size, pane: Size): View {
  return held({ ...view, x: view.x + by.x, y: view.y + by.y }, map, pane)
}

/** Larger or smaller, so that what lies under a point of the window stays there. */
export function zoomed(view: View, factor: number, at: Point, map: Size, pane: Size): View {
  const least = fitting(map, pane).scale / 2
  const scale = Math.min(Math.max(largest, least), Math.max(least, view.scale * factor))
  const by = scale / view.scale
  return held({ scale, x: at.x - (at.x - view.x) * by, y: at.y - (at.y - view.y) * by }, map, pane)
}

const clamp = (value: number): number => Math.min(1, Math.max(0, value))

/** What of the map lies under a point of the window; what lies beside it is its edge. */
export function shareAt(view: View, at: Point, map: Size): Point {
  return {
    x: clamp((at.x - view.x) / (map.width * view.scale)),
    y: clamp((at.y - view.y) / (map.height * view.scale)),
  }
}

export function moved(point: Point, by: Point): Point {
  return { x: clamp(point.x + by.x), y: clamp(point.y + by.y) }
}

export function boxOf(one: Point, other: Point): Box {
  return {
    x: Math.min(one.x, other.x),
    y: Math.min(one.y, other.y),
    width: Math.abs(one.x - other.x),
    height: Math.abs(one.y - other.y),
  }
}

/** Squares between two points, as the crow flies. */
export function squaresBetween(one: Point, other: Point, columns: number, map: Size): number {
  const rows = (columns * map.height) / map.width
  return Math.hypot((one.x - other.x) * columns, (one.y - other.y) * rows)
}
