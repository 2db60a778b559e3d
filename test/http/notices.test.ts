import { expect, test } from 'vitest'
import { shareWorld } from '../support/shared-world.ts'
import type { TestWorld } from '../support/world.ts'

// Who is told of what an app asks for in somebody's name.

const shared = shareWorld()

const filed = async (world: TestWorld, person: 'dm' | 'coDm' | 'player'): Promise<readonly number[]> => {
  const { items } = await world.as(person, 'list_notifications', { campaignId: world.id('campaign'), unread: true })
  return items
    .filter(({ kind }: { kind: string }) => kind === 'proposal_filed')
    .map(({ entityId }: { entityId: number }) => entityId)
}

test('what is its author’s own to take tells them, and no Dungeon Master', () =>
  shared.alone(async (world) => {
    const app = world.token('player', { writeMode: 'propose' })
    const note = { body: 'I owe the clerk a coin.' }
    const { body } = await app.request('POST', `/api/v1/campaigns/${world.id('campaign')}/notes`, note)
    const { id } = body.proposal
    expect(await filed(world, 'player')).toContain(id)
    expect(await filed(world, 'dm')).not.toContain(id)
    await world.as('player', 'approve_proposals', {
      campaignId: world.id('campaign'),
      proposals: [{ proposalId: id, revision: 1 }],
    })
    expect(await filed(world, 'player')).not.toContain(id)
  })())

test('what an app asks for in the name of a Dungeon Master tells them, and the others', () =>
  shared.alone(async (world) => {
    const app = world.token('dm', { writeMode: 'propose' })
    const { body } = await app.request('PATCH', `/api/v1/npcs/${world.id('npc')}`, { voice: 'Hoarse' })
    const { id } = body.proposal
    expect([await filed(world, 'dm'), await filed(world, 'coDm')].map((each) => each.includes(id))).toEqual([
      true,
      true,
    ])
    expect(await filed(world, 'player')).not.toContain(id)
  })())
