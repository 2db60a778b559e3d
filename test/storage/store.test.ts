import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { entities } from '../../src/catalogue.ts'
import { campaign } from '../../src/domain/campaign/entity.ts'
import { npc } from '../../src/domain/npc/entity.ts'
import { fail } from '../../src/kernel/errors.ts'
import { type AnyOperation, defineOperation } from '../../src/kernel/operation.ts'
import { migrate, pendingMigrations } from '../../src/storage/migrations.ts'
import { createRegistry } from '../../src/storage/registry.ts'
import { migrationsOf } from '../../src/storage/schema.ts'
import { type MemoKind, openStore, type Store } from '../../src/storage/store.ts'
import { type Answer, makeTable } from '../domain/support.ts'
import { asRead } from '../support/proposals.ts'
import { expectOnceWithin, timeOf } from '../support/within.ts'

const registry = createRegistry(entities)
const migrations = migrationsOf(registry)
const now = '2026-11-20T18:00:00.000Z'
let folder: string
let file: string
let store: Store

const open = (): Store =>
  openStore({ path: file, registry, migrations, now, copyBeforeMigration: path.join(folder, 'before') })

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'store-test-'))
  file = path.join(folder, 'talekeeper.db')
  store = open()
})
afterEach(() => {
  store.close()
  rmSync(folder, { recursive: true, force: true })
})

function addUser(username: string): number {
  const sql = `INSERT INTO users (username, password_hash, created_at, updated_at) VALUES (@username, '', @now, @now)`
  return store.run(sql, { username, now }).id
}
const usernames = (): unknown[] => store.all('SELECT username FROM users ORDER BY id').map(({ username }) => username)

describe('a store', () => {
  test('is opened so that an acknowledged write survives a power cut', () => {
    const pragma = (name: string): unknown => store.connection.pragma(name, { simple: true })
    expect([pragma('journal_mode'), pragma('synchronous'), pragma('foreign_keys'), pragma('trusted_schema')]).toEqual([
      'wal',
      2,
      1,
      0,
    ])
  })

  test('reads what belongs to one turn of the event loop in one view, which no write of its own outlives', async () => {
    addUser('marta')
    const other = new Database(file)
    const add = other.prepare(
      `INSERT INTO users (username, password_hash, created_at, updated_at) VALUES (?, '', '${now}', '${now}')`,
    )
    const seen = (): unknown[] => other.prepare('SELECT username FROM users ORDER BY id').pluck().all()
    expect(usernames()).toEqual(['marta'])
    add.run('ash')
    expect(usernames(), 'of the same turn').toEqual(['marta'])
    await new Promise((resolve) => setImmediate(resolve))
    expect(usernames(), 'of the next').toEqual(['marta', 'ash'])
    // A statement and a transaction are there for others as soon as they are done, although there was a view.
    addUser('wren')
    expect(seen()).toEqual(['marta', 'ash', 'wren'])
    expect(usernames()).toEqual(['marta', 'ash', 'wren'])
    store.transaction(() => addUser('noor'))
    expect(seen()).toEqual(['marta', 'ash', 'wren', 'noor'])
    expect(usernames()).toEqual(['marta', 'ash', 'wren', 'noor'])
    store.savepoint(() => addUser('tam'))
    expect(seen()).toEqual(usernames())
    // Whoever takes the connection finds no transaction open.
    usernames()
    expect(store.connection.inTransaction).toBe(false)
    other.close()
  })

  test('makes no file of its own for a change that is taken back', () => {
    // 2 is memory: what a savepoint would put back goes there, and not to a temporary file for every change set.
    expect(store.connection.pragma('temp_store', { simple: true })).toBe(2)
  })

  test('leaves no write-ahead log behind when it is closed', () => {
    addUser('ellen')
    expect(existsSync(`${file}-wal`)).toBe(true)
    store.close()
    store.close()
    expect(readdirSync(folder)).toEqual(['talekeeper.db'])
    store = open()
    expect(usernames()).toEqual(['ellen'])
  })

  test('takes back a whole transaction, and a savepoint alone', () => {
    expect(() =>
      store.transaction(() => {
        addUser('ellen')
        throw new Error('midway')
      }),
    ).toThrow('midway')
    expect(usernames()).toEqual([])
    store.transaction(() => {
      addUser('pell')
      expect(() =>
        store.savepoint(() => {
          addUser('wren')
          throw new Error('inside')
        }),
      ).toThrow('inside')
    })
    expect(usernames()).toEqual(['pell'])
  })

  test('is `unavailable` while another program has it locked, and soon', async () => {
    const other = new Database(file)
    other.exec('BEGIN EXCLUSIVE')
    const write = () => store.transaction(() => addUser('ellen'))
    const unavailable = expect.objectContaining({ code: 'unavailable', status: 503 })
    await expectOnceWithin(1500, () => timeOf(() => expect(write).toThrow(unavailable)))
    other.exec('ROLLBACK')
    other.close()
    store.transaction(() => addUser('ellen'))
    expect(usernames()).toEqual(['ellen'])
  })

  test('binds texts, numbers and null to what looks like a parameter, and leaves quoted text alone', () => {
    addUser('@username')
    const found = store.all(
      `SELECT username, '@username' AS quoted, @missing AS missing, @number + 1 AS number FROM users WHERE username = @username LIMIT @most`,
      {
        username: '@username',
        missing: null,
        number: 1,
        most: 5,
      },
    )
    expect(found).toEqual([{ username: '@username', quoted: '@username', missing: null, number: 2 }])
    expect(
      store.get('SELECT id FROM users WHERE username = @username COLLATE NOCASE', { username: '@USERNAME' }),
    ).toEqual({ id: 1 })
  })
})

