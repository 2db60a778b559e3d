import { Worker } from 'node:worker_threads'
import { describe, expect, test } from 'vitest'
import { createWorkers, type TaskContext } from '../../src/storage/workers.ts'

// Worker threads with tasks of their own; the module under test is on both ends.

const source = (tasks: string) => `
  import { parentPort } from 'node:worker_threads'
  import { setTimeout as delay } from 'node:timers/promises'
  import { fail } from ${JSON.stringify(new URL('../../src/kernel/errors.ts', import.meta.url).href)}
  import { serveTasks } from ${JSON.stringify(new URL('../../src/storage/workers.ts', import.meta.url).href)}
  serveTasks(parentPort, ${tasks})`

const tasks = `{
  double: async ({ value }) => value * 2,
  slow: async ({ ms }, { signal, progress }) => { progress({ phase: 'slow', done: 1, total: 2 }); await delay(ms, undefined, { signal }).catch(() => { throw fail('cancelled') }); return threadId },
  refuse: async () => { throw fail('archive_invalid', 'no', { details: [{ path: 'a', message: 'b' }] }) },
  full: async () => { throw Object.assign(new Error('full'), { code: 'ENOSPC' }) },
  die: async () => { process.exit(3) },
}`

type Tasks = {
  double(payload: { value: number }, context: TaskContext): Promise<number>
  slow(payload: { ms: number }, context: TaskContext): Promise<number>
  refuse(payload: object, context: TaskContext): Promise<never>
  full(payload: object, context: TaskContext): Promise<never>
  die(payload: object, context: TaskContext): Promise<never>
}

function pool(options: { most?: number; idleMs?: number } = {}) {
  const started: Worker[] = []
  const code = `import { threadId } from 'node:worker_threads';${source(tasks)}`
  const workers = createWorkers<Tasks>({
    start() {
      const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`))
      started.push(worker)
      return worker
    },
    ...options,
  })
  return { workers, started }
}

describe('worker threads', () => {
  test('are started for the first task, used again, and end when idle', async () => {
    const { workers, started } = pool({ idleMs: 50 })
    expect(started).toHaveLength(0)
    expect(await workers.runTask('double', { value: 4 })).toBe(8)
    expect(await workers.runTask('double', { value: 5 })).toBe(10)
    expect(started).toHaveLength(1)
    await expect.poll(() => started[0]?.threadId).toBe(-1)
    expect(await workers.runTask('double', { value: 6 })).toBe(12)
    expect(started).toHaveLength(2)
    await workers.close()
  })

  test('work side by side up to a number; the rest waits', async () => {
    const { workers, started } = pool({ most: 2 })
    const work = Array.from({ length: 6 }, () => workers.runTask('slow', { ms: 20 }))
    expect(new Set(await Promise.all(work)).size).toBe(2)
    expect(started).toHaveLength(2)
    await workers.close()
  })

  test('tell their progress, and fail with the task’s own error', async () => {
    const { workers } = pool()
    const seen: unknown[] = []
    await workers.runTask('slow', { ms: 1 }, { onProgress: (progress) => seen.push(progress) })
    expect(seen).toEqual([{ phase: 'slow', done: 1, total: 2 }])
    await expect(workers.runTask('refuse', {})).rejects.toMatchObject({
      code: 'archive_invalid',
      status: 400,
      message: 'no',
      details: [{ path: 'a', message: 'b' }],
    })
    await expect(workers.runTask('full', {})).rejects.toMatchObject({ code: 'ENOSPC', message: 'full' })
    await workers.close()
  })

  test('are cancelled while they work and while they wait', async () => {
    const { workers, started } = pool({ most: 1 })
    const controllers = [new AbortController(), new AbortController()]
    const [running, waiting] = controllers.map(({ signal }) => workers.runTask('slow', { ms: 60_000 }, { signal }))
    controllers[1]?.abort()
    await expect(waiting).rejects.toMatchObject({ code: 'cancelled' })
    controllers[0]?.abort()
    await expect(running).rejects.toMatchObject({ code: 'cancelled' })
    await expect(workers.runTask('double', { value: 1 }, { signal: AbortSignal.abort() })).rejects.toMatchObject({
      code: 'cancelled',
    })
    expect(await workers.runTask('double', { value: 1 })).toBe(2)
    expect(started).toHaveLength(1)
    await workers.close()
  })

  test('that end are replaced, and their task fails', async () => {
    const { workers, started } = pool({ most: 1 })
    const lost = workers.runTask('die', {})
    const next = workers.runTask('double', { value: 7 })
    await expect(lost).rejects.toThrow(/ended with code 3/)
    expect(await next).toBe(14)
    expect(started).toHaveLength(2)
    await workers.close()
  })

  test('refuse what cannot be sent to them', async () => {
    const { workers } = pool()
    await expect(workers.runTask('double', { value: (() => 1) as never })).rejects.toThrow(/could not be cloned/)
    expect(await workers.runTask('double', { value: 1 })).toBe(2)
    await workers.close()
  })

  test('fail their task when they are closed', async () => {
    const { workers } = pool({ most: 1 })
    const work = [workers.runTask('slow', { ms: 60_000 }), workers.runTask('slow', { ms: 60_000 })]
    const ended = Promise.allSettled(work)
    await workers.close()
    expect((await ended).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  })
})
