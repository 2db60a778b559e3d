import * as z from 'zod'
import { defineEntity } from '../../kernel/entity.ts'
import { line, name, nullable, prose, reference, required, tags, withDefault } from '../../kernel/fields.ts'
import { unlessHidden } from '../../kernel/visibility.ts'

export const disposition = z.enum(['hostile', 'unfriendly', 'neutral', 'friendly', 'allied'])
export const npcStatus = z.enum(['alive', 'dead', 'missing', 'unknown'])

export const npc = defineEntity({
  name: 'npc',
  table: 'npcs',
  label: 'NPC',
  listedBy: 'list_npcs',
  title: 'name',
  trash: true,
  hide: true,
  mention: true,
  visible: unlessHidden,
  lists: {
    orders: [[['name', 'asc']]],
    filters: ['locationId', 'factionId', 'disposition', 'tags'],
    recent: true,
    counts: [{ by: 'tags' }],
  },
  fields: {
    name: required(name(), { search: 'title' }),
    role: nullable(line(), { search: 'body' }),
    species: nullable(line(), { search: 'body' }),
    disposition: withDefault(disposition, 'neutral'),
    status: withDefault(npcStatus, 'alive'),
    locationId: reference('location'),
    factionId: reference('faction', { since: 4 }),
    body: nullable(prose(), { search: 'body' }),
    voice: nullable(line(), { search: 'body' }),
    portraitAttachmentId: reference('attachment'),
    dmSecret: nullable(prose(), { readableBy: 'dm', search: 'body' }),
    hidden: withDefault(z.boolean(), false),
    tags: withDefault(tags(), [], { search: 'body' }),
  },
})
