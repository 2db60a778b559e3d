import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { TestServer } from '../support/server.ts'
import type { TestWorld } from '../support/world.ts'
import { startWorld } from '../support/world-file.ts'

const heartbeatMs = 20_000
const hourMs = 3_600_000

let server: TestServer
let world: TestWorld
let address: string

beforeEach(async () => {
  world = await startWorld({ env: { BASE_URL: 'http://localhost' } })
  server = world.server
  address = await server.app.listen()
  // Only the heart of a stream beats by an interval; what tests wait for comes over real sockets.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
})
afterEach(async () => {
  vi.useRealTimers()
  await server.stop()
})

interface Reading {
  readonly status: number
  readonly ended: Promise<void>
  /** Resolves with all that was read once it holds this. */
  until(part: string): Promise<string>
}

async function read(path: string, headers: Readonly<Record<string, string>>): Promise<Reading> {
  const response = await fetch(`${address}/api/v1${path}`, { headers })
  let text = ''
  const waiting = new Set<() => void>()
  const ended = (async () => {
    const decoder = new TextDecoder()
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk as Uint8Array, { stream: true })
      for (const look of waiting) look()
    }
  })()
  return {
    status: response.status,
    ended,
    until: (part) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (!text.includes(part)) return
          waiting.delete(look)
          resolve(text)
        }
        waiting.add(look)
        look()
      }),
  }
}

const events = (): string => `/campaigns/${world.id('campaign')}/events`

describe('a stream ends with the credential it was opened by', () => {
  test.each([
    ['a session, after ninety days', () => world.session('player').headers, 91 * 24 * hourMs],
    ['an access token, after its hour', () => world.oauth('player').headers, hourMs + 1000],
    ['a personal token, at its end', () => world.token('player', { expiresInDays: 1 }).headers, 25 * hourMs],
  ])('%s', async (_, headersOf, lifetime) => {
    const { status, until, ended } = await read(events(), headersOf() as Record<string, string>)
    expect(status).toBe(200)
    await until('retry:')
    vi.advanceTimersByTime(heartbeatMs)
    await until(': still here')
    server.clock.advance(lifetime)
    vi.advanceTimersByTime(heartbeatMs)
    await ended
    expect(server.app.hub.count()).toBe(0)
  })
})

type Stream = Readonly<Record<string, string>>

describe('a person', () => {
  test('has no more than forty streams, of which an app takes twenty; what is open stays', async () => {
    const app = world.token('player').headers as Stream
    const [browser, phone] = [world.session('player').headers as Stream, world.session('player').headers as Stream]
    const open = async (headers: Stream, count: number): Promise<void> => {
      for (let done = 0; done < count; done += 1) expect((await read(events(), headers)).status).toBe(200)
    }
    const refused = async (headers: Stream): Promise<void> => {
      const response = await fetch(`${address}/api/v1${events()}`, { headers })
      expect([response.status, response.headers.has('retry-after')]).toEqual([429, true])
      expect((await response.json()).error.message).toContain('Too many live streams')
    }
    await open(app, 20)
    await refused(app)
    await open(browser, 20)
    await refused(phone)
    expect(server.app.hub.count()).toBe(40)
    // Nobody else is in their way.
    await open(world.session('otherPlayer').headers as Stream, 1)
    // Everything else works.
    expect((await fetch(`${address}/api/v1/me`, { headers: phone })).status).toBe(200)
  })
})

describe('a stream ends at once, by the change that ended its credential', () => {
  const person = () => world.session('player').headers
  const app = () => world.oauth('player').headers
  const grants = async (): Promise<readonly { grantId: number; clientId: string }[]> =>
    (await world.session('player').get('/api/v1/me/apps')).body.items
  const change = (what: object) => async () => {
    const { status } = await world.callers.admin.request('PATCH', `/api/v1/users/${world.userId.player}`, what)
    expect(status).toBe(200)
  }
  const endings: readonly (readonly [string, () => Stream, () => Promise<void>])[] = [
    ['somebody is disabled', person, change({ disabled: true })],
    ['somebody gets another password', person, change({ password: 'a lantern in the orchard' })],
    [
      'a token is revoked',
      () => world.token('player').headers,
      async () => {
        const own = world.session('player')
        const { items } = (await own.get('/api/v1/tokens?limit=1')).body
        expect((await own.request('DELETE', `/api/v1/tokens/${items[0].id}`)).status).toBe(200)
      },
    ],
    [
      'an app is disconnected',
      app,
      async () => {
        const [newest] = await grants()
        const own = world.session('player')
        expect((await own.request('DELETE', `/api/v1/me/apps/${newest?.grantId}`)).status).toBe(200)
      },
    ],
    [
      'an administrator removes an app',
      app,
      async () => {
        const [newest] = await grants()
        const { status } = await world.callers.admin.request('DELETE', `/api/v1/oauth/clients/${newest?.clientId}`)
        expect(status).toBe(200)
      },
    ],
  ]
  test.each(endings)('%s', async (_, headersOf, end) => {
    const theirs = await read(events(), headersOf())
    await theirs.until('retry:')
    const other = await read(events(), world.session('otherPlayer').headers as Stream)
    await other.until('retry:')
    await end()
    // No heart beats in this test: nothing but the change closes it.
    await theirs.ended
    expect(server.app.hub.count()).toBe(1)
  })
})

describe('the stream of backup work', () => {
  const headers = () => world.session('admin').headers as Record<string, string>

  test('says at once that nothing is done, and then each phase of what is', async () => {
    const { status, until } = await read('/backup/events', headers())
    expect(status).toBe(200)
    await until('event: work\ndata: null\n\n')
    const made = await fetch(`${address}/api/v1/backup`, { headers: headers() })
    await made.arrayBuffer()
    const text = await until('"phase":"verify"')
    expect(text).toMatch(/event: work\ndata: \{"operation":"create",.*"phase":"starting","done":0,"total":0,/)
    await until('}\n\nevent: work\ndata: null\n\n')
  })

  test('ends when an administrator is one no longer', async () => {
    const second = await world.callers.admin.post('/api/v1/users', {
      username: 'second',
      password: 'a lantern in the orchard',
      admin: true,
    })
    expect(second.status).toBe(201)
    const { ended, until } = await read('/backup/events', headers())
    await until('data: null')
    server.app.store().run('UPDATE users SET admin = 0 WHERE id = @id', { id: world.userId.admin })
    vi.advanceTimersByTime(heartbeatMs)
    await ended
  })

  test('ends when the session does', async () => {
    const own = headers()
    const { ended, until } = await read('/backup/events', own)
    await until('data: null')
    const left = await fetch(`${address}/api/v1/auth/logout`, {
      method: 'POST',
      headers: { ...own, origin: 'http://localhost' },
    })
    expect(left.ok).toBe(true)
    await ended
    expect(server.app.hub.count()).toBe(0)
  })
})
