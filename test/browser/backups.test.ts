import { existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createFiles, type Files } from '../../src/storage/files.ts'
import type { TestServer } from '../support/server.ts'
import { password, type TestWorld } from '../support/world.ts'
import { startWorld } from '../support/world-file.ts'
import { desk, findChromium, launchChromium, newPage, phone } from './chromium.ts'

// The page of whoever keeps the server: a backup from making it to putting it back, work that is stopped, that fails or
// that others began, and how all of it reads and looks.
const chromium = findChromium()
const passphrase = 'nine candles in the dark'
const address = '/admin/backups'

let browser: Browser
let disk: ReturnType<typeof createTestDisk>
let server: TestServer
let world: TestWorld
let base: string

beforeAll(async () => {
  if (chromium !== null) browser = await launchChromium(chromium)
})

afterAll(async () => {
  await browser?.close()
})

describe.skipIf(chromium === null)('the page of backups', { timeout: 600_000 }, () => {
  beforeEach(async () => {
    disk = createTestDisk()
    world = await startWorld({ files: disk.files })
    server = world.server
    base = await server.app.listen()
  })

  afterEach(async () => {
    for (const context of browser.contexts()) await context.close()
    await server.stop()
  })

  test('a backup, from making it to putting it back', async () => {
    const { page, complaints } = await keeper()
    const { page: onlooker } = await keeper(phone)
    await shelf(page).getByText('Nothing stands here yet').waitFor()
    await shelf(onlooker).getByText('Nothing stands here yet').waitFor()

    await page.getByRole('button', { name: 'Back up now' }).click()
    await page.getByText('Kept, and read back to be sure.').waitFor()
    const row = rows(page)
    await row.getByText('Read back').waitFor()
    await page.getByText('Kept safe').waitFor()
    // Whoever else has the page open sees it come as well.
    await rows(onlooker).getByText('Read back').waitFor()
    const [name] = archives()

    await choose(page, row, 'Check that it is whole')
    await page.getByText('and it is whole.').waitFor()

    await choose(page, row, 'Keep it for good')
    await row.getByText('Kept for good').waitFor()
    await expect.poll(isPinned).toBe(true)
    await page.getByRole('button', { name: 'Undo' }).click()
    await row.getByText('Kept for good').waitFor({ state: 'detached' })
    await expect.poll(isPinned).toBe(false)
    await choose(page, row, 'Keep it for good')
    await expect.poll(isPinned).toBe(true)
    await choose(page, row, 'Let it go again')
    await expect.poll(isPinned).toBe(false)

    const kept = await downloaded(page, row.getByRole('link', { name: 'Download' }))
    expect(kept.name).toBe(name)
    expect(Buffer.compare(readFileSync(kept.file), readFileSync(inFolder(name)))).toBe(0)

    await makeUser('wanda')
    await choose(page, row, 'Put it back')
    await putBack(page)
    await signIn(page)
    await page.goto(`${base}/admin/users`)
    await page.getByText('outsider').first().waitFor()
    expect(await page.getByText('wanda').count()).toBe(0)
    expect(complaints).toEqual([])
  })

  test('a download is made for a link that works once; the AI keys travel under their passphrase', async () => {
    const { page, complaints } = await keeper()
    const asked: string[] = []
    page.on('request', (request) => {
      if (request.url().startsWith(`${base}/api/`)) asked.push(`${request.method()} ${new URL(request.url()).pathname}`)
    })
    const plain = await downloaded(page, page.getByRole('button', { name: 'Download a backup' }))
    expect(await server.app.archive.inspect(plain.file)).toMatchObject({ sealed: true, holdsKeyfile: false })
    await page.getByText('Your browser saves the file now.').waitFor()

    await page.getByText('With the AI keys').click()
    await page.getByLabel('Passphrase').fill(passphrase)
    const keyed = await downloaded(page, page.getByRole('button', { name: 'Download with keys' }))
    expect(await server.app.archive.inspect(keyed.file)).toMatchObject({ sealed: true, holdsKeyfile: true })
    expect(await page.getByLabel('Passphrase').inputValue()).toBe('')
    expect(asked.filter((each) => each.startsWith('POST'))).toEqual([
      'POST /api/v1/backup/links',
      'POST /api/v1/backup/links',
    ])
    expect(archives()).toEqual([])

    await makeUser('wanda')
    await page.setInputFiles('input[type=file]', keyed.file)
    const dialog = page.getByRole('dialog')
    await dialog.getByText('You need the passphrase it was made with.').waitFor()
    await dialog.getByLabel('Type RESTORE to go on').fill('RESTORE')
    const go = dialog.getByRole('button', { name: 'Put this in place of what I have' })
    expect(await go.isDisabled()).toBe(true)
    await dialog.getByLabel('The passphrase of this backup').fill('not the right one')
    await go.click()
    await dialog.getByRole('alert').waitFor()
    expect(isUser('wanda')).toBe(true)
    await dialog.getByLabel('The passphrase of this backup').fill(passphrase)
    await putBack(page)
    expect(isUser('wanda')).toBe(false)
    expect(complaints).toEqual([])
  })

  test('what others began shows itself and can be stopped, also when the connection broke off meanwhile', async () => {
    const { page } = await keeper()
    disk.close()
    const stopped = server.app.archive.scheduled.runNow()
    await page.getByText('A backup is being made.').waitFor()
    expect(await page.getByRole('button', { name: 'Back up now' }).isDisabled()).toBe(true)
    expect(await page.getByRole('button', { name: 'Download a backup' }).isDisabled()).toBe(true)
    await page.getByRole('button', { name: 'Stop', exact: true }).click()
    disk.open()
    await expect(stopped).rejects.toMatchObject({ code: 'cancelled' })
    await page.getByText('A backup is being made.').waitFor({ state: 'detached' })
    expect(archives()).toEqual([])

    disk.close()
    const finished = server.app.archive.scheduled.runNow()
    await page.getByText('A backup is being made.').waitFor()
    const again = page.waitForRequest('**/backup/events')
    server.app.hub.endAll()
    await again
    disk.open()
    await finished
    await rows(page).getByText('Read back').waitFor()
    await page.getByText('A backup is being made.').waitFor({ state: 'detached' })
  })

  test('a download that is stopped, or that fails, leaves the page where it is, with a sentence', async () => {
    const { page } = await keeper()
    const button = page.getByRole('button', { name: 'Download a backup' })
    disk.close()
    await button.click()
    await page.getByText('Leave this page open until then.').waitFor()
    await page.getByRole('button', { name: 'Stop', exact: true }).click()
    disk.open()
    await page.getByText('Stopped. Nothing was downloaded.').waitFor()

    disk.fill()
    await button.click()
    await page.getByRole('alert').getByText('The disk is full').waitFor()
    disk.open()

    // Somebody else is faster.
    let other: Promise<unknown> | undefined
    await page.route('**/backup/links', async (route) => {
      disk.close()
      other = server.app.archive.scheduled.runNow()
      await route.continue()
    })
    await button.click()
    await page.getByRole('alert').getByText('Another backup or restore is running').waitFor()
    disk.open()
    await other
    await page.unroute('**/backup/links')
    expect(page.url()).toBe(base + address)
    expect(await page.getByRole('heading', { name: 'Backups' }).isVisible()).toBe(true)
    await downloaded(page, button)
  })

  test('one that is damaged is marked, and why; it cannot be put back', async () => {
    await server.app.archive.scheduled.runNow()
    server.clock.advance(25 * 3_600_000)
    await server.app.archive.scheduled.runNow()
    const { page } = await keeper()
    await expect.poll(() => rows(page).count()).toBe(2)
    const [older, newest] = archives()
    damage(inFolder(older))
    const row = rows(page).nth(1)
    await choose(page, row, 'Check that it is whole')
    await row.getByText('Damaged').waitFor()
    await page.getByText('One backup on the shelf cannot be put back.').waitFor()
    await page.getByText('Kept safe').waitFor()
    await row.getByRole('button', { name: /^More/ }).click()
    expect(await page.getByRole('menuitem').allInnerTexts()).toEqual(['Check that it is whole', 'Keep it for good'])
    await page.keyboard.press('Escape')

    truncateSync(inFolder(newest), 2000)
    await page.reload()
    await page.getByText('The newest backup is damaged').waitFor()
    await page.getByText('2 backups on the shelf cannot be put back.').waitFor()
  })

  test('with the keyboard alone', async () => {
    await server.app.archive.scheduled.runNow()
    const { page } = await keeper()
    await rows(page).getByRole('button', { name: /^More/ }).focus()
    await page.keyboard.press('Enter')
    const chosen = page.locator('[role=menuitem]:focus')
    await chosen.getByText('Check that it is whole').waitFor()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await rows(page).getByText('Kept for good').waitFor()
    await page.keyboard.press('Enter')
    await chosen.getByText('Check that it is whole').waitFor()
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('Enter')
    const word = page.getByLabel('Type RESTORE to go on')
    await word.waitFor()
    await page.keyboard.press('Tab')
    await page.keyboard.type('RESTORE')
    expect(await word.inputValue()).toBe('RESTORE')
    await page.keyboard.press('Escape')
    await word.waitFor({ state: 'detached' })
    const focused = await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))
    expect(focused).toMatch(/^More/)
  })

  test('whoever was signed out elsewhere is shown the door', async () => {
    const { page } = await keeper()
    await shelf(page).getByText('Nothing stands here yet').waitFor()
    await page.request.post(`${base}/api/v1/auth/logout`, { data: {}, headers: { origin: base } })
    await page.waitForURL('**/login**')
  })

  for (const [name, viewport] of Object.entries({ phone, desk })) {
    test(`reads well and fits on a ${name}`, async () => {
      const { page, complaints: problems } = await keeper(viewport)
      const look = async (state: string) =>
        problems.push(...(await gravest(page)).map((problem) => `${state}: ${problem}`))
      await shelf(page).getByText('Nothing stands here yet').waitFor()
      await look('empty')

      for (let day = 0; day < 3; day++) {
        await server.app.archive.scheduled.runNow()
        server.clock.advance(25 * 3_600_000)
      }
      const [oldest, middle] = archives()
      writeFileSync(inFolder(`${oldest}.pin`), '')
      writeFileSync(inFolder(`${oldest}.offsite`), '')
      damage(inFolder(middle))
      await page.reload()
      await choose(page, rows(page).nth(1), 'Check that it is whole')
      await rows(page).nth(1).getByText('Damaged').waitFor()
      await page.getByText('With the AI keys').click()
      await look('kept')

      await choose(page, rows(page).first(), 'Put it back')
      await page.getByLabel('Type RESTORE to go on').waitFor()
      await look('report')
      await page.getByRole('button', { name: 'Not this one' }).click()

      disk.close()
      await choose(page, rows(page).first(), 'Check that it is whole')
      await page.getByRole('button', { name: 'Stop', exact: true }).waitFor()
      await look('running')
      disk.open()
      await page.getByText('and it is whole.').waitFor()
      expect(problems).toEqual([])
    })
  }
})

