import { mkdirSync } from 'node:fs'
import path from 'node:path'
import Database, { type Database as Connection } from 'better-sqlite3'
import { expect, test } from 'vitest'
import type { RestoreOptions } from '../../src/archive/archive.ts'
import { entities } from '../../src/catalogue.ts'
import { recordRestore } from '../../src/identity/audit.ts'
import { migrate } from '../../src/storage/migrations.ts'
import { createRegistry } from '../../src/storage/registry.ts'
import { migrationsOf } from '../../src/storage/schema.ts'
import { makeFolder } from './fixture.ts'
import { offlineArchive } from './install.ts'

// A restore is no way to get rights back: what was taken away since the backup stays taken away, whoever is called what.

const migrations = migrationsOf(createRegistry(entities))
const [early, late] = ['2026-11-01T00:00:00.000Z', '2026-11-15T00:00:00.000Z']
const password = (letter: string): string => `$argon2id$v=19$m=65536,t=3,p=1$${letter.repeat(22)}$${letter.repeat(43)}`

/** Ellen (1) and Wren (3) run The Orchard and administer the server, Pell (2) plays in it. */
function fill(db: Connection): void {
  migrate(db, migrations, early)
  const rows = `
    INSERT INTO users (id, key, username, password_hash, admin, created_at, updated_at) VALUES
      (1, 'key of ellen', 'ellen', '${password('e')}', 1, '${early}', '${early}'),
      (2, 'key of pell', 'pell', '${password('p')}', 0, '${early}', '${early}'),
      (3, 'key of wren', 'wren', '${password('w')}', 1, '${early}', '${early}');
    INSERT INTO campaigns (id, name, created_at, updated_at) VALUES (1, 'The Orchard', '${early}', '${early}');
    INSERT INTO memberships (campaign_id, user_id, role, ai_consent, created_at, updated_at) VALUES
      (1, 1, 'dm', 1, '${early}', '${early}'), (1, 2, 'player', 1, '${early}', '${early}'), (1, 3, 'dm', 1, '${early}', '${early}');
    INSERT INTO personal_tokens (user_id, hash, hint, name, scope, write_mode, admin, created_at, updated_at) VALUES
      (1, 't1', 'tkp_1', 'console', 'dm', 'direct', 1, '${early}', '${early}'), (2, 't2', 'tkp_2', 'phone', 'player', 'direct', 0, '${early}', '${early}');
    INSERT INTO invites (campaign_id, code_hash, hint, role, expires_at, max_uses, created_at, updated_at) VALUES
      (1, 'i1', 'tki_1', 'player', '${late}', 5, '${early}', '${early}'), (1, 'i2', 'tki_2', 'player', '${late}', 5, '${early}', '${early}'),
      (1, 'i3', 'tki_3', 'player', '${late}', 5, '${early}', '${early}');`
  db.exec(rows)
}

/** An installation, with its archive. */
async function installed(change: string = '') {
  const root = makeFolder()
  const dataDir = path.join(root, 'data')
  mkdirSync(path.join(dataDir, 'uploads'), { recursive: true })
  const file = path.join(dataDir, 'talekeeper.db')
  const open = (): Connection => new Database(file)
  const db = open()
  fill(db)
  db.exec(change)
  db.close()
  const archive = offlineArchive(dataDir, { migrations, auditRestore: recordRestore })
  const backup = path.join(root, 'backup.zip')
  await archive.create({ destination: backup })
  const within = <T>(work: (connection: Connection) => T): T => {
    const connection = open()
    try {
      return work(connection)
    } finally {
      connection.close()
    }
  }
  return {
    archive,
    backup,
    run: (sql: string) => void within((connection) => connection.exec(sql)),
    all: (sql: string) => within((connection) => connection.prepare(sql).raw().all()),
    restore: (options: Partial<RestoreOptions> = {}, from = backup) =>
      archive.restore(from, { actor: { username: 'ellen' }, ...options }),
  }
}

