import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { claimDataDir, type Instance } from '../../src/desktop/instance.ts'
import {
  announcedAddress,
  callsOn,
  type Folders,
  makeFolders,
  type Outcome,
  runCommand,
  setUp,
  startProgram,
  startServerProcess,
} from './server-process.ts'

const long = process.env.TALEKEEPER_TEST_LONG === '1'
let folders: Folders
let folder: string
beforeEach(() => {
  folders = makeFolders()
  folder = folders.dataDir
  mkdirSync(folder)
})
afterEach(() => folders.remove())

const claim = (startMs = 1500): ReturnType<typeof claimDataDir> => claimDataDir(folder, { work: 'serve', startMs })

async function claimed(): Promise<Instance> {
  const found = await claim()
  if (found.kind !== 'mine') throw new Error('not claimed')
  return found.instance
}

const record = (content: object | string): void =>
  writeFileSync(path.join(folder, 'instance.json'), typeof content === 'string' ? content : JSON.stringify(content))

describe('a data folder', () => {
  test.each([
    [
      'of a process that is gone',
      { pid: 999_999_999, work: 'serve', address: 'http://127.0.0.1:9', token: 'x'.repeat(43) },
    ],
    [
      'whose process number another program has by now',
      { pid: 1, work: 'serve', address: null, token: 'x'.repeat(43) },
    ],
    ['whose record is damaged', '{"pid":'],
  ])('%s is taken over', async (_, content) => {
    record(content)
    ;(await claimed()).release()
  })

  test('is given back', async () => {
    ;(await claimed()).release()
    ;(await claimed()).release()
    // The file stays: two processes could hold locks on two files of one name else.
    expect(readdirSync(folder)).toEqual(['lock.db'])
    expect(statSync(path.join(folder, 'lock.db')).size).toBe(0)
  })

  test('of a program that answers over https with another name in its certificate is respected', async () => {
    const [key, cert] = [path.join(folder, 'key.pem'), path.join(folder, 'cert.pem')]
    try {
      execFileSync(
        'openssl',
        [
          'req',
          '-x509',
          '-newkey',
          'rsa:2048',
          '-nodes',
          '-keyout',
          key,
          '-out',
          cert,
          '-days',
          '2',
          '-subj',
          '/CN=tale.example.org',
        ],
        { stdio: 'ignore' },
      )
    } catch {
      if (process.env.CI === 'true') throw new Error('openssl is missing; .ci/run installs it')
      console.warn('skipped: no openssl on this machine')
      return
    }
    const instance = await claimed()
    const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (request, response) => {
      const nonce = new URL(request.url ?? '', 'https://local').searchParams.get('nonce') ?? ''
      response.end(JSON.stringify({ proof: instance.prove(nonce) }))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    // Its file gone by hand, the lock could be had; the server that answers has the folder all the same.
    instance.announce(`https://127.0.0.1:${port}`)
    rmSync(path.join(folder, 'lock.db'))
    expect(await claim()).toMatchObject({ kind: 'running', running: { address: `https://127.0.0.1:${port}` } })
    await new Promise((resolve) => server.close(resolve))
    instance.release()
  })

  test('whose lock file is something else is refused in words', async () => {
    writeFileSync(path.join(folder, 'lock.db'), 'my own file')
    await expect(claim()).rejects.toThrow(/lock\.db is not the empty file .* Delete it/)
  })
})

const starts = long ? 200 : 20

test(`of ${starts} simultaneous starts one has the folder, and the others change nothing`, {
  timeout: starts * 15_000,
}, async () => {
  const programs = Array.from({ length: starts }, () => startProgram(folders))
  const address = await announcedAddress(folders, starts * 10_000)
  const owner = JSON.parse(readFileSync(path.join(folder, 'instance.json'), 'utf8')).pid
  const [winners, others] = [true, false].map((wins) => programs.filter(({ child }) => (child.pid === owner) === wins))
  expect(winners).toHaveLength(1)
  for (const { ended, output } of others ?? []) {
    // Whoever has waited longer than a start may take, on a slow machine, says so instead.
    expect([(await ended).code, output()]).toEqual([
      expect.toBeOneOf([0, 1]),
      expect.stringMatching(/^Talekeeper (is running already, at \S+|.* does not answer\. .*)\n$/),
    ])
  }
  const token = await setUp(address)
  expect((await callsOn(address, token)('POST', '/api/v1/campaigns', { name: 'One' })).status).toBe(201)
  expect(JSON.parse(readFileSync(path.join(folder, 'instance.json'), 'utf8')).pid).toBe(owner)
  winners?.[0]?.child.kill('SIGTERM')
  expect(await winners?.[0]?.ended).toEqual({ code: 0, signal: null })
})

test.skipIf(process.platform === 'win32')(
  'an owner that stands still keeps the folder; its end frees it',
  {
    timeout: 180_000,
  },
  async () => {
    const server = await startServerProcess(folders)
    server.child.kill('SIGSTOP')
    try {
      const before = readFileSync(path.join(folder, 'instance.json'), 'utf8')
      await expect(claim()).rejects.toThrow(
        `Talekeeper (process ${server.child.pid}) has ${folder} open but does not answer. End that program, then try again.`,
      )
      expect(readFileSync(path.join(folder, 'instance.json'), 'utf8')).toBe(before)
      // The commands that work on the folder take the same lock.
      const restore = await runCommand(folders, ['admin'])
      expect(restore).toMatchObject({ code: 1, output: expect.stringMatching(/does not answer/) })
    } finally {
      await server.kill()
    }
    ;(await claimed()).release()
  },
)

test('a command that has the folder is named to whoever wants it too', async () => {
  const held = await claimDataDir(folder, { work: 'restore' })
  if (held.kind !== 'mine') throw new Error('not claimed')
  const second = await runCommand(folders, ['serve'])
  held.instance.release()
  expect(second).toEqual({
    code: 1,
    output: `talekeeper restore (process ${process.pid}) works on ${folder}. Wait until it has ended, then try again.`,
  })
})

test('a second start finds the first, and the command line works beside it', { timeout: 120_000 }, async () => {
  const server = await startServerProcess(folders)
  try {
    const token = await setUp(server.address)
    const call = callsOn(server.address, token)
    expect((await call('POST', '/api/v1/campaigns', { name: 'Before' })).status).toBe(201)
    const run = (...args: string[]): Promise<Outcome> => runCommand(folders, args)
    const answer = async (...args: string[]) => JSON.parse((await run(...args, '--json')).output)
    expect(await run('serve')).toEqual({ code: 0, output: `Talekeeper is running already, at ${server.address}/` })
    const file = path.join(folder, 'by-hand.zip')
    expect(await answer('backup', '--to', file)).toMatchObject({ file })
    expect(await answer('inspect', file)).toMatchObject({ version: 3, campaigns: 1, administrators: ['ellen'] })
    expect((await call('POST', '/api/v1/campaigns', { name: 'After' })).status).toBe(201)
    expect(await run('restore', file)).toMatchObject({ code: 1, output: expect.stringContaining('--confirm RESTORE') })
    expect(await answer('restore', file, '--confirm', 'RESTORE')).toMatchObject({ restored: true })
    const { body } = await call('GET', '/api/v1/campaigns')
    expect(body.items.map(({ name }: { name: string }) => name)).toEqual(['Before'])
    expect(await run('admin')).toMatchObject({
      code: 1,
      output: expect.stringMatching(/^Talekeeper is running, .* End it/),
    })
  } finally {
    await server.terminate()
  }
})
