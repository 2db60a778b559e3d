import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  authorizeAs,
  authorizeQuery,
  type Browser,
  type Connection,
  callback,
  connect,
  encode,
  type Fields,
  formOf,
  type Granted,
  makePkce,
  openBrowser,
  openPlace,
  opens,
  type Place,
  password,
  type RegisteredClient,
  type Reply,
  redeemForm,
  refreshForm,
  registerClient,
  type Send,
  signInSilently,
} from './support.ts'

// Requests that are broken in one way each: every parameter missing, empty, doubled, wrong, somebody else's, expired or
// used before, at every endpoint. None may be answered with 500, lead anywhere that was not registered, open anything,
// or leave a secret in the log.

const at = (base: Fields, changes: Fields): Fields => ({ ...base, ...changes })
const twice = (value: string): readonly string[] => [value, value]
const long = 'x'.repeat(5000)

let place: Place
let client: RegisteredClient
let stranger: RegisteredClient
let confidential: RegisteredClient
const secrets = new Set<string>([password])
let cases = 0

/** One request after another, each of which must be refused in the way that is named. */
function table<T>(
  title: string,
  rows: readonly (readonly [name: string, what: T, expected: string])[],
  run: (what: T) => Promise<string>,
): void {
  describe(title, () => {
    it.each(rows)('%s', async (_, what, expected) => {
      cases += 1
      expect(await run(what)).toBe(expected)
    })
  })
}

beforeAll(async () => {
  place = await openPlace()
  client = await registerClient(place)
  stranger = await registerClient(place, { client_name: 'Stranger', redirect_uris: ['https://stranger.example/cb'] })
  confidential = await registerClient(place, { token_endpoint_auth_method: 'client_secret_basic' })
  secrets.add(confidential.client_secret ?? '')
})

afterAll(async () => {
  if (!place) return
  await place.server.stop()
  const log = place.server.logs()
  expect(log).not.toBe('')
  for (const secret of secrets) expect(log).not.toContain(secret)
  expect(log).not.toMatch(/tk[aprcwl]{1,2}l?_[A-Za-z0-9_-]{20}/)
  expect(log).not.toContain('"level":50')
  console.info(`${cases} broken requests, ${secrets.size} secrets looked for in ${log.length} characters of log`)
  expect(cases).toBeGreaterThanOrEqual(150)
})

/** `error` of a JSON refusal with its status; the rules of every answer of these endpoints are held here. */
function jsonOutcome({ status, headers, body, text }: Reply): string {
  expect(status, text).toBeLessThan(500)
  expect(headers.location).toBeUndefined()
  expect(headers['cache-control']).toBe('no-store')
  expect(headers['access-control-allow-origin']).toBe('*')
  expect(headers['content-type']).toBe('application/json; charset=utf-8')
  if (status < 400) return String(status)
  expect(Object.keys(body)).toEqual(['error', 'error_description'])
  expect(body.error_description).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/)
  return `${status} ${body.error}`
}

/** `page` and status, `client` and error, or `choice` where the request was taken. */
function pageOutcome({ status, headers, text }: Reply, registered: readonly string[]): string {
  expect(status, text).toBeLessThan(500)
  expect(headers['cache-control']).toBe('no-store')
  expect(headers['x-frame-options']).toBe('DENY')
  const { location } = headers
  if (location === undefined) {
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'")
    return status === 200 ? 'choice' : `page ${status}`
  }
  if (location.startsWith('/oauth/authorize?continue=')) return 'again'
  const url = new URL(location)
  expect(registered).toContain(url.origin === 'null' ? url.href.split('?')[0] : url.origin + url.pathname)
  expect(url.searchParams.get('iss')).toBe('http://localhost:8020')
  expect(status).toBe(303)
  return url.searchParams.has('code') ? 'client code' : `client ${url.searchParams.get('error')}`
}

