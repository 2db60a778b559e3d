import { beforeAll, describe, expect, test } from 'vitest'
import { operations } from '../../src/catalogue.ts'
import { sessionActor } from '../../src/identity/sessions.ts'
import { Failure } from '../../src/kernel/errors.ts'
import { columnsOf } from '../../src/storage/columns.ts'
import { asWhoMay, type Doing, doingsOf, kindsOfCampaigns, searchedIn, writes } from '../support/abilities.ts'
import { valueFor } from '../support/filled-document.ts'
import { walkLimitMs } from '../support/long.ts'
import { shareWorld } from '../support/shared-world.ts'
import type { TestWorld } from '../support/world.ts'

// What can be done with a kind of thing is done with every one (test/pins/abilities.tsv says what that is). Where an ability is
// tested for all of them elsewhere: stale revisions in http/errors-stale, hiding in secrecy/live, lists in http/brief-lists,
// what travels in domain/travel.

const shared = shareWorld()
let doings: readonly Doing[]
beforeAll(async () => {
  doings = await doingsOf(shared.world)
}, walkLimitMs)

type Rows = Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>

/** How often each ability was really tried: a kind of thing that lacks it is passed over. */
const tried = { trashed: 0, purged: 0, versions: 0, reverted: 0, words: 0, heard: 0, fields: 0 }

/**
 * Everything of the campaigns, without what counts changes, and without what people were told of them. Proposals are decided
 * once, whatever becomes of what they made.
 */
function stateOf(world: TestWorld): Rows {
  const store = world.server.app.store()
  const told = new Set(['revision', 'public_revision', 'updated_at', 'public_updated_at', 'trash_batch', 'deleted_at'])
  return Object.fromEntries(
    kindsOfCampaigns
      .filter(({ journal, name }) => journal !== 'none' && name !== 'proposal')
      .map((entity) => {
        // What came of a change and what the journal keeps by its name stay as they are.
        const kept = columnsOf(entity).filter(
          ({ column, field }) => !told.has(column) && field?.marks.journal !== 'name' && !field?.marks.derived,
        )
        const rows = store.all(`SELECT * FROM ${entity.table} WHERE deleted_at IS NULL ORDER BY id`)
        return [entity.name, rows.map((row) => Object.fromEntries(kept.map(({ column }) => [column, row[column]])))]
      }),
  )
}

const nameOfKind = kindsOfCampaigns.map((entity) => [entity.name, entity] as const)
const doingOf = (entityType: string, kind: Doing['kind'], more: (doing: Doing) => boolean = () => true) =>
  doings.find((doing) => doing.entityType === entityType && doing.kind === kind && more(doing))
const isAlone = ({ operation, entityType, kind }: Doing): boolean =>
  doings.every((each) => each.operation !== operation || each.kind !== kind || each.entityType === entityType)

/** Does again what an example did, and answers which row of the kind it changed. */
async function again(world: TestWorld, { operation, person, entityType, kind }: Doing): Promise<number> {
  const store = world.server.app.store()
  const last = Number(store.get('SELECT max(id) AS id FROM changes')?.id ?? 0)
  await world.as(person, operation.name, operation.example(world) as Record<string, unknown>)
  const row = store.get(
    'SELECT entity_id AS id FROM changes WHERE id > @last AND entity_type = @entityType AND kind = @kind',
    { last, entityType, kind },
  )
  return Number(row?.id)
}

const lastRecord = (world: TestWorld): number =>
  Number(world.server.app.store().get('SELECT max(id) AS id FROM change_sets')?.id)

