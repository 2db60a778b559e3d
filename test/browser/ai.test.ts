import { AxeBuilder } from '@axe-core/playwright'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FakeProvider, startFakeProvider } from '../support/fake-provider.ts'
import type { Person, TestWorld } from '../support/world.ts'
import { startWorld } from '../support/world-file.ts'
import { desk, findChromium, launchChromium, newPage, phone } from './chromium.ts'

// Who thinks in this house is chosen, tried and sent away again; a draft is asked for, and what it cost is told.

const chromium = findChromium()
let browser: Browser
let world: TestWorld
let fake: FakeProvider
let base: string
beforeAll(async () => {
  if (chromium === null) return
  fake = await startFakeProvider()
  world = await startWorld()
  base = await world.server.app.listen()
  browser = await launchChromium(chromium)
})
afterAll(async () => {
  await browser?.close()
  await world?.server.stop()
  await fake?.close()
})

async function opened(person: Person, path: string) {
  const { page, complaints } = await newPage(browser, desk)
  const [name, value] = (world.session(person).headers.cookie as string).split('=') as [string, string]
  await page.context().addCookies([{ name, value, url: base }])
  await page.goto(`${base}${path}`)
  return { page, complaints }
}

/** Readable by all in every theme, and no wider than the screen. */
async function isSound(page: Page): Promise<void> {
  const problems: string[] = []
  for (const size of [desk, phone]) {
    await page.setViewportSize(size)
    for (const theme of ['vellum', 'contrast', 'ink']) {
      await page.evaluate((name) => {
        document.documentElement.dataset.theme = name
      }, theme)
      const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze()
      const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
      problems.push(
        ...grave.map(({ id, nodes }) => `${theme}: ${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`),
      )
    }
    if (await page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth))
      problems.push(`wider than ${size.width}`)
  }
  await page.setViewportSize(desk)
  expect(problems, page.url()).toEqual([])
}

test.skipIf(chromium === null)(
  'an administrator chooses who thinks, asks it something, and sends it away',
  async () => {
    world.server.app.store().run('DELETE FROM ai_providers')
    const { page, complaints } = await opened('admin', '/admin/ai')
    await page.getByText('A quiet house').waitFor()
    expect(await page.getByRole('radio', { name: 'Nobody' }).isChecked()).toBe(true)
    await page.getByText('No page here has ever spoken to the outside by itself.').waitFor()
    await page.getByRole('radio', { name: 'On this computer' }).check({ force: true })
    await page.getByLabel('Which program').selectOption({ label: 'Another address' })
    await page.getByLabel('Its address').fill(fake.baseUrl)
    await page.getByLabel('The key, if it asks for one').fill('sk-a-key-of-the-house-0001')
    await page.getByRole('button', { name: 'Look for its models' }).click()
    await page.getByText('Answers, 2 models').waitFor()
    await page.getByLabel('Which model').selectOption('table-model')
    await page.getByRole('button', { name: 'Keep it, and ask it something' }).click()
    await page.getByText('Good evening. The kettle is on.').waitFor()
    await page.getByText('A key is kept').waitFor()
    expect(await page.content()).not.toContain('sk-a-key')
    await isSound(page)
    fake.script({ fault: 'status', status: 401 })
    await page.getByRole('button', { name: 'Keep it, and ask it something' }).click()
    await page.getByText('The AI provider refused the key.').waitFor()
    await page.getByRole('radio', { name: 'Nobody' }).check({ force: true })
    await page.getByRole('button', { name: 'Ask nobody any more' }).click()
    await page.getByText('From now on nothing is asked.').waitFor()
    expect(world.server.app.store().get('SELECT kind, base_url, sealed_key FROM ai_providers')).toEqual({
      ...{ kind: 'none', base_url: null, sealed_key: null },
    })
    expect(complaints).toEqual([])
    await page.context().close()
  },
)

test.skipIf(chromium === null)('a Dungeon Master has something drafted, and sees what it cost', async () => {
  const { admin } = world.callers
  const chosen = { kind: 'openai_compatible', baseUrl: fake.baseUrl, reach: 'local', model: 'table-model' }
  await admin.request('PUT', '/api/v1/ai-provider', chosen)
  const { page, complaints } = await opened('dm', `/campaigns/${world.id('campaign')}/drafts`)
  await page.getByText('Nothing in the last thirty days.').waitFor()
  await page.getByLabel('What you have in mind').fill('A ferryman who owes the mill')
  await page.getByRole('button', { name: 'Draft it' }).click()
  await page.getByText('Drafted', { exact: true }).waitFor()
  await page.reload()
  await page.getByRole('rowheader', { name: 'Drafts' }).waitFor()
  expect(await page.locator('.ai-plot rect').count()).toBe(1)
  await isSound(page)
  expect(complaints).toEqual([])
  await page.context().close()
})
