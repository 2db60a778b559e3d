import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import type { Settings, SettingValues } from '../../src/kernel/settings.ts'
import { createSettings } from '../../src/server/settings.ts'

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(path.join(tmpdir(), 'talekeeper-settings-'))
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

const file = (): string => path.join(dataDir, 'settings.json')
const written = (): unknown => JSON.parse(readFileSync(file(), 'utf8'))

/** The settings as a start with this environment finds them. */
function settings(env: Readonly<Record<string, string>> = {}): Settings {
  const config = readConfig({ DATA_DIR: dataDir, ...env })
  return createSettings({
    dataDir,
    ...config.settings,
    clock: () => new Date('2026-11-20T18:00:00.000Z'),
    onError: (error) => {
      throw error
    },
  })
}

test('what is chosen is in force at once and at the next start, and only the account reads it', () => {
  const now = settings()
  expect(now.get()).toMatchObject({ lan: false, scheduledBackups: false, backupIntervalHours: 24, backupKeepCount: 14 })
  expect(now.change({ scheduledBackups: true, backupKeepCount: 3 })).toMatchObject({ backupKeepCount: 3 })
  expect(settings().get()).toMatchObject({ scheduledBackups: true, backupKeepCount: 3, backupIntervalHours: 24 })
  expect(readConfig({ DATA_DIR: dataDir }).backup).toMatchObject({ enabled: true, keepCount: 3 })
  if (process.platform !== 'win32') expect(statSync(file()).mode & 0o777).toBe(0o600)
  // Null takes back what was chosen.
  now.change({ backupKeepCount: null })
  expect(written()).toEqual({ scheduledBackups: true })
})

test('the environment wins, says so of each value, and cannot be overruled in the app', () => {
  writeFileSync(file(), JSON.stringify({ lan: false, backupKeepCount: 3, scheduledBackups: true }))
  const now = settings({ HOST: '192.168.1.20', BACKUP_KEEP_COUNT: '7', BACKUP_DIR: 'elsewhere' })
  expect(now.states()).toMatchObject({
    lan: { value: true, source: 'environment', variable: 'HOST' },
    backupKeepCount: { value: 7, source: 'environment', variable: 'BACKUP_KEEP_COUNT' },
    backupDir: { value: path.resolve('elsewhere'), source: 'environment' },
    scheduledBackups: { value: true, source: 'chosen' },
    backupIntervalHours: { value: 24, source: 'standard' },
  })
  expect(() => now.change({ backupKeepCount: 5 })).toThrow(/environment variable BACKUP_KEEP_COUNT/)
  expect(() => now.change({ lan: false })).toThrow(/environment variable HOST/)
  expect(settings({ HOST: '127.0.0.1' }).get().lan).toBe(false)
})

test.each([
  ['no JSON', '}', /not valid JSON/],
  ['a list', '[]', /not valid JSON/],
  ['a wrong value', '{"lan": true, "port": "eighty"}', /port cannot be used/],
])('a broken file is said, the rest of it counts, and it is kept beside the new one: %s', (_, content, sentence) => {
  writeFileSync(file(), content)
  const now = settings()
  expect(now.problems()).toEqual([expect.stringMatching(sentence)])
  expect(now.get()).toMatchObject({ lan: content.includes('true'), port: 8020 })
  now.change({ backupKeepCount: 3 })
  expect(readFileSync(path.join(dataDir, 'settings.broken-20261120T180000Z.json'), 'utf8')).toBe(content)
  expect(now.problems()).toEqual([])
  expect(settings().get()).toMatchObject({ backupKeepCount: 3, lan: content.includes('true') })
})

test('what another version wrote, and what somebody writes by hand meanwhile, stays', () => {
  writeFileSync(file(), '{"ofTomorrow": 1}')
  const now = settings()
  expect(now.problems()).toEqual([expect.stringContaining('"ofTomorrow"')])
  writeFileSync(file(), '{"ofTomorrow": 1, "backupKeepDays": 9}')
  now.change({ lan: true })
  expect(written()).toEqual({ ofTomorrow: 1, backupKeepDays: 9, lan: true })
  expect(now.get().backupKeepDays).toBe(9)
})

test('listeners are told, with what was before', async () => {
  const now = settings()
  const told: [SettingValues, SettingValues][] = []
  const end = now.watch((...values) => told.push(values))
  now.change({ lan: true })
  await expect.poll(() => told.map(([after, before]) => [after.lan, before.lan])).toEqual([[true, false]])
  end()
  now.change({ lan: false })
  await new Promise((resolve) => setImmediate(resolve))
  expect(told).toHaveLength(1)
})

test('where nothing can be written the old file stays, and a sentence says why', () => {
  const now = settings()
  now.change({ lan: true })
  rmSync(dataDir, { recursive: true })
  expect(() => now.change({ lan: false })).toThrow(/settings\.json cannot be written: ENOENT/)
  mkdirSync(dataDir)
  expect(readdirSync(dataDir)).toEqual([])
  expect(now.get().lan).toBe(true)
})