const authorizeRows: readonly (readonly [string, Fields, string])[] = [
  ['client_id missing', { client_id: undefined }, 'page 400'],
  ['client_id empty', { client_id: '' }, 'page 400'],
  ['client_id doubled', { client_id: ['CLIENT', 'CLIENT'] }, 'page 400'],
  ['client_id unknown', { client_id: 'c0ffee00-0000-4000-8000-000000000000' }, 'page 400'],
  ['client_id of a wildcard', { client_id: '%' }, 'page 400'],
  ['client_id with quotes', { client_id: `' OR 1=1 --` }, 'page 400'],
  ['client_id with NUL', { client_id: '\u0000' }, 'page 400'],
  ['client_id overlong', { client_id: long }, 'page 400'],
  ['client_id a URL', { client_id: 'https://evil.example/client.json' }, 'page 400'],
  ['client_id of another client', { client_id: 'STRANGER' }, 'page 400'],
  ['redirect_uri empty', { redirect_uri: '' }, 'page 400'],
  ['redirect_uri doubled', { redirect_uri: twice(callback) }, 'page 400'],
  ['redirect_uri doubled with an evil one', { redirect_uri: [callback, 'https://evil.example'] }, 'page 400'],
  ['redirect_uri of another site', { redirect_uri: 'https://evil.example/cb' }, 'page 400'],
  ['redirect_uri of another client', { redirect_uri: 'https://stranger.example/cb' }, 'page 400'],
  ['redirect_uri with more path', { redirect_uri: `${callback}/more` }, 'page 400'],
  ['redirect_uri with a query', { redirect_uri: `${callback}?x=1` }, 'page 400'],
  ['redirect_uri with a fragment', { redirect_uri: `${callback}#x` }, 'page 400'],
  ['redirect_uri with dots', { redirect_uri: 'http://127.0.0.1:43210/x/../callback' }, 'page 400'],
  ['redirect_uri in capitals', { redirect_uri: 'http://127.0.0.1:43210/CALLBACK' }, 'page 400'],
  ['redirect_uri of another loopback name', { redirect_uri: 'http://localhost:43210/callback' }, 'page 400'],
  ['redirect_uri over https', { redirect_uri: 'https://127.0.0.1:43210/callback' }, 'page 400'],
  ['redirect_uri with a user', { redirect_uri: 'http://127.0.0.1:43210@evil.example/callback' }, 'page 400'],
  ['redirect_uri with a line break', { redirect_uri: `${callback}\r\nlocation: https://evil.example` }, 'page 400'],
  ['redirect_uri a script', { redirect_uri: 'javascript:alert(1)' }, 'page 400'],
  ['redirect_uri without a scheme', { redirect_uri: '//evil.example' }, 'page 400'],
  ['redirect_uri overlong', { redirect_uri: `https://evil.example/${long}` }, 'page 400'],
  ['response_type missing', { response_type: undefined }, 'client invalid_request'],
  ['response_type empty', { response_type: '' }, 'client invalid_request'],
  ['response_type doubled', { response_type: twice('code') }, 'client invalid_request'],
  ['response_type token', { response_type: 'token' }, 'client unsupported_response_type'],
  ['response_type id_token', { response_type: 'id_token' }, 'client unsupported_response_type'],
  ['response_type code token', { response_type: 'code token' }, 'client unsupported_response_type'],
  ['response_type none', { response_type: 'none' }, 'client unsupported_response_type'],
  ['response_type in capitals', { response_type: 'CODE' }, 'client unsupported_response_type'],
  ['response_mode fragment', { response_mode: 'fragment' }, 'client invalid_request'],
  ['response_mode form_post', { response_mode: 'form_post' }, 'client invalid_request'],
  ['response_mode doubled', { response_mode: twice('query') }, 'client invalid_request'],
  ['code_challenge missing', { code_challenge: undefined }, 'client invalid_request'],
  ['code_challenge empty', { code_challenge: '' }, 'client invalid_request'],
  ['code_challenge doubled', { code_challenge: twice('A'.repeat(43)) }, 'client invalid_request'],
  ['code_challenge short', { code_challenge: 'A'.repeat(42) }, 'client invalid_request'],
  ['code_challenge long', { code_challenge: 'A'.repeat(44) }, 'client invalid_request'],
  ['code_challenge padded', { code_challenge: `${'A'.repeat(42)}=` }, 'client invalid_request'],
  ['code_challenge in base64', { code_challenge: `${'A'.repeat(42)}+` }, 'client invalid_request'],
  ['code_challenge_method missing', { code_challenge_method: undefined }, 'client invalid_request'],
  ['code_challenge_method empty', { code_challenge_method: '' }, 'client invalid_request'],
  ['code_challenge_method doubled', { code_challenge_method: twice('S256') }, 'client invalid_request'],
  ['code_challenge_method plain', { code_challenge_method: 'plain' }, 'client invalid_request'],
  ['code_challenge_method s256', { code_challenge_method: 's256' }, 'client invalid_request'],
  ['code_challenge_method S512', { code_challenge_method: 'S512' }, 'client invalid_request'],
  [
    'challenge and method missing',
    { code_challenge: undefined, code_challenge_method: undefined },
    'client invalid_request',
  ],
  ['state doubled', { state: twice('x') }, 'client invalid_request'],
  ['state overlong', { state: long }, 'client invalid_request'],
  ['scope doubled', { scope: twice('dm') }, 'client invalid_request'],
  ['scope unknown', { scope: 'admin' }, 'client invalid_scope'],
  ['scope of OpenID only', { scope: 'openid profile' }, 'client invalid_scope'],
  ['scope in capitals', { scope: 'DM' }, 'client invalid_scope'],
  ['scope of a prototype', { scope: '__proto__ constructor' }, 'client invalid_scope'],
  ['resource of another server', { resource: 'https://evil.example/mcp' }, 'client invalid_target'],
  [
    'resource ours and another',
    { resource: ['http://localhost:8020/mcp', 'https://evil.example'] },
    'client invalid_target',
  ],
  ['resource of another port', { resource: 'http://localhost:1/mcp' }, 'client invalid_target'],
  ['resource of another path', { resource: 'http://localhost:8020/api' }, 'client invalid_target'],
  ['resource with a fragment', { resource: 'http://localhost:8020/mcp#x' }, 'client invalid_target'],
  ['resource relative', { resource: '/mcp' }, 'client invalid_target'],
  ['resource overlong', { resource: `http://localhost:8020/${long}` }, 'client invalid_target'],
  ['request object', { request: 'eyJhbGciOiJub25lIn0.e30.' }, 'client request_not_supported'],
  ['request_uri', { request_uri: 'https://evil.example/request' }, 'client request_uri_not_supported'],
  ['continue of nobody', { continue: '99999' }, 'page 400'],
  ['continue no number', { continue: 'x' }, 'page 400'],
  ['continue negative', { continue: '-1' }, 'page 400'],
  ['continue beyond integers', { continue: '9007199254740993' }, 'page 400'],
  ['continue empty', { continue: '' }, 'page 400'],
  ['continue doubled', { continue: ['1', '1'] }, 'page 400'],
]

