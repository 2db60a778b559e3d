import { beforeEach, describe, expect, test } from 'vitest'
import { examplePack } from '../../src/domain/rule-pack/operations.ts'
import type { Actor } from '../../src/kernel/viewer.ts'
import { sweepEntries } from '../../src/storage/rule-entries.ts'
import { type Answer, makeTable, named, type Table } from './support.ts'

// Books of rules on the shelf, and what a table writes itself.

let table: Table
beforeEach(async () => {
  table = await makeTable()
})

const hound = examplePack.entries[0]
const entry = (values: object) => ({ ...hound, ...values })
const install = (document: object): Promise<Answer> => table.callAs(admin, 'install_rule_pack', { document })
const admin = (actor: Actor): Actor => ({ ...actor, admin: true })
const search = async (input: object, person: 'ellen' | 'pell' = 'ellen'): Promise<Answer> =>
  table.call(person, 'search_rules', { query: '', ...input })
const counts = () =>
  ['rule_entries', 'rule_packs'].map((name) => table.store.get(`SELECT count(*) AS n FROM ${name}`)?.n)

describe('a pack', () => {
  test('is kept with its licence, searched and read', async () => {
    const pack = await install(examplePack)
    expect(pack).toMatchObject({
      title: 'Creatures of the salt road',
      entryCount: 1,
      kinds: { creature: 1 },
      notes: [],
    })
    const { items } = await search({ query: 'salt hounds' }, 'pell')
    expect(items).toMatchObject([
      { name: 'Salt hound', kind: 'creature', summary: 'Creature, Challenge 1', rulePackTitle: pack.title },
    ])
    expect(await table.call('gast', 'get_rule_entry', { ruleEntryId: items[0].id })).toMatchObject({
      name: 'Salt hound',
      body: 'It tastes the wind for water.',
      statblock: { hitPoints: { value: 22, dice: '4d8+4' } },
      pack: { licenceName: 'Creative Commons Attribution 4.0', attribution: 'By the table of the orchard.' },
      homebrew: null,
    })
  })

  test('of a newer version takes the place of the older, and entries keep their ids', async () => {
    const first = await install({ ...examplePack, entries: [hound, entry({ key: 'moth', name: 'Lantern moth' })] })
    const [{ id }] = (await search({ query: 'salt hound' })).items
    const second = await install({ ...examplePack, version: '1.10.0', entries: [entry({ name: 'Brine hound' })] })
    expect([second.id, second.version, second.entryCount]).toEqual([first.id, '1.10.0', 1])
    expect(named((await search({})).items)).toEqual(['Brine hound'])
    expect((await table.call('ellen', 'get_rule_entry', { ruleEntryId: id })).name).toBe('Brine hound')
    await expect(install({ ...examplePack, version: '1.9.0' })).rejects.toMatchObject({ code: 'invalid_state' })
    expect(named((await search({})).items)).toEqual(['Brine hound'])
  })

  test('that is gone or replaced is swept away, and what is read stays', async () => {
    await install({ ...examplePack, version: '0.9' })
    await install(examplePack)
    expect(counts()).toEqual([2, 1])
    while (sweepEntries(table.store, table.now()));
    expect(counts()).toEqual([2, 1])
    table.pass(10)
    while (sweepEntries(table.store, table.now()));
    expect(counts()).toEqual([1, 1])
    expect((await search({ query: 'hound' })).items).toHaveLength(1)
  })

  test('in a script without spaces is found by what stands inside of its words, until another version says otherwise', async () => {
    const red = entry({ name: '赤い龍', text: '古い塔の主' })
    await install({ ...examplePack, version: '0.9', entries: [red] })
    const found = async (query: string) => named((await search({ query })).items)
    expect([await found('龍'), await found('塔の主'), await found('龍い')]).toEqual([['赤い龍'], ['赤い龍'], []])
    await install({ ...examplePack, entries: [entry({ name: '青い鳥' })] })
    table.pass(10)
    while (sweepEntries(table.store, table.now()));
    expect([await found('龍'), await found('い鳥')]).toEqual([[], ['青い鳥']])
  })

  test('is not removed while a campaign names it, and then is; put back, its entries are who they were', async () => {
    const { id } = await install(examplePack)
    const [{ id: before }] = (await search({})).items
    await table.call('ellen', 'update_campaign_settings', { rulePackIds: [id] })
    await expect(table.callAs(admin, 'uninstall_rule_pack', { rulePackId: id })).rejects.toMatchObject({
      code: 'invalid_state',
      message: expect.stringContaining('A campaign reads'),
    })
    await table.call('ellen', 'update_campaign_settings', { rulePackIds: null })
    await table.callAs(admin, 'uninstall_rule_pack', { rulePackId: id })
    expect((await search({})).items).toEqual([])
    expect(await table.refusal('ellen', 'get_rule_entry', { ruleEntryId: before })).toMatchObject({ code: 'not_found' })
    await install(examplePack)
    expect((await search({})).items[0].id).toBe(before)
  })

  test('is read in a campaign only where it is on its shelf', async () => {
    const one = await install(examplePack)
    const other = await install({
      ...examplePack,
      key: 'other',
      title: 'Other',
      entries: [entry({ name: 'Salt crab' })],
    })
    await table.call('ellen', 'update_campaign_settings', { rulePackIds: [other.id] })
    expect(named((await search({ query: 'salt' })).items)).toEqual(['Salt crab'])
    expect(named((await search({ query: 'salt', rulePackIds: [one.id] })).items)).toEqual([])
    expect(await table.refusal('ellen', 'update_campaign_settings', { rulePackIds: [99] })).toMatchObject({
      code: 'validation_failed',
    })
  })

  test('is searched by kind, system and what it is in one line, and gone through without words', async () => {
    const spell = { key: 'ward', kind: 'spell', system: 'pathfinder2e', name: 'Ward', statblock: { level: 1 } }
    const rule = { key: 'thirst', kind: 'rule', system: 'generic', name: 'Thirst', text: 'Doubled upon salt.' }
    await install({ ...examplePack, entries: [entry({ statblock: { type: 'undead' } }), spell, rule] })
    expect(named((await search({ query: 'undead' })).items)).toEqual(['Salt hound'])
    expect(named((await search({ kind: 'spell' })).items)).toEqual(['Ward'])
    expect(named((await search({ system: 'pathfinder2e' })).items)).toEqual(['Ward', 'Thirst'])
    expect(named((await search({})).items)).toEqual(['Salt hound', 'Ward', 'Thirst'])
    expect(named((await search({ query: 'thrist' })).items)).toEqual(['Thirst'])
    const first = await search({ limit: 2 })
    expect(named((await search({ limit: 2, cursor: first.nextCursor })).items)).toEqual(['Thirst'])
  })
})

