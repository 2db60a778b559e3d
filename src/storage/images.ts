import { createHash } from 'node:crypto'
import path from 'node:path'
import { setImmediate } from 'node:timers/promises'
import type sharpModule from 'sharp'
import type { ImageFile } from '../kernel/context.ts'
import { Failure, fail, invalid } from '../kernel/errors.ts'
import { limits } from '../kernel/limits.ts'
import { createQueue } from '../kernel/queue.ts'
import { type Files, fileErrorCode, isRunning } from './files.ts'
import { stripped } from './images-stripped.ts'

/** Formats that are kept, by what the bytes say; the name that was sent is not asked. */
const formats: Readonly<Record<string, { readonly mimeType: string; readonly extension: string }>> = {
  png: { mimeType: 'image/png', extension: 'png' },
  jpeg: { mimeType: 'image/jpeg', extension: 'jpg' },
  webp: { mimeType: 'image/webp', extension: 'webp' },
  gif: { mimeType: 'image/gif', extension: 'gif' },
  heif: { mimeType: 'image/avif', extension: 'avif' },
}

/** By the name that the file got when its bytes were looked at: what a row says can come from a restored database. */
function mimeTypeOf(fileKey: string): string {
  const extension = path.extname(fileKey).slice(1)
  return Object.values(formats).find((format) => format.extension === extension)?.mimeType ?? 'application/octet-stream'
}

const hashedAtOnce = 1024 * 1024

/** Longest side in pixels of the smaller copies. */
const sizes = { thumb: 320, medium: 1280 } as const
export type ImageSize = 'original' | keyof typeof sizes | 'clean'

interface ImageKey {
  readonly fileKey: string
  readonly sha256: string
}

/** The bytes of an image without its metadata, in pieces; `missing` where its file is gone, `unclean` where they cannot be told apart. */
export type CleanImage = readonly Uint8Array[] | 'missing' | 'unclean'

export interface Images {
  /**
   * Checks an image and keeps it. A function is called when its turn has come, so that of many uploads only one is in memory.
   * `onNew` hears of a file that was not there yet, before anything of it is.
   */
  keep(bytes: Uint8Array | (() => Promise<Uint8Array>), onNew?: (fileKey: string) => void): Promise<ImageFile>
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

/** Images on disk: originals under their own SHA-256, copies in a cache. The only user of sharp, which is loaded on first use. */
export function createImages(files: Files, folders: ImageFolders, mostBytes: number | null = null): Images {
  let loaded: Promise<typeof sharpModule> | null = null
  const sharp = (): Promise<typeof sharpModule> => {
    loaded ??= import('sharp').then((module) => {
      // One image at a time on this machine's few cores, and no cache that holds decoded pixels of old ones.
      module.default.concurrency(1)
      module.default.cache(false)
      return module.default
    })
    return loaded
  }
  const working = new Map<string, Promise<void>>()
  /** By their hashes, which say what they are for ever. */
  const foundClean = new Set<string>()
  // A decoded image takes up to 160 MB: one at a time, for uploads and for copies alike.
  const decoding = createQueue(1, 200)

  const smaller = (original: string, size: keyof typeof sizes): Promise<Uint8Array> =>
    sharp().then((loaded) => decoding(() => makeCopy(loaded, files, original, size)))
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
    const redrawn = await sharp().then((loaded) =>
      decoding(() => redraw(loaded, original, extension)).catch((error: unknown) => {
        if (error instanceof Failure) throw error
        return null
      }),
    )
    const judged = redrawn === null ? null : stripped(redrawn, extension)
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
    keep: (given, onNew) =>
      decoding(async () => {
        const bytes = typeof given === 'function' ? await given() : given
        if (bytes.byteLength > limits.uploadBytes)
          throw fail('too_large', `An image may have at most ${limits.uploadBytes / 1024 / 1024} MiB.`)
        const { format, width, height } = await inspect(await sharp(), bytes)
        const sha256 = await hashOf(bytes)
        const fileKey = `${sha256.slice(0, 2)}/${sha256}.${format.extension}`
        if (mostBytes !== null) await refuseAboveQuota(files, folders.uploads, fileKey, bytes.byteLength, mostBytes)
        if (onNew !== undefined && (await files.stat(path.join(folders.uploads, fileKey))) === undefined) onNew(fileKey)
        await writeOnce(files, folders.uploads, fileKey, bytes)
        return { fileKey, sha256, byteSize: bytes.byteLength, mimeType: format.mimeType, width, height }
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

/** A little at a time: the hash of a large image takes as long as many requests. */
async function hashOf(bytes: Uint8Array): Promise<string> {
  const hash = createHash('sha256')
  for (let at = 0; at < bytes.byteLength; at += hashedAtOnce) {
    hash.update(bytes.subarray(at, at + hashedAtOnce))
    await setImmediate()
  }
  return hash.digest('hex')
}

async function inspect(sharp: typeof sharpModule, bytes: Uint8Array) {
  const wrong = (message: string) => invalid('file', message, message)
  // sharp throws at once on no bytes at all.
  const metadata =
    bytes.byteLength === 0
      ? null
      : await sharp(bytes, { limitInputPixels: false })
          .metadata()
          .catch(() => null)
  const format = metadata?.format === undefined ? undefined : formats[metadata.format]
  if (!metadata || !format || (metadata.format === 'heif' && metadata.compression !== 'av1')) {
    throw wrong('This is not an image that can be kept: use PNG, JPEG, WebP, GIF or AVIF.')
  }
  const { width, height } = metadata
  // Every frame of an animation is decoded to be served without its metadata.
  const pixels = width * height * (metadata.pages ?? 1)
  if (pixels > limits.imagePixels)
    throw fail(
      'too_large',
      `An image may have at most ${limits.imagePixels / 1_000_000} megapixels in all its frames; this one has ${Math.round(pixels / 1_000_000)}.`,
    )
  // Decoding finds what a header hides: cut off or broken data.
  await sharp(bytes, { limitInputPixels: limits.imagePixels, failOn: 'error' })
    .stats()
    .catch(() => {
      throw wrong('The image is damaged.')
    })
  return { format, width, height }
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

async function makeCopy(
  sharp: typeof sharpModule,
  files: Files,
  original: string,
  size: keyof typeof sizes,
): Promise<Uint8Array> {
  // sharp writes no metadata unless told to; the orientation is turned into pixels first.
  const image = sharp(await files.read(original), { limitInputPixels: limits.imagePixels }).autoOrient()
  const within = { fit: 'inside', withoutEnlargement: true } as const
  return image.resize(sizes[size], sizes[size], within).webp({ quality: 82 }).toBuffer()
}

/** Draws an image anew, upright and in the colours of the web. */
function redraw(sharp: typeof sharpModule, original: Buffer, extension: string): Promise<Buffer> {
  const image = sharp(original, { limitInputPixels: limits.imagePixels, animated: true }).autoOrient()
  switch (extension) {
    case 'jpg':
      return image.jpeg({ quality: 92 }).toBuffer()
    case 'webp':
      return image.webp({ quality: 92 }).toBuffer()
    case 'avif':
      return image.avif({ quality: 75, effort: 2 }).toBuffer()
    default:
      return image.toBuffer()
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
