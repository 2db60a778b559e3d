import { describe, expect, test } from 'vitest'
import type { Answer, Caller } from '../support/callers.ts'
import { asRead } from '../support/proposals.ts'
import { shareWorld } from '../support/shared-world.ts'
import type { TestWorld } from '../support/world.ts'

// Changes that are asked for: tried when they are filed, run as the approver when they are approved.

const { alone } = shareWorld()
const inbox = (world: TestWorld): string => `/api/v1/campaigns/${world.id('campaign')}/proposals`

async function filed(caller: Caller, world: TestWorld, operation: string, input: object): Promise<number> {
  const { status, body } = await caller.post(inbox(world), { changes: [{ operation, input }] })
  expect(status, JSON.stringify(body)).toBe(201)
  return body.id
}
const voice = (caller: Caller, world: TestWorld, text: string) =>
  filed(caller, world, 'update_npc', { npcId: world.id('npc'), voice: text })
const approve = (world: TestWorld, ...proposalIds: readonly number[]): Promise<Answer> =>
  world.callers.dm.post(`${inbox(world)}/approve`, { proposals: asRead(world, ...proposalIds) })
const statusOf = (world: TestWorld, id: number): unknown => world.row('proposals', id)?.status
const voiceOf = (world: TestWorld): unknown => world.row('npcs', world.id('npc'))?.voice

test(
  'a player’s change is filed, shown with its difference, approved and journalled under both names',
  alone(async (world) => {
    const { player, dm } = world.callers
    const npcId = world.id('npc')
    const answer = await player.request(
      'PATCH',
      `/api/v1/npcs/${npcId}`,
      { voice: 'Loud.' },
      { 'x-reason': 'She shouted.' },
    )
    const { proposal } = answer.body
    expect([answer.status, voiceOf(world)]).toEqual([202, 'Dry and low.'])
    expect(proposal).toMatchObject({
      reason: 'She shouted.',
      targetType: 'npc',
      targetId: npcId,
    })

    const shown = (await dm.get(`/api/v1/proposals/${proposal.id}`)).body
    expect(shown).toMatchObject({
      target: { entityType: 'npc', entityId: npcId, title: 'Marta Quill' },
      stale: false,
      authorUser: { id: world.userId.player, title: 'player' },
      changes: [
        {
          operation: 'update_npc',
          thing: 'Marta Quill',
          difference: [{ field: 'voice', before: 'Dry and low.', after: 'Loud.' }],
        },
      ],
    })
    const approved = await dm.post(`${inbox(world)}/approve`, {
      proposals: [{ proposalId: proposal.id, revision: shown.revision }],
      note: 'She did.',
    })
    expect([approved.status, approved.body]).toEqual([
      200,
      { approved: [proposal.id], auditRecordId: expect.any(Number) },
    ])
    expect(voiceOf(world)).toBe('Loud.')
    expect((await player.get(`/api/v1/proposals/${proposal.id}`)).body).toMatchObject({
      status: 'approved',
      decidedByUserId: world.userId.dm,
      decisionNote: 'She did.',
    })
    const audit = (await dm.get(`/api/v1/campaigns/${world.id('campaign')}/audit?operation=update_npc&limit=1`)).body
    expect(audit.items[0]).toMatchObject({
      actorUserId: world.userId.dm,
      proposedByUserId: world.userId.player,
      proposalId: proposal.id,
    })
  }),
)

test(
  'the list in full tells of each what getting it tells, and in brief whether it is stale',
  alone(async (world) => {
    const { player, dm } = world.callers
    const [first, second] = [await voice(player, world, 'Loud.'), await voice(player, world, 'Hoarse.')]
    await world.as('dm', 'update_npc', { npcId: world.id('npc'), voice: 'Soft.' })
    const hidden = await dm.post(`/api/v1/campaigns/${world.id('campaign')}/hide`, {
      entityType: 'npc',
      entityId: world.id('npc'),
    })
    expect(hidden.status).toBe(200)
    for (const caller of [player, dm]) {
      const full = (await caller.get(`${inbox(world)}?view=full&limit=2`)).body.items
      const got = [
        (await caller.get(`/api/v1/proposals/${second}`)).body,
        await caller.get(`/api/v1/proposals/${first}`),
      ]
      expect(full).toEqual([got[0], (got[1] as Answer).body])
      const brief = (await caller.get(`${inbox(world)}?limit=2`)).body.items
      expect(brief).toEqual(full.map(({ changes: _, ...line }: { changes: unknown }) => line))
      // Hidden from the player it is not there for them, and for both it is not as it was.
      expect(full.map(({ stale }: { stale: boolean }) => stale)).toEqual([true, true])
      expect(full[0].changes[0].difference[0].before).toBe(caller === dm ? 'Soft.' : null)
    }
  }),
)

