import { setTimeout as delay } from 'node:timers/promises'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Person, TestWorld } from '../support/world.ts'
import { startWorld } from '../support/world-file.ts'
import { desk, findChromium, launchChromium, newPage, phone } from './chromium.ts'
import { complaintsOf, cookieOf, listening } from './shared-app.ts'

// Game nights as people use them: an answer in one tap, days to choose from, a night that moves, who was there.
const chromium = findChromium()

let world: TestWorld
let browser: Browser
let base: string
const opened: BrowserContext[] = []

beforeAll(async () => {
  if (chromium !== null) browser = await launchChromium(chromium)
})
beforeEach(async () => {
  if (chromium === null) return
  world = await startWorld()
  base = await world.server.app.listen()
})
afterEach(async () => {
  for (const context of opened.splice(0)) await context.close()
  await world?.server.stop()
})
afterAll(() => browser?.close())

/** A browser of its own, signed in as somebody, whose clock stands where the server's does. */
async function at(
  person: Person,
  path: string,
  viewport = phone,
  beforehand: (page: Page) => Promise<unknown> = async () => {},
): Promise<Page> {
  const { page } = await newPage(browser, viewport)
  opened.push(page.context())
  await beforehand(page)
  await page.clock.setFixedTime(world.server.clock())
  await page.context().addCookies([cookieOf(world, person, base)])
  await page.goto(`${base}/campaigns/${world.id('campaign')}${path}`)
  await page.locator('h1').first().waitFor()
  return page
}

const answers = (page: Page) => page.getByRole('group', { name: 'Are you coming?' }).first()
const chosen = (page: Page) => answers(page).locator('[aria-pressed="true"]')
const night = () => world.as('player', 'get_game_night', { gameNightId: world.id('game_night') })

describe.skipIf(chromium === null)('a player on a phone', () => {
  test('answers in one tap, says a word with it, and the table hears of it', async () => {
    const [player, dm] = [await at('otherPlayer', '/nights'), await at('dm', '/nights', desk)]
    await listening(world, dm)
    await answers(player).getByRole('button', { name: 'Coming' }).click()
    await expect.poll(() => chosen(player).textContent()).toBe('Coming')
    const comer = dm.locator('.comers li', { hasText: 'otherPlayer' })
    await comer.getByText('Coming').waitFor()
    const word = player.getByLabel('A word with it')
    await word.fill('Half past, the train')
    await word.press('Enter')
    await comer.getByText('“Half past, the train”').waitFor()
    await answers(player).getByRole('button', { name: 'Can’t' }).click()
    await comer.getByText('Can’t').waitFor()
    // Another answer leaves the word, and a tap says in which zone it was made.
    const mine = (await night()).rsvps.find(({ name }: { name: string }) => name === 'otherPlayer')
    expect([mine.answer, mine.note, typeof mine.timeZone]).toEqual(['no', 'Half past, the train', 'string'])
  })

  test('is shown the answer at once, and it goes back by itself where it did not arrive', async () => {
    const player = await at('otherPlayer', '')
    await answers(player).getByRole('button', { name: 'Maybe', pressed: true }).waitFor()
    await player.context().setOffline(true)
    await answers(player).getByRole('button', { name: 'Coming' }).click()
    expect(await chosen(player).textContent()).toBe('Coming')
    await player.locator('.toasts').getByText('Your answer did not reach the server and was taken back.').waitFor()
    await expect.poll(() => chosen(player).textContent()).toBe('Maybe')
    await player.context().setOffline(false)
  })

  test('has said what was pressed last, though the answer before it got lost on its way', async () => {
    const player = await at('otherPlayer', '/nights')
    let lost = 0
    await player.route('**/rsvp*', async (route) => {
      if (route.request().method() === 'GET' || lost++ > 0) return route.continue()
      return route.abort('connectionreset')
    })
    await answers(player).getByRole('button', { name: 'Coming' }).click()
    await answers(player).getByRole('button', { name: 'Can’t' }).click()
    await expect.poll(() => lost).toBe(3)
    await expect
      .poll(async () => (await night()).rsvps.find(({ name }: { name: string }) => name === 'otherPlayer')?.answer)
      .toBe('no')
    expect(await chosen(player).textContent()).toBe('Can’t')
  })

  test('is asked again when the night moves, and no more once it is called off', async () => {
    const player = await at('player', '/nights')
    await expect.poll(() => chosen(player).textContent()).toBe('Coming')
    await listening(world, player)
    const gameNightId = world.id('game_night')
    await world.as('dm', 'update_game_night', { gameNightId, startsAt: '2026-11-27T20:00' })
    await player.getByText('You had said coming to another time. Say it again.').waitFor()
    expect(await chosen(player).count()).toBe(0)
    await player
      .locator('.comers')
      .getByText(/Coming to .*, asked again/)
      .waitFor()
    await world.as('dm', 'cancel_game_night', { gameNightId, reason: 'The lamp is broken' })
    await player.getByText('Called off: “The lamp is broken”').waitFor()
    // The list of those to come is read on its own.
    await expect.poll(() => answers(player).count()).toBe(0)
  })
})

