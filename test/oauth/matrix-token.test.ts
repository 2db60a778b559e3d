import { at, jsonOutcome, long, type Matrix, named, openMatrix, setDisabled, twice } from './matrix.ts'
import {
  authorizeAs,
  type Connection,
  callback,
  connect,
  encode,
  type Fields,
  type Granted,
  password,
  type RegisteredClient,
  redeemForm,
  refreshForm,
  type Send,
} from './support.ts'

const { table } = openMatrix(85)

interface Redeemed {
  readonly change?: (granted: Granted) => Fields
  readonly send?: (form: Fields, matrix: Matrix) => Send
  readonly before?: (granted: Granted, matrix: Matrix) => unknown
}

const form = (change: Fields): Redeemed => ({ change: () => change })
const basic = (text: string): Readonly<Record<string, string>> => ({
  authorization: `Basic ${Buffer.from(text).toString('base64')}`,
})
const ownBasic = ({ client_id: id, client_secret: secret }: RegisteredClient) => basic(`${id}:${secret}`)

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
    ['code expired', { before: (_, { place }) => place.server.clock.advance(61_000) }, '400 invalid_grant'],
    [
      'code used',
      { before: (granted, { place }) => place.send('/oauth/token', { form: redeemForm(granted) }) },
      '400 invalid_grant',
    ],
    ['code of another client', form({ client_id: 'STRANGER' }), '400 invalid_grant'],
    [
      'code whose user was disabled',
      { before: (_, { place }) => setDisabled(place, 'marta', true) },
      '400 invalid_grant',
    ],
    [
      'code whose grant was taken back',
      {
        before: (_, { place }) =>
          place.server.app.store().run("UPDATE oauth_grants SET ended_at = 'x' WHERE ended_at IS NULL"),
      },
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
    ['client_id of a client with a secret', form({ client_id: 'CONFIDENTIAL' }), '401 invalid_client'],
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
        send: (fields, { confidential }) => ({ form: fields, headers: ownBasic(confidential) }),
      },
      '400 invalid_request',
    ],
    [
      'Authorization with a wrong secret',
      {
        send: ({ client_id: _, ...fields }, { confidential }) => ({
          form: fields,
          headers: basic(`${confidential.client_id}:x`),
        }),
      },
      '401 invalid_client',
    ],
    [
      'Authorization without a secret',
      {
        send: ({ client_id: _, ...fields }, { confidential }) => ({
          form: fields,
          headers: basic(`${confidential.client_id}:`),
        }),
      },
      '401 invalid_client',
    ],
    [
      'Authorization for a foreign code',
      {
        send: ({ client_id: _, ...fields }, { confidential }) => ({
          form: fields,
          headers: ownBasic(confidential),
        }),
      },
      '400 invalid_grant',
    ],
    [
      'secret in header and form',
      {
        send: ({ client_id: _, ...fields }, { confidential }) => ({
          form: { ...fields, client_secret: confidential.client_secret },
          headers: ownBasic(confidential),
        }),
      },
      '400 invalid_request',
    ],
  ],
  async ({ change, send, before }, all) => {
    const { place, client, secrets } = all
    setDisabled(place, 'marta', false)
    const granted = await authorizeAs(place, { client })
    for (const value of [granted.code, granted.pkce.verifier]) secrets.add(value)
    const fields = at(redeemForm(granted), named(all, change?.(granted) ?? {}))
    await before?.(granted, all)
    const { path = '/oauth/token', ...options } = (send?.(fields, all) ?? { form: fields }) as Send & { path?: string }
    return jsonOutcome(await place.send(path, options))
  },
)

interface Refreshed {
  readonly change?: (connection: Connection) => Fields
  readonly before?: (connection: Connection, matrix: Matrix) => unknown
}
const refreshWith = (change: Fields): Refreshed => ({ change: () => change })

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
    ['expired', { before: (_, { place }) => place.server.clock.advance(91 * 24 * 3600_000) }, '400 invalid_grant'],
    [
      'used',
      {
        before: ({ tokens, client }, { place }) =>
          place.send('/oauth/token', { form: refreshForm(client, tokens.refresh_token) }),
      },
      '400 invalid_grant',
    ],
    [
      'revoked',
      {
        before: ({ tokens, client }, { place }) =>
          place.send('/oauth/revoke', { form: { token: tokens.refresh_token, client_id: client.client_id } }),
      },
      '400 invalid_grant',
    ],
    ['of a disabled user', { before: (_, { place }) => setDisabled(place, 'marta', true) }, '400 invalid_grant'],
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
  async ({ change, before }, all) => {
    const { place, client, secrets } = all
    setDisabled(place, 'marta', false)
    const connection = await connect(place, { client, choice: { scope: 'player' } })
    const { access_token: access, refresh_token: refresh } = connection.tokens
    for (const value of [access, refresh]) secrets.add(value)
    const fields = at(refreshForm(client, refresh), named(all, change?.(connection) ?? {}))
    await before?.(connection, all)
    return jsonOutcome(await place.send('/oauth/token', { form: fields }))
  },
)
