import type { StoryArc, StoryBeat, StoryGraph } from '../../api/contract.ts'

// Where everything stands on the desk: an arc is a lane, a beat stands one column behind what leads to it. Pixels at full size.

const column = 165
/** Behind a beat with several ways out: room for the lines to part before they meet its words. */
const parting = 235
const row = 126
const left = 90
const head = 62
const foot = 40

type Branch = StoryGraph['branches'][number]
/** `told`: it came to pass. `here`: out of what is told now. `open`: it may. `off`: it was not taken. */
export type Look = 'told' | 'here' | 'open' | 'off'

export interface Strand {
  readonly from: number
  readonly to: number
  /** Null where the thread itself leads on. */
  readonly branch: Branch | null
  readonly look: Look
}

export interface Spot {
  readonly beat: StoryBeat
  readonly x: number
  readonly y: number
  /** What leads here, in a word: what the party would have to do. */
  readonly if: string | null
  /** More than one way leads here along the thread. */
  readonly eitherWay: boolean
}

export interface Lane {
  readonly arc: StoryArc
  readonly beats: readonly StoryBeat[]
  readonly top: number
  readonly height: number
  /** Where the thread is loose: what comes then is not written. */
  readonly end: { readonly from: number; readonly x: number; readonly y: number }
}

export interface Loom {
  readonly lanes: readonly Lane[]
  readonly spots: ReadonlyMap<number, Spot>
  readonly strands: readonly Strand[]
  readonly width: number
  readonly height: number
}

export const isFinished = ({ status }: StoryArc): boolean => status === 'resolved' || status === 'dropped'

/** Beats by arc, each in its order. */
export function byArc(beats: readonly StoryBeat[]): ReadonlyMap<number, readonly StoryBeat[]> {
  const found = new Map<number, StoryBeat[]>()
  for (const beat of beats) {
    const list = found.get(beat.arcId)
    if (list) list.push(beat)
    else found.set(beat.arcId, [beat])
  }
  return found
}

/** The strands between the beats that are shown. */
export function strandsOf({ beats, branches, continuations }: StoryGraph): readonly Strand[] {
  const status = new Map<number, StoryBeat['status']>(beats.map((beat) => [beat.id, beat.status]))
  const lookOf = (from: number, to: number, branch: Branch | null): Look => {
    const [before, after] = [status.get(from), status.get(to)]
    if (branch?.status === 'not_taken' || before === 'skipped' || after === 'skipped') return 'off'
    if (before === 'done' && (after === 'done' || after === 'active') && branch?.status !== 'open') return 'told'
    return before === 'active' ? 'here' : 'open'
  }
  const strands: Strand[] = []
  const add = (from: number, to: number | null, branch: Branch | null) => {
    if (to === null || !status.has(from) || !status.has(to)) return
    strands.push({ from, to, branch, look: lookOf(from, to, branch) })
  }
  for (const branch of branches) add(branch.beatId, branch.toBeatId, branch)
  for (const { beatId, nextBeatId } of continuations) {
    // A thread does not go on from what was not taken.
    if (status.get(beatId) !== 'skipped') add(beatId, nextBeatId, null)
  }
  return strands
}

/** Lays out the arcs that are given. */
export function layOut(graph: StoryGraph, arcs: readonly StoryArc[]): Loom {
  const beatsOf = byArc(graph.beats)
  const shown = new Set(arcs.flatMap(({ id }) => (beatsOf.get(id) ?? []).map((beat): number => beat.id)))
  const strands = strandsOf(graph).filter(({ from, to }) => shown.has(from) && shown.has(to))
  const columns = columnsOf(
    arcs.map(({ id }) => beatsOf.get(id) ?? []),
    strands,
  )
  const spots = new Map<number, Spot>()
  const into = group(strands, ({ to }) => to)
  const lanes: Lane[] = []
  const across = acrossOf(columns, strands)
  let top = 0
  let last = 0
  for (const arc of arcs) {
    const beats = beatsOf.get(arc.id) ?? []
    const rows = rowsOf(beats, columns)
    let most = 1
    let end = -1
    for (const beat of beats) {
      const at = columns.get(beat.id) ?? 0
      const line = rows.get(beat.id) ?? 0
      most = Math.max(most, line + 1)
      if (beat.status !== 'skipped') end = Math.max(end, at)
      spots.set(beat.id, {
        beat,
        x: across(at),
        y: top + head + row * line + 32,
        ...leading(beat, into.get(beat.id) ?? []),
      })
    }
    last = Math.max(last, end + 1)
    const height = head + most * row + foot
    lanes.push({
      arc,
      beats,
      top,
      height,
      end: { from: across(Math.max(0, end)), x: across(end + 1), y: top + head + 32 },
    })
    top += height
  }
  return { lanes, spots, strands, width: across(last) + left, height: top }
}

