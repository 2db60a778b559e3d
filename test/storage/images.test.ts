import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import sharp, { type Sharp } from 'sharp'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createFiles } from '../../src/storage/files.ts'
import { createImages, type Images } from '../../src/storage/images.ts'
import { faultyFiles } from '../archive/faulty-files.ts'

let folder: string
let images: Images
const folders = () => ({ uploads: path.join(folder, 'uploads'), cache: path.join(folder, 'cache') })

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'images-test-'))
  images = createImages(createFiles(), folders())
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const plain = (width = 64, height = 48): Sharp =>
  sharp({ create: { width, height, channels: 3, background: '#204060' } })
const filesIn = (name: 'uploads' | 'cache'): string[] =>
  existsSync(folders()[name])
    ? readdirSync(folders()[name], { recursive: true, withFileTypes: true })
        .filter((item) => item.isFile())
        .map((item) => item.name)
        .sort()
    : []
const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

describe('an image that is kept', () => {
  const formats: readonly [string, () => Promise<Buffer>, string, string][] = [
    ['PNG', () => plain().png().toBuffer(), 'image/png', 'png'],
    ['JPEG', () => plain().jpeg().toBuffer(), 'image/jpeg', 'jpg'],
    ['WebP', () => plain().webp().toBuffer(), 'image/webp', 'webp'],
    ['GIF', () => plain().gif().toBuffer(), 'image/gif', 'gif'],
    ['AVIF', () => plain().avif({ effort: 0 }).toBuffer(), 'image/avif', 'avif'],
  ]

  test.each(formats)('%s is known by its bytes and lies under their hash', async (_, make, mimeType, extension) => {
    const bytes = await make()
    const kept = await images.keep(bytes)
    const hash = sha256(bytes)
    expect(kept).toEqual({
      fileKey: `${hash.slice(0, 2)}/${hash}.${extension}`,
      sha256: hash,
      byteSize: bytes.byteLength,
      mimeType,
      width: 64,
      height: 48,
    })
    expect(readFileSync(path.join(folders().uploads, kept.fileKey)).equals(bytes)).toBe(true)
  })

  test('twice is one file', async () => {
    const bytes = await plain().png().toBuffer()
    const [one, other] = await Promise.all([images.keep(bytes), images.keep(bytes)])
    expect(one).toEqual(other)
    await images.keep(bytes)
    expect(filesIn('uploads')).toHaveLength(1)
  })

  const refused: readonly [string, () => Promise<Uint8Array>, string][] = [
    ['nothing', async () => new Uint8Array(), 'validation_failed'],
    ['text', async () => Buffer.from('#!/bin/sh\necho PNG'), 'validation_failed'],
    [
      'an SVG',
      async () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'),
      'validation_failed',
    ],
    ['HTML that begins like a GIF', async () => Buffer.from('GIF89a<script>alert(1)</script>'), 'validation_failed'],
    ['a TIFF', () => plain().tiff().toBuffer(), 'validation_failed'],
    ['a PNG that was cut off', async () => (await noisy().png().toBuffer()).subarray(0, 4000), 'validation_failed'],
    ['a JPEG that was cut off', async () => (await noisy().jpeg().toBuffer()).subarray(0, 9000), 'validation_failed'],
    ['a PNG whose middle is broken', async () => broken(await noisy().png().toBuffer()), 'validation_failed'],
    ['a PNG of more than 40 megapixels', () => plain(8000, 5001).png({ compressionLevel: 1 }).toBuffer(), 'too_large'],
    ['more than 32 MiB', async () => Buffer.alloc(32 * 1024 * 1024 + 1), 'too_large'],
  ]
  const noisy = (): Sharp =>
    sharp({
      create: {
        width: 200,
        height: 200,
        channels: 3,
        background: 'black',
        noise: { type: 'gaussian', mean: 128, sigma: 50 },
      },
    })
  const broken = (bytes: Buffer): Buffer => {
    bytes.fill(0xff, 1000, 1400)
    return bytes
  }

  test.each(refused)('is not %s', async (_, make, code) => {
    await expect(images.keep(await make())).rejects.toMatchObject({ code })
    expect(filesIn('uploads')).toEqual([])
  })

  test('is there whole or not at all, whichever file operation fails', async () => {
    const bytes = await plain().png().toBuffer()
    const counting = faultyFiles(createFiles(), Number.POSITIVE_INFINITY, 'before')
    await createImages(counting, { uploads: path.join(folder, 'count'), cache: folders().cache }).keep(bytes)
    expect(counting.count).toBeGreaterThan(5)
    for (let failing = 1; failing <= counting.count; failing += 1) {
      const files = faultyFiles(createFiles(), failing, 'before', 'ENOSPC')
      rmSync(folders().uploads, { recursive: true, force: true })
      await expect(createImages(files, folders()).keep(bytes), `operation ${failing}`).rejects.toMatchObject({
        code: 'ENOSPC',
      })
      const [name, ...others] = filesIn('uploads')
      expect(others).toEqual([])
      // Only where the last sync failed is there a file, and it is whole.
      if (name !== undefined)
        expect(sha256(readFileSync(path.join(folders().uploads, name.slice(0, 2), name)))).toBe(name.slice(0, 64))
      expect(name === undefined || failing === counting.count, `operation ${failing}`).toBe(true)
    }
  })

  test('leaves nothing of a process that was killed: the next start removes what it was writing', async () => {
    const incoming = path.join(folders().uploads, '.incoming')
    mkdirSync(incoming, { recursive: true })
    // No process has the first number; this one runs, as the parent of this test does.
    writeFileSync(path.join(incoming, '99999999-abc'), 'half')
    writeFileSync(path.join(incoming, `${process.ppid}-def`), 'of another that runs')
    await images.sweep()
    expect(filesIn('uploads')).toEqual([`${process.ppid}-def`])
  })
})

