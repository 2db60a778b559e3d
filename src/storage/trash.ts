import type { Trash, TrashItem } from '../kernel/context.ts'
import type { Entity } from '../kernel/entity.ts'
import { fail } from '../kernel/errors.ts'
import { type CursorKey, type Page, type PageRequest, pageFrom, sift } from '../kernel/paging.ts'
import type { Viewer } from '../kernel/viewer.ts'
import { speaksOf, wordsIn } from '../kernel/words.ts'
import type { ChangeSet } from './change-set.ts'
import { campaignOf, columnOf, scopeSql } from './columns.ts'
import { wholeRow } from './reader.ts'
import { isOpen } from './registry.ts'
import type { Store } from './store.ts'
import { bringTallies } from './tally-writes.ts'
import { namedBy } from './titles.ts'
import { type SqlViewer, sqlViewerOf, visibleSql } from './visibility-sql.ts'
import { setTrashed } from './writer.ts'

/** The trash of one campaign. Only what heads its batch is listed; what it took along comes back with it. */
export function trashFor(store: Store, viewer: Viewer, changes: ChangeSet | null): Trash {
  const writing = (): ChangeSet => {
    if (changes === null) throw new Error('the trash of a read cannot write')
    return changes
  }
  return {
    page: (filter, page) => listTrash(store, viewer, filter, page),
    restore(entity, id) {
      const batch = batchOf(store, viewer, entity, id)
      const owner = trashedOwner(store, entity, id)
      if (owner) throw fail('invalid_state', `The ${owner.label} it belongs to is in the trash. Restore that first.`)
      const rows = rowsOfBatch(store, viewer, batch)
      for (const row of rows) setTrashed(store, row.entity, row.id, writing(), null)
      return rows.length
    },
    purge(entity, id) {
      const rows = rowsOfBatch(store, viewer, batchOf(store, viewer, entity, id))
      return rows.reduce((count, row) => count + purgeRow(store, row.entity, row.id, writing()), 0)
    },
    campaign() {
      const { name, deletedAt } = trashedCampaign(store, viewer)
      return { name: String(name), deletedAt: String(deletedAt) }
    },
    restoreCampaign() {
      trashedCampaign(store, viewer)
      setTrashed(store, rootEntity(store), viewer.campaignId as number, writing(), null)
    },
  }
}

function rootEntity(store: Store): Entity {
  return store.registry.get('campaign')
}

function trashedCampaign(store: Store, viewer: Viewer): Readonly<Record<string, unknown>> {
  const row = viewer.campaignId === null ? null : wholeRow(store, rootEntity(store), viewer.campaignId)
  if (row === null || row.deletedAt === null) throw fail('invalid_state', 'This campaign is not in the trash.')
  return row
}

/** What a batch can hold: the campaign itself comes back by an operation of its own. */
function trashable(store: Store): readonly Entity[] {
  return store.registry.all.filter((entity) => entity.trash && entity.scope !== 'root')
}

/** Rows of one batch, owners before what they own. */
function rowsOfBatch(
  store: Store,
  viewer: Viewer,
  batch: number,
): readonly { readonly entity: Entity; readonly id: number }[] {
  const rows = trashable(store).flatMap((entity) =>
    store
      .all(
        `SELECT t.id AS id FROM ${entity.table} t WHERE t.trash_batch = @batch AND t.deleted_at IS NOT NULL AND ${scopeSql(entity, 't')} ORDER BY t.id`,
        { batch, ...bindingsOf(viewer) },
      )
      .map((row) => ({ entity, id: row.id as number })),
  )
  const depth = (entity: Entity): number => {
    const owner = Object.values(entity.fields).find(({ marks }) => marks.owned)?.marks.references
    return owner === undefined ? 0 : 1 + depth(store.registry.get(owner))
  }
  return rows.sort((one, other) => depth(one.entity) - depth(other.entity))
}

