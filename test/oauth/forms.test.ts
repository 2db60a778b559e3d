import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import {
  authorizeQuery,
  type Browser,
  encode,
  formOf,
  makePkce,
  openBrowser,
  openPlace,
  type Place,
  type RegisteredClient,
  type Reply,
  registerClient,
  signInSilently,
} from './support.ts'

let place: Place
let client: RegisteredClient
beforeAll(async () => {
  place = await openPlace()
  client = await registerClient(place)
})
afterAll(() => place?.server.stop())

const address = (more = {}, by = client): string => `/oauth/authorize?${encode(authorizeQuery(by, makePkce(), more))}`
const grants = (): number => Number(place.server.app.store().get('SELECT count(*) AS n FROM oauth_grants')?.n)

describe('a form', () => {
  let browser: Browser
  let page: Reply
  beforeEach(async () => {
    browser = openBrowser(place)
    signInSilently(place, browser, place.userId.marta)
    page = await browser.open(address())
  })
  const press = (more = {}, headers = {}): Promise<Reply> =>
    browser.post({ ticket: browser.ticket(), action: 'allow', ...formOf(page), ...more }, headers)

  it('counts once, and one of ten that are sent at once', async () => {
    const before = grants()
    const replies = await Promise.all(Array.from({ length: 10 }, () => press()))
    expect(replies.filter(({ status }) => status === 303)).toHaveLength(1)
    expect(replies.filter(({ status }) => status === 400)).toHaveLength(9)
    expect(grants()).toBe(before + 1)
  })

  it('counts not after a no', async () => {
    const ticket = browser.ticket()
    await browser.press('deny')
    expect((await press({ ticket })).status).toBe(400)
  })

  it('counts not without the cookie of its browser, nor with that of another', async () => {
    const before = grants()
    browser.cookies.delete('talekeeper_oauth')
    expect((await press()).status).toBe(400)
    const other = openBrowser(place)
    await other.open(address())
    browser.cookies.set('talekeeper_oauth', other.cookies.get('talekeeper_oauth') ?? '')
    expect((await press()).status).toBe(400)
    expect((await press({ ticket: other.ticket() })).status).not.toBe(303)
    expect(grants()).toBe(before)
  })

  it('counts not for whoever signed in meanwhile: they see the page first', async () => {
    const before = grants()
    signInSilently(place, browser, place.userId.hob)
    const again = await press()
    expect(again.status).toBe(200)
    expect(again.text).toContain('<strong>Hob</strong>')
    expect(grants()).toBe(before)
  })

  it('counts not once nobody is signed in any more', async () => {
    browser.cookies.delete('talekeeper_session')
    const again = await press()
    expect(again.text).toContain('type="password"')
  })

  it('counts not from a page of another site', async () => {
    const before = grants()
    const ticket = browser.ticket()
    for (const headers of [
      { origin: 'https://evil.example' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site', origin: 'http://localhost:8020' },
      { 'sec-fetch-site': 'none' },
      { origin: 'http://localhost:9' },
    ]) {
      expect((await press({ ticket }, headers)).status, JSON.stringify(headers)).toBe(403)
    }
    expect(grants()).toBe(before)
    const own = { 'sec-fetch-site': 'same-origin', origin: 'http://localhost:8020' }
    expect((await press({ ticket }, own)).status).toBe(303)
  })

  it('counts for ten minutes', async () => {
    place.server.clock.advance(10 * 60_000 + 1000)
    expect((await press()).status).toBe(400)
  })

  it('counts not when its client has gone', async () => {
    const doomed = await registerClient(place)
    page = await browser.open(address({}, doomed))
    place.server.app.store().run('DELETE FROM oauth_clients WHERE client_id = @id', { id: doomed.client_id })
    const answer = await press()
    expect([answer.status, answer.headers.location]).toEqual([400, undefined])
  })

  it('of two tabs counts in both', async () => {
    const first = browser.ticket()
    const second = await browser.open(address())
    expect((await browser.press('allow', formOf(second))).status).toBe(303)
    expect((await press({ ticket: first })).status).toBe(303)
  })
})