describe('a copy of an image', () => {
  const withExif = (): Promise<Buffer> =>
    plain(600, 400)
      .withMetadata({ orientation: 6 })
      .withExifMerge({ IFD0: { Artist: 'Ellen of the orchard' }, IFD3: { GPSLatitude: '47/1' } })
      .withXmp('<x:xmpmeta xmlns:x="adobe:ns:meta/">hidden words</x:xmpmeta>')
      .jpeg()
      .toBuffer()

  test.each(['thumb', 'medium'] as const)(
    '%s is WebP within its size, and no larger than the original',
    async (size) => {
      const most = size === 'thumb' ? 320 : 1280
      const kept = await images.keep(await plain(2000, 1000).png().toBuffer())
      const { path: file, mimeType } = await images.find(kept, size)
      expect(mimeType).toBe('image/webp')
      expect(await sharp(file).metadata()).toMatchObject({ format: 'webp', width: most, height: most / 2 })
      const small = await images.keep(await plain(20, 10).png().toBuffer())
      expect(await sharp((await images.find(small, size)).path).metadata()).toMatchObject({ width: 20, height: 10 })
    },
  )

  test.each(['thumb', 'medium', 'clean'] as const)(
    '%s holds no metadata, and stands as the original says',
    async (size) => {
      const original = await withExif()
      expect(await sharp(original).metadata()).toMatchObject({
        orientation: 6,
        exif: expect.anything(),
        xmp: expect.anything(),
      })
      expect(original.includes('Ellen of the orchard')).toBe(true)
      const kept = await images.keep(original)
      const { path: file, mimeType } = await images.find(kept, size)
      const copy = readFileSync(file)
      const metadata = await sharp(copy).metadata()
      expect([metadata.exif, metadata.xmp, metadata.iptc]).toEqual([undefined, undefined, undefined])
      for (const word of ['Ellen', 'hidden words', 'Exif']) expect(copy.includes(word)).toBe(false)
      // Orientation 6 is a quarter turn: wide becomes high.
      expect((metadata.height ?? 0) > (metadata.width ?? 0)).toBe(true)
      expect(mimeType).toBe(size === 'clean' ? 'image/jpeg' : 'image/webp')
    },
  )

  test('clean keeps the frames of an animation', async () => {
    const frame = await plain(10, 10).raw().toBuffer()
    const other = Buffer.alloc(frame.length, 200)
    const animated = await sharp(Buffer.concat([frame, other]), {
      raw: { width: 10, height: 20, channels: 3, pageHeight: 10 },
    })
      .gif({ delay: [100, 100], loop: 0 })
      .toBuffer()
    expect((await sharp(animated, { animated: true }).metadata()).pages).toBe(2)
    const { path: file } = await images.find(await images.keep(animated), 'clean')
    expect((await sharp(file, { animated: true }).metadata()).pages).toBe(2)
  })

  test('is made once, however many ask at the same time, and again when the cache is gone', async () => {
    const kept = await images.keep(await plain(900, 900).png().toBuffer())
    const found = await Promise.all(Array.from({ length: 5 }, () => images.find(kept, 'thumb')))
    expect(new Set(found.map((each) => each.path)).size).toBe(1)
    expect(filesIn('cache')).toEqual([`${kept.sha256}-thumb.webp`])
    rmSync(folders().cache, { recursive: true })
    await images.find(kept, 'thumb')
    expect(filesIn('cache')).toEqual([`${kept.sha256}-thumb.webp`])
  })

  test('of a file that is gone is not found', async () => {
    const kept = await images.keep(await plain().png().toBuffer())
    rmSync(path.join(folders().uploads, kept.fileKey))
    for (const size of ['thumb', 'medium', 'clean', 'original'] as const)
      await expect(images.find(kept, size)).rejects.toMatchObject({ code: 'not_found' })
  })
})

