import * as z from 'zod'
import { fail } from '../kernel/errors.ts'
import { formatVersion } from './format.ts'

const bytes = z.int().min(0)
const sha256 = z.string().regex(/^[0-9a-f]{64}$/)
const stored = z.strictObject({ path: z.string().min(1).max(255), size: bytes, sha256 })

const missingFile = z.strictObject({
  attachmentId: z.int().positive(),
  fileKey: z.string().min(1).max(255),
  /** `absent`: no such file; `damaged`: its bytes were not those of its name, so they were left out. */
  reason: z.enum(['absent', 'damaged']),
})

const reconciliation = z.strictObject({
  clean: z.literal(true),
  missing: z.array(missingFile),
  /** File keys on the disk that no row names, so that they were left out; at most `orphansNamed` of them. */
  orphans: z.array(z.string().max(255)),
  orphanCount: z.int().min(0),
})

/** How many orphans a manifest names; `orphanCount` counts them all. */
export const orphansNamed = 1000

const semver = /^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?$/

const manifestSchema = z.strictObject({
  version: z.literal(formatVersion),
  appVersion: z.string().max(100).regex(semver),
  schemaVersion: z.int().min(1),
  createdAt: z.iso.datetime(),
  /** Higher than that of every earlier backup of this server, whatever its clock said. */
  sequence: z.int().min(1).optional(),
  uploadCount: z.int().min(0),
  uploads: z.array(stored),
  database: stored,
  keyfile: stored.optional(),
  reconciliation,
})

/** `manifest.json` (SPEC 2.3). Sizes in bytes. */
export type Manifest = z.output<typeof manifestSchema>
export type StoredFile = z.output<typeof stored>
export type MissingFile = z.output<typeof missingFile>
export type Reconciliation = z.output<typeof reconciliation>

/**
 * Reads a manifest. The rules that have a code of their own are judged first and each by itself (SPEC 7), so that the
 * caller learns what is wrong and not only that something is.
 * @throws archive_invalid, archive_format_unsupported, archive_not_clean, archive_count_mismatch
 */
export function parseManifest(text: string): Manifest {
  const value = parseJson(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw fail('archive_invalid', 'manifest.json is not a JSON object.')
  }
  const loose: Readonly<Record<string, unknown>> = { ...value }
  if (loose.version !== formatVersion) throw fail('archive_format_unsupported', unsupported(loose.version))
  if (!reconciliation.safeParse(loose.reconciliation).success) {
    throw fail('archive_not_clean', 'The reconciliation record of the backup is absent or not clean.')
  }
  if (Array.isArray(loose.uploads) && !loose.uploads.every(hasChecksum)) {
    throw fail('archive_not_clean', 'The backup does not record a size and SHA-256 for every upload.')
  }
  const parsed = manifestSchema.safeParse(value)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    const where = issue === undefined || issue.path.length === 0 ? 'it' : issue.path.join('.')
    throw fail('archive_invalid', `manifest.json is not valid: ${where}: ${issue?.message ?? 'unknown'}`)
  }
  const { uploads, uploadCount } = parsed.data
  if (uploads.length !== uploadCount) {
    throw fail('archive_count_mismatch', `The manifest counts ${uploadCount} uploads and lists ${uploads.length}.`)
  }
  return parsed.data
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw fail('archive_invalid', 'manifest.json is not JSON.', { cause })
  }
}

function hasChecksum(record: unknown): boolean {
  return stored.pick({ size: true, sha256: true }).loose().safeParse(record).success
}

function unsupported(version: unknown): string {
  const shown = version === undefined ? 'names no format' : `has format ${JSON.stringify(version)?.slice(0, 40)}`
  return `This backup ${shown}; only format ${formatVersion} can be restored. Take a fresh backup with the version that made it, after upgrading that.`
}
