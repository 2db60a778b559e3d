import { setTimeout } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { wholeDatabase } from '../unit/identity-support.ts'
import {
  authorizeAs,
  type Browser,
  connect,
  type Fields,
  openBrowser,
  openPlace,
  opens,
  type Place,
  password,
  type Reply,
  redeemForm,
  refreshForm,
  registerClient,
  type Send,
  signInSilently,
} from './support.ts'

let place: Place
beforeEach(async () => {
  place = await openPlace()
})
afterEach(() => place?.server.stop())

/** The web app of somebody who is signed in. */
function webOf(user: 'marta' | 'hob' | 'admin'): (path: string, send?: Send) => Promise<Reply> {
  const browser: Browser = openBrowser(place)
  signInSilently(place, browser, place.userId[user])
  const cookie = `talekeeper_session=${browser.cookies.get('talekeeper_session')}`
  const own = { cookie, origin: 'http://localhost:8020' }
  return (path, send = {}) => place.send(`/api/v1${path}`, { ...send, headers: { ...own, ...send.headers } })
}
const token = (form: Fields): Promise<Reply> => place.send('/oauth/token', { form })

describe('my connected apps', () => {
  it('are listed with what each may do, and only mine', async () => {
    const marta = webOf('marta')
    expect((await marta('/me/apps')).body).toEqual({ items: [], nextCursor: null })
    const { client, tokens } = await connect(place, {
      choice: { scope: 'player', campaign: String(place.campaignId.orchard), write_mode: 'read', toolset: ['story'] },
    })
    await connect(place, { user: 'hob' })
    await opens(place, tokens.access_token)
    place.server.app.oauth.close()
    const { body } = await marta('/me/apps')
    const at = place.server.clock().toISOString()
    expect(body).toEqual({
      items: [
        {
          grantId: 1,
          clientId: client.client_id,
          name: 'Inkwell',
          hosts: ['127.0.0.1:43210'],
          scope: 'player',
          campaignId: place.campaignId.orchard,
          campaignName: 'The Orchard in Winter',
          writeMode: 'read',
          toolsets: ['campaign', 'story'],
          toolPreset: null,
          createdAt: at,
          lastUsedAt: at,
          expiresAt: '2027-02-18T18:00:00.000Z',
        },
      ],
      nextCursor: null,
    })
    expect(JSON.stringify(body)).not.toMatch(/tk[arc]_/)
  })

  it('page', async () => {
    const { client } = await connect(place)
    await connect(place, { client })
    await connect(place, { client })
    const marta = webOf('marta')
    const first = await marta('/me/apps?limit=2')
    expect(first.body.items).toHaveLength(2)
    const rest = await marta(`/me/apps?limit=2&cursor=${first.body.nextCursor}`)
    expect(rest.body.items).toHaveLength(1)
    expect(rest.body.nextCursor).toBeNull()
  })

  it('are disconnected at once, once, and by nobody else', async () => {
    const { client, tokens } = await connect(place)
    const marta = webOf('marta')
    expect((await webOf('hob')('/me/apps/1', { method: 'DELETE' })).status).toBe(404)
    expect(await opens(place, tokens.access_token)).toBe(true)
    const headers = { 'idempotency-key': 'k1' }
    const gone = await marta('/me/apps/1', { method: 'DELETE', headers })
    expect([gone.status, gone.body]).toEqual([200, { disconnected: { grantId: 1 } }])
    expect((await marta('/me/apps/1', { method: 'DELETE', headers })).body).toEqual(gone.body)
    expect((await marta('/me/apps/1', { method: 'DELETE' })).status).toBe(404)
    expect(await opens(place, tokens.access_token)).toBe(false)
    expect((await token(refreshForm(client, tokens.refresh_token))).body.error).toBe('invalid_grant')
    expect((await marta('/me/apps')).body.items).toEqual([])
  })

  it('are no business of a connected app', async () => {
    const { tokens } = await connect(place, { choice: { write_mode: 'direct', campaign: 'all' } })
    const headers = { authorization: `Bearer ${tokens.access_token}` }
    expect((await place.send('/api/v1/me/apps', { headers })).status).toBe(403)
    expect((await place.send('/api/v1/me/apps/1', { method: 'DELETE', headers })).status).toBe(403)
  })
})

