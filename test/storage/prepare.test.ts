import fc from 'fast-check'
import { beforeEach, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { campaign } from '../../src/domain/campaign/entity.ts'
import { npc } from '../../src/domain/npc/entity.ts'
import type { PrepareContext } from '../../src/kernel/context.ts'
import { type AnyOperation, defineOperation } from '../../src/kernel/operation.ts'
import { cryptographicRandom } from '../../src/storage/secrets.ts'
import { makeTable, type Table } from '../domain/support.ts'
import { asRead } from '../support/proposals.ts'
import { seededRandom } from '../support/random.ts'

// An operation that calls out before its transaction: it gathers what the caller sees, waits for an answer from outside,
// and by then everything may be other than it was.

let table: Table
/** What happens while the answer from outside is awaited. */
let meanwhile: (context: PrepareContext) => Promise<void>
/** What each `prepare` saw, and as whom. */
let seen: { readonly userId: number; readonly names: readonly string[]; readonly roll: number }[]
let running: number
let mostRunning: number

const draftNpc = defineOperation({
  name: 'draft_npc',
  title: 'Draft an NPC',
  description: 'For tests.',
  toolset: 'world',
  access: 'dm+propose',
  effect: 'write',
  route: 'POST /campaigns/{campaignId}/test-drafts',
  input: z.strictObject({ campaignId: campaign.id, idea: z.string().max(100) }),
  output: z.object({ name: z.string(), roll: z.int() }),
  example: () => ({ campaignId: 1, idea: 'a miller' }),
  async prepare(context, { idea }) {
    running += 1
    mostRunning = Math.max(mostRunning, running)
    try {
      await meanwhile(context)
      const names = context
        .read(npc)
        .all({ order: [['name', 'asc']] })
        .map(({ name }) => name)
      const roll = context.random.integer(1, 20)
      seen.push({ userId: context.viewer.userId, names, roll })
      return { name: `${idea}, who knows ${names.join(' and ')}`, roll }
    } finally {
      running -= 1
    }
  },
  handle(context, _) {
    const { name, roll } = context.prepared as { readonly name: string; readonly roll: number }
    context.write(npc).insert({ name })
    return { name, roll }
  },
}) as unknown as AnyOperation

/** A read that takes time gathers what its caller sees, as a search does. */
const gather = {
  ...draftNpc,
  name: 'gather_names',
  access: 'viewer',
  effect: 'read',
  route: 'GET /campaigns/{campaignId}/test-names',
  handle: ({ prepared }: { readonly prepared: unknown }) => prepared,
} as unknown as AnyOperation

const names = (): unknown[] =>
  table.store.all('SELECT name FROM npcs WHERE deleted_at IS NULL ORDER BY id').map(({ name }) => name)
const draft = (person: 'ellen' | 'pell' | 'gast', idea: string, more = {}) =>
  table.call(person, 'draft_npc', { idea }, more)

beforeEach(async () => {
  table = await makeTable([], { draft_npc: draftNpc, gather_names: gather })
  await table.call('ellen', 'create_npc', { name: 'Marta' })
  await table.call('ellen', 'create_npc', { name: 'The heir', hidden: true })
  ;[meanwhile, seen, running, mostRunning] = [async () => {}, [], 0, 0]
})

describe('what an operation gets ready', () => {
  test('is read through the eyes of who calls', async () => {
    expect((await draft('ellen', 'A miller')).name).toBe('A miller, who knows Marta and The heir')
    await draft('pell', 'A miller')
    expect(seen.map((each) => each.names.length)).toEqual([2, 2])
    expect(seen[1]).toMatchObject({
      userId: table.userId('pell'),
      names: ['A miller, who knows Marta and The heir', 'Marta'],
    })
  })

  test('is read as the database is then', async () => {
    meanwhile = async () => {
      await table.call('ellen', 'create_npc', { name: 'Anselm' })
    }
    await draft('ellen', 'A miller')
    expect(seen[0]?.names).toEqual(['Anselm', 'Marta', 'The heir'])
  })

  test('is not begun by who may not make the call', async () => {
    await expect(draft('gast', 'A miller')).rejects.toMatchObject({ code: 'forbidden' })
    expect(seen).toEqual([])
  })

  test('counts for nothing where who called may not call any more', async () => {
    const { items } = await table.call('ellen', 'list_members')
    const { id: memberId } = items.find(({ username }: { username: string }) => username === 'pell')
    meanwhile = () => table.call('ellen', 'remove_member', { memberId })
    await expect(draft('pell', 'A miller')).rejects.toMatchObject({ code: 'not_found' })
    expect(table.store.all('SELECT id FROM proposals')).toEqual([])
  })

  test('is judged by the rights that its caller has by then: a Dungeon Master who is none any more asks, or is refused', async () => {
    const { items } = await table.call('ellen', 'list_members')
    const { id: memberId } = items.find(({ username }: { username: string }) => username === 'pell')
    const before = names()
    for (const role of ['viewer', 'player']) {
      await table.call('ellen', 'update_member', { memberId, role: 'dm' })
      meanwhile = () => table.call('ellen', 'update_member', { memberId, role })
      const drafted = draft('pell', 'A miller')
      if (role === 'viewer') await expect(drafted).rejects.toMatchObject({ code: 'forbidden' })
      else await drafted
      expect(names()).toEqual(before)
    }
    expect(table.store.all('SELECT id FROM proposals')).toHaveLength(1)
  })

  test('for a read counts for nothing where the caller sees less, or more, by then', async () => {
    const { items } = await table.call('ellen', 'list_members')
    const { id: memberId } = items.find(({ username }: { username: string }) => username === 'pell')
    const ask = () => table.call('pell', 'gather_names', { idea: 'All' })
    expect((await ask()).name).toBe('All, who knows Marta')
    for (const role of ['dm', 'player']) {
      meanwhile = () => table.call('ellen', 'update_member', { memberId, role })
      await expect(ask(), role).rejects.toMatchObject({ code: 'unavailable' })
    }
    meanwhile = async () => {}
    expect((await ask()).name).toBe('All, who knows Marta')
  })

  test('ends when the caller goes away: nothing is written', async () => {
    const leaving = new AbortController()
    meanwhile = ({ signal }) =>
      new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error))
        leaving.abort()
      })
    await expect(draft('ellen', 'A miller', { signal: leaving.signal })).rejects.toMatchObject({ code: 'cancelled' })
    expect(names()).toEqual(['Marta', 'The heir'])
  })

  test('counts for nothing either where it did not notice that the caller went away', async () => {
    const leaving = new AbortController()
    meanwhile = async () => leaving.abort()
    await expect(draft('ellen', 'A miller', { signal: leaving.signal })).rejects.toMatchObject({ code: 'cancelled' })
    expect(names()).toEqual(['Marta', 'The heir'])
  })

  test('ends when the server stops', async () => {
    meanwhile = async () => table.stopping.abort()
    await expect(draft('ellen', 'A miller')).rejects.toMatchObject({ code: 'unavailable' })
    expect(names()).toEqual(['Marta', 'The heir'])
  })
})

