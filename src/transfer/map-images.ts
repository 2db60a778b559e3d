import * as z from 'zod'
import { attachment } from '../domain/attachment/entity.ts'
import { map } from '../domain/map/entity.ts'
import { strokesThatCount } from '../domain/map/fog.ts'
import { fail } from '../kernel/errors.ts'
import { execute } from '../kernel/execute.ts'
import type { System } from '../kernel/system.ts'
import { type AnyTransfer, defineTransfer, type TransferContext } from '../kernel/transfer.ts'
import { personIn } from '../kernel/viewer.ts'
import type { FogImages } from '../storage/images-of-maps.ts'
import { unfilteredReaderFor, wholeRow } from '../storage/reader.ts'
import type { Store } from '../storage/store.ts'
import { openImage } from './attachments.ts'

export interface MapImageParts {
  readonly images: FogImages
  system(): System
  store(): Store
}

const layers = z.enum(['players', 'whole', 'fog'])
const sizes = z.enum(['thumb', 'full'])

/** The images of maps. What of them anybody gets is decided here alone, by who asks. */
export function mapImageTransfers({ system, store, images }: MapImageParts): readonly AnyTransfer[] {
  const run = async (name: string, input: unknown, context: TransferContext): Promise<unknown> => {
    const { actor, requestId, signal } = context
    const operation = system().operations.get(name)
    if (operation === undefined) throw new Error(`there is no operation ${name}`)
    const call = { actor, requestId, signal, door: 'rest', idempotencyKey: null, reason: null } as const
    return (await execute(system(), operation, input, call)).output
  }
  return [
    defineTransfer({
      name: 'get_map_image',
      title: 'Image of a map',
      description:
        'The image as players see it, painted over wherever there is fog. Dungeon Masters also get it whole, and the fog alone.',
      access: 'viewer',
      effect: 'read',
      route: 'GET /maps/{mapId}/image',
      carries: 'bytes',
      input: z.strictObject({
        mapId: map.id,
        layer: layers.optional(),
        size: sizes.optional(),
        /** The version that get_map gave: an image of this version may be kept, any other is asked for again. */
        v: z.string().max(40).optional(),
      }),
      example: (world) => ({ mapId: world.id('map') }),
      async handle(context, { mapId, layer = 'players', size = 'full', v }) {
        const seen = (await run('get_map', { mapId }, context)) as { readonly campaignId: number }
        if (layer !== 'players') {
          const { myRole } = (await run('get_campaign', { campaignId: seen.campaignId }, context)) as {
            readonly myRole: string
          }
          if (myRole !== 'dm')
            throw fail('forbidden', 'Only a Dungeon Master sees what is under fog. Ask for layer=players.')
        }
        // All of what follows is of one state: the image is of the version that it is kept as.
        const now = store()
        const row = wholeRow(now, map, mapId)
        const file = row === null ? null : wholeRow(now, attachment, Number(row.attachmentId))
        if (row === null || file === null || file.deletedAt !== null)
          throw fail('not_found', 'The image of this map was thrown away. Restore it from the trash.')
        const viewer = personIn(seen.campaignId, 'dm')
        const strokes =
          layer !== 'whole' && (row.fogEnabled === true || layer === 'fog')
            ? strokesThatCount({ unfiltered: (entity) => unfilteredReaderFor(now, entity, viewer) }, mapId)
            : null
        const image = { fileKey: String(file.fileKey), sha256: String(file.sha256) }
        const { file: opened, mimeType } = await openImage(images, image, strokes, layer === 'fog' ? 'fog' : size)
        const { size: byteSize } = await opened.stat()
        const cacheControl = v === row.imageVersion ? 'private, max-age=86400, immutable' : 'private, no-store'
        await context.send({ mimeType, byteSize, cacheControl, sandboxed: true }, opened.createReadStream())
        return undefined
      },
    }),
  ] as unknown as readonly AnyTransfer[]
}
