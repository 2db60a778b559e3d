import { expect, test } from 'vitest'
import { shareWorld } from '../support/shared-world.ts'
import type { CallerName } from '../support/world.ts'

// The first page of a list says how many there are in all to who asks so, as far as they see them, and counts to a thousand.

const shared = shareWorld()

test(
  'a list says how many its reader sees, narrowed as it is, on its first page alone and only when asked',
  shared.alone(async (world) => {
    const campaignId = world.id('campaign')
    const ask = async (who: CallerName, query: string) =>
      (await world.callers[who].get(`/api/v1/campaigns/${campaignId}/npcs?limit=2${query}`)).body
    const { total: before } = await ask('dm', '&withTotal=true')
    for (let index = 0; index < 6; index++) {
      const input = { campaignId, name: `Miller ${index}`, hidden: index < 2, tags: ['mill'] }
      await world.as('dm', 'create_npc', input)
    }
    const first = await ask('dm', '&withTotal=true')
    expect(first.total).toBe(before + 6)
    expect((await ask('dm', '')).total).toBeUndefined()
    expect((await ask('dm', `&withTotal=true&cursor=${first.nextCursor}`)).total).toBeUndefined()
    // What is hidden counts for nobody who does not see it, whatever the list is narrowed by.
    for (const narrowed of ['&tag=mill', '&query=miller', '&tag=mill&order=recent']) {
      expect((await ask('dm', `&withTotal=true${narrowed}`)).total, narrowed).toBe(6)
      expect((await ask('player', `&withTotal=true${narrowed}`)).total, narrowed).toBe(4)
      const through = await ask('dm', `&withTotal=true${narrowed}&viewAs=${world.id('member player')}`)
      expect(through.total, narrowed).toBe(4)
    }
    expect((await ask('dm', '&withTotal=true&tag=nobody')).total).toBe(0)
    // It is no member of an operation that lists nothing.
    expect((await world.callers.dm.get(`/api/v1/campaigns/${campaignId}?withTotal=true`)).status).toBe(400)
    for (let index = 0; index < 1_050; index++) {
      await world.as('dm', 'create_npc', { campaignId, name: `One of many ${index}`, hidden: index % 2 === 0 })
    }
    expect((await ask('dm', '&withTotal=true&query=many')).total).toBe(1_000)
    expect((await ask('player', '&withTotal=true&query=many')).total).toBe(525)
  }),
)
