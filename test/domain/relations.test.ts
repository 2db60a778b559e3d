import { beforeEach, describe, expect, test } from 'vitest'
import { asRead } from '../support/proposals.ts'
import { type Answer, makeTable, type Person, type Table } from './support.ts'

// What one thing is to another, and what of it who may know.

let table: Table
beforeEach(async () => {
  table = await makeTable()
})

const npc = async (name: string, values: object = {}): Promise<number> =>
  (await table.call('ellen', 'create_npc', { name, ...values })).id
const bind = async (fromId: number, toId: number, values: object = {}): Promise<number> =>
  (
    await table.call('ellen', 'create_relation', {
      fromType: 'npc',
      fromId,
      toType: 'npc',
      toId,
      label: 'knows',
      ...values,
    })
  ).id
const list = async (person: Person, entityId?: number): Promise<Answer[]> =>
  (await table.call(person, 'list_relations', entityId === undefined ? {} : { entityType: 'npc', entityId })).items
const graph = (person: Person, aroundId: number, depth = 2): Promise<Answer> =>
  table.call(person, 'get_relation_graph', { aroundType: 'npc', aroundId, depth })
const names = (answer: Answer): string[] => answer.nodes.map(({ title }: Answer) => title).sort()

describe('a relation', () => {
  test('has a word each way and is found from either end', async () => {
    const [marta, hob, wren] = [await npc('Marta'), await npc('Hob'), await npc('Wren')]
    await bind(marta, hob, { label: 'wrote him in', inverseLabel: 'knows that hand' })
    await bind(wren, marta, { label: 'took her page' })
    await bind(hob, wren)
    for (const person of ['ellen', 'pell', 'gast'] as const)
      expect(
        (await list(person, marta)).map(({ from, to, label, inverseLabel }: Answer) => [
          from.title,
          to.title,
          label,
          inverseLabel,
        ]),
      ).toEqual([
        ['Marta', 'Hob', 'wrote him in', 'knows that hand'],
        ['Wren', 'Marta', 'took her page', null],
      ])
    expect(await list('pell')).toHaveLength(3)
    const { relations } = await table.call('pell', 'get_npc', { npcId: marta })
    expect(relations.items).toHaveLength(2)
  })

  test('binds any two of people, factions, places and quests, and they are called by their names of now', async () => {
    const { id: factionId } = await table.call('ellen', 'create_faction', { name: 'The Pomary' })
    const { id: questId } = await table.call('ellen', 'create_quest', { title: 'A cradle' })
    const { id: locationId } = await table.call('ellen', 'create_location', { name: 'The wall' })
    const things = [
      ['faction', factionId],
      ['quest', questId],
      ['location', locationId],
      ['npc', await npc('Marta')],
    ] as const
    for (const [index, [fromType, fromId]] of things.entries()) {
      const [toType, toId] = things[(index + 1) % things.length] ?? ['npc', 0]
      await table.call('ellen', 'create_relation', { fromType, fromId, toType, toId, label: 'leads to' })
    }
    await table.call('ellen', 'update_quest', { questId, title: 'The cradle with no maker' })
    const ofFaction = await table.call('pell', 'get_faction', { factionId })
    expect(ofFaction.relations.items.map(({ to }: Answer) => to.title)).toEqual([
      'The cradle with no maker',
      'The Pomary',
    ])
  })

  test.each([
    ['itself', (a: number) => ({ toId: a }), 'validation_failed', 'nothing is bound to itself'],
    ['what is not there', () => ({ toId: 999 }), 'validation_failed', ''],
    ['a session', (_: number, b: number) => ({ toType: 'session', toId: b }), 'validation_failed', ''],
    ['no word', (_: number, b: number) => ({ toId: b, label: ' ' }), 'validation_failed', 'label'],
  ])('to %s is refused', async (_, values, code, word) => {
    const [a, b] = [await npc('A'), await npc('B')]
    const input = { fromType: 'npc', fromId: a, toType: 'npc', label: 'x', ...values(a, b) }
    expect(await table.refusal('ellen', 'create_relation', input)).toMatchObject({
      code,
      message: expect.stringContaining(word),
    })
  })

  test('is there once in each direction', async () => {
    const [a, b] = [await npc('A'), await npc('B')]
    const first = await bind(a, b)
    const again = { fromType: 'npc', fromId: a, toType: 'npc', toId: b, label: 'y' }
    expect(await table.refusal('ellen', 'create_relation', again)).toMatchObject({
      code: 'invalid_state',
      message: expect.stringContaining(`relation ${first}`),
    })
    await bind(b, a)
    await table.call('ellen', 'delete_relation', { relationId: first })
    await bind(a, b)
  })

  test('changes by what is named alone, and is undone, thrown away and brought back', async () => {
    const relationId = await bind(await npc('A'), await npc('B'), { label: 'one', inverseLabel: 'other' })
    const changed = await table.call('ellen', 'update_relation', { relationId, label: 'first' })
    expect([changed.label, changed.inverseLabel]).toEqual(['first', 'other'])
    expect((await table.call('ellen', 'update_relation', { relationId, inverseLabel: null })).inverseLabel).toBeNull()
    const { items } = await table.call('ellen', 'list_audit_records', { operation: 'update_relation' })
    await table.call('ellen', 'revert_change', { auditRecordId: items[0].id })
    expect((await list('pell'))[0]).toMatchObject({ label: 'first', inverseLabel: 'other' })
    expect(
      await table.refusal('ellen', 'update_relation', { relationId, label: 'x', expectedRevision: 1 }),
    ).toMatchObject({
      code: 'stale_revision',
    })
    await table.call('ellen', 'delete_relation', { relationId })
    expect(await list('ellen')).toEqual([])
    await table.call('ellen', 'restore_from_trash', { entityType: 'relation', entityId: relationId })
    expect(await list('pell')).toHaveLength(1)
  })

  test('of a player is a proposal', async () => {
    const [a, b] = [await npc('A'), await npc('B')]
    const input = { fromType: 'npc', fromId: a, toType: 'npc', toId: b, label: 'owes' }
    const { proposal } = await table.call('pell', 'create_relation', input)
    expect(await list('pell')).toEqual([])
    await table.call('ellen', 'approve_proposals', { proposals: asRead(table, proposal.id) })
    expect(await list('pell')).toMatchObject([{ label: 'owes' }])
  })
})

