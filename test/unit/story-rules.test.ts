import { describe, expect, test } from 'vitest'
import {
  type BeatStatus,
  type BranchStatus,
  leadsOf,
  outcomeOf,
  type Story,
  type StoryBranch,
  wouldCircle,
} from '../../src/domain/story/rules.ts'
import { seededRandom } from '../support/random.ts'

// How a story goes on, without a database.

/** Beats as `id: [arc, status]`, in the order of their arcs; branches as `[id, from, to, status]`. */
function story(
  beats: Readonly<Record<number, readonly [arc: number, status?: BeatStatus]>>,
  branches: readonly (readonly [id: number, from: number, to: number | null, status?: BranchStatus])[] = [],
): Story {
  return {
    beats: Object.entries(beats).map(([id, [arcId, status = 'planned']]) => ({ id: Number(id), arcId, status })),
    branches: branches.map(([id, beatId, toBeatId, status = 'open']) => ({ id, beatId, toBeatId, status })),
  }
}

const changes = (of: Story, branchId: number) => {
  const { beats, branches } = outcomeOf(of, branchId)
  return { beats: Object.fromEntries(beats), branches: Object.fromEntries(branches) }
}

const following = (of: Story): string[] =>
  leadsOf(of)
    .filter(({ branchId }) => branchId === null)
    .map(({ from, to }) => `${from}>${to}`)
    .sort()

describe('the thread', () => {
  test('leads from beat to beat of one arc, and ends with it', () => {
    expect(following(story({ 1: [1], 2: [1], 3: [1], 4: [2], 5: [2] }))).toEqual(['1>2', '2>3', '4>5'])
  })

  test('is left where a beat has ways of its own, and joined again by each of them', () => {
    const split = story({ 1: [1], 2: [1], 3: [1], 4: [1] }, [
      [1, 1, 2],
      [2, 1, 3],
    ])
    expect(following(split)).toEqual(['2>4', '3>4'])
  })

  test('goes on to a beat that another arc leads to as well', () => {
    const met = story({ 1: [1], 2: [2], 3: [2], 4: [2] }, [[1, 1, 3]])
    expect(following(met)).toEqual(['2>3', '3>4'])
  })
})

describe('a branch taken', () => {
  test('tells its beat, strikes the other ways with what only they led to, and lights the next', () => {
    const now = story({ 1: [1, 'active'], 2: [1], 3: [1], 4: [1] }, [
      [1, 1, 2],
      [2, 1, 3],
      [3, 1, null],
    ])
    expect(changes(now, 1)).toEqual({
      beats: { 1: 'done', 2: 'active', 3: 'skipped' },
      branches: { 1: 'taken', 2: 'not_taken', 3: 'not_taken' },
    })
  })

  test('leaves what comes either way, and what the thread of another arc comes to', () => {
    const mockUp = story({ 1: [1, 'active'], 2: [1], 3: [1], 4: [1], 5: [2, 'done'], 6: [2], 7: [2], 8: [2] }, [
      [1, 1, 2],
      [2, 1, 3],
      [3, 1, 7],
    ])
    expect(changes(mockUp, 1).beats).toEqual({ 1: 'done', 2: 'active', 3: 'skipped' })
    expect(changes(mockUp, 3).beats).toEqual({ 1: 'done', 7: 'active', 2: 'skipped', 3: 'skipped', 4: 'skipped' })
  })

  test('strikes all that only a way not taken would have come to, over arcs, also in a circle', () => {
    const far = story({ 1: [1, 'active'], 2: [1], 3: [2], 4: [3], 5: [4] }, [
      [1, 1, 2],
      [2, 1, 3],
      [3, 3, 4],
      [4, 4, 5],
      [5, 5, 3],
    ])
    expect(changes(far, 1).beats).toEqual({ 1: 'done', 2: 'active', 3: 'skipped', 4: 'skipped', 5: 'skipped' })
  })

  test('leaves what is told or told now, wherever it stands, and what leads on from there', () => {
    const told = story({ 1: [1, 'active'], 2: [1], 3: [2, 'done'], 4: [3, 'active'], 5: [3] }, [
      [1, 1, 2],
      [2, 1, 3],
      [3, 1, 4],
      [4, 1, 5],
      [5, 4, 5],
    ])
    expect(changes(told, 1).beats).toEqual({ 1: 'done', 2: 'active' })
    expect(changes(told, 2).beats).toEqual({ 1: 'done', 2: 'skipped' })
  })

  test('brings back what was struck, when it leads there', () => {
    const struck = story({ 1: [1, 'skipped'], 2: [1, 'skipped'] }, [[1, 1, 2]])
    expect(changes(struck, 1).beats).toEqual({ 1: 'done', 2: 'active' })
  })

  test('that leads nowhere yet tells its beat and lights nothing', () => {
    expect(changes(story({ 1: [1] }, [[1, 1, null]]), 1)).toEqual({ beats: { 1: 'done' }, branches: { 1: 'taken' } })
  })
})