/** A page of the administrator, who is on the page of backups. */
async function keeper(viewport = desk): Promise<{ page: Page; complaints: string[] }> {
  const opened = await newPage(browser, viewport)
  const [name, value] = (world.session('admin').headers.cookie as string).split('=') as [string, string]
  await opened.page.context().addCookies([{ name, value, url: base }])
  await opened.page.goto(base + address)
  await shelf(opened.page).waitFor()
  return opened
}

const shelf = (page: Page): Locator =>
  page.locator('section').filter({ has: page.getByRole('heading', { name: 'On the shelf' }) })

const rows = (page: Page): Locator => shelf(page).getByRole('listitem')

async function choose(page: Page, row: Locator, word: string): Promise<void> {
  await row.getByRole('button', { name: /^More/ }).click()
  await page.getByRole('menuitem', { name: word }).click()
}

/** Goes on from an open report of a backup until all is back. */
async function putBack(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('heading', { name: 'What is in this backup' }).waitFor()
  const go = dialog.getByRole('button', { name: 'Put this in place of what I have' })
  await dialog.getByLabel('Type RESTORE to go on').fill('restore')
  expect(await go.isDisabled()).toBe(true)
  await dialog.getByLabel('Type RESTORE to go on').fill('RESTORE')
  await go.click()
  await page.getByText('It is all back.').waitFor()
  await page.waitForURL('**/login**')
}

