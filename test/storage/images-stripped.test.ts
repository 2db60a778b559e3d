import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { crc32, deflateSync } from 'node:zlib'
import exifr from 'exifr'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createFiles } from '../../src/storage/files.ts'
import { createImages } from '../../src/storage/images.ts'
import { stripped } from '../../src/storage/images-stripped.ts'
import { hasExiftool, plantTags, tagsOf } from '../support/exiftool.ts'
import { long } from '../support/long.ts'
import { seededRandom } from '../support/random.ts'

// What images tell besides their pixels, planted in every way that a format has, is gone; two programs that had no part in it
// look for it. The pixels are those of the original.

const withExiftool = hasExiftool()
let folder: string
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'images-stripped-'))
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const word = 'Ellen-Marsh-52.517'
const xmp = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" xmlns:dc="http://purl.org/dc/elements/1.1/" dc:source="${word}"/></rdf:RDF></x:xmpmeta>`
const exif = {
  IFD0: { Artist: word, ImageDescription: word },
  IFD3: { GPSLatitude: '52/1 31/1 0/1', GPSLatitudeRef: 'N', GPSLongitude: '13/1 22/1 0/1', GPSLongitudeRef: 'E' },
}
const kinds = ['jpg', 'png', 'webp', 'gif', 'avif'] as const
type Kind = (typeof kinds)[number]

/** Pixels that differ everywhere, so that none can be mixed up. */
function drawing(width = 48, height = 32, channels: 3 | 4 = 3) {
  const pixels = Buffer.from(Array.from({ length: width * height * channels }, (_, at) => (at * 37 + (at >> 5)) & 0xff))
  return sharp(pixels, { raw: { width, height, channels } })
}

/** A picture with EXIF, GPS, XMP, IPTC, comments and more behind its end, as far as its format has a place for each. */
async function telling(kind: Kind, channels: 3 | 4 = 3): Promise<Buffer> {
  const made = drawing(48, 32, channels).withExif(exif).withXmp(xmp)
  switch (kind) {
    case 'jpg':
      return withSegments(await made.jpeg({ progressive: channels === 4 }).toBuffer())
    case 'png':
      return withChunks(await made.png().toBuffer())
    case 'webp':
      return withRiffChunk(await made.webp({ lossless: channels === 4 }).toBuffer())
    case 'gif':
      return withExtensions(await drawing(48, 32, channels).gif().toBuffer())
    case 'avif':
      return Buffer.concat([
        await made.avif({ effort: 0, lossless: channels === 4 }).toBuffer(),
        box('uuid', 16),
        box('free', 0),
      ])
  }
}

function withSegments(jpeg: Buffer): Buffer {
  const segment = (code: number, data: Buffer): Buffer => {
    const head = Buffer.from([0xff, code, 0, 0])
    head.writeUInt16BE(data.length + 2, 2)
    return Buffer.concat([head, data])
  }
  const caption = Buffer.from(word)
  const iptc = Buffer.concat([Buffer.from([0x1c, 2, 120, 0, caption.length]), caption])
  const resource = Buffer.alloc(12)
  resource.write('8BIM', 'latin1')
  resource.writeUInt16BE(0x0404, 4)
  resource.writeUInt32BE(iptc.length, 8)
  return Buffer.concat([
    jpeg.subarray(0, 2),
    segment(0xfe, Buffer.from(word)),
    segment(0xed, Buffer.concat([Buffer.from('Photoshop 3.0\0'), resource, iptc, Buffer.alloc(iptc.length & 1)])),
    segment(0xe5, Buffer.from(`maker ${word}`)),
    jpeg.subarray(2),
    // As a phone hangs a film behind a picture.
    Buffer.from(`\xff\xd8${word}`, 'latin1'),
  ])
}

function withChunks(png: Buffer): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const named = Buffer.concat([Buffer.from(type), data])
    const bytes = Buffer.alloc(8)
    bytes.writeUInt32BE(data.length, 0)
    bytes.writeUInt32BE(crc32(named), 4)
    return Buffer.concat([bytes.subarray(0, 4), named, bytes.subarray(4)])
  }
  return Buffer.concat([
    png.subarray(0, 33),
    chunk('tEXt', Buffer.from(`Author\0${word}`)),
    chunk('zTXt', Buffer.concat([Buffer.from('Comment\0\0'), deflateSync(word)])),
    chunk('iTXt', Buffer.from(`Location\0\0\0\0\0${word}`)),
    chunk('tIME', Buffer.from([7, 234, 11, 22, 18, 0, 0])),
    chunk('elLn', Buffer.from(word)),
    png.subarray(33),
    Buffer.from(word),
  ])
}

function withRiffChunk(webp: Buffer): Buffer {
  const own = Buffer.concat([Buffer.from('NOTE\0\0\0\0'), Buffer.from(word), Buffer.alloc(word.length & 1)])
  own.writeUInt32LE(word.length, 4)
  const whole = Buffer.concat([webp, own, Buffer.from(word)])
  whole.writeUInt32LE(webp.length + own.length - 8, 4)
  return whole
}

