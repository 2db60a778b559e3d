import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { entities, operations } from '../../src/catalogue.ts'
import { campaign } from '../../src/domain/campaign/entity.ts'
import { sessionActor } from '../../src/identity/sessions.ts'
import { defineEntity, type Entity } from '../../src/kernel/entity.ts'
import { line, nullable, required } from '../../src/kernel/fields.ts'
import { type AnyOperation, defineOperation } from '../../src/kernel/operation.ts'
import type { Actor } from '../../src/kernel/viewer.ts'
import { everyone } from '../../src/kernel/visibility.ts'
import type { LiveEvent } from '../../src/live/hub.ts'
import { actorOf, insertToken } from '../support/credentials.ts'
import { everythingIn, type Row, rowsOf } from '../support/left-behind.ts'
import type { TestServer } from '../support/server.ts'
import { insertSession } from '../support/sessions.ts'
import type { TestWorld } from '../support/world.ts'
import { startWorld } from '../support/world-file.ts'

// Somebody at the table raises a signal, in the web app and through a token. Nothing that is left of it, in the database,
// its log, the server's log or the live events, says who it was: every byte that the call wrote is looked at.

const signal = defineEntity({
  name: 'test_signal',
  table: 'test_signals',
  label: 'signal',
  listedBy: 'list_test_signals',
  journal: 'anonymous',
  visible: everyone,
  fields: { kind: required(z.enum(['stop', 'pause'])), words: nullable(line(), { search: 'body' }) },
})

const actorsSeen: Actor[] = []
const shared = {
  title: 'Raise a signal',
  description: 'For tests.',
  toolset: 'table',
  access: 'viewer',
  effect: 'write',
  input: z.strictObject({ campaignId: campaign.id, ...signal.create('kind', 'words') }),
  output: signal.output,
  creates: true,
  example: () => ({ campaignId: 1, kind: 'stop' as const }),
} as const
const raise = defineOperation({
  ...shared,
  name: 'raise_test_signal',
  route: 'POST /campaigns/{campaignId}/test-signals',
  anonymous: true,
  viewerMay: true,
  handle(context, { campaignId: _, ...values }) {
    actorsSeen.push(context.actor)
    expect(context.reason).toBeNull()
    return context.read(signal).get(context.write(signal).insert(values))
  },
})
/** The same without the mark: its author would be found. */
const raiseByName = defineOperation({
  ...shared,
  name: 'raise_named_signal',
  route: 'POST /campaigns/{campaignId}/test-named-signals',
  handle: (context, { campaignId: _, ...values }) => context.read(signal).get(context.write(signal).insert(values)),
})

const username = 'Zenobia-Quill-7731'
const tokenName = 'Halberd-Lantern-5521'
/** What only the calls themselves bring. */
const carried = {
  agent: 'Canary-Agent-9914',
  address: '203.0.113.77',
  reason: 'because-of-the-cellar-3307',
  key: 'key-made-on-her-phone-6128',
}

let server: TestServer
let world: TestWorld
let userId: number
let cookie: string
let bearer: string
const secrets: string[] = []

beforeAll(async () => {
  const more = [raise, raiseByName] as unknown as readonly AnyOperation[]
  const extra = [signal] as unknown as readonly Entity[]
  world = await startWorld({
    catalogue: {
      entities: [...entities, ...extra],
      operations: new Map([...operations, ...more.map((each) => [each.name, each] as const)]),
    },
  })
  server = world.server
  const store = server.app.store()
  store.connection.exec(
    `CREATE TABLE test_signals (id INTEGER PRIMARY KEY AUTOINCREMENT, campaign_id INTEGER NOT NULL, revision INTEGER NOT NULL DEFAULT 1,
      public_revision INTEGER NOT NULL DEFAULT 1, public_updated_at TEXT NOT NULL,
     created_at TEXT NOT NULL, updated_at TEXT NOT NULL, deleted_at TEXT, trash_batch INTEGER, kind TEXT NOT NULL, words TEXT) STRICT`,
  )
  const now = server.clock().toISOString()
  userId = store.run(
    "INSERT INTO users (username, password_hash, created_at, updated_at) VALUES (@username, '', @now, @now)",
    { username, now },
  ).id
  await world.as('dm', 'add_member', { campaignId: world.id('campaign'), userId, role: 'viewer' })
  store.run('UPDATE memberships SET accepted = 1 WHERE user_id = @userId', { userId })
  const user = { id: userId, username, admin: false }
  const secret = insertSession(store, userId, now)
  cookie = `talekeeper_session=${secret}`
  const request = { tokenName, scope: 'viewer', admin: false } as const
  const { token } = insertToken(server, sessionActor(0, user), user, request)
  bearer = `Bearer ${token}`
  for (const { hash } of [
    ...store.all('SELECT hash FROM sessions WHERE user_id = @userId', { userId }),
    ...store.all('SELECT hash FROM personal_tokens WHERE user_id = @userId', { userId }),
  ])
    secrets.push(String(hash))
  secrets.push(secret, token, token.slice(0, 12))
  // The history of how the caller got their token must lie on other pages than what the calls write.
  const campaignId = world.id('campaign')
  for (let turn = 0; turn < 60; turn += 1)
    await world.as('dm', 'update_campaign', { campaignId, description: `It is the evening number ${turn}.` })
})
afterAll(() => server.stop())

