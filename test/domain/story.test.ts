import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import { type Answer, makeTable, type Table } from './support.ts'

// Arcs, beats and the ways out of them.

let table: Table
beforeEach(async () => {
  table = await makeTable()
})

const dm = (name: string, input: object = {}): Promise<Answer> => table.call('ellen', name, { ...input })
const arc = async (title = 'The harvest', values: object = {}): Promise<number> =>
  (await dm('create_arc', { title, ...values })).id
const beat = async (arcId: number, title: string, values: object = {}): Promise<number> =>
  (await dm('create_beat', { arcId, title, ...values })).id
const way = async (beatId: number, toBeatId: number | null, values: object = {}): Promise<number> =>
  (await dm('create_branch', { beatId, label: 'They go', ...(toBeatId === null ? {} : { toBeatId }), ...values })).id
const take = (branchId: number) => dm('take_branch', { branchId })
const statusOf = async (beatId: number): Promise<string> => (await dm('get_beat', { beatId })).status
const titles = async (arcId: number): Promise<string[]> =>
  (await dm('list_beats', { arcId })).items.map(({ title }: Answer) => title)
const undoLast = async (): Promise<void> => {
  const { items } = await dm('list_audit_records')
  await dm('revert_change', { auditRecordId: items[0].id })
}

/** The whole of it as a DM reads it, without what every write moves. */
async function picture(): Promise<Answer> {
  const { arcs, beats, branches, continuations } = await dm('get_story_graph')
  return { arcs, beats, branches, continuations }
}

describe('a branch taken', () => {
  test('tells its beat, strikes the others and lights the next, as one change that is taken back as one', async () => {
    const [harvest, bell] = [await arc(), await arc('The bell')]
    const now = await beat(harvest, 'Nettie hears her own lullaby', { status: 'active' })
    const door = await beat(harvest, 'The press-house at midnight')
    const bargain = await beat(harvest, 'A year for a year')
    const wakes = await beat(bell, 'Aldersey wakes')
    const ways = [await way(now, door), await way(now, bargain), await way(now, wakes), await way(now, null)]
    const before = await picture()

    const told = await take(ways[0] as number)
    expect(told).toMatchObject({ id: now, status: 'done', branchCount: 4 })
    expect(told.branches.map(({ status }: Answer) => status)).toEqual(['taken', 'not_taken', 'not_taken', 'not_taken'])
    expect(await Promise.all([now, door, bargain, wakes].map(statusOf))).toEqual([
      'done',
      'active',
      'skipped',
      'skipped',
    ])
    expect((await dm('list_arcs')).items[0].progress).toEqual({ done: 1, total: 3 })
    await undoLast()
    expect(await picture()).toEqual(before)
  })

  test('is told in the session that is live', async () => {
    const harvest = await arc()
    const [now, next] = [await beat(harvest, 'One'), await beat(harvest, 'Two')]
    const branchId = await way(now, next)
    const { id: sessionId } = await dm('create_session', { title: 'The wall' })
    await dm('start_session', { sessionId })
    expect(await take(branchId)).toMatchObject({ status: 'done', sessionId, session: { title: 'The wall' } })
    expect(await dm('get_beat', { beatId: next })).toMatchObject({ status: 'active', sessionId: null })
    const { beats } = await dm('get_story_graph')
    expect(beats.map(({ sessionNumber }: Answer) => sessionNumber)).toEqual([1, null])
  })

  test('is taken once: another is refused until the beat is opened again', async () => {
    const harvest = await arc()
    const now = await beat(harvest, 'One')
    const [first, second] = [await way(now, null, { label: 'They sing' }), await way(now, null)]
    await take(first)
    for (const branchId of [first, second])
      expect(await table.refusal('ellen', 'take_branch', { branchId })).toEqual({
        code: 'invalid_state',
        message: expect.stringContaining('“They sing”'),
      })
    // What is thought of afterwards was not what they did.
    const later = await way(now, null, { label: 'They might have danced' })
    const open = await dm('set_beat_status', { beatId: now, status: 'active' })
    expect(open.branches.map(({ id, status }: Answer) => [id, status])).toEqual(
      [first, second, later].map((id) => [id, 'open']),
    )
    await take(second)
    expect(await dm('list_branches', { beatId: now })).toMatchObject({
      items: [{ status: 'not_taken' }, { status: 'taken' }, { status: 'not_taken' }],
    })
  })

  test('after one was taken, a new way out counts as not taken', async () => {
    const now = await beat(await arc(), 'One')
    await take(await way(now, null))
    await way(now, null)
    expect((await dm('list_branches', { beatId: now })).items[1].status).toBe('not_taken')
  })

  test('names what leads to a beat, and leads nowhere while that is in the trash', async () => {
    const harvest = await arc()
    const [now, next] = [await beat(harvest, 'One'), await beat(harvest, 'Two')]
    await way(now, next, { label: 'They climb' })
    expect(await dm('get_beat', { beatId: next })).toMatchObject({
      arrivals: [{ label: 'They climb', beatId: now, beat: { title: 'One' } }],
      arrivalCount: 1,
    })
    await dm('delete_beat', { beatId: next })
    expect((await dm('get_beat', { beatId: now })).branches).toMatchObject([{ toBeatId: null, toBeat: null }])
    await dm('restore_from_trash', { entityType: 'beat', entityId: next })
    expect((await dm('get_beat', { beatId: now })).branches).toMatchObject([{ toBeat: { title: 'Two' } }])
  })
})