test('accounts, members, consent and secrets stay as they were taken away, and the report names them', async () => {
  const place = await installed()
  place.run(`
    UPDATE users SET username = 'pelle', disabled_at = '${late}', updated_at = '${late}' WHERE id = 2;
    UPDATE users SET admin = 0, password_hash = '${password('n')}', updated_at = '${late}' WHERE id = 3;
    UPDATE memberships SET deleted_at = '${late}' WHERE user_id = 2;
    UPDATE memberships SET role = 'player', ai_consent = 0 WHERE user_id = 3;
    UPDATE campaigns SET ai_content_policy = 'disabled', name = 'Renamed since';
    UPDATE personal_tokens SET revoked_at = '${late}' WHERE hash = 't1';
    UPDATE invites SET revoked_at = '${late}' WHERE code_hash = 'i1';
    UPDATE invites SET deleted_at = '${late}' WHERE code_hash = 'i2';
    UPDATE invites SET uses = 4 WHERE code_hash = 'i3';`)
  const { rightsKept, administrator } = await place.restore()
  expect(rightsKept).toEqual({
    disabled: ['pell'],
    administratorsLost: ['wren'],
    passwords: ['wren'],
    membersRemoved: [{ campaign: 'The Orchard', username: 'pell' }],
    rolesLowered: [{ campaign: 'The Orchard', username: 'wren', role: 'player' }],
    consentsWithdrawn: [{ campaign: 'The Orchard', username: 'wren' }],
    aiDisabled: ['The Orchard'],
    dungeonMastersRestored: [],
    revoked: { displays: 0, invites: 2, personal_tokens: 1, session_shares: 0 },
  })
  expect(administrator).toBeNull()
  expect(place.all('SELECT username, admin, disabled_at, password_hash FROM users ORDER BY id')).toEqual([
    ['ellen', 1, null, password('e')],
    ['pell', 0, late, password('p')],
    ['wren', 0, null, password('n')],
  ])
  expect(place.all('SELECT user_id, role, ai_consent, deleted_at IS NULL FROM memberships ORDER BY user_id')).toEqual([
    [1, 'dm', 1, 1],
    [2, 'player', 1, 0],
    [3, 'player', 0, 1],
  ])
  expect(place.all('SELECT name, ai_content_policy FROM campaigns')).toEqual([['The Orchard', 'disabled']])
  expect(place.all('SELECT hash, revoked_at FROM personal_tokens ORDER BY hash')).toEqual([
    ['t1', late],
    ['t2', null],
  ])
  expect(place.all('SELECT code_hash, revoked_at, uses FROM invites ORDER BY code_hash')).toEqual([
    ['i1', late, 0],
    ['i2', late, 0],
    ['i3', null, 4],
  ])
})

test('whoever has the id or the name of another one is not taken for them', async () => {
  const place = await installed()
  place.run(`UPDATE users SET key = 'key of somebody else', disabled_at = '${late}' WHERE username = 'pell';
    UPDATE memberships SET deleted_at = '${late}' WHERE user_id = 2`)
  const { rightsKept } = await place.restore()
  expect(rightsKept).toMatchObject({ disabled: [], membersRemoved: [] })
  expect(place.all(`SELECT disabled_at FROM users WHERE username = 'pell'`)).toEqual([[null]])
})

test('a campaign of another make under the same id is not the same one', async () => {
  const place = await installed()
  place.run(
    `UPDATE campaigns SET created_at = '${late}'; UPDATE memberships SET deleted_at = '${late}' WHERE user_id = 2`,
  )
  expect((await place.restore()).rightsKept).toMatchObject({ membersRemoved: [] })
})

test('a campaign keeps somebody who runs it', async () => {
  const place = await installed(`UPDATE memberships SET role = 'player' WHERE user_id = 3`)
  place.run(
    `UPDATE memberships SET role = 'player' WHERE user_id = 1; UPDATE memberships SET role = 'dm' WHERE user_id = 2`,
  )
  const { rightsKept } = await place.restore()
  expect(rightsKept).toMatchObject({
    rolesLowered: [],
    dungeonMastersRestored: [{ campaign: 'The Orchard', username: 'ellen' }],
  })
  expect(place.all('SELECT user_id, role FROM memberships ORDER BY user_id')).toEqual([
    [1, 'dm'],
    [2, 'player'],
    [3, 'player'],
  ])
})

test('a password that is newer in the backup stays the one of the backup', async () => {
  const place = await installed(
    `UPDATE users SET password_hash = '${password('b')}', updated_at = '${late}' WHERE id = 2`,
  )
  place.run(`UPDATE users SET password_hash = '${password('p')}', updated_at = '${early}' WHERE id = 2`)
  expect((await place.restore()).rightsKept?.passwords).toEqual([])
  expect(place.all('SELECT password_hash FROM users WHERE id = 2')).toEqual([[password('b')]])
})

const nobody = 'UPDATE users SET admin = 0'

