import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestServer } from '../support/server.ts'
import type { TestWorld } from '../support/world.ts'
import { startWorld } from '../support/world-file.ts'
import { findChromium, launchChromium, newPage, phone } from './chromium.ts'
import { cookieOf } from './shared-app.ts'

// A list of thousands: only what is near is on the page, all of it can be reached and found, and nothing is counted wrong.
const chromium = findChromium()
const MANY = 1500

let server: TestServer
let world: TestWorld
let browser: Browser
let base: string

beforeAll(async () => {
  if (chromium === null) return
  world = await startWorld()
  server = world.server
  const { connection } = server.app.store()
  connection.exec('BEGIN')
  for (let number = 1; number <= MANY; number++) {
    const name = `Villager ${String(number).padStart(4, '0')}`
    await world.as('dm', 'create_npc', { campaignId: world.id('campaign'), name })
  }
  connection.exec('COMMIT')
  base = await server.app.listen()
  browser = await launchChromium(chromium)
})

afterAll(async () => {
  if (chromium === null) return
  await browser.close()
  await server.stop()
})

async function people(): Promise<Page> {
  const { page } = await newPage(browser, phone)
  await page.context().addCookies([cookieOf(world, 'player', base)])
  await page.goto(`${base}/campaigns/${world.id('campaign')}/people`)
  // Whoever came last stands first, until the reader wants them by name.
  await page.getByRole('link', { name: 'Villager 1500' }).waitFor()
  await page.getByLabel('In which order').selectOption('By name')
  await page.getByRole('link', { name: 'Villager 0001' }).waitFor()
  return page
}

const rows = (page: Page) => page.locator('.npc-grid > a')

describe.skipIf(chromium === null)('a list of 1,500 people', () => {
  test('puts on the page what is near, and more as the keyboard goes on', async () => {
    const page = await people()
    const first = await rows(page).count()
    expect(first).toBeGreaterThan(20)
    expect(first).toBeLessThan(400)
    await page.keyboard.press('End')
    await expect.poll(() => rows(page).count()).toBeGreaterThan(first)
    // To the end of what was read, then the next page of it, until there is no more.
    const more = page.getByRole('button', { name: 'Show more' })
    await expect
      .poll(async () => {
        await page.keyboard.press('End')
        if (await more.isVisible()) await more.click()
        const found = await page.getByRole('link', { name: 'Villager 1500' }).count()
        const below = await page.locator('.list-end, .empty, .loading').allInnerTexts()
        return found === 1 ? 'the last of them' : `${await rows(page).count()} people, then: ${below.join(' / ')}`
      })
      .toBe('the last of them')
    // Marta is there too; the Cellarer is hidden from players.
    await page.getByText('1,501 people').waitFor()
    await page.context().close()
  })

  test('is narrowed by typing to somebody who is not on the page, and comes back to where one was', async () => {
    const page = await people()
    await page.getByRole('searchbox').fill('villager 1234')
    await expect.poll(() => rows(page).count()).toBe(1)
    await page.getByRole('searchbox').fill('')
    await page.locator('#main').focus()
    // Again and again: pressed while one person is still all there is, it goes nowhere.
    await expect
      .poll(async () => {
        await page.keyboard.press('End')
        return rows(page).count()
      })
      .toBeGreaterThan(150)
    const shown = await rows(page).count()
    await rows(page)
      .nth(shown - 60)
      .click()
    await page.locator('.portrait-header').waitFor()
    await page.goBack()
    await expect.poll(() => rows(page).count()).toBeGreaterThanOrEqual(shown)
    await expect.poll(() => page.evaluate(() => scrollY)).toBeGreaterThan(3000)
    await page.context().close()
  })
})
