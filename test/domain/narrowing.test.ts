import { describe, expect, test } from 'vitest'
import { type Answer, makeTable } from './support.ts'

// Lists of a campaign's past are narrowed where it lies, not where it is shown.

const titles = (items: readonly Answer[]): string[] => items.map(({ title, entities }) => title ?? entities[0]?.title)

describe('the history', () => {
  test('is narrowed by who, why and what, and goes on looking page by page', async () => {
    const table = await makeTable()
    const { id } = await table.call('ellen', 'create_npc', { name: 'Marta Quill' })
    for (let index = 0; index < 530; index++) await table.call('ellen', 'create_npc', { name: `Nobody ${index}` })
    await table.call('ellen', 'update_npc', { npcId: id, voice: 'Dry and low' })
    const ask = (query: string, more = {}) => table.call('ellen', 'list_audit_records', { query, limit: 20, ...more })

    const first = await ask('quill')
    expect(first.items.map(({ operation }: Answer) => operation)).toEqual(['update_npc'])
    // 500 were looked at, and the oldest were not among them.
    expect(first.nextCursor).not.toBeNull()
    const second = await ask('quill', { cursor: first.nextCursor })
    expect(second.items.map(({ operation }: Answer) => operation)).toEqual(['create_npc'])
    expect(second.nextCursor).toBeNull()

    expect(titles((await ask('ellen nobody 529')).items)).toEqual(['Nobody 529'])
    expect((await ask('update')).items).toHaveLength(1)
    expect((await ask('wren')).items).toEqual([])
    // What is in the trash is named too.
    await table.call('ellen', 'delete_npc', { npcId: id })
    expect(titles((await ask('quill')).items)).toEqual(['Marta Quill', 'Marta Quill'])
    const page = await ask('nobody', { limit: 3 })
    expect(titles(page.items)).toEqual(['Nobody 529', 'Nobody 528', 'Nobody 527'])
    expect(titles((await ask('nobody', { limit: 2, cursor: page.nextCursor })).items)).toEqual([
      'Nobody 526',
      'Nobody 525',
    ])
  })

  test('names at once all that a change refers to, as far as it is there', async () => {
    const table = await makeTable()
    const name = async (operation: string, input: Record<string, unknown>) =>
      (await table.call('ellen', operation, input)).id
    const [mill, inn] = [
      await name('create_location', { name: 'The mill' }),
      await name('create_location', { name: 'The inn' }),
    ]
    const npcId = await name('create_npc', { name: 'Osk', locationId: mill })
    await table.call('ellen', 'update_npc', { npcId, locationId: inn })
    await table.call('ellen', 'delete_location', { locationId: mill })
    const { items } = await table.call('ellen', 'list_audit_records', { operation: 'update_npc' })
    const record = await table.call('ellen', 'get_audit_record', { auditRecordId: items[0].id })
    expect(record.names).toEqual([{ entityType: 'location', entityId: inn, title: 'The inn' }])
    const revisions = await table.call('ellen', 'list_revisions', { entityType: 'npc', entityId: npcId })
    const revision = await table.call('ellen', 'get_revision', { revisionId: revisions.items.at(-1).id })
    expect(revision.names).toEqual([{ entityType: 'location', entityId: inn, title: 'The inn' }])
  })
})

test('the earlier versions of a quest have those of its steps among them, named', async () => {
  const table = await makeTable()
  const { id: questId } = await table.call('ellen', 'create_quest', { title: 'The bell' })
  const step = await table.call('ellen', 'create_objective', { questId, text: 'Find the clapper' })
  await table.call('ellen', 'set_objective_done', { objectiveId: step.id, done: true })
  await table.call('ellen', 'update_quest', { questId, reward: 'A bell' })
  const ask = async (input: Record<string, unknown>) =>
    (await table.call('ellen', 'list_revisions', { entityType: 'quest', entityId: questId, ...input })).items.map(
      ({ entityType, kind, title }: Answer) => `${kind} ${entityType} ${title}`,
    )
  expect(await ask({})).toEqual(['update quest The bell', 'create quest The bell'])
  const all = [
    'update quest The bell',
    'update objective Find the clapper',
    'create objective Find the clapper',
    'create quest The bell',
  ]
  expect(await ask({ withOwned: true })).toEqual(all)
  expect(await ask({ withOwned: true, limit: 2 })).toEqual(all.slice(0, 2))
})

describe('the trash', () => {
  test('is narrowed by names, whatever their accents, and by whose hand', async () => {
    const table = await makeTable()
    for (const name of ['Élodie', 'Marta', 'Osk', 'Elodie’s cat']) {
      const { id } = await table.call('ellen', 'create_npc', { name })
      await table.call('ellen', 'delete_npc', { npcId: id })
    }
    const ask = (input: Record<string, unknown>) => table.call('ellen', 'list_trash', input)
    expect(titles((await ask({ query: 'elod' })).items)).toEqual(['Elodie’s cat', 'Élodie'])
    expect(titles((await ask({ query: 'ellen osk' })).items)).toEqual(['Osk'])
    expect((await ask({ query: 'nothing of the kind' })).items).toEqual([])
    const page = await ask({ query: 'ellen', limit: 3 })
    expect(titles((await ask({ query: 'ellen', limit: 3, cursor: page.nextCursor })).items)).toEqual(['Élodie'])
  })
})

describe('people', () => {
  test('come by name, or those who were written about last first, as each reader knows it', async () => {
    const table = await makeTable()
    const ids: number[] = []
    for (const name of ['Anselm', 'Berta', 'Cord']) {
      ids.push((await table.call('ellen', 'create_npc', { name, tags: name === 'Cord' ? [] : ['mill'] })).id)
      table.pass(1)
    }
    await table.call('ellen', 'update_npc', { npcId: ids[0], dmSecret: 'She is the thief' })
    const names = async (person: 'ellen' | 'pell', input: Record<string, unknown>) =>
      (await table.call(person, 'list_npcs', input)).items.map(({ name }: Answer) => name)
    expect(await names('ellen', {})).toEqual(['Anselm', 'Berta', 'Cord'])
    expect(await names('ellen', { order: 'recent' })).toEqual(['Anselm', 'Cord', 'Berta'])
    // A secret that is written down moves nobody for who does not read it.
    expect(await names('pell', { order: 'recent' })).toEqual(['Cord', 'Berta', 'Anselm'])
    expect(await names('pell', { order: 'recent', tag: 'mill' })).toEqual(['Berta', 'Anselm'])
    await table.call('ellen', 'hide_entity', { entityType: 'npc', entityId: ids[1] })
    expect(await names('ellen', { hidden: true })).toEqual(['Berta'])
    expect(await names('pell', { hidden: true })).toEqual([])
  })

  test('quests are narrowed by a tag too', async () => {
    const table = await makeTable()
    for (const [title, tags] of [
      ['The bell', ['orchard']],
      ['The key', []],
    ] as const) {
      await table.call('ellen', 'create_quest', { title, tags })
    }
    const { items } = await table.call('pell', 'list_quests', { tag: 'Orchard' })
    expect(titles(items)).toEqual(['The bell'])
  })
})
