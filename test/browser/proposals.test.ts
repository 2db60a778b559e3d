import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { TestWorld } from '../support/world.ts'
import { startWorld } from '../support/world-file.ts'
import { findChromium, launchChromium, newPage } from './chromium.ts'
import { cookieOf } from './shared-app.ts'

// A proposal of fifty changes is decided on a phone: what it comes to at a glance, all of it or without some.

const chromium = findChromium()
let browser: Browser
let world: TestWorld
let base: string
beforeAll(async () => {
  if (chromium === null) return
  world = await startWorld()
  base = await world.server.app.listen()
  browser = await launchChromium(chromium)
})
afterAll(async () => {
  await browser?.close()
  await world?.server.stop()
})

test.skipIf(chromium === null)('fifty changes are read by thing, and taken without one of them', async () => {
  const campaignId = world.id('campaign')
  const people = Array.from({ length: 48 }, (_, n) => ({
    operation: 'create_npc',
    input: { name: `Reed ${n + 1}`, locationId: { $of: 'mill' } },
  }))
  const changes = [
    { operation: 'set_npc_disposition', input: { npcId: world.id('npc'), disposition: 'hostile' } },
    { operation: 'create_location', input: { name: 'The old mill' }, as: 'mill' },
    ...people,
  ]
  const token = world.token('dm', { writeMode: 'propose' })
  const filed = await token.post(`/api/v1/campaigns/${campaignId}/proposals`, { changes })
  expect(filed.status, filed.text).toBe(201)
  const { page } = await newPage(browser, { width: 360, height: 780 })
  await page.context().addCookies([cookieOf(world, 'dm', base)])
  await page.goto(`${base}/campaigns/${campaignId}/inbox`)
  await page.getByText('1 changed person, 1 new place, and 48 new people').waitFor()
  await page.getByRole('link', { name: 'Read them' }).click()
  await page.getByText('New people, 48').waitFor()
  expect(await page.locator('.proposed del, .proposed ins').first().isVisible()).toBe(true)
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(360)
  await page.getByRole('button', { name: 'Leave some out' }).click()
  await page.getByRole('checkbox', { name: 'Take Reed 7', exact: true }).uncheck()
  await page.getByRole('button', { name: 'Take the other 49' }).click()
  await expect
    .poll(() => world.row('proposals', filed.body.id))
    .toMatchObject({ status: 'rejected', decision_note: 'Taken without Reed 7.' })
  const store = world.server.app.store()
  expect(store.get("SELECT count(*) AS n FROM npcs WHERE name LIKE 'Reed %'")).toEqual({ n: 47 })
  expect(world.row('npcs', world.id('npc'))?.disposition).toBe('hostile')
})
