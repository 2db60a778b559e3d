import { copyFileSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createFiles, type Files } from '../../src/storage/files.ts'
import type { TestServerOptions } from '../support/server.ts'
import { zip } from './corpus-parts.ts'
import { partsOf, type SpecServer, specServer } from './spec-support.ts'

// SPEC 8.2 (scheduled backups) and the rules 1, 2, 4 and 5 of SPEC 8.3, row by row; spec.test.ts counts the rows. Every
// setting comes as an environment variable, and what it does is met over REST.

const mebibyte = 1024 * 1024
const hour = 3_600_000
const day = 24 * hour

async function start(env: Readonly<Record<string, string>> = {}, options: TestServerOptions = {}): Promise<SpecServer> {
  const on = await specServer({ ...options, env })
  onTestFinished(() => on.stop())
  return on
}

/** The same installation with other settings, so much later. */
async function later(
  on: SpecServer,
  milliseconds: number,
  env: Readonly<Record<string, string>> = {},
): Promise<SpecServer> {
  const again = await on.restart({ env })
  onTestFinished(() => again.server.stop())
  again.server.clock.advance(on.server.clock().getTime() - again.server.clock().getTime() + milliseconds)
  return again
}

/** Makes a backup; answers its name. */
async function made(on: SpecServer): Promise<string> {
  const { status, body } = await on.run()
  expect(status, JSON.stringify(body)).toBe(200)
  return path.basename(body.path)
}

const names = async (on: SpecServer): Promise<readonly string[]> => byStamp((await on.kept()).map(({ name }) => name))

/** Oldest first, as their names tell. */
function byStamp(backups: readonly string[]): readonly string[] {
  const stampOf = (name: string): string => name.replace(/^\D+/, '')
  return backups.toSorted((one, other) => (stampOf(one) < stampOf(other) ? -1 : 1))
}

/** Starts to listen, and with that the schedule; answers whether a backup was due. */
async function isDueAtStart(on: SpecServer): Promise<boolean> {
  let begun = false
  const unwatch = on.server.app.archive.watch((current) => {
    if (current?.operation === 'scheduled') begun = true
  })
  await on.server.app.listen()
  // That is decided before the status is read, which waits for the same record of the last run.
  await on.status()
  unwatch()
  return begun
}

/** Puts copies of a backup beside it, as if they had been made in the days before; answers their names, oldest first. */
function addCopies(folder: string, name: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => {
    const copy = `talekeeper-scheduled-202610${String(index + 1).padStart(2, '0')}T000000Z.zip`
    copyFileSync(path.join(folder, name), path.join(folder, copy))
    return copy
  })
}

test('SPEC 8.2: BACKUP_SCHEDULE_ENABLED is off by default, and 1 enables scheduled backups', async () => {
  for (const env of [{}, { BACKUP_SCHEDULE_ENABLED: '0' }]) {
    const on = await start(env)
    expect(await isDueAtStart(on)).toBe(false)
    expect((await on.status()).cadence).toMatchObject({ enabled: false, nextRunAt: null })
    expect(await names(on)).toEqual([])
  }
  const on = await start({ BACKUP_SCHEDULE_ENABLED: '1' })
  const { archive } = on.server.app
  const done = new Promise<void>((resolve) => {
    let begun = false
    archive.watch((current) => {
      if (current?.operation === 'scheduled') begun = true
      else if (begun) resolve()
    })
  })
  await on.server.app.listen()
  await done
  expect(await names(on)).toHaveLength(1)
  expect((await on.status()).cadence).toMatchObject({
    enabled: true,
    lastError: null,
    lastSuccessAt: expect.any(String),
  })
})

test('SPEC 8.2: BACKUP_DIR is where scheduled archives go, $DATA_DIR/backups by default', async () => {
  const on = await start()
  const usual = await made(on)
  expect(readdirSync(path.join(on.dataDir, 'backups'))).toEqual([usual])
  const elsewhere = path.join(on.root, 'another', 'disk')
  const moved = await later(on, hour, { BACKUP_DIR: elsewhere })
  const name = await made(moved)
  expect(readdirSync(elsewhere)).toEqual([name])
  expect(await names(moved)).toEqual([name])
  expect((await moved.status()).cadence.directory).toBe(elsewhere)
})

