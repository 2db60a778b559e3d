import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { AxeBuilder } from '@axe-core/playwright'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { long } from '../support/long.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { desk, findChromium, launchChromium, newPage, phone } from './chromium.ts'

// From an empty shelf to the sample campaign, out of the door in each shape, and home again: by pressing alone.
const chromium = findChromium()

let server: TestServer
let browser: Browser
let base: string
let cookie: { readonly name: string; readonly value: string }
let folder: string

beforeAll(async () => {
  if (chromium === null) return
  folder = mkdtempSync(path.join(tmpdir(), 'leave-home-'))
  browser = await launchChromium(chromium)
  server = await startServer()
  base = await server.app.listen()
  const made = await fetch(`${base}/api/v1/auth/setup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: base },
    body: JSON.stringify({ username: 'ellen', password: 'a quiet orchard', code: server.app.setUpCode() }),
  })
  expect(made.status).toBeLessThan(300)
  const [name = '', value = ''] =
    (made.headers.getSetCookie().find((each) => each.startsWith('talekeeper_session')) ?? '')
      .split(';')[0]
      ?.split('=') ?? []
  cookie = { name, value }
})
afterAll(async () => {
  await browser?.close()
  await server?.stop()
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
})

async function open(address: string, viewport: typeof desk, theme: 'ink' | 'vellum'): Promise<Page> {
  const { page } = await newPage(browser, viewport)
  await page.addInitScript(`localStorage.setItem('talekeeper-theme', '${theme}')`)
  await page.context().addCookies([{ ...cookie, url: base }])
  await page.goto(`${base}${address}`)
  await page.locator('h1').first().waitFor()
  return page
}

async function expectClean(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze()
  const found = violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 160)).join(' | ')}`)
  expect(found).toEqual([])
  const wide = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
  expect(wide, 'nothing scrolls sideways').toBeLessThanOrEqual(0)
}

const ways = { handoff: 'Hand it on', publish: 'Show it to the world', backup: 'Keep all of it' }
const shapes = { zip: 'A file to come home to', json: 'The words alone', markdown: 'Pages to read' }

interface Saved {
  readonly file: string
  readonly way: string
}

/** Takes the campaign along for each, in each of the shapes: by pressing. */
async function leaveEachWay(page: Page, wanted: Partial<typeof shapes>): Promise<readonly Saved[]> {
  const saved: Saved[] = []
  for (const [way, label] of Object.entries(ways)) {
    await page.getByRole('radio', { name: new RegExp(`^${label}`) }).check()
    for (const [shape, name] of Object.entries(wanted)) {
      await page.getByRole('radio', { name: new RegExp(`^${name}`) }).check()
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: /^Make it/ }).click(),
      ])
      const file = path.join(folder, shape, String(saved.length), download.suggestedFilename())
      await download.saveAs(file)
      saved.push({ file, way })
    }
  }
  return saved
}

/** Of ten people players know nine; one keeps to the cellar. */
const people: Readonly<Record<string, number>> = { handoff: 10, publish: 9, backup: 10 }

/** Looks at a file and brings it home: by pressing. */
async function bringHome(page: Page, { file, way }: Saved, isJudged: boolean): Promise<void> {
  await page.goto(`${base}/campaigns/import`)
  const mimeType = file.endsWith('.json') ? 'application/json' : 'application/zip'
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: path.basename(file), mimeType, buffer: readFileSync(file) })
  await page.getByRole('heading', { name: 'This would become The Orchard in Winter' }).waitFor()
  if (isJudged) await expectClean(page)
  await page.getByRole('button', { name: 'Bring it home' }).click()
  await page.waitForURL(/\/campaigns\/\d+$/)
  const id = Number(/\d+$/.exec(page.url())?.[0])
  const found = server.app.store().get('SELECT count(*) AS n FROM npcs WHERE campaign_id = @id', { id })
  expect(found?.n, file).toBe(people[way])
}

describe.skipIf(chromium === null)('the sample campaign', () => {
  test('begins on an empty shelf, leaves as each profile, and comes home on a phone', async () => {
    const page = await open('/campaigns', desk, 'ink')
    await page.getByRole('button', { name: 'Try the sample campaign' }).click()
    await page.waitForURL(/\/campaigns\/\d+$/)
    const campaignId = Number(/\d+$/.exec(page.url())?.[0])

    await page.goto(`${base}/campaigns/${campaignId}/export`)
    await page.getByRole('table').waitFor()
    const cells = page.locator('.goes-along tbody tr', { hasText: 'Your secrets' }).locator('td')
    expect(await cells.nth(1).textContent()).toBe('none')
    expect(await cells.nth(2).textContent()).toMatch(/^all \d+$/)
    await expectClean(page)
    const saved = await leaveEachWay(page, shapes)
    expect(saved.map(({ file }) => path.basename(file))).toEqual(
      ['handoff', 'publish', 'backup'].flatMap((way) =>
        ['zip', 'json', 'zip'].map((ending) => `the-orchard-in-winter-${way}.${ending}`),
      ),
    )
    await page.context().close()

    const small = await open('/campaigns/import', phone, 'vellum')
    await expectClean(small)
    await small.locator('input[type=file]').setInputFiles({
      name: 'broken.json',
      mimeType: 'application/json',
      buffer: Buffer.from('{"format":"talekeeper-campaign"'),
    })
    await small.getByText('Nothing came in, nothing was lost.').waitFor()
    // Some come home on the phone, the others at the desk; what left on the phone is the same.
    const wide = await open('/campaigns/import', desk, 'vellum')
    for (const [index, each] of saved.entries()) {
      const screens = long ? [small, wide] : [index % 2 === 0 ? small : wide]
      for (const screen of screens) await bringHome(screen, each, index === saved.length - 2)
    }
    await small.goto(`${base}/campaigns/${campaignId}/export`)
    await small.getByRole('table').waitFor()
    for (const each of await leaveEachWay(small, long ? shapes : { json: shapes.json }))
      await bringHome(wide, each, false)
    await wide.context().close()
    await small.context().close()
  })

  test('has its numbers drawn and in words', async () => {
    const campaignId = server.app.store().get('SELECT min(id) AS id FROM campaigns')?.id
    for (const [viewport, theme] of [
      [desk, 'vellum'],
      [phone, 'ink'],
    ] as const) {
      const page = await open(`/campaigns/${campaignId}/statistics`, viewport, theme)
      await page.getByText('14, The ledger').waitFor()
      expect(await page.locator('.evening-bars rect.there').count()).toBe(3)
      await page.getByText('4 of 5 there').first().waitFor()
      await expectClean(page)
      await page.context().close()
    }
  })
})
