import { appendFileSync, copyFileSync, mkdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { finished } from 'node:stream/promises'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import type { Archive } from '../../src/archive/archive.ts'
import { newestBackup } from '../../src/archive/newest.ts'
import { createFiles } from '../../src/storage/files.ts'
import { archiveOf, serverWith } from './fixture.ts'
import { codeOf, contentOf, expectedContent, fresh, namesIn, old, startServer } from './install.ts'

const hour = 3_600_000

function scheduled(options: Parameters<typeof serverWith>[1] = {}) {
  let now = new Date('2026-11-21T00:00:00Z')
  const server = serverWith(fresh, { clock: () => now, ...options, schedule: { enabled: true, ...options.schedule } })
  return {
    ...server,
    server,
    pass(hours: number) {
      now = new Date(now.getTime() + hours * hour)
    },
    cadence: async () => (await server.archive.status()).backup.cadence,
    alerts: async () => (await server.archive.status()).backup.alerts.map((alert) => alert.kind),
    archives: () => namesIn(server.directory).filter((name) => name.endsWith('.zip')),
  }
}

describe('a scheduled backup', () => {
  test('is made, verified, listed and remembered', async () => {
    const { archive, archives, cadence, directory, dataDir } = scheduled()
    expect(await cadence()).toMatchObject({
      enabled: true,
      lastRunAt: null,
      nextRunAt: '2026-11-21T00:00:00.000Z',
      lastError: null,
    })
    const made = await archive.scheduled.runNow()
    expect(archives()).toEqual(['talekeeper-scheduled-20261121T000000Z.zip'])
    expect(made.path).toBe(path.join(directory, archives()[0]!))
    expect(await cadence()).toEqual({
      enabled: true,
      directory,
      intervalHours: 24,
      keepCount: expect.any(Number),
      keepDays: expect.any(Number),
      freeBytes: expect.any(Number),
      lastRunAt: '2026-11-21T00:00:00.000Z',
      lastSuccessAt: '2026-11-21T00:00:00.000Z',
      nextRunAt: '2026-11-22T00:00:00.000Z',
      lastError: null,
      lastArchive: { name: archives()[0], bytes: made.bytes, createdAt: '2026-11-21T00:00:00.000Z' },
    })
    expect(await archive.scheduled.list()).toEqual([
      {
        name: archives()[0],
        occasion: 'scheduled',
        bytes: made.bytes,
        createdAt: '2026-11-21T00:00:00.000Z',
        sequence: 1,
        appVersion: '0.1.0',
        schemaVersion: 2,
        uploadCount: 3,
        holdsKeyfile: false,
        missingFiles: 0,
        markers: [],
        checkedAt: '2026-11-21T00:00:00.000Z',
        problem: null,
      },
    ])
    expect(await archive.scheduled.verify(archives()[0]!)).toMatchObject({ uploadCount: 3 })
    expect(JSON.parse(readFileSync(path.join(dataDir, 'backup-state.json'), 'utf8'))).toMatchObject({ failures: 0 })
    await archive.scheduled.runNow()
    expect(archives()).toHaveLength(2)
  })

  test('takes the keyfile along when there is a passphrase for it', async () => {
    const { archive } = scheduled({ schedule: { keyPassphrase: 'correct horse battery' } })
    await archive.scheduled.runNow()
    expect((await archive.scheduled.list())[0]).toMatchObject({ holdsKeyfile: true })
  })

  test('is skipped when the disk is short: stamped, backed off, and made when there is room', async () => {
    const real = createFiles()
    let free = 1024
    const files = { ...real, space: async () => ({ device: 1, freeBytes: free }) }
    const { archive, archives, cadence, alerts, pass } = scheduled({ files, schedule: { minFreeBytes: 1024 } })
    expect(await codeOf(archive.scheduled.runNow())).toBe('unavailable')
    expect(archives()).toEqual([])
    expect(await cadence()).toMatchObject({
      lastRunAt: '2026-11-21T00:00:00.000Z',
      lastSuccessAt: null,
      nextRunAt: '2026-11-21T00:15:00.000Z',
      lastError: { at: '2026-11-21T00:00:00.000Z', code: 'unavailable', message: expect.stringMatching(/free/) },
    })
    expect(await alerts()).toEqual(['low_disk'])
    pass(0.25)
    await codeOf(archive.scheduled.runNow())
    expect(await cadence()).toMatchObject({ nextRunAt: '2026-11-21T00:45:00.000Z' })
    free = Number.MAX_SAFE_INTEGER
    await archive.scheduled.runNow()
    expect(await cadence()).toMatchObject({ lastError: null, nextRunAt: '2026-11-22T00:15:00.000Z' })
    expect(await alerts()).toEqual([])
  })

  test('prunes after a success, and nothing that is malformed, marked or not ours', async () => {
    const { archive, archives, alerts, directory, pass } = scheduled({ schedule: { keepCount: 2 } })
    await archive.scheduled.runNow()
    const [first] = archives()
    for (const name of ['talekeeper-scheduled-20200101T000000Z.zip', 'mine.zip'])
      copyFileSync(path.join(directory, first!), path.join(directory, name))
    truncateSync(path.join(directory, 'talekeeper-scheduled-20200101T000000Z.zip'), 1000)
    for (let run = 0; run < 5; run += 1) {
      pass(24)
      await archive.scheduled.runNow()
      if (run === 0) await archive.scheduled.pin(archives().at(-1)!)
      if (run === 1)
        writeFileSync(
          path.join(
            directory,
            `${archives()
              .at(-1)!
              .replace(/\.zip$/, '')}.offsite`,
          ),
          '',
        )
    }
    expect(archives()).toEqual([
      'mine.zip',
      'talekeeper-scheduled-20200101T000000Z.zip',
      'talekeeper-scheduled-20261122T000000Z.zip',
      'talekeeper-scheduled-20261123T000000Z.zip',
      'talekeeper-scheduled-20261125T000000Z.zip',
      'talekeeper-scheduled-20261126T000000Z.zip',
    ])
    expect(await alerts()).toEqual(['prune'])
    const listed = await archive.scheduled.list()
    expect(listed.map(({ markers, problem }) => [markers, problem === null])).toEqual([
      [[], true],
      [[], true],
      [['offsite'], true],
      [['pin'], true],
      [[], false],
    ])
    await archive.scheduled.unpin('talekeeper-scheduled-20261122T000000Z.zip')
    pass(24)
    await archive.scheduled.runNow()
    expect(archives()).not.toContain('talekeeper-scheduled-20261122T000000Z.zip')
  })

  test('fails and prunes nothing when the database cannot be backed up', async () => {
    const { archive, archives, cadence, alerts, db, pass } = scheduled({ schedule: { keepDays: 1 } })
    await archive.scheduled.runNow()
    db.exec('CREATE TABLE mine (id INTEGER)')
    pass(24 * 60)
    expect(await codeOf(archive.scheduled.runNow())).toBe('archive_schema_foreign')
    expect(archives()).toHaveLength(1)
    expect(await cadence()).toMatchObject({ lastError: { code: 'archive_schema_foreign' } })
    expect(await alerts()).toEqual(['failed', 'stale'])
    expect(namesIn(path.dirname(archives()[0]!))).toEqual(
      expect.not.arrayContaining([expect.stringMatching(/partial/)]),
    )
  })

  test('names no other files than its own archives', async () => {
    const { archive, dataDir, directory } = scheduled()
    await archive.scheduled.runNow()
    writeFileSync(path.join(directory, 'mine.zip'), 'x')
    for (const name of ['../talekeeper.db', 'mine.zip', 'talekeeper-scheduled-20200101T000000Z.zip', '', '..']) {
      expect(await codeOf(archive.scheduled.pin(name))).toBe('not_found')
      expect(await codeOf(archive.scheduled.unpin(name))).toBe('not_found')
      expect(await codeOf(archive.scheduled.verify(name))).toBe('not_found')
    }
    expect(namesIn(dataDir)).not.toContain('talekeeper.db.pin')
  })

  test('discards what earlier restores put aside', async () => {
    const { archive, alerts, dataDir, server } = scheduled()
    await archive.restore(await archiveOf(old), { actor: null })
    await archive.restore(await archiveOf(fresh), { actor: null })
    expect(await alerts()).toEqual(['safety_copy', 'safety_copy'])
    await archive.scheduled.runNow()
    expect(await alerts()).toEqual([])
    server.stop()
    expect(namesIn(dataDir)).toEqual(['ai-config.key', 'backup-state.json', 'backups', 'talekeeper.db', 'uploads'])
    expect(contentOf(dataDir)).toEqual(expectedContent(fresh))
  })

  test('begins anew when its record is damaged', async () => {
    const { archive, cadence, dataDir } = scheduled()
    writeFileSync(path.join(dataDir, 'backup-state.json'), '{"version":1,')
    expect(await cadence()).toMatchObject({ lastRunAt: null })
    await archive.scheduled.runNow()
    expect(await cadence()).toMatchObject({ lastRunAt: '2026-11-21T00:00:00.000Z' })
  })
})

describe('the clock', () => {
  afterEach(() => vi.useRealTimers())

  test('starts what is overdue at once, then what falls due', async () => {
    vi.useFakeTimers({
      now: new Date('2026-11-21T00:00:30Z'),
      toFake: ['Date', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'],
    })
    const server = serverWith(fresh, { clock: () => new Date(), schedule: { enabled: true, intervalHours: 1 } })
    const made = () => (namesIn(server.dataDir).includes('backups') ? namesIn(server.directory).length : 0)
    // The work itself takes real time, which only setImmediate still shows.
    const settle = async (least: number) => {
      const end = performance.now() + 300
      while (performance.now() < end || made() < least || server.archive.isBusy())
        await new Promise((resolve) => setImmediate(resolve))
    }
    server.archive.scheduled.start()
    await settle(1)
    expect(made()).toBe(1)
    await vi.advanceTimersByTimeAsync(59 * 60_000)
    await settle(1)
    expect(made()).toBe(1)
    await vi.advanceTimersByTimeAsync(3 * 60_000)
    await settle(2)
    expect(made()).toBe(2)
    await server.archive.scheduled.stop()
    await vi.advanceTimersByTimeAsync(300 * 60_000)
    await settle(2)
    expect(made()).toBe(2)
  })

  test('does nothing while the schedule is off', async () => {
    const server = serverWith(fresh, { schedule: { enabled: false } })
    server.archive.scheduled.start()
    await server.archive.scheduled.stop()
    expect(namesIn(server.dataDir)).not.toContain('backups')
  })
})

test('partial files that a crash left are removed at the next start, those of running processes are not', async () => {
  const { archive, directory, tempDir } = scheduled()
  mkdirSync(directory, { recursive: true })
  const name = 'talekeeper-scheduled-20261121T000000Z.zip'
  const dead = 2 ** 22 + 1
  for (const left of [
    `${name}.partial-${dead}`,
    `${name}.partial-${process.ppid}`,
    `${name}.partial`,
    'other.partial-1',
  ]) {
    appendFileSync(path.join(directory, left), 'x')
  }
  for (const folder of [
    `talekeeper-archive-${dead}-ab12`,
    `talekeeper-archive-${process.ppid}-ab12`,
    'talekeeper-archive-x',
  ]) {
    mkdirSync(path.join(tempDir, folder))
  }
  await archive.recover()
  expect(namesIn(directory)).toEqual(['other.partial-1', `${name}.partial`, `${name}.partial-${process.ppid}`])
  expect(namesIn(tempDir)).toEqual([`talekeeper-archive-${process.ppid}-ab12`, 'talekeeper-archive-x'])
})

describe('a clock that was once in the future', () => {
  test('does not make its backup the newest one, and no run answers with a file that it deleted', async () => {
    const { archive, archives, pass, directory } = scheduled({ schedule: { keepCount: 2, keepDays: 30 } })
    pass(5 * 365 * 24)
    const ofTheFuture = path.basename((await archive.scheduled.runNow()).path)
    pass(-5 * 365 * 24)
    const made: string[] = []
    for (let run = 0; run < 3; run += 1) {
      pass(24)
      const file = (await archive.scheduled.runNow()).path
      made.push(path.basename(file))
      expect(archives()).toContain(path.basename(file))
      expect((await archive.scheduled.list()).map(({ name }) => name)[0]).toBe(path.basename(file))
    }
    expect(archives()).toEqual(made.slice(-2))
    expect(archives()).not.toContain(ofTheFuture)
    expect(await newestBackup(directory, createFiles())).toMatchObject({ name: made.at(-1) })
  })

  test('a data folder that is put back as it once was goes on above what is in the backup folder', async () => {
    const { archive, dataDir, server, pass } = scheduled()
    for (let run = 0; run < 3; run += 1) {
      await archive.scheduled.runNow()
      pass(24)
    }
    rmSync(path.join(dataDir, 'backup-state.json'))
    server.stop()
    const later = startServer(dataDir, { clock: () => new Date('2020-01-01T00:00:00Z') })
    onTestFinished(() => later.stop())
    const { path: file, manifest } = await later.archive.scheduled.runNow()
    expect(manifest).toMatchObject({ sequence: 4, createdAt: '2020-01-01T00:00:00.000Z' })
    expect((await later.archive.scheduled.list())[0]?.name).toBe(path.basename(file))
  })
})

describe('what a restore replaced is kept until the next good backup', () => {
  const copies = (dataDir: string): readonly string[] => namesIn(dataDir).filter((name) => name.startsWith('restore-'))

  test.each([
    ['that is scheduled', (archive: Archive) => archive.scheduled.runNow()],
    ['to a file', (archive: Archive, root: string) => archive.create({ destination: path.join(root, 'own.zip') })],
    [
      'that is downloaded to its end',
      async (archive: Archive) => {
        const { stream } = await archive.create()
        await finished(stream.resume())
      },
    ],
  ])('%s', async (_, backUp) => {
    const { archive, dataDir, alerts } = scheduled()
    await archive.restore(await archiveOf(old), { actor: null })
    expect(copies(dataDir)).toHaveLength(1)
    expect(await alerts()).toContain('safety_copy')
    await backUp(archive, path.dirname(dataDir))
    await vi.waitFor(() => expect(copies(dataDir)).toEqual([]))
  })

  test('not one that is broken off, and not one that was begun before the restore', async () => {
    const { archive, dataDir } = scheduled()
    const before = await archive.create()
    await archive.restore(await archiveOf(old), { actor: null })
    await finished(before.stream.resume())
    const brokenOff = await archive.create()
    brokenOff.stream.destroy()
    await finished(brokenOff.stream).catch(() => {})
    expect(copies(dataDir)).toHaveLength(1)
  })
})
