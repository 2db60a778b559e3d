import { beforeEach, describe, expect, test } from 'vitest'
import { type Answer, makeTable, type Person, type Table } from '../domain/support.ts'
import { asRead } from '../support/proposals.ts'

let table: Table
beforeEach(async () => {
  table = await makeTable()
})

const npc = (name: string, more: Record<string, unknown> = {}): Promise<Answer> =>
  table.call('ellen', 'create_npc', { name, ...more })
const quest = (title: string, more: Record<string, unknown> = {}): Promise<Answer> =>
  table.call('ellen', 'create_quest', { title, ...more })
const step = (questId: number, text: string): Promise<Answer> =>
  table.call('ellen', 'create_objective', { questId, text })

/** The id of the newest audit record, of one operation where it is named. */
async function lastRecord(operation?: string): Promise<number> {
  const input = operation === undefined ? {} : { operation }
  return (await table.call('ellen', 'list_audit_records', { ...input, limit: 1 })).items[0].id
}
const revert = (auditRecordId: number): Promise<Answer> => table.call('ellen', 'revert_change', { auditRecordId })
const refused = (name: string, input: Record<string, unknown>, person: Person = 'ellen') =>
  table.refusal(person, name, input)
const images = (type: string, id: number): Answer =>
  table.store.all(
    'SELECT kind, fields, before, after FROM changes WHERE entity_type = @type AND entity_id = @id ORDER BY id',
    { type, id },
  )

describe('an audit record', () => {
  test('says who did what, with the changed members before and after', async () => {
    const { id } = await npc('Marta', { voice: 'Dry.', dmSecret: 'She rang the bell.' })
    table.pass(5)
    await table.call('ellen', 'update_npc', { npcId: id, voice: 'Low.', name: 'Marta' })
    const record = await table.call('ellen', 'get_audit_record', { auditRecordId: await lastRecord() })
    expect(record).toMatchObject({
      operation: 'update_npc',
      effect: 'write',
      door: 'rest',
      actorUser: { id: table.userId('ellen'), title: 'ellen' },
      at: table.now(),
      revertible: true,
      revertedByRecordId: null,
      entities: [{ entityType: 'npc', entityId: id, kind: 'update', title: 'Marta' }],
      entityCount: 1,
    })
    expect(record.changes).toMatchObject([
      { kind: 'update', revision: 2, fields: ['voice'], before: { voice: 'Dry.' }, after: { voice: 'Low.' } },
    ])
  })

  test('is not made for what changes nothing', async () => {
    const { id, revision } = await npc('Marta', { voice: 'Dry.' })
    await table.call('ellen', 'update_npc', { npcId: id, voice: 'Dry.' })
    expect((await table.call('ellen', 'get_npc', { npcId: id })).revision).toBe(revision)
    expect(images('npc', id)).toHaveLength(1)
  })

  test('names the proposer and the approver of what was proposed', async () => {
    const { proposal } = await table.call('pell', 'create_npc', { name: 'The miller' })
    await table.call('ellen', 'approve_proposals', { proposals: asRead(table, proposal.id) })
    const record = await table.call('ellen', 'get_audit_record', { auditRecordId: await lastRecord('create_npc') })
    expect(record).toMatchObject({
      actorUser: { title: 'ellen' },
      proposalId: proposal.id,
      proposal: { id: proposal.id, title: proposal.title },
      proposedByUserId: table.userId('pell'),
      proposedByUser: { id: table.userId('pell'), title: 'pell' },
    })
    expect(record.changes[0]).toMatchObject({ kind: 'create', entityType: 'npc' })
  })

  test('names what it changed as it is called now, as far as the reader sees it, and says how much that was', async () => {
    const { id } = await npc('Marta')
    await table.call('ellen', 'update_npc', { npcId: id, name: 'Old Marta' })
    const { id: noteId } = await table.call('pell', 'create_note', { body: 'a private thought' })
    const titles = async (operation: string) =>
      (await table.call('ellen', 'list_audit_records', { operation, limit: 1 })).items[0]
    expect((await titles('create_npc')).entities).toEqual([
      { entityType: 'npc', entityId: id, kind: 'create', title: 'Old Marta' },
    ])
    // A Dungeon Master learns that a note was written, as before, and not how it begins.
    expect((await titles('create_note')).entities).toEqual([
      { entityType: 'note', entityId: noteId, kind: 'create', title: null },
    ])
    const { id: questId } = await quest('The bell')
    for (let number = 0; number < 60; number += 1) await step(questId, `Step ${number}`)
    await table.call('ellen', 'delete_quest', { questId })
    const deleted = await titles('delete_quest')
    expect([deleted.entities.length, deleted.entityCount]).toEqual([50, 61])
    // What is in the trash is named to whom the trash shows it.
    expect(deleted.entities[0]).toMatchObject({ entityType: 'quest', title: 'The bell' })
  })

  test('keeps no text of a note, and nothing of an invite’s code', async () => {
    const { id } = await table.call('pell', 'create_note', { body: 'a private thought', visibility: 'dm' })
    await table.call('pell', 'update_note', { noteId: id, body: 'another thought' })
    expect(images('note', id)).toMatchObject([
      { kind: 'create', before: null, after: null },
      { kind: 'update', fields: '["body"]', before: null, after: null },
    ])
    const { id: inviteId, code } = await table.call('ellen', 'create_invite')
    const kept = JSON.stringify(images('invite', inviteId))
    expect(kept).not.toContain(code)
    expect(kept).not.toContain('codeHash')
  })
})

