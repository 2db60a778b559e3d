import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import type { ArchiveTasks } from '../../src/archive/tasks.ts'
import { startWorker } from '../../src/assets.ts'
import { createWorkers } from '../../src/storage/workers.ts'
import { archiveOf, makeFolder, serverWith } from './fixture.ts'
import {
  codeOf,
  contentOf,
  expectedContent,
  fresh,
  insertAttachment,
  migrations,
  namesIn,
  offlineArchive,
  old,
  openLive,
  passphrase,
  storeUpload,
  uploadOf,
} from './install.ts'

describe('a round trip', () => {
  test('brings back database, uploads and keyfile, and keeps what was there', async () => {
    const archive = await archiveOf(fresh, passphrase)
    const server = serverWith(old)
    const outcome = await server.archive.restore(archive, { passphrase, actor: { userId: 1 } })
    server.stop()

    expect(contentOf(server.dataDir)).toEqual(expectedContent(fresh))
    expect(outcome).toMatchObject({
      restored: true,
      archive: { appVersion: '0.1.0', schemaVersion: 2, uploadCount: 3, keyfileRestored: true },
      schemaVersion: 2,
    })
    expect(namesIn(outcome.safetyCopy)).toEqual(['ai-config.key', 'talekeeper.db', 'uploads'])
    expect(server.events).toEqual(['suspend', 'reopen'])
    expect(namesIn(server.dataDir)).toEqual([
      'ai-config.key',
      path.basename(path.dirname(outcome.safetyCopy)),
      'talekeeper.db',
      'uploads',
    ])
    expect(statSync(path.join(server.dataDir, 'ai-config.key')).mode & 0o777).toBe(0o600)
    expect(namesIn(server.tempDir)).toEqual([])
  })

  test('works on worker threads', async () => {
    const workers = createWorkers<ArchiveTasks>({ start: startWorker })
    const server = serverWith(fresh, { workers })
    const phases = new Set<string>()
    const watch = setInterval(() => phases.add(server.archive.isBusy() ? 'busy' : 'idle'), 1)
    const { stream, bytes, fileName, manifest } = await server.archive.create({ passphrase })
    const archive = await buffer(stream)
    clearInterval(watch)
    expect(archive.length).toBe(bytes)
    expect(fileName).toBe('talekeeper-backup-20261121T093000Z.zip')
    expect(manifest).toMatchObject({
      version: 3,
      uploadCount: 3,
      schemaVersion: 2,
      reconciliation: { clean: true, missing: [] },
    })
    expect(phases).toContain('busy')

    const file = path.join(makeFolder(), 'a.zip')
    writeFileSync(file, archive)
    const target = serverWith(old, { workers })
    await target.archive.restore(file, { passphrase, actor: null })
    expect(target.db.prepare('SELECT name FROM campaigns').pluck().get()).toBe('new')
    expect(await codeOf(target.archive.inspect(path.join(target.dataDir, 'talekeeper.db')))).toBe('archive_invalid')
    await workers.close()
  })

  test('without a passphrase the keyfile stays where it is', async () => {
    const archive = await archiveOf(fresh)
    const server = serverWith(old)
    await server.archive.restore(archive, { actor: null })
    server.stop()
    expect(contentOf(server.dataDir)).toEqual({ ...expectedContent(fresh), key: old.key?.toString('hex') })
  })

  test('an empty server is backed up and restored', async () => {
    const empty = { name: 'empty', uploads: [], key: null }
    const archive = await archiveOf(empty, passphrase)
    const server = serverWith(old)
    await server.archive.restore(archive, { actor: null })
    server.stop()
    expect(contentOf(server.dataDir)).toMatchObject({ name: 'empty', uploads: [] })
  })

  test('a restore repairs a data folder without a usable database', async () => {
    const archive = await archiveOf(fresh)
    for (const damage of [
      (file: string) => rmSync(file),
      (file: string) => writeFileSync(file, 'this is not a database, and has not been one for a long time'),
    ]) {
      const server = serverWith(old)
      server.stop()
      damage(path.join(server.dataDir, 'talekeeper.db'))
      const offline = offlineArchive(server.dataDir)
      const outcome = await offline.restore(archive, { actor: null })
      expect(outcome.rightsKept).toBeNull()
      expect(contentOf(server.dataDir)).toMatchObject({ name: 'new' })
    }
  })

  test('an older schema is migrated, a newer one refused with both versions', async () => {
    const archive = await archiveOf({ ...fresh, schema: 1 })
    const server = serverWith(old)
    expect(await server.archive.inspect(archive)).toMatchObject({ schemaVersion: 1, restoresToSchema: 2 })
    const outcome = await server.archive.restore(archive, { actor: null })
    expect(outcome).toMatchObject({ archive: { schemaVersion: 1 }, schemaVersion: 2 })
    expect(server.db.prepare('SELECT ai_policy FROM campaigns').pluck().get()).toBe('member_consent')

    const older = serverWith({ ...old, schema: 1 }, { known: migrations.slice(0, 1) })
    const newer = await archiveOf(fresh)
    await expect(older.archive.restore(newer, { actor: null })).rejects.toMatchObject({
      code: 'archive_schema_foreign',
      message: expect.stringMatching(/schema 2.*schema 1/),
    })
    expect(older.events).toEqual([])
  })
})

