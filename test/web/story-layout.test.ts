import { describe, expect, test } from 'vitest'
import type { StoryBeat, StoryGraph } from '../../src/web/api/contract.ts'
import { dropAt, layOut, neighbour, stepFrom, strandsOf } from '../../src/web/pages/story/layout.ts'

// Where beats stand on the desk, and where the arrows and a drag lead.

type Status = StoryBeat['status']

/** Beats as `id: [arc, status]` in their order; branches as `[from, to, label, status]`. */
function graph(
  beats: Readonly<Record<number, readonly [arc: number, status?: Status]>>,
  branches: readonly (readonly [from: number, to: number, status?: 'open' | 'taken' | 'not_taken'])[] = [],
  continuations: readonly (readonly [from: number, to: number])[] = [],
): StoryGraph {
  const arcs = [...new Set(Object.values(beats).map(([arc]) => arc))]
  return {
    arcs: arcs.map((id) => ({ id, title: `Arc ${id}`, status: 'active', progress: { done: 0, total: 0 } })),
    beats: Object.entries(beats).map(([id, [arcId, status = 'planned']]) => ({
      id: Number(id),
      arcId,
      title: `Beat ${id}`,
      status,
      sessionId: null,
      sessionNumber: null,
    })),
    branches: branches.map(([beatId, toBeatId, status = 'open'], index) => ({
      id: index + 1,
      beatId,
      toBeatId,
      label: `Way ${index + 1}`,
      condition: null,
      status,
    })),
    continuations: continuations.map(([beatId, nextBeatId]) => ({ beatId, nextBeatId })),
    beatCount: Object.keys(beats).length,
    truncated: false,
  } as unknown as StoryGraph
}

/** Two arcs: a told beat, one that is told now with two ways of its arc and one into the other, and what comes either way. */
const tale = graph(
  { 1: [1, 'done'], 2: [1, 'active'], 3: [1], 4: [1], 5: [1], 6: [2], 7: [2] },
  [
    [1, 2, 'taken'],
    [2, 3],
    [2, 4],
    [2, 7],
  ],
  [
    [3, 5],
    [4, 5],
    [6, 7],
  ],
)
const loom = layOut(tale, tale.arcs)
const at = (id: number) => loom.spots.get(id) as NonNullable<ReturnType<typeof loom.spots.get>>

describe('the threads', () => {
  test('put each beat behind what leads to it, and ways of one beat below one another', () => {
    expect([1, 2, 3, 5].map((id) => at(id).x)).toEqual([...[1, 2, 3, 5].map((id) => at(id).x)].sort((a, b) => a - b))
    expect(at(3).x).toBe(at(4).x)
    expect(at(3).y).toBeLessThan(at(4).y)
    expect(at(7).x).toBe(at(3).x)
    expect(at(1).y).toBe(at(2).y)
    expect(at(6).y).toBeGreaterThan(at(4).y)
  })

  test('say what leads to a beat, and that it comes either way', () => {
    expect([at(3).if, at(7).if, at(5).if, at(2).if]).toEqual(['Way 2', 'Way 4', null, null])
    expect([at(5).eitherWay, at(7).eitherWay]).toEqual([true, false])
  })

  test('are told, here, open or not taken', () => {
    const looks = (of: StoryGraph) => strandsOf(of).map(({ from, to, look }) => `${from}>${to} ${look}`)
    expect(looks(tale)).toEqual(['1>2 told', '2>3 here', '2>4 here', '2>7 here', '3>5 open', '4>5 open', '6>7 open'])
    const chosen = graph(
      { 1: [1, 'done'], 2: [1, 'active'], 3: [1, 'skipped'], 4: [1] },
      [
        [1, 2, 'taken'],
        [1, 3, 'not_taken'],
      ],
      [
        [2, 4],
        [3, 4],
      ],
    )
    expect(looks(chosen)).toEqual(['1>2 told', '1>3 off', '2>4 here'])
  })

  test('end where circles go round, which a restored version can make', () => {
    const circle = graph({ 1: [1], 2: [1], 3: [2] }, [
      [1, 2],
      [2, 3],
      [3, 1],
    ])
    expect(layOut(circle, circle.arcs).spots.size).toBe(3)
  })

  test('stand in no two places at once, however many beats there are', () => {
    const beats = Object.fromEntries(Array.from({ length: 400 }, (_, n) => [n + 1, [1 + (n % 7)] as const]))
    const many = graph(
      beats,
      Array.from({ length: 300 }, (_, n) => [n + 1, n + 8 + (n % 5)] as const),
    )
    const spots = [...layOut(many, many.arcs).spots.values()].map(({ x, y }) => `${x} ${y}`)
    expect(new Set(spots).size).toBe(400)
  })
})

describe('arrows', () => {
  test('walk the thread and between the ways', () => {
    expect(neighbour(loom, 1, 'right')).toBe(2)
    expect(neighbour(loom, 2, 'left')).toBe(1)
    expect(neighbour(loom, 2, 'right')).toBe(3)
    expect(neighbour(loom, 3, 'down')).toBe(4)
    expect(neighbour(loom, 4, 'down')).toBe(7)
    expect(neighbour(loom, 7, 'left')).toBe(6)
    expect(neighbour(loom, 1, 'left')).toBeNull()
    expect(neighbour(loom, 1, 'up')).toBeNull()
  })

  test('with Shift go one place earlier or later, and no further than the ends', () => {
    const beats = tale.beats.filter(({ arcId }) => arcId === 1)
    expect(stepFrom(beats, 2, -1)).toEqual({ afterBeatId: null })
    expect(stepFrom(beats, 2, 1)).toEqual({ afterBeatId: 3 })
    expect(stepFrom(beats, 1, -1)).toBeNull()
    expect(stepFrom(beats, 5, 1)).toBeNull()
  })
})

test('a beat that is let go stands behind what is to its left in that lane', () => {
  expect(dropAt(loom, 1, at(2).x + 5, at(2).y)).toEqual({ arcId: 1, afterBeatId: 2 })
  expect(dropAt(loom, 3, at(6).x + 5, at(6).y)).toEqual({ arcId: 2, afterBeatId: 6 })
  expect(dropAt(loom, 7, 0, at(1).y)).toEqual({ arcId: 1, afterBeatId: null })
  expect(dropAt(loom, 1, 5000, 50_000)).toEqual({ arcId: 2, afterBeatId: 7 })
})