describe('reverting', () => {
  test('an update brings the values back as a new revision and marks the record', async () => {
    const { id } = await npc('Marta', { voice: 'Dry.' })
    await table.call('ellen', 'update_npc', { npcId: id, voice: 'Low.', tags: ['mill'] })
    const updated = await lastRecord()
    expect(await revert(updated)).toEqual({ reverted: [{ entityType: 'npc', entityId: id }] })
    expect(await table.call('ellen', 'get_npc', { npcId: id })).toMatchObject({ voice: 'Dry.', tags: [], revision: 3 })
    const by = await lastRecord('revert_change')
    expect((await table.call('ellen', 'get_audit_record', { auditRecordId: updated })).revertedByRecordId).toBe(by)
    expect(await refused('revert_change', { auditRecordId: updated })).toEqual({
      code: 'invalid_state',
      message: `Record ${updated} was already reverted by record ${by}.`,
    })
  })

  test('a creation moves it to the trash, a deletion brings it back with what it owned', async () => {
    const { id: questId } = await quest('The year that was sold')
    const created = await lastRecord()
    await revert(created)
    expect((await refused('get_quest', { questId })).code).toBe('not_found')
    const { id: other } = await quest('A cradle with no maker')
    const { id: stepId } = await step(other, 'Find the mark')
    await table.call('ellen', 'delete_quest', { questId: other })
    await revert(await lastRecord('delete_quest'))
    expect((await table.call('ellen', 'get_quest', { questId: other })).objectives).toMatchObject([{ id: stepId }])
  })

  test('is refused where the same member was changed later, with the record that did', async () => {
    const { id } = await npc('Marta', { voice: 'Dry.', role: 'Clerk' })
    await table.call('ellen', 'update_npc', { npcId: id, voice: 'Low.' })
    const first = await lastRecord()
    await table.call('ellen', 'update_npc', { npcId: id, role: 'Bell ringer' })
    await table.call('ellen', 'update_npc', { npcId: id, voice: 'Hoarse.' })
    const later = await lastRecord()
    const { code, message } = await refused('revert_change', { auditRecordId: first })
    expect(code).toBe('invalid_state')
    expect(message).toContain(`Record ${later} (update_npc)`)
    expect(await table.call('ellen', 'get_npc', { npcId: id })).toMatchObject({ voice: 'Hoarse.', role: 'Bell ringer' })
  })

  test('leaves what another record changed of it', async () => {
    const { id } = await npc('Marta', { voice: 'Dry.', role: 'Clerk' })
    await table.call('ellen', 'update_npc', { npcId: id, voice: 'Low.' })
    const first = await lastRecord()
    await table.call('ellen', 'update_npc', { npcId: id, role: 'Bell ringer' })
    await revert(first)
    expect(await table.call('ellen', 'get_npc', { npcId: id })).toMatchObject({ voice: 'Dry.', role: 'Bell ringer' })
  })

  test('works step by step: the newest, then the one before it, then the creation', async () => {
    const { id } = await npc('Marta', { voice: 'Dry.' })
    const created = await lastRecord()
    await table.call('ellen', 'update_npc', { npcId: id, voice: 'Low.' })
    const second = await lastRecord()
    await table.call('ellen', 'update_npc', { npcId: id, voice: 'Hoarse.' })
    const third = await lastRecord()
    await revert(third)
    await revert(second)
    expect(await table.call('ellen', 'get_npc', { npcId: id })).toMatchObject({ voice: 'Dry.' })
    await revert(created)
    expect((await refused('get_npc', { npcId: id })).code).toBe('not_found')
  })

  test('can itself be reverted, and what it had undone stands again', async () => {
    const { id } = await npc('Marta', { voice: 'Dry.' })
    await table.call('ellen', 'update_npc', { npcId: id, voice: 'Low.' })
    const second = await lastRecord()
    await table.call('ellen', 'update_npc', { npcId: id, voice: 'Hoarse.' })
    const third = await lastRecord()
    await revert(third)
    await revert(await lastRecord('revert_change'))
    expect(await table.call('ellen', 'get_npc', { npcId: id })).toMatchObject({ voice: 'Hoarse.' })
    expect((await refused('revert_change', { auditRecordId: second })).message).toContain(
      `Record ${third} (update_npc)`,
    )
  })

  test('is refused where something was hung on what would go, with the record that did', async () => {
    const { id } = await quest('The year that was sold')
    const created = await lastRecord()
    await step(id, 'Buy it back')
    const { code, message } = await refused('revert_change', { auditRecordId: created })
    expect(code).toBe('invalid_state')
    expect(message).toContain(`Record ${await lastRecord('create_objective')} (create_objective)`)
  })

  test.each([
    ['add_member', async () => void table.store],
    ['create_invite', async () => void (await table.call('ellen', 'create_invite'))],
    ['set_my_ai_consent', async () => void (await table.call('pell', 'set_my_ai_consent', { consent: true }))],
  ])('is refused for %s', async (operation, act) => {
    await act()
    const auditRecordId = await lastRecord(operation)
    expect((await refused('revert_change', { auditRecordId })).message).toContain('cannot be undone')
  })

  test('is refused for a note, of which no values are kept', async () => {
    const { id } = await table.call('pell', 'create_note', { body: 'one', visibility: 'party' })
    await table.call('pell', 'update_note', { noteId: id, body: 'two' })
    const auditRecordId = await lastRecord('update_note')
    expect((await refused('revert_change', { auditRecordId })).code).toBe('invalid_state')
    expect((await table.call('pell', 'get_note', { noteId: id })).body).toBe('two')
  })

  test('undoes all of a record or nothing of it', async () => {
    const { id: one } = await quest('One')
    const { id: stepId } = await step(one, 'Find the mark')
    await table.call('ellen', 'delete_quest', { questId: one })
    const deleted = await lastRecord()
    // The newest change is taken back first: by the time the oldest one cannot be, the step is out of the trash.
    table.store.run("UPDATE changes SET kind = 'purge' WHERE change_set_id = @deleted AND entity_type = 'quest'", {
      deleted,
    })
    const rows = () => [table.row('quests', one), table.row('objectives', stepId), table.row('change_sets', deleted)]
    const before = rows()
    expect((await refused('revert_change', { auditRecordId: deleted })).code).toBe('invalid_state')
    expect(rows()).toEqual(before)
  })

  test('is a DM’s, of the campaign’s own records', async () => {
    await npc('Marta')
    const auditRecordId = await lastRecord()
    expect((await refused('revert_change', { auditRecordId }, 'pell')).code).toBe('not_found')
    const { id: other } = await table.call('wren', 'create_campaign', { name: 'Another table' })
    await table.call('wren', 'create_npc', { campaignId: other, name: 'Hob' })
    const theirs = (await table.call('wren', 'list_audit_records', { campaignId: other })).items[0].id
    expect((await refused('revert_change', { auditRecordId: theirs })).code).toBe('not_found')
  })
})