describe('what a restore does to access', () => {
  test('sign-ins are dropped, registrations stay, revocations are carried over', async () => {
    const archive = await archiveOf(fresh)
    const server = serverWith(old)
    server.db.exec(`UPDATE personal_tokens SET revoked_at = '2026-11-20' WHERE hash = 't2';
      UPDATE users SET disabled_at = '2026-11-19' WHERE username = 'ben';
      UPDATE invites SET revoked_at = '2026-11-18' WHERE code_hash = 'i1';
      UPDATE session_shares SET revoked_at = '2026-11-17';`)
    const outcome = await server.archive.restore(archive, { actor: { userId: 1 } })
    expect(outcome.signInsDropped).toEqual({ oauth_tokens: 2, oauth_codes: 1, oauth_grants: 1, sessions: 1 })
    expect(outcome.rightsKept).toMatchObject({
      disabled: ['ben'],
      revoked: { personal_tokens: 1, invites: 1, session_shares: 1 },
    })
    const all = (sql: string) => server.db.prepare(sql).raw().all()
    expect(all('SELECT hash, revoked_at FROM personal_tokens ORDER BY hash')).toEqual([
      ['t1', null],
      ['t2', '2026-11-20'],
    ])
    expect(all('SELECT username, disabled_at FROM users ORDER BY id')).toEqual([
      ['ada', null],
      ['ben', '2026-11-19'],
    ])
    expect(all('SELECT code_hash, revoked_at FROM invites ORDER BY code_hash')).toEqual([
      ['i1', '2026-11-18'],
      ['i2', null],
    ])
    expect(all('SELECT count(*) FROM sessions')).toEqual([[0]])
    expect(all('SELECT name FROM oauth_clients')).toEqual([['claude']])
    expect(server.audits).toEqual([
      {
        at: '2026-11-21T09:30:00.000Z',
        actor: { userId: 1 },
        archiveCreatedAt: '2026-11-21T09:30:00.000Z',
        archiveAppVersion: '0.1.0',
        archiveSchema: 2,
        schemaVersion: 2,
        uploadCount: 3,
      },
    ])
    expect(all('SELECT count(*) FROM audit')).toEqual([[1]])
  })

  test('a user is the same one by their key, whatever their id and name are', async () => {
    const archive = await archiveOf(fresh)
    const server = serverWith(old)
    server.db.exec(`UPDATE users SET username = 'carl', disabled_at = '2026-11-19' WHERE username = 'ben'`)
    await server.archive.restore(archive, { actor: null })
    expect(server.db.prepare('SELECT disabled_at FROM users WHERE id = 2').pluck().get()).toBe('2026-11-19')

    const another = serverWith(old)
    another.db.exec(`UPDATE users SET key = 'another', disabled_at = '2026-11-19' WHERE username = 'ben'`)
    await another.archive.restore(archive, { actor: null })
    expect(another.db.prepare('SELECT disabled_at FROM users WHERE id = 2').pluck().get()).toBeNull()
  })
})

