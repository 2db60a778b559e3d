import { mkdtemp } from 'node:fs/promises'
import path from 'node:path'
import { setImmediate } from 'node:timers/promises'
import { attachment } from '../domain/attachment/entity.ts'
import type { ImportReport } from '../domain/campaign/arrival.ts'
import { campaign } from '../domain/campaign/entity.ts'
import type { ImageFile, StagedCampaign } from '../kernel/context.ts'
import type { Entity } from '../kernel/entity.ts'
import { Failure, fail, invalid } from '../kernel/errors.ts'
import { inTexts, withChangedIds } from '../kernel/inner-ids.ts'
import { carryOf } from '../kernel/travel.ts'
import {
  type Arrival,
  arrivingTransaction,
  beginArrival,
  completeArrived,
  insertArrived,
  takeBackSome,
  unfinishedArrivals,
} from '../storage/arrivals.ts'
import type { Files } from '../storage/files.ts'
import type { Images } from '../storage/images.ts'
import type { Store } from '../storage/store.ts'
import { noteBrought } from '../storage/upload-sweep.ts'
import type { Progress, TaskOptions } from '../storage/workers.ts'
import { importLimits } from './import-limits.ts'
import type { ArrivedRow, ReadDocument, ReadPayload } from './import-read.ts'
import { asImportFailure, isZip, openPictures } from './import-source.ts'
import { linesOf } from './line-file.ts'
import { remapMentions } from './mention-text.ts'

// A campaign comes in:
//
// 1. a worker reads and judges the document, and lays its rows down (import-read.ts)
// 2. the pictures are looked at and kept, one at a time
// 3. ids are reserved, and the rows come in, some at a time, under a campaign that nobody is a member of
// 4. the references between them, and the search index
// 5. the operation makes the caller a member, in one transaction with its record: now it is there, whole
//
// Whatever ends it before the fifth step, the rows are taken back: at once, or at the next start.

export interface ImportRequest {
  /** A document, or a zip with one. */
  readonly file: string
  /** Whose the things become that must be somebody's. */
  readonly userId: number
  /** Instead of the name in the document. */
  readonly name?: string | undefined
  /** What becomes of the campaign's own fields, and of the rows, when a copy begins anew. */
  readonly change?:
    | ((entityType: string, values: Record<string, unknown>) => Record<string, unknown> | null)
    | undefined
  /** For a copy: the facts of a picture that lies here already, by the id of its row. */
  readonly pictureOf?: ((oldId: number) => ImageFile | null) | undefined
  /** For a document of our own: the bytes of each of its pictures, by the name of its file. */
  readonly pictureNamed?: ((name: string) => Uint8Array | undefined) | undefined
}

export interface ImportOptions {
  readonly signal: AbortSignal
  readonly onProgress?: ((progress: Progress) => void) | undefined
}

export interface Imports {
  /** Reads a document and says what would come in. Changes nothing. Throws `validation_failed`, `too_large`, `cancelled`. */
  inspect(request: Pick<ImportRequest, 'file'>, options: ImportOptions): Promise<ImportReport>
  /** Steps 1 to 4. Throws what `inspect` throws, and then nothing is left. */
  stage(request: ImportRequest, options: ImportOptions): Promise<StagedCampaign>
  /** Takes a staged campaign back, when step 5 did not come about. */
  takeBack(campaignId: number): Promise<void>
  /** Takes back what earlier processes, and restored databases, left unfinished. */
  sweep(): Promise<void>
}

export interface ImportParts {
  store(): Store
  readonly files: Files
  readonly images: Pick<Images, 'keep'>
  readonly tempDir: string
  readonly clock: () => Date
  /** Reads a document beside the main thread. */
  read(payload: ReadPayload, options: TaskOptions): Promise<ReadDocument>
}

/** How long the main thread works on rows before others get their turn, in milliseconds. */
const sliceMs = 4

