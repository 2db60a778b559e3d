import type { MessagePort, Worker, WorkerOptions } from 'node:worker_threads'
import { type ErrorCode, type ErrorDetail, Failure, fail } from '../kernel/errors.ts'
import { fileErrorCode } from './files.ts'

/** What a task may use besides its payload. */
export interface TaskContext {
  readonly signal: AbortSignal
  /** Tells the caller how far it is; the value must survive structured cloning. */
  progress(value: Progress): void
}

export interface Progress {
  /** What is being done, as a word that the interface can translate. */
  readonly phase: string
  readonly done: number
  readonly total: number
}

// Parameters are compared bivariantly in a method, which lets a table with concrete payloads be a TaskTable.
export interface TaskTable {
  readonly [name: string]: { run(payload: never, context: TaskContext): Promise<unknown> }['run']
}

export interface TaskOptions {
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((progress: Progress) => void) | undefined
}

export type PayloadOf<Table extends TaskTable, Name extends keyof Table> = Parameters<Table[Name]>[0]
export type ResultOf<Table extends TaskTable, Name extends keyof Table> = Awaited<ReturnType<Table[Name]>>

export interface Workers<Table extends TaskTable> {
  /**
   * Runs a task of src/worker.ts on a thread of its own and resolves with its result.
   * Rejects with the task's Failure, with `cancelled` when the signal ended it, and otherwise with an Error.
   * It settles only when the task has let go of its files, so the caller may remove them afterwards.
   */
  runTask<Name extends keyof Table & string>(
    name: Name,
    payload: PayloadOf<Table, Name>,
    options?: TaskOptions,
  ): Promise<ResultOf<Table, Name>>
  /** Ends all threads; running tasks reject. Tasks started later get new threads. */
  close(): Promise<void>
}

export interface WorkerSettings {
  /** Starts src/worker.ts. */
  start(options: WorkerOptions): Worker
  /** More tasks than this wait. */
  readonly most?: number
  /** A thread without work ends after this time, in milliseconds, so that an idle server keeps no memory for it. */
  readonly idleMs?: number
}

type Request =
  | { readonly kind: 'run'; readonly id: number; readonly name: string; readonly payload: unknown }
  | { readonly kind: 'abort'; readonly id: number }

type Reply =
  | { readonly kind: 'progress'; readonly id: number; readonly progress: Progress }
  | { readonly kind: 'result'; readonly id: number; readonly result: unknown }
  | { readonly kind: 'failure'; readonly id: number; readonly failure: FailureFacts }

/** A Failure across threads: structured cloning keeps no classes. */
interface FailureFacts {
  readonly code: ErrorCode | null
  /** Node's code of a failed system call. */
  readonly systemCode: string | undefined
  readonly message: string
  readonly stack: string | undefined
  readonly details: readonly ErrorDetail[] | undefined
}

interface Job {
  readonly id: number
  readonly name: string
  readonly payload: unknown
  readonly options: TaskOptions
  resolve(result: unknown): void
  reject(error: unknown): void
}

interface Thread {
  readonly worker: Worker
  job: Job | undefined
  idleTimer: NodeJS.Timeout | undefined
}

/** Tasks leave much short-lived garbage: with a small nursery it goes early, and memory stays flat. */
const threadOptions: WorkerOptions = { resourceLimits: { maxYoungGenerationSizeMb: 16 } }