describe('what a backup takes along', () => {
  test('orphans stay out, rows without their file are marked in the snapshot alone', async () => {
    const server = serverWith(fresh)
    const gone = uploadOf(Buffer.from('gone'))
    const rotten = uploadOf(Buffer.from('rotten'))
    const id = insertAttachment(server.db, gone)
    const rottenId = insertAttachment(server.db, rotten)
    storeUpload(server.dataDir, { ...rotten, bytes: Buffer.from('rotted') })
    const orphan = uploadOf(Buffer.from('orphan'))
    storeUpload(server.dataDir, orphan)
    const destination = path.join(server.tempDir, 'a.zip')
    const { manifest } = await server.archive.create({ destination })
    expect(manifest.uploadCount).toBe(3)
    expect(manifest.reconciliation).toEqual({
      clean: true,
      missing: [
        { attachmentId: id, fileKey: gone.fileKey, reason: 'absent' },
        { attachmentId: rottenId, fileKey: rotten.fileKey, reason: 'damaged' },
      ],
      orphans: [orphan.fileKey],
      orphanCount: 1,
    })
    expect(server.db.prepare('SELECT count(*) FROM attachments WHERE missing = 1').pluck().get()).toBe(0)

    const target = serverWith(old)
    await target.archive.restore(destination, { actor: null })
    expect(target.db.prepare('SELECT id FROM attachments WHERE missing = 1').pluck().all()).toEqual([id, rottenId])
  })

  test('a file that came back loses its mark, and rows may share a file', async () => {
    const server = serverWith(fresh)
    server.db.exec('UPDATE attachments SET missing = 1 WHERE id = 1')
    insertAttachment(server.db, fresh.uploads[1]!)
    const { manifest, stream } = await server.archive.create()
    stream.destroy()
    expect(manifest).toMatchObject({ uploadCount: 3, reconciliation: { missing: [] } })
  })

  test('writes that happen meanwhile are in it or not, as one moment shows them', async () => {
    const server = serverWith(fresh)
    const insert = server.db.prepare('INSERT INTO invites (code_hash) VALUES (?)')
    let count = 0
    const writing = setInterval(() => {
      server.db.transaction(() => [insert.run(`a${count}`), insert.run(`b${count}`)])()
      count += 1
    }, 1)
    const destination = path.join(server.tempDir, 'a.zip')
    await server.archive.create({ destination })
    clearInterval(writing)
    const target = serverWith(old)
    await target.archive.restore(destination, { actor: null })
    const written = target.db
      .prepare(
        `SELECT substr(code_hash, 1, 1) AS kind, count(*) AS n FROM invites WHERE code_hash GLOB '[ab]*' GROUP BY kind`,
      )
      .raw()
      .all() as [string, number][]
    expect(new Set(written.map(([, n]) => n)).size).toBeLessThanOrEqual(1)
  })

  test('a stream that is not read leaves nothing behind', async () => {
    const server = serverWith(fresh)
    const { stream } = await server.archive.create()
    expect(namesIn(server.tempDir)).toHaveLength(1)
    stream.destroy()
    await expect.poll(() => namesIn(server.tempDir)).toEqual([])
  })

  test('a destination is never overwritten, and the archive is for its owner only', async () => {
    const server = serverWith(fresh)
    const destination = path.join(server.tempDir, 'a.zip')
    writeFileSync(destination, 'precious')
    expect(await codeOf(server.archive.create({ destination }))).toBe('invalid_state')
    expect(readFileSync(destination, 'utf8')).toBe('precious')
    const other = path.join(server.tempDir, 'deep', 'b.zip')
    await server.archive.create({ destination: other })
    expect(statSync(other).mode & 0o777).toBe(0o600)
    expect(namesIn(path.dirname(other))).toEqual(['b.zip'])
  })

  test('a database that a restore would refuse makes no backup', async () => {
    const server = serverWith(fresh)
    server.db.exec('CREATE TABLE mine (id INTEGER)')
    expect(await codeOf(server.archive.create())).toBe('archive_schema_foreign')
    expect(namesIn(server.tempDir)).toEqual([])
  })
})

