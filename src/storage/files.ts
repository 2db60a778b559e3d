import fs from 'node:fs/promises'
import path from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'

export interface FileFacts {
  readonly kind: 'file' | 'directory' | 'link' | 'other'
  readonly bytes: number
  /** In milliseconds since 1970. */
  readonly modifiedAt: number
  /** When anything about it changed, its bytes or its name; no program sets this one. */
  readonly changedAt: number
  /** Two paths with the same number are on one file system: a rename or hard link between them works. */
  readonly device: number
}

export interface Space {
  /** As in FileFacts. */
  readonly device: number
  /** Bytes that this process may still write. */
  readonly freeBytes: number
}

export interface DirectoryItem {
  readonly name: string
  readonly kind: FileFacts['kind']
}

export interface FileWriter {
  write(chunk: Uint8Array): Promise<void>
  /** Forces what was written onto the disk. */
  sync(): Promise<void>
  close(): Promise<void>
}

/**
 * What the program does to files, as a port: tests pass one whose N-th operation fails. `stat` and `list` tell what a
 * path itself is, and follow no link.
 * Every member rejects with Node's own error (`code` is `ENOSPC`, `EXDEV`, …).
 */
export interface Files {
  /** Facts about the path itself; undefined when there is nothing. */
  stat(file: string): Promise<FileFacts | undefined>
  /** What is in a folder, sorted by name; nothing for a folder that does not exist. */
  list(folder: string): Promise<readonly DirectoryItem[]>
  /** With its parents, readable by the owner only. */
  makeDir(folder: string): Promise<void>
  rename(from: string, to: string): Promise<void>
  link(from: string, to: string): Promise<void>
  /** A new empty file, 0600; it must not exist. */
  create(file: string): Promise<FileWriter>
  read(file: string): Promise<Buffer>
  /** Open when this resolves; closes itself at its end or when destroyed. */
  readStream(file: string): Promise<Readable>
  /** A file's bytes, piece by piece. Each is good until the next one is asked for: they share their memory. */
  chunks(file: string): AsyncIterable<Buffer>
  /** Removes a file; none is fine. */
  remove(file: string): Promise<void>
  /** Removes a folder with all in it; none is fine. */
  removeTree(folder: string): Promise<void>
  /** Forces a file's bytes onto the disk. */
  sync(file: string): Promise<void>
  /** Forces onto the disk which names a folder holds: without it a rename may be lost in a power cut. */
  syncDir(folder: string): Promise<void>
  /** About the file system that a folder is on; here links are followed. */
  space(folder: string): Promise<Space>
}

const readChunkBytes = 1024 * 1024
const chunkBytes = 256 * 1024

const unsupported: ReadonlySet<string | undefined> = new Set(['EINVAL', 'ENOTSUP'])

/** The port on the real file system. */
export function createFiles(platform: NodeJS.Platform = process.platform): Files {
  return {
    async stat(file) {
      const facts = await absentIsUndefined(fs.lstat(file))
      if (facts === undefined) return undefined
      return {
        kind: kindOf(facts),
        bytes: facts.size,
        modifiedAt: facts.mtimeMs,
        changedAt: facts.ctimeMs,
        device: facts.dev,
      }
    },
    async list(folder) {
      const items = (await absentIsUndefined(fs.readdir(folder, { withFileTypes: true }))) ?? []
      return items
        .map((item) => ({ name: item.name, kind: kindOf(item) }))
        .sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
    },
    async makeDir(folder) {
      await fs.mkdir(folder, { recursive: true, mode: 0o700 })
    },
    rename: (from, to) => (platform === 'win32' ? renameOnWindows(from, to) : fs.rename(from, to)),
    link: (from, to) => fs.link(from, to),
    create: createFile,
    read: (file) => fs.readFile(file),
    readStream: openStream,
    chunks,
    remove: (file) => fs.rm(file, { force: true }),
    removeTree: (folder) => fs.rm(folder, { recursive: true, force: true, maxRetries: 5 }),
    async sync(file) {
      // Windows flushes only what is open for writing.
      const handle = await fs.open(file, platform === 'win32' ? 'r+' : 'r')
      try {
        await handle.sync()
      } finally {
        await handle.close()
      }
    },
    async syncDir(folder) {
      // Windows neither needs nor allows it: NTFS journals its folders.
      if (platform === 'win32') return
      const handle = await fs.open(folder, 'r')
      try {
        await handle.sync()
      } catch (error) {
        // Some network file systems know no such thing for folders; there is nothing more to be had from them.
        if (!unsupported.has(fileErrorCode(error))) throw error
      } finally {
        await handle.close()
      }
    },
    async space(folder) {
      const { bavail, bsize } = await fs.statfs(folder)
      return { device: (await fs.stat(folder)).dev, freeBytes: bavail * bsize }
    },
  }
}

