import { fail } from '../kernel/errors.ts'
import type { Progress } from '../storage/workers.ts'

export type JobKind = 'create' | 'scheduled' | 'inspect' | 'verify' | 'restore'

/** The job that runs, for the backup card. */
export interface CurrentJob extends Progress {
  readonly operation: JobKind
  readonly startedAt: string
  /** False once a restore replaces the live files: then it runs to its end (SPEC 3). */
  readonly cancellable: boolean
}

/** What the work of a job gets. */
export interface Job {
  /** Ends when the caller's signal does, or by `cancel`; never after `commit`. */
  readonly signal: AbortSignal
  progress(progress: Progress): void
  /** From here on nothing cancels the work. Throws `cancelled` when that was asked for before. */
  commit(): void
}

export interface JobRunner {
  /** Throws `archive_busy` while another job runs. */
  run<T>(operation: JobKind, signal: AbortSignal | undefined, work: (job: Job) => Promise<T>): Promise<T>
  current(): CurrentJob | null
  /** Tells at once, and then whenever that changes, what is being done; null for nothing. Returns how to end it. */
  watch(listener: (current: CurrentJob | null) => void): () => void
  /** Asks the running work to stop; false when there is none or it cannot be stopped any more. */
  cancel(): boolean
}

const retryAfterSeconds = 15

/** Archive work is serialized: one job at a time, and who comes second waits and tries again (SPEC 3, 7). */
export function createJobRunner(clock: () => Date): JobRunner {
  const listeners = new Set<(current: CurrentJob | null) => void>()
  let running: { state: CurrentJob; readonly abort: AbortController } | undefined

  const tell = (): void => {
    for (const listener of Array.from(listeners)) listener(running?.state ?? null)
  }

  return {
    async run(operation, signal, work) {
      if (running !== undefined) throw fail('archive_busy', undefined, { retryAfterSeconds })
      const abort = new AbortController()
      const startedAt = clock().toISOString()
      const own = {
        state: { operation, startedAt, phase: 'starting', done: 0, total: 0, cancellable: true } as CurrentJob,
        abort,
      }
      running = own
      const become = (change: Partial<CurrentJob>): void => {
        own.state = { ...own.state, ...change }
        tell()
      }
      tell()
      const onAbort = (): void => abort.abort(fail('cancelled'))
      if (signal?.aborted) onAbort()
      signal?.addEventListener('abort', onAbort, { once: true })
      try {
        throwIfCancelled(abort.signal)
        return await work({
          signal: abort.signal,
          progress: ({ phase, done, total }) => become({ phase, done, total }),
          commit: () => {
            throwIfCancelled(abort.signal)
            signal?.removeEventListener('abort', onAbort)
            become({ cancellable: false })
          },
        })
      } finally {
        signal?.removeEventListener('abort', onAbort)
        running = undefined
        tell()
      }
    },
    current: () => running?.state ?? null,
    watch(listener) {
      listeners.add(listener)
      listener(running?.state ?? null)
      return () => void listeners.delete(listener)
    },
    cancel() {
      if (running === undefined || !running.state.cancellable) return false
      running.abort.abort(fail('cancelled'))
      return true
    },
  }
}

/** Throws `cancelled` when the signal has ended, whatever reason it carries. */
export function throwIfCancelled(signal: AbortSignal): void {
  if (signal.aborted) throw fail('cancelled')
}
