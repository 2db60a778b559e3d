import { fail } from '../kernel/errors.ts'
import type { Files, FileWriter } from '../storage/files.ts'
import { throwIfCancelled } from './jobs.ts'
import { createSeal, trailerLength } from './trailer.ts'

// A zip writer of our own, because of what is known here: sizes and CRCs come from staging, so that entries need no
// second pass in JavaScript and no data descriptors, and the seal needs to know which bytes are content. The zip
// libraries compute CRCs in JavaScript and look through all entries after each one, which made backups miss their
// budget. Records as in PKWARE's APPNOTE 4.3; archives stay below 4 GiB, so only the count of entries needs zip64.

export interface ZipPart {
  readonly name: string
  /** Images are stored, since they are packed already; databases and JSON shrink to about a third. */
  readonly packing: 'stored' | 'deflated'
  readonly bytes: number
  readonly packedBytes: number
  readonly crc32: number
  /** The packed bytes, in pieces that need to be good only until the next one is asked for. */
  open(): AsyncIterable<Uint8Array>
}

export interface ZipSettings {
  readonly files: Files
  /** Must not exist. */
  readonly target: string
  readonly modifiedAt: Date
  /** The most bytes that the file may have; at most 4 GiB. */
  readonly most: number
  readonly signal: AbortSignal
  onBytes(written: number): void
}

export interface ZipWriter {
  /** Throws `archive_too_large`, `cancelled`, or what reading and writing throw. One at a time. */
  add(part: ZipPart): Promise<void>
  /** Writes the directory and the seal, and forces all of it onto the disk. Returns the file's size in bytes. */
  finish(): Promise<number>
  /** Always, at last. A file that was not finished stays: the caller removes it. */
  close(): Promise<void>
}

interface Entry extends Pick<ZipPart, 'packing' | 'bytes' | 'packedBytes' | 'crc32'> {
  readonly name: Buffer
  readonly offset: number
}

const blockBytes = 1024 * 1024
const utf8Names = 0x800
const methods = { stored: 0, deflated: 8 } as const
/** A plain file, readable and writable by its owner, in the terms of Unix (APPNOTE 4.4.15). */
const attributes = 0o100600 * 0x10000

export async function openZip({ files, target, modifiedAt, most, signal, onBytes }: ZipSettings): Promise<ZipWriter> {
  const writer = await files.create(target)
  const sink = createSink(writer, most, signal, onBytes)
  const time = dosTime(modifiedAt)
  const entries: Entry[] = []
  return {
    async add(part) {
      const entry = { ...part, name: Buffer.from(part.name), offset: sink.position() }
      await sink.structure(localHeader(entry, time))
      const start = sink.position()
      const take = part.packing === 'stored' ? sink.content : sink.structure
      for await (const piece of part.open()) await take(piece)
      if (sink.position() - start !== part.packedBytes) throw new Error(`${part.name} changed while it was archived.`)
      entries.push(entry)
    },
    async finish() {
      const start = sink.position()
      for (const entry of entries) await sink.structure(directoryRecord(entry, time))
      await sink.structure(endRecords(entries.length, start, sink.position()))
      await sink.seal()
      await sink.flush()
      await writer.sync()
      return sink.position()
    },
    close: () => writer.close(),
  }
}

interface Sink {
  /** Bytes taken so far. */
  position(): number
  /** Takes bytes that the seal covers. */
  structure(bytes: Uint8Array): Promise<void>
  /** Takes bytes that the manifest's checksums cover. */
  content(bytes: Uint8Array): Promise<void>
  seal(): Promise<void>
  flush(): Promise<void>
}