describe('a proposal', () => {
  const file = async (idea: string): Promise<number> => (await draft('pell', idea)).proposal.id
  const approve = (...ids: number[]) => table.call('ellen', 'approve_proposals', { proposals: asRead(table, ...ids) })

  test('is got ready when it is filed, and again, as the approver, when it is approved', async () => {
    const id = await file('A miller')
    await table.call('ellen', 'create_npc', { name: 'Anselm' })
    await approve(id)
    expect(seen).toMatchObject([
      { userId: table.userId('pell'), names: ['Marta'] },
      { userId: table.userId('ellen'), names: ['Anselm', 'Marta', 'The heir'] },
    ])
    expect(names().at(-1)).toBe('A miller, who knows Anselm and Marta and The heir')
  })

  test('by way of create_proposal and revise_proposal is got ready too', async () => {
    const draft = (idea: string) => [{ operation: 'draft_npc', input: { idea } }]
    const { id } = await table.call('pell', 'create_proposal', { changes: draft('A miller') })
    await table.call('pell', 'revise_proposal', { proposalId: id, changes: draft('A ferryman') })
    await approve(id)
    expect(seen).toHaveLength(3)
    expect(names().at(-1)).toBe('A ferryman, who knows Marta and The heir')
  })

  test('is got ready one after the other, where several are approved', async () => {
    const ids = [await file('One'), await file('Two'), await file('Three')]
    meanwhile = () => new Promise((resolve) => setImmediate(resolve))
    await approve(...ids)
    expect(seen).toHaveLength(6)
    expect(mostRunning).toBe(1)
  })

  test('that is changed while it is got ready is refused as stale', async () => {
    const id = await file('A miller')
    const changes = [{ operation: 'draft_npc', input: { idea: 'Somebody else' } }]
    let revised = false
    meanwhile = async () => {
      if (revised) return
      revised = true
      await table.call('pell', 'revise_proposal', { proposalId: id, changes })
    }
    await expect(approve(id)).rejects.toMatchObject({ code: 'stale_revision' })
    expect(names()).toEqual(['Marta', 'The heir'])
    await approve(id)
    expect(names().at(-1)).toBe('Somebody else, who knows Marta and The heir')
  })

  test('is refused where the approver loses the right while it is got ready', async () => {
    const id = await file('A miller')
    await table.call('ellen', 'add_member', { username: 'wren', role: 'dm' }).catch(() => undefined)
    const { items } = await table.call('ellen', 'list_members')
    const memberOf = (name: string) => items.find(({ username }: { username: string }) => username === name).id
    await table.call('ellen', 'update_member', { memberId: memberOf('wren'), role: 'dm' })
    meanwhile = () => table.call('wren', 'update_member', { memberId: memberOf('ellen'), role: 'player' })
    await expect(approve(id)).rejects.toMatchObject({ code: 'forbidden' })
    expect(names()).toEqual(['Marta', 'The heir'])
  })

  test('that nothing has to be got ready for is approved as ever', async () => {
    const { proposal } = await table.call('pell', 'create_npc', { name: 'The ferryman' })
    await approve(proposal.id)
    expect(names().at(-1)).toBe('The ferryman')
  })
})

describe('chance', () => {
  test('is the same in every run of the tests', async () => {
    const { roll } = await draft('ellen', 'A miller')
    const again = await makeTable([], { draft_npc: draftNpc })
    expect((await again.call('ellen', 'draft_npc', { idea: 'A miller' })).roll).toBe(roll)
  })

  test.each([
    ['seeded', seededRandom()],
    ['cryptographic', cryptographicRandom],
  ])('that is %s stays within its bounds and reaches both', (_, random) => {
    fc.assert(
      fc.property(fc.integer({ min: -50, max: 50 }), fc.integer({ min: 0, max: 3 }), (from, more) => {
        const rolled = new Set(Array.from({ length: 200 }, () => random.integer(from, from + more)))
        expect([...rolled].sort((one, other) => one - other)).toEqual(
          Array.from({ length: more + 1 }, (_, index) => from + index),
        )
      }),
      { seed: 20261123, numRuns: 40 },
    )
    expect(random.bytes(7)).toHaveLength(7)
    const ids = Array.from({ length: 200 }, () => random.id())
    expect(new Set(ids).size).toBe(200)
    for (const id of ids) expect(id).toMatch(/^[\w-]{22}$/)
  })
})
