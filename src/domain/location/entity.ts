import * as z from 'zod'
import { defineEntity } from '../../kernel/entity.ts'
import { line, name, nullable, prose, reference, required, tags, withDefault } from '../../kernel/fields.ts'
import { allOf, anyOf, dungeonMasters, where } from '../../kernel/visibility.ts'

export const discovery = z.enum(['unknown', 'rumoured', 'discovered', 'explored'])

/** Players see a place once it is at least rumoured, and not hidden. */
export const location = defineEntity({
  name: 'location',
  table: 'locations',
  label: 'location',
  listedBy: 'list_locations',
  title: 'name',
  trash: true,
  hide: true,
  mention: true,
  visible: anyOf(
    dungeonMasters,
    allOf(where('hidden', false), where('discovery', 'rumoured', 'discovered', 'explored')),
  ),
  lists: { orders: [[['name', 'asc']]], filters: ['parentLocationId', 'discovery', 'tags'], counts: [{ by: 'tags' }] },
  fields: {
    name: required(name(), { search: 'title' }),
    kind: nullable(line(), { search: 'body' }),
    parentLocationId: reference('location'),
    body: nullable(prose(), { search: 'body' }),
    discovery: withDefault(discovery, 'discovered'),
    imageAttachmentId: reference('attachment'),
    dmSecret: nullable(prose(), { readableBy: 'dm', search: 'body' }),
    hidden: withDefault(z.boolean(), false),
    tags: withDefault(tags(), [], { search: 'body' }),
  },
})
