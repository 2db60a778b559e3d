import { expect, test } from 'vitest'
import { withMoved } from '../../src/web/kit/list.tsx'

const rows = [1, 2, 3, 4].map((id) => ({ id }))
const ids = (list: readonly { id: number }[]) => list.map(({ id }) => id)

test('a row is put behind another, or first, and it changes nothing to do it twice', () => {
  expect(ids(withMoved(rows, 1, 3))).toEqual([2, 3, 1, 4])
  expect(ids(withMoved(rows, 4, 1))).toEqual([1, 4, 2, 3])
  expect(ids(withMoved(rows, 3, undefined))).toEqual([3, 1, 2, 4])
  expect(ids(withMoved(withMoved(rows, 1, 3), 1, 3))).toEqual([2, 3, 1, 4])
})

test('a row stays where it is while one of the two is not there', () => {
  expect(withMoved(rows, 9, 1)).toBe(rows)
  expect(withMoved(rows, 1, 9)).toBe(rows)
})
