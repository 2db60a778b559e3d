import type { Hub } from './hub.ts'

interface Log {
  error(facts: object, message: string): void
}

/** What is done where a change was written and open streams could not be told of it. */
export function whenUnannounced(hub: Pick<Hub, 'reset'>, log: Log): (error: unknown) => void {
  let unannounced = 0
  return (error) => {
    unannounced += 1
    log.error(
      { err: error, unannounced },
      'A change was written and could not be told to open streams: they start anew.',
    )
    hub.reset()
  }
}
