import { createHash } from 'node:crypto'
import path from 'node:path'
import { fail } from '../kernel/errors.ts'
import type { Files, FileWriter } from '../storage/files.ts'
import type { Migration } from '../storage/schema.ts'
import type { TaskContext } from '../storage/workers.ts'
import { type DatabaseFacts, examineDatabase } from './database.ts'
import { openKeyfile, parseEnvelope } from './envelope.ts'
import { type ArchiveLimits, archiveLimits, entryNames, keyfileName, uploadPrefix } from './format.ts'
import { throwIfCancelled } from './jobs.ts'
import { type Manifest, parseManifest, type StoredFile } from './manifest.ts'
import { hashOfUploadEntry, roleOf } from './names.ts'
import { checkSeal } from './trailer.ts'
import { type ArchiveEntry, type OpenArchive, openArchive } from './zip-reader.ts'

export interface VerifyPayload {
  readonly archivePath: string
  /** An existing empty folder for the database while it is examined; the caller removes it. */
  readonly scratchDir: string
  /**
   * Whether to unpack everything into `scratchDir`, migrated and forced onto the disk: `talekeeper.db`, `uploads/` and,
   * when the archive holds one, `ai-config.key`.
   */
  readonly unpack: boolean
  /** Needed to unpack an archive that holds the AI keyfile. */
  readonly passphrase: string | null
  readonly migrations: readonly Migration[]
  readonly now: string
  readonly limits: ArchiveLimits
}

export interface VerifyResult {
  readonly manifest: Manifest
  readonly archiveBytes: number
  readonly database: DatabaseFacts
  /** False when another program packed the archive again. */
  readonly sealed: boolean
}

interface Work extends VerifyPayload {
  readonly archive: OpenArchive
  readonly manifest: Manifest
  readonly context: TaskContext
  readonly files: Files
}

/**
 * Judges an archive by every rule of SPEC 7 and 8.1; inspect, restore and the check of a new backup all use it:
 * 1. structure: sizes, number, names and kinds of the entries (zip-reader.ts)
 * 2. manifest: format, reconciliation, checksums recorded for all
 * 3. the entries are exactly those that the manifest names
 * 4. every entry has the recorded size and SHA-256; unpack when that was asked
 * 5. the whole file is the one that was sealed
 * 6. the keyfile is in an envelope that we know; when it is to be unpacked, the passphrase opens it
 * 7. the database is whole and ours, and agrees with the uploads
 * 8. what was unpacked is on the disk for good
 */
export async function verifyArchive(payload: VerifyPayload, context: TaskContext, files: Files): Promise<VerifyResult> {
  const archive = await openArchive(payload.archivePath, payload.limits)
  try {
    const manifest = await readManifest(archive, payload.limits, context.signal)
    const work: Work = { ...payload, archive, manifest, context, files }
    const expected = checkEntries(work)
    if (payload.unpack && manifest.keyfile !== undefined && payload.passphrase === null)
      throw fail('passphrase_required')
    if (payload.unpack) await reserve(work)
    await readEntries(work, expected)
    if (archive.sealedWith !== undefined) await checkSeal(archive.sealed(), archive.sealedWith)
    await readKeyfile(work)
    context.progress({ phase: 'database', done: 0, total: 0 })
    const database = examineDatabase(
      path.join(payload.scratchDir, entryNames.database),
      manifest,
      payload.migrations,
      payload.now,
    )
    throwIfCancelled(context.signal)
    if (payload.unpack) await settle(work)
    return { manifest, archiveBytes: archive.bytes, database, sealed: archive.sealedWith !== undefined }
  } finally {
    await archive.close()
  }
}

/** The manifest alone, after the archive's structure was judged: enough to list archives (SPEC 8.3.4). */
export async function peekManifest(
  archivePath: string,
  signal: AbortSignal,
): Promise<{ manifest: Manifest; bytes: number }> {
  const archive = await openArchive(archivePath, archiveLimits)
  try {
    return { manifest: await readManifest(archive, archiveLimits, signal), bytes: archive.bytes }
  } finally {
    await archive.close()
  }
}

async function readManifest(archive: OpenArchive, limits: ArchiveLimits, signal: AbortSignal): Promise<Manifest> {
  const entry = archive.entries.get(entryNames.manifest)
  if (entry === undefined)
    throw fail('archive_invalid', 'This file is not a Talekeeper backup: it has no manifest.json.')
  const chunks: Buffer[] = []
  for await (const chunk of archive.content(entry, limits.manifestBytes)) {
    throwIfCancelled(signal)
    chunks.push(Buffer.from(chunk))
  }
  return parseManifest(Buffer.concat(chunks).toString('utf8'))
}

