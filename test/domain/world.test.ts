import { describe, expect, test } from 'vitest'
import { placesAbove } from '../../src/domain/location/rules.ts'
import { mergedLabels } from '../../src/kernel/label-counts.ts'
import { type Answer, makeTable, named, type Table } from './support.ts'

const place = async (table: Table, name: string, more: Record<string, unknown> = {}): Promise<number> =>
  (await table.call('ellen', 'create_location', { name, ...more })).id

describe('locations', () => {
  test('the path goes from the outermost place down and ends at a hidden one', async () => {
    const table = await makeTable()
    const valley = await place(table, 'Valley')
    const town = await place(table, 'Town', { parentLocationId: valley, hidden: true })
    const street = await place(table, 'Street', { parentLocationId: town })
    const house = await place(table, 'House', { parentLocationId: street })
    const seen = async (person: 'ellen' | 'pell') =>
      named((await table.call(person, 'get_location', { locationId: house })).path)
    expect(await seen('ellen')).toEqual(['Valley', 'Town', 'Street'])
    expect(await seen('pell')).toEqual(['Street'])
    expect((await table.call('pell', 'get_location', { locationId: street })).parentLocationId).toBeNull()
  })

  test('a player sees neither hidden nor unknown places, nor who is there', async () => {
    const table = await makeTable()
    const town = await place(table, 'Town', { dmSecret: 'SECRET' })
    await place(table, 'Cellar', { parentLocationId: town, hidden: true })
    await place(table, 'Crypt', { parentLocationId: town, discovery: 'unknown' })
    await place(table, 'Well', { parentLocationId: town, discovery: 'rumoured' })
    await table.call('ellen', 'create_npc', { name: 'Ghost', locationId: town, hidden: true })
    await table.call('ellen', 'create_npc', { name: 'Hob', locationId: town })
    const pell = await table.call('pell', 'get_location', { locationId: town })
    expect(named(pell.children)).toEqual(['Well'])
    expect(named(pell.npcs)).toEqual(['Hob'])
    expect(pell).not.toHaveProperty('dmSecret')
    const ellen = await table.call('ellen', 'get_location', { locationId: town })
    expect(named(ellen.children)).toEqual(['Cellar', 'Crypt', 'Well'])
    expect(ellen.dmSecret).toBe('SECRET')
  })

  test('moving refuses the place itself and what lies in it, and takes null for the top', async () => {
    const table = await makeTable()
    const valley = await place(table, 'Valley')
    const town = await place(table, 'Town', { parentLocationId: valley })
    const street = await place(table, 'Street', { parentLocationId: town })
    const move = (locationId: number, parentLocationId: number | null) => ({ locationId, parentLocationId })
    expect((await table.refusal('ellen', 'move_location', move(town, town))).code).toBe('validation_failed')
    expect((await table.refusal('ellen', 'move_location', move(valley, street))).code).toBe('validation_failed')
    expect((await table.refusal('ellen', 'update_location', move(valley, town))).code).toBe('validation_failed')
    expect((await table.call('ellen', 'move_location', move(street, null))).parentLocationId).toBeNull()
    expect((await table.refusal('pell', 'move_location', move(street, valley))).code).toBe('forbidden')
  })

  test('a player cannot find out by proposing moves what a hidden place joins', async () => {
    const table = await makeTable()
    const valley = await place(table, 'Valley')
    const town = await place(table, 'Town', { parentLocationId: valley, hidden: true })
    const street = await place(table, 'Street', { parentLocationId: town })
    const input = { locationId: valley, parentLocationId: street }
    // The proposal is filed as if nothing lay between; the approval is where the circle shows.
    await expect(table.call('pell', 'update_location', input)).resolves.toHaveProperty('proposal')
    expect((await table.refusal('ellen', 'update_location', input)).code).toBe('validation_failed')
  })

  test('deleting one moves the places in it up, in one change that can be undone', async () => {
    const table = await makeTable()
    const valley = await place(table, 'Valley')
    const town = await place(table, 'Town', { parentLocationId: valley })
    const streets = [
      await place(table, 'North', { parentLocationId: town }),
      await place(table, 'South', { parentLocationId: town }),
    ]
    const answer = await table.call('ellen', 'delete_location', { locationId: town })
    expect(answer).toEqual({ trashed: { entityType: 'location', entityId: town } })
    for (const id of streets) expect(table.row('locations', id).parent_location_id).toBe(valley)
    const record = (await table.call('ellen', 'list_audit_records', { limit: 1 })).items[0]
    expect(record).toMatchObject({ operation: 'delete_location', entities: { length: 3 } })
    await table.call('ellen', 'revert_change', { auditRecordId: record.id })
    for (const id of streets) expect(table.row('locations', id).parent_location_id).toBe(town)
  })

  test('what lay in the place goes to the top when the place above is in the trash too', async () => {
    const table = await makeTable()
    const valley = await place(table, 'Valley')
    const town = await place(table, 'Town', { parentLocationId: valley })
    const street = await place(table, 'Street', { parentLocationId: town })
    table.store.run('UPDATE locations SET deleted_at = @now WHERE id = @valley', { now: table.now(), valley })
    await table.call('ellen', 'delete_location', { locationId: town })
    expect(table.row('locations', street).parent_location_id).toBeNull()
  })

  test('a circle that is there already does not hang the path', () => {
    const places = new Map([
      [1, { id: 1, parentLocationId: 2 }],
      [2, { id: 2, parentLocationId: 3 }],
      [3, { id: 3, parentLocationId: 2 }],
    ])
    const find = (id: number | null) => places.get(id ?? 0) ?? null
    expect(placesAbove({ id: 1, parentLocationId: 2 }, find).map(({ id }) => id)).toEqual([3, 2])
  })

  test('only a Dungeon Master makes a place unknown', async () => {
    const table = await makeTable()
    const locationId = await place(table, 'Town')
    expect((await table.refusal('pell', 'set_location_discovery', { locationId, discovery: 'unknown' })).code).toBe(
      'forbidden',
    )
    expect((await table.refusal('pell', 'create_location', { name: 'Cellar', hidden: true })).code).toBe('forbidden')
    expect((await table.call('ellen', 'set_location_discovery', { locationId, discovery: 'unknown' })).discovery).toBe(
      'unknown',
    )
    expect((await table.refusal('pell', 'get_location', { locationId })).code).toBe('not_found')
  })
})

