import { AxeBuilder } from '@axe-core/playwright'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Person, TestWorld } from '../support/world.ts'
import { startWorld } from '../support/world-file.ts'
import { desk, findChromium, launchChromium, newPage, phone } from './chromium.ts'

// Dice, the party and a sheet, on a desk and on a phone.

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

async function open(person: Person, viewport: typeof desk, address: string) {
  const opened = await newPage(browser, viewport)
  const [name, value] = (world.session(person).headers.cookie as string).split('=') as [string, string]
  await opened.page.context().addCookies([{ name, value, url: base }])
  await opened.page.goto(`${base}/campaigns/${world.id('campaign')}${address}`)
  await opened.page.locator('h1').first().waitFor()
  return opened
}

async function isSound(page: Page): Promise<void> {
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze()
  const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
  expect(grave.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`)).toEqual([])
  const wide = await page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth)
  expect(wide).toBe(false)
}

describe.skipIf(chromium === null)('the game', () => {
  test('dice on a desk: typed, wrong, sealed, shown, and a check that is asked for', { timeout: 600_000 }, async () => {
    const { page, complaints } = await open('dm', desk, '/dice')
    const field = page.getByLabel('What to throw')
    await field.fill('1d7½')
    await page.getByText('“½” cannot be read here.').waitFor()
    expect(await page.getByRole('button', { name: 'Roll', exact: true }).isDisabled()).toBe(true)
    await field.fill('2d20kh1 + 9')
    await page.getByText('From 10 to 29, most often 29').waitFor()
    await page.getByText('Only you see it').click()
    await field.press('Enter')
    const log = page.locator('.throw')
    await log.filter({ hasText: '2d20kh1 + 9' }).waitFor()
    await log.filter({ hasText: '2d20kh1 + 9' }).getByRole('button', { name: 'Show the table' }).click()
    await page.getByText('The table sees it.').waitFor()
    await page.getByRole('button', { name: 'Ask for a check' }).click()
    await page.getByLabel('Why, in their words').fill('Who is on the stairs')
    await page.getByRole('button', { name: /^Ask \d/ }).click()
    await page.getByRole('heading', { name: 'Perception: Who is on the stairs' }).waitFor()
    await isSound(page)
    expect(complaints).toEqual([])
    await page.context().close()
  })

  test('a check comes to the phone and is rolled there', { timeout: 600_000 }, async () => {
    const { page, complaints } = await open('player', phone, '/dice')
    const card = page.locator('.ask-card').filter({ hasText: 'Who is on the stairs' })
    await card.getByRole('button', { name: 'Roll', exact: true }).click()
    await card.getByRole('button', { name: 'Roll', exact: true }).waitFor({ state: 'detached' })
    await isSound(page)
    expect(complaints).toEqual([])
    await page.context().close()
  })

  test('the party on a desk: a coin is paid, a rest is called', { timeout: 600_000 }, async () => {
    const { page, complaints } = await open('dm', desk, '/characters')
    await page.getByRole('button', { name: 'Take out' }).click()
    await page.getByLabel('Gold').fill('12')
    await page.getByLabel('What for').fill('A rope for the bell')
    await page.getByRole('dialog').getByRole('button', { name: 'Take out' }).click()
    await page.locator('.ledger tr').filter({ hasText: 'A rope for the bell' }).waitFor()
    await isSound(page)
    await page.getByRole('button', { name: 'Call a rest' }).click()
    await page.getByRole('button', { name: 'Long rest' }).click()
    await page.getByText('Long rest taken.').waitFor()
    expect(complaints).toEqual([])
    await page.context().close()
  })

  test('a character is put on a map, and somebody on the first page for tonight', { timeout: 600_000 }, async () => {
    const { page, complaints } = await open('dm', desk, `/characters/${world.id('character', 'own')}`)
    const name = (await page.locator('h1').textContent()) ?? ''
    await page.getByRole('button', { name: `More about ${name}` }).click()
    await page
      .getByRole('menuitem', { name: 'Put on a map' })
      .or(page.getByRole('button', { name: 'Put on a map' }))
      .click()
    await page.getByRole('dialog').getByLabel('Which map').waitFor()
    await isSound(page)
    await page.getByRole('button', { name: 'Put them there' }).click()
    await page.waitForURL(/\/maps\/\d+$/)
    const token = world.server.app.store().get('SELECT label, player_user_id FROM map_tokens ORDER BY id DESC LIMIT 1')
    expect(token).toMatchObject({ label: name, player_user_id: world.userId.player })

    await page.goto(`${base}/campaigns/${world.id('campaign')}/people/${world.id('npc')}`)
    const pin = page.getByRole('button', { name: 'For tonight' })
    await pin.click()
    await page.locator('button[aria-pressed="true"]', { hasText: 'For tonight' }).waitFor()
    await page.goto(`${base}/campaigns/${world.id('campaign')}`)
    await page.getByRole('heading', { name: 'For tonight' }).waitFor()
    await isSound(page)
    expect(complaints).toEqual([])
  })

  test('a sheet on a phone: hurt, rolled, spent; to somebody else a face and a word', {
    timeout: 600_000,
  }, async () => {
    const characterId = world.id('character', 'own')
    const { page, complaints } = await open('player', phone, `/characters/${characterId}`)
    await page.getByRole('button', { name: 'Lose 5' }).click()
    await page.getByText('19 / 24').waitFor()
    await page.getByRole('button', { name: /of Dexterity save/ }).click()
    await page.locator('.echo').getByText('Dexterity save').waitFor()
    await page.getByRole('button', { name: 'Use one: Slots of level 1' }).click()
    await page.getByText('3 of 4 left').waitFor()
    await isSound(page)
    expect(complaints).toEqual([])
    await page.context().close()
    const other = await open('otherPlayer', phone, `/characters/${characterId}`)
    await other.page.getByText('Hurt', { exact: true }).waitFor()
    expect(await other.page.locator('.rb, .thing, .life').count()).toBe(0)
    expect(other.complaints).toEqual([])
    await other.page.context().close()
  })
})
