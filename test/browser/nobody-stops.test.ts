import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { admin, callsOn, makeFolders, setUp, startServerProcess } from '../process/server-process.ts'
import { desk, newPage, phone } from './chromium.ts'
import { isSound, listening, shareApp } from './shared-app.ts'

// The places where somebody stopped, was misled, or lost words.

const app = shareApp()
const limit = { timeout: 600_000 }
const undo = (page: Page) => page.locator('.toasts').getByRole('button', { name: 'Undo' })
const status = (page: Page) => page.locator('.sidebar .connection')

describe.skipIf(app.missing)('what a Dungeon Master did is undone from its toast', () => {
  test('an edit', limit, async () => {
    const npcId = app.world.id('npc')
    const { page } = await app.open('dm', app.inCampaign(`/people/${npcId}/edit`))
    const { name } = await app.world.as('dm', 'get_npc', { npcId })
    await page.getByLabel('Name', { exact: true }).fill('Marta of the Thirteen Bells')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { name: 'Marta of the Thirteen Bells' }).waitFor()
    await undo(page).click()
    await page.getByRole('heading', { name, exact: true }).waitFor()
  })

  test('what a form in place changed', limit, async () => {
    const { page } = await app.open('dm', app.inCampaign(`/quests/${app.world.id('quest')}`))
    const text = 'Find the maker’s mark'
    await page.getByRole('button', { name: `More about the step “${text}”` }).click()
    await page.getByRole('menuitem', { name: 'Edit' }).click()
    await page.getByLabel('Step', { exact: true }).fill('Find the maker, if he lives')
    await page.getByRole('button', { name: 'Keep it' }).click()
    await page.getByRole('checkbox', { name: 'Find the maker, if he lives' }).waitFor()
    await undo(page).click()
    await page.getByRole('checkbox', { name: text }).waitFor()
  })

  test('how the world counts, and what the table promised', limit, async () => {
    const campaignId = app.world.id('campaign')
    const { months } = await app.world.as('dm', 'get_world_calendar', { campaignId })
    const { page } = await app.open('dm', app.inCampaign('/timeline'))
    await page.locator('.calendar-editor summary').click()
    await page.getByLabel(/^(Month|Days between,) 1$/).fill('Thawing')
    await page.getByRole('button', { name: 'Save the calendar' }).click()
    await undo(page).click()
    await expect.poll(() => page.getByLabel(/^(Month|Days between,) 1$/).inputValue()).toBe(months[0].name)
    expect((await app.world.as('dm', 'get_world_calendar', { campaignId })).months).toEqual(months)

    const { tone } = await app.world.as('dm', 'get_charter', { campaignId })
    await page.goto(app.base + app.inCampaign('/charter'))
    await page.getByRole('button', { name: /^(Change the charter|Write it together)$/ }).click()
    await page.getByLabel('What kind of tale it is').fill('Quiet dread, and soup.')
    await page.getByRole('button', { name: 'Keep it' }).first().click()
    await page.getByText('Quiet dread, and soup.').waitFor()
    await undo(page).last().click()
    await expect.poll(async () => (await app.world.as('dm', 'get_charter', { campaignId })).tone).toBe(tone)
    await page.getByText('Quiet dread, and soup.').waitFor({ state: 'detached' })
  })

  test('a tick, by a player too', limit, async () => {
    for (const person of ['player', 'dm'] as const) {
      const { page } = await app.open(person, app.inCampaign(`/quests/${app.world.id('quest')}`))
      const step = page.getByRole('checkbox', { name: 'Find the maker’s mark' })
      await step.click()
      await undo(page).click()
      await expect.poll(() => step.isChecked()).toBe(false)
      await expect
        .poll(
          async () => (await app.world.as('dm', 'get_quest', { questId: app.world.id('quest') })).objectives[0].done,
        )
        .toBe(false)
    }
  })

  test('something that was shown to the party', limit, async () => {
    const npcId = app.world.id('npc', 'hidden')
    const { page } = await app.open('dm', app.inCampaign(`/people/${npcId}`))
    await page.getByRole('button', { name: /^More about/ }).click()
    await page.getByRole('menuitem', { name: 'Show them to the party' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Show it' }).click()
    await undo(page).click()
    await expect.poll(async () => (await app.world.as('dm', 'get_npc', { npcId })).hidden).toBe(true)
  })

  test('a proposal that was taken', limit, async () => {
    const npcId = app.world.id('npc')
    const before = await app.world.as('dm', 'get_npc', { npcId })
    await app.world.as('player', 'update_npc', { npcId, voice: 'Counts under her breath' })
    const { page } = await app.open('dm', app.inCampaign('/inbox?show=waiting'))
    const proposal = page.locator('article', { hasText: 'Counts under her breath' })
    await proposal.getByRole('button', { name: 'Take it' }).click()
    await undo(page).click()
    await expect.poll(async () => (await app.world.as('dm', 'get_npc', { npcId })).voice).toBe(before.voice)
  })

  test('the end of a session', limit, async () => {
    const sessionId = app.world.id('session', 'planned')
    await app.world.as('dm', 'start_session', { sessionId })
    const { page } = await app.open('dm', app.inCampaign(`/sessions/${sessionId}`))
    await page.getByRole('button', { name: 'End the session' }).click()
    await page.getByText('Played on').waitFor()
    await undo(page).click()
    await page.getByText('It is as it was.').waitFor()
    await page.getByRole('button', { name: 'End the session' }).waitFor()
    expect((await app.world.as('dm', 'get_session', { sessionId })).status).toBe('live')
    await isSound(page)
  })
})

test.skipIf(app.missing)(
  'what is to be done before a session is ticked at home, in words, and is ticked on its page',
  limit,
  async () => {
    const campaignId = app.world.id('campaign')
    const { nextSession } = await app.world.as('dm', 'get_campaign_summary', { campaignId })
    const sessionId = nextSession.id
    const prep = `- [ ] Give [Marta](npc:${app.world.id('npc')}) a **voice**`
    await app.world.as('dm', 'update_session', { sessionId, prep })
    const { page } = await app.open('dm', app.inCampaign(''))
    await page.getByRole('checkbox', { name: 'Give Marta a voice' }).click()
    const kept = async () => (await app.world.as('dm', 'get_session', { sessionId })).prep
    await expect.poll(kept).toBe(prep.replace('[ ]', '[x]'))
    await page.goto(app.base + app.inCampaign(`/sessions/${sessionId}`))
    await page.getByText('☑ Give').waitFor()
  },
)

describe.skipIf(app.missing)('the word about the connection', () => {
  test('follows the stream: nothing is saved while nobody answers', limit, async () => {
    const { page } = await app.open('player', app.inCampaign('/people'))
    await listening(app.world, page)
    await expect.poll(() => status(page).textContent()).toBe('Saved')
    // A server that has died refuses every connection, and ends those that are open.
    await page.route('**/api/**', (route) => route.abort('connectionrefused'))
    app.world.server.app.hub.endAll()
    await expect.poll(() => status(page).textContent()).toBe('Offline')
    await page.unroute('**/api/**')
    await expect.poll(() => status(page).textContent()).toBe('Saved')
  })

  test(
    'is Offline when the server is killed; a tick is taken back and says so, and Try again is asked once',
    limit,
    async () => {
      const folders = makeFolders()
      let server = await startServerProcess(folders)
      try {
        const { address } = server
        const call = callsOn(address, await setUp(address))
        const made = async (path: string, body: object): Promise<number> =>
          ((await call('POST', `/api/v1${path}`, body)).body as { id: number }).id
        const campaignId = await made('/campaigns', { name: 'A tale in the dark' })
        const questId = await made(`/campaigns/${campaignId}/quests`, { title: 'Find a candle' })
        await made(`/quests/${questId}/objectives`, { text: 'Feel along the wall' })
        const { page } = await newPage(app.browser, desk)
        await page.goto(address)
        await page.getByLabel('Name').fill(admin.username)
        await page.getByLabel('Password', { exact: true }).fill(admin.password)
        await page.keyboard.press('Enter')
        await page.getByRole('heading', { level: 1 }).getByText('Welcome back').waitFor({ state: 'detached' })
        await page.goto(`${address}/campaigns/${campaignId}/quests/${questId}`)
        const step = page.getByRole('checkbox', { name: 'Feel along the wall' })
        await step.waitFor()
        await expect.poll(() => status(page).textContent()).toBe('Saved')
        // The code of pages is fetched ahead; of what they show there is nothing yet.
        await page.waitForFunction(() =>
          performance.getEntriesByType('resource').some(({ name }) => /\/people-/.test(name)),
        )
        await page.waitForTimeout(500)

        await server.kill()
        await expect.poll(() => status(page).textContent()).toBe('Offline')
        await step.click()
        await page.getByText('did not reach the server and was taken back').waitFor()
        expect(await step.isChecked()).toBe(false)
        await page.getByRole('link', { name: 'People', exact: true }).first().click()
        await page.getByRole('button', { name: 'Try again' }).waitFor()
        expect(await page.getByRole('alert').count()).toBe(1)

        server = await startServerProcess(folders, { env: { PORT: new URL(address).port } })
        await page.getByRole('button', { name: 'Try again' }).click()
        await page.getByRole('button', { name: 'Try again' }).waitFor({ state: 'detached' })
        await expect.poll(() => status(page).textContent()).toBe('Saved')
        await page.context().close()
      } finally {
        await server.kill()
        folders.remove()
      }
    },
  )
})

describe.skipIf(app.missing)('who sees a thing', () => {
  test('is what its form and its page say first, and begins as the campaign says', limit, async () => {
    const campaignId = app.world.id('campaign')
    await app.world.as('dm', 'update_campaign_settings', { campaignId, hidesNewThings: true })
    const { page } = await app.open('dm', app.inCampaign('/people/new'))
    const seen = page.getByRole('switch', { name: 'Players can see this' })
    expect(await seen.isChecked()).toBe(false)
    const [first] = await page.locator('form input, form textarea').all()
    expect(await first?.getAttribute('role')).toBe('switch')
    await page.getByLabel('Name', { exact: true }).fill('Osk the Ferryman')
    await isSound(page)
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Players: do not see this').waitFor()
    await isSound(page)
    await page.getByRole('button', { name: 'Show it' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Show it' }).click()
    await page.getByText('Players: can see this').waitFor()
    // Opened and left again nothing was written, so nothing is asked and nothing kept.
    await page.goto(app.base + app.inCampaign('/places/new'))
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.goto(app.base + app.inCampaign('/places/new'))
    await page.getByRole('switch', { name: 'Players can see this' }).waitFor()
    expect(await page.getByText('What you wrote here earlier').count()).toBe(0)
  })

  test('a new campaign hides what is new', limit, async () => {
    const { id: campaignId } = await app.world.as('dm', 'create_campaign', { name: 'A new tale' })
    expect((await app.world.as('dm', 'get_campaign_settings', { campaignId })).hidesNewThings).toBe(true)
  })
})

describe.skipIf(app.missing)('a form', () => {
  test(
    'says at the field what does not fit, once and in a person’s words, and takes no more than fits',
    limit,
    async () => {
      const { page } = await app.open('dm', app.inCampaign('/people/new'))
      await page.getByLabel('Name', { exact: true }).fill('n'.repeat(130))
      expect((await page.getByLabel('Name', { exact: true }).inputValue()).length).toBe(120)
      await page.getByLabel('Name', { exact: true }).fill('   ')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByText('This is needed.').waitFor()
      expect(await page.getByText('This is needed.').count()).toBe(1)
      expect(await page.getByText(/expected|received|Too small/).count()).toBe(0)
      await isSound(page)
    },
  )

  test('in place is closed by Escape, and asks first where something was written', limit, async () => {
    const { page } = await app.open('dm', app.inCampaign(`/quests/${app.world.id('quest')}`))
    await page.getByRole('button', { name: 'Add steps' }).click()
    const step = page.locator('.step-form input[type=text], .step-form input:not([type])').first()
    await step.press('Escape')
    await step.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Add steps' }).click()
    await step.pressSequentially('Ask the bell-ringer')
    await step.press('Escape')
    await page
      .getByRole('dialog', { name: 'Close it without saving?' })
      .getByRole('button', { name: 'Go on writing' })
      .click()
    expect(await step.inputValue()).toBe('Ask the bell-ringer')
    await step.press('Escape')
    await page.getByRole('dialog').getByRole('button', { name: 'Throw it away' }).click()
    await step.waitFor({ state: 'detached' })
  })
})

describe.skipIf(app.missing)('a list', () => {
  test('is as narrow as it was when one comes back, and begins anew where it is opened anew', limit, async () => {
    const { page } = await app.open('player', app.inCampaign('/people'))
    const box = page.getByRole('searchbox')
    await box.fill('marta')
    await page.waitForFunction(() => (history.state as { typed?: string } | null)?.typed === 'marta')
    await expect.poll(() => page.locator('.npc-grid a').count()).toBe(1)
    await page.locator('.npc-grid a').first().click()
    await page.getByRole('heading', { level: 1, name: /^Marta/ }).waitFor()
    await page.goBack()
    await expect.poll(() => box.inputValue()).toBe('marta')
    await expect.poll(() => page.locator('.npc-grid a').count()).toBe(1)
    await page.getByRole('link', { name: 'Quests', exact: true }).first().click()
    await page.getByRole('heading', { level: 1, name: 'Quests' }).waitFor()
    await page.getByRole('link', { name: 'People', exact: true }).first().click()
    await expect.poll(() => page.locator('.npc-grid a').count()).toBeGreaterThan(1)
    expect(await box.inputValue()).toBe('')
  })

  test('of what has a tag is a press on the tag away', limit, async () => {
    const { page } = await app.open('player', app.inCampaign(`/quests/${app.world.id('quest')}`))
    await page.getByRole('link', { name: 'orchard', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'Quests' }).waitFor()
    await page.getByText('A cradle with no maker').first().waitFor()
    expect(await page.locator('.quest-rows [data-row]').count()).toBe(1)
    await isSound(page)
    const all = page.getByRole('link', { name: 'Show all quests' })
    await all.click()
    await all.waitFor({ state: 'detached' })
  })
})

describe.skipIf(app.missing)('a player who would have something otherwise', () => {
  const propose = async (way: string) => {
    const { page } = await app.open('player', app.inCampaign(`/people/${app.world.id('npc')}`), { viewport: phone })
    await page.getByRole('button', { name: 'Propose a change' }).click()
    const dialog = page.getByRole('dialog', { name: /^What about/ })
    await dialog.getByRole('button', { name: way }).click()
    return { page, dialog }
  }

  test('mends a word, adds a fact or asks, and the long form stands behind', limit, async () => {
    const campaignId = app.world.id('campaign')
    const mend = await propose('Mend a word')
    await mend.dialog.getByLabel('The word that is wrong').fill('lodger')
    await mend.dialog.getByText('It does not stand there so.').waitFor()
    await mend.dialog.getByLabel('The word that is wrong').fill('ledger')
    await mend.dialog.getByLabel('What it should be').fill('account book')
    await isSound(mend.page)
    await mend.dialog.getByRole('button', { name: 'Propose it' }).click()
    await mend.page.getByText('Sent to the DM as a proposal.').waitFor()
    const { items } = await app.world.as('dm', 'list_proposals', {
      campaignId,
      status: 'pending',
      view: 'full',
      limit: 50,
    })
    const [proposal] = items.filter(({ reason }: { reason: string }) => reason === '“ledger” should be “account book”')
    expect(proposal.changes[0].input.body).toContain('account book')

    const { page, dialog } = await propose('Ask a question')
    await dialog.getByLabel('Your question').fill('Did she know my mother?')
    await dialog.getByRole('button', { name: 'Ask the DM' }).click()
    await page.getByText('The DM has it.').waitFor()
    const inbox = await app.world.as('dm', 'list_inbox_items', { campaignId, view: 'full', limit: 50 })
    expect(inbox.items.map(({ body }: { body: string }) => body)).toContain('Did she know my mother?')
    await page.getByRole('button', { name: 'Propose a change' }).click()
    await page.getByRole('link', { name: 'The long form' }).click()
    await page.getByRole('button', { name: 'Propose it' }).waitFor()
  })

  test('finds at a person and a place the quests that point at them', limit, async () => {
    const questId = app.world.id('quest')
    const { title, giverNpc, location } = await app.world.as('dm', 'get_quest', { questId })
    for (const path of [`/people/${giverNpc.id}`, `/places/${location.id}`]) {
      const { page } = await app.open('player', app.inCampaign(path))
      await page.locator('main a.row', { hasText: title }).waitFor()
    }
  })
})

describe.skipIf(app.missing)('the look of it', () => {
  test('follows the device until somebody chooses', limit, async () => {
    const { page } = await app.open('player', app.inCampaign(''), { colorScheme: 'light' })
    const theme = () => page.evaluate(() => document.documentElement.dataset.theme)
    await expect.poll(theme).toBe('vellum')
    await page.emulateMedia({ colorScheme: 'dark' })
    await expect.poll(theme).toBe('ink')
    await page.emulateMedia({ contrast: 'more' })
    await expect.poll(theme).toBe('contrast')
    await page.emulateMedia({ contrast: 'no-preference' })
    await page.goto(`${app.base}/account`)
    await page.getByRole('button', { name: 'Vellum' }).click()
    await page.reload()
    await page.emulateMedia({ colorScheme: 'dark', contrast: 'more' })
    await expect.poll(theme).toBe('vellum')
  })
})
