import { execFile, execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { claimDataDir } from '../../src/desktop/instance.ts'
import { compiledModules } from '../support/compiled.ts'
import { callsOn, makeFolders, setUp, startServerProcess } from './server-process.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'talekeeper-lock-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const lock = (content: object | string): void => {
  const file = path.join(folder, 'instance.lock')
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  const longAgo = new Date(Date.now() - 3600_000)
  utimesSync(file, longAgo, longAgo)
}

describe('the lock of a data folder', () => {
  test('of a process that is gone is taken over', async () => {
    lock({ pid: 999_999_999, address: 'http://127.0.0.1:9', token: 'x'.repeat(43) })
    expect((await claimDataDir(folder)).kind).toBe('mine')
  })

  test('whose number another program has by now is taken over', async () => {
    lock({ pid: 1, address: 'http://127.0.0.1:9', token: 'x'.repeat(43) })
    expect((await claimDataDir(folder)).kind).toBe('mine')
  })

  test('that is damaged is taken over', async () => {
    lock('{"pid":')
    expect((await claimDataDir(folder)).kind).toBe('mine')
  })

  test('is given back', async () => {
    const first = await claimDataDir(folder)
    if (first.kind !== 'mine') throw new Error('not claimed')
    first.instance.release()
    expect((await claimDataDir(folder)).kind).toBe('mine')
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
    const { readFileSync } = await import('node:fs')
    const first = await claimDataDir(folder)
    if (first.kind !== 'mine') throw new Error('not claimed')
    const { instance } = first
    const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (request, response) => {
      const nonce = new URL(request.url ?? '', 'https://local').searchParams.get('nonce') ?? ''
      response.end(JSON.stringify({ proof: instance.prove(nonce) }))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    // Our own number counts as nobody's, so that the lock must look like another process's.
    const { token } = JSON.parse(readFileSync(path.join(folder, 'instance.lock'), 'utf8')) as { token: string }
    lock({ pid: process.ppid, address: `https://127.0.0.1:${port}`, token })
    expect(await claimDataDir(folder)).toMatchObject({
      kind: 'running',
      running: { address: `https://127.0.0.1:${port}` },
    })
    await new Promise((resolve) => server.close(resolve))
  })
})

test('a second start finds the first, and the command line works beside it', async () => {
  const folders = makeFolders()
  const server = await startServerProcess(folders)
  try {
    const token = await setUp(server.address)
    const call = callsOn(server.address, token)
    expect((await call('POST', '/api/v1/campaigns', { name: 'Before' })).status).toBe(201)
    const own = { DATA_DIR: folders.dataDir, TMPDIR: folders.tempDir, PORT: '0', ...compiledModules() }
    // Not the kind that blocks: what the server closes meanwhile would be used again.
    const run = async (...args: string[]): Promise<string> => {
      const main = path.resolve(import.meta.dirname, '../../src/main.ts')
      const env = { PATH: process.env.PATH ?? '', ...own }
      return (await promisify(execFile)(process.execPath, [main, ...args], { env })).stdout
    }
    expect(await run('serve')).toContain(`running already, at ${server.address}`)
    const file = path.join(folders.dataDir, 'by-hand.zip')
    expect(JSON.parse(await run('backup', '--to', file))).toMatchObject({ file })
    expect(JSON.parse(await run('inspect', file))).toMatchObject({ version: 3, campaigns: 1 })
    expect((await call('POST', '/api/v1/campaigns', { name: 'After' })).status).toBe(201)
    await expect(run('restore', file)).rejects.toThrow('RESTORE')
    expect(JSON.parse(await run('restore', file, '--confirm', 'RESTORE'))).toMatchObject({ restored: true })
    const { body } = await call('GET', '/api/v1/campaigns')
    expect(body.items.map(({ name }: { name: string }) => name)).toEqual(['Before'])
  } finally {
    await server.terminate()
    folders.remove()
  }
})
