import { AxeBuilder } from '@axe-core/playwright'
import type { Browser, BrowserContext, Locator, Page } from 'playwright-core'
import sharp from 'sharp'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Person, TestWorld } from '../support/world.ts'
import { startWorld } from '../support/world-file.ts'
import { desk, findChromium, launchChromium, newPage, phone } from './chromium.ts'
import { lookAs } from './shared-app.ts'

// A map as people use it: the Dungeon Master uncovers and moves things by hand and by key, players see it happen.
const chromium = findChromium()

let world: TestWorld
let browser: Browser
let base: string
let mapId: number
const opened: BrowserContext[] = []

beforeAll(async () => {
  if (chromium === null) return
  browser = await launchChromium(chromium)
  world = await startWorld()
  base = await world.server.app.listen()
  const campaignId = world.id('campaign')
  const sheet = await sharp({ create: { width: 800, height: 500, channels: 3, background: '#d8c08a' } })
    .png()
    .toBuffer()
  const upload = { campaignId, fileName: 'v.png', contentBase64: sheet.toString('base64'), hidden: true }
  const { id: attachmentId } = await world.as('dm', 'create_attachment', upload)
  const made = { campaignId, name: 'The valley of Aldersey', attachmentId, fogEnabled: true, grid: { columns: 20 } }
  mapId = (await world.as('dm', 'create_map', made)).id
  await world.as('dm', 'set_map_fog', { mapId, reveal: [{ x: 0, y: 0, width: 0.5, height: 1 }] })
  const place = { entityType: 'location', entityId: world.id('location') }
  await world.as('dm', 'create_map_pin', { mapId, x: 0.35, y: 0.45, ...place })
  await world.as('dm', 'create_map_pin', { mapId, x: 0.75, y: 0.5, label: 'The Hagstone' })
  const playerUserId = world.userId.player
  await world.as('dm', 'set_map_token', { mapId, x: 0.45, y: 0.6, label: 'Asha', playerUserId })
})
afterEach(async () => {
  for (const context of opened.splice(0)) await context.close()
})
afterAll(async () => {
  await browser?.close()
  await world?.server.stop()
})

