import * as z from 'zod'
import { defineEntity } from '../../kernel/entity.ts'
import { line, name, nullable, prose, reference, required, withDefault } from '../../kernel/fields.ts'
import { unlessHidden } from '../../kernel/visibility.ts'

/** A thing that a character carries, or that lies on the party's cart: nobody carries it then. */
export const inventoryItem = defineEntity({
  name: 'inventory_item',
  table: 'inventory_items',
  label: 'item',
  listedBy: 'list_inventory',
  title: 'name',
  owner: 'characterId',
  trash: true,
  hide: true,
  mention: true,
  visible: unlessHidden,
  lists: { orders: [[['name', 'asc']]], filters: ['characterId'] },
  since: 4,
  fields: {
    name: required(name(), { search: 'title' }),
    characterId: reference('character', { owned: true }),
    quantity: withDefault(z.int().min(1).max(1_000_000), 1),
    /** Of one, in what the rules weigh in. */
    weight: nullable(z.number().min(0).max(1_000_000)),
    /** In words: "15 gp". */
    value: nullable(line(60)),
    equipped: withDefault(z.boolean(), false),
    attuned: withDefault(z.boolean(), false),
    /** Where it is worn, in words. */
    slot: nullable(line(60)),
    notes: nullable(prose(), { search: 'body' }),
    dmSecret: nullable(prose(), { readableBy: 'dm', search: 'body' }),
    hidden: withDefault(z.boolean(), false),
  },
})
