import * as z from 'zod'
import type { Context } from '../../kernel/context.ts'
import type { VisibleRowOf } from '../../kernel/entity.ts'
import { fail, invalid } from '../../kernel/errors.ts'
import { name } from '../../kernel/fields.ts'
import { limits } from '../../kernel/limits.ts'
import { defineOperation } from '../../kernel/operation.ts'
import { listInput, pageOf } from '../../kernel/paging.ts'
import { groupOf } from '../../kernel/reader.ts'
import { campaign } from '../campaign/entity.ts'
import { changed, deletes, trashedOutput } from '../plain.ts'
import { drawnStep, randomTable, type TableRow, tableDraw } from './entity.ts'
import { circleFrom, drawFrom, settled, type Table, TooMuch } from './rules.ts'

const drawOutput = tableDraw.output.pick({ id: true, text: true, steps: true, visibility: true, createdAt: true })
const tableDetail = randomTable.output.extend({
  /** The tables that its lines lead to, by name; of a line that leads to none of these the table is gone. */
  leadsTo: z.array(z.object({ id: z.int(), name: z.string(), expression: z.string().nullable() })),
  /** The last twenty that were drawn, the newest first, and how many there were. */
  drawn: z.array(drawOutput),
  drawnCount: z.int(),
})
/** In lists without the rows. */
const tableListed = randomTable.listed.omit({ rows: true }).extend({ rowCount: z.int() })
const writable = ['name', 'description', 'expression', 'rows', 'tags'] as const

function tableBy(context: Context, id: number): Table | null {
  const row = context.read(randomTable).find(id)
  return row && { id: row.id, name: row.name, expression: row.expression, rows: row.rows }
}

/** Rows as they are kept. Throws `validation_failed` where the table is not whole, or leads back to itself. */
function checked(context: Context, table: Table): readonly TableRow[] {
  const rows = settled(table.expression, table.rows)
  if ('path' in rows) throw invalid(rows.path, rows.message)
  const absent = rows.findIndex(
    ({ tableId }) => tableId !== undefined && tableId !== table.id && tableBy(context, tableId) === null,
  )
  if (absent !== -1)
    throw invalid(
      `rows[${absent}].tableId`,
      'no such random table',
      `rows[${absent}].tableId: there is no such random table here. list_random_tables finds ids.`,
    )
  const circle = circleFrom(table, (id) => (id === table.id ? table : tableBy(context, id)))
  if (circle !== null)
    throw invalid(
      'rows',
      'leads too deep, or back to itself',
      `These tables lead too deep, or in a circle: ${circle.join(', ')}.`,
    )
  return rows
}

function detail(context: Context, row: VisibleRowOf<typeof randomTable>) {
  const ids = Array.from(new Set(row.rows.flatMap(({ tableId }) => tableId ?? [])))
  const leadsTo = ids.flatMap((id) => {
    const table = tableBy(context, id)
    return table === null ? [] : [{ id: table.id, name: table.name, expression: table.expression }]
  })
  const drawn = groupOf(
    context.read(tableDraw).groupBy('tableId', [row.id], { order: [['createdAt', 'desc']], limit: 20 }),
    row.id as number,
  )
  return { ...row, leadsTo, drawn: drawn.items, drawnCount: drawn.count }
}