describe('approval', () => {
  test(
    'is all or none: one that is stale keeps the others pending',
    alone(async (world) => {
      const { player, otherPlayer } = world.callers
      const made = await filed(player, world, 'create_npc', { campaignId: world.id('campaign'), name: 'The ferryman' })
      const first = await voice(player, world, 'Loud.')
      const second = await voice(otherPlayer, world, 'Shrill.')
      const { status, body } = await approve(world, made, first, second)
      expect([status, body.error.code]).toEqual([409, 'stale_revision'])
      expect(body.error.message).toContain(String(second))
      expect([made, first, second].map((id) => statusOf(world, id))).toEqual(['pending', 'pending', 'pending'])
      expect(voiceOf(world)).toBe('Dry and low.')
      expect(world.server.app.store().get("SELECT 1 FROM npcs WHERE name = 'The ferryman'")).toBeUndefined()
    }),
  )

  test(
    'is refused when what it changes was changed since, until its author looks at it again',
    alone(async (world) => {
      const { player, dm } = world.callers
      const id = await voice(player, world, 'Loud.')
      await world.as('dm', 'update_npc', { npcId: world.id('npc'), voice: 'Soft.', role: 'Clerk' })
      expect((await dm.get(`/api/v1/proposals/${id}`)).body.stale).toBe(true)
      expect((await approve(world, id)).body.error.code).toBe('stale_revision')
      const changes = [{ operation: 'update_npc', input: { npcId: world.id('npc'), voice: 'Loud, and slow.' } }]
      expect((await player.request('PATCH', `/api/v1/proposals/${id}`, { changes })).body.stale).toBe(false)
      expect((await approve(world, id)).status).toBe(200)
      expect(world.row('npcs', world.id('npc'))).toMatchObject({ voice: 'Loud, and slow.', role: 'Clerk' })
    }),
  )

  test(
    'happens once, and not of what was rejected or taken back',
    alone(async (world) => {
      const { player, dm } = world.callers
      const [one, two, three] = [
        await voice(player, world, 'a'),
        await voice(player, world, 'b'),
        await voice(player, world, 'c'),
      ]
      expect((await approve(world, one, one)).body).toMatchObject({ approved: [one] })
      await dm.post(`${inbox(world)}/reject`, { proposalIds: [two], note: 'No.' })
      await player.post(`/api/v1/proposals/${three}/withdraw`)
      for (const id of [one, two, three]) expect((await approve(world, id)).body.error.code).toBe('invalid_state')
      expect(voiceOf(world)).toBe('a')
    }),
  )

  test(
    'fails as a whole where what it links to has gone',
    alone(async (world) => {
      const input = { campaignId: world.id('campaign'), name: 'The ferryman', locationId: world.id('location', 'leaf') }
      const id = await filed(world.callers.player, world, 'create_npc', input)
      const other = await voice(world.callers.player, world, 'Loud.')
      await world.as('dm', 'delete_location', { locationId: input.locationId })
      const { status, body } = await approve(world, other, id)
      expect([status, body.error.code]).toEqual([400, 'validation_failed'])
      expect([statusOf(world, id), statusOf(world, other), voiceOf(world)]).toEqual([
        'pending',
        'pending',
        'Dry and low.',
      ])
    }),
  )

  test(
    'is a direct Dungeon Master’s alone',
    alone(async (world) => {
      const proposalId = world.id('proposal')
      const { player, viewer, capped, propose, oauth } = world.callers
      const read = world.token('dm', { writeMode: 'read' })
      for (const caller of [player, viewer, capped, propose, read]) {
        const { status } = await caller.post(`${inbox(world)}/approve`, { proposals: asRead(world, proposalId) })
        expect(status, caller.name).toBe(403)
      }
      expect(statusOf(world, proposalId)).toBe('pending')
      // An app reads what its author gives to outside AI, and decides on nothing that it does not read.
      await world.as('otherPlayer', 'set_my_ai_consent', { campaignId: world.id('campaign'), consent: true })
      expect(
        (
          await oauth.tool('approve_proposals', {
            campaignId: world.id('campaign'),
            proposals: asRead(world, proposalId),
          })
        ).isError,
      ).toBe(false)
    }),
  )

  test(
    'knows the proposals of its own campaign only, and none in an archived one',
    alone(async (world) => {
      const elsewhere = `/api/v1/campaigns/${world.id('campaign', 'live')}/proposals/approve`
      expect((await world.callers.dm.post(elsewhere, { proposals: asRead(world, world.id('proposal')) })).status).toBe(
        404,
      )
      await world.as('dm', 'set_campaign_status', { campaignId: world.id('campaign'), status: 'archived' })
      expect((await approve(world, world.id('proposal'))).body.error.code).toBe('invalid_state')
      expect(
        (await world.callers.player.post(inbox(world), { changes: [{ operation: 'create_npc', input: {} }] })).status,
      ).toBe(409)
    }),
  )
})