describe('what a store keeps until it may have changed', () => {
  const ofUsers: MemoKind = { tables: ['users'] }
  const ofAll: MemoKind = { tables: null }
  const count = (): number =>
    store.memo(ofUsers, 'count', () => store.get('SELECT count(*) AS n FROM users')?.n as number)

  test('is read once, and anew after a write', () => {
    let reads = 0
    const read = (): number => store.memo(ofUsers, 'read', () => ++reads)
    expect([read(), read()]).toEqual([1, 1])
    addUser('ellen')
    expect([read(), count()]).toEqual([2, 1])
    store.get('UPDATE users SET username = @username RETURNING id', { username: 'pell' })
    expect(read()).toBe(3)
  })

  test('stays where other tables are written, and goes with any row that is deleted', () => {
    addUser('ellen')
    let reads = 0
    const of = { users: ofUsers, sessions: { tables: ['sessions'] }, all: ofAll } as const
    const read = (name: keyof typeof of): number => store.memo(of[name], name, () => ++reads)
    const readAll = () => [read('users'), read('sessions'), read('all')]
    expect(readAll()).toEqual([1, 2, 3])
    store.run("UPDATE users SET username = 'pell' WHERE username = 'ellen'")
    expect(readAll()).toEqual([4, 2, 5])
    // What refers to a row goes with it.
    store.run("DELETE FROM users WHERE username = 'nobody'")
    expect(readAll()).toEqual([6, 7, 8])
    store.run('WITH named AS (SELECT 1 AS id) UPDATE users SET admin = 0 WHERE id IN (SELECT id FROM named)')
    expect(readAll()).toEqual([9, 10, 11])
  })

  test('holds nothing that was rolled back, inside the transaction or after it', () => {
    expect(count()).toBe(0)
    expect(() =>
      store.transaction(() => {
        addUser('ellen')
        expect(count()).toBe(1)
        throw new Error('midway')
      }),
    ).toThrow('midway')
    expect(count()).toBe(0)
    store.transaction(() => {
      addUser('pell')
      expect(count()).toBe(1)
    })
    expect(count()).toBe(1)
  })

  test('is bounded', () => {
    for (let number = 0; number < 20_000; number += 1)
      store.memo(number % 2 === 0 ? ofUsers : ofAll, number, () => number)
    let reads = 0
    for (let number = 0; number < 20_000; number += 1)
      store.memo(number % 2 === 0 ? ofUsers : ofAll, number, () => ++reads)
    expect(reads).toBeGreaterThan(10_000)
  })
})

describe('migrations', () => {
  const known = migrations.map(({ number, name, checksum }) => ({ number, name, checksum }))

  test('are applied once, and only those that are missing', () => {
    const db = new Database(':memory:')
    expect(migrate(db, migrations.slice(0, 1), now)).toBe(1)
    const from: number[] = []
    expect(migrate(db, migrations, now, (before) => void from.push(before))).toBe(migrations.length - 1)
    expect(migrate(db, migrations, now, (before) => void from.push(before))).toBe(0)
    expect(from).toEqual([1])
    db.close()
  })

  test('that were applied have to be the first of those that are known, checksum by checksum', () => {
    expect(pendingMigrations(known.slice(0, 1), migrations)).toEqual(migrations.slice(1))
    expect(() => pendingMigrations([{ ...known[0], checksum: 'other' } as never], migrations)).toThrow(
      /Migration 1 .* is not the one/,
    )
    const newer = [...known, { number: known.length + 1, name: 'of tomorrow', checksum: 'c' }]
    expect(() => pendingMigrations(newer, migrations)).toThrow(
      new RegExp(
        `schema ${known.length + 1}, made by a newer version of Talekeeper; this version knows schema ${known.length}`,
      ),
    )
  })

  test('leave nothing of one that fails', () => {
    const db = new Database(':memory:')
    const broken = { number: 2, name: 'broken', sql: 'CREATE TABLE half (id INTEGER); SELECT nonsense', checksum: 'c' }
    expect(() => migrate(db, [migrations[0] as never, broken], now)).toThrow('nonsense')
    expect(db.prepare(`SELECT count(*) FROM sqlite_schema WHERE name = 'half'`).pluck().get()).toBe(0)
    expect(db.prepare('SELECT count(*) FROM migrations').pluck().get()).toBe(1)
    db.close()
  })

  test('keep a copy of what they change', () => {
    expect(existsSync(path.join(folder, 'before'))).toBe(false)
    store.close()
    const db = new Database(file)
    db.exec(`DELETE FROM migrations WHERE number > ${migrations.length - 1}; CREATE TABLE kept (id INTEGER)`)
    db.close()
    const last = { ...(migrations.at(-1) as (typeof migrations)[number]), sql: 'DROP TABLE kept', checksum: 'c' }
    store = openStore({
      path: file,
      registry,
      migrations: [...migrations.slice(0, -1), last],
      now,
      copyBeforeMigration: path.join(folder, 'before'),
    })
    const [copy] = readdirSync(path.join(folder, 'before'))
    const kept = new Database(path.join(folder, 'before', copy as string), { readonly: true })
    expect(kept.prepare(`SELECT count(*) FROM sqlite_schema WHERE name = 'kept'`).pluck().get()).toBe(1)
    kept.close()
  })
})

