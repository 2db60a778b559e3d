import { expect, test } from 'vitest'
import { revealCommand } from '../../src/desktop/system-actions.ts'
import { type TrayState, trayMenu, trayPicture } from '../../src/desktop/tray-menu.ts'

const now = new Date('2026-11-20T18:00:00.000Z')
const usual: TrayState = {
  platform: 'win32',
  version: '1.1.0',
  address: 'http://127.0.0.1:8020',
  lanAddress: 'http://192.168.1.20:8021',
  people: 5,
  lastBackupAt: '2026-11-20T15:00:00.000Z',
  work: null,
  notices: [],
  lan: true,
  lanIsGiven: false,
  startAtLogin: true,
  logDir: '/logs',
  isStopping: false,
}

test('its picture and what it says beside it', () => {
  expect(trayPicture(usual)).toEqual({
    drawing: 'ok',
    tooltip: 'Talekeeper 1.1.0\n192.168.1.20:8021, 5 people online',
  })
  const minded = trayPicture({ ...usual, lanAddress: null, people: 1, notices: ['x'.repeat(300), 'y'] })
  expect(minded.drawing).toBe('warning')
  expect(minded.tooltip).toMatch(/^Talekeeper 1\.1\.0\n127\.0\.0\.1:8020, one person online\nx+…$/)
  expect(minded.tooltip).toHaveLength(127)
  expect(trayPicture({ ...usual, isStopping: true })).toMatchObject({ drawing: 'stopped' })
})

test.each([
  [null, 'No backup yet'],
  ['2026-11-20T17:59:30.000Z', 'Last backup: just now'],
  ['2026-11-20T17:20:00.000Z', 'Last backup: 40 min ago'],
  ['2026-11-20T15:00:00.000Z', 'Last backup: 3 h ago'],
  ['2026-11-11T15:00:00.000Z', 'Last backup: 9 days ago'],
])('the last backup, %s', (lastBackupAt, title) => {
  expect(trayMenu({ ...usual, lastBackupAt }, now).lastBackup).toMatchObject({ title, enabled: false })
})

test('a backup that is being made shows how far it is, and no second one can be asked for', () => {
  const at = (done: number, total: number) => trayMenu({ ...usual, work: { done, total } }, now).backUp
  expect(at(40, 100)).toMatchObject({ title: 'Backing up: 40 %', enabled: false })
  expect(at(0, 0)).toMatchObject({ title: 'Backing up…', enabled: false })
})

test('what cannot be done is not offered', () => {
  const menu = trayMenu({ ...usual, startAtLogin: null, lanIsGiven: true, lanAddress: null, logDir: null }, now)
  expect(menu.startAtLogin.hidden).toBe(true)
  expect(menu.logs.hidden).toBe(true)
  expect(menu.lan).toMatchObject({ enabled: false, checked: true })
  expect(menu.copyAddress.enabled).toBe(false)
  expect(menu.notices.hidden).toBe(true)
  expect(trayMenu({ ...usual, notices: ['One.', 'Two.'] }, now).notices.title).toBe('2 things to see to')
})

test('a file is shown where it lies, whatever its name', () => {
  expect(revealCommand('win32', 'C:\\tale, keeper\\a.zip')).toEqual(['explorer.exe', '/select,C:\\tale, keeper\\a.zip'])
  expect(revealCommand('linux', '/tale, keeper/ä.zip')).toContain('array:string:file:///tale%2C%20keeper/%C3%A4.zip')
})
