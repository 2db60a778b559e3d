import { createHash } from 'node:crypto'
import path from 'node:path'
import type { Writable } from 'node:stream'
import { crc32, createDeflateRaw } from 'node:zlib'
import { type Files, fileErrorCode } from '../storage/files.ts'
import { throwIfCancelled } from './jobs.ts'

export interface Hashed {
  readonly bytes: number
  readonly sha256: string
  /** What a zip records. */
  readonly crc32: number
}

/** Codes of file systems that have no hard links, or not between these two places. */
const linkRefused = new Set(['EXDEV', 'EPERM', 'EACCES', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EINVAL'])

/**
 * Puts an immutable copy of an uploaded file aside and hashes it (SPEC 8.3.7). Undefined when there is no such file.
 *
 * A hard link does as a copy where the file system has them: uploads are named after their bytes and never rewritten, a
 * deletion only takes the other name away, and the finished archive is verified, so that even bytes changed by hand
 * would be found. It costs no disk; the preflight reserves the full copy all the same (SPEC 8.3.3).
 */
export async function stageUpload(
  files: Files,
  source: string,
  target: string,
  signal: AbortSignal,
): Promise<Hashed | undefined> {
  const facts = await files.stat(source)
  if (facts?.kind !== 'file') return undefined
  try {
    await files.link(source, target)
  } catch (error) {
    const code = fileErrorCode(error)
    if (code === 'ENOENT') return undefined
    if (code === undefined || !linkRefused.has(code)) throw error
    return await copyHashed(files, source, target, signal)
  }
  return await hashFile(files, target, signal)
}

export async function hashFile(files: Files, file: string, signal: AbortSignal): Promise<Hashed> {
  const meter = createMeter()
  for await (const chunk of files.chunks(file)) {
    throwIfCancelled(signal)
    meter.update(chunk)
  }
  return meter.result()
}

export interface Packed extends Hashed {
  readonly packedBytes: number
}

/** The fastest level: the higher ones take several times as long for a tenth less. */
const deflateLevel = 1

/** Deflates a file into a new one, hashing what goes in. Zlib works on a thread of its own meanwhile. */
export async function deflateFile(files: Files, source: string, target: string, signal: AbortSignal): Promise<Packed> {
  const meter = createMeter()
  const deflate = createDeflateRaw({ level: deflateLevel, chunkSize: 256 * 1024 })
  const feed = async (): Promise<void> => {
    try {
      for await (const chunk of files.chunks(source)) {
        throwIfCancelled(signal)
        meter.update(chunk)
        await written(deflate, chunk)
      }
      deflate.end()
    } catch (error) {
      deflate.destroy(error as Error)
    }
  }
  let packedBytes = 0
  const writer = await files.create(target)
  const feeding = feed()
  try {
    for await (const chunk of deflate as AsyncIterable<Buffer>) {
      await writer.write(chunk)
      packedBytes += chunk.length
    }
  } finally {
    deflate.destroy()
    await feeding
    await writer.close()
  }
  return { ...meter.result(), packedBytes }
}

/** Resolves when the stream is done with the bytes, so that their memory may change. */
function written(stream: Writable, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(bytes, (error) => (error ? reject(error) : resolve()))
  })
}

async function copyHashed(files: Files, source: string, target: string, signal: AbortSignal): Promise<Hashed> {
  const meter = createMeter()
  const writer = await files.create(target)
  try {
    for await (const chunk of files.chunks(source)) {
      throwIfCancelled(signal)
      meter.update(chunk)
      await writer.write(chunk)
    }
  } finally {
    await writer.close()
  }
  return meter.result()
}

function createMeter() {
  const hash = createHash('sha256')
  let sum = 0
  let bytes = 0
  return {
    update(chunk: Uint8Array): void {
      hash.update(chunk)
      sum = crc32(chunk, sum)
      bytes += chunk.length
    },
    result: (): Hashed => ({ bytes, sha256: hash.digest('hex'), crc32: sum }),
  }
}

/**
 * Does `work` for every item, a few at a time: with small files most of the time goes by in waiting. After a failure it
 * begins no more, and throws when those that run have ended.
 */
export async function inParallel<T>(items: Iterable<T>, work: (item: T) => Promise<void>): Promise<void> {
  const iterator = items[Symbol.iterator]()
  const failures: unknown[] = []
  const worker = async (): Promise<void> => {
    for (let next = iterator.next(); next.done !== true && failures.length === 0; next = iterator.next()) {
      await work(next.value).catch((error) => failures.push(error))
    }
  }
  await Promise.all(Array.from({ length: parallel }, worker))
  if (failures.length > 0) throw failures[0]
}

const parallel = 6

/** File keys (`ab/<hash>.png`) of all files in the uploads folder, sorted. */
export async function storedFileKeys(files: Files, uploadsDir: string): Promise<readonly string[]> {
  const keys: string[] = []
  for (const folder of await files.list(uploadsDir)) {
    if (folder.kind !== 'directory') continue
    for (const item of await files.list(path.join(uploadsDir, folder.name))) {
      if (item.kind === 'file') keys.push(`${folder.name}/${item.name}`)
    }
  }
  return keys
}
