import { close, fstat, open as openFd, read as readFd } from 'node:fs'
import { Readable, type Transform } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import { crc32, createInflateRaw } from 'node:zlib'
import { type Entry, fromRandomAccessReaderPromise, RandomAccessReader, type ZipFile } from 'yauzl'
import { Failure, fail } from '../kernel/errors.ts'
import { fileErrorCode } from '../storage/files.ts'
import type { ArchiveLimits } from './format.ts'
import { unsafeReason } from './names.ts'
import { sealedLength, trailerHash } from './trailer.ts'

export interface ArchiveEntry {
  readonly name: string
  /** As the archive says it; `content` counts for itself. */
  readonly bytes: number
  readonly packedBytes: number
  readonly deflated: boolean
  readonly crc32: number
  /** Where its packed bytes begin in the file. */
  readonly start: number
}

export interface OpenArchive {
  readonly bytes: number
  readonly entries: ReadonlyMap<string, ArchiveEntry>
  /** The hash that the archive was sealed with; undefined when another program packed it. */
  readonly sealedWith: string | undefined
  /**
   * The bytes of an entry, one entry at a time. A chunk is good until the next one is asked for: they share their memory.
   * It ends in an error when they are not as many as declared, or more than `most`, or not those of the CRC.
   */
  content(entry: ArchiveEntry, most: number): AsyncGenerator<Buffer>
  /** The bytes that the seal covers: all before its hash, but the content of stored entries. */
  sealed(): AsyncGenerator<Buffer>
  close(): Promise<void>
}

const chunkBytes = 1024 * 1024
const encrypted = 0x1
const sizesFollow = 0x8
const masked = 0x2000
/** The longest data descriptor: signature, CRC and two sizes of 8 bytes. */
const longestDescriptor = 24

/**
 * Opens an archive and judges its structure before any content is read: the file's size, the number of entries, their
 * names, kinds and declared sizes, and that each has its own bytes and none lie between them.
 * @throws archive_too_large, archive_invalid, archive_unsafe_path
 */
export async function openArchive(file: string, limits: ArchiveLimits): Promise<OpenArchive> {
  const fd = await promisify(openFd)(file, 'r')
  try {
    const { size } = await promisify(fstat)(fd)
    if (size > limits.archiveBytes) throw tooLarge('The archive', limits.archiveBytes)
    const zip = await asInvalid(
      fromRandomAccessReaderPromise(new WindowReader(fd), size, { autoClose: false, decodeStrings: false }),
    )
    if (zip.entryCount > limits.entries)
      throw fail('archive_too_large', `The archive has more than ${limits.entries} entries.`)
    const entries = await readEntries(zip, limits)
    const memory = Buffer.allocUnsafeSlow(chunkBytes)
    return {
      bytes: size,
      entries,
      sealedWith: trailerHash(bytesOf(zip.comment).toString('latin1')),
      content: (entry, most) => content(fd, entry, most, memory),
      sealed: () => outside(fd, entries, sealedLength(size)),
      close: () => promisify(close)(fd),
    }
  } catch (error) {
    await promisify(close)(fd)
    throw error
  }
}

/** Records of a directory that are read in one go. */
const readAtOnce = 200

async function readEntries(zip: ZipFile, limits: ArchiveLimits): Promise<ReadonlyMap<string, ArchiveEntry>> {
  const entries = new Map<string, ArchiveEntry>()
  const folded = new Set<string>()
  const ranges: EntryRange[] = []
  const directoryStart = Number(zip.readEntryCursor)
  const records: { readonly name: string; readonly raw: Entry }[] = []
  let total = 0
  const iterator = zip.eachEntry()
  for (;;) {
    const next = await asInvalid(iterator.next())
    if (next.done === true) break
    const raw = next.value
    const name = checkName(raw, folded)
    checkKind(raw, name)
    if (raw.uncompressedSize > limits.entryBytes) throw tooLarge(`The entry ${name}`, limits.entryBytes)
    total += raw.uncompressedSize
    if (total > limits.totalBytes) throw tooLarge('The content of the archive', limits.totalBytes)
    records.push({ name, raw })
    // Those that are in memory come without waiting for anything: others get their turn in between.
    if (records.length % readAtOnce === 0) await setImmediate()
  }
  for (const { name, raw } of records) {
    const range = await locate(zip, raw, name)
    ranges.push(range)
    entries.set(name, {
      name,
      bytes: raw.uncompressedSize,
      packedBytes: raw.compressedSize,
      deflated: raw.compressionMethod === 8,
      crc32: raw.crc32,
      start: range.dataStart,
    })
  }
  checkRanges(ranges, directoryStart)
  // yauzl reads as many records as the end of the archive counts; more of them must not hide behind.
  const directoryEnd = Number(zip.readEntryCursor)
  const endBytes = zip.fileSize - directoryEnd - bytesOf(zip.comment).length
  if (endBytes !== 22 && endBytes !== 22 + 20 + 56) {
    throw fail('archive_invalid', 'The directory of the archive does not end where it says.')
  }
  return entries
}