export function createImports(parts: ImportParts): Imports {
  const { files, clock, store } = parts
  const active = new Set<number>()

  const withFolder = async <T>(work: (folder: string) => Promise<T>): Promise<T> => {
    const folder = await mkdtemp(path.join(parts.tempDir, `talekeeper-upload-${process.pid}-`))
    try {
      return await work(folder)
    } finally {
      await files.removeTree(folder)
    }
  }
  const takeBack = async (campaignId: number): Promise<void> => {
    while (takeBackSome(store(), campaignId)) await setImmediate()
    active.delete(campaignId)
  }
  return {
    inspect: ({ file }, { signal, onProgress }) =>
      withFolder(
        async (folder) => (await parts.read({ file, folder, hasFiles: false }, { signal, onProgress })).report,
      ),
    stage: (request, options) =>
      withFolder(async (folder) => {
        const { file, pictureOf, pictureNamed } = request
        const hasFiles = pictureOf !== undefined || pictureNamed !== undefined
        const read = await parts.read({ file, folder, hasFiles }, options)
        const pictures = await keepPictures(parts, request, read, options)
        let arrival: Arrival | null = null
        try {
          const counts = new Map(read.kinds.map(({ entityType, last }) => [entityType, last]))
          const own = asArrived(read.campaign, request, campaign.name)
          if (own === null) throw new Error('a copy leaves its campaign out')
          const root = campaign as unknown as Entity
          arrival = beginArrival(store(), root, (bases) => withIds(root, own, bases), counts, clock().toISOString())
          active.add(arrival.campaignId)
          await bringRows(parts, request, read, arrival, own, pictures, options)
          return { campaignId: arrival.campaignId, report: { ...read.report, name: String(own.name) } }
        } catch (error) {
          if (arrival !== null) await takeBack(arrival.campaignId)
          throw options.signal.aborted && !(error instanceof Failure)
            ? fail('cancelled', undefined, { cause: error })
            : error
        }
      }),
    takeBack,
    async sweep() {
      for (const campaignId of unfinishedArrivals(store())) if (!active.has(campaignId)) await takeBack(campaignId)
    },
  }
}

function asArrived(
  values: Readonly<Record<string, unknown>>,
  { change, name }: ImportRequest,
  entityType: string,
): Record<string, unknown> | null {
  const named = entityType === campaign.name && name !== undefined ? { ...values, name } : { ...values }
  return change === undefined ? named : change(entityType, named)
}

/** Step 2. By the places of their rows. Throws `validation_failed` naming a picture that is none. */
async function keepPictures(
  { files, images, store }: ImportParts,
  { file, pictureOf, pictureNamed }: ImportRequest,
  { kinds, foreign }: ReadDocument,
  { signal, onProgress }: ImportOptions,
): Promise<ReadonlyMap<number, ImageFile>> {
  const kept = new Map<number, ImageFile>()
  const rows = kinds.find(({ entityType }) => entityType === attachment.name)
  if (rows === undefined || rows.count === 0) return kept
  if (pictureOf !== undefined) {
    for await (const row of linesOf(rows.file) as AsyncGenerator<ArrivedRow>) {
      const facts = pictureOf(row.oldId)
      if (facts !== null) kept.set(row.place, facts)
    }
    return kept
  }
  // To wait for the disk with each would hold everybody up. After a power cut a picture of an import that did not come about may stay.
  const onNew = (fileKey: string) => arrivingTransaction(store(), () => noteBrought(store(), fileKey))
  if (pictureNamed !== undefined) {
    for await (const row of linesOf(rows.file) as AsyncGenerator<ArrivedRow>) {
      const bytes = pictureNamed(row.file ?? '')
      if (bytes === undefined) throw new Error(`The program was built without its picture ${row.file}.`)
      kept.set(row.place, await images.keep(bytes, onNew))
    }
    return kept
  }
  if (!(await isZip(files, file))) return kept
  const zip = await openPictures(file, foreign)
  try {
    for await (const row of linesOf(rows.file) as AsyncGenerator<ArrivedRow>) {
      if (signal.aborted) throw fail('cancelled')
      const name = row.file ?? ''
      const source = zip.source(name, importLimits.pictureBytes)
      if (source === null) continue
      onProgress?.({ phase: 'pictures', done: kept.size, total: rows.count })
      try {
        kept.set(row.place, await images.keep(source, onNew))
      } catch (error) {
        if (!(error instanceof Failure)) throw error
        if (error.code !== 'validation_failed' || error.message.includes(name)) throw error
        throw invalid(name, error.message, `${name}: ${error.message}`)
      }
    }
    return kept
  } catch (error) {
    throw asImportFailure(error)
  } finally {
    await zip.close()
  }
}