describe('NPCs', () => {
  test('are listed by name, narrowed by place, disposition and tag, and paged', async () => {
    const table = await makeTable()
    const town = await place(table, 'Town')
    await table.call('ellen', 'create_npc', { name: 'Osk', tags: ['Ledger'], locationId: town })
    await table.call('ellen', 'create_npc', { name: 'Hob', tags: ['bell'], disposition: 'hostile' })
    await table.call('ellen', 'create_npc', { name: 'Ambrose', tags: ['ledger', 'bell'], hidden: true })
    const names = async (input: Record<string, unknown>, person: 'ellen' | 'pell' = 'ellen') =>
      named((await table.call(person, 'list_npcs', input)).items)
    expect(await names({})).toEqual(['Ambrose', 'Hob', 'Osk'])
    expect(await names({ tag: 'ledger' })).toEqual(['Ambrose', 'Osk'])
    expect(await names({ tag: 'ledger' }, 'pell')).toEqual(['Osk'])
    expect(await names({ disposition: 'hostile' })).toEqual(['Hob'])
    expect(await names({ locationId: town })).toEqual(['Osk'])
    const first = await table.call('pell', 'list_npcs', { limit: 1 })
    expect([named(first.items), await names({ limit: 1, cursor: first.nextCursor }, 'pell')]).toEqual([
      ['Hob'],
      ['Osk'],
    ])
  })

  test('one comes with its place, its quests and its backlinks, as far as the reader sees them', async () => {
    const table = await makeTable()
    const town = await place(table, 'Town', { hidden: true })
    const { id } = await table.call('ellen', 'create_npc', { name: 'Marta', locationId: town })
    await table.call('ellen', 'create_quest', { title: 'The page', giverNpcId: id, body: `Ask [Marta](npc:${id}).` })
    await table.call('ellen', 'create_quest', {
      title: 'The theft',
      giverNpcId: id,
      hidden: true,
      body: `Rob [Marta](npc:${id}).`,
    })
    const titles = (list: { title: string }[]) => list.map(({ title }) => title)
    const ellen = await table.call('ellen', 'get_npc', { npcId: id })
    expect([ellen.location, titles(ellen.quests), titles(ellen.mentionedBy.items)]).toEqual([
      { id: town, title: 'Town' },
      ['The page', 'The theft'],
      ['The page', 'The theft'],
    ])
    const pell = await table.call('pell', 'get_npc', { npcId: id })
    expect([pell.location, pell.locationId, titles(pell.quests), titles(pell.mentionedBy.items)]).toEqual([
      null,
      null,
      ['The page'],
      ['The page'],
    ])
    // To filter by a hidden place finds nothing, as if the place were not there.
    expect((await table.call('pell', 'list_npcs', { locationId: town })).items).toEqual([])
  })

  test('a stale change is refused, null clears, absent keeps', async () => {
    const table = await makeTable()
    const { id } = await table.call('ellen', 'create_npc', { name: 'Marta', role: 'Clerk', voice: 'Dry' })
    expect(await table.call('ellen', 'update_npc', { npcId: id, voice: null, expectedRevision: 1 })).toMatchObject({
      role: 'Clerk',
      voice: null,
    })
    expect((await table.refusal('ellen', 'update_npc', { npcId: id, role: 'Thief', expectedRevision: 1 })).code).toBe(
      'stale_revision',
    )
    expect((await table.refusal('ellen', 'update_npc', { npcId: id, name: null })).code).toBe('validation_failed')
  })

  test('a player proposes; hiding is refused with a reason', async () => {
    const table = await makeTable()
    const { id } = await table.call('ellen', 'create_npc', { name: 'Marta' })
    await expect(
      table.call('pell', 'set_npc_disposition', { npcId: id, disposition: 'allied' }),
    ).resolves.toHaveProperty('proposal')
    expect(table.row('npcs', id).disposition).toBe('neutral')
    expect(await table.refusal('pell', 'update_npc', { npcId: id, hidden: true })).toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining('hide'),
    })
    expect((await table.refusal('gast', 'update_npc', { npcId: id, name: 'M' })).code).toBe('forbidden')
  })
})

