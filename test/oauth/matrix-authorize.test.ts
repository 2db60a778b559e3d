import { describe, expect, it } from 'vitest'
import { at, long, named, openMatrix, pageOutcome, twice } from './matrix.ts'
import {
  authorizeQuery,
  type Browser,
  callback,
  encode,
  type Fields,
  formOf,
  makePkce,
  openBrowser,
  type Place,
  type Reply,
  type Send,
  signInSilently,
} from './support.ts'

const { matrix, table } = openMatrix(100)

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

table('GET /oauth/authorize', authorizeRows, async (changes, all) => {
  const { client, place } = all
  const query = at(authorizeQuery(client, makePkce()), named(all, changes))
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
    const { client, place } = matrix()
    const query = at(authorizeQuery(client, makePkce()), changes)
    expect(pageOutcome(await place.send(`/oauth/authorize?${encode(query)}`), [])).toBe('choice')
  })
})

interface Pressed {
  readonly form?: Fields
  readonly send?: Send
  readonly before?: (browser: Browser, page: Reply, place: Place) => void | Promise<void>
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
    ['after its ten minutes', { before: (_, __, { server }) => server.clock.advance(601_000) }, 'page 400'],
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
    ['of another user', { before: (browser, _, place) => signInSilently(place, browser, place.userId.hob) }, 'again'],
    ['of nobody any more', { before: (browser) => void browser.cookies.delete('talekeeper_session') }, 'again'],
    [
      'with a session of junk',
      { before: (browser) => void browser.cookies.set('talekeeper_session', 'tkw_x') },
      'again',
    ],
  ],
  async ({ form = {}, send = {}, before }, { place, client }) => {
    const grants = (): number => place.server.app.store().all('SELECT id FROM oauth_grants').length
    const browser = openBrowser(place)
    signInSilently(place, browser, place.userId.marta)
    const page = await browser.open(
      `/oauth/authorize?${encode(authorizeQuery(client, makePkce(), { scope: 'player' }))}`,
    )
    const fields = { ticket: browser.ticket(), action: 'allow', ...formOf(page), ...form }
    await before?.(browser, page, place)
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
