import { RateLimiterMemory } from 'rate-limiter-flexible'
import { fail } from '../kernel/errors.ts'
import { foldUsername } from '../kernel/usernames.ts'
import { addressGroup } from './hosts.ts'

// In memory: a restart forgets the counts, and one process serves everybody.

const windowSeconds = 15 * 60
/** Wrong passwords for one name from one place: a person who has forgotten theirs, or a neighbour who guesses. */
const failuresHere = 10
/** Wrong passwords for one name from everywhere. Higher, so that a neighbour's guessing does not lock its owner out. */
const failuresForAccount = 100
/** Wrong passwords for one name from a browser in which its owner has signed in before. */
const failuresOfDevice = 10
/** Wrong passwords and set-up codes from one place, whatever the name. A whole table can stand behind one address. */
const failuresFromAddress = 50

/** Calls from one place, right or wrong: what they cost is a password hash each. */
const calls = {
  register: { points: 60, duration: 600 },
  token: { points: 120, duration: 60 },
  preview: { points: 120, duration: 60 },
} as const

/** An attempt that counts as a failure until it is forgiven. */
export interface Attempt {
  /** Takes the failure back: it succeeded, or it failed for a reason that is not the caller's. */
  forgive(): Promise<void>
}

export interface Limits {
  /**
   * Counts an attempt to give the password of `username`; from a device that its owner has signed in with, by that alone, so
   * that nobody else's guesses lock them out. Throws `rate_limited`.
   */
  password(username: string, address: string, device?: string | null): Promise<Attempt>
  /** Counts an attempt to give the set-up code. Throws `rate_limited`. */
  setUp(address: string): Promise<Attempt>
  /** Counts a call. Throws `rate_limited`. */
  call(kind: keyof typeof calls, address: string): Promise<void>
}

export function createLimits(): Limits {
  const here = new RateLimiterMemory({ keyPrefix: 'here', points: failuresHere, duration: windowSeconds })
  const account = new RateLimiterMemory({ keyPrefix: 'account', points: failuresForAccount, duration: windowSeconds })
  const from = new RateLimiterMemory({ keyPrefix: 'address', points: failuresFromAddress, duration: windowSeconds })
  const known = new RateLimiterMemory({ keyPrefix: 'device', points: failuresOfDevice, duration: windowSeconds })
  const callers = {
    register: new RateLimiterMemory({ keyPrefix: 'register', ...calls.register }),
    token: new RateLimiterMemory({ keyPrefix: 'token', ...calls.token }),
    preview: new RateLimiterMemory({ keyPrefix: 'preview', ...calls.preview }),
  }
  return {
    password(username, address, device = null) {
      if (device !== null) return attempt([[known, device]])
      const name = foldUsername(username)
      const group = addressGroup(address)
      return attempt([
        [here, `${group} ${name}`],
        [account, name],
        [from, group],
      ])
    },
    setUp: (address) => attempt([[from, addressGroup(address)]]),
    async call(kind, address) {
      await take(callers[kind], addressGroup(address))
    },
  }
}

type Counted = readonly (readonly [RateLimiterMemory, string])[]

/** Counts before the outcome is known, so that many attempts at once cannot pass a count that none has raised yet. */
async function attempt(counted: Counted): Promise<Attempt> {
  const taken: [RateLimiterMemory, string][] = []
  const giveBack = async (): Promise<void> => {
    for (const [limiter, key] of taken.splice(0)) await limiter.reward(key)
  }
  try {
    for (const [limiter, key] of counted) {
      await take(limiter, key)
      taken.push([limiter, key])
    }
  } catch (error) {
    await giveBack()
    throw error
  }
  return { forgive: giveBack }
}

async function take(limiter: RateLimiterMemory, key: string): Promise<void> {
  const { consumedPoints = 0, msBeforeNext = 0 } = await limiter.penalty(key)
  if (consumedPoints <= limiter.points) return
  await limiter.reward(key)
  const seconds = Math.max(1, Math.ceil(msBeforeNext / 1000))
  throw fail('rate_limited', `Too many attempts. Try again in ${inWords(seconds)}.`, { retryAfterSeconds: seconds })
}

function inWords(seconds: number): string {
  if (seconds < 90) return `${seconds} seconds`
  return `${Math.ceil(seconds / 60)} minutes`
}
