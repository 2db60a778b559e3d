import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { entities, operations, toolsetsOf } from '../../src/catalogue.ts'
import type { Entity } from '../../src/kernel/entity.ts'
import { ownerOf } from '../../src/kernel/ownership.ts'
import { roles, type Viewer } from '../../src/kernel/viewer.ts'
import { type ParentOf, type Predicate, sees } from '../../src/kernel/visibility.ts'
import { type Column, columnsOf, encode, homeColumns, type SqlValue } from '../../src/storage/columns.ts'
import { termsOf } from '../../src/storage/consent-terms.ts'
import { holdsFor, readerFor, wholeRow } from '../../src/storage/reader.ts'
import { createRegistry } from '../../src/storage/registry.ts'
import { migrationsOf } from '../../src/storage/schema.ts'
import { openStore } from '../../src/storage/store.ts'
import { predicateSql, sqlViewerOf, visibleSql } from '../../src/storage/visibility-sql.ts'
import { unfrozen } from '../domain/support.ts'
import { partyEntities } from '../support/party-domain.ts'

// One predicate, two readings of it: the SQL that every list is filtered by, and the test that live events are filtered
// by. On random rows and viewers they are equal, for every entity.

const folder = mkdtempSync(path.join(tmpdir(), 'visibility-test-'))
const registry = createRegistry([...entities, ...partyEntities], toolsetsOf(entities, operations))
const now = '2026-11-20T18:00:00.000Z'
const store = openStore({
  path: path.join(folder, 'talekeeper.db'),
  registry,
  migrations: migrationsOf(registry, unfrozen),
  now,
  copyBeforeMigration: null,
})
// Rows may name what there is not: both readings have to agree on that, too.
store.connection.pragma('foreign_keys = OFF')
store.connection.pragma('synchronous = OFF')
afterAll(() => {
  store.close()
  rmSync(folder, { recursive: true, force: true })
})

const userIds = fc.integer({ min: 1, max: 4 })
/** Few ids, so that links hit their targets, and one that nothing has. */
const rowIds = fc.integer({ min: 1, max: 6 })

/** Kinds that random links lead to: one that can be hidden, and one that is seen by what is known of it. */
const linkedKinds = ['npc', 'location'] as const

/** Values of a column: any that its field can hold, out of few. */
function valuesOf({ field, kind }: Column): fc.Arbitrary<unknown> {
  const { schema, presence, marks } = field as NonNullable<Column['field']>
  const values = ((): fc.Arbitrary<unknown> => {
    if (marks.link !== undefined) return 'id' in marks.link ? fc.constantFrom(...linkedKinds) : rowIds
    if (marks.references !== undefined) return marks.references === 'user' ? userIds : rowIds
    if (kind === 'boolean') return fc.boolean()
    const options = (schema as { readonly options?: readonly string[] }).options
    if (options !== undefined) return fc.constantFrom(...options)
    if (kind === 'integer' || kind === 'real') return fc.integer({ min: 0, max: 3 })
    if (kind === 'json') return fc.constantFrom([], {}, ['world'], ['story', 'world'])
    return fc.constantFrom('a', 'b')
  })()
  return presence === 'nullable' ? fc.option(values, { nil: null }) : values
}

interface RandomRow {
  readonly deleted: boolean
  /** Whose it is, where rows are a person's. */
  readonly userId: number
  readonly values: Readonly<Record<string, unknown>>
}

function rowsOf(entity: Entity): fc.Arbitrary<readonly RandomRow[]> {
  const own = columnsOf(entity).filter(({ field }) => field !== null)
  const values = fc.record(Object.fromEntries(own.map((column) => [column.key, valuesOf(column)])))
  return fc.array(fc.record({ deleted: fc.boolean(), userId: userIds, values }), { minLength: 1, maxLength: 5 })
}

/** Toolsets that random rows name, beside one that nothing is of. */
const namedToolsets = ['story', 'world', '']

/** Some read for an outside AI, and some may read a few toolsets only: of those of `involved`, so that what is asked may be closed where what asks is open. */
function viewersOf(involved: readonly Entity[]): fc.Arbitrary<Viewer> {
  const toolsets = involved.map(({ name }) => registry.toolsetOf(name) ?? '')
  return fc.record({
    ai: fc.option(fc.constant({ policy: 'disabled', agreed: new Set<number>() } as const), { nil: null }),
    toolsets: fc.option(fc.subarray(Array.from(new Set([...namedToolsets, ...toolsets]))), { nil: null, freq: 2 }),
    userId: userIds,
    campaignId: fc.constant(1),
    role: fc.option(fc.constantFrom(...roles), { nil: null }),
    admin: fc.boolean(),
    door: fc.constantFrom('rest', 'mcp'),
  })
}

const people = viewersOf([]).map((viewer): Viewer => ({ ...viewer, ai: null, toolsets: null }))

