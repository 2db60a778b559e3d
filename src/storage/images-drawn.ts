import type sharpModule from 'sharp'
import { fail, invalid } from '../kernel/errors.ts'
import { limits } from '../kernel/limits.ts'
import type { Workers } from './workers.ts'

// What is done with the pixels of images. The library is loaded when it is first asked for; that alone takes as long as a
// hundred requests, so that a server does it on a thread of its own.

export interface ImageFormat {
  readonly mimeType: string
  readonly extension: string
}

/** Formats that are kept, by what the bytes say; the name that was sent is not asked. */
export const formats: Readonly<Record<string, ImageFormat>> = {
  png: { mimeType: 'image/png', extension: 'png' },
  jpeg: { mimeType: 'image/jpeg', extension: 'jpg' },
  webp: { mimeType: 'image/webp', extension: 'webp' },
  gif: { mimeType: 'image/gif', extension: 'gif' },
  heif: { mimeType: 'image/avif', extension: 'avif' },
}

/** Longest side in pixels of the smaller copies. */
const sizes = { thumb: 320, medium: 1280 } as const
export type SmallerSize = keyof typeof sizes

export interface Inspected {
  readonly format: ImageFormat
  readonly width: number
  readonly height: number
}

export interface ImageDrawing {
  /** Looks whether these are a whole image that can be kept. Throws `validation_failed` and `too_large`. */
  inspect(bytes: Uint8Array): Promise<Inspected>
  /** A smaller copy as WebP, upright and without metadata. Rejects where the bytes are no image. */
  shrink(original: Uint8Array, size: SmallerSize): Promise<Uint8Array>
  /** The image anew in its own format, upright and in the colours of the web. Rejects where the bytes are no image. */
  redraw(original: Uint8Array, extension: string): Promise<Uint8Array>
}

/** On the thread that asks. */
export function drawHere(): ImageDrawing {
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
  return {
    inspect: async (bytes) => inspect(await sharp(), bytes),
    shrink: async (original, size) => shrink(await sharp(), original, size),
    redraw: async (original, extension) => redraw(await sharp(), original, extension),
  }
}

/** The same as tasks of a worker thread. */
export function drawingTasks() {
  const drawing = drawHere()
  return {
    'image.inspect': (bytes: Uint8Array) => drawing.inspect(bytes),
    'image.shrink': ({ original, size }: { readonly original: Uint8Array; readonly size: SmallerSize }) =>
      drawing.shrink(original, size),
    'image.redraw': ({ original, extension }: { readonly original: Uint8Array; readonly extension: string }) =>
      drawing.redraw(original, extension),
  }
}

export type DrawingTasks = ReturnType<typeof drawingTasks>

/** On a thread of these workers. Bytes that do not lie in shared memory are copied to it in one go. */
export function drawOn(workers: Workers<DrawingTasks>): ImageDrawing {
  return {
    inspect: (bytes) => workers.runTask('image.inspect', bytes),
    shrink: (original, size) => workers.runTask('image.shrink', { original, size }),
    redraw: (original, extension) => workers.runTask('image.redraw', { original, extension }),
  }
}

/** Throws `validation_failed` and `too_large`. */
async function inspect(sharp: typeof sharpModule, bytes: Uint8Array): Promise<Inspected> {
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

function shrink(sharp: typeof sharpModule, original: Uint8Array, size: SmallerSize): Promise<Uint8Array> {
  // sharp writes no metadata unless told to; the orientation is turned into pixels first.
  const image = sharp(original, { limitInputPixels: limits.imagePixels }).autoOrient()
  const within = { fit: 'inside', withoutEnlargement: true } as const
  return image.resize(sizes[size], sizes[size], within).webp({ quality: 82 }).toBuffer()
}

function redraw(sharp: typeof sharpModule, original: Uint8Array, extension: string): Promise<Uint8Array> {
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
