import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { clientId, goodDocument as good, type Internet, json, openInternet } from './internet.ts'
import {
  authorizeAs,
  authorizeQuery,
  connect,
  encode,
  formOf,
  makePkce,
  openBrowser,
  openPlace,
  opens,
  type Place,
  password,
  redeemForm,
  refreshForm,
  registerClient,
  signInSilently,
} from './support.ts'

let internet: Internet
beforeAll(async () => {
  internet = await openInternet()
})
beforeEach(() => internet.reset())
afterAll(() => internet.close())

describe('a client that is known by its document', () => {
  let place: Place
  const client = { client_id: clientId }
  const path = (more = {}): string => `/oauth/authorize?${encode(authorizeQuery(client, makePkce(), more))}`
  const rows = (table: string): number => Number(place.server.app.store().get(`SELECT count(*) AS n FROM ${table}`)?.n)
  const open = async (env: Readonly<Record<string, string>> = { OAUTH_CIMD: 'on' }): Promise<void> => {
    place = await openPlace({ env, network: internet })
  }
  afterEach(() => place.server.stop())

  it('is told that it may come only where it may', async () => {
    await open()
    const metadata = '/.well-known/oauth-authorization-server'
    const { body } = await place.send(metadata)
    expect(body.client_id_metadata_document_supported).toBe(true)
    expect(body.token_endpoint_auth_methods_supported).toContain('none')
    await place.server.stop()
    await open({})
    expect((await place.send(metadata)).body).not.toHaveProperty('client_id_metadata_document_supported')
  })

  it('is not looked up where that is off, even with a row from before', async () => {
    await open()
    await authorizeAs(place, { client })
    await place.server.stop()
    await open({ OAUTH_CIMD: 'off' })
    place.server.app
      .store()
      .run(
        "INSERT INTO oauth_clients (client_id, auth_method, name, redirect_uris, created_at, updated_at) VALUES (@clientId, 'none', 'Inkwell', @uris, @now, @now)",
        { clientId, uris: JSON.stringify(good.redirect_uris), now: place.server.clock().toISOString() },
      )
    const before = internet.resolved.length
    const browser = openBrowser(place)
    signInSilently(place, browser, place.userId.marta)
    const { status, text, headers } = await browser.open(path())
    expect([status, headers.location]).toEqual([400, undefined])
    expect(text).toContain('This server knows apps by registration only')
    expect(internet.resolved).toHaveLength(before)
  })

  it('is only a host name until somebody is signed in', async () => {
    await open()
    const browser = openBrowser(place)
    const { status, text, headers } = await browser.open(path())
    expect(status).toBe(200)
    expect(text).toContain('inkwell.example.org')
    expect(text).not.toContain('Inkwell')
    expect(headers['content-security-policy']).toContain("form-action 'self';")
    expect([internet.resolved, rows('oauth_clients'), rows('oauth_requests')]).toEqual([[], 0, 0])
    const wrong = await browser.press('sign_in', { username: 'Marta', password: 'not it' })
    expect([wrong.status, internet.resolved]).toEqual([401, []])
    const consent = await browser.press('sign_in', { username: 'Marta', password })
    expect([consent.status, internet.resolved]).toEqual([200, ['inkwell.example.org']])
    expect(consent.text).toContain('Let <span class="oa-name">Inkwell</span> in?')
    expect(consent.text).toMatch(/Its name is what .*inkwell\.example\.org.* says of it/)
    expect(consent.text).toContain('127.0.0.1:43210')
    const answer = await browser.press('allow', formOf(consent))
    expect(answer.headers.location).toMatch(/^http:\/\/127\.0\.0\.1:43210\/callback\?code=/)
  })

  it('connects like any other, and is kept without a secret', async () => {
    await open()
    const connection = await connect(place, { client })
    expect(await opens(place, connection.tokens.access_token)).toBe(true)
    const refreshed = await place.send('/oauth/token', { form: refreshForm(client, connection.tokens.refresh_token) })
    expect(refreshed.status).toBe(200)
    const row = place.server.app.store().get('SELECT client_id, auth_method, secret_hash, name FROM oauth_clients')
    expect(row).toMatchObject({ client_id: clientId, auth_method: 'none', secret_hash: null, name: 'Inkwell' })
    const secret = { ...refreshForm(client, refreshed.body.refresh_token), client_secret: 'tkcl_x' }
    expect((await place.send('/oauth/token', { form: secret })).body.error).toBe('invalid_client')
    expect(internet.requests).toHaveLength(1)
  })

  it('is described anew when its document has changed', async () => {
    await open()
    await connect(place, { client })
    internet.serve = json({ ...good, client_name: 'Inkwell 2', redirect_uris: ['https://inkwell.example.org/back'] })
    place.server.clock.advance(6 * 60_000)
    const browser = openBrowser(place)
    signInSilently(place, browser, place.userId.marta)
    const { status, text } = await browser.open(path())
    expect(status).toBe(400)
    expect(text).toContain('an address that it has not registered')
    expect(place.server.app.store().get('SELECT name FROM oauth_clients')).toEqual({ name: 'Inkwell 2' })
    const there = await browser.open(path({ redirect_uri: 'https://inkwell.example.org/back' }))
    expect(there.text).toContain('Inkwell 2')
  })

  it('that has no usable document gets a page, and nobody is sent anywhere', async () => {
    await open()
    internet.addresses = ['169.254.169.254']
    const browser = openBrowser(place)
    signInSilently(place, browser, place.userId.marta)
    const { status, text, headers } = await browser.open(path())
    expect([status, headers.location]).toEqual([400, undefined])
    expect(text).toContain('The document is not on the public internet.')
    expect([internet.targets, rows('oauth_clients')]).toEqual([[], 0])
    expect(place.server.logs()).toContain('The document of a client cannot be used.')
  })

  it('is told no by a page as long as it is not known', async () => {
    await open()
    const browser = openBrowser(place)
    await browser.open(path())
    const { status, text, headers } = await browser.press('deny')
    expect([status, headers.location, internet.resolved]).toEqual([200, undefined, []])
    expect(text).toContain('Nobody was let in')
  })

  it.each([
    ['without a challenge', { code_challenge: undefined }],
    ['with the implicit flow', { response_type: 'token' }],
    ['of another resource', { resource: 'https://elsewhere.example/mcp' }],
    ['of excessive length', { state: 'x'.repeat(4000), scope: 'y '.repeat(2000) }],
  ])('asks in vain %s before anybody is signed in, and by a page', async (_, more) => {
    await open()
    const { status, headers, text } = await openBrowser(place).open(path(more))
    expect([status, headers.location, internet.resolved]).toEqual([400, undefined, []])
    expect(text).toContain('This app asks in a way that is not understood here')
  })

  it('has forms that count in the browser that saw them, and as long as they do', async () => {
    await open()
    const [browser, other] = [openBrowser(place), openBrowser(place)]
    await browser.open(path())
    await other.open(path())
    const form = { ticket: browser.ticket(), action: 'sign_in', username: 'Marta', password }
    expect((await other.post(form)).text).toContain('This page has expired')
    expect((await browser.post({ ...form, action: 'allow' })).text).toContain('This page has expired')
    place.server.clock.advance(11 * 60_000)
    expect((await browser.post(form)).text).toContain('This page has expired')
    expect(internet.resolved).toEqual([])
  })

  it('asks once: two ids in one request are none', async () => {
    await open()
    const browser = openBrowser(place)
    signInSilently(place, browser, place.userId.marta)
    const { status } = await browser.open(`${path()}&client_id=${encodeURIComponent(clientId)}`)
    expect([status, internet.resolved]).toEqual([400, []])
  })

  it('leaves those that registered as they are', async () => {
    await open()
    const registered = await registerClient(place)
    expect((await authorizeAs(place, { client: registered })).code).not.toBe('')
    expect(internet.resolved).toEqual([])
  })

  it('is removed by an administrator under its address, and may come again', async () => {
    await open()
    const { tokens } = await connect(place, { client })
    const browser = openBrowser(place)
    signInSilently(place, browser, place.userId.admin)
    const cookie = `talekeeper_session=${browser.cookies.get('talekeeper_session')}`
    const removed = await place.send(`/api/v1/oauth/clients/${encodeURIComponent(clientId)}`, {
      method: 'DELETE',
      headers: { cookie, origin: 'http://localhost:8020' },
    })
    expect([removed.status, removed.body]).toEqual([200, { removed: { clientId } }])
    expect(await opens(place, tokens.access_token)).toBe(false)
    const refused = await place.send('/oauth/token', { form: refreshForm(client, tokens.refresh_token) })
    expect([refused.status, refused.body.error]).toEqual([401, 'invalid_client'])
    const granted = await authorizeAs(place, { client })
    expect((await place.send('/oauth/token', { form: redeemForm(granted) })).status).toBe(200)
  })
})
