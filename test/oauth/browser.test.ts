import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { AxeBuilder } from '@axe-core/playwright'
import { type Browser, chromium, type Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { desk, findChromium, phone } from '../browser/chromium.ts'
import {
  authorizeQuery,
  encode,
  makePkce,
  openPlace,
  type Place,
  password,
  redeemForm,
  registerClient,
} from './support.ts'

// What only a real browser decides: whether its Content-Security-Policy lets the form lead to the client, what it says
// of a form's origin on a page without referrer, and whether the page is usable on a phone.

const executable = findChromium()

describe.skipIf(executable === null)('in a browser', () => {
  let place: Place
  let browser: Browser
  let client: Server
  let port: number
  let callbackUri: string
  beforeAll(async () => {
    place = await openPlace({ env: { ALLOWED_HOSTS: 'tale.lan' } })
    port = Number(new URL(await place.server.app.listen()).port)
    client = createServer((_, response) => response.setHeader('content-type', 'text/html').end('<h1>the client</h1>'))
    await new Promise<void>((resolve) => client.listen(0, '127.0.0.1', resolve))
    callbackUri = `http://127.0.0.1:${(client.address() as AddressInfo).port}/callback`
    browser = await chromium.launch({
      executablePath: executable ?? '',
      args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--host-resolver-rules=MAP tale.lan 127.0.0.1'],
    })
  })
  afterAll(async () => {
    await browser?.close()
    client?.close()
    await place?.server.stop()
  })

  async function accessible(page: Page): Promise<void> {
    const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze()
    expect(violations.map(({ id, nodes }) => [id, nodes.map(({ target }) => target)])).toEqual([])
    const { scroll, width } = await page.evaluate(() => ({
      scroll: document.documentElement.scrollWidth,
      width: document.documentElement.clientWidth,
    }))
    expect(scroll).toBeLessThanOrEqual(width)
  }

  // Plain http under a name: there a browser sends no Sec-Fetch-Site, and `Origin: null`.
  it.each([
    ['localhost', phone],
    ['127.0.0.1', desk],
    ['tale.lan', phone],
  ])('goes from the client over %s to the client, without a script', async (host, viewport) => {
    const context = await browser.newContext({ viewport, javaScriptEnabled: true })
    context.setDefaultTimeout(300_000)
    const page = await context.newPage()
    const complaints: string[] = []
    page.on('console', (message) => {
      // That a field had the focus before the page gave it is nothing to complain of.
      if (!message.text().startsWith('Autofocus processing was blocked')) complaints.push(message.text())
    })
    const known = await registerClient(place, { redirect_uris: [callbackUri] })
    const pkce = makePkce()
    const query = encode(authorizeQuery(known, pkce, { redirect_uri: callbackUri }))
    await page.goto(`http://${host}:${port}/oauth/authorize?${query}`)
    await accessible(page)
    await page.getByLabel('Name').fill('Marta')
    await page.getByLabel('Password').fill('not hers')
    await page.getByRole('button', { name: 'Sign in' }).click()
    expect(await page.getByRole('alert').innerText()).toContain('wrong')
    await page.getByLabel('Name').fill('Marta')
    await page.getByLabel('Password').fill(password)
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Let it in' }).waitFor()
    await accessible(page)
    await page.getByLabel('As a player').check()
    await page.getByLabel('Which campaign').selectOption({ label: 'Lantern Street' })
    await page.getByRole('button', { name: 'Let it in' }).click()
    await page.getByRole('heading', { name: 'the client' }).waitFor()
    const answer = new URL(page.url())
    expect(answer.searchParams.get('iss')).toBe(`http://${host}:${port}`)
    const granted = {
      code: answer.searchParams.get('code') ?? '',
      pkce,
      client: known,
      parameters: answer.searchParams,
    }
    const { status, body } = await place.send('/oauth/token', {
      form: redeemForm(granted, { redirect_uri: callbackUri }),
      headers: { host: `${host}:${port}` },
    })
    expect([status, body.scope]).toEqual([200, 'player'])
    // A refused sign-in is the only thing to complain about.
    expect(complaints.filter((text) => !text.includes('401'))).toEqual([])
    await page.goBack()
    await page.reload()
    expect(await page.locator('h1').innerText()).toContain('expired')
    await context.close()
  })
})
