import { AxeBuilder } from '@axe-core/playwright'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import type { Person, TestWorld } from '../support/world.ts'
import { startWorld, type WorldOptions } from '../support/world-file.ts'
import { desk, findChromium, launchChromium, newPage } from './chromium.ts'

// What the tests of pages have in common: one world, one browser, somebody who opens a page, and what may be wrong with it.

export interface Opened {
  readonly page: Page
  /** What the page said in its console. */
  readonly complaints: readonly string[]
}

export interface OpenOptions {
  readonly viewport?: { readonly width: number; readonly height: number }
  readonly colorScheme?: 'dark' | 'light'
  /** The page's clock stands where the server's does. */
  readonly sameTime?: boolean
  /** What the browser says its reader speaks. */
  readonly locale?: string
}

export interface SharedApp {
  /** Whether there is no browser on this machine: the tests of the file are skipped. */
  readonly missing: boolean
  /** These inside tests and hooks only. */
  readonly world: TestWorld
  readonly browser: Browser
  readonly base: string
  /** The address of a page of the main campaign: `/quests`. */
  inCampaign(path: string): string
  /** Opens an address in a browser of its own, signed in as somebody, and waits for its heading. Closed after the test. */
  open(person: Person, address: string, options?: OpenOptions): Promise<Opened>
}

/** One world and one browser for the tests of a file. */
export function shareApp(options: WorldOptions = {}): SharedApp {
  const chromium = findChromium()
  const missing = chromium === null
  const contexts: BrowserContext[] = []
  let world: TestWorld
  let browser: Browser
  let base: string

  beforeAll(async () => {
    if (chromium === null) return
    world = await startWorld(options)
    base = await world.server.app.listen()
    browser = await launchChromium(chromium)
  })
  afterEach(async () => {
    for (const context of contexts.splice(0)) await context.close()
  })
  afterAll(async () => {
    if (chromium === null) return
    await browser.close()
    await world.server.stop()
  })

  return {
    missing,
    get world() {
      return world
    },
    get browser() {
      return browser
    },
    get base() {
      return base
    },
    inCampaign: (path) => `/campaigns/${world.id('campaign')}${path}`,
    async open(person, address, { viewport = desk, colorScheme, sameTime = false, locale } = {}) {
      const { page, complaints } = await newPage(browser, viewport, locale)
      contexts.push(page.context())
      if (colorScheme !== undefined) await page.emulateMedia({ colorScheme })
      if (sameTime) await page.clock.setFixedTime(world.server.clock())
      await page.context().addCookies([cookieOf(world, person, base)])
      await page.goto(base + address)
      await page.locator('h1').first().waitFor()
      return { page, complaints }
    },
  }
}

/** The cookie with which somebody is signed in. */
export function cookieOf(world: TestWorld, person: Person, url: string): { name: string; value: string; url: string } {
  const [name = '', value = ''] = (world.session(person).headers.cookie ?? '').split('=')
  return { name, value, url }
}

/** What axe finds on a page that matters; `rules` looks for these alone. */
export async function complaintsOf(page: Page, rules: readonly string[] = []): Promise<readonly string[]> {
  // In the page itself: there are no frames, and the other way opens a page of its own for each look.
  const builder = new AxeBuilder({ page }).setLegacyMode()
  const { violations } = await (rules.length > 0 ? builder.withRules([...rules]) : builder).analyze()
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 160)).join(' | ')}`)
}

/** By how many pixels a page is wider than its window. */
export function sideways(page: Page): Promise<number> {
  return page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement
    return scrollWidth - clientWidth
  })
}

/** What is there to type or choose in and cannot be read: beyond the window's edge, or narrower than two digits. */
export function squeezed(page: Page): Promise<readonly string[]> {
  return page.evaluate(() =>
    [...document.querySelectorAll('main :is(input:not([type=checkbox], [type=radio], [type=file]), select, textarea)')]
      .filter((each) => {
        const { width, height, left, right } = each.getBoundingClientRect()
        const scrolls = each.closest('.segmented, table, [style*="overflow"], .visually-hidden') !== null
        return width > 1 && height > 1 && !scrolls && (width < 44 || left < 0 || right > innerWidth)
      })
      .map((each) => `squeezed: ${each.outerHTML.slice(0, 120)}`),
  )
}

/** Nothing that matters is wrong with a page, and it is no wider than its window. */
export async function isSound(page: Page): Promise<void> {
  expect([await complaintsOf(page), await sideways(page)], page.url()).toEqual([[], 0])
}

/** What the focused element is called: by its label, or by what stands in it. */
export function focused(page: Page): Promise<string> {
  return page.evaluate(() => {
    const now = document.activeElement as HTMLElement | null
    const named = now?.id ? document.querySelector(`label[for="${now.id}"]`) : null
    const label = (named ?? now?.closest('label'))?.textContent
    return (now?.getAttribute('aria-label') ?? (label || now?.textContent || '')).trim()
  })
}

/** Presses Tab until something of this name has the focus. */
export async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let step = 0; step < 250; step++) {
    await page.keyboard.press('Tab')
    if (name.test(await focused(page))) return
  }
  throw new Error(`Tab does not come to ${name}; it ended at ${await focused(page)}`)
}

/** Waits until a page hears what changes: an event that was sent before is none of its. */
export async function listening(world: TestWorld, page: Page): Promise<void> {
  await expect.poll(() => world.server.app.hub.count()).toBeGreaterThan(0)
  await page.waitForTimeout(300)
}

/** A Dungeon Master's page is read through the eyes of a player. */
export async function lookAs(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'View as a player' }).filter({ visible: true }).click()
  await page
    .getByRole('dialog')
    .getByRole('button', { name: `${name} Player`, exact: true })
    .click()
  await page.getByText(`You see what ${name} sees.`).waitFor()
}