describe.each(nameOfKind.filter(([name, { trash }]) => trash && name !== 'campaign'))(
  'a %s in the trash',
  (name, entity) => {
    test(
      'comes back as it was, with all that went with it',
      shared.alone(async (world) => {
        const doing = doingOf(name, 'trash', isAlone) ?? doingOf(name, 'trash')
        if (doing === undefined) return
        const before = stateOf(world)
        const entityId = await again(world, doing)
        expect(stateOf(world)[name]?.map(({ id }) => id)).not.toContain(entityId)
        const records = world.server.app
          .store()
          .all('SELECT entity_type AS type, entity_id AS id FROM changes WHERE change_set_id = @set', {
            set: lastRecord(world),
          })
        let restored = false
        for (const { type, id } of records) {
          const thing = { campaignId: world.id('campaign'), entityType: String(type), entityId: Number(id) }
          try {
            const { answer } = await asWhoMay(world, 'restore_from_trash', thing)
            restored = answer.restored > 0
            break
          } catch (error) {
            if (!(error instanceof Failure)) throw error
          }
        }
        expect(restored, entity.undoneBy ?? 'it came back').toBe(true)
        expect(stateOf(world)).toEqual(before)
        tried.trashed += 1
      }),
    )

    test(
      'is gone for good when it is purged: no row, no words, no values in the journal',
      shared.alone(async (world) => {
        const doing = doingOf(name, 'trash', isAlone) ?? doingOf(name, 'trash')
        if (doing === undefined) return
        const store = world.server.app.store()
        const entityId = await again(world, doing)
        const records = store.all(
          'SELECT entity_type AS type, entity_id AS id FROM changes WHERE change_set_id = @set',
          { set: lastRecord(world) },
        )
        for (const { type, id } of records) {
          const thing = { campaignId: world.id('campaign'), entityType: String(type), entityId: Number(id) }
          try {
            await asWhoMay(world, 'purge_from_trash', thing)
          } catch (error) {
            if (!(error instanceof Failure)) throw error
          }
        }
        expect(world.row(entity.table, entityId)).toBeUndefined()
        tried.purged += 1
        const key = { name, entityId }
        const left = (from: string): unknown => store.get(`SELECT count(*) AS n FROM ${from}`, key)?.n
        expect(left('search_documents WHERE entity_type = @name AND entity_id = @entityId')).toBe(0)
        expect(left('mentions WHERE from_type = @name AND from_id = @entityId')).toBe(0)
        expect(
          left(
            'changes WHERE entity_type = @name AND entity_id = @entityId AND (before IS NOT NULL OR after IS NOT NULL)',
          ),
        ).toBe(0)
      }),
    )
  },
)

const kept = nameOfKind.filter(([, { journal, trash, undoneBy }]) => journal === 'full' && trash && undoneBy === null)
describe.each(kept)('versions of a %s', (name, entity) => {
  test(
    'are listed, and an earlier one comes back as a new one',
    shared.alone(async (world) => {
      const doing =
        doingOf(name, 'update', ({ operation }) => operation.name.startsWith('update_')) ?? doingOf(name, 'update')
      if (doing === undefined || name === 'campaign') return
      const entityId = await again(world, doing)
      const after = world.row(entity.table, entityId)
      const thing = { campaignId: world.id('campaign'), entityType: name, entityId }
      const { items } = await world.as('dm', 'list_revisions', thing)
      expect(items.length).toBeGreaterThan(1)
      expect(items[0].revision).toBe(after?.revision)
      const before = stateOf(world)
      const earlier = items[1]
      try {
        await world.as('dm', 'restore_revision', { revisionId: earlier.id })
      } catch (error) {
        // A decision does not come back, and a row whose changes the journal does not keep has nothing to bring back.
        if (!(error instanceof Failure) || error.code !== 'invalid_state') throw error
        return
      }
      expect(world.row(entity.table, entityId)?.revision).toBe(Number(after?.revision) + 1)
      expect(stateOf(world)).not.toEqual(before)
      tried.versions += 1
    }),
  )
})

