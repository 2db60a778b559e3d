import { renameSync } from 'node:fs'
import Database from 'better-sqlite3'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { makeTable, type Table } from '../domain/support.ts'

/** Milliseconds that have passed as a group sees it: how long the machine takes is no matter. */
let passed = 0
beforeEach(() => {
  passed = 0
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => passed)
  return () => clock.mockRestore()
})

const codeOf = (result: PromiseSettledResult<unknown>): unknown =>
  result.status === 'fulfilled' ? 'done' : ((result.reason as { code?: string }).code ?? String(result.reason))

/** A table with a list of words, which another program looks at too. */
async function makeWords() {
  const table = await makeTable()
  const { store, system } = table
  store.connection.exec('CREATE TABLE words (word TEXT UNIQUE)')
  const other = new Database(store.path, { readonly: true })
  onTestFinished(() => void other.close())
  const read = other.prepare('SELECT word FROM words ORDER BY rowid').pluck()
  const add = (word: string, also: () => void = () => {}) =>
    system.transactionSoon(() => {
      store.run('INSERT INTO words (word) VALUES (@word)', { word })
      also()
      return word
    })
  return { table, add, elsewhere: (): unknown[] => read.all() }
}

const npcNames = (table: Table): string[] =>
  table.store.all('SELECT name FROM npcs ORDER BY id').map(({ name }) => String(name))

test('what comes in one turn is one commit: nobody is answered before it, and others see all of it or nothing', async () => {
  const { add, elsewhere } = await makeWords()
  const seen: unknown[] = []
  const look = (): void => void seen.push(elsewhere())
  const answered: string[] = []
  const words = ['one', 'two', 'three'].map((word) => add(word, look).then((each) => void answered.push(each)))
  expect(answered).toEqual([])
  await Promise.all(words)
  expect(seen).toEqual([[], [], []])
  expect(answered).toEqual(['one', 'two', 'three'])
  expect(elsewhere()).toEqual(['one', 'two', 'three'])
})

test('who is refused is undone alone, with all that they wrote', async () => {
  const { add, elsewhere } = await makeWords()
  const refuse = (): void => {
    throw new Error('no')
  }
  const results = await Promise.allSettled([add('one'), add('two', refuse), add('one'), add('three')])
  expect(results.map(codeOf)).toEqual(['done', 'Error: no', 'SQLITE_CONSTRAINT_UNIQUE', 'done'])
  expect(elsewhere()).toEqual(['one', 'three'])
  expect(await Promise.allSettled([add('four', refuse)])).toMatchObject([{ status: 'rejected' }])
  expect(elsewhere()).toEqual(['one', 'three'])
})

test('operations of one turn are journalled, told of and refused as if each were alone', async () => {
  const { table } = await makeWords()
  const { id: npcId, revision } = await table.call('ellen', 'create_npc', { name: 'The ferryman' })
  table.announced.length = 0
  const create = (name: string, idempotencyKey?: string) =>
    table.call('ellen', 'create_npc', { name }, idempotencyKey === undefined ? {} : { idempotencyKey })
  const results = await Promise.allSettled([
    create('First', 'the same key'),
    table.call('ellen', 'update_npc', { npcId, voice: 'Low.', expectedRevision: revision + 5 }),
    create('First', 'the same key'),
    create('Second'),
    create('Second', 'the same key'),
  ])
  expect(results.map(codeOf)).toEqual(['done', 'stale_revision', 'done', 'done', 'idempotency_conflict'])
  const [first, , again] = results as { value?: { id: number } }[]
  expect(again?.value?.id).toBe(first?.value?.id)
  expect(npcNames(table)).toEqual(['The ferryman', 'First', 'Second'])
  expect(table.announced.map(({ after }) => after?.name)).toEqual(['First', 'Second'])
  const sets = table.store.all(
    'SELECT s.operation, c.entity_id AS id FROM change_sets s JOIN changes c ON c.change_set_id = s.id ORDER BY c.id DESC LIMIT 2',
  )
  expect(sets.map(({ operation }) => operation)).toEqual(['create_npc', 'create_npc'])
  expect(table.store.connection.pragma('foreign_key_check')).toEqual([])
})

test('where the commit fails, all of them are told, and nothing is there', async () => {
  const { table, add, elsewhere } = await makeWords()
  const { path } = table.store
  const move = (): void => renameSync(path, `${path}-moved`)
  const results = await Promise.allSettled([add('one'), add('two', move)])
  renameSync(`${path}-moved`, path)
  expect(results.map(codeOf)).toEqual(['storage_unavailable', 'storage_unavailable'])
  expect(elsewhere()).toEqual([])
  await add('three')
  expect(elsewhere()).toEqual(['three'])
})

test('where the disk ends the transaction in the middle, those before are told so and those behind go with the next', async () => {
  const { table, add, elsewhere } = await makeWords()
  const end = (): void => {
    table.store.connection.exec('ROLLBACK')
    throw Object.assign(new Database.SqliteError('database or disk is full', 'SQLITE_FULL'))
  }
  const results = await Promise.allSettled([add('one'), add('two', end), add('three'), add('four')])
  expect(results.map(codeOf)).toEqual(['disk_full', 'disk_full', 'done', 'done'])
  expect(elsewhere()).toEqual(['three', 'four'])
})

test('a group that takes long ends, so that others get their turn; what waits goes with the next', async () => {
  const { add, elsewhere } = await makeWords()
  const takeLong = (): void => {
    passed += 9
  }
  const seen: unknown[] = []
  await Promise.all([add('one', takeLong), add('two', () => void seen.push(elsewhere())), add('three')])
  expect(seen).toEqual([['one']])
  expect(elsewhere()).toEqual(['one', 'two', 'three'])
})