describe('an administrator', () => {
  it('sees all registrations and removes one with what it was let do', async () => {
    const { client, tokens } = await connect(place)
    await registerClient(place, { client_name: 'Unused' })
    const admin = webOf('admin')
    const { body } = await admin('/oauth/clients')
    expect(body.items.map(({ name, liveGrants }: Record<string, unknown>) => [name, liveGrants])).toEqual([
      ['Unused', 0],
      ['Inkwell', 1],
    ])
    expect(JSON.stringify(body)).not.toMatch(/secret/i)
    expect((await webOf('marta')('/oauth/clients')).status).toBe(403)
    expect((await webOf('marta')(`/oauth/clients/${client.client_id}`, { method: 'DELETE' })).status).toBe(403)
    const removed = await admin(`/oauth/clients/${client.client_id}`, { method: 'DELETE' })
    expect(removed.body).toEqual({ removed: { clientId: client.client_id } })
    expect((await admin(`/oauth/clients/${client.client_id}`, { method: 'DELETE' })).status).toBe(404)
    expect(await opens(place, tokens.access_token)).toBe(false)
    const { status, body: refusal } = await token(refreshForm(client, tokens.refresh_token))
    expect([status, refusal.error]).toEqual([401, 'invalid_client'])
  })

  it('reads what happened on the server, with facts and without secrets', async () => {
    const { client, tokens } = await connect(place)
    await token(refreshForm(client, tokens.refresh_token))
    await token(refreshForm(client, tokens.refresh_token))
    const admin = webOf('admin')
    const { body } = await admin('/audit?limit=1')
    expect(body.items).toEqual([
      {
        id: expect.any(Number),
        at: place.server.clock().toISOString(),
        operation: 'replay_oauth_token',
        effect: 'destroy',
        door: 'rest',
        actorUserId: place.userId.marta,
        actorName: 'Marta',
        credentialKind: 'oauth',
        credentialId: 1,
        clientId: client.client_id,
        reason: null,
        facts: {
          oauthGrantId: 1,
          userId: place.userId.marta,
          clientId: client.client_id,
          fields: ['endedAt', 'endedReason'],
          endedAt: place.server.clock().toISOString(),
          endedReason: 'replayed',
          family: 1,
        },
      },
    ])
    const next = await admin(`/audit?limit=1&cursor=${body.nextCursor}`)
    expect(next.body.items[0]).toMatchObject({
      operation: 'connect_app',
      facts: {
        clientName: 'Inkwell',
        redirect: '127.0.0.1:43210',
        scope: 'dm',
        writeMode: 'propose',
        toolsets: null,
        toolPreset: null,
      },
    })
    const filtered = await admin('/audit?operation=connect_app')
    expect(filtered.body.items).toHaveLength(1)
    expect((await webOf('marta')('/audit')).status).toBe(403)
  })
})

describe('what ends for a user', () => {
  const endings: readonly (readonly [string, () => Promise<Reply>])[] = [
    [
      'a new password',
      () =>
        webOf('marta')('/me/password', {
          method: 'PUT',
          json: { currentPassword: password, newPassword: 'another good long one' },
        }),
    ],
    [
      'being disabled',
      () => webOf('admin')(`/users/${place.userId.marta}`, { method: 'PATCH', json: { disabled: true } }),
    ],
  ]
  it.each(endings)('with %s is every app, and a code on its way', async (_, end) => {
    const { client, tokens } = await connect(place)
    const late = await authorizeAs(place, { client })
    const other = await connect(place, { user: 'hob' })
    expect((await end()).status).toBe(200)
    expect(await opens(place, tokens.access_token)).toBe(false)
    expect((await token(refreshForm(client, tokens.refresh_token))).body.error).toBe('invalid_grant')
    expect((await token(redeemForm(late))).body.error).toBe('invalid_grant')
    expect(await opens(place, other.tokens.access_token)).toBe(true)
  })
})

