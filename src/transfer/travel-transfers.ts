import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import * as z from 'zod'
import { importReport } from '../domain/campaign/arrival.ts'
import { campaign } from '../domain/campaign/entity.ts'
import { importOperation } from '../domain/campaign/travel-operations.ts'
import { admit } from '../kernel/admission.ts'
import { fail } from '../kernel/errors.ts'
import { execute } from '../kernel/execute.ts'
import type { AnyOperation } from '../kernel/operation.ts'
import { createQueue } from '../kernel/queue.ts'
import type { Call, System } from '../kernel/system.ts'
import { type AnyTransfer, defineTransfer, type TransferContext } from '../kernel/transfer.ts'
import { exportFormats, profiles } from '../kernel/travel.ts'
import type { Actor, Viewer } from '../kernel/viewer.ts'
import type { Images } from '../storage/images.ts'
import type { Store } from '../storage/store.ts'
import type { Download } from './downloads.ts'
import type { ExportRequest, Exports } from './exports.ts'
import { createJobs } from './import-jobs.ts'
import { importLimits } from './import-limits.ts'
import type { Imports } from './imports.ts'
import { exportPreview, previewOutput } from './preview.ts'

export interface TravelTransferParts {
  system(): System
  store(): Store
  readonly exports: Exports
  readonly imports: Imports
  readonly images: Pick<Images, 'judge'>
}

/** Documents that arrive at once; each waits on disk for its turn to be read. */
const importing = { atOnce: 2, mostWaiting: 20 }

/** Who exports: their rights are judged as those of the operation are, each time. Throws what it would throw. */
function exporterOf(system: System, campaignId: number, call: Call): Viewer {
  const operation = system.operations.get('export_campaign')
  if (operation === undefined) throw new Error('there is no operation export_campaign')
  const { actor } = call
  if (actor === null) throw fail('unauthenticated')
  return system.view((unit) => admit(unit, operation, { campaignId } as never, { ...call, actor }).viewer)
}

/** A link to an export that is made when it is used, as whoever asked for it is by then. */
export function exportDownload(
  { system, exports }: Pick<TravelTransferParts, 'system' | 'exports'>,
  request: Omit<ExportRequest, 'viewer'>,
  actor: Actor,
  door: Call['door'],
): Download {
  return {
    kind: 'export',
    async send(context) {
      const present = system()
      const call = { ...callOf(context), door, actor: present.view((unit) => unit.recheck(actor)) }
      await sendExport(context, exports, { ...request, viewer: exporterOf(present, request.campaignId, call) })
    },
    discard() {},
  }
}

async function sendExport(context: TransferContext, exports: Exports, request: ExportRequest): Promise<void> {
  const { fileName, mimeType, bytes } = await exports.make(request, context.signal)
  await context.send({ mimeType, downloadName: fileName }, bytes)
}

function callOf({ actor, idempotencyKey, reason, requestId, signal }: TransferContext): Call {
  return { actor, idempotencyKey, reason, requestId, signal, door: 'rest' }
}

async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}

const documentForm = { fileField: 'file', mostBytes: importLimits.zipBytes }

/** Exports and imports as streams (SPEC 4.5, 4.6). */
export function travelTransfers(parts: TravelTransferParts): readonly AnyTransfer[] {
  const { system, exports, imports } = parts
  const queue = createQueue(importing.atOnce, importing.mostWaiting)
  const jobs = createJobs()
  return [
    defineTransfer({
      name: 'export_campaign',
      title: 'Export a campaign',
      description:
        'A stream: JSON, a zip of it with the pictures, or a zip of Markdown pages. Pictures of handoff and publish are without EXIF and XMP.',
      access: 'dm',
      effect: 'read',
      route: 'GET /campaigns/{campaignId}/export',
      carries: 'bytes',
      carriesBytesOf: 'export_campaign',
      input: z.strictObject({
        campaignId: campaign.id,
        format: z.enum(exportFormats).optional(),
        profile: z.enum(profiles).optional(),
      }),
      example: (world) => ({ campaignId: world.id('campaign') }),
      async handle(context, { campaignId, format = 'json', profile = 'backup' }) {
        const viewer = exporterOf(system(), campaignId, callOf(context))
        await sendExport(context, exports, { campaignId, viewer, format, profile })
        return undefined
      },
    }),
    defineTransfer({
      name: 'preview_export',
      title: 'What an export would hold',
      description: 'For each profile how many of each kind of thing go along, and why others do not. Changes nothing.',
      access: 'dm',
      effect: 'read',
      route: 'GET /campaigns/{campaignId}/export/preview',
      input: z.strictObject({ campaignId: campaign.id }),
      output: previewOutput,
      example: (world) => ({ campaignId: world.id('campaign') }),
      async handle(context, { campaignId }) {
        const viewer = exporterOf(system(), campaignId, callOf(context))
        return exportPreview(parts.store(), parts.images, viewer, campaignId, context.signal)
      },
    }),
    defineTransfer({
      name: 'import_campaign',
      title: 'Import a campaign',
      description:
        'The body is a document as exported, or a form with the file: JSON, a zip with its pictures, an export of Kanka, or a zip of Markdown. All of it comes in, or nothing.',
      access: 'user',
      effect: 'write',
      route: 'POST /campaigns/import',
      carries: 'document',
      carriesBytesOf: 'import_campaign',
      creates: true,
      input: z.strictObject({}),
      example: () => ({}),
      async handle(context) {
        refuseBound(context)
        return queue(async () => {
          const { path: file, fields } = await context.receive(documentForm)
          const contentSha256 = await sha256Of(file)
          const job = jobs.begin(context, fields.job)
          let staged: number | null = null
          const operation = importOperation(async (userId, signal) => {
            const made = await imports.stage({ file, userId }, { signal, onProgress: job.report })
            staged = made.campaignId
            return made
          }) as unknown as AnyOperation
          try {
            const { output } = await execute(system(), operation, { contentSha256 }, callOf(context))
            return output
          } catch (error) {
            if (staged !== null) await imports.takeBack(staged)
            throw error
          } finally {
            job.end()
          }
        })
      },
    }),
    defineTransfer({
      name: 'inspect_import',
      title: 'Inspect a campaign file',
      description: 'What an import of the file would bring in, and what not. Changes nothing.',
      access: 'user',
      effect: 'read',
      route: 'POST /campaigns/import/inspect',
      carries: 'document',
      input: z.strictObject({}),
      output: importReport,
      example: () => ({}),
      async handle(context) {
        return queue(async () => {
          const { path: file, fields } = await context.receive(documentForm)
          const job = jobs.begin(context, fields.job)
          try {
            return await imports.inspect({ file }, { signal: context.signal, onProgress: job.report })
          } finally {
            job.end()
          }
        })
      },
    }),
    defineTransfer({
      name: 'import_progress',
      title: 'How far an import is',
      description: 'What is being done, and how much of how much; null where nothing of that name runs.',
      access: 'user',
      effect: 'read',
      route: 'GET /campaigns/import/jobs/{job}',
      input: z.strictObject({ job: z.string().max(60) }),
      output: z.object({
        work: z.object({ phase: z.string(), done: z.int(), total: z.int() }).nullable(),
      }),
      example: () => ({ job: 'example' }),
      handle: async (context, { job }) => ({ work: jobs.find(context, job) }),
    }),
  ] as unknown as readonly AnyTransfer[]
}

/** A token bound to a campaign sees only that one: nothing is taken from it that it could not have. */
function refuseBound({ actor }: TransferContext): void {
  if (actor !== null && actor.credential.campaignId !== null)
    throw fail('forbidden', 'This token is bound to one campaign.')
}
