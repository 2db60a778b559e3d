import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { mountDisk } from './accounts.ts'
import { picture } from './archives-support.ts'
import {
  type CallServer,
  callsOn,
  type Folders,
  makeFolders,
  type ServerProcess,
  setUp,
  startServerProcess,
} from './server-process.ts'

// What happens to the disk while the server runs: it is said in words, nothing that is acknowledged is lost, and it works
// again as soon as it can.

let folders: Folders
let server: ServerProcess | undefined
beforeEach(() => {
  folders = makeFolders()
})
afterEach(async () => {
  await server?.kill()
  server = undefined
  folders.remove()
})

async function readiness(address: string): Promise<{ status: number; error: string | undefined }> {
  const response = await fetch(`${address}/readyz`)
  return { status: response.status, error: ((await response.json()) as { error?: string }).error }
}

/** More than may be left of the space that the log of the database has already. */
const tale = 'She keeps the page in her sleeve. '.repeat(1400)

async function uploadTo(call: CallServer, campaignId: number): Promise<{ status: number; body: unknown }> {
  const form = new FormData()
  form.append('file', await picture('#123456', 900), 'map.png')
  return call('POST', `/api/v1/campaigns/${campaignId}/attachments`, form)
}

const toolCall = (address: string, token: string, campaignId: number): Promise<Response> =>
  fetch(`${address}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'create_npc', arguments: { campaignId, name: 'Lost', body: tale } },
    }),
  })

/** Every way to write is refused with this status and code, and in words. */
async function expectRefused(place: Prepared, status: number, code: string): Promise<void> {
  const { address, call, token, campaignId } = place
  const words = expect.stringMatching(
    /^The (server cannot reach its data|disk of the server is full), so nothing was changed\./,
  )
  const refused = { status, body: { error: { status, code, message: words } } }
  expect(await call('POST', `/api/v1/campaigns/${campaignId}/npcs`, { name: 'Lost', body: tale })).toMatchObject(
    refused,
  )
  expect(await uploadTo(call, campaignId)).toMatchObject(refused)
  const text = await (await toolCall(address, token, campaignId)).text()
  expect(text).toContain(code)
  expect(text).not.toContain('internal_error')
}

interface Prepared {
  readonly address: string
  readonly token: string
  readonly call: CallServer
  readonly campaignId: number
}

async function prepared(): Promise<Prepared> {
  server = await startServerProcess(folders, { env: { LOG_LEVEL: 'fatal' } })
  const { address } = server
  const token = await setUp(address)
  const call = callsOn(address, token)
  const { body } = await call('POST', '/api/v1/campaigns', { name: 'The Orchard in Winter' })
  return { address, token, call, campaignId: body.id }
}

async function npcNames({ call, campaignId }: Prepared): Promise<readonly string[]> {
  const { body } = await call('GET', `/api/v1/campaigns/${campaignId}/npcs`)
  return body.items.map(({ name }: { name: string }) => name)
}

describe('the data folder', () => {
  test('is moved away: nothing is acknowledged, nothing is begun anew in its place, and back in place all is well', {
    timeout: 60_000,
  }, async () => {
    const place = await prepared()
    const { address, call, campaignId } = place
    const elsewhere = path.join(folders.root, 'elsewhere')
    renameSync(folders.dataDir, elsewhere)
    expect(await readiness(address)).toEqual({ status: 503, error: 'the database file is not where it was' })
    const user = { username: 'lost', password: 'a good long one' }
    expect(await call('POST', '/api/v1/users', user)).toMatchObject({ status: 503 })
    await expectRefused(place, 503, 'storage_unavailable')
    expect((await call('GET', `/api/v1/campaigns/${campaignId}`)).status).toBe(200)
    expect((await call('POST', '/api/v1/backup/run')).status).toBeGreaterThanOrEqual(400)
    expect(existsSync(folders.dataDir)).toBe(false)

    renameSync(elsewhere, folders.dataDir)
    expect(await readiness(address)).toEqual({ status: 200, error: undefined })
    expect((await call('POST', `/api/v1/campaigns/${campaignId}/npcs`, { name: 'Found' })).status).toBe(201)
    expect((await uploadTo(call, campaignId)).status).toBe(201)
    expect(await npcNames(place)).toEqual(['Found'])
  })

  test('is deleted: nothing is acknowledged', { timeout: 60_000 }, async () => {
    const place = await prepared()
    rmSync(folders.dataDir, { recursive: true })
    expect((await readiness(place.address)).status).toBe(503)
    await expectRefused(place, 503, 'storage_unavailable')
    expect(existsSync(folders.dataDir)).toBe(false)
  })

  test('is replaced by another one: nothing is written into that', { timeout: 60_000 }, async () => {
    const place = await prepared()
    renameSync(folders.dataDir, path.join(folders.root, 'elsewhere'))
    mkdirSync(folders.dataDir)
    const other = new Database(path.join(folders.dataDir, 'talekeeper.db'))
    other.exec('CREATE TABLE other (id INTEGER)')
    other.close()
    expect(await readiness(place.address)).toEqual({ status: 503, error: 'the database file was replaced' })
    expect(await place.call('POST', `/api/v1/campaigns/${place.campaignId}/npcs`, { name: 'Lost' })).toMatchObject({
      status: 503,
      body: { error: { code: 'storage_unavailable' } },
    })
  })
})

test('the disk fills up: writes say so, reads go on, nothing acknowledged is lost, and with room it works again', {
  timeout: 120_000,
}, async () => {
  mkdirSync(folders.dataDir)
  const disk = mountDisk(folders.dataDir, 8 * 1024 * 1024)
  if (disk === null) {
    console.warn('skipped: this machine lets the tests mount no disk of their own')
    return
  }
  try {
    const place = await prepared()
    const { address, call, campaignId } = place
    const create = (name: string) =>
      call('POST', `/api/v1/campaigns/${campaignId}/npcs`, {
        name,
        body: 'She keeps the page in her sleeve. '.repeat(400),
      })
    expect((await create('First')).status).toBe(201)
    const ballast = path.join(folders.dataDir, 'ballast')
    const acknowledged = ['First']
    // All but a little at once, and the rest by what the server itself writes.
    await writeFile(ballast, Buffer.alloc(6 * 1024 * 1024)).catch(() => {})
    let refused: { status: number; body: unknown } | undefined
    for (let number = 1; refused === undefined; number += 1) {
      const answer = await create(`Person ${number}`)
      if (answer.status === 201) acknowledged.push(`Person ${number}`)
      else refused = answer
    }
    expect(refused).toMatchObject({
      status: 507,
      body: { error: { code: 'disk_full', message: /disk of the server is full/ } },
    })
    await writeFile(ballast, Buffer.alloc(2 * 1024 * 1024), { flag: 'a' }).catch(() => {})
    expect(await readiness(address)).toEqual({ status: 503, error: 'the disk is full' })
    await expectRefused(place, 507, 'disk_full')
    expect((await fetch(`${address}/healthz`)).status).toBe(200)
    expect((await call('GET', `/api/v1/campaigns/${campaignId}`)).status).toBe(200)
    const alerts = (await call('GET', '/api/v1/backup/status')).body.backup.alerts
    expect(alerts).toContainEqual(
      expect.objectContaining({ kind: 'storage', message: expect.stringMatching(/is full/) }),
    )

    rmSync(ballast)
    expect(await readiness(address)).toEqual({ status: 200, error: undefined })
    expect((await create('Last')).status).toBe(201)
    acknowledged.push('Last')
    await server?.kill()
    const db = new Database(path.join(folders.dataDir, 'talekeeper.db'), { readonly: true })
    expect(db.prepare('SELECT name FROM npcs ORDER BY id').pluck().all()).toEqual(acknowledged)
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
    db.close()
    const uploads = readdirSync(path.join(folders.dataDir, 'uploads'), { recursive: true, withFileTypes: true })
    expect(uploads.filter((item) => item.isFile()).map(({ name }) => name)).toEqual([])
  } finally {
    await server?.kill()
    disk.unmount()
  }
})

test('a server that was started on a full disk opens the database as usual once there is room', {
  timeout: 180_000,
}, async () => {
  mkdirSync(folders.dataDir)
  const disk = mountDisk(folders.dataDir, 8 * 1024 * 1024)
  if (disk === null) {
    console.warn('skipped: this machine lets the tests mount no disk of their own')
    return
  }
  try {
    const { token, campaignId } = await prepared()
    await server?.terminate()
    const ballast = path.join(folders.dataDir, 'ballast')
    for (const size of [1024 * 1024, 4096, 1]) {
      const fill = (): Promise<void> => writeFile(ballast, Buffer.alloc(size), { flag: 'a' }).then(fill)
      await fill().catch(() => {})
    }
    server = await startServerProcess(folders, { env: { LOG_LEVEL: 'fatal' } })
    const { address } = server
    const call = callsOn(address, token)
    expect(await readiness(address)).toEqual({ status: 503, error: 'the disk was full when the server started' })
    expect((await call('GET', `/api/v1/campaigns/${campaignId}`)).status).toBe(200)
    expect(await call('POST', '/api/v1/campaigns', { name: 'Lost' })).toMatchObject({ status: 507 })
    rmSync(ballast)
    // It looks every half minute.
    await expect.poll(async () => (await readiness(address)).status, { timeout: 90_000, interval: 1000 }).toBe(200)
    expect((await call('POST', '/api/v1/campaigns', { name: 'Found' })).status).toBe(201)
    expect((await call('POST', '/api/v1/backup/run')).body.error?.code).not.toBe('storage_unavailable')
  } finally {
    await server?.kill()
    disk.unmount()
  }
})