describe('the passphrase', () => {
  test('is required, checked and at least 12 characters long', async () => {
    const server = serverWith(old)
    expect(await codeOf(server.archive.create({ passphrase: 'short' }))).toBe('validation_failed')
    const archive = await archiveOf(fresh, passphrase)
    expect(await codeOf(server.archive.restore(archive, { actor: null }))).toBe('passphrase_required')
    expect(await codeOf(server.archive.restore(archive, { passphrase: 'short', actor: null }))).toBe('passphrase_wrong')
    expect(await codeOf(server.archive.restore(archive, { passphrase: `${passphrase}!`, actor: null }))).toBe(
      'passphrase_wrong',
    )
    expect(await server.archive.inspect(archive)).toMatchObject({ holdsKeyfile: true })
    expect(server.events).toEqual([])
    server.stop()
    expect(contentOf(server.dataDir)).toEqual(expectedContent(old))
    expect(namesIn(server.dataDir)).toEqual(['ai-config.key', 'talekeeper.db', 'uploads'])
  })

  test('typed with composed or decomposed accents is the same', async () => {
    const archive = await archiveOf(fresh, 'cr\u00e8me br\u00fbl\u00e9e')
    const server = serverWith(old)
    await server.archive.restore(archive, { passphrase: 'cre\u0300me bru\u0302le\u0301e', actor: null })
    server.stop()
    expect(contentOf(server.dataDir).key).toBe(fresh.key?.toString('hex'))
  })

  test('the key is nowhere in clear', async () => {
    const archive = await archiveOf(fresh, passphrase)
    expect(readFileSync(archive).includes(fresh.key!)).toBe(false)
  })
})

test('inspecting changes nothing and says what is inside', async () => {
  const archive = await archiveOf(fresh)
  const server = serverWith(old)
  const before = namesIn(server.dataDir)
  expect(await server.archive.inspect(archive)).toMatchObject({
    version: 3,
    appVersion: '0.1.0',
    schemaVersion: 2,
    createdAt: '2026-11-21T09:30:00.000Z',
    uploadCount: 3,
    uploads: fresh.uploads.map((upload) => `uploads/${upload.fileKey}`).sort(),
    holdsKeyfile: false,
    campaigns: 1,
    users: 2,
    sealed: true,
  })
  expect(namesIn(server.dataDir)).toEqual(before)
  expect(namesIn(server.tempDir)).toEqual([])
  expect(server.events).toEqual([])
})

test('a database that another program has open is not replaced', async () => {
  const archive = await archiveOf(fresh)
  const server = serverWith(old)
  const other = openLive(server.dataDir)
  other.prepare('SELECT 1 FROM users').get()
  expect(await codeOf(server.archive.restore(archive, { actor: null }))).toBe('archive_busy')
  other.close()
  expect(server.events).toEqual(['suspend', 'reopen'])
  server.stop()
  expect(contentOf(server.dataDir)).toEqual(expectedContent(old))
  mkdirSync(path.join(server.dataDir, 'uploads'), { recursive: true })
  expect(namesIn(server.dataDir)).toEqual(['ai-config.key', 'talekeeper.db', 'uploads'])
})
