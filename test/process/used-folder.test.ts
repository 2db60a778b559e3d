import { cpSync, existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay, setImmediate } from 'node:timers/promises'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { picture, upload } from './archives-support.ts'
import {
  admin,
  callsOn,
  type Folders,
  makeFolders,
  runCommand,
  setUp,
  startProgram,
  startServerProcess,
} from './server-process.ts'

// A folder in which a server has worked, and whose database is not there or is not one. It must not become a new, empty
// server: the owner would find nothing, and the images would go with time.

const long = process.env.TALEKEEPER_TEST_LONG === '1'

let used: Folders
/** The newest of two backups. */
let newest: string

beforeAll(async () => {
  used = makeFolders()
  const server = await startServerProcess(used, { env: { BACKUP_MIN_FREE_BYTES: '0' } })
  const call = callsOn(server.address, await setUp(server.address))
  const { body } = await call('POST', '/api/v1/campaigns', { name: 'The Orchard in Winter' })
  await upload(call, body.id, await picture('#204060'), 'map.png')
  await call('POST', '/api/v1/backup/run')
  await delay(1100)
  newest = (await call('POST', '/api/v1/backup/run')).body.path
  await server.terminate()
}, 120_000)
afterAll(() => used?.remove())

function copyOfUsed(): Folders & { readonly database: string; readonly newest: string } {
  const folders = makeFolders()
  cpSync(used.dataDir, folders.dataDir, { recursive: true })
  const backup = path.join(folders.dataDir, 'backups', path.basename(newest))
  return { ...folders, database: path.join(folders.dataDir, 'talekeeper.db'), newest: backup }
}

/** Names and sizes of everything, but what a process that claims the folder writes. */
function contentOf(folder: string): readonly string[] {
  const own = new Set(['instance.json', 'talekeeper.db-shm'])
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((item) => item.isFile() && !own.has(item.name))
    .map((item) => path.join(item.parentPath, item.name))
    .map((file) => `${path.relative(folder, file)} ${readFileSync(file).toString('base64').slice(0, 200)}`)
    .sort()
}

function foreignDatabase(file: string, sql: string): void {
  rmSync(file, { force: true })
  const db = new Database(file)
  db.exec(sql)
  db.close()
}

const spoiled: readonly (readonly [string, (database: string) => void, RegExp])[] = [
  [
    'was deleted',
    (database) => rmSync(database),
    /^The database \S+ is missing\. .*it holds talekeeper\.json, uploads, backups/,
  ],
  [
    'was deleted, and its log was not',
    (database) => {
      rmSync(database)
      rmSync(path.join(path.dirname(database), 'talekeeper.json'))
      writeFileSync(`${database}-wal`, 'a log')
    },
    /^The database \S+ is missing\. .*a write-ahead log/,
  ],
  ['is empty', (database) => truncateSync(database, 0), /^The database \S+ is empty\./],
  [
    'is garbage',
    (database) => writeFileSync(database, Buffer.alloc(8192, 'garbage ')),
    /^The database \S+ is damaged\./,
  ],
  [
    'has nothing in it',
    (database) => foreignDatabase(database, 'CREATE TABLE t (id); DROP TABLE t'),
    /^The database \S+ is empty\./,
  ],
  [
    'is of another program',
    (database) => foreignDatabase(database, 'CREATE TABLE bookmarks (id)'),
    /^\S+ is the database of another program\./,
  ],
  [
    'is of another program with migrations',
    (database) => foreignDatabase(database, 'CREATE TABLE migrations (version TEXT)'),
    /^\S+ is the database of another program\./,
  ],
  [
    'says that it is of another program',
    (database) => {
      const db = new Database(database)
      db.pragma('application_id = 7')
      db.close()
    },
    /^\S+ is the database of another program\./,
  ],
]

test.each(spoiled)(
  'the database %s: the start is refused, names the newest backup, and changes nothing',
  {
    timeout: 60_000,
  },
  async (_, spoil, says) => {
    const folders = copyOfUsed()
    try {
      spoil(folders.database)
      const before = contentOf(folders.dataDir)
      const { code, output } = await runCommand(folders, ['serve'])
      expect(code).toBe(1)
      expect(output).toMatch(says)
      expect(output.split('\n')).toHaveLength(1)
      expect(output).toContain(`restore ${folders.newest} --confirm RESTORE`)
      expect(contentOf(folders.dataDir)).toEqual(before)
    } finally {
      folders.remove()
    }
  },
)

test('what the sentence says to do brings everything back', { timeout: 120_000 }, async () => {
  const folders = copyOfUsed()
  try {
    rmSync(folders.database)
    const { output } = await runCommand(folders, ['serve'])
    const command = /back with: DATA_DIR=(\S+) npm start -- (.*)$/.exec(output)
    expect(command?.[1]).toBe(folders.dataDir)
    const restored = await runCommand(folders, (command?.[2] ?? '').split(' '))
    expect(restored.output).toMatch(/^The backup of \S+ is restored, with 1 image\.\n/)
    expect(restored.code).toBe(0)

    const server = await startServerProcess(folders)
    const signIn = await fetch(`${server.address}/api/v1/auth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...admin, tokenName: 'back', scope: 'dm' }),
    })
    const call = callsOn(server.address, ((await signIn.json()) as { token: string }).token)
    const { body } = await call('GET', '/api/v1/campaigns')
    expect(body.items.map(({ name }: { name: string }) => name)).toEqual(['The Orchard in Winter'])
    expect((await call('GET', `/api/v1/campaigns/${body.items[0].id}/attachments`)).body.items).toMatchObject([
      { missing: false },
    ])
    expect((await server.terminate()).code).toBe(0)
  } finally {
    folders.remove()
  }
})

test('without any backup the sentence says what else there is', async () => {
  const folders = copyOfUsed()
  try {
    rmSync(folders.database)
    rmSync(path.join(folders.dataDir, 'backups'), { recursive: true })
    const { output } = await runCommand(folders, ['serve'])
    expect(output).toMatch(/There is no backup in \S+\. .* restore FILE --confirm RESTORE \(or set DATA_DIR/)
  } finally {
    folders.remove()
  }
})

/** What a first start makes, in its order: it is ended as soon as each is seen. */
const firstMade = [
  'lock.db',
  'instance.json',
  'talekeeper.db',
  'talekeeper.db-wal',
  'talekeeper.json',
  'uploads',
  'ai-config.key',
]

test('a first start that was broken off at any instant does not lock the owner out', {
  timeout: long ? 1_200_000 : 240_000,
}, async () => {
  const folders = makeFolders()
  const reached = new Set<string>()
  try {
    for (const name of Array.from({ length: long ? 8 : 1 }, () => firstMade).flat()) {
      rmSync(folders.dataDir, { recursive: true, force: true })
      const { child, ended } = startProgram(folders)
      while (!existsSync(path.join(folders.dataDir, name))) await setImmediate()
      child.kill('SIGKILL')
      await ended
      reached.add(readdirSync(folders.dataDir).sort().join(' '))
      const server = await startServerProcess(folders)
      await setUp(server.address)
      await server.kill()
    }
    console.info(`a first start was ended at: ${[...reached].join(' | ')}`)
  } finally {
    folders.remove()
  }
})