const named = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => {
      const one = (each: string): string =>
        each === 'CLIENT' ? client.client_id : each === 'STRANGER' ? stranger.client_id : each
      return [name, value === undefined ? value : typeof value === 'string' ? one(value) : value.map(one)]
    }),
  )

table('GET /oauth/authorize', authorizeRows, async (changes) => {
  const query = at(authorizeQuery(client, makePkce()), named(changes))
  return pageOutcome(await place.send(`/oauth/authorize?${encode(query)}`), [callback])
})

describe('what is taken all the same', () => {
  it.each([
    ['state missing', { state: undefined }],
    ['scope missing', { scope: undefined }],
    ['scope empty', { scope: '' }],
    ['scope with unknown words', { scope: 'openid player' }],
    ['resource empty', { resource: '' }],
    ['resource with a slash', { resource: 'http://localhost:8020/mcp/' }],
    ['resource by another name', { resource: 'http://127.0.0.1:8020/mcp' }],
    ['resource doubled', { resource: twice('http://localhost:8020/mcp') }],
    ['another loopback port', { redirect_uri: 'http://127.0.0.1:1/callback' }],
    ['response_mode query', { response_mode: 'query' }],
    ['unknown parameters', { prompt: 'none', nonce: 'x', __proto__x: '1' }],
  ])('%s', async (_, changes) => {
    const query = at(authorizeQuery(client, makePkce()), changes)
    expect(pageOutcome(await place.send(`/oauth/authorize?${encode(query)}`), [])).toBe('choice')
  })
})

interface Pressed {
  readonly form?: Fields
  readonly send?: Send
  readonly before?: (browser: Browser, page: Reply) => void | Promise<void>
}

