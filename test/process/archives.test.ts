import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { restoreSteps } from '../../src/archive/restore.ts'
import {
  contentOf,
  copyOf,
  entry,
  expectInService,
  expectNoStrays,
  long,
  type Prepared,
  picture,
  prepare,
  restoreOn,
  strayFiles,
  upload,
} from './archives-support.ts'
import { callsOn, type Folders, startServerProcess } from './server-process.ts'

let prepared: Prepared

beforeAll(async () => {
  prepared = await prepare()
})

afterAll(() => prepared?.folders.remove())

describe('kill -9 in a restore', () => {
  const boundary = restoreSteps.indexOf('replacing')

  // Each step is one at which test/archive/kill.test.ts ends the restore alone; here it is the whole program.
  test.each(long ? restoreSteps : restoreSteps.filter((_, index) => index % 3 === 2))(
    'at %s leaves the old installation or the new one',
    async (step) => {
      const folders = copyOf(prepared)
      try {
        const doomed = await startServerProcess(folders, { entry, env: { KILL_AT: step } })
        await expect(restoreOn(doomed, prepared.token, prepared.archive)).rejects.toThrow()
        expect(await doomed.ended).toEqual({ code: null, signal: 'SIGKILL' })
        await expectWhole(folders, restoreSteps.indexOf(step) >= boundary ? 'new' : 'old')
      } finally {
        folders.remove()
      }
    },
  )

  const moves = restoreSteps.filter((step) => step.includes(':'))
  test.each(long ? moves : moves.slice(2, 4))('and again in the recovery, at %s', async (step) => {
    const folders = copyOf(prepared)
    try {
      const doomed = await startServerProcess(folders, { entry, env: { KILL_AT: 'replacing' } })
      await expect(restoreOn(doomed, prepared.token, prepared.archive)).rejects.toThrow()
      await expect(startServerProcess(folders, { entry, env: { KILL_AT: step } })).rejects.toThrow('SIGKILL')
      await expectWhole(folders, 'new')
    } finally {
      folders.remove()
    }
  })
})

async function expectWhole(folders: Folders, which: 'old' | 'new'): Promise<void> {
  const server = await startServerProcess(folders)
  expect(contentOf(folders.dataDir)).toEqual(which === 'new' ? prepared.archived : prepared.before)
  expectNoStrays(folders, which)
  await expectInService(server, prepared.token)
  expect(await server.terminate()).toMatchObject({ code: 0 })
  expect(existsSync(path.join(folders.dataDir, 'talekeeper.db-wal'))).toBe(false)
}

test('kill -9 while a backup is made changes nothing and leaves nothing behind', { timeout: 1_200_000 }, async () => {
  const folders = copyOf(prepared)
  const rounds = long ? 60 : 8
  try {
    let cutOff = 0
    for (let round = 0; round < rounds; round += 1) {
      const server = await startServerProcess(folders)
      const scheduled = round % 2 === 0
      const working = fetch(`${server.address}/api/v1/backup${scheduled ? '/run' : ''}`, {
        method: scheduled ? 'POST' : 'GET',
        headers: { authorization: `Bearer ${prepared.token}` },
      })
        .then((response) => response.arrayBuffer())
        .catch(() => {
          cutOff += 1
        })
      await new Promise((resolve) => setTimeout(resolve, 10 + ((round * 61) % 350)))
      await server.kill()
      await working
    }
    expect(cutOff).toBeGreaterThan(rounds / 4)
    const server = await startServerProcess(folders)
    expect(contentOf(folders.dataDir)).toEqual(prepared.before)
    expect(strayFiles(folders)).toEqual([])
    const backups = path.join(folders.dataDir, 'backups')
    const archives = existsSync(backups) ? readdirSync(backups) : []
    expect(archives.filter((name) => !name.endsWith('.zip'))).toEqual([])
    const call = callsOn(server.address, prepared.token)
    expect((await call('GET', '/api/v1/backup/status')).body.backup.current).toBeNull()
    for (const name of archives) {
      const form = new FormData()
      form.append('file', new Blob([Uint8Array.from(readFileSync(path.join(backups, name)))]), name)
      expect((await call('POST', '/api/v1/backup/inspect', form)).status).toBe(200)
    }
    expect((await call('POST', '/api/v1/backup/run')).status).toBe(200)
    await server.terminate()
  } finally {
    folders.remove()
  }
})

test('kill -9 while an image arrives leaves no half of it', { timeout: 1_200_000 }, async () => {
  const folders = copyOf(prepared)
  try {
    for (let round = 0; round < (long ? 40 : 6); round += 1) {
      const server = await startServerProcess(folders)
      const call = callsOn(server.address, prepared.token)
      const sending = Promise.allSettled([
        upload(call, 1, await picture(`#0000${10 + round}`, 700), 'one.png'),
        upload(call, 1, await picture(`#${10 + round}0000`, 900), 'two.png'),
      ])
      await new Promise((resolve) => setTimeout(resolve, 20 + ((round * 83) % 400)))
      await server.kill()
      await sending
    }
    const server = await startServerProcess(folders)
    const { tables, uploads } = contentOf(folders.dataDir)
    const rows = tables.attachments as readonly { readonly file_key: string; readonly sha256: string }[]
    for (const { file_key: fileKey, sha256 } of rows) expect(uploads[path.basename(fileKey)]).toBe(sha256)
    expect(strayFiles(folders)).toEqual([])
    await server.terminate()
  } finally {
    folders.remove()
  }
})