describe.each(writes.map(({ name }) => name))('%s', (name) => {
  test(
    'taken back leaves everything as it was, and that taken back as it had become',
    shared.alone(async (world) => {
      const doing = doings.find(({ operation }) => operation.name === name)
      if (doing === undefined) return
      const last = lastRecord(world)
      const before = stateOf(world)
      await again(world, doing)
      const record = world.server.app
        .store()
        .get('SELECT id, revertible FROM change_sets WHERE id > @last AND campaign_id IS NOT NULL ORDER BY id DESC', {
          last,
        })
      if (record?.revertible !== 1) return
      const become = stateOf(world)
      await asWhoMay(world, 'revert_change', { auditRecordId: record.id })
      if (!name.startsWith('revert_')) expect(stateOf(world)).toEqual(before)
      await asWhoMay(world, 'revert_change', { auditRecordId: lastRecord(world) })
      expect(stateOf(world)).toEqual(become)
      tried.reverted += 1
    }),
  )
})

/** The update of a kind of thing, with what its example names. */
const updateOf = (name: string): Doing | undefined =>
  doings.find(
    ({ entityType, kind, operation }) => entityType === name && kind === 'update' && /^update_/.test(operation.name),
  )

const spoken = nameOfKind.filter(([, entity]) => searchedIn(entity).length > 0)
describe.each(spoken)('the words of a %s', (name, entity) => {
  test(
    'are found wherever they stand, and what they mention knows of it',
    shared.alone(async (world) => {
      const doing = updateOf(name)
      if (doing === undefined) return
      const input = doing.operation.example(world) as Record<string, unknown>
      const campaignId = Number(world.row(entity.table, doing.entityId)?.campaign_id ?? world.id('campaign'))
      for (const key of searchedIn(entity).filter((each) => each in doing.operation.input.shape)) {
        const word = `quillwort${key.toLowerCase()}`
        const isList = entity.fields[key]?.schema._zod.def.type === 'array'
        const text = isList
          ? [word]
          : entity.fields[key]?.marks.search === 'title'
            ? word
            : `[x](npc:${world.id('npc')}) ${word}`
        const ids = Object.fromEntries(Object.entries(input).filter(([member]) => member.endsWith('Id')))
        await world.as(doing.person, doing.operation.name, { ...ids, [key]: text })
        const found = await world.as(doing.person, 'search_campaign', { campaignId, query: word })
        expect(
          found.items.map((hit: { entityType: string; entityId: number }) => [hit.entityType, hit.entityId]),
          key,
        ).toContainEqual([name, doing.entityId])
        tried.words += 1
        if (isList || !String(text).startsWith('[')) continue
        const { items } = await world.as(doing.person, 'list_mentions', {
          campaignId,
          entityType: 'npc',
          entityId: world.id('npc'),
        })
        expect(
          items.map((hit: { entityType: string; entityId: number }) => `${hit.entityType}:${hit.entityId}`),
          key,
        ).toContain(`${name}:${doing.entityId}`)
      }
    }),
  )
})

test.each(nameOfKind.filter(([, { mention }]) => mention))('a %s that is mentioned knows where', (name) =>
  shared.alone(async (world) => {
    const campaignId = world.id('campaign')
    const store = world.server.app.store()
    const entity = kindsOfCampaigns.find((each) => each.name === name)
    const row = store.get(`SELECT id FROM ${entity?.table} WHERE campaign_id = @campaignId AND deleted_at IS NULL`, {
      campaignId,
    })
    const { id } = await world.as('dm', 'create_npc', {
      campaignId,
      name: 'A teller',
      body: `Of [it](${name}:${row?.id}).`,
    })
    const { items } = await world.as('dm', 'list_mentions', { campaignId, entityType: name, entityId: row?.id })
    expect(items).toContainEqual(expect.objectContaining({ entityType: 'npc', entityId: id }))
  })(),
)

test.each(nameOfKind.filter(([, { journal }]) => journal !== 'anonymous' && journal !== 'none'))(
  'a change of a %s is heard of by who made it',
  (name) =>
    shared.alone(async (world) => {
      const doing = doingOf(name, 'update') ?? doingOf(name, 'create')
      if (doing === undefined) return
      const heard: string[] = []
      const { person } = doing
      const actor = sessionActor(0, { id: world.userId[person], username: person, admin: false })
      const campaignId = Number(
        world.row(kindsOfCampaigns.find((each) => each.name === name)?.table ?? '', doing.entityId)?.campaign_id ??
          world.id('campaign'),
      )
      const send = ({ entityType }: { readonly entityType?: string }): void => {
        heard.push(String(entityType))
      }
      const leave = world.server.app.hub.subscribe({ actor, campaignId, send: send as never, close: () => {} }, null)
      await again(world, doing)
      leave()
      expect(heard).toContain(name)
      tried.heard += 1
    })(),
)

