import { afterAll, beforeAll, expect, test } from 'vitest'
import { draftTypes } from '../../src/domain/draft/kinds.ts'
import { type FakeProvider, startFakeProvider } from '../support/fake-provider.ts'
import { chooseProvider } from '../support/fake-world-provider.ts'
import { shareWorld } from '../support/shared-world.ts'
import { wordOf, wordsIn } from './canaries.ts'
import { hiddenThings } from './worlds.ts'

// The draft tool's share of the truth table over policy x consent x kind of provider x local flag: what leaves the process is
// read at the provider's socket. Whatever is allowed elsewhere, a draft is told what every player may read, and no text that
// members write for each other.

let fake: FakeProvider
const outside = shareWorld({ layer: hiddenThings })
const local = shareWorld({ layer: hiddenThings, env: { AI_PROVIDER_ENDPOINT_IS_LOCAL: '1' } })
beforeAll(async () => {
  fake = await startFakeProvider()
})
afterAll(() => fake.close())

/** Words that may leave: of names and of the campaign's own description. */
const mayLeave = new Set([wordOf('campaign description')])

const cases = [outside, local].flatMap((shared) =>
  (['openai_compatible', 'anthropic'] as const).flatMap((kind) =>
    (['member_consent', 'disabled'] as const).flatMap((policy) =>
      [true, false].map((consent) => ({ isLocal: shared === local, shared, kind, policy, consent })),
    ),
  ),
)

test.each(cases)(
  'drafts: $kind, local $isLocal, $policy, consent $consent',
  ({ isLocal, shared, kind, policy, consent }) =>
    shared.alone(async (world) => {
      const { app, clock } = world.server
      const campaignId = world.id('campaign')
      chooseProvider(app.store(), { kind, baseUrl: fake.baseUrl }, clock().toISOString())
      expect(app.system().services.model.status().external).toBe(!isLocal)
      for (const person of ['player', 'otherPlayer', 'dm'] as const)
        await world.as(person, 'set_my_ai_consent', { campaignId, consent })
      await world.as('dm', 'update_campaign_settings', { campaignId, aiContentPolicy: policy })
      fake.reset()
      for (const entityType of draftTypes) {
        const { status, text } = await world.callers.dm.request('POST', `/api/v1/campaigns/${campaignId}/drafts`, {
          entityType,
          prompt: 'Something cold',
        })
        expect(status, text).toBe(200)
      }
      expect(fake.requests).toHaveLength(draftTypes.length)
      const found = wordsIn(fake.requests.map((request) => JSON.stringify(request)).join('\n'))
      expect([...found]).toEqual([...mayLeave])
    })(),
)