table<Pressed>(
  'POST /oauth/authorize',
  [
    ['ticket missing', { form: { ticket: undefined } }, 'page 400'],
    ['ticket empty', { form: { ticket: '' } }, 'page 400'],
    ['ticket junk', { form: { ticket: 'x' } }, 'page 400'],
    ['ticket overlong', { form: { ticket: long } }, 'page 400'],
    ['ticket without a signature', { form: { ticket: 'eyJhbGciOiJub25lIn0.eyJzdWIiOiIxIn0.' } }, 'page 400'],
    ['action missing', { form: { action: undefined } }, 'page 400'],
    ['action unknown', { form: { action: 'grant' } }, 'page 400'],
    ['action of a prototype', { form: { action: 'constructor' } }, 'page 400'],
    ['action __proto__', { form: { action: '__proto__' } }, 'page 400'],
    ['scope missing', { form: { scope: undefined } }, 'page 400'],
    ['scope above what was asked', { form: { scope: 'dm' } }, 'page 400'],
    ['scope unknown', { form: { scope: 'admin' } }, 'page 400'],
    ['write_mode missing', { form: { write_mode: undefined } }, 'page 400'],
    ['write_mode unknown', { form: { write_mode: 'everything' } }, 'page 400'],
    ['campaign missing', { form: { campaign: undefined } }, 'page 400'],
    ['campaign of nobody', { form: { campaign: '424242' } }, 'page 400'],
    ['campaign with a space', { form: { campaign: ' 1' } }, 'page 400'],
    ['password missing', { form: { action: 'sign_in', username: 'Marta' } }, 'page 400'],
    ['name missing', { form: { action: 'sign_in', password: 'x' } }, 'page 400'],
    ['name overlong', { form: { action: 'sign_in', username: long, password: 'x' } }, 'page 400'],
    ['password overlong', { form: { action: 'sign_in', username: 'Marta', password: long } }, 'page 400'],
    ['password wrong', { form: { action: 'sign_in', username: 'Marta', password: 'not hers' } }, 'page 401'],
    ['user unknown', { form: { action: 'sign_in', username: 'Nobody', password: 'not hers' } }, 'page 401'],
    ['as JSON', { send: { json: { action: 'allow' } } }, 'page 400'],
    ['as text', { send: { payload: 'action=allow' } }, 'page 400'],
    ['as nothing', { send: { method: 'POST' } }, 'page 400'],
    ['larger than a form', { form: { more: 'x'.repeat(20_000) } }, 'page 413'],
    ['from another site', { send: { headers: { 'sec-fetch-site': 'cross-site' } } }, 'page 403'],
    ['from another origin', { send: { headers: { origin: 'https://evil.example' } } }, 'page 403'],
    ['after its ten minutes', { before: () => place.server.clock.advance(601_000) }, 'page 400'],
    ['after it was answered', { before: answerOnce }, 'page 400'],
    ['without its cookie', { before: (browser) => void browser.cookies.delete('talekeeper_oauth') }, 'page 400'],
    ['with a cookie of junk', { before: (browser) => void browser.cookies.set('talekeeper_oauth', 'x') }, 'page 400'],
    [
      'with the session as its cookie',
      {
        before: (browser) =>
          void browser.cookies.set('talekeeper_oauth', browser.cookies.get('talekeeper_session') ?? ''),
      },
      'page 400',
    ],
    ['of another user', { before: (browser) => signInSilently(place, browser, place.userId.hob) }, 'again'],
    ['of nobody any more', { before: (browser) => void browser.cookies.delete('talekeeper_session') }, 'again'],
    [
      'with a session of junk',
      { before: (browser) => void browser.cookies.set('talekeeper_session', 'tkw_x') },
      'again',
    ],
  ],
  async ({ form = {}, send = {}, before }) => {
    const grants = (): number => place.server.app.store().all('SELECT id FROM oauth_grants').length
    const browser = openBrowser(place)
    signInSilently(place, browser, place.userId.marta)
    const page = await browser.open(
      `/oauth/authorize?${encode(authorizeQuery(client, makePkce(), { scope: 'player' }))}`,
    )
    const fields = { ticket: browser.ticket(), action: 'allow', ...formOf(page), ...form }
    await before?.(browser, page)
    const granted = grants()
    const cookie = Array.from(browser.cookies, ([name, value]) => `${name}=${value}`).join('; ')
    const reply = await place.send('/oauth/authorize', {
      ...('json' in send || 'payload' in send || 'method' in send ? {} : { form: fields }),
      ...send,
      headers: { cookie, origin: 'null', ...send.headers },
    })
    expect(grants()).toBe(granted)
    return pageOutcome(reply, [callback])
  },
)

async function answerOnce(browser: Browser, page: Reply): Promise<void> {
  expect((await browser.press('allow', formOf(page))).status).toBe(303)
}

interface Redeemed {
  readonly change?: (granted: Granted) => Fields | Promise<Fields>
  readonly send?: (form: Fields) => Send
  readonly before?: (granted: Granted) => unknown
}

const form = (change: Fields): Redeemed => ({ change: () => change })
const basic = (text: string): Readonly<Record<string, string>> => ({
  authorization: `Basic ${Buffer.from(text).toString('base64')}`,
})