describe('mentions and tags', () => {
  test('backlinks of a thing that the caller does not see are not found', async () => {
    const table = await makeTable()
    const { id } = await table.call('ellen', 'create_npc', { name: 'Ghost', hidden: true })
    const input = { entityType: 'npc', entityId: id }
    expect((await table.refusal('pell', 'list_mentions', input)).code).toBe('not_found')
    expect((await table.refusal('pell', 'list_mentions', { entityType: 'npc', entityId: 999 })).code).toBe('not_found')
    expect((await table.refusal('pell', 'list_mentions', { entityType: 'ghost', entityId: 1 })).code).toBe(
      'validation_failed',
    )
    expect((await table.call('ellen', 'list_mentions', input)).items).toEqual([])
  })

  test('backlinks page, and private notes are their author’s', async () => {
    const table = await makeTable()
    const { id } = await table.call('ellen', 'create_npc', { name: 'Marta' })
    for (const visibility of ['party', 'private', 'party'])
      await table.call('pell', 'create_note', { body: `[Marta](npc:${id})`, visibility })
    const input = { entityType: 'npc', entityId: id }
    expect((await table.call('pell', 'list_mentions', input)).items).toHaveLength(3)
    expect((await table.call('ellen', 'list_mentions', input)).items).toHaveLength(2)
    const first = await table.call('gast', 'list_mentions', { ...input, limit: 1 })
    const second = await table.call('gast', 'list_mentions', { ...input, limit: 1, cursor: first.nextCursor })
    expect([first.items.length, second.items.length, second.nextCursor]).toEqual([1, 1, null])
  })

  test('a thing is one backlink where it mentions another openly and in secret, and none where in secret only', async () => {
    const table = await makeTable()
    const { id } = await table.call('ellen', 'create_npc', { name: 'Marta' })
    const mention = `[Marta](npc:${id})`
    const places = [
      await place(table, 'Both', { body: mention, dmSecret: mention }),
      await place(table, 'Open', { body: mention }),
      await place(table, 'Secret', { dmSecret: mention }),
    ]
    const backlinks = async (person: 'ellen' | 'pell'): Promise<number[]> =>
      (await table.call(person, 'list_mentions', { entityType: 'npc', entityId: id })).items.map(
        ({ entityId }: Answer) => entityId,
      )
    expect(await backlinks('ellen')).toEqual(places)
    expect(await backlinks('pell')).toEqual(places.slice(0, 2))
  })

  test('a step that is found says which quest it is a part of', async () => {
    const table = await makeTable()
    const { id } = await table.call('ellen', 'create_npc', { name: 'Marta' })
    const quest = await table.call('ellen', 'create_quest', { title: 'The silver bell' })
    const step = await table.call('ellen', 'create_objective', { questId: quest.id, text: `Ask [Marta](npc:${id})` })
    const partOf = { entityType: 'quest', entityId: quest.id, title: quest.title }
    expect((await table.call('pell', 'list_mentions', { entityType: 'npc', entityId: id })).items).toMatchObject([
      { entityType: 'objective', entityId: step.id, partOf },
    ])
    const { items } = await table.call('pell', 'search_campaign', { query: 'marta' })
    expect(items.map((hit: Answer) => [hit.entityType, hit.partOf])).toEqual([
      ['npc', null],
      ['objective', partOf],
    ])
  })

  test('tags are counted over visible things only, by name whatever the case, and paged', async () => {
    const table = await makeTable()
    await table.call('ellen', 'create_npc', { name: 'Osk', tags: ['Winter', 'bell'] })
    await table.call('ellen', 'create_npc', { name: 'Ghost', tags: ['winter', 'secret cult'], hidden: true })
    await table.call('ellen', 'create_quest', { title: 'The bell', tags: ['bell', 'ice'] })
    await place(table, 'Crypt', { tags: ['ice'], discovery: 'unknown' })
    const all = async (person: 'ellen' | 'pell') => (await table.call(person, 'list_tags')).items
    expect(await all('pell')).toEqual([
      { tag: 'bell', count: 2 },
      { tag: 'ice', count: 1 },
      { tag: 'Winter', count: 1 },
    ])
    expect(await all('ellen')).toEqual([
      { tag: 'bell', count: 2 },
      { tag: 'ice', count: 2 },
      { tag: 'secret cult', count: 1 },
      { tag: 'Winter', count: 2 },
    ])
    const first = await table.call('pell', 'list_tags', { limit: 2 })
    const rest = await table.call('pell', 'list_tags', { limit: 2, cursor: first.nextCursor })
    expect([first.items.length, rest]).toEqual([2, { items: [{ tag: 'Winter', count: 1 }], nextCursor: null }])
    expect((await table.refusal('pell', 'list_tags', { cursor: 'x' })).code).toBe('validation_failed')
  })

  test('a tag is spelled as most things spell it, and found as it is filtered by', async () => {
    const table = await makeTable()
    for (const tag of ['élan', 'Élan', 'Élan', 'Elan', '\u{10348}', '\ue000'])
      await table.call('ellen', 'create_npc', { name: 'Osk', tags: [tag] })
    await table.call('ellen', 'create_quest', { title: 'The bell', tags: ['ELAN'] })
    const { items } = await table.call('pell', 'list_tags')
    expect(items[0]).toEqual({ tag: 'Élan', count: 5 })
    const found = await table.call('pell', 'list_npcs', { tag: 'elan' })
    expect(found.items).toHaveLength(4)
    const paged: unknown[] = []
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await table.call('pell', 'list_tags', { limit: 1, ...(cursor === undefined ? {} : { cursor }) })
      paged.push(...page.items)
      cursor = page.nextCursor
    }
    expect(paged).toEqual(items)
  })

  test('labels of several kinds are joined, in the order of their characters', () => {
    const label = (key: string, label: string, most: number, count = most) => ({ key, label, most, count })
    expect(
      mergedLabels([
        [label('bell', 'bell', 1, 2), label('\u{10348}', 'x', 1)],
        [label('bell', 'Bell', 2), label('\ue000', 'y', 1)],
      ]),
    ).toEqual([label('bell', 'Bell', 2, 4), label('\ue000', 'y', 1), label('\u{10348}', 'x', 1)])
  })
})

