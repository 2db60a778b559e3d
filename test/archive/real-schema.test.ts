import { mkdirSync } from 'node:fs'
import path from 'node:path'
import Database from 'better-sqlite3'
import { expect, test } from 'vitest'
import { signInTables } from '../../src/archive/prepare.ts'
import { revocableTables } from '../../src/archive/rights.ts'
import { columnsOf } from '../../src/archive/tables.ts'
import { entities } from '../../src/catalogue.ts'
import { recordRestore } from '../../src/identity/audit.ts'
import { migrate } from '../../src/storage/migrations.ts'
import { createRegistry } from '../../src/storage/registry.ts'
import { migrationsOf } from '../../src/storage/schema.ts'
import { makeFolder } from './fixture.ts'
import { offlineArchive, openLive, startTime, storeUpload, uploadOf } from './install.ts'

const migrations = migrationsOf(createRegistry(entities))

function emptyDatabase(file: string) {
  const db = new Database(file)
  migrate(db, migrations, startTime.toISOString())
  return db
}

test('every table whose rows can be taken back is carried over by a restore, or dropped', () => {
  const db = emptyDatabase(':memory:')
  const tables = db.prepare(`SELECT name FROM sqlite_schema WHERE type = 'table'`).pluck().all() as string[]
  const endings = ['revoked_at', 'disabled_at', 'ended_at']
  const takenBack = tables.filter((table) => endings.some((column) => columnsOf(db, table).has(column)))
  // What a restore keeps of accounts is in restore-rights.test.ts.
  const treated = new Set<string>([...revocableTables(db).map((each) => each.table), ...signInTables, 'users'])
  // An evening at the table ends too, a fight, and what an AI did; that is no access.
  const play = ['game_sessions', 'encounters', 'scribe_runs', 'ai_turns']
  expect(takenBack.filter((table) => !treated.has(table) && !play.includes(table))).toEqual([])
  expect(tables).toEqual(
    expect.arrayContaining([...signInTables, 'personal_tokens', 'users', 'invites', 'attachments']),
  )
  db.close()
})

test('the real schema makes the round trip, and what was revoked stays so', async () => {
  const root = makeFolder()
  const dataDir = path.join(root, 'data')
  mkdirSync(path.join(dataDir, 'uploads'), { recursive: true })
  const db = emptyDatabase(path.join(dataDir, 'talekeeper.db'))
  db.pragma('journal_mode = WAL')
  const insert = (table: string, values: Readonly<Record<string, unknown>>): void => {
    const row = { ...requiredValues(db, table), ...values }
    const names = Object.keys(row)
    db.prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map((name) => `@${name}`).join(', ')})`).run(
      row,
    )
  }
  insert('users', { username: 'ada', admin: 1 })
  insert('campaigns', { name: 'The Orchard' })
  insert('sessions', { user_id: 1, hash: 's1' })
  insert('personal_tokens', { user_id: 1, hash: 't1', hint: 'tkp_', name: 'mine', scope: 'dm', write_mode: 'direct' })
  insert('invites', { campaign_id: 1, code_hash: 'i1', role: 'player' })
  insert('oauth_clients', { client_id: 'c1', auth_method: 'none', redirect_uris: '[]' })
  insert('oauth_grants', { user_id: 1, client_id: 'c1', scope: 'dm', write_mode: 'direct' })
  insert('oauth_tokens', { grant_id: 1, hash: 'o1', kind: 'refresh', scope: 'dm' })
  const upload = uploadOf(Buffer.from('a map'))
  storeUpload(dataDir, upload)
  const attachment = {
    campaign_id: 1,
    uploaded_by_user_id: 1,
    file_key: upload.fileKey,
    sha256: upload.sha256,
    byte_size: upload.bytes.length,
  }
  insert('attachments', { ...attachment, file_name: 'map.png', mime_type: 'image/png' })
  db.close()

  const archive = offlineArchive(dataDir, { migrations, auditRestore: recordRestore })
  const destination = path.join(root, 'a.zip')
  expect(await archive.create({ destination })).toMatchObject({
    manifest: { uploadCount: 1, schemaVersion: migrations.length },
  })
  const live = openLive(dataDir)
  live.exec(
    `UPDATE personal_tokens SET revoked_at = 'now'; UPDATE invites SET revoked_at = 'now'; UPDATE campaigns SET name = 'changed'`,
  )
  live.close()
  const outcome = await archive.restore(destination, { actor: { username: 'ada' } })
  expect(outcome).toMatchObject({
    signInsDropped: { oauth_tokens: 1, oauth_codes: 0, oauth_grants: 1, oauth_requests: 0, sessions: 1 },
    rightsKept: { revoked: { personal_tokens: 1, invites: 1 }, disabled: [] },
  })
  const restored = openLive(dataDir)
  expect(restored.prepare('SELECT name FROM campaigns').pluck().get()).toBe('The Orchard')
  expect(restored.prepare('SELECT operation, facts FROM change_sets').all()).toEqual([
    { operation: 'restore_backup', facts: expect.stringContaining('"by":"ada"') },
  ])
  restored.close()
})

/** A value for every column that needs one. */
function requiredValues(db: ReturnType<typeof emptyDatabase>, table: string): Readonly<Record<string, unknown>> {
  const columns = db.pragma(`table_info(${table})`) as {
    name: string
    type: string
    notnull: number
    dflt_value: unknown
    pk: number
  }[]
  const needed = columns.filter((column) => column.notnull === 1 && column.dflt_value === null && column.pk === 0)
  return Object.fromEntries(needed.map(({ name, type }) => [name, type === 'TEXT' ? 'x' : 1]))
}
