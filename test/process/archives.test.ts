import { createHash } from 'node:crypto'
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { restoreSteps } from '../../src/archive/restore.ts'
import {
  admin,
  type CallServer,
  callsOn,
  type Folders,
  makeFolders,
  type ServerProcess,
  setUp,
  startServerProcess,
} from './server-process.ts'

const long = process.env.TALEKEEPER_TEST_LONG === '1'
const passphrase = 'correct horse battery'
const entry = 'test/process/kill-at.ts'

/** The installation that every test begins with, and an archive of what it was before. */
interface Prepared {
  readonly folders: Folders
  readonly token: string
  readonly archive: Buffer
  readonly before: Content
  readonly archived: Content
}
let prepared: Prepared

interface Content {
  readonly tables: Readonly<Record<string, unknown>>
  readonly uploads: Readonly<Record<string, string>>
  readonly key: string
}

/** What a restore has to bring whole: all content, each upload's bytes, the key file. Sign-ins and the audit are its own. */
function contentOf(dataDir: string): Content {
  const db = new Database(path.join(dataDir, 'talekeeper.db'), { readonly: true })
  try {
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
    const tables = ['campaigns', 'memberships', 'npcs', 'notes', 'attachments', 'users', 'changes', 'search_documents']
    const uploads = path.join(dataDir, 'uploads')
    const stored = readdirSync(uploads, { recursive: true, withFileTypes: true }).filter((item) => item.isFile())
    return {
      tables: Object.fromEntries(tables.map((table) => [table, db.prepare(`SELECT * FROM ${table}`).all()])),
      uploads: Object.fromEntries(stored.map(({ parentPath, name }) => [name, digest(path.join(parentPath, name))])),
      key: digest(path.join(dataDir, 'ai-config.key')),
    }
  } finally {
    db.close()
  }
}

function digest(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex')
}

async function picture(colour: string, side = 40): Promise<Blob> {
  const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const
  const image =
    side > 100
      ? sharp({ create: { width: side, height: side, channels: 3, background: colour, noise } })
      : sharp({ create: { width: side, height: side, channels: 3, background: colour } })
  return new Blob([Uint8Array.from(await image.png().toBuffer())])
}

async function upload(call: CallServer, campaignId: number, bytes: Blob, name: string): Promise<void> {
  const form = new FormData()
  form.append('file', bytes, name)
  const { status } = await call('POST', `/api/v1/campaigns/${campaignId}/attachments`, form)
  expect(status).toBe(201)
}

function restoreOn({ address }: ServerProcess, token: string, archive: Buffer): Promise<Response> {
  const form = new FormData()
  form.append('file', new Blob([Uint8Array.from(archive)]), 'backup.zip')
  form.append('confirm', 'RESTORE')
  form.append('keyPassphrase', passphrase)
  return fetch(`${address}/api/v1/backup/restore`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    body: form,
  })
}

/** A copy of the installation, to be spoiled. */
function anotherInstallation(): Folders {
  const folders = makeFolders()
  cpSync(prepared.folders.dataDir, folders.dataDir, { recursive: true })
  return folders
}

/** Names in the data folder that no installation has, and everything in the temporary one. */
function strayFiles({ dataDir, tempDir }: Folders): readonly string[] {
  const own = new Set([
    'talekeeper.db',
    'talekeeper.db-wal',
    'talekeeper.db-shm',
    'uploads',
    'ai-config.key',
    'backups',
    'backup-state.json',
    'cache',
    'instance.lock',
  ])
  const uploads = readdirSync(path.join(dataDir, 'uploads'), { recursive: true, withFileTypes: true })
  const strange = uploads.filter((item) => item.isFile() && !/^[0-9a-f]{64}\.\w+$/.test(item.name))
  return [
    ...readdirSync(dataDir).filter((name) => !own.has(name)),
    ...readdirSync(tempDir),
    ...strange.map(({ name }) => name),
  ]
}

beforeAll(async () => {
  const folders = makeFolders()
  const server = await startServerProcess(folders)
  const token = await setUp(server.address)
  const call = callsOn(server.address, token)
  const { body: campaign } = await call('POST', '/api/v1/campaigns', { name: 'The Orchard in Winter' })
  const npc = await call('POST', `/api/v1/campaigns/${campaign.id}/npcs`, {
    name: 'Marta',
    dmSecret: 'She rang the bell.',
  })
  await upload(call, campaign.id, await picture('#204060'), 'in-both.png')
  await upload(call, campaign.id, await picture('#604020', 900), 'only-before.png')
  const response = await fetch(`${server.address}/api/v1/backup/download`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ keyPassphrase: passphrase }),
  })
  expect(response.status).toBe(200)
  const archive = Buffer.from(await response.arrayBuffer())
  const archived = contentOf(folders.dataDir)

  await call('PATCH', `/api/v1/npcs/${npc.body.id}`, { name: 'Old Marta' })
  await call('POST', '/api/v1/campaigns', { name: 'A second table' })
  await upload(call, campaign.id, await picture('#006000'), 'only-after.png')
  await server.terminate()
  // Another key than the archive's, so that a mixture of two installations shows.
  writeFileSync(path.join(folders.dataDir, 'ai-config.key'), Buffer.alloc(32, 7), { mode: 0o600 })
  const before = contentOf(folders.dataDir)
  expect(before).not.toEqual(archived)
  prepared = { folders, token, archive, before, archived }
}, 60_000)

afterAll(() => prepared?.folders.remove())

describe('kill -9 in a restore', { timeout: 60_000 }, () => {
  const boundary = restoreSteps.indexOf('replacing')

  test.each(restoreSteps)('at %s leaves the old installation or the new one', async (step) => {
    const folders = anotherInstallation()
    try {
      const doomed = await startServerProcess(folders, { entry, env: { KILL_AT: step } })
      await expect(restoreOn(doomed, prepared.token, prepared.archive)).rejects.toThrow()
      expect(await doomed.ended).toEqual({ code: null, signal: 'SIGKILL' })
      await expectWhole(folders, restoreSteps.indexOf(step) >= boundary ? 'new' : 'old')
    } finally {
      folders.remove()
    }
  })

  const moves = restoreSteps.filter((step) => step.includes(':'))
  test.each(long ? moves : moves.slice(1, 5))('and again in the recovery, at %s', async (step) => {
    const folders = anotherInstallation()
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
  // The safety copy of a finished restore is no stray: it is kept until the next good backup.
  const [copy, ...others] = strayFiles(folders)
  expect(others).toEqual([])
  if (which === 'old') expect(copy).toBeUndefined()
  else {
    expect(copy).toMatch(/^restore-/)
    expect(readdirSync(path.join(folders.dataDir, copy as string)).sort()).toEqual(['old', 'safety-copy.json'])
  }
  expect((await fetch(`${server.address}/readyz`)).status).toBe(200)
  const signIn = await fetch(`${server.address}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: server.address },
    body: JSON.stringify(admin),
  })
  expect(signIn.status).toBe(200)
  const call = callsOn(server.address, prepared.token)
  expect((await call('POST', '/api/v1/campaigns', { name: 'Afterwards' })).status).toBe(201)
  expect(await server.terminate()).toMatchObject({ code: 0 })
  expect(existsSync(path.join(folders.dataDir, 'talekeeper.db-wal'))).toBe(false)
}

test('kill -9 while a backup is made changes nothing and leaves nothing behind', { timeout: 240_000 }, async () => {
  const folders = anotherInstallation()
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

test('kill -9 while an image arrives leaves no half of it', { timeout: 120_000 }, async () => {
  const folders = anotherInstallation()
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