describe('what players do not know', () => {
  test('half of a relation is nothing to them, as if nobody had written it', async () => {
    const [a, b, c] = [await npc('A'), await npc('B'), await npc('C')]
    await bind(a, b, { label: 'is her brother', inverseLabel: 'has never met him', labelHidden: true })
    await bind(a, c, { label: 'owes', inverseLabel: 'pities', inverseLabelHidden: true })
    await bind(c, b, { label: 'owes' })
    const [whole, seen] = [await list('ellen'), await list('pell')]
    expect(whole.map(({ label, inverseLabel }: Answer) => [label, inverseLabel])).toEqual([
      ['is her brother', 'has never met him'],
      ['owes', 'pities'],
      ['owes', null],
    ])
    expect(seen.map(({ label, inverseLabel }: Answer) => [label, inverseLabel])).toEqual([
      [null, 'has never met him'],
      ['owes', null],
      ['owes', null],
    ])
    for (const one of seen) expect(Object.keys(one)).not.toContain('labelHidden')
  })

  test('a relation that is hidden, or has no half left for them, is not there', async () => {
    const [a, b, c, d] = [await npc('A'), await npc('B'), await npc('C'), await npc('D')]
    const hidden = await bind(a, b, { hidden: true })
    await bind(a, c, { labelHidden: true })
    await bind(a, d, { inverseLabel: 'x', labelHidden: true, inverseLabelHidden: true })
    expect(await list('ellen')).toHaveLength(3)
    expect(await list('pell')).toEqual([])
    expect(names(await graph('pell', a))).toEqual(['A'])
    await table.call('ellen', 'reveal_entity', { entityType: 'relation', entityId: hidden })
    expect(await list('pell')).toMatchObject([{ label: 'knows' }])
  })

  test('a second half that goes takes no word away from the first', async () => {
    const [a, b] = [await npc('A'), await npc('B')]
    const relationId = await bind(a, b, { inverseLabel: 'x', labelHidden: true })
    await table.call('ellen', 'update_relation', { relationId, inverseLabel: null })
    expect(await list('pell')).toEqual([])
    await table.call('ellen', 'update_relation', { relationId, labelHidden: false })
    expect(await list('pell')).toMatchObject([{ label: 'knows', inverseLabel: null }])
  })

  test('either end hidden or in the trash: no line, no count, no gap', async () => {
    const [a, b, c] = [await npc('A'), await npc('B', { hidden: true }), await npc('C')]
    await bind(a, b)
    await bind(b, c)
    expect([names(await graph('ellen', a)), names(await graph('pell', a))]).toEqual([['A', 'B', 'C'], ['A']])
    expect([await list('pell', a), await list('pell', b), await list('pell')]).toEqual([[], [], []])
    expect(await table.refusal('pell', 'get_relation_graph', { aroundType: 'npc', aroundId: b })).toMatchObject({
      code: 'not_found',
    })
    await table.call('ellen', 'reveal_entity', { entityType: 'npc', entityId: b })
    expect(await list('pell')).toHaveLength(2)
    await table.call('ellen', 'delete_npc', { npcId: b })
    expect(await list('ellen')).toEqual([])
    await table.call('ellen', 'restore_from_trash', { entityType: 'npc', entityId: b })
    expect(await list('ellen')).toHaveLength(2)
  })

  test('a player who asks for what is bound in secret is told nothing, and the DM is at the approval', async () => {
    const [a, b] = [await npc('A'), await npc('B')]
    await bind(a, b, { hidden: true })
    const input = { fromType: 'npc', fromId: a, toType: 'npc', toId: b, label: 'owes' }
    const { proposal } = await table.call('pell', 'create_relation', input)
    expect(await table.refusal('ellen', 'approve_proposals', { proposals: asRead(table, proposal.id) })).toMatchObject({
      code: 'invalid_state',
    })
  })
})

