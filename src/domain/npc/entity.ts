import * as z from 'zod'
import { defineEntity } from '../../kernel/entity.ts'
import { line, name, nullable, preset, prose, reference, required, tags } from '../../kernel/fields.ts'
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
  fields: {
    name: required(name(), { search: 'title' }),
    role: nullable(line(), { search: 'body' }),
    species: nullable(line(), { search: 'body' }),
    disposition: preset(disposition, 'neutral'),
    status: preset(npcStatus, 'alive'),
    locationId: reference('location'),
    body: nullable(prose(), { search: 'body' }),
    voice: nullable(line(), { search: 'body' }),
    portraitAttachmentId: reference('attachment'),
    dmSecret: nullable(prose(), { dmOnly: true, search: 'body' }),
    hidden: preset(z.boolean(), false),
    tags: preset(tags(), [], { search: 'body' }),
  },
})
