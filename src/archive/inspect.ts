import { discardStaging, makeStaging } from './create.ts'
import { archiveLimits } from './format.ts'
import type { Job } from './jobs.ts'
import type { Reconciliation } from './manifest.ts'
import type { ArchiveParts } from './ports.ts'
import type { Review } from './review.ts'
import type { VerifyResult } from './verify.ts'

/** What an archive holds, once every rule of a restore has passed (SPEC 4.4). Sizes in bytes. */
export interface InspectReport {
  /** The archive's format. */
  readonly version: number
  readonly appVersion: string
  readonly schemaVersion: number
  readonly createdAt: string
  readonly uploadCount: number
  /** Paths of the uploads in the archive. */
  readonly uploads: readonly string[]
  readonly archiveBytes: number
  readonly databaseBytes: number
  readonly uploadsBytes: number
  /** Whether a restore needs the passphrase. */
  readonly holdsKeyfile: boolean
  readonly missingFiles: Reconciliation['missing']
  /** Null when the schema has no such table. */
  readonly campaigns: number | null
  readonly users: number | null
  /** The schema that a restore would bring the database to. */
  readonly restoresToSchema: number
  /** Accounts in it that can administer the server. */
  readonly administrators: readonly string[]
  /** Personal tokens in it that would work after a restore; at most 200, `tokenCount` counts them all. */
  readonly tokens: Review['tokens']
  readonly tokenCount: number
  /** What whoever restores it should know first: nobody who administers, rows that should not be. */
  readonly warnings: readonly string[]
  /** False when another program packed the archive again: its content is as recorded all the same. */
  readonly sealed: boolean
}

/** Judges an archive without changing anything; a restore of the same file would pass the same rules. */
export async function verifyFile(parts: ArchiveParts, archivePath: string, job: Job): Promise<VerifyResult> {
  const scratchDir = await makeStaging(parts)
  try {
    return await parts.workers.runTask(
      'archive.verify',
      {
        archivePath,
        scratchDir,
        unpack: false,
        passphrase: null,
        migrations: parts.migrations,
        now: parts.clock().toISOString(),
        limits: archiveLimits,
      },
      { signal: job.signal, onProgress: job.progress },
    )
  } finally {
    await discardStaging(parts, scratchDir)
  }
}

export function reportOn({ manifest, archiveBytes, database, sealed }: VerifyResult): InspectReport {
  return {
    version: manifest.version,
    appVersion: manifest.appVersion,
    schemaVersion: manifest.schemaVersion,
    createdAt: manifest.createdAt,
    uploadCount: manifest.uploadCount,
    uploads: manifest.uploads.map((upload) => upload.path),
    archiveBytes,
    databaseBytes: manifest.database.size,
    uploadsBytes: manifest.uploads.reduce((sum, upload) => sum + upload.size, 0),
    holdsKeyfile: manifest.keyfile !== undefined,
    missingFiles: manifest.reconciliation.missing,
    campaigns: database.campaigns,
    users: database.users,
    restoresToSchema: database.schemaVersion,
    administrators: database.review.administrators,
    tokens: database.review.tokens,
    tokenCount: database.review.tokenCount,
    warnings: database.review.warnings,
    sealed,
  }
}
