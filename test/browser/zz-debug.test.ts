import { test } from 'vitest'
import { shareApp } from './shared-app.ts'
import { phone } from './chromium.ts'

const app = shareApp()
test('debug', { timeout: 200_000 }, async () => {
  const { page, complaints } = await app.open('dm', app.inCampaign('/people/new'))
  page.on('console', (m) => console.log('console', m.text()))
  page.on('pageerror', (m) => console.log('pageerror', m.message))
  const box = page.getByRole('textbox', { name: 'What is known of them' })
  const shown = async (what: string) =>
    console.log(what, JSON.stringify(await page.locator('input[type=hidden][name=body]').inputValue()), await page.locator('.mention-list').count(), await page.evaluate(() => document.activeElement?.className + ' ' + document.activeElement?.getAttribute('role')))
  await box.click()
  await page.keyboard.type('@')
  await shown('at')
  const composing = await page.context().newCDPSession(page)
  await composing.send('Input.imeSetComposition', { text: 'marta', selectionStart: 5, selectionEnd: 5 })
  await shown('composed')
  await page.waitForTimeout(1500)
  await shown('composed later')
  await composing.send('Input.insertText', { text: 'marta' })
  await page.waitForTimeout(500)
  await shown('inserted')
  await page.keyboard.press('Enter')
  await shown('entered')
  await page.setViewportSize(phone)
  for (const before of ['', 'The last line of a longer text\n'.repeat(30)]) {
    await box.fill(before)
    await page.waitForTimeout(300)
    console.log(await box.locator('.cm-line').count())
    await shown('filled')
    await page.keyboard.press('ControlOrMeta+End')
    await page.keyboard.type('@mar')
    await page.waitForTimeout(1500)
    await shown('typed')
    await page.keyboard.press('Escape')
  }
  console.log(complaints)
})
