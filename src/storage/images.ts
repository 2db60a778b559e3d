import { createHash } from 'node:crypto'
import path from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type { ImageFile, ImageSource } from '../kernel/context.ts'
import { Failure, fail } from '../kernel/errors.ts'
import { limits } from '../kernel/limits.ts'
import { createQueue } from '../kernel/queue.ts'
import { type Files, fileErrorCode, isRunning } from './files.ts'
import { drawHere, formats, type ImageDrawing, type SmallerSize } from './images-drawn.ts'
import { stripped } from './images-stripped.ts'
import { createSharedRoom, inPieces, pieceBytes } from './shared-bytes.ts'

/** By the name that the file got when its bytes were looked at: what a row says can come from a restored database. */
function mimeTypeOf(fileKey: string): string {
  const extension = path.extname(fileKey).slice(1)
  return Object.values(formats).find((format) => format.extension === extension)?.mimeType ?? 'application/octet-stream'
}

export type ImageSize = 'original' | SmallerSize | 'clean'

interface ImageKey {
  readonly fileKey: string
  readonly sha256: string
}

/** The bytes of an image without its metadata, in pieces; `missing` where its file is gone, `unclean` where they cannot be told apart. */
export type CleanImage = readonly Uint8Array[] | 'missing' | 'unclean'

export interface Images {
  /**
   * Checks an image and keeps it. A source is read when its turn has come, so that of many uploads only one is in memory.
   * `onNew` hears of a file that was not there yet, before anything of it is.
   */
  keep(image: Uint8Array | ImageSource, onNew?: (fileKey: string) => void): Promise<ImageFile>
  /**
   * Where the bytes of a size lie; smaller and cleaned copies are made when first asked for. Throws `not_found` where the
   * original is gone, and `unavailable` where it cannot be cleaned.
   */
  find(image: ImageKey, size: ImageSize): Promise<{ readonly path: string; readonly mimeType: string }>
  /**
   * An image without what its file tells of people, places and programs: its pixels untouched wherever they look the same
   * without it, else drawn anew. Nothing of it is kept. The whole of it is in memory.
   */
  clean(image: ImageKey): Promise<CleanImage>
  /** What `clean` will make of it, with nothing drawn where that can be told. What was found clean once is not looked at again. */
  judge(image: ImageKey): Promise<'clean' | Extract<CleanImage, string>>
  /** At start: removes what a process that was killed had not finished writing. */
  sweep(): Promise<void>
}

export interface ImageFolders {
  readonly uploads: string
  /** Copies that can be made again; not in backups. */
  readonly cache: string
}

/** Images on disk: originals under their own SHA-256, copies in a cache. */
export function createImages(
  files: Files,
  folders: ImageFolders,
  mostBytes: number | null = null,
  drawing: ImageDrawing = drawHere(),
): Images {
  const working = new Map<string, Promise<void>>()
  /** By their hashes, which say what they are for ever. */
  const foundClean = new Set<string>()
  // A decoded image takes up to 160 MB: one at a time, for uploads and for copies alike.
  const decoding = createQueue(1, 200)
  const room = createSharedRoom()

  const smaller = (original: string, size: SmallerSize): Promise<Uint8Array> =>
    decoding(async () => {
      const source = { size: (await files.stat(original))?.bytes ?? 0, pieces: files.chunks(original) }
      return room.gathering(source, (bytes) => drawing.shrink(bytes, size))
    })
  const readOriginal = async ({ fileKey }: ImageKey): Promise<Buffer | null> => {
    try {
      return await files.read(path.join(folders.uploads, fileKey))
    } catch (error) {
      if (fileErrorCode(error) === 'ENOENT') return null
      throw error
    }
  }
  const clean = async (image: ImageKey): Promise<CleanImage> => {
    const original = await readOriginal(image)
    if (original === null) return 'missing'
    const extension = path.extname(image.fileKey).slice(1)
    const known = stripped(original, extension)
    if (known !== null && known !== 'redraw') return known.pieces
    const redrawn = await decoding(() =>
      room.gathering(inPieces(original), (bytes) => drawing.redraw(bytes, extension)),
    ).catch((error: unknown) => {
      if (error instanceof Failure) throw error
      return null
    })
    const judged =
      redrawn === null ? null : stripped(Buffer.from(redrawn.buffer, redrawn.byteOffset, redrawn.byteLength), extension)
    return judged === null || judged === 'redraw' ? 'unclean' : judged.pieces
  }

  return {
    clean,
    async judge(image) {
      if (foundClean.has(image.sha256)) {
        const isThere = (await files.stat(path.join(folders.uploads, image.fileKey)))?.kind === 'file'
        return isThere ? 'clean' : 'missing'
      }
      const original = await readOriginal(image)
      if (original === null) return 'missing'
      // What only has to be drawn anew was drawn when it was kept.
      if (stripped(original, path.extname(image.fileKey).slice(1)) === null) {
        const made = await clean(image)
        if (typeof made === 'string') return made
      }
      foundClean.add(image.sha256)
      return 'clean'
    },
    keep: (image, onNew) =>
      decoding(() => {
        const source = image instanceof Uint8Array ? inPieces(image) : image
        return room.gathering(bounded(source), async (bytes) => {
          const { format, width, height } = await drawing.inspect(bytes)
          const sha256 = await hashOf(bytes)
          const fileKey = `${sha256.slice(0, 2)}/${sha256}.${format.extension}`
          if (mostBytes !== null) await refuseAboveQuota(files, folders.uploads, fileKey, bytes.byteLength, mostBytes)
          if (onNew !== undefined && (await files.stat(path.join(folders.uploads, fileKey))) === undefined)
            onNew(fileKey)
          await writeOnce(files, folders.uploads, fileKey, bytes)
          return { fileKey, sha256, byteSize: bytes.byteLength, mimeType: format.mimeType, width, height }
        })
      }),
    async find({ fileKey, sha256 }, size) {
      const mimeType = mimeTypeOf(fileKey)
      const original = path.join(folders.uploads, fileKey)
      if ((await files.stat(original))?.kind !== 'file')
        throw fail('not_found', 'The file of this image is missing on the server.')
      if (size === 'original') return { path: original, mimeType }
      const name = `${sha256}-${size}${size === 'clean' ? path.extname(fileKey) : '.webp'}`
      const copy = path.join(folders.cache, name)
      if ((await files.stat(copy)) === undefined) {
        const job =
          working.get(copy) ??
          (size === 'clean' ? clean({ fileKey, sha256 }).then(wholeOf) : smaller(original, size))
            .then((bytes) => writeOnce(files, folders.cache, name, bytes))
            .finally(() => working.delete(copy))
        working.set(copy, job)
        await job
      }
      return { path: copy, mimeType: size === 'clean' ? mimeType : 'image/webp' }
    },
    async sweep() {
      for (const root of [folders.uploads, folders.cache]) {
        const folder = path.join(root, incoming)
        for (const { name } of await files.list(folder)) {
          if (!isRunning(Number.parseInt(name, 10))) await files.remove(path.join(folder, name))
        }
      }
    },
  }
}