table<Redeemed>(
  'POST /oauth/token with a code',
  [
    ['grant_type missing', form({ grant_type: undefined }), '400 invalid_request'],
    ['grant_type empty', form({ grant_type: '' }), '400 invalid_request'],
    ['grant_type doubled', form({ grant_type: twice('authorization_code') }), '400 invalid_request'],
    [
      'grant_type password',
      form({ grant_type: 'password', username: 'Marta', password }),
      '400 unsupported_grant_type',
    ],
    ['grant_type client_credentials', form({ grant_type: 'client_credentials' }), '400 unsupported_grant_type'],
    ['grant_type implicit', form({ grant_type: 'implicit' }), '400 unsupported_grant_type'],
    [
      'grant_type of a device',
      form({ grant_type: 'urn:ietf:params:oauth:grant-type:device_code' }),
      '400 unsupported_grant_type',
    ],
    ['grant_type of a prototype', form({ grant_type: 'constructor' }), '400 unsupported_grant_type'],
    ['grant_type __proto__', form({ grant_type: '__proto__' }), '400 unsupported_grant_type'],
    ['grant_type refresh_token', form({ grant_type: 'refresh_token' }), '400 invalid_request'],
    ['code missing', form({ code: undefined }), '400 invalid_request'],
    ['code empty', form({ code: '' }), '400 invalid_request'],
    ['code doubled', { change: ({ code }) => ({ code: twice(code) }) }, '400 invalid_request'],
    ['code unknown', form({ code: `tkc_${'A'.repeat(43)}` }), '400 invalid_grant'],
    ['code junk', form({ code: `' OR 1=1 --` }), '400 invalid_grant'],
    ['code overlong', form({ code: long }), '400 invalid_request'],
    ['code cut', { change: ({ code }) => ({ code: code.slice(0, -1) }) }, '400 invalid_grant'],
    ['code expired', { before: () => place.server.clock.advance(61_000) }, '400 invalid_grant'],
    [
      'code used',
      { before: (granted) => place.send('/oauth/token', { form: redeemForm(granted) }) },
      '400 invalid_grant',
    ],
    ['code of another client', form({ client_id: 'STRANGER' }), '400 invalid_grant'],
    ['code whose user was disabled', { before: () => disable('marta') }, '400 invalid_grant'],
    [
      'code whose grant was taken back',
      { before: () => place.server.app.store().run("UPDATE oauth_grants SET ended_at = 'x' WHERE ended_at IS NULL") },
      '400 invalid_grant',
    ],
    ['redirect_uri missing', form({ redirect_uri: undefined }), '400 invalid_request'],
    ['redirect_uri empty', form({ redirect_uri: '' }), '400 invalid_request'],
    ['redirect_uri doubled', form({ redirect_uri: twice(callback) }), '400 invalid_request'],
    ['redirect_uri of another port', form({ redirect_uri: 'http://127.0.0.1:1/callback' }), '400 invalid_grant'],
    ['redirect_uri with a slash', form({ redirect_uri: `${callback}/` }), '400 invalid_grant'],
    ['redirect_uri of another site', form({ redirect_uri: 'https://evil.example/' }), '400 invalid_grant'],
    ['client_id missing', form({ client_id: undefined }), '400 invalid_request'],
    ['client_id empty', form({ client_id: '' }), '400 invalid_request'],
    ['client_id doubled', form({ client_id: ['CLIENT', 'CLIENT'] }), '400 invalid_request'],
    ['client_id unknown', form({ client_id: 'unknown' }), '401 invalid_client'],
    [
      'client_id of a client with a secret',
      { change: () => ({ client_id: confidential.client_id }) },
      '401 invalid_client',
    ],
    ['client_secret of a public client', form({ client_secret: 'x' }), '401 invalid_client'],
    ['client_secret doubled', form({ client_secret: twice('x') }), '400 invalid_request'],
    [
      'client_assertion',
      form({
        client_assertion: 'x.y.z',
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      }),
      '401 invalid_client',
    ],
    ['code_verifier missing', form({ code_verifier: undefined }), '400 invalid_request'],
    ['code_verifier empty', form({ code_verifier: '' }), '400 invalid_request'],
    [
      'code_verifier doubled',
      { change: ({ pkce }) => ({ code_verifier: twice(pkce.verifier) }) },
      '400 invalid_request',
    ],
    ['code_verifier wrong', form({ code_verifier: 'A'.repeat(43) }), '400 invalid_grant'],
    ['code_verifier short', form({ code_verifier: 'A'.repeat(42) }), '400 invalid_grant'],
    ['code_verifier long', form({ code_verifier: 'A'.repeat(129) }), '400 invalid_grant'],
    ['code_verifier with a space', form({ code_verifier: `${'A'.repeat(43)} ` }), '400 invalid_grant'],
    ['code_verifier the challenge', { change: ({ pkce }) => ({ code_verifier: pkce.challenge }) }, '400 invalid_grant'],
    ['resource of another server', form({ resource: 'https://evil.example/mcp' }), '400 invalid_target'],
    [
      'resource ours and another',
      form({ resource: ['http://localhost:8020/mcp', 'https://evil.example'] }),
      '400 invalid_target',
    ],
    ['resource relative', form({ resource: 'mcp' }), '400 invalid_target'],
    [
      'at another address',
      { send: (fields) => ({ form: fields, headers: { host: 'localhost:9999' } }) },
      '400 invalid_grant',
    ],
    ['as JSON', { send: (fields) => ({ json: fields }) }, '400 invalid_request'],
    ['as text', { send: (fields) => ({ payload: encode(fields) }) }, '400 invalid_request'],
    ['as nothing', { send: () => ({ method: 'POST' }) }, '400 invalid_request'],
    [
      'in the query',
      { send: (fields) => ({ method: 'POST', path: `/oauth/token?${encode(fields)}` }) as Send },
      '400 invalid_request',
    ],
    [
      'as a form with JSON in it',
      { send: () => ({ form: { '{"grant_type":"authorization_code"}': '' } }) },
      '400 invalid_request',
    ],
    ['larger than a form', form({ more: 'x'.repeat(20_000) }), '413 invalid_request'],
    [
      'Authorization junk',
      { send: (fields) => ({ form: fields, headers: { authorization: 'x' } }) },
      '401 invalid_client',
    ],
    [
      'Authorization bearer',
      { send: (fields) => ({ form: fields, headers: { authorization: 'Bearer tka_x' } }) },
      '401 invalid_client',
    ],
    [
      'Authorization without a colon',
      { send: (fields) => ({ form: fields, headers: basic('x') }) },
      '401 invalid_client',
    ],
    ['Authorization empty', { send: (fields) => ({ form: fields, headers: basic(':') }) }, '401 invalid_client'],
    [
      'Authorization with a broken escape',
      { send: (fields) => ({ form: fields, headers: basic('%zz:x') }) },
      '401 invalid_client',
    ],
    [
      'Authorization of another client',
      {
        send: (fields) => ({ form: fields, headers: basic(`${confidential.client_id}:${confidential.client_secret}`) }),
      },
      '400 invalid_request',
    ],
    [
      'Authorization with a wrong secret',
      { send: ({ client_id: _, ...fields }) => ({ form: fields, headers: basic(`${confidential.client_id}:x`) }) },
      '401 invalid_client',
    ],
    [
      'Authorization without a secret',
      { send: ({ client_id: _, ...fields }) => ({ form: fields, headers: basic(`${confidential.client_id}:`) }) },
      '401 invalid_client',
    ],
    [
      'Authorization for a foreign code',
      {
        send: ({ client_id: _, ...fields }) => ({
          form: fields,
          headers: basic(`${confidential.client_id}:${confidential.client_secret}`),
        }),
      },
      '400 invalid_grant',
    ],
    [
      'secret in header and form',
      {
        send: ({ client_id: _, ...fields }) => ({
          form: { ...fields, client_secret: confidential.client_secret },
          headers: basic(`${confidential.client_id}:${confidential.client_secret}`),
        }),
      },
      '400 invalid_request',
    ],
  ],
  async ({ change, send, before }) => {
    enable('marta')
    const granted = await authorizeAs(place, { client })
    for (const value of [granted.code, granted.pkce.verifier]) secrets.add(value)
    const fields = at(redeemForm(granted), named((await change?.(granted)) ?? {}))
    await before?.(granted)
    const { path = '/oauth/token', ...options } = (send?.(fields) ?? { form: fields }) as Send & { path?: string }
    return jsonOutcome(await place.send(path, options))
  },
)

