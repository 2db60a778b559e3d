/** The only archive format there is (SPEC 2.3, 9). It grows when the layout changes, not with the database's schema. */
export const formatVersion = 3

export const entryNames = {
  manifest: 'manifest.json',
  database: 'talekeeper.db',
  /** The AI keyfile in its encrypted envelope. */
  keyfile: 'ai-config.key.enc',
} as const

/** The AI keyfile in the data folder. */
export const keyfileName = 'ai-config.key'

/** Entries of uploaded files: this, then the file key of the `attachments` row. */
export const uploadPrefix = 'uploads/'

/** A file key: the first two hex digits of the file's SHA-256, then all of it, then the kind of file. */
const fileKeyPattern = /^([0-9a-f]{2})\/(\1[0-9a-f]{62})\.([a-z0-9]{1,8})$/

/** The SHA-256 that a file key promises, or undefined when it is not a file key. */
export function hashOfFileKey(fileKey: string): string | undefined {
  return fileKeyPattern.exec(fileKey)?.[2]
}

export interface ArchiveLimits {
  readonly archiveBytes: number
  readonly entryBytes: number
  readonly totalBytes: number
  readonly entries: number
  readonly manifestBytes: number
}

const mebibyte = 1024 * 1024

/** SPEC 8.1. Fixed: no setting changes them; tests pass smaller ones. The manifest's bound is ours. */
export const archiveLimits: ArchiveLimits = {
  archiveBytes: 1024 * mebibyte,
  entryBytes: 512 * mebibyte,
  totalBytes: 4096 * mebibyte,
  entries: 100_000,
  // 100,000 records of about 190 bytes, and room.
  manifestBytes: 32 * mebibyte,
}

/** SPEC 8.1, in characters. */
export const shortestPassphrase = 12

/** `20261121T093000Z`, for file names. */
export function stampOf(time: Date): string {
  return time.toISOString().replaceAll(/[-:]|\.\d+/g, '')
}
