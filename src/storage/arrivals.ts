import type { Entity } from '../kernel/entity.ts'
import { byDependence, carryOf, travels } from '../kernel/travel.ts'
import { type Column, columnsOf, type SqlValue } from './columns.ts'
import { bringLabels } from './labels.ts'
import { wholeRow } from './reader.ts'
import { indexRow } from './search.ts'
import { rangeOf } from './search-places.ts'
import type { Store } from './store.ts'
import { bringTallies } from './tally-writes.ts'
import { keepingNotes } from './upload-sweep.ts'
import { stored } from './writer.ts'

// Rows of a campaign that is being brought in: they come in many transactions, so that nobody waits for them, under a
// campaign that has no members and that nothing shows. Their ids are reserved ahead, so that they can name each other.

type Values = Readonly<Record<string, unknown>>

/** The first id of a kind of thing is `base + 1`. */
export type Bases = ReadonlyMap<string, number>

export interface Arrival {
  readonly campaignId: number
  readonly bases: Bases
}

/**
 * With how many pages in its log the database moves them to their places, as part of the commit that comes to so many. SQLite's
 * own thousand take 8 to 20 ms, which a person's commit meets once in a hundred; commits that come one upon another take fewer.
 */
const checkpointPages = { arriving: 250, otherwise: 1000 } as const

/**
 * A transaction that need not be on the disk yet when it ends, so that nobody waits for the disk meanwhile: a power cut may
 * undo it together with all that came after it. What shows the campaign in the end makes all of it last.
 */
export function arrivingTransaction(store: Store, work: () => void): void {
  // Inside of another the outer one decides what lasts.
  if (store.connection.inTransaction) {
    store.transaction(work)
    return
  }
  store.connection.pragma('synchronous = NORMAL')
  store.connection.pragma(`wal_autocheckpoint = ${checkpointPages.arriving}`)
  try {
    store.transaction(work)
  } finally {
    store.connection.pragma(`wal_autocheckpoint = ${checkpointPages.otherwise}`)
    store.connection.pragma('synchronous = FULL')
  }
}

/** Makes the campaign, which nobody is a member of yet, and reserves ids. One transaction. */
export function beginArrival(
  store: Store,
  campaign: Entity,
  valuesOf: (bases: Bases) => Values,
  counts: ReadonlyMap<string, number>,
  now: string,
): Arrival {
  return store.transaction(() => {
    const bases = new Map<string, number>()
    for (const [name, count] of counts) bases.set(name, reserve(store, store.registry.get(name).table, count))
    const campaignId = reserve(store, campaign.table, 1) + 1
    const values = valuesOf(bases)
    insertArrived(store, campaign, {
      id: campaignId,
      campaignId,
      values: { ...values, importing: true },
      ...at(values, now),
    })
    return { campaignId, bases }
  })
}

function at({ createdAt, updatedAt }: Values, now: string): { readonly createdAt: string; readonly updatedAt: string } {
  const created = typeof createdAt === 'string' ? createdAt : now
  return { createdAt: created, updatedAt: typeof updatedAt === 'string' ? updatedAt : created }
}

/** Ids that nobody else gets: the last one before them. */
function reserve(store: Store, table: string, count: number): number {
  const row = store.get('SELECT seq FROM sqlite_sequence WHERE name = @table', { table })
  const last = Number(row?.seq ?? 0)
  if (row === undefined)
    store.run('INSERT INTO sqlite_sequence (name, seq) VALUES (@table, @seq)', { table, seq: count })
  else store.run('UPDATE sqlite_sequence SET seq = @seq WHERE name = @table', { table, seq: last + count })
  return last
}

export interface ArrivingRow {
  readonly id: number
  readonly campaignId: number
  readonly values: Values
  readonly createdAt: string
  readonly updatedAt: string
}

