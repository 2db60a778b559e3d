import type { Readable } from 'node:stream'
import { ZipFile } from 'yazl'
import { fail } from '../kernel/errors.ts'
import type { Files } from '../storage/files.ts'
import { throwIfCancelled } from './lane.ts'
import { emptyTrailer, seal } from './trailer.ts'

export interface ZipPart {
  readonly name: string
  readonly bytes: number
  /** Images are packed already; a database shrinks to about a third. */
  readonly deflate: boolean
  open(): Promise<Readable>
}

export interface ZipSettings {
  readonly files: Files
  /** Must not exist. What was written stays when this throws: the caller removes it. */
  readonly target: string
  readonly parts: readonly ZipPart[]
  readonly modifiedAt: Date
  /** The most bytes that the file may have. */
  readonly most: number
  readonly signal: AbortSignal
  onBytes(written: number): void
}

const blockBytes = 1024 * 1024
/** The fastest level: the higher ones take several times as long for a tenth less. */
const deflateLevel = 1

/**
 * Writes and seals an archive, and forces it onto the disk. Returns its size in bytes.
 * Throws `archive_too_large`, `cancelled`, or what reading and writing throw.
 */
export async function writeZip(settings: ZipSettings): Promise<number> {
  const { files, target, parts, modifiedAt, most, signal, onBytes } = settings
  const writer = await files.create(target)
  const zip = new ZipFile()
  // A ReadableStream in yazl's types; a PassThrough in fact.
  const output = zip.outputStream as Readable
  let reading: Readable | undefined
  const stop = (error: Error): void => {
    reading?.destroy()
    output.destroy(error)
  }
  const onAbort = (): void => stop(fail('cancelled'))
  zip.on('error', stop)
  // The loop below sees its errors; afterwards nobody does, and an error that nobody hears ends the process.
  output.on('error', () => {})
  signal.addEventListener('abort', onAbort, { once: true })
  for (const part of parts) {
    const options = {
      mtime: modifiedAt,
      mode: 0o100600,
      size: part.bytes,
      compressionLevel: part.deflate ? deflateLevel : 0,
      forceDosTimestamp: true,
    }
    zip.addReadStreamLazy(part.name, options, (callback) => {
      part.open().then((stream) => {
        reading = stream
        // yazl does not listen for errors of the streams it reads.
        stream.on('error', stop)
        if (output.destroyed) stream.destroy()
        else callback(null, stream)
      }, stop)
    })
  }
  zip.end({ comment: emptyTrailer, forceZip64Format: false })

  let written = 0
  try {
    throwIfCancelled(signal)
    for await (const block of blocks(seal(output))) {
      written += block.length
      if (written > most) {
        throw fail(
          'archive_too_large',
          `The backup would be larger than ${Math.floor(most / blockBytes)} MiB, which no restore accepts.`,
        )
      }
      await writer.write(block)
      onBytes(written)
    }
    await writer.sync()
    return written
  } finally {
    signal.removeEventListener('abort', onAbort)
    stop(new Error('The archive is no longer written.'))
    await writer.close()
  }
}

/** Joins small pieces, of which a zip has three for each entry, to blocks of about a mebibyte. */
async function* blocks(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let waiting: Uint8Array[] = []
  let bytes = 0
  for await (const piece of pieces) {
    waiting.push(piece)
    bytes += piece.length
    if (bytes < blockBytes) continue
    yield waiting.length === 1 ? piece : Buffer.concat(waiting, bytes)
    waiting = []
    bytes = 0
  }
  if (bytes > 0) yield Buffer.concat(waiting, bytes)
}
