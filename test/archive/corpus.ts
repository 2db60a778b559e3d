import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { deflateRawSync } from 'node:zlib'
import Database, { type Database as Connection } from 'better-sqlite3'
import type { ErrorCode } from '../../src/kernel/errors.ts'
import { type RawEntry, type RawZip, rawZip } from './raw-zip.ts'

/** The parts of a good archive, to be put together wrongly. */
export interface GoodParts {
  readonly manifest: Record<string, unknown>
  readonly database: Buffer
  readonly uploads: ReadonlyMap<string, Buffer>
  /** The good archive itself. */
  readonly archive: Buffer
}

export interface BrokenArchive {
  readonly name: string
  readonly code: ErrorCode
  build(good: GoodParts): Buffer
}

const broken: BrokenArchive[] = []

function add(name: string, code: ErrorCode, build: (good: GoodParts) => Buffer): void {
  broken.push({ name, code, build })
}

/** The entries of a good archive, packed again, with some taken away, changed or added. */
export function entriesOf(
  good: GoodParts,
  change: { manifest?: object; database?: Buffer; without?: string; add?: readonly RawEntry[] } = {},
): RawEntry[] {
  const database = change.database ?? good.database
  const manifest = { ...good.manifest, database: describe('talekeeper.db', database), ...change.manifest }
  const own: RawEntry[] = [
    { name: 'manifest.json', content: Buffer.from(JSON.stringify(manifest)), deflate: true },
    { name: 'talekeeper.db', content: database, deflate: true },
    ...[...good.uploads].map(([name, content]) => ({ name, content })),
  ]
  return [...own.filter((entry) => entry.name !== change.without), ...(change.add ?? [])]
}

function zip(good: GoodParts, change: Parameters<typeof entriesOf>[1] = {}, options: Partial<RawZip> = {}): Buffer {
  return rawZip({ entries: entriesOf(good, change), ...options })
}

export function describe(name: string, content: Buffer) {
  return { path: name, size: content.length, sha256: createHash('sha256').update(content).digest('hex') }
}

function uploadRecords({ manifest }: GoodParts): { path: string; size: number; sha256: string }[] {
  return structuredClone(manifest.uploads) as { path: string; size: number; sha256: string }[]
}