/** Inserts one row, without the references that may name what is not there yet. */
export function insertArrived(store: Store, entity: Entity, row: ArrivingRow): void {
  const late = new Set(lateReferences(entity).map(({ key }) => key))
  const given = columnsOf(entity).filter(
    ({ key, field }) => field !== null && row.values[key] !== undefined && !late.has(key),
  )
  const home: readonly (readonly [string, SqlValue])[] =
    entity.scope === 'root' ? [] : [['campaign_id', row.campaignId]]
  const pairs: readonly (readonly [string, SqlValue])[] = [
    ['id', row.id],
    ...home,
    ['created_at', row.createdAt],
    ['updated_at', row.updatedAt],
    ['public_updated_at', row.updatedAt],
    ...stored(given, row.values),
  ]
  const columns = pairs.map(([column]) => column)
  store.run(
    `INSERT INTO ${entity.table} (${columns.join(', ')}) VALUES (${columns.map((column) => `@${column}`).join(', ')})`,
    Object.fromEntries(pairs),
  )
  bringLabels(store, entity, row.id, Object.keys(row.values))
}

/** Writes the references that `insertArrived` left open, and brings the row into the search index. Everything is there by now. */
export function completeArrived(store: Store, entity: Entity, id: number, values: Values): void {
  const late = lateReferences(entity).filter(({ key }) => values[key] != null)
  if (late.length > 0)
    store.run(
      `UPDATE ${entity.table} SET ${late.map(({ column }) => `${column} = @${column}`).join(', ')} WHERE id = @id`,
      { id, ...Object.fromEntries(late.map(({ key, column }) => [column, values[key] as SqlValue])) },
    )
  indexRow(store, entity, id)
  bringTallies(store, entity, null, wholeRow(store, entity, id))
}

/** Columns that name another row, or its kind, and that a row can be without. */
function lateReferences(entity: Entity): readonly Column[] {
  return columnsOf(entity).filter(({ key, field }) => {
    if (field?.presence !== 'nullable' || typeof carryOf(entity, key) === 'object') return false
    return field.marks.link !== undefined || field.marks.references !== undefined
  })
}

/** Campaigns that are being brought in, or were when the server ended. */
export function unfinishedArrivals(store: Store): readonly number[] {
  return store.all('SELECT id FROM campaigns WHERE importing = 1 ORDER BY id').map(({ id }) => Number(id))
}

/** Rows that go in one transaction. */
const rowsAtOnce = 200

/**
 * Takes back some rows of a campaign that was not brought in whole; false when nothing of it is left. Called again and again,
 * so that nobody waits for it.
 */
export function takeBackSome(store: Store, campaignId: number): boolean {
  return store.transaction(() => {
    const isOurs = store.get('SELECT 1 AS known FROM campaigns WHERE id = @campaignId AND importing = 1', {
      campaignId,
    })
    if (isOurs === undefined) return false
    // What cannot be without others goes before them.
    const ordered = byDependence(store.registry.all.filter((each) => each.scope === 'campaign' && travels(each)))
    for (const { name, table } of [...ordered].reverse()) {
      const rows = store.all(
        `SELECT id FROM ${table} WHERE campaign_id = @campaignId ORDER BY id LIMIT ${rowsAtOnce}`,
        { campaignId },
      )
      const remove = (): void => {
        for (const { id } of rows) takeBackRow(store, name, table, id as number)
      }
      if (name === 'attachment') keepingNotes(store, campaignId, remove)
      else remove()
      if (rows.length > 0) return true
    }
    // Its documents stand side by side (search-places.ts).
    const [first, last] = [rangeOf(campaignId, 'open').from, rangeOf(campaignId, 'closed').to]
    store.run('DELETE FROM search_documents WHERE id BETWEEN @first AND @last', { first, last })
    for (const table of ['tallies', 'recent_changes'])
      store.run(`DELETE FROM ${table} WHERE campaign_id = @campaignId`, { campaignId })
    // What its own texts mention goes with it.
    const root = store.registry.all.find((each) => each.scope === 'root')
    if (root !== undefined) takeBackRow(store, root.name, root.table, campaignId)
    return false
  })
}

function takeBackRow(store: Store, name: string, table: string, id: number): void {
  store.run('DELETE FROM search_documents WHERE entity_type = @name AND entity_id = @id', { name, id })
  store.run('DELETE FROM mentions WHERE from_type = @name AND from_id = @id', { name, id })
  store.run(`DELETE FROM ${table} WHERE id = @id`, { id })
}
