import { expect, test } from 'vitest'
import { applied, type Coins, isShort, worth } from '../../src/domain/coins.ts'
import { isSame, split } from '../../src/domain/inventory/rules.ts'
import { seededRandom } from '../support/random.ts'

const values = new Map([
  ['cp', 1],
  ['sp', 10],
  ['gp', 100],
])

test('10,000 random transfers between purses: no kind goes below nought, and no coin is lost or made', () => {
  const random = seededRandom(13)
  const kinds = [...values.keys()]
  const purses: Coins[] = Array.from({ length: 4 }, () => ({ cp: 50, sp: 40, gp: 30 }))
  const all = (): number => purses.reduce((sum, purse) => sum + worth(purse, values), 0)
  const before = all()
  let refused = 0
  for (let turn = 0; turn < 10_000; turn++) {
    const [from, to] = [random.integer(0, 3), random.integer(0, 3)]
    const delta = Object.fromEntries(kinds.map((kind) => [kind, random.integer(0, 25)]))
    const paid = applied(purses[from] ?? {}, Object.fromEntries(kinds.map((kind) => [kind, -(delta[kind] ?? 0)])))
    if (isShort(paid)) {
      refused++
      continue
    }
    purses[from] = paid
    const got = applied(purses[to] ?? {}, delta)
    if (isShort(got)) throw new Error('what is put in is never short')
    purses[to] = got
    for (const purse of purses) for (const count of Object.values(purse)) expect(count).toBeGreaterThan(0)
    expect(all()).toBe(before)
  }
  expect(refused).toBeGreaterThan(100)
  expect(refused).toBeLessThan(9900)
})

test('10,000 random hand-overs of a stack: no thing is lost or made, and none is handed over that is not there', () => {
  const random = seededRandom(14)
  const bags = [40, 0, 0, 0]
  for (let turn = 0; turn < 10_000; turn++) {
    const [from, to] = [random.integer(0, 3), random.integer(0, 3)]
    const has = bags[from] ?? 0
    const asked = random.integer(0, 60)
    const parts = split(has, asked)
    expect(parts === null).toBe(asked < 1 || asked > has)
    if (parts === null) continue
    bags[from] = parts.stays
    bags[to] = (bags[to] ?? 0) + parts.goes
    expect(bags.reduce((sum, count) => sum + count, 0)).toBe(40)
  }
})

test('a purse that is short says of what, and by how many', () => {
  expect(applied({ gp: 3 }, { gp: -5 })).toEqual({ coin: 'gp', has: 3, lacks: 2 })
  expect(applied({ gp: 3 }, { gp: -3, sp: 4 })).toEqual({ sp: 4 })
})

test('what is worn or bound to somebody lies on no pile', () => {
  const torch = {
    name: 'Torch',
    weight: 1,
    value: null,
    notes: null,
    slot: null,
    hidden: false,
    equipped: false,
    attuned: false,
  }
  expect(isSame(torch, { ...torch })).toBe(true)
  expect(isSame(torch, { ...torch, attuned: true })).toBe(false)
  expect(isSame(torch, { ...torch, notes: 'Damp.' })).toBe(false)
})
