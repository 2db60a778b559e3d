import { createHash } from 'node:crypto'
import path from 'node:path'
import { type Files, fileErrorCode } from '../storage/files.ts'
import { throwIfCancelled } from './lane.ts'

export interface Hashed {
  readonly bytes: number
  readonly sha256: string
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
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of (await files.readStream(file)) as AsyncIterable<Buffer>) {
    throwIfCancelled(signal)
    hash.update(chunk)
    bytes += chunk.length
  }
  return { bytes, sha256: hash.digest('hex') }
}

async function copyHashed(files: Files, source: string, target: string, signal: AbortSignal): Promise<Hashed> {
  const hash = createHash('sha256')
  let bytes = 0
  const writer = await files.create(target)
  try {
    for await (const chunk of (await files.readStream(source)) as AsyncIterable<Buffer>) {
      throwIfCancelled(signal)
      hash.update(chunk)
      await writer.write(chunk)
      bytes += chunk.length
    }
  } finally {
    await writer.close()
  }
  return { bytes, sha256: hash.digest('hex') }
}

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
