import { expect } from 'vitest'
import { at, jsonOutcome, long, named, openMatrix } from './matrix.ts'
import { callback, connect, type Fields, opens, type Send } from './support.ts'

const { table } = openMatrix(35)

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
  async (change, all) => {
    const { place, client, secrets } = all
    const { tokens } = await connect(place, { client })
    for (const value of [tokens.access_token, tokens.refresh_token]) secrets.add(value)
    const form = at({ token: tokens.refresh_token, client_id: client.client_id }, named(all, change))
    const reply = await place.send('/oauth/revoke', { form })
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
  async (send, { place }) => jsonOutcome(await place.send('/oauth/register', send)),
)
