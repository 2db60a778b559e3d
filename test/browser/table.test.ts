import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Person, TestWorld } from '../support/world.ts'
import { startWorld } from '../support/world-file.ts'
import { desk, findChromium, launchChromium, newPage, phone } from './chromium.ts'
import { complaintsOf, cookieOf, listening } from './shared-app.ts'

// The table as people use it: what they promised, how anybody stops it, what they are told, a chapter for who does not play.
const chromium = findChromium()

let world: TestWorld
let browser: Browser
let base: string
const opened: BrowserContext[] = []

beforeAll(async () => {
  if (chromium !== null) browser = await launchChromium(chromium)
})
beforeEach(async () => {
  if (chromium === null) return
  world = await startWorld()
  base = await world.server.app.listen()
})
afterEach(async () => {
  for (const context of opened.splice(0)) await context.close()
  await world?.server.stop()
})
afterAll(() => browser?.close())

/** A browser of its own, signed in as somebody, whose clock stands where the server's does. */
async function at(person: Person, path: string, viewport = phone): Promise<Page> {
  const { page } = await newPage(browser, viewport)
  opened.push(page.context())
  await page.clock.setFixedTime(world.server.clock())
  await page.context().addCookies([cookieOf(world, person, base)])
  await page.goto(`${base}/campaigns/${world.id('campaign')}${path}`)
  await page.locator('h1').first().waitFor()
  return page
}

/** Nothing is wider than the window. */
const sideways = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)

const xCard = (page: Page) => page.getByRole('button', { name: /^X-card/ })

describe.skipIf(chromium === null)('anybody at the table', () => {
  test('stops it in two taps from a page, every screen says so, and a Dungeon Master lets it go on', async () => {
    const [player, other, dm] = [
      await at('player', '/quests'),
      await at('otherPlayer', ''),
      await at('dm', '/people', desk),
    ]
    for (const page of [player, other, dm]) await listening(world, page)
    await xCard(player).click()
    const card = player.getByRole('dialog', { name: 'X-card' })
    expect(await complaintsOf(player)).toEqual([])
    expect(await card.locator('input, textarea, select').count()).toBe(0)
    await card.getByRole('button', { name: 'Touch the card' }).click()
    for (const page of [player, other]) {
      const still = page.getByRole('dialog', { name: 'The table is still' })
      await still.getByText('All screens say the same').waitFor()
    }
    expect(await complaintsOf(other)).toEqual([])
    await dm.getByText('Somebody asked to leave this scene.').waitFor()
    expect(await dm.locator('.banner.still').textContent()).not.toMatch(/player/i)
    await other.getByRole('button', { name: 'Alright' }).click()
    await other.getByText('It goes on when your Dungeon Master says so.').waitFor()
    await dm.getByRole('button', { name: 'Go on, elsewhere' }).click()
    for (const page of [player, other, dm]) await page.locator('.banner.still').waitFor({ state: 'detached' })
    expect(await player.getByRole('dialog', { name: 'The table is still' }).count()).toBe(0)
  })

  test('asks for a pause by the keyboard alone', async () => {
    const player = await at('player', '', desk)
    await xCard(player).focus()
    await player.keyboard.press('Enter')
    await player.getByRole('dialog', { name: 'X-card' }).waitFor()
    await player.keyboard.press('Escape')
    await player.getByRole('dialog', { name: 'X-card' }).waitFor({ state: 'detached' })
    await player.keyboard.press('Enter')
    await player.getByRole('button', { name: 'Only a pause' }).focus()
    await player.keyboard.press('Enter')
    await player.getByRole('dialog', { name: 'The table is still' }).waitFor()
    await player.keyboard.press('Escape')
    await player.getByText('The table is still.').waitFor()
  })
})

