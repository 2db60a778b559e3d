import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import path from 'node:path'
import Database from 'better-sqlite3'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { entities } from '../../src/catalogue.ts'
import { appliedMigrations, migrate } from '../../src/storage/migrations.ts'
import { createRegistry } from '../../src/storage/registry.ts'
import { migrationsOf } from '../../src/storage/schema.ts'
import { expectOnceWithin, timeOf } from '../support/within.ts'
import { picture, upload } from './archives-support.ts'
import {
  callsOn,
  type Folders,
  makeFolders,
  type ServerProcess,
  setUp,
  startProgram,
  startServerProcess,
} from './server-process.ts'

const migrations = migrationsOf(createRegistry(entities))
const then = '2026-01-02T03:04:05.000Z'
let folders: Folders
let database: string

beforeEach(() => {
  folders = makeFolders()
  mkdirSync(folders.dataDir)
  database = path.join(folders.dataDir, 'talekeeper.db')
})
afterEach(() => folders.remove())

describe('a database of the release before the consent controls', () => {
  /** Two campaigns, one of them in the trash, with three members. */
  function makeSchema1(): void {
    const db = new Database(database)
    migrate(db, migrations.slice(0, 1), then)
    const stamps = `created_at, updated_at) VALUES`
    db.exec(`
      INSERT INTO users (id, username, password_hash, admin, ${stamps} (1, 'ellen', '', 1, '${then}', '${then}'), (2, 'pell', '', 0, '${then}', '${then}');
      INSERT INTO campaigns (id, name, ${stamps} (1, 'The Orchard in Winter', '${then}', '${then}');
      INSERT INTO campaigns (id, name, deleted_at, ${stamps} (2, 'The Long Ford', '${then}', '${then}', '${then}');
      INSERT INTO memberships (campaign_id, user_id, role, ${stamps} (1, 1, 'dm', '${then}', '${then}'), (1, 2, 'player', '${then}', '${then}'), (2, 1, 'dm', '${then}', '${then}');
      INSERT INTO npcs (campaign_id, name, ${stamps} (1, 'Marta', '${then}', '${then}');`)
    db.close()
  }

  test('is upgraded at the start: every campaign member_consent, every flag off, nothing else changed (SPEC 3, 9)', async () => {
    makeSchema1()
    const server = await startServerProcess(folders)
    await server.terminate()
    const db = new Database(database, { readonly: true })
    expect(appliedMigrations(db)).toHaveLength(migrations.length)
    expect(db.prepare('SELECT id, ai_content_policy FROM campaigns ORDER BY id').raw().all()).toEqual([
      [1, 'member_consent'],
      [2, 'member_consent'],
    ])
    expect(db.prepare('SELECT count(*), sum(ai_consent) FROM memberships').raw().get()).toEqual([3, 0])
    expect(db.prepare('SELECT name, revision, updated_at FROM npcs').raw().all()).toEqual([['Marta', 1, then]])
    db.close()
  })

  test('is kept as a copy, once', async () => {
    makeSchema1()
    for (let start = 0; start < 2; start += 1) await (await startServerProcess(folders)).terminate()
    const kept = path.join(folders.dataDir, 'before-migration')
    const copies = readdirSync(kept)
    expect(copies).toEqual([expect.stringMatching(/^before-schema-2-.*\.db$/)])
    const copy = new Database(path.join(kept, copies[0] as string), { readonly: true })
    expect(appliedMigrations(copy)).toHaveLength(1)
    expect(copy.prepare('SELECT name FROM npcs').pluck().all()).toEqual(['Marta'])
    expect(copy.pragma('integrity_check', { simple: true })).toBe('ok')
    copy.close()
  })
})

