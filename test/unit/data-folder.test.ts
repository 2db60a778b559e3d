import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { keepPrivate, markAsUsed, tracesOfUse } from '../../src/storage/data-folder.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'data-folder-test-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function put(name: string, content = 'x', mode = 0o644): string {
  const file = path.join(folder, name)
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, content)
  chmodSync(file, mode)
  return file
}

describe('a folder that was used shows it', () => {
  test.each([
    ['nothing', [], []],
    ['what a first start makes before its database is complete', ['lock.db', 'instance.json', 'talekeeper.db'], []],
    ['empty folders', ['uploads/ab/', 'backups/', 'cache/images/'], []],
    ['an upload', ['uploads/ab/abc.png'], ['uploads']],
    ['a backup', ['backups/talekeeper-scheduled-20261122T060000Z.zip'], ['backups']],
    ['a copy', ['before-migration/before-schema-2-x.db'], ['copies from before an upgrade']],
    ['a safety copy', ['restore-20261122T060000Z-00000000/old/talekeeper.db'], ['what a restore replaced']],
    ['a log without its database', ['talekeeper.db-wal'], ['a write-ahead log']],
    ['a log with its database', ['talekeeper.db-wal', 'talekeeper.db'], []],
    ['the marker', ['talekeeper.json'], ['talekeeper.json']],
  ])('%s', (_, names, traces) => {
    for (const name of names) {
      if (name.endsWith('/')) mkdirSync(path.join(folder, name), { recursive: true })
      else put(name)
    }
    expect(tracesOfUse(folder)).toEqual(traces)
  })

  test('it is marked once', () => {
    markAsUsed(folder, '2026-11-20T18:00:00.000Z')
    const { mtimeMs } = statSync(path.join(folder, 'talekeeper.json'))
    markAsUsed(folder, '2026-11-21T18:00:00.000Z')
    expect(statSync(path.join(folder, 'talekeeper.json')).mtimeMs).toBe(mtimeMs)
    expect(tracesOfUse(folder)).toEqual(['talekeeper.json'])
  })
})

describe.skipIf(process.platform === 'win32')('everybody else’s rights', () => {
  const modeOf = (name: string): string => (statSync(path.join(folder, name)).mode & 0o777).toString(8)

  test('are taken from all in the folder, and from nothing that a link leads to', async () => {
    const outside = mkdtempSync(path.join(tmpdir(), 'data-folder-outside-'))
    try {
      chmodSync(outside, 0o755)
      chmodSync(folder, 0o777)
      put('talekeeper.db', 'x', 0o666)
      put('talekeeper.db-wal', 'x', 0o640)
      put('uploads/ab/abc.png', 'x', 0o604)
      chmodSync(path.join(folder, 'uploads/ab'), 0o755)
      symlinkSync(outside, path.join(folder, 'elsewhere'))
      expect(await keepPrivate(folder, 'top')).toEqual([])
      expect(['.', 'talekeeper.db', 'talekeeper.db-wal', 'uploads/ab/abc.png'].map(modeOf)).toEqual([
        '700',
        '600',
        '600',
        '604',
      ])
      expect(await keepPrivate(folder, 'below')).toEqual([])
      expect(['uploads', 'uploads/ab', 'uploads/ab/abc.png'].map(modeOf)).toEqual(['700', '700', '600'])
      expect(statSync(outside).mode & 0o777).toBe(0o755)
    } finally {
      rmSync(outside, { recursive: true })
    }
  })
})
