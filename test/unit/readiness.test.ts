import {
  closeSync,
  copyFileSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import Database, { type Database as Connection } from 'better-sqlite3'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type OpenedFile, openedFile } from '../../src/storage/readiness.ts'
import { expectOnceWithin, timeOf } from '../support/within.ts'

// What another process does to the file is in test/process/readiness.test.ts: locks are between processes.

let folder: string
let file: string
let db: Connection
let opened: OpenedFile

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'readiness-test-'))
  file = path.join(folder, 'talekeeper.db')
  db = new Database(file)
  db.pragma('journal_mode = WAL')
  db.exec('CREATE TABLE t (id INTEGER)')
  opened = openedFile(file)
})
afterEach(() => {
  db.close()
  opened.close()
  rmSync(folder, { recursive: true, force: true })
})

test('a database that can be used is ready, whether its pages are in the file or in its log', () => {
  expect(opened.whyNotReady()).toBeNull()
  db.pragma('wal_checkpoint(TRUNCATE)')
  expect(opened.whyNotReady()).toBeNull()
  db.exec('INSERT INTO t VALUES (1)')
  expect(opened.whyNotReady()).toBeNull()
})

test('a write transaction of somebody else makes it not ready, within a second', async () => {
  const other = new Database(file)
  other.exec('BEGIN IMMEDIATE')
  await expectOnceWithin(1000, () => timeOf(() => expect(opened.whyNotReady()).toMatch(/locked/)))
  other.exec('ROLLBACK')
  other.close()
  expect(opened.whyNotReady()).toBeNull()
})

const damages: readonly [string, () => void, RegExp][] = [
  ['garbage in its place', () => writeFileSync(file, Buffer.alloc(8192, 'garbage '), { flag: 'r+' }), /damaged/],
  ['an empty file', () => truncateSync(file, 0), /damaged/],
  ['no file', () => renameSync(file, `${file}.aside`), /not where it was/],
  [
    'a copy of itself in its place',
    () => {
      copyFileSync(file, `${file}.copy`)
      renameSync(`${file}.copy`, file)
    },
    /replaced/,
  ],
]

test.each(damages)('%s is not ready', (_, damage, reason) => {
  damage()
  expect(opened.whyNotReady()).toMatch(reason)
})

test('a first page that is garbage behind an intact header is not ready', () => {
  db.pragma('wal_checkpoint(TRUNCATE)')
  const page = Buffer.alloc(4096 - 16, 0xaa)
  db.close()
  const handle = openSync(file, 'r+')
  writeSync(handle, page, 0, page.length, 16)
  closeSync(handle)
  expect(opened.whyNotReady()).toMatch(/damaged/)
})

test('asking leaves nothing behind', () => {
  for (let count = 0; count < 50; count += 1) opened.whyNotReady()
  db.exec('INSERT INTO t VALUES (1)')
  expect(db.prepare('SELECT count(*) FROM t').pluck().get()).toBe(1)
})