/**
 * The same files, but that `makeDir` does not begin `root` anew once it is gone: what is written below it then would be
 * lost to whoever moves the folder back.
 */
export function keepingRoot(files: Files, root: string): Files {
  return {
    ...files,
    async makeDir(folder) {
      const isBelow = folder.startsWith(root + path.sep)
      if (isBelow && (await files.stat(root)) === undefined)
        throw Object.assign(new Error(`ENOENT: the data folder is gone, mkdir '${folder}'`), { code: 'ENOENT' })
      await files.makeDir(folder)
    },
  }
}

/** Replaces a file in one step: after a crash at any instant it holds the old bytes or the new ones, whole. */
export async function writeFileAtomic(files: Files, file: string, content: Uint8Array | string): Promise<void> {
  const temporary = temporaryOf(file)
  await files.remove(temporary)
  try {
    const writer = await files.create(temporary)
    try {
      await writer.write(typeof content === 'string' ? Buffer.from(content) : content)
      await writer.sync()
    } finally {
      await writer.close()
    }
    await files.rename(temporary, file)
  } catch (error) {
    await files.remove(temporary).catch(() => {})
    throw error
  }
  await files.syncDir(path.dirname(file))
}

/** Where writeFileAtomic writes before it renames. After a crash it may be left. */
export function temporaryOf(file: string): string {
  return `${file}.new`
}

/** Renames and makes it last: both folders are on the disk when this resolves. */
export async function moveDurably(files: Files, from: string, to: string): Promise<void> {
  await files.rename(from, to)
  await files.syncDir(path.dirname(to))
  await files.syncDir(path.dirname(from))
}

/** Room on the disk that a folder is, or will be, on, in bytes; null where the system does not tell. */
export async function freeBytesAt(folder: string, files: Pick<Files, 'space'>): Promise<number | null> {
  for (let each = folder; ; each = path.dirname(each)) {
    const space = await files.space(each).catch(() => null)
    if (space !== null) return space.freeBytes
    if (each === path.dirname(each)) return null
  }
}

/** The code of a Node file error, such as `ENOENT`. */
export function fileErrorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

/** Small files are read at once: a stream on a descriptor costs ten times as much as the bytes of a thumbnail. */
async function openStream(file: string): Promise<Readable> {
  const handle = await fs.open(file, 'r')
  try {
    const { size } = await handle.stat()
    if (size > readChunkBytes) return handle.createReadStream({ highWaterMark: readChunkBytes })
    const bytes = await handle.readFile()
    await handle.close()
    return Readable.from(bytes.length === 0 ? [] : [bytes], { objectMode: false })
  } catch (error) {
    await handle.close()
    throw error
  }
}

async function* chunks(file: string): AsyncGenerator<Buffer> {
  const handle = await fs.open(file, 'r')
  try {
    const { size } = await handle.stat()
    const buffer = Buffer.allocUnsafeSlow(Math.max(1, Math.min(size, chunkBytes)))
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, buffer.length)
      if (bytesRead === 0) return
      yield buffer.subarray(0, bytesRead)
    }
  } finally {
    await handle.close()
  }
}

async function createFile(file: string): Promise<FileWriter> {
  const handle = await fs.open(file, 'wx', 0o600)
  let open = true
  return {
    async write(chunk) {
      let written = 0
      while (written < chunk.length) {
        const { bytesWritten } = await handle.write(chunk, written, chunk.length - written)
        written += bytesWritten
      }
    },
    sync: () => handle.sync(),
    async close() {
      if (!open) return
      open = false
      await handle.close()
    },
  }
}

/** Virus scanners and indexers hold files open for moments, and Windows renames nothing that is open. */
async function renameOnWindows(from: string, to: string): Promise<void> {
  const retried = new Set(['EPERM', 'EACCES', 'EBUSY'])
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await fs.rename(from, to)
    } catch (error) {
      if (attempt === 8 || !retried.has(fileErrorCode(error) ?? '')) throw error
      await delay(10 * 2 ** attempt)
    }
  }
}

async function absentIsUndefined<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work
  } catch (error) {
    if (fileErrorCode(error) === 'ENOENT') return undefined
    throw error
  }
}

interface Kinds {
  isFile(): boolean
  isDirectory(): boolean
  isSymbolicLink(): boolean
}

function kindOf(item: Kinds): FileFacts['kind'] {
  if (item.isFile()) return 'file'
  if (item.isDirectory()) return 'directory'
  return item.isSymbolicLink() ? 'link' : 'other'
}

/** Whether another process of this number runs, as the name of a file that it left says. Our own left nothing behind yet: in a container it is always 1. */
export function isRunning(processId: number): boolean {
  if (processId === process.pid) return false
  try {
    process.kill(processId, 0)
    return true
  } catch (error) {
    return fileErrorCode(error) === 'EPERM'
  }
}