function bounded({ size, pieces }: ImageSource): ImageSource {
  const most = limits.uploadBytes
  return {
    size: Math.min(size, most),
    pieces: (async function* () {
      let length = 0
      for await (const piece of pieces) {
        length += piece.length
        if (length > most) throw fail('too_large', `An image may have at most ${inMiB(most)} MiB.`)
        yield piece
      }
    })(),
  }
}

/** A little at a time: the hash of a large image takes as long as many requests. */
async function hashOf(bytes: Uint8Array): Promise<string> {
  const hash = createHash('sha256')
  for (let at = 0; at < bytes.byteLength; at += pieceBytes) {
    hash.update(bytes.subarray(at, at + pieceBytes))
    await setImmediate()
  }
  return hash.digest('hex')
}

/** Counts what lies in the folder, and not what rows say: several rows may share a file, and trash keeps its own. */
async function refuseAboveQuota(
  files: Files,
  root: string,
  fileKey: string,
  byteSize: number,
  most: number,
): Promise<void> {
  if ((await files.stat(path.join(root, fileKey))) !== undefined) return
  let used = 0
  for (const folder of await files.list(root)) {
    for (const { name } of await files.list(path.join(root, folder.name)))
      used += (await files.stat(path.join(root, folder.name, name)))?.bytes ?? 0
  }
  if (used + byteSize <= most) return
  throw fail(
    'too_large',
    `The images of this server may take ${inMiB(most)} MiB, and take ${inMiB(used)} already. Delete some and empty the trash, or ask the administrator for more.`,
  )
}

const inMiB = (bytes: number): number => Math.round(bytes / 1024 / 1024)

/** Where files are written before they get their name: `<process>-<random>`, in the folder that they end in. */
const incoming = '.incoming'

/** Temporary file, fsync, rename: no crash leaves half a file under its final name. The same bytes are there already or not at all. */
export async function writeOnce(files: Files, root: string, name: string, bytes: Uint8Array): Promise<void> {
  const target = path.join(root, name)
  if ((await files.stat(target)) !== undefined) return
  const temporary = path.join(root, incoming, `${process.pid}-${Math.random().toString(36).slice(2)}`)
  const folder = path.dirname(target)
  const isNewFolder = (await files.stat(folder)) === undefined
  await files.makeDir(path.dirname(temporary))
  await files.makeDir(folder)
  if (isNewFolder) await files.syncDir(root)
  try {
    const writer = await files.create(temporary)
    try {
      await writer.write(bytes)
      await writer.sync()
    } finally {
      await writer.close()
    }
    await files.rename(temporary, target)
    await files.syncDir(folder)
  } catch (error) {
    await files.remove(temporary)
    throw error
  }
}

/** Throws `not_found` and `unavailable`. */
function wholeOf(image: CleanImage): Uint8Array {
  if (image === 'missing') throw fail('not_found', 'The file of this image is missing on the server.')
  if (image === 'unclean')
    throw fail(
      'unavailable',
      'What this image tells besides its pixels cannot be taken out of its file, so that it is not handed out. Its smaller sizes are.',
    )
  return Buffer.concat(image)
}