function withDatabase(good: GoodParts, change: (db: Connection) => void): Buffer {
  const folder = mkdtempSync(path.join(tmpdir(), 'archive-corpus-'))
  try {
    const file = path.join(folder, 'a.db')
    writeFileSync(file, good.database)
    const db = new Database(file)
    db.pragma('foreign_keys = OFF')
    change(db)
    db.close()
    return readFileSync(file)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const first = (good: GoodParts): string => [...good.uploads.keys()][0]!

// Names

const unsafeNames: readonly string[] = [
  '../evil.png',
  '../../etc/cron.d/evil',
  'uploads/../../evil.png',
  'uploads/ab/../../../evil.png',
  'uploads/./evil.png',
  '..',
  '/etc/passwd',
  '//server/share/evil.png',
  'C:/Windows/evil.dll',
  'C:evil.dll',
  'uploads/evil.png:stream',
  '..\\evil.png',
  'uploads\\..\\evil.png',
  '\\\\server\\share\\evil.png',
  '%2e%2e/evil.png',
  '%2e%2e%2fevil.png',
  '%252e%252e%252fevil.png',
  '..%c0%afevil.png',
  '..%5cevil.png',
  '\uff0e\uff0e/evil.png',
  '..\u2215evil.png',
  'uploads/\u202egnp.evil',
  'uploads/evil\u0000.png',
  'uploads/evil\n.png',
  'uploads//evil.png',
  'uploads/ev\u00efl.png',
  'uploads/CON',
  'uploads/nul.png',
  'uploads/evil.png.',
  'uploads/evil.png ',
  'uploads/...',
  'uploads/',
  `uploads/${'a'.repeat(300)}.png`,
]

for (const name of unsafeNames) {
  add(`an entry with the unsafe name ${JSON.stringify(name)}`, 'archive_unsafe_path', (good) =>
    zip(good, { add: [{ name, content: Buffer.from('evil') }] }),
  )
}
add('an entry without a name', 'archive_unsafe_path', (good) =>
  zip(good, { add: [{ name: '', content: Buffer.from('evil') }] }),
)
add('an entry whose name is not UTF-8', 'archive_unsafe_path', (good) =>
  zip(good, { add: [{ name: Buffer.from([0x75, 0xff, 0xfe]), content: Buffer.from('evil') }] }),
)
add('an entry with a second name in an extra field', 'archive_unsafe_path', (good) => {
  const field = Buffer.concat([Buffer.from([0x75, 0x70, 13, 0, 1, 0, 0, 0, 0]), Buffer.from('../evil!')])
  return zip(good, { add: [{ name: 'uploads/a.png', content: Buffer.alloc(1), extra: field }] })
})
add('two entries of the same name', 'archive_unsafe_path', (good) =>
  zip(good, { add: [{ name: 'talekeeper.db', content: good.database }] }),
)
add('two names that differ in case only', 'archive_unsafe_path', (good) =>
  zip(good, { add: [{ name: 'TALEKEEPER.db', content: good.database }] }),
)
add('an upload in upper case besides', 'archive_unsafe_path', (good) =>
  zip(good, { add: [{ name: first(good).toUpperCase(), content: Buffer.from('evil') }] }),
)

// Kinds of entries

const kinds = { 'symbolic link': 0o120777, folder: 0o040755, device: 0o060644, pipe: 0o010644, socket: 0o140644 }
for (const [kind, mode] of Object.entries(kinds)) {
  add(`a ${kind}`, 'archive_unsafe_path', (good) =>
    zip(good, { add: [{ name: 'uploads/link.png', content: Buffer.from('/etc/passwd'), attributes: mode * 0x10000 }] }),
  )
}
add('a symbolic link that claims to come from DOS', 'archive_unsafe_path', (good) =>
  zip(good, {
    add: [{ name: 'uploads/link.png', content: Buffer.from('/etc'), attributes: 0o120777 * 0x10000, madeBy: 20 }],
  }),
)
add('a file that runs as its owner', 'archive_unsafe_path', (good) =>
  zip(good, { add: [{ name: 'uploads/suid.png', content: Buffer.from('x'), attributes: 0o104755 * 0x10000 }] }),
)
add('a folder by its DOS attribute', 'archive_unsafe_path', (good) =>
  zip(good, { add: [{ name: 'uploads/dir.png', content: Buffer.alloc(0), attributes: 0x10 }] }),
)
add('an encrypted entry', 'archive_invalid', (good) => {
  const [manifest, ...rest] = entriesOf(good)
  return rawZip({ entries: [manifest!, ...rest.map((entry) => ({ ...entry, flags: 0x801 }))] })
})
add('a strongly encrypted entry', 'archive_invalid', (good) =>
  zip(good, { add: [{ name: 'uploads/a.png', content: Buffer.alloc(9), flags: 0x841 }] }),
)
add('an entry packed by bzip2', 'archive_invalid', (good) =>
  zip(good, { add: [{ name: 'uploads/a.png', content: Buffer.alloc(9), method: 12 }] }),
)

// Entries and the manifest

add('a file that the manifest does not name', 'archive_invalid', (good) =>
  zip(good, { add: [{ name: 'notes.txt', content: Buffer.from('hi') }] }),
)
add('an upload that the manifest neither names nor counts', 'archive_count_mismatch', (good) => {
  const content = Buffer.from('unlisted')
  const { sha256 } = describe('', content)
  return zip(good, { add: [{ name: `uploads/${sha256.slice(0, 2)}/${sha256}.png`, content }] })
})
add('no manifest', 'archive_invalid', (good) => zip(good, { without: 'manifest.json' }))
add('no database', 'archive_entry_missing', (good) => zip(good, { without: 'talekeeper.db' }))
add('an upload missing', 'archive_entry_missing', (good) => zip(good, { without: first(good) }))
add('an upload missing and not counted', 'archive_entry_missing', (good) =>
  zip(good, { without: first(good), manifest: { uploadCount: good.uploads.size, uploads: uploadRecords(good) } }),
)
add('a keyfile named but absent', 'archive_entry_missing', (good) =>
  zip(good, { manifest: { keyfile: describe('ai-config.key.enc', Buffer.from('x')) } }),
)
add('a keyfile that is no envelope', 'archive_invalid', (good) => {
  const content = Buffer.from('{"version":1}')
  const name = 'ai-config.key.enc'
  return zip(good, { manifest: { keyfile: describe(name, content) }, add: [{ name, content }] })
})
add('an uploadCount that is too small', 'archive_count_mismatch', (good) => zip(good, { manifest: { uploadCount: 2 } }))
add('an uploadCount that is too large', 'archive_count_mismatch', (good) => zip(good, { manifest: { uploadCount: 4 } }))
add('an uploadCount that is no integer', 'archive_invalid', (good) => zip(good, { manifest: { uploadCount: '3' } }))
for (const version of [0, 1, 2, 4, '3', 3.5, null, undefined, true]) {
  add(`the format ${JSON.stringify(version) ?? 'left out'}`, 'archive_format_unsupported', (good) =>
    zip(good, { manifest: { version } }),
  )
}
add('a manifest that is no JSON', 'archive_invalid', (good) =>
  zip(good, { without: 'manifest.json', add: [{ name: 'manifest.json', content: Buffer.from('{"version":3,') }] }),
)
add('a manifest that is a list', 'archive_invalid', (good) =>
  zip(good, { without: 'manifest.json', add: [{ name: 'manifest.json', content: Buffer.from('[3]') }] }),
)
add('a manifest with an unknown member', 'archive_invalid', (good) => zip(good, { manifest: { more: 1 } }))
add('a manifest with the member __proto__', 'archive_invalid', (good) => {
  const text = JSON.stringify({ ...good.manifest, database: describe('talekeeper.db', good.database) })
  const content = Buffer.from(text.replace('{', '{"__proto__":{"clean":true},'))
  return zip(good, { without: 'manifest.json', add: [{ name: 'manifest.json', content }] })
})
add('a manifest without appVersion', 'archive_invalid', (good) => zip(good, { manifest: { appVersion: undefined } }))
add('an appVersion that is no version', 'archive_invalid', (good) => zip(good, { manifest: { appVersion: 'latest' } }))
add('a createdAt that is no time', 'archive_invalid', (good) => zip(good, { manifest: { createdAt: 'yesterday' } }))
add('a schemaVersion that is not the database’s', 'archive_invalid', (good) =>
  zip(good, { manifest: { schemaVersion: 1 } }),
)
add('no reconciliation record', 'archive_not_clean', (good) => zip(good, { manifest: { reconciliation: undefined } }))
add('a reconciliation that is not clean', 'archive_not_clean', (good) =>
  zip(good, { manifest: { reconciliation: { clean: false, missing: [], orphans: [], orphanCount: 0 } } }),
)
add('a reconciliation that names a file missing that is not', 'archive_not_clean', (good) => {
  const missing = [{ attachmentId: 1, fileKey: first(good).slice('uploads/'.length), reason: 'absent' }]
  return zip(good, { manifest: { reconciliation: { clean: true, missing, orphans: [], orphanCount: 0 } } })
})
add('an upload without checksum', 'archive_not_clean', (good) =>
  zip(good, { manifest: { uploads: uploadRecords(good).map(({ path: name, size }) => ({ path: name, size })) } }),
)
add('an upload with half a checksum', 'archive_not_clean', (good) =>
  zip(good, {
    manifest: { uploads: uploadRecords(good).map((each) => ({ ...each, sha256: each.sha256.slice(0, 32) })) },
  }),
)
add('an upload without size', 'archive_not_clean', (good) =>
  zip(good, { manifest: { uploads: uploadRecords(good).map(({ path: name, sha256 }) => ({ path: name, sha256 })) } }),
)
add('an upload of another size', 'archive_checksum_mismatch', (good) =>
  zip(good, {
    manifest: {
      uploads: uploadRecords(good).map((each, index) => (index === 0 ? { ...each, size: each.size + 1 } : each)),
    },
  }),
)
add('an upload with other bytes of the same size', 'archive_checksum_mismatch', (good) => {
  const name = first(good)
  const content = Buffer.from(good.uploads.get(name)!.map((byte) => byte ^ 1))
  return zip(good, { without: name, add: [{ name, content }] })
})
add('an upload with other bytes and their own checksum', 'archive_checksum_mismatch', (good) => {
  const name = first(good)
  const content = Buffer.from('replaced')
  const uploads = uploadRecords(good).map((each) => (each.path === name ? describe(name, content) : each))
  return zip(good, { without: name, add: [{ name, content }], manifest: { uploads } })
})
add('a database with other bytes', 'archive_checksum_mismatch', (good) =>
  zip(good, { manifest: { database: { ...describe('talekeeper.db', good.database), sha256: '0'.repeat(64) } } }),
)
add('a database by another name', 'archive_invalid', (good) =>
  zip(good, { manifest: { database: describe('manifest.json', good.database) } }),
)
add('an upload by the name of the database', 'archive_invalid', (good) => {
  const uploads = [...uploadRecords(good), describe('talekeeper.db', good.database)]
  return zip(good, { manifest: { uploads, uploadCount: uploads.length } })
})
add('an upload named twice', 'archive_invalid', (good) => {
  const uploads = [...uploadRecords(good), uploadRecords(good)[0]!]
  return zip(good, { manifest: { uploads, uploadCount: uploads.length } })
})
add('a wrong CRC', 'archive_checksum_mismatch', (good) => {
  const entries = entriesOf(good).map((entry) => (entry.name === first(good) ? { ...entry, crc: 1 } : entry))
  return rawZip({ entries })
})

// Sizes

add('a bomb that says how large it is', 'archive_too_large', (good) =>
  zip(good, {
    add: [
      {
        name: 'uploads/bomb.png',
        content: Buffer.alloc(0),
        packed: Buffer.from([3, 0]),
        method: 8,
        bytes: 600 * 1024 * 1024,
      },
    ],
  }),
)
add('many entries that are too large together', 'archive_too_large', (good) => {
  const bomb = { content: Buffer.alloc(0), packed: Buffer.from([3, 0]), method: 8, bytes: 500 * 1024 * 1024 }
  return zip(good, { add: Array.from({ length: 9 }, (_, index) => ({ name: `uploads/bomb${index}.png`, ...bomb })) })
})
add('a bomb that says it is small', 'archive_checksum_mismatch', (good) => {
  const name = first(good)
  return zip(good, {
    without: name,
    add: [{ name, content: good.uploads.get(name)!, packed: deflateRawSync(Buffer.alloc(50_000_000)), method: 8 }],
  })
})
add('a bomb in the manifest that says it is small', 'archive_checksum_mismatch', (good) =>
  zip(good, {
    without: 'manifest.json',
    add: [
      {
        name: 'manifest.json',
        content: Buffer.alloc(0),
        bytes: 100,
        packed: deflateRawSync(Buffer.alloc(50_000_000, ' ')),
        method: 8,
      },
    ],
  }),
)
add('a manifest that is too large', 'archive_too_large', (good) =>
  zip(good, {
    without: 'manifest.json',
    add: [{ name: 'manifest.json', content: Buffer.alloc(33 * 1024 * 1024, ' '), deflate: true }],
  }),
)
add('an entry that is shorter than it says', 'archive_checksum_mismatch', (good) => {
  const name = first(good)
  return zip(good, {
    without: name,
    add: [{ name, content: good.uploads.get(name)!, packed: deflateRawSync(Buffer.from('x')), method: 8 }],
  })
})
add('a stored entry with two sizes', 'archive_invalid', (good) =>
  zip(good, { add: [{ name: 'uploads/a.png', content: Buffer.alloc(9), bytes: 10 }] }),
)
add('packed bytes that are not deflate', 'archive_checksum_mismatch', (good) => {
  const name = first(good)
  return zip(good, {
    without: name,
    add: [{ name, content: good.uploads.get(name)!, packed: Buffer.alloc(40, 0xff), method: 8 }],
  })
})
add('foreign bytes after packed content', 'archive_invalid', (good) => {
  const entries = entriesOf(good).map((entry) =>
    entry.name === 'manifest.json'
      ? { ...entry, packed: Buffer.concat([deflateRawSync(entry.content), Buffer.from('hidden')]), method: 8 }
      : entry,
  )
  return rawZip({ entries })
})
add('more entries than allowed', 'archive_too_large', (good) => {
  const entry = { content: Buffer.alloc(0) }
  const many = Array.from({ length: 65_534 }, (_, index) => ({ name: `u${index}`, ...entry }))
  return zip64Count(rawZip({ entries: [...entriesOf(good), ...many], count: 65_535 }), 100_001)
})

/** Puts a zip64 end before the end of a zip, with another count. */
function zip64Count(archive: Buffer, count: number): Buffer {
  const end = archive.subarray(archive.length - 22)
  const position = archive.length - 22
  const record = Buffer.alloc(56)
  record.writeUInt32LE(0x06064b50, 0)
  record.writeBigUInt64LE(44n, 4)
  record.writeBigUInt64LE(BigInt(count), 24)
  record.writeBigUInt64LE(BigInt(count), 32)
  record.writeBigUInt64LE(BigInt(end.readUInt32LE(12)), 40)
  record.writeBigUInt64LE(BigInt(end.readUInt32LE(16)), 48)
  const locator = Buffer.alloc(20)
  locator.writeUInt32LE(0x07064b50, 0)
  locator.writeBigUInt64LE(BigInt(position), 8)
  locator.writeUInt32LE(1, 16)
  return Buffer.concat([archive.subarray(0, position), record, locator, end])
}

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

export const corpus: readonly BrokenArchive[] = broken
