import type { Store } from './store.ts'

export interface LastUse {
  /** Notes that a credential was used now; `lastUsed` is what is kept of it, in milliseconds of its instant. */
  touch(hash: string, lastUsed: number | null, now: Date): void
  /** Writes down what is noted. Called by itself within seconds; the owner calls it once more before the store closes. */
  flush(): void
}

interface Parts {
  store(): Store
  readonly log: { warn(facts: object, message: string): void }
  /**
   * Writes `@at` where the credential of `@hash` is. By hash and not by id: after a restore the same id can belong to
   * something else.
   */
  readonly update: string
}

/** An instant as it is kept, in milliseconds. */
export function instantOf(at: unknown): number | null {
  return typeof at === 'string' ? Date.parse(at) : null
}

/** How old the kept time of last use may be, and how long after a request it is written. */
const touchEveryMs = 60_000
const touchDelayMs = 2_000

/** Times of last use, written at most once a minute for each credential and outside the request. */
export function createLastUse({ store, log, update }: Parts): LastUse {
  const touched = new Map<string, string>()
  let timer: NodeJS.Timeout | undefined

  const flush = (): void => {
    clearTimeout(timer)
    timer = undefined
    const entries = Array.from(touched)
    touched.clear()
    if (entries.length === 0) return
    try {
      const present = store()
      present.transaction(() => {
        for (const [hash, at] of entries) present.run(update, { hash, at })
      })
    } catch (error) {
      log.warn({ err: error }, 'The times of last use could not be written.')
    }
  }

  return {
    flush,
    touch(hash, lastUsed, now) {
      if (lastUsed !== null && now.getTime() - lastUsed < touchEveryMs) return
      touched.set(hash, now.toISOString())
      timer ??= setTimeout(flush, touchDelayMs).unref()
    },
  }
}
