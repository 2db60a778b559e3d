import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible'
import { fail } from '../kernel/errors.ts'
import type { Actor } from '../kernel/viewer.ts'

export interface Throttle {
  /** Rejects with `rate_limited` and how long to wait. */
  admit(actor: Actor, calls?: number): Promise<void>
}

/**
 * Calls that one credential may make in a minute: far above a busy agent, or a page with all its tabs and pictures; far
 * below what hurts the others.
 */
export const callsPerMinute = { mcp: 1200, rest: 6000 } as const

export function createThrottle(points: number): Throttle {
  const limiter = new RateLimiterMemory({ points, duration: 60 })
  return {
    async admit({ credential }, calls = 1) {
      try {
        await limiter.consume(`${credential.kind}:${credential.id}`, calls)
      } catch (refusal) {
        throw fail('rate_limited', undefined, { retryAfterSeconds: (refusal as RateLimiterRes).msBeforeNext / 1000 })
      }
    },
  }
}
