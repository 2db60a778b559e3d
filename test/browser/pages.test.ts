import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { long } from '../support/long.ts'
import type { TestServer } from '../support/server.ts'
import type { Person, TestWorld } from '../support/world.ts'
import { startWorld } from '../support/world-file.ts'
import { desk, findChromium, launchChromium, newPage, phone } from './chromium.ts'
import { complaintsOf } from './shared-app.ts'

// Every page, as three roles, in three themes and two widths: no accessibility complaint that matters, nothing wider than
// the screen, nothing in the console. The addresses are those of src/web/shell/links.ts.
const chromium = findChromium()
const widths = { phone, desk } as const

let server: TestServer
let world: TestWorld
let browser: Browser
let base: string

beforeAll(async () => {
  if (chromium === null) return
  world = await startWorld()
  server = world.server
  base = await server.app.listen()
  browser = await launchChromium(chromium)
})

afterAll(async () => {
  if (chromium === null) return
  await browser.close()
  await server.stop()
})

function pagesOf(role: Person): readonly string[] {
  const campaign = `/campaigns/${world.id('campaign')}`
  const inside = [
    '',
    '/more',
    '/quests',
    `/quests/${world.id('quest')}`,
    '/people',
    `/people/${world.id('npc')}`,
    '/places',
    `/places/${world.id('location')}`,
    '/timeline',
    `/timeline/${world.id('timeline_event')}`,
    '/relations',
    `/relations?around=npc-${world.id('npc')}`,
    '/sessions',
    `/sessions/${world.id('session')}`,
    '/notes',
    '/nights',
    `/nights/${world.id('game_night', 'cancelled')}`,
    '/members',
    '/charter',
    '/notices',
    '/search?q=orchard',
  ].map((page) => campaign + page)
  const shared = ['/campaigns', '/campaigns/notices', '/account', '/account/connect', ...inside]
  if (role === 'viewer') return shared
  const writing = [`${campaign}/inbox`, `${campaign}/people/new`, `${campaign}/quests/${world.id('quest')}/edit`]
  if (role === 'player') return [...shared, ...writing]
  return [
    ...shared,
    ...writing,
    ...[
      '/story',
      '/settings',
      '/history',
      '/trash',
      '/sessions/new',
      '/places/new',
      '/timeline/new',
      '/nights/new',
    ].map((page) => campaign + page),
  ]
}

async function signedIn(person: Person, width: keyof typeof widths): Promise<{ page: Page; complaints: string[] }> {
  const opened = await newPage(browser, widths[width])
  const cookie = world.session(person).headers.cookie as string
  const [name, value] = cookie.split('=') as [string, string]
  await opened.page.context().addCookies([{ name, value, url: base }])
  return opened
}

/**
 * A theme changes colours and nothing else, so that only those are looked at again; the DM and the keeper see every page,
 * and a colour has no width.
 */
async function inOtherThemes(page: Page, role: Person, width: keyof typeof widths): Promise<readonly string[]> {
  const found: string[] = []
  if (!long && (width !== 'phone' || (role !== 'dm' && role !== 'admin'))) return found
  for (const theme of ['vellum', 'contrast']) {
    await page.evaluate((name) => {
      document.documentElement.dataset.theme = name
    }, theme)
    found.push(...(await complaintsOf(page, ['color-contrast'])).map((problem) => `${theme}: ${problem}`))
  }
  return found
}