export const randomTableOperations = {
  list_random_tables: defineOperation({
    name: 'list_random_tables',
    title: 'List random tables',
    description: 'By name, without rows.',
    toolset: 'dice',
    access: 'dm',
    effect: 'read',
    route: 'GET /campaigns/{campaignId}/random-tables',
    input: z.strictObject({ campaignId: campaign.id, tag: name(limits.tag).optional(), ...listInput }),
    output: pageOf(tableListed),
    example: (world) => ({ campaignId: world.id('campaign') }),
    handle(context, { tag, ...page }) {
      const where = { tags: tag === undefined ? undefined : { has: tag } }
      const { items, ...rest } = context.read(randomTable).list(page, { where, order: [['name', 'asc']] })
      return { ...rest, items: items.map(({ rows, ...row }) => ({ ...row, rowCount: rows.length })) }
    },
  }),
  get_random_table: defineOperation({
    name: 'get_random_table',
    title: 'Get random table',
    description: 'With rows, tables they lead to, last draws.',
    toolset: 'dice',
    access: 'dm',
    effect: 'read',
    route: 'GET /random-tables/{tableId}',
    input: z.strictObject({ tableId: randomTable.id }),
    output: tableDetail,
    example: (world) => ({ tableId: world.id('table') }),
    handle: (context, { tableId }) => detail(context, context.read(randomTable).get(tableId)),
  }),
  create_random_table: defineOperation({
    name: 'create_random_table',
    title: 'Create random table',
    description: 'expression: rows have from and to for each total; without: weights. [[1d4]] in text is thrown.',
    toolset: 'dice',
    access: 'dm',
    effect: 'write',
    route: 'POST /campaigns/{campaignId}/random-tables',
    creates: true,
    input: z.strictObject({ campaignId: campaign.id, ...randomTable.create(...writable) }),
    output: randomTable.output,
    example: (world) => ({
      campaignId: world.id('campaign'),
      name: 'Met on the salt road',
      expression: '1d6',
      rows: [
        { from: 1, to: 3, text: 'Nobody. The posts are all there, and one too many.' },
        { from: 4, to: 5, text: '[[1d4+1]] salt hounds, keeping their distance' },
        { from: 6, text: 'A traveller', tableId: world.id('table') },
      ],
    }),
    handle(context, { campaignId: _, ...values }) {
      const rows = checked(context, {
        id: 0,
        name: values.name,
        expression: values.expression ?? null,
        rows: values.rows,
      })
      const id = context.write(randomTable).insert({ ...values, rows: [...rows] })
      return changed(context, randomTable, id)
    },
  }),
  update_random_table: defineOperation({
    name: 'update_random_table',
    title: 'Update random table',
    description: 'Rows are replaced as a whole.',
    toolset: 'dice',
    access: 'dm',
    effect: 'write',
    route: 'PATCH /random-tables/{tableId}',
    input: z.strictObject({ tableId: randomTable.id, ...randomTable.update(...writable) }),
    output: randomTable.output,
    example: (world) => ({ tableId: world.id('table'), description: 'Once a night, whenever they make camp.' }),
    handle(context, { tableId, expectedRevision, ...patch }) {
      const before = context.read(randomTable).get(tableId)
      const expression = patch.expression === undefined ? before.expression : patch.expression
      const asked = patch.rows ?? (patch.expression === undefined ? undefined : before.rows)
      const rows = asked && checked(context, { id: tableId, name: patch.name ?? before.name, expression, rows: asked })
      context
        .write(randomTable)
        .update(tableId, { ...patch, ...(rows === undefined ? {} : { rows: [...rows] }) }, expectedRevision)
      return changed(context, randomTable, tableId)
    },
  }),
  delete_random_table: defineOperation({
    name: 'delete_random_table',
    title: 'Delete random table',
    description: 'To the trash. Tables that lead to it stop there.',
    toolset: 'dice',
    access: 'dm',
    effect: 'destroy',
    route: 'DELETE /random-tables/{tableId}',
    input: z.strictObject({ tableId: randomTable.id }),
    output: trashedOutput,
    example: (world) => ({ tableId: world.id('table', 'spare') }),
    handle: deletes(randomTable, 'tableId'),
  }),
  roll_random_table: defineOperation({
    name: 'roll_random_table',
    title: 'Roll random table',
    description: 'Draw a line, and on tables it leads to. visibility party: for all.',
    toolset: 'dice',
    access: 'dm',
    effect: 'write',
    route: 'POST /random-tables/{tableId}/roll',
    input: z.strictObject({
      tableId: randomTable.id,
      times: z.int().min(1).max(20).optional(),
      visibility: z.enum(['dm', 'party']).optional(),
    }),
    output: z.object({
      tableId: z.int(),
      draws: z.array(z.object({ id: z.int(), text: z.string(), steps: z.array(drawnStep) })),
    }),
    tells: ['draws'],
    example: (world) => ({ tableId: world.id('table') }),
    handle(context, { tableId, times = 1, visibility }) {
      const { id, name, expression, rows } = context.read(randomTable).get(tableId)
      const table = { id, name, expression, rows }
      const draws = Array.from({ length: times }, () => {
        const steps = drawn(context, table)
        const text = steps[0]?.text ?? ''
        const drawId = context
          .write(tableDraw)
          .insert({ tableId, text, steps: [...steps], visibility, drawnByUserId: context.actor.userId })
        return { id: drawId, text, steps: [...steps] }
      })
      return { tableId: table.id, draws }
    },
  }),
}

function drawn(context: Context, table: Table) {
  try {
    return drawFrom(table, (id) => tableBy(context, id), context.random)
  } catch (cause) {
    if (!(cause instanceof TooMuch)) throw cause
    throw fail('invalid_state', 'This table leads to too many others for one roll. Let its lines lead to fewer.', {
      cause,
    })
  }
}
