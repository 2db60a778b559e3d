import { expect, test } from 'vitest'
import { declaredIn, isCatalogued, restCall } from '../support/matrix.ts'
import { asRead } from '../support/proposals.ts'
import { shareWorld } from '../support/shared-world.ts'
import type { TestWorld } from '../support/world.ts'

// Write mode `propose`: what a Dungeon Master could do directly is filed, everything else is refused.

const { alone } = shareWorld()

/** Everything of the main campaign but proposals and their journal. */
function campaignState(world: TestWorld): string {
  const store = world.server.app.store()
  const tables = store.registry.all.filter(({ name, scope }) => name !== 'proposal' && scope !== 'server')
  return JSON.stringify(tables.map(({ table }) => store.all(`SELECT * FROM ${table} ORDER BY id`)))
}

test(
  'files each proposable operation: 202, the proposal on the DM’s list, and nothing else changed',
  alone(async (world) => {
    const { propose, dm } = world.callers
    const campaignId = world.id('campaign')
    const proposable = declaredIn(world).filter(({ declared }) => declared.access === 'dm+propose')
    expect(proposable.length).toBeGreaterThan(20)
    for (const { declared, door } of proposable) {
      const before = campaignState(world)
      await undone(world, async () => {
        const input = declared.example(world) as Record<string, unknown>
        const filed =
          door === 'rest'
            ? (await restCall(propose, declared, input)).body.proposal
            : (await propose.tool(declared.name, input)).content.proposal.proposal
        expect(filed, declared.name).toMatchObject({
          operation: declared.name,
          status: 'pending',
          authorUserId: world.userId.dm,
          authorUser: { id: world.userId.dm, title: 'dm' },
        })
        const { items } = (await dm.get(`/api/v1/campaigns/${campaignId}/proposals?status=pending&limit=1`)).body
        expect(items[0], declared.name).toEqual({ ...filed, stale: false })
        expect(campaignState(world), declared.name).toBe(before)
      })
    }
  }),
)

test(
  'refuses every other write, naming create_proposal',
  alone(async (world) => {
    const allowed = new Set(['create_proposal', 'revise_proposal', 'withdraw_proposal'])
    const others = declaredIn(world).filter(
      ({ declared }) =>
        isCatalogued(declared) &&
        declared.effect !== 'read' &&
        !['dm+propose', 'author'].includes(declared.access) &&
        !allowed.has(declared.name),
    )
    expect(others.length).toBeGreaterThan(60)
    for (const { declared, door } of others) {
      const input = declared.example(world) as Record<string, unknown>
      const { propose } = world.callers
      const { error } =
        door === 'rest'
          ? (await restCall(propose, declared, input)).body
          : (await propose.tool(declared.name, input)).content
      expect(error, `${declared.name} ${door}`).toMatchObject({ status: 403, code: 'write_mode' })
      expect(error.message).toContain('create_proposal')
    }
  }),
)

test(
  'asks, revises and takes back with the proposal tools themselves',
  alone(async (world) => {
    const { propose } = world.callers
    const campaignId = world.id('campaign')
    const asked = await propose.tool('create_proposal', {
      campaignId,
      operation: 'set_npc_disposition',
      input: { npcId: world.id('npc'), disposition: 'hostile' },
      reason: 'They burnt the ledger.',
    })
    expect(asked.content).toMatchObject({ status: 'pending', targetType: 'npc' })
    const proposalId = asked.content.id
    const input = { npcId: world.id('npc'), disposition: 'unfriendly' }
    const revised = await propose.tool('revise_proposal', { proposalId, input })
    expect(revised.content.changes).toEqual([{ field: 'disposition', before: 'neutral', after: 'unfriendly' }])
    expect((await propose.post(`/api/v1/proposals/${proposalId}/withdraw`)).body.status).toBe('withdrawn')
    expect(world.row('npcs', world.id('npc'))?.disposition).toBe('neutral')
  }),
)

test(
  'neither approves nor rejects, not even what others asked for',
  alone(async (world) => {
    const { propose } = world.callers
    const campaignId = world.id('campaign')
    for (const [tool, which] of [
      ['approve_proposals', { proposals: asRead(world, world.id('proposal')) }],
      ['reject_proposals', { proposalIds: [world.id('proposal')] }],
    ] as const) {
      const { content } = await propose.tool(tool, { campaignId, ...which })
      expect(content.error.code, tool).toBe('write_mode')
    }
    expect(world.row('proposals', world.id('proposal'))?.status).toBe('pending')
  }),
)

test(
  'a player’s token of write mode propose depends on the campaign, like the player',
  alone(async (world) => {
    const token = world.token('player', { writeMode: 'propose' })
    const campaignId = world.id('campaign')
    const ask = async () =>
      (await token.post(`/api/v1/campaigns/${campaignId}/npcs`, { name: 'The miller’s dog' })).status
    expect(await ask()).toBe(202)
    expect((await token.post(`/api/v1/campaigns/${campaignId}/notes`, { body: 'Mine.' })).body.error.code).toBe(
      'write_mode',
    )
    await world.as('dm', 'update_campaign_settings', { campaignId, playersPropose: false })
    expect(await ask()).toBe(403)
    const viewer = world.token('viewer', { writeMode: 'propose' })
    expect((await viewer.post(`/api/v1/campaigns/${campaignId}/npcs`, { name: 'A guest' })).status).toBe(403)
  }),
)

/** Within a test that is rolled back itself: SQLite nests by savepoints. */
async function undone({ server }: TestWorld, work: () => Promise<void>): Promise<void> {
  const { connection } = server.app.store()
  connection.exec('SAVEPOINT inside')
  try {
    await work()
  } finally {
    connection.exec('ROLLBACK TO inside; RELEASE inside')
  }
}