function checkName(raw: Entry, folded: Set<string>): string {
  const rawName = bytesOf(raw.fileName)
  const name = rawName.toString('utf8')
  const reason = rawName.equals(Buffer.from(name)) ? unsafeReason(name) : 'it is not valid UTF-8'
  if (reason !== undefined) throw unsafe(name, reason)
  // Info-ZIP's second name: other programs would unpack the entry under that one.
  if (raw.extraFields.some((field) => field.id === 0x7075)) throw unsafe(name, 'the entry has a second name')
  const key = name.toLowerCase()
  if (folded.has(key)) throw unsafe(name, 'another entry has this name')
  folded.add(key)
  return name
}

function checkKind(raw: Entry, name: string): void {
  if ((raw.generalPurposeBitFlag & (encrypted | masked)) !== 0) {
    throw fail('archive_invalid', `The entry ${shown(name)} is encrypted.`)
  }
  if (raw.compressionMethod !== 0 && raw.compressionMethod !== 8) {
    throw fail('archive_invalid', `The entry ${shown(name)} is packed in a way that backups do not use.`)
  }
  if (raw.compressionMethod === 0 && raw.compressedSize !== raw.uncompressedSize) {
    throw fail('archive_invalid', `The entry ${shown(name)} has two sizes.`)
  }
  // The high half is the Unix mode, whoever claims to have made the entry: unpackers read it regardless.
  const mode = raw.externalFileAttributes >>> 16
  const kind = mode & 0o170000
  if (kind !== 0 && kind !== 0o100000) throw unsafe(name, 'it is a link, folder or device')
  if ((mode & 0o7000) !== 0) throw unsafe(name, 'it has special permissions')
  if ((raw.externalFileAttributes & 0x10) !== 0) throw unsafe(name, 'it is a folder')
}

interface EntryRange {
  readonly name: string
  readonly start: number
  readonly dataStart: number
  readonly end: number
  readonly descriptor: boolean
}

/** Finds an entry's bytes, and holds its local header against the directory: unpackers differ in which they believe. */
async function locate(zip: ZipFile, raw: Entry, name: string): Promise<EntryRange> {
  const local = await asInvalid(zip.readLocalFileHeaderPromise(raw, { minimal: false }))
  const descriptor = (local.generalPurposeBitFlag & sizesFollow) !== 0
  const agrees =
    local.fileName.equals(bytesOf(raw.fileName)) &&
    local.compressionMethod === raw.compressionMethod &&
    local.generalPurposeBitFlag === raw.generalPurposeBitFlag &&
    // In large archives the sizes are in an extra field; the directory's are what counts, and the bytes are counted.
    (descriptor || (local.crc32 === raw.crc32 && [raw.compressedSize, 0xffffffff].includes(local.compressedSize)))
  if (!agrees) throw fail('archive_invalid', `The two headers of the entry ${shown(name)} contradict each other.`)
  return {
    name,
    start: raw.relativeOffsetOfLocalHeader,
    dataStart: local.fileDataStart,
    end: local.fileDataStart + raw.compressedSize,
    descriptor,
  }
}

/** Entries follow one another from the first byte to the directory: nothing overlaps and nothing is hidden. */
function checkRanges(ranges: readonly EntryRange[], directoryStart: number): void {
  const sorted = [...ranges].sort((a, b) => a.start - b.start)
  let end = 0
  let slack = 0
  for (const range of sorted) {
    if (range.start < end) throw fail('archive_invalid', `The entry ${shown(range.name)} overlaps another.`)
    if (range.start > end + slack)
      throw fail('archive_invalid', `There are foreign bytes before the entry ${shown(range.name)}.`)
    end = range.end
    slack = range.descriptor ? longestDescriptor : 0
  }
  if (directoryStart < end || directoryStart > end + slack) {
    throw fail('archive_invalid', 'The directory of the archive is not where its entries end.')
  }
}

async function* content(fd: number, entry: ArchiveEntry, most: number, memory: Buffer): AsyncGenerator<Buffer> {
  let bytes = 0
  let sum = 0
  for await (const chunk of unpacked(fd, entry, memory)) {
    bytes += chunk.length
    if (bytes > most) throw tooLarge(`The entry ${entry.name}`, most)
    if (bytes > entry.bytes) break
    sum = crc32(chunk, sum)
    yield chunk
  }
  if (bytes !== entry.bytes) {
    throw fail('archive_checksum_mismatch', `The entry ${entry.name} does not have the size that the archive says.`)
  }
  if (sum !== entry.crc32) throw fail('archive_checksum_mismatch', `The entry ${entry.name} is damaged.`)
}

