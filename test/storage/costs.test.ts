import { beforeEach, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { campaign } from '../../src/domain/campaign/entity.ts'
import type { Context } from '../../src/kernel/context.ts'
import { defineEntity, type Entity } from '../../src/kernel/entity.ts'
import { name, nullable, prose, required, withDefault } from '../../src/kernel/fields.ts'
import { type AnyOperation, defineOperation } from '../../src/kernel/operation.ts'
import { everyone } from '../../src/kernel/visibility.ts'
import { type Answer, makeTable, type Table } from '../domain/support.ts'

// What a change costs besides the row: the journal keeps of large and hot fields that they changed, and the index and the
// mentions are written only where a text changed that they hold.

const battleMap = defineEntity({
  name: 'battle_map',
  table: 'battle_maps',
  label: 'map',
  listedBy: 'list_battle_maps',
  title: 'name',
  trash: true,
  mention: true,
  visible: everyone,
  fields: {
    name: required(name(), { search: 'title' }),
    body: nullable(prose(), { search: 'body' }),
    grid: withDefault(z.int(), 5),
    fog: withDefault(z.array(z.int()), [], { journal: 'name' }),
    story: nullable(prose(), { search: 'body', journal: 'name' }),
  },
})

const work = defineOperation({
  name: 'work',
  title: 'Work',
  description: 'For tests.',
  toolset: 'maps',
  access: 'dm',
  effect: 'write',
  route: 'POST /campaigns/{campaignId}/work',
  input: z.strictObject({ campaignId: campaign.id }),
  output: z.any(),
  example: (world) => ({ campaignId: world.id('campaign') }),
  handle: (context) => todo(context) ?? null,
})
let todo: (context: Context) => unknown = () => null

let table: Table
let id: number
beforeEach(async () => {
  table = await makeTable([battleMap] as unknown as readonly Entity[])
  id = await writing((context) =>
    context.write(battleMap).insert({ name: 'The mill', body: 'By the [river](location:1).' }),
  )
})

function writing(handle: typeof todo): Promise<Answer> {
  todo = handle
  return table.call('ellen', 'work', {}, { operation: work as unknown as AnyOperation })
}
const update = (patch: Record<string, unknown>) => writing((context) => context.write(battleMap).update(id, patch))
const lastChange = (): Answer =>
  table.store.get('SELECT kind, fields, before, after FROM changes ORDER BY id DESC LIMIT 1')
const lastRecord = async (): Promise<number> =>
  (await table.call('ellen', 'list_audit_records', { limit: 1 })).items[0].id
const mentions = (): unknown[] =>
  table.store
    .all("SELECT to_type, to_id FROM mentions WHERE from_type = 'battle_map' ORDER BY to_id")
    .map(({ to_id }) => to_id)

/** Rows of each table that were written, counted by triggers that SQLite runs. */
async function written(patch: Record<string, unknown>): Promise<Readonly<Record<string, number>>> {
  const watched = ['battle_maps', 'changes', 'search_documents', 'mentions']
  const { connection } = table.store
  connection.exec('CREATE TEMP TABLE IF NOT EXISTS written (name TEXT); DELETE FROM written')
  for (const each of watched)
    for (const verb of ['INSERT', 'UPDATE', 'DELETE'])
      connection.exec(
        `CREATE TEMP TRIGGER IF NOT EXISTS w_${each}_${verb} AFTER ${verb} ON main.${each} BEGIN INSERT INTO written VALUES ('${each}'); END`,
      )
  await update(patch)
  const counted = connection.prepare('SELECT name, count(*) AS n FROM written GROUP BY name').all() as {
    name: string
    n: number
  }[]
  return Object.fromEntries(counted.map(({ name: table, n }) => [table, n]))
}

describe('a field that is large or hot', () => {
  test('is journalled by its name, without what it held', async () => {
    await update({ fog: [7, 7, 7], grid: 10 })
    expect(lastChange()).toEqual({
      kind: 'update',
      fields: '["grid","fog"]',
      before: '{"grid":5}',
      after: '{"grid":10}',
    })
    expect(JSON.stringify(table.store.all('SELECT * FROM changes'))).not.toContain('7,7,7')
  })

  test('stays as it is when the record is undone or an earlier revision is restored', async () => {
    await update({ fog: [7], grid: 10 })
    const first = await lastRecord()
    await update({ fog: [8] })
    // That it changed again is in nobody's way, since no undo touches it.
    await table.call('ellen', 'revert_change', { auditRecordId: first })
    expect(table.row('battle_maps', id)).toMatchObject({ grid: 5, fog: '[8]' })
    const revisions = (await table.call('ellen', 'list_revisions', { entityType: 'battle_map', entityId: id })).items
    await table.call('ellen', 'restore_revision', { revisionId: revisions.at(-3).id })
    expect(table.row('battle_maps', id)).toMatchObject({ grid: 10, fog: '[8]' })
  })

  test('alone is nothing that can be undone', async () => {
    await update({ fog: [7] })
    expect(await table.refusal('ellen', 'revert_change', { auditRecordId: await lastRecord() })).toMatchObject({
      code: 'invalid_state',
    })
    expect(table.row('battle_maps', id)).toMatchObject({ fog: '[7]' })
  })

  test('is in no answer about an earlier version', async () => {
    await update({ fog: [7] })
    const [newest] = (await table.call('ellen', 'list_revisions', { entityType: 'battle_map', entityId: id })).items
    expect(newest.fields).toEqual(['fog'])
    expect(JSON.stringify(await table.call('ellen', 'get_revision', { revisionId: newest.id }))).not.toContain('[7]')
  })
})

describe('the index', () => {
  const hits = async (query: string): Promise<number> =>
    (await table.call('ellen', 'search_campaign', { query, entityTypes: ['battle_map'] })).items.length

  test('is not touched by a change of what it does not hold', async () => {
    expect(await written({ grid: 10, fog: [1, 2] })).toEqual({ battle_maps: 1, changes: 1 })
  })

  test('is written once for a text, and its mentions only where they changed', async () => {
    expect(await written({ body: 'Behind the [river](location:1).' })).toEqual({
      battle_maps: 1,
      changes: 1,
      search_documents: 1,
    })
    expect(await hits('behind')).toBe(1)
    expect(await written({ body: 'Behind the [river](location:1) and the [wall](location:2).' })).toMatchObject({
      mentions: 1,
    })
    expect(mentions()).toEqual([1, 2])
    expect(await written({ body: 'Behind the [wall](location:2).' })).toMatchObject({ mentions: 1 })
    expect(mentions()).toEqual([2])
    expect(await hits('river')).toBe(0)
  })

  test('holds a text that the journal keeps by name', async () => {
    expect(await written({ story: 'Long ago a wolf [drank](location:3) here.' })).toMatchObject({
      search_documents: 1,
      mentions: 1,
    })
    expect(await hits('wolf')).toBe(1)
  })

  test('follows the row into the trash, out of it and away', async () => {
    await writing((context) => context.write(battleMap).trash(id))
    expect(await hits('mill')).toBe(0)
    await writing((context) => context.trash.restore(battleMap as never, id))
    expect([await hits('mill'), mentions()]).toEqual([1, [1]])
    await writing((context) => context.write(battleMap).trash(id))
    await writing((context) => context.trash.purge(battleMap as never, id))
    expect(mentions()).toEqual([])
    expect(table.store.all("SELECT id FROM search_documents WHERE entity_type = 'battle_map'")).toEqual([])
  })
})
