import { chmodSync, cpSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { giveTo, isRoot, openTo, plain } from './accounts.ts'
import { faults, skip } from './faults-of-starts.ts'
import {
  callsOn,
  type Folders,
  makeFolders,
  type Program,
  setUp,
  startProgram,
  startServerProcess,
} from './server-process.ts'

// Everything that can be wrong with the place when the program starts. It either starts as far as it can, reading at
// least, and tells its administrators, or it says one sentence without a stack and ends with 1. It runs under an account
// without rights of its own.

const long = process.env.TALEKEEPER_TEST_LONG === '1'

let used: Folders
let token: string

beforeAll(async () => {
  used = makeFolders()
  const server = await startServerProcess(used)
  token = await setUp(server.address)
  const call = callsOn(server.address, token)
  expect((await call('POST', '/api/v1/campaigns', { name: 'The Orchard in Winter' })).status).toBe(201)
  await server.terminate()
  openTo(plain, used)
}, 120_000)
afterAll(() => used?.remove())

const chosen = faults.filter(({ always, needsRoot }) => (long || always) && (isRoot || !needsRoot))
if (!isRoot)
  console.warn('The faults that need another account or a disk of its own are skipped: the tests do not run as root.')

test.each(chosen.map((fault) => [fault.name, fault] as const))('%s', { timeout: 120_000 }, async (_, fault) => {
  const folders = makeFolders()
  const place = {
    ...folders,
    database: path.join(folders.dataDir, 'talekeeper.db'),
    uploads: path.join(folders.dataDir, 'uploads'),
  }
  if (fault.onNew === undefined) cpSync(used.dataDir, folders.dataDir, { recursive: true })
  openTo(plain, folders)
  const undo = await fault.make(place)
  if (fault.needsRoot === undefined) giveTo(plain, folders.root)
  let program: Program | undefined
  try {
    if ((undo as unknown) === skip) return console.warn(`skipped: no disk can be mounted here (${fault.name})`)
    const options = {
      ...(plain === undefined ? {} : { account: plain }),
      env: fault.env?.(place) ?? {},
    }
    if (fault.says !== undefined) {
      program = startProgram(folders, options)
      const { code } = await program.ended
      const output = program.output().trim()
      expect([code, output]).toEqual([1, expect.stringMatching(fault.says)])
      expect(output.split('\n')).toHaveLength(1)
      expect(output).not.toMatch(/\.ts:\d|\.js:\d| at \w/)
      return
    }
    const server = await startServerProcess(folders, options)
    program = server
    const call = callsOn(server.address, token)
    const { body } = await call('GET', '/api/v1/campaigns')
    expect(body.items.map(({ name }: { name: string }) => name)).toEqual(['The Orchard in Winter'])
    await expect
      .poll(async () => {
        const status = (await call('GET', '/api/v1/backup/status')).body
        return status.backup.alerts.map(({ kind }: { kind: string }) => kind)
      })
      .toEqual(expect.arrayContaining([...(fault.alerts ?? [])]))
    server.child.kill('SIGTERM')
    expect(await server.ended).toEqual({ code: 0, signal: null })
  } finally {
    program?.child.kill('SIGKILL')
    await program?.ended
    if (typeof undo === 'function') undo()
    chmodSync(folders.root, 0o755)
    folders.remove()
  }
})

test('there are at least forty of them', () => {
  expect(faults.length).toBeGreaterThanOrEqual(40)
})
