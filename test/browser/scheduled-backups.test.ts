import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { password, type TestWorld } from '../support/world.ts'
import { startWorld } from '../support/world-file.ts'
import { desk, findChromium, launchChromium, newPage, phone } from './chromium.ts'

// Backups by themselves, switched on and kept as chosen by nothing but clicks.
const chromium = findChromium()
const hourMs = 3_600_000

let browser: Browser
beforeAll(async () => {
  if (chromium !== null) browser = await launchChromium(chromium)
})
afterAll(async () => {
  await browser?.close()
})

async function backupsPage(env: Readonly<Record<string, string>>, viewport = desk): Promise<[Page, TestWorld]> {
  const world = await startWorld({ env: { BACKUP_MIN_FREE_BYTES: '0', ...env } })
  const base = await world.server.app.listen()
  const { page, complaints } = await newPage(browser, viewport)
  onTestFinished(async () => {
    await page.context().close()
    await world.server.stop()
    expect(complaints).toEqual([])
  })
  await page.goto(`${base}/admin/backups`)
  await page.fill('input[name=username]', 'admin')
  await page.fill('input[name=password]', password)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'By itself' }).waitFor()
  return [page, world]
}

const archives = (folder: string): readonly string[] =>
  existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.zip')) : []

describe.skipIf(chromium === null)('backups by themselves', { timeout: 600_000 }, () => {
  test('are switched on by clicking, made when they are due, after a sleep too, and kept as chosen', async () => {
    const [page, { server }] = await backupsPage({})
    const folder = path.join(server.dataDir, 'backups')
    await page.getByText('Nothing is kept by itself here').waitFor()
    await page.getByRole('switch', { name: 'Make backups by itself' }).click()
    await page.getByText('From now on backups are made by themselves.').waitFor()
    // The first one is due at once.
    await page.locator('.archives .row').getByText('Read back').waitFor()
    expect(archives(folder)).toEqual([expect.stringMatching(/^talekeeper-scheduled-/)])
    await page.getByText('The next one is made by itself').waitFor()
    expect(await page.getByText('Every day. 14 are kept, for 30 days').count()).toBe(1)

    await page.getByLabel('How many are kept').selectOption('3')
    await page.getByText('3 are kept, for 30 days').waitFor()
    await page.getByLabel('How often').selectOption({ label: 'Every 12 hours' })
    await page.getByText('Every 12 hours. 3 are kept').waitFor()
    expect(JSON.parse(readFileSync(path.join(server.dataDir, 'settings.json'), 'utf8'))).toMatchObject({
      scheduledBackups: true,
      backupIntervalHours: 12,
      backupKeepCount: 3,
    })

    // Half a day each time, then a week of sleep: one is made up for, not fourteen.
    for (const hours of [12, 12, 12, 7 * 24]) {
      const before = archives(folder).toSorted().at(-1)
      server.clock.advance(hours * hourMs)
      server.app.archive.scheduled.look()
      await expect.poll(() => archives(folder).toSorted().at(-1)).not.toBe(before)
      await expect.poll(() => server.app.archive.isBusy()).toBe(false)
    }
    expect(archives(folder)).toHaveLength(3)
    await expect.poll(() => page.locator('.archives .row').count()).toBe(3)

    // Not due yet.
    server.clock.advance(11 * hourMs)
    server.app.archive.scheduled.look()
    await server.app.archive.status()
    expect(server.app.archive.isBusy()).toBe(false)

    await page.getByRole('button', { name: 'Back up now' }).click()
    await page.getByText('Made by hand').waitFor()
    expect(archives(folder).filter((name) => name.startsWith('talekeeper-by-hand-'))).toHaveLength(1)

    await page.getByRole('switch', { name: 'Make backups by itself' }).click()
    await page.getByText('From now on you make backups yourself.').waitFor()
    server.clock.advance(100 * hourMs)
    server.app.archive.scheduled.look()
    await server.app.archive.status()
    expect(server.app.archive.isBusy()).toBe(false)
  })

  test('go into another folder, and a folder that cannot hold them is refused at its field', async () => {
    const [page, { server }] = await backupsPage({}, phone)
    const elsewhere = path.join(server.dataDir, 'another disk', 'ünten')
    const field = page.getByLabel('Kept in this folder')
    await field.fill(path.join(server.dataDir, 'talekeeper.db', 'inside'))
    await page.getByRole('button', { name: 'Keep them there' }).click()
    await page.getByText('Choose a folder that this account may write to').first().waitFor()
    await field.fill(elsewhere)
    await page.getByRole('button', { name: 'Keep them there' }).click()
    await page.getByText('Backups go there from now on.').waitFor()
    await page.getByRole('button', { name: 'Back up now' }).click()
    await page.getByText('Made by hand').waitFor()
    expect(archives(elsewhere)).toHaveLength(1)
    await page.getByRole('button', { name: 'Back to the folder with the data' }).click()
    await page.getByText('Nothing stands here yet').waitFor()
    const wide = await page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth)
    expect(wide).toBe(false)
  })

  test('what the environment says is shown with its name and cannot be chosen', async () => {
    const elsewhere = mkdtempSync(path.join(tmpdir(), 'talekeeper-elsewhere-'))
    onTestFinished(() => rmSync(elsewhere, { recursive: true, force: true }))
    const env = { BACKUP_SCHEDULE_ENABLED: '1', BACKUP_INTERVAL_HOURS: '36', BACKUP_DIR: elsewhere }
    const [page] = await backupsPage(env)
    expect(await page.getByRole('switch', { name: 'Make backups by itself' }).isDisabled()).toBe(true)
    expect(await page.getByLabel('How often').isDisabled()).toBe(true)
    expect(await page.getByLabel('How often').inputValue()).toBe('36')
    expect(await page.getByLabel('How many are kept').isDisabled()).toBe(false)
    expect(await page.getByLabel('Kept in this folder').isDisabled()).toBe(true)
    for (const variable of ['BACKUP_SCHEDULE_ENABLED', 'BACKUP_INTERVAL_HOURS', 'BACKUP_DIR'])
      expect(await page.getByText(`Said by ${variable}`).count()).toBe(1)
  })
})
