import { mkdtemp } from 'node:fs/promises'
import path from 'node:path'
import { attachment } from '../domain/attachment/entity.ts'
import { campaign } from '../domain/campaign/entity.ts'
import type { ImageFile, Travel } from '../kernel/context.ts'
import type { Entity } from '../kernel/entity.ts'
import { circleOf } from '../kernel/travel.ts'
import type { Actor } from '../kernel/viewer.ts'
import type { Files } from '../storage/files.ts'
import { wholeRow } from '../storage/reader.ts'
import { openSnapshot, type Store } from '../storage/store.ts'
import type { ExportRequest, Exports, MadeExport } from './exports.ts'
import type { ImportRequest, Imports } from './imports.ts'

/** A document of at most so many bytes is answered whole. */
const usualInlineBytes = 32_000

export interface TravelParts {
  readonly exports: Exports
  readonly imports: Imports
  readonly files: Files
  readonly tempDir: string
  store(): Store
  /** A link to an export that is made when it is used, by whoever asked for it. */
  link(request: Omit<ExportRequest, 'viewer'>, actor: Actor): { readonly path: string; readonly expiresAt: string }
  /** A picture of the sample campaign by its file name; undefined where the program was built without. */
  readonly samplePicture?: ((name: string) => Uint8Array | undefined) | undefined
  /** Instead of the usual bound of what is answered whole. */
  readonly inlineBytes?: number
}

/** What operations use of exports and imports. */
export function createTravel(parts: TravelParts): Travel {
  const { exports, imports, files, tempDir, store, link, samplePicture, inlineBytes = usualInlineBytes } = parts
  const spooled = async <T>(bytes: AsyncIterable<Uint8Array>, work: (file: string) => Promise<T>): Promise<T> => {
    const folder = await mkdtemp(path.join(tempDir, `talekeeper-upload-${process.pid}-`))
    try {
      const file = path.join(folder, 'document')
      const writer = await files.create(file)
      try {
        for await (const piece of bytes) await writer.write(piece)
      } finally {
        await writer.close()
      }
      return await work(file)
    } finally {
      await files.removeTree(folder)
    }
  }
  return {
    stageDocument: (document, { userId, signal }) =>
      spooled(once(Buffer.from(JSON.stringify(document))), (file) => imports.stage({ file, userId }, { signal })),
    stageSample: (document, { userId, signal }) =>
      spooled(once(Buffer.from(JSON.stringify(document))), (file) =>
        imports.stage({ file, userId, pictureNamed: samplePicture }, { signal }),
      ),
    async stageCopy({ campaignId, viewer, name, anew, signal }) {
      const made = await exports.make({ campaignId, viewer, profile: 'backup', format: 'json' }, signal)
      const snapshot = openSnapshot(store())
      try {
        const request: Omit<ImportRequest, 'file'> = {
          userId: viewer.userId,
          name: name ?? copyOf(String(wholeRow(snapshot, campaign as never, campaignId)?.name ?? '')),
          pictureOf: (id) => pictureIn(snapshot, id),
          change: anew
            ? (entityType, values) => anewOf(snapshot, snapshot.registry.get(entityType), values)
            : undefined,
        }
        return await spooled(made.bytes, (file) => imports.stage({ ...request, file }, { signal }))
      } finally {
        snapshot.close()
      }
    },
    async offer({ actor, signal, ...request }) {
      const { campaignId, profile, format } = request
      const made = await exports.make(request, signal)
      const document = format === 'json' ? await shortText(made, inlineBytes) : await nothing(made)
      if (document !== null) return { document, download: null }
      return { document: null, download: { ...link({ campaignId, profile, format }, actor), fileName: made.fileName } }
    },
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** The text of a small document; null of a large one, of which no more is read. */
async function shortText({ bytes }: MadeExport, mostBytes: number): Promise<string | null> {
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of bytes) {
    pieces.push(piece)
    length += piece.length
    if (length > mostBytes) return null
  }
  return Buffer.concat(pieces).toString('utf8')
}

async function nothing({ bytes }: MadeExport): Promise<null> {
  // A generator that was never begun would not let go of what it holds.
  await bytes.next()
  await bytes.return(undefined)
  return null
}

function pictureIn(store: Store, id: number): ImageFile | null {
  const row = wholeRow(store, attachment as never, id)
  if (row === null || row.missing === true) return null
  const { fileKey, sha256, byteSize, mimeType, width, height } = row as unknown as ImageFile
  return { fileKey, sha256, byteSize, mimeType, width, height }
}

function copyOf(name: string): string {
  return `${name.slice(0, 105)} (copy)`
}

/** A row of a campaign that begins anew: null where it came of playing, or of the people who did. */
function anewOf(
  { registry }: Pick<Store, 'registry'>,
  entity: Entity,
  values: Record<string, unknown>,
): Record<string, unknown> | null {
  const { fields, ofPlay, forAi } = entity
  if (ofPlay || forAi !== null || circleOf(entity, registry.toolsetOf(entity.name)) === 'people') return null
  const result = { ...values }
  for (const [key, { marks, initial, presence }] of Object.entries(fields)) {
    if (marks.ofPlay) result[key] = presence === 'nullable' ? null : initial
  }
  return result
}
