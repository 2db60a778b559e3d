import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { watchClockJumps } from '../../src/server/clock-jumps.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('a machine that slept, or whose clock was set, is noticed once; time that passes is not', () => {
  let [wall, awake] = [Date.parse('2026-11-20T18:00:00.000Z'), 0]
  const jumps: number[] = []
  const pass = (ms: number): void => {
    wall += ms
    awake += ms
    vi.advanceTimersByTime(ms)
  }
  const end = watchClockJumps({
    clock: () => new Date(wall),
    awakeMs: () => awake,
    log: { info() {} },
    onJump: (by) => jumps.push(by),
  })
  pass(600_000)
  expect(jumps).toEqual([])
  // Eight hours with the lid closed.
  wall += 8 * 3_600_000
  pass(10_000)
  pass(60_000)
  expect(jumps).toEqual([8 * 3_600_000])
  // Set back by a day, and by a few seconds as time servers do.
  wall -= 24 * 3_600_000
  pass(10_000)
  wall += 3000
  pass(10_000)
  expect(jumps).toEqual([8 * 3_600_000, -24 * 3_600_000])
  end()
  wall += 8 * 3_600_000
  pass(60_000)
  expect(jumps).toHaveLength(2)
})
