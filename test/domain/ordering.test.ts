import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { lastPosition, type Places, placeRows } from '../../src/domain/ordering.ts'
import { makeTable, type Table } from './support.ts'

/** An order in memory, and what is written to it. */
const members = { rows: 'ids', after: 'after' }

function memoryOrder(count: number) {
  const rows: { id: number; position: number }[] = []
  let written = 0
  const placeOf = (id: number): number => rows.findIndex((row) => row.id === id)
  /** Where a row stands or would stand. */
  const search = ({ id, position }: { id: number; position: number }): number => {
    let [low, high] = [0, rows.length]
    while (low < high) {
      const middle = (low + high) >> 1
      const row = rows[middle] as (typeof rows)[number]
      if (row.position < position || (row.position === position && row.id < id)) low = middle + 1
      else high = middle
    }
    return low
  }
  const put = (id: number, position: number): void => {
    const at = placeOf(id)
    if (at >= 0) rows.splice(at, 1)
    rows.splice(search({ id, position }), 0, { id, position })
  }
  const places: Places = {
    find: (id) => rows[placeOf(id)] ?? null,
    behind(place, limit) {
      const from = place === null ? 0 : search(place) + 1
      return rows.slice(from, from + limit)
    },
    last: () => rows.at(-1)?.position ?? null,
    put(id, position) {
      written += 1
      put(id, position)
    },
  }
  for (let id = 1; id <= count; id += 1) put(id, lastPosition(places))
  return {
    places,
    put,
    ids: () => rows.map(({ id }) => id),
    positions: () => rows.map(({ position }) => position),
    /** How many rows one move writes. */
    move(named: readonly number[], after?: number): number {
      written = 0
      expect(placeRows(places, named, after, members)).toEqual(named)
      return written
    },
  }
}

/** What was asked: those that are named one behind the other, first or behind another, and the rest as it was. */
function expected(ids: readonly number[], named: readonly number[], after: number | undefined): number[] {
  const rest = ids.filter((id) => !named.includes(id))
  const at = after === undefined ? 0 : rest.indexOf(after) + 1
  return [...rest.slice(0, at), ...named, ...rest.slice(at)]
}

describe('an order', () => {
  test('is what was asked after thousands of moves, and a move writes few rows', () => {
    const size = 40
    const moves = fc.array(
      fc.record({
        named: fc.uniqueArray(fc.integer({ min: 1, max: size }), { minLength: 1, maxLength: 5 }),
        after: fc.option(fc.integer({ min: 1, max: size }), { nil: undefined }),
      }),
      { minLength: 50, maxLength: 400 },
    )
    const property = fc.property(moves, (list) => {
      const order = memoryOrder(size)
      for (const { named, after } of list) {
        const behind = after !== undefined && named.includes(after) ? undefined : after
        const wanted = expected(order.ids(), named, behind)
        expect(order.move(named, behind)).toBeLessThanOrEqual(named.length + 8)
        expect(order.ids()).toEqual(wanted)
        expect(new Set(order.positions()).size).toBe(size)
      }
    })
    fc.assert(property, { seed: 20261120, numRuns: 20 })
  })

  test.each([
    ['behind the same one', (move: number): [number, number | undefined] => [2 + (move % 1199), 1]],
    ['from the end behind the same one', (): [number, number | undefined] => [-1, 5]],
    ['in front of all', (move: number): [number, number | undefined] => [1 + (move % 1200), undefined]],
    [
      'each behind the last that was moved',
      (move: number): [number, number | undefined] => [1 + (move % 1200), 1 + ((move + 1199) % 1200)],
    ],
  ])('holds when 3,000 rows go %s', (_, moveOf) => {
    const order = memoryOrder(1200)
    let [most, sum] = [0, 0]
    for (let move = 0; move < 3000; move += 1) {
      const [id, after] = moveOf(move)
      const named = id === -1 ? (order.places.behind(null, 1200).at(-1)?.id as number) : id
      const written = order.move([named], after)
      most = Math.max(most, written)
      sum += written
    }
    const ids = order.ids()
    expect(new Set(order.positions()).size).toBe(1200)
    expect([...ids].sort((a, b) => a - b)).toEqual(Array.from({ length: 1200 }, (_, index) => index + 1))
    // Such a spot is met once in many moves; most of them write one row.
    expect(most).toBeLessThanOrEqual(513)
    expect(sum / 3000).toBeLessThan(8)
    for (const position of order.positions()) expect(Number.isSafeInteger(position)).toBe(true)
  })

  test('is not written where it is so already', () => {
    const order = memoryOrder(5)
    expect(order.move([1, 2])).toBe(0)
    expect(order.move([4, 5], 3)).toBe(0)
    expect(order.move([2, 3], 1)).toBe(0)
    expect(order.move([5], 3)).toBe(1)
    expect(order.ids()).toEqual([1, 2, 3, 5, 4])
  })

  test('is total where rows share a position, as rows that came back from the trash may', () => {
    const order = memoryOrder(4)
    for (const id of [1, 2, 3, 4]) order.put(id, 7)
    order.move([4], 2)
    expect(order.ids()).toEqual([1, 2, 4, 3])
    order.move([3], 1)
    expect(order.ids()).toEqual([1, 3, 2, 4])
  })

  test.each([
    ['an id that is none of it', [1, 9], undefined, 'ids: there is no row 9 here'],
    ['an id twice', [1, 1], undefined, 'ids: an id is named twice'],
    ['a row behind itself', [1, 2], 2, 'after: row 2 cannot stand behind itself'],
    ['a place behind what is none of it', [1], 9, 'after: there is no row 9 here'],
  ])('refuses %s, and writes nothing', (_, named, after, message) => {
    const order = memoryOrder(3)
    expect(() => placeRows(order.places, named, after, members)).toThrow(message)
    expect(order.ids()).toEqual([1, 2, 3])
  })
})

