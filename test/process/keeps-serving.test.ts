import { spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  announcedAddress,
  type CallServer,
  callsOn,
  type Folders,
  makeFolders,
  type Program,
  setUp,
  startProgram,
  startServerProcess,
} from './server-process.ts'

// What goes wrong beside the requests: nobody takes the log, housekeeping cannot write. The table's evening goes on.

let folders: Folders
let program: Program | undefined
beforeEach(() => {
  folders = makeFolders()
})
afterEach(async () => {
  program?.child.kill('SIGKILL')
  await program?.ended
  folders.remove()
})

async function expectServing(address: string, call: CallServer, rounds = 3): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    const health = await fetch(`${address}/healthz`, { signal: AbortSignal.timeout(10_000) })
    expect(health.status).toBe(200)
    // Each change is a line of the log.
    expect((await call('POST', '/api/v1/campaigns', { name: `Evening ${round}` })).status).toBe(201)
  }
}

async function alertsOf(call: CallServer): Promise<readonly { readonly kind: string; readonly message: string }[]> {
  return (await call('GET', '/api/v1/backup/status')).body.backup.alerts
}

describe.skipIf(process.platform === 'win32')('the log', () => {
  test('on a full disk: it is counted and told, and the server serves', { timeout: 60_000 }, async () => {
    const full = openSync('/dev/full', 'w')
    program = startProgram(folders, { env: { LOG_LEVEL: 'info' }, stdout: full })
    closeSync(full)
    const address = await announcedAddress(folders)
    const call = callsOn(address, await setUp(address))
    await expectServing(address, call)
    expect(await alertsOf(call)).toContainEqual(
      expect.objectContaining({
        kind: 'log',
        message: expect.stringMatching(
          /^A line of the log could not be written: ENOSPC\. This has happened \d+ times\.$/,
        ),
      }),
    )
    program.child.kill('SIGTERM')
    expect(await program.ended).toEqual({ code: 0, signal: null })
  })

  test('into a pipe that nobody reads any more', { timeout: 60_000 }, async () => {
    const server = await startServerProcess(folders, { env: { LOG_LEVEL: 'info' } })
    program = server
    server.child.stdout?.destroy()
    server.child.stderr?.destroy()
    const call = callsOn(server.address, await setUp(server.address))
    await expectServing(server.address, call)
    expect((await alertsOf(call)).map(({ kind }) => kind)).toContain('log')
  })

  test('into a pipe whose reader stands still', { timeout: 120_000 }, async () => {
    const server = await startServerProcess(folders, { env: { LOG_LEVEL: 'trace' } })
    program = server
    server.child.stdout?.pause()
    const call = callsOn(server.address, await setUp(server.address))
    // A pipe takes 64 kB, and this stream some more; each of these lines has about 200 bytes.
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        for (let n = 0; n < 150; n += 1) await (await fetch(`${server.address}/api/v1/auth/status`)).text()
      }),
    )
    await expectServing(server.address, call)
    server.child.kill('SIGTERM')
    const ended = await Promise.race([server.ended, new Promise((resolve) => server.child.once('exit', resolve))])
    expect(ended).toBeDefined()
  })

  test('on a terminal that was closed', { timeout: 60_000 }, async () => {
    const server = await startServerProcess(folders, { env: { LOG_LEVEL: 'info' } })
    program = server
    const call = callsOn(server.address, await setUp(server.address))
    server.child.kill('SIGHUP')
    await expectServing(server.address, call)
    expect((await server.terminate()).code).toBe(0)
  })
})

test('housekeeping that meets a locked database stops nothing, and is told until it is done', {
  timeout: 60_000,
}, async () => {
  const first = await startServerProcess(folders)
  const token = await setUp(first.address)
  await first.terminate()
  const holder = spawn(
    process.execPath,
    [path.join(import.meta.dirname, 'hold-lock.ts'), path.join(folders.dataDir, 'talekeeper.db'), 'writer'],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  )
  await new Promise((resolve) => holder.stdout.once('data', resolve))
  const server = await startServerProcess(folders)
  program = server
  const call = callsOn(server.address, token)
  const alerts = await alertsOf(call)
  expect(alerts.map(({ kind }) => kind)).toContain('housekeeping.sign_ins')
  expect(alerts.find(({ kind }) => kind === 'housekeeping.sign_ins')?.message).toMatch(/It is tried again\. .* locked/)
  expect((await call('GET', '/api/v1/campaigns')).status).toBe(200)
  holder.stdin.end()
  await new Promise((resolve) => holder.once('close', resolve))
  await expectServing(server.address, call)
})
