import type { JSX } from 'preact'
import { boxOf, type Point, type Size } from './view.ts'

/** What is drawn over the picture: squares, the shape under way, and the mark that the arrow keys move. */
export function Sketch({
  size,
  grid,
  corners,
  shape,
  pending,
  cursor,
  scale,
}: {
  size: Size
  /** Squares across; null where none are drawn. */
  grid: number | null
  corners: readonly Point[]
  shape: 'rectangle' | 'polygon' | 'line'
  /** Shapes that are on their way to the server. */
  pending: readonly (readonly Point[])[]
  cursor: Point | null
  scale: number
}): JSX.Element {
  const [width, height] = [size.width * scale, size.height * scale]
  const at = ({ x, y }: Point) => `${(x * width).toFixed(1)} ${(y * height).toFixed(1)}`
  const path = (points: readonly Point[], closed: boolean) => `M${points.map(at).join('L')}${closed ? 'Z' : ''}`
  const [from, to] = corners
  const box = shape === 'rectangle' && from && to ? boxOf(from, to) : null
  const side = grid === null ? 0 : width / grid
  return (
    <svg class="map-sketch" width={width} height={height} aria-hidden="true">
      {grid !== null && (
        <>
          <defs>
            <pattern id="map-squares" width={side} height={side} patternUnits="userSpaceOnUse">
              <path d={`M${side} 0H0V${side}`} />
            </pattern>
          </defs>
          <rect class="grid" width={width} height={height} fill="url(#map-squares)" />
        </>
      )}
      {pending.map((points) => (
        <path key={path(points, true)} class="pending" d={path(points, true)} />
      ))}
      {box && (
        <rect
          class="shape"
          x={box.x * width}
          y={box.y * height}
          width={box.width * width}
          height={box.height * height}
        />
      )}
      {shape !== 'rectangle' && corners.length > 1 && (
        <path class={shape === 'line' ? 'line-only' : 'shape'} d={path(corners, shape === 'polygon')} />
      )}
      {corners.map((corner) => (
        <circle key={at(corner)} class="corner" cx={corner.x * width} cy={corner.y * height} r="5" />
      ))}
      {cursor && (
        <path
          class="cursor"
          d={`M${cursor.x * width - 14} ${cursor.y * height}h28M${cursor.x * width} ${cursor.y * height - 14}v28`}
        />
      )}
    </svg>
  )
}