function withExtensions(gif: Buffer): Buffer {
  const table = ((gif[10] as number) & 0x80) === 0 ? 0 : 3 * 2 ** (((gif[10] as number) & 7) + 1)
  const blocks = (data: Buffer): Buffer => Buffer.concat([Buffer.from([data.length]), data, Buffer.alloc(1)])
  const magic = Buffer.from(Array.from({ length: 257 }, (_, at) => (at === 0 ? 1 : 256 - at)))
  return Buffer.concat([
    gif.subarray(0, 13 + table),
    Buffer.from([0x21, 0xfe]),
    blocks(Buffer.from(word)),
    Buffer.from([0x21, 0xff, 11]),
    Buffer.from('XMP DataXMP'),
    Buffer.from(xmp),
    magic,
    Buffer.alloc(1),
    Buffer.from([0x21, 0xff, 11]),
    Buffer.from('ELLENSWORDS'),
    blocks(Buffer.from(word)),
    gif.subarray(13 + table),
    Buffer.from(word),
  ])
}

function box(type: string, fill: number): Buffer {
  const data = Buffer.concat([Buffer.alloc(fill, 7), Buffer.from(word)])
  const head = Buffer.from(`\0\0\0\0${type}`, 'latin1')
  head.writeUInt32BE(8 + data.length)
  return Buffer.concat([head, data])
}

const strip = (bytes: Buffer, kind: Kind): Buffer | 'redraw' | null => {
  const made = stripped(bytes, kind)
  return made === null || made === 'redraw' ? made : Buffer.concat(made.pieces)
}
const pixelsOf = (bytes: Buffer): Promise<Buffer> => sharp(bytes, { animated: true }).ensureAlpha().raw().toBuffer()
/** exifr knows no GIF and no WebP, and takes every box of colours in an AVIF for a profile. */
const byExifr = async (bytes: Buffer, kind: Kind): Promise<unknown> =>
  kind === 'gif' || kind === 'webp'
    ? undefined
    : await exifr.parse(bytes, {
        tiff: true,
        xmp: true,
        iptc: true,
        gps: true,
        icc: kind !== 'avif',
        jfif: false,
        ihdr: false,
      })

/** What a file is, and what every picture of its format says of its pixels. */
const ofPixels =
  /^(ExifTool|System|File|JFIF|Adobe|APP14|PNG|PNG-pHYs|PNG-cICP|Composite|GIF|RIFF|QuickTime|Meta):|^SourceFile$/
const telltale = /Comment|XMP|Exif|Warning|ProfileDescription|Trailer|Modif(?:y|ication)Date$|HandlerDescription/

function expectNothingBy(exiftoolFile: string): void {
  const found = Object.entries(tagsOf(exiftoolFile)).filter(
    ([tag]) =>
      !tag.startsWith('System:') &&
      (!ofPixels.test(tag) || telltale.test(tag.replace(/^ExifTool:ExifToolVersion$/, ''))),
  )
  expect(found).toEqual([])
}

describe.each(kinds)('of a %s', (kind) => {
  test.each([3, 4] as const)('nothing is told but its %s colours, and those are as they were', async (channels) => {
    const bytes = await telling(kind, channels)
    expect(bytes.includes(word), 'it tells something').toBe(true)
    const clean = strip(bytes, kind) as Buffer
    expect(clean.length).toBeGreaterThan(20)
    expect(clean.includes(word)).toBe(false)
    expect(await byExifr(clean, kind)).toBeUndefined()
    const metadata = await sharp(clean).metadata()
    expect([metadata.exif, metadata.xmp, metadata.iptc, metadata.comments]).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ])
    expect((await pixelsOf(clean)).equals(await pixelsOf(bytes)), 'the same pixels').toBe(true)
    // What is clean is not touched again.
    expect((strip(clean, kind) as Buffer).equals(clean)).toBe(true)
    if (!withExiftool) return
    const file = path.join(folder, `clean-${channels}.${kind}`)
    const before = path.join(folder, `before-${channels}.${kind}`)
    writeFileSync(file, clean)
    writeFileSync(before, bytes)
    expect(JSON.stringify(tagsOf(before))).toContain(word)
    expectNothingBy(file)
  })

  test.skipIf(!withExiftool)('nothing is left of what another program planted', async () => {
    const file = path.join(folder, `planted.${kind}`)
    writeFileSync(
      file,
      await drawing()
        .toFormat(kind === 'jpg' ? 'jpeg' : kind)
        .toBuffer(),
    )
    const everywhere = [`-XMP-dc:Creator=${word}`, `-XMP-exif:GPSLatitude=52.517`]
    const inExif = [
      `-EXIF:Artist=${word}`,
      '-EXIF:GPSLatitude=52.517',
      '-EXIF:GPSLatitudeRef=N',
      `-EXIF:UserComment=${word}`,
    ]
    const more = {
      jpg: [...inExif, `-IPTC:By-line=${word}`, `-Comment=${word}`],
      png: [...inExif, `-PNG:Comment=${word}`, `-IPTC:By-line=${word}`],
      webp: inExif,
      gif: [`-Comment=${word}`],
      avif: inExif,
    }
    plantTags(file, [...everywhere, ...more[kind]])
    const bytes = readFileSync(file)
    expect(JSON.stringify(tagsOf(file))).toContain(word)
    const clean = strip(bytes, kind) as Buffer
    writeFileSync(file, clean)
    expectNothingBy(file)
    expect((await pixelsOf(clean)).equals(await pixelsOf(bytes))).toBe(true)
  })

  const rounds = long ? 3000 : 150
  test(`whatever is broken in it (${rounds} times): it is clean, or not understood`, async () => {
    const random = seededRandom(1234 + kinds.indexOf(kind))
    const whole = await telling(kind)
    let understood = 0
    for (let round = 0; round < rounds; round += 1) {
      const bytes = Buffer.from(
        whole.subarray(0, random.integer(0, 3) === 0 ? random.integer(0, whole.length) : whole.length),
      )
      for (let times = random.integer(1, 3); times > 0 && bytes.length > 0; times -= 1)
        bytes.writeUInt8(
          random.integer(0, 255),
          random.integer(0, Math.min(bytes.length, random.integer(20, 2000)) - 1),
        )
      const made = strip(bytes, kind)
      if (made === null || made === 'redraw') continue
      understood += 1
      expect((strip(made, kind) as Buffer | null)?.equals(made), `round ${round}`).toBe(true)
    }
    expect(understood).toBeGreaterThan(0)
  })
})