describe('an operation', () => {
  /** Writes two things, and fails between them, behind them, or not at all. */
  const twoWrites = (failing: 'between' | 'behind' | 'never'): AnyOperation =>
    defineOperation({
      name: 'create_two_npcs',
      title: 'Two',
      description: 'Two.',
      toolset: 'world',
      access: 'dm',
      effect: 'write',
      route: 'POST /campaigns/{campaignId}/two-npcs',
      input: z.strictObject({ campaignId: campaign.id }),
      output: z.object({ ids: z.array(z.int()) }),
      example: (world) => ({ campaignId: world.id('campaign') }),
      handle(context) {
        const first = context.write(npc).insert({ name: 'The first', body: 'Seen at the mill.' })
        if (failing === 'between') throw fail('invalid_state', 'between')
        const second = context.write(npc).insert({ name: 'The second' })
        if (failing === 'behind') throw new TypeError('behind')
        return { ids: [first, second] }
      },
    }) as unknown as AnyOperation

  test.each(['between', 'behind'] as const)(
    'that fails %s its writes leaves nothing: no row, no journal, no index',
    async (failing) => {
      const table = await makeTable()
      const dump = (): Answer =>
        ['npcs', 'change_sets', 'changes', 'search_documents', 'mentions', 'idempotency_keys'].map((name) =>
          table.store.all(`SELECT * FROM ${name}`),
        )
      const before = dump()
      await expect(table.call('ellen', 'create_two_npcs', {}, { operation: twoWrites(failing) })).rejects.toThrow(
        failing,
      )
      expect(dump()).toEqual(before)
      await table.call('ellen', 'create_two_npcs', {}, { operation: twoWrites('never') })
      expect((await table.call('ellen', 'list_npcs')).items).toHaveLength(2)
      expect(table.store.all(`SELECT id FROM changes WHERE entity_type = 'npc'`)).toHaveLength(2)
      expect(table.store.all(`SELECT DISTINCT change_set_id FROM changes WHERE entity_type = 'npc'`)).toHaveLength(1)
    },
  )

  test('that is tried for a proposal leaves nothing but the proposal', async () => {
    const table = await makeTable()
    await table.call('pell', 'create_npc', { name: 'The miller' })
    expect(table.store.all('SELECT id FROM npcs')).toEqual([])
    expect(table.store.all(`SELECT entity_type FROM search_documents WHERE entity_type = 'npc'`)).toEqual([])
    expect(table.store.all('SELECT entity_type FROM changes ORDER BY id DESC LIMIT 1')).toEqual([
      { entity_type: 'proposal' },
    ])
  })

  test('of several proposals applies all of them or none', async () => {
    const table = await makeTable()
    const ask = async (name: string): Promise<number> => (await table.call('pell', 'create_npc', { name })).proposal.id
    const [first, second] = [await ask('One'), await ask('Two')]
    const { id } = await table.call('ellen', 'create_npc', { name: 'Marta' })
    const stale = (await table.call('pell', 'update_npc', { npcId: id, voice: 'Low.' })).proposal.id
    await table.call('ellen', 'update_npc', { npcId: id, voice: 'Dry.' })
    const refused = await table.refusal('ellen', 'approve_proposals', {
      proposals: asRead(table, first, second, stale),
    })
    expect(refused.code).toBe('stale_revision')
    expect((await table.call('ellen', 'list_npcs')).items).toHaveLength(1)
    expect((await table.call('ellen', 'list_proposals', { status: 'pending' })).items).toHaveLength(3)
    await table.call('ellen', 'approve_proposals', { proposals: asRead(table, first, second) })
    expect((await table.call('ellen', 'list_npcs')).items).toHaveLength(3)
  })
})