describe.skipIf(chromium === null)('pages', () => {
  for (const role of ['dm', 'player', 'viewer'] as const) {
    for (const width of ['phone', 'desk'] as const) {
      // Players and viewers see fewer parts of the pages that the DM sees at both widths.
      const other = role === 'player' ? 'desk' : role === 'viewer' ? 'phone' : null
      test.skipIf(!long && width === other)(`${role} on a ${width}`, { timeout: 1_200_000 }, async () => {
        const problems: string[] = []
        const { page, complaints } = await signedIn(role, width)
        for (const address of pagesOf(role)) {
          await page.goto(base + address)
          await page.locator('h1').first().waitFor()
          // What the page asks for arrives; the live stream stays open, so that the network is never idle.
          await page.waitForTimeout(250)
          const wide = await page.evaluate(
            () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
          )
          if (wide) problems.push(`${address}: wider than the screen`)
          problems.push(
            ...[...(await complaintsOf(page)), ...(await inOtherThemes(page, role, width))].map(
              (problem) => `${address}: ${problem}`,
            ),
          )
        }
        problems.push(...complaints)
        await page.context().close()
        expect(problems).toEqual([])
      })
    }
  }

  test('the server, for its keeper', { timeout: 600_000 }, async () => {
    const problems: string[] = []
    for (const width of ['phone', 'desk'] as const) {
      const { page, complaints } = await signedIn('admin', width)
      const shown = { '/admin/apps': 'Answers to', '/admin/appliance': 'The house rules', '/account': 'Connected apps' }
      for (const [address, text] of Object.entries(shown)) {
        await page.goto(base + address)
        await page.getByText(text).first().waitFor()
        await page.waitForTimeout(250)
        const wide = await page.evaluate(
          () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
        )
        if (wide) problems.push(`${address}: wider than the screen`)
        problems.push(
          ...[...(await complaintsOf(page)), ...(await inOtherThemes(page, 'admin', width))].map(
            (problem) => `${address}: ${problem}`,
          ),
        )
      }
      problems.push(...complaints)
      await page.context().close()
    }
    expect(problems).toEqual([])
  })

  test('an app that was let in is shut out from the account', { timeout: 600_000 }, async () => {
    const { page } = await signedIn('dm', 'phone')
    await page.goto(`${base}/account`)
    const apps = page.locator('section').filter({ has: page.getByRole('heading', { name: 'Connected apps' }) })
    await apps.getByText('Answers to').first().waitFor()
    const before = await apps.getByRole('button', { name: 'Take back' }).count()
    await apps.getByRole('button', { name: 'Take back' }).first().click()
    await page.getByRole('dialog').getByRole('button', { name: 'Not now' }).click()
    expect(await apps.getByRole('button', { name: 'Take back' }).count()).toBe(before)
    await apps.getByRole('button', { name: 'Take back' }).first().click()
    await page.getByRole('dialog').getByRole('button', { name: 'Shut it out' }).click()
    await page.getByText('is shut out.').waitFor()
    await expect.poll(() => apps.getByRole('button', { name: 'Take back' }).count()).toBe(before - 1)
    await page.context().close()
  })

  test('who connects an assistant tries the connection on the page, with a key and without', {
    timeout: 600_000,
  }, async () => {
    const { page, complaints } = await signedIn('dm', 'phone')
    page.setDefaultTimeout(60_000)
    await page.goto(`${base}/account/connect`)
    const trial = page.getByRole('button', { name: 'Test the connection' })
    await trial.click()
    await page.getByText(`sends who is new to ${new URL(base).host} to sign in`).waitFor()
    await page.getByRole('button', { name: 'By a key' }).click()
    await page.getByText('Make the key first.').waitFor()
    await page.getByRole('button', { name: 'Make the key' }).click()
    await trial.click()
    await page.getByText(/^2\d\d tools in 1\d\d kB, \d+ ms\. It sees The Orchard in Winter/).waitFor()
    for (const [listing, found] of [
      ['For a player', /^3\d tools in /],
      ['Three that find the rest', /^3 tools in .* It sees The Orchard in Winter/],
    ] as const) {
      await page.getByRole('button', { name: listing }).click()
      expect(await page.getByText(/ tools in /).count()).toBe(0)
      await trial.click()
      await page.getByText(found).waitFor()
    }
    // The internet leads to no server of this kind: it says so and shows what does.
    await page.getByRole('button', { name: 'Claude or ChatGPT online' }).click()
    await page.getByText('They come from the internet, by https').waitFor()
    expect(complaints.filter((each) => !each.includes('401'))).toEqual([])
    await page.context().close()
  })

  test('the doors: sign in, join, set-up', { timeout: 600_000 }, async () => {
    const problems: string[] = []
    for (const width of ['phone', 'desk'] as const) {
      const { page, complaints } = await newPage(browser, widths[width])
      for (const address of ['/login', `/join#${world.text('invite')}`, '/setup']) {
        await page.goto(base + address)
        await page.locator('h1').first().waitFor()
        problems.push(...(await complaintsOf(page)).map((problem) => `${address}: ${problem}`))
      }
      problems.push(...complaints)
      await page.context().close()
    }
    expect(problems).toEqual([])
  })
})