describe('what a table writes itself', () => {
  const write = (values: object): Promise<Answer> =>
    table.call('ellen', 'create_homebrew', { kind: 'creature', name: 'Lantern moth', ...values })

  test('is found beside the packs, hidden from players where it is, and read with its secret by the Dungeon Master', async () => {
    await install(examplePack)
    const moth = await write({ body: 'Drawn to salt.', dmSecret: 'It slept at Nettie’s.', hidden: true })
    expect(named((await search({ query: 'salt' })).items).sort()).toEqual(['Lantern moth', 'Salt hound'])
    expect(named((await search({ query: 'salt' }, 'pell')).items)).toEqual(['Salt hound'])
    expect(named((await search({}, 'pell')).items)).toEqual(['Salt hound'])
    const ruleEntryId = moth.id
    expect(await table.call('ellen', 'get_rule_entry', { ruleEntryId })).toMatchObject({
      dmSecret: 'It slept at Nettie’s.',
      pack: null,
    })
    expect(await table.refusal('pell', 'get_rule_entry', { ruleEntryId })).toMatchObject({ code: 'not_found' })
    await table.call('ellen', 'update_homebrew', { ruleEntryId, hidden: false })
    expect(await table.call('pell', 'get_rule_entry', { ruleEntryId })).not.toHaveProperty('dmSecret')
  })

  test('has numbers of its kind, and whatever is wrong with them is named', async () => {
    const { summary } = await write({ system: 'dnd5e', statblock: { size: 'tiny', type: 'beast', rating: 0.25 } })
    expect(summary).toBe('Creature, tiny beast. Challenge 1/4')
    const refused = await table.refusal('ellen', 'create_homebrew', {
      kind: 'creature',
      name: 'Moth',
      statblock: { actions: [{ name: 'Flare', damage: [{ dice: '1d' }] }] },
    })
    expect(refused).toMatchObject({ code: 'validation_failed' })
    expect(refused.message).toContain('statblock.actions[0].damage[0].dice')
    expect(
      await table.refusal('ellen', 'create_homebrew', { kind: 'rule', name: 'x', statblock: { a: 1 } }),
    ).toMatchObject({
      code: 'validation_failed',
    })
  })

  test('goes to the trash and comes back', async () => {
    const { id: ruleEntryId } = await write({})
    await table.call('ellen', 'delete_homebrew', { ruleEntryId })
    expect((await search({})).items).toEqual([])
    await table.call('ellen', 'restore_from_trash', { entityType: 'rule_entry', entityId: ruleEntryId })
    expect(named((await search({})).items)).toEqual(['Lantern moth'])
    expect(named((await table.call('pell', 'list_homebrew', { kind: 'creature' })).items)).toEqual(['Lantern moth'])
  })
})