describe('a way out is refused', () => {
  test('where it would lead back, and may be led elsewhere', async () => {
    const harvest = await arc()
    const [one, two, three] = [await beat(harvest, 'One'), await beat(harvest, 'Two'), await beat(harvest, 'Three')]
    const first = await way(one, two)
    await way(two, three)
    const circle = { code: 'validation_failed', message: expect.stringContaining('cannot lead to itself') }
    const make = (beatId: number, toBeatId: number) =>
      table.refusal('ellen', 'create_branch', { beatId, toBeatId, label: 'Back' })
    expect(await make(three, one)).toEqual(circle)
    expect(await make(one, one)).toEqual(circle)
    expect(await table.refusal('ellen', 'update_branch', { branchId: first, toBeatId: one })).toEqual(circle)
    await dm('update_branch', { branchId: first, toBeatId: three })
    expect((await dm('list_branches', { beatId: one })).items).toMatchObject([{ toBeatId: three }])
    expect((await dm('update_branch', { branchId: first, toBeatId: null })).toBeatId).toBeNull()
  })

  test('to a beat that is not there, in the trash, or of another campaign', async () => {
    const harvest = await arc()
    const [one, two] = [await beat(harvest, 'One'), await beat(harvest, 'Two')]
    const { id: campaignId } = await dm('create_campaign', { name: 'Another' })
    const { id: foreignArc } = await dm('create_arc', { campaignId, title: 'Elsewhere' })
    const foreign = await beat(foreignArc, 'Far')
    await dm('delete_beat', { beatId: two })
    for (const toBeatId of [two, foreign, 9_999])
      expect(await table.refusal('ellen', 'create_branch', { beatId: one, label: 'Go', toBeatId })).toMatchObject({
        code: 'validation_failed',
      })
    expect(await table.refusal('ellen', 'move_beat', { beatId: one, arcId: foreignArc })).toMatchObject({
      code: expect.stringMatching(/validation_failed|not_found/),
    })
    expect(await table.refusal('ellen', 'move_beat', { beatId: one, afterBeatId: foreign })).toMatchObject({
      code: 'validation_failed',
    })
    const quest = await table.refusal('ellen', 'update_beat', { beatId: one, questId: 9_999 })
    expect(quest).toMatchObject({ code: 'validation_failed' })
  })
})

