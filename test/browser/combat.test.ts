import { readFileSync } from 'node:fs'
import { AxeBuilder } from '@axe-core/playwright'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Person, TestWorld } from '../support/world.ts'
import { startWorld } from '../support/world-file.ts'
import { desk, findChromium, launchChromium, newPage, phone } from './chromium.ts'
import { cookieOf } from './shared-app.ts'

// A fight run by keys alone on the desk, and a turn of it on a phone with one thumb.
const chromium = findChromium()

let world: TestWorld
let browser: Browser
let base: string

beforeAll(async () => {
  if (chromium === null) return
  world = await startWorld()
  base = await world.server.app.listen()
  browser = await launchChromium(chromium)
})

afterAll(async () => {
  if (chromium === null) return
  await browser.close()
  await world.server.stop()
})

async function opened(person: Person, size: { width: number; height: number }, path: string) {
  const { page, complaints } = await newPage(browser, size)
  await page.context().addCookies([cookieOf(world, person, base)])
  await page.goto(base + path)
  await page.locator('h1').first().waitFor()
  return { page, complaints }
}

/** What is gravely wrong with a page: for assistive technology, in width, and for thumbs. */
async function problemsOf(page: Page): Promise<readonly string[]> {
  const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze()
  const grave = violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`)
  const wide = await page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement
    if (scrollWidth <= clientWidth) return []
    const beyond = [...document.body.querySelectorAll('*')].filter(
      (each) => each.getBoundingClientRect().right > clientWidth + 1,
    )
    return ['wider than the screen', ...beyond.slice(0, 5).map((each) => each.outerHTML.slice(0, 80))]
  })
  return [...grave, ...wide]
}

/** A fight of eight, of whom the first is the player's character. */
async function fightOfEight(name: string) {
  const campaignId = world.id('campaign')
  const { id: encounterId } = await world.as('dm', 'create_encounter', { campaignId, name, body: 'The vats are loud.' })
  const add = (values: object) => world.as('dm', 'add_combatant', { encounterId, ...values })
  const characterId = world.id('character', 'own')
  const { id: own } = await add({ kind: 'character', characterId, initiativeModifier: 90 })
  await add({ kind: 'monster', name: 'Wicker Stag', hpMax: 85, ac: 15, initiativeModifier: 60 })
  await add({ kind: 'monster', name: 'Hollow Picker', count: 6, hpMax: 27, ac: 12, initiativeModifier: 0 })
  return { encounterId, own, path: `/campaigns/${campaignId}/fights/${encounterId}` }
}

const status = (page: Page) => page.locator('.runner [role=status]').first()

describe.skipIf(chromium === null)('a fight', () => {
  test('of eight is run for a round by keys alone', { timeout: 1_200_000 }, async () => {
    const { encounterId, path } = await fightOfEight('By keys')
    const { page, complaints } = await opened('dm', desk, path)
    await page.keyboard.press('b')
    await page.getByText('Round 1', { exact: true }).first().waitFor()
    await expect.poll(() => status(page).textContent()).toContain('Wren acts')
    await page.keyboard.press('ArrowDown')
    await page.locator('article').getByRole('heading', { name: 'Wicker Stag' }).waitFor()
    await page.keyboard.press('d')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.type('47')
    await page.keyboard.press('Enter')
    await page.locator('article .big', { hasText: '38' }).waitFor()
    await page.keyboard.press('c')
    await page.getByRole('dialog').waitFor()
    await page.getByLabel('Rounds').fill('2')
    await page.keyboard.press('Enter')
    await page.locator('article .chip.bad').waitFor()
    expect(await problemsOf(page)).toEqual([])
    await page.keyboard.press('z')
    await page.locator('article .chip.bad').waitFor({ state: 'detached' })
    for (let turn = 0; turn < 8; turn++) {
      const before = await status(page).textContent()
      await page.keyboard.press('n')
      await expect.poll(() => status(page).textContent()).not.toBe(before)
    }
    expect(await status(page).textContent()).toContain('Round 2. Wren acts')
    const { round } = await world.as('dm', 'get_turn', { encounterId })
    expect([round, complaints]).toEqual([2, []])
    await page.context().close()
  })

  test('is a turn and hit points under one thumb on a phone', { timeout: 1_200_000 }, async () => {
    const { encounterId, own, path } = await fightOfEight('By thumb')
    await world.as('dm', 'begin_encounter', { encounterId })
    const { page, complaints } = await opened('player', phone, path)
    await page.getByRole('heading', { name: 'Your turn, Wren' }).waitFor()
    const needed = ['Lose 5', 'Heal 5'].map((name) => page.getByRole('button', { name, exact: true }))
    for (const button of [...needed, page.getByRole('button', { name: 'End my turn' })]) {
      const box = await button.boundingBox()
      expect(box?.height).toBeGreaterThanOrEqual(44)
      expect(box?.width).toBeGreaterThanOrEqual(44)
      // Nothing of it has to be scrolled to.
      expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(phone.height)
    }
    expect(await problemsOf(page)).toEqual([])
    const hp = async () => (await world.as('dm', 'get_combatant', { combatantId: own })).hp
    const before = await hp()
    await page.getByRole('button', { name: 'Lose 5', exact: true }).click()
    await expect.poll(hp).toBe(before - 5)
    await page.getByRole('button', { name: 'Take it back' }).click()
    await expect.poll(hp).toBe(before)
    await page.getByRole('button', { name: /Open the keypad/ }).click()
    for (const key of ['1', '2']) await page.getByRole('button', { name: key, exact: true }).click()
    await page.getByRole('button', { name: 'Lose', exact: true }).click()
    await expect.poll(hp).toBe(before - 12)
    expect(await page.locator('.foes').textContent()).toContain('Wicker Stag')
    expect(await page.locator('.foes').textContent()).not.toMatch(/85|27/)
    await page.getByRole('button', { name: 'End my turn' }).click()
    await page.getByRole('heading', { name: 'Wicker Stag acts' }).waitFor()
    const places = page.getByRole('navigation', { name: 'Places' })
    await places.getByRole('link', { name: 'Me', exact: true }).click()
    await page.getByRole('heading', { name: 'Wren', level: 1 }).waitFor()
    await places.getByRole('link', { name: 'Table', exact: true }).click()
    await page.getByRole('heading', { name: 'Wicker Stag acts' }).waitFor()
    await page.getByRole('button', { name: 'Roll', exact: true }).last().click()
    await page.locator('section[aria-label=Throw] output').first().waitFor()
    expect(await problemsOf(page)).toEqual([])
    expect(complaints).toEqual([])
    await page.context().close()
  })

  test('is planned from the books and by the dice, and what it brings is given once', {
    timeout: 1_200_000,
  }, async () => {
    const campaignId = world.id('campaign')
    const document = JSON.parse(readFileSync('assets/packs/starter.json', 'utf8'))
    await world.as('admin', 'install_rule_pack', { document })
    await world.as('dm', 'update_campaign', { campaignId, ruleSystem: 'dnd5e 2014' })
    const { id: encounterId } = await world.as('dm', 'create_encounter', { campaignId, name: 'At the ford' })
    const { page, complaints } = await opened('dm', phone, `/campaigns/${campaignId}/fights/${encounterId}`)
    const names = async () =>
      (await world.as('dm', 'get_encounter', { encounterId })).combatants.map(({ name }: { name: string }) => name)
    await page.getByRole('searchbox').fill('ogr')
    await page.getByRole('button', { name: /^Ogre/ }).click()
    await expect.poll(names).toEqual(['Ogre'])
    await page.getByRole('button', { name: 'One more Ogre' }).click()
    await expect.poll(names).toHaveLength(2)
    await page.getByRole('heading', { name: 'Hard', exact: true }).waitFor()
    await page.getByLabel('What kind').fill('beast')
    await page.getByRole('button', { name: 'Medium' }).click()
    await page.getByRole('button', { name: 'Draw', exact: true }).click()
    await page.getByRole('button', { name: 'Put them in instead' }).click()
    await expect.poll(names).not.toContain('Ogre')
    await page.getByRole('button', { name: 'Wren' }).click()
    await expect.poll(names).toContain('Wren')
    await world.as('dm', 'add_combatant', {
      encounterId,
      kind: 'monster',
      name: 'Giant poisonous snake',
      count: 3,
      hpMax: 11,
    })
    expect(await problemsOf(page)).toEqual([])
    await page.getByRole('button', { name: 'Begin', exact: true }).click()
    await page.getByText('Round 1', { exact: true }).first().waitFor()
    for (const { id, kind } of (await world.as('dm', 'get_encounter', { encounterId })).combatants)
      if (kind === 'monster') await world.as('dm', 'damage_combatant', { combatantId: id, amount: 500 })
    await world.as('dm', 'end_encounter', { encounterId, outcome: 'They ran' })
    await page.getByRole('heading', { name: 'They ran' }).waitFor()
    expect(await problemsOf(page)).toEqual([])
    const xp = async () =>
      (await world.as('dm', 'get_character', { characterId: world.id('character', 'own') })).experience
    const before = await xp()
    await page.getByRole('button', { name: 'Give all of it, once' }).click()
    await page.getByText('It cannot be given twice').waitFor()
    await expect.poll(xp).toBeGreaterThan(before)
    await page.getByRole('button', { name: 'Take it back' }).click()
    await page.getByRole('button', { name: 'Give all of it, once' }).waitFor()
    expect([await xp(), complaints]).toEqual([before, []])
    await page.context().close()
  })
})