test('SPEC 8.2: BACKUP_INTERVAL_HOURS is the interval between runs, 24 by default', async () => {
  const enabled = { BACKUP_SCHEDULE_ENABLED: '1' }
  const first = await start(enabled)
  await made(first)
  const { lastRunAt, nextRunAt } = (await first.status()).cadence
  expect(Date.parse(nextRunAt as string) - Date.parse(lastRunAt as string)).toBe(24 * hour)
  for (const [passed, env, isDue] of [
    [24 * hour - 60_000, {}, false],
    [24 * hour, {}, true],
    [6 * hour - 60_000, { BACKUP_INTERVAL_HOURS: '6' }, false],
    [6 * hour, { BACKUP_INTERVAL_HOURS: '6' }, true],
  ] as const) {
    const state = path.join(first.dataDir, 'backup-state.json')
    const kept = path.join(first.root, 'state.json')
    if (existsSync(kept)) copyFileSync(kept, state)
    else copyFileSync(state, kept)
    const on = await later(first, passed, { ...enabled, ...env })
    expect(await isDueAtStart(on), JSON.stringify({ passed, ...env })).toBe(isDue)
    await on.server.stop()
  }
})

test('SPEC 8.2: BACKUP_KEEP_COUNT keeps the newest verified archives, 14 by default; 0 disables count pruning', async () => {
  const on = await start({ BACKUP_KEEP_COUNT: '0' })
  const folder = path.join(on.dataDir, 'backups')
  const one = await made(on)
  const copies = addCopies(folder, one, 16)
  on.server.clock.advance(hour)
  const two = await made(on)
  expect(await names(on)).toEqual(byStamp([...copies, one, two]))
  const usual = await later(on, hour)
  const three = await made(usual)
  expect(await names(usual)).toEqual(byStamp([...copies.slice(5), one, two, three]))
  expect(await names(usual)).toHaveLength(14)
  const few = await later(usual, hour, { BACKUP_KEEP_COUNT: '2' })
  const four = await made(few)
  expect(await names(few)).toEqual([three, four])
  expect((await few.status()).alerts).toMatchObject([{ kind: 'prune', message: expect.stringContaining('13') }])
})

test('SPEC 8.2: BACKUP_KEEP_DAYS prunes verified archives older than this, 30 by default; 0 disables it', async () => {
  const on = await start()
  const first = await made(on)
  on.server.clock.advance(30 * day)
  const second = await made(on)
  expect(await names(on)).toEqual([first, second])
  on.server.clock.advance(60_000)
  const third = await made(on)
  expect(await names(on)).toEqual([second, third])
  const kept = await later(on, 400 * day, { BACKUP_KEEP_DAYS: '0' })
  const fourth = await made(kept)
  expect(await names(kept)).toEqual([second, third, fourth])
  const short = await later(kept, 2 * day, { BACKUP_KEEP_DAYS: '2' })
  const fifth = await made(short)
  expect(await names(short)).toEqual([fourth, fifth])
})

test('SPEC 8.2: BACKUP_MAX_TOTAL_BYTES caps all scheduled archives, unset by default; the oldest unprotected goes first', async () => {
  const on = await start()
  const made4: string[] = []
  for (let number = 0; number < 4; number += 1) {
    on.server.clock.advance(hour)
    made4.push(await made(on))
  }
  expect(await names(on)).toEqual(made4)
  const [oldest, second, third, fourth] = made4 as [string, string, string, string]
  expect((await on.admin.request('PUT', `/api/v1/backup/archives/${oldest}/pin`)).status).toBe(200)
  const bytes = Math.max(...(await on.kept()).map((archive) => archive.bytes))
  const capped = await later(on, hour, { BACKUP_MAX_TOTAL_BYTES: String(Math.floor(bytes * 3.5)) })
  const fifth = await made(capped)
  expect(await names(capped)).toEqual([oldest, fourth, fifth])
  expect([second, third].some((name) => existsSync(path.join(capped.dataDir, 'backups', name)))).toBe(false)
})

/** Real files on a disk, or two, of which so much is free as is said here. */
function disks() {
  const free = { staging: Number.MAX_SAFE_INTEGER, backups: Number.MAX_SAFE_INTEGER, areOne: true }
  const real = createFiles()
  const files: Files = {
    ...real,
    space: async (folder) => {
      const isStaging = folder.endsWith('tmp')
      return { device: free.areOne || isStaging ? 1 : 2, freeBytes: isStaging ? free.staging : free.backups }
    },
  }
  const setFree = (bytes: number): void => void Object.assign(free, { staging: bytes, backups: bytes })
  return { files, free, setFree }
}

