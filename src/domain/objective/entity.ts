import * as z from 'zod'
import { defineEntity } from '../../kernel/entity.ts'
import { line, parent, required, withDefault } from '../../kernel/fields.ts'
import { allOf, unlessHidden, withParent } from '../../kernel/visibility.ts'
import { position } from '../ordering.ts'

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
  lists: { orders: [[['position', 'asc']]], filters: ['questId', 'done'], recent: true, counts: [{ by: 'done' }] },
  fields: {
    questId: parent('quest'),
    text: required(line(500), { search: 'title' }),
    done: withDefault(z.boolean(), false, { ofPlay: true }),
    optional: withDefault(z.boolean(), false),
    hidden: withDefault(z.boolean(), false),
    position: position(),
  },
})
