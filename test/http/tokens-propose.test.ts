import { isDeepStrictEqual } from 'node:util'
import { describe, expect, test } from 'vitest'
import { operations } from '../../src/catalogue.ts'
import { targetOf } from '../../src/kernel/input-target.ts'
import type { AnyOperation } from '../../src/kernel/operation.ts'
import { columnsOf } from '../../src/storage/columns.ts'
import type { Caller } from '../support/callers.ts'
import { asRead } from '../support/proposals.ts'
import { shareWorld } from '../support/shared-world.ts'
import type { TestWorld } from '../support/world.ts'

// Write mode `propose`: every change of a campaign that needs no person waits: those of every day by their own tools, the others
// by create_proposal, and describe_tools shows their inputs. What cannot wait is neither listed nor described.

const { alone } = shareWorld()

type State = Readonly<Record<string, readonly { readonly id: number }[]>>
const idsIn = (state: State) =>
  Object.fromEntries(Object.entries(state).map(([table, rows]) => [table, rows.map(({ id }) => id)]))

/**
 * Everything of the campaigns but proposals, what people were told, and the journal. Batches of the trash are named after records of it, and what the
 * database makes up is another each time.
 */
function campaignState(world: TestWorld): State {
  const store = world.server.app.store()
  const tables = store.registry.all.filter(
    ({ name, scope, journal }) =>
      name !== 'proposal' && journal !== 'none' && (scope === 'campaign' || scope === 'root'),
  )
  const rows = tables.map(({ table }) => [table, store.all(`SELECT * FROM ${table} ORDER BY id`)])
  const random = tables.flatMap((entity) =>
    columnsOf(entity).flatMap(({ column, field }) => (field?.marks.random ? [column] : [])),
  )
  // The version of a map's image is made from such a thing.
  const madeUp = new Set(['trash_batch', 'image_version', ...random])
  const text = JSON.stringify(Object.fromEntries(rows), (key, value) =>
    madeUp.has(key) && value !== null ? 'made up' : value,
  )
  return JSON.parse(text)
}

const changes = Array.from(operations.values()).filter(({ effect, mcp }) => effect !== 'read' && mcp === undefined)

/** Whose example it is: the Dungeon Master's, or, of what only its author may do, the player's. */
async function whose(world: TestWorld, operation: AnyOperation): Promise<'dm' | 'player'> {
  let person: 'dm' | 'player' = 'dm'
  await undone(world, async () => {
    const { isError, content } = await world.token('dm').tool(operation.name, operation.example(world))
    if (isError && [403, 404].includes(content.error.status)) person = 'player'
  })
  return person
}

async function listedTo(caller: Caller): Promise<readonly string[]> {
  const { body } = await caller.mcp('tools/list')
  return body.result.tools.map(({ name }: { readonly name: string }) => name)
}

/** The campaign of what a call is about. */
function campaignOf(world: TestWorld, operation: AnyOperation, input: Readonly<Record<string, unknown>>): number {
  const { member, entity } = targetOf(operation) ?? { member: 'campaignId', entity: 'campaign' }
  const table = world.server.app.store().registry.all.find(({ name }) => name === entity)?.table
  if (entity === 'campaign') return Number(input[member])
  // Records and revisions are no entities; those of the examples are of this campaign.
  return table === undefined ? world.id('campaign') : Number(world.row(table, Number(input[member]))?.campaign_id)
}

async function isDescribedTo(caller: Caller, name: string): Promise<boolean> {
  const { isError, content } = await caller.tool('describe_tools', { names: [name] })
  return !isError && content.tools.length === 1
}

