import * as z from 'zod'
import { defineEntity } from '../../kernel/entity.ts'
import { line, name, nullable, prose, required, withDefault } from '../../kernel/fields.ts'
import { everyone } from '../../kernel/visibility.ts'
import { entryKind } from '../stat-block.ts'

/**
 * A book of rules that is installed on the server, with the licence it came under. Its entries lie in a table of their own
 * (storage/rule-entries.ts): there are many, nobody changes one, and they are journalled as one thing, the pack.
 */
export const rulePack = defineEntity({
  name: 'rule_pack',
  table: 'rule_packs',
  label: 'rule pack',
  listedBy: 'list_rule_packs',
  scope: 'server',
  title: 'title',
  visible: everyone,
  lists: { orders: [[['title', 'asc']]], filters: ['key'] },
  since: 4,
  fields: {
    key: required(line(80)),
    title: required(name()),
    version: required(line(40)),
    description: nullable(prose(4000)),
    authors: withDefault(z.array(name()).max(50), []),
    licenceName: required(name()),
    licenceUrl: required(line(500)),
    /** As its licence asks for it, word for word. */
    attribution: required(prose(8000)),
    source: nullable(line(500)),
    systems: required(z.array(z.string()).max(50)),
    entryCount: required(z.int().min(0)),
    /** How many there are of each kind. */
    kinds: required(z.partialRecord(entryKind, z.int())),
    /** Which of the entries that lie in the database are its own; a newer version comes with another. */
    edition: required(z.int(), { internal: true, lookup: true }),
  },
})
