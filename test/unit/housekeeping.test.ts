import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createAlerts } from '../../src/server/alerts.ts'
import { createHousekeeping } from '../../src/server/housekeeping.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const hour = 3600_000

test('a chore that fails is counted, told, tried again after longer and longer, and back in its time when it went well', async () => {
  const alerts = createAlerts(() => new Date('2026-11-20T18:00:00Z'))
  const runs: number[] = []
  const began = Date.now()
  let healthy = false
  const others: number[] = []
  const housekeeping = createHousekeeping({
    alerts,
    log: { warn() {} },
    chores: [
      {
        name: 'answers',
        about: 'nothing was cleared away',
        everyMs: hour,
        run() {
          runs.push((Date.now() - began) / 60_000)
          if (!healthy) throw Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' })
        },
      },
      { name: 'other', about: 'the other', everyMs: hour, run: async () => void others.push(1) },
    ],
  })
  await housekeeping.start()
  expect(others).toHaveLength(1)
  expect(alerts.list()).toEqual([
    {
      kind: 'housekeeping.answers',
      at: '2026-11-20T18:00:00.000Z',
      message: 'Housekeeping failed: nothing was cleared away. It is tried again. The reason: database or disk is full',
    },
  ])
  await vi.advanceTimersByTimeAsync(16 * 60_000)
  expect(runs).toEqual([0, 1, 3, 7, 15])
  expect(alerts.list()[0]?.message).toMatch(/ This has happened 5 times\.$/)
  healthy = true
  await vi.advanceTimersByTimeAsync(16 * 60_000)
  expect(alerts.list()).toEqual([])
  await vi.advanceTimersByTimeAsync(61 * 60_000)
  expect(runs).toEqual([0, 1, 3, 7, 15, 31, 91])
  expect(others).toHaveLength(2)
  housekeeping.stop()
  await vi.advanceTimersByTimeAsync(5 * hour)
  expect(runs).toHaveLength(7)
})
