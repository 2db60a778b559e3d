import * as z from 'zod'
import { defineEntity } from '../../kernel/entity.ts'
import { invalid } from '../../kernel/errors.ts'
import { link, name, nullable, required, withDefault } from '../../kernel/fields.ts'
import { allOf, anyOf, dungeonMasters, where, withLinked } from '../../kernel/visibility.ts'

/** What can be bound to each other. */
export const relatable = z.enum(['npc', 'character', 'faction', 'location', 'quest'])

const half = () => name(200)

/**
 * What one thing is to another, in words, and what that is to it. Each half can be hidden by itself; the whole is when the
 * DM hides it or both halves, and wherever either end is not seen.
 */
export const relation = defineEntity({
  name: 'relation',
  table: 'relations',
  label: 'relation',
  listedBy: 'list_relations',
  trash: true,
  hide: true,
  visible: allOf(
    anyOf(
      dungeonMasters,
      allOf(where('hidden', false), anyOf(where('labelHidden', false), where('inverseLabelHidden', false))),
    ),
    withLinked('fromType', 'fromId'),
    withLinked('toType', 'toId'),
  ),
  lists: { orders: [[]] },
  since: 4,
  arriving({ fromType, fromId, toType, toId }) {
    for (const [path, type] of [
      ['fromType', fromType],
      ['toType', toType],
    ] as const)
      if (!relatable.safeParse(type).success) throw invalid(path, `one of ${relatable.options.join(', ')}`)
    if (fromType === toType && fromId === toId) throw invalid('toId', 'nothing is bound to itself')
    return {}
  },
  fields: {
    ...link('fromType', 'fromId'),
    ...link('toType', 'toId'),
    label: required(half(), { readableBy: anyOf(dungeonMasters, where('labelHidden', false)) }),
    inverseLabel: nullable(half(), { readableBy: anyOf(dungeonMasters, where('inverseLabelHidden', false)) }),
    labelHidden: withDefault(z.boolean(), false, { readableBy: 'dm' }),
    /** As `labelHidden` while there is no such half, so that half a line never stands alone without a word. */
    inverseLabelHidden: withDefault(z.boolean(), false, { readableBy: 'dm' }),
    hidden: withDefault(z.boolean(), false),
  },
})
