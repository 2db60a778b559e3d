import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { entities } from '../../src/catalogue.ts'
import { dataPaths } from '../../src/storage/data-folder.ts'
import { createFiles } from '../../src/storage/files.ts'
import { createRegistry } from '../../src/storage/registry.ts'
import { migrationsOf } from '../../src/storage/schema.ts'
import { openStore, type Store } from '../../src/storage/store.ts'
import { sweepUploads } from '../../src/storage/upload-sweep.ts'
import { fixedClock, type TestClock } from '../support/server.ts'

const hour = 3600_000
const day = 24 * hour
let folder: string
let store: Store
let clock: TestClock
let mayDelete: boolean

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'sweep-test-'))
  const registry = createRegistry(entities)
  store = openStore({
    path: path.join(folder, 'talekeeper.db'),
    registry,
    migrations: migrationsOf(registry),
    now: '2026-11-20T18:00:00.000Z',
    copyBeforeMigration: null,
  })
  const stamps = `created_at, updated_at) VALUES`
  const values = `'2026-11-01', '2026-11-01'`
  store.connection.exec(`INSERT INTO users (id, username, password_hash, ${stamps} (1, 'ellen', '', ${values});
    INSERT INTO campaigns (id, name, ${stamps} (1, 'The Orchard', ${values})`)
  clock = fixedClock()
  mayDelete = true
})
afterEach(() => {
  store.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Stores a file as an upload does; returns its key. */
function storedFile(): string {
  const sha256 = createHash('sha256').update(randomBytes(16)).digest('hex')
  const key = `${sha256.slice(0, 2)}/${sha256}.png`
  const file = path.join(folder, 'uploads', key)
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, 'image')
  return key
}

function attach(key: string): number {
  return store.run(
    `INSERT INTO attachments (campaign_id, created_at, updated_at, uploaded_by_user_id, file_name, mime_type, byte_size, width, height, sha256, file_key)
     VALUES (1, 'x', 'x', 1, 'a.png', 'image/png', 5, 1, 1, 'x', @key)`,
    { key },
  ).id
}
const purge = (id: number): void => void store.run('DELETE FROM attachments WHERE id = @id', { id })
const sweep = (): Promise<void> =>
  sweepUploads({
    files: createFiles(),
    paths: dataPaths(folder),
    store: () => store,
    clock,
    mayDelete: () => mayDelete,
    exclusively: (work) => work(),
  })
const isStored = (key: string): boolean => existsSync(path.join(folder, 'uploads', key))
const asideOn = (date: string, key: string): boolean => existsSync(path.join(folder, 'swept', date, key))

test('the file of a purged image is put aside a day later, and deleted thirty days after that', async () => {
  const [gone, kept] = [storedFile(), storedFile()]
  const id = attach(gone)
  attach(kept)
  purge(id)
  await sweep()
  clock.advance(23 * hour)
  await sweep()
  expect(isStored(gone)).toBe(true)
  clock.advance(2 * hour)
  mayDelete = false
  await sweep()
  expect(isStored(gone)).toBe(true)
  mayDelete = true
  await sweep()
  expect([isStored(gone), isStored(kept), asideOn('2026-11-21', gone)]).toEqual([false, true, true])

  const made = clock()
  utimesSync(path.join(folder, 'swept', '2026-11-21'), made, made)
  clock.advance(29 * day)
  await sweep()
  expect(asideOn('2026-11-21', gone)).toBe(true)
  clock.advance(2 * day)
  await sweep()
  expect(readdirSync(path.join(folder, 'swept'))).toEqual([])
  expect(isStored(kept)).toBe(true)
})

test('what no row ever named stays for ever', async () => {
  const [unknown, kept, other] = [storedFile(), storedFile(), storedFile()]
  attach(kept)
  attach(other)
  for (let week = 0; week < 60; week += 1) {
    await sweep()
    clock.advance(7 * day)
  }
  expect([isStored(unknown), isStored(kept)]).toEqual([true, true])
})

test('with a new, empty database nothing goes: it knows of no image', async () => {
  const keys = Array.from({ length: 10 }, storedFile)
  for (let round = 0; round < 5; round += 1) {
    clock.advance(2 * day)
    await sweep()
  }
  expect(keys.every(isStored)).toBe(true)
  expect(existsSync(path.join(folder, 'swept'))).toBe(false)
})

test('an image that was uploaded again meanwhile, or that another row names, stays', async () => {
  const [again, shared] = [storedFile(), storedFile()]
  const first = attach(again)
  const second = attach(shared)
  attach(shared)
  purge(first)
  purge(second)
  await sweep()
  clock.advance(2 * day)
  attach(again)
  await sweep()
  expect([isStored(again), isStored(shared)]).toEqual([true, true])
  expect(store.all('SELECT file_key FROM retired_files')).toEqual([])
})

test('nothing moves while the folder and the database do not fit', async () => {
  const gone = storedFile()
  attach(storedFile())
  purge(attach(gone))
  await sweep()
  clock.advance(2 * day)
  // More files than rows are missing: the folder is not the one of this database.
  const missing = [attach('aa/missing.png'), attach('bb/missing.png')]
  await expect(sweep()).rejects.toThrow('the uploads and the database do not fit (1 images are there, 2 are missing')
  for (const id of missing) store.run('UPDATE attachments SET missing = 1 WHERE id = @id', { id })
  // More rows than files are missing: the database is not the one of this folder.
  const strangers = [storedFile(), storedFile()]
  await expect(sweep()).rejects.toThrow('2 files are of no image')
  expect([isStored(gone), ...strangers.map(isStored)]).toEqual([true, true, true])
  for (const key of strangers) rmSync(path.join(folder, 'uploads', key))
  await sweep()
  expect(isStored(gone)).toBe(false)
})
