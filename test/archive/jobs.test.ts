import path from 'node:path'
import { describe, expect, test } from 'vitest'
import type { CurrentJob } from '../../src/archive/jobs.ts'
import type { ArchiveTasks } from '../../src/archive/tasks.ts'
import { startWorker } from '../../src/assets.ts'
import { createFiles } from '../../src/storage/files.ts'
import { createWorkers } from '../../src/storage/workers.ts'
import { archiveOf, serverWith } from './fixture.ts'
import {
  codeOf,
  contentOf,
  expectedContent,
  fresh,
  inlineWorkers,
  namesIn,
  old,
  passphrase,
  uploadOf,
} from './install.ts'

const large = {
  ...fresh,
  uploads: Array.from({ length: 40 }, (_, index) => uploadOf(Buffer.alloc(200_000, `upload ${index}`))),
}

describe('archive jobs', () => {
  test('lets one piece of work through; who comes second is told to wait and try again', async () => {
    const archive = await archiveOf(fresh)
    const { archive: own } = serverWith(old)
    const first = own.create()
    for (const second of [
      own.create(),
      own.inspect(archive),
      own.restore(archive, { actor: null }),
      own.scheduled.runNow(),
      own.scheduled.verify('x'),
    ]) {
      await expect(second).rejects.toMatchObject({ code: 'archive_busy', status: 409, retryAfterSeconds: 15 })
    }
    ;(await first).stream.destroy()
    expect(await own.inspect(archive)).toMatchObject({ uploadCount: 3 })
  })

  test('tells what is being done', async () => {
    const server = serverWith(large)
    const work = server.archive.create()
    expect((await server.archive.status()).backup.current).toMatchObject({
      operation: 'create',
      startedAt: '2026-11-21T09:30:00.000Z',
      cancellable: true,
    })
    expect(server.archive.isBusy()).toBe(true)
    ;(await work).stream.destroy()
    expect((await server.archive.status()).backup.current).toBeNull()
    expect(server.archive.cancel()).toBe(false)
  })

  test('tells whoever watches: at once, each phase with its bytes, and the end', async () => {
    const { archive } = serverWith(large)
    const told: (CurrentJob | null)[] = []
    const unwatch = archive.watch((current) => told.push(current))
    expect(told).toEqual([null])
    ;(await archive.create()).stream.destroy()
    const phases = told.map((current) => current?.phase ?? null).filter((phase, at, all) => phase !== all[at - 1])
    expect(phases).toEqual([null, 'starting', 'snapshot', 'stage', 'pack', 'verify', 'database', null])
    const packed = told.filter((current) => current?.phase === 'pack')
    expect(packed.at(-1)).toMatchObject({ operation: 'create', cancellable: true })
    const shares = packed.map((current) => (current?.done ?? 0) / (current?.total ?? 1))
    expect(shares).toEqual(shares.toSorted((a, b) => a - b))
    // The database packs smaller than it is, so that the end may come before all bytes did.
    expect([shares[0] ?? 1, shares.at(-1) ?? 0].map((share) => Math.round(share))).toEqual([0, 1])
    unwatch()
    const before = told.length
    ;(await archive.create()).stream.destroy()
    expect(told).toHaveLength(before)
  })
})

/** Runs a piece of work and cancels it when its phase is reached. */
async function cancelAt(
  phase: string,
  server: ReturnType<typeof serverWith>,
  work: (signal: AbortSignal) => Promise<unknown>,
  how: 'signal' | 'cancel',
) {
  const controller = new AbortController()
  let answer: boolean | undefined
  const unwatch = server.archive.watch((current) => {
    if (current?.phase !== phase || answer !== undefined) return
    if (how === 'signal') controller.abort()
    answer = how === 'cancel' ? server.archive.cancel() : true
  })
  const code = await codeOf(work(controller.signal))
  unwatch()
  return { code, reached: answer }
}

