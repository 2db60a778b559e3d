import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { type FogStroke, visiblePixels } from '../kernel/fog.ts'
import { limits } from '../kernel/limits.ts'
import { createQueue } from '../kernel/queue.ts'
import type { Files } from './files.ts'
import { type Images, writeOnce } from './images.ts'
import type { Workers } from './workers.ts'

// What players get of a map under fog. The steps of a painted image, each from the one before it alone:
//
// 1. decode the original, turned as it is to be looked at, into plain pixels
// 2. paint every pixel over whose middle is not uncovered
// 3. make it smaller, and write it as a new file
//
// Nothing of the file goes past the first step, and nothing under the fog past the second: neither what is hidden nor what
// the file said of itself has any part in the bytes that are sent.

/** Longest side in pixels. */
const sizes = { thumb: 320, full: 4096 } as const
export type FogImageSize = keyof typeof sizes
/** Longest side of the picture of the fog itself. */
const maskSide = 2048

/** What lies under fog, on whatever page it is shown. */
export const fogColour = { r: 16, g: 15, b: 19 } as const

export interface PaintPayload {
  /** The file of the original. */
  readonly original: string
  readonly strokes: readonly FogStroke[]
  /** `fog`: the fog alone, white where it lies and clear where it does not. */
  readonly size: FogImageSize | 'fog'
}

/** The work on pixels, on a worker thread. */
export function fogTasks() {
  return { 'fog.paint': (payload: PaintPayload) => paint(payload) }
}

export type FogTasks = ReturnType<typeof fogTasks>

async function paint({ original, strokes, size }: PaintPayload): Promise<Uint8Array> {
  const { default: sharp } = await import('sharp')
  sharp.concurrency(1)
  sharp.cache(false)
  const turned = sharp(await readFile(original), { limitInputPixels: limits.imagePixels }).autoOrient()
  if (size === 'fog') {
    const { autoOrient, ...facts } = await turned.metadata()
    const { width, height } = within(autoOrient ?? facts, maskSide)
    const seen = visiblePixels(strokes, width, height)
    const alpha = Buffer.alloc(4 * width * height, 255)
    for (let at = 0; at < seen.length; at++) if (seen[at] === 1) alpha[4 * at + 3] = 0
    return sharp(alpha, { raw: { width, height, channels: 4 } })
      .png({ palette: true, colours: 2 })
      .toBuffer()
  }
  const { data, info } = await turned
    .flatten({ background: fogColour })
    .toColourspace('srgb')
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true })
  const { width, height, channels } = info
  paintOver(data, channels, visiblePixels(strokes, width, height))
  return sharp(data, { raw: { width, height, channels } })
    .resize({ ...within({ width, height }, sizes[size]), fit: 'fill' })
    .webp({ quality: 85, effort: 3 })
    .toBuffer()
}

/** Paints every pixel over that may not be seen, whatever its channels are. */
export function paintOver(pixels: Uint8Array, channels: number, seen: Uint8Array): void {
  const colour = [fogColour.r, fogColour.g, fogColour.b]
  for (let at = 0; at < seen.length; at++) {
    if (seen[at] === 1) continue
    for (let channel = 0; channel < channels; channel++) pixels[at * channels + channel] = colour[channel] ?? 255
  }
}

function within({ width, height }: { readonly width: number; readonly height: number }, side: number) {
  const share = Math.min(1, side / Math.max(width, height))
  return { width: Math.max(1, Math.round(width * share)), height: Math.max(1, Math.round(height * share)) }
}

export interface FogImages {
  /**
   * Where an image of a map lies, made when first asked for. `strokes` null: there is no fog, and it is the image without
   * what its file says of itself. Throws `not_found` where the original is gone, and `rate_limited` where too many wait.
   */
  find(
    image: { readonly fileKey: string; readonly sha256: string },
    strokes: readonly FogStroke[] | null,
    size: FogImageSize | 'fog',
  ): Promise<{ readonly path: string; readonly mimeType: string }>
}

export interface FogImageParts {
  readonly files: Files
  /** The cache, outside of backups. */
  readonly folder: string
  readonly images: Images
  readonly workers: Workers<FogTasks>
  /** Painted images kept; the oldest go. */
  readonly most?: number
}

/** Painted images of maps, in a cache that is named after what is in them and never grows beyond its bound. */
export function createFogImages({ files, folder, images, workers, most = 120 }: FogImageParts): FogImages {
  const working = new Map<string, Promise<void>>()
  // A decoded image takes up to 160 MB: one at a time.
  const painting = createQueue(1, 100)

  const sweep = async (): Promise<void> => {
    const names = (await files.list(folder)).filter(({ name }) => !name.startsWith('.'))
    const aged = await Promise.all(
      names.map(async ({ name }) => {
        const file = path.join(folder, name)
        return { file, at: (await files.stat(file))?.modifiedAt ?? 0 }
      }),
    )
    const old = aged.sort((one, other) => other.at - one.at).slice(most)
    for (const { file } of old) await files.remove(file)
  }

  return {
    async find(image, strokes, size) {
      if (strokes === null && size !== 'fog') return images.find(image, size === 'thumb' ? 'thumb' : 'clean')
      const { path: original } = await images.find(image, 'original')
      const painted = (strokes ?? []).map(({ effect, shape, points }) => [effect, shape, points])
      const key = createHash('sha256')
        .update(JSON.stringify([image.sha256, painted, size, fogColour]))
        .digest('hex')
      const name = `${key}.${size === 'fog' ? 'png' : 'webp'}`
      const copy = path.join(folder, name)
      if ((await files.stat(copy)) === undefined) {
        const job =
          working.get(copy) ??
          painting(() => workers.runTask('fog.paint', { original, strokes: strokes ?? [], size }))
            .then((bytes) => writeOnce(files, folder, name, bytes))
            .then(sweep)
            .finally(() => working.delete(copy))
        working.set(copy, job)
        await job
      }
      return { path: copy, mimeType: size === 'fog' ? 'image/png' : 'image/webp' }
    },
  }
}
