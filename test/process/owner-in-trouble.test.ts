import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { openTo, plain } from './accounts.ts'
import {
  admin,
  callsOn,
  type Folders,
  makeFolders,
  type Outcome,
  runCommand,
  setUp,
  startServerProcess,
} from './server-process.ts'

// The commands for the bad day work on the folder, without a server and without opening what is broken.

let used: Folders
let backup: string

beforeAll(async () => {
  used = makeFolders()
  const server = await startServerProcess(used)
  const call = callsOn(server.address, await setUp(server.address))
  await call('POST', '/api/v1/campaigns', { name: 'The Orchard in Winter' })
  await call('POST', '/api/v1/users', { username: 'wren', password: 'the second lantern' })
  await server.terminate()
  backup = path.join(used.root, 'backup.zip')
  expect((await runCommand(used, ['backup', '--to', backup])).output).toMatch(/^The backup is \S+backup\.zip \(/)
}, 600_000)
afterAll(() => used?.remove())

let folders: Folders
let database: string
beforeEach(() => {
  folders = makeFolders()
  cpSync(used.dataDir, folders.dataDir, { recursive: true })
  database = path.join(folders.dataDir, 'talekeeper.db')
})
afterEach(() => folders.remove())

const run = (...args: string[]): Promise<Outcome> => runCommand(folders, args)

function inDatabase<T>(work: (db: Database.Database) => T): T {
  const db = new Database(database)
  try {
    return work(db)
  } finally {
    db.close()
  }
}

async function signIn(address: string, username: string, password: string): Promise<number> {
  const response = await fetch(`${address}/api/v1/auth/token`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password, tokenName: 'test', scope: 'dm', admin: true }),
  })
  return response.status
}

test.each([
  ['all garbage', () => writeFileSync(database, Buffer.alloc(statSync(database).size, 'garbage '))],
  [
    'damaged inside',
    () => {
      // The first page is whole: SQLite opens it, and finds out later.
      const file = openSync(database, 'r+')
      writeSync(file, Buffer.alloc(statSync(database).size - 4096, 'garbage '), 0, undefined, 4096)
      closeSync(file)
    },
  ],
  ['not there', () => rmSync(database)],
])('a database that is %s can be restored over', { timeout: 600_000 }, async (_, damage) => {
  damage()
  const failed = await run('backup', '--to', path.join(folders.root, 'own.zip'))
  expect(failed).toMatchObject({
    code: 1,
    output: expect.stringMatching(/^(The database is damaged|There is no database)[^\n]*$/),
  })
  expect(existsSync(path.join(folders.root, 'own.zip'))).toBe(false)
  const restored = await run('restore', backup, '--confirm', 'RESTORE')
  expect(restored).toMatchObject({ code: 0, output: expect.stringMatching(/^The backup of \S+ is restored/) })
  const server = await startServerProcess(folders)
  expect(await signIn(server.address, admin.username, admin.password)).toBe(201)
  await server.terminate()
})

test('a restore on a new machine needs no folder yet', { timeout: 600_000 }, async () => {
  rmSync(folders.dataDir, { recursive: true })
  expect(await run('restore', backup, '--confirm', 'RESTORE')).toMatchObject({ code: 0 })
  const server = await startServerProcess(folders)
  expect(await signIn(server.address, admin.username, admin.password)).toBe(201)
  await server.terminate()
})

test('a forgotten password: the accounts are listed, and one gets a new password and its rights back', {
  timeout: 600_000,
}, async () => {
  inDatabase((db) =>
    db.exec(`UPDATE users SET admin = 0, disabled_at = '2026-11-20T00:00:00.000Z' WHERE username = 'ellen'`),
  )
  expect(await run('admin')).toEqual({ code: 0, output: 'ellen  disabled\nwren' })
  expect(await run('admin', 'elen')).toEqual({
    code: 1,
    output: 'There is no account "elen". Did you mean "ellen"? There are: ellen, wren.',
  })
  const { code, output } = await run('admin', 'ellen')
  expect(code).toBe(0)
  expect(output).toMatch(/^ellen may sign in and administers the server\.\nThe new password, shown this once: \S+\n/)
  const password = /once: (\S+)/.exec(output)?.[1] as string
  const listed = JSON.parse((await run('admin', '--json')).output)
  expect(listed.accounts).toMatchObject([
    { username: 'ellen', admin: true, disabled: false },
    { username: 'wren', admin: false, disabled: false },
  ])
  const server = await startServerProcess(folders)
  expect(await signIn(server.address, 'ellen', admin.password)).toBe(401)
  expect(await signIn(server.address, 'ellen', password)).toBe(201)
  await server.terminate()
  // What was signed in with before has ended, and the audit says by whom.
  inDatabase((db) => {
    expect(db.prepare('SELECT count(*) FROM personal_tokens WHERE revoked_at IS NULL').pluck().get()).toBe(1)
    const facts = db.prepare(`SELECT facts FROM change_sets WHERE operation = 'give_access'`).pluck().all()
    expect(facts).toEqual([expect.stringContaining('"by":"the command line"')])
    expect(String(facts[0])).not.toContain(password)
  })
  expect(JSON.parse((await run('admin', 'wren', '--keep-password', '--json')).output)).toEqual({
    username: 'wren',
    admin: true,
    disabled: false,
    passwordChanged: false,
  })
})

