import type { Mutant } from './edits.ts'

const entity = 'src/domain/map/entity.ts'
const fog = 'src/domain/map/fog.ts'
const images = 'src/storage/images-of-maps.ts'
const transfer = 'src/transfer/map-images.ts'
const maps = ['test/domain/maps.test.ts']
const painted = ['test/http/map-images.test.ts']

/** What of a map its readers see. */
export const mapMutants: readonly Mutant[] = [
  {
    without: 'the fog over pins',
    file: entity,
    edits: [
      [
        "        where('underFog', false),\n        anyOf(where('entityId', null), withLinked('entityType', 'entityId')),",
        "        anyOf(where('entityId', null), withLinked('entityType', 'entityId')),",
      ],
    ],
    tests: maps,
  },
  {
    without: 'the hiding of pins with what they are of',
    file: entity,
    edits: [["anyOf(where('entityId', null), withLinked('entityType', 'entityId')),", "where('underFog', false),"]],
    tests: maps,
  },
  {
    without: 'what follows from the fog, after an undo',
    file: 'src/storage/unit.ts',
    edits: [['      settle(this.#store, set)\n', '']],
    tests: maps,
  },
  {
    without: 'the silence about what is made under fog',
    file: 'src/storage/change-set.ts',
    edits: [['      foldWhatFollows(changes)\n', '']],
    tests: [...maps, 'test/secrecy/live.test.ts'],
  },
  {
    without: 'the hiding of the image under fog',
    file: fog,
    edits: [['    tools.write(attachment).update(attachmentId, { hidden: true })', '    return']],
    tests: maps,
  },
  {
    without: 'the paint over what players have not seen',
    file: images,
    edits: [['  paintOver(data, channels, visiblePixels(strokes, width, height))\n', '']],
    tests: painted,
  },
  {
    without: 'the Dungeon Master’s right to the whole image',
    file: transfer,
    edits: [["if (myRole !== 'dm')", "if (myRole === 'nobody')"]],
    tests: painted,
  },
  {
    without: 'the fog in the image of players',
    file: transfer,
    edits: [["layer !== 'whole' && (row.fogEnabled === true || layer === 'fog')", "layer === 'fog'"]],
    tests: painted,
  },
  {
    without: 'the version of an image that may be kept',
    file: transfer,
    edits: [["v === row.imageVersion ? 'private, max-age", "v !== undefined ? 'private, max-age"]],
    tests: painted,
  },
  {
    without: 'the DM’s word on what a token is',
    file: 'src/domain/map/pin-operations.ts',
    edits: [['        if (more) throw fail(', '        if (more && false) throw fail(']],
    tests: maps,
  },
  {
    without: 'the refusal to put things where players see nothing',
    file: 'src/domain/map/pin-operations.ts',
    edits: [['  if (isFogged(strokesThatCount(context, mapId), x, y))\n', '  if (x > 1 && isFogged([], x, y))\n']],
    tests: maps,
  },
  {
    without: 'the bound on strokes',
    file: 'src/domain/map/operations.ts',
    edits: [['> mostStrokes)', '> 2 * mostStrokes)']],
    tests: maps,
  },
]
