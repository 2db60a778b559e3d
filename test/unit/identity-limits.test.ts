import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createLimits } from '../../src/identity/limits.ts'
import { failure, outcome, startTime } from './identity-support.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], now: new Date(startTime) })
})
afterEach(() => {
  vi.useRealTimers()
})

const here = '192.0.2.7'
const minutes = (count: number): number => count * 60_000

describe('wrong passwords', () => {
  it('close one name for one address after ten, for a quarter of an hour', async () => {
    const limits = createLimits()
    for (let count = 0; count < 10; count++) await limits.password('marta', here)
    const refused = await failure(limits.password('marta', here))
    expect(refused?.code).toBe('rate_limited')
    expect(refused?.retryAfterSeconds).toBe(900)
    expect(await outcome(limits.password('MARTA ', here))).toBe('rate_limited')
    expect(await outcome(limits.password('hob', here))).toBe('done')
    expect(await outcome(limits.password('marta', '192.0.2.8'))).toBe('done')
    vi.advanceTimersByTime(minutes(10))
    expect((await failure(limits.password('marta', here)))?.retryAfterSeconds).toBe(300)
    vi.advanceTimersByTime(minutes(5))
    expect(await outcome(limits.password('marta', here))).toBe('done')
  })

  it('close an address after fifty, whatever the names', async () => {
    const limits = createLimits()
    for (let count = 0; count < 50; count++) await limits.password(`user ${count}`, here)
    expect(await outcome(limits.password('somebody else', here))).toBe('rate_limited')
    expect(await outcome(limits.setUp(here))).toBe('rate_limited')
    expect(await outcome(limits.password('somebody else', '192.0.2.8'))).toBe('done')
  })

  it('close a name after a hundred, wherever they come from', async () => {
    const limits = createLimits()
    for (let count = 0; count < 100; count++) await limits.password('marta', `198.51.100.${count}`)
    expect(await outcome(limits.password('marta', '203.0.113.1'))).toBe('rate_limited')
    expect(await outcome(limits.password('hob', '203.0.113.1'))).toBe('done')
  })

  it('counts the addresses of one IPv6 network together', async () => {
    const limits = createLimits()
    for (let count = 0; count < 10; count++) await limits.password('marta', `2001:db8:1:2::${count + 1}`)
    expect(await outcome(limits.password('marta', '2001:db8:1:2:ffff::1'))).toBe('rate_limited')
    expect(await outcome(limits.password('marta', '2001:db8:1:3::1'))).toBe('done')
  })

  it('forgets what succeeded', async () => {
    const limits = createLimits()
    for (let count = 0; count < 200; count++) await (await limits.password('marta', here)).forgive()
    expect(await outcome(limits.password('marta', here))).toBe('done')
  })

  it('counts attempts that run at the same time before any has failed', async () => {
    const limits = createLimits()
    const results = await Promise.all(Array.from({ length: 30 }, () => outcome(limits.password('marta', here))))
    expect(results.filter((result) => result === 'done')).toHaveLength(10)
  })

  it('does not count refused attempts, so that waiting helps', async () => {
    const limits = createLimits()
    for (let count = 0; count < 200; count++) await outcome(limits.password('marta', here))
    // The ten that were tried are all that the address has used up of its fifty.
    for (let count = 0; count < 40; count++) expect(await outcome(limits.password(`user ${count}`, here))).toBe('done')
    expect(await outcome(limits.password('one more', here))).toBe('rate_limited')
    // And what a closed address tries does not close the name for its owner elsewhere.
    for (let count = 0; count < 150; count++) await outcome(limits.password('hob', here))
    expect(await outcome(limits.password('hob', '192.0.2.8'))).toBe('done')
  })

  it('leaves nothing behind of attempts that were refused while others ran that succeeded', async () => {
    const limits = createLimits()
    const running = await Promise.all(Array.from({ length: 10 }, () => limits.password('marta', here)))
    for (let count = 0; count < 8; count++) expect(await outcome(limits.password('marta', here))).toBe('rate_limited')
    for (const attempt of running) await attempt.forgive()
    for (let count = 0; count < 10; count++) expect(await outcome(limits.password('marta', here))).toBe('done')
    expect(await outcome(limits.password('marta', here))).toBe('rate_limited')
  })
})

it('limits calls by address, right or wrong', async () => {
  const limits = createLimits()
  for (let count = 0; count < 60; count++) await limits.call('register', here)
  expect((await failure(limits.call('register', here)))?.retryAfterSeconds).toBe(600)
  expect(await outcome(limits.call('token', here))).toBe('done')
  expect(await outcome(limits.call('register', '192.0.2.8'))).toBe('done')
  vi.advanceTimersByTime(minutes(10))
  expect(await outcome(limits.call('register', here))).toBe('done')
})
