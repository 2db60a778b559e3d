import { createHash } from 'node:crypto'
import path from 'node:path'
import { promisify } from 'node:util'
import { crc32, deflateRaw } from 'node:zlib'
import { fail } from '../kernel/errors.ts'
import type { Files } from '../storage/files.ts'
import { appliedMigrations } from '../storage/migrations.ts'
import type { TaskContext } from '../storage/workers.ts'
import { type AttachmentRow, attachmentRows, markMissing, openCopy, snapshot } from './database.ts'
import { type ArchiveLimits, entryNames, formatVersion, hashOfFileKey, uploadPrefix } from './format.ts'
import { throwIfCancelled } from './jobs.ts'
import { type Manifest, type MissingFile, orphansNamed, type Reconciliation, type StoredFile } from './manifest.ts'
import { deflateFile, inParallel, stageUpload, storedFileKeys } from './staging.ts'
import { openZip, type ZipPart } from './zip-writer.ts'

export interface WritePayload {
  readonly databasePath: string
  readonly uploadsDir: string
  /** An empty folder; the caller removes it. */
  readonly stagingDir: string
  /** Where the archive is written; must not exist. The caller removes it when this fails. */
  readonly target: string
  readonly createdAt: string
  /** See the manifest. */
  readonly sequence?: number | undefined
  readonly appVersion: string
  /** The envelope of the AI keyfile, as text; null leaves it out. */
  readonly envelope: string | null
  readonly limits: ArchiveLimits
}

export interface WriteResult {
  readonly manifest: Manifest
  readonly bytes: number
}

/**
 * Writes an archive of the live installation (SPEC 2.4):
 * 1. snapshot the database
 * 2. put copies of the uploads aside that the snapshot names, hashing them; mark rows whose file is gone or damaged
 * 3. refuse what a restore would refuse for its size (SPEC 8.1)
 * 4. write the zip: the uploads, while the database is packed beside it; then that, the keyfile, and the manifest
 * Uploads come after the snapshot: a file is stored before its row is, and no file is deleted while archive work runs,
 * so every row of the snapshot finds its file.
 */
export async function writeArchive(payload: WritePayload, context: TaskContext, files: Files): Promise<WriteResult> {
  const { signal, progress } = context

  // 1
  progress({ phase: 'snapshot', done: 0, total: 0 })
  const database = path.join(payload.stagingDir, entryNames.database)
  snapshot(payload.databasePath, database)
  throwIfCancelled(signal)

  // 2
  const staged = await stageUploads(payload, database, context, files)

  // 3
  const databaseBytes = (await files.stat(database))?.bytes ?? 0
  checkSizes([databaseBytes, ...staged.uploads.map((upload) => upload.size)], payload.limits)

  // 4
  return await pack(payload, database, databaseBytes, staged, context, files)
}

async function pack(
  payload: WritePayload,
  database: string,
  databaseBytes: number,
  staged: Staged,
  { signal, progress }: TaskContext,
  files: Files,
): Promise<WriteResult> {
  const { target, limits, stagingDir, envelope } = payload
  const total = staged.uploads.reduce((sum, upload) => sum + upload.size, databaseBytes)
  const packedFile = `${database}.deflated`
  const zip = await openZip({
    files,
    target,
    modifiedAt: new Date(payload.createdAt),
    most: limits.archiveBytes,
    signal,
    onBytes: (done) => progress({ phase: 'pack', done: Math.min(done, total), total }),
  })
  try {
    const writeUploads = async (): Promise<void> => {
      for (const upload of staged.uploads) await zip.add(uploadPart(upload, stagingDir, files))
    }
    // Both end before anything is thrown: what they write is removed then.
    const [packed, written] = await Promise.allSettled([
      deflateFile(files, database, packedFile, signal),
      writeUploads(),
    ])
    if (packed.status === 'rejected') throw packed.reason
    if (written.status === 'rejected') throw written.reason
    // Not needed any more; the disk never holds more than snapshot, copies and archive (SPEC 8.3.3).
    await files.remove(database)
    await zip.add({
      ...packed.value,
      name: entryNames.database,
      packing: 'deflated',
      open: () => files.chunks(packedFile),
    })
    if (envelope !== null) await zip.add(await textPart(entryNames.keyfile, envelope))
    const manifest = makeManifest(payload, packed.value, staged)
    await zip.add(await textPart(entryNames.manifest, JSON.stringify(manifest)))
    return { manifest, bytes: await zip.finish() }
  } finally {
    await zip.close()
  }
}

interface StagedUpload extends StoredFile {
  readonly crc32: number
}

interface Staged {
  /** Migrations recorded in the snapshot. */
  readonly schemaVersion: number
  readonly uploads: readonly StagedUpload[]
  readonly reconciliation: Reconciliation
}

