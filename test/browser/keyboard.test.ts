import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { shareApp, tabTo } from './shared-app.ts'

// An evening at the table without a mouse: the session begins, a step is ticked, something is written down, somebody is shown
// to the party, the session ends and its recap is told.

const app = shareApp()

/** Nothing below may press anything with a pointer. */
async function withoutMouse(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(() => {
    Object.assign(globalThis, { pointed: 0 })
    const count = () => {
      Object.assign(globalThis, { pointed: (globalThis as unknown as { pointed: number }).pointed + 1 })
    }
    for (const kind of ['pointerdown', 'mousedown']) addEventListener(kind, count, { capture: true })
  })
  return () => page.evaluate(() => (globalThis as unknown as { pointed: number }).pointed)
}

describe.skipIf(app.missing)('a keyboard-only evening', () => {
  test('is played from its beginning to its recap', { timeout: 600_000 }, async () => {
    const { world } = app
    const sessionId = world.id('session', 'planned')
    const npcId = world.id('npc', 'hidden')
    const { name } = await world.as('dm', 'get_npc', { npcId })
    const { title } = await world.as('dm', 'get_quest', { questId: world.id('quest') })
    const { page, complaints } = await app.open('dm', app.inCampaign(`/sessions/${sessionId}`))
    const pointed = await withoutMouse(page)
    const press = async (what: RegExp) => {
      await tabTo(page, what)
      await page.keyboard.press('Enter')
    }
    const find = async (words: string, heading: string) => {
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox', { name: 'Find or do' }).waitFor()
      await page.keyboard.type(words)
      await page.locator('[role=option] .grow').getByText(heading, { exact: true }).first().waitFor()
      const chosen = page.getByRole('option', { selected: true }).locator('.grow')
      while ((await chosen.textContent()) !== heading) await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { level: 1, name: heading }).waitFor()
    }

    await press(/^Begin the session$/)
    await page.getByRole('button', { name: 'End the session' }).waitFor()

    await find(title, title)
    await tabTo(page, /^Find the maker’s mark$/)
    await page.keyboard.press('Space')
    await expect
      .poll(async () => (await world.as('dm', 'get_quest', { questId: world.id('quest') })).objectives[0].done)
      .toBe(true)

    await press(/^Write something down$/)
    const paper = page.getByRole('dialog', { name: 'Write something down' })
    await paper.waitFor()
    await page.keyboard.type('The bell rang twice.')
    await page.keyboard.press('Control+Enter')
    await paper.waitFor({ state: 'detached' })
    const { items } = await world.as('dm', 'list_notes', { campaignId: world.id('campaign'), view: 'full', limit: 1 })
    expect(items[0].body).toBe('The bell rang twice.')

    await find(name, name)
    await press(/^More about/)
    await page.getByRole('menuitem', { name: 'Show them to the party' }).waitFor()
    await page.keyboard.press('Enter')
    const question = page.getByRole('dialog', { name: /^Show / })
    await question.waitFor()
    await press(/^Show it$/)
    await expect.poll(async () => (await world.as('dm', 'get_npc', { npcId })).hidden).toBe(false)

    await page.goBack()
    await page.goBack()
    await page.getByRole('button', { name: 'End the session' }).waitFor()
    await press(/^End the session$/)
    await press(/^Write the recap$/)
    // The field has the focus when the page opens.
    await page.getByLabel('What happened').first().waitFor()
    await page.keyboard.type('The bell rang twice, and nobody had touched it.')
    await press(/^Save$/)
    await expect
      .poll(async () => (await world.as('dm', 'get_session', { sessionId })).recap)
      .toContain('nobody had touched it')
    expect(await pointed()).toBe(0)
    expect(complaints).toEqual([])
  })
})
