import { describe, expect, test } from 'vitest'
import { asRead } from '../support/proposals.ts'
import { shareWorld } from '../support/shared-world.ts'
import type { TestWorld } from '../support/world.ts'

// Whoever takes a proposal takes what they have read, and a player's proposal touches nothing that a player does not see.

const { alone } = shareWorld()
const inbox = (world: TestWorld) => `/api/v1/campaigns/${world.id('campaign')}/proposals`

async function asked(world: TestWorld, input: object): Promise<number> {
  const path = `/api/v1/npcs/${world.id('npc')}`
  const { status, body, text } = await world.callers.player.request('PATCH', path, input)
  expect(status, text).toBe(202)
  return body.proposal.id
}
const approve = (world: TestWorld, proposals: unknown) =>
  world.callers.dm.post(`${inbox(world)}/approve`, { proposals })

describe('taking a proposal', () => {
  test(
    'that its author has changed since it was read is refused, and nothing happens',
    alone(async (world) => {
      const id = await asked(world, { voice: 'Loud.' })
      const { revision } = (await world.callers.dm.get(`/api/v1/proposals/${id}`)).body
      const input = { npcId: world.id('npc'), voice: 'A voice that nobody has read.' }
      const changes = [{ operation: 'update_npc', input }]
      await world.callers.player.request('PATCH', `/api/v1/proposals/${id}`, { changes })
      const refused = await approve(world, [{ proposalId: id, revision }])
      expect([refused.status, refused.body.error.code]).toEqual([409, 'stale_revision'])
      expect(refused.body.error.message).toContain('Read it again')
      expect(world.row('npcs', world.id('npc'))).toMatchObject({ voice: 'Dry and low.' })
      expect(world.row('proposals', id)).toMatchObject({ status: 'pending' })
      expect((await approve(world, asRead(world, id))).status).toBe(200)
      expect(world.row('npcs', world.id('npc'))).toMatchObject({ voice: input.voice })
    }),
  )

  test(
    'needs its revision, at either door',
    alone(async (world) => {
      const proposalId = world.id('proposal')
      expect((await approve(world, [{ proposalId }])).status).toBe(400)
      expect((await world.callers.dm.post(`${inbox(world)}/approve`, { proposalIds: [proposalId] })).status).toBe(400)
      const input = { campaignId: world.id('campaign'), proposals: [{ proposalId, revision: 2 }] }
      const { content } = await world.callers.oauth.tool('approve_proposals', input)
      expect(content.error).toMatchObject({ status: 409, code: 'stale_revision' })
    }),
  )

  test(
    'is not stale by a change of something else, and by its own field it is',
    alone(async (world) => {
      const npcId = world.id('npc')
      const [one, other] = [await asked(world, { voice: 'Loud.' }), await asked(world, { role: 'Clerk' })]
      await world.as('dm', 'update_npc', { npcId, role: 'Keeper', dmSecret: 'Another secret.' })
      const stale = async (id: number) => (await world.callers.player.get(`/api/v1/proposals/${id}`)).body.stale
      expect([await stale(one), await stale(other)]).toEqual([false, true])
      expect((await approve(world, asRead(world, other))).body.error.code).toBe('stale_revision')
      expect((await approve(world, asRead(world, one))).status).toBe(200)
    }),
  )

  test(
    'that was asked for with the revision its author knew counts by what they know',
    alone(async (world) => {
      const npcId = world.id('npc')
      await world.as('dm', 'update_npc', { npcId, dmSecret: 'A secret more.' })
      const { revision } = (await world.callers.player.get(`/api/v1/npcs/${npcId}`)).body
      const id = await asked(world, { voice: 'Loud.', expectedRevision: revision })
      expect((await approve(world, asRead(world, id))).status).toBe(200)
    }),
  )
})

describe('what a player does not see', () => {
  test.each([
    ['a secret field', (world: TestWorld) => ['update_npc', { npcId: world.id('npc'), dmSecret: 'Mine.' }]],
    [
      'a secret field of something new',
      (world: TestWorld) => ['create_npc', { campaignId: world.id('campaign'), name: 'One', dmSecret: 'Mine.' }],
    ],
    ['a hidden thing', (world: TestWorld) => ['update_npc', { npcId: world.id('npc', 'hidden'), voice: 'x' }]],
    [
      'a link to a hidden thing',
      (world: TestWorld) => ['update_npc', { npcId: world.id('npc'), locationId: world.id('location', 'hidden') }],
    ],
  ] as const)('is not touched: %s is refused when it is asked for', async (_, given) =>
    alone(async (world) => {
      const [operation, input] = given(world)
      const { status } = await world.callers.player.post(inbox(world), { changes: [{ operation, input }] })
      expect(status).toBeGreaterThanOrEqual(400)
      expect(world.row('npcs', world.id('npc'))).toMatchObject({ dm_secret: 'She sold the year.' })
    })(),
  )

  test(
    'is not touched when it is approved either: what was hidden since stays as it is',
    alone(async (world) => {
      const campaignId = world.id('campaign')
      const npcId = world.id('npc')
      const [voice, place] = [
        await asked(world, { voice: 'Loud.' }),
        await asked(world, { locationId: world.id('location', 'leaf') }),
      ]
      await world.as('dm', 'hide_entity', {
        campaignId,
        entityType: 'location',
        entityId: world.id('location', 'leaf'),
      })
      const linked = await approve(world, asRead(world, place))
      expect([linked.status, linked.body.error.code]).toEqual([409, 'invalid_state'])
      await world.as('dm', 'hide_entity', { campaignId, entityType: 'npc', entityId: npcId })
      const hidden = await approve(world, asRead(world, voice))
      expect([hidden.status, hidden.body.error.code]).toEqual([409, 'invalid_state'])
      expect(hidden.body.error.message).toContain('does not see')
      expect(world.row('npcs', npcId)).toMatchObject({ voice: 'Dry and low.' })
    }),
  )

  test(
    'is a Dungeon Master’s to propose',
    alone(async (world) => {
      const propose = world.token('dm', { writeMode: 'propose' })
      const path = `/api/v1/npcs/${world.id('npc')}`
      const { status, body } = await propose.request('PATCH', path, { dmSecret: 'She gave it away.' })
      expect(status).toBe(202)
      expect((await approve(world, asRead(world, body.proposal.id))).status).toBe(200)
      expect(world.row('npcs', world.id('npc'))).toMatchObject({ dm_secret: 'She gave it away.' })
    }),
  )
})

test(
  'links show in the difference, by what they name',
  alone(async (world) => {
    const locationId = world.id('location')
    const created = await world.callers.player.post(`/api/v1/campaigns/${world.id('campaign')}/npcs`, {
      name: 'The ferryman',
      locationId,
    })
    const shown = await world.callers.dm.get(`/api/v1/proposals/${created.body.proposal.id}`)
    expect(shown.body.changes[0].difference).toEqual([
      { field: 'name', before: null, after: 'The ferryman' },
      { field: 'locationId', before: null, after: locationId, beforeTitle: null, afterTitle: 'The Pomary' },
    ])
    const moved = await asked(world, { locationId: world.id('location', 'leaf') })
    expect((await world.callers.dm.get(`/api/v1/proposals/${moved}`)).body.changes[0].difference).toEqual([
      {
        field: 'locationId',
        before: locationId,
        after: world.id('location', 'leaf'),
        beforeTitle: 'The Pomary',
        afterTitle: 'The press',
      },
    ])
  }),
)