describe('the graph', () => {
  test('goes as many steps as are asked for, and ties those it found to each other', async () => {
    const ids: number[] = []
    for (const name of ['A', 'B', 'C', 'D', 'E']) ids.push(await npc(name, name === 'B' ? { hidden: false } : {}))
    const [a = 0, b = 0, c = 0, d = 0, e = 0] = ids
    await bind(a, b)
    await bind(c, a)
    await bind(b, c)
    await bind(c, d)
    await bind(d, e)
    const one = await graph('pell', a, 1)
    expect([names(one), one.edges.length, one.truncated]).toEqual([['A', 'B', 'C'], 3, false])
    expect(one.nodes.find(({ title }: Answer) => title === 'A')).toMatchObject({ steps: 0, hidden: false })
    expect(names(await graph('pell', a, 2))).toEqual(['A', 'B', 'C', 'D'])
    expect(names(await graph('pell', a, 3))).toEqual(['A', 'B', 'C', 'D', 'E'])
    const whole = await table.call('pell', 'get_relation_graph')
    expect([whole.nodes.length, whole.edges.length]).toEqual([5, 5])
    expect(names(await graph('pell', await npc('Alone')))).toEqual(['Alone'])
  })

  test('asks as often for many as for few', async () => {
    const { statements } = counting(table)
    const middle = await npc('Middle')
    const asked = async (): Promise<number> => {
      const before = statements()
      await graph('pell', middle, 1)
      return statements() - before
    }
    for (let index = 0; index < 5; index++) await bind(middle, await npc(`n${index}`))
    await asked()
    const few = await asked()
    expect(few).toBeLessThan(10)
    for (let index = 5; index < 150; index++) await bind(middle, await npc(`n${index}`))
    await asked()
    expect(await asked()).toBe(few)
  })

  test('takes a thing that can be bound, with both its halves', async () => {
    for (const input of [{ aroundType: 'npc' }, { aroundId: 1 }, { aroundType: 'session', aroundId: 1 }, { depth: 9 }])
      expect(await table.refusal('pell', 'get_relation_graph', input)).toMatchObject({ code: 'validation_failed' })
    expect(await table.refusal('pell', 'list_relations', { entityType: 'npc' })).toMatchObject({
      code: 'validation_failed',
    })
  })
})

/** Counts the statements that a store runs. */
function counting({ store }: Table): { statements(): number } {
  let count = 0
  const [get, all] = [store.get.bind(store), store.all.bind(store)]
  Object.assign(store, {
    get: (...args: Parameters<typeof get>) => {
      count += 1
      return get(...args)
    },
    all: (...args: Parameters<typeof all>) => {
      count += 1
      return all(...args)
    },
  })
  return { statements: () => count }
}
