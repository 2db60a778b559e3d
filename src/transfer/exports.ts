import { mkdtemp } from 'node:fs/promises'
import path from 'node:path'
import { attachment } from '../domain/attachment/entity.ts'
import { campaign } from '../domain/campaign/entity.ts'
import type { Entity } from '../kernel/entity.ts'
import { Failure, fail } from '../kernel/errors.ts'
import { type ExportFormat, eyesFor, type Profile } from '../kernel/travel.ts'
import type { Viewer } from '../kernel/viewer.ts'
import { type Files, fileErrorCode } from '../storage/files.ts'
import type { Images } from '../storage/images.ts'
import { wholeRow } from '../storage/reader.ts'
import { openSnapshot, type Store } from '../storage/store.ts'
import { documentText } from './document.ts'
import { documentName } from './document-format.ts'
import { type Exporting, exportedRow } from './exported-row.ts'
import { type LeftOut, reasons } from './left-out.ts'
import { markdownItems } from './markdown.ts'
import { namesFor } from './names.ts'
import { selectRows } from './selection.ts'
import { mostZipBytes, type Stored, type ZipItem, zipOf } from './zip-stream.ts'

export interface ExportRequest {
  readonly campaignId: number
  /** Who exports: a Dungeon Master of the campaign. */
  readonly viewer: Viewer
  readonly profile: Profile
  readonly format: ExportFormat
}

export interface MadeExport {
  readonly fileName: string
  readonly mimeType: string
  /** Ends what the export holds when it ends, however that is. */
  readonly bytes: AsyncGenerator<Uint8Array>
  /** Pictures that do not go along, and why; all of them once the bytes have ended. It stands in what is sent, too. */
  readonly leftOut: readonly LeftOut[]
}

export interface Exports {
  /**
   * Gets an export ready to be sent; nothing of it is kept on the server. Throws `not_found`, `too_large`, `cancelled`.
   * A picture that cannot be cleaned of what its file tells does not go to others: `leftOut` names it.
   */
  make(request: ExportRequest, signal: AbortSignal): Promise<MadeExport>
  /** Ends all that are being sent: the database is about to be replaced. */
  endAll(): void
}

export interface ExportParts {
  store(): Store
  readonly images: Pick<Images, 'find' | 'clean'>
  readonly files: Files
  readonly tempDir: string
  readonly version: string
  readonly clock: () => Date
}

/** A picture that may go along. */
export interface Picture {
  readonly id: number
  readonly fileKey: string
  readonly sha256: string
  /** In the zip. */
  readonly name: string
}

export function createExports(parts: ExportParts): Exports {
  const running = new Set<AbortController>()
  return {
    async make(request, given) {
      const ended = new AbortController()
      running.add(ended)
      const signal = AbortSignal.any([given, ended.signal])
      const undo: (() => Promise<void> | void)[] = [() => void running.delete(ended)]
      const finish = async (): Promise<void> => {
        for (const each of undo.splice(0)) await each()
      }
      try {
        const store = openSnapshot(parts.store())
        undo.push(() => store.close())
        return await prepare(parts, store, request, signal, undo, finish)
      } catch (error) {
        await finish()
        throw signal.aborted && !(error instanceof Failure) ? fail('cancelled', undefined, { cause: error }) : error
      }
    },
    endAll() {
      for (const each of running) each.abort()
    },
  }
}