describe('a circle', () => {
  const chain = [
    { beatId: 1, toBeatId: 2 },
    { beatId: 2, toBeatId: 3 },
    { beatId: 2, toBeatId: null },
  ]
  test.each([
    [1, 1, true],
    [3, 1, true],
    [2, 1, true],
    [1, 3, false],
    [3, 4, false],
  ])('from %i to %i: %s', (from, to, expected) => {
    expect(wouldCircle(chain, from, to)).toBe(expected)
  })
})

/** A random story with circles, loose ends, told and struck beats. */
function randomStory(seed: number): Story {
  const random = seededRandom(seed)
  const below = (most: number): number => random.integer(0, most - 1)
  const count = 2 + below(25)
  const statuses: readonly BeatStatus[] = ['planned', 'planned', 'planned', 'active', 'done', 'skipped']
  const beats = Array.from({ length: count }, (_, index) => ({
    id: index + 1,
    arcId: 1 + below(4),
    status: statuses[below(statuses.length)] as BeatStatus,
  }))
  const branches = Array.from(
    { length: 1 + below(30) },
    (_, index): StoryBranch => ({
      id: index + 1,
      beatId: 1 + below(count),
      toBeatId: below(6) === 0 ? null : 1 + below(count),
      status: below(5) === 0 ? 'not_taken' : 'open',
    }),
  )
  return { beats, branches }
}

test('2,000 random stories: one way is taken, only what was to come is struck, and nothing is struck that is led to', () => {
  for (let seed = 1; seed <= 2000; seed++) {
    const before = randomStory(seed)
    const taken = before.branches[seed % before.branches.length] as StoryBranch
    const { beats, branches } = outcomeOf(before, taken.id)
    const after: Story = {
      beats: before.beats.map((each) => ({ ...each, status: beats.get(each.id) ?? each.status })),
      branches: before.branches.map((each) => ({ ...each, status: branches.get(each.id) ?? each.status })),
    }
    const statusOf = new Map(after.beats.map(({ id, status }) => [id, status]))
    const out = after.branches.filter(({ beatId }) => beatId === taken.beatId)
    expect(out.filter(({ status }) => status === 'taken').map(({ id }) => id)).toEqual([taken.id])
    expect(out.every(({ status }) => status !== 'open')).toBe(true)
    expect(statusOf.get(taken.beatId)).toBe('done')
    for (const { id, status } of before.beats) {
      if (beats.get(id) === 'skipped') expect(status, `seed ${seed}: beat ${id}`).toBe('planned')
    }
    const gone = new Set(after.branches.filter(({ status }) => status === 'not_taken').map(({ id }) => id))
    const wrong = leadsOf(after)
      .filter(({ branchId }) => branchId === null || !gone.has(branchId))
      .filter(({ to }) => beats.get(to) === 'skipped')
      .filter(({ from }) => statusOf.get(from) !== 'skipped')
    expect(wrong, `seed ${seed}`).toEqual([])
  }
})
