import { expect, test } from 'vitest'
import { asRead } from '../support/proposals.ts'
import { startWorld } from '../support/world-file.ts'

test('an operation that fails after its first write leaves nothing of it', async () => {
  const world = await startWorld()
  const { server } = world
  try {
    const { player, dm } = world.callers
    const campaignId = world.id('campaign')
    const propose = async (name: string) => {
      const filed = await player.post(`/api/v1/campaigns/${campaignId}/npcs`, { name })
      expect(filed.status).toBe(202)
      return filed.body.proposal.id as number
    }
    const first = await propose('Written first')
    const npcId = world.id('npc')
    const second = (await player.request('PATCH', `/api/v1/npcs/${npcId}`, { voice: 'Loud.' })).body.proposal.id
    await world.as('dm', 'update_npc', { npcId, voice: 'Changed meanwhile.' })
    const dump = () =>
      JSON.stringify(
        ['npcs', 'changes', 'change_sets', 'search_documents', 'proposals'].map((table) =>
          server.app.store().all(`SELECT * FROM ${table} ORDER BY id`),
        ),
      )
    const before = dump()
    // The first of the two is applied, then the second is refused: both or none.
    const refused = await dm.post(`/api/v1/campaigns/${campaignId}/proposals/approve`, {
      proposals: asRead(world, first, second),
    })
    expect(refused.status).toBe(409)
    expect(dump()).toBe(before)
    // Whoever goes on where a change set failed would keep half of it.
    const head = { campaignId, actor: null, door: 'system', reason: null, proposal: null } as const
    const goOn = () =>
      server.app.system().transaction((unit) => {
        try {
          unit.changeSet({ ...head, operation: { name: 'create_npc', effect: 'write' } }, () => {
            throw new Error('midway')
          })
        } catch {
          // It went wrong, and nobody says so.
        }
      })
    expect(goOn).toThrow('its transaction went on')
    expect(dump()).toBe(before)
  } finally {
    await server.stop()
  }
})