async function prepare(
  parts: ExportParts,
  store: Store,
  { campaignId, viewer, profile, format }: ExportRequest,
  signal: AbortSignal,
  undo: (() => Promise<void> | void)[],
  finish: () => Promise<void>,
): Promise<MadeExport> {
  const eyes = eyesFor(profile, campaign, undefined, viewer) ?? viewer
  const selection = await selectRows(store, viewer, profile, signal)
  const names = namesFor(store, campaignId, profile)
  const exporting: Exporting = { store, campaignId, profile, eyes, selection, names }
  const now = parts.clock()
  const title = String(wholeRow(store, campaign as never, campaignId)?.name ?? '')
  const fileName = `${slugOf(title)}-${profile}.${format === 'json' ? 'json' : 'zip'}`
  const head = { madeBy: `Talekeeper ${parts.version}`, exportedAt: now.toISOString() }
  if (format === 'json') {
    const bytes = ending(documentText(exporting, { ...head, files: new Map(), leftOut: [] }, signal), finish)
    return { fileName, mimeType: 'application/json; charset=utf-8', bytes, leftOut: [] }
  }
  const pictures = picturesOf(exporting)
  const folder = profile === 'backup' ? await stage(parts, pictures, undo) : null
  const files = new Map<number, string>()
  const leftOut: LeftOut[] = []
  async function* items(): AsyncGenerator<ZipItem> {
    for (const picture of pictures) {
      signal.throwIfAborted()
      const content = await contentOf(parts, picture, folder)
      if (typeof content === 'string') {
        leftOut.push(leftOutOf(exporting, picture.id, content))
        continue
      }
      files.set(picture.id, picture.name)
      yield { name: picture.name, content }
    }
    const whole = { ...head, files, leftOut }
    if (format === 'zip') yield { name: documentName, content: documentText(exporting, whole, signal) }
    else yield* markdownItems(exporting, whole, signal)
  }
  return { fileName, mimeType: 'application/zip', bytes: ending(zipOf(items(), now), finish), leftOut }
}

async function* ending(bytes: AsyncIterable<Uint8Array>, finish: () => Promise<void>): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes
  } finally {
    await finish()
  }
}

/** By the name that it has in this export. */
function leftOutOf(exporting: Exporting, id: number, why: keyof typeof reasons): LeftOut {
  const eyes = exporting.selection.get(attachment.name)?.eyes ?? exporting.eyes
  const row = exportedRow(exporting, attachment as unknown as Entity, eyes, id)
  return { attachmentId: id, name: String(row?.caption ?? row?.fileName ?? ''), reason: reasons[why] }
}

/** Throws `too_large` where they do not fit into a zip. */
function picturesOf({ store, selection }: Exporting): readonly Picture[] {
  let total = 0
  const ids = selection.get(attachment.name)?.ids ?? new Set()
  const pictures = Array.from(ids).flatMap((id): Picture[] => {
    const row = wholeRow(store, attachment as never, id)
    if (row === null) return []
    const fileKey = String(row.fileKey)
    total += Number(row.byteSize)
    return [{ id, fileKey, sha256: String(row.sha256), name: `pictures/${id}${path.extname(fileKey)}` }]
  })
  if (total > mostZipBytes)
    throw fail(
      'too_large',
      'The pictures of this campaign are more than one file can hold. Export it as JSON, without them.',
    )
  return pictures
}

/**
 * Copies that nothing changes any more (SPEC 8.3.7), before the first byte is sent: hard links, since the file under a hash
 * is never written again.
 */
async function stage(
  { files, images, tempDir }: ExportParts,
  pictures: readonly Picture[],
  undo: (() => Promise<void> | void)[],
): Promise<string> {
  const folder = await mkdtemp(path.join(tempDir, `talekeeper-upload-${process.pid}-`))
  undo.push(() => files.removeTree(folder))
  for (const picture of pictures) {
    const found = await images.find(picture, 'original').catch(absent)
    if (found === null) continue
    const target = path.join(folder, String(picture.id))
    try {
      await files.link(found.path, target)
    } catch (error) {
      if (!['EXDEV', 'EPERM', 'ENOTSUP', 'EMLINK'].includes(fileErrorCode(error) ?? '')) throw error
      const copy = await files.create(target)
      try {
        for await (const piece of files.chunks(found.path)) await copy.write(piece)
      } finally {
        await copy.close()
      }
    }
  }
  return folder
}

function absent(error: unknown): null {
  if (error instanceof Failure && error.code === 'not_found') return null
  throw error
}

/** A picture for the zip, one in memory at a time at most (SPEC 8.3.6), or why it does not go along. */
async function contentOf(
  { files, images }: ExportParts,
  picture: Picture,
  folder: string | null,
): Promise<Stored | keyof typeof reasons> {
  if (folder === null) {
    const clean = await images.clean(picture)
    return typeof clean === 'string' ? clean : { isShared: false, pieces: () => clean }
  }
  const staged = path.join(folder, String(picture.id))
  return (await files.stat(staged)) === undefined ? 'missing' : { isShared: true, pieces: () => files.chunks(staged) }
}

/** ASCII for the name of a file. */
export function slugOf(title: string): string {
  const slug = title
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
    .slice(0, 60)
  return slug || 'campaign'
}
