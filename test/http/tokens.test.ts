import { describe, expect, test } from 'vitest'
import type { Caller } from '../support/callers.ts'
import { declaredIn, isCatalogued, restCall } from '../support/matrix.ts'
import { shareWorld } from '../support/shared-world.ts'
import type { TestWorld } from '../support/world.ts'

// A token narrows its owner and never widens them (SPEC 5.4), by either door.

const shared = shareWorld()
const { alone } = shared

/** Both doors' refusals of an operation's example: status and error code. */
async function refusals(world: TestWorld, caller: Caller, effect: 'write' | 'read'): Promise<readonly string[]> {
  const found: string[] = []
  for (const { declared, door } of declaredIn(world)) {
    if (!isCatalogued(declared) || (declared.effect === 'read') !== (effect === 'read')) continue
    const input = declared.example(world) as Record<string, unknown>
    const body =
      door === 'rest'
        ? (await restCall(caller, declared, input)).body
        : (await caller.tool(declared.name, input)).content
    found.push(`${declared.name} ${door}: ${body.error?.status ?? 'done'} ${body.error?.code ?? ''}`.trim())
  }
  return found
}
const code = (line: string): string => line.slice(line.indexOf(': ') + 2)
const without = (lines: readonly string[], ...codes: readonly string[]) =>
  lines.filter((line) => !codes.includes(code(line)))

describe('scope viewer', () => {
  test(
    'does no write of the catalogue, whatever its owner is',
    alone(async (world) => {
      const found = await refusals(world, world.token('dm', { scope: 'viewer' }), 'write')
      expect(found.length).toBeGreaterThan(100)
      // Invites, inbox items and proposals are not there for a viewer. Anybody at the table may stop it and its AI, and read their notices.
      const anybodys = ['raise_safety_signal', 'mark_notifications_read', 'pause_ai_seat']
      expect(without(found, '403 forbidden', '404 not_found')).toEqual(
        anybodys.flatMap((name) => [`${name} rest: done`, `${name} mcp: done`]),
      )
    }),
  )

  test(
    'reads what a viewer reads: nothing hidden, no secret, no audit',
    alone(async (world) => {
      const token = world.token('dm', { scope: 'viewer' })
      const campaignId = world.id('campaign')
      const names = await token.get(`/api/v1/campaigns/${campaignId}/npcs`)
      expect(names.body.items.map(({ name }: { readonly name: string }) => name)).toEqual(['Marta Quill'])
      expect((await token.get(`/api/v1/npcs/${world.id('npc')}`)).body).not.toHaveProperty('dmSecret')
      expect((await token.get(`/api/v1/npcs/${world.id('npc', 'hidden')}`)).status).toBe(404)
      expect((await token.get(`/api/v1/campaigns/${campaignId}/search?query=ledger`)).body.items).toHaveLength(2)
      expect((await token.get(`/api/v1/campaigns/${campaignId}/search?query=brother`)).body.items).toEqual([])
      expect((await token.get(`/api/v1/campaigns/${campaignId}/audit`)).status).toBe(403)
      expect((await token.tool('get_npc', { npcId: world.id('npc') })).content).not.toHaveProperty('dmSecret')
    }),
  )
})

describe('scope player', () => {
  test(
    'gives a Dungeon Master what a player gets, answer by answer',
    alone(async (world) => {
      const capped = world.callers.capped
      const campaign = `/api/v1/campaigns/${world.id('campaign')}`
      for (const path of [
        `${campaign}/npcs`,
        `${campaign}/quests`,
        `${campaign}/locations`,
        `${campaign}/sessions`,
        `${campaign}/tags`,
        `${campaign}/attachments?kind=portrait`,
        `/api/v1/quests/${world.id('quest')}`,
        `/api/v1/npcs/${world.id('npc')}`,
        `/api/v1/locations/${world.id('location')}`,
      ]) {
        const mine = await capped.get(path)
        expect(mine.status, path).toBe(200)
        expect(mine.text, path).toBe((await world.callers.otherPlayer.get(path)).text)
      }
    }),
  )

  test(
    'files a proposal where the owner would change things',
    alone(async (world) => {
      const npcId = world.id('npc')
      const { status, body } = await world.callers.capped.request('PATCH', `/api/v1/npcs/${npcId}`, { voice: 'Loud.' })
      expect([status, body.proposal.status, body.proposal.authorUserId]).toEqual([202, 'pending', world.userId.dm])
      expect(world.row('npcs', npcId)?.voice).toBe('Dry and low.')
    }),
  )
})

test(
  'scope dm makes no Dungeon Master of a player',
  alone(async (world) => {
    const token = world.token('player', { scope: 'dm' })
    const campaignId = world.id('campaign')
    expect((await token.request('PATCH', `/api/v1/campaigns/${campaignId}`, { description: 'Mine.' })).status).toBe(403)
    expect((await token.get(`/api/v1/npcs/${world.id('npc')}`)).body).not.toHaveProperty('dmSecret')
    expect((await token.get('/api/v1/me')).body.campaigns).toContainEqual({
      id: campaignId,
      name: 'The Orchard in Winter',
      role: 'player',
    })
  }),
)

