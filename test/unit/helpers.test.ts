import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { npc } from '../../src/domain/npc/entity.ts'
import { updates } from '../../src/domain/plain.ts'
import { upwards } from '../../src/domain/tree.ts'
import { errorBody, invalid } from '../../src/kernel/errors.ts'
import { pageFrom } from '../../src/kernel/paging.ts'
import { makeTable } from '../domain/support.ts'

describe('a page of what is at hand', () => {
  const all = (rows: readonly number[], limit: number) => {
    const pages: number[][] = []
    let taken = 0
    let cursor: string | undefined
    do {
      const page = pageFrom<number>(
        { limit, cursor },
        function* (key) {
          for (const row of rows.filter((each) => each > Number(key?.[0] ?? -1))) {
            taken += 1
            yield row
          }
        },
        (row) => [row],
      )
      pages.push(page.items)
      cursor = page.nextCursor ?? undefined
    } while (cursor !== undefined)
    return { pages, taken }
  }

  test('gives everything once, in order, in pages that are full but for the last, and walks no further than it must', () => {
    fc.assert(
      fc.property(fc.uniqueArray(fc.nat(1000), { maxLength: 40 }), fc.integer({ min: 1, max: 9 }), (ids, limit) => {
        const rows = ids.toSorted((one, other) => one - other)
        const { pages, taken } = all(rows, limit)
        expect(pages.flat()).toEqual(rows)
        for (const page of pages.slice(0, -1)) expect(page).toHaveLength(limit)
        expect(taken).toBeLessThanOrEqual(rows.length + pages.length)
      }),
      { seed: 20261124 },
    )
  })

  test('takes fifty where no number is asked for, and refuses a cursor of another list', () => {
    const rows = Array.from({ length: 60 }, (_, index) => index)
    expect(
      pageFrom(
        {},
        () => rows,
        (row) => [row],
      ).items,
    ).toHaveLength(50)
    expect(() =>
      pageFrom(
        { cursor: 'WzEsMl0' },
        () => rows,
        (row) => [row],
      ),
    ).toThrow(/cursor/)
  })
})

test('wrong input names its member, in short and in a sentence', () => {
  const { error } = errorBody(invalid('name', 'is taken'))
  expect(error).toEqual({
    status: 400,
    code: 'validation_failed',
    message: 'name: is taken',
    details: [{ path: 'name', message: 'is taken' }],
  })
  expect(errorBody(invalid('name', 'is taken', 'That name is taken. Choose another one.')).error.message).toBe(
    'That name is taken. Choose another one.',
  )
})

describe('a tree', () => {
  test('is walked upwards once, a circle included', () => {
    const above: Readonly<Record<number, number>> = { 1: 2, 2: 3, 3: 2 }
    const parentOf = ({ id }: { readonly id: number }) => (above[id] === undefined ? null : { id: above[id] })
    expect([...upwards({ id: 1 }, parentOf)].map(({ id }) => id)).toEqual([1, 2, 3])
    expect([...upwards(null, parentOf)]).toEqual([])
  })

  test.each([
    ['quest', 'parentQuestId', (name: string) => ({ title: name })],
    ['location', 'parentLocationId', (name: string) => ({ name })],
  ] as const)('of every kind refuses a circle alike: %s', async (kind, field, named) => {
    const table = await makeTable()
    const make = async (name: string, parent?: number): Promise<number> =>
      (
        await table.call('ellen', `create_${kind}`, {
          ...named(name),
          ...(parent === undefined ? {} : { [field]: parent }),
        })
      ).id
    const top = await make('Top')
    const middle = await make('Middle', top)
    const leaf = await make('Leaf', middle)
    for (const parent of [top, middle, leaf]) {
      expect(await table.refusal('ellen', `update_${kind}`, { [`${kind}Id`]: top, [field]: parent })).toEqual({
        code: 'validation_failed',
        message: `A ${kind} cannot lie in itself, nor in one that lies in it.`,
      })
    }
    await table.call('ellen', `update_${kind}`, { [`${kind}Id`]: leaf, [field]: top })
  })
})

describe('a plain handler', () => {
  test('refuses a member that is no field, instead of losing it', () => {
    const context = {} as never
    expect(() => updates(npc, 'npcId')(context, { npcId: 1, nmae: 'Marta' } as never)).toThrow('npc has no field nmae')
  })
})