describe.each(changes.map((operation) => [operation.name, operation] as const))('%s', (name, operation) => {
  test(
    'waits and makes, when it is taken, what a direct call makes; or it is not listed',
    alone(async (world) => {
      const person = await whose(world, operation)
      const token = world.token(person, { writeMode: 'propose' })
      const input = operation.example(world) as Record<string, unknown>
      if (operation.proposes) return
      const isListed = (await listedTo(token)).includes(name)
      if (!isListed && !(await isDescribedTo(token, name))) {
        const { content } = await token.tool(name, input)
        expect(content.error).toMatchObject({ status: 403 })
        expect(content.error.message).not.toContain('create_proposal')
        const inbox = `/api/v1/campaigns/${world.id('campaign')}/proposals`
        const asked = await token.post(inbox, { changes: [{ operation: name, input }] })
        expect([asked.status, asked.body.error.message]).toEqual([
          expect.any(Number),
          expect.stringMatching(/cannot be proposed, since/),
        ])
        return
      }
      const directly = async (): Promise<State> => {
        let state: State = {}
        await undone(world, async () => {
          const { isError, answer } = await world.token(person).tool(name, input)
          expect(isError, answer.text).toBe(false)
          state = campaignState(world)
        })
        return state
      }
      const direct = await directly()
      world.server.app.store().connection.exec('SAVEPOINT taken')
      const before = campaignState(world)
      const asking = { campaignId: campaignOf(world, operation, input), changes: [{ operation: name, input }] }
      const { content, isError, answer } = isListed
        ? await token.tool(name, input)
        : await token.tool('create_proposal', asking)
      expect(isError, answer.text).toBe(false)
      if (isListed) expect(content).toMatchObject({ status: 'proposed', proposal: { status: 'pending' } })
      else expect(content).toMatchObject({ status: 'pending' })
      expect(campaignState(world)).toEqual(before)
      const { id: proposalId, revision } = isListed ? content.proposal : content
      const inbox = `/api/v1/campaigns/${world.row('proposals', proposalId)?.campaign_id}/proposals`
      const taken = await world.callers[person].post(`${inbox}/approve`, { proposals: [{ proposalId, revision }] })
      expect(taken.status, taken.text).toBe(200)
      const waited = campaignState(world)
      if (isDeepStrictEqual(waited, direct)) return
      // Dice fall anew when a proposal is taken, as they do with every call: then the same rows are there.
      world.server.app.store().connection.exec('ROLLBACK TO taken')
      const others = [await directly(), await directly(), await directly(), await directly()]
      const isChance = others.some((state) => !isDeepStrictEqual(state, direct))
      expect(isChance ? idsIn(waited) : waited).toEqual(isChance ? idsIn(direct) : direct)
    }),
  )
})

test(
  'asks, revises and takes back with the proposal tools themselves',
  alone(async (world) => {
    const { propose } = world.callers
    const campaignId = world.id('campaign')
    const asked = await propose.tool('create_proposal', {
      campaignId,
      changes: [{ operation: 'set_npc_disposition', input: { npcId: world.id('npc'), disposition: 'hostile' } }],
      reason: 'They burnt the ledger.',
    })
    expect(asked.content).toMatchObject({
      title: 'Set NPC disposition',
      changes: [{ thing: 'Marta Quill', difference: [{ before: 'neutral', after: 'hostile' }] }],
    })
    const proposalId = asked.content.id
    const input = { npcId: world.id('npc'), disposition: 'unfriendly' }
    const revision = { proposalId, changes: [{ operation: 'set_npc_disposition', input }] }
    const revised = await propose.tool('revise_proposal', revision)
    expect(revised.content.changes[0].difference).toEqual([
      { field: 'disposition', before: 'neutral', after: 'unfriendly' },
    ])
    expect((await propose.post(`/api/v1/proposals/${proposalId}/withdraw`)).body.status).toBe('withdrawn')
    expect(world.row('npcs', world.id('npc'))?.disposition).toBe('neutral')
  }),
)

test(
  'finds by words what is not listed, and is told when it calls it that this waits as well',
  alone(async (world) => {
    const { propose } = world.callers
    const listed = await listedTo(propose)
    expect(listed).toEqual(expect.arrayContaining(['create_quest', 'search_tools', 'describe_tools']))
    expect(listed).not.toContain('delete_quest')
    const found = await propose.tool('search_tools', { query: 'delete quest' })
    expect(found.content.tools[0]).toMatchObject({ name: 'delete_quest', input: '{questId: int}' })
    expect((await propose.tool('search_tools', { query: 'approve proposals' })).content.tools).not.toContainEqual(
      expect.objectContaining({ name: 'approve_proposals' }),
    )
    const called = await propose.tool('delete_quest', { questId: world.id('quest') })
    expect(called.content).toMatchObject({ status: 'proposed' })
    const direct = await world.callers.dm.tool('search_tools', { query: 'quest' })
    expect(direct.answer.body.error.message).toContain('There is no tool search_tools')
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
    const note = async () => (await token.post(`/api/v1/campaigns/${campaignId}/notes`, { body: 'Mine.' })).status
    expect(await note()).toBe(202)
    await world.as('dm', 'update_campaign_settings', { campaignId, playersPropose: false })
    expect(await ask()).toBe(403)
    // What is theirs alone they decide on themselves, and no Dungeon Master sees it.
    expect(await note()).toBe(202)
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
