import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestWorld } from '../support/world.ts'
import { startWorld } from '../support/world-file.ts'
import { desk, findChromium, launchChromium, newPage, phone } from './chromium.ts'
import { cookieOf } from './shared-app.ts'

// Whom a stranger added to a campaign finds a card that says so, and is in it only once they say yes.

const chromium = findChromium()
let world: TestWorld
let browser: Browser
let base: string

beforeAll(async () => {
  if (chromium === null) return
  world = await startWorld()
  base = await world.server.app.listen()
  browser = await launchChromium(chromium)
})
afterAll(async () => {
  if (chromium === null) return
  await browser.close()
  await world.server.stop()
})

async function campaignsOf(viewport: typeof desk) {
  const { page, complaints } = await newPage(browser, viewport)
  await page.context().addCookies([cookieOf(world, 'player', base)])
  await page.goto(`${base}/campaigns`)
  await page.getByRole('heading', { name: 'Campaigns' }).waitFor()
  return { page, complaints }
}

describe.skipIf(chromium === null)('an invitation', () => {
  test('says who added one to what, and accepting opens the campaign', async () => {
    const { page, complaints } = await campaignsOf(phone)
    const card = page.getByRole('region', { name: 'Invitations' })
    await card.getByText('outsider added you to “A table of strangers”').waitFor()
    expect(await page.locator('.campaign-card', { hasText: 'A table of strangers' }).count()).toBe(0)
    const width = await page.evaluate(() => document.documentElement.scrollWidth)
    expect(width).toBeLessThanOrEqual(phone.width)
    await card.getByRole('button', { name: 'Accept' }).click()
    await page.waitForURL(`${base}/campaigns/${world.id('campaign', 'invited')}`)
    await page.goto(`${base}/campaigns`)
    await page.locator('.campaign-card', { hasText: 'A table of strangers' }).waitFor()
    expect(await card.count()).toBe(0)
    expect(complaints).toEqual([])
    await page.context().close()
  })

  test('that is declined is gone', async () => {
    const made = await world.as('outsider', 'create_campaign', { name: 'Another strange table' })
    await world.as('outsider', 'add_member', { campaignId: made.id, username: 'player', role: 'viewer' })
    const { page } = await campaignsOf(desk)
    const card = page.getByRole('region', { name: 'Invitations' })
    await card.getByText('Another strange table').waitFor()
    await card.getByRole('button', { name: 'Decline' }).click()
    await expect.poll(() => card.count()).toBe(0)
    expect((await world.as('outsider', 'list_members', { campaignId: made.id })).items).toHaveLength(1)
    await page.context().close()
  })
})
