import { expect, test } from 'vitest'
import { asRead } from '../support/proposals.ts'
import { shareWorld } from '../support/shared-world.ts'

const shared = shareWorld()

test(
  'an app reads no proposal of a toolset that it was not let into',
  shared.alone(async (world) => {
    const campaignId = world.id('campaign')
    await world.as('otherPlayer', 'set_my_ai_consent', { campaignId, consent: true })
    const waiting = async (toolsets: readonly string[]): Promise<readonly string[]> => {
      const app = world.oauth('dm', { toolsets })
      const { items } = (await app.tool('list_proposals', { campaignId, status: 'pending', view: 'full' })).content
      return items.flatMap(({ changes }: { changes: readonly { operation: string }[] }) =>
        changes.map(({ operation }) => operation),
      )
    }
    const one = { proposalId: world.id('proposal') }
    expect(await waiting(['review', 'world'])).toContain('create_npc')
    expect((await world.oauth('dm', { toolsets: ['review', 'world'] }).tool('get_proposal', one)).isError).toBe(false)
    expect(await waiting(['review', 'journal'])).not.toContain('create_npc')
    const hidden = await world.oauth('dm', { toolsets: ['review', 'journal'] }).tool('get_proposal', one)
    expect(hidden).toMatchObject({ isError: true, content: { error: { code: 'not_found' } } })
  }),
)

// A proposal is a change: whoever approves it makes it, and has to be allowed to, by that credential.
test(
  'an app that was let into the review alone approves nothing that it could not do itself',
  shared.alone(async (world) => {
    const campaignId = world.id('campaign')
    const proposals = asRead(world, world.id('proposal'))
    await world.as('otherPlayer', 'set_my_ai_consent', { campaignId, consent: true })
    const npcs = async () =>
      (await world.callers.dm.get(`/api/v1/campaigns/${campaignId}/npcs?limit=200`)).body.items.length
    const before = await npcs()
    const narrow = world.oauth('dm', { toolsets: ['review'] })
    const refused = await narrow.tool('approve_proposals', { campaignId, proposals })
    expect(refused).toMatchObject({ isError: true, content: { error: { status: 404, code: 'not_found' } } })
    expect(await npcs()).toBe(before)
    const wider = world.oauth('dm', { toolsets: ['review', 'world'] })
    expect((await wider.tool('approve_proposals', { campaignId, proposals })).isError).toBe(false)
    expect(await npcs()).toBe(before + 1)
  }),
)