describe('a token of one campaign', () => {
  const boundTo = (world: TestWorld, variant?: string) =>
    world.token('dm', { campaignId: world.id('campaign', variant) })

  test(
    'lists that campaign alone',
    alone(async (world) => {
      const token = boundTo(world)
      const campaigns = (await token.get('/api/v1/campaigns')).body.items
      expect(campaigns.map(({ id }: { readonly id: number }) => id)).toEqual([world.id('campaign')])
      expect((await token.get('/api/v1/me')).body.campaigns).toHaveLength(1)
      expect((await token.get('/api/v1/campaigns/trash')).body.items).toEqual([])
      const index = await token.mcp('resources/read', { uri: 'talekeeper://campaigns' })
      expect(JSON.parse(index.body.result.contents[0].text).items).toHaveLength(1)
    }),
  )

  test(
    'does all there that its owner may, and nothing elsewhere',
    alone(async (world) => {
      const token = boundTo(world)
      expect((await token.request('PATCH', `/api/v1/npcs/${world.id('npc')}`, { voice: 'Loud.' })).status).toBe(200)
      const foreign = await token.get(`/api/v1/sessions/${world.id('session', 'live')}`)
      const absent = await token.get('/api/v1/sessions/999999')
      expect([foreign.status, foreign.text]).toEqual([404, absent.text])
      for (const input of [{ campaignId: world.id('campaign', 'live') }, { campaignId: 999_999 }]) {
        const { content } = await token.tool('get_campaign', input)
        expect(content.error).toMatchObject({ status: 404, message: expect.stringContaining('list_campaigns') })
      }
    }),
  )

  test(
    'neither creates, nor copies, nor joins, nor brings back another one',
    alone(async (world) => {
      const token = boundTo(world)
      expect((await token.post('/api/v1/campaigns', { name: 'More' })).status).toBe(403)
      const copied = await token.post(`/api/v1/campaigns/${world.id('campaign')}/duplicate`, { name: 'Again' })
      expect([copied.status, copied.body.error.message]).toEqual([403, 'This token is bound to one campaign.'])
      expect((await token.post('/api/v1/invites/accept', { code: world.text('invite') })).status).toBe(403)
      const trashed = await token.post(`/api/v1/campaigns/${world.id('campaign', 'trashed')}/restore`)
      expect(trashed.status).toBe(404)
    }),
  )

  test(
    'is of no use when its owner has left',
    alone(async (world) => {
      const token = boundTo(world)
      await world.as('dm', 'leave_campaign', { campaignId: world.id('campaign') })
      expect((await token.get(`/api/v1/campaigns/${world.id('campaign')}`)).status).toBe(404)
      expect((await token.get('/api/v1/campaigns')).body.items).toEqual([])
    }),
  )
})

describe('write mode read', () => {
  test(
    'refuses every write and says so',
    alone(async (world) => {
      const found = await refusals(world, world.token('dm', { writeMode: 'read' }), 'write')
      // What only its author or an administrator may do, the DM may not do with any token: that is said first.
      const authors = [...world.server.app.system().operations.values()].filter(({ access }) => access === 'author')
      expect(authors.length).toBeGreaterThan(3)
      const others = [...authors.map(({ name }) => name), 'uninstall_rule_pack']
      expect(without(found, '403 write_mode')).toEqual(others.map((name) => `${name} rest: 403 forbidden`))
    }),
  )

  test(
    'reads all that its owner reads, and lists reading tools only',
    alone(async (world) => {
      const token = world.token('dm', { writeMode: 'read' })
      expect(new Set((await refusals(world, token, 'read')).map(code))).toEqual(new Set(['done']))
      expect((await token.get(`/api/v1/npcs/${world.id('npc')}`)).body.dmSecret).toBe('She sold the year.')
      const { tools } = (await token.mcp('tools/list')).body.result
      expect(tools.every(({ annotations }: never) => (annotations as { readOnlyHint?: true }).readOnlyHint)).toBe(true)
    }),
  )
})

test(
  'what the owner loses, their tokens lose at once',
  alone(async (world) => {
    const campaignId = world.id('campaign')
    const token = world.token('player', {})
    const note = { body: 'Noted.' }
    const write = async (): Promise<number> => (await token.post(`/api/v1/campaigns/${campaignId}/notes`, note)).status
    expect(await write()).toBe(201)
    await world.as('dm', 'update_member', { memberId: world.id('member', 'player'), role: 'viewer' })
    expect(await write()).toBe(403)
    await world.as('dm', 'remove_member', { memberId: world.id('member', 'player') })
    expect(await write()).toBe(404)
    await world.callers.admin.request('PATCH', `/api/v1/users/${world.userId.player}`, { disabled: true })
    expect(await write()).toBe(401)
  }),
)

test(
  'a bad bearer is refused even beside a good cookie (SPEC 5.1)',
  alone(async (world) => {
    const { dm } = world.callers
    for (const authorization of ['Bearer tkp_nothing', `Bearer tkp_${'A'.repeat(43)}`, 'Bearer', 'Token x']) {
      const { status } = await dm.request('GET', '/api/v1/me', undefined, { authorization })
      expect(status, authorization).toBe(401)
    }
  }),
)

test(
  'on /mcp only a bearer counts: a cookie would let any page act as its owner (SPEC 5.1, 5.6)',
  alone(async (world) => {
    const browser = world.session('dm')
    const ping = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
    expect((await browser.get('/api/v1/me')).status).toBe(200)
    // A proxy in front may ask for a password of its own; that is no bearer either.
    for (const headers of [{}, { authorization: 'Basic ZG06eA==' }]) {
      const answer = await browser.request('POST', '/mcp', ping, headers)
      expect([answer.status, answer.body.error.code]).toEqual([401, 'unauthenticated'])
      expect(answer.headers['www-authenticate']).toMatch(
        /^Bearer resource_metadata="http:\/\/localhost\/\.well-known\//,
      )
    }
  }),
)