function batchOf(store: Store, viewer: Viewer, entity: Entity, id: number): number {
  const audience = sqlViewerOf(viewer)
  const row = store.get(
    `SELECT t.trash_batch AS batch FROM ${entity.table} t WHERE t.id = @id AND ${scopeSql(entity, 't')} AND t.deleted_at IS NOT NULL AND (${trashVisibleSql(store, entity, audience)})`,
    { id, ...bindingsOf(viewer) },
  )
  if (!row) throw fail('not_found', `There is no such ${entity.label} in the trash. list_trash shows what is.`)
  return row.batch as number
}

function bindingsOf(viewer: Viewer): { readonly campaign: number | null; readonly viewer: number } {
  return { campaign: viewer.campaignId, viewer: viewer.userId }
}

/** A thing whose owner is in the trash too cannot be judged by that owner; its own rule is enough for a Dungeon Master. */
function trashVisibleSql(store: Store, entity: Entity, audience: SqlViewer): string {
  const owned = Object.values(entity.fields).some(({ marks }) => marks.owned)
  if (!owned) return visibleSql(store.registry, entity, 't', audience)
  return audience.dm && isOpen(store.registry, entity, audience.toolsets) ? '1' : '0'
}

function trashedOwner(store: Store, entity: Entity, id: number): Entity | null {
  const owned = Object.entries(entity.fields).find(([, { marks }]) => marks.owned)
  if (!owned) return null
  const [key, { marks }] = owned
  const owner = store.registry.get(marks.references as string)
  const row = wholeRow(store, entity, id)
  const ownerRow = wholeRow(store, owner, row?.[key] as number)
  const sameBatch = store.get(
    `SELECT 1 AS same FROM ${entity.table} t JOIN ${owner.table} o ON o.id = t.${columnOf(entity, key).column} AND o.trash_batch = t.trash_batch WHERE t.id = @id`,
    { id },
  )
  return ownerRow?.deletedAt != null && sameBatch === undefined ? owner : null
}

/**
 * Deletes a row after all that it owns, whenever that was trashed: the foreign keys let no owner go before. Returns how
 * many rows went; none where it is gone already.
 */
function purgeRow(store: Store, entity: Entity, id: number, changes: ChangeSet): number {
  const before = wholeRow(store, entity, id)
  if (before === null) return 0
  let count = 1
  for (const owned of store.registry.ownedBy(entity.name)) {
    const { column } = columnOf(owned.entity, owned.field)
    const rows = store.all(`SELECT id FROM ${owned.entity.table} WHERE ${column} = @id`, { id })
    for (const row of rows) count += purgeRow(store, owned.entity, row.id as number, changes)
  }
  store.run(`DELETE FROM ${entity.table} WHERE id = @id`, { id })
  bringTallies(store, entity, before, null)
  store.run(
    `UPDATE changes SET before = NULL, after = NULL, fields = '[]' WHERE entity_type = @type AND entity_id = @id`,
    { type: entity.name, id },
  )
  changes.add({
    entity,
    id,
    campaignId: campaignOf(entity, before),
    kind: 'purge',
    before: null,
    after: null,
    isPublic: true,
  })
  return count
}

type TrashRow = Readonly<Record<string, unknown>>

function listTrash(
  store: Store,
  viewer: Viewer,
  { entityType, query }: { readonly entityType?: string | undefined; readonly query?: string | undefined },
  page: PageRequest,
): Page<TrashItem> {
  const kinds = store.registry.all.filter(
    ({ name, trash, scope }) => trash && scope === 'campaign' && (entityType === undefined || name === entityType),
  )
  const parts = ['integer', 'text', 'integer'] as const
  const keyOf = (row: TrashRow): CursorKey => [Number(row.batch), String(row.type), Number(row.id)]
  const behind = (key: CursorKey | null, most: number) => trashedRows(store, viewer, kinds, key, most)
  const words = wordsIn(query ?? '')
  const found =
    query === undefined
      ? pageFrom(page, behind, keyOf, parts)
      : sift(
          page,
          function* (key) {
            for (let last = key; ; ) {
              const rows = behind(last, slice)
              yield* rows
              const end = rows.at(-1)
              if (rows.length < slice || end === undefined) return
              last = keyOf(end)
            }
          },
          keyOf,
          ({ title, type, name }) => speaksOf(`${title ?? ''} ${type} ${name ?? ''}`.replaceAll('_', ' '), words),
          parts,
        )
  const sizes = batchSizes(store, viewer, [...new Set(found.items.map(({ batch }) => Number(batch)))])
  const items = found.items.map((row) => ({
    entityType: String(row.type),
    entityId: Number(row.id),
    title: row.title as string | null,
    deletedAt: String(row.deletedAt),
    deletedByUserId: row.userId as number | null,
    deletedByUser: namedBy(row.userId as number | null, row.name as string | null),
    owned: (sizes.get(Number(row.batch)) ?? 1) - 1,
  }))
  return { ...found, items }
}

