import { fail } from '../kernel/errors.ts'
import type { Actor } from '../kernel/viewer.ts'

export interface Throttle {
  /** Throws `rate_limited` with how long to wait. */
  admit(actor: Actor, calls?: number): void
}

/**
 * Calls that one credential may make in a minute: far above a busy agent, or a page with all its tabs and pictures; far
 * below what hurts the others.
 */
export const callsPerMinute = { mcp: 1200, rest: 6000 } as const

/** Windows that are over are swept away when there are more than so many. */
const windowsKept = 1000
const windowMs = 60_000

/** Counted in this process, in windows of a minute that begin with a credential's first call. */
export function createThrottle(points: number, now: () => number = Date.now): Throttle {
  const windows = new Map<string, { readonly end: number; left: number }>()
  const windowOf = (key: string, at: number) => {
    const known = windows.get(key)
    if (known !== undefined && known.end > at) return known
    if (windows.size >= windowsKept) for (const [each, { end }] of windows) if (end <= at) windows.delete(each)
    const begun = { end: at + windowMs, left: points }
    windows.set(key, begun)
    return begun
  }
  return {
    admit({ credential }, calls = 1) {
      const at = now()
      const window = windowOf(`${credential.kind}:${credential.id}`, at)
      window.left -= calls
      if (window.left < 0) throw fail('rate_limited', undefined, { retryAfterSeconds: (window.end - at) / 1000 })
    },
  }
}