async function signIn(page: Page): Promise<void> {
  await page.fill('input[name=username]', 'admin')
  await page.fill('input[name=password]', password)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Backups' }).waitFor()
}

async function makeUser(username: string): Promise<void> {
  const answer = await world.session('admin').post('/api/v1/users', { username, password, admin: false })
  expect(answer.status).toBe(201)
}

const isUser = (name: string): boolean =>
  server.app.store().get('SELECT id FROM users WHERE username = @name', { name }) !== undefined

async function downloaded(page: Page, control: Locator): Promise<{ name: string; file: string }> {
  const started = page.waitForEvent('download')
  await control.click()
  const download = await started
  return { name: download.suggestedFilename(), file: await download.path() }
}

/** What axe counts as serious or critical, in each theme; what is wider than the screen or too small for a thumb. */
async function gravest(page: Page): Promise<readonly string[]> {
  const found: string[] = []
  for (const theme of ['ink', 'vellum', 'contrast']) {
    await page.evaluate((name) => {
      document.documentElement.dataset.theme = name
    }, theme)
    const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze()
    for (const { id, impact, nodes } of violations) {
      if (impact !== 'serious' && impact !== 'critical') continue
      found.push(`${theme}: ${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`)
    }
  }
  const wide = await page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth)
  const small = await page.evaluate(() =>
    [...document.querySelectorAll('main :is(button, a, summary, .input, label.btn)')]
      .filter((element) => element.checkVisibility() && element.getBoundingClientRect().height < 43.5)
      .map((element) => element.outerHTML.slice(0, 120)),
  )
  return [...found, ...(wide ? ['wider than the screen'] : []), ...small.map((html) => `too small: ${html}`)]
}

