import { beforeEach, describe, expect, test } from 'vitest'
import { settled } from '../../src/domain/random-table/rules.ts'
import { type Answer, makeTable, type Table } from './support.ts'

// Tables that are rolled on, and what they lead to.

let table: Table
beforeEach(async () => {
  table = await makeTable()
})

const make = (values: object): Promise<Answer> =>
  table.call('ellen', 'create_random_table', { name: 'Met on the road', ...values })
const refusal = async (values: object): Promise<string> => {
  const { code, message } = await table.refusal('ellen', 'create_random_table', { name: 'Met on the road', ...values })
  expect(code).toBe('validation_failed')
  return message
}

describe('a table', () => {
  test('with dice has one line for every total, and says which one is wrong', async () => {
    const rows = (...ranges: [number, number?][]) =>
      ranges.map(([from, to]) => ({ from, ...(to ? { to } : {}), text: 'x' }))
    expect(settled('1d6', rows([1, 3], [4], [5, 6]))).toHaveLength(3)
    expect(settled('2d6', rows([2, 12]))).toHaveLength(1)
    expect(settled('1d6', rows([1, 3], [3, 6]))).toEqual({ path: 'rows[1].from', message: '3 has line 1 already' })
    expect(settled('1d6', rows([1, 3], [5, 6]))).toMatchObject({
      path: 'rows',
      message: expect.stringContaining('4 has no line'),
    })
    expect(settled('1d6', rows([1, 7]))).toEqual({ path: 'rows[0].from', message: 'outside of 1 to 6' })
    expect(settled('d7½', rows([1]))).toMatchObject({ path: 'expression' })
    expect(await refusal({ expression: '1d4', rows: rows([1, 3]) })).toContain('4 has no line')
    expect(await refusal({ rows: rows([1]) })).toContain('expression')
    const kept = await make({ expression: '1d2', rows: [{ text: 'One' }, { text: 'Two' }] })
    expect(kept.rows.map(({ from }: Answer) => from)).toEqual([1, 2])
  })

  test('is nobody’s but the Dungeon Master’s', async () => {
    const { id: tableId } = await make({ rows: [{ text: 'A cart' }] })
    expect(await table.refusal('pell', 'get_random_table', { tableId })).toMatchObject({ code: 'not_found' })
    expect(await table.refusal('pell', 'list_random_tables')).toMatchObject({ code: 'forbidden' })
  })

  test('does not lead back to itself, along however many others', async () => {
    const first = await make({ name: 'First', rows: [{ text: 'A' }] })
    const second = await make({ name: 'Second', rows: [{ text: 'B', tableId: first.id }] })
    const third = await make({
      name: 'Third',
      rows: [
        { text: 'C', tableId: second.id },
        { text: 'c', tableId: first.id },
      ],
    })
    const circle = { tableId: first.id, rows: [{ text: 'A', tableId: third.id }] }
    const refused = await table.refusal('ellen', 'update_random_table', circle)
    expect(refused).toMatchObject({
      code: 'validation_failed',
      message: expect.stringContaining('First, Third, Second, First'),
    })
    const own = { tableId: first.id, rows: [{ text: 'A', tableId: first.id }] }
    expect(await table.refusal('ellen', 'update_random_table', own)).toMatchObject({ code: 'validation_failed' })
    expect(await refusal({ rows: [{ text: 'A', tableId: 999 }] })).toContain('rows[0].tableId')
  })

  test('leads six tables deep and no further', async () => {
    let { id } = await make({ rows: [{ text: 'The end' }] })
    for (let depth = 2; depth <= 6; depth++) ({ id } = await make({ rows: [{ text: 'On', tableId: id }] }))
    expect(await refusal({ rows: [{ text: 'On', tableId: id }] })).toContain('too deep')
    const { draws } = await table.call('ellen', 'roll_random_table', { tableId: id })
    expect(draws[0].steps.map(({ depth }: Answer) => depth)).toEqual([0, 1, 2, 3, 4, 5])
  })
})

describe('a roll', () => {
  test('draws each line as often as its share, within what chance allows, and keeps what was drawn', async () => {
    const { id: tableId } = await make({ rows: [{ text: 'Often', weight: 3 }, { text: 'Seldom' }] })
    const drawn: string[] = []
    for (let time = 0; time < 20; time++) {
      const { draws } = await table.call('ellen', 'roll_random_table', { tableId, times: 20 })
      drawn.push(...draws.map(({ text }: Answer) => text))
    }
    const seldom = drawn.filter((text) => text === 'Seldom').length
    // 400 draws, 100 expected: five times the deviation of 8.7.
    expect(seldom).toBeGreaterThan(56)
    expect(seldom).toBeLessThan(144)
    const one = await table.call('ellen', 'get_random_table', { tableId })
    expect([one.drawn.length, one.drawnCount, one.drawn[0].text]).toEqual([20, 400, drawn.at(-1)])
  })

  test('throws what stands in its words, and goes on where they lead', async () => {
    const below = await make({ name: 'Trouble', expression: '1d1', rows: [{ from: 1, text: 'They want the goat' }] })
    const { id: tableId } = await make({
      expression: '1d4',
      rows: [{ from: 1, to: 4, text: '[[1d4+1]] hounds', more: 'At [[2d6]] paces', tableId: below.id, times: 2 }],
    })
    const { draws } = await table.call('ellen', 'roll_random_table', { tableId })
    const [first, ...others] = draws[0].steps
    expect(first.text).toBe(`${first.thrown[0].total} hounds`)
    expect(first.more).toBe(`At ${first.thrown[1].total} paces`)
    expect(first.dice).toEqual([{ sides: 4, face: first.total }])
    expect(others.map(({ depth, text, table: name }: Answer) => [depth, name, text])).toEqual([
      [1, 'Trouble', 'They want the goat'],
      [1, 'Trouble', 'They want the goat'],
    ])
  })

  test('that asks for more than a hundred lines is refused, and nothing of it is kept', async () => {
    let { id } = await make({ rows: [{ text: 'x' }] })
    for (let depth = 2; depth <= 4; depth++) ({ id } = await make({ rows: [{ text: 'x', tableId: id, times: 5 }] }))
    const refused = await table.refusal('ellen', 'roll_random_table', { tableId: id })
    expect(refused.code).toBe('invalid_state')
    expect((await table.call('ellen', 'get_random_table', { tableId: id })).drawnCount).toBe(0)
  })

  test('stops at a table that is gone', async () => {
    const below = await make({ rows: [{ text: 'Gone' }] })
    const { id: tableId } = await make({ rows: [{ text: 'A traveller', tableId: below.id }] })
    await table.call('ellen', 'delete_random_table', { tableId: below.id })
    const { draws } = await table.call('ellen', 'roll_random_table', { tableId })
    expect(draws[0].steps).toHaveLength(1)
    expect((await table.call('ellen', 'get_random_table', { tableId })).leadsTo).toEqual([])
  })

  test('for the party is told to players, and one for the Dungeon Master is not', async () => {
    const { id: tableId } = await make({ rows: [{ text: 'Empty cradles' }] })
    const since = table.now()
    table.pass(1)
    await table.call('ellen', 'roll_random_table', { tableId })
    const told = async () =>
      (await table.call('pell', 'list_recent_changes', { since })).items.filter(
        (each: Answer) => each.entityType === 'table_draw',
      )
    expect(await told()).toEqual([])
    await table.call('ellen', 'roll_random_table', { tableId, visibility: 'party' })
    expect(await told()).toMatchObject([{ title: 'Empty cradles' }])
  })
})