describe.skipIf(chromium === null)('days to choose from', () => {
  test('are answered box by box with the keyboard, and the best of them taken in one press', async () => {
    const [player, dm] = [await at('player', '/nights', desk), await at('dm', '/nights', desk)]
    const box = (page: Page, name: RegExp) => page.getByRole('button', { name })
    const saturday = /^Sat.*5.*you: /
    await box(player, saturday).focus()
    for (const word of ['can', 'maybe', 'cannot', 'can']) {
      await player.keyboard.press('Enter')
      await player.getByRole('button', { name: new RegExp(`^Sat.*5.*you: ${word}\\.`) }).waitFor()
    }
    const take = dm.getByRole('button', { name: /^Play on Saturday/ })
    await take.waitFor()
    expect(await complaintsOf(dm)).toEqual([])
    await take.click()
    await dm.getByText(/^Saturday.* it is\.$/).waitFor()
    await expect.poll(() => dm.getByText('When do we meet next?').count()).toBe(0)
    await dm.getByRole('heading', { name: 'After that' }).waitFor()
    const { items } = await world.as('dm', 'list_game_nights', {
      campaignId: world.id('campaign'),
      from: '2026-12-01T00:00:00Z',
    })
    expect(items.map(({ status, tentative }: { status: string; tentative: boolean }) => [status, tentative])).toEqual([
      ['cancelled', true],
      ['planned', false],
    ])
  })

  test('are asked about several at once', async () => {
    const dm = await at('dm', '/nights')
    await dm.getByRole('button', { name: 'Ask about more days' }).click()
    for (const [index, day] of ['2026-12-11', '2026-12-12'].entries()) {
      await dm.getByLabel(`Day ${index + 1}`, { exact: true }).fill(day)
      await dm.getByLabel(`Day ${index + 1}: time`, { exact: true }).fill('19:00')
    }
    await dm.getByRole('button', { name: 'Ask them' }).click()
    await expect.poll(() => dm.locator('.marks').first().locator('thead th').count()).toBe(4)
    expect(await dm.evaluate(() => document.documentElement.scrollWidth <= document.documentElement.clientWidth)).toBe(
      true,
    )
  })
})

