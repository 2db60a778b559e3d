import type { Page, Request } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { phone } from './chromium.ts'
import { pagesOfCampaign } from './every-page.ts'
import { isSound, lookAs, shareApp, tabTo } from './shared-app.ts'

// A Dungeon Master looks through the eyes of a player: every page says to them what it says to that player.

const app = shareApp()
const limit = { timeout: 600_000 }

/**
 * The pages of a campaign that are read, of every kind of thing and of what is hidden too; what others write to themselves is
 * not looked at.
 */
function addresses(): readonly string[] {
  const all = pagesOfCampaign(app, { dm: false, forms: false, hidden: true })
  return all.filter((address) => !/\/(notes|notices)(\/|$)/.test(address))
}

/** How many answers the page waits for. */
function counted(page: Page): Page & { waitingFor(): number } {
  const asked = new Set<Request>()
  page.on('request', (request) => void (request.resourceType() === 'fetch' && asked.add(request)))
  const ended = (request: Request) => void asked.delete(request)
  page.on('requestfinished', ended)
  page.on('requestfailed', ended)
  return Object.assign(page, { waitingFor: () => asked.size })
}

/** What a page says, once it has come to rest. */
async function wordsOn(page: ReturnType<typeof counted>, address: string): Promise<string> {
  await page.goto(app.base + address)
  await page.locator('main :is(h1, h2, form, [role=alert])').first().waitFor()
  // What stands on a map comes with its picture.
  if (/\/maps\/\d/.test(address)) await page.locator('.map-sheet > img, main h1.h3').first().waitFor()
  let before = ''
  for (;;) {
    const text = await page.locator('main').innerText()
    // The secret address of somebody's calendar is theirs alone.
    const now = text.replace(/In your own calendar[\s\S]*Make a new one\n/, '')
    if (now === before && page.waitingFor() === 0 && !now.includes('Turning the page')) return now
    before = now
    await page.waitForTimeout(150)
  }
}

describe.skipIf(app.missing)('who looks through the eyes of a player', () => {
  test('reads on every page what that player reads', limit, async () => {
    // What they were told of and have not read yet is theirs alone: nothing of it waits.
    await app.world.as('player', 'mark_notifications_read', { all: true })
    const { page: dm, complaints } = await app.open('dm', app.inCampaign(''), { sameTime: true })
    const { page: player } = await app.open('player', app.inCampaign(''), { sameTime: true })
    await lookAs(dm, 'player')
    const [one, other] = [counted(player), counted(dm)]
    for (const address of addresses()) {
      const [theirs, seen] = await Promise.all([wordsOn(one, address), wordsOn(other, address)])
      expect.soft(seen, address).toBe(theirs)
      expect(await dm.getByText('You see what player sees.').count(), address).toBe(1)
    }
    expect(complaints).toEqual([])
  })

  test('changes nothing, sees with their own eyes again, and is told on each page', limit, async () => {
    const { page } = await app.open('dm', app.inCampaign(`/quests/${app.world.id('quest')}`))
    const twist = page.getByText('Only you see this').first()
    await twist.waitFor()
    await lookAs(page, 'player')
    await twist.waitFor({ state: 'detached' })
    await isSound(page)
    const step = page.getByRole('checkbox', { name: 'Find the maker’s mark' })
    await step.click()
    await page.locator('.toasts').getByText('Stop looking as player to change it yourself.').waitFor()
    expect(await step.isChecked()).toBe(false)
    await page.reload()
    await page.getByText('You see what player sees.').waitFor()
    await page.getByRole('button', { name: 'Stop', exact: true }).click()
    await twist.waitFor()
    await lookAs(page, 'player')
    await page.goto(`${app.base}/campaigns`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.goto(app.base + app.inCampaign(`/quests/${app.world.id('quest')}`))
    await twist.waitFor()
  })

  test('hears of what that player sees, and does it by keyboard on a phone too', limit, async () => {
    const { page } = await app.open('dm', app.inCampaign('/people'), { viewport: phone })
    await tabTo(page, /^View as a player$/)
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: 'Through whose eyes?' })
    await dialog.waitFor()
    await isSound(page)
    await dialog.getByRole('button', { name: 'player Player', exact: true }).press('Enter')
    await page.getByText('You see what player sees.').waitFor()
    await isSound(page)
    await expect.poll(() => app.world.server.app.hub.count()).toBeGreaterThan(0)
    await app.world.as('dm', 'create_npc', {
      campaignId: app.world.id('campaign'),
      name: 'Nobody Knows Her',
      hidden: true,
    })
    await app.world.as('dm', 'create_npc', { campaignId: app.world.id('campaign'), name: 'Everybody Knows Her' })
    await page.getByText('Everybody Knows Her').first().waitFor()
    expect(await page.getByText('Nobody Knows Her').count()).toBe(0)
  })
})
