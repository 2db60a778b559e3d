import { AxeBuilder } from '@axe-core/playwright'
import type { Browser, BrowserContext, Page, Route } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { TestServer } from '../support/server.ts'
import type { TestWorld } from '../support/world.ts'
import { startWorld } from '../support/world-file.ts'
import { desk, findChromium, launchChromium, newPage, phone } from './chromium.ts'
import { cookieOf } from './shared-app.ts'

// An @ offers names at the caret, and the text remains the text of whoever writes it: Markdown, shown as what it means.
const chromium = findChromium()
const sentence =
  'had the ledger in her apron all winter, and she never once looked into it; not even on the last night.'

let server: TestServer
let world: TestWorld
let browser: Browser
let base: string
let marta: string
const opened: BrowserContext[] = []

beforeAll(async () => {
  if (chromium === null) return
  world = await startWorld()
  server = world.server
  const campaignId = world.id('campaign')
  marta = `[Marta Quill](npc:${world.id('npc')})`
  for (const name of ['Marten the carter', 'Old Marrin', 'Marisol of the ferry'])
    await world.as('dm', 'create_npc', { campaignId, name })
  await world.as('dm', 'create_quest', { campaignId, title: 'The market that was never held' })
  base = await server.app.listen()
  browser = await launchChromium(chromium)
})

afterEach(async () => {
  for (const context of opened.splice(0)) await context.close()
})

afterAll(async () => {
  if (chromium === null) return
  await browser.close()
  await server.stop()
})

async function at(path: string, width = desk): Promise<Page> {
  const { page } = await newPage(browser, width)
  opened.push(page.context())
  await page.context().addCookies([cookieOf(world, 'dm', base)])
  await page.goto(`${base}/campaigns/${world.id('campaign')}${path}`)
  await page.locator('h1').first().waitFor()
  return page
}

const list = (page: Page) => page.getByRole('listbox', { name: 'Who or what is meant' })
const names = (page: Page) => list(page).locator('strong').allTextContents()

/** An empty editor on a page. */
async function textBox(width = desk): Promise<{ page: Page; box: ReturnType<Page['locator']> }> {
  const page = await at('/people/new', width)
  const box = page.getByLabel('What is known of them')
  await box.click()
  return { page, box }
}

/** What is written there, as it is stored. */
const stored = (page: Page) => page.locator('input[type=hidden][name=body]').inputValue()

describe.skipIf(chromium === null)('after an @', () => {
  test('a name is taken by Enter, and what is typed on without a pause stands behind it', async () => {
    const { page } = await textBox()
    await page.keyboard.type('That year @marta')
    await list(page).getByText('Marta Quill').waitFor()
    await page.keyboard.press('Enter')
    await page.keyboard.type(` ${sentence}`)
    expect(await stored(page)).toBe(`That year ${marta} ${sentence}`)
    // It was an input like any other: one step back undoes it letter by letter or in one, but never more than it.
    await page.keyboard.press('ControlOrMeta+z')
    expect(await stored(page)).toContain('That year')
  })

  test('no key is taken for a name that is not on screen, however slow the server and however quick the hand', async () => {
    const { page } = await textBox()
    const held: Route[] = []
    await page.route(/\/search\?/, (route) => void held.push(route))
    const typed = `@market\n${sentence}`
    await page.keyboard.type(typed)
    expect(await stored(page)).toBe(typed)
    await expect.poll(() => held.length).toBeGreaterThan(0)
    await Promise.all(held.map((route) => route.continue()))
    await page.keyboard.type(' And so on.')
    expect(await stored(page)).toBe(`${typed} And so on.`)
    expect(await list(page).count()).toBe(0)
  })

  test('a key that comes at the very moment of the answer takes a whole name or none', async () => {
    const { page, box } = await textBox()
    for (let round = 0; round < 8; round++) {
      await box.fill('')
      await page.keyboard.type(`@mar\n${sentence}`)
      const text = await stored(page)
      expect(text.slice(text.indexOf(sentence.slice(0, 3)))).toBe(sentence)
      expect(text.slice(0, -sentence.length)).toMatch(/^(@mar\n|\[[^\]]+\]\(npc:\d+\))$/)
    }
  })

  test('arrows choose, Tab takes, and Escape leaves the text as it was typed', async () => {
    const { page, box } = await textBox()
    await page.keyboard.type('@mar')
    await expect.poll(() => names(page)).toContain('The market that was never held')
    const all = await names(page)
    expect(all.indexOf('Old Marrin')).toBeGreaterThan(all.indexOf('Marta Quill'))
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('ArrowUp')
    expect(await list(page).locator('[aria-selected="true"] strong').textContent()).toBe(all[1])
    await page.keyboard.press('Tab')
    expect(await stored(page)).toMatch(new RegExp(`^\\[${all[1]}\\]\\([a-z]+:\\d+\\)$`))
    expect(await box.evaluate((area) => area === document.activeElement)).toBe(true)

    await box.fill('')
    await page.keyboard.type('@mar')
    await list(page).waitFor()
    await page.keyboard.press('Escape')
    await page.keyboard.type('t\nand on')
    expect(await stored(page)).toBe('@mart\nand on')
    expect(await list(page).count()).toBe(0)
  })

  test('a bare sign takes nothing by itself, and the button beside it does the same as the key', async () => {
    const { page } = await textBox()
    await page.keyboard.type('word')
    await page.getByRole('button', { name: 'Speak of somebody or something' }).first().click()
    await list(page).waitFor()
    await page.keyboard.press('Enter')
    expect(await stored(page)).toBe('word @\n')
  })

  test('a name is taken by a touch, and the text box keeps the focus', async () => {
    const { page } = await textBox(phone)
    await page.keyboard.type('Ask @marta')
    await list(page).getByText('Marta Quill').click()
    await page.keyboard.type(', who knows')
    expect(await stored(page)).toBe(`Ask ${marta}, who knows`)
  })

  test('what an input method composes is its own until it is done', async () => {
    const { page, box } = await textBox()
    await page.keyboard.type('@')
    const composing = await page.context().newCDPSession(page)
    await composing.send('Input.imeSetComposition', { text: 'marta', selectionStart: 5, selectionEnd: 5 })
    await list(page).getByText('Marta Quill').waitFor()
    await box.evaluate((area) => {
      const key = { key: 'Enter', isComposing: true, bubbles: true, cancelable: true }
      if (!area.dispatchEvent(new KeyboardEvent('keydown', key))) throw new Error('the key was taken')
    })
    expect(await stored(page)).toBe('@marta')
    await composing.send('Input.insertText', { text: 'marta' })
    expect(await stored(page)).toBe('@marta')
    await page.keyboard.press('Enter')
    expect(await stored(page)).toBe(marta)
  })

  test('in a dialog Escape closes the list, and the next one the dialog', async () => {
    const page = await at('')
    await page.getByRole('button', { name: 'Write something down' }).click()
    const box = page.getByLabel('What must not be forgotten?')
    await box.click()
    await page.keyboard.type('@marta')
    await list(page).waitFor()
    await page.keyboard.press('Escape')
    await list(page).waitFor({ state: 'detached' })
    expect(await box.textContent()).toBe('@marta')
    await page.keyboard.press('Escape')
    await box.waitFor({ state: 'detached' })
  })
})

