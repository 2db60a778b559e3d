import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type DraftType, draftTypes } from '../../src/domain/draft/kinds.ts'
import { type FakeProvider, type Says, startFakeProvider } from '../support/fake-provider.ts'
import { chooseProvider } from '../support/fake-world-provider.ts'
import { shareWorld } from '../support/shared-world.ts'
import type { TestWorld } from '../support/world.ts'

let fake: FakeProvider
const shared = shareWorld({ model: { pause: async () => {} } })
beforeAll(async () => {
  fake = await startFakeProvider()
})
afterAll(() => fake.close())

function ready(world: TestWorld, ...says: readonly Says[]) {
  const { app, clock } = world.server
  fake.reset()
  fake.script(...says)
  chooseProvider(app.store(), { kind: 'openai_compatible', baseUrl: fake.baseUrl }, clock().toISOString())
  const campaignId = world.id('campaign')
  const ask = (entityType: DraftType, more: object = {}) =>
    world.callers.dm.request('POST', `/api/v1/campaigns/${campaignId}/drafts`, {
      entityType,
      prompt: 'Something cold',
      ...more,
    })
  const proposals = async () =>
    (await world.as('dm', 'list_proposals', { campaignId, status: 'pending', view: 'full' })).items
  return { campaignId, ask, proposals }
}

const drafts = (...given: readonly object[]): Says => ({ text: JSON.stringify({ drafts: given }) })

describe('drafts', () => {
  test.each(draftTypes)('%s: what is filed can be taken, and is there then', (entityType) =>
    shared.alone(async (world) => {
      const { campaignId, ask, proposals } = ready(world)
      const before = (await proposals()).length
      const { status, body } = await ask(entityType)
      expect(status, JSON.stringify(body)).toBe(200)
      expect(body.drafts).toHaveLength(1)
      expect(await proposals()).toHaveLength(before + 1)
      const { id: proposalId, revision } = await world.as('dm', 'get_proposal', {
        proposalId: body.drafts[0].proposalId,
      })
      const taken = await world.as('dm', 'approve_proposals', { campaignId, proposals: [{ proposalId, revision }] })
      const record = await world.as('dm', 'get_audit_record', { auditRecordId: taken.auditRecordId })
      expect(JSON.stringify(record)).toMatch(/A sample (name|title)/)
    })(),
  )

  test(
    'name what the model named, by ids that it never saw, and are hidden until somebody shows them',
    shared.alone(async (world) => {
      const place = await world.as('dm', 'create_location', { campaignId: world.id('campaign'), name: 'The Cold Weir' })
      const hob = {
        name: 'Hob',
        description: 'He keeps the weir.',
        locationName: 'the cold weir',
        factionName: 'No such people',
        role: null,
        tags: null,
      }
      const { campaignId, ask, proposals } = ready(world, drafts(hob, { ...hob, name: 'Nettie', locationName: null }))
      const { body } = await ask('npc', { count: 2 })
      const filed = (await proposals()).filter(({ id }: { id: number }) =>
        body.drafts.some((each: { proposalId: number }) => each.proposalId === id),
      )
      const inputs = filed.flatMap(({ changes }: { changes: { input: object }[] }) => changes.map(({ input }) => input))
      expect(inputs).toContainEqual({
        campaignId,
        name: 'Hob',
        body: 'He keeps the weir.',
        locationId: place.id,
        hidden: true,
      })
      expect(inputs).toContainEqual({ campaignId, name: 'Nettie', body: 'He keeps the weir.', hidden: true })
      expect(fake.sent()).toContain('The Cold Weir')
      const [asked] = fake.requests.map(({ body: sent }) => JSON.parse(sent))
      // What the campaign holds is material in the user's part, never an instruction.
      expect(asked.messages[0].content).not.toContain('The Cold Weir')
    }),
  )

  test(
    'of several changes are one proposal each: a quest with its steps, a fight with its creatures',
    shared.alone(async (world) => {
      const quest = {
        title: 'The frozen bell',
        description: 'It rings.',
        objectives: ['Find it', 'Thaw it'],
        reward: null,
      }
      const fight = {
        name: 'On the ice',
        description: 'Thin.',
        creatures: [{ name: 'Ice hound', count: 3, hitPoints: 11, armourClass: 12 }],
      }
      const { ask } = ready(world, drafts(quest), drafts(fight))
      const shown = async (type: DraftType) => {
        const { body } = await ask(type)
        const { changes } = await world.as('dm', 'get_proposal', { proposalId: body.drafts[0].proposalId })
        return changes.map(({ operation }: { operation: string }) => operation)
      }
      expect(await shown('quest')).toEqual(['create_quest', 'create_objective', 'create_objective'])
      expect(await shown('encounter')).toEqual(['create_encounter', 'add_combatant'])
    }),
  )

  const nonsense: readonly (readonly [string, Says])[] = [
    ['no JSON', { text: 'I would love to!' }],
    ['half of it', { text: '{"drafts":[{"name":"Hob","desc', finish: 'length' }],
    ['members of its own', drafts({ name: 'Hob', description: 'x', password: 'y' })],
    ['a blank name', drafts({ name: '   ', description: 'x' })],
    ['far too many', drafts(...Array.from({ length: 30 }, () => ({ name: 'Hob', description: 'x' })))],
    ['a tool that nobody offered', { calls: [{ name: 'delete_campaign', arguments: { campaignId: 1 } }] }],
  ]
  test.each(nonsense)('%s: nothing is filed, and a sentence says so', (_, says) =>
    shared.alone(async (world) => {
      const { ask, proposals } = ready(world)
      fake.always(says)
      const before = await proposals()
      const { status, text, body } = await ask('npc')
      expect(status).toBe(503)
      expect(body.error.message).toMatch(/Nothing was filed/)
      expect(text).not.toMatch(/would love|Hob|delete_campaign/)
      expect(await proposals()).toEqual(before)
      expect(fake.requests.length).toBeLessThanOrEqual(3)
    })(),
  )

  test(
    'without a provider ask for one, and nothing is sent',
    shared.alone(async (world) => {
      const { ask } = ready(world)
      world.server.app.store().run('DELETE FROM ai_providers')
      const { status, body } = await ask('npc')
      expect([status, body.error.code, body.error.message]).toEqual([
        409,
        'invalid_state',
        expect.stringContaining('administrator'),
      ])
      expect(fake.requests).toEqual([])
    }),
  )

  test(
    'a beat needs an arc, which is said before anything is sent',
    shared.alone(async (world) => {
      const { ask } = ready(world)
      world.server.app.store().run("UPDATE arcs SET status = 'resolved'")
      const { status, body } = await ask('beat')
      expect([status, body.error.message]).toEqual([409, expect.stringContaining('create_arc')])
      expect(fake.requests).toEqual([])
    }),
  )

  test(
    'are for Dungeon Masters, and a token that only proposes may ask for them too',
    shared.alone(async (world) => {
      ready(world)
      const input = { campaignId: world.id('campaign'), entityType: 'npc', prompt: 'A ferryman' }
      const { content } = await world.callers.propose.tool('draft_content', input)
      expect(content.drafts).toHaveLength(1)
      await expect(world.as('player', 'draft_content', input)).rejects.toMatchObject({ code: 'forbidden' })
      expect(fake.requests).toHaveLength(1)
    }),
  )
})

