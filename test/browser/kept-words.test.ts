import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { long, walkLimitMs } from '../support/long.ts'
import { desk, newPage } from './chromium.ts'
import { buttonsOn, openPage, pagesOfCampaign } from './every-page.ts'
import { inLanes } from './lanes.ts'
import { cookieOf, shareApp } from './shared-app.ts'

// What is typed into a text of any form is there again after Escape, after a reload, and when it could not be sent. A press on
// every button finds the forms; in CI those of the dialogs and pages that are written into most.

const app = shareApp()

/** Where somebody may write now: what lies behind a dialog is out of reach. */
const formsOf = async (page: Page): Promise<string> =>
  (await page.locator('dialog[open]').count()) > 0 ? 'dialog[open]' : 'main form'

/** The texts that may be typed into now: those of the dialog that is open, else those of the forms of the page. */
async function fieldsOf(page: Page) {
  const scope = await formsOf(page)
  const kinds = [
    'input:not([type], [inputmode], [role], [disabled], [readonly])',
    'input[type=text]:not([inputmode], [role], [disabled], [readonly])',
    'textarea:not([disabled])',
    '.cm-content',
  ]
  await page.waitForFunction(() => document.querySelector('.prose-waiting') === null)
  return page
    .locator(kinds.map((kind) => `${scope} ${kind}`).join(', '))
    .filter({ visible: true })
    .all()
}

const textsOf = async (page: Page): Promise<readonly string[]> =>
  Promise.all(
    (await fieldsOf(page)).map((field) =>
      field.evaluate(
        (each) =>
          (each instanceof HTMLInputElement ? each.value : each.textContent || (each as HTMLTextAreaElement).value) ??
          '',
      ),
    ),
  )

/** Types a word of its own into every text, as fast as a machine does. Answers the words. */
async function fill(page: Page): Promise<readonly string[]> {
  const words: string[] = []
  for (const [index, field] of (await fieldsOf(page)).entries()) {
    const word = `kept${index}w`
    await field.focus()
    await page.keyboard.press('ControlOrMeta+End')
    await page.keyboard.type(word)
    words.push(word)
  }
  return words
}

/** Presses what is named, in turn. False where a name is there no more: a press before has changed the page. */
async function press(page: Page, way: readonly string[]): Promise<boolean> {
  for (const name of way) {
    const role = name.startsWith('menu: ') ? 'menuitem' : 'button'
    const one = page
      .getByRole(role, { name: name.replace('menu: ', ''), exact: true })
      .filter({ visible: true })
      .first()
    if ((await one.count()) === 0) return false
    await one.evaluate((each) => (each as HTMLElement).click())
    await page.waitForTimeout(120)
  }
  return true
}

/** Which of the words stand in no text. A form that was drawn anew may have put its lines in another order. */
async function goneOf(page: Page, words: readonly string[]) {
  const texts = await textsOf(page)
  return { gone: words.filter((word) => !texts.some((text) => text.includes(word))), texts }
}

/** What of the words is gone after each of the ways in which words are lost; null where there is no text. */
async function lostBehind(page: Page, address: string, way: readonly string[]): Promise<readonly string[] | null> {
  await openPage(page, app.base + address)
  if (!(await press(page, way))) return null
  const words = await fill(page)
  if (words.length === 0) return null
  const lost: string[] = []
  const look = async (after: string) => {
    const { gone, texts } = await goneOf(page, words)
    if (gone.length > 0) lost.push(`${address} ${way.join(', ')}: ${gone} after ${after}, of ${texts.join(' | ')}`)
  }
  await look('typing')
  await page.keyboard.press('Escape')
  const goOn = page.getByRole('button', { name: 'Go on writing' })
  if ((await goOn.count()) > 0) await goOn.click()
  // The page that was led to: what a press made there is made. What stands open by itself needs no press to be found again.
  await openPage(page, page.url())
  // A press that throws away what is kept is not made again: then they have to stand there.
  const throwsAway = way.includes('Begin anew')
  let stands = false
  for (let look = 0; look < (throwsAway ? 100 : 8) && !stands; look++) {
    if (look > 0) await page.waitForTimeout(100)
    stands = (await goneOf(page, words)).gone.length === 0
  }
  if (!stands && !throwsAway) {
    if (!(await press(page, way))) return lost
    await expect
      .poll(async () => (await goneOf(page, words)).gone.length)
      .toBe(0)
      .catch(() => {})
  }
  await look('Escape and a reload')
  await page.route('**/api/**', (route) =>
    route.request().method() === 'GET' ? route.fallback() : route.abort('connectionrefused'),
  )
  const send = page
    .locator(await formsOf(page))
    .locator('button[type=submit]:enabled')
    .first()
  if ((await send.count()) > 0) {
    await send.click()
    await page.waitForTimeout(150)
    await look('a lost connection')
  }
  await page.unroute('**/api/**')
  return lost
}

