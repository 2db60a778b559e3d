import { createHash } from 'node:crypto'
import { cpSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import sharp from 'sharp'
import { expect } from 'vitest'
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

export const long = process.env.TALEKEEPER_TEST_LONG === '1'

/** The program that ends itself; see there. */
export const entry = 'test/process/kill-at.ts'

const passphrase = 'correct horse battery'

/** The installation that every test begins with, and an archive of what it was before. */
export interface Prepared {
  readonly folders: Folders
  readonly token: string
  readonly archive: Buffer
  readonly before: Content
  readonly archived: Content
}

export interface Content {
  readonly tables: Readonly<Record<string, unknown>>
  readonly uploads: Readonly<Record<string, string>>
  readonly key: string
}

/** What a restore has to bring whole: all content, each upload's bytes, the key file. Sign-ins and the audit are its own. */
export function contentOf(dataDir: string): Content {
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

export function digest(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex')
}

export async function picture(colour: string, side = 40): Promise<Blob> {
  const noise = { type: 'gaussian', mean: 128, sigma: 60 } as const
  const image =
    side > 100
      ? sharp({ create: { width: side, height: side, channels: 3, background: colour, noise } })
      : sharp({ create: { width: side, height: side, channels: 3, background: colour } })
  return new Blob([Uint8Array.from(await image.png().toBuffer())])
}

export async function upload(call: CallServer, campaignId: number, bytes: Blob, name: string): Promise<void> {
  const form = new FormData()
  form.append('file', bytes, name)
  const { status } = await call('POST', `/api/v1/campaigns/${campaignId}/attachments`, form)
  expect(status).toBe(201)
}

export function restoreOn({ address }: ServerProcess, token: string, archive: Buffer): Promise<Response> {
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

/** A copy of an installation, to be spoiled. */
export function copyOf({ folders: { dataDir } }: Prepared): Folders {
  const folders = makeFolders()
  cpSync(dataDir, folders.dataDir, { recursive: true })
  return folders
}

/** Names in the data folder that no installation has, and everything in the temporary one. */
export function strayFiles({ dataDir, tempDir }: Folders): readonly string[] {
  const own = new Set([
    'talekeeper.db',
    'talekeeper.db-wal',
    'talekeeper.db-shm',
    'uploads',
    'ai-config.key',
    'backups',
    'backup-state.json',
    'cache',
    'instance.json',
    'lock.db',
    'talekeeper.json',
  ])
  const uploads = readdirSync(path.join(dataDir, 'uploads'), { recursive: true, withFileTypes: true })
  const strange = uploads.filter((item) => item.isFile() && !/^[0-9a-f]{64}\.\w+$/.test(item.name))
  return [
    ...readdirSync(dataDir).filter((name) => !own.has(name)),
    ...readdirSync(tempDir),
    ...strange.map(({ name }) => name),
  ]
}

/** Holds the stray files of a started server against what is kept on purpose. */
export function expectNoStrays(folders: Folders, which: 'old' | 'new'): void {
  // The safety copy of a finished restore is no stray: it is kept until the next good backup.
  const [copy, ...others] = strayFiles(folders)
  expect(others).toEqual([])
  if (which === 'old') expect(copy).toBeUndefined()
  else {
    expect(copy).toMatch(/^restore-/)
    expect(readdirSync(path.join(folders.dataDir, copy as string)).sort()).toEqual(['old', 'safety-copy.json'])
  }
}

/** The server answers, knows its users and takes changes. */
export async function expectInService({ address }: ServerProcess, token: string): Promise<void> {
  expect((await fetch(`${address}/readyz`)).status).toBe(200)
  const signIn = await fetch(`${address}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: address },
    body: JSON.stringify(admin),
  })
  expect(signIn.status).toBe(200)
  expect((await callsOn(address, token)('POST', '/api/v1/campaigns', { name: 'Afterwards' })).status).toBe(201)
}

export async function prepare(): Promise<Prepared> {
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
  return { folders, token, archive, before, archived }
}
