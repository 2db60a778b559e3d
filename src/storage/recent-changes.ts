import type { Entity } from '../kernel/entity.ts'
import type { RecentChange } from '../kernel/journal.ts'
import { limits } from '../kernel/limits.ts'
import { decodeCursor, encodeCursor, type Page, type PageRequest } from '../kernel/paging.ts'
import { atLeast, type Viewer } from '../kernel/viewer.ts'
import { campaignOf } from './columns.ts'
import { parentsOf } from './parts.ts'
import type { Raw } from './row-source.ts'
import { searchable, seenSql, withheldTexts } from './search.ts'
import { partOf, readerFieldsOf } from './search-places.ts'
import type { Store } from './store.ts'
import { namedBy } from './titles.ts'

// What changed last, one line for each thing: its newest change, and the newest that players could notice. The lines lie apart
// as texts do in the search index: who is no Dungeon Master walks those of open things and those of their own alone, and what
// is hidden costs them nothing.

type Row = Readonly<Record<string, unknown>>

const [openPlace, closedPlace] = [0, -1]

/** Where the lines of a row lie: with what members see, or apart and with whom the row names. */
function placesOf(store: Store, entity: Entity, row: Row): readonly number[] {
  if (partOf(entity, row, parentsOf(store)) === 'open') return [openPlace]
  const readers = readerFieldsOf(entity).flatMap((field) => {
    const reader = row[field]
    return typeof reader === 'number' ? [reader] : []
  })
  return [closedPlace, ...new Set(readers)]
}

function hasLines(entity: Entity): boolean {
  return entity.scope === 'campaign' && entity.journal !== 'anonymous' && searchable(entity)
}

export interface NewChange {
  readonly entity: Entity
  readonly id: number
  /** The row after it; null where it is gone, or in the trash. */
  readonly after: Row | null
  /** Its number in the journal. */
  readonly change: number
  readonly isPublic: boolean
  /** Whether a field changed that decides who sees the row. */
  readonly isMoved: boolean
}

/** Brings the lines of a row up to date after a change. What is in the trash has none. */
export function bringRecent(store: Store, { entity, id, after, change, isPublic, isMoved }: NewChange): void {
  if (!hasLines(entity)) return
  const key = { type: entity.name, id }
  if (after === null || after.deletedAt !== null) {
    store.run('DELETE FROM recent_changes WHERE entity_type = @type AND entity_id = @id', key)
    return
  }
  const earlier = isMoved ? takeLines(store, key) : null
  writeLines(store, entity, after, change, isPublic ? change : (earlier?.publicly ?? null))
}

/** The same of a row that was not written, and is hidden or shown with what it follows. */
export function replaceRecent(store: Store, entity: Entity, row: Row): void {
  if (!hasLines(entity)) return
  const earlier = takeLines(store, { type: entity.name, id: Number(row.id) })
  if (earlier !== null) writeLines(store, entity, row, earlier.change, earlier.publicly)
}

function takeLines(store: Store, key: { readonly type: string; readonly id: number }) {
  const known = store.get(
    'SELECT change_id, public_change_id FROM recent_changes WHERE entity_type = @type AND entity_id = @id LIMIT 1',
    key,
  )
  if (known === undefined) return null
  store.run('DELETE FROM recent_changes WHERE entity_type = @type AND entity_id = @id', key)
  return { change: Number(known.change_id), publicly: known.public_change_id as number | null }
}

function writeLines(store: Store, entity: Entity, row: Row, change: number, publicly: number | null): void {
  for (const place of placesOf(store, entity, row))
    store.run(
      `INSERT INTO recent_changes (entity_type, entity_id, place, campaign_id, change_id, public_change_id)
       VALUES (@type, @id, @place, @campaign, @change, @publicly)
       ON CONFLICT DO UPDATE SET change_id = excluded.change_id, public_change_id = coalesce(excluded.public_change_id, public_change_id)`,
      { type: entity.name, id: Number(row.id), place, campaign: campaignOf(entity, row), change, publicly },
    )
}

/** The place in the journal of the newest change that is not behind an instant. */
const upToSince = `coalesce((SELECT c.id FROM changes c WHERE c.change_set_id <=
  (SELECT s.id FROM change_sets s WHERE s.campaign_id = @campaign AND s.at <= @since ORDER BY s.at DESC, s.id DESC LIMIT 1)
  ORDER BY c.change_set_id DESC, c.id DESC LIMIT 1), 0)`

/**
 * What changed in the campaign since an instant, newest first, one line per thing, as far as the viewer sees it now. It walks
 * from the newest line and ends with the page, or at the newest change that is not of that time.
 */
export function recentChanges(store: Store, viewer: Viewer, since: string, page: PageRequest): Page<RecentChange> {
  const size = page.limit ?? limits.page.standard
  const [before] = page.cursor === undefined ? [Number.MAX_SAFE_INTEGER] : decodeCursor(page.cursor, ['integer'])
  const dm = atLeast(viewer.role, 'dm')
  const bindings = {
    campaign: viewer.campaignId,
    viewer: viewer.userId,
    since,
    before: before ?? null,
    limit: size + 1,
  }
  const sources = dm ? ['r.place <= 0'] : ['r.place = 0', 'r.place = @viewer']
  const rows = sources
    .flatMap((source) => store.all(linesSql(store, viewer, source, dm ? 'change_id' : 'public_change_id'), bindings))
    .sort((one, other) => Number(other.change) - Number(one.change))
  const last = rows[size - 1]
  return {
    items: rows.slice(0, size).map(recentChange),
    nextCursor: rows.length > size && last ? encodeCursor([last.change as number]) : null,
    ...withheldTexts(store, viewer),
  }
}

function linesSql(store: Store, viewer: Viewer, source: string, change: string): string {
  // CROSS JOIN: in this order, and no other.
  return `SELECT c.id AS change, d.entity_type AS type, d.entity_id AS id, d.title AS title, c.kind AS kind, s.at AS at, s.actor_user_id AS userId, u.username AS name
    FROM recent_changes r CROSS JOIN changes c ON c.id = r.${change} CROSS JOIN change_sets s ON s.id = c.change_set_id
    CROSS JOIN search_documents d ON d.entity_type = r.entity_type AND d.entity_id = r.entity_id
    LEFT JOIN users u ON u.id = s.actor_user_id
    WHERE r.campaign_id = @campaign AND ${source} AND r.${change} < @before AND r.${change} > ${upToSince}
      AND s.at > @since AND ${seenSql(store, viewer, undefined)}
    ORDER BY r.${change} DESC LIMIT @limit`
}

function recentChange(row: Raw): RecentChange {
  return {
    entityType: String(row.type),
    entityId: Number(row.id),
    title: row.title === '' ? null : String(row.title),
    kind: row.kind as RecentChange['kind'],
    at: String(row.at),
    byUserId: row.userId as number | null,
    byUser: namedBy(row.userId, row.name),
  }
}
