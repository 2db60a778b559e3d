import { afterEach, beforeEach, describe, expect, it, test } from 'vitest'
import {
  authorizeAs,
  type Connection,
  connect,
  encode,
  type Fields,
  openPlace,
  opens,
  type Place,
  type Reply,
  redeemForm,
  refreshForm,
  registerClient,
} from './support.ts'

let place: Place
beforeEach(async () => {
  place = await openPlace()
})
afterEach(() => place?.server.stop())

const token = (form: Fields, headers = {}): Promise<Reply> => place.send('/oauth/token', { form, headers })
const revoke = (form: Fields, headers = {}): Promise<Reply> => place.send('/oauth/revoke', { form, headers })
const pass = (seconds: number): void => place.server.clock.advance(seconds * 1000)
const basic = (id: string, secret: string): Readonly<Record<string, string>> => ({
  authorization: `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`,
})

interface Record_ {
  readonly operation: string
  readonly client_id: string
  readonly credential_id: number
  readonly actor_user_id: number
  readonly facts: Readonly<Record<string, unknown>>
}

const audit = (operation: string): Record_[] =>
  place.server.app
    .store()
    .all('SELECT * FROM change_sets WHERE operation = @operation ORDER BY id', { operation })
    .map((row) => ({ ...row, facts: JSON.parse(String(row.facts)) }) as unknown as Record_)

describe('lifetimes', () => {
  it('are a minute for a code, an hour for an access token, 90 days for a refresh token', async () => {
    const late = await authorizeAs(place)
    pass(60)
    expect((await token(redeemForm(late))).body.error).toBe('invalid_grant')
    const granted = await authorizeAs(place, { client: late.client })
    pass(59)
    const { body } = await token(redeemForm(granted))
    pass(3599)
    expect(await opens(place, body.access_token)).toBe(true)
    pass(1)
    expect(await opens(place, body.access_token)).toBe(false)
    pass(90 * 24 * 3600 - 3601)
    const next = await token(refreshForm(granted.client, body.refresh_token))
    expect(next.status).toBe(200)
    pass(90 * 24 * 3600)
    const last = await token(refreshForm(granted.client, next.body.refresh_token))
    expect([last.status, last.body.error]).toEqual([400, 'invalid_grant'])
  })
})

describe('refreshing', () => {
  it('rotates: the new pair works, the old access token lives on, the old refresh token is spent', async () => {
    const { client, tokens } = await connect(place)
    const { status, body, headers } = await token(refreshForm(client, tokens.refresh_token))
    expect(status).toBe(200)
    expect(headers['cache-control']).toBe('no-store')
    expect(body.refresh_token).not.toBe(tokens.refresh_token)
    expect(await opens(place, tokens.access_token)).toBe(true)
    expect(await opens(place, body.access_token)).toBe(true)
  })

  it('may ask for less, and gets what was granted the next time', async () => {
    const { client, tokens } = await connect(place, { choice: { scope: 'player' } })
    const less = await token(refreshForm(client, tokens.refresh_token, { scope: 'viewer' }))
    expect(less.body.scope).toBe('viewer')
    const more = await token(refreshForm(client, less.body.refresh_token, { scope: 'dm' }))
    expect([more.status, more.body.error]).toEqual([400, 'invalid_scope'])
    const same = await token(refreshForm(client, less.body.refresh_token))
    expect(same.body.scope).toBe('player')
  })

  it('narrows the access token for real', async () => {
    const { client, tokens } = await connect(place, { choice: { write_mode: 'direct' } })
    const { body } = await token(refreshForm(client, tokens.refresh_token, { scope: 'viewer' }))
    const create = (accessToken: string): Promise<Reply> =>
      place.send(`/api/v1/campaigns/${place.campaignId.orchard}/quests`, {
        json: { title: 'The bell' },
        headers: { authorization: `Bearer ${accessToken}` },
      })
    expect((await create(body.access_token)).status).toBe(403)
    expect((await create(tokens.access_token)).status).toBe(201)
  })
})

