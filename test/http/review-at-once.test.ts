import { expect, test } from 'vitest'
import type { Caller } from '../support/callers.ts'
import { shareWorld } from '../support/shared-world.ts'

// Whatever is kept in memory between calls, a change shows in the very next one: nothing here runs in a transaction of the
// test, each call commits on its own, and every state is read before and after.

const shared = shareWorld()

async function statuses(path: string, ...callers: readonly Caller[]): Promise<readonly number[]> {
  const found: number[] = []
  for (const caller of callers) {
    const first = await caller.get(path)
    // The second read is the one that may come from memory.
    expect((await caller.get(path)).status).toBe(first.status)
    found.push(first.status)
  }
  return found
}

test('hiding and revealing, deleting and bringing back', async () => {
  const { world } = shared
  const { dm, player, viewer } = world.callers
  const [campaignId, npcId, questId] = [world.id('campaign'), world.id('npc'), world.id('quest')]
  const thing = { campaignId, entityType: 'npc', entityId: npcId }
  const read = () => statuses(`/api/v1/npcs/${npcId}`, dm, player, viewer)
  expect(await read()).toEqual([200, 200, 200])
  await world.as('dm', 'hide_entity', thing)
  expect(await read()).toEqual([200, 404, 404])
  expect((await player.get(`/api/v1/quests/${questId}`)).body.giverNpcId).toBeNull()
  await world.as('dm', 'reveal_entity', thing)
  expect(await read()).toEqual([200, 200, 200])
  expect((await player.get(`/api/v1/quests/${questId}`)).body.giverNpcId).toBe(npcId)
  await world.as('dm', 'delete_npc', { npcId })
  expect(await read()).toEqual([404, 404, 404])
  await world.as('dm', 'restore_from_trash', thing)
  expect(await read()).toEqual([200, 200, 200])
})

test('a step of a quest follows the quest', async () => {
  const { world } = shared
  const { dm, player } = world.callers
  const [campaignId, questId] = [world.id('campaign'), world.id('quest')]
  const quest = { campaignId, entityType: 'quest', entityId: questId }
  const tick = (done: boolean) => player.request('PUT', `/api/v1/objectives/${world.id('objective')}/done`, { done })
  expect((await tick(true)).status).toBe(200)
  await world.as('dm', 'hide_entity', quest)
  expect((await tick(false)).status).toBe(404)
  expect(await statuses(`/api/v1/quests/${questId}/objectives`, dm, player)).toEqual([200, 404])
  await world.as('dm', 'reveal_entity', quest)
  expect((await tick(false)).status).toBe(200)
})

test('roles, membership, and the state of a campaign', async () => {
  const { world } = shared
  const { dm, otherPlayer } = world.callers
  const campaignId = world.id('campaign')
  const memberId = world.id('member', 'otherPlayer')
  const audit = `/api/v1/campaigns/${campaignId}/audit`
  const note = async () => (await otherPlayer.post(`/api/v1/campaigns/${campaignId}/notes`, { body: 'Noted.' })).status
  expect(await statuses(audit, otherPlayer)).toEqual([403])
  await world.as('dm', 'update_member', { memberId, role: 'dm' })
  expect(await statuses(audit, otherPlayer)).toEqual([200])
  await world.as('dm', 'update_member', { memberId, role: 'viewer' })
  expect([await statuses(audit, otherPlayer), await note()]).toEqual([[403], 403])
  await world.as('dm', 'update_member', { memberId, role: 'player' })
  expect(await note()).toBe(201)
  await world.as('dm', 'set_campaign_status', { campaignId, status: 'archived' })
  expect(await note()).toBe(409)
  await world.as('dm', 'set_campaign_status', { campaignId, status: 'active' })
  expect(await note()).toBe(201)
  await world.as('dm', 'delete_campaign', { campaignId })
  expect(await statuses(`/api/v1/campaigns/${campaignId}`, dm, otherPlayer)).toEqual([404, 404])
  await world.as('dm', 'restore_campaign', { campaignId })
  expect(await statuses(`/api/v1/campaigns/${campaignId}`, dm, otherPlayer)).toEqual([200, 200])
  await world.as('dm', 'remove_member', { memberId })
  expect([await statuses(`/api/v1/campaigns/${campaignId}`, otherPlayer), await note()]).toEqual([[404], 404])
})

test('tokens, sessions, apps and people', async () => {
  const { world } = shared
  const { admin, player } = world.callers
  const { body: minted } = await player.post('/api/v1/tokens', { tokenName: 'short', scope: 'dm' })
  const token = world.session('player')
  const bearer = (path: string) => token.request('GET', path, undefined, { authorization: `Bearer ${minted.token}` })
  expect((await bearer('/api/v1/me')).status).toBe(200)
  expect((await bearer('/api/v1/me')).status).toBe(200)
  await player.request('DELETE', `/api/v1/tokens/${minted.id}`)
  expect((await bearer('/api/v1/me')).status).toBe(401)

  const app = world.oauth('player')
  expect(await statuses('/api/v1/me', app)).toEqual([200])
  const [{ grantId }] = (await player.get('/api/v1/me/apps')).body.items
  await player.request('DELETE', `/api/v1/me/apps/${grantId}`)
  expect(await statuses('/api/v1/me', app)).toEqual([401])

  const [session, other] = [world.session('viewer'), world.session('viewer')]
  expect(await statuses('/api/v1/me', session, other)).toEqual([200, 200])
  await session.post('/api/v1/auth/logout')
  expect(await statuses('/api/v1/me', session, other)).toEqual([401, 200])
  await admin.request('PATCH', `/api/v1/users/${world.userId.viewer}`, { disabled: true })
  expect(await statuses('/api/v1/me', other, world.callers.viewer)).toEqual([401, 401])
  await admin.request('PATCH', `/api/v1/users/${world.userId.dm}`, { username: 'Ellen' })
  expect((await world.callers.dm.get('/api/v1/me')).body.user.username).toBe('Ellen')
})
