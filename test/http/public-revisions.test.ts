import { describe, expect, test } from 'vitest'
import { restCall } from '../support/matrix.ts'
import { shareWorld } from '../support/shared-world.ts'
import type { TestWorld } from '../support/world.ts'

// Revision and time that somebody is shown move with what they can see, and with nothing else; counts.test.ts compares
// everything else that there is to ask.

const { alone } = shareWorld()

interface Shown {
  readonly revision: number
  readonly updatedAt: string
}
const kinds = ['quest', 'npc', 'location', 'session'] as const
const addressOf = (world: TestWorld, kind: (typeof kinds)[number]): string => `/api/v1/${kind}s/${world.id(kind)}`
const seen = async (world: TestWorld, who: 'dm' | 'player', kind: (typeof kinds)[number]): Promise<Shown> => {
  const { revision, updatedAt } = (await world.callers[who].get(addressOf(world, kind))).body
  return { revision, updatedAt }
}

describe.each(kinds)('a change of what only the DM reads of a %s', (kind) => {
  test(
    'moves the DM’s revision and time, and not the player’s',
    alone(async (world) => {
      const [dm, player] = [await seen(world, 'dm', kind), await seen(world, 'player', kind)]
      world.server.clock.advance(60_000)
      await world.as('dm', `update_${kind}`, { [`${kind}Id`]: world.id(kind), dmSecret: 'Something else.' })
      expect(await seen(world, 'player', kind)).toEqual(player)
      const after = await seen(world, 'dm', kind)
      expect(after.revision).toBe(dm.revision + 1)
      expect(after.updatedAt > dm.updatedAt).toBe(true)
      // What everybody reads moves both.
      const name = kind === 'quest' || kind === 'session' ? 'title' : 'name'
      await world.as('dm', `update_${kind}`, { [`${kind}Id`]: world.id(kind), [name]: 'Another name' })
      const told = await seen(world, 'player', kind)
      expect(told.revision).toBe(player.revision + 1)
      expect(told.updatedAt > player.updatedAt).toBe(true)
    }),
  )
})

test(
  'a player’s expectedRevision is held against what they see',
  alone(async (world) => {
    const npcId = world.id('npc')
    const before = await seen(world, 'player', 'npc')
    await world.as('dm', 'update_npc', { npcId, dmSecret: 'Something else.' })
    const path = `/api/v1/npcs/${npcId}`
    const change = (revision: number) =>
      world.callers.player.request('PATCH', path, { voice: 'Loud.', expectedRevision: revision })
    expect((await change(before.revision)).status).toBe(202)
    await world.as('dm', 'update_npc', { npcId, voice: 'Soft.' })
    const stale = await change(before.revision)
    expect([stale.status, stale.body.error.code]).toEqual([409, 'stale_revision'])
    expect(stale.body.error.message).toContain(`at revision ${before.revision + 1} now`)
  }),
)

test(
  'a live event holds the revision that its listener is shown',
  alone(async (world) => {
    const { hub, transfers } = world.server.app
    const declared = transfers.find(({ name }) => name === 'campaign_events')
    if (declared === undefined) throw new Error('there are no live events')
    const npcId = world.id('npc')
    const streams = (['dm', 'player'] as const).map((who) =>
      restCall(world.callers[who], declared, { campaignId: world.id('campaign') }),
    )
    while (hub.count() < 2) await new Promise(setImmediate)
    await world.as('dm', 'update_npc', { npcId, dmSecret: 'Something else.' })
    await world.as('dm', 'update_npc', { npcId, voice: 'Low.' })
    hub.endAll()
    const heard = (await Promise.all(streams)).map(({ text }) =>
      Array.from(text.matchAll(/"revision":(\d+)/g), ([, revision]) => Number(revision)),
    )
    const [dm, player] = [await seen(world, 'dm', 'npc'), await seen(world, 'player', 'npc')]
    expect(heard).toEqual([[dm.revision - 1, dm.revision], [player.revision]])
    expect(player.revision).toBeLessThan(dm.revision)
  }),
)

test(
  'a filed proposal does not tell its author how often the DM has changed a secret',
  alone(async (world) => {
    const path = `/api/v1/npcs/${world.id('npc')}`
    const filed = await world.callers.player.request('PATCH', path, { voice: 'Loud.' })
    const read = await world.callers.dm.get(`/api/v1/proposals/${filed.body.proposal.id}`)
    for (const shown of [filed.body.proposal, read.body])
      for (const kept of ['journalAt', 'touched', 'fingerprint']) expect(shown).not.toHaveProperty(kept)
  }),
)

test(
  'the name of a picture’s file is found by Dungeon Masters alone',
  alone(async (world) => {
    const found = async (who: 'dm' | 'player', query: string): Promise<readonly (readonly [string, string])[]> => {
      const path = `/api/v1/campaigns/${world.id('campaign')}/search?query=${query}`
      return (await world.callers[who].get(path)).body.items
        .filter(({ entityType }: { readonly entityType: string }) => entityType === 'attachment')
        .map(({ title, snippet }: { readonly title: string; readonly snippet: string }) => [title, snippet])
    }
    expect(await found('player', 'orchard')).toEqual([])
    expect(await found('dm', 'orchard')).toHaveLength(1)
    const byCaption = await found('player', 'wall')
    expect(byCaption).toHaveLength(1)
    expect(JSON.stringify(byCaption)).not.toContain('png')
  }),
)
