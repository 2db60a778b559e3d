import { AxeBuilder } from '@axe-core/playwright'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { scriptedModel } from '../support/models.ts'
import type { Person, TestWorld } from '../support/world.ts'
import { startWorld } from '../support/world-file.ts'
import { desk, findChromium, launchChromium, newPage, phone } from './chromium.ts'

// The AI seat and the scribe as people use them: asked at a desk, seen and stopped on a player's phone, put back, read, drafted.

const chromium = findChromium()
const model = scriptedModel()
let world: TestWorld
let browser: Browser
let base: string

beforeAll(async () => {
  if (chromium === null) return
  world = await startWorld({ model: { port: model } })
  base = await world.server.app.listen()
  browser = await launchChromium(chromium)
})
afterAll(async () => {
  if (chromium === null) return
  await browser.close()
  await world.server.stop()
})

async function open(person: Person, viewport: typeof desk, address: string): Promise<Page> {
  const { page } = await newPage(browser, viewport)
  const [name, value] = (world.session(person).headers.cookie as string).split('=') as [string, string]
  await page.context().addCookies([{ name, value, url: base }])
  await page.goto(`${base}/campaigns/${world.id('campaign')}${address}`)
  await page.locator('h1').first().waitFor()
  return page
}

async function complaintsOf(page: Page): Promise<readonly string[]> {
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze()
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
  return [
    ...(wide > 0 ? [`${wide} pixels wider than the window`] : []),
    ...violations
      .filter(({ impact }) => impact === 'serious' || impact === 'critical')
      .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 160)).join(' | ')}`),
  ]
}

test.skipIf(chromium === null)(
  'a seat is asked, acts, is put back and is stopped by a player, and the scribe drafts a recap',
  async () => {
    const questId = world.id('quest')
    const campaignId = world.id('campaign')
    await world.as('dm', 'update_ai_seat', { campaignId, mode: 'driver', driverMay: ['tale'] })
    await world.as('dm', 'set_quest_status', { questId, status: 'active' })
    const dm = await open('dm', desk, '/seat')
    const player = await open('player', phone, '/seat')
    await dm.getByRole('heading', { level: 1, name: 'At the head of the table' }).waitFor()

    model.say(
      { calls: [{ name: 'set_quest_status', input: { questId, status: 'completed' } }] },
      'The bell is quiet. It is done.',
    )
    await dm.getByLabel('Ask it to do something').fill('End the quest.')
    await dm.getByRole('button', { name: 'Ask', exact: true }).click()
    await dm.getByText('The bell is quiet.').waitFor()
    await player.getByText('The bell is quiet.').waitFor()
    expect(await player.getByText('End the quest.').count()).toBe(0)
    expect(await player.getByLabel('Ask it').count()).toBe(0)
    await dm.getByRole('button', { name: 'Put back' }).first().click()
    await dm.locator('.did .undone').first().waitFor()
    expect((await world.as('dm', 'get_quest', { questId })).status).toBe('active')
    expect(await complaintsOf(dm)).toEqual([])
    expect(await complaintsOf(player)).toEqual([])

    await player.getByRole('button', { name: /Stop it now/ }).click()
    await player.getByText('It is silent.').waitFor()
    await dm.getByText('It is silent.').waitFor()
    expect(await player.getByRole('button', { name: 'Let it go on' }).count()).toBe(0)
    await dm.getByRole('button', { name: 'Let it go on' }).click()
    await dm.getByRole('button', { name: /Stop it now/ }).waitFor()

    model.is({ external: false })
    model.say('They came to the far bank, and the bell was gone.')
    await dm.getByRole('link', { name: 'The scribe' }).click()
    await dm.getByRole('heading', { level: 1, name: 'The scribe' }).waitFor()
    await dm.getByRole('button', { name: 'Draft its recap' }).click()
    await dm.getByText('Drafted').first().waitFor()
    expect(await complaintsOf(dm)).toEqual([])
    await dm.setViewportSize(phone)
    expect(await complaintsOf(dm)).toEqual([])
    await dm.getByRole('link', { name: 'Read the draft' }).click()
    await dm.getByText(/through The scribe/).waitFor()
  },
)