describe('restoring a revision', () => {
  test('writes its values as a new one', async () => {
    const { id } = await npc('Marta', { voice: 'Dry.', dmSecret: 'One.' })
    await table.call('ellen', 'update_npc', { npcId: id, voice: 'Low.' })
    await table.call('ellen', 'update_npc', { npcId: id, voice: 'Hoarse.', dmSecret: 'Two.', name: 'Old Marta' })
    const { items } = await table.call('ellen', 'list_revisions', { entityType: 'npc', entityId: id })
    expect(items.map((each: Answer) => [each.revision, each.kind])).toEqual([
      [3, 'update'],
      [2, 'update'],
      [1, 'create'],
    ])
    expect(await table.call('ellen', 'get_revision', { revisionId: items[1].id })).toMatchObject({
      values: { name: 'Marta', voice: 'Low.', dmSecret: 'One.' },
      changes: expect.arrayContaining([{ field: 'voice', before: 'Low.', after: 'Hoarse.' }]),
    })
    await table.call('ellen', 'restore_revision', { revisionId: items[2].id })
    expect(await table.call('ellen', 'get_npc', { npcId: id })).toMatchObject({
      name: 'Marta',
      voice: 'Dry.',
      dmSecret: 'One.',
      revision: 4,
    })
  })

  test('brings back no link to what is gone', async () => {
    const { id: locationId } = await table.call('ellen', 'create_location', { name: 'The mill' })
    const { id } = await npc('Marta', { locationId })
    await table.call('ellen', 'update_npc', { npcId: id, locationId: null })
    await table.call('ellen', 'delete_location', { locationId })
    const { items } = await table.call('ellen', 'list_revisions', { entityType: 'npc', entityId: id })
    await table.call('ellen', 'restore_revision', { revisionId: items.at(-1).id })
    expect(table.row('npcs', id).location_id).toBeNull()
  })

  test('is refused for notes, for what is in the trash, and for who is no DM', async () => {
    const { id } = await npc('Marta')
    const [{ id: revisionId }] = (await table.call('ellen', 'list_revisions', { entityType: 'npc', entityId: id }))
      .items
    expect((await refused('restore_revision', { revisionId }, 'pell')).code).toBe('not_found')
    await table.call('ellen', 'delete_npc', { npcId: id })
    expect((await refused('restore_revision', { revisionId })).code).toBe('invalid_state')
    const { id: noteId } = await table.call('ellen', 'create_note', { body: 'mine', visibility: 'party' })
    const [revision] = (await table.call('ellen', 'list_revisions', { entityType: 'note', entityId: noteId })).items
    expect((await refused('restore_revision', { revisionId: revision.id })).code).toBe('invalid_state')
  })
})

