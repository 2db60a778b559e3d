import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pngFile } from '../support/matrix.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { desk, findChromium, launchChromium, newPage, phone } from './chromium.ts'

// Somebody who has never seen it, and no manual: from the first start to a campaign with a quest, a person with a face, a
// session that is planned, and a player who has come in with a phone.

const chromium = findChromium()
/** Presses and typings, of the Dungeon Master and of the player. */
const most = 40

let server: TestServer
let browser: Browser
let base: string

beforeAll(async () => {
  if (chromium === null) return
  server = await startServer()
  base = await server.app.listen()
  browser = await launchChromium(chromium)
})
afterAll(async () => {
  if (chromium === null) return
  await browser.close()
  await server.stop()
})

test.skipIf(chromium === null)(
  `a newcomer needs no manual, and at most ${most} presses and typings`,
  { timeout: 600_000 },
  async () => {
    const done: string[] = []
    const named = (what: Locator) =>
      what.evaluate((each) => (each.textContent || each.getAttribute('name') || '').trim())
    const press = async (what: Locator) => {
      await what.waitFor()
      done.push(`press “${(await named(what)).slice(0, 40)}”`)
      await what.click()
    }
    const type = async (what: Locator, text: string) => {
      await what.waitFor()
      done.push(`type “${text}”`)
      await what.fill(text)
    }
    const open = async (page: Page, address: string, word: string) => {
      done.push(word)
      await page.goto(base + address)
    }
    const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
    const link = (page: Page, name: string) =>
      page.getByRole('link', { name, exact: true }).filter({ visible: true }).first()
    const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name }).first().waitFor()

    const { page: dm, complaints } = await newPage(browser, desk)
    await open(dm, '/', 'double-click')
    await press(button(dm, 'Go on'))
    await type(dm.getByLabel('Your name'), 'ellen')
    await type(dm.getByLabel('Password', { exact: true }), 'a lantern in winter')
    for (const asked of [
      'Who keeps this server?',
      'Will players use phones here?',
      'Kept safe by itself',
      'Does an assistant help you?',
    ]) {
      await heading(dm, asked)
      await press(button(dm, 'Go on'))
    }
    await type(dm.getByLabel('Title'), 'The Orchard in Winter')
    await press(button(dm, 'Open the book'))
    await heading(dm, 'The Orchard in Winter')

    await press(link(dm, 'Write a quest'))
    await type(dm.getByLabel('Title'), 'The bell that rings by itself')
    await press(button(dm, 'Save'))
    await heading(dm, 'The bell that rings by itself')

    await press(link(dm, 'People'))
    await press(link(dm, 'New person'))
    await type(dm.getByLabel('Name', { exact: true }), 'Marta Quill')
    done.push('choose a picture')
    await dm
      .locator('input[type=file]')
      .setInputFiles({ name: 'marta.png', mimeType: 'image/png', buffer: Buffer.from(pngFile.bytes) })
    await dm.locator('.picture img').first().waitFor()
    await button(dm, 'Take it away').waitFor()
    await press(button(dm, 'Save'))
    await heading(dm, 'Marta Quill')

    await press(link(dm, 'Home'))
    await press(link(dm, 'Plan a session'))
    await type(dm.getByLabel('Day'), '2026-12-04')
    await press(button(dm, 'Save'))
    await heading(dm, /Session 1/)

    await press(link(dm, 'Members'))
    await press(button(dm, 'Invite somebody'))
    const made = dm.waitForResponse(
      (answer) => answer.url().endsWith('/invites') && answer.request().method() === 'POST',
    )
    await press(button(dm, 'Make the link'))
    await press(button(dm, 'Copy the link'))
    const { path: invitation } = (await (await made).json()) as { readonly path: string }

    const { page: player } = await newPage(browser, phone)
    await open(player, invitation, 'point a phone at the square')
    await type(player.getByLabel('What shall we call you?'), 'pell')
    await type(player.getByLabel('Choose a password'), 'seven pears in a row')
    await press(player.locator('form button[type=submit]'))
    await heading(player, 'The Orchard in Winter')

    console.log(`a newcomer: ${done.length} actions\n  ${done.join('\n  ')}`)
    expect(done.length).toBeLessThanOrEqual(most)
    expect(complaints).toEqual([])
    const members = dm.locator('.rows .row', { hasText: 'pell' })
    await members.first().waitFor()
  },
)
