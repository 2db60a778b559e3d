import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import * as z from 'zod'
import { attachment } from '../domain/attachment/entity.ts'
import { uploadOperation } from '../domain/attachment/operations.ts'
import { campaign } from '../domain/campaign/entity.ts'
import type { ImageSource } from '../kernel/context.ts'
import { fail } from '../kernel/errors.ts'
import { execute } from '../kernel/execute.ts'
import { limits } from '../kernel/limits.ts'
import type { AnyOperation } from '../kernel/operation.ts'
import { createQueue } from '../kernel/queue.ts'
import type { Call, System } from '../kernel/system.ts'
import { type AnyTransfer, defineTransfer, type TransferContext } from '../kernel/transfer.ts'
import { fileErrorCode } from '../storage/files.ts'
import type { Images } from '../storage/images.ts'
import { wholeRow } from '../storage/reader.ts'
import type { Store } from '../storage/store.ts'

export interface AttachmentParts {
  system(): System
  store(): Store
  readonly images: Images
}

/** Once it is open, a restore that moves the files away changes nothing for it. Throws `not_found`. */
export async function openImage<Asked extends readonly unknown[]>(
  images: { find(...asked: Asked): ReturnType<Images['find']> },
  ...asked: Asked
) {
  try {
    const { path, mimeType } = await images.find(...asked)
    return { file: await open(path), mimeType }
  } catch (cause) {
    if (fileErrorCode(cause) !== 'ENOENT') throw cause
    throw fail('not_found', 'The file of this image is missing on the server.', { cause })
  }
}

async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}

/** It is opened when it is read: many wait for their turn. */
async function fileSource(file: string): Promise<ImageSource> {
  const pieces = (async function* () {
    yield* createReadStream(file) as AsyncIterable<Buffer>
  })()
  return { size: (await stat(file)).size, pieces }
}

/** Files that arrive at once; each waits on disk for its turn to be looked at. */
const receiving = { atOnce: 8, mostWaiting: 64 }

const sizes = z.enum(['thumb', 'medium', 'original'])

export function attachmentTransfers({ system, store, images }: AttachmentParts): readonly AnyTransfer[] {
  const callOf = ({ actor, idempotencyKey, reason, requestId, signal }: TransferContext): Call => ({
    actor,
    idempotencyKey,
    reason,
    requestId,
    signal,
    door: 'rest',
  })
  const run = (name: string, input: unknown, call: Call) => {
    const operation = system().operations.get(name)
    if (operation === undefined) throw new Error(`there is no operation ${name}`)
    return execute(system(), operation, input, call)
  }
  const uploads = createQueue(receiving.atOnce, receiving.mostWaiting)
  return [
    defineTransfer({
      name: 'create_attachment',
      title: 'Upload an image',
      description: 'Multipart form with the image in `file`, and `kind`, `caption` and `hidden` beside it.',
      access: 'player',
      effect: 'write',
      route: 'POST /campaigns/{campaignId}/attachments',
      carries: 'multipart',
      carriesBytesOf: 'create_attachment',
      creates: true,
      input: z.strictObject({ campaignId: campaign.id }),
      example: (world) => ({ campaignId: world.id('campaign') }),
      async handle(context, { campaignId }) {
        const call = callOf(context)
        // Whoever may not even see the campaign is told so before a byte of the file is taken.
        await run('get_campaign', { campaignId }, call)
        return uploads(async () => {
          const { path, fileName, fields } = await context.receive({ fileField: 'file', mostBytes: limits.uploadBytes })
          const hidden = fields.hidden === undefined ? {} : { hidden: fields.hidden === 'true' }
          const { hidden: _, ...described } = fields
          const contentSha256 = await sha256Of(path)
          const upload = uploadOperation(await fileSource(path)) as unknown as AnyOperation
          const { output } = await execute(
            system(),
            upload,
            { fileName, ...described, ...hidden, campaignId, contentSha256 },
            call,
          )
          return output
        })
      },
    }),
    defineTransfer({
      name: 'get_attachment_file',
      title: 'Bytes of an image',
      description:
        'The image in a size; who neither uploaded it nor is a Dungeon Master gets the original without its metadata.',
      access: 'viewer',
      effect: 'read',
      route: 'GET /attachments/{attachmentId}/file',
      carries: 'bytes',
      input: z.strictObject({ attachmentId: attachment.id, size: sizes.optional() }),
      example: (world) => ({ attachmentId: world.id('attachment') }),
      async handle(context, { attachmentId, size = 'original' }) {
        const { output } = await run('get_attachment', { attachmentId }, callOf(context))
        const { campaignId, uploadedByUserId } = output as {
          readonly campaignId: number
          readonly uploadedByUserId: number
        }
        const row = wholeRow(store(), attachment, attachmentId)
        if (row === null) throw fail('not_found')
        const facts = { fileKey: String(row.fileKey), sha256: String(row.sha256) }
        const me = await run('get_campaign', { campaignId }, callOf(context))
        const whole =
          (me.output as { readonly myRole: string }).myRole === 'dm' || uploadedByUserId === context.actor?.userId
        const { file, mimeType } = await openImage(images, facts, size === 'original' && !whole ? 'clean' : size)
        const { size: byteSize } = await file.stat()
        await context.send(
          { mimeType, byteSize, cacheControl: 'private, max-age=3600', sandboxed: true },
          file.createReadStream(),
        )
        return undefined
      },
    }),
  ] as unknown as readonly AnyTransfer[]
}