describe('revising and withdrawing', () => {
  test(
    'are the author’s alone, and end with the decision',
    alone(async (world) => {
      const id = world.id('proposal', 'own')
      const { player, otherPlayer, dm } = world.callers
      const revision = { changes: [{ operation: 'create_npc', input: { name: 'Older Marta' } }] }
      for (const [caller, status] of [
        [dm, 403],
        [otherPlayer, 404],
      ] as const) {
        expect((await caller.request('PATCH', `/api/v1/proposals/${id}`, revision)).status).toBe(status)
        expect((await caller.post(`/api/v1/proposals/${id}/withdraw`)).status).toBe(status)
      }
      expect((await player.request('PATCH', `/api/v1/proposals/${id}`, revision)).body.changes[0].input.name).toBe(
        'Older Marta',
      )
      await approve(world, id)
      expect((await player.request('PATCH', `/api/v1/proposals/${id}`, revision)).body.error.code).toBe('invalid_state')
      expect((await player.post(`/api/v1/proposals/${id}/withdraw`)).body.error.code).toBe('invalid_state')
    }),
  )

  test(
    'a revision is tried again, and cannot move to another campaign',
    alone(async (world) => {
      const id = world.id('proposal', 'own')
      const patch = (input: object) =>
        world.callers.player.request('PATCH', `/api/v1/proposals/${id}`, {
          changes: [{ operation: 'create_npc', input }],
        })
      expect((await patch({ campaignId: world.id('campaign'), name: '' })).status).toBe(400)
      expect((await patch({ campaignId: world.id('campaign', 'live'), name: 'There' })).status).toBe(404)
      expect(world.row('proposals', id)).toMatchObject({ revision: 1 })
    }),
  )
})

describe('filing', () => {
  test(
    'tries the change and leaves nothing behind',
    alone(async (world) => {
      const store = world.server.app.store()
      const counts = () => store.all('SELECT (SELECT count(*) FROM npcs), (SELECT count(*) FROM search_documents)')
      const before = counts()
      await filed(world.callers.player, world, 'create_npc', { campaignId: world.id('campaign'), name: 'The ferryman' })
      expect(counts()).toEqual(before)
    }),
  )

  test.each([
    [
      'an operation that cannot be proposed',
      'remove_member',
      (world: TestWorld) => ({ memberId: world.id('member viewer') }),
      400,
    ],
    [
      'a change that is not a player’s to ask for',
      'delete_npc',
      (world: TestWorld) => ({ npcId: world.id('npc') }),
      403,
    ],
    ['an operation that there is not', 'burn_npc', () => ({}), 400],
    ['an input that is wrong', 'create_npc', (world: TestWorld) => ({ campaignId: world.id('campaign') }), 400],
    ['something hidden', 'update_npc', (world: TestWorld) => ({ npcId: world.id('npc', 'hidden'), voice: 'x' }), 404],
    [
      'something of another campaign',
      'end_session',
      (world: TestWorld) => ({ sessionId: world.id('session', 'live') }),
      404,
    ],
    [
      'a recap of another campaign',
      'publish_session_recap',
      (world: TestWorld) => ({ sessionId: world.id('session', 'live'), recap: 'x' }),
      404,
    ],
    ['hiding an NPC', 'update_npc', (world: TestWorld) => ({ npcId: world.id('npc'), hidden: true }), 403],
    ['hiding a quest', 'update_quest', (world: TestWorld) => ({ questId: world.id('quest'), hidden: true }), 403],
    [
      'a hidden step',
      'create_objective',
      (world: TestWorld) => ({ questId: world.id('quest'), text: 'x', hidden: true }),
      403,
    ],
    [
      'a place that nobody knows',
      'set_location_discovery',
      (world: TestWorld) => ({ locationId: world.id('location'), discovery: 'unknown' }),
      403,
    ],
  ])('%s is refused when it is asked for', async (_, operation, inputIn, status) =>
    alone(async (world) => {
      const before = world.server.app.store().get('SELECT count(*) AS n FROM proposals')
      const answer = await world.callers.player.post(inbox(world), {
        changes: [{ operation, input: inputIn(world) }],
      })
      expect(answer.status, answer.text).toBe(status)
      expect(world.server.app.store().get('SELECT count(*) AS n FROM proposals')).toEqual(before)
    })(),
  )

  test(
    'is a matter of the campaign’s setting; what was filed before can still be approved',
    alone(async (world) => {
      const { player } = world.callers
      await world.as('dm', 'update_campaign_settings', { campaignId: world.id('campaign'), playersPropose: false })
      const refused = await player.request('PATCH', `/api/v1/npcs/${world.id('npc')}`, { voice: 'Loud.' })
      expect(refused.status).toBe(403)
      const asked = await player.post(inbox(world), {
        changes: [{ operation: 'update_npc', input: { npcId: world.id('npc'), voice: 'x' } }],
      })
      expect(asked.status).toBe(403)
      expect((await approve(world, world.id('proposal'))).status).toBe(200)
    }),
  )
})

test(
  'members see their own proposals, the DM sees all',
  alone(async (world) => {
    const seen = async (caller: Caller) =>
      (await caller.get(inbox(world))).body.items
        .map(({ authorUser }: { readonly authorUser: { readonly title: string } }) => authorUser.title)
        .sort()
    expect(await seen(world.callers.player)).toEqual(['player'])
    expect(await seen(world.callers.otherPlayer)).toEqual(['otherPlayer'])
    expect(await seen(world.callers.dm)).toEqual(['otherPlayer', 'player'])
    expect(await seen(world.callers.capped)).toEqual([])
  }),
)
