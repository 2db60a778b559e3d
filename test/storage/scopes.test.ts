import { beforeEach, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { campaign } from '../../src/domain/campaign/entity.ts'
import { npc } from '../../src/domain/npc/entity.ts'
import { quest } from '../../src/domain/quest/entity.ts'
import type { Context } from '../../src/kernel/context.ts'
import { defineEntity, type Entity } from '../../src/kernel/entity.ts'
import { idOf, name, parent, prose, required, withDefault } from '../../src/kernel/fields.ts'
import { type AnyOperation, defineOperation } from '../../src/kernel/operation.ts'
import type { Actor } from '../../src/kernel/viewer.ts'
import { administrators, anyOf, everyone, self, where, withParent } from '../../src/kernel/visibility.ts'
import { createHub, type LiveEvent } from '../../src/live/hub.ts'
import { type Answer, makeTable, type Person, type Table } from '../domain/support.ts'

// Rows that lie in no campaign: of the server (rule packs with their entries), and of one person (what they like, what they
// ran, what they are told).

const rulePack = defineEntity({
  name: 'open_pack',
  table: 'open_packs',
  label: 'rule pack',
  listedBy: 'list_open_packs',
  scope: 'server',
  title: 'name',
  trash: true,
  visible: anyOf(administrators, where('open', true)),
  lists: { orders: [[['name', 'asc']]] },
  fields: { name: required(name(), { search: 'title' }), open: withDefault(z.boolean(), true) },
})
const ruleEntry = defineEntity({
  name: 'open_entry',
  table: 'open_entries',
  label: 'rule entry',
  listedBy: 'search_rules',
  scope: 'server',
  trash: true,
  visible: withParent('rulePackId', 'open_pack'),
  fields: { rulePackId: parent('open_pack'), body: required(prose(), { search: 'body' }) },
})
const preference = defineEntity({
  name: 'preference',
  table: 'preferences',
  label: 'preference',
  listedBy: 'list_preferences',
  scope: 'user',
  trash: true,
  lists: { orders: [[['name', 'asc']]] },
  fields: { name: required(name()), value: withDefault(z.string(), '') },
})
/** Of one person; whoever they let may look. */
const run = defineEntity({
  name: 'run',
  table: 'runs',
  label: 'run',
  listedBy: 'list_runs',
  scope: 'user',
  visible: anyOf(self('userId'), where('shared', true)),
  fields: { text: required(prose()), shared: withDefault(z.boolean(), false) },
})
const errand = defineEntity({
  name: 'errand',
  table: 'errands',
  label: 'errand',
  listedBy: 'list_errands',
  scope: 'user',
  lists: { orders: [[]] },
  fields: { text: required(prose()), campaignId: withDefault(z.int(), 0) },
})
const declared = [rulePack, ruleEntry, preference, run, errand] as unknown as readonly Entity[]

let table: Table
beforeEach(async () => {
  table = await makeTable(declared)
})

const anything = z.any()
/** An operation outside of campaigns that does what a test says. */
function doing(effect: 'read' | 'write', handle: (context: Context) => unknown): AnyOperation {
  return defineOperation({
    name: 'do_something',
    title: 'Do',
    description: 'For tests.',
    toolset: 'rules',
    access: 'user',
    effect,
    route: 'POST /something',
    input: z.strictObject({}),
    output: anything,
    example: () => ({}),
    handle: (context) => handle(context) ?? null,
  }) as unknown as AnyOperation
}
const reading = (person: Person, handle: (context: Context) => unknown): Promise<Answer> =>
  table.call(person, 'do_something', {}, { operation: doing('read', handle) })
const writing = (person: Person, handle: (context: Context) => unknown): Promise<Answer> =>
  table.call(person, 'do_something', {}, { operation: doing('write', handle) })
const sets = (): Answer =>
  table.store.get('SELECT campaign_id, actor_user_id FROM change_sets ORDER BY id DESC LIMIT 1')

describe('a row of the server', () => {
  test('is written, read, changed, put away and brought back without a campaign', async () => {
    const id = await writing('ellen', (context) => context.write(rulePack).insert({ name: 'Open rules' }))
    expect(sets()).toEqual({ campaign_id: null, actor_user_id: table.userId('ellen') })
    expect(table.row('open_packs', id)).not.toHaveProperty('campaign_id')
    await writing('pell', (context) => context.write(rulePack).update(id, { name: 'Opener rules' }, 1))
    const row = await reading('gast', (context) => context.read(rulePack).get(id))
    expect(row).toMatchObject({ id, name: 'Opener rules', revision: 2 })
    expect(row).not.toHaveProperty('campaignId')
    expect(rulePack.output.keyof().options).not.toContain('campaignId')
    const entry = await writing('ellen', (context) =>
      context.write(ruleEntry).insert({ rulePackId: context.read(rulePack).get(id).id, body: 'A rule.' }),
    )
    await writing('ellen', (context) => context.write(rulePack).trash(id))
    expect(await reading('gast', (context) => context.read(ruleEntry).find(entry))).toBeNull()
    expect(await reading('gast', (context) => context.unfiltered(rulePack).count())).toBe(0)
    expect(await writing('ellen', (context) => context.trash.restore(rulePack as never, id))).toBe(2)
    expect(await reading('gast', (context) => context.read(ruleEntry).get(entry))).toMatchObject({ body: 'A rule.' })
    await writing('ellen', (context) => context.write(rulePack).trash(id))
    expect(await writing('ellen', (context) => context.trash.purge(rulePack as never, id))).toBe(2)
    expect(table.row('open_packs', id)).toBeUndefined()
  })

  test('is journalled with its values and of no campaign', async () => {
    const id = await writing('ellen', (context) => context.write(rulePack).insert({ name: 'Open rules' }))
    await writing('ellen', (context) => context.write(rulePack).update(id, { name: 'Opener rules' }))
    const changes = table.store.all(
      "SELECT campaign_id, kind, before, after FROM changes WHERE entity_type = 'open_pack'",
    )
    expect(changes).toMatchObject([
      { campaign_id: null, kind: 'create' },
      { campaign_id: null, kind: 'update', before: '{"name":"Open rules"}', after: '{"name":"Opener rules"}' },
    ])
    expect(table.store.all("SELECT campaign_id, title FROM search_documents WHERE entity_type = 'open_pack'")).toEqual([
      { campaign_id: null, title: 'Opener rules' },
    ])
    expect((await table.call('ellen', 'search_campaign', { query: 'Opener' })).items).toEqual([])
  })

  test('is seen as its predicate says', async () => {
    const id = await writing('ellen', (context) =>
      context.write(rulePack).insert({ name: 'Closed rules', open: false }),
    )
    for (const person of ['ellen', 'gast'] as const)
      expect(await reading(person, (context) => context.read(rulePack).page({}))).toMatchObject({ items: [] })
    await writing('ellen', (context) => context.write(rulePack).update(id, { open: true }))
    expect((await reading('gast', (context) => context.read(rulePack).page({}))).items).toHaveLength(1)
  })

  test('is found by its id in a path', async () => {
    const id = await writing('ellen', (context) => context.write(rulePack).insert({ name: 'Open rules' }))
    const closed = await writing('ellen', (context) => context.write(rulePack).insert({ name: 'Closed', open: false }))
    const get = defineOperation({
      name: 'get_rule_pack',
      title: 'Get',
      description: 'For tests.',
      toolset: 'rules',
      access: 'user',
      effect: 'read',
      route: 'GET /rule-packs/{rulePackId}',
      input: z.strictObject({ rulePackId: idOf('open_pack') }),
      output: rulePack.output,
      example: (world) => ({ rulePackId: world.id('open_pack') }),
      handle: (context, { rulePackId }) => context.read(rulePack).get(rulePackId),
    }) as unknown as AnyOperation
    const ask = (rulePackId: number) => table.call('gast', 'get_rule_pack', { rulePackId }, { operation: get })
    expect(await ask(id)).toMatchObject({ name: 'Open rules' })
    await expect(ask(closed)).rejects.toMatchObject({ code: 'not_found' })
    await expect(ask(999)).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('a row of a person', () => {
  test('is theirs, and nobody else sees, counts or changes it', async () => {
    const id = await writing('pell', (context) => context.write(preference).insert({ name: 'theme', value: 'dark' }))
    expect(table.row('preferences', id)).toMatchObject({ user_id: table.userId('pell') })
    const seen = await reading('pell', (context) => context.read(preference).get(id))
    expect(seen).toMatchObject({ userId: table.userId('pell'), value: 'dark' })
    expect(seen).not.toHaveProperty('campaignId')
    for (const person of ['ellen', 'wren', 'gast'] as const) {
      expect(await reading(person, (context) => context.read(preference).find(id)), person).toBeNull()
      expect(await reading(person, (context) => context.read(preference).count()), person).toBe(0)
      expect(await reading(person, (context) => context.unfiltered(preference).count()), person).toBe(0)
      await expect(
        writing(person, (context) => context.write(preference).update(id, { value: 'light' })),
      ).rejects.toMatchObject({ code: 'not_found' })
      await expect(writing(person, (context) => context.write(preference).trash(id))).rejects.toMatchObject({
        code: 'not_found',
      })
    }
    await writing('pell', (context) => context.write(preference).trash(id))
    await expect(writing('wren', (context) => context.trash.restore(preference as never, id))).rejects.toMatchObject({
      code: 'not_found',
    })
    expect(await writing('pell', (context) => context.trash.restore(preference as never, id))).toBe(1)
    expect(await reading('pell', (context) => context.read(preference).get(id))).toMatchObject({ value: 'dark' })
  })

  test('is seen by others where its predicate says so', async () => {
    const insert = (shared: boolean) =>
      writing('pell', (context) => context.write(run).insert({ text: 'A draft', shared }))
    const [own, shared] = [await insert(false), await insert(true)]
    expect(await reading('wren', (context) => context.read(run).find(own))).toBeNull()
    expect(await reading('wren', (context) => context.read(run).find(shared))).toMatchObject({ text: 'A draft' })
    await expect(
      writing('wren', (context) => context.write(run).update(shared, { text: 'Mine' })),
    ).rejects.toMatchObject({ code: 'not_found' })
  })

  test('can be made for somebody else, from within a campaign, and is none of that campaign', async () => {
    const tell = defineOperation({
      name: 'tell',
      title: 'Tell',
      description: 'For tests.',
      toolset: 'story',
      access: 'dm',
      effect: 'write',
      route: 'POST /campaigns/{campaignId}/tell',
      input: z.strictObject({ campaignId: campaign.id }),
      output: anything,
      example: (world) => ({ campaignId: world.id('campaign') }),
      handle(context, { campaignId }) {
        context.write(quest).insert({ title: 'A new quest' })
        context.write(errand).insert({ text: 'There is a new quest', userId: table.userId('pell'), campaignId })
        return null
      },
    }) as unknown as AnyOperation
    await table.call('ellen', 'tell', {}, { operation: tell })
    const told = (context: Context) =>
      context
        .read(errand)
        .page({})
        .items.map(({ text }) => text)
    expect(await reading('pell', told)).toEqual(['There is a new quest'])
    expect(await reading('ellen', told)).toEqual([])
    const [record] = (await table.call('ellen', 'list_audit_records', { operation: 'tell' })).items
    expect(record.entities).toMatchObject([{ entityType: 'quest' }])
    expect((await table.call('ellen', 'get_audit_record', { auditRecordId: record.id })).changes).toHaveLength(1)
    // What it told somebody does not keep the Dungeon Master from undoing it.
    await table.call('ellen', 'revert_change', { auditRecordId: record.id })
    expect(await reading('pell', told)).toEqual(['There is a new quest'])
    expect((await table.call('ellen', 'list_quests')).items).toEqual([])
  })

  test('goes with the person', async () => {
    await writing('pell', (context) => context.write(preference).insert({ name: 'theme' }))
    expect(() =>
      table.store.run('DELETE FROM preferences WHERE user_id = @id', { id: table.userId('pell') }),
    ).not.toThrow()
    const sql = String(table.store.get("SELECT sql FROM sqlite_schema WHERE name = 'preferences'")?.sql)
    expect(sql).toContain('user_id INTEGER NOT NULL REFERENCES users(id) ON DELETE CASCADE')
  })

  test('a live stream hears of one’s own rows and the server’s, in whichever campaign it is', async () => {
    const hub = createHub(() => table.store)
    const heard = new Map<Person, LiveEvent[]>()
    for (const person of ['pell', 'wren'] as const) {
      const events: LiveEvent[] = []
      heard.set(person, events)
      const actor = { userId: table.userId(person), admin: false, credential: { scope: 'dm' } } as unknown as Actor
      hub.subscribe(
        { actor, campaignId: table.campaignId, send: (event) => void events.push(event), close: () => {} },
        null,
      )
    }
    table.announced.length = 0
    await writing('pell', (context) => context.write(preference).insert({ name: 'theme' }))
    await writing('ellen', (context) => context.write(rulePack).insert({ name: 'Open rules' }))
    await writing('ellen', (context) => context.write(rulePack).insert({ name: 'Closed rules', open: false }))
    hub.announce(table.announced)
    const kinds = (person: Person) => heard.get(person)?.map(({ entityType, kind }) => `${kind} ${entityType}`)
    expect(kinds('pell')).toEqual(['changed preference', 'changed open_pack'])
    expect(kinds('wren')).toEqual(['changed open_pack'])
  })
})

describe('a declaration', () => {
  const about = { name: 'thing', table: 'things', label: 'thing', listedBy: 'list_things' } as const

  test('has no field with the name of a column that every row of its scope has', () => {
    const withField = (scope: 'campaign' | 'user' | 'server', key: string) => () =>
      defineEntity({ ...about, scope, visible: everyone, fields: { [key]: required(z.int()) } })
    expect(withField('campaign', 'campaignId')).toThrow('every row has a column campaignId')
    expect(withField('user', 'userId')).toThrow('every row has a column userId')
    expect(withField('server', 'revision')).toThrow('every row has a column revision')
    expect(withField('user', 'campaignId')).not.toThrow()
  })

  test('gives its rows no campaign where they have none', () => {
    const declare = [
      // @ts-expect-error a row of the server is of no campaign
      (context: Context) => context.read(rulePack).get(1).campaignId,
      // @ts-expect-error nor is a person's
      (context: Context) => context.unfiltered(preference).get(1).campaignId,
      (context: Context) => context.unfiltered(preference).get(1).userId,
      // @ts-expect-error what lies in no campaign is not read over all of them
      (context: Context) => context.across(rulePack),
      // @ts-expect-error a campaign's row has no person
      (context: Context) => context.write(npc).insert({ name: 'Hob', userId: 1 }),
    ]
    expect(declare).toHaveLength(5)
  })

  test('says who sees its rows, unless they are a person’s', () => {
    // @ts-expect-error who sees rows of the server has to be said
    expect(() => defineEntity({ ...about, scope: 'server', fields: {} })).not.toThrow(TypeError)
    expect(defineEntity({ ...about, scope: 'user', fields: {} }).visible).toEqual(self('userId'))
  })
})

describe('over all campaigns of a person', () => {
  let second: number
  beforeEach(async () => {
    second = (await table.call('wren', 'create_campaign', { name: 'The Salt Road' })).id
    await table.call('wren', 'add_member', { campaignId: second, username: 'ellen', role: 'player' })
    await table.call('ellen', 'accept_invitation', { campaignId: second })
    const people = (campaignId: number, person: Person, names: readonly string[], hidden = false) =>
      names.reduce(
        (done, each) => done.then(() => table.call(person, 'create_npc', { campaignId, name: each, hidden })),
        Promise.resolve(),
      )
    await people(table.campaignId, 'ellen', ['Anna', 'Cara', 'Émile', 'Room 10'])
    await people(table.campaignId, 'ellen', ['Hidden of the first'], true)
    await people(second, 'wren', ['Bela', 'dora', 'Room 2'])
    await people(second, 'wren', ['Hidden of the second'], true)
  })
  const all = async (person: Person, limit: number): Promise<string[]> => {
    const names: string[] = []
    let cursor: string | undefined
    do {
      const page: Answer = await reading(person, (context) =>
        context.across(npc).page({ order: [['name', 'asc']], limit, cursor }),
      )
      names.push(...page.items.map((row: { readonly name: string }) => row.name))
      cursor = page.nextCursor ?? undefined
    } while (cursor !== undefined)
    return names
  }
  const open = ['Anna', 'Bela', 'Cara', 'dora', 'Émile', 'Room 2', 'Room 10']

  test.each([1, 2, 3, 50])(
    'rows come in one order, in each campaign through the role there, %i at a time',
    async (limit) => {
      expect(await all('ellen', limit)).toEqual([...open.slice(0, 5), 'Hidden of the first', ...open.slice(5)])
      expect(await all('wren', limit)).toEqual([...open.slice(0, 5), 'Hidden of the second', ...open.slice(5)])
      expect(await all('pell', limit)).toEqual(['Anna', 'Cara', 'Émile', 'Room 10'])
    },
  )

  test('a row is found in whichever campaign it is, and a sum counts what is seen', async () => {
    const [hidden] = table.store.all("SELECT id FROM npcs WHERE name = 'Hidden of the second'")
    const id = Number(hidden?.id)
    expect(await reading('wren', (context) => context.across(npc).find(id))).toMatchObject({ id, campaignId: second })
    expect(await reading('ellen', (context) => context.across(npc).find(id))).toBeNull()
    expect(await reading('pell', (context) => context.across(npc).find(id))).toBeNull()
    expect(await reading('ellen', (context) => context.across(npc).count())).toBe(8)
    expect(await reading('pell', (context) => context.across(npc).count({ name: 'Anna' }))).toBe(1)
  })

  test('a campaign in the trash is left out', async () => {
    await table.call('wren', 'delete_campaign', { campaignId: second })
    expect(await all('ellen', 50)).toEqual(['Anna', 'Cara', 'Émile', 'Hidden of the first', 'Room 10'])
  })
})