interface Left {
  readonly status: number
  readonly answer: string
  /** Rows that are new or other than before. */
  readonly rows: readonly Row[]
  /** The pages that were written. */
  readonly written: string
  readonly log: string
  readonly events: readonly LiveEvent[]
}

/** All that a call leaves behind. */
async function leftBy(call: () => Promise<{ readonly statusCode: number; readonly body: string }>): Promise<Left> {
  // As long after everything before that a time of last use would be written anew.
  server.clock.advance(10 * 60_000)
  const store = server.app.store()
  // Whoever listens is signed in ahead of the call: that writes too.
  const listener = actorOf(server, 'dm', world.userId)
  store.connection.pragma('wal_checkpoint(TRUNCATE)')
  const before = rowsOf(store)
  const logged = server.logs().length
  const events: LiveEvent[] = []
  const leave = server.app.hub.subscribe(
    {
      actor: listener,
      campaignId: world.id('campaign'),
      send: (event) => void events.push(event),
      close: () => {},
    },
    null,
  )
  const { statusCode, body } = await call()
  // What the server does after its answer is done by then; times of last use are written later by themselves, or now.
  for (let turns = 0; turns < 20; turns += 1) await new Promise((resolve) => setImmediate(resolve))
  server.app.identity.close()
  leave()
  const changed = [...rowsOf(store)].filter(([key, row]) => JSON.stringify(before.get(key)) !== JSON.stringify(row))
  return {
    status: statusCode,
    answer: body,
    rows: changed.map(([, row]) => row),
    written: readFileSync(`${store.path}-wal`, 'latin1'),
    log: server.logs().slice(logged),
    events,
  }
}

const origin = { host: 'localhost', origin: 'http://localhost', 'sec-fetch-site': 'same-origin' }
const address = () => `/api/v1/campaigns/${world.id('campaign')}`

function overRest(route: string, body: object, headers: Readonly<Record<string, string>> = {}) {
  return server.app.server.inject({
    method: 'POST',
    url: `${address()}/${route}`,
    remoteAddress: carried.address,
    headers: {
      ...origin,
      cookie,
      'user-agent': carried.agent,
      'x-reason': carried.reason,
      'idempotency-key': carried.key,
      ...headers,
    },
    payload: body,
  })
}

function overMcp(name: string, input: object) {
  return server.app.server.inject({
    method: 'POST',
    url: '/mcp',
    remoteAddress: carried.address,
    headers: {
      host: 'localhost',
      authorization: bearer,
      'user-agent': carried.agent,
      accept: 'application/json, text/event-stream',
    },
    payload: {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name,
        arguments: input,
        _meta: { 'talekeeper/idempotencyKey': carried.key, 'talekeeper/reason': carried.reason },
      },
    },
  })
}

const doors: readonly (readonly [string, string, () => ReturnType<typeof overRest>])[] = [
  [
    'over REST with a session',
    '/api/v1/campaigns/:campaignId/test-signals',
    () => overRest('test-signals', { kind: 'stop', words: 'enough' }),
  ],
  [
    'over MCP with a token',
    '/mcp',
    () => overMcp('raise_test_signal', { campaignId: world.id('campaign'), kind: 'pause', words: 'enough' }),
  ],
]

