import { fail } from '../kernel/errors.ts'
import { createQueue } from '../kernel/queue.ts'
import { type Found, runSearch, type SearchPlan, type SearchTasks } from './search-run.ts'
import type { Store } from './store.ts'
import { createWorkers, type WorkerSettings } from './workers.ts'

/** How long a search looks, in milliseconds; what it has found by then is its answer. */
const looksForMs = 1000
/**
 * A thread that has not answered by then is in one statement of the database that does not end, and is given up. Far more than
 * it looks for: on a machine that is busy the thread alone takes seconds to start.
 */
const givenUpAfterMs = 15_000
/** Searches that wait for the one that runs: of everybody, and of one person. */
const mostWaiting = 60
const mostOfOne = 15
const busy = {
  message: 'Too many searches are waiting at this moment. Try again in a few seconds.',
  retryAfterSeconds: 2,
}

export interface Searcher {
  /**
   * Runs a search beside the main thread. It sees whatever was written before. Throws `rate_limited` where too many wait,
   * `unavailable` where the database did not come to an end with it, `cancelled` where the caller went away.
   */
  run(store: Store, userId: number, plan: SearchPlan, signal: AbortSignal): Promise<Found>
  /** Lets go of the database; the next search opens it again. */
  close(): Promise<void>
}

export interface SearcherSettings extends Pick<WorkerSettings, 'start'> {
  /** How long a search is waited for, in milliseconds. */
  patienceMs?(): number
}

export function createSearcher({ start, patienceMs = () => givenUpAfterMs }: SearcherSettings): Searcher {
  const queue = createQueue(1, mostWaiting, busy)
  const open = () => createWorkers<SearchTasks>({ start, most: 1, idleMs: 60_000 })
  /** Searches of each person that wait or run. */
  const asking = new Map<number, number>()
  /** Threads that were given up and have not ended yet. */
  const ending = new Set<Promise<void>>()
  let workers = open()

  const giveUp = (): void => {
    const end = workers.close().finally(() => ending.delete(end))
    ending.add(end)
    workers = open()
  }

  const runBeside = async (path: string, plan: SearchPlan): Promise<Found> => {
    const { promise, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(() => {
      giveUp()
      reject(fail('unavailable', 'This search took too long and was ended. Ask for fewer or longer words.'))
    }, patienceMs())
    const found = workers.runTask('search.run', { path, plan, withinMs: looksForMs })
    // When it is given up nobody waits for it any more.
    found.catch(() => {})
    try {
      return await Promise.race([found, promise])
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    async run(store, userId, plan, signal) {
      // What an open transaction has written, and a database that no other connection may open, only this connection reads.
      if (store.connection.inTransaction || !store.isShared) return runAmid(store, plan)
      const mine = asking.get(userId) ?? 0
      if (mine >= mostOfOne) throw fail('rate_limited', busy.message, { retryAfterSeconds: busy.retryAfterSeconds })
      asking.set(userId, mine + 1)
      try {
        return await queue(async () => {
          if (signal.aborted) throw fail('cancelled')
          return runBeside(store.path, plan)
        })
      } finally {
        const left = (asking.get(userId) ?? 1) - 1
        if (left > 0) asking.set(userId, left)
        else asking.delete(userId)
      }
    },
    async close() {
      await Promise.all([workers.close(), ...ending])
    },
  }
}

/** On the connection that everybody uses, where there can be no other. */
export function runAmid(store: Store, plan: SearchPlan): Found {
  const until = performance.now() + looksForMs
  return runSearch(store.connection, plan, () => performance.now() < until)
}