describe('an image whose metadata decides how it looks', () => {
  const images = () => {
    const root = mkdtempSync(path.join(folder, 'kept-'))
    return createImages(createFiles(), { uploads: path.join(root, 'uploads'), cache: path.join(root, 'cache') })
  }

  test.each(['jpg', 'png', 'webp'] as const)(
    'a %s that lies on its side is drawn anew, upright and clean',
    async (kind) => {
      const bytes = await drawing()
        .withMetadata({ orientation: 6 })
        .withExifMerge(exif)
        .toFormat(kind === 'jpg' ? 'jpeg' : kind)
        .toBuffer()
      expect(strip(bytes, kind)).toBe('redraw')
      const own = images()
      const made = await own.clean(await own.keep(bytes))
      const clean = Buffer.concat(made as readonly Uint8Array[])
      expect(await sharp(clean).metadata()).toMatchObject({ width: 32, height: 48 })
      expect([clean.includes(word), await byExifr(clean, kind)]).toEqual([false, undefined])
      if (!withExiftool) return
      const file = path.join(folder, `upright.${kind}`)
      writeFileSync(file, clean)
      expectNothingBy(file)
    },
  )

  test('one in the colours of a screen is drawn in those of the web; the usual profile only goes', async () => {
    const wide = await drawing().withIccProfile('p3').png().toBuffer()
    const usual = await drawing().withIccProfile('srgb').png().toBuffer()
    expect(strip(wide, 'png')).toBe('redraw')
    const clean = strip(usual, 'png') as Buffer
    expect((await sharp(clean).metadata()).icc).toBeUndefined()
    const own = images()
    const redrawn = Buffer.concat((await own.clean(await own.keep(wide))) as readonly Uint8Array[])
    expect((await sharp(redrawn).metadata()).icc).toBeUndefined()
  })

  test('what cannot be told apart is not clean, and neither is a file that is gone', async () => {
    const root = mkdtempSync(path.join(folder, 'odd-'))
    const own = createImages(createFiles(), { uploads: root, cache: path.join(root, 'cache') })
    const odd = { fileKey: 'aa/odd.png', sha256: 'aa' }
    expect([await own.clean(odd), await own.judge(odd)]).toEqual(['missing', 'missing'])
    mkdirSync(path.join(root, 'aa'))
    writeFileSync(path.join(root, 'aa', 'odd.png'), `\x89PNG ${word}`)
    expect([await own.clean(odd), await own.judge(odd)]).toEqual(['unclean', 'unclean'])
    await expect(own.find(odd, 'clean')).rejects.toMatchObject({ code: 'unavailable' })
  })

  test('an animation keeps its frames, its loop and its speed', async () => {
    const frames = Buffer.concat([7, 90, 200].map((shade) => Buffer.alloc(10 * 10 * 3, shade)))
    const film = () => sharp(frames, { raw: { width: 10, height: 30, channels: 3, pageHeight: 10 } })
    for (const [kind, bytes] of [
      [
        'gif',
        withExtensions(
          await film()
            .gif({ delay: [100, 200, 300], loop: 3 })
            .toBuffer(),
        ),
      ],
      [
        'webp',
        withRiffChunk(
          await film()
            .webp({ delay: [100, 200, 300], loop: 3 })
            .toBuffer(),
        ),
      ],
    ] as const) {
      const clean = strip(bytes, kind) as Buffer
      expect(clean.includes(word)).toBe(false)
      expect(await sharp(clean, { animated: true }).metadata()).toMatchObject({
        pages: 3,
        delay: [100, 200, 300],
        loop: 3,
      })
      expect((await pixelsOf(clean)).equals(await pixelsOf(bytes))).toBe(true)
    }
  })
})
