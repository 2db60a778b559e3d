import { fail } from './errors.ts'

export type Queue = <T>(work: () => Promise<T>) => Promise<T>

/** What somebody is told who may not even wait. */
export interface Refusal {
  readonly message: string
  readonly retryAfterSeconds: number
}

const busy: Refusal = {
  message: 'The server is busy with others at this moment. Try again in a few seconds.',
  retryAfterSeconds: 5,
}

/** Runs at most `most` pieces of work at once, in the order of their arrival. Throws `rate_limited` when too many wait. */
export function createQueue(most: number, mostToWait: number, refusal: Refusal = busy): Queue {
  const waiting: (() => void)[] = []
  let running = 0
  return async (work) => {
    if (running >= most) {
      if (waiting.length >= mostToWait)
        throw fail('rate_limited', refusal.message, { retryAfterSeconds: refusal.retryAfterSeconds })
      // Whoever leaves hands over their place, so that nobody can slip in between.
      await new Promise<void>((resolve) => waiting.push(resolve))
    } else {
      running += 1
    }
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}
