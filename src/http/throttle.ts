import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible'
import { fail } from '../kernel/errors.ts'
import type { Actor } from '../kernel/viewer.ts'

export interface Throttle {
  /** Rejects with `rate_limited` and how long to wait. */
  admit(actor: Actor, calls?: number): Promise<void>
}

/** Calls an MCP client may make with one credential in a minute: far above a busy agent, far below what hurts. */
const callsPerMinute = 1200

export function createThrottle(points: number = callsPerMinute): Throttle {
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