describe('cancelling', () => {
  const slow = () => createWorkers<ArchiveTasks>({ start: startWorker })

  test.each(['stage', 'pack', 'verify'])('a backup while it does %s leaves nothing', async (phase) => {
    const workers = slow()
    const server = serverWith(large, { workers })
    const destination = path.join(server.tempDir, 'out', 'a.zip')
    const { code, reached } = await cancelAt(
      phase,
      server,
      (signal) => server.archive.create({ destination, signal }),
      'signal',
    )
    expect([reached, code]).toEqual([true, 'cancelled'])
    expect(namesIn(server.tempDir)).toEqual(['out'])
    expect(namesIn(path.join(server.tempDir, 'out'))).toEqual([])
    expect(server.archive.isBusy()).toBe(false)
    await workers.close()
  })

  test('a restore before the boundary changes nothing, by signal or by request', async () => {
    const archive = await archiveOf(large, passphrase)
    for (const how of ['signal', 'cancel'] as const) {
      const workers = slow()
      const server = serverWith(old, { workers })
      const { code, reached } = await cancelAt(
        'verify',
        server,
        (signal) => server.archive.restore(archive, { passphrase, actor: null, signal }),
        how,
      )
      expect(reached).toBe(true)
      expect(code).toBe('cancelled')
      server.stop()
      expect(contentOf(server.dataDir)).toEqual(expectedContent(old))
      expect(namesIn(server.dataDir)).toEqual(['ai-config.key', 'talekeeper.db', 'uploads'])
      await workers.close()
    }
  })

  test.each([
    ['staged', 'cancelled'],
    ['prepared', 'cancelled'],
    ['intent', 'cancelled'],
    ['suspended', 'cancelled'],
    ['carried', 'cancelled'],
    ['replacing', 'restored'],
    ['in:uploads', 'restored'],
    ['reopened', 'restored'],
  ])('a restore at %s: %s', async (step, expected) => {
    const archive = await archiveOf(fresh)
    const controller = new AbortController()
    const answers: [boolean, CurrentJob | null][] = []
    const server = serverWith(old, {
      workers: inlineWorkers(createFiles()),
      checkpoint(reached) {
        if (reached !== step) return
        controller.abort()
        answers.push([server.archive.cancel(), null])
      },
    })
    const code = await codeOf(server.archive.restore(archive, { actor: null, signal: controller.signal }))
    expect(answers).toEqual([[expected === 'cancelled', null]])
    if (expected === 'cancelled') expect(code).toBe('cancelled')
    else expect(code).toMatchObject({ resolved: { restored: true } })
    expect(server.events).not.toContain('lost')
    expect(server.events.filter((event) => event === 'suspend')).toHaveLength(
      server.events.filter((event) => event === 'reopen').length,
    )
    server.stop()
    expect(contentOf(server.dataDir).name).toBe(expected === 'cancelled' ? 'old' : 'new')
    if (expected === 'cancelled') expect(namesIn(server.dataDir)).toEqual(['ai-config.key', 'talekeeper.db', 'uploads'])
  })

  test('a signal that has ended before starts nothing', async () => {
    const server = serverWith(fresh)
    expect(await codeOf(server.archive.create({ signal: AbortSignal.abort() }))).toBe('cancelled')
    expect(namesIn(server.tempDir)).toEqual([])
  })

  test('a scheduled run by request backs off, so that it does not begin again at once', async () => {
    const workers = slow()
    const server = serverWith(large, { workers, schedule: { enabled: true } })
    const { code } = await cancelAt('stage', server, (signal) => server.archive.scheduled.runNow(signal), 'cancel')
    const { cadence } = (await server.archive.status()).backup
    if (code === 'cancelled')
      expect(cadence).toMatchObject({ nextRunAt: '2026-11-21T09:45:00.000Z', lastError: { code } })
    else expect(cadence).toMatchObject({ nextRunAt: '2026-11-22T09:30:00.000Z', lastError: null })
    await workers.close()
  })

  test('a scheduled run by stopping the server leaves it due', async () => {
    const workers = slow()
    const server = serverWith(large, { workers, schedule: { enabled: true } })
    server.archive.scheduled.start()
    await expect.poll(() => server.archive.isBusy()).toBe(true)
    await server.archive.scheduled.stop()
    const { cadence } = (await server.archive.status()).backup
    expect(cadence).toMatchObject({ lastRunAt: null, lastError: null })
    expect(namesIn(server.directory)).toEqual([])
    await workers.close()
  })
})
