import { fail } from './errors.ts'

export interface Queue {
  /** Runs `work` when its turn has come. Throws `rate_limited` where too many wait already. */
  run<T>(work: () => Promise<T>): Promise<T>
}

/** Lets `concurrent` jobs run at once and `mostWaiting` wait for it, in the order in which they came. */
export function createQueue({
  concurrent,
  mostWaiting,
}: {
  readonly concurrent: number
  readonly mostWaiting: number
}): Queue {
  let running = 0
  const waiting: (() => void)[] = []
  const next = (): void => {
    const start = waiting.shift()
    if (start === undefined) running -= 1
    else start()
  }
  return {
    async run(work) {
      if (running < concurrent) running += 1
      else if (waiting.length >= mostWaiting)
        throw fail('rate_limited', 'The server is busy with other files. Try again in a moment.', {
          retryAfterSeconds: 5,
        })
      else await new Promise<void>((resolve) => waiting.push(resolve))
      try {
        return await work()
      } finally {
        next()
      }
    },
  }
}