describe.skipIf(chromium === null)('the Dungeon Master', () => {
  test('plans a night in a zone, is told of an hour that is skipped, and calls it off with a reason', async () => {
    const dm = await at('dm', '/nights/new', desk)
    await dm.getByLabel('When', { exact: true }).fill('2027-03-28')
    await dm.getByLabel('When: time zone').selectOption('Europe/Brussels')
    await dm.getByLabel('When: time', { exact: true }).fill('02:30')
    await dm.getByText('Clocks are put forward that day and skip this time. 03:30 is meant.').waitFor()
    await dm.getByLabel('When', { exact: true }).fill('2026-11-21')
    await dm.getByLabel('When: time', { exact: true }).fill('19:00')
    await dm.getByLabel('Where').fill('At Tom’s')
    await dm.getByRole('button', { name: 'Save' }).click()
    await dm.getByRole('heading', { level: 1, name: /Tomorrow at .*, at Tom’s/ }).waitFor()
    const next = await world.as('dm', 'get_next_game_night', { campaignId: world.id('campaign') })
    expect(next.gameNight).toMatchObject({ startsAt: '2026-11-21T18:00:00.000Z', timeZone: 'Europe/Brussels' })
    await dm.getByRole('button', { name: 'Call it off' }).click()
    const dialog = dm.getByRole('dialog')
    await dialog.getByLabel('Why').fill('Half of us are coughing')
    expect(await complaintsOf(dm)).toEqual([])
    await dialog.getByRole('button', { name: 'Call it off' }).click()
    await dm.getByText('Called off: “Half of us are coughing”').waitFor()
    await dm.getByRole('button', { name: 'Play after all' }).click()
    await dm.getByRole('heading', { level: 1, name: /Tomorrow/ }).waitFor()
  })

  test('begins a new night where the last one was, however late that is known, and loses no word to it', async () => {
    await world.as('dm', 'update_game_night', { gameNightId: world.id('game_night'), timeZone: 'Asia/Tokyo' })
    const dm = await at('dm', '/nights/new', desk, (page) =>
      page.route('**/game-nights?*', async (route) => {
        await delay(1000)
        await route.continue()
      }),
    )
    const day = dm.getByLabel('When', { exact: true })
    const zone = dm.getByLabel('When: time zone')
    await day.fill('2026-12-19')
    await expect.poll(() => zone.inputValue()).toBe('Asia/Tokyo')
    expect(await day.inputValue()).toBe('2026-12-19')
    // Somebody else's night elsewhere leaves the form alone.
    await listening(world, dm)
    const heard = dm.waitForResponse('**/game-nights?*')
    await world.as('dm', 'update_game_night', { gameNightId: world.id('game_night'), timeZone: 'Europe/Lisbon' })
    await heard
    await dm.getByLabel('When: time', { exact: true }).fill('19:00')
    expect(await day.inputValue()).toBe('2026-12-19')
    expect(await zone.inputValue()).toBe('Asia/Tokyo')
  })

  test('marks who was there on the page of the session, and everybody reads it among the nights', async () => {
    const dm = await at('dm', `/sessions/${world.id('session')}`, desk)
    const mark = (name: string) => dm.locator('.attendance-marks').getByRole('button', { name, exact: true })
    expect(await mark('player').getAttribute('aria-pressed')).toBe('true')
    await mark('otherPlayer').click()
    await expect.poll(() => mark('otherPlayer').getAttribute('aria-pressed')).toBe('true')
    await mark('player').click()
    await expect
      .poll(async () =>
        (await world.as('viewer', 'get_session', { sessionId: world.id('session') })).attendance
          .filter(({ present }: { present: boolean }) => present)
          .map(({ name }: { name: string }) => name),
      )
      .toEqual(['dm', 'otherPlayer'])
    const viewer = await at('viewer', '/nights')
    const row = viewer.locator('.attendance tr', { hasText: 'otherPlayer' })
    await row.getByText('there').waitFor()
    expect(await answers(viewer).count()).toBe(0)
  })
})

describe.skipIf(chromium === null)('the calendar', () => {
  test('has an address of one’s own that a new one ends', async () => {
    const player = await at('player', '/nights')
    const shown = player.locator('.calendar-feed code')
    const before = String(await shown.textContent())
    expect((await fetch(before)).status).toBe(200)
    await player.getByRole('button', { name: 'Make a new one' }).click()
    await player.getByRole('dialog').getByRole('button', { name: 'Make a new one' }).click()
    await expect.poll(async () => shown.textContent()).not.toBe(before)
    expect((await fetch(before)).status).toBe(404)
    expect((await fetch(String(await shown.textContent()))).status).toBe(200)
  })
})