describe('the trash', () => {
  const trash = async (): Promise<Answer> => (await table.call('ellen', 'list_trash')).items
  const restore = (entityType: string, entityId: number): Promise<Answer> =>
    table.call('ellen', 'restore_from_trash', { entityType, entityId })

  test('takes what a thing owns along as one batch, and gives just that back', async () => {
    const { id } = await quest('The year that was sold')
    const { id: gone } = await step(id, 'Was done already')
    const { id: kept } = await step(id, 'Buy it back')
    await table.call('ellen', 'delete_objective', { objectiveId: gone })
    await table.call('ellen', 'delete_quest', { questId: id })
    expect(await trash()).toMatchObject([
      {
        entityType: 'quest',
        entityId: id,
        title: 'The year that was sold',
        owned: 1,
        deletedByUserId: table.userId('ellen'),
        deletedByUser: { id: table.userId('ellen'), title: 'ellen' },
      },
      { entityType: 'objective', entityId: gone, owned: 0 },
    ])
    expect(
      await table.refusal('ellen', 'restore_from_trash', { entityType: 'objective', entityId: gone }),
    ).toMatchObject({
      code: 'invalid_state',
      message: expect.stringContaining('Restore that first'),
    })
    expect(await restore('quest', id)).toMatchObject({ restored: 2 })
    expect((await table.call('ellen', 'get_quest', { questId: id })).objectives).toMatchObject([{ id: kept }])
    expect(await trash()).toMatchObject([{ entityType: 'objective', entityId: gone }])
    expect(await restore('objective', gone)).toMatchObject({ restored: 1 })
  })

  test('hides a thing from search, mentions and links until it is back', async () => {
    const { id: locationId } = await table.call('ellen', 'create_location', { name: 'The Pomary' })
    const { id } = await npc('Marta', { locationId, body: `Walks in [it](location:${locationId})` })
    const found = async (): Promise<number> =>
      (await table.call('ellen', 'search_campaign', { query: 'pomary' })).items.length
    expect(await found()).toBe(1)
    await table.call('ellen', 'delete_location', { locationId })
    expect(await found()).toBe(0)
    expect((await table.call('ellen', 'get_npc', { npcId: id })).locationId).toBeNull()
    await restore('location', locationId)
    expect(await found()).toBe(1)
    expect((await table.call('ellen', 'get_npc', { npcId: id })).locationId).toBe(locationId)
    expect(
      (await table.call('ellen', 'list_mentions', { entityType: 'location', entityId: locationId })).items,
    ).toHaveLength(1)
  })

  test('purging deletes for good and blanks every image, of owned rows too', async () => {
    const { id } = await quest('The year that was sold', { dmSecret: 'Sold to the Cellarer.', body: `By [her](npc:1)` })
    const { id: stepId } = await step(id, 'Buy it back from the Cellarer')
    await table.call('ellen', 'update_quest', { questId: id, title: 'The year that was lost' })
    await table.call('ellen', 'delete_quest', { questId: id })
    expect(await table.call('ellen', 'purge_from_trash', { entityType: 'quest', entityId: id })).toMatchObject({
      purged: 2,
    })
    expect([table.row('quests', id), table.row('objectives', stepId)]).toEqual([undefined, undefined])
    for (const [type, key] of [
      ['quest', id],
      ['objective', stepId],
    ] as const) {
      for (const image of images(type, key)) expect(image).toMatchObject({ before: null, after: null, fields: '[]' })
    }
    const left = ['changes', 'search_documents', 'mentions', 'idempotency_keys'].map((name) =>
      JSON.stringify(table.store.all(`SELECT * FROM ${name}`)),
    )
    for (const text of left) expect(text).not.toContain('Cellarer')
    expect(await trash()).toEqual([])
    const audit = await table.call('ellen', 'list_audit_records', { entityType: 'quest', entityId: id })
    expect(audit.items.map(({ operation }: Answer) => operation)).toEqual([
      'purge_from_trash',
      'delete_quest',
      'update_quest',
      'create_quest',
    ])
    const created = audit.items.at(-1).id
    expect((await refused('revert_change', { auditRecordId: created })).code).toBe('invalid_state')
  })

  test('purging what is not in the trash is refused', async () => {
    const { id } = await npc('Marta')
    expect((await refused('purge_from_trash', { entityType: 'npc', entityId: id })).code).toBe('not_found')
    expect(table.row('npcs', id).name).toBe('Marta')
  })

  test('pages', async () => {
    for (let number = 0; number < 7; number += 1) {
      await table.call('ellen', 'delete_npc', { npcId: (await npc(`Extra ${number}`)).id })
    }
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const page = await table.call('ellen', 'list_trash', { limit: 3, ...(cursor === undefined ? {} : { cursor }) })
      seen.push(...page.items.map(({ title }: Answer) => title))
      cursor = page.nextCursor ?? undefined
    } while (cursor !== undefined)
    expect(seen).toEqual([6, 5, 4, 3, 2, 1, 0].map((number) => `Extra ${number}`))
  })

  test('does not show the DM the private notes and whispers of others', async () => {
    for (const name of ['create_note', 'send_whisper']) {
      const more = name === 'create_note' ? { visibility: 'private' } : { recipientUserId: table.userId('wren') }
      const { id } = await table.call('pell', name, { body: 'I do not trust Marta', ...more })
      await table.call('pell', 'delete_note', { noteId: id })
      expect((await refused('restore_from_trash', { entityType: 'note', entityId: id })).code).toBe('not_found')
      expect((await refused('purge_from_trash', { entityType: 'note', entityId: id })).code).toBe('not_found')
      expect((await refused('list_revisions', { entityType: 'note', entityId: id })).code).toBe('not_found')
    }
    expect(await trash()).toEqual([])
  })
})
