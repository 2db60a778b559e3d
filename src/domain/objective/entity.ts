import * as z from 'zod'
import { defineEntity } from '../../kernel/entity.ts'
import { line, parent, preset, required } from '../../kernel/fields.ts'
import { allOf, unlessHidden, withParent } from '../../kernel/visibility.ts'

/** A step of a quest. It is seen by who sees the quest, unless it is hidden itself. */
export const objective = defineEntity({
  name: 'objective',
  table: 'objectives',
  label: 'objective',
  listedBy: 'list_objectives',
  title: 'text',
  trash: true,
  hide: true,
  visible: allOf(withParent('questId', 'quest'), unlessHidden),
  fields: {
    questId: parent('quest'),
    text: required(line(500), { search: 'title' }),
    done: preset(z.boolean(), false),
    optional: preset(z.boolean(), false),
    hidden: preset(z.boolean(), false),
    position: preset(z.int(), 0),
  },
})
