import { AxeBuilder } from '@axe-core/playwright'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Person, TestWorld } from '../support/world.ts'
import { startWorld } from '../support/world-file.ts'
import { desk, findChromium, launchChromium, newPage, phone } from './chromium.ts'
import { lookAs } from './shared-app.ts'

// The timeline and the web of relations by the keyboard alone, on a desk and on a phone, and as players see them.

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

async function open(
  person: Person,
  viewport: typeof desk,
  address: string,
): Promise<{ page: Page; complaints: string[] }> {
  const opened = await newPage(browser, viewport)
  const [name, value] = (world.session(person).headers.cookie as string).split('=') as [string, string]
  await opened.page.context().addCookies([{ name, value, url: base }])
  await opened.page.goto(`${base}/campaigns/${world.id('campaign')}${address}`)
  await opened.page.locator('h1').first().waitFor()
  return opened
}

async function setDay(currentDate: string): Promise<void> {
  const campaignId = world.id('campaign')
  const { months, weekdays } = await world.as('dm', 'get_world_calendar', { campaignId })
  await world.as('dm', 'update_world_calendar', { campaignId, months, weekdays, currentDate })
}

/** Goes on by Tab until what has the focus is called so. */
async function tabTo(page: Page, name: RegExp): Promise<void> {
  for (let step = 0; step < 250; step++) {
    await page.keyboard.press('Tab')
    const label = await page.evaluate(() => {
      const now = document.activeElement as HTMLElement | null
      const labelled = now?.id ? document.querySelector(`label[for="${now.id}"]`)?.textContent : ''
      return now?.getAttribute('aria-label') ?? (labelled || now?.textContent || '')
    })
    if (name.test(label.trim())) return
  }
  throw new Error(`Tab does not come to ${name}`)
}

