import { describe, expect, test } from 'vitest'
import type { Context } from '../../src/kernel/context.ts'
import { type Answer, makeTable, type Person, type Table } from '../domain/support.ts'
import { ask, lair, lairEntities, omen, rumour, write } from '../support/lair-domain.ts'

// A link names any kind of thing: both its halves or neither, and only what the writer sees. Who does not see the thing reads
// nothing there, finds nothing by it, and learns nothing from it.

interface Fixture {
  readonly table: Table
  readonly marta: number
  readonly ghost: number
  /** Writes a note of a player for the party, or answers why not. */
  note(link: object, person?: Person): Promise<Answer>
  refused(link: object, person?: Person): Promise<{ code: string; message: string }>
}

async function makeFixture(): Promise<Fixture> {
  const table = await makeTable(lairEntities)
  const { id: marta } = await table.call('ellen', 'create_npc', { name: 'Marta Quill' })
  const { id: ghost } = await table.call('ellen', 'create_npc', { name: 'The ghost', hidden: true })
  const note = (link: object) => ({ body: 'x', visibility: 'party', ...link })
  return {
    table,
    marta,
    ghost,
    note: (link, person = 'pell') => table.call(person, 'create_note', note(link)),
    refused: (link, person = 'pell') => table.refusal(person, 'create_note', note(link)),
  }
}

