import { describe, expect, test } from 'vitest'
import type { Caller } from '../support/callers.ts'
import { shareWorld } from '../support/shared-world.ts'
import type { TestWorld } from '../support/world.ts'

// A key makes a write happen once: the same call again gets the same answer, whatever has happened since.

const { alone } = shareWorld()
const key = { 'idempotency-key': 'a-key-of-the-caller' }
const npcs = (world: TestWorld): string => `/api/v1/campaigns/${world.id('campaign')}/npcs`
const count = (world: TestWorld, table: string): unknown =>
  world.server.app.store().get(`SELECT count(*) AS n FROM ${table}`)?.n

test(
  'the same call answers the same, and writes once',
  alone(async (world) => {
    const { dm } = world.callers
    const before = Number(count(world, 'npcs'))
    const first = await dm.request('POST', npcs(world), { name: 'Hob' }, key)
    const again = await dm.request('POST', npcs(world), { name: 'Hob' }, key)
    expect(first.status).toBe(201)
    expect([again.status, again.text]).toEqual([first.status, first.text])
    expect(count(world, 'npcs')).toBe(before + 1)
  }),
)

test(
  'the same call at the same time writes once, too',
  alone(async (world) => {
    const before = Number(count(world, 'npcs'))
    const calls = Array.from({ length: 6 }, () => world.callers.dm.request('POST', npcs(world), { name: 'Hob' }, key))
    const answers = await Promise.all(calls)
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect(count(world, 'npcs')).toBe(before + 1)
  }),
)

test(
  'another input under the same key is a conflict, by both doors',
  alone(async (world) => {
    const { dm } = world.callers
    await dm.request('POST', npcs(world), { name: 'Hob' }, key)
    const other = await dm.request('POST', npcs(world), { name: 'Nob' }, key)
    expect([other.status, other.body.error.code]).toEqual([409, 'idempotency_conflict'])
    const inCampaign = { campaignId: world.id('campaign') }
    await keyed(dm, 'create_npc', { ...inCampaign, name: 'Hob' })
    expect((await keyed(dm, 'create_npc', { ...inCampaign, name: 'Nob' })).error.code).toBe('idempotency_conflict')
  }),
)

test(
  'over MCP the key travels beside the arguments',
  alone(async (world) => {
    const { dm } = world.callers
    const input = { campaignId: world.id('campaign'), name: 'Hob' }
    const first = await keyed(dm, 'create_npc', input)
    expect(await keyed(dm, 'create_npc', input)).toEqual(first)
    expect((await keyed(dm, 'create_npc', input, 'another')).id).not.toBe(first.id)
    expect((await keyed(dm, 'create_npc', input, 'not a key')).error.code).toBe('validation_failed')
  }),
)

test(
  'a key is one credential’s and one operation’s: nobody reads another’s answer with it',
  alone(async (world) => {
    const made = await Promise.all(
      [world.callers.dm, world.session('dm'), world.token('dm'), world.session('coDm')].map((caller) =>
        caller.request('POST', npcs(world), { name: 'Hob' }, key),
      ),
    )
    expect(new Set(made.map(({ body }) => body.id)).size).toBe(4)
    const place = await world.callers.dm.request('POST', npcs(world).replace('npcs', 'locations'), { name: 'Hob' }, key)
    expect(place.status).toBe(201)
  }),
)

test(
  'an answer that holds a secret is not kept: it was done, and that is all',
  alone(async (world) => {
    const { dm } = world.callers
    for (const [table, path, body] of [
      ['invites', `/api/v1/campaigns/${world.id('campaign')}/invites`, { role: 'player' }],
      ['personal_tokens', '/api/v1/tokens', { tokenName: 'laptop', scope: 'player' }],
    ] as const) {
      expect((await dm.request('POST', path, body, key)).status).toBe(201)
      const before = count(world, table)
      const again = await dm.request('POST', path, body, key)
      expect([again.status, again.body.error.code]).toEqual([409, 'already_done'])
      expect(count(world, table)).toBe(before)
      const kept = world.server.app.store().all('SELECT answer FROM idempotency_keys')
      expect(JSON.stringify(kept)).not.toMatch(/tk[pi]_/)
    }
  }),
)