/** What a backup of the installation stages: the database and all uploads. */
function contentBytes({ dataDir }: SpecServer): number {
  const sizeOf = (file: string): number => (existsSync(file) ? statSync(file).size : 0)
  const database = path.join(dataDir, 'talekeeper.db')
  const uploads = readdirSync(path.join(dataDir, 'uploads'), { recursive: true, withFileTypes: true })
  return uploads
    .filter((item) => item.isFile())
    .reduce(
      (sum, { parentPath, name }) => sum + sizeOf(path.join(parentPath, name)),
      sizeOf(database) + sizeOf(`${database}-wal`),
    )
}

/** The database grows a little with every sign of life. */
const some = 64 * 1024

test('SPEC 8.2: BACKUP_MIN_FREE_BYTES must remain free after the estimated peak, 512 MiB by default', async () => {
  for (const [env, reserve] of [
    [{}, 512 * mebibyte],
    [{ BACKUP_MIN_FREE_BYTES: '536870912' }, 512 * mebibyte],
    [{ BACKUP_MIN_FREE_BYTES: '1048576' }, mebibyte],
    [{ BACKUP_MIN_FREE_BYTES: '0' }, 0],
  ] as const) {
    const { files, setFree } = disks()
    const on = await start(env, { files })
    const peak = 2 * contentBytes(on)
    setFree(peak + reserve - some)
    const { status, body } = await on.run()
    expect([status, body.error?.code], JSON.stringify(env)).toEqual([503, 'unavailable'])
    setFree(peak + reserve + some)
    await made(on)
  }
})

test('SPEC 8.2: BACKUP_PROTECT_LAST_GOOD is true by default: retention never deletes the last verified archive', async () => {
  // Neither its age nor its size lets it go; what is newer, but no backup, does not stand in for it.
  const env = { BACKUP_MAX_TOTAL_BYTES: '1', BACKUP_KEEP_DAYS: '1' }
  for (const [own, isKept] of [
    [{}, true],
    [{ BACKUP_PROTECT_LAST_GOOD: 'true' }, true],
    [{ BACKUP_PROTECT_LAST_GOOD: 'false' }, false],
    [{ BACKUP_PROTECT_LAST_GOOD: '0' }, false],
  ] as const) {
    const on = await start({ ...env, ...own })
    // What the rules let go at once is no answer.
    const make = async (): Promise<string | null> => {
      if (isKept) return await made(on)
      const { status, body } = await on.run()
      expect([status, body.error.message]).toEqual([409, expect.stringContaining('BACKUP_MAX_TOTAL_BYTES')])
      return null
    }
    const first = await make()
    const broken = 'talekeeper-scheduled-20991231T000000Z.zip'
    writeFileSync(path.join(on.dataDir, 'backups', broken), 'PK')
    on.server.clock.advance(2 * day)
    const second = await make()
    expect(await names(on), JSON.stringify(own)).toEqual(isKept ? [second, broken] : [broken])
    if (isKept) expect(first).not.toBe(second)
  }
})

test('SPEC 8.3: rule 1, the next size is estimated from the last good backup, at first from what there is; a short disk skips the run, stamps lastError and backs off', async () => {
  const { files, setFree } = disks()
  const on = await start({ BACKUP_SCHEDULE_ENABLED: '1', BACKUP_MIN_FREE_BYTES: '0' }, { files })
  const waits: number[] = []
  const skipped = async (): Promise<void> => {
    expect((await on.run()).status).toBe(503)
    const { cadence, alerts } = await on.status()
    const at = on.server.clock().toISOString()
    expect(cadence).toMatchObject({
      lastRunAt: at,
      lastError: { at, code: 'unavailable', message: expect.stringMatching(/MiB are free/) },
    })
    expect(alerts).toMatchObject([{ kind: 'low_disk', at }])
    waits.push(Date.parse(cadence.nextRunAt as string) - Date.parse(at))
  }
  // At first the archive counts as large as its content.
  setFree(2 * contentBytes(on) - some)
  await skipped()
  on.server.clock.advance(hour)
  await skipped()
  expect(await names(on)).toEqual([])
  setFree(2 * contentBytes(on) + some)
  await made(on)
  expect((await on.status()).cadence.lastError).toBeNull()
  // Then as large as the last one, which was packed.
  const bytes = (await on.kept())[0]?.bytes as number
  expect(bytes).toBeLessThan(contentBytes(on) - 3 * some)
  on.server.clock.advance(day)
  setFree(contentBytes(on) + bytes + some)
  await made(on)
  on.server.clock.advance(day)
  setFree(contentBytes(on) + bytes - some)
  for (let number = 0; number < 8; number += 1) await skipped()
  const minutes = waits.map((wait) => wait / 60_000)
  expect(minutes).toEqual([15, 30, 15, 30, 60, 120, 240, 480, 960, 1440])
})

