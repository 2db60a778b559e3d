import * as z from 'zod'
import { defineEntity } from '../../kernel/entity.ts'
import { invalid } from '../../kernel/errors.ts'
import {
  byUser,
  line,
  link,
  name,
  nullable,
  parent,
  prose,
  reference,
  required,
  userId,
  withDefault,
} from '../../kernel/fields.ts'
import { mostCorners } from '../../kernel/fog.ts'
import { allOf, anyOf, dungeonMasters, unlessHidden, where, withLinked, withParent } from '../../kernel/visibility.ts'

/** A place on a map: 0 to 1 of its width, from the left, or of its height, from the top. */
export const share = () => z.number().min(0).max(1)

/** Squares laid over a map: how many there are across it, and what one of them is in the world. */
export const mapGrid = z.strictObject({
  columns: z.int().min(2).max(300),
  /** Drawn on the map; where it is not, it only measures. */
  shown: z.boolean().optional(),
  /** Five feet, two miles: how much of `unit` lies between two lines. */
  distance: z.number().positive().max(100_000).optional(),
  unit: name(20).optional(),
})

/**
 * An image of a part of the world. Under fog players get it painted over wherever nothing is uncovered, and the image itself
 * is hidden from them.
 */
export const map = defineEntity({
  name: 'map',
  table: 'maps',
  label: 'map',
  listedBy: 'list_maps',
  title: 'name',
  trash: true,
  hide: true,
  mention: true,
  visible: unlessHidden,
  lists: { orders: [[['name', 'asc']]], filters: ['locationId', 'attachmentId'] },
  since: 4,
  fields: {
    name: required(name(), { search: 'title' }),
    kind: nullable(line(), { search: 'body' }),
    /** Whoever sees the map sees its image, painted over by the fog, wherever the image itself is hidden. */
    attachmentId: reference('attachment'),
    locationId: reference('location'),
    body: nullable(prose(), { search: 'body' }),
    dmSecret: nullable(prose(), { readableBy: 'dm', search: 'body' }),
    grid: nullable(mapGrid),
    fogEnabled: withDefault(z.boolean(), false),
    /** Changes with what players see of the image; it stands in the image's address. */
    imageVersion: withDefault(z.string().max(20), '', { derived: true }),
    /** Makes it tell nothing of what it is worked out from. */
    imageSalt: withDefault(z.string(), '', {
      internal: true,
      random: true,
      carry: { drop: 'each copy of a map has its own' },
    }),
    hidden: withDefault(z.boolean(), false),
  },
})

export const pinIcon = z.enum([
  'spot',
  'house',
  'door',
  'road',
  'water',
  'wood',
  'camp',
  'fight',
  'danger',
  'person',
  'bell',
  'map',
])

/**
 * A point of a map, mostly of something that is told elsewhere. Players see it where it is neither hidden nor under fog, and
 * what it names is not hidden from them either.
 */
export const pin = defineEntity({
  name: 'pin',
  table: 'map_pins',
  label: 'pin',
  listedBy: 'list_map_pins',
  title: 'label',
  untitled: { word: 'Pin:', field: 'icon' },
  trash: true,
  hide: true,
  visible: allOf(
    withParent('mapId', 'map'),
    anyOf(
      dungeonMasters,
      allOf(
        where('hidden', false),
        where('underFog', false),
        anyOf(where('entityId', null), withLinked('entityType', 'entityId')),
      ),
    ),
  ),
  lists: { orders: [[]], filters: ['mapId'] },
  since: 4,
  fields: {
    mapId: parent('map'),
    x: required(share()),
    y: required(share()),
    label: nullable(name(), { search: 'title' }),
    ...link('entityType', 'entityId'),
    icon: withDefault(pinIcon, 'spot'),
    hidden: withDefault(z.boolean(), false),
    /** Follows from where it is and from the fog of its map. */
    underFog: withDefault(z.boolean(), false, { derived: true }),
  },
})

/** Somebody or something that moves about a map. */
export const mapToken = defineEntity({
  name: 'map_token',
  table: 'map_tokens',
  label: 'token',
  listedBy: 'get_map',
  controller: 'playerUserId',
  trash: true,
  hide: true,
  visible: allOf(
    withParent('mapId', 'map'),
    anyOf(
      dungeonMasters,
      allOf(where('hidden', false), where('underFog', false), anyOf(where('npcId', null), withParent('npcId', 'npc'))),
    ),
  ),
  lists: { orders: [[]], filters: ['mapId'] },
  since: 4,
  fields: {
    mapId: parent('map'),
    npcId: reference('npc'),
    /** What it is called; where it is nobody's, the name of whom it stands for. */
    label: nullable(name()),
    /** Who may move it besides the Dungeon Masters. */
    playerUserId: nullable(userId(), { ...byUser, references: 'user' }),
    x: required(share()),
    y: required(share()),
    /** How many squares of the grid it takes up, across. */
    size: withDefault(z.number().min(0.25).max(20), 1),
    hidden: withDefault(z.boolean(), false),
    /** Follows from where it is and from the fog of its map. */
    underFog: withDefault(z.boolean(), false, { derived: true }),
  },
})

/** One thing that was done to the fog of a map (kernel/fog.ts). They stay as they were made; the last one over a point counts. */
export const fogStroke = defineEntity({
  name: 'fog_stroke',
  table: 'map_fog_strokes',
  label: 'stroke of fog',
  listedBy: 'get_map',
  trash: true,
  visible: allOf(dungeonMasters, withParent('mapId', 'map')),
  lists: { orders: [[]], filters: ['mapId', 'whole'] },
  since: 4,
  arriving({ shape, points }) {
    const count = (points as readonly number[]).length
    if (shape === 'rectangle' ? count !== 4 : count < 6 || count % 2 !== 0)
      throw invalid('points', 'corners as x, y, x, y')
    return {}
  },
  fields: {
    mapId: parent('map'),
    effect: required(z.enum(['reveal', 'conceal'])),
    shape: required(z.enum(['rectangle', 'polygon'])),
    /** x, y, x, y, ... */
    points: required(
      z
        .array(share())
        .min(4)
        .max(2 * mostCorners),
    ),
    /** Over all of the map: strokes before it count no more. */
    whole: withDefault(z.boolean(), false),
  },
})