function disable(name: 'marta' | 'hob'): void {
  const store = place.server.app.store()
  store.run("UPDATE users SET disabled_at = '2026-11-21T00:00:00.000Z' WHERE id = @id", { id: place.userId[name] })
}
function enable(name: 'marta' | 'hob'): void {
  place.server.app.store().run('UPDATE users SET disabled_at = NULL WHERE id = @id', { id: place.userId[name] })
}

interface Refreshed {
  readonly change?: (connection: Connection) => Fields
  readonly before?: (connection: Connection) => unknown
}
const refreshWith = (change: Fields): Refreshed => ({ change: () => change })
const sendForm = (path: string, fields: Fields): Promise<Reply> => place.send(path, { form: fields })

table<Refreshed>(
  'POST /oauth/token with a refresh token',
  [
    ['refresh_token missing', refreshWith({ refresh_token: undefined }), '400 invalid_request'],
    ['refresh_token empty', refreshWith({ refresh_token: '' }), '400 invalid_request'],
    [
      'refresh_token doubled',
      { change: ({ tokens }) => ({ refresh_token: twice(tokens.refresh_token) }) },
      '400 invalid_request',
    ],
    ['refresh_token unknown', refreshWith({ refresh_token: `tkr_${'A'.repeat(43)}` }), '400 invalid_grant'],
    ['refresh_token junk', refreshWith({ refresh_token: 'x' }), '400 invalid_grant'],
    ['refresh_token overlong', refreshWith({ refresh_token: long }), '400 invalid_request'],
    [
      'refresh_token cut',
      { change: ({ tokens }) => ({ refresh_token: tokens.refresh_token.slice(0, -1) }) },
      '400 invalid_grant',
    ],
    ['an access token', { change: ({ tokens }) => ({ refresh_token: tokens.access_token }) }, '400 invalid_grant'],
    ['a code', { change: ({ code }) => ({ refresh_token: code }) }, '400 invalid_grant'],
    ['expired', { before: () => place.server.clock.advance(91 * 24 * 3600_000) }, '400 invalid_grant'],
    [
      'used',
      { before: ({ tokens }) => sendForm('/oauth/token', refreshForm(client, tokens.refresh_token)) },
      '400 invalid_grant',
    ],
    [
      'revoked',
      {
        before: ({ tokens }) => sendForm('/oauth/revoke', { token: tokens.refresh_token, client_id: client.client_id }),
      },
      '400 invalid_grant',
    ],
    ['of a disabled user', { before: () => disable('marta') }, '400 invalid_grant'],
    ['of another client', refreshWith({ client_id: 'STRANGER' }), '400 invalid_grant'],
    ['client_id missing', refreshWith({ client_id: undefined }), '400 invalid_request'],
    ['client_id doubled', refreshWith({ client_id: ['CLIENT', 'CLIENT'] }), '400 invalid_request'],
    ['client_id unknown', refreshWith({ client_id: 'unknown' }), '401 invalid_client'],
    ['client_secret of a public client', refreshWith({ client_secret: 'x' }), '401 invalid_client'],
    ['scope above', refreshWith({ scope: 'dm' }), '400 invalid_scope'],
    ['scope that holds one above', refreshWith({ scope: 'dm player viewer' }), '400 invalid_scope'],
    ['scope unknown', refreshWith({ scope: 'admin' }), '400 invalid_scope'],
    ['scope doubled', refreshWith({ scope: twice('viewer') }), '400 invalid_request'],
    ['resource of another server', refreshWith({ resource: 'https://evil.example/mcp' }), '400 invalid_target'],
    ['grant_type doubled', refreshWith({ grant_type: twice('refresh_token') }), '400 invalid_request'],
    ['grant_type authorization_code', refreshWith({ grant_type: 'authorization_code' }), '400 invalid_request'],
  ],
  async ({ change, before }) => {
    enable('marta')
    const connection = await connect(place, { client, choice: { scope: 'player' } })
    const { access_token: access, refresh_token: refresh } = connection.tokens
    for (const value of [access, refresh]) secrets.add(value)
    const fields = at(refreshForm(client, refresh), named(change?.(connection) ?? {}))
    await before?.(connection)
    return jsonOutcome(await sendForm('/oauth/token', fields))
  },
)

