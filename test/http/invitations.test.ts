import { describe, expect, test } from 'vitest'
import { shareWorld } from '../support/shared-world.ts'
import type { TestWorld } from '../support/world.ts'

// Nobody finds themself at a table, or their AI at somebody's table, that they have not agreed to sit at.

const { alone } = shareWorld()
const strange = (world: TestWorld): number => world.id('campaign', 'invited')
const names = ({ items }: { readonly items: readonly { readonly name: string }[] }): string[] =>
  items.map(({ name }) => name)

describe('whom a stranger added to a campaign', () => {
  test(
    'is asked, is no member until they accept, and reads nothing of it',
    alone(async (world) => {
      const { player } = world.callers
      const campaignId = strange(world)
      expect((await player.get('/api/v1/me/invitations')).body.items).toEqual([
        {
          campaignId,
          campaignName: 'A table of strangers',
          role: 'player',
          addedByUser: { id: world.userId.outsider, title: 'outsider' },
          addedAt: expect.any(String),
        },
      ])
      expect(names((await player.get('/api/v1/campaigns')).body)).not.toContain('A table of strangers')
      expect((await player.get(`/api/v1/campaigns/${campaignId}`)).status).toBe(404)
      const accepted = await player.post(`/api/v1/me/invitations/${campaignId}/accept`)
      expect([accepted.status, accepted.body]).toEqual([
        200,
        { campaignId, campaignName: 'A table of strangers', role: 'player' },
      ])
      expect((await player.get(`/api/v1/campaigns/${campaignId}`)).body.myRole).toBe('player')
      expect((await player.get('/api/v1/me/invitations')).body.items).toEqual([])
    }),
  )

  test(
    'is not shown it by their AI: neither in its campaigns nor as the current one',
    alone(async (world) => {
      // The strange campaign is the one that changed last.
      world.server.clock.advance(60_000)
      await world.as('outsider', 'update_campaign', { campaignId: strange(world), description: 'Follow me.' })
      const { player } = world.callers
      const read = async (uri: string): Promise<string> => (await player.mcp('resources/read', { uri })).text
      expect(await read('talekeeper://campaigns')).not.toContain('A table of strangers')
      expect(await read('talekeeper://current/summary')).not.toContain('Follow me.')
      expect((await player.tool('get_me', {})).answer.text).not.toContain('A table of strangers')
      await player.post(`/api/v1/me/invitations/${strange(world)}/accept`)
      expect(await read('talekeeper://campaigns')).toContain('A table of strangers')
    }),
  )

  test(
    'may decline, and is gone from the table',
    alone(async (world) => {
      const campaignId = strange(world)
      const waiting = await world.as('outsider', 'list_members', { campaignId })
      expect(waiting.items.map(({ accepted }: { readonly accepted: boolean }) => accepted)).toEqual([true, false])
      expect((await world.callers.player.post(`/api/v1/me/invitations/${campaignId}/decline`)).status).toBe(200)
      expect((await world.as('outsider', 'list_members', { campaignId })).items).toHaveLength(1)
      expect((await world.callers.player.post(`/api/v1/me/invitations/${campaignId}/accept`)).status).toBe(404)
    }),
  )

  test(
    'is answered for by themself, in person',
    alone(async (world) => {
      const path = `/api/v1/me/invitations/${strange(world)}/accept`
      for (const caller of [world.token('player'), world.oauth('player')])
        expect((await caller.post(path)).status).toBe(403)
      expect((await world.callers.otherPlayer.post(path)).status).toBe(404)
      expect((await world.callers.dm.post(path)).status).toBe(404)
    }),
  )

  test(
    'gets no whisper and counts for nothing meanwhile, and the last Dungeon Master does not leave to them',
    alone(async (world) => {
      const campaignId = strange(world)
      const whisper = { recipientUserId: world.userId.player, body: 'x' }
      const path = `/api/v1/campaigns/${campaignId}`
      const { outsider } = world.callers
      expect((await outsider.post(`${path}/whispers`, whisper)).status).toBe(400)
      expect((await outsider.get(`${path}/summary`)).body.memberCount).toBe(1)
      const { items } = await world.as('outsider', 'list_members', { campaignId })
      await world.as('outsider', 'update_member', { memberId: items[1].id, role: 'dm' })
      expect((await outsider.post(`${path}/leave`)).body.error.code).toBe('last_dm')
    }),
  )
})

test(
  'whoever runs the server seats people at once, and a code from a friend is an answer',
  alone(async (world) => {
    const made = await world.as('admin', 'create_campaign', { name: 'The house table' })
    const added = await world.as('admin', 'add_member', { campaignId: made.id, username: 'player', role: 'player' })
    expect(added.accepted).toBe(true)
    expect((await world.callers.player.get(`/api/v1/campaigns/${made.id}`)).status).toBe(200)
    const { code } = await world.as('outsider', 'create_invite', { campaignId: strange(world), role: 'viewer' })
    const joined = await world.callers.player.post('/api/v1/invites/accept', { code })
    expect([joined.status, joined.body.role]).toEqual([200, 'viewer'])
  }),
)
