import type { TransferContext } from '../kernel/transfer.ts'
import type { Progress } from '../storage/workers.ts'

/** An import that somebody waits for, by a name that their page gave it. Who goes away ends it. */
export interface Job {
  report(progress: Progress): void
  end(): void
}

export interface Jobs {
  begin(context: TransferContext, name: string | undefined): Job
  find(context: TransferContext, name: string): Progress | null
}

/** Imports that run, each by its person and name: nobody sees another's. */
export function createJobs(): Jobs {
  const running = new Map<string, Progress>()
  const keyOf = ({ actor }: TransferContext, name: string): string => `${actor?.userId}:${name.slice(0, 60)}`
  return {
    begin(context, name) {
      const key = name === undefined ? null : keyOf(context, name)
      const report = (progress: Progress): void => {
        if (key !== null) running.set(key, progress)
      }
      report({ phase: 'reading', done: 0, total: 0 })
      return {
        report,
        end() {
          if (key !== null) running.delete(key)
        },
      }
    },
    find: (context, name) => running.get(keyOf(context, name)) ?? null,
  }
}