table<Fields>(
  'POST /oauth/revoke',
  [
    ['token missing', { token: undefined }, '400 invalid_request'],
    ['token empty', { token: '' }, '400 invalid_request'],
    ['token doubled', { token: ['x', 'x'] }, '400 invalid_request'],
    ['token overlong', { token: long }, '400 invalid_request'],
    ['client_id missing', { client_id: undefined }, '400 invalid_request'],
    ['client_id doubled', { client_id: ['CLIENT', 'CLIENT'] }, '400 invalid_request'],
    ['client_id unknown', { client_id: 'unknown' }, '401 invalid_client'],
    ['client_secret of a public client', { client_secret: 'x' }, '401 invalid_client'],
    ['client with a secret, without it', { client_id: 'CONFIDENTIAL' }, '401 invalid_client'],
    ['token unknown', { token: 'x' }, '200'],
    ['client of another', { client_id: 'STRANGER' }, '200'],
  ],
  async (change) => {
    enable('marta')
    const { tokens } = await connect(place, { client })
    secrets.add(tokens.access_token)
    const known = {
      ...named(change),
      ...(change.client_id === 'CONFIDENTIAL' ? { client_id: confidential.client_id } : {}),
    }
    const reply = await sendForm(
      '/oauth/revoke',
      at({ token: tokens.refresh_token, client_id: client.client_id }, known),
    )
    expect(await opens(place, tokens.access_token)).toBe(true)
    return jsonOutcome(reply)
  },
)

