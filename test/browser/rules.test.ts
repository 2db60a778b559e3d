import { readFileSync } from 'node:fs'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Person, TestWorld } from '../support/world.ts'
import { startWorld } from '../support/world-file.ts'
import { desk, findChromium, launchChromium, newPage, phone } from './chromium.ts'
import { cookieOf, isSound } from './shared-app.ts'

// Looking rules up, writing one's own and drawing from a table, with the pack that a new installation begins with.

const chromium = findChromium()
let world: TestWorld
let browser: Browser
let base: string

beforeAll(async () => {
  if (chromium === null) return
  world = await startWorld()
  const document = JSON.parse(readFileSync('assets/packs/starter.json', 'utf8'))
  await world.as('admin', 'install_rule_pack', { document })
  base = await world.server.app.listen()
  browser = await launchChromium(chromium)
})

afterAll(async () => {
  if (chromium === null) return
  await browser.close()
  await world.server.stop()
})

async function open(person: Person, viewport: typeof desk, address: string, colorScheme: 'dark' | 'light') {
  const opened = await newPage(browser, viewport)
  await opened.page.emulateMedia({ colorScheme })
  await opened.page.context().addCookies([cookieOf(world, person, base)])
  await opened.page.goto(`${base}/campaigns/${world.id('campaign')}${address}`)
  await opened.page.locator('h1').first().waitFor()
  return opened
}

describe.skipIf(chromium === null)('the rules', () => {
  test('are found by typing and walked by the arrows on a desk, and copied to be changed', async () => {
    const { page, complaints } = await open('dm', desk, '/rules', 'dark')
    await page.getByRole('searchbox').fill('wolf')
    const pane = page.getByRole('article')
    await pane.getByRole('heading', { name: 'Wolf', exact: true }).waitFor()
    await page.getByRole('searchbox').press('ArrowDown')
    await pane.getByRole('heading', { name: 'Dire wolf' }).waitFor()
    expect(await pane.innerText()).toContain('5d10+10')
    await isSound(page)
    await pane.getByRole('button', { name: 'Copy as ours' }).click()
    const name = page.getByLabel('Name', { exact: true }).first()
    await name.fill('Salt wolf')
    await page.getByLabel('Hit points').fill('40')
    await page.getByLabel('Their dice').fill('')
    await isSound(page)
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('heading', { name: 'Salt wolf' }).waitFor()
    const { items } = await world.as('dm', 'list_homebrew', { campaignId: world.id('campaign'), query: 'salt wolf' })
    expect(items).toHaveLength(1)
    expect(items[0].statblock).toMatchObject({ hitPoints: { value: 40 }, armourClass: { value: 14 } })
    expect(items[0].statblock.actions[0]).toMatchObject({ name: 'Bite', save: { ability: 'str', dc: 13 } })
    expect(complaints).toEqual([])
    await page.context().close()
  })

  test('of a phone: a list, an entry on a page of its own, and back to the same place', async () => {
    const { page, complaints } = await open('player', phone, '/rules?q=fire&kind=spell', 'light')
    await page.getByRole('link', { name: /Fireball/ }).click()
    await page.getByRole('heading', { name: 'Fireball' }).waitFor()
    expect(await page.getByRole('searchbox').isVisible()).toBe(false)
    await isSound(page)
    await page.goBack()
    await page.getByRole('link', { name: /Fire bolt/ }).waitFor()
    expect(await page.getByRole('searchbox').inputValue()).toBe('fire')
    await isSound(page)
    expect(complaints).toEqual([])
    await page.context().close()
  })
})

describe.skipIf(chromium === null)('a random table', () => {
  test('is written, drawn from by a key, and shows the line that was drawn', async () => {
    const { page, complaints } = await open('dm', phone, '/tables/new', 'dark')
    await page.getByLabel('Name', { exact: true }).fill('On the salt road')
    await page.getByLabel('Dice').fill('1d4')
    await page.getByLabel('What to say aloud').fill('[[1d1+4]] hounds, keeping their distance')
    await page.getByLabel('From').fill('1')
    await page.getByLabel('To', { exact: true }).fill('3')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByText('4 has no line').first().waitFor()
    await page.getByLabel('To', { exact: true }).fill('4')
    await isSound(page)
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('heading', { name: 'On the salt road' }).waitFor()
    await page.keyboard.press('r')
    await page.locator('.drawn-lines').getByText('5 hounds, keeping their distance').waitFor()
    expect(await page.locator('.lots .on').innerText()).toContain('Drawn')
    await isSound(page)
    expect(complaints).toEqual([])
    await page.context().close()
  })
})
