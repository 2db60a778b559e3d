import type { Consequence, Following } from '../../kernel/consequence.ts'
import { type FogStroke, isFogged } from '../../kernel/fog.ts'
import { attachment } from '../attachment/entity.ts'
import { fogStroke, map, mapToken, pin } from './entity.ts'
import { fingerprint } from './rules.ts'

type StrokeReader = Pick<Following, 'unfiltered'>

/** The first stroke that counts: the last that lies over all of the map, or any. */
function firstThatCounts(reader: StrokeReader, mapId: number): number {
  const order = [['id', 'desc']] as const
  return reader.unfiltered(fogStroke).first({ where: { mapId, whole: true }, order, columns: ['id'] })?.id ?? 1
}

const columns = ['effect', 'shape', 'points'] as const

/** The strokes that count, in their order. */
export function strokesThatCount(
  reader: StrokeReader,
  mapId: number,
): readonly (FogStroke & { readonly id: number })[] {
  const id = { from: firstThatCounts(reader, mapId) }
  return [...reader.unfiltered(fogStroke).each({ where: { mapId, id }, order: [['id', 'asc']], columns })]
}

export function countStrokes(reader: StrokeReader, mapId: number): number {
  return reader.unfiltered(fogStroke).count({ mapId, id: { from: firstThatCounts(reader, mapId) } })
}

/**
 * Brings what follows from the fog of a map up to date: which pins and tokens are under it, the version of the image, and
 * that the image itself stays hidden. Where all of that holds, nothing is written.
 */
export function settleMap(tools: Following, mapId: number): void {
  const row = tools.unfiltered(map).find(mapId)
  if (row === null) return
  const { fogEnabled, attachmentId, imageSalt } = row
  const strokes = fogEnabled ? strokesThatCount(tools, mapId) : []
  const made = [imageSalt, attachmentId, fogEnabled, ...strokes.map(({ id }) => id)]
  const imageVersion = fingerprint(made.join(' '))
  if (row.imageVersion !== imageVersion) tools.write(map).update(mapId, { imageVersion })
  for (const entity of [pin, mapToken]) {
    const places = tools.unfiltered(entity).each({ where: { mapId }, columns: ['x', 'y', 'underFog'] })
    for (const { id, x, y, underFog } of Array.from(places)) {
      const isUnder = fogEnabled && isFogged(strokes, x, y)
      if (isUnder !== underFog) tools.write(entity).update(id, { underFog: isUnder })
    }
  }
  if (!fogEnabled || attachmentId === null) return
  if (tools.unfiltered(attachment).find(attachmentId)?.hidden === false)
    tools.write(attachment).update(attachmentId, { hidden: true })
}

/** However something of a map was changed, an undo and a restore included. */
export const fogOfMaps: Consequence = {
  of: ['map', 'pin', 'map_token', 'fog_stroke', 'attachment'],
  follow(changed, tools) {
    const maps = new Set<number>()
    for (const { entityType, row } of changed) {
      if (entityType === 'map') maps.add(Number(row.id))
      else if (typeof row.mapId === 'number') maps.add(row.mapId)
      else if (entityType === 'attachment') {
        const where = { attachmentId: Number(row.id), fogEnabled: true }
        for (const { id } of tools.unfiltered(map).each({ where, columns: ['id'] })) maps.add(id)
      }
    }
    for (const mapId of maps) settleMap(tools, mapId)
  },
}
