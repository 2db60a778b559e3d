import * as z from 'zod'
import type { Context, ImageFile, ImageSource } from '../../kernel/context.ts'
import type { VisibleRowOf } from '../../kernel/entity.ts'
import { invalid } from '../../kernel/errors.ts'
import { limits } from '../../kernel/limits.ts'
import { defineOperation } from '../../kernel/operation.ts'
import { pageInput, pageOf } from '../../kernel/paging.ts'
import { campaign } from '../campaign/entity.ts'
import { deletes, trashedOutput } from '../plain.ts'
import { attachment, attachmentKind } from './entity.ts'
import { bytesOfBase64 } from './rules.ts'

const attachmentOutput = attachment.output.extend({ url: z.string(), thumbnailUrl: z.string() })

function withAddresses(row: VisibleRowOf<typeof attachment>) {
  const url = `/api/v1/attachments/${row.id}/file`
  return { ...row, url, thumbnailUrl: `${url}?size=thumb` }
}

const described = { campaignId: campaign.id, ...attachment.create('fileName', 'kind', 'caption', 'hidden') }
const createAttachment = {
  name: 'create_attachment',
  title: 'Create attachment',
  description: 'PNG, JPEG, WebP, GIF, AVIF as base64, up to 5 MiB; multipart on REST.',
  toolset: 'files',
  access: 'player',
  effect: 'write',
  route: 'POST /campaigns/{campaignId}/attachments',
  creates: true,
  byPerson: 'a file is sent at once',
  output: attachmentOutput,
} as const

interface Described {
  readonly fileName: string
  readonly kind?: z.output<typeof attachmentKind> | undefined
  readonly caption?: string | undefined
  readonly hidden?: boolean | undefined
}

function keepRow(context: Context<ImageFile>, { fileName, kind, caption, hidden }: Described) {
  const id = context.write(attachment).insert({
    ...context.prepared,
    fileName,
    kind,
    caption,
    hidden,
    uploadedByUserId: context.actor.userId,
  })
  return withAddresses(context.read(attachment).get(id))
}

/**
 * create_attachment for bytes that came as a stream and may be larger than its base64: the multipart upload runs this
 * through the same pipeline. It is read once the caller is authorised.
 */
export function uploadOperation(image: ImageSource) {
  return defineOperation({
    ...createAttachment,
    // The hash makes the file part of the input: an idempotency key used with another file is a conflict.
    input: z.strictObject({ ...described, contentSha256: z.string() }),
    example: (world) => ({ campaignId: world.id('campaign'), fileName: 'lantern.png', contentSha256: '0'.repeat(64) }),
    prepare: async ({ services }) => services.images.keep(image),
    handle: (context: Context<ImageFile>, input) => keepRow(context, input),
  })
}

/** A grey point, the smallest image there is. */
const examplePng = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGM4AQAAygDJmcpdfgAAAABJRU5ErkJggg=='

export const attachmentOperations = {
  list_attachments: defineOperation({
    name: 'list_attachments',
    title: 'List attachments',
    description: 'Uploaded images, newest first.',
    toolset: 'files',
    access: 'viewer',
    effect: 'read',
    route: 'GET /campaigns/{campaignId}/attachments',
    input: z.strictObject({ campaignId: campaign.id, kind: attachmentKind.optional(), ...pageInput }),
    output: pageOf(attachmentOutput),
    example: (world) => ({ campaignId: world.id('campaign') }),
    handle(context, { kind, limit, cursor }) {
      const { items, nextCursor } = context
        .read(attachment)
        .page({ where: { kind }, order: [['id', 'desc']], limit, cursor })
      return { items: items.map(withAddresses), nextCursor }
    },
  }),
  get_attachment: defineOperation({
    name: 'get_attachment',
    title: 'Get attachment',
    description: 'With size, address of its bytes and thumbnail.',
    toolset: 'files',
    access: 'viewer',
    effect: 'read',
    route: 'GET /attachments/{attachmentId}',
    input: z.strictObject({ attachmentId: attachment.id }),
    output: attachmentOutput,
    example: (world) => ({ attachmentId: world.id('attachment') }),
    handle: (context, { attachmentId }) => withAddresses(context.read(attachment).get(attachmentId)),
  }),
  create_attachment: defineOperation({
    ...createAttachment,
    // No longer text reaches it; what decodes to more than `inlineUploadBytes` is answered with `too_large`.
    input: z.strictObject({ ...described, contentBase64: z.string().min(1).max(limits.mcpBodyBytes).optional() }),
    example: (world) => ({ campaignId: world.id('campaign'), fileName: 'lantern.png', contentBase64: examplePng }),
    async prepare({ services }, { contentBase64 }): Promise<ImageFile> {
      if (contentBase64 === undefined) {
        throw invalid(
          'contentBase64',
          'is missing',
          'Send the image as contentBase64, or on REST as the file of a multipart form.',
        )
      }
      return services.images.keep(bytesOfBase64(contentBase64, limits.inlineUploadBytes))
    },
    handle: (context: Context<ImageFile>, input) => keepRow(context, input),
  }),
  update_attachment: defineOperation({
    name: 'update_attachment',
    title: 'Update attachment',
    description: 'Caption, kind or visibility.',
    toolset: 'files',
    access: 'author+dm',
    effect: 'write',
    route: 'PATCH /attachments/{attachmentId}',
    input: z.strictObject({ attachmentId: attachment.id, ...attachment.update('caption', 'kind', 'hidden') }),
    output: attachmentOutput,
    example: (world) => ({ attachmentId: world.id('attachment', 'own'), caption: 'The lantern on the orchard wall' }),
    handle(context, { attachmentId, expectedRevision, ...patch }) {
      context.write(attachment).update(attachmentId, patch, expectedRevision)
      return withAddresses(context.read(attachment).get(attachmentId))
    },
  }),
  delete_attachment: defineOperation({
    name: 'delete_attachment',
    title: 'Delete attachment',
    description: 'To the trash.',
    toolset: 'files',
    access: 'author+dm',
    effect: 'destroy',
    route: 'DELETE /attachments/{attachmentId}',
    input: z.strictObject({ attachmentId: attachment.id }),
    output: trashedOutput,
    example: (world) => ({ attachmentId: world.id('attachment', 'own') }),
    handle: deletes(attachment, 'attachmentId'),
  }),
}
