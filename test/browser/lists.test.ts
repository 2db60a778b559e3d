import type { Page, Response } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { phone } from './chromium.ts'
import { isSound, shareApp } from './shared-app.ts'

// Lists that the server narrows, orders and counts; changes in words; what the first page loads, and how it looks.

const app = shareApp()
const limit = { timeout: 600_000 }
const campaignId = () => app.world.id('campaign')
const names = (page: Page) => page.locator('.npc-grid a strong').allTextContents()

/** Names and bytes of what a page has asked the server for, from now on. */
function asked(page: Page): { readonly calls: string[]; bytes(): Promise<number> } {
  const calls: string[] = []
  const answers: Response[] = []
  page.on('response', (answer) => {
    const { pathname } = new URL(answer.url())
    if (!pathname.startsWith('/api/v1/') || pathname.endsWith('/events')) return
    calls.push(pathname)
    answers.push(answer)
  })
  const size = async (answer: Response) => (await answer.body().catch(() => Buffer.alloc(0))).length
  return {
    calls,
    bytes: async () => (await Promise.all(answers.map(size))).reduce((sum, each) => sum + each, 0),
  }
}

describe.skipIf(app.missing)('people', () => {
  test(
    'stand in the order that was chosen, narrowed by place and tag, and are so when one comes back',
    limit,
    async () => {
      const { world } = app
      const mill = await world.as('dm', 'create_location', { campaignId: campaignId(), name: 'The drowned mill' })
      const before = (await world.as('player', 'list_npcs', { campaignId: campaignId(), limit: 200 })).items.length
      for (let index = 0; index < 210; index++) {
        const input = { campaignId: campaignId(), name: `Zed ${String(index).padStart(2, '0')}`, tags: ['zeds'] }
        await world.as('dm', 'create_npc', index < 3 ? { ...input, locationId: mill.id } : input)
      }
      await world.as('dm', 'create_npc', { campaignId: campaignId(), name: 'Aaron', hidden: true })
      const { page } = await app.open('player', app.inCampaign('/people'))
      await expect.poll(async () => (await names(page))[0]).toMatch(/^Zed/)
      await page.getByText(`200 of ${before + 210} people`).waitFor()
      await page.getByRole('combobox', { name: 'In which order' }).selectOption('name')
      await expect.poll(async () => (await names(page))[0]).not.toMatch(/^Zed/)
      await page.getByRole('combobox', { name: 'Where' }).selectOption({ label: 'The drowned mill' })
      await expect.poll(() => names(page)).toEqual(['Zed 00', 'Zed 01', 'Zed 02'])
      await page.getByRole('combobox', { name: 'With which tag' }).selectOption('zeds')
      await isSound(page)
      await page.waitForFunction(() => (history.state as { place?: string } | null)?.place)
      await page.getByRole('link', { name: /Zed 01/ }).click()
      await page.getByRole('heading', { level: 1, name: 'Zed 01' }).waitFor()
      await page.goBack()
      await expect.poll(() => names(page)).toEqual(['Zed 00', 'Zed 01', 'Zed 02'])
      await page.getByRole('combobox', { name: 'Where' }).selectOption('')
      await page.getByText('200 of 210 people').waitFor()
      await page.getByRole('button', { name: 'Show more' }).click()
      await page.getByText('210 people', { exact: true }).waitFor()

      const { page: dm } = await app.open('dm', app.inCampaign('/people'))
      await dm.getByRole('button', { name: /^All \d+$/ }).waitFor()
      await dm.getByRole('button', { name: 'Hidden from players' }).click()
      await expect.poll(() => names(dm)).toContain('Aaron')
      await isSound(dm)
    },
  )
})