describe.skipIf(chromium === null)('the list of names', () => {
  for (const [width, size] of Object.entries({ phone, desk })) {
    test(`stands at the line and inside the window, on a ${width}`, async () => {
      const { page, box } = await textBox(size)
      for (const before of ['', 'The last line of a longer text\n'.repeat(30)]) {
        await box.fill(before)
        await page.keyboard.press('ControlOrMeta+End')
        await page.keyboard.type('@mar')
        await list(page).waitFor()
        const sheet = (await list(page).boundingBox()) ?? expect.fail('no list')
        expect(sheet.x).toBeGreaterThanOrEqual(0)
        expect(sheet.y).toBeGreaterThanOrEqual(0)
        expect(sheet.x + sheet.width).toBeLessThanOrEqual(size.width)
        expect(sheet.y + sheet.height).toBeLessThanOrEqual(size.height)
        expect(sheet.height).toBeGreaterThan(90)
        // It never lies on the line that is being written.
        const line = (await box.locator('.cm-line').last().boundingBox()) ?? expect.fail('no line')
        expect(sheet.y >= line.y + line.height || sheet.y + sheet.height <= line.y).toBe(true)
        await page.keyboard.press('Escape')
      }
    })
  }

  test('tells a screen reader what it is and which name is meant', async () => {
    const { page, box } = await textBox()
    await page.keyboard.type('@mar')
    await list(page).waitFor()
    const told = (name: string) => box.getAttribute(name)
    expect([await told('role'), await told('aria-haspopup')]).toEqual(['textbox', 'listbox'])
    expect(await told('aria-controls')).toBe(await list(page).getAttribute('id'))
    const active = page.locator(`[id="${await told('aria-activedescendant')}"]`)
    expect([await active.getAttribute('role'), await active.getAttribute('aria-selected')]).toEqual(['option', 'true'])
    for (const theme of ['ink', 'vellum', 'contrast']) {
      await page.evaluate((name) => {
        document.documentElement.dataset.theme = name
      }, theme)
      const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze()
      const grave = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
      expect(grave.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`)).toEqual([])
    }
    await page.keyboard.press('Escape')
    await expect
      .poll(async () => [await told('role'), await told('aria-haspopup'), await told('aria-activedescendant')])
      .toEqual(['textbox', null, null])
  })
})

describe.skipIf(chromium === null)('in the text a mention is its name', () => {
  const chip = (page: Page) => page.locator('.prose-editor .md-mention')
  const written = async (page: Page, text: string) => {
    await page.keyboard.insertText(text)
    await expect.poll(() => stored(page)).toBe(text)
  }

  test('over which the caret passes, and which goes as one and comes back as one', async () => {
    const { page, box } = await textBox()
    await written(page, `Ask ${marta} now`)
    expect(await box.textContent()).toBe('Ask Marta Quill now')
    expect(await chip(page).textContent()).toBe('Marta Quill')
    for (let step = 0; step < ' now'.length; step++) await page.keyboard.press('ArrowLeft')
    await page.keyboard.press('ArrowLeft')
    await page.keyboard.type('for ')
    expect(await stored(page)).toBe(`Ask for ${marta} now`)
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Backspace')
    expect(await stored(page)).toBe('Ask for  now')
    await page.keyboard.press('ControlOrMeta+z')
    expect(await stored(page)).toBe(`Ask for ${marta} now`)
    await page.keyboard.press('Home')
    for (let step = 0; step < 'Ask for '.length; step++) await page.keyboard.press('ArrowRight')
    await page.keyboard.press('Delete')
    expect(await stored(page)).toBe('Ask for  now')
  })

  test('that is copied, cut and put in elsewhere as what it is', async () => {
    const { page } = await textBox()
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await written(page, `**Ask** ${marta}`)
    await page.keyboard.press('ControlOrMeta+a')
    await page.keyboard.press('ControlOrMeta+x')
    expect(await stored(page)).toBe('')
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(`**Ask** ${marta}`)
    await page.keyboard.press('ControlOrMeta+v')
    await page.keyboard.press('ControlOrMeta+v')
    expect(await stored(page)).toBe(`**Ask** ${marta}**Ask** ${marta}`)
    expect(await chip(page).count()).toBe(2)
  })

  test('beside which an input method composes as anywhere', async () => {
    const { page } = await textBox()
    await written(page, marta)
    const composing = await page.context().newCDPSession(page)
    for (const text of ['に', 'にほ', '日本'])
      await composing.send('Input.imeSetComposition', { text, selectionStart: text.length, selectionEnd: text.length })
    await composing.send('Input.insertText', { text: '日本' })
    await expect.poll(() => stored(page)).toBe(`${marta}日本`)
    expect(await chip(page).count()).toBe(1)
  })
})

describe.skipIf(chromium === null)('Markdown', () => {
  test('is shown as what it means, and goes on and ends as in a list', async () => {
    const { page, box } = await textBox()
    await page.keyboard.type('## The mill')
    await page.keyboard.press('Enter')
    await page.keyboard.type('Nobody **ever** goes *there*.')
    await page.keyboard.press('Enter')
    await page.keyboard.type('- a coin')
    await page.keyboard.press('Enter')
    await page.keyboard.type('a bell')
    await page.keyboard.press('Enter')
    await page.keyboard.press('Enter')
    await page.keyboard.type('> Ring it')
    expect(await stored(page)).toBe('## The mill\nNobody **ever** goes *there*.\n- a coin\n- a bell\n> Ring it')
    const lines = box.locator('.cm-line')
    expect(await lines.allTextContents()).toEqual([
      'The mill',
      'Nobody ever goes there.',
      '•a coin',
      '•a bell',
      'Ring it',
    ])
    const size = (of: ReturnType<Page['locator']>) =>
      of.evaluate((each) => Number.parseFloat(getComputedStyle(each).fontSize))
    expect(await size(lines.nth(0))).toBeGreaterThan(await size(lines.nth(1)))
    const style = (selector: string, of: 'fontWeight' | 'fontStyle') =>
      box
        .locator(selector)
        .first()
        .evaluate((each, name) => getComputedStyle(each)[name as 'fontStyle'], of)
    expect([await style('.md-strong', 'fontWeight'), await style('.md-em', 'fontStyle')]).toEqual(['700', 'italic'])
    expect([await style('.md-quote', 'fontStyle')]).toEqual(['italic'])
    // At its beginning a press of Backspace makes it a line like others.
    await page.keyboard.press('Home')
    await page.keyboard.press('Backspace')
    expect(await stored(page)).toMatch(/\nRing it$/)
    await page.keyboard.press('ControlOrMeta+a')
    await page.getByRole('button', { name: 'Bold' }).first().click()
    expect(await stored(page)).toMatch(/^\*\*## The mill/)
    await page.keyboard.press('ControlOrMeta+z')
    expect(await stored(page)).toMatch(/^## The mill/)
  })

  test('that nobody touched is what it was, to the last letter', async () => {
    const body =
      '  *  odd\t list \r\n\r\n1) x\n\n\n***both*** __old__ \\[x](npc:1)\n~~~\n**code**\n~~~\n| a | b |\n<b>&amp;</b>  \nend'
    const npcId = (await world.as('dm', 'create_npc', { campaignId: world.id('campaign'), name: 'Odd', body })).id
    const before = await world.as('dm', 'get_npc', { npcId })
    const page = await at(`/people/${npcId}/edit`)
    const box = page.getByLabel('What is known of them')
    await box.click()
    await page.keyboard.press('ControlOrMeta+End')
    await page.keyboard.type('x')
    await page.keyboard.press('Backspace')
    await page.getByLabel('Voice').fill('Hums')
    await page.getByRole('button', { name: 'Save' }).click()
    // The page of editing has the same heading: only the address tells that it was saved.
    await page.waitForURL(`**/people/${npcId}`)
    const after = await world.as('dm', 'get_npc', { npcId })
    expect([after.body, after.voice]).toEqual([before.body, 'Hums'])
  })
})
