import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { password } from '../support/world.ts'
import { desk, newPage } from './chromium.ts'
import { focused, shareApp, tabTo } from './shared-app.ts'

// An evening at the table without a mouse, from the door to the last word: Tab, Enter, Space, arrows and shortcuts, and at each
// place the next key as soon as the last one shows.

const app = shareApp()

/** How often something was pressed with a pointer since the page was loaded. */
async function countPointer(page: Page): Promise<() => Promise<number>> {
  await page.addInitScript(() => {
    const seen = { pointed: 0 }
    Object.assign(globalThis, { seen })
    for (const kind of ['pointerdown', 'mousedown'])
      addEventListener(kind, () => void seen.pointed++, { capture: true })
  })
  return () => page.evaluate(() => (globalThis as unknown as { seen: { pointed: number } }).seen.pointed)
}

describe.skipIf(app.missing)('without a mouse', () => {
  test('a whole evening is played, from the door to the recap', { timeout: 600_000 }, async ({ onTestFailed }) => {
    const { world } = app
    const campaignId = world.id('campaign')
    const { page, complaints } = await newPage(app.browser, desk)
    const pointed = await countPointer(page)
    onTestFailed(async () =>
      console.log(
        'DIAG',
        page.url(),
        complaints,
        (await page.locator('body').innerText().catch(String)).slice(0, 60),
        await page.evaluate(
          () =>
            document.querySelector('dialog')?.innerHTML.slice(0, 900) +
            ' ACTIVE ' +
            document.activeElement?.outerHTML.slice(0, 200),
        ),
        await focused(page).catch(String),
      ),
    )
    const { keyboard } = page
    const type = (text: string) => keyboard.type(text)
    const press = async (name: RegExp, key = 'Enter') => {
      await tabTo(page, name)
      await keyboard.press(key)
    }
    const heading = (name: string | RegExp) => page.getByRole('heading', { level: 1, name }).waitFor()
    const dialog = (name: string | RegExp) => page.getByRole('dialog', { name }).waitFor()
    const focusOn = (name: RegExp) => expect.poll(() => focused(page)).toMatch(name)
    /** Opens a page, or does something, by its name. */
    const goTo = async (words: string, choice = words) => {
      await keyboard.press('Control+k')
      await dialog('Find or do')
      await type(words)
      const chosen = page.getByRole('option', { selected: true }).locator('.grow')
      await page.getByRole('option').locator('.grow').getByText(choice, { exact: true }).first().waitFor()
      while ((await chosen.textContent()) !== choice) await keyboard.press('ArrowDown')
      await keyboard.press('Enter')
    }
    const begin = async (one: string, title: string) => {
      await goTo(`New ${one}`)
      await heading(/^(A )?[Nn]ew/)
      await focusOn(/^(Name|Title)$/)
      await type(title)
      await keyboard.press('Enter')
      await heading(title)
    }

    await page.goto(`${app.base}/login`)
    await heading('Welcome back')
    await tabTo(page, /^Name$/)
    await type('dm')
    await tabTo(page, /^Password$/)
    await type(password)
    await keyboard.press('Enter')
    await heading('Campaigns')
    await press(/^The Orchard in Winter/)
    await heading('The Orchard in Winter')

    await begin('person', 'Osk the Ferryman')
    await begin('quest', 'Cross before the ice')
    await press(/^Add steps$/)
    await focusOn(/^Step$/)
    await type('Pay the ferryman')
    await keyboard.press('Enter')
    const step = page.getByRole('checkbox', { name: 'Pay the ferryman' })
    await step.waitFor()

    await keyboard.press('c')
    await dialog('Write something down')
    await type('The bell rang twice.')
    await keyboard.press('Control+Enter')
    await page.getByRole('dialog').waitFor({ state: 'detached' })

    await begin('session', 'The crossing')
    await press(/^Begin the session$/)
    await page.getByRole('button', { name: 'End the session' }).waitFor()

    const npcId = world.id('npc', 'hidden')
    const { name } = await world.as('dm', 'get_npc', { npcId })
    await goTo(name)
    await heading(name)
    await press(/^More about/)
    await page.getByRole('menuitem').first().waitFor()
    while (!(await focused(page)).startsWith('Show them')) await keyboard.press('ArrowDown')
    await keyboard.press('Enter')
    await dialog(/^Show /)
    await focusOn(/^Show it$/)
    await keyboard.press('Enter')
    await page.getByText('Players: can see this').waitFor()

    await goTo('Cross before the ice')
    await step.waitFor()
    await press(/^Pay the ferryman$/, 'Space')
    await expect.poll(() => step.isChecked()).toBe(true)

    await begin('fight', 'On the ice')
    await keyboard.press('a')
    await focusOn(/^Add a creature or a person$/)
    await press(/^By its numbers$/)
    await dialog('Add to the fight')
    await tabTo(page, /^Name$/)
    await type('Ice eel')
    await tabTo(page, /^Hit points$/)
    await type('9')
    await keyboard.press('Enter')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: /^Begin the fight/, disabled: false }).waitFor()
    await keyboard.press('b')
    await page.getByText('Round 1', { exact: true }).first().waitFor()
    await keyboard.press('d')
    await dialog('Hurt Ice eel')
    await type('4')
    await keyboard.press('Enter')
    await page.locator('article .big', { hasText: '5' }).waitFor()
    await keyboard.press('n')
    await page.getByText('Round 2', { exact: true }).first().waitFor()

    await goTo('The crossing')
    await heading('The crossing')
    await press(/^End the session$/)
    await press(/^Write the recap$/)
    await focusOn(/^What happened$/)
    await type('The bell rang twice, and nobody had touched it.')
    await press(/^Save$/)
    // By its address: while it is being saved the editor shows the same words.
    await page.waitForURL(/\/recap$/)
    await page.getByText('nobody had touched it').first().waitFor()

    expect([await pointed(), complaints]).toEqual([0, []])
    const all = { campaignId, view: 'full', limit: 200 } as const
    const of = async (operation: string, also: object = {}) =>
      (await world.as('dm', operation, { ...all, ...also })).items as readonly Record<string, unknown>[]
    expect((await of('list_notes')).map(({ body }) => body)).toContain('The bell rang twice.')
    expect((await of('list_npcs')).map((npc) => npc.name)).toContain('Osk the Ferryman')
    expect((await world.as('player', 'get_npc', { npcId })).name).toBe(name)
    const quest = (await of('list_quests')).find(({ title }) => title === 'Cross before the ice')
    expect((await world.as('dm', 'get_quest', { questId: quest?.id })).objectives).toMatchObject([
      { text: 'Pay the ferryman', done: true },
    ])
    expect((await of('list_sessions')).find(({ title }) => title === 'The crossing')).toMatchObject({
      status: 'played',
      recap: 'The bell rang twice, and nobody had touched it.',
    })
    await page.context().close()
  })
})