/** Rows that a walk reads at once. */
const slice = 100

function trashedRows(
  store: Store,
  viewer: Viewer,
  kinds: readonly Entity[],
  key: CursorKey | null,
  most: number,
): readonly TrashRow[] {
  if (kinds.length === 0) return []
  const [beforeBatch, afterType, afterId] = key ?? [Number.MAX_SAFE_INTEGER, '', 0]
  return store.all(
    `SELECT x.*, s.actor_user_id AS userId, u.username AS name FROM (${kinds.map((entity) => trashedSql(store, viewer, entity)).join(' UNION ALL ')}) x
     LEFT JOIN change_sets s ON s.id = x.batch LEFT JOIN users u ON u.id = s.actor_user_id
     ORDER BY x.batch DESC, x.type, x.id LIMIT @limit`,
    {
      ...bindingsOf(viewer),
      beforeBatch: beforeBatch ?? null,
      afterType: afterType ?? null,
      afterId: afterId ?? null,
      limit: most,
    },
  )
}

/** The first rows of one kind behind the cursor. Each kind gives no more than a page, read in order from its own index. */
function trashedSql(store: Store, viewer: Viewer, entity: Entity): string {
  const audience = sqlViewerOf(viewer)
  const title = entity.title === null ? 'NULL' : `t.${columnOf(entity, entity.title).column}`
  const owned = Object.entries(entity.fields).find(([, { marks }]) => marks.owned)
  const owner = owned ? store.registry.get(owned[1].marks.references as string) : null
  const alone =
    owned && owner
      ? ` AND NOT EXISTS (SELECT 1 FROM ${owner.table} o WHERE o.id = t.${columnOf(entity, owned[0]).column} AND o.trash_batch = t.trash_batch)`
      : ''
  return `SELECT * FROM (SELECT '${entity.name}' AS type, t.id AS id, ${title} AS title, t.deleted_at AS deletedAt, t.trash_batch AS batch
    FROM ${entity.table} t WHERE t.campaign_id = @campaign AND t.deleted_at IS NOT NULL AND t.trash_batch <= @beforeBatch
      AND (t.trash_batch < @beforeBatch OR ('${entity.name}', t.id) > (@afterType, @afterId))
      AND ${trashVisibleSql(store, entity, audience)}${alone}
    ORDER BY t.trash_batch DESC, t.id LIMIT @limit)`
}

/** How many rows each batch took to the trash, all of them in one statement for each kind of thing. */
function batchSizes(store: Store, viewer: Viewer, batches: readonly number[]): ReadonlyMap<number, number> {
  const sizes = new Map<number, number>()
  for (const entity of trashable(store)) {
    const counted = store.all(
      `SELECT t.trash_batch AS batch, count(*) AS n FROM ${entity.table} t
       WHERE t.trash_batch IN (SELECT value FROM json_each(@batches)) AND t.deleted_at IS NOT NULL AND ${scopeSql(entity, 't')}
       GROUP BY t.trash_batch`,
      { batches: JSON.stringify(batches), ...bindingsOf(viewer) },
    )
    for (const { batch, n } of counted) sizes.set(Number(batch), (sizes.get(Number(batch)) ?? 0) + Number(n))
  }
  return sizes
}
