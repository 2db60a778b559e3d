import { inflateSync } from 'node:zlib'
import { isSrgb, lengthOf, NotUnderstood, part, type Stripped } from './images-parts.ts'
import { strippedAvif } from './images-stripped-avif.ts'

// An image without what its file tells besides its pixels: EXIF, XMP, IPTC, comments, thumbnails, and whatever hangs behind
// its end. Each format is taken apart and only the parts on a list are kept, so that what nobody knows does not stay; the
// pixels are not touched. JPEG: ITU-T T.81 annex B. PNG: W3C, third edition. WebP: RFC 9649. GIF: GIF89a.

/** Takes the metadata out of an image; `extension` says its format, as files are named that are kept. Never throws. */
export function stripped(bytes: Buffer, extension: string): Stripped {
  const strip = formats[extension]
  if (strip === undefined) return null
  try {
    return strip(bytes)
  } catch (error) {
    // A length that leads beyond the end: Node's buffers throw, and nothing else here does.
    if (error instanceof RangeError || error instanceof NotUnderstood || isOfZlib(error)) return null
    throw error
  }
}

const isOfZlib = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && /^(Z_|ERR_BUFFER_TOO_LARGE)/.test(String(error.code))

const formats: Readonly<Record<string, (bytes: Buffer) => Stripped>> = {
  jpg: strippedJpeg,
  png: strippedPng,
  webp: strippedWebp,
  gif: strippedGif,
  avif: strippedAvif,
}

function ended(pieces: readonly Uint8Array[], isAsShown: boolean): Stripped {
  return isAsShown ? { pieces } : 'redraw'
}

/** Tables, frames and scans; all APPn and comments are read or dropped below. */
const jpegParts = new Set([
  ...[0xc0, 0xc1, 0xc2, 0xc3, 0xc4, 0xc5, 0xc6, 0xc7, 0xc9, 0xca, 0xcb, 0xcc, 0xcd, 0xce, 0xcf],
  ...[0xda, 0xdb, 0xdc, 0xdd],
])

function strippedJpeg(bytes: Buffer): Stripped {
  if (bytes.readUInt16BE(0) !== 0xffd8) return null
  const pieces: Uint8Array[] = [part(bytes, 0, 2)]
  const profile: Buffer[] = []
  let isAsShown = true
  for (let at = 2; ; ) {
    if (bytes.readUInt8(at) !== 0xff) return null
    const code = bytes.readUInt8(at + 1)
    if (code === 0xff) {
      at += 1
      continue
    }
    if (code === 0xd9) {
      pieces.push(part(bytes, at, 2))
      if (profile.length > 0) isAsShown &&= isSrgb(Buffer.concat(profile))
      return ended(pieces, isAsShown)
    }
    const length = bytes.readUInt16BE(at + 2)
    const data = part(bytes, at + 4, length - 2)
    if (jpegParts.has(code)) pieces.push(part(bytes, at, 2 + length))
    else if (code === 0xe0) pieces.push(...jfif(data))
    else if (code === 0xe1 && startsWith(data, 'Exif\0\0')) isAsShown &&= isUpright(data.subarray(6))
    else if (code === 0xe2 && startsWith(data, 'ICC_PROFILE\0')) profile.push(data.subarray(14))
    else if (code === 0xee && startsWith(data, 'Adobe') && data.length >= 12)
      pieces.push(Buffer.from([0xff, 0xee, 0, 14]), data.subarray(0, 12))
    else if (code !== 0xfe && (code < 0xe0 || code > 0xef)) return null
    at += 2 + length
    if (code !== 0xda) continue
    const end = endOfScan(bytes, at)
    pieces.push(part(bytes, at, end - at))
    at = end
  }
}

/** Where the next marker is that ends what a scan is packed in. Throws where there is none. */
function endOfScan(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(0xff, from); at !== -1; at = bytes.indexOf(0xff, at + 1)) {
    const code = bytes.readUInt8(at + 1)
    if (code !== 0 && code !== 0xff && (code < 0xd0 || code > 0xd7)) return at
  }
  throw new NotUnderstood()
}

/** Version and density, without a thumbnail; of other segments of that number nothing. */
function jfif(data: Buffer): readonly Uint8Array[] {
  if (!startsWith(data, 'JFIF\0') || data.length < 12) return []
  return [Buffer.from([0xff, 0xe0, 0, 16]), data.subarray(0, 12), Buffer.from([0, 0])]
}

/** Pixels, colours and how they move. */
const pngChunks = new Set(
  'IHDR PLTE IDAT IEND tRNS gAMA cHRM sRGB sBIT bKGD hIST pHYs cICP mDCV cLLI acTL fcTL fdAT'.split(' '),
)

function strippedPng(bytes: Buffer): Stripped {
  if (!startsWith(bytes, '\x89PNG\r\n\x1a\n')) return null
  const pieces: Uint8Array[] = [part(bytes, 0, 8)]
  let isAsShown = true
  for (let at = 8; ; ) {
    const length = bytes.readUInt32BE(at)
    const type = part(bytes, at + 4, 4).toString('latin1')
    const chunk = part(bytes, at, 12 + length)
    const data = chunk.subarray(8, 8 + length)
    if (pngChunks.has(type)) pieces.push(chunk)
    else if (type === 'eXIf') isAsShown &&= isUpright(data)
    else if (type === 'iCCP') {
      const name = data.indexOf(0)
      isAsShown &&= name !== -1 && isSrgb(inflateSync(data.subarray(name + 2), { maxOutputLength: 4 * 1024 * 1024 }))
      // A critical chunk that nobody knows decides how the picture is read.
    } else if ((type.charCodeAt(0) & 0x20) === 0) return null
    at += 12 + length
    if (type === 'IEND') return ended(pieces, isAsShown)
  }
}

