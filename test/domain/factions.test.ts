import { beforeEach, describe, expect, test } from 'vitest'
import { type Answer, makeTable, type Table } from './support.ts'

// What a faction is to the party, and how it came to be so.

let table: Table
beforeEach(async () => {
  table = await makeTable()
})

const faction = async (values: object = {}): Promise<number> =>
  (await table.call('ellen', 'create_faction', { name: 'The Pomary', ...values })).id
const get = (person: 'ellen' | 'pell', factionId: number): Promise<Answer> =>
  table.call(person, 'get_faction', { factionId })
const steps = (one: Answer) =>
  one.reputationHistory.map(({ delta, reputation, reason }: Answer) => [delta, reputation, reason])

describe('the reputation', () => {
  test('moves with a reason, the newest first, for those who play too', async () => {
    const factionId = await faction()
    await table.call('ellen', 'adjust_faction_reputation', { factionId, delta: 15, reason: 'They paid the toll' })
    const answer = await table.call('ellen', 'adjust_faction_reputation', { factionId, delta: -35 })
    const expected = [
      [-35, -20, null],
      [15, 15, 'They paid the toll'],
    ]
    expect(answer.reputation).toBe(-20)
    expect(steps(answer)).toEqual(expected)
    const seen = await get('pell', factionId)
    expect([seen.reputation, seen.reputationChangeCount, steps(seen)]).toEqual([-20, 2, expected])
  })

  test('ends at 100 and at -100: what is kept is what it moved by, and nothing is a complaint', async () => {
    const factionId = await faction({ reputation: 90 })
    const up = await table.call('ellen', 'adjust_faction_reputation', { factionId, delta: 25 })
    expect(steps(up)).toEqual([[10, 100, null]])
    await expect(table.call('ellen', 'adjust_faction_reputation', { factionId, delta: 1 })).rejects.toMatchObject({
      code: 'validation_failed',
      message: expect.stringContaining('stands at 100'),
    })
    const down = await table.call('ellen', 'adjust_faction_reputation', { factionId, delta: -200 })
    expect(steps(down)[0]).toEqual([-200, -100, null])
    await expect(table.call('ellen', 'adjust_faction_reputation', { factionId, delta: 0 })).rejects.toMatchObject({
      code: 'validation_failed',
    })
  })

  test('set as a number keeps the step too, and other changes keep none', async () => {
    const factionId = await faction()
    await table.call('ellen', 'update_faction', { factionId, reputation: 40 })
    await table.call('ellen', 'update_faction', { factionId, reputation: 40, body: 'They press apples.' })
    expect(steps(await get('ellen', factionId))).toEqual([[40, 40, null]])
  })

  test('taken back goes with its step', async () => {
    const factionId = await faction({ reputation: 5 })
    await table.call('ellen', 'adjust_faction_reputation', { factionId, delta: -10, reason: 'A mistake' })
    const { items } = await table.call('ellen', 'list_audit_records', { operation: 'adjust_faction_reputation' })
    await table.call('ellen', 'revert_change', { auditRecordId: items[0].id })
    const after = await get('ellen', factionId)
    expect([after.reputation, after.reputationChangeCount]).toEqual([5, 0])
  })

  test('keeps 250 steps: the first 200 come along with how many there are', async () => {
    const factionId = await faction()
    for (let step = 0; step < 250; step++)
      await table.call('ellen', 'adjust_faction_reputation', { factionId, delta: step % 2 === 0 ? 1 : -1 })
    const one = await get('ellen', factionId)
    expect([one.reputationHistory.length, one.reputationChangeCount]).toEqual([200, 250])
  })
})

describe('members', () => {
  test('are counted as the reader sees them, and stay when the faction goes and comes back', async () => {
    const factionId = await faction()
    const npc = (values: object) => table.call('ellen', 'create_npc', { factionId, ...values })
    const { id: npcId } = await npc({ name: 'Marta Quill' })
    await npc({ name: 'The Cellarer', hidden: true })
    const [whole, seen] = [await get('ellen', factionId), await get('pell', factionId)]
    expect([whole.memberCount, seen.memberCount]).toEqual([2, 1])
    expect(seen.members.map(({ name }: Answer) => name)).toEqual(['Marta Quill'])
    expect((await table.call('pell', 'list_npcs', { factionId })).items).toHaveLength(1)

    await table.call('ellen', 'delete_faction', { factionId })
    expect((await table.call('ellen', 'get_npc', { npcId })).factionId).toBeNull()
    await table.call('ellen', 'restore_from_trash', { entityType: 'faction', entityId: factionId })
    expect((await table.call('ellen', 'get_npc', { npcId })).faction.title).toBe('The Pomary')
  })

  test('of a hidden faction do not show that there is one', async () => {
    const factionId = await faction({ hidden: true })
    const { id: npcId } = await table.call('ellen', 'create_npc', { name: 'Marta Quill', factionId })
    const seen = await table.call('pell', 'get_npc', { npcId })
    expect([seen.factionId, seen.faction]).toEqual([null, null])
    await expect(table.call('pell', 'list_npcs', { factionId })).resolves.toMatchObject({ items: [] })
  })
})