describe.skipIf(chromium === null)('the charter', () => {
  test('is changed by the Dungeon Master, read again by a player, and keeps its versions', async () => {
    const [player, dm] = [await at('player', '/charter'), await at('dm', '/charter', desk)]
    for (const page of [player, dm]) await listening(world, page)
    expect([await sideways(player), await complaintsOf(player)]).toEqual([0, []])
    await player.getByRole('button', { name: 'I have read this' }).click()
    await dm
      .locator('.signed li', { hasText: /^(?!.*other).*player/ })
      .locator('.word.ok')
      .waitFor()
    await dm.getByRole('button', { name: 'Change the charter' }).click()
    await dm.getByLabel('Lines').fill('Harm to animals at length\nDrowning')
    await dm.getByRole('button', { name: 'Keep it' }).click()
    await dm.locator('.vow-lines li', { hasText: 'Drowning' }).waitFor()
    await player.locator('.vow-lines li', { hasText: 'Drowning' }).waitFor()
    await player.getByText('It has changed since you read it.').waitFor()
    await dm.getByRole('button', { name: 'Written' }).click()
    await dm.getByRole('dialog').locator('ins', { hasText: 'Drowning' }).waitFor()
    await dm.keyboard.press('Escape')
    expect([await sideways(dm), await complaintsOf(dm)]).toEqual([0, []])
  })

  test('holds what helps a player, shared when they say so', async () => {
    const [player, dm] = [await at('otherPlayer', '/charter'), await at('dm', '/charter', desk)]
    await listening(world, dm)
    await player.getByLabel('In your words').fill('A break at nine.')
    await player.getByRole('button', { name: 'Keep it' }).click()
    await player.locator('.wish').getByText('Saved').waitFor()
    expect(await dm.getByText('A break at nine.').count()).toBe(0)
    await player.getByRole('switch', { name: 'The Dungeon Master may read this' }).click()
    await player.getByRole('button', { name: 'Keep it' }).click()
    await dm.getByText('“A break at nine.”').waitFor()
    await player.getByRole('button', { name: 'Remove it' }).click()
    await dm.getByText('“A break at nine.”').waitFor({ state: 'detached' })
  })
})

describe.skipIf(chromium === null)('notices', () => {
  test('are counted at the bell, read in a list, and seen all at once', async () => {
    await world.as('player', 'mark_notifications_read', { all: true })
    const player = await at('player', '')
    await listening(world, player)
    const bell = player.getByRole('link', { name: /^Notices/ })
    expect(await bell.getAttribute('aria-label')).toBe('Notices')
    const whisper = { recipientUserId: world.id('user', 'player'), body: 'I saw you take the coin.' }
    await world.as('otherPlayer', 'send_whisper', { campaignId: world.id('campaign'), ...whisper })
    await world.as('dm', 'create_game_night', { campaignId: world.id('campaign'), startsAt: '2026-12-11T19:00' })
    await player.getByRole('link', { name: 'Notices, 2 new' }).click()
    await player.getByText('otherPlayer whispered to you').waitFor()
    expect([await sideways(player), await complaintsOf(player)]).toEqual([0, []])
    await player
      .getByRole('link', { name: /A night is planned/ })
      .first()
      .click()
    await player.getByRole('heading', { level: 1 }).waitFor()
    await player.goBack()
    await player.getByRole('link', { name: 'Notices, 1 new' }).waitFor()
    await player.getByRole('button', { name: 'I have seen them all' }).click()
    await expect.poll(() => bell.getAttribute('aria-label')).toBe('Notices')
  })
})

describe.skipIf(chromium === null)('a shared chapter', () => {
  test('is made, opened by somebody without an account and without scripts, and ended', async () => {
    const dm = await at('dm', `/sessions/${world.id('session')}/recap`, desk)
    await dm.getByRole('button', { name: 'Share this chapter' }).click()
    await dm.getByLabel('For whom').fill('For Jonas’ mother')
    await dm.getByRole('button', { name: 'Make an address' }).click()
    const address = (await dm.locator('dialog code').textContent()) ?? ''
    await dm.getByRole('img', { name: /for a camera/ }).waitFor()
    expect(await complaintsOf(dm)).toEqual([])

    const stranger = await browser.newContext({ javaScriptEnabled: false, viewport: phone, colorScheme: 'light' })
    opened.push(stranger)
    const page = await stranger.newPage()
    await page.goto(`${base}${new URL(address).pathname}`)
    await page.getByRole('heading', { level: 1, name: 'The wall' }).waitFor()
    await page.getByText('They climbed the wall and met the clerk.').waitFor()
    const ground = await page.locator('body').evaluate((body) => getComputedStyle(body).backgroundColor)
    expect(ground).not.toBe('rgb(20, 19, 15)')

    const row = dm.locator('dialog .row', { hasText: 'For Jonas’ mother' })
    await row.getByRole('button', { name: 'End it' }).click()
    await dm.getByRole('dialog', { name: 'End this address?' }).getByRole('button', { name: 'End it' }).click()
    await row.waitFor({ state: 'detached' })
    await page.reload()
    await page.getByRole('heading', { level: 1, name: 'This page is closed' }).waitFor()
  })
})