describe('order', () => {
  test('a beat moves within its arc and into others, with its ways', async () => {
    const [harvest, bell] = [await arc(), await arc('The bell')]
    const [a, b, c] = [await beat(harvest, 'A'), await beat(harvest, 'B'), await beat(harvest, 'C')]
    const x = await beat(bell, 'X')
    await way(c, a)
    await dm('move_beat', { beatId: c })
    expect(await titles(harvest)).toEqual(['C', 'A', 'B'])
    await dm('move_beat', { beatId: c, afterBeatId: a })
    expect(await titles(harvest)).toEqual(['A', 'C', 'B'])
    const moved = await dm('move_beat', { beatId: c, afterBeatId: x })
    expect(moved).toMatchObject({ arcId: bell, branchCount: 1 })
    await dm('move_beat', { beatId: b, arcId: bell })
    expect([await titles(harvest), await titles(bell)]).toEqual([['A'], ['B', 'X', 'C']])
    await undoLast()
    expect([await titles(harvest), await titles(bell)]).toEqual([
      ['A', 'B'],
      ['X', 'C'],
    ])
    expect(await table.refusal('ellen', 'move_beat', { beatId: a, arcId: bell, afterBeatId: b })).toMatchObject({
      code: 'validation_failed',
    })
    expect(await table.refusal('ellen', 'move_beat', { beatId: a, afterBeatId: a })).toMatchObject({
      code: 'validation_failed',
    })
  })

  test('arcs stand as they are put', async () => {
    const [one, two, three] = [await arc('One'), await arc('Two'), await arc('Three')]
    await dm('reorder_arcs', { arcIds: [three, one] })
    expect((await dm('list_arcs')).items.map(({ id }: Answer) => id)).toEqual([three, one, two])
  })

  test('stays total however beats are moved about', async () => {
    const arcs = [await arc('One'), await arc('Two'), await arc('Three')]
    const model = new Map<number, number[]>(arcs.map((id) => [id, []]))
    const beats: number[] = []
    for (let n = 0; n < 9; n++) {
      const arcId = arcs[n % 3] as number
      beats.push(await beat(arcId, `Beat ${n}`))
      model.get(arcId)?.push(beats.at(-1) as number)
    }
    const move = fc.record({ beat: fc.nat(8), arc: fc.nat(2), after: fc.nat(9) })
    await fc.assert(
      fc.asyncProperty(fc.array(move, { maxLength: 12 }), async (moves) => {
        for (const each of moves) {
          const beatId = beats[each.beat] as number
          const arcId = arcs[each.arc] as number
          for (const [id, list] of model)
            model.set(
              id,
              list.filter((other) => other !== beatId),
            )
          const list = model.get(arcId) as number[]
          const at = Math.min(each.after, list.length)
          const afterBeatId = list[at - 1]
          list.splice(at, 0, beatId)
          await dm('move_beat', { beatId, arcId, ...(afterBeatId === undefined ? {} : { afterBeatId }) })
        }
        for (const arcId of arcs) {
          const listed = (await dm('list_beats', { arcId })).items.map(({ id }: Answer) => id)
          expect(listed).toEqual(model.get(arcId))
        }
      }),
      { numRuns: 40, seed: 7 },
    )
  })
})

test('branches taken and taken back, in any order that undo allows, leave the story as it was', async () => {
  const arcs = [await arc('One'), await arc('Two')]
  const beats: number[] = []
  for (let n = 0; n < 10; n++) beats.push(await beat(arcs[n % 2] as number, `Beat ${n}`))
  const branches: number[] = []
  const pairs = [
    [0, 1],
    [0, 2],
    [0, 5],
    [1, 3],
    [1, 4],
    [2, 6],
    [3, 7],
    [3, 8],
    [5, 8],
    [8, 9],
  ] as const
  for (const [from, to] of pairs) branches.push(await way(beats[from] as number, beats[to] as number))
  branches.push(await way(beats[9] as number, null))
  const before = await picture()
  await fc.assert(
    fc.asyncProperty(fc.shuffledSubarray(branches), async (chosen) => {
      const records: number[] = []
      for (const branchId of chosen) {
        const done = await table.call('ellen', 'take_branch', { branchId }).then(
          () => true,
          ({ code }) => {
            expect(code).toBe('invalid_state')
            return false
          },
        )
        if (done) records.unshift((await dm('list_audit_records', { operation: 'take_branch' })).items[0].id)
      }
      for (const auditRecordId of records) await dm('revert_change', { auditRecordId })
      expect(await picture()).toEqual(before)
    }),
    { numRuns: 40, seed: 11 },
  )
})

describe('the trash', () => {
  test('takes an arc with its beats and ways, and gives all of it back', async () => {
    const [harvest, bell] = [await arc(), await arc('The bell')]
    const [one, two, wakes] = [await beat(harvest, 'One'), await beat(harvest, 'Two'), await beat(bell, 'Wakes')]
    await way(one, two)
    await way(wakes, one)
    const before = await picture()
    await dm('delete_arc', { arcId: harvest })
    const without = await dm('get_story_graph')
    expect(without).toMatchObject({ arcs: [{ title: 'The bell' }], beats: [{ title: 'Wakes' }], beatCount: 1 })
    expect(without.branches).toMatchObject([{ beatId: wakes, toBeatId: null }])
    const { items } = await dm('list_trash')
    expect(items).toMatchObject([{ entityType: 'arc', title: 'The harvest', owned: 3 }])
    await dm('restore_from_trash', { entityType: 'arc', entityId: harvest })
    expect(await picture()).toEqual(before)
  })

  test('keeps revisions of a beat, and one of them comes back', async () => {
    const beatId = await beat(await arc(), 'One', { body: 'At first.' })
    await dm('update_beat', { beatId, body: 'Then.' })
    const { items } = await dm('list_revisions', { entityType: 'beat', entityId: beatId })
    await dm('restore_revision', { revisionId: items.at(-1).id })
    expect((await dm('get_beat', { beatId })).body).toBe('At first.')
  })

  test('an update that was written on an older version is refused', async () => {
    const beatId = await beat(await arc(), 'One')
    await dm('update_beat', { beatId, body: 'Then.' })
    const stale = { beatId, body: 'Else.', expectedRevision: 1 }
    expect(await table.refusal('ellen', 'update_beat', stale)).toMatchObject({ code: 'stale_revision' })
  })
})

