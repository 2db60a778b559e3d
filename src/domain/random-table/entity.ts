import * as z from 'zod'
import { defineEntity } from '../../kernel/entity.ts'
import {
  byUser,
  idOf,
  line,
  name,
  nullable,
  prose,
  reference,
  required,
  tags,
  userId,
  withDefault,
} from '../../kernel/fields.ts'
import { anyOf, dungeonMasters, where } from '../../kernel/visibility.ts'

const mostRows = 200

/** One line of a table. With dice it stands at a range of totals, without at a share of all weights. */
export const tableRow = z.strictObject({
  from: z.int().min(-10_000).max(100_000).optional(),
  /** `from` alone is one number. */
  to: z.int().min(-10_000).max(100_000).optional(),
  weight: z.int().min(1).max(10_000).optional(),
  /** What to say aloud. `[[1d4+1]]` is thrown; mentions are links. */
  text: name(500),
  /** What follows below it. */
  more: line(1000).optional(),
  /** Goes on to another table, and how often. */
  tableId: idOf('table').optional(),
  times: z.int().min(1).max(5).optional(),
})
export type TableRow = z.output<typeof tableRow>

/** A table that is rolled on. The Dungeon Masters' alone. */
export const randomTable = defineEntity({
  name: 'table',
  table: 'random_tables',
  label: 'random table',
  listedBy: 'list_random_tables',
  title: 'name',
  trash: true,
  mention: true,
  visible: dungeonMasters,
  lists: { orders: [[['name', 'asc']]], filters: ['tags'] },
  since: 4,
  fields: {
    name: required(name(), { search: 'title' }),
    /** When it is rolled on, in a line. */
    description: nullable(line(), { search: 'body' }),
    /** The dice; null where the rows have weights. */
    expression: nullable(line(60)),
    rows: required(z.array(tableRow).min(1).max(mostRows), { carry: 'remap' }),
    tags: withDefault(tags(), [], { search: 'body' }),
  },
})

/** One throw and the line that it gave. `depth`: 0 on the table that was rolled on, 1 on one that a line led to. */
export const drawnStep = z.object({
  depth: z.int(),
  /** Null where the table did not come along with its campaign. */
  tableId: idOf('table').nullable(),
  table: z.string(),
  expression: z.string().nullable(),
  total: z.int(),
  dice: z.array(z.object({ sides: z.int(), face: z.int() })),
  /** Its number in the table, from 0. */
  row: z.int(),
  text: z.string(),
  more: z.string().nullable(),
  /** What was thrown inside its words. */
  thrown: z.array(
    z.object({ expression: z.string(), total: z.int(), dice: z.array(z.object({ sides: z.int(), face: z.int() })) }),
  ),
})
export type DrawnStep = z.output<typeof drawnStep>

/** A line that was drawn, with all that it led to. */
export const tableDraw = defineEntity({
  name: 'table_draw',
  table: 'table_draws',
  label: 'draw',
  listedBy: 'get_random_table',
  title: 'text',
  trash: true,
  visible: anyOf(dungeonMasters, where('visibility', 'party')),
  lists: { orders: [[['createdAt', 'desc']]], filters: ['tableId'] },
  since: 4,
  fields: {
    /** What it was drawn from; null to players, to whom tables are unknown. */
    tableId: reference('table'),
    /** The first line, as it was read out. */
    text: required(prose(600), { search: 'title' }),
    /** How it came about; it names tables, which players do not know. */
    steps: required(z.array(drawnStep), { readableBy: 'dm', carry: 'remap' }),
    visibility: withDefault(z.enum(['dm', 'party']), 'dm'),
    drawnByUserId: nullable(userId(), { references: 'user', ...byUser }),
  },
})