async function isSound(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze()
  const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  expect(grave.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`)).toEqual([])
  const wide = await page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth)
  expect(wide).toBe(false)
}

const widths = { desk, phone } as const

describe.skipIf(chromium === null)('the timeline', () => {
  for (const width of ['desk', 'phone'] as const) {
    test(`by keyboard on a ${width}`, { timeout: 600_000 }, async () => {
      await setDay('412-2-9')
      const { page, complaints } = await open('dm', widths[width], '/timeline')
      const today = page.getByRole('region', { name: 'Today in the world' })
      const day = async (): Promise<string> => (await today.locator('.big-day').innerText()).replace(/\s+/g, ' ')
      await today.waitFor()
      const before = await day()

      // It is told before it moves, and moves by the same button's neighbour.
      await tabTo(page, /^Three days$/)
      await page.keyboard.press('Enter')
      await page.getByText('you go by').waitFor()
      await page.locator('.ahead-report').getByText('The winter is pressed').waitFor()
      expect(await day()).toBe(before)
      await isSound(page)
      await tabTo(page, /^Move on to/)
      await page.keyboard.press('Enter')
      await expect.poll(day).not.toBe(before)
      await page.keyboard.press('.')
      await page.getByText('One day on.').waitFor()

      // Months turn by [ and ], days by arrows, and an event begins on the chosen day.
      const month = page.locator('.month-head h2')
      const name = await month.innerText()
      await page.keyboard.press(']')
      await expect.poll(() => month.innerText()).not.toBe(name)
      await page.keyboard.press('[')
      await expect.poll(() => month.innerText()).toBe(name)
      await tabTo(page, /^\d+ Rimefall.*today/)
      await page.keyboard.press('ArrowRight')
      await page.keyboard.press('ArrowRight')
      await page.keyboard.press('Enter')
      const chosen = await page.locator('.chosen-day h3').innerText()
      await page.keyboard.press('e')
      await tabTo(page, /^What happened/)
      await page.keyboard.type(`The ferry freezes on a ${width}`)
      await isSound(page)
      await tabTo(page, /^Save$/)
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: `The ferry freezes on a ${width}` }).waitFor()
      await page.getByText(chosen).first().waitFor()
      await page.context().close()
      expect(complaints).toEqual([])
    })
  }

  test('has its calendar changed in the same place, and says what was moved', { timeout: 600_000 }, async () => {
    const { page, complaints } = await open('dm', desk, '/timeline')
    await page.getByText('How this world counts').click()
    await isSound(page)
    await page.getByLabel('Days in Rimefall').fill('7')
    await page.getByRole('button', { name: 'Save the calendar' }).click()
    await page.getByText(/stood on (a day|days) that (is|are) gone/).waitFor()
    await page.getByText('Moved from').first().waitFor()
    await page.getByLabel('Days in Rimefall').fill('30')
    await page.getByRole('button', { name: 'Save the calendar' }).click()
    await page.getByText('Moved from').first().waitFor({ state: 'detached' })
    await page.context().close()
    expect(complaints).toEqual([])
  })

  test('as players see it has nothing blue and no tool of the DM', { timeout: 600_000 }, async () => {
    const { page } = await open('dm', desk, '/timeline')
    const secret = page.getByText('The winter is pressed')
    await secret.first().waitFor()
    await lookAs(page, 'player')
    await secret.first().waitFor({ state: 'detached' })
    expect(await page.getByText('One day', { exact: true }).count()).toBe(0)
    expect(await page.getByText('only you').count()).toBe(0)
    await isSound(page)
    await page.getByRole('button', { name: 'Stop', exact: true }).click()
    await secret.first().waitFor()
    await page.context().close()

    const { page: player } = await open('player', phone, '/timeline')
    await player.getByText('They climbed the wall').first().waitFor()
    expect(await player.getByText('The winter is pressed').count()).toBe(0)
    await player.context().close()
  })
})

describe.skipIf(chromium === null)('the web of relations', () => {
  const around = () => `/relations?around=npc-${world.id('npc')}`

  test('by keyboard on a desk: round, opened, changed, moved and into the middle', { timeout: 600_000 }, async () => {
    const { page, complaints } = await open('dm', desk, around())
    const focused = () => page.evaluate(() => document.activeElement?.textContent?.trim() ?? '')
    await page.getByRole('heading', { name: 'Around Marta Quill' }).waitFor()
    await tabTo(page, /^MMarta Quill$/)
    await page.keyboard.press('ArrowRight')
    expect(await focused()).toMatch(/The Pomary house$/)
    const place = () => page.evaluate(() => (document.activeElement as HTMLElement).style.getPropertyValue('--x'))
    const before = await place()
    await page.keyboard.press('Shift+ArrowRight')
    await expect.poll(place).not.toBe(before)
    await page.keyboard.press('Enter')
    const panel = page.getByRole('complementary', { name: 'The chosen bond' })
    await panel.getByRole('heading', { name: /Marta Quill and The Pomary house/ }).waitFor()
    await isSound(page)
    await tabTo(page, /^Marta, of The Pomary house$/)
    await page.keyboard.press('Control+A')
    await page.keyboard.type('reads its ledger')
    await page.keyboard.press('Enter')
    await page.locator('.bond', { hasText: 'reads its ledger' }).waitFor()
    await page.locator('.soul', { hasText: 'The Pomary house' }).focus()
    await page.keyboard.press('m')
    await page.getByRole('heading', { name: 'Around The Pomary house' }).waitFor()
    await page.context().close()
    expect(complaints).toEqual([])
  })

  test('binds by b, and a face is dragged', { timeout: 600_000 }, async () => {
    const { page, complaints } = await open('dm', desk, around())
    await page.getByRole('heading', { name: 'Around Marta Quill' }).waitFor()
    const face = page.locator('.soul', { hasText: 'The Cellarer' })
    const box = (await face.boundingBox()) ?? expect.fail('no face')
    await page.mouse.move(box.x + 60, box.y + 20)
    await page.mouse.down()
    await page.mouse.move(box.x + 140, box.y + 90, { steps: 5 })
    await page.mouse.up()
    await expect.poll(async () => Math.round((await face.boundingBox())?.x ?? 0)).toBe(Math.round(box.x + 80))
    expect(await page.getByRole('complementary', { name: 'The chosen bond' }).count()).toBe(0)

    await page.keyboard.press('b')
    const dialog = page.getByRole('dialog', { name: 'Bind Marta Quill to somebody' })
    await dialog.getByLabel('To', { exact: true }).selectOption({ label: 'A quest' })
    await dialog.getByLabel('Who or what').selectOption({ label: 'A cradle with no maker' })
    await dialog.getByLabel('What Marta Quill is').fill('made it herself')
    await isSound(page)
    await dialog.getByRole('button', { name: 'Bind them' }).click()
    await page.locator('.bond', { hasText: 'made it herself' }).waitFor()
    await page.context().close()
    expect(complaints).toEqual([])
  })

  test('is a list on a phone, and as players see it without the hidden', { timeout: 600_000 }, async () => {
    const { page, complaints } = await open('dm', phone, around())
    await page.getByText('is her brother').filter({ visible: true }).first().waitFor()
    expect(await page.locator('.bond-web').isVisible()).toBe(false)
    await isSound(page)
    await lookAs(page, 'player')
    await page.getByText('is her brother').first().waitFor({ state: 'detached' })
    expect(await page.getByText('The Cellarer').count()).toBe(0)
    await page.context().close()
    expect(complaints).toEqual([])
  })

  test('of who is bound to nobody begins with one line', { timeout: 600_000 }, async () => {
    const { id } = await world.as('dm', 'create_npc', { campaignId: world.id('campaign'), name: 'Ambrose Tull' })
    const { page } = await open('dm', desk, `/relations?around=npc-${id}`)
    await page.getByText('Ambrose Tull is bound to nobody').waitFor()
    await page.getByRole('button', { name: 'Bind them to somebody' }).click()
    await page.getByRole('dialog', { name: 'Bind Ambrose Tull to somebody' }).waitFor()
    await isSound(page)
    await page.context().close()
  })
})