const updates = [...operations.values()].filter(
  ({ name, input }) => name.startsWith('update_') || 'expectedRevision' in input.shape,
)

const same = ['revision', 'public_revision', 'updated_at', 'public_updated_at', 'name_sort']
/** What follows from another field by the rules: nobody has more points than their most. */
const follows: Readonly<Record<string, readonly string[]>> = {
  update_character: ['hp'],
  update_combatant: ['hp', 'band'],
}

describe.each(updates.map(({ name }) => name))('%s', (name) => {
  const operation = operations.get(name)
  const shape = operation?.input.shape ?? {}
  const idsOf = (input: Readonly<Record<string, unknown>>): Record<string, unknown> =>
    Object.fromEntries(Object.entries(input).filter(([key]) => !shape[key]?.safeParse(undefined).success))

  test('says nothing that was not said: ids alone are ids alone', () => {
    const ids = idsOf(operation?.example(shared.world) as Record<string, unknown>)
    expect(operation?.input.parse(ids)).toEqual(ids)
  })

  test(
    'changes what is said and nothing else, whatever else there is',
    shared.alone(async (world) => {
      const doing = doings.find((each) => each.operation.name === name && each.kind === 'update')
      const entity = kindsOfCampaigns.find((each) => each.name === doing?.entityType)
      if (doing === undefined || entity === undefined) return
      const ids = idsOf(doing.operation.example(world) as Record<string, unknown>)
      const columns = new Map(columnsOf(entity).map(({ key, column }) => [key, column]))
      const keys = Object.keys(shape).filter((key) => !(key in ids) && key in entity.fields)
      const takes = async (key: string, value: unknown): Promise<boolean> => {
        try {
          await world.as(doing.person, name, { ...ids, [key]: value })
          return true
        } catch (error) {
          if (error instanceof Failure) return false
          throw error
        }
      }
      const value = (key: string, number: number): unknown => {
        const schema = entity.fields[key]?.schema
        if (schema === undefined || entity.fields[key]?.marks.references !== undefined) return undefined
        return valueFor(schema, key, number)
      }
      // First it has something everywhere, so that a value that comes back by itself shows.
      for (const key of keys) if (value(key, 1) !== undefined) await takes(key, value(key, 1))
      const alike = new Set([...(follows[name] ?? []), ...same])
      for (const key of keys) {
        const before = world.row(entity.table, doing.entityId) ?? {}
        if (value(key, 2) === undefined || !(await takes(key, value(key, 2)))) continue
        const after = world.row(entity.table, doing.entityId) ?? {}
        const changed = Object.keys(after).filter((column) => after[column] !== before[column] && !alike.has(column))
        expect(
          changed.filter((column) => column !== columns.get(key)),
          key,
        ).toEqual([])
        tried.fields += 1
        if (entity.fields[key]?.schema._zod.def.type !== 'string') continue
        const isTaken = entity.fields[key]?.schema.safeParse('').success === true
        expect(await takes(key, ''), `${key} as an empty text`).toBe(isTaken)
        const stored = world.row(entity.table, doing.entityId)?.[columns.get(key) ?? '']
        expect(stored, `${key} as an empty text`).toEqual(isTaken ? '' : after[columns.get(key) ?? ''])
      }
    }),
  )
})

test('all of this was really tried', () => {
  const least = { trashed: 20, purged: 20, versions: 18, reverted: 70, words: 30, heard: 35, fields: 90 }
  for (const [what, count] of Object.entries(least))
    expect(tried[what as keyof typeof tried], `${what} of ${JSON.stringify(tried)}`).toBeGreaterThanOrEqual(count)
})
