import { describe, expect, test, vi } from 'vitest'
import { note } from '../../src/domain/note/entity.ts'
import { type Answer, makeTable, type Person, type Table } from '../domain/support.ts'
import { write } from '../support/lair-domain.ts'

// Every reference in an answer brings the name that its target has for the viewer, in the statement that reads the row.

const wholeQuest = async (table: Table): Promise<Record<'npc' | 'place' | 'above' | 'quest', number>> => {
  const { id: npc } = await table.call('ellen', 'create_npc', { name: 'Marta Quill' })
  const { id: place } = await table.call('ellen', 'create_location', { name: 'The mill' })
  const { id: above } = await table.call('ellen', 'create_quest', { title: 'The year' })
  const links = { giverNpcId: npc, locationId: place, parentQuestId: above }
  const { id: quest } = await table.call('ellen', 'create_quest', { title: 'The bell', ...links })
  return { npc, place, above, quest }
}

describe('a reference', () => {
  test('brings the id and the title of its target, in one and in lists', async () => {
    const table = await makeTable()
    const { npc, place, above, quest } = await wholeQuest(table)
    const names = {
      giverNpc: { id: npc, title: 'Marta Quill' },
      location: { id: place, title: 'The mill' },
      parentQuest: { id: above, title: 'The year' },
    }
    const listed = async (): Promise<Answer> =>
      (await table.call('pell', 'list_quests')).items.find(({ id }: { id: number }) => id === quest)
    expect(await table.call('pell', 'get_quest', { questId: quest })).toMatchObject(names)
    expect(await listed()).toMatchObject(names)
    await table.call('ellen', 'update_npc', { npcId: npc, name: 'Old Marta' })
    expect((await listed()).giverNpc.title).toBe('Old Marta')
    const step = await table.call('ellen', 'create_objective', { questId: quest, text: 'Ring it' })
    expect(step.quest).toEqual({ id: quest, title: 'The bell' })
  })

  test('is null, and so is its name, for who does not see the target', async () => {
    const table = await makeTable()
    const { npc, place, above, quest } = await wholeQuest(table)
    await table.call('ellen', 'update_npc', { npcId: npc, hidden: true })
    await table.call('ellen', 'set_location_discovery', { locationId: place, discovery: 'unknown' })
    await table.call('ellen', 'delete_quest', { questId: above })
    const seen = await table.call('pell', 'get_quest', { questId: quest })
    for (const key of ['giverNpcId', 'giverNpc', 'locationId', 'location', 'parentQuestId', 'parentQuest'])
      expect(seen[key], key).toBeNull()
    expect(await table.call('ellen', 'get_quest', { questId: quest })).toMatchObject({
      giverNpc: { title: 'Marta Quill' },
      location: { title: 'The mill' },
      parentQuest: null,
    })
  })

  test('to a person brings their name, also when they have left', async () => {
    const table = await makeTable()
    const { id: noteId } = await table.call('pell', 'create_note', { body: 'x', visibility: 'party' })
    const pell = { id: table.userId('pell'), title: 'pell' }
    const author = async (person: Person) => (await table.call(person, 'get_note', { noteId })).authorUser
    expect(await author('gast')).toEqual(pell)
    const { proposal } = await table.call('pell', 'create_npc', { name: 'The miller' })
    expect(proposal).toMatchObject({ authorUser: pell, decidedByUserId: null, decidedByUser: null, target: null })
    const { items } = await table.call('ellen', 'list_members')
    expect(items.map(({ username }: { username: string }) => username)).toEqual(['ellen', 'pell', 'wren', 'gast'])
    const memberId = items.find(({ userId }: { userId: number }) => userId === pell.id).id
    await table.call('ellen', 'remove_member', { memberId })
    expect(await author('ellen')).toEqual(pell)
  })

  test('to what has no title is called by what it has', async () => {
    const table = await makeTable()
    const { id: sessionId } = await table.call('ellen', 'create_session', { number: 7 })
    const { id: noteId } = await table.call('pell', 'create_note', { body: 'x', visibility: 'party', sessionId })
    const title = async () => (await table.call('pell', 'get_note', { noteId })).session.title
    expect(await title()).toBe('Session 7')
    await table.call('ellen', 'update_session', { sessionId, title: 'The ledger' })
    expect(await title()).toBe('The ledger')
  })

  test('to a long text is cut to one line of 120 characters, with a sign that it was', async () => {
    const table = await makeTable()
    const titleOf = async (body: string): Promise<string> => {
      const { id } = await table.call('pell', 'create_note', { body, visibility: 'party' })
      return (await table.call('pell', 'submit_inbox_item', { body: 'there', entityType: 'note', entityId: id })).entity
        .title
    }
    expect(await titleOf('one\n\n  two\tthree ')).toBe('one two three')
    expect(await titleOf('x'.repeat(120))).toBe('x'.repeat(120))
    expect(await titleOf('x'.repeat(121))).toBe(`${'x'.repeat(119)}…`)
    // A character of two units counts once and is not cut in two.
    expect(await titleOf('😀'.repeat(120))).toBe('😀'.repeat(120))
    expect(await titleOf('😀'.repeat(130))).toBe(`${'😀'.repeat(119)}…`)
  })

  test('to a text that an outside AI does not get names nothing to it', async () => {
    const table = await makeTable()
    const { id } = await table.call('pell', 'create_note', { body: 'the silver bell', visibility: 'party' })
    await table.call('ellen', 'submit_inbox_item', { body: 'mine', entityType: 'note', entityId: id })
    await table.call('ellen', 'update_campaign_settings', { aiContentPolicy: 'disabled' })
    const entity = async (door: 'rest' | 'mcp') =>
      (await table.call('ellen', 'list_inbox_items', {}, { door })).items[0].entity
    expect(await entity('rest')).toMatchObject({ entityId: id, title: 'the silver bell' })
    expect(await entity('mcp')).toBeNull()
  })

  test('costs no statement of its own, in a list of any length', async () => {
    const table = await makeTable()
    const { npc } = await wholeQuest(table)
    const statements = async (): Promise<number> => {
      const [get, all] = [vi.spyOn(table.store, 'get'), vi.spyOn(table.store, 'all')]
      await table.call('pell', 'list_notes')
      const count = get.mock.calls.length + all.mock.calls.length
      for (const spy of [get, all]) spy.mockRestore()
      return count
    }
    const authorUserId = table.userId('ellen')
    const add = (count: number) =>
      write(table, (context) => {
        for (let index = 0; index < count; index += 1)
          context.write(note).insert({ authorUserId, body: 'x', visibility: 'party', entityType: 'npc', entityId: npc })
      })
    await add(1)
    const one = await statements()
    await add(40)
    expect(await statements()).toBe(one)
    expect((await table.call('pell', 'list_notes')).items).toHaveLength(41)
  })
})
