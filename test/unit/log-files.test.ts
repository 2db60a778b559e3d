import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createLogFiles, redacting } from '../../src/cli/log-files.ts'
import { mintSecret } from '../../src/storage/secrets.ts'

let folder: string
let now: Date
let lost: string[]
beforeEach(() => {
  folder = path.join(mkdtempSync(path.join(tmpdir(), 'talekeeper-log-')), 'log')
  now = new Date('2026-11-20T18:00:00.000Z')
  lost = []
})
afterEach(() => {
  chmodSync(path.dirname(folder), 0o700)
  rmSync(path.dirname(folder), { recursive: true, force: true })
})

const open = (more: { mostBytes?: number; keep?: number } = {}) =>
  createLogFiles({ folder, clock: () => now, onLoss: (reason) => lost.push(reason), ...more })
const names = (): readonly string[] => readdirSync(folder).sort()
const current = (): string => readFileSync(path.join(folder, 'talekeeper.log'), 'utf8')

test('lines are written whole and in their order, for this account alone, and a start goes on where the last ended', async () => {
  const log = open()
  for (let number = 0; number < 1000; number += 1) log.write(`{"n":${number}}\n`)
  expect(await log.flush(60_000)).toBe(true)
  utimesSync(log.file, now, now)
  open().write('{"n":1000}\n')
  await expect.poll(() => current().trim().split('\n').length).toBe(1001)
  expect(current().split('\n').slice(0, 3)).toEqual(['{"n":0}', '{"n":1}', '{"n":2}'])
  if (process.platform !== 'win32') expect(statSync(log.file).mode & 0o777).toBe(0o600)
  expect(lost).toEqual([])
})

test('a file is put aside when it is large and when its day is over, and only so many are kept', async () => {
  const log = open({ mostBytes: 100, keep: 3 })
  for (let number = 0; number < 6; number += 1) {
    now = new Date(now.getTime() + 1000)
    log.write(`${String(number).repeat(79)}\n`)
    await log.flush(60_000)
  }
  expect(names()).toEqual([
    'talekeeper-20261120T180004000Z.log',
    'talekeeper-20261120T180005000Z.log',
    'talekeeper-20261120T180006000Z.log',
    'talekeeper.log',
  ])
  expect(current()).toBe(`${'5'.repeat(79)}\n`)
  now = new Date('2026-11-21T00:00:01.000Z')
  log.write('tomorrow\n')
  await log.flush(60_000)
  expect(current()).toBe('tomorrow\n')
  expect(names()).toHaveLength(4)
  // What others keep there is theirs.
  writeFileSync(path.join(folder, 'talekeeper-mine.log'), '')
  // After a night off, too.
  utimesSync(log.file, now, now)
  now = new Date('2026-11-25T09:00:00.000Z')
  const again = open({ mostBytes: 100, keep: 3 })
  again.write('days later\n')
  await again.flush(60_000)
  expect(current()).toBe('days later\n')
  expect(names()).toContain('talekeeper-mine.log')
})

test('what cannot be put aside is gone on with, and told', async () => {
  const log = open({ mostBytes: 10 })
  log.write('first line\n')
  await log.flush(60_000)
  rmSync(log.file)
  log.write('second line\n')
  await log.flush(60_000)
  expect(current()).toBe('second line\n')
  expect(lost).toEqual(['ENOENT'])
})

test('no secret of ours is readable in a line', () => {
  const lines: string[] = []
  const log = redacting({ write: (text) => lines.push(text), flush: async () => true })
  const kinds = ['tkp', 'tka', 'tkr', 'tkc', 'tki'] as const
  for (const kind of kinds) {
    const { value } = mintSecret(kind)
    log.write(`{"url":"/join?code=${value}&x"}\n`)
    expect(lines.at(-1)).toBe(`{"url":"/join?code=${kind}_…&x"}\n`)
  }
})
