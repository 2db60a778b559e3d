import { AxeBuilder } from '@axe-core/playwright'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestServer } from '../support/server.ts'
import type { Person, TestWorld } from '../support/world.ts'
import { startWorld } from '../support/world-file.ts'
import { desk, findChromium, launchChromium, newPage, phone } from './chromium.ts'
import { cookieOf } from './shared-app.ts'

// The story by keys alone, on the desk and on a phone; what a player gets of it; and one that is very long.
const chromium = findChromium()

let server: TestServer
let world: TestWorld
let browser: Browser
let base: string

beforeAll(async () => {
  if (chromium === null) return
  world = await startWorld()
  server = world.server
  base = await server.app.listen()
  browser = await launchChromium(chromium)
})

afterAll(async () => {
  if (chromium === null) return
  await browser.close()
  await server.stop()
})

async function opened(person: Person, width: { width: number; height: number }, path: string) {
  const { page, complaints } = await newPage(browser, width)
  await page.context().addCookies([cookieOf(world, person, base)])
  await page.goto(base + path)
  await page.locator('h1').first().waitFor()
  return { page, complaints }
}

const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const here = document.activeElement === document.body ? null : document.activeElement
    return here?.getAttribute('aria-label') ?? here?.getAttribute('name') ?? here?.textContent ?? ''
  })

/** Presses Tab until what has the focus is called so. */
async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  const fits = (text: string) => (typeof name === 'string' ? text.includes(name) : name.test(text))
  for (let step = 0; step < 80; step++) {
    if (fits(await focused(page))) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`Tab does not come to ${String(name)}; it ended at ${await focused(page)}`)
}

