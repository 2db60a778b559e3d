import { beforeEach, describe, expect, test } from 'vitest'
import { type Answer, makeTable, named, type Person, type Table } from './support.ts'

// Names sort as people sort them, and what people type is found whatever its case and accents.

let table: Table
beforeEach(async () => {
  table = await makeTable()
})

const inOrder = ['10 rats', 'anger', 'Ärger', 'Émile', 'Emilia', 'Łódź', 'Room 2', 'room 10', 'Zorn', '李雷', '😀']
const shuffled = [6, 2, 9, 0, 7, 4, 1, 10, 8, 3, 5].map((index) => inOrder[index] as string)

/** All pages of a list, a few rows at a time. */
async function listed(person: Person, name: string, input: Record<string, unknown> = {}): Promise<string[]> {
  const names: string[] = []
  let cursor: string | undefined
  do {
    const page: Answer = await table.call(person, name, { ...input, limit: 3, cursor })
    names.push(...named(page.items))
    expect(JSON.stringify(page.items)).not.toContain('ort"')
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined)
  return names
}

describe.each([
  ['list_npcs', 'create_npc'],
  ['list_locations', 'create_location'],
])('%s', (list, create) => {
  test('is in the order of people, page by page, for all who read it', async () => {
    for (const name of shuffled) await table.call('ellen', create, { name })
    expect(await listed('ellen', list)).toEqual(inOrder)
    expect(await listed('pell', list)).toEqual(inOrder)
  })

  test('finds a tag whatever its case and accents', async () => {
    await table.call('ellen', create, { name: 'One', tags: ['Grüße', 'winter'] })
    await table.call('ellen', create, { name: 'Two', tags: ['GRUSSE', 'Eis'] })
    await table.call('ellen', create, { name: 'Three', tags: ['Gruß'] })
    for (const tag of ['grusse', 'GRÜSSE', 'Grüße'])
      expect(await listed('ellen', list, { tag })).toEqual(['One', 'Two'])
    expect(await listed('pell', list, { tag: 'EIS' })).toEqual(['Two'])
    expect(await listed('ellen', list, { tag: 'gru' })).toEqual([])
  })
})

test('those that bear a tag are in order, page by page, and follow what becomes of them', async () => {
  const npc = async (name: string, more: object = {}): Promise<number> =>
    (await table.call('ellen', 'create_npc', { name, tags: ['Ice', 'ÎCE-2', 'x'], ...more })).id
  const update = (npcId: number | undefined, patch: object) => table.call('ellen', 'update_npc', { npcId, ...patch })
  const bearing = (person: Person, more: object = {}) => listed(person, 'list_npcs', { tag: 'ice', ...more })
  const [room10, , mill, hidden, bell] = [
    await npc('Room 10'),
    await npc('Room 2', { disposition: 'hostile' }),
    await npc('the mill'),
    await npc('A hidden one', { hidden: true }),
    await npc('Élise', { tags: [] }),
  ]
  await npc('Not of ice', { tags: ['fire'] })
  expect(await bearing('ellen')).toEqual(['A hidden one', 'Room 2', 'Room 10', 'the mill'])
  expect(await bearing('pell')).toEqual(['Room 2', 'Room 10', 'the mill'])
  expect(await bearing('ellen', { disposition: 'hostile' })).toEqual(['Room 2'])
  await update(bell, { tags: ['ICE'] })
  await update(mill, { name: 'Anna' })
  await update(room10, { tags: ['fire'] })
  expect(await bearing('pell')).toEqual(['Anna', 'Élise', 'Room 2'])
  await table.call('ellen', 'delete_npc', { npcId: mill })
  expect(await bearing('pell')).toEqual(['Élise', 'Room 2'])
  const thing = { entityType: 'npc', entityId: mill }
  await table.call('ellen', 'restore_from_trash', thing)
  expect(await bearing('pell')).toEqual(['Anna', 'Élise', 'Room 2'])
  await table.call('ellen', 'delete_npc', { npcId: mill })
  await table.call('ellen', 'purge_from_trash', thing)
  await update(hidden, { hidden: false })
  expect(await bearing('pell')).toEqual(['A hidden one', 'Élise', 'Room 2'])
  expect(table.store.all('SELECT label FROM npcs_tags WHERE id = @mill', { mill: mill as number })).toEqual([])
})

test('a change of the name moves the row, and its undoing moves it back', async () => {
  const { id: npcId } = await table.call('ellen', 'create_npc', { name: 'Anna' })
  await table.call('ellen', 'create_npc', { name: 'Bela' })
  await table.call('ellen', 'update_npc', { npcId, name: 'Ödön' })
  expect(await listed('ellen', 'list_npcs')).toEqual(['Bela', 'Ödön'])
  const [record] = (await table.call('ellen', 'list_audit_records', { limit: 1 })).items
  await table.call('ellen', 'revert_change', { auditRecordId: record.id })
  expect(await listed('ellen', 'list_npcs')).toEqual(['Anna', 'Bela'])
})

test('places in a place are in the order of people too', async () => {
  const { id } = await table.call('ellen', 'create_location', { name: 'The inn' })
  for (const name of ['Room 10', 'Ärmel', 'Room 2', 'attic'])
    await table.call('ellen', 'create_location', { name, parentLocationId: id })
  const { children } = await table.call('pell', 'get_location', { locationId: id })
  expect(named(children)).toEqual(['Ärmel', 'attic', 'Room 2', 'Room 10'])
})

test('names as long and as far out as there are make pages that go on', async () => {
  const names = ['漢'.repeat(119), '1 '.repeat(59), '"\\'.repeat(60), '﷽'.repeat(120)]
  for (const name of names) await table.call('ellen', 'create_npc', { name: name.trim() })
  expect(await listed('ellen', 'list_npcs')).toHaveLength(4)
})