test('SPEC 8.3: rule 2, on one file system the peaks of BACKUP_DIR and staging are reserved together, else each its own', async () => {
  const { files, free } = disks()
  const env = { BACKUP_MIN_FREE_BYTES: String(mebibyte) }
  let on = await start(env, { files })
  /** With so many times its content free, and the reserve; a little more or less. */
  const tried = async (areOne: boolean, staging: number, backups: number): Promise<unknown> => {
    // As on the first run.
    rmSync(path.join(on.dataDir, 'backup-state.json'), { force: true })
    on = await on.restart({ files, env })
    const bytes = (times: number): number => contentBytes(on) * Math.abs(times) + mebibyte + some * Math.sign(times)
    Object.assign(free, { areOne, staging: bytes(staging), backups: bytes(backups) })
    const { status, body } = await on.run()
    return status === 200 ? 'made' : body.error.message
  }
  expect(await tried(true, 1, 1)).toMatch(/^The backup and staging folders need /)
  expect(await tried(false, 1, 1)).toBe('made')
  expect(await tried(false, -1, 1)).toMatch(/^The staging folder need/)
  expect(await tried(false, 1, -1)).toMatch(/^The backup folder need/)
  expect(await tried(true, -2, -2)).toMatch(/^The backup and staging folders need /)
  expect(await tried(true, 2, 2)).toBe('made')
})

test('SPEC 8.3: rule 4, retention deletes only archives that parse and are clean; malformed or partial ones are left on disk', async () => {
  const on = await start({ BACKUP_KEEP_COUNT: '1' })
  const folder = path.join(on.dataDir, 'backups')
  const good = await partsOf(await on.download(), on.root)
  const name = (dayOfMonth: number): string =>
    `talekeeper-scheduled-202610${String(dayOfMonth).padStart(2, '0')}T000000Z.zip`
  const reconciliation = { ...(good.manifest.reconciliation as object), clean: false }
  const left: Readonly<Record<string, Buffer>> = {
    [name(1)]: good.archive.subarray(0, good.archive.length / 2),
    [name(2)]: Buffer.alloc(0),
    [name(3)]: zip(good, { without: 'manifest.json' }),
    [name(4)]: zip(good, { manifest: { reconciliation } }),
    [name(5)]: zip(good, { manifest: { version: 2 } }),
    [`${name(6)}.partial-1`]: good.archive.subarray(0, 1000),
    'mine.zip': good.archive,
  }
  mkdirSync(folder)
  for (const [file, bytes] of Object.entries(left)) writeFileSync(path.join(folder, file), bytes)
  writeFileSync(path.join(folder, name(7)), good.archive)
  const newest = await made(on)
  expect(readdirSync(folder).sort()).toEqual([...Object.keys(left), newest].sort())
})

test('SPEC 8.3: rule 5, the markers .pin, .keep and .offsite beside a zip protect it from pruning', async () => {
  const on = await start({ BACKUP_KEEP_COUNT: '1', BACKUP_KEEP_DAYS: '1', BACKUP_MAX_TOTAL_BYTES: '1' })
  const folder = path.join(on.dataDir, 'backups')
  const copies = addCopies(folder, await made(on), 4)
  for (const [index, marker] of ['pin', 'keep', 'offsite'].entries())
    writeFileSync(path.join(folder, `${copies[index]}.${marker}`), '')
  on.server.clock.advance(30 * day)
  const newest = await made(on)
  expect(await names(on)).toEqual([...copies.slice(0, 3), newest])
  expect((await on.kept()).map(({ markers }) => markers)).toEqual([[], ['offsite'], ['keep'], ['pin']])
  for (const marker of ['pin', 'keep', 'offsite']) {
    const [file] = readdirSync(folder).filter((each) => each.endsWith(`.${marker}`)) as [string]
    renameSync(path.join(folder, file), path.join(on.root, file))
  }
  on.server.clock.advance(day)
  expect(await names(on)).toHaveLength(4)
  expect([await made(on)]).toEqual(await names(on))
})
