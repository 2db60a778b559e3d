import * as z from 'zod'
import { defineEntity } from '../../kernel/entity.ts'
import { line, name, nullable, prose, reference, required, tags, withDefault } from '../../kernel/fields.ts'
import { unlessHidden } from '../../kernel/visibility.ts'
import { position } from '../ordering.ts'

export const questStatus = z.enum(['available', 'active', 'on_hold', 'completed', 'failed', 'abandoned'])

export const quest = defineEntity({
  name: 'quest',
  table: 'quests',
  label: 'quest',
  listedBy: 'list_quests',
  title: 'title',
  trash: true,
  hide: true,
  mention: true,
  visible: unlessHidden,
  lists: {
    orders: [[['position', 'asc']]],
    filters: ['status', 'parentQuestId', 'giverNpcId', 'locationId', 'tags'],
    counts: [{ by: 'tags' }, { by: 'status' }],
    recent: true,
  },
  fields: {
    title: required(name(), { search: 'title' }),
    body: nullable(prose(), { search: 'body' }),
    status: withDefault(questStatus, 'available', { ofPlay: true }),
    parentQuestId: reference('quest'),
    giverNpcId: reference('npc'),
    locationId: reference('location'),
    reward: nullable(line(), { search: 'body' }),
    dmSecret: nullable(prose(), { readableBy: 'dm', search: 'body' }),
    hidden: withDefault(z.boolean(), false),
    tags: withDefault(tags(), [], { search: 'body' }),
    position: position(),
  },
})