describe('a refresh token that comes again (SPEC 5.8)', () => {
  it('ends its whole family and the access tokens at once, with a record that holds no value', async () => {
    const { client, tokens } = await connect(place)
    const second = (await token(refreshForm(client, tokens.refresh_token))).body
    const third = (await token(refreshForm(client, second.refresh_token))).body
    const replay = await token(refreshForm(client, tokens.refresh_token))
    expect([replay.status, replay.body.error]).toEqual([400, 'invalid_grant'])
    for (const pair of [tokens, second, third]) {
      expect(await opens(place, pair.access_token)).toBe(false)
      expect((await token(refreshForm(client, pair.refresh_token))).body.error).toBe('invalid_grant')
    }
    const records = audit('replay_oauth_token')
    expect(records).toHaveLength(1)
    const [{ facts, ...record }] = records as [Record_]
    expect(record).toMatchObject({ client_id: client.client_id, actor_user_id: place.userId.marta })
    expect(facts).toMatchObject({
      oauthGrantId: record.credential_id,
      clientId: client.client_id,
      endedReason: 'replayed',
      family: expect.any(Number),
    })
    const text = JSON.stringify(records)
    for (const value of [tokens, second, third].flatMap((pair) => [pair.access_token, pair.refresh_token])) {
      expect(text).not.toContain(value)
      expect(place.server.logs()).not.toContain(value)
    }
    expect(place.server.logs()).toContain('used twice')
  })

  it('is told from one of another connection, which goes on', async () => {
    const one = await connect(place)
    const other = await connect(place, { client: one.client })
    await token(refreshForm(one.client, one.tokens.refresh_token))
    await token(refreshForm(one.client, one.tokens.refresh_token))
    expect(await opens(place, one.tokens.access_token)).toBe(false)
    expect(await opens(place, other.tokens.access_token)).toBe(true)
    expect((await token(refreshForm(other.client, other.tokens.refresh_token))).status).toBe(200)
  })

  it('is known as one after a month, and after a restart', async () => {
    const { client, tokens } = await connect(place)
    const second = (await token(refreshForm(client, tokens.refresh_token))).body
    pass(30 * 24 * 3600)
    place.server.app.oauth.sweep()
    await place.restart()
    await token(refreshForm(client, tokens.refresh_token))
    expect((await token(refreshForm(client, second.refresh_token))).body.error).toBe('invalid_grant')
    expect(audit('replay_oauth_token')).toHaveLength(1)
  })

  it('ends nothing when another client sends it', async () => {
    const { client, tokens } = await connect(place)
    const second = (await token(refreshForm(client, tokens.refresh_token))).body
    const stranger = await registerClient(place)
    expect((await token(refreshForm(stranger, tokens.refresh_token))).body.error).toBe('invalid_grant')
    expect(await opens(place, second.access_token)).toBe(true)
    expect(audit('replay_oauth_token')).toHaveLength(0)
  })

  it('ends live streams of the grant', async () => {
    const ended: unknown[] = []
    const { hub } = place.server.app
    const { endUser } = hub
    hub.endUser = (userId, only) => {
      ended.push([userId, only])
      endUser(userId, only)
    }
    const { client, tokens } = await connect(place)
    await token(refreshForm(client, tokens.refresh_token))
    expect(ended).toEqual([])
    await token(refreshForm(client, tokens.refresh_token))
    expect(ended).toEqual([[place.userId.marta, { kind: 'oauth', id: 1 }]])
  })
})

describe('a code that comes again (RFC 6749, 4.1.2)', () => {
  it('ends what came of it', async () => {
    const { client, granted, tokens } = await connect(place)
    const refreshed = (await token(refreshForm(client, tokens.refresh_token))).body
    pass(3600)
    const replay = await token(redeemForm(granted))
    expect([replay.status, replay.body.error]).toEqual([400, 'invalid_grant'])
    expect(await opens(place, refreshed.access_token)).toBe(false)
    expect((await token(refreshForm(client, refreshed.refresh_token))).body.error).toBe('invalid_grant')
    expect(audit('replay_oauth_code')).toHaveLength(1)
  })

  it('was not spent by a redemption that was refused', async () => {
    const granted = await authorizeAs(place)
    for (const wrong of [
      { code_verifier: 'x'.repeat(43) },
      { redirect_uri: 'http://127.0.0.1:1/other' },
      { resource: 'https://evil.example' },
    ]) {
      expect((await token(redeemForm(granted, wrong))).status).toBe(400)
    }
    expect((await token(redeemForm(granted))).status).toBe(200)
  })
})

