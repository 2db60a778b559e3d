import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { crc32, createDeflateRaw } from 'node:zlib'
import { fail } from '../kernel/errors.ts'

// A zip as it is sent: nobody knows how large a document will be until it is written, so that its sizes follow it in a data
// descriptor. Records as in PKWARE's APPNOTE 4.3, without zip64: what would need it is refused before a byte is sent.

/** What is sent in one zip: below what its fields can count. */
export const mostZipBytes = 4 * 1024 ** 3 - 64 * 1024 ** 2
const mostZipEntries = 65_000

export interface ZipItem {
  /** With `/` between folders. */
  readonly name: string
  /** Images are packed already, and are stored; texts are deflated as they come. */
  readonly content: Stored | AsyncIterable<Uint8Array>
}

/** Bytes that are asked for twice: for their sum, which stands before them, and to be sent. */
export interface Stored {
  /** Whether a piece is good until the next one only. */
  readonly isShared: boolean
  pieces(): Iterable<Uint8Array> | AsyncIterable<Uint8Array>
}

/** What is summed or sent before others get their turn. */
const bytesAtOnce = 256 * 1024
/**
 * Memory for what is on its way, in turns: whoever reads waits for the network with far fewer pieces than that. New memory for
 * each would pile up until it is collected.
 */
const turns = 12

interface Entry {
  readonly name: Buffer
  readonly offset: number
  readonly method: 0 | 8
  readonly flags: number
  crc: number
  packed: number
  bytes: number
}

const utf8Names = 0x800
const sizesFollow = 0x8

/** The bytes of a zip. A piece is good until eleven more have been asked for. Throws `too_large` where it grows beyond what a zip of this kind can hold. */
export async function* zipOf(items: AsyncIterable<ZipItem>, modifiedAt: Date): AsyncGenerator<Uint8Array> {
  const time = dosTime(modifiedAt)
  const entries: Entry[] = []
  const kept = memoryInTurns()
  let offset = 0
  const sent = (bytes: Uint8Array): Uint8Array => {
    offset += bytes.length
    if (offset > mostZipBytes || entries.length > mostZipEntries) throw fail('too_large')
    return bytes
  }
  for await (const { name, content } of items) {
    const entry = await begin(name, content, offset)
    entries.push(entry)
    yield sent(localHeader(entry, time))
    if ('pieces' in content) {
      for await (const slice of slicesOf(content)) yield sent(content.isShared ? kept(slice) : slice)
      continue
    }
    for await (const piece of deflated(content, entry)) yield sent(piece)
    yield sent(descriptor(entry))
  }
  const start = offset
  for (const entry of entries) yield sent(directoryRecord(entry, time))
  yield sent(endRecord(entries.length, start, offset))
}

function memoryInTurns(): (slice: Uint8Array) => Uint8Array {
  const memory: Buffer[] = []
  let turn = 0
  return (slice) => {
    // Of small ones many can be on their way.
    if (slice.length < bytesAtOnce / 2) return Buffer.from(slice)
    turn = (turn + 1) % turns
    memory[turn] ??= Buffer.allocUnsafeSlow(bytesAtOnce)
    const own = (memory[turn] as Buffer).subarray(0, slice.length)
    own.set(slice)
    return own
  }
}

async function begin(name: string, content: ZipItem['content'], offset: number): Promise<Entry> {
  const entry = { name: Buffer.from(name.normalize('NFC')), offset, crc: 0, packed: 0, bytes: 0 }
  if (!('pieces' in content)) return { ...entry, method: 8, flags: utf8Names | sizesFollow }
  for await (const slice of slicesOf(content)) {
    entry.crc = crc32(slice, entry.crc)
    entry.bytes += slice.length
    await setImmediate()
  }
  return { ...entry, packed: entry.bytes, method: 0, flags: utf8Names }
}

async function* slicesOf(content: Stored): AsyncGenerator<Uint8Array> {
  for await (const piece of content.pieces()) {
    for (let at = 0; at < piece.length; at += bytesAtOnce) yield piece.subarray(at, at + bytesAtOnce)
  }
}

async function* deflated(content: AsyncIterable<Uint8Array>, entry: Entry): AsyncGenerator<Uint8Array> {
  async function* counted(): AsyncGenerator<Uint8Array> {
    for await (const piece of content) {
      entry.crc = crc32(piece, entry.crc)
      entry.bytes += piece.length
      yield piece
    }
  }
  const input = Readable.from(counted(), { objectMode: false })
  const packing = createDeflateRaw({ level: 6 })
  input.on('error', (error) => packing.destroy(error))
  input.pipe(packing)
  try {
    for await (const piece of packing) {
      entry.packed += (piece as Buffer).length
      yield piece as Buffer
    }
  } finally {
    input.destroy()
    packing.destroy()
  }
}

function localHeader({ name, method, flags, crc, packed, bytes }: Entry, time: number): Buffer {
  const header = Buffer.alloc(30 + name.length)
  header.writeUInt32LE(0x04034b50, 0)
  header.writeUInt16LE(20, 4)
  header.writeUInt16LE(flags, 6)
  header.writeUInt16LE(method, 8)
  header.writeUInt32LE(time, 10)
  header.writeUInt32LE(crc, 14)
  header.writeUInt32LE(packed, 18)
  header.writeUInt32LE(bytes, 22)
  header.writeUInt16LE(name.length, 26)
  name.copy(header, 30)
  return header
}

function descriptor({ crc, packed, bytes }: Entry): Buffer {
  const record = Buffer.alloc(16)
  record.writeUInt32LE(0x08074b50, 0)
  record.writeUInt32LE(crc, 4)
  record.writeUInt32LE(packed, 8)
  record.writeUInt32LE(bytes, 12)
  return record
}

function directoryRecord({ name, method, flags, crc, packed, bytes, offset }: Entry, time: number): Buffer {
  const record = Buffer.alloc(46 + name.length)
  record.writeUInt32LE(0x02014b50, 0)
  // Made on Unix, by version 2.0 of the format; needs the same. A plain file that its owner reads and writes.
  record.writeUInt16LE((3 << 8) | 20, 4)
  record.writeUInt16LE(20, 6)
  record.writeUInt16LE(flags, 8)
  record.writeUInt16LE(method, 10)
  record.writeUInt32LE(time, 12)
  record.writeUInt32LE(crc, 16)
  record.writeUInt32LE(packed, 20)
  record.writeUInt32LE(bytes, 24)
  record.writeUInt16LE(name.length, 28)
  record.writeUInt32LE(0o100644 * 0x10000, 38)
  record.writeUInt32LE(offset, 42)
  name.copy(record, 46)
  return record
}

function endRecord(count: number, start: number, end: number): Buffer {
  const record = Buffer.alloc(22)
  record.writeUInt32LE(0x06054b50, 0)
  record.writeUInt16LE(count, 8)
  record.writeUInt16LE(count, 10)
  record.writeUInt32LE(end - start, 12)
  record.writeUInt32LE(start, 16)
  return record
}

/** Time and date as MS-DOS had them (APPNOTE 4.4.6), in UTC: seconds in steps of two, years from 1980. */
function dosTime(time: Date): number {
  const year = Math.min(127, Math.max(0, time.getUTCFullYear() - 1980))
  const day = (year << 9) | ((time.getUTCMonth() + 1) << 5) | time.getUTCDate()
  const clock = (time.getUTCHours() << 11) | (time.getUTCMinutes() << 5) | (time.getUTCSeconds() >> 1)
  return day * 0x10000 + clock
}