/** A pool of threads, empty until the first task. One thread works on one task at a time. */
export function createWorkers<Table extends TaskTable>(settings: WorkerSettings): Workers<Table> {
  const { start, most = 3, idleMs = 15_000 } = settings
  const threads = new Set<Thread>()
  const waiting: Job[] = []
  let lastId = 0

  const assign = (): void => {
    while (waiting.length > 0) {
      const idle = [...threads].find((thread) => thread.job === undefined)
      if (idle === undefined && threads.size >= most) return
      const job = waiting.shift()
      if (job === undefined) return
      give(idle ?? open(), job)
    }
  }

  const open = (): Thread => {
    const thread: Thread = { worker: start(threadOptions), job: undefined, idleTimer: undefined }
    threads.add(thread)
    thread.worker.on('message', (reply: Reply) => receive(thread, reply))
    thread.worker.on('error', (error: Error) => lose(thread, error))
    thread.worker.on('exit', (code) => lose(thread, new Error(`A worker thread ended with code ${code}.`)))
    return thread
  }

  const give = (thread: Thread, job: Job): void => {
    clearTimeout(thread.idleTimer)
    thread.job = job
    thread.worker.ref()
    try {
      thread.worker.postMessage({ kind: 'run', id: job.id, name: job.name, payload: job.payload } satisfies Request)
    } catch (error) {
      // The payload holds something that cannot be cloned.
      release(thread)
      job.reject(error)
      return
    }
    const abort = (): void => thread.worker.postMessage({ kind: 'abort', id: job.id } satisfies Request)
    if (job.options.signal?.aborted) abort()
    else job.options.signal?.addEventListener('abort', abort, { once: true })
  }

  const receive = (thread: Thread, reply: Reply): void => {
    const { job } = thread
    if (job === undefined || reply.id !== job.id) return
    if (reply.kind === 'progress') {
      job.options.onProgress?.(reply.progress)
      return
    }
    release(thread)
    if (reply.kind === 'result') job.resolve(reply.result)
    else job.reject(revive(reply.failure))
    assign()
  }

  const release = (thread: Thread): void => {
    thread.job = undefined
    // A thread that waits for work must not keep the process alive.
    thread.worker.unref()
    thread.idleTimer = setTimeout(() => {
      threads.delete(thread)
      void thread.worker.terminate()
    }, idleMs)
    thread.idleTimer.unref()
  }

  const lose = (thread: Thread, error: Error): void => {
    clearTimeout(thread.idleTimer)
    threads.delete(thread)
    const { job } = thread
    thread.job = undefined
    job?.reject(error)
    assign()
  }

  return {
    runTask<Name extends keyof Table & string>(
      name: Name,
      payload: PayloadOf<Table, Name>,
      options: TaskOptions = {},
    ): Promise<ResultOf<Table, Name>> {
      const { promise, resolve, reject } = Promise.withResolvers<unknown>()
      if (options.signal?.aborted) return Promise.reject(fail('cancelled'))
      lastId += 1
      const job: Job = { id: lastId, name, payload, options, resolve, reject }
      options.signal?.addEventListener(
        'abort',
        () => {
          const index = waiting.indexOf(job)
          if (index === -1) return
          waiting.splice(index, 1)
          reject(fail('cancelled'))
        },
        { once: true },
      )
      waiting.push(job)
      try {
        assign()
      } catch (error) {
        reject(error)
      }
      return promise as Promise<ResultOf<Table, Name>>
    },
    async close() {
      const open = [...threads]
      for (const job of waiting.splice(0)) job.reject(fail('cancelled'))
      await Promise.all(open.map((thread) => thread.worker.terminate()))
    },
  }
}

/** The other end: answers the requests that arrive on `port` with the tasks of `table`. */
export function serveTasks(port: MessagePort, table: TaskTable): void {
  const running = new Map<number, AbortController>()
  port.on('message', (request: Request) => {
    if (request.kind === 'abort') {
      running.get(request.id)?.abort(fail('cancelled'))
      return
    }
    const controller = new AbortController()
    running.set(request.id, controller)
    const { id } = request
    const context: TaskContext = {
      signal: controller.signal,
      progress: throttled((progress) => port.postMessage({ kind: 'progress', id, progress } satisfies Reply)),
    }
    runOne(table, request.name, request.payload, context)
      .then((result) => port.postMessage({ kind: 'result', id, result } satisfies Reply))
      .catch((error) => port.postMessage({ kind: 'failure', id, failure: describe(error) } satisfies Reply))
      .finally(() => running.delete(id))
  })
}

const progressEveryMs = 100

/** Passes on a new phase at once, and within a phase not more than some reports a second. */
function throttled(send: (progress: Progress) => void): (progress: Progress) => void {
  let phase = ''
  let sentAt = 0
  return (progress) => {
    const now = performance.now()
    if (progress.phase === phase && now - sentAt < progressEveryMs) return
    phase = progress.phase
    sentAt = now
    send(progress)
  }
}

async function runOne(table: TaskTable, name: string, payload: unknown, context: TaskContext): Promise<unknown> {
  const task = table[name]
  if (task === undefined) throw new Error(`There is no task ${name}.`)
  // Both ends are this program, and runTask has checked the payload's type.
  return await task(payload as never, context)
}

function describe(error: unknown): FailureFacts {
  if (error instanceof Failure) {
    return {
      code: error.code,
      systemCode: undefined,
      message: error.message,
      stack: error.stack,
      details: error.details,
    }
  }
  const { message, stack } = error instanceof Error ? error : new Error(String(error))
  return { code: null, systemCode: fileErrorCode(error), message, stack, details: undefined }
}

function revive({ code, systemCode, message, stack, details }: FailureFacts): Error {
  const unknown = Object.assign(new Error(message), systemCode === undefined ? {} : { code: systemCode })
  const error = code === null ? unknown : fail(code, message, details ? { details } : {})
  if (stack !== undefined) error.stack = stack
  return error
}