/** How far to the right each column stands. */
function acrossOf(columns: ReadonlyMap<number, number>, strands: readonly Strand[]): (at: number) => number {
  const ways = new Map<number, number>()
  for (const { from, branch } of strands) if (branch) ways.set(from, (ways.get(from) ?? 0) + 1)
  const wide = new Set([...ways].filter(([, many]) => many > 1).map(([id]) => columns.get(id) ?? 0))
  const known: number[] = [left]
  return (at) => {
    for (let next = known.length; next <= at; next++)
      known.push((known[next - 1] as number) + (wide.has(next - 1) ? parting : column))
    return known[at] as number
  }
}

function leading(beat: StoryBeat, strands: readonly Strand[]): Pick<Spot, 'if' | 'eitherWay'> {
  if (beat.status !== 'planned') return { if: null, eitherWay: false }
  const ways = strands.filter(({ branch, look }) => branch !== null && look !== 'off')
  const way = ways.find(({ look }) => look === 'here') ?? ways[0]
  return { if: way?.branch?.label ?? null, eitherWay: way === undefined && strands.length > 1 }
}

/** One behind what leads to it; what nothing in its arc leads to stands behind all that comes before it there. */
function columnsOf(lanes: readonly (readonly StoryBeat[])[], strands: readonly Strand[]): ReadonlyMap<number, number> {
  const arcOf = new Map<number, number>(lanes.flat().map(({ id, arcId }) => [id, arcId]))
  const into = group(strands, ({ to }) => to)
  const columns = new Map<number, number>()
  // Strands between arcs can push one another on; a circle, which a restored version can make, ends here too.
  for (let round = 0; round < 30; round++) {
    let moved = false
    for (const beats of lanes) {
      let furthest = -1
      for (const { id, arcId } of beats) {
        const before = into.get(id) ?? []
        const own = before.some(({ from }) => arcOf.get(from) === arcId)
        const behind = before.map(({ from }) => (columns.get(from) ?? 0) + 1)
        const at = Math.max(0, own ? 0 : furthest + 1, ...behind)
        if (at > (columns.get(id) ?? -1) && at <= arcOf.size) {
          columns.set(id, at)
          moved = true
        }
        furthest = Math.max(furthest, columns.get(id) ?? 0)
      }
    }
    if (!moved) break
  }
  return columns
}

const weight = { done: 0, active: 0, planned: 1, skipped: 2 } as const

/** What is told keeps to the first line; what was not taken hangs below. */
function rowsOf(beats: readonly StoryBeat[], columns: ReadonlyMap<number, number>): ReadonlyMap<number, number> {
  const rows = new Map<number, number>()
  for (const stack of group(beats, ({ id }) => columns.get(id) ?? 0).values()) {
    const sorted = [...stack].sort((one, other) => weight[one.status] - weight[other.status])
    for (const [index, { id }] of sorted.entries()) rows.set(id, index)
  }
  return rows
}

function group<T>(items: readonly T[], keyOf: (item: T) => number): Map<number, T[]> {
  const groups = new Map<number, T[]>()
  for (const item of items) {
    const key = keyOf(item)
    const list = groups.get(key)
    if (list) list.push(item)
    else groups.set(key, [item])
  }
  return groups
}

