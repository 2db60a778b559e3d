import { afterEach, beforeEach, describe, expect, it, test } from 'vitest'
import {
  authorizeQuery,
  callback,
  connect,
  encode,
  formOf,
  makePkce,
  openBrowser,
  openPlace,
  type Place,
  refreshForm,
  registerClient,
  signInSilently,
} from './support.ts'

let place: Place
beforeEach(async () => {
  place = await openPlace()
})
afterEach(() => place?.server.stop())

const loopback = ['http://127.0.0.1:5000/callback']
const hour = 3600 * 1000
const count = (): number => Number(place.server.app.store().get('SELECT count(*) AS n FROM oauth_clients')?.n)

describe('registration (RFC 7591)', () => {
  it('answers 201 with what counts', async () => {
    const { status, headers, body } = await place.send('/oauth/register', {
      json: {
        client_name: 'Inkwell',
        redirect_uris: loopback,
        token_endpoint_auth_method: 'none',
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        scope: 'dm player viewer',
        application_type: 'native',
        software_id: 'x',
        client_uri: 'https://inkwell.example',
        logo_uri: 'https://inkwell.example/logo.svg',
        resource: 'http://localhost:8020/mcp',
      },
    })
    expect(status).toBe(201)
    expect(headers['cache-control']).toBe('no-store')
    expect(body).toEqual({
      client_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      client_id_issued_at: Math.floor(place.server.clock().getTime() / 1000),
      client_name: 'Inkwell',
      redirect_uris: loopback,
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    })
  })

  it('gives a secret to who does not say how it authenticates, and keeps only its hash', async () => {
    const { body } = await place.send('/oauth/register', { json: { redirect_uris: loopback } })
    expect(body).toMatchObject({ token_endpoint_auth_method: 'client_secret_basic', client_secret_expires_at: 0 })
    expect(body.client_secret).toMatch(/^tkcl_[A-Za-z0-9_-]{43}$/)
    expect(body.client_name).toBe('A nameless app')
    expect(JSON.stringify(place.server.app.store().all('SELECT * FROM oauth_clients'))).not.toContain(
      body.client_secret,
    )
  })

  test.each([
    ['LM Studio', { client_name: 'LM Studio', redirect_uris: ['http://127.0.0.1:33388/mcp-oauth-callback'] }],
    [
      'VS Code',
      {
        client_name: 'Visual Studio Code',
        client_uri: 'https://code.visualstudio.com',
        grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
        response_types: ['code'],
        redirect_uris: [
          'https://insiders.vscode.dev/redirect',
          'https://vscode.dev/redirect',
          'http://localhost/',
          'http://127.0.0.1/',
          'http://localhost:33418/',
          'http://127.0.0.1:33418/',
        ],
        token_endpoint_auth_method: 'none',
      },
    ],
    ['Cursor', { client_name: 'Cursor', redirect_uris: ['cursor://anysphere.cursor-retrieval/oauth/callback'] }],
    ['Claude', { client_name: 'Claude', redirect_uris: ['https://claude.ai/api/mcp/auth_callback'], scope: 'dm' }],
    ['members that are null', { redirect_uris: loopback, client_name: null, grant_types: null, response_types: null }],
  ])('takes %s', async (_, json) => {
    expect((await place.send('/oauth/register', { json })).status).toBe(201)
  })

  test.each([['off'], ['0']])('is refused where OAUTH_DCR=%s, and not advertised', async (value) => {
    const closed = await openPlace({ env: { OAUTH_DCR: value } })
    try {
      const { status, body } = await closed.send('/oauth/register', { json: { redirect_uris: loopback } })
      expect([status, body.error]).toEqual([403, 'access_denied'])
      const metadata = await closed.send('/.well-known/oauth-authorization-server')
      expect(metadata.body).not.toHaveProperty('registration_endpoint')
    } finally {
      await closed.server.stop()
    }
  })
})