test('whoever restores administers what nobody else would, with the password that they have now', async () => {
  const place = await installed(nobody)
  place.run(`UPDATE users SET admin = 1, password_hash = '${password('n')}' WHERE username = 'pell'`)
  const { administrator } = await place.restore({ administrator: { userId: 2 } })
  expect(administrator).toBe('pell')
  expect(place.all('SELECT username, admin, password_hash FROM users WHERE admin = 1')).toEqual([
    ['pell', 1, password('n')],
  ])
})

test('whoever restores is taken along where the backup does not know them', async () => {
  const place = await installed(nobody)
  place.run(`UPDATE users SET key = 'key of mara', username = 'mara', admin = 1 WHERE id = 3`)
  expect((await place.restore({ administrator: { userId: 3 } })).administrator).toBe('mara')
  expect(place.all('SELECT username, key FROM users WHERE admin = 1')).toEqual([['mara', 'key of mara']])
  // Their name may be another's in the backup; then somebody has to decide.
  const other = await installed(nobody)
  other.run(`UPDATE users SET key = 'key of another wren', admin = 1 WHERE id = 3`)
  await expect(other.restore({ administrator: { userId: 3 } })).rejects.toMatchObject({
    code: 'last_admin',
    message: expect.stringMatching(/another account with the name wren.*ellen, pell, wren/),
  })
  expect(other.all('SELECT count(*) FROM users WHERE admin = 1')).toEqual([[1]])
})

test('an administrator who was disabled since does not count as one', async () => {
  const place = await installed(`UPDATE users SET admin = 0 WHERE id = 3`)
  place.run(`UPDATE users SET disabled_at = '${late}' WHERE id = 1; UPDATE users SET admin = 1 WHERE id = 2`)
  await expect(place.restore()).rejects.toMatchObject({ code: 'last_admin' })
  expect((await place.restore({ administrator: { userId: 2 } })).administrator).toBe('pell')
})

test('a server that nobody had set up is restored as one', async () => {
  const place = await installed(
    'DELETE FROM invites; DELETE FROM personal_tokens; DELETE FROM memberships; DELETE FROM users',
  )
  expect((await place.restore()).administrator).toBeNull()
})

test('an inspection names who gets in, and warns of what cannot be', async () => {
  const good = await installed()
  expect(await good.archive.inspect(good.backup)).toMatchObject({
    administrators: ['ellen', 'wren'],
    tokenCount: 2,
    tokens: [
      { username: 'ellen', name: 'console', scope: 'dm', admin: true },
      { username: 'pell', name: 'phone', scope: 'player', admin: false },
    ],
    warnings: [],
  })
  const strange = await installed(`${nobody};
    UPDATE users SET password_hash = 'md5' WHERE id = 2;
    UPDATE personal_tokens SET admin = 1;
    UPDATE memberships SET role = 'owner' WHERE user_id IN (1, 3);
    UPDATE campaigns SET created_at = '2031-01-01T00:00:00.000Z'`)
  const report = await strange.archive.inspect(strange.backup)
  expect(report.administrators).toEqual([])
  expect(report.warnings).toEqual([
    'Nobody in this backup can administer the server: a restore gives that right to whoever restores it.',
    'Rows that should not be: 1 accounts have no password that could be right.',
    'Rows that should not be: 1 limited tokens carry the right to administer the server.',
    'Rows that should not be: 2 tokens carry the right to administer the server for accounts that do not have it.',
    'Rows that should not be: 2 members have a role that does not exist.',
    'Rows that should not be: 1 campaigns have no Dungeon Master who can sign in.',
    'Rows that should not be: 1 of campaigns are from after the backup.',
  ])
})

test('addresses of calendars that were ended since stay so', async () => {
  const place = await installed()
  const versions = () => place.all('SELECT user_id, calendar_feed_version FROM memberships ORDER BY user_id')
  // Pell made a new address, and Wren left and came back.
  place.run(`
    UPDATE memberships SET calendar_feed_version = 3 WHERE user_id = 2;
    DELETE FROM memberships WHERE user_id = 3;
    INSERT INTO memberships (campaign_id, user_id, role, created_at, updated_at) VALUES (1, 3, 'dm', '${late}', '${late}');`)
  await place.restore()
  const [ellen, pell, wren] = versions() as [number, number][]
  expect([ellen, pell]).toEqual([
    [1, 0],
    [2, 3],
  ])
  expect(wren?.[1]).toBeGreaterThan(0)
})
