import { spawn } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { expectOnceWithin, timeOf } from '../support/within.ts'
import {
  callsOn,
  type Folders,
  makeFolders,
  type ServerProcess,
  setUp,
  startProgram,
  startServerProcess,
} from './server-process.ts'

let folders: Folders
let server: ServerProcess
let database: string
let token: string

beforeEach(async () => {
  folders = makeFolders()
  server = await startServerProcess(folders)
  token = await setUp(server.address)
  database = path.join(folders.dataDir, 'talekeeper.db')
})

afterEach(async () => {
  await server.kill()
  folders.remove()
})

async function ask(what: 'healthz' | 'readyz') {
  const response = await fetch(`${server.address}/${what}`)
  return { status: response.status, body: await response.json() }
}

/** SPEC 2.7 and 4.7: not ready, said within a second, with a reason; alive all the same. */
async function expectNotReady(reason: RegExp): Promise<void> {
  await expectOnceWithin(1000, () =>
    timeOf(async () => {
      expect(await ask('readyz')).toMatchObject({
        status: 503,
        body: { ok: false, version: expect.any(String), error: expect.stringMatching(reason) },
      })
    }),
  )
  const health = await ask('healthz')
  expect(health).toMatchObject({ status: 200, body: { ok: true, version: expect.any(String) } })
}

async function expectReady(): Promise<void> {
  expect(await ask('readyz')).toMatchObject({ status: 200, body: { ok: true, version: expect.any(String) } })
}

/** Runs `work` while another process holds a lock on the database. */
async function whileLocked(kind: 'exclusive transaction' | 'exclusive mode', work: () => Promise<void>): Promise<void> {
  const holder = spawn(process.execPath, [path.join(import.meta.dirname, 'hold-lock.ts'), database, kind], {
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const ended = new Promise<number | null>((resolve) => holder.once('close', resolve))
  let said = ''
  holder.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString()
  })
  try {
    await new Promise((resolve, reject) => {
      holder.stdout.once('data', resolve)
      void ended.then((code) => reject(new Error(`the lock could not be taken: ${code} ${said}`)))
    })
    await work()
  } finally {
    holder.stdin.end()
  }
  expect(await ended).toBe(0)
}

test('another process holds an exclusive transaction', async () => {
  await expectReady()
  await whileLocked('exclusive transaction', () => expectNotReady(/locked/))
  await expectReady()
  expect((await callsOn(server.address, token)('POST', '/api/v1/campaigns', { name: 'Afterwards' })).status).toBe(201)
})

// Being asked whether it is ready once cost the server its own locks: closing a descriptor of a file ends all POSIX
// locks of the process on it. Another program could then take the file over, or remove the log under the live database.
test('another process can neither take the database for itself nor remove its log, however often /readyz is asked', async () => {
  await expectReady()
  await expectReady()
  await expect(whileLocked('exclusive mode', async () => {})).rejects.toThrow('SQLITE_BUSY')
  const other = spawn(
    process.execPath,
    [path.join(import.meta.dirname, 'hold-lock.ts'), database, 'exclusive transaction'],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  )
  await new Promise((resolve) => other.stdout.once('data', resolve))
  other.stdin.end()
  await new Promise((resolve) => other.once('close', resolve))
  expect(existsSync(`${database}-wal`)).toBe(true)
  await expectReady()
})

test('a start on a database that another process has for itself ends with a sentence', async () => {
  await server.terminate()
  await whileLocked('exclusive mode', async () => {
    const program = startProgram(folders)
    expect(await program.ended).toEqual({ code: 1, signal: null })
    expect(program.output()).toMatch(/^The database [^\n]* is used by another program[^\n]*\n$/)
  })
  server = await startServerProcess(folders)
  await expectReady()
})

test('a start on a file that is no database ends with a sentence, and leaves it as it is', async () => {
  await server.terminate()
  const garbage = Buffer.alloc(8192, 'garbage ')
  writeFileSync(database, garbage)
  const program = startProgram(folders)
  expect(await program.ended).toEqual({ code: 1, signal: null })
  expect(program.output()).toMatch(/^The database [^\n]* is damaged[^\n]*\n$/)
  expect(readFileSync(database).equals(garbage)).toBe(true)
})

test('a write that meets the lock is refused soon, and is not half done', async () => {
  const call = callsOn(server.address, token)
  await whileLocked('exclusive transaction', async () => {
    await expectOnceWithin(1500, () =>
      timeOf(async () => {
        const refused = await call('POST', '/api/v1/campaigns', { name: 'Meanwhile' })
        expect(refused).toMatchObject({ status: 503, body: { error: { code: 'unavailable' } } })
      }),
    )
    expect((await call('GET', '/api/v1/campaigns')).body.items).toEqual([])
  })
  expect((await call('POST', '/api/v1/campaigns', { name: 'Afterwards' })).status).toBe(201)
  expect((await call('GET', '/api/v1/campaigns')).body.items).toHaveLength(1)
})

test('the file is overwritten with garbage', async () => {
  writeFileSync(database, Buffer.alloc(statSync(database).size, 'garbage '), { flag: 'r+' })
  await expectNotReady(/damaged/)
})

test('the file is emptied', async () => {
  truncateSync(database, 0)
  await expectNotReady(/damaged/)
})

test('the file is moved away, and comes back', async () => {
  renameSync(database, `${database}.aside`)
  await expectNotReady(/not where it was/)
  renameSync(`${database}.aside`, database)
  await expectReady()
})

test('another file is put in its place', async () => {
  copyFileSync(database, `${database}.copy`)
  rmSync(database)
  renameSync(`${database}.copy`, database)
  await expectNotReady(/replaced/)
})