describe('what is kept', () => {
  it('outlives a restart', async () => {
    const { client, tokens } = await connect(place)
    await place.restart()
    expect(await opens(place, tokens.access_token)).toBe(true)
    const { status, body } = await token(refreshForm(client, tokens.refresh_token))
    expect(status).toBe(200)
    await place.restart()
    expect(await opens(place, body.access_token)).toBe(true)
    expect((await token(refreshForm(client, tokens.refresh_token))).body.error).toBe('invalid_grant')
    expect(await opens(place, body.access_token)).toBe(false)
  })

  it('is hashes only', async () => {
    const { client, tokens, code, granted } = await connect(place)
    const confidential = await registerClient(place, { token_endpoint_auth_method: 'client_secret_post' })
    const database = wholeDatabase(place.server.app.store())
    expect(database).toContain(client.client_id)
    for (const value of [
      tokens.access_token,
      tokens.refresh_token,
      code,
      granted.pkce.verifier,
      confidential.client_secret,
    ]) {
      expect(database).not.toContain(value)
    }
  })

  it('after a restore are the registrations and no access', async () => {
    const { client, tokens } = await connect(place)
    const admin = webOf('admin')
    const backup = await place.server.app.server.inject({
      url: '/api/v1/backup',
      headers: { host: 'localhost:8020', cookie: `talekeeper_session=${sessionOf('admin')}` },
    })
    expect([backup.statusCode, (await admin('/oauth/clients')).body.items.length]).toEqual([200, 1])
    const boundary = 'x-x-x-x'
    const part = (name: string, more = ''): string =>
      `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${more}\r\n\r\n`
    const payload = Buffer.concat([
      Buffer.from(`${part('confirm')}RESTORE\r\n${part('file', '; filename="backup.zip"')}`),
      backup.rawPayload,
      Buffer.from(`\r\n--${boundary}--\r\n`),
    ])
    // Whoever calls meanwhile waits, and is not failed.
    const meanwhile = Promise.all(
      Array.from({ length: 40 }, async (_, index) => {
        await setTimeout(index * 10)
        return (await token(refreshForm(client, 'tkr_unknown'))).status
      }),
    )
    const restored = await place.server.app.server.inject({
      method: 'POST',
      url: '/api/v1/backup/restore',
      headers: {
        host: 'localhost:8020',
        origin: 'http://localhost:8020',
        cookie: `talekeeper_session=${sessionOf('admin')}`,
        'content-type': `multipart/form-data; boundary=${boundary}`,
      },
      payload,
    })
    expect([restored.statusCode, restored.body]).toEqual([200, expect.anything()])
    expect(new Set(await meanwhile)).toEqual(new Set([400]))
    expect(await opens(place, tokens.access_token)).toBe(false)
    expect((await token(refreshForm(client, tokens.refresh_token))).body.error).toBe('invalid_grant')
    const again = await connect(place, { client })
    expect(await opens(place, again.tokens.access_token)).toBe(true)
  })
})

function sessionOf(user: 'admin'): string {
  const browser = openBrowser(place)
  signInSilently(place, browser, place.userId[user])
  return browser.cookies.get('talekeeper_session') ?? ''
}

it('clears away what has run out', async () => {
  const { client } = await connect(place)
  await authorizeAs(place, { client })
  const { app, clock } = place.server
  const rows = (): Record<string, number> =>
    Object.fromEntries(
      ['requests', 'codes', 'tokens', 'grants', 'clients'].map((name) => [
        name,
        Number(app.store().get(`SELECT count(*) AS n FROM oauth_${name}`)?.n),
      ]),
    )
  expect(rows()).toEqual({ requests: 2, codes: 2, tokens: 2, grants: 2, clients: 1 })
  clock.advance(48 * 3600_000)
  app.oauth.sweep()
  expect(rows()).toEqual({ requests: 0, codes: 0, tokens: 1, grants: 2, clients: 1 })
  clock.advance(91 * 24 * 3600_000)
  app.oauth.sweep()
  clock.advance(91 * 24 * 3600_000)
  app.oauth.sweep()
  expect(rows()).toEqual({ requests: 0, codes: 0, tokens: 0, grants: 0, clients: 0 })
})