export type Direction = 'left' | 'right' | 'up' | 'down'

/** The beat that an arrow leads to: along the strands, or to what stands above or below. */
export function neighbour(loom: Loom, id: number, direction: Direction): number | null {
  const here = loom.spots.get(id)
  if (here === undefined) return null
  if (direction === 'up' || direction === 'down') {
    const sign = direction === 'up' ? -1 : 1
    return nearest(here, loom, (spot) => (spot.y - here.y) * sign > 0, 2)
  }
  const along = loom.strands.filter(({ from, to }) => (direction === 'right' ? from === id : to === id))
  const rank: Readonly<Record<Look, number>> = { told: 0, here: 1, open: 2, off: 3 }
  const arcOf = ({ from, to }: Strand) => loom.spots.get(direction === 'right' ? to : from)?.beat.arcId
  const isOwn = (strand: Strand) => (arcOf(strand) === here.beat.arcId ? 0 : 1)
  const best = along.toSorted((one, other) => isOwn(one) - isOwn(other) || rank[one.look] - rank[other.look])[0]
  if (best) return direction === 'right' ? best.to : best.from
  const sign = direction === 'left' ? -1 : 1
  return nearest(here, loom, ({ beat, x }) => beat.arcId === here.beat.arcId && (x - here.x) * sign > 0, 0.5)
}

function nearest(here: Spot, loom: Loom, passes: (spot: Spot) => boolean, aslant: number): number | null {
  let best: { id: number; far: number } | null = null
  for (const [id, spot] of loom.spots) {
    if (!passes(spot)) continue
    const far = Math.abs(spot.y - here.y) + aslant * Math.abs(spot.x - here.x)
    if (best === null || far < best.far) best = { id, far }
  }
  return best?.id ?? null
}

/** Where a beat comes to stand that is let go at a point: the lane, and what is to its left there. */
export function dropAt(
  loom: Loom,
  id: number,
  x: number,
  y: number,
): { readonly arcId: number; readonly afterBeatId: number | null } | null {
  const lane = loom.lanes.find(({ top, height }) => y >= top && y < top + height) ?? loom.lanes.at(y < 0 ? 0 : -1)
  if (lane === undefined) return null
  const before = lane.beats.filter((beat) => beat.id !== id && (loom.spots.get(beat.id)?.x ?? 0) < x)
  return { arcId: lane.arc.id, afterBeatId: before.at(-1)?.id ?? null }
}

/** The place one further, earlier or later, in the order of its arc; null at its end. */
export function stepFrom(
  beats: readonly StoryBeat[],
  id: number,
  by: -1 | 1,
): { readonly afterBeatId: number | null } | null {
  const at = beats.findIndex((beat) => beat.id === id)
  const to = at + by
  if (at === -1 || to < 0 || to >= beats.length) return null
  const others = beats.filter((beat) => beat.id !== id)
  return { afterBeatId: others[to - 1]?.id ?? null }
}

/** The line of a strand. It leaves and arrives level. */
export function curve(from: Spot, to: Spot): string {
  if (from.y === to.y) return `M${from.x} ${from.y}H${to.x}`
  const far = Math.abs(to.x - from.x)
  const [out, back] = [Math.min(far * 0.68, 160), Math.min(far * 0.4, 110)]
  return `M${from.x} ${from.y}C${from.x + out} ${from.y} ${to.x - back} ${to.y} ${to.x} ${to.y}`
}

/** What stands below the title of a beat. */
export function noteOf({ status, sessionNumber }: StoryBeat, eitherWay = false): string | null {
  const when = sessionNumber === null ? '' : ` in session ${sessionNumber}`
  if (status === 'done') return `Told${when}`
  if (status === 'active') return sessionNumber === null ? 'Now' : `Now,${when}`
  if (status === 'skipped') return 'Not taken'
  if (eitherWay) return 'Either way'
  return sessionNumber === null ? null : `For session ${sessionNumber}`
}
