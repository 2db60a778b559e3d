import type { Database as Connection } from 'better-sqlite3'
import type { ErrorCode } from '../../src/kernel/errors.ts'
import { type BrokenArchive, entriesOf, startCorpus, withDatabase, zip } from './corpus-parts.ts'
import { rawZip } from './raw-zip.ts'

const { broken, add } = startCorpus()

// Structure

add('an empty file', 'archive_invalid', () => Buffer.alloc(0))
add('a picture', 'archive_invalid', () => Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'))
add('an empty zip', 'archive_invalid', () => rawZip({ entries: [] }))
add('a foreign zip', 'archive_invalid', () =>
  rawZip({ entries: [{ name: 'readme.txt', content: Buffer.from('hello') }] }),
)
add('a database instead of a zip', 'archive_invalid', (good) => good.database)
for (const part of [0.01, 0.1, 0.5, 0.9, 0.999]) {
  add(`an archive cut off at ${part * 100} %`, 'archive_invalid', ({ archive }) =>
    archive.subarray(0, Math.floor(archive.length * part)),
  )
}
add('an archive without its last byte', 'archive_invalid', ({ archive }) => archive.subarray(0, -1))
add('an archive with a byte more', 'archive_invalid', ({ archive }) => Buffer.concat([archive, Buffer.from('x')]))
add('an archive without its beginning', 'archive_invalid', ({ archive }) => archive.subarray(100))
add('bytes before the archive', 'archive_invalid', (good) => zip(good, {}, { prefix: Buffer.from('#!/bin/sh\n') }))
add('bytes between entries and directory', 'archive_invalid', (good) => zip(good, {}, { gap: Buffer.alloc(100) }))
add('bytes after the archive', 'archive_invalid', (good) => zip(good, {}, { suffix: Buffer.alloc(10) }))
add('a foreign comment', 'archive_invalid', (good) => zip(good, {}, { comment: Buffer.from('made by somebody') }))
add('a directory elsewhere', 'archive_invalid', (good) => zip(good, {}, { directoryOffset: 10 }))
add('a directory beyond the end', 'archive_invalid', (good) => zip(good, {}, { directoryOffset: 0xfffffff0 }))
add('a count that leaves entries out', 'archive_invalid', (good) => zip(good, {}, { count: 2 }))
add('a count with entries that are not there', 'archive_invalid', (good) => zip(good, {}, { count: 9 }))
add('two entries with the same bytes', 'archive_invalid', (good) => {
  const [manifest] = entriesOf(good)
  return zip(good, {
    add: [{ ...manifest!, name: 'uploads/a.png', localName: 'manifest.json', offset: 0, directoryOnly: true }],
  })
})
add('an entry inside another', 'archive_invalid', (good) => {
  const inner = rawZip({ entries: [{ name: 'uploads/inner.png', content: Buffer.from('inner') }] })
  const outer = { name: 'outer.bin', content: inner }
  return rawZip({
    entries: [
      outer,
      ...entriesOf(good),
      { name: 'uploads/inner.png', content: Buffer.from('inner'), offset: 39, directoryOnly: true },
    ],
  })
})
add('an entry whose bytes lie beyond the end', 'archive_invalid', (good) =>
  zip(good, {
    add: [{ name: 'uploads/a.png', content: Buffer.alloc(9), packedBytes: 0x7fffffff, bytes: 9, method: 8 }],
  }),
)
add('a local header with another name', 'archive_invalid', (good) =>
  zip(good, { add: [{ name: 'uploads/a.png', localName: 'uploads/b.png', content: Buffer.alloc(1) }] }),
)
add('a local header with another method', 'archive_invalid', (good) =>
  zip(good, { add: [{ name: 'uploads/a.png', localMethod: 8, content: Buffer.alloc(1) }] }),
)
add('no local header', 'archive_invalid', (good) =>
  zip(good, { add: [{ name: 'uploads/a.png', content: Buffer.alloc(1), offset: 5, directoryOnly: true }] }),
)

// The database

function addDatabase(name: string, code: ErrorCode, change: (db: Connection) => void): void {
  add(name, code, (good) => zip(good, { database: withDatabase(good, change) }))
}
add('a database that is none', 'archive_invalid', (good) =>
  zip(good, { database: Buffer.from('not a database at all, really') }),
)
add('an empty database file', 'archive_schema_foreign', (good) => zip(good, { database: Buffer.alloc(0) }))
add('a database with a destroyed page', 'archive_invalid', (good) => {
  const database = Buffer.from(good.database)
  database.fill(0xa5, 4096, 8192)
  return zip(good, { database })
})
add('a database cut in half', 'archive_invalid', (good) =>
  zip(good, { database: good.database.subarray(0, Math.floor(good.database.length / 8192) * 4096) }),
)
addDatabase('a foreign trigger', 'archive_schema_foreign', (db) =>
  db.exec('CREATE TRIGGER evil AFTER INSERT ON users BEGIN DELETE FROM campaigns; END'),
)
addDatabase('a foreign trigger by a name like SQLite’s own', 'archive_schema_foreign', (db) =>
  db.exec('CREATE TRIGGER sqlitexevil AFTER INSERT ON users BEGIN DELETE FROM campaigns; END'),
)
addDatabase('a trigger smuggled in by SQLite’s own prefix', 'archive_schema_foreign', (db) => {
  db.unsafeMode(true)
  db.pragma('writable_schema = ON')
  db.exec(
    `INSERT INTO sqlite_schema VALUES ('trigger', 'sqlite_evil', 'users', 0, 'CREATE TRIGGER sqlite_evil AFTER INSERT ON users BEGIN DELETE FROM campaigns; END')`,
  )
})
addDatabase('a foreign view', 'archive_schema_foreign', (db) => db.exec('CREATE VIEW evil AS SELECT * FROM users'))
addDatabase('a foreign table', 'archive_schema_foreign', (db) => db.exec('CREATE TABLE evil (id INTEGER)'))
addDatabase('a foreign index', 'archive_schema_foreign', (db) => db.exec('CREATE INDEX evil ON users(disabled_at)'))
addDatabase('a foreign column', 'archive_schema_foreign', (db) => db.exec('ALTER TABLE users ADD COLUMN evil TEXT'))
addDatabase('a table missing', 'archive_schema_foreign', (db) => db.exec('DROP TABLE invites'))
addDatabase('a trigger missing', 'archive_schema_foreign', (db) => db.exec('DROP TRIGGER campaigns_insert'))
addDatabase('a trigger changed', 'archive_schema_foreign', (db) =>
  db.exec(
    'DROP TRIGGER campaigns_insert; CREATE TRIGGER campaigns_insert AFTER INSERT ON campaigns BEGIN DELETE FROM users; END',
  ),
)
addDatabase('no migrations', 'archive_schema_foreign', (db) => db.exec('DROP TABLE migrations'))
addDatabase('a migration of another checksum', 'archive_schema_foreign', (db) =>
  db.exec(`UPDATE migrations SET checksum = 'x' WHERE number = 1`),
)
addDatabase('a migration left out', 'archive_schema_foreign', (db) =>
  db.exec('DELETE FROM migrations WHERE number = 1'),
)
addDatabase('a migration more than we know', 'archive_schema_foreign', (db) =>
  db.exec(`INSERT INTO migrations VALUES (3, 'later', 'x', '2027-01-01')`),
)
addDatabase('fewer migrations than applied', 'archive_invalid', (db) =>
  db.exec('DELETE FROM migrations WHERE number = 2'),
)
addDatabase('a reference to nothing', 'archive_invalid', (db) =>
  db.exec(`INSERT INTO sessions (user_id, hash) VALUES (99, 'x')`),
)
addDatabase('a row without its upload', 'archive_entry_missing', (db) => {
  const sha256 = 'ab'.repeat(32)
  db.prepare('INSERT INTO attachments (campaign_id, file_key, byte_size, sha256) VALUES (1, ?, 1, ?)').run(
    `ab/${sha256}.png`,
    sha256,
  )
})
addDatabase('an upload without its row', 'archive_not_clean', (db) => db.exec('DELETE FROM attachments WHERE id = 1'))
addDatabase('a row marked missing that the record does not name', 'archive_not_clean', (db) => {
  const sha256 = 'ab'.repeat(32)
  db.prepare('INSERT INTO attachments (campaign_id, file_key, byte_size, sha256, missing) VALUES (1, ?, 1, ?, 1)').run(
    `ab/${sha256}.png`,
    sha256,
  )
})
addDatabase('a row of another size', 'archive_checksum_mismatch', (db) =>
  db.exec('UPDATE attachments SET byte_size = byte_size + 1 WHERE id = 1'),
)
addDatabase('a row of another checksum', 'archive_invalid', (db) =>
  db.exec(`UPDATE attachments SET sha256 = '${'0'.repeat(64)}' WHERE id = 1`),
)
addDatabase('a row whose file key leads elsewhere', 'archive_invalid', (db) =>
  db.exec(`UPDATE attachments SET file_key = '../../etc/passwd' WHERE id = 1`),
)

export const brokenStructures: readonly BrokenArchive[] = broken