test('what a player is answered does not depend on hidden things', async () => {
  const build = async (withHidden: boolean) => {
    const table = await makeTable()
    const town = await place(table, 'Town', { tags: ['ice'] })
    const { id: npcId } = await table.call('ellen', 'create_npc', { name: 'Marta', locationId: town })
    await table.call('pell', 'create_note', {
      body: `[Marta](npc:${npcId}) lies`,
      visibility: 'party',
      entityType: 'npc',
      entityId: npcId,
    })
    if (withHidden) {
      const cellar = await place(table, 'Cellar', { parentLocationId: town, hidden: true, tags: ['ice'] })
      await place(table, 'Attic', { parentLocationId: town, discovery: 'unknown' })
      await table.call('ellen', 'create_npc', {
        name: 'Ghost',
        locationId: cellar,
        hidden: true,
        tags: ['ice'],
        body: `[Marta](npc:${npcId})`,
      })
      await table.call('ellen', 'create_quest', { title: 'Theft', giverNpcId: npcId, locationId: town, hidden: true })
      await table.call('ellen', 'create_note', { body: 'For me.', entityType: 'npc', entityId: npcId })
      await table.call('ellen', 'create_note', {
        body: 'For DMs.',
        visibility: 'dm',
        entityType: 'npc',
        entityId: npcId,
      })
    }
    const reads = [
      ['list_npcs', {}],
      ['get_npc', { npcId }],
      ['list_locations', {}],
      ['list_locations', { parentLocationId: town }],
      ['get_location', { locationId: town }],
      ['list_tags', {}],
      ['list_mentions', { entityType: 'npc', entityId: npcId }],
      ['list_notes', {}],
      ['list_notes', { entityType: 'npc', limit: 1 }],
      ['list_notes', { query: 'marta' }],
      ['list_inbox_items', {}],
    ] as const
    const answers = []
    for (const [name, input] of reads) answers.push(await table.call('pell', name, input))
    return answers
  }
  expect(await build(true)).toEqual(await build(false))
})
