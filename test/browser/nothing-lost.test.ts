import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { cookieOf, isSound, shareApp } from './shared-app.ts'

// Nothing that somebody typed is ever lost: through mentions, Escape, a reload, a lost network, a conflict, and a session that
// ended, at a machine's speed and at a person's, in every kind of editor.

const app = shareApp()
const limit = { timeout: 600_000 }
/** Milliseconds between two keys. */
const speeds = { 'a machine': 0, 'a person': 30 } as const

const stored = (page: Page, name = 'body') => page.locator(`input[type=hidden][name=${name}]`).inputValue()
const marta = () => `[Marta Quill](npc:${app.world.id('npc')})`

/** Types a sentence with a name in it, taken from the list, and leaves one to stand as it is by Escape. */
async function write(page: Page, label: string, delay: number): Promise<string> {
  const box = page.getByLabel(label, { exact: true })
  await box.click()
  await page.keyboard.press('ControlOrMeta+End')
  await page.keyboard.type('Then @marta', { delay })
  await page.getByRole('listbox').getByText('Marta Quill').waitFor()
  await page.keyboard.press('Enter')
  await page.keyboard.type(' rang, or @mar', { delay })
  await page.getByRole('listbox').waitFor()
  await page.keyboard.press('Escape')
  await page.keyboard.type('x did.', { delay })
  return `Then ${marta()} rang, or @marx did.`
}

const cut = (page: Page) => page.route('**/api/**', (route) => route.abort('connectionrefused'))
const mend = (page: Page) => page.unroute('**/api/**')

/** Whoever is signed out by somebody else signs in again, on the page where they were. */
async function comeBack(page: Page, person: 'dm' | 'player'): Promise<void> {
  await page.getByRole('heading', { name: 'Welcome back' }).waitFor()
  await page.context().addCookies([cookieOf(app.world, person, app.base)])
  await page.reload()
}

describe.skipIf(app.missing)('nothing typed is lost', () => {
  for (const [who, delay] of Object.entries(speeds)) {
    test(`in the long form, by ${who}`, limit, async () => {
      const { id: npcId } = await app.world.as('dm', 'create_npc', {
        campaignId: app.world.id('campaign'),
        name: `Osk of ${who}`,
        body: 'He *rows*.\n\n',
      })
      const { page } = await app.open('dm', app.inCampaign(`/people/${npcId}/edit`))
      const text = `He *rows*.\n\n${await write(page, 'What is known of them', delay)}`
      await page.getByLabel('Voice').pressSequentially('Hums low', { delay })
      expect(await stored(page)).toBe(text)
      await page.reload()
      await page.getByText('What you wrote here earlier is still here.').waitFor()
      await expect.poll(() => stored(page)).toBe(text)
      expect(await page.getByLabel('Voice').inputValue()).toBe('Hums low')

      const save = page.getByRole('button', { name: 'Save' })
      await cut(page)
      await save.click()
      await page.getByRole('alert').waitFor()
      expect(await stored(page)).toBe(text)
      await mend(page)

      await page.context().clearCookies()
      await save.click()
      await comeBack(page, 'dm')
      await expect.poll(() => stored(page)).toBe(text)

      await app.world.as('dm', 'update_npc', { npcId, body: 'He rows no more.' })
      await page.getByRole('textbox', { name: 'What is known of them' }).click()
      await save.click()
      await page.getByRole('button', { name: 'Go on with mine' }).click()
      expect(await stored(page)).toBe(text)
      await save.click()
      // By its address: the page of editing has the same heading.
      await page.waitForURL(`**/people/${npcId}`)
      const kept = await app.world.as('dm', 'get_npc', { npcId })
      expect([kept.body, kept.voice]).toEqual([text, 'Hums low'])
    })

    test(`in notes, whispers and proposals, by ${who}`, limit, async () => {
      const campaignId = app.world.id('campaign')
      const { page } = await app.open('player', app.inCampaign('/notes'))
      await page.getByRole('button', { name: 'New note' }).first().click()
      const note = await write(page, 'Note', delay)
      await page.getByLabel('Who reads it').selectOption({ label: 'One person, as a whisper' })
      await page.reload()
      await expect.poll(() => stored(page)).toBe(note)
      // The choice is there with the members whom it is about.
      await expect.poll(() => page.getByLabel('Who reads it').inputValue()).toBe('whisper')
      const whisper = page.getByRole('button', { name: 'Whisper it' })
      await cut(page)
      await whisper.click()
      await page.getByRole('alert').waitFor()
      await mend(page)
      await page.context().clearCookies()
      await whisper.click()
      await comeBack(page, 'player')
      await expect.poll(() => stored(page)).toBe(note)
      await whisper.click()
      await whisper.waitFor({ state: 'detached' })
      const { items } = await app.world.as('player', 'list_notes', { campaignId, view: 'full', limit: 5 })
      expect([items[0].body, items[0].visibility]).toEqual([note, 'whisper'])

      // A change that somebody proposes, begun in its dialog.
      await page.goto(app.base + app.inCampaign(`/people/${app.world.id('npc')}`))
      const propose = page.getByRole('button', { name: 'Propose a change' })
      await propose.click()
      await page.getByRole('button', { name: 'Add a fact' }).click()
      const fact = await write(page, 'What else is known', delay)
      await page.keyboard.press('Escape')
      await page.reload()
      await propose.click()
      const box = page.getByRole('textbox', { name: 'What else is known' })
      await expect.poll(() => box.textContent()).toBe(fact.replace(marta(), 'Marta Quill'))
      await page.getByRole('button', { name: 'Propose it' }).click()
      await page.getByText('Sent to the DM as a proposal.').waitFor()
      const { items: asked } = await app.world.as('dm', 'list_proposals', {
        campaignId,
        status: 'pending',
        view: 'full',
        limit: 3,
      })
      expect(
        asked.map((each: { changes: { input: { body?: string } }[] }) => each.changes[0]?.input.body).join(),
      ).toContain(fact)
      await app.world.as('dm', 'reject_proposals', { campaignId, proposalIds: [asked[0].id], note: 'Not yet.' })
    })
  }
})