describe('usage', () => {
  test(
    'is told by feature and day, and never what was asked or answered',
    shared.alone(async (world) => {
      const { campaignId, ask } = ready(
        world,
        { ...drafts({ name: 'Hob', description: 'x' }), usage: [100, 40] },
        { ...drafts({ name: 'Hob', description: 'y' }), usage: null },
      )
      world.server.app.store().run('DELETE FROM model_calls')
      await ask('npc', { prompt: 'zzsecretprompt' })
      world.server.clock.advance(24 * 3600 * 1000)
      await ask('npc', { prompt: 'zzsecretprompt' })
      const { status, body, text } = await world.callers.dm.get(`/api/v1/campaigns/${campaignId}/ai-usage`)
      expect(status, text).toBe(200)
      expect(body.totals).toMatchObject({ runs: 2, calls: 2 })
      expect(body.features.map(({ feature, runs }: { feature: string; runs: number }) => [feature, runs])).toEqual([
        ['scribe', 0],
        ['seat', 0],
        ['drafts', 2],
      ])
      expect(body.days).toMatchObject([
        { feature: 'drafts', runs: 1, inputTokens: 100, outputTokens: 40, isEstimated: false },
        { feature: 'drafts', runs: 1, isEstimated: true },
      ])
      const asRow = JSON.stringify(world.server.app.store().all('SELECT * FROM model_calls'))
      expect(text + asRow + world.server.logs()).not.toContain('zzsecretprompt')
      const { body: early } = await world.callers.dm.get(`/api/v1/campaigns/${campaignId}/ai-usage?to=2026-01-31`)
      expect(early).toMatchObject({ from: '2026-01-02', totals: { calls: 0 }, days: [] })
      const wrong = await world.callers.dm.get(`/api/v1/campaigns/${campaignId}/ai-usage?from=2026-02-01&to=2026-01-31`)
      expect(wrong.status).toBe(400)
    }),
  )
})
