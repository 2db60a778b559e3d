import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Autostart, type AutostartFacts, createAutostart, isTurnedOff } from '../../src/desktop/autostart.ts'

let home: string
beforeEach(() => {
  home = mkdtempSync(path.join(tmpdir(), 'talekeeper-autostart-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const autostart = (facts: Partial<AutostartFacts> = {}): Autostart | null =>
  createAutostart({
    platform: 'linux',
    executable: '/opt/Tale "keeper" $5 100%/talekeeper',
    dataDir: null,
    configHome: path.join(home, 'config'),
    home,
    ...facts,
  })

test('on Linux it is a file of the desktop’s own kind, and its settings turn it off', async () => {
  const file = path.join(home, 'config', 'autostart', 'talekeeper.desktop')
  const start = autostart() as Autostart
  expect(await start.isOn()).toBe(false)
  await start.set(true)
  expect(await start.isOn()).toBe(true)
  // Quoted, and quoted once more as a string of the file.
  expect(readFileSync(file, 'utf8')).toContain('Exec="/opt/Tale \\\\"keeper\\\\" \\\\$5 100%%/talekeeper" --hidden\n')
  for (const off of ['Hidden=true', 'X-GNOME-Autostart-enabled=false']) {
    writeFileSync(file, `[Desktop Entry]\n${off}\n`)
    expect(await start.isOn(), off).toBe(false)
  }
  await start.set(true)
  expect(await start.isOn()).toBe(true)
  await start.set(false)
  await start.set(false)
  expect(existsSync(file)).toBe(false)
})

test('on macOS it is a launch agent, with the data folder that was named', async () => {
  const start = autostart({
    platform: 'darwin',
    executable: '/Applications/A&B.app/x',
    dataDir: '/data <1>',
  }) as Autostart
  await start.set(true)
  expect(await start.isOn()).toBe(true)
  const file = path.join(home, 'Library', 'LaunchAgents', 'org.talekeeper.Talekeeper.plist')
  const text = readFileSync(file, 'utf8')
  expect(text).toContain('<string>/Applications/A&amp;B.app/x</string><string>--hidden</string>')
  expect(text).toContain('<key>DATA_DIR</key><string>/data &lt;1&gt;</string>')
})

test('what is in the way is a sentence', async () => {
  mkdirSync(path.join(home, 'config'))
  writeFileSync(path.join(home, 'config', 'autostart'), 'a file')
  await expect(autostart()?.set(true)).rejects.toThrow(/talekeeper\.desktop, which cannot be written \(E/)
})

test('there is none where no executable runs, and on Windows with a data folder of one’s own', () => {
  expect(autostart({ executable: null })).toBeNull()
  expect(autostart({ platform: 'win32', dataDir: 'D:\\tale' })).toBeNull()
  expect(autostart({ platform: 'win32' })).not.toBeNull()
})

test('what the Task Manager of Windows turned off is off', () => {
  expect(isTurnedOff('    Talekeeper    REG_BINARY    020000000000000000000000')).toBe(false)
  expect(isTurnedOff('    Talekeeper    REG_BINARY    030000005C1F8A2B9D3EDB01')).toBe(true)
  expect(isTurnedOff(null)).toBe(false)
})
