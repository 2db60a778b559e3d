import { expect, test } from 'vitest'
import { entities } from '../../src/catalogue.ts'
import type { Entity } from '../../src/kernel/entity.ts'
import { personIn } from '../../src/kernel/viewer.ts'
import { type Column, columnsOf } from '../../src/storage/columns.ts'
import { labelTablesOf } from '../../src/storage/label-tables.ts'
import { bringLabels } from '../../src/storage/labels.ts'
import { readerFor, wholeRow } from '../../src/storage/reader.ts'
import { indexRow } from '../../src/storage/search.ts'
import { stored } from '../../src/storage/writer.ts'
import { growWorld, isGrown, seenOf } from '../support/grown-world.ts'
import { shareWorld } from '../support/shared-world.ts'
import { keptTallies, recounted } from '../support/tallies.ts'

// The grown world of the bench is written past the operations: what it holds is what they would have written.

const shared = shareWorld()
const rows = 2 * seenOf

test('a copy of each kind is as the writer makes one', () => {
  const { world } = shared
  const store = world.server.app.store()
  const { connection } = store
  const { bases } = growWorld(connection, world.record, rows)
  expect(connection.pragma('foreign_key_check')).toEqual([])
  for (const entity of entities.filter(isGrown)) {
    const base = bases.get(entity.name) as number
    for (const id of [base + 1, base + seenOf]) {
      const row = wholeRow(store, entity, id)
      expect(row, entity.name).not.toBeNull()
      expect(readsBack(entity, row ?? {}), entity.name).toEqual([])
      const sorted = columnsOf(entity).filter(({ sortColumn }) => sortColumn !== null)
      expect(world.row(entity.table, id)).toMatchObject(Object.fromEntries(stored(sorted, row ?? {})))
      const before = beside(entity, id)
      indexRow(store, entity, id)
      bringLabels(store, entity, id, Object.keys(entity.fields))
      expect(beside(entity, id), entity.name).toEqual(before)
    }
  }
})

test('the numbers that are kept are those that the writer would keep', () => {
  const store = shared.world.server.app.store()
  expect(keptTallies(store)).toEqual(recounted(store))
})

test('players see one of twenty, and Dungeon Masters all', () => {
  const { world } = shared
  const store = world.server.app.store()
  const campaign = world.id('campaign')
  const countFor = (name: string, role: 'dm' | 'player'): number => {
    const entity = entities.find((each) => each.name === name) as Entity
    return readerFor(store, entity, { ...personIn(campaign, role, world.userId[role]), door: 'rest' }).count()
  }
  for (const name of ['npc', 'location', 'objective', 'relation', 'inventory_item', 'encounter', 'note']) {
    expect(countFor(name, 'dm'), name).toBeGreaterThan(rows - 3)
    expect(countFor(name, 'player'), name).toBeLessThan(rows / 2)
    expect(countFor(name, 'player'), name).toBeGreaterThanOrEqual(rows / seenOf)
  }
})

/** Members that hold what their schemas refuse. */
function readsBack(entity: Entity, row: Readonly<Record<string, unknown>>): readonly string[] {
  return columnsOf(entity)
    .filter((column: Column) => column.field !== null && row[column.key] !== null)
    .filter(({ key, field }) => !field?.schema.safeParse(row[key]).success)
    .map(({ key }) => key)
}

/** What lies beside a row for search, mentions and labels. */
function beside(entity: Entity, id: number): unknown {
  const store = shared.world.server.app.store()
  const key = { type: entity.name, id }
  return {
    document: store.all(
      'SELECT campaign_id, title, body, secret FROM search_documents WHERE entity_type = @type AND entity_id = @id',
      key,
    ),
    mentions: store.all(
      'SELECT * FROM mentions WHERE from_type = @type AND from_id = @id ORDER BY to_type, to_id, secret',
      key,
    ),
    labels: labelTablesOf(entity).map(({ table }) =>
      store.all(`SELECT * FROM ${table} WHERE id = @id ORDER BY label`, { id }),
    ),
  }
}