describe('many images at once', () => {
  test('are looked at one after another: a source is read when its turn has come', async () => {
    const bytes = await plain().png().toBuffer()
    let reading = 0
    let most = 0
    const read = async function* () {
      reading += 1
      most = Math.max(most, reading)
      await new Promise((resolve) => setImmediate(resolve))
      yield bytes
      reading -= 1
    }
    await Promise.all(Array.from({ length: 12 }, () => images.keep({ size: bytes.length, pieces: read() })))
    expect(most).toBe(1)
  })

  test('may be longer or shorter than was told, and leave nothing of the one before', async () => {
    const long = await sharp(randomBytes(700 * 700 * 3), { raw: { width: 700, height: 700, channels: 3 } })
      .png()
      .toBuffer()
    const short = await plain().png().toBuffer()
    const cut = async function* (bytes: Buffer, each: number) {
      for (let at = 0; at < bytes.length; at += each) yield bytes.subarray(at, at + each)
    }
    for (const [bytes, size] of [
      [long, 0],
      [short, long.length],
      [long, 100_000],
      [short, 0],
    ] as const) {
      const { fileKey, byteSize } = await images.keep({ size, pieces: cut(bytes, 65_536) })
      expect(byteSize).toBe(bytes.length)
      expect(Buffer.compare(readFileSync(path.join(folders().uploads, fileKey)), bytes)).toBe(0)
    }
  })

  test('are refused as soon as they are too large, whatever was told', async () => {
    let asked = 0
    const endless = async function* () {
      for (;;) {
        asked += 1
        yield Buffer.alloc(1024 * 1024)
      }
    }
    await expect(images.keep({ size: 1, pieces: endless() })).rejects.toMatchObject({ code: 'too_large' })
    expect(asked).toBe(33)
  })

  test('go on after one that fails', async () => {
    const bytes = await plain().png().toBuffer()
    const gone = async function* (): AsyncGenerator<Uint8Array> {
      yield bytes.subarray(0, 9)
      throw new Error('gone')
    }
    const bad = images.keep({ size: 9, pieces: gone() })
    const good = images.keep(bytes)
    await expect(bad).rejects.toThrow('gone')
    expect((await good).width).toBe(64)
  })
})

test('every frame of an animation counts towards the pixels', async () => {
  const frames = [7, 200].map((shade) => Buffer.alloc(2 * 2 * 3, shade))
  const gif = await sharp(Buffer.concat(frames), { raw: { width: 2, height: 4, channels: 3, pageHeight: 2 } })
    .gif()
    .toBuffer()
  // What the two frames say of their size: 25 megapixels each, though hardly any point follows.
  const frame = Buffer.from([0x2c, 0, 0, 0, 0, 2, 0, 2, 0])
  for (let at = gif.indexOf(frame); at >= 0; at = gif.indexOf(frame, at + 1)) {
    gif.writeUInt16LE(5000, at + 5)
    gif.writeUInt16LE(5000, at + 7)
  }
  await expect(images.keep(gif)).rejects.toMatchObject({
    code: 'too_large',
    message: expect.stringContaining('frames'),
  })
})

test('a bound on all images together refuses the next one in words, and takes what is there already', async () => {
  const first = await plain().png().toBuffer()
  const other = await plain(65).png().toBuffer()
  const bounded = createImages(createFiles(), folders(), first.byteLength + 10)
  await bounded.keep(first)
  await bounded.keep(first)
  await expect(bounded.keep(other)).rejects.toMatchObject({
    code: 'too_large',
    message: expect.stringContaining('empty the trash'),
  })
})

test('what is served says by its own name what it is', async () => {
  const { fileKey, sha256: hash } = await images.keep(await plain().png().toBuffer())
  expect((await images.find({ fileKey, sha256: hash }, 'original')).mimeType).toBe('image/png')
})
