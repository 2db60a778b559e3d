import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { startServer, type TestServer } from '../support/server.ts'
import { startWorld } from '../support/world-file.ts'

// A server with years of play in it, backed up and restored into another data folder: SPEC 2.4 and 4.4.
const long = process.env.TALEKEEPER_TEST_LONG === '1'
const size = long
  ? { npcs: 2000, notes: 5000, images: 1000, imageBytes: 1024 * 1024 }
  : { npcs: 200, notes: 500, images: 100, imageBytes: 100 * 1024 }

/** Rows of one campaign by SQL, since each through the pipeline would wait for the disk; files as the program keeps them. */
function fill({ app, dataDir }: TestServer, campaignId: number, userId: number): void {
  const store = app.store()
  const now = '2026-11-20T18:00:00.000Z'
  store.transaction(() => {
    for (let n = 0; n < size.npcs; n += 1) {
      store.run(
        'INSERT INTO npcs (campaign_id, created_at, updated_at, name, body) VALUES (@campaignId, @now, @now, @name, @body)',
        { campaignId, now, name: `Person ${n}`, body: `Tale ${n} `.repeat(20) },
      )
    }
    for (let n = 0; n < size.notes; n += 1) {
      store.run(
        "INSERT INTO notes (campaign_id, created_at, updated_at, author_user_id, body, visibility) VALUES (@campaignId, @now, @now, @userId, @body, 'party')",
        { campaignId, now, userId, body: `Note ${n} `.repeat(30) },
      )
    }
    for (let n = 0; n < size.images; n += 1) {
      const bytes = randomBytes(size.imageBytes)
      const sha256 = createHash('sha256').update(bytes).digest('hex')
      const fileKey = `${sha256.slice(0, 2)}/${sha256}.png`
      mkdirSync(path.join(dataDir, 'uploads', sha256.slice(0, 2)), { recursive: true })
      writeFileSync(path.join(dataDir, 'uploads', fileKey), bytes)
      store.run(
        `INSERT INTO attachments (campaign_id, created_at, updated_at, uploaded_by_user_id, file_name, mime_type, byte_size, width, height, sha256, file_key)
         VALUES (@campaignId, @now, @now, @userId, @name, 'image/png', @bytes, 1, 1, @sha256, @fileKey)`,
        { campaignId, now, userId, name: `image-${n}.png`, bytes: bytes.byteLength, sha256, fileKey },
      )
    }
  })
}

/** Every row of every table, but what a restore is to change: sign-ins, and the audit record that it writes. */
function dump(dataDir: string): Readonly<Record<string, string>> {
  const db = new Database(path.join(dataDir, 'talekeeper.db'), { readonly: true })
  try {
    const tables = db
      .prepare(
        `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT LIKE 'search_text%' ORDER BY name`,
      )
      .pluck()
      .all() as string[]
    const kept = tables.filter(
      (table) => table !== 'sessions' && !table.startsWith('oauth_') && table !== 'change_sets',
    )
    return Object.fromEntries(
      kept.map((table) => [
        table,
        createHash('sha256')
          .update(JSON.stringify(db.prepare(`SELECT * FROM ${table}`).all()))
          .digest('hex'),
      ]),
    )
  } finally {
    db.close()
  }
}

function uploads(dataDir: string): Readonly<Record<string, string>> {
  const folder = path.join(dataDir, 'uploads')
  const found = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((item) => item.isFile())
  return Object.fromEntries(
    found
      .map(({ parentPath, name }) => [
        name,
        createHash('sha256')
          .update(readFileSync(path.join(parentPath, name)))
          .digest('hex'),
      ])
      .sort(),
  )
}

test(`a server of ${size.npcs} people, ${size.notes} notes and ${size.images} images comes back the same on another data folder`, {
  timeout: 1_200_000,
}, async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'talekeeper-large-'))
  const world = await startWorld({ dataDir: path.join(folder, 'one') })
  const first = world.server
  const second = await startServer({ dataDir: path.join(folder, 'two') })
  try {
    fill(first, world.id('campaign'), world.userId.dm)
    const archive = path.join(folder, 'backup.zip')
    const { manifest } = await first.app.archive.create({ destination: archive })
    expect(manifest.uploadCount).toBe(Object.keys(uploads(first.dataDir)).length)
    const report = await second.app.archive.inspect(archive)
    expect(report).toMatchObject({ version: 3, uploadCount: manifest.uploadCount, sealed: true })
    await second.app.archive.restore(archive, { actor: null })
    expect(dump(second.dataDir)).toEqual(dump(first.dataDir))
    expect(uploads(second.dataDir)).toEqual(uploads(first.dataDir))
    // It is open again and in use, without another start.
    expect((await second.app.server.inject({ url: '/readyz' })).statusCode).toBe(200)
    const people = second.app.store().get('SELECT count(*) AS n FROM npcs')
    expect(people?.n).toBeGreaterThanOrEqual(size.npcs)
  } finally {
    await first.stop()
    await second.stop()
    rmSync(folder, { recursive: true, force: true })
  }
})

test('what was revoked after the backup stays revoked after its restore (SPEC 5)', async () => {
  const world = await startWorld()
  const { server } = world
  try {
    const campaignId = world.id('campaign')
    const token = world.token('player')
    const minted = await world.callers.dm.post(`/api/v1/campaigns/${campaignId}/invites`, {})
    const archive = path.join(server.dataDir, 'backup.zip')
    await server.app.archive.create({ destination: archive })
    const mine = await world.callers.player.get('/api/v1/tokens?limit=200')
    for (const { id } of mine.body.items)
      expect((await world.callers.player.request('DELETE', `/api/v1/tokens/${id}`)).status).toBe(200)
    expect((await world.callers.dm.request('DELETE', `/api/v1/invites/${minted.body.id}`)).status).toBe(200)
    expect(
      (await world.callers.admin.request('PATCH', `/api/v1/users/${world.userId.otherPlayer}`, { disabled: true }))
        .status,
    ).toBe(200)
    const oauth = world.callers.oauth
    expect((await oauth.get('/api/v1/me')).status).toBe(200)

    await server.app.archive.restore(archive, { actor: { username: 'admin' } })

    expect((await token.get('/api/v1/me')).status).toBe(401)
    expect((await oauth.get('/api/v1/me')).status).toBe(401)
    expect((await world.callers.dm.get('/api/v1/me')).status).toBe(401)
    const preview = await server.app.server.inject({
      url: `/api/v1/invites/preview?code=${minted.body.code}`,
      headers: { host: 'localhost' },
    })
    expect(preview.statusCode).toBe(404)
    expect(
      server.app.store().get('SELECT disabled_at FROM users WHERE id = @id', { id: world.userId.otherPlayer })
        ?.disabled_at,
    ).not.toBeNull()
    const clients = server.app.store().get('SELECT count(*) AS n FROM oauth_clients')
    expect(clients?.n).toBeGreaterThan(0)
    expect(server.app.store().all(`SELECT facts FROM change_sets WHERE operation = 'restore_backup'`)).toHaveLength(1)
  } finally {
    await server.stop()
  }
})
