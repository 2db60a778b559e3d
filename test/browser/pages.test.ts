import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { long, walkLimitMs } from '../support/long.ts'
import type { Person } from '../support/world.ts'
import { desk, newPage, phone } from './chromium.ts'
import { buttonsOn, openedOn, openPage, pagesOf } from './every-page.ts'
import { inLanes } from './lanes.ts'
import { complaintsOf, cookieOf, shareApp, sideways, squeezed } from './shared-app.ts'

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

/** What is wrong with what a page shows: all of it in one theme, its colours in the others, at each of these widths. */
async function problemsOf(page: Page, theme: Theme, others: readonly Theme[], at: readonly Width[]): Promise<string[]> {
  const found: string[] = []
  for (const width of at) {
    const size = page.viewportSize()
    if (size?.width !== widths[width].width) await page.setViewportSize(widths[width])
    await wear(page, theme)
    const seen = (await sideways(page)) > 0 ? ['wider than the screen'] : []
    seen.push(...(await squeezed(page)), ...(await complaintsOf(page)))
    // A theme changes colours and nothing else, so that only those are looked at again.
    for (const other of others) {
      await wear(page, other)
      seen.push(...(await complaintsOf(page, ['color-contrast'])).map((problem) => `${other}: ${problem}`))
    }
    if (others.length > 0) await wear(page, theme)
    found.push(...seen.map((problem) => `${width}: ${problem}`))
  }
  if (at.length > 1) await page.setViewportSize(widths[at[0] as Width])
  return found
}

/** Presses every button of a page that `known` has not met, as the page stands when it is opened, and looks at what opens. */
async function problemsBehind(
  page: Page,
  person: Person,
  address: string,
  known: Set<string>,
  look: () => Promise<readonly string[]>,
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
  const standing = async () => JSON.stringify([page.url(), await formsOn(), await buttonsOn(page)])
  const press = async (role: 'button' | 'menuitem', name: string) => {
    const one = page.getByRole(role, { name, exact: true }).filter({ visible: true }).first()
    if ((await one.count()) > 0) await one.evaluate((each) => (each as HTMLElement).click())
    await page.waitForTimeout(150)
  }
  await open()
  const names = await buttonsOn(page)
  const [forms, before] = [await formsOn(), await standing()]
  /** Looks at the dialog, the menu or the form in place that a press has opened. */
  const lookAt = async (name: string) => {
    if ((await openedOn(page).count()) === 0 && (await formsOn()) === forms) return
    found.push(...(await look()).map((problem) => `${address}, ${name}: ${problem}`))
  }
  /** What only opened is closed with Escape; a page that a press has changed otherwise is opened anew. */
  const back = async () => {
    for (let layers = await openedOn(page).count(); layers > 0; layers--) await page.keyboard.press('Escape')
    if ((await openedOn(page).count()) > 0 || (await standing()) !== before) await open()
  }
  for (const name of names) {
    if (known.has(`${kind} ${name}`)) continue
    known.add(`${kind} ${name}`)
    await press('button', name)
    await lookAt(name)
    for (const entry of await page.getByRole('menuitem').filter({ visible: true }).allTextContents()) {
      await back()
      await press('button', name)
      await press('menuitem', entry)
      await lookAt(`${name}, ${entry}`)
    }
    await back()
  }
  return found
}

/** What is found at each of the addresses, by as many browsers' pages as there are lanes; in the order of the addresses. */
async function foundAt(
  role: keyof typeof inCi,
  addresses: readonly string[],
  look: (page: Page, address: string, index: number) => Promise<readonly string[]>,
): Promise<readonly string[]> {
  const found: (readonly string[])[] = addresses.map(() => [])
  const said: string[] = []
  await inLanes(
    addresses,
    {
      open: () => signedIn(role, inCi[role].width),
      async close({ page, complaints }) {
        said.push(...complaints)
        await page.context().close()
      },
    },
    async ({ page }, address, index) => {
      // What goes wrong with one page keeps nobody from the others.
      found[index] = await look(page, address, index).catch((error) => [`${address}: ${error}`])
    },
  )
  return [...found.flat(), ...said]
}

describe.skipIf(app.missing)('pages', () => {
  for (const role of ['dm', 'player', 'viewer', 'admin'] as const) {
    const { theme, width } = inCi[role]
    const others = themes.filter((each) => each !== theme)
    const at: readonly Width[] = long ? [width, width === 'phone' ? 'desk' : 'phone'] : [width]

    test(`of ${role}`, { timeout: walkLimitMs }, async () => {
      const problems = await foundAt(role, pagesOf(app, role), async (page, address, index) => {
        // In CI the other two take turns on every fifth page, and nobody but the Dungeon Master wears them.
        const also = long ? others : role === 'dm' && index % 5 === 0 ? [others[(index / 5) % 2] as Theme] : []
        await openPage(page, app.base + address)
        return (await problemsOf(page, theme, also, at)).map((problem) => `${address}: ${problem}`)
      })
      expect(problems).toEqual([])
    })

    test.skipIf(!long && role !== 'dm')(
      `of ${role}: dialogs and menus${long ? '' : ' of some'}`,
      { timeout: walkLimitMs },
      async () => {
        const some = [`/people/${app.world.id('npc')}`, '/members'].map(app.inCampaign)
        const known = new Set<string>()
        let looked = 0
        const problems = await foundAt(role, long ? pagesOf(app, role) : some, (page, address) =>
          problemsBehind(page, role, address, known, async () => {
            looked++
            return problemsOf(page, theme, long ? others : [], at)
          }),
        )
        console.log(`${role}: ${known.size} buttons pressed, ${looked} dialogs, menus and forms looked at`)
        // What a press says in the console is its answer: a name that is taken, a file that is none.
        expect(problems.filter((each) => !each.startsWith('Failed to load resource'))).toEqual([])
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