describe('an app that nobody has let in yet', () => {
  const broken = (clientId: string, redirect: string): string =>
    `/oauth/authorize?${encode({ client_id: clientId, redirect_uri: redirect, response_type: 'token', state: 's' })}`

  test('sends nobody anywhere: what is wrong stands on a page of ours', async () => {
    const app = await registerClient(place, { redirect_uris: ['https://evil.example/cb'] })
    const page = await place.send(broken(app.client_id, 'https://evil.example/cb'))
    expect([page.status, page.headers.location]).toEqual([400, undefined])
    expect(page.text).toContain('the only response_type is code')
  })

  test('is told by redirect once somebody has', async () => {
    const { client } = await connect(place)
    const { status, headers } = await place.send(broken(client.client_id, callback))
    expect(status).toBe(303)
    expect(new URL(headers.location ?? '').searchParams.get('error')).toBe('unsupported_response_type')
  })

  test('keeps its place while its consent page is open, however many register meanwhile', async () => {
    const app = await registerClient(place)
    const browser = openBrowser(place)
    signInSilently(place, browser, place.userId.marta)
    const page = await browser.open(`/oauth/authorize?${encode(authorizeQuery(app, makePkce()))}`)
    const store = place.server.app.store()
    store.transaction(() => {
      for (let index = 0; index < 600; index++) {
        store.run(
          "INSERT INTO oauth_clients (client_id, auth_method, name, redirect_uris, created_at, updated_at) VALUES (@id, 'none', 'crowd', '[]', @now, @now)",
          { id: `crowd ${index}`, now: place.server.clock().toISOString() },
        )
      }
    })
    await registerClient(place)
    expect((await browser.press('allow', formOf(page))).status).toBe(303)
    store.run("DELETE FROM oauth_clients WHERE name = 'crowd'")
  })

  test('comes from one place at most 400 times a day', async () => {
    const busy = await openPlace()
    try {
      const attempt = () => busy.send('/oauth/register', { json: { redirect_uris: loopback } })
      let refused = 0
      for (let index = 0; index < 401; index++) {
        if (index === 290) busy.server.clock.advance(61_000)
        refused += (await attempt()).status === 429 ? 1 : 0
      }
      expect(refused).toBeGreaterThan(0)
    } finally {
      await busy.server.stop()
    }
  })

  test.each(['evil:/cb', 'tale:/cb', 'x://cb'])(
    'has no scheme without a dot that could be anybody’s: %s',
    async (uri) => {
      const { status, body } = await place.send('/oauth/register', { json: { redirect_uris: [uri] } })
      expect([status, body.error]).toEqual([400, 'invalid_redirect_uri'])
    },
  )
})

describe('registrations that nobody has said yes to', () => {
  it('make room for newcomers, the oldest first, and never one that is used', async () => {
    const used = await connect(place)
    const oldest = await registerClient(place)
    const store = place.server.app.store()
    store.transaction(() => {
      for (let index = 0; index < 499; index++) {
        store.run(
          "INSERT INTO oauth_clients (client_id, auth_method, name, redirect_uris, created_at, updated_at) VALUES (@id, 'none', 'junk', '[]', @now, @now)",
          { id: `junk ${index}`, now: place.server.clock().toISOString() },
        )
      }
    })
    expect(count()).toBe(501)
    const newest = await registerClient(place)
    expect(count()).toBe(501)
    const known = new Set(store.all('SELECT client_id FROM oauth_clients').map((row) => row.client_id))
    expect([used.client, newest].every(({ client_id }) => known.has(client_id))).toBe(true)
    expect(known.has(oldest.client_id)).toBe(false)
  })

  it('go after 48 hours; those with a grant stay', async () => {
    const used = await connect(place)
    const unused = await registerClient(place)
    const { app, clock } = place.server
    clock.advance(47 * hour)
    app.oauth.sweep()
    expect(count()).toBe(2)
    clock.advance(2 * hour)
    app.oauth.sweep()
    expect(count()).toBe(1)
    const { body, status } = await place.send('/oauth/token', { form: refreshForm(unused, 'tkr_x') })
    expect([status, body.error]).toEqual([401, 'invalid_client'])
    // Claude registers anew when it hears this, so it must not be said to who is known.
    expect((await place.send('/oauth/token', { form: refreshForm(used.client, 'tkr_x') })).body.error).toBe(
      'invalid_grant',
    )
  })
})

describe('registrations that somebody has said yes to', () => {
  it('stay while there is a grant, and for 90 days after it', async () => {
    const { client, tokens } = await connect(place)
    const { app, clock } = place.server
    let refreshToken = tokens.refresh_token
    const pass = (days: number): void => {
      clock.advance(days * 24 * hour)
      app.oauth.sweep()
    }
    for (let turn = 0; turn < 3; turn++) {
      pass(80)
      const { body } = await place.send('/oauth/token', { form: refreshForm(client, refreshToken) })
      refreshToken = body.refresh_token
    }
    pass(91)
    expect(count()).toBe(1)
    pass(89)
    expect(count()).toBe(1)
    pass(2)
    expect(count()).toBe(0)
  })

  it('stay for 90 days after a restore that took all grants away, however old the backup is', async () => {
    await connect(place)
    const { app, clock } = place.server
    clock.advance(300 * 24 * hour)
    app.store().run('DELETE FROM oauth_grants')
    app.oauth.sweep()
    clock.advance(89 * 24 * hour)
    app.oauth.sweep()
    expect(count()).toBe(1)
    clock.advance(2 * 24 * hour)
    app.oauth.sweep()
    expect(count()).toBe(0)
  })
})

it('is refused to a place that registers without end, and to nobody else (429)', async () => {
  const from = (address: string, index: number) =>
    place.server.app.server.inject({
      method: 'POST',
      url: '/oauth/register',
      remoteAddress: address,
      headers: { host: 'localhost:8020' },
      payload: { redirect_uris: loopback, client_name: `client ${index}` },
    })
  const statuses: number[] = []
  for (let index = 0; index < 300; index++) statuses.push((await from('192.0.2.1', index)).statusCode)
  expect(new Set(statuses)).toEqual(new Set([201]))
  const refused = await from('192.0.2.1', 300)
  expect([refused.statusCode, refused.json().error]).toEqual([429, 'temporarily_unavailable'])
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  expect((await from('192.0.2.2', 301)).statusCode).toBe(201)
})