async function grave(page: Page): Promise<readonly string[]> {
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze()
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`)
}

const newCampaign = async (name: string): Promise<number> =>
  (await world.as('dm', 'create_campaign', { name, hidesNewThings: false })).id
const graphOf = (campaignId: number) => world.as('dm', 'get_story_graph', { campaignId })
const titled = (graph: { beats: { title: string }[] }, title: string) =>
  graph.beats.find((beat) => beat.title === title) as never as { id: number; status: string }

describe.skipIf(chromium === null)('the story', () => {
  for (const [width, size] of Object.entries({ desk, phone })) {
    test(`is written, chosen, undone and reordered by keys alone on a ${width}`, { timeout: 1_200_000 }, async () => {
      const campaignId = await newCampaign(`By keys on a ${width}`)
      const { page, complaints } = await opened('dm', size, `/campaigns/${campaignId}/story`)
      const problems: string[] = []
      const look = async (where: string) => {
        await page.waitForTimeout(250)
        problems.push(...(await grave(page)).map((problem) => `${where}: ${problem}`))
        const wide = await page.evaluate(
          () => document.documentElement.scrollWidth > document.documentElement.clientWidth,
        )
        if (wide) problems.push(`${where}: wider than the screen`)
      }
      const press = (...keys: string[]) =>
        keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve())
      await page.getByText('No thread yet').waitFor()
      await look('empty')

      // The first beat makes its arc.
      await tabTo(page, 'Write the first beat')
      await press('Enter')
      await expect.poll(() => focused(page)).toBe('title')
      await page.keyboard.type('The song')
      await tabTo(page, 'Keep it')
      await press('Enter')
      await page.getByRole('heading', { name: 'The tale' }).waitFor()
      await look('one beat')

      // Two ways out, each with what happens then.
      for (const [label, then, word] of [
        ['They break the door', 'The press-house', 'A way out'],
        ['They bargain', 'A year', 'Another way out'],
      ] as const) {
        await tabTo(page, word)
        await press('Enter')
        await expect.poll(() => focused(page)).toBe('label')
        await page.keyboard.type(label)
        await press('Tab')
        await page.keyboard.type('A new')
        await press('Tab')
        await page.keyboard.type(then)
        await tabTo(page, 'Keep it')
        await press('Enter')
        await page.getByRole('button', { name: `They did: ${label}` }).waitFor()
      }
      await look('two ways')
      const before = await graphOf(campaignId)
      expect(before.beats.map(({ title }: { title: string }) => title)).toEqual([
        'The song',
        'The press-house',
        'A year',
      ])

      // They did, and it is taken back.
      await press('Escape', 'w')
      await expect.poll(() => focused(page)).toBe('They did: They break the door')
      await press('Enter')
      await page.getByText('They chose: They break the door.').waitFor()
      await expect.poll(async () => titled(await graphOf(campaignId), 'A year').status).toBe('skipped')
      await look('chosen')
      await tabTo(page, 'Undo')
      await press('Enter')
      await page.getByText('It is as it was.').waitFor()
      await expect.poll(async () => titled(await graphOf(campaignId), 'A year').status).toBe('planned')
      await page.getByRole('button', { name: 'They did: They bargain' }).waitFor()

      // Along the beats, open one, and move it.
      await press('Escape')
      await expect.poll(() => focused(page)).toContain('The song')
      const [forth, back] = width === 'desk' ? ['ArrowRight', 'ArrowLeft'] : ['ArrowDown', 'ArrowUp']
      // The thread is as it was once its beats have come anew.
      await expect
        .poll(async () => {
          if ((await focused(page)).includes('The song')) await press(forth as string)
          return focused(page)
        })
        .toContain('The press-house')
      await press('Enter')
      await page.getByRole('combobox', { name: 'How far it has come' }).waitFor()
      const order = async () =>
        (await world.as('dm', 'list_beats', { arcId: before.arcs[0].id })).items.map(
          ({ title }: { title: string }) => title,
        )
      await press(`Shift+${forth}`)
      await expect.poll(order).toEqual(['The song', 'A year', 'The press-house'])
      await expect.poll(() => focused(page)).toContain('The press-house')
      await press(`Shift+${back}`)
      await expect.poll(order).toEqual(['The song', 'The press-house', 'A year'])

      if (width === 'desk') {
        await page.getByRole('button', { name: 'Outline' }).focus()
        await press('Enter')
        await page.locator('.outline').first().waitFor()
        await look('outline')
      }
      await page.context().close()
      expect([...problems, ...complaints]).toEqual([])
    })
  }

  test('is dragged by hand, and changed in its leaflet', { timeout: 600_000 }, async () => {
    const campaignId = await newCampaign('By hand')
    const { id: arcId } = await world.as('dm', 'create_arc', { campaignId, title: 'The harvest' })
    const { id: other } = await world.as('dm', 'create_arc', { campaignId, title: 'The bell' })
    for (const title of ['One', 'Two', 'Three']) await world.as('dm', 'create_beat', { arcId, title })
    await world.as('dm', 'create_beat', { arcId: other, title: 'Four' })
    const { page, complaints } = await opened('dm', desk, `/campaigns/${campaignId}/story`)
    const beat = (title: string) => page.locator('.beat', { hasText: title })
    const order = async (of: number) =>
      (await world.as('dm', 'list_beats', { arcId: of })).items.map(({ title }: { title: string }) => title)
    // Where both stand once the page has come to rest, which is what a hand waits for.
    const boxes = async (...titles: readonly string[]) => Promise.all(titles.map((each) => beat(each).boundingBox()))
    const drag = async (from: string, to: string, dx: number) => {
      let [start, end] = await boxes(from, to)
      await expect
        .poll(async () => {
          const before = JSON.stringify([start, end])
          ;[start, end] = await boxes(from, to)
          return JSON.stringify([start, end]) === before
        })
        .toBe(true)
      if (!start || !end) throw new Error('a beat is not to be seen')
      await page.mouse.move(start.x + start.width / 2, start.y + 22)
      await page.mouse.down()
      await page.mouse.move(start.x + start.width / 2 + 20, start.y + 22, { steps: 2 })
      await page.mouse.move(end.x + end.width / 2 + dx, end.y + 22, { steps: 4 })
      await page.mouse.up()
    }
    await drag('One', 'Two', 40)
    await expect.poll(() => order(arcId)).toEqual(['Two', 'One', 'Three'])
    await page.locator('.toast', { hasText: 'One stands elsewhere now.' }).waitFor()
    await drag('Three', 'Four', 40)
    await expect.poll(() => order(other)).toEqual(['Four', 'Three'])
    const said = page.locator('.toast', { hasText: 'Three stands elsewhere now.' })
    await said.getByRole('button', { name: 'Undo' }).click()
    await expect.poll(() => order(arcId)).toEqual(['Two', 'One', 'Three'])

    // The twin of the drag, and what is changed in place.
    await beat('One').click()
    await page.getByRole('button', { name: 'More about this beat' }).click()
    await page.getByRole('menuitem', { name: 'Earlier in its arc' }).click()
    await expect.poll(() => order(arcId)).toEqual(['One', 'Two', 'Three'])
    await page.getByRole('button', { name: 'Edit this beat' }).click()
    await page.getByLabel('What may happen').fill('One of them')
    await page.getByLabel('What stays unsaid').fill('It is Hob’s year too.')
    await page.getByRole('button', { name: 'Keep it' }).click()
    await page.getByRole('heading', { name: 'One of them' }).waitFor()
    await page.getByText('Only you see this').waitFor()
    await page.getByRole('button', { name: 'More about the arc “The harvest”' }).click()
    await page.getByRole('menuitem', { name: 'It is told to its end' }).click()
    await page.getByRole('button', { name: 'One finished arc' }).waitFor()
    await page.context().close()
    expect(complaints).toEqual([])
  })

  test('is no page for players, and stands in no list of theirs', { timeout: 600_000 }, async () => {
    const campaign = `/campaigns/${world.id('campaign')}`
    for (const size of [desk, phone]) {
      for (const path of ['/story', `/story/${world.id('beat')}`, `/arcs/${world.id('arc')}`]) {
        const { page, complaints } = await opened('player', size, campaign + path)
        await page.waitForTimeout(250)
        expect(await page.locator('.canvas').count()).toBe(0)
        expect(await page.content()).not.toContain('lullaby')
        expect(await page.getByRole('link', { name: 'Story' }).count()).toBe(0)
        expect(complaints).toEqual([])
        await page.context().close()
      }
    }
    const { page } = await opened('player', phone, `${campaign}/more`)
    expect(await page.getByRole('link', { name: 'Story' }).count()).toBe(0)
    await page.context().close()
  })

  test('of 5,000 beats in 50 arcs draws what is near, and comes to the rest', { timeout: 1_200_000 }, async () => {
    const campaignId = await newCampaign('A long tale')
    const { connection } = server.app.store()
    connection.exec('BEGIN')
    for (let arc = 1; arc <= 50; arc++) {
      const { id: arcId } = await world.as('dm', 'create_arc', { campaignId, title: `Arc ${arc}` })
      for (let beat = 1; beat <= 100; beat++)
        await world.as('dm', 'create_beat', { arcId, title: `Beat ${beat} of ${arc}` })
    }
    connection.exec('COMMIT')
    const { page, complaints } = await opened('dm', desk, `/campaigns/${campaignId}/story`)
    await page.getByRole('button', { name: 'Beat 1 of 1', exact: true }).waitFor()
    const drawn = () => page.locator('.beat:not(.new)').count()
    expect(await drawn()).toBeLessThan(200)
    const last = (await graphOf(campaignId)).beats.find(({ title }: { title: string }) => title === 'Beat 100 of 50')
    await page.goto(`${base}/campaigns/${campaignId}/story/${last.id}`)
    await page.getByRole('heading', { name: 'Beat 100 of 50' }).waitFor()
    await page.getByRole('button', { name: 'Beat 100 of 50', exact: true }).focus()
    await page.keyboard.press('ArrowLeft')
    await expect.poll(() => focused(page)).toContain('Beat 99 of 50')
    expect(await drawn()).toBeLessThan(200)
    await page.context().close()

    const small = await opened('dm', phone, `/campaigns/${campaignId}/story/${last.id}`)
    await small.page.getByRole('button', { name: 'Arc 50', exact: true }).waitFor()
    expect(await small.page.locator('.outline .o').count()).toBeLessThan(250)
    await small.page.getByRole('button', { name: 'Arc 1', exact: true }).click()
    await small.page.getByRole('button', { name: 'Beat 1 of 1', exact: true }).waitFor()
    await small.page.context().close()
    expect([...complaints, ...small.complaints]).toEqual([])
  })
})
