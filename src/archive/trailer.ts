import { createHash } from 'node:crypto'
import { fail } from '../kernel/errors.ts'

// Checksums of entries leave the rest of a zip open: times, attributes, padding bits of compressed data. So the comment
// at its end holds the SHA-256 of all bytes before that hash, and no flipped bit goes unnoticed.

const label = 'talekeeper-sha256:'
const hashLength = 64

/** What the zip is ended with; `seal` puts the hash in. */
export const emptyTrailer = label + '0'.repeat(hashLength)

/** The hash at the end of an archive; undefined when another program packed it, so that the comment is empty. */
export function trailerHash(comment: string): string | undefined {
  if (comment === '') return undefined
  const hash = comment.slice(label.length)
  if (!comment.startsWith(label) || !/^[0-9a-f]{64}$/.test(hash)) {
    throw fail('archive_invalid', 'The end of the archive is damaged.')
  }
  return hash
}

/** Hashes a zip that ends in `emptyTrailer` while it passes, and replaces the end by the hash. */
export async function* seal(zip: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256')
  // The last bytes seen so far: they may be the hash's place.
  let held: Uint8Array = new Uint8Array(0)
  for await (const chunk of zip) {
    const [before, kept] =
      chunk.length >= hashLength ? [held, chunk] : [new Uint8Array(0), Buffer.concat([held, chunk])]
    const passed = kept.subarray(0, Math.max(0, kept.length - hashLength))
    hash.update(before).update(passed)
    // A copy: the chunk's memory may be used again.
    const rest = Uint8Array.from(kept.subarray(passed.length))
    if (before.length > 0) yield before
    if (passed.length > 0) yield passed
    held = rest
  }
  yield Buffer.from(hash.digest('hex'))
}

/** Refuses an archive whose bytes are not those that were sealed. `bytes` is all of the file. */
export async function checkSeal(bytes: AsyncIterable<Uint8Array>, total: number, expected: string): Promise<void> {
  const hash = createHash('sha256')
  let left = total - hashLength
  for await (const chunk of bytes) {
    if (left > 0) hash.update(chunk.length > left ? chunk.subarray(0, left) : chunk)
    left -= chunk.length
  }
  if (hash.digest('hex') !== expected) {
    throw fail('archive_checksum_mismatch', 'The archive is damaged: its bytes are not those that were written.')
  }
}
