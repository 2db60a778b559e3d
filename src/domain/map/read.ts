import * as z from 'zod'
import { type Context, searchHit } from '../../kernel/context.ts'
import type { ListedRowOf, VisibleRowOf } from '../../kernel/entity.ts'
import { schemaMarks } from '../../kernel/fields.ts'
import { mostCorners } from '../../kernel/fog.ts'
import { pageOf } from '../../kernel/paging.ts'
import { groupOf } from '../../kernel/reader.ts'
import { atLeast } from '../../kernel/viewer.ts'
import { map, mapToken, pin, share } from './entity.ts'
import { countStrokes, strokesThatCount } from './fog.ts'
import { shapeOf } from './rules.ts'

/** Shapes are told of as they are taken. */
export const shape = z.union([
  z.strictObject({ x: share(), y: share(), width: share(), height: share() }),
  z.strictObject({
    points: z
      .array(z.strictObject({ x: share(), y: share() }))
      .min(3)
      .max(mostCorners),
  }),
])

const addresses = {
  /** The image as its reader may see it: under fog painted over for players, whole for Dungeon Masters. */
  imageUrl: z.string(),
  thumbnailUrl: z.string(),
}
export const mapOutput = map.output.extend(addresses)
export const listedMap = map.listed.extend(addresses)

const forDungeonMasters = <S extends z.ZodType>(schema: S) => {
  const optional = schema.optional()
  schemaMarks.add(optional, { audience: 'dm' })
  return optional
}

/** How many of the last strokes come along. */
const toldStrokes = 50

export const fogOutput = z.object({
  enabled: z.boolean(),
  /** Strokes that count, and the last 50 of them, the newest first. What is uncovered players find in the image alone. */
  strokeCount: forDungeonMasters(z.int()),
  strokes: forDungeonMasters(z.array(z.object({ effect: z.enum(['reveal', 'conceal']), shape }))),
})
export type FogOutput = z.input<typeof fogOutput>

export const mapWithFog = mapOutput.extend({ fog: fogOutput })

const otherMap = map.output.pick({ id: true, name: true })
export const mapDetail = mapWithFog.extend({
  /** The first 200, and how many there are; list_map_pins has them all. */
  pins: z.array(pin.output),
  pinCount: z.int(),
  tokens: z.array(mapToken.output),
  tokenCount: z.int(),
  /** Maps on which a pin leads here. */
  within: z.array(otherMap),
  /** The first backlinks; list_mentions goes on with the cursor. */
  mentionedBy: pageOf(searchHit),
})

type Row = VisibleRowOf<typeof map>

export function isDungeonMaster({ viewer }: Pick<Context, 'viewer'>): boolean {
  return atLeast(viewer.role, 'dm')
}

/** A row with the addresses of its image. Dungeon Masters have other ones, so that no browser shows one of theirs to a player. */
export function withAddresses<R extends Row | ListedRowOf<typeof map>>(context: Context, row: R) {
  const layer = isDungeonMaster(context) ? 'whole' : 'players'
  const imageUrl = `/api/v1/maps/${row.id}/image?layer=${layer}&v=${row.imageVersion}`
  return { ...row, imageUrl, thumbnailUrl: `${imageUrl}&size=thumb` }
}

export function fogOf(context: Context, row: Row): FogOutput {
  if (!isDungeonMaster(context)) return { enabled: row.fogEnabled }
  const strokes = strokesThatCount(context, row.id).slice(-toldStrokes).reverse()
  return {
    enabled: row.fogEnabled,
    strokeCount: countStrokes(context, row.id),
    strokes: strokes.map((stroke) => ({ effect: stroke.effect, shape: shapeOf(stroke) })),
  }
}

export function withFog(context: Context, row: Row) {
  return { ...withAddresses(context, row), fog: fogOf(context, row) }
}

export function detail(context: Context, row: Row) {
  const id: number = row.id
  const pins = groupOf(context.read(pin).groupBy('mapId', [id], { order: [['id', 'asc']] }), id)
  const tokens = groupOf(context.read(mapToken).groupBy('mapId', [id], { order: [['id', 'asc']] }), id)
  const leading = context.read(pin).page({
    where: { entityType: 'map', entityId: id },
    order: [['id', 'asc']],
    columns: ['mapId'],
    limit: 20,
  })
  const maps = new Set(leading.items.map(({ mapId }) => mapId))
  return {
    ...withFog(context, row),
    pins: pins.items,
    pinCount: pins.count,
    tokens: tokens.items,
    tokenCount: tokens.count,
    within: context.read(map).all({ where: { id: [...maps] }, columns: ['name'] }),
    mentionedBy: context.mentions('map', row.id, { limit: 20 }),
  }
}
