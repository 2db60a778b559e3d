import * as z from 'zod'
import { defineEntity } from '../../kernel/entity.ts'
import { line, name, nullable, prose, required, withDefault } from '../../kernel/fields.ts'
import { unlessHidden } from '../../kernel/visibility.ts'
import { entryKind, keptBlock, ruleSystemKey } from '../stat-block.ts'

/** A rule entry that a campaign has written itself. Its id names it wherever an entry of a pack can stand too. */
export const homebrew = defineEntity({
  name: 'rule_entry',
  table: 'homebrew',
  label: 'rule of your own',
  listedBy: 'list_homebrew',
  title: 'name',
  trash: true,
  hide: true,
  mention: true,
  visible: unlessHidden,
  lists: { orders: [[['name', 'asc']]], filters: ['kind'] },
  since: 4,
  fields: {
    kind: required(entryKind),
    name: required(name(), { search: 'title' }),
    system: withDefault(ruleSystemKey, 'generic'),
    /** What it is in one line; follows from its numbers. */
    summary: nullable(line(), { search: 'body' }),
    body: nullable(prose(), { search: 'body' }),
    /** What `blockOf` of its kind asks for. */
    statblock: nullable(keptBlock),
    dmSecret: nullable(prose(), { readableBy: 'dm', search: 'body' }),
    hidden: withDefault(z.boolean(), false),
  },
})
