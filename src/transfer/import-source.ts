import { type ArchiveEntry, openArchive } from '../archive/zip-reader.ts'
import { Failure, fail, invalid } from '../kernel/errors.ts'
import type { Files } from '../storage/files.ts'
import { documentName } from './document-format.ts'

const mebibyte = 1024 * 1024
/** Of the document, of one value in it, and of a zip with its pictures. In bytes. */
export const importLimits = {
  documentBytes: 256 * mebibyte,
  valueBytes: 2 * mebibyte,
  zipBytes: 4096 * mebibyte,
  pictureBytes: 32 * mebibyte,
  depth: 32,
  rows: 1_000_000,
} as const

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
  close(): Promise<void>
}

/** Opens a document, or a zip with one. Throws `validation_failed`, `too_large`. */
export async function openSource(files: Files, file: string): Promise<Source> {
  if (!(await isZip(files, file))) {
    const total = (await files.stat(file))?.bytes ?? 0
    if (total > importLimits.documentBytes) throw tooLarge()
    return { bytes: files.chunks(file), total, names: null, close: async () => {} }
  }
  const zip = await openImportZip(file)
  const entry = zip.entries.get(documentName)
  if (entry === undefined) {
    await zip.close()
    const message = `The zip has no ${documentName} at its top. Export the campaign again, as JSON with its pictures.`
    throw invalid('file', `no ${documentName} in it`, message)
  }
  return {
    bytes: content(zip, entry),
    total: entry.bytes,
    names: new Set(zip.entries.keys()),
    close: () => zip.close(),
  }
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