describe('a start that cannot be', () => {
  test('a database of a newer version is refused with both versions named, and left as it is', async () => {
    const db = new Database(database)
    migrate(db, migrations, then)
    db.prepare('INSERT INTO migrations (number, name, checksum, applied_at) VALUES (?, ?, ?, ?)').run(
      migrations.length + 1,
      'of tomorrow',
      'c',
      then,
    )
    db.close()
    const program = startProgram(folders)
    expect(await program.ended).toEqual({ code: 1, signal: null })
    const [sentence, ...more] = program.output().trim().split('\n')
    expect(more).toEqual([])
    expect(sentence).toContain(`schema ${migrations.length + 1}`)
    expect(sentence).toContain(`knows schema ${migrations.length}`)
    expect(sentence).toContain('newer version')
  })

  test('a port that PORT names and another program uses', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    try {
      const { port } = other.address() as AddressInfo
      const program = startProgram(folders, { env: { PORT: String(port) } })
      expect(await program.ended).toEqual({ code: 1, signal: null })
      expect(program.output()).toMatch(
        new RegExp(`^Port ${port} is used by another program\\. Set PORT [^\\n]*\\n$`, 'm'),
      )
      expect(program.output()).not.toContain('    at ')
      expect(existsSync(`${database}-wal`)).toBe(false)
    } finally {
      other.close()
    }
  })

  test('a setting that makes no sense', async () => {
    const program = startProgram(folders, { env: { PORT: 'eighty' } })
    expect(await program.ended).toEqual({ code: 1, signal: null })
    expect(program.output()).toBe('environment: PORT: a whole number\n')
  })
})

describe.skipIf(process.platform === 'win32')('under a umask that gives everybody everything', () => {
  /** Names of what others may touch. */
  const openIn = (folder: string): readonly string[] =>
    ['.', ...readdirSync(folder, { recursive: true, encoding: 'utf8' })].filter(
      (name) => (statSync(path.join(folder, name)).mode & 0o077) !== 0,
    )

  test('all in the data folder is for its own account, what was made before too', async () => {
    const old = process.umask(0)
    let server: ServerProcess
    try {
      mkdirSync(path.join(folders.dataDir, 'uploads', 'ab'), { recursive: true })
      writeFileSync(path.join(folders.dataDir, 'settings.json'), '{}')
      server = await startServerProcess(folders, { env: { BACKUP_MIN_FREE_BYTES: '0' } })
    } finally {
      process.umask(old)
    }
    try {
      const call = callsOn(server.address, await setUp(server.address))
      const { body } = await call('POST', '/api/v1/campaigns', { name: 'The Orchard in Winter' })
      await upload(call, body.id, await picture('#204060'), 'map.png')
      await call('GET', `/api/v1/attachments/1/file?size=thumb`).catch(() => {})
      expect((await call('POST', '/api/v1/backup/run')).status).toBe(200)
      await expect.poll(() => openIn(folders.dataDir)).toEqual([])
    } finally {
      await server.kill()
    }
  })
})

describe.skipIf(process.platform === 'win32')('asked to end', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)(
    'by %s, with a live stream and an idle connection, it ends within five seconds and leaves no -wal',
    async (signal) => {
      const first = await startServerProcess(folders)
      const token = await setUp(first.address)
      const { body } = await callsOn(first.address, token)('POST', '/api/v1/campaigns', {
        name: 'The Orchard in Winter',
      })
      await first.terminate()
      await expectOnceWithin(5000, async () => {
        const server = await startServerProcess(folders)
        const stream = await fetch(`${server.address}/api/v1/campaigns/${body.id}/events`, {
          headers: { authorization: `Bearer ${token}` },
        })
        expect(stream.status).toBe(200)
        const streamed = stream.text().catch(() => 'cut off')
        const taken = await timeOf(async () => {
          server.child.kill(signal)
          expect(await server.ended).toEqual({ code: 0, signal: null })
        })
        expect(await streamed).not.toBe('cut off')
        const left = readdirSync(folders.dataDir).filter((name) => name.startsWith('talekeeper.db'))
        expect(left).toEqual(['talekeeper.db'])
        return taken
      })
    },
  )
})