describe('players', () => {
  test('meet nothing of it, by no door', async () => {
    const arcId = await arc('Lantern', { summary: 'Lantern' })
    const beatId = await beat(arcId, 'Lantern', { body: 'Lantern', status: 'active' })
    const branchId = await way(beatId, null, { label: 'Lantern' })
    for (const person of ['pell', 'gast'] as const) {
      for (const [name, input] of [
        ['list_arcs', {}],
        ['get_arc', { arcId }],
        ['list_beats', { arcId }],
        ['get_beat', { beatId }],
        ['list_branches', { beatId }],
        ['take_branch', { branchId }],
        ['get_story_graph', {}],
      ] as const) {
        const { code } = await table.refusal(person, name, input)
        expect(['forbidden', 'not_found'], `${person} ${name}`).toContain(code)
      }
      expect((await table.call(person, 'search_campaign', { query: 'Lantern' })).items).toEqual([])
      expect((await table.call(person, 'list_recent_changes', { since: '2020-01-01T00:00:00.000Z' })).items).toEqual([])
    }
    expect((await dm('search_campaign', { query: 'Lantern' })).items).toHaveLength(3)
  })
})

test('the preparation of a session shows what is told now, where it goes on, and nothing of arcs that have ended', async () => {
  const [harvest, ended] = [await arc(), await arc('Ended', { status: 'resolved' })]
  const now = await beat(harvest, 'Now', { status: 'active' })
  await beat(harvest, 'Later')
  await beat(ended, 'Long ago', { status: 'active' })
  await way(now, null, { label: 'They sing', condition: 'if they dare' })
  const { activeBeats } = await dm('get_session_prep')
  expect(activeBeats).toMatchObject([
    {
      title: 'Now',
      arc: { title: 'The harvest' },
      branches: [{ label: 'They sing', condition: 'if they dare' }],
      branchCount: 1,
    },
  ])
})

describe('the graph', () => {
  test('says where each beat leads without a branch, and how much of an arc is told', async () => {
    const harvest = await arc()
    const [one, two] = [await beat(harvest, 'One', { status: 'done' }), await beat(harvest, 'Two')]
    await beat(harvest, 'Three')
    await way(two, null)
    const graph = await dm('get_story_graph')
    expect(graph).toMatchObject({
      arcs: [{ id: harvest, progress: { done: 1, total: 3 } }],
      continuations: [{ beatId: one, nextBeatId: two }],
      beatCount: 3,
      truncated: false,
    })
    expect(graph.branches).toMatchObject([{ beatId: two, toBeatId: null, status: 'open' }])
  })

  test('of more than 5,000 beats comes around one of them, with what its ways lead to', async () => {
    const [long, other] = [await arc('A long one'), await arc('Another')]
    table.store.connection.exec('BEGIN')
    const beats: number[] = []
    for (let n = 0; n < 5_010; n++) beats.push(await beat(long, `Beat ${n}`))
    const far = await beat(other, 'Far')
    table.store.connection.exec('COMMIT')
    await way(beats[4_000] as number, far)
    const titlesOf = (graph: Answer): string[] => graph.beats.map(({ title }: Answer) => title)

    const start = await dm('get_story_graph')
    expect([start.truncated, start.beatCount]).toEqual([true, 5_011])
    expect(titlesOf(start).slice(0, 2)).toEqual(['Beat 0', 'Beat 1'])
    const near = await dm('get_story_graph', { beatId: beats[4_500] })
    expect(near.beats.length).toBeLessThanOrEqual(5_000)
    expect(titlesOf(near)).toEqual(expect.arrayContaining(['Beat 4500', 'Beat 5009', 'Beat 4000', 'Far']))
    expect(titlesOf(near)).not.toContain('Beat 0')
    expect(near.branches).toMatchObject([{ beatId: beats[4_000], toBeatId: far }])
    expect((await table.refusal('ellen', 'get_story_graph', { beatId: 99_999 })).code).toBe('not_found')
  })
})
