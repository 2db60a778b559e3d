import { randomBytes } from 'node:crypto'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { fail } from '../kernel/errors.ts'
import { sealKeyfile } from './envelope.ts'
import { archiveLimits, entryNames, keyfileName, stampOf } from './format.ts'
import type { Job } from './jobs.ts'
import type { Manifest } from './manifest.ts'
import type { ArchiveParts } from './ports.ts'
import type { WriteResult } from './write.ts'

/** A finished archive on its way to whoever asked for it. It is removed when the stream closes. */
export interface StreamedArchive {
  readonly stream: Readable
  readonly fileName: string
  readonly bytes: number
  readonly manifest: Manifest
}

export interface SavedArchive {
  readonly path: string
  readonly bytes: number
  readonly manifest: Manifest
}

export interface Contents {
  /** Takes the AI keyfile along, wrapped in it; null leaves it out. */
  readonly passphrase: string | null
  /** See the manifest. */
  readonly sequence: number
}

/** A folder in the temporary folder. Its name says whose it is, so that the next start can remove it after a crash. */
export async function makeStaging({ files, tempDir }: Pick<ArchiveParts, 'files' | 'tempDir'>): Promise<string> {
  const folder = path.join(tempDir, `talekeeper-archive-${process.pid}-${randomBytes(6).toString('hex')}`)
  await files.makeDir(folder)
  return folder
}

/** Removes a folder of makeStaging. One that cannot be removed changes nothing about what was done there. */
export async function discardStaging(
  { files, log }: Pick<ArchiveParts, 'files' | 'log'>,
  folder: string,
): Promise<void> {
  await files
    .removeTree(folder)
    .catch((error) => log.warn({ err: error, folder }, 'A temporary folder is left until the next start.'))
}

/**
 * Writes an archive of the live installation to `target` and verifies it with the validator of the restore: one that
 * could not be restored never counts as made. Nothing is left behind when this throws.
 */
export async function buildArchive(
  parts: ArchiveParts,
  target: string,
  { passphrase, sequence }: Contents,
  job: Job,
): Promise<WriteResult> {
  const { files, dataDir, clock, workers } = parts
  const createdAt = clock().toISOString()
  const envelope = await wrapKeyfile(parts, passphrase, createdAt)
  const staging = await makeStaging(parts)
  const options = { signal: job.signal, onProgress: job.progress }
  try {
    const written = await workers.runTask(
      'archive.write',
      {
        databasePath: path.join(dataDir, entryNames.database),
        uploadsDir: path.join(dataDir, 'uploads'),
        stagingDir: staging,
        target,
        createdAt,
        sequence,
        appVersion: parts.appVersion,
        envelope,
        limits: archiveLimits,
      },
      options,
    )
    // The snapshot and copies are not needed any more, and the check unpacks the database once again.
    await files.removeTree(staging)
    await files.makeDir(staging)
    await workers.runTask(
      'archive.verify',
      {
        archivePath: target,
        scratchDir: staging,
        unpack: false,
        passphrase: null,
        migrations: parts.migrations,
        now: createdAt,
        limits: archiveLimits,
      },
      options,
    )
    return written
  } catch (error) {
    await files.remove(target)
    throw error
  } finally {
    await discardStaging(parts, staging)
  }
}

async function wrapKeyfile(
  { files, dataDir }: ArchiveParts,
  passphrase: string | null,
  createdAt: string,
): Promise<string | null> {
  if (passphrase === null) return null
  const file = path.join(dataDir, keyfileName)
  if ((await files.stat(file)) === undefined) return null
  return await sealKeyfile(await files.read(file), passphrase, createdAt)
}

/** Writes the archive to the temporary folder; the stream starts when it is complete and verified. */
export async function createStream(parts: ArchiveParts, contents: Contents, job: Job): Promise<StreamedArchive> {
  const { files, clock } = parts
  const fileName = `talekeeper-backup-${stampOf(clock())}.zip`
  const folder = await makeStaging(parts)
  const target = path.join(folder, fileName)
  try {
    const { manifest, bytes } = await buildArchive(parts, target, contents, job)
    const stream = await files.readStream(target)
    stream.once('close', () => void discardStaging(parts, folder))
    return { stream, fileName, bytes, manifest }
  } catch (error) {
    await discardStaging(parts, folder)
    throw error
  }
}

/** Writes the archive beside its destination and renames it there when it is complete and verified. */
export async function createFile(
  parts: ArchiveParts,
  destination: string,
  contents: Contents,
  job: Job,
): Promise<SavedArchive> {
  const { files } = parts
  const folder = path.dirname(destination)
  await files.makeDir(folder)
  if ((await files.stat(destination)) !== undefined) {
    throw fail('invalid_state', `There is a file ${destination} already; a backup replaces none.`)
  }
  const partial = `${destination}.partial-${process.pid}`
  await files.remove(partial)
  const { manifest, bytes } = await buildArchive(parts, partial, contents, job)
  let written = partial
  try {
    await files.rename(partial, destination)
    written = destination
    await files.syncDir(folder)
  } catch (error) {
    await files.remove(written)
    throw error
  }
  return { path: destination, bytes, manifest }
}
