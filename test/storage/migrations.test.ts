import { copyFileSync, globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { entities } from '../../src/catalogue.ts'
import { defineEntity, type Entity } from '../../src/kernel/entity.ts'
import { type Field, name, nullable, reference, required, withDefault } from '../../src/kernel/fields.ts'
import { sortKey } from '../../src/kernel/sort-key.ts'
import { everyone } from '../../src/kernel/visibility.ts'
import { campaignOf } from '../../src/storage/columns.ts'
import { migrationSources } from '../../src/storage/migrations/all.ts'
import type { MigrationSource } from '../../src/storage/migrations/source.ts'
import { migrate, schemaText } from '../../src/storage/migrations.ts'
import { parentsOf } from '../../src/storage/parts.ts'
import { wholeRow } from '../../src/storage/reader.ts'
import { createRegistry } from '../../src/storage/registry.ts'
import { checksumOf, migrationsOf, sqlOf, startingMigrations } from '../../src/storage/schema.ts'
import { partOf, rangeOf, readerFieldsOf } from '../../src/storage/search-places.ts'
import { openStore } from '../../src/storage/store.ts'
import { unfrozen } from '../domain/support.ts'
import { fixtureOf } from '../support/frozen.ts'
import { keptTallies, recounted } from '../support/tallies.ts'

const project = path.join(import.meta.dirname, '../..')
const now = '2026-11-20T18:00:00.000Z'
const registry = createRegistry(entities)
const migrations = migrationsOf(registry)
const folder = mkdtempSync(path.join(tmpdir(), 'migrations-test-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const frozen = migrationSources.filter((source) => source.frozen !== null)

describe('a frozen migration', () => {
  test('has the text that its checksum is of', () => {
    for (const source of frozen)
      expect(checksumOf(sqlOf(source, source.frozen?.derived ?? '')), source.name).toBe(source.frozen?.checksum)
  })

  test('stands ahead of the only one that still follows from the declarations, once there are any', () => {
    const following = migrationSources.length - frozen.length
    expect(frozen.length === 0 ? 0 : following).toBeLessThanOrEqual(1)
    expect(frozen.map(({ number }) => number)).toEqual(frozen.map((_, index) => index + 1))
  })

  /** What a table is, whichever migration made which part of it. */
  function shapeOf(db: Database.Database): readonly string[] {
    const all = (sql: string): readonly unknown[] => db.prepare(sql).all()
    const tables = db.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name`).pluck().all()
    const columns = tables.flatMap((table) =>
      all(`SELECT '${table}' AS t, name, type, "notnull", dflt_value FROM pragma_table_info('${table}') ORDER BY name`),
    )
    const keys = tables.flatMap((table) =>
      all(
        `SELECT '${table}' AS t, "from", "table", on_delete FROM pragma_foreign_key_list('${table}') ORDER BY "from"`,
      ),
    )
    const others = all(`SELECT name, sql FROM sqlite_schema WHERE type <> 'table' AND sql IS NOT NULL ORDER BY name`)
    return [...columns, ...keys, ...others].map((each) => JSON.stringify(each))
  }

  test('and what follows make together what the declarations say: a change of them is of a migration of its own', () => {
    const [made, declared] = [new Database(':memory:'), new Database(':memory:')]
    migrate(made, migrations, now)
    migrate(declared, migrationsOf(registry, unfrozen), now)
    const hint = 'give the field or entity the number of the next migration, and add its file to storage/migrations'
    expect(shapeOf(made), hint).toEqual(shapeOf(declared))
    made.close()
    declared.close()
  })
})

const takenAway: Readonly<Record<string, readonly string[]>> = {
  proposals: ['operation', 'input', 'target_revision'],
  search_documents: ['id'],
}
const stillThere = (table: string, row: unknown): object =>
  Object.fromEntries(Object.entries(row as object).filter(([column]) => takenAway[table]?.includes(column) !== true))

test('a start that knows the checksums makes the texts when a database lacks one of them', () => {
  let asked = 0
  const made = startingMigrations(
    () => {
      asked += 1
      return registry
    },
    migrations.map(({ checksum }) => checksum),
  )
  const file = path.join(folder, 'started.db')
  const db = new Database(file)
  expect(migrate(db, made, now)).toBe(migrations.length)
  expect(asked).toBe(1)
  asked = 0
  const again = startingMigrations(
    () => {
      throw new Error('nothing lacks')
    },
    migrations.map(({ checksum }) => checksum),
  )
  expect(migrate(db, again, now)).toBe(0)
  expect(structuredClone(made)).toEqual(migrations.map(({ derived: _, ...each }) => each))
  db.close()
})

describe('an upgrade', () => {
  test('is tried on a filled database of each frozen version', () => {
    const kept = globSync('test/fixtures/schema-*.db', { cwd: project }).map((file) => file.replaceAll(path.sep, '/'))
    expect(kept.sort()).toEqual(frozen.map(({ number }) => fixtureOf(number)).sort())
  })

  test('finds words of scripts without spaces in texts that were written before', () => {
    const file = path.join(folder, 'unspaced.db')
    copyFileSync(path.join(project, fixtureOf(3)), file)
    const old = new Database(file)
    const npcs = `entity_type = 'npc' AND entity_id = (SELECT min(id) FROM npcs)`
    old.exec(`UPDATE search_documents SET body = '東京タワーの秘密' WHERE ${npcs}`)
    old.close()
    const store = openStore({ path: file, registry, migrations, now, copyBeforeMigration: null })
    const found = () => store.all(`SELECT rowid FROM search_text WHERE search_text MATCH '"京 タ"'`)
    const place = () => store.all(`SELECT id AS rowid FROM search_documents WHERE ${npcs}`)
    expect(found()).toEqual(place())
    expect(place()).toHaveLength(1)
    store.run(`DELETE FROM search_documents WHERE ${npcs}`)
    expect(found()).toEqual([])
    store.close()
  })

  test.each(frozen.map(({ number }) => number))('of a filled database of schema %i keeps every row', (number) => {
    const source = path.join(project, fixtureOf(number))
    const file = path.join(folder, `schema-${number}.db`)
    copyFileSync(source, file)
    const old = new Database(file, { readonly: true })
    const tables = old
      .prepare(
        `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'search_text%' AND name <> 'migrations'`,
      )
      .pluck()
      .all() as string[]
    const before = new Map(
      tables.map((table) => {
        const byRow = table === 'search_documents' ? ' ORDER BY entity_type, entity_id' : ''
        return [table, old.prepare(`SELECT * FROM ${table}${byRow}`).all()]
      }),
    )
    expect(old.prepare('SELECT count(*) FROM migrations').pluck().get()).toBe(number)
    old.close()

    const store = openStore({ path: file, registry, migrations, now, copyBeforeMigration: null })
    const fresh = new Database(':memory:')
    migrate(fresh, migrations, now)
    expect(schemaText(store.connection)).toBe(schemaText(fresh))
    fresh.close()
    expect(store.connection.pragma('integrity_check', { simple: true })).toBe('ok')
    expect(store.connection.pragma('foreign_key_check')).toEqual([])
    let rows = 0
    for (const [table, kept] of before) {
      rows += kept.length
      const isPicture = (row: unknown): boolean =>
        table === 'search_documents' && (row as { readonly entity_type: string }).entity_type === 'attachment'
      // Texts for the search lie where their rows say, and in that order.
      const byRow = table === 'search_documents' ? ' ORDER BY entity_type, entity_id' : ''
      expect(
        store.all(`SELECT * FROM ${table}${byRow}`).filter((row) => !isPicture(row)),
        table,
      ).toEqual(kept.filter((row) => !isPicture(row)).map((row) => expect.objectContaining(stillThere(table, row))))
    }
    for (const { id, entity_type, entity_id } of store.all('SELECT id, entity_type, entity_id FROM search_documents')) {
      const entity = registry.get(String(entity_type))
      const row = wholeRow(store, entity, Number(entity_id)) ?? {}
      const part = partOf(entity, row, parentsOf(store))
      const { from, to } = rangeOf(campaignOf(entity, row), part)
      expect(Number(id), `${entity_type} ${entity_id}`).toBeGreaterThan(from)
      expect(Number(id), `${entity_type} ${entity_id}`).toBeLessThanOrEqual(to)
      const readers = part === 'open' ? [] : readerFieldsOf(entity).map((field) => row[field])
      expect(
        store.all('SELECT user_id FROM search_text_readers WHERE document_id = @id', { id: Number(id) }),
        `${entity_type} ${entity_id}`,
      ).toEqual(Array.from(new Set(readers.filter((each) => each != null)), (user_id) => ({ user_id })))
    }
    expect(keptTallies(store)).toEqual(recounted(store))
    expect(rows).toBeGreaterThan(150)
    // A proposal of one change is one of several that may be in one.
    const asked = (before.get('proposals') ?? []) as { operation: string; input: string }[]
    expect(store.all('SELECT changes FROM proposals').map(({ changes }) => JSON.parse(String(changes)))).toEqual(
      asked.map(({ operation, input }) => [{ operation, input: JSON.parse(input) }]),
    )
    // Players are shown the revision and the time that they were shown before.
    const moved = 'SELECT count(*) AS n FROM npcs WHERE public_revision <> revision OR public_updated_at <> updated_at'
    expect(store.get(moved)).toEqual({ n: 0 })
    // Pictures are found by what is written under them, and by Dungeon Masters by the name of the file.
    const inTitles = `SELECT count(*) AS n FROM search_text WHERE search_text MATCH '{title body} : png'`
    expect(store.get(inTitles)).toEqual({ n: 0 })
    expect(store.all(`SELECT rowid FROM search_text WHERE search_text MATCH 'secret : png'`).length).toBeGreaterThan(0)
    // What is found and ordered by follows from the rows.
    expect(store.all(`SELECT rowid FROM search_text WHERE search_text MATCH 'marta'`).length).toBeGreaterThan(0)
    for (const { name: text, name_sort: key } of store.all('SELECT name, name_sort FROM npcs'))
      expect(key).toBe(sortKey(String(text)))
    store.close()
  })
})

describe('what follows from the declarations', () => {
  const about = {
    name: 'thing',
    table: 'things',
    label: 'thing',
    listedBy: 'list_things',
    scope: 'server',
    visible: everyone,
  } as const
  const title = required(name())
  const first: MigrationSource = { number: 1, name: 'one', frozen: null }
  const second: MigrationSource = { number: 2, name: 'two', frozen: null }
  const registryOf = (...all: readonly unknown[]) => createRegistry(all as Entity[])

  /** A database of the first declaration with two rows, brought to the second. */
  function upgraded(before: unknown, after: unknown, source: Partial<MigrationSource> = {}) {
    const made = migrationsOf(registryOf(before), [first])[0]
    if (made === undefined) throw new Error('there is no migration')
    const released: MigrationSource = { ...first, frozen: { derived: made.derived, checksum: made.checksum } }
    const db = new Database(':memory:')
    migrate(db, migrationsOf(registryOf(before), [released]), now)
    for (const text of ['Room 10', 'room 2'])
      db.prepare('INSERT INTO things (created_at, updated_at, title) VALUES (?, ?, ?)').run(now, now, text)
    const all = migrationsOf(registryOf(after), [released, { ...second, ...source }])
    expect(migrate(db, all, now)).toBe(1)
    return { db, sql: all[1]?.sql ?? '' }
  }
  const indexes = (db: Database.Database): unknown[] =>
    db
      .prepare(`SELECT name FROM sqlite_schema WHERE type = 'index' AND name LIKE 'things_list%' ORDER BY name`)
      .pluck()
      .all()

  test('brings an order to a table with rows in it: the column beside the text is filled, and the index made', () => {
    const plain = defineEntity({ ...about, fields: { title } })
    const ordered = defineEntity({ ...about, fields: { title }, lists: { orders: [[['title', 'asc']]] } })
    const { db } = upgraded(plain, ordered)
    expect(db.prepare('SELECT title FROM things ORDER BY title_sort').pluck().all()).toEqual(['room 2', 'Room 10'])
    expect(indexes(db)).toEqual(['things_list_title_sort_id'])
  })

  test('takes an order away with its column and its index', () => {
    const plain = defineEntity({ ...about, fields: { title } })
    const ordered = defineEntity({ ...about, fields: { title }, lists: { orders: [[['title', 'asc']]] } })
    const { db } = upgraded(ordered, plain)
    expect(indexes(db)).toEqual([])
    expect(db.prepare(`SELECT name FROM pragma_table_info('things') WHERE name = 'title_sort'`).all()).toEqual([])
  })

  test('brings a filter, and leaves what is there as it is', () => {
    const lists = (filters: readonly 'kind'[]) => ({ orders: [[['title', 'asc']]], filters }) as const
    const fields = { title, kind: withDefault(z.enum(['a', 'b']), 'a') }
    const { db, sql } = upgraded(
      defineEntity({ ...about, fields, lists: lists([]) }),
      defineEntity({ ...about, fields, lists: lists(['kind']) }),
    )
    expect(sql).toBe(
      'CREATE INDEX things_list_kind_title_sort_id ON things(kind, title_sort, id) WHERE deleted_at IS NULL;',
    )
    expect(indexes(db)).toHaveLength(2)
  })

  test('brings a table of labels to rows that bear some, and makes it anew for another order', () => {
    const fields = { title, rank: withDefault(z.int(), 0), tags: withDefault(z.array(z.string()), ['Île', 'b', 'ILE']) }
    const ordered = (key: 'title' | 'rank', filters: readonly 'tags'[]) =>
      defineEntity({ ...about, fields, lists: { orders: [[[key, 'asc']]], filters } })
    const labels = (db: Database.Database): unknown[] =>
      db.prepare('SELECT label, id FROM things_tags ORDER BY label, 2').raw().all()
    const expected = [
      ['b', 1],
      ['b', 2],
      ['ile', 1],
      ['ile', 2],
    ]
    expect(labels(upgraded(ordered('title', []), ordered('title', ['tags'])).db)).toEqual(expected)
    const { db, sql } = upgraded(ordered('title', ['tags']), ordered('rank', ['tags']))
    expect(sql).toContain('DROP TABLE things_tags;')
    expect(labels(db)).toEqual(expected)
    const gone = upgraded(ordered('title', ['tags']), ordered('title', [])).db
    expect(gone.prepare(`SELECT name FROM sqlite_schema WHERE name LIKE 'things_tags%'`).all()).toEqual([])
  })

  test('stands between the SQL that a migration brings itself: a rename ahead, a backfill behind', () => {
    const ordered = (fields: Record<string, Field>, key: string) =>
      defineEntity({ ...about, fields, lists: { orders: [[[key, 'asc']]] } } as never)
    const { db } = upgraded(
      ordered({ title }, 'title'),
      ordered({ label: title, shout: withDefault(z.string(), '', { since: 2 }) }, 'label'),
      {
        before: `ALTER TABLE things RENAME COLUMN title TO label;\nALTER TABLE things RENAME COLUMN title_sort TO label_sort;`,
        after: 'UPDATE things SET shout = upper(label), label_sort = sort_key(label);',
      },
    )
    expect(db.prepare('SELECT label, shout FROM things ORDER BY label_sort').all()).toEqual([
      { label: 'room 2', shout: 'ROOM 2' },
      { label: 'Room 10', shout: 'ROOM 10' },
    ])
    expect(indexes(db)).toEqual(['things_list_label_sort_id'])
  })

  test('is refused where it names a migration that there is not', () => {
    const late = defineEntity({ ...about, fields: { title, more: nullable(z.string(), { since: 3 }) } })
    expect(() => migrationsOf(registryOf(late), [first, second])).toThrow('thing.more is of a migration behind 2')
    const entity = defineEntity({ ...about, since: 3, fields: { title } })
    expect(() => migrationsOf(registryOf(entity), [first, second])).toThrow('thing is of a migration behind 2')
  })

  test('comes behind all that is frozen', () => {
    const thing = defineEntity({ ...about, fields: { title } })
    const text = { derived: '', checksum: 'c' }
    expect(() => migrationsOf(registryOf(thing), [first, { ...second, frozen: text }])).toThrow('migration 2 is frozen')
    expect(() => migrationsOf(registryOf(thing), [second])).toThrow('migration 2 stands in place 1')
  })

  test.each([
    ['a field that older rows have no value for', { more: required(z.string(), { since: 2 }) }, 'older have no value'],
    [
      'a link that older rows would have',
      { more: { ...withDefault(z.int(), 1, { since: 2 }), marks: { since: 2, references: 'npc' } } },
      'link to nothing',
    ],
  ])('refuses %s, when it is declared', (_, more, message) => {
    expect(() => defineEntity({ ...about, fields: { title, ...more } as never })).toThrow(message)
  })

  test('takes a required field with the table that it comes with, and what may be empty at any time', () => {
    expect(() =>
      defineEntity({ ...about, since: 2, fields: { title, more: required(z.string(), { since: 2 }) } }),
    ).not.toThrow()
    expect(() => defineEntity({ ...about, fields: { title, more: nullable(z.string(), { since: 2 }) } })).not.toThrow()
    expect(() => defineEntity({ ...about, fields: { title, npcId: reference('npc', { since: 2 }) } })).not.toThrow()
  })
})