describe.skipIf(app.missing)('the history and the trash', () => {
  test('have a place of their own, and are narrowed beyond what the page has read', limit, async () => {
    const { world } = app
    const { id } = await world.as('dm', 'create_npc', { campaignId: campaignId(), name: 'Old Quince' })
    for (let index = 0; index < 60; index++)
      await world.as('dm', 'update_npc', { npcId: world.id('npc'), voice: `Voice ${index}` })
    await world.as('dm', 'delete_npc', { npcId: id })
    const { page } = await app.open('dm', app.inCampaign('/quests'))
    await page.getByRole('navigation', { name: 'Contents' }).getByRole('link', { name: 'History' }).click()
    await page.getByRole('heading', { level: 1, name: 'History' }).waitFor()
    const entries = page.locator('.timeline > li')
    await expect.poll(() => entries.count()).toBe(50)
    await page.getByRole('searchbox').fill('quince')
    await expect.poll(() => entries.count()).toBe(2)
    await page.getByRole('searchbox').fill('')
    await page.getByRole('combobox', { name: 'Which kind of thing' }).selectOption('quest')
    await expect.poll(async () => (await entries.allTextContents()).some((text) => text.includes('person'))).toBe(false)
    await page.waitForFunction(() => (history.state as { kind?: string } | null)?.kind === 'quest')
    await isSound(page)
    await page.getByRole('navigation', { name: 'Contents' }).getByRole('link', { name: 'Trash' }).click()
    await page.getByRole('heading', { level: 1, name: 'Trash' }).waitFor()
    await page.getByRole('searchbox').fill('quin')
    await page.getByText('Old Quince').waitFor()
    await expect.poll(() => page.locator('.rows .row').count()).toBe(1)
    await isSound(page)
    await page.goBack()
    await expect.poll(() => page.getByRole('combobox', { name: 'Which kind of thing' }).inputValue()).toBe('quest')
  })

  test('a change is told in words, with its Markdown drawn and its names from one answer', limit, async () => {
    const { world } = app
    const [here, there] = [
      world.id('location'),
      (await world.as('dm', 'create_location', { campaignId: campaignId(), name: 'The toll house' })).id,
    ]
    const npcId = (
      await world.as('dm', 'create_npc', {
        campaignId: campaignId(),
        name: 'Tibb',
        locationId: here,
        body: 'Sells **pears**.',
      })
    ).id
    await world.as('dm', 'update_npc', {
      npcId,
      locationId: there,
      body: `Sells **plums** to [Marta](npc:${world.id('npc')}).`,
    })
    await world.as('dm', 'create_objective', { questId: world.id('quest'), text: 'Ask Tibb' })
    const { page } = await app.open('dm', app.inCampaign('/history'))
    const seen = asked(page)
    const entry = page.locator('.timeline > li', { hasText: 'changes a person: Tibb' }).first()
    await entry.getByRole('button', { name: 'See the words' }).click()
    await entry.locator('ins strong', { hasText: 'plums' }).waitFor()
    await entry.locator('del strong', { hasText: 'pears' }).waitFor()
    await entry.locator('ins a', { hasText: 'Marta' }).waitFor()
    await entry.locator('ins', { hasText: 'The toll house' }).waitFor()
    expect(await entry.getByText(/npc:\d|\*\*/).count()).toBe(0)
    expect(seen.calls.filter((path) => /\/(npcs|locations)\//.test(path))).toEqual([])
    await isSound(page)
    const step = page.locator('.timeline > li', { hasText: 'adds a step' }).first()
    await step.getByRole('button', { name: 'See the words' }).click()
    await step.locator('ins', { hasText: 'Ask Tibb' }).waitFor()
    expect(await step.getByText('Optional').count()).toBe(0)
  })
})

describe.skipIf(app.missing)('the first page', () => {
  test('loads what it shows, with a thousand people as with ten', limit, async () => {
    const { world } = app
    const read = async (person: 'dm' | 'player') => {
      const { page } = await app.open(person, '/campaigns')
      const seen = asked(page)
      await page.goto(app.base + app.inCampaign(''))
      await page.locator('.portrait-bar a').first().waitFor()
      await page.waitForTimeout(1_000)
      return seen.bytes()
    }
    const few = [await read('dm'), await read('player')]
    for (let index = 0; index < 1_000; index++)
      await world.as('dm', 'create_npc', {
        campaignId: campaignId(),
        name: `Villager ${index}`,
        body: 'Somebody. '.repeat(40),
      })
    const many = [await read('dm'), await read('player')]
    console.log(`home: ${few.join(' and ')} bytes with few people, ${many.join(' and ')} with a thousand more`)
    for (const [index, bytes] of many.entries()) expect(bytes).toBeLessThan(Math.max(40_000, (few[index] ?? 0) * 1.25))
  })

  test('is a scene of our own, from edge to edge, with the last chapter in the face of a book', limit, async () => {
    const { page } = await app.open('dm', '/campaigns/new', { viewport: { width: 1920, height: 900 } })
    await page.getByLabel('Title').fill('The light on the headland')
    expect(await page.getByRole('radio').count()).toBe(6)
    await page.getByText('A light on the headland').click()
    await page.waitForFunction(() =>
      [...document.images].every(({ complete, naturalWidth }) => complete && naturalWidth > 0),
    )
    await isSound(page)
    await page.getByRole('button', { name: 'Open the book' }).click()
    const hero = page.locator('.cover-header')
    await hero.waitFor()
    expect(await hero.locator('img').getAttribute('src')).toBe('/art/headland.svg')
    const box = await hero.boundingBox()
    const rail = await page.locator('.sidebar').boundingBox()
    expect(Math.round((box?.x ?? 0) - (rail?.width ?? 0))).toBeLessThanOrEqual(0)
    expect(Math.round((box?.x ?? 0) + (box?.width ?? 0))).toBeGreaterThanOrEqual(1_905)
    await isSound(page)

    // Nobody plays here yet: it says so, and the only DM is not shown the door.
    await page.getByRole('link', { name: 'Members', exact: true }).first().click()
    await page.getByRole('heading', { level: 1, name: 'Members' }).waitFor()
    await page.getByText('Dungeon Master', { exact: true }).first().waitFor()
    expect(await page.getByRole('button', { name: 'Leave this campaign' }).count()).toBe(0)

    const sessionId = app.world.id('session')
    await app.world.as('dm', 'update_session', { sessionId, prep: 'The ferry is late.', dmSecret: 'He is the thief.' })
    await page.goto(app.base + app.inCampaign(`/sessions/${sessionId}`))
    await page.getByText('Preparation: only you see this').waitFor()
    await page.getByText('Secrets: only you see this').waitFor()
    const face = await page
      .locator('.lead')
      .first()
      .evaluate((each) => getComputedStyle(each).fontFamily)
    expect(face).toContain('Alegreya')
  })
})

describe.skipIf(app.missing)('on a phone', () => {
  test(
    'search is one press away, and the pen lies on nothing that can be pressed at the end of a page',
    limit,
    async () => {
      for (const path of [
        '',
        '/people',
        `/people/${app.world.id('npc')}`,
        `/quests/${app.world.id('quest')}`,
        '/notes',
        '/members',
      ]) {
        const { page } = await app.open('dm', app.inCampaign(path), { viewport: phone })
        await page.getByRole('button', { name: 'Find or do' }).filter({ visible: true }).waitFor()
        await page.waitForTimeout(300)
        // A long list grows while one scrolls: its last row is there when nothing more is to come.
        await page.waitForFunction(() => {
          scrollTo(0, document.documentElement.scrollHeight)
          const atEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 1
          return atEnd && !document.querySelector('.window-end')
        })
        const under = await page.evaluate(() => {
          const pen = document.querySelector('.capture-button')?.getBoundingClientRect()
          if (!pen) return []
          const lies = (each: Element) => {
            const { left, right, top, bottom, width } = each.getBoundingClientRect()
            return width > 0 && left < pen.right && right > pen.left && top < pen.bottom && bottom > pen.top
          }
          return [...document.querySelectorAll('main :is(button, a, input, select, textarea)')]
            .filter(lies)
            .map((each) => each.textContent)
        })
        expect(under, path).toEqual([])
      }
    },
  )
})

describe.skipIf(app.missing)('the bar at the foot of a phone', () => {
  test('shows to who is asked to roll that they are', limit, async () => {
    const characterId = app.world.id('character')
    const before = await app.world.as('player', 'list_check_requests', { campaignId: campaignId(), status: 'open' })
    await app.world.as('dm', 'request_check', {
      campaignId: campaignId(),
      characterIds: [characterId],
      checkId: 'skill.perception',
    })
    const { page } = await app.open('player', app.inCampaign('/people'), { viewport: phone })
    const place = page.getByRole('navigation', { name: 'Places' }).getByRole('link', { name: /^Table/ })
    await expect.poll(() => place.locator('.dot').textContent()).toBe(String(before.items.length + 1))
    await isSound(page)
  })
})

describe.skipIf(app.missing)('words', () => {
  test('are those of a friend, and say whom they mean', limit, async () => {
    await app.world.as('dm', 'create_invite', { campaignId: campaignId(), role: 'player' })
    const { page } = await app.open('dm', app.inCampaign('/members'))
    await page.getByRole('heading', { name: 'Open invitations' }).waitFor()
    const text = await page.locator('main').innerText()
    expect(text).not.toMatch(/tki_|consent|withheld|\bpeople\b/i)
    const { page: keeper } = await app.open('admin', '/admin/appliance')
    await keeper.getByRole('link', { name: 'Accounts' }).first().waitFor()
  })

  test('dates and clocks are those of the reader’s country', limit, async () => {
    const nightId = app.world.id('game_night')
    const { startsAt } = await app.world.as('dm', 'get_game_night', { gameNightId: nightId })
    const shown: string[] = []
    for (const locale of ['de-DE', 'en-US']) {
      const { page } = await app.open('player', app.inCampaign(`/nights/${nightId}`), { locale })
      await page.locator('.night-scene').waitFor()
      await page.waitForTimeout(200)
      shown.push(await page.locator('main').innerText())
    }
    const [german = '', american = ''] = shown
    expect(new Date(startsAt).getTime()).toBeGreaterThan(0)
    expect(german).not.toMatch(/\d (AM|PM)\b/)
    expect(american).toMatch(/\d\s(AM|PM)\b/)
  })
})