describe.each(doors)('an anonymous call %s', (_, route, call) => {
  let left: Left
  beforeAll(async () => {
    left = await leftBy(call)
  })

  test('is made', () => {
    expect([200, 201]).toContain(left.status)
    expect(left.answer).not.toMatch(/error/i)
    expect(left.rows.filter(({ table }) => table === 'test_signals')).toMatchObject([{ words: 'enough', revision: 1 }])
  })

  test('writes its row, a record that names nobody, what its key remembers and a line of the index, and nothing else', () => {
    const tables = left.rows.map(({ table }) => table).sort()
    expect(tables).toEqual([
      'change_sets',
      'idempotency_keys',
      'search_documents',
      'sqlite_sequence',
      'sqlite_sequence',
      'test_signals',
    ])
    const [record] = left.rows.filter(({ table }) => table === 'change_sets')
    expect(record).toMatchObject({
      operation: 'raise_test_signal',
      campaign_id: world.id('campaign'),
      door: 'system',
      actor_user_id: null,
      credential_kind: null,
      credential_id: null,
      client_id: null,
      proposed_by_user_id: null,
      reason: null,
      revertible: 0,
      facts: null,
    })
    const [remembered] = left.rows.filter(({ table }) => table === 'idempotency_keys')
    expect(remembered?.scope).toMatch(/^[\w-]{43}$/)
  })

  test('no byte of the pages that it wrote, and of no file, holds anything of the caller', () => {
    for (const canary of [username, tokenName, ...secrets, ...Object.values(carried)])
      expect(left.written.includes(canary), canary).toBe(false)
    const stored = everythingIn(server.dataDir)
    for (const canary of Object.values(carried)) expect(stored.includes(canary), canary).toBe(false)
    // The search would find something: what was there before is in the files, and what was written is in the pages.
    expect(stored).toContain(username)
    expect(left.written).toContain('raise_test_signal')
  })

  test('its line of the log says method, route and status, and no other line speaks of it', () => {
    const lines = left.log
      .trim()
      .split('\n')
      .map((each) => JSON.parse(each) as Row)
    expect(lines).toHaveLength(1)
    const { level, time, pid, hostname, ...rest } = lines[0] as Row
    expect([typeof level, typeof time, typeof pid, typeof hostname]).toEqual(['number', 'number', 'number', 'string'])
    expect(rest).toEqual({
      req: { method: 'POST', route },
      res: { statusCode: left.status },
      msg: 'request',
    })
  })

  test('its live event says that there is a signal, as any event would', () => {
    expect(left.events).toEqual([
      {
        id: expect.stringMatching(/^[\w-]{12}$/),
        kind: 'changed',
        entityType: 'test_signal',
        entityId: expect.any(Number),
        revision: 1,
      },
    ])
  })

  test('its handler was given nobody to write down', () => {
    expect(actorsSeen.length).toBeGreaterThan(0)
    for (const actor of actorsSeen)
      expect(actor).toMatchObject({ userId: 0, username: '', credential: { id: 0, kind: 'system', clientId: null } })
  })
})