async function at(person: Person, path: string, viewport = desk): Promise<Page> {
  const { page } = await newPage(browser, viewport)
  opened.push(page.context())
  const [name, value] = (world.session(person).headers.cookie as string).split('=') as [string, string]
  await page.context().addCookies([{ name, value, url: base }])
  await page.goto(`${base}/campaigns/${world.id('campaign')}/maps${path}`)
  await page.locator('h1').first().waitFor()
  return page
}
async function onMap(person: Person, viewport = desk): Promise<Page> {
  const page = await at(person, `/${mapId}`, viewport)
  await page.locator('.map-sheet > img').waitFor()
  return page
}
async function complaintsOf(page: Page): Promise<readonly string[]> {
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze()
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 160)).join(' | ')}`)
}
const map = () => world.as('dm', 'get_map', { mapId })
const pinNamed = async (label: string) =>
  (await map()).pins.find((pin: { label: string | null }) => pin.label === label)
const mark = (page: Page, name: string): Locator => page.locator('.map-sheet').getByRole('button', { name })
const tool = (page: Page, name: string) => page.getByRole('toolbar').getByRole('button', { name, exact: true })
/** A point of the picture, in the window. */
async function spot(page: Page, x: number, y: number): Promise<[number, number]> {
  const box = await page.locator('.map-sheet > img').boundingBox()
  if (!box) throw new Error('the picture is not there')
  return [box.x + box.width * x, box.y + box.height * y]
}
async function drag(page: Page, from: readonly [number, number], to: readonly [number, number]): Promise<void> {
  await page.mouse.move(...(await spot(page, ...from)))
  await page.mouse.down()
  await page.mouse.move(...(await spot(page, ...to)), { steps: 4 })
  await page.mouse.up()
}

describe.skipIf(chromium === null)('on a desk', () => {
  test('the DM uncovers a part, a player sees it without a reload, and it is taken back', async () => {
    const [dm, player] = [await onMap('dm'), await onMap('player')]
    await mark(dm, 'The Hagstone').waitFor()
    expect(await mark(player, 'The Hagstone').count()).toBe(0)
    const image = player.locator('.map-sheet > img')
    const before = await image.getAttribute('src')
    expect(before).toContain('layer=players')
    await expect.poll(() => world.server.app.hub.count()).toBeGreaterThan(1)
    await tool(dm, 'Uncover').click()
    await drag(dm, [0.6, 0.3], [0.9, 0.7])
    await mark(player, 'The Hagstone').waitFor()
    await expect.poll(() => image.getAttribute('src')).not.toBe(before)
    await dm.locator('.toasts').getByRole('button', { name: 'Undo' }).click()
    await mark(player, 'The Hagstone').waitFor({ state: 'detached' })
    // The same by two taps, and a shape by its corners.
    await dm.mouse.click(...(await spot(dm, 0.7, 0.4)))
    await dm.mouse.click(...(await spot(dm, 0.8, 0.6)))
    await mark(player, 'The Hagstone').waitFor()
    await tool(dm, 'Cover').click()
    await dm.getByRole('button', { name: 'Any shape' }).click()
    const corners: readonly [number, number][] = [
      [0.65, 0.3],
      [0.9, 0.3],
      [0.78, 0.8],
    ]
    for (const [x, y] of corners) await dm.mouse.click(...(await spot(dm, x, y)))
    expect(await complaintsOf(dm)).toEqual([])
    await dm.getByRole('button', { name: 'Close the shape' }).click()
    await mark(player, 'The Hagstone').waitFor({ state: 'detached' })
    expect((await map()).fog.strokes[0].shape.points).toHaveLength(3)
    expect(await complaintsOf(player)).toEqual([])
  })

  test('the DM puts a pin in and moves it by hand and by key; a press opens what it is of', async () => {
    const dm = await onMap('dm')
    await tool(dm, 'Pin').click()
    await dm.mouse.click(...(await spot(dm, 0.2, 0.3)))
    await dm.getByLabel('Words on it').fill('Hob’s ferry')
    await dm.getByRole('button', { name: 'Put it in' }).click()
    await mark(dm, 'Hob’s ferry').waitFor()
    await dm.getByRole('complementary').getByRole('button', { name: 'Close' }).click()
    await drag(dm, [0.2, 0.28], [0.3, 0.78])
    await expect.poll(async () => (await pinNamed('Hob’s ferry')).y).toBeGreaterThan(0.7)
    const { x } = await pinNamed('Hob’s ferry')
    await mark(dm, 'Hob’s ferry').focus()
    for (let step = 0; step < 3; step++) await dm.keyboard.press('Shift+ArrowLeft')
    await expect.poll(async () => (await pinNamed('Hob’s ferry')).x).toBeCloseTo(x - 0.03, 3)
    await mark(dm, 'The Pomary').click()
    expect(await complaintsOf(dm)).toEqual([])
    await dm.getByRole('link', { name: 'Open the place' }).click()
    await dm.getByRole('heading', { level: 1, name: 'The Pomary' }).waitFor()
  })

  test('the keyboard alone covers a part and moves a token', async () => {
    const dm = await onMap('dm')
    const { strokeCount } = (await map()).fog
    await tool(dm, 'Cover').press('Enter')
    const pane = dm.getByRole('group', { name: /^Map of/ })
    await pane.focus()
    await dm.keyboard.press('ArrowRight')
    await dm.keyboard.press('Enter')
    for (let step = 0; step < 5; step++) await dm.keyboard.press('ArrowDown')
    await dm.keyboard.press('ArrowRight')
    await dm.keyboard.press('Enter')
    await expect.poll(async () => (await map()).fog.strokeCount).toBe(strokeCount + 1)
    expect((await map()).fog.strokes[0].shape).toEqual({ x: 0.52, y: 0.5, width: 0.02, height: 0.1 })
    await dm.keyboard.press('Escape')
    await mark(dm, 'Asha').press('Enter')
    await dm.getByRole('complementary').getByRole('button', { name: 'Move it' }).press('Enter')
    await dm.keyboard.press('ArrowLeft')
    await dm.keyboard.press('Enter')
    await expect.poll(async () => (await map()).tokens[0].x).toBeCloseTo(0.48, 3)
  })

  test('it grows and shrinks by the wheel, by buttons and by keys, and the DM looks at it as players do', async () => {
    const dm = await onMap('dm')
    const width = async () => (await dm.locator('.map-sheet').boundingBox())?.width ?? 0
    const first = await width()
    await dm.mouse.move(...(await spot(dm, 0.5, 0.5)))
    await dm.mouse.wheel(0, -400)
    await expect.poll(width).toBeGreaterThan(first)
    await tool(dm, 'All of it').click()
    await expect.poll(width).toBeLessThanOrEqual(first)
    await tool(dm, 'Larger').click()
    const larger = await width()
    await dm.getByRole('group', { name: /^Map of/ }).press('-')
    await expect.poll(width).toBeLessThan(larger)
    await lookAs(dm, 'player')
    await mark(dm, 'The Hagstone').waitFor({ state: 'detached' })
    await expect.poll(() => dm.locator('.map-sheet > img').getAttribute('src')).toContain('layer=players')
    expect(await dm.locator('.map-fog').count()).toBe(0)
  })
})

describe.skipIf(chromium === null)('on a phone', () => {
  test('a player opens a pin, moves their own token by a tap, and nobody else’s', async () => {
    await world.as('dm', 'set_map_token', { mapId, label: 'Tamsin', x: 0.4, y: 0.3 })
    const player = await onMap('player', phone)
    await tool(player, 'All of it').click()
    expect(await player.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true)
    await mark(player, 'The Pomary').click()
    await player.getByRole('link', { name: 'Open the place' }).waitFor()
    expect(await complaintsOf(player)).toEqual([])
    await player.getByRole('complementary').getByRole('button', { name: 'Close' }).click()
    await player.getByRole('button', { name: 'What is on it' }).click()
    await player.getByRole('complementary').getByRole('button', { name: 'Tamsin' }).click()
    await player.getByText('Who moves it').waitFor()
    expect(await player.getByRole('button', { name: 'Move it' }).count()).toBe(0)
    await player.getByRole('complementary').getByRole('button', { name: 'Close' }).click()
    await mark(player, 'Asha').click()
    await player.getByRole('button', { name: 'Move it' }).click()
    await player.mouse.click(...(await spot(player, 0.42, 0.75)))
    await expect.poll(async () => (await map()).tokens[0].y).toBeCloseTo(0.75, 1)
    for (const name of ['Uncover', 'Cover', 'Token']) expect(await tool(player, name).count()).toBe(0)
  })

  test('the DM covers all of it; the list shows players what they have seen, or why there is nothing', async () => {
    const dm = await onMap('dm', phone)
    await tool(dm, 'Cover').click()
    await dm.getByRole('button', { name: 'Cover all' }).click()
    const everything = { effect: 'conceal', shape: { x: 0, y: 0, width: 1, height: 1 } }
    await expect.poll(async () => (await map()).fog.strokes).toEqual([everything])
    expect(await complaintsOf(dm)).toEqual([])
    const player = await at('player', '', phone)
    await player.getByRole('link', { name: /The valley of Aldersey/ }).waitFor()
    expect(await player.getByText('The ice cellar').count()).toBe(0)
    expect(await complaintsOf(player)).toEqual([])
    const { items } = await world.as('dm', 'list_maps', { campaignId: world.id('campaign') })
    for (const { id } of items) if (id !== mapId) await world.as('dm', 'delete_map', { mapId: id })
    await world.as('dm', 'update_map', { mapId, hidden: true })
    await player.getByText('No map has been unfolded yet').waitFor()
    const form = await at('dm', '/new', phone)
    await form.getByLabel('Name', { exact: true }).fill('Ground floor')
    expect(await complaintsOf(form)).toEqual([])
  })
})