describe('quests and objectives', () => {
  const titles = async (table: Table): Promise<string[]> =>
    (await table.call('ellen', 'list_quests')).items.map(({ title }: { title: string }) => title)

  test('stand where they were put: first, or behind another', async () => {
    const table = await makeTable()
    const ids: number[] = []
    for (const title of ['A', 'B', 'C', 'D', 'E']) ids.push((await table.call('ellen', 'create_quest', { title })).id)
    const [a, b, c, , e] = ids as [number, number, number, number, number]
    expect(await titles(table)).toEqual(['A', 'B', 'C', 'D', 'E'])
    expect(await table.call('ellen', 'reorder_quests', { questIds: [e, c] })).toEqual({ questIds: [e, c] })
    expect(await titles(table)).toEqual(['E', 'C', 'A', 'B', 'D'])
    expect(await table.call('ellen', 'reorder_quests', { questIds: [e], afterQuestId: b })).toEqual({ questIds: [e] })
    expect(await titles(table)).toEqual(['C', 'A', 'B', 'E', 'D'])
    const written = table.store.all(`SELECT id FROM changes WHERE entity_type = 'quest' AND kind = 'update'`)
    expect(written).toHaveLength(3)
    await table.call('ellen', 'revert_change', {
      auditRecordId: (await table.call('ellen', 'list_audit_records', { limit: 1 })).items[0].id,
    })
    expect(await titles(table)).toEqual(['E', 'C', 'A', 'B', 'D'])
    expect((await table.refusal('ellen', 'reorder_quests', { questIds: [a], afterQuestId: a })).code).toBe(
      'validation_failed',
    )
  })

  test('an objective goes behind one of its own quest only', async () => {
    const table = await makeTable()
    const quest = async (title: string): Promise<number> => (await table.call('ellen', 'create_quest', { title })).id
    const step = async (questId: number, text: string): Promise<number> =>
      (await table.call('ellen', 'create_objective', { questId, text })).id
    const [one, other] = [await quest('One'), await quest('Other')]
    const [a, b, foreign] = [await step(one, 'a'), await step(one, 'b'), await step(other, 'foreign')]
    await table.call('ellen', 'reorder_objectives', { questId: one, objectiveIds: [a], afterObjectiveId: b })
    const texts = (await table.call('pell', 'list_objectives', { questId: one })).items
    expect(texts.map(({ text }: { text: string }) => text)).toEqual(['b', 'a'])
    for (const input of [{ objectiveIds: [foreign] }, { objectiveIds: [a], afterObjectiveId: foreign }])
      expect((await table.refusal('ellen', 'reorder_objectives', { questId: one, ...input })).code).toBe(
        'validation_failed',
      )
  })

  test('no answer says how far apart they stand, which would tell of hidden ones between', async () => {
    const table = await makeTable()
    const { id: questId } = await table.call('ellen', 'create_quest', { title: 'A' })
    await table.call('ellen', 'create_objective', { questId, text: 'a' })
    for (const name of ['list_quests', 'get_campaign_summary'])
      expect(JSON.stringify(await table.call('pell', name))).not.toContain('position')
    expect(JSON.stringify(await table.call('pell', 'get_quest', { questId }))).not.toContain('position')
  })

  test('of 1,200 all are listed page by page, and the 1,150th can be moved first, by writing one row', async () => {
    const table = await makeTable()
    await table.call('ellen', 'create_quest', { title: 'Quest 1' })
    const { connection } = table.store
    connection.exec(`
      WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 1200)
      INSERT INTO quests (campaign_id, created_at, updated_at, title, position)
      SELECT ${table.campaignId}, '${table.now()}', '${table.now()}', 'Quest ' || i, i * ${2 ** 30} FROM n`)
    const all: number[] = []
    let cursor: string | undefined
    do {
      const page = await table.call('ellen', 'list_quests', { limit: 200, cursor })
      all.push(...page.items.map(({ id }: { id: number }) => id))
      cursor = page.nextCursor ?? undefined
    } while (cursor !== undefined)
    expect(all).toHaveLength(1200)
    const last = all[1149] as number
    await table.call('ellen', 'reorder_quests', { questIds: [last] })
    expect((await table.call('ellen', 'list_quests', { limit: 3 })).items.map(({ id }: { id: number }) => id)).toEqual([
      last,
      all[0],
      all[1],
    ])
    expect(table.store.all(`SELECT id FROM changes WHERE entity_type = 'quest' AND kind = 'update'`)).toHaveLength(1)
  })
})
