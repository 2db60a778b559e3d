import * as z from 'zod'
import { defineEntity } from '../../kernel/entity.ts'
import { line, name, nullable, parent, prose, reference, required, tags, withDefault } from '../../kernel/fields.ts'
import { unlessHidden, withParent } from '../../kernel/visibility.ts'
import { mostReputation } from './rules.ts'

/** From -100, an enemy, to 100, a friend. */
export const reputation = z.int().min(-mostReputation).max(mostReputation)

/** People who want something together: a guild, a court, a cult. */
export const faction = defineEntity({
  name: 'faction',
  table: 'factions',
  label: 'faction',
  listedBy: 'list_factions',
  title: 'name',
  trash: true,
  hide: true,
  mention: true,
  visible: unlessHidden,
  lists: { orders: [[['name', 'asc']]], filters: ['tags'] },
  since: 4,
  fields: {
    name: required(name(), { search: 'title' }),
    kind: nullable(line(), { search: 'body' }),
    /** Markdown, a line for each. What they have given up is struck out. */
    goals: nullable(prose(), { search: 'body' }),
    body: nullable(prose(), { search: 'body' }),
    reputation: withDefault(reputation, 0, { ofPlay: true }),
    emblemAttachmentId: reference('attachment'),
    dmSecret: nullable(prose(), { readableBy: 'dm', search: 'body' }),
    hidden: withDefault(z.boolean(), false),
    tags: withDefault(tags(), [], { search: 'body' }),
  },
})

/** One step of the party's reputation with a faction: by how much, where it then stood, and why. */
export const reputationChange = defineEntity({
  name: 'reputation_change',
  table: 'reputation_changes',
  label: 'change of reputation',
  listedBy: 'get_faction',
  trash: true,
  visible: withParent('factionId', 'faction'),
  ofPlay: true,
  lists: { orders: [[['createdAt', 'desc']]], filters: ['factionId'] },
  since: 4,
  fields: {
    factionId: parent('faction'),
    delta: required(z.int()),
    reputation: required(reputation),
    reason: nullable(line()),
  },
})