const uris = { redirect_uris: [callback] }
table<Send>(
  'POST /oauth/register',
  [
    ['as a form', { form: { client_name: 'x' } }, '400 invalid_client_metadata'],
    ['as text', { payload: '{}' }, '400 invalid_request'],
    ['as nothing', { method: 'POST' }, '400 invalid_client_metadata'],
    ['no JSON', { payload: '{', headers: { 'content-type': 'application/json' } }, '400 invalid_client_metadata'],
    ['empty', { payload: '', headers: { 'content-type': 'application/json' } }, '400 invalid_client_metadata'],
    ['null', { json: null }, '400 invalid_client_metadata'],
    ['a list', { json: [uris] }, '400 invalid_client_metadata'],
    ['a text', { json: 'x' }, '400 invalid_client_metadata'],
    ['larger than 16 kB', { json: { ...uris, more: 'x'.repeat(17_000) } }, '413 invalid_request'],
    ['redirect_uris missing', { json: {} }, '400 invalid_redirect_uri'],
    ['redirect_uris null', { json: { redirect_uris: null } }, '400 invalid_redirect_uri'],
    ['redirect_uris empty', { json: { redirect_uris: [] } }, '400 invalid_redirect_uri'],
    ['redirect_uris a text', { json: { redirect_uris: callback } }, '400 invalid_client_metadata'],
    ['redirect_uris numbers', { json: { redirect_uris: [1] } }, '400 invalid_client_metadata'],
    [
      'redirect_uris eleven',
      { json: { redirect_uris: Array.from({ length: 11 }, (_, n) => `${callback}${n}`) } },
      '400 invalid_redirect_uri',
    ],
    [
      'redirect_uris good and bad',
      { json: { redirect_uris: [callback, 'http://evil.example'] } },
      '400 invalid_redirect_uri',
    ],
    ['redirect_uris a script', { json: { redirect_uris: ['javascript:alert(1)'] } }, '400 invalid_redirect_uri'],
    [
      'redirect_uris with a fragment',
      { json: { redirect_uris: ['https://a.example/#x'] } },
      '400 invalid_redirect_uri',
    ],
    ['redirect_uris a wildcard', { json: { redirect_uris: ['https://*.example/cb'] } }, '400 invalid_redirect_uri'],
    ['redirect_uris plain http', { json: { redirect_uris: ['http://192.168.1.5/cb'] } }, '400 invalid_redirect_uri'],
    [
      'auth method unknown',
      { json: { ...uris, token_endpoint_auth_method: 'private_key_jwt' } },
      '400 invalid_client_metadata',
    ],
    ['auth method a number', { json: { ...uris, token_endpoint_auth_method: 1 } }, '400 invalid_client_metadata'],
    [
      'grant types without codes',
      { json: { ...uris, grant_types: ['client_credentials'] } },
      '400 invalid_client_metadata',
    ],
    [
      'grant types implicit',
      { json: { ...uris, grant_types: ['implicit'], response_types: ['token'] } },
      '400 invalid_client_metadata',
    ],
    ['response types without code', { json: { ...uris, response_types: ['token'] } }, '400 invalid_client_metadata'],
    ['client_name a number', { json: { ...uris, client_name: 7 } }, '400 invalid_client_metadata'],
    ['client_name an object', { json: { ...uris, client_name: { toString: 'x' } } }, '400 invalid_client_metadata'],
  ],
  async (send) => jsonOutcome(await place.send('/oauth/register', send)),
)
