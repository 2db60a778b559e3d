import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { long, walkLimitMs } from '../support/long.ts'
import type { Person } from '../support/world.ts'
import { desk, newPage, phone } from './chromium.ts'
import { buttonsOn, openedOn, openPage, pagesOf } from './every-page.ts'
import { complaintsOf, cookieOf, shareApp, sideways } from './shared-app.ts'

// Every page, as three roles and as the keeper of the server, in three themes and two widths: no accessibility complaint that matters, nothing wider than
// the screen, nothing in the console. In CI each role looks once, in a theme and at a width of its own; the Dungeon Master's
// colours in one more.

const app = shareApp()
const widths = { phone, desk } as const
type Width = keyof typeof widths
const themes = ['ink', 'vellum', 'contrast'] as const
type Theme = (typeof themes)[number]

const inCi: Readonly<Record<'dm' | 'player' | 'viewer' | 'admin', { readonly width: Width; readonly theme: Theme }>> = {
  dm: { width: 'phone', theme: 'ink' },
  player: { width: 'desk', theme: 'vellum' },
  viewer: { width: 'phone', theme: 'contrast' },
  admin: { width: 'desk', theme: 'ink' },
}

async function signedIn(person: Person, width: Width): Promise<{ page: Page; complaints: string[] }> {
  const opened = await newPage(app.browser, widths[width])
  await opened.page.context().addCookies([cookieOf(app.world, person, app.base)])
  return opened
}

const wear = (page: Page, theme: Theme) =>
  page.evaluate((name) => {
    document.documentElement.dataset.theme = name
  }, theme)

/** What is wrong with a page: all of it in one theme, its colours in the others. */
async function problemsOf(page: Page, theme: Theme, others: readonly Theme[]): Promise<readonly string[]> {
  const found: string[] = []
  await wear(page, theme)
  if ((await sideways(page)) > 0) found.push('wider than the screen')
  found.push(...(await complaintsOf(page)))
  // A theme changes colours and nothing else, so that only those are looked at again.
  for (const other of others) {
    await wear(page, other)
    found.push(...(await complaintsOf(page, ['color-contrast'])).map((problem) => `${other}: ${problem}`))
  }
  return found
}

/** Presses every button of a page that `known` has not met, each on a page that was opened anew, and looks at what opens. */
async function problemsBehind(
  page: Page,
  person: Person,
  address: string,
  known: Set<string>,
  theme: Theme,
): Promise<readonly string[]> {
  const found: string[] = []
  const open = async () => {
    await openPage(page, app.base + address)
    if (new URL(page.url()).pathname !== '/login') return
    // A press was to sign out.
    await page.context().addCookies([cookieOf(app.world, person, app.base)])
    await openPage(page, app.base + address)
  }
  const kind = address.replace(/\d+/g, 'N')
  const formsOn = () => page.locator('main form').filter({ visible: true }).count()
  let forms = 0
  /** Looks at the dialog, the menu or the form in place that a press has opened. */
  const look = async (name: string) => {
    if ((await openedOn(page).count()) === 0 && (await formsOn()) === forms) return
    await wear(page, theme)
    found.push(...(await complaintsOf(page)).map((problem) => `${address}, ${name}: ${problem}`))
    if ((await sideways(page)) > 0) found.push(`${address}, ${name}: wider than the screen`)
  }
  const press = async (role: 'button' | 'menuitem', name: string) => {
    const one = page.getByRole(role, { name, exact: true }).filter({ visible: true }).first()
    if ((await one.count()) > 0) await one.evaluate((each) => (each as HTMLElement).click())
    await page.waitForTimeout(150)
  }
  await open()
  for (const name of await buttonsOn(page)) {
    if (known.has(`${kind} ${name}`)) continue
    known.add(`${kind} ${name}`)
    await open()
    forms = await formsOn()
    await press('button', name)
    await look(name)
    for (const entry of await page.getByRole('menuitem').filter({ visible: true }).allTextContents()) {
      await open()
      await press('button', name)
      await press('menuitem', entry)
      await look(`${name}, ${entry}`)
    }
  }
  return found
}

describe.skipIf(app.missing)('pages', () => {
  for (const role of ['dm', 'player', 'viewer', 'admin'] as const) {
    for (const width of ['phone', 'desk'] as const) {
      const isOwn = inCi[role].width === width
      test.skipIf(!long && !isOwn)(`${role} on a ${width}`, { timeout: walkLimitMs }, async () => {
        const problems: string[] = []
        const { page, complaints } = await signedIn(role, width)
        const { theme } = inCi[role]
        const others = themes.filter((each) => each !== theme)
        for (const [index, address] of pagesOf(app, role).entries()) {
          // In CI the other two take turns on every fifth page, and nobody but the Dungeon Master wears them.
          const also = long ? others : role === 'dm' && index % 5 === 0 ? [others[(index / 5) % 2] as Theme] : []
          await openPage(page, app.base + address)
          problems.push(...(await problemsOf(page, theme, also)).map((problem) => `${address}: ${problem}`))
        }
        problems.push(...complaints)
        await page.context().close()
        expect(problems).toEqual([])
      })
    }

    test.skipIf(!long && role !== 'dm')(
      `${role}: dialogs and menus${long ? '' : ' of some pages'}`,
      { timeout: walkLimitMs },
      async () => {
        const problems: string[] = []
        const { theme, width } = inCi[role]
        const { page } = await signedIn(role, width)
        const some = [`/people/${app.world.id('npc')}`, '/members'].map(app.inCampaign)
        const known = new Set<string>()
        // What goes wrong with one page keeps nobody from the others.
        for (const address of long ? pagesOf(app, role) : some)
          problems.push(
            ...(await problemsBehind(page, role, address, known, theme).catch((error) => [`${address}: ${error}`])),
          )
        console.log(`${role}: ${known.size} buttons pressed`)
        await page.context().close()
        expect(problems).toEqual([])
      },
    )
  }

  test('an app that was let in is shut out from the account', { timeout: 600_000 }, async () => {
    const { page } = await signedIn('dm', 'phone')
    await page.goto(`${app.base}/account`)
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
    await page.goto(`${app.base}/account/connect`)
    const trial = page.getByRole('button', { name: 'Test the connection' })
    await trial.click()
    await page.getByText(`sends who is new to ${new URL(app.base).host} to sign in`).waitFor()
    await page.getByRole('button', { name: 'By a key' }).click()
    await page.getByText('Make the key first.').waitFor()
    await page.getByRole('button', { name: 'Make the key' }).click()
    await trial.click()
    // A key asks for changes unless somebody chooses otherwise: it is shown those of every day, and finds the rest.
    await page.getByText(/^1\d\d tools in \d\d kB, \d+ ms\. It sees The Orchard in Winter/).waitFor()
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
      const { page, complaints } = await newPage(app.browser, widths[width])
      for (const address of ['/login', `/join#${app.world.text('invite')}`, '/setup']) {
        await page.goto(app.base + address)
        await page.locator('h1').first().waitFor()
        problems.push(...(await complaintsOf(page)).map((problem) => `${address}: ${problem}`))
      }
      problems.push(...complaints)
      await page.context().close()
    }
    expect(problems).toEqual([])
  })
})