/** Steps 3 and 4. */
async function bringRows(
  parts: ImportParts,
  request: ImportRequest,
  { kinds }: ReadDocument,
  { campaignId, bases }: Arrival,
  own: Readonly<Record<string, unknown>>,
  pictures: ReadonlyMap<number, ImageFile>,
  { signal, onProgress }: ImportOptions,
): Promise<void> {
  const total = 2 * kinds.reduce((sum, { count }) => sum + count, 0)
  const now = parts.clock().toISOString()
  const registry = parts.store().registry
  const root = campaign as unknown as Entity
  let done = 0
  const each = async (work: (store: Store, entity: Entity, id: number, row: ArrivedRow) => void): Promise<void> => {
    for (const { entityType, file, count } of kinds) {
      if (count === 0) continue
      const entity = registry.get(entityType)
      const base = bases.get(entityType) ?? 0
      const lines = linesOf(file) as AsyncGenerator<ArrivedRow>
      for (let slice = await nextSlice(lines); slice.length > 0; slice = await nextSlice(lines)) {
        if (signal.aborted) throw fail('cancelled')
        let at = 0
        while (at < slice.length) {
          // Before, not after: what was read ends its wait in the same turn of the event loop in which the next one would begin.
          await setImmediate()
          const store = parts.store()
          const until = performance.now() + sliceMs
          arrivingTransaction(store, () => {
            do {
              const row = slice[at] as ArrivedRow
              work(store, entity, base + row.place, row)
              at += 1
            } while (at < slice.length && performance.now() < until)
          })
        }
        done += slice.length
        onProgress?.({ phase: 'writing', done, total })
      }
    }
  }
  const remap = (entity: Entity, values: Readonly<Record<string, unknown>>) => withIds(entity, values, bases)
  /** Those that a copy leaves out. */
  const absent = new Set<string>()
  await each((store, entity, id, row) => {
    const values = asArrived(remap(entity, row.values), request, entity.name)
    const picture = entity.name === attachment.name ? pictures.get(row.place) : undefined
    if (
      values === null ||
      isOrphan(entity, values, absent) ||
      (entity.name === attachment.name && picture === undefined)
    ) {
      absent.add(`${entity.name}:${id}`)
      return
    }
    const whole = { ...values, ...picture, ...ownersOf(entity, request.userId) }
    const createdAt = row.createdAt ?? now
    insertArrived(store, entity, { id, campaignId, values: whole, createdAt, updatedAt: row.updatedAt ?? createdAt })
  })
  await each((store, entity, id, row) => {
    if (absent.has(`${entity.name}:${id}`)) return
    completeArrived(
      store,
      entity,
      id,
      present(entity, asArrived(remap(entity, row.values), request, entity.name) ?? {}, absent),
    )
  })
  const store = parts.store()
  store.transaction(() => {
    const values = present(root, withIds(root, own, bases), absent)
    completeArrived(store, root, campaignId, values)
  })
}

/** Whether a row cannot be without one that a copy leaves out. */
function isOrphan({ fields }: Entity, values: Readonly<Record<string, unknown>>, absent: ReadonlySet<string>): boolean {
  if (absent.size === 0) return false
  return Object.entries(fields).some(
    ([key, { presence, marks }]) =>
      presence !== 'nullable' && marks.references !== undefined && absent.has(`${marks.references}:${values[key]}`),
  )
}

/** Without references to what a copy leaves out. */
function present(
  { fields }: Entity,
  values: Record<string, unknown>,
  absent: ReadonlySet<string>,
): Record<string, unknown> {
  if (absent.size === 0) return values
  const result = { ...values }
  for (const [key, { marks }] of Object.entries(fields)) {
    if (marks.references !== undefined && absent.has(`${marks.references}:${result[key]}`)) result[key] = null
    if (marks.link === undefined || !('type' in marks.link) || !absent.has(`${result[marks.link.type]}:${result[key]}`))
      continue
    result[key] = null
    result[marks.link.type] = null
  }
  return result
}

/** Whose what must be somebody's becomes. */
function ownersOf(entity: Entity, userId: number): Record<string, unknown> {
  const people = Object.entries(entity.fields).filter(
    ([key, { presence, marks }]) =>
      presence === 'required' && marks.references === 'user' && typeof carryOf(entity, key) === 'object',
  )
  return Object.fromEntries(people.map(([key]) => [key, userId]))
}

/** Places become ids. */
function withIds(
  entity: Entity,
  values: Readonly<Record<string, unknown>>,
  bases: Arrival['bases'],
): Record<string, unknown> {
  const idOf = (kind: string, place: number): number => (bases.get(kind) ?? 0) + place
  const result: Record<string, unknown> = { ...values }
  for (const [key, { marks, schema }] of Object.entries(entity.fields)) {
    const value = result[key]
    if (value === null || value === undefined) continue
    if (typeof value === 'number' && marks.references !== undefined && marks.references !== 'user')
      result[key] = idOf(marks.references, value)
    if (typeof value === 'number' && marks.link !== undefined && 'type' in marks.link)
      result[key] = idOf(String(values[marks.link.type]), value)
    if (typeof value !== 'string' && typeof value !== 'object') continue
    const followed =
      typeof value === 'object' && carryOf(entity, key) === 'remap' ? withChangedIds(schema, value, idOf) : value
    result[key] = inTexts(followed, (text) =>
      remapMentions(text, (kind, place) => (bases.has(kind) ? idOf(kind, place) : null)),
    )
  }
  return result
}

async function nextSlice(lines: AsyncGenerator<ArrivedRow>): Promise<readonly ArrivedRow[]> {
  const slice: ArrivedRow[] = []
  while (slice.length < 200) {
    const next = await lines.next()
    if (next.done === true) break
    slice.push(next.value)
  }
  return slice
}
