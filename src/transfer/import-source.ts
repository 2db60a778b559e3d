import { openForeignZip } from '../archive/foreign-zip.ts'
import { type ArchiveEntry, openArchive } from '../archive/zip-reader.ts'
import type { ImageSource } from '../kernel/context.ts'
import { Failure, fail, invalid } from '../kernel/errors.ts'
import type { Files } from '../storage/files.ts'
import { documentName } from './document-format.ts'
import type { ForeignDocument } from './foreign/book.ts'
import { foreignDocument, foreignKind } from './foreign/foreign.ts'
import { importLimits, mebibyte } from './import-limits.ts'

const foreignLimits = { zipBytes: importLimits.zipBytes, textBytes: importLimits.documentBytes }

const zipLimits = {
  archiveBytes: importLimits.zipBytes,
  entryBytes: importLimits.documentBytes,
  totalBytes: importLimits.zipBytes,
  entries: 100_000,
  manifestBytes: 0,
}

/** Opens a zip as an import takes it. Throws `validation_failed` for what is none, or tries to be more than it says. */
export async function openImportZip(file: string) {
  try {
    return await openArchive(file, zipLimits)
  } catch (error) {
    throw asImportFailure(error)
  }
}

/** The words of a backup would send people to another page. */
export function asImportFailure(error: unknown): unknown {
  if (!(error instanceof Failure) || !error.code.startsWith('archive_')) return error
  const message = error.message.replace(/^This file is not a Talekeeper backup/, 'This file is not a zip of a campaign')
  return error.code === 'archive_too_large'
    ? fail('too_large', message, { cause: error })
    : fail('validation_failed', message, {
        cause: error,
        details: [{ path: 'file', message: 'not a zip of a campaign' }],
      })
}

/** Whether a file begins as a zip does. */
export async function isZip(files: Files, file: string): Promise<boolean> {
  for await (const chunk of files.chunks(file)) return chunk.length > 3 && chunk.readUInt32LE(0) === 0x04034b50
  return false
}

/** A document that is to be read, and what lies beside it. */
export interface Source {
  readonly bytes: AsyncIterable<Uint8Array>
  readonly total: number
  /** Names of what lies beside the document; null where there is nothing beside it. */
  readonly names: ReadonlySet<string> | null
  /** Of another program: what of it was not understood. */
  readonly foreign: ForeignDocument['dropped'] | null
  close(): Promise<void>
}

/** Opens a document, or a zip with one. Throws `validation_failed`, `too_large`. */
export async function openSource(files: Files, file: string): Promise<Source> {
  if (!(await isZip(files, file))) {
    const total = (await files.stat(file))?.bytes ?? 0
    if (total > importLimits.documentBytes) throw tooLarge()
    return { bytes: files.chunks(file), total, names: null, foreign: null, close: async () => {} }
  }
  const own = await openImportZip(file).catch((error: unknown) => error)
  if (own instanceof Error || !isOurs((own as ImportZip).entries)) {
    const foreign = await foreignSource(file, own)
    if (foreign !== null) return foreign
  }
  const zip = own as ImportZip
  const entry = zip.entries.get(documentName)
  if (entry === undefined) {
    await zip.close()
    const message = `The zip has no ${documentName} at its top. Export the campaign again, as JSON with its pictures; Kanka's export and folders of Markdown are read too.`
    throw invalid('file', `no ${documentName} in it`, message)
  }
  return {
    bytes: content(zip, entry),
    total: entry.bytes,
    names: new Set(zip.entries.keys()),
    foreign: null,
    close: () => zip.close(),
  }
}

type ImportZip = Awaited<ReturnType<typeof openImportZip>>

const isOurs = (entries: ReadonlyMap<string, unknown>): boolean =>
  entries.has(documentName) && !entries.has('info.json')

/**
 * A zip of another program, as a document of ours; null where it is none. `own` is what came of opening it as one of ours: a
 * zip that is neither is refused for that reason.
 */
async function foreignSource(file: string, own: unknown): Promise<Source | null> {
  const zip = await openForeignZip(file, foreignLimits).catch((error: unknown) => {
    throw own instanceof Error ? own : error
  })
  try {
    const kind = foreignKind(zip)
    if (kind === null) {
      if (own instanceof Error) throw own
      return null
    }
    if (!(own instanceof Error)) await (own as ImportZip).close()
    const { document, dropped } = await foreignDocument(zip, kind)
    const bytes = Buffer.from(JSON.stringify(document))
    return {
      bytes: piecesOf(bytes),
      total: bytes.length,
      names: new Set(zip.entries.keys()),
      foreign: dropped,
      close: async () => {},
    }
  } finally {
    await zip.close()
  }
}

/** The pictures beside a document. */
export interface PictureZip {
  /** A file in it; null where there is none of that name. Reading it throws `too_large` for more than `most` bytes. */
  source(name: string, most: number): ImageSource | null
  close(): Promise<void>
}

export async function openPictures(file: string, isForeign: boolean): Promise<PictureZip> {
  if (isForeign) {
    const zip = await openForeignZip(file, foreignLimits)
    return {
      source(name, most) {
        const entry = zip.entries.get(name)
        return entry === undefined ? null : { size: entry.uncompressedSize, pieces: zip.content(entry, most) }
      },
      close: () => zip.close(),
    }
  }
  const zip = await openImportZip(file)
  return {
    source(name, most) {
      const entry = zip.entries.get(name)
      return entry === undefined ? null : { size: entry.bytes, pieces: zip.content(entry, most) }
    },
    close: () => zip.close(),
  }
}

async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += mebibyte) yield bytes.subarray(at, at + mebibyte)
}

async function* content(zip: Awaited<ReturnType<typeof openArchive>>, entry: ArchiveEntry): AsyncGenerator<Uint8Array> {
  try {
    yield* zip.content(entry, importLimits.documentBytes)
  } catch (error) {
    throw asImportFailure(error)
  }
}

function tooLarge(): Error {
  return fail('too_large', `A document may have at most ${importLimits.documentBytes / mebibyte} MiB.`)
}
