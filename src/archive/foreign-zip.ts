import { type Entry, openPromise, type ZipFile } from 'yauzl'
import { Failure, fail, invalid } from '../kernel/errors.ts'

// Zips that other programs made: with folders, names in any script, and whatever else people keep beside their notes. Nothing
// is unpacked to a path, so that a name can do no harm: it is only compared.

const mostEntries = 100_000
/** Of one page or record, in bytes. */
const textBytes = 8 * 1024 * 1024

/** In bytes: of the zip, and of all texts in it together. */
export interface ForeignLimits {
  readonly zipBytes: number
  readonly textBytes: number
}

export interface ForeignZip {
  /** Files by their names from the top, with `/` between folders; what systems put there for themselves is left out. */
  readonly entries: ReadonlyMap<string, Entry>
  /** The bytes of a file. Throws `too_large`, and `validation_failed` where they are not what the zip says. */
  content(entry: Entry, most: number): AsyncGenerator<Buffer>
  /** A file as text. */
  text(name: string): Promise<string>
  close(): Promise<void>
}

const ownFolder = /(?:^|\/)(?:__MACOSX|\.[^/]*)(?:\/|$)/

/** Opens a zip. Throws `validation_failed` for what is none, or is encrypted, and `too_large`. */
export async function openForeignZip(file: string, limits: ForeignLimits): Promise<ForeignZip> {
  const zip = await judged(openPromise(file, { lazyEntries: true, autoClose: false }))
  const entries = new Map<string, Entry>()
  try {
    if (zip.fileSize > limits.zipBytes) throw fail('too_large', 'The zip is larger than an import may be.')
    if (zip.entryCount > mostEntries) throw fail('too_large', `The zip has more than ${mostEntries} files.`)
    const iterator = zip.eachEntry()
    let total = 0
    for (;;) {
      const next = await judged(iterator.next())
      if (next.done === true) break
      const entry = next.value
      const name = entry.fileName.normalize('NFC')
      if (name.endsWith('/') || ownFolder.test(name)) continue
      if ((entry.generalPurposeBitFlag & 1) !== 0)
        throw notRead(name, 'is encrypted. Make the zip again, without a password.')
      if (![0, 8].includes(entry.compressionMethod))
        throw notRead(name, 'is packed in a way that is not read here. Make a plain zip.')
      if (/\.(?:md|json)$/i.test(name)) total += entry.uncompressedSize
      if (total > limits.textBytes)
        throw fail('too_large', `The texts in the zip are more than ${limits.textBytes} bytes.`)
      if (entries.has(name)) throw notRead(name, 'is in the zip twice.')
      entries.set(name, entry)
    }
    return {
      entries,
      content: (entry, most) => content(zip, entry, most),
      async text(name) {
        const entry = entries.get(name)
        if (entry === undefined) throw notRead(name, 'is not in the zip.')
        const pieces: Buffer[] = []
        for await (const piece of content(zip, entry, textBytes)) pieces.push(piece)
        return Buffer.concat(pieces)
          .toString('utf8')
          .replace(/^\uFEFF/, '')
      },
      close: async () => zip.close(),
    }
  } catch (error) {
    zip.close()
    throw error
  }
}

async function* content(zip: ZipFile, entry: Entry, most: number): AsyncGenerator<Buffer> {
  if (entry.uncompressedSize > most)
    throw fail('too_large', `${entry.fileName.slice(0, 120)} is larger than ${most} bytes.`)
  const stream = await judged(zip.openReadStreamPromise(entry))
  let length = 0
  try {
    for await (const piece of stream as AsyncIterable<Buffer>) {
      length += piece.length
      if (length > most) throw fail('too_large', `${entry.fileName.slice(0, 120)} is larger than ${most} bytes.`)
      yield piece
    }
  } catch (error) {
    throw error instanceof Failure ? error : notRead(entry.fileName, 'is damaged.')
  }
}

function notRead(name: string, why: string): Failure {
  return invalid('file', 'not a zip that can be read', `${name.slice(0, 120)} ${why}`)
}

async function judged<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    if (error instanceof Failure) throw error
    throw fail('validation_failed', 'This file is not a zip that can be read here.', {
      cause: error,
      details: [{ path: 'file', message: 'not a zip' }],
    })
  }
}
