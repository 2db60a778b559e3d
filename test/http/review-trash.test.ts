import { describe, expect, test } from 'vitest'
import { shareWorld } from '../support/shared-world.ts'
import type { TestWorld } from '../support/world.ts'

// What was deleted comes back whole, until it is deleted for good; what is hidden is shown, and hidden again.

const { alone } = shareWorld()
const campaign = (world: TestWorld): string => `/api/v1/campaigns/${world.id('campaign')}`
const thing = (world: TestWorld, entityType: string, variant?: string) => ({
  entityType,
  entityId: world.id(entityType, variant),
})
const restore = (world: TestWorld, of: object) => world.callers.dm.post(`${campaign(world)}/trash/restore`, of)
const purge = (world: TestWorld, of: object) => world.callers.dm.post(`${campaign(world)}/trash/purge`, of)
const trash = async (world: TestWorld) => (await world.callers.dm.get(`${campaign(world)}/trash`)).body.items

describe('the trash', () => {
  test(
    'lists what was deleted, not what went with it; restoring brings all of it back',
    alone(async (world) => {
      const questId = world.id('quest')
      await world.as('dm', 'delete_quest', { questId })
      expect((await trash(world))[0]).toMatchObject({
        entityType: 'quest',
        entityId: questId,
        title: 'A cradle with no maker',
        deletedByUser: { id: world.userId.dm, title: 'dm' },
        owned: 2,
      })
      expect((await restore(world, thing(world, 'quest'))).body.restored).toBe(3)
      expect((await world.callers.dm.get(`/api/v1/quests/${questId}`)).body.objectives).toHaveLength(2)
      expect((await restore(world, thing(world, 'quest'))).status).toBe(404)
    }),
  )

  test(
    'keeps what was deleted before its owner apart, and back it comes only after it',
    alone(async (world) => {
      await world.as('dm', 'delete_objective', { objectiveId: world.id('objective') })
      await world.as('dm', 'delete_quest', { questId: world.id('quest') })
      expect((await restore(world, thing(world, 'objective'))).body.error.code).toBe('invalid_state')
      expect((await restore(world, thing(world, 'quest'))).body.restored).toBe(2)
      expect((await restore(world, thing(world, 'objective'))).body.restored).toBe(1)
    }),
  )

  test(
    'deletes for good all that hung on it, also what was deleted before',
    alone(async (world) => {
      await world.as('dm', 'delete_objective', { objectiveId: world.id('objective') })
      await world.as('dm', 'delete_quest', { questId: world.id('quest') })
      const { status, body } = await purge(world, thing(world, 'quest'))
      expect([status, body.purged]).toEqual([200, 3])
      expect(world.row('objectives', world.id('objective'))).toBeUndefined()
      expect((await trash(world)).map(({ entityType }: { entityType: string }) => entityType)).toEqual(['npc'])
    }),
  )

  test(
    'a purge leaves no text behind: not in the journal, not in the search',
    alone(async (world) => {
      const npcId = world.id('npc', 'trashed')
      await purge(world, thing(world, 'npc', 'trashed'))
      const store = world.server.app.store()
      expect(world.row('npcs', npcId)).toBeUndefined()
      const kept = [
        ...store.all("SELECT before, after FROM changes WHERE entity_type = 'npc' AND entity_id = @npcId", { npcId }),
        ...store.all("SELECT title, secret FROM search_documents WHERE entity_type = 'npc' AND entity_id = @npcId", {
          npcId,
        }),
      ]
      expect(JSON.stringify(kept)).not.toMatch(/Hob|Never lived/)
      expect((await purge(world, thing(world, 'npc', 'trashed'))).status).toBe(404)
    }),
  )

  test(
    'purges nothing that is alive, nor of another campaign',
    alone(async (world) => {
      expect((await purge(world, thing(world, 'npc'))).status).toBe(404)
      const elsewhere = `/api/v1/campaigns/${world.id('campaign', 'live')}/trash/purge`
      expect((await world.callers.dm.post(elsewhere, thing(world, 'npc', 'trashed'))).status).toBe(404)
      expect(world.row('npcs', world.id('npc', 'trashed'))).toBeDefined()
    }),
  )

  test(
    'links to what is in it read as null, and as before when it is back',
    alone(async (world) => {
      const giver = async () => (await world.callers.dm.get(`/api/v1/quests/${world.id('quest')}`)).body.giverNpcId
      await world.as('dm', 'delete_npc', { npcId: world.id('npc') })
      expect(await giver()).toBeNull()
      await restore(world, thing(world, 'npc'))
      expect(await giver()).toBe(world.id('npc'))
      await world.as('dm', 'delete_npc', { npcId: world.id('npc') })
      await purge(world, thing(world, 'npc'))
      expect(await giver()).toBeNull()
    }),
  )

  test(
    'shows the DM no private note of a player',
    alone(async (world) => {
      await world.as('player', 'delete_note', { noteId: world.id('note', 'private') })
      expect(await trash(world)).toHaveLength(1)
      expect((await restore(world, thing(world, 'note', 'private'))).status).toBe(404)
      expect((await purge(world, thing(world, 'note', 'private'))).status).toBe(404)
    }),
  )

  test(
    'takes kinds of things that can be in it, and says which',
    alone(async (world) => {
      const { status, body } = await restore(world, { entityType: 'member', entityId: 1 })
      expect([status, body.error.message]).toEqual([400, expect.stringContaining('npc')])
    }),
  )
})

