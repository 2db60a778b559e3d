import { type FogStroke, isWhole, mostStrokes } from '../../kernel/fog.ts'

export const mostPins = 500
export const mostTokens = 200
/** Shapes in one call. */
export const mostShapes = 50

export interface Rectangle {
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}
export interface Polygon {
  readonly points: readonly { readonly x: number; readonly y: number }[]
}
export type Shape = Rectangle | Polygon

export interface FogChange {
  readonly reset?: boolean | undefined
  readonly reveal?: readonly Shape[] | undefined
  readonly conceal?: readonly Shape[] | undefined
}

export type Stroke = FogStroke & { readonly whole: boolean }

/** A hundred-thousandth of a map is less than a pixel of any image that is kept. */
const rounded = (value: number): number => Math.round(Math.min(1, Math.max(0, value)) * 100_000) / 100_000

function strokeOf(effect: FogStroke['effect'], shape: Shape): Stroke {
  const isPolygon = 'points' in shape
  const points = isPolygon
    ? shape.points.flatMap(({ x, y }) => [rounded(x), rounded(y)])
    : [shape.x, shape.y, shape.x + shape.width, shape.y + shape.height].map(rounded)
  const stroke = { effect, shape: isPolygon ? ('polygon' as const) : ('rectangle' as const), points }
  return { ...stroke, whole: isWhole(stroke) }
}

/** The shape of a stroke as it was given. */
export function shapeOf({ shape, points }: Pick<FogStroke, 'shape' | 'points'>) {
  if (shape === 'rectangle') {
    const [x = 0, y = 0, right = 0, bottom = 0] = points
    return { x, y, width: rounded(right - x), height: rounded(bottom - y) }
  }
  const corners = Array.from({ length: points.length / 2 }, (_, at) => points.slice(2 * at, 2 * at + 2))
  return { points: corners.map(([x = 0, y = 0]) => ({ x, y })) }
}

const everything: Rectangle = { x: 0, y: 0, width: 1, height: 1 }

/** The strokes of one change, in the order in which they count: all of it covered again, then uncovered, then covered. */
export function strokesOf({ reset, reveal = [], conceal = [] }: FogChange): readonly Stroke[] {
  return [
    ...(reset ? [strokeOf('conceal', everything)] : []),
    ...reveal.map((shape) => strokeOf('reveal', shape)),
    ...conceal.map((shape) => strokeOf('conceal', shape)),
  ]
}

/** How many of the strokes count that are there and that come. */
export function countingStrokes(present: number, coming: readonly Stroke[]): number {
  const lastWhole = coming.findLastIndex(({ whole }) => whole)
  return lastWhole < 0 ? present + coming.length : coming.length - lastWhole
}

export const tooManyStrokes = `The fog of a map is made of ${mostStrokes} strokes at most. Cover or uncover all of it in one stroke, then go on from there.`

/** 53 bits that follow from a text, as a word. It tells nothing of a text with a secret in it that is longer than that. */
export function fingerprint(text: string): string {
  let [one, other] = [0xdeadbeef, 0x41c6ce57]
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    one = Math.imul(one ^ code, 2654435761)
    other = Math.imul(other ^ code, 1597334677)
  }
  one = Math.imul(one ^ (one >>> 16), 2246822507) ^ Math.imul(other ^ (other >>> 13), 3266489909)
  other = Math.imul(other ^ (other >>> 16), 2246822507) ^ Math.imul(one ^ (one >>> 13), 3266489909)
  return (4294967296 * (2097151 & other) + (one >>> 0)).toString(36)
}