describe.skipIf(app.missing)('what people say to each other', () => {
  test('reaches whom it concerns on their first page, is answered, and is new until it was read', limit, async () => {
    const campaignId = app.world.id('campaign')
    await app.world.as('player', 'send_whisper', {
      campaignId,
      recipientUserId: app.world.id('user', 'dm'),
      body: 'I kept the ferryman’s coin.',
    })
    const { page } = await app.open('dm', app.inCampaign(''))
    const told = page.locator('main a.row', { hasText: 'whispered to you' })
    await told.first().waitFor()
    await isSound(page)
    await told.filter({ hasText: 'ferryman’s coin' }).click()
    await page.getByText('I kept the ferryman’s coin.').waitFor()
    await page.getByRole('button', { name: 'Answer' }).click()
    const dialog = page.getByRole('dialog', { name: /^Answer/ })
    await dialog.getByRole('textbox', { name: 'Your answer' }).fill('Keep it well.')
    await isSound(page)
    await dialog.getByRole('button', { name: 'Whisper it' }).click()
    await page.getByText(/^Whispered to/).waitFor()
    await page.goto(app.base + app.inCampaign(''))
    await page.getByRole('heading', { level: 1 }).waitFor()
    await expect.poll(() => told.filter({ hasText: 'ferryman’s coin' }).count()).toBe(0)

    const player = (await app.open('player', app.inCampaign(''))).page
    await player.locator('main a.row', { hasText: 'Keep it well.' }).waitFor()
    await player.locator('main a.row', { hasText: 'did not take your proposal' }).first().waitFor()
  })

  test('asks the Dungeon Master for another state, and goes on showing what is', limit, async () => {
    const questId = app.world.id('quest')
    const { status } = await app.world.as('dm', 'get_quest', { questId })
    const { page } = await app.open('player', app.inCampaign(`/quests/${questId}`))
    const ask = page.getByRole('combobox', { name: 'Another state for the quest' })
    expect(await ask.evaluate((each) => (each as HTMLSelectElement).selectedOptions[0]?.text)).toBe('Ask the DM')
    await ask.selectOption('failed')
    await page.getByText('Sent to the DM as a proposal.').waitFor()
    expect(await ask.evaluate((each) => (each as HTMLSelectElement).selectedOptions[0]?.text)).toBe('Ask the DM')
    expect((await app.world.as('dm', 'get_quest', { questId })).status).toBe(status)
    await isSound(page)
  })
})