async function stageUploads(
  { uploadsDir, stagingDir }: WritePayload,
  database: string,
  { signal, progress }: TaskContext,
  files: Files,
): Promise<Staged> {
  const db = openCopy(database)
  try {
    const rows = attachmentRows(db)
    const byKey = Map.groupBy(rows, (row) => row.fileKey)
    const total = rows.reduce((sum, row) => sum + row.bytes, 0)
    const uploads: StagedUpload[] = []
    const missing: MissingFile[] = []
    let done = 0
    await files.makeDir(path.join(stagingDir, 'uploads'))
    await inParallel(byKey, async ([fileKey, owners]) => {
      throwIfCancelled(signal)
      const found = await stageOne(fileKey, owners, uploadsDir, stagingDir, signal, files)
      if (typeof found === 'string') {
        for (const { id } of owners) missing.push({ attachmentId: id, fileKey, reason: found })
      } else uploads.push(found)
      done += owners.reduce((sum, row) => sum + row.bytes, 0)
      progress({ phase: 'stage', done, total })
    })
    const absent = new Set(missing.map((each) => each.attachmentId))
    markMissing(
      db,
      new Map(rows.filter((row) => row.missing !== absent.has(row.id)).map((row) => [row.id, !row.missing])),
    )
    const orphans = (await storedFileKeys(files, uploadsDir)).filter((key) => !byKey.has(key))
    return {
      schemaVersion: appliedMigrations(db).length,
      uploads: uploads.sort((a, b) => (a.path < b.path ? -1 : 1)),
      reconciliation: {
        clean: true,
        missing: missing.sort((a, b) => a.attachmentId - b.attachmentId),
        orphans: orphans.slice(0, orphansNamed).map((key) => key.slice(0, 255)),
        orphanCount: orphans.length,
      },
    }
  } finally {
    db.close()
  }
}

async function stageOne(
  fileKey: string,
  owners: readonly AttachmentRow[],
  uploadsDir: string,
  stagingDir: string,
  signal: AbortSignal,
  files: Files,
): Promise<StagedUpload | MissingFile['reason']> {
  const expected = hashOfFileKey(fileKey)
  // A row that no upload wrote: nothing is read at a path that it makes up.
  if (expected === undefined)
    throw fail('internal_error', 'The database holds an attachment whose file key is not valid.')
  const target = stagedPath(stagingDir, fileKey)
  const found = await stageUpload(files, path.join(uploadsDir, fileKey), target, signal)
  if (found === undefined) return 'absent'
  const intact =
    found.sha256 === expected && owners.every((row) => row.sha256 === expected && row.bytes === found.bytes)
  if (intact) return { path: uploadPrefix + fileKey, size: found.bytes, sha256: found.sha256, crc32: found.crc32 }
  await files.remove(target)
  return 'damaged'
}

/** The part of a file key after the slash is unique by itself. */
function stagedPath(stagingDir: string, fileKey: string): string {
  return path.join(stagingDir, 'uploads', path.posix.basename(fileKey))
}

function makeManifest(payload: WritePayload, database: { bytes: number; sha256: string }, staged: Staged): Manifest {
  const { envelope, sequence } = payload
  const keyfile = envelope === null ? {} : { keyfile: describeText(entryNames.keyfile, envelope) }
  return {
    version: formatVersion,
    appVersion: payload.appVersion,
    schemaVersion: staged.schemaVersion,
    createdAt: payload.createdAt,
    ...(sequence === undefined ? {} : { sequence }),
    uploadCount: staged.uploads.length,
    uploads: staged.uploads.map(({ path: name, size, sha256 }) => ({ path: name, size, sha256 })),
    database: { path: entryNames.database, size: database.bytes, sha256: database.sha256 },
    ...keyfile,
    reconciliation: staged.reconciliation,
  }
}

function describeText(name: string, text: string): StoredFile {
  return { path: name, size: Buffer.byteLength(text), sha256: createHash('sha256').update(text).digest('hex') }
}

/** What a restore would refuse is not written in the first place. */
function checkSizes(sizes: readonly number[], limits: ArchiveLimits): void {
  if (sizes.some((size) => size > limits.entryBytes)) {
    throw fail('archive_too_large', 'The database or a file is larger than a backup can hold.')
  }
  // The manifest and the keyfile are entries too.
  if (sizes.length + 2 > limits.entries) {
    throw fail('archive_too_large', 'There are more uploads than a backup can hold.')
  }
  if (sizes.reduce((sum, size) => sum + size, 0) + limits.manifestBytes > limits.totalBytes) {
    throw fail('archive_too_large', 'The database and uploads together are larger than a backup can hold.')
  }
}

function uploadPart(upload: StagedUpload, stagingDir: string, files: Files): ZipPart {
  return {
    name: upload.path,
    packing: 'stored',
    bytes: upload.size,
    packedBytes: upload.size,
    crc32: upload.crc32,
    open: () => files.chunks(stagedPath(stagingDir, upload.path)),
  }
}

async function textPart(name: string, text: string): Promise<ZipPart> {
  const content = Buffer.from(text)
  const packed = await promisify(deflateRaw)(content)
  return {
    name,
    packing: 'deflated',
    bytes: content.length,
    packedBytes: packed.length,
    crc32: crc32(content),
    async *open() {
      yield packed
    },
  }
}