describe.each([
  [
    'over REST with a session',
    '/api/v1/campaigns/:campaignId/safety-signals',
    () => overRest('safety-signals', { kind: 'x_card' }),
  ],
  [
    'over MCP with a token',
    '/mcp',
    () => overMcp('raise_safety_signal', { campaignId: world.id('campaign'), kind: 'x_card' }),
  ],
] as const)('the X-card of the product %s', (_, route, call) => {
  let left: Left
  beforeAll(async () => {
    left = await leftBy(call)
  })
  afterAll(() => world.as('dm', 'clear_safety_signal', { campaignId: world.id('campaign') }))

  test('writes the signal, a record of nobody, what its key remembers, and the same notice to everybody', () => {
    expect(left.status).toBe(200)
    const tables = new Set(left.rows.map(({ table }) => table))
    expect(tables).toEqual(
      new Set(['change_sets', 'idempotency_keys', 'notifications', 'safety_signals', 'sqlite_sequence']),
    )
    const [signal] = left.rows.filter(({ table }) => table === 'safety_signals')
    expect(Object.keys(signal ?? {}).filter((key) => /user|actor|by|session|token/.test(key))).toEqual([])
    expect(left.rows.find(({ table }) => table === 'change_sets')).toMatchObject({
      actor_user_id: null,
      credential_kind: null,
      credential_id: null,
      client_id: null,
      door: 'system',
      reason: null,
      revertible: 0,
    })
    const members = server.app
      .store()
      .all('SELECT user_id FROM memberships WHERE campaign_id = @id AND accepted = 1 AND deleted_at IS NULL', {
        id: world.id('campaign'),
      })
    const told = left.rows.filter(({ table }) => table === 'notifications')
    expect(told.map((row) => row.user_id).sort()).toEqual(members.map((row) => row.user_id).sort())
    const alike = told.map(({ id: _id, user_id: _user, ...row }) => JSON.stringify(row))
    expect(new Set(alike).size).toBe(1)
    expect(told[0]).toMatchObject({ kind: 'safety', by_user_id: null, about_type: null, read_at: null })
  })

  test('no byte that it wrote holds anything of the caller, and its line of the log has route and status', () => {
    for (const canary of [username, tokenName, ...secrets, ...Object.values(carried)])
      expect(left.written.includes(canary), canary).toBe(false)
    expect(left.written).toContain('raise_safety_signal')
    const lines = left.log
      .trim()
      .split('\n')
      .map((each) => JSON.parse(each) as Row)
    expect(lines).toHaveLength(1)
    const { level: _level, time: _time, pid: _pid, hostname: _hostname, ...rest } = lines[0] as Row
    expect(rest).toEqual({ req: { method: 'POST', route }, res: { statusCode: 200 }, msg: 'request' })
  })

  test('its live event says that there is a signal, to everybody in the same words', () => {
    expect(left.events.map(({ entityType, kind }) => [entityType, kind])).toEqual([['safety_signal', 'changed']])
  })

  test('nothing of it is left once a Dungeon Master lets the table go on', async () => {
    await world.as('dm', 'clear_safety_signal', { campaignId: world.id('campaign') })
    for (const table of ['safety_signals', "notifications WHERE kind = 'safety'"])
      expect(server.app.store().get(`SELECT count(*) AS n FROM ${table}`)?.n, table).toBe(0)
  })
})

describe('what a Dungeon Master can find out', () => {
  test('is that there was a signal, from nobody', async () => {
    const { items } = await world.as('dm', 'list_audit_records', {
      campaignId: world.id('campaign'),
      operation: 'raise_test_signal',
    })
    expect(items.length).toBeGreaterThan(0)
    for (const record of items)
      expect(record).toMatchObject({
        actorUserId: null,
        actorUser: null,
        credentialKind: null,
        clientId: null,
        reason: null,
        revertible: false,
        entities: [],
      })
  })
})

describe('an idempotency key of an anonymous call', () => {
  test('answers its caller again, and nobody else', async () => {
    const count = () => server.app.store().get('SELECT count(*) AS n FROM test_signals')?.n as number
    const key = { 'idempotency-key': 'again-1' }
    const first = await overRest('test-signals', { kind: 'pause' }, key)
    const made = count()
    const again = await overRest('test-signals', { kind: 'pause' }, key)
    expect([again.body, count()]).toEqual([first.body, made])
    const other = await world.callers.player.request('POST', `${address()}/test-signals`, { kind: 'pause' }, key)
    expect([other.status, count()]).toEqual([201, made + 1])
    const conflict = await overRest('test-signals', { kind: 'stop' }, key)
    expect(conflict.statusCode).toBe(409)
  })
})

describe('a call that is not anonymous', () => {
  test('leaves all of it, so that the search above looks where it would be', async () => {
    const left = await leftBy(() =>
      overRest('leave', {}, { 'idempotency-key': carried.key, 'x-reason': carried.reason }),
    )
    expect(left.status).toBe(200)
    expect(left.rows.find(({ table }) => table === 'change_sets')).toMatchObject({
      actor_user_id: userId,
      credential_kind: 'session',
      reason: carried.reason,
      door: 'rest',
    })
    expect(left.rows.map(({ table }) => table)).toContain('sessions')
    for (const canary of [carried.reason, carried.key]) expect(left.written).toContain(canary)
    expect(left.log).toContain(carried.address)
  })

  test('over MCP leaves the time at which its token was used', async () => {
    const left = await leftBy(() => overMcp('get_me', {}))
    expect(left.rows.map(({ table }) => table)).toEqual(['personal_tokens'])
  })

  test('cannot make what is to be anonymous', async () => {
    const answer = await world.callers.player.request('POST', `${address()}/test-named-signals`, { kind: 'stop' })
    expect(answer.status).toBe(500)
    expect(server.logs()).toContain('raise_named_signal makes a signal and is not anonymous')
  })
})