/** Where somebody writes most, apart from the pages for editing (nothing-lost.test.ts). */
async function someForms(): Promise<readonly (readonly [string, ...string[]])[]> {
  const { world } = app
  const campaignId = world.id('campaign')
  const at = app.inCampaign
  await world.as('player', 'update_npc', { npcId: world.id('npc'), voice: 'Counts under her breath' })
  const { id: night } = await world.as('dm', 'create_game_night', {
    campaignId,
    startsAt: '2027-03-05T18:00:00.000Z',
    timeZone: 'Europe/Berlin',
  })
  const { id: fight } = await world.as('dm', 'create_encounter', { campaignId, name: 'Words in a fight' })
  await world.as('dm', 'add_combatant', { encounterId: fight, kind: 'monster', name: 'Stag', hpMax: 9 })
  await world.as('dm', 'begin_encounter', { encounterId: fight })
  return [
    [at(`/nights/${night}`), 'Call it off'],
    [at('/charter'), 'Change the charter'],
    [at('/inbox?show=waiting'), (await firstDecline()) ?? 'Decline'],
    [at(`/fights/${fight}`), 'More about Words in a fight', 'menu: End the fight'],
    [at(`/characters/${world.id('character', 'own')}`), 'Put something in'],
    [at('/relations'), 'Bind two together'],
  ]
}

async function firstDecline(): Promise<string | undefined> {
  const { page } = await app.open('dm', app.inCampaign('/inbox?show=waiting'))
  return (await buttonsOn(page)).find((name) => name.startsWith('Decline the proposal'))
}

describe.skipIf(app.missing)('what is typed into any form', () => {
  test('is there again after Escape, a reload and a lost connection', { timeout: walkLimitMs }, async () => {
    const lost: string[] = []
    let written = 0
    const known = new Set<string>()
    const walk = async (page: Page, address: string, way: readonly string[]) => {
      const found = await lostBehind(page, address, way)
      if (found !== null) written++
      lost.push(...(found ?? []))
      return found !== null
    }
    const lane = {
      async open(): Promise<Page> {
        const { page } = await newPage(app.browser, desk)
        await page.context().addCookies([cookieOf(app.world, 'dm', app.base)])
        page.setDefaultTimeout(120_000)
        page.on('dialog', (dialog) => void dialog.accept())
        return page
      },
      close: (page: Page) => page.context().close(),
    }
    await inLanes(await someForms(), lane, async (page, [address, ...way]) => {
      expect(await walk(page, address, way), `${address} ${way.join(', ')}`).toBe(true)
    })
    const all = long ? pagesOfCampaign(app, { dm: true, forms: true }) : []
    // What goes wrong with one form keeps nobody from the others.
    const tried = (page: Page, address: string, way: readonly string[]) =>
      walk(page, address, way).catch((error) => lost.push(`${address} ${way.join(', ')}: ${error}`))
    await inLanes(all, lane, async (page, address) => {
      await tried(page, address, [])
      await openPage(page, app.base + address)
      for (const name of await buttonsOn(page)) {
        const kind = `${address.replace(/\d+/g, 'N')} ${name}`
        if (known.has(kind)) continue
        known.add(kind)
        await tried(page, address, [name])
      }
    })
    console.log(`${written} forms were written into`)
    expect(lost).toEqual([])
  })

  test('is there again although it was typed while the form was being sent', async () => {
    const { page } = await newPage(app.browser, desk)
    await page.context().addCookies([cookieOf(app.world, 'dm', app.base)])
    await openPage(page, app.base + app.inCampaign('/drafts'))
    const idea = page.getByLabel('What you have in mind')
    await idea.fill('A ferryman')
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
    await page.route('**/api/**/drafts', async (route) => {
      await answered
      await route.fulfill({ status: 201, json: { drafts: [], warnings: ['Nothing came of it.'] } })
    })
    await page.getByRole('button', { name: 'Draft it' }).click()
    await idea.press('End')
    await page.keyboard.type(' with one oar')
    answer()
    await page.getByText('Nothing came of it.').waitFor()
    await page.reload()
    await expect.poll(() => idea.inputValue()).toBe('A ferryman with one oar')
    // What was sent as it stood is not offered again; what is made of it afterwards is.
    await page.getByRole('button', { name: 'Draft it' }).click()
    await page.getByText('Nothing came of it.').waitFor()
    await page.reload()
    await idea.waitFor()
    await page.waitForTimeout(300)
    expect(await idea.inputValue()).toBe('')
    await idea.fill('A miller')
    await page.getByRole('button', { name: 'Draft it' }).click()
    await page.getByText('Nothing came of it.').waitFor()
    await idea.press('End')
    await page.keyboard.type(' who counts')
    await page.reload()
    await expect.poll(() => idea.inputValue()).toBe('A miller who counts')
    await page.context().close()
  })
})
