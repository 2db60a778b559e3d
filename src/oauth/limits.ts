import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible'
import { refuse } from './errors.ts'

/**
 * Calls from one place in a minute. Wide: a hosted assistant calls for all its users from a few addresses. What bounds
 * the tables is not this but the number of rows that may wait unused. Documents of clients are few: each is kept for a
 * while, and only people who are signed in have them fetched.
 */
const callsPerMinute = { register: 300, authorize: 300, token: 1200, document: 20 } as const

/** Registrations from one place in a day: below the number that may wait unused, so that one place cannot push others out. */
const registrationsPerDay = 400

export type LimitedCall = keyof typeof callsPerMinute

export interface CallLimits {
  /** Counts a call. `place` is an address, or a network. Throws `temporarily_unavailable` with status 429. */
  count(call: LimitedCall, place: string): Promise<void>
}

export function createCallLimits(): CallLimits {
  const limiters = {
    register: new RateLimiterMemory({ keyPrefix: 'register', points: callsPerMinute.register, duration: 60 }),
    authorize: new RateLimiterMemory({ keyPrefix: 'authorize', points: callsPerMinute.authorize, duration: 60 }),
    document: new RateLimiterMemory({ keyPrefix: 'document', points: callsPerMinute.document, duration: 60 }),
    token: new RateLimiterMemory({ keyPrefix: 'token', points: callsPerMinute.token, duration: 60 }),
  }
  const perDay = new RateLimiterMemory({ keyPrefix: 'register-day', points: registrationsPerDay, duration: 24 * 3600 })
  return {
    async count(call, place) {
      try {
        await limiters[call].consume(place)
        if (call === 'register') await perDay.consume(place)
      } catch (refusal) {
        const seconds = Math.max(1, Math.ceil((refusal as RateLimiterRes).msBeforeNext / 1000))
        throw refuse('temporarily_unavailable', `too many calls, try again in ${seconds} seconds`, {
          status: 429,
          headers: { 'retry-after': String(seconds) },
        })
      }
    },
  }
}
