import { deflateRawSync } from 'node:zlib'
import { type BrokenArchive, describe, entriesOf, first, startCorpus, uploadRecords, zip } from './corpus-parts.ts'
import { brokenStructures } from './corpus-structures.ts'
import { rawZip } from './raw-zip.ts'

const { broken, add } = startCorpus()

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

export const corpus: readonly BrokenArchive[] = [...broken, ...brokenStructures]
