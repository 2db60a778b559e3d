import { encodeQR } from 'qr'

/** A QR code as one path of an SVG. */
export interface QrPath {
  /** Squares along an edge, the quiet zone included. */
  readonly size: number
  readonly path: string
}

/** What a camera needs around it: four squares (ISO/IEC 18004). */
const quiet = 4

export function qrPath(text: string): QrPath {
  const rows = encodeQR(text, 'raw', { ecc: 'medium', border: quiet })
  const path = rows.flatMap((row, y) => runsOf(row).map(([x, length]) => `M${x} ${y}h${length}v1h-${length}z`)).join('')
  return { size: rows.length, path }
}

/** Where dark squares begin in a row, and how many follow each other. */
function runsOf(row: readonly boolean[]): readonly (readonly [number, number])[] {
  const runs: [number, number][] = []
  for (const [x, dark] of row.entries()) {
    const last = runs.at(-1)
    if (!dark) continue
    if (last !== undefined && last[0] + last[1] === x) last[1] += 1
    else runs.push([x, 1])
  }
  return runs
}
