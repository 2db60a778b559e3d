import { describe, expect, test } from 'vitest'
import { shortOfSpace } from '../../src/archive/preflight.ts'
import { isDue, nextRunAt } from '../../src/archive/schedule.ts'

const settings = { enabled: true, intervalHours: 24 }
const at = (time: string): Date => new Date(`2026-11-${time}Z`)
const ran = (time: string, failures = 0) => ({ lastRunAt: at(time).toISOString(), failures })

describe('the next run', () => {
  test('is never while the schedule is off', () => {
    expect(nextRunAt({ ...settings, enabled: false }, ran('01T00:00:00'), at('21T00:00:00'))).toBeNull()
    expect(isDue({ ...settings, enabled: false }, { lastRunAt: null, failures: 0 }, at('21T00:00:00'))).toBe(false)
  })
  test('is now before the first', () => {
    expect(isDue(settings, { lastRunAt: null, failures: 0 }, at('21T00:00:00'))).toBe(true)
  })
  test('is an interval after the last began', () => {
    expect(nextRunAt(settings, ran('20T10:00:00'), at('20T11:00:00'))).toEqual(at('21T10:00:00'))
    expect(isDue(settings, ran('20T10:00:00'), at('21T09:59:59'))).toBe(false)
    expect(isDue(settings, ran('20T10:00:00'), at('21T10:00:00'))).toBe(true)
    expect(isDue(settings, ran('01T10:00:00'), at('21T10:00:00'))).toBe(true)
  })
  test('backs off after failures, to an interval at most', () => {
    const minutes = [1, 2, 3, 4, 5, 6, 7, 8, 50].map((failures) => {
      const next = nextRunAt(settings, ran('20T10:00:00', failures), at('20T10:00:00')) ?? at('01T00:00:00')
      return (next.getTime() - at('20T10:00:00').getTime()) / 60_000
    })
    expect(minutes).toEqual([15, 30, 60, 120, 240, 480, 960, 1440, 1440])
    const hourly = nextRunAt({ ...settings, intervalHours: 0.1 }, ran('20T10:00:00', 1), at('20T10:00:00'))
    expect(hourly).toEqual(at('20T10:06:00'))
  })
  test('is now when the clock was set back, or the record is garbage', () => {
    expect(isDue(settings, ran('28T10:00:00'), at('21T10:00:00'))).toBe(true)
    expect(isDue(settings, { lastRunAt: 'tomorrow', failures: 0 }, at('21T10:00:00'))).toBe(true)
  })
})

describe('the space that a backup needs', () => {
  const mib = 1024 * 1024
  const needs = { databaseBytes: 10 * mib, uploadsBytes: 90 * mib, lastArchiveBytes: null, reserveBytes: 500 * mib }
  const disk = (device: number, free: number) => ({ device, freeBytes: free * mib })

  test('is staging and archive together on one file system', () => {
    expect(shortOfSpace(disk(1, 700), disk(1, 700), needs)).toBeNull()
    expect(shortOfSpace(disk(1, 699), disk(1, 699), needs)).toMatch(/need 200 MiB.*500 MiB in reserve; 699 MiB/)
  })
  test('is each against its own budget on two', () => {
    expect(shortOfSpace(disk(1, 600), disk(2, 600), needs)).toBeNull()
    expect(shortOfSpace(disk(1, 599), disk(2, 6000), needs)).toMatch(/^The staging folder/)
    expect(shortOfSpace(disk(1, 6000), disk(2, 599), needs)).toMatch(/^The backup folder/)
  })
  test('is estimated from the last archive once there is one', () => {
    expect(shortOfSpace(disk(1, 600), disk(2, 530), { ...needs, lastArchiveBytes: 30 * mib })).toBeNull()
    expect(shortOfSpace(disk(1, 600), disk(2, 529), { ...needs, lastArchiveBytes: 30 * mib })).not.toBeNull()
  })
})