/** Joins small pieces, of which a zip has many, to blocks of a mebibyte. All go through the same memory. */
function createSink(writer: FileWriter, most: number, signal: AbortSignal, onBytes: (written: number) => void): Sink {
  const seal = createSeal()
  const block = Buffer.allocUnsafeSlow(blockBytes)
  let filled = 0
  let position = 0

  const flush = async (): Promise<void> => {
    if (filled > 0) await writer.write(block.subarray(0, filled))
    filled = 0
    onBytes(position)
  }
  const take = async (bytes: Uint8Array): Promise<void> => {
    throwIfCancelled(signal)
    position += bytes.length
    if (position > most) {
      const limit = Math.floor(most / blockBytes)
      throw fail('archive_too_large', `The backup would be larger than ${limit} MiB, which no restore accepts.`)
    }
    for (let taken = 0; taken < bytes.length; ) {
      const piece = bytes.subarray(taken, taken + blockBytes - filled)
      block.set(piece, filled)
      filled += piece.length
      taken += piece.length
      if (filled === blockBytes) await flush()
    }
  }
  const structure = (bytes: Uint8Array): Promise<void> => {
    seal.update(bytes)
    return take(bytes)
  }
  return { position: () => position, structure, content: take, seal: () => take(seal.trailer()), flush }
}

function localHeader({ name, packing, crc32, packedBytes, bytes }: Entry, time: number): Buffer {
  const header = Buffer.alloc(30 + name.length)
  header.writeUInt32LE(0x04034b50, 0)
  header.writeUInt16LE(20, 4)
  header.writeUInt16LE(utf8Names, 6)
  header.writeUInt16LE(methods[packing], 8)
  header.writeUInt32LE(time, 10)
  header.writeUInt32LE(crc32, 14)
  header.writeUInt32LE(packedBytes, 18)
  header.writeUInt32LE(bytes, 22)
  header.writeUInt16LE(name.length, 26)
  name.copy(header, 30)
  return header
}

function directoryRecord({ name, packing, crc32, packedBytes, bytes, offset }: Entry, time: number): Buffer {
  const record = Buffer.alloc(46 + name.length)
  record.writeUInt32LE(0x02014b50, 0)
  // Made on Unix, by version 2.0 of the format; needs the same.
  record.writeUInt16LE((3 << 8) | 20, 4)
  record.writeUInt16LE(20, 6)
  record.writeUInt16LE(utf8Names, 8)
  record.writeUInt16LE(methods[packing], 10)
  record.writeUInt32LE(time, 12)
  record.writeUInt32LE(crc32, 16)
  record.writeUInt32LE(packedBytes, 20)
  record.writeUInt32LE(bytes, 24)
  record.writeUInt16LE(name.length, 28)
  record.writeUInt32LE(attributes, 38)
  record.writeUInt32LE(offset, 42)
  name.copy(record, 46)
  return record
}

/** The end of the directory, up to where the comment begins. */
function endRecords(count: number, start: number, end: number): Buffer {
  const record = Buffer.alloc(22)
  const many = count >= 0xffff
  record.writeUInt32LE(0x06054b50, 0)
  record.writeUInt16LE(many ? 0xffff : count, 8)
  record.writeUInt16LE(many ? 0xffff : count, 10)
  record.writeUInt32LE(end - start, 12)
  record.writeUInt32LE(start, 16)
  record.writeUInt16LE(trailerLength, 20)
  if (!many) return record

  const large = Buffer.alloc(56)
  large.writeUInt32LE(0x06064b50, 0)
  large.writeBigUInt64LE(44n, 4)
  large.writeUInt16LE((3 << 8) | 45, 12)
  large.writeUInt16LE(45, 14)
  large.writeBigUInt64LE(BigInt(count), 24)
  large.writeBigUInt64LE(BigInt(count), 32)
  large.writeBigUInt64LE(BigInt(end - start), 40)
  large.writeBigUInt64LE(BigInt(start), 48)
  const locator = Buffer.alloc(20)
  locator.writeUInt32LE(0x07064b50, 0)
  locator.writeBigUInt64LE(BigInt(end), 8)
  locator.writeUInt32LE(1, 16)
  return Buffer.concat([large, locator, record])
}

/** Time and date as MS-DOS had them (APPNOTE 4.4.6), in UTC: seconds in steps of two, years from 1980. */
function dosTime(time: Date): number {
  const year = Math.min(127, Math.max(0, time.getUTCFullYear() - 1980))
  const day = (year << 9) | ((time.getUTCMonth() + 1) << 5) | time.getUTCDate()
  const clock = (time.getUTCHours() << 11) | (time.getUTCMinutes() << 5) | (time.getUTCSeconds() >> 1)
  return day * 0x10000 + clock
}