test(
  'a call that failed was not done: its key may be used again',
  alone(async (world) => {
    const { dm } = world.callers
    expect((await dm.request('POST', npcs(world), { name: 'Hob', locationId: 999_999 }, key)).status).toBe(400)
    expect((await dm.request('POST', npcs(world), { name: 'Hob' }, key)).status).toBe(201)
  }),
)

test(
  'a proposal is filed once',
  alone(async (world) => {
    const before = Number(count(world, 'proposals'))
    const first = await world.callers.player.request('POST', npcs(world), { name: 'Hob' }, key)
    const again = await world.callers.player.request('POST', npcs(world), { name: 'Hob' }, key)
    expect([first.status, again.status, again.text]).toEqual([202, 202, first.text])
    expect(count(world, 'proposals')).toBe(before + 1)
  }),
)

describe('what a first call took away does not change the answer of the second', () => {
  test(
    'a delete, and a membership',
    alone(async (world) => {
      for (const [caller, method, path] of [
        [world.callers.dm, 'DELETE', `/api/v1/npcs/${world.id('npc')}`],
        [world.callers.dm, 'DELETE', `/api/v1/members/${world.id('member', 'otherPlayer')}`],
        [world.callers.player, 'POST', `/api/v1/campaigns/${world.id('campaign')}/leave`],
        [world.callers.dm, 'DELETE', `/api/v1/campaigns/${world.id('campaign')}`],
      ] as const) {
        const body = method === 'POST' ? {} : undefined
        const first = await caller.request(method, path, body, key)
        const again = await caller.request(method, path, body, key)
        expect([first.status, again.text], path).toEqual([200, first.text])
        expect((await caller.request(method, path, body)).status, path).toBe(404)
      }
    }),
  )

  test(
    'a campaign that is archived meanwhile; but a role that is lost meanwhile does',
    alone(async (world) => {
      const { dm } = world.callers
      const first = await dm.request('POST', npcs(world), { name: 'Hob' }, key)
      await world.as('coDm', 'set_campaign_status', { campaignId: world.id('campaign'), status: 'archived' })
      expect((await dm.request('POST', npcs(world), { name: 'Hob' }, key)).text).toBe(first.text)
      expect((await dm.request('POST', npcs(world), { name: 'Hob' })).status).toBe(409)
      await world.as('coDm', 'set_campaign_status', { campaignId: world.id('campaign'), status: 'active' })
      const members = (await dm.get(`/api/v1/campaigns/${world.id('campaign')}/members`)).body.items
      const mine = members.find(({ username }: { readonly username: string }) => username === 'dm')
      await world.as('coDm', 'update_member', { memberId: mine.id, role: 'viewer' })
      expect((await dm.request('POST', npcs(world), { name: 'Hob' }, key)).status).toBe(403)
    }),
  )
})

test.each([
  ['an empty one', ''],
  ['one of two words', 'two words'],
  ['an overlong one', 'k'.repeat(129)],
  ['one that is no ASCII', 'schlüssel'],
])('a bad key, %s, is 400', async (_, bad) =>
  alone(async (world) => {
    const { status, body } = await world.callers.dm.request(
      'POST',
      npcs(world),
      { name: 'Hob' },
      { 'idempotency-key': bad },
    )
    expect([status, body.error.details?.[0].path]).toEqual([400, 'Idempotency-Key'])
  })(),
)

async function keyed(caller: Caller, name: string, input: object, value = 'a-key') {
  const _meta = { 'talekeeper/idempotencyKey': value }
  const { body } = await caller.mcp('tools/call', { name, arguments: input, _meta })
  return JSON.parse(body.result.content[0].text)
}