describe('many at once, over real sockets (SPEC 5.7)', () => {
  const redemptions = 200
  const flood = async (base: string, form: Fields) => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const request = { method: 'POST', headers, body: encode(form) }
    const replies = await Promise.all(Array.from({ length: redemptions }, () => fetch(`${base}/oauth/token`, request)))
    const answered = replies.filter(({ ok }) => ok).map((reply) => reply.json() as Promise<Record<string, string>>)
    return { statuses: replies.map(({ status }) => status), answers: await Promise.all(answered) }
  }

  it('one code is answered once, and ends at the second', async () => {
    const base = await place.server.app.listen()
    const { host } = new URL(base)
    const granted = await authorizeAs(place, { host })
    const { answers, statuses } = await flood(base, redeemForm(granted))
    expect(answers).toHaveLength(1)
    expect(statuses.filter((status) => status === 400)).toHaveLength(redemptions - 1)
    expect(place.server.app.store().all("SELECT id FROM oauth_tokens WHERE kind = 'refresh'")).toHaveLength(1)
    expect(await opens(place, answers[0]?.access_token ?? '', host)).toBe(false)
    expect(audit('replay_oauth_code')).toHaveLength(1)
  })

  it('one refresh token is answered once, and ends at the second', async () => {
    const base = await place.server.app.listen()
    const { host } = new URL(base)
    const { client, tokens } = await connect(place, { host })
    const { answers, statuses } = await flood(base, refreshForm(client, tokens.refresh_token))
    expect(answers).toHaveLength(1)
    expect(statuses.filter((status) => status === 400)).toHaveLength(redemptions - 1)
    expect(place.server.app.store().all("SELECT id FROM oauth_tokens WHERE kind = 'refresh'")).toHaveLength(2)
    expect(await opens(place, tokens.access_token, host)).toBe(false)
    expect(audit('replay_oauth_token')).toHaveLength(1)
  })
})

describe('clients with a secret', () => {
  test.each([
    ['client_secret_basic', 'basic'],
    ['client_secret_post', 'post'],
    ['client_secret_basic', 'post'],
    ['client_secret_post', 'basic'],
  ])('registered for %s authenticate by %s', async (method, way) => {
    const client = await registerClient(place, { token_endpoint_auth_method: method })
    const secret = client.client_secret ?? ''
    const granted = await authorizeAs(place, { client })
    const [more, headers] =
      way === 'basic' ? [{ client_id: undefined }, basic(client.client_id, secret)] : [{ client_secret: secret }, {}]
    expect((await token(redeemForm(granted), {})).body.error).toBe('invalid_client')
    const { status, body } = await token(redeemForm(granted, more), headers)
    expect(status).toBe(200)
    const next = await token(refreshForm(client, body.refresh_token, more), headers)
    expect(next.status).toBe(200)
    const gone = await revoke(
      { token: next.body.refresh_token, ...('client_id' in more ? {} : { client_id: client.client_id }), ...more },
      headers,
    )
    expect(gone.status).toBe(200)
    expect(await opens(place, next.body.access_token)).toBe(false)
  })

  it('hear in kind that their secret is wrong', async () => {
    const client = await registerClient(place, { token_endpoint_auth_method: 'client_secret_basic' })
    const form = { grant_type: 'refresh_token', refresh_token: 'x' }
    const wrong = await token(form, basic(client.client_id, 'tkcl_wrong'))
    expect([wrong.status, wrong.body.error]).toEqual([401, 'invalid_client'])
    expect(wrong.headers['www-authenticate']).toMatch(/^Basic /)
    const posted = await token({ ...form, client_id: client.client_id, client_secret: 'tkcl_wrong' })
    expect([posted.status, posted.body.error, posted.headers['www-authenticate']]).toEqual([
      401,
      'invalid_client',
      undefined,
    ])
  })
})