async function* unpacked(fd: number, entry: ArchiveEntry, memory: Buffer): AsyncGenerator<Buffer> {
  const end = entry.start + entry.packedBytes
  if (!entry.deflated) {
    yield* readRange(fd, entry.start, end, memory)
    return
  }
  const packed = readRange(fd, entry.start, end)
  const inflate = createInflateRaw({ chunkSize: 256 * 1024 })
  try {
    yield* through(packed, inflate)
  } catch (cause) {
    if (cause instanceof Failure) throw cause
    throw fail('archive_checksum_mismatch', `The entry ${entry.name} cannot be unpacked.`, { cause })
  }
  if (inflate.bytesWritten !== entry.packedBytes) {
    throw fail('archive_invalid', `The entry ${entry.name} holds foreign bytes after its content.`)
  }
}

/** All bytes up to `end` that are not the content of a stored entry. */
async function* outside(fd: number, entries: ReadonlyMap<string, ArchiveEntry>, end: number): AsyncGenerator<Buffer> {
  const stored = [...entries.values()].filter((entry) => !entry.deflated).sort((a, b) => a.start - b.start)
  let position = 0
  for (const entry of stored) {
    yield* readRange(fd, position, entry.start)
    position = entry.start + entry.packedBytes
  }
  yield* readRange(fd, position, end)
}

/** The file's bytes from `start` to before `end`. Each chunk has its own memory, where none is given: streams keep several at once. */
async function* readRange(fd: number, start: number, end: number, memory?: Buffer): AsyncGenerator<Buffer> {
  const read = promisify(readFd)
  for (let position = start; position < end; ) {
    const wanted = Math.min(chunkBytes, end - position)
    const { bytesRead, buffer } = await read(fd, memory ?? Buffer.allocUnsafe(wanted), 0, wanted, position)
    if (bytesRead === 0) throw fail('archive_invalid', 'The archive ends too early.')
    position += bytesRead
    yield buffer.subarray(0, bytesRead)
  }
}

/** Reads small pieces through a window, since a directory is read field by field. It never closes the descriptor. */
class WindowReader extends RandomAccessReader {
  readonly #fd: number
  #window = Buffer.alloc(0)
  #start = 0

  constructor(fd: number) {
    super()
    this.#fd = fd
  }

  override read(
    target: Buffer,
    offset: number,
    length: number,
    position: number,
    callback: (error: Error | null) => void,
  ): void {
    const from = position - this.#start
    if (from >= 0 && from + length <= this.#window.length) {
      this.#window.copy(target, offset, from, from + length)
      callback(null)
      return
    }
    // Reading on means that the directory is read: take much. A jump means a local header: take little.
    const sequential = from >= 0 && from <= this.#window.length
    const wanted = Math.max(length, sequential ? 256 * 1024 : 256)
    readFd(this.#fd, Buffer.allocUnsafe(wanted), 0, wanted, position, (error, bytesRead, buffer) => {
      if (error !== null) {
        callback(error)
        return
      }
      if (bytesRead < length) {
        callback(new Error('unexpected end of file'))
        return
      }
      this.#window = buffer.subarray(0, bytesRead)
      this.#start = position
      buffer.copy(target, offset, 0, length)
      callback(null)
    })
  }

  override close(callback: (error: Error | null) => void): void {
    callback(null)
  }
}

/** Whatever yauzl objects to, the archive is not one of ours. That a disk cannot be read says nothing of the archive. */
async function asInvalid<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (cause) {
    if (cause instanceof Error && 'syscall' in cause && fileErrorCode(cause) !== 'EISDIR') throw cause
    // What yauzl says of it is for developers, and goes along as the cause.
    throw fail('archive_invalid', undefined, { cause })
  }
}

/** With `decodeStrings: false` yauzl gives buffers where its types say strings. */
function bytesOf(value: string): Buffer {
  return value as unknown as Buffer
}

function tooLarge(what: string, most: number): Error {
  return fail('archive_too_large', `${what.slice(0, 120)} is larger than ${Math.floor(most / 1024 / 1024)} MiB.`)
}

function unsafe(name: string, reason: string): Error {
  return fail('archive_unsafe_path', `The archive holds an unsafe name, ${shown(name)}: ${reason}.`)
}

function shown(name: string): string {
  return JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name)
}

/** What a transform makes of the bytes of a source. Ends both, however the loop over it ends. */
async function* through(source: AsyncIterable<Uint8Array>, transform: Transform): AsyncGenerator<Buffer> {
  const input = Readable.from(source, { objectMode: false, highWaterMark: 1024 * 1024 })
  input.on('error', (error) => transform.destroy(error))
  input.pipe(transform)
  try {
    for await (const chunk of transform) yield chunk as Buffer
  } finally {
    input.destroy()
    transform.destroy()
  }
}