/** Returns what each entry but the manifest must be. */
function checkEntries({ archive, manifest }: Work): readonly StoredFile[] {
  const expected = [manifest.database, ...(manifest.keyfile ? [manifest.keyfile] : []), ...manifest.uploads]
  if (
    manifest.database.path !== entryNames.database ||
    (manifest.keyfile?.path ?? entryNames.keyfile) !== entryNames.keyfile
  ) {
    throw fail('archive_invalid', 'The manifest gives the database or keyfile another name.')
  }
  for (const upload of manifest.uploads) {
    const promised = hashOfUploadEntry(upload.path)
    if (promised === undefined)
      throw fail(
        'archive_invalid',
        `The manifest names an upload ${JSON.stringify(upload.path.slice(0, 80))}, which is no name of an upload.`,
      )
    if (promised !== upload.sha256)
      throw fail('archive_checksum_mismatch', `The checksum of ${upload.path} is not the one in its name.`)
  }
  const names = new Set(expected.map((each) => each.path))
  if (names.size !== expected.length) throw fail('archive_invalid', 'The manifest names a file twice.')
  for (const name of names) {
    if (!archive.entries.has(name)) throw fail('archive_entry_missing', `${name} is missing from the backup.`)
  }
  const uploads = [...archive.entries.keys()].filter((name) => name.startsWith(uploadPrefix))
  if (uploads.length !== manifest.uploadCount) {
    throw fail(
      'archive_count_mismatch',
      `The manifest counts ${manifest.uploadCount} uploads, the archive holds ${uploads.length}.`,
    )
  }
  for (const name of archive.entries.keys()) {
    if (!names.has(name) && roleOf(name) !== 'manifest') {
      throw fail(
        'archive_invalid',
        `The archive holds ${JSON.stringify(name.slice(0, 80))}, which its manifest does not name.`,
      )
    }
  }
  return expected
}

/** Fails before anything is written when the disk cannot hold what the archive declares. */
async function reserve({ archive, scratchDir, files }: Work): Promise<void> {
  const needed = [...archive.entries.values()].reduce((sum, entry) => sum + entry.bytes, 0)
  if ((await files.space(scratchDir)).freeBytes < needed) {
    throw fail('disk_full', 'There is not enough free disk space in the data folder to unpack this backup.')
  }
}

async function readEntries(work: Work, expected: readonly StoredFile[]): Promise<void> {
  const { archive, context, scratchDir, files, unpack } = work
  const total = expected.reduce((sum, each) => sum + each.size, 0)
  const folders = new Set<string>()
  let done = 0
  if (unpack) await files.makeDir(path.join(scratchDir, 'uploads'))
  for (const record of expected) {
    const entry = archive.entries.get(record.path)
    if (entry === undefined) throw fail('archive_entry_missing')
    const keep = record.path === entryNames.database || (unpack && record.path.startsWith(uploadPrefix))
    const target = path.join(scratchDir, ...record.path.split('/'))
    const folder = path.dirname(target)
    if (keep && !folders.has(folder)) {
      await files.makeDir(folder)
      folders.add(folder)
    }
    const writer = keep ? await files.create(target) : undefined
    try {
      await readEntry(work, entry, record, writer, (bytes) =>
        context.progress({ phase: 'verify', done: done + bytes, total }),
      )
    } finally {
      await writer?.close()
    }
    done += record.size
  }
}

async function readEntry(
  { archive, context, limits }: Work,
  entry: ArchiveEntry,
  record: StoredFile,
  writer: FileWriter | undefined,
  onBytes: (bytes: number) => void,
): Promise<void> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of archive.content(entry, limits.entryBytes)) {
    throwIfCancelled(context.signal)
    hash.update(chunk)
    await writer?.write(chunk)
    bytes += chunk.length
    onBytes(bytes)
  }
  if (bytes !== record.size) {
    throw fail('archive_checksum_mismatch', `${record.path} has ${bytes} bytes, the manifest records ${record.size}.`)
  }
  if (hash.digest('hex') !== record.sha256) {
    throw fail('archive_checksum_mismatch', `${record.path} does not have the SHA-256 that the manifest records.`)
  }
}

const envelopeBytes = 16 * 1024

async function readKeyfile({ archive, manifest, unpack, passphrase, scratchDir, files }: Work): Promise<void> {
  const entry = archive.entries.get(entryNames.keyfile)
  if (entry === undefined) return
  const chunks: Buffer[] = []
  for await (const chunk of archive.content(entry, envelopeBytes)) chunks.push(Buffer.from(chunk))
  const envelope = parseEnvelope(Buffer.concat(chunks).toString('utf8'))
  if (!unpack || passphrase === null) return
  const key = await openKeyfile(envelope, passphrase, manifest.createdAt)
  const writer = await files.create(path.join(scratchDir, keyfileName))
  try {
    await writer.write(key)
  } finally {
    await writer.close()
  }
}

/** Forces all that was unpacked onto the disk: the old files are moved away only after that. */
async function settle({ scratchDir, files, context }: Work): Promise<void> {
  const folders = [scratchDir]
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    for (const item of await files.list(folder)) {
      throwIfCancelled(context.signal)
      const each = path.join(folder, item.name)
      if (item.kind === 'directory') folders.push(each)
      else await files.sync(each)
    }
    await files.syncDir(folder)
  }
}