describe('revoking (RFC 7009)', () => {
  let connection: Connection
  beforeEach(async () => {
    connection = await connect(place)
  })
  const form = (value: string, more: Fields = {}): Fields => ({
    token: value,
    client_id: connection.client.client_id,
    ...more,
  })

  it('a refresh token ends everything', async () => {
    const { tokens, client } = connection
    const { status, text } = await revoke(form(tokens.refresh_token, { token_type_hint: 'refresh_token' }))
    expect([status, text]).toEqual([200, '{}'])
    expect(await opens(place, tokens.access_token)).toBe(false)
    expect((await token(refreshForm(client, tokens.refresh_token))).body.error).toBe('invalid_grant')
    expect(audit('revoke_oauth_token')).toHaveLength(1)
  })

  it('an access token ends that one', async () => {
    const { tokens, client } = connection
    expect((await revoke(form(tokens.access_token, { token_type_hint: 'refresh_token' }))).status).toBe(200)
    expect(await opens(place, tokens.access_token)).toBe(false)
    expect((await token(refreshForm(client, tokens.refresh_token))).status).toBe(200)
  })

  it('answers 200 for what is unknown, spent or of another client, and leaves it alone', async () => {
    const { tokens } = connection
    const stranger = await registerClient(place)
    for (const value of ['tkr_unknown', 'x', connection.code]) expect((await revoke(form(value))).status).toBe(200)
    for (const value of [tokens.access_token, tokens.refresh_token]) {
      expect((await revoke(form(value, { client_id: stranger.client_id }))).status).toBe(200)
    }
    expect(await opens(place, tokens.access_token)).toBe(true)
    expect((await revoke(form(tokens.refresh_token))).status).toBe(200)
    expect((await revoke(form(tokens.refresh_token))).status).toBe(200)
  })
})

describe('an access token', () => {
  it('counts in the header of REST and of /mcp, and nowhere else', async () => {
    const { tokens } = await connect(place)
    const call = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
    const headers = { authorization: `Bearer ${tokens.access_token}`, accept: 'application/json, text/event-stream' }
    expect((await place.send('/mcp', { json: call, headers })).status).toBe(200)
    for (const [path, headers] of [
      [`/api/v1/campaigns?access_token=${tokens.access_token}`, {}],
      ['/api/v1/campaigns', { cookie: `talekeeper_session=${tokens.access_token}` }],
      ['/api/v1/campaigns', { authorization: `Bearer ${tokens.refresh_token}` }],
    ] as const) {
      expect([401, 400]).toContain((await place.send(path, { headers })).status)
    }
  })

  it('counts at the address that it was made for, under every name of this machine', async () => {
    const { tokens } = await connect(place)
    for (const host of ['localhost:8020', '127.0.0.1:8020', '[::1]:8020'])
      expect(await opens(place, tokens.access_token, host)).toBe(true)
    for (const host of ['localhost:8021', '192.168.1.5:8020', 'localhost'])
      expect(await opens(place, tokens.access_token, host)).toBe(false)
  })

  it('is of one audience although the client typed one name and the browser another', async () => {
    const granted = await authorizeAs(place, {
      host: '127.0.0.1:8020',
      query: { resource: 'http://localhost:8020/mcp' },
    })
    expect((await token(redeemForm(granted, { resource: 'http://[::1]:8020/mcp' }))).status).toBe(200)
  })

  it('has its last use written down once a minute, after the request', async () => {
    const { tokens } = await connect(place)
    const { app, clock } = place.server
    const lastUsed = (): unknown => app.store().get('SELECT last_used_at FROM oauth_grants')?.last_used_at
    await opens(place, tokens.access_token)
    expect(lastUsed()).toBeNull()
    app.oauth.close()
    const first = clock().toISOString()
    expect(lastUsed()).toBe(first)
    pass(59)
    await opens(place, tokens.access_token)
    app.oauth.close()
    expect(lastUsed()).toBe(first)
    pass(1)
    await opens(place, tokens.access_token)
    app.oauth.close()
    expect(lastUsed()).toBe(clock().toISOString())
  })
})