describe('a link', () => {
  test('has both halves or neither', async () => {
    const { table, marta, note, refused } = await makeFixture()
    const half = { code: 'validation_failed', message: 'Give both entityType and entityId, or neither.' }
    expect(await refused({ entityType: 'npc' })).toEqual(half)
    expect(await refused({ entityId: marta })).toEqual(half)
    expect(await note({})).toMatchObject({ entityType: null, entityId: null, entity: null })
    const omens = (values: object) => (context: Context) =>
      context.write(omen).update(1, values as Parameters<ReturnType<typeof context.write<typeof omen>>['update']>[1])
    await write(table, (context) =>
      context.write(omen).insert({ text: 'A red moon', aboutType: 'npc', aboutId: marta }),
    )
    for (const values of [{ aboutType: null }, { aboutId: null }, { aboutId: 2 }, { aboutType: 'quest' }])
      await expect(write(table, omens(values)), JSON.stringify(values)).rejects.toThrow('Give both')
    await write(table, omens({ aboutType: null, aboutId: null }))
    expect(table.row('test_omens', 1)).toMatchObject({ about_type: null, about_id: null })
  })

  test('names what its writer sees, of a kind that there is', async () => {
    const { marta, ghost, note, refused } = await makeFixture()
    expect(await note({ entityType: 'npc', entityId: marta })).toMatchObject({
      entityType: 'npc',
      entityId: marta,
      entity: { entityType: 'npc', entityId: marta, title: 'Marta Quill' },
    })
    const hidden = await refused({ entityType: 'npc', entityId: ghost })
    expect(hidden).toEqual({
      code: 'validation_failed',
      message: 'entityId: there is no such NPC here. list_npcs finds ids.',
    })
    expect(await refused({ entityType: 'npc', entityId: 999 })).toEqual(hidden)
    expect((await refused({ entityType: 'dragon', entityId: 1 })).message).toMatch(/^entityType: one of quest, .*npc/)
    // A membership has no title to be called by.
    expect((await refused({ entityType: 'member', entityId: 1 })).message).toMatch(/^entityType: one of/)
  })

  test('reads as null, name and all, for who does not see its target, and for all while that is in the trash', async () => {
    const { table, ghost, note } = await makeFixture()
    const { id: noteId } = await note({ entityType: 'npc', entityId: ghost }, 'ellen')
    const nothing = { entityType: null, entityId: null, entity: null }
    const seen = async (person: Person) => [
      await table.call(person, 'get_note', { noteId }),
      (await table.call(person, 'list_notes')).items[0],
    ]
    for (const row of await seen('ellen'))
      expect(row.entity).toEqual({ entityType: 'npc', entityId: ghost, title: 'The ghost' })
    for (const row of await seen('pell')) expect(row).toMatchObject(nothing)
    await table.call('ellen', 'update_npc', { npcId: ghost, hidden: false, name: 'A mere draught' })
    for (const row of await seen('pell')) expect(row.entity.title).toBe('A mere draught')
    await table.call('ellen', 'delete_npc', { npcId: ghost })
    for (const row of [...(await seen('ellen')), ...(await seen('pell'))]) expect(row).toMatchObject(nothing)
    await table.call('ellen', 'restore_from_trash', { entityType: 'npc', entityId: ghost })
    for (const row of await seen('pell')) expect(row.entityId).toBe(ghost)
  })

  test('finds what is attached to a thing, for who sees the thing', async () => {
    const { table, marta, ghost, note } = await makeFixture()
    for (const entityId of [marta, ghost, marta]) await note({ entityType: 'npc', entityId }, 'ellen')
    await note({}, 'ellen')
    const about = async (person: Person, filter: Readonly<Record<string, unknown>>) =>
      (await table.call(person, 'list_notes', filter)).items.length
    expect(await about('ellen', { entityType: 'npc', entityId: ghost })).toBe(1)
    expect(await about('pell', { entityType: 'npc', entityId: ghost })).toBe(0)
    expect(await about('pell', { entityType: 'npc', entityId: marta })).toBe(2)
    expect(await about('ellen', { entityType: 'npc' })).toBe(3)
    expect(await about('pell', { entityType: 'npc' })).toBe(2)
    expect((await table.refusal('pell', 'list_notes', { entityType: 'dragon' })).message).toMatch(/one of quest/)
    const groups = await ask(table, 'pell', (context) =>
      Array.from(context.read(context.entity('note')).countBy('entityType' as never)),
    )
    expect(groups).toEqual([
      ['npc', 2],
      [null, 2],
    ])
  })

  test('can decide who sees a row, however deep, and never in a circle', async () => {
    const { table, marta } = await makeFixture()
    const ids = await write(table, (context) => {
      const den = context.write(lair).insert({ name: 'The den', hidden: true })
      const of = (entityType: string, entityId: number, text: string) =>
        context.write(rumour).insert({ text, entityType, entityId })
      return { den, open: of('npc', marta, 'She counts'), closed: of('test_lair', den, 'It sleeps') }
    })
    await write(table, (context) =>
      context.write(rumour).insert({ text: 'Hearsay', entityType: 'test_rumour', entityId: ids.open }),
    )
    const seen = (person: Person) =>
      ask(table, person, (context) =>
        context
          .read(rumour)
          .all()
          .map(({ text, entity }) => [text, entity?.title]),
      )
    expect(await seen('pell')).toEqual([['She counts', 'Marta Quill']])
    // What is seen by a link alone counts as hidden to another link.
    expect(await seen('ellen')).toEqual([
      ['She counts', 'Marta Quill'],
      ['It sleeps', 'The den'],
    ])
    const searched = async (person: Person) =>
      (await table.call(person, 'search_campaign', { query: 'sleeps' })).items.length
    expect([await searched('ellen'), await searched('pell')]).toEqual([1, 0])
    await table.call('ellen', 'reveal_entity', { entityType: 'test_lair', entityId: ids.den })
    expect([await searched('pell'), (await seen('pell')).length]).toEqual([1, 2])
    await table.call('ellen', 'delete_npc', { npcId: marta })
    expect(await seen('pell')).toEqual([['It sleeps', 'The den']])
  })

  test('changes as a whole: half of one says nothing, in the journal and when it is taken back', async () => {
    const { table, marta, ghost } = await makeFixture()
    const other = (await table.call('ellen', 'create_quest', { title: 'The bell' })).id
    expect(other).toBe(marta)
    const id = await write(table, (context) =>
      context.write(omen).insert({ text: 'A sign', aboutType: 'npc', aboutId: marta }),
    )
    const turn = (aboutType: string, aboutId: number) =>
      write(table, (context) => context.write(omen).update(id, { aboutType, aboutId }))
    await turn('npc', ghost)
    await turn('npc', marta)
    // The same number, of another kind.
    await turn('quest', other)
    const records = (await table.call('ellen', 'list_audit_records', { entityType: 'test_omen' })).items
    const change = (await table.call('ellen', 'get_audit_record', { auditRecordId: records[1].id })).changes[0]
    expect(change.fields).toEqual(['aboutType', 'aboutId'])
    const refused = await table.refusal('ellen', 'revert_change', { auditRecordId: records[1].id })
    expect(refused.code).toBe('invalid_state')
    await table.call('ellen', 'revert_change', { auditRecordId: records[0].id })
    expect(table.row('test_omens', id)).toMatchObject({ about_type: 'npc', about_id: marta })
  })

  test('in an earlier version shows only to who sees its target, and does not come back to what is gone', async () => {
    const { table, marta, ghost } = await makeFixture()
    const id = await write(table, (context) =>
      context.write(omen).insert({ text: 'A sign', aboutType: 'npc', aboutId: ghost }),
    )
    await write(table, (context) =>
      context.write(omen).update(id, { text: 'Two signs', aboutType: 'npc', aboutId: marta }),
    )
    const first = (person: Person) =>
      ask(table, person, (context) => {
        const { items } = context.journal.revisions(context.entity('test_omen'), id, {})
        const revision = items.at(-1)
        return { id: revision?.id, image: context.journal.imageAt(revision?.id ?? 0) }
      })
    expect((await first('ellen')).image).toEqual({ text: 'A sign', aboutType: 'npc', aboutId: ghost })
    expect((await first('pell')).image).toEqual({ text: 'A sign', aboutType: null, aboutId: null })
    await table.call('ellen', 'delete_npc', { npcId: ghost })
    await table.call('ellen', 'restore_revision', { revisionId: (await first('ellen')).id })
    expect(table.row('test_omens', id)).toMatchObject({ text: 'A sign', about_type: 'npc', about_id: marta })
  })

  test('of a whisper is nothing to a Dungeon Master, in its history either', async () => {
    const { table } = await makeFixture()
    const { id: noteId } = await table.call('pell', 'create_note', { body: 'mine alone', visibility: 'private' })
    const { id } = await table.call('pell', 'submit_inbox_item', {
      body: 'see there',
      entityType: 'note',
      entityId: noteId,
    })
    expect((await table.call('pell', 'get_inbox_item', { inboxItemId: id })).entity.title).toBe('mine alone')
    expect(await table.call('ellen', 'get_inbox_item', { inboxItemId: id })).toMatchObject({
      entityId: null,
      entity: null,
    })
    const [record] = (await table.call('ellen', 'list_audit_records', { entityType: 'inbox_item' })).items
    const { changes } = await table.call('ellen', 'get_audit_record', { auditRecordId: record.id })
    expect(changes[0].after).toMatchObject({ body: 'see there', entityType: null, entityId: null })
  })
})