test('a backup in which nobody administers the server is refused, unless somebody is named', {
  timeout: 600_000,
}, async () => {
  inDatabase((db) => db.exec('UPDATE users SET admin = 0'))
  const headless = path.join(folders.root, 'headless.zip')
  expect((await run('backup', '--to', headless)).code).toBe(0)
  expect((await run('inspect', headless)).output).toMatch(
    /administrators {2}none\n[\s\S]*Nobody in this backup can administer the server/,
  )
  const before = inDatabase((db) => db.prepare('SELECT * FROM users').all())
  const refused = await run('restore', headless, '--confirm', 'RESTORE')
  expect(refused).toMatchObject({
    code: 1,
    output: expect.stringMatching(/^This backup would leave nobody .*--admin NAME; its accounts are: ellen, wren\.$/),
  })
  expect(inDatabase((db) => db.prepare('SELECT * FROM users').all())).toEqual(before)
  expect(await run('restore', headless, '--confirm', 'RESTORE', '--admin', 'nobody')).toMatchObject({
    code: 1,
    output: expect.stringContaining('It holds no account nobody.'),
  })
  const restored = await run('restore', headless, '--confirm', 'RESTORE', '--admin', 'wren')
  expect(restored).toMatchObject({ code: 0, output: expect.stringContaining('\nwren administers the server.\n') })
  const admins = inDatabase((db) => db.prepare('SELECT username FROM users WHERE admin = 1').pluck().all())
  expect(admins).toEqual(['wren'])
})

test('a backup to a place that cannot be written ends, leaves nothing and frees the folder', {
  timeout: 600_000,
}, async () => {
  const closed = path.join(folders.root, 'closed')
  mkdirSync(closed, { mode: 0o555 })
  openTo(plain, folders)
  const options = plain === undefined ? {} : { account: plain }
  const places = [
    path.join(closed, 'own.zip'),
    path.join(closed, 'deeper', 'own.zip'),
    path.join(database, 'own.zip'),
    path.join(folders.root, `${'x'.repeat(300)}.zip`),
    ...(existsSync('/dev/full') ? ['/dev/full'] : []),
  ]
  for (const place of places) {
    const { code, output } = await runCommand(folders, ['backup', '--to', place], options)
    expect([code, output]).toEqual([1, expect.stringMatching(/^[A-Z/][^\n]*\.[^\n]*$/)])
    expect(output).not.toMatch(/\.ts:\d|\.js:\d/)
  }
  expect(readdirSync(folders.tempDir)).toEqual([])
  const server = await startServerProcess(folders, options)
  for (const place of places) {
    const { code, output } = await runCommand(folders, ['backup', '--to', place], options)
    expect([code, output]).toEqual([1, expect.stringMatching(/^[A-Z/][^\n]*\.[^\n]*$/)])
  }
  const good = await runCommand(folders, ['backup', '--to', folders.root], options)
  expect(good).toMatchObject({ code: 0, output: expect.stringMatching(/talekeeper-backup-\d+T\d+Z\.zip/) })
  await server.terminate()
})

test('a data folder that is not there is made neither by backup, inspect nor admin', { timeout: 600_000 }, async () => {
  const mistyped = { env: { DATA_DIR: path.join(folders.root, 'dtaa') } }
  for (const args of [['backup'], ['admin']]) {
    expect(await runCommand(folders, args, mistyped)).toEqual({
      code: 1,
      output: `There is no data folder ${mistyped.env.DATA_DIR}. Set DATA_DIR to the folder that Talekeeper uses.`,
    })
  }
  expect((await runCommand(folders, ['inspect', backup], mistyped)).code).toBe(0)
  expect(existsSync(mistyped.env.DATA_DIR)).toBe(false)
})