const inFolder = (name: string | undefined): string => path.join(server.dataDir, 'backups', String(name))

const archives = (): readonly string[] =>
  existsSync(inFolder('')) ? readdirSync(inFolder('')).filter((name) => name.endsWith('.zip')) : []

const isPinned = (): boolean => existsSync(inFolder(`${archives()[0]}.pin`))

/** Changes bytes in the middle, which only reading all of it finds. */
function damage(file: string): void {
  const bytes = readFileSync(file)
  const middle = Math.floor(bytes.length / 2)
  bytes.fill(0x5a, middle, middle + 16)
  writeFileSync(file, bytes)
}

/** The real disk, where backup work can be held up, or find no room, as soon as it makes a folder of its own. */
function createTestDisk() {
  const files = createFiles()
  let gate = Promise.withResolvers<void>()
  gate.resolve()
  let full = false
  const held: Files = {
    ...files,
    async makeDir(folder) {
      if (path.basename(folder).startsWith('talekeeper-archive-')) {
        if (full) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
        await gate.promise
      }
      await files.makeDir(folder)
    },
  }
  return {
    files: held,
    close() {
      gate = Promise.withResolvers()
    },
    fill() {
      full = true
    },
    /** Lets what waits go on, and makes room. */
    open() {
      full = false
      gate.resolve()
    },
  }
}
