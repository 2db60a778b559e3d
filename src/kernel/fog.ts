// Fog over a map: what of it has been uncovered. Pure arithmetic, for the rules of maps and for who paints their images.
// A map is covered to begin with; strokes uncover parts of it and cover them again, and the last one over a point decides.
// Places are shares of the map: 0 to 1 from the left and from the top, of the image as it is looked at.

/** What one stroke does to the part of the map inside it. */
export interface FogStroke {
  readonly effect: 'reveal' | 'conceal'
  readonly shape: 'rectangle' | 'polygon'
  /** x, y, x, y, ...: two opposite corners of a rectangle, or those of a polygon in their order. */
  readonly points: readonly number[]
}

/** Corners of one polygon. */
export const mostCorners = 200
/** Strokes that count on one map; whatever covers or uncovers all of it makes those before it count no more. */
export const mostStrokes = 2000

interface Box {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

function boxOf({ points }: Pick<FogStroke, 'points'>): Box {
  const box = { left: 1, top: 1, right: 0, bottom: 0 }
  for (let at = 0; at + 1 < points.length; at += 2) {
    const [x, y] = [points[at] as number, points[at + 1] as number]
    if (x < box.left) box.left = x
    if (x > box.right) box.right = x
    if (y < box.top) box.top = y
    if (y > box.bottom) box.bottom = y
  }
  return box
}

/** Whether a stroke lies over all of the map, so that nothing before it counts. */
export function isWhole(stroke: Pick<FogStroke, 'shape' | 'points'>): boolean {
  const { left, top, right, bottom } = boxOf(stroke)
  return stroke.shape === 'rectangle' && left <= 0 && top <= 0 && right >= 1 && bottom >= 1
}

/** Whether a stroke lies over a point. Of a polygon that crosses itself, what an odd number of its sides enclose. */
export function covers(stroke: FogStroke, x: number, y: number): boolean {
  const { left, top, right, bottom } = boxOf(stroke)
  if (x < left || x > right || y < top || y > bottom) return false
  return stroke.shape === 'rectangle' || crossings(stroke.points, y).filter((each) => each > x).length % 2 === 1
}

/** Where the sides of a polygon cross a horizontal line, from left to right. */
function crossings(points: readonly number[], y: number): readonly number[] {
  const found: number[] = []
  let [fromX, fromY] = [points.at(-2) ?? 0, points.at(-1) ?? 0]
  for (let at = 0; at + 1 < points.length; at += 2) {
    const [toX, toY] = [points[at] as number, points[at + 1] as number]
    // Half open, so that a corner between two sides counts once.
    if (fromY > y !== toY > y) found.push(fromX + ((y - fromY) / (toY - fromY)) * (toX - fromX))
    fromX = toX
    fromY = toY
  }
  return found.sort((one, other) => one - other)
}

/** Whether a point lies under fog. */
export function isFogged(strokes: readonly FogStroke[], x: number, y: number): boolean {
  return strokes.findLast((stroke) => covers(stroke, x, y))?.effect !== 'reveal'
}

/**
 * What of an image of that size may be seen: a byte for each pixel, 1 where its middle is uncovered, row by row. There is
 * nothing between: a pixel that were half seen would tell of what is under it.
 */
export function visiblePixels(strokes: readonly FogStroke[], width: number, height: number): Uint8Array {
  const pixels = new Uint8Array(width * height)
  for (const stroke of strokes) {
    const seen = stroke.effect === 'reveal' ? 1 : 0
    const { left, top, right, bottom } = boxOf(stroke)
    const rows = middlesBetween(top, bottom, height)
    for (let row = rows.first; row <= rows.last; row++) {
      const bounds = stroke.shape === 'rectangle' ? [left, right] : crossings(stroke.points, (row + 0.5) / height)
      for (let at = 0; at + 1 < bounds.length; at += 2) {
        const { first, last } = middlesBetween(bounds[at] as number, bounds[at + 1] as number, width)
        if (last >= first) pixels.fill(seen, row * width + first, row * width + last + 1)
      }
    }
  }
  return pixels
}

/** The pixels of a line of `count` whose middles lie between two shares of it. */
function middlesBetween(from: number, to: number, count: number): { readonly first: number; readonly last: number } {
  return { first: Math.max(0, Math.ceil(from * count - 0.5)), last: Math.min(count - 1, Math.floor(to * count - 0.5)) }
}
