import type { Measure } from './measures.ts'

/** The size that all others are compared with. */
export const compared = 1000

/** How often the cost at 1,000 of each kind the cost at so many may be. */
const aims: ReadonlyMap<number, number> = new Map([
  [10_000, 2],
  [50_000, 1.5],
])

/** A difference that the machine makes by itself, in milliseconds: nothing grows by less. */
const noise = 0.1

export const floorName = 'the floor: an answer that reads nothing (/healthz)'

/** A read with what it costs. */
export interface GrowthLine {
  readonly name: string
  /** Milliseconds of processor time by how many rows of each kind there are; what could not be asked for is not there. */
  readonly costs: ReadonlyMap<number, number>
  /** How long the answers are. */
  readonly bytes: ReadonlyMap<number, number>
  /** Of what is no list, and of a search, where what answers grows with the campaign: no more than so many milliseconds, whatever the size. */
  readonly mostMs?: number
}

/**
 * How often as much there is to tell at a size: what is compared is the cost with as many matches, and where more were found,
 * up to what one answer holds, the answer is longer.
 */
function longer(bytes: ReadonlyMap<number, number>, size: number): number {
  const [base, grown] = [bytes.get(compared), bytes.get(size)]
  return base === undefined || grown === undefined ? 1 : Math.max(1, grown / base)
}

interface Found {
  readonly found: ReadonlyMap<number, readonly number[]>
  readonly bytes: ReadonlyMap<number, number>
}

/** Whether what was found in all rounds says the same about a size, whichever of them are compared. */
export function isDecided({ found, bytes }: Found, size: number): boolean {
  const [most, base, grown] = [aims.get(size), found.get(compared), found.get(size)]
  if (most === undefined || base === undefined || grown === undefined) return true
  const times = longer(bytes, size)
  const isHeld = (from: number, to: number): boolean => to - from < noise || to / from / times <= most
  return isHeld(Math.min(...base), Math.max(...grown)) || !isHeld(Math.max(...base), Math.min(...grown))
}

function ratio({ costs, bytes }: GrowthLine, size: number): number | null {
  const [base, grown] = [costs.get(compared), costs.get(size)]
  return base === undefined || grown === undefined ? null : grown / base / longer(bytes, size)
}

/** What grew beyond what is allowed; a difference within the noise is none. */
function isOver(line: GrowthLine, size: number): boolean {
  if (line.mostMs !== undefined) return (line.costs.get(size) ?? 0) > line.mostMs
  const most = aims.get(size)
  const value = ratio(line, size)
  if (value === null || most === undefined || value <= most) return false
  return (line.costs.get(size) ?? 0) - (line.costs.get(compared) ?? 0) >= noise
}

/** Whether a read grew too much at any size. */
export function isAbove(line: GrowthLine): boolean {
  return Array.from(aims.keys()).some((size) => isOver(line, size))
}

/** For each size the read that grew most, and by name all that grew too much. */
export function growthSummary(lines: readonly GrowthLine[]): readonly Measure[] {
  return Array.from(aims, ([size, most]) => {
    const known = lines.filter((line) => ratio(line, size) !== null)
    const counted = known.filter(
      (line) => line.mostMs === undefined && (isOver(line, size) || (ratio(line, size) ?? 0) <= most),
    )
    const worst = counted.toSorted((a, b) => (ratio(b, size) ?? 0) - (ratio(a, size) ?? 0))
    const over = known
      .toSorted((a, b) => (ratio(b, size) ?? 0) - (ratio(a, size) ?? 0))
      .filter((line) => isOver(line, size))
      .map((line) => `${line.name} (${ratio(line, size)?.toFixed(2)})`)
    const first = worst[0]
    return {
      name: `the read that grows most, at ${size} of each kind against ${compared}`,
      value: first === undefined ? null : ratio(first, size),
      unit: 'times',
      budget: { most },
      detail: `${known.length} reads, ${over.length} above${over.length === 0 ? '' : `: ${over.join('; ')}`}`,
    }
  })
}

/** What is kept of a run: each cost at the largest size of a whole run, to be compared with the next. */
export function measuresOf({ name, costs }: GrowthLine): readonly Measure[] {
  const value = costs.get(50_000)
  const told = Array.from(costs, ([size, cost]) => `${size}: ${cost.toFixed(2)}`).join(', ')
  return value === undefined ? [] : [{ name: `growth: ${name}`, value, unit: 'ms', detail: told, quiet: true }]
}

/** Each read with its costs, how often the cost at 1,000 they are, and whether that is allowed; what grows most is last. */
export function growthTable(lines: readonly GrowthLine[], sizes: readonly number[]): string {
  const inOrder = sizes.toSorted((a, b) => a - b)
  const aimed = inOrder.filter((size) => aims.has(size))
  const last = aimed.at(-1) ?? compared
  const number = (value: number | undefined | null): string => value?.toFixed(2) ?? '-'
  const rows = lines
    .toSorted((a, b) => (ratio(a, last) ?? 0) - (ratio(b, last) ?? 0))
    .map((line) => {
      const verdict = aimed.some((size) => isOver(line, size))
        ? 'OVER'
        : line.mostMs === undefined && aimed.some((size) => (ratio(line, size) ?? 0) > (aims.get(size) ?? 0))
          ? 'noise'
          : 'ok'
      const costs = inOrder.map((size) => number(line.costs.get(size)))
      const times = longer(line.bytes, last)
      const told =
        line.mostMs !== undefined
          ? `${line.name} (at most ${line.mostMs} ms)`
          : times > 1.05
            ? `${line.name} (${times.toFixed(1)} times as much to tell)`
            : line.name
      return [...costs, ...aimed.map((size) => number(ratio(line, size))), verdict, told]
    })
  const head = [
    ...inOrder.map(String),
    ...aimed.map((size) => `${size}/${compared}`),
    'verdict',
    `ms of processor time a request; allowed: ${aimed.map((size) => `${aims.get(size)} times at ${size}`).join(', ')}; of as long an answer; "noise": less than ${noise} ms more`,
  ]
  const widths = head.map((_, at) => Math.max(...[head, ...rows].map((row) => row[at]?.length ?? 0)))
  return [head, ...rows]
    .map((row) => row.map((cell, at) => (at < row.length - 1 ? cell.padStart(widths[at] ?? 0) : cell)).join('  '))
    .join('\n')
}
