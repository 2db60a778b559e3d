import { createHash } from 'node:crypto'
import { fail } from '../kernel/errors.ts'

// The manifest has a SHA-256 of every file's content; that leaves the rest of the zip open: headers, times, attributes,
// the padding bits of packed data, the manifest itself. So the comment at the end of an archive holds the SHA-256 of all
// bytes before that hash which are not the content of a stored entry, and no flipped bit goes unnoticed.

const label = 'talekeeper-sha256:'
const hashLength = 64

/** Length of the comment that ends a sealed archive. */
export const trailerLength = label.length + hashLength

export interface Seal {
  /** Takes the next bytes that are not the content of a stored entry. */
  update(bytes: Uint8Array): void
  /** The comment, once everything before it was taken. */
  trailer(): Buffer
}

export function createSeal(): Seal {
  const hash = createHash('sha256')
  return {
    update: (bytes) => hash.update(bytes),
    trailer: () => Buffer.from(label + hash.update(label).digest('hex')),
  }
}

/** The hash at the end of an archive; undefined when another program packed it, so that the comment is empty. */
export function trailerHash(comment: string): string | undefined {
  if (comment === '') return undefined
  const hash = comment.slice(label.length)
  if (!comment.startsWith(label) || !/^[0-9a-f]{64}$/.test(hash)) {
    throw fail('archive_invalid', 'The end of the archive is damaged.')
  }
  return hash
}

/** Refuses an archive that is not the one that was sealed. `bytes` are all before the hash, but stored content. */
export async function checkSeal(bytes: AsyncIterable<Uint8Array>, expected: string): Promise<void> {
  const hash = createHash('sha256')
  for await (const chunk of bytes) hash.update(chunk)
  if (hash.digest('hex') !== expected) {
    throw fail('archive_checksum_mismatch', 'The archive is damaged: its bytes are not those that were written.')
  }
}

/** How many bytes of a sealed archive stand before its hash. */
export function sealedLength(archiveBytes: number): number {
  return archiveBytes - hashLength
}