/** The entity and those whose rows its predicate asks, all the way up. */
function withParents(entity: Entity): readonly Entity[] {
  const named = (predicate: Predicate | null): readonly string[] => {
    if (predicate === null) return []
    if (predicate.is === 'parent') return [predicate.entity]
    if (predicate.is === 'linked') return linkedKinds
    if (predicate.is === 'self')
      return predicate.through === undefined ? [] : [predicate.through, ...named(registry.get(predicate.through).isOwn)]
    return 'of' in predicate ? predicate.of.flatMap(named) : []
  }
  const parents = [...named(entity.visible), ...named(entity.isOwn)].map((name) => registry.get(name))
  // What an outside AI sees hangs on members and on their campaign.
  const asked = entity.forAi === null ? [] : ['member', 'campaign'].map((name) => registry.get(name))
  parents.push(...asked)
  return Array.from(new Set([entity, ...parents.filter((parent) => parent !== entity).flatMap(withParents)]))
}

function insert(entity: Entity, rows: readonly RandomRow[]): void {
  store.run(`DELETE FROM ${entity.table}`)
  const own = columnsOf(entity).filter(({ field }) => field !== null)
  const home = homeColumns[entity.scope]
  const scope = home === null || home.column === 'id' ? [] : [home.column]
  const names = ['id', 'created_at', 'updated_at', 'deleted_at', ...scope, ...own.map(({ column }) => column)]
  const sql = `INSERT INTO ${entity.table} (${names.join(', ')}) VALUES (${names.map((name) => `@${name}`).join(', ')})`
  for (const [index, { deleted, userId, values }] of rows.entries()) {
    const bindings: Record<string, SqlValue> = {
      id: index + 1,
      created_at: now,
      updated_at: now,
      deleted_at: deleted ? now : null,
      campaign_id: 1,
      user_id: userId,
    }
    for (const { key, column, kind } of own) bindings[column] = encode(kind, values[key])
    // What is unique stays so: the second row of a pair is left away.
    store.run(
      sql.replace('INSERT', 'INSERT OR IGNORE'),
      Object.fromEntries(names.map((name) => [name, bindings[name] ?? null])),
    )
  }
}

const parentOf: ParentOf = (name, id) => {
  const entity = registry.get(name)
  const row = wholeRow(store, entity, id)
  return row === null ? null : { row, visible: entity.visible, isOwn: entity.isOwn }
}

describe.each(registry.all.map((entity) => [entity.name, entity] as const))('%s', (_, entity) => {
  const involved = withParents(entity)
  const worlds = fc.record(Object.fromEntries(involved.map((each) => [each.name, rowsOf(each)])))
  const viewers = viewersOf(involved)

  test('who sees a row is the same in SQL and in TypeScript', () => {
    let [compared, seenOnes] = [0, 0]
    const property = fc.property(worlds, fc.array(viewers, { minLength: 1, maxLength: 4 }), (world, looking) => {
      store.transaction(() => {
        for (const each of involved) insert(each, world[each.name] as readonly RandomRow[])
      })
      const ids = store.all(`SELECT id FROM ${entity.table} ORDER BY id`).map(({ id }) => Number(id))
      for (const { ai, ...rest } of looking) {
        const viewer: Viewer = { ...rest, ai: ai && termsOf(store, 1) }
        const sql = `SELECT t.id AS id FROM ${entity.table} t WHERE ${visibleSql(registry, entity, 't', sqlViewerOf(viewer))} AND @viewer = @viewer ORDER BY t.id`
        const bySql = store.all(sql, { viewer: viewer.userId }).map(({ id }) => Number(id))
        const byTest = ids.filter((id) =>
          holdsFor(store, entity.visible, entity, wholeRow(store, entity, id) as never, viewer),
        )
        expect(byTest).toEqual(bySql)
        compared += ids.length
        seenOnes += bySql.length
        // What a reader gives is that, of this campaign and out of the trash.
        const read = readerFor(store, entity, viewer)
        const living = bySql.filter((id) => wholeRow(store, entity, id)?.deletedAt === null)
        if (entity.scope !== 'root') expect(ids.filter((id) => read.find(id) !== null)).toEqual(living)
      }
    })
    fc.assert(property, { seed: 20261120, numRuns: 60 })
    // Not a comparison of nothing with nothing.
    expect(compared).toBeGreaterThan(200)
    expect(seenOnes).toBeGreaterThan(0)
    const always = entity.visible.is === 'everyone'
    expect(always ? compared > 0 : seenOnes < compared).toBe(true)
  })
})