/** Bits of VP8X: a profile, EXIF and XMP. */
const webpTelling = 0x20 | 0x08 | 0x04

function strippedWebp(bytes: Buffer): Stripped {
  if (!startsWith(bytes, 'RIFF') || part(bytes, 8, 4).toString('latin1') !== 'WEBP') return null
  const pieces: Uint8Array[] = []
  let isAsShown = true
  for (const { type, data } of riffChunks(bytes, 12, Math.min(bytes.length, 8 + bytes.readUInt32LE(4)))) {
    if (type === 'VP8X') {
      const head = Buffer.from(part(data, 0, 10))
      head.writeUInt8(head.readUInt8(0) & ~webpTelling, 0)
      pieces.push(...riffChunk(type, [head]))
    } else if (['VP8 ', 'VP8L', 'ALPH', 'ANIM'].includes(type)) pieces.push(...riffChunk(type, [data]))
    else if (type === 'ANMF') {
      const inner = riffChunks(data, 16, data.length).filter((each) => ['VP8 ', 'VP8L', 'ALPH'].includes(each.type))
      pieces.push(
        ...riffChunk(type, [part(data, 0, 16), ...inner.flatMap((each) => riffChunk(each.type, [each.data]))]),
      )
    } else if (type === 'EXIF') isAsShown &&= isUpright(startsWith(data, 'Exif\0\0') ? data.subarray(6) : data)
    else if (type === 'ICCP') isAsShown &&= isSrgb(data)
  }
  const head = Buffer.from('RIFF\0\0\0\0WEBP', 'latin1')
  head.writeUInt32LE(4 + lengthOf(pieces), 4)
  return ended([head, ...pieces], isAsShown)
}

function riffChunks(bytes: Buffer, from: number, end: number): readonly { type: string; data: Buffer }[] {
  const found: { type: string; data: Buffer }[] = []
  for (let at = from; at + 8 <= end; ) {
    const length = bytes.readUInt32LE(at + 4)
    found.push({ type: part(bytes, at, 4).toString('latin1'), data: part(bytes, at + 8, length) })
    at += 8 + length + (length & 1)
  }
  return found
}

function riffChunk(type: string, data: readonly Uint8Array[]): readonly Uint8Array[] {
  const head = Buffer.from(`${type}\0\0\0\0`, 'latin1')
  const length = lengthOf(data)
  head.writeUInt32LE(length, 4)
  return [head, ...data, ...((length & 1) === 1 ? [Buffer.alloc(1)] : [])]
}

/** How often an animation is repeated, under the two names that programs read. */
const gifLoops = new Set(['NETSCAPE2.0', 'ANIMEXTS1.0'])

function strippedGif(bytes: Buffer): Stripped {
  if (!/^GIF8[79]a$/.test(part(bytes, 0, 6).toString('latin1'))) return null
  let at = 13 + colourTable(bytes.readUInt8(10))
  const pieces: Uint8Array[] = [part(bytes, 0, at)]
  for (;;) {
    const kind = bytes.readUInt8(at)
    if (kind === 0x3b) {
      pieces.push(part(bytes, at, 1))
      return { pieces }
    }
    if (kind === 0x2c) {
      const data = at + 10 + colourTable(bytes.readUInt8(at + 9)) + 1
      const end = endOfBlocks(bytes, data)
      pieces.push(part(bytes, at, end - at))
      at = end
    } else if (kind === 0x21) {
      const label = bytes.readUInt8(at + 1)
      const end = endOfBlocks(bytes, at + 2)
      if (label === 0xf9 && end - at === 8) pieces.push(part(bytes, at, 8))
      else if (label === 0xff && gifLoops.has(part(bytes, at + 3, 11).toString('latin1')) && isLoop(bytes, at + 14))
        pieces.push(part(bytes, at, 18), Buffer.alloc(1))
      at = end
    } else return null
  }
}

const isLoop = (bytes: Buffer, at: number): boolean => bytes.readUInt8(at) === 3 && bytes.readUInt8(at + 1) === 1

const colourTable = (flags: number): number => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1))

/** Behind the empty block that ends a row of them. */
function endOfBlocks(bytes: Buffer, from: number): number {
  let at = from
  for (let length = bytes.readUInt8(at); length !== 0; length = bytes.readUInt8(at)) at += 1 + length
  return at + 1
}

function startsWith(bytes: Buffer, text: string): boolean {
  return bytes.length >= text.length && bytes.toString('latin1', 0, text.length) === text
}

/** Whether EXIF says nothing of how a picture is turned (tag 0x0112), or that it stands upright. */
function isUpright(tiff: Buffer): boolean {
  try {
    const isLittle = startsWith(tiff, 'II')
    const short = (at: number): number => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at))
    const first = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4)
    for (let entry = 0; entry < short(first); entry += 1) {
      const at = first + 2 + entry * 12
      if (short(at) === 0x0112) return short(at + 8) < 2 || short(at + 8) > 8
    }
    return true
  } catch (error) {
    if (error instanceof RangeError) return true
    throw error
  }
}