describe('hiding and revealing', () => {
  const seen = async (world: TestWorld, variant?: string) =>
    (await world.callers.player.get(`/api/v1/npcs/${world.id('npc', variant)}`)).status

  test(
    'changes what players see, at once; the DM’s secret stays one',
    alone(async (world) => {
      expect(await seen(world, 'hidden')).toBe(404)
      await world.callers.dm.post(`${campaign(world)}/reveal`, thing(world, 'npc', 'hidden'))
      const revealed = (await world.callers.player.get(`/api/v1/npcs/${world.id('npc', 'hidden')}`)).body
      expect(revealed).toMatchObject({ name: 'The Cellarer' })
      expect(revealed).not.toHaveProperty('dmSecret')
      await world.callers.dm.post(`${campaign(world)}/hide`, thing(world, 'npc', 'hidden'))
      expect(await seen(world, 'hidden')).toBe(404)
    }),
  )

  test(
    'a step shows when its quest does, too',
    alone(async (world) => {
      const steps = async () =>
        (await world.callers.player.get(`/api/v1/quests/${world.id('quest', 'hidden')}/objectives`)).status
      await world.callers.dm.post(`${campaign(world)}/reveal`, thing(world, 'objective', 'under hidden'))
      expect(await steps()).toBe(404)
      await world.callers.dm.post(`${campaign(world)}/reveal`, thing(world, 'quest', 'hidden'))
      expect(await steps()).toBe(200)
    }),
  )

  test(
    'is for things that can be hidden',
    alone(async (world) => {
      const { status } = await world.callers.dm.post(`${campaign(world)}/hide`, thing(world, 'session'))
      expect(status).toBe(400)
    }),
  )
})

test(
  'a campaign in the trash is there for its DMs alone, and comes back as it was',
  alone(async (world) => {
    const { dm, player, outsider } = world.callers
    const id = world.id('campaign', 'trashed')
    const listed = async (caller: typeof dm) => (await caller.get('/api/v1/campaigns/trash')).body.items
    expect(await listed(dm)).toEqual([{ id, name: 'Burnt Acre', deletedAt: expect.any(String) }])
    expect([await listed(player), await listed(outsider)]).toEqual([[], []])
    expect((await dm.get(`/api/v1/campaigns/${id}`)).status).toBe(404)
    expect((await dm.get(`/api/v1/campaigns/${id}/trash`)).status).toBe(404)
    expect((await dm.post(`/api/v1/campaigns/${id}/restore`)).body).toMatchObject({ id, myRole: 'dm' })
    expect((await dm.post(`/api/v1/campaigns/${id}/restore`)).body.error.code).toBe('invalid_state')
    expect((await player.get(`/api/v1/campaigns/${id}`)).status).toBe(200)
  }),
)