describe.each(registry.all.filter(({ owner }) => owner !== null).map((entity) => [entity.name, entity] as const))(
  'whose a row of %s is',
  (_, entity) => {
    const involved = withParents(entity)
    const worlds = fc.record(Object.fromEntries(involved.map((each) => [each.name, rowsOf(each)])))
    const rowOf = (name: string, id: number) => {
      const row = wholeRow(store, registry.get(name), id)
      return row === null ? null : { entity: registry.get(name), row }
    }

    test('is the same in SQL, as a predicate and along the path', () => {
      let own = 0
      const property = fc.property(worlds, people, (world, viewer) => {
        store.transaction(() => {
          for (const each of involved) insert(each, world[each.name] as readonly RandomRow[])
        })
        const isOwn = entity.isOwn as Predicate
        const sql = `SELECT t.id AS id FROM ${entity.table} t WHERE ${predicateSql(registry, entity, isOwn, 't', sqlViewerOf(viewer))} ORDER BY t.id`
        const bySql = store.all(sql, { viewer: viewer.userId }).map(({ id }) => Number(id))
        const ids = store.all(`SELECT id FROM ${entity.table} ORDER BY id`).map(({ id }) => Number(id))
        const rows = ids.map((id) => ({ id, row: wholeRow(store, entity, id) as Readonly<Record<string, unknown>> }))
        expect(rows.filter(({ row }) => sees(isOwn, row, viewer, parentOf)).map(({ id }) => id)).toEqual(bySql)
        expect(rows.filter(({ row }) => ownerOf({ entity, row }, rowOf) === viewer.userId).map(({ id }) => id)).toEqual(
          bySql,
        )
        own += bySql.length
      })
      fc.assert(property, { seed: 20261122, numRuns: 100 })
      expect(own).toBeGreaterThan(0)
    })
  },
)

describe('any predicate', () => {
  const objective = registry.get('objective')
  const quest = registry.get('quest')
  const field = (name: string, values: fc.Arbitrary<boolean | number>): fc.Arbitrary<Predicate> =>
    fc.array(values, { maxLength: 2 }).map((list) => ({ is: 'field', field: name, in: list }))
  const { tree } = fc.letrec<{ tree: Predicate; leaf: Predicate }>((tie) => ({
    leaf: fc.oneof(
      fc.constantFrom<Predicate>({ is: 'everyone' }, { is: 'dm' }, { is: 'admin' }),
      fc.constant<Predicate>({ is: 'self', field: 'position' }),
      fc.constant<Predicate>({ is: 'parent', field: 'questId', entity: 'quest' }),
      field('hidden', fc.boolean()),
      field('done', fc.boolean()),
      field('position', fc.integer({ min: 0, max: 3 })),
    ),
    tree: fc.oneof(
      { depthSize: 'small' },
      tie('leaf'),
      fc.record<Predicate & { is: 'any' | 'all' }>({
        is: fc.constantFrom('any', 'all'),
        of: fc.array(tie('tree'), { maxLength: 3 }),
      }),
    ),
  }))

  test('reads the same both ways, however it is put together', () => {
    const property = fc.property(tree, rowsOf(objective), rowsOf(quest), people, (visible, rows, owners, viewer) => {
      store.transaction(() => {
        insert(objective, rows)
        insert(quest, owners)
      })
      const sql = `SELECT t.id AS id FROM objectives t WHERE ${predicateSql(registry, objective, visible, 't', sqlViewerOf(viewer))} AND @viewer = @viewer ORDER BY t.id`
      const bySql = store.all(sql, { viewer: viewer.userId }).map(({ id }) => Number(id))
      const ids = store.all('SELECT id FROM objectives ORDER BY id').map(({ id }) => Number(id))
      const byTest = ids.filter((id) => sees(visible, wholeRow(store, objective, id) as never, viewer, parentOf))
      expect(byTest).toEqual(bySql)
    })
    fc.assert(property, { seed: 20261121, numRuns: 400 })
  })

  test('of a parent whose toolset is closed nothing is seen, where that of the row is open', () => {
    const token = { ...registry.get('map_token'), visible: { is: 'parent', field: 'npcId', entity: 'npc' } as const }
    const npc = registry.get('npc')
    const filled = (entity: Entity, values: Readonly<Record<string, unknown>>) => {
      const [row] = fc.sample(rowsOf(entity), { seed: 20261122, numRuns: 1 })[0] as readonly RandomRow[]
      insert(entity, [{ deleted: false, userId: 1, values: { ...row?.values, ...values } }])
    }
    const seen = (toolsets: readonly string[] | null) => {
      const viewer: Viewer = {
        userId: 1,
        campaignId: 1,
        role: 'dm',
        admin: false,
        door: 'mcp',
        ai: null,
        toolsets,
      }
      const sql = `SELECT t.id AS id FROM map_tokens t WHERE ${predicateSql(registry, token, token.visible, 't', sqlViewerOf(viewer))} AND @viewer = @viewer`
      const byTest = holdsFor(store, token.visible, token, wholeRow(store, token, 1) as never, viewer)
      expect(store.all(sql, { viewer: 1 }).length === 1).toBe(byTest)
      return byTest
    }
    filled(npc, { hidden: false })
    filled(token, { npcId: 1 })
    expect(registry.toolsetOf('npc')).not.toBe(registry.toolsetOf('map_token'))
    expect([seen(null), seen(['maps', 'world']), seen(['maps'])]).toEqual([true, true, false])
  })
})
