import type { AcrossReader, Query } from '../kernel/context.ts'
import type { Entity, VisibleRowOf } from '../kernel/entity.ts'
import type { CursorKey, Page, PageRequest } from '../kernel/paging.ts'
import type { Viewer } from '../kernel/viewer.ts'
import { campaignOf } from './columns.ts'
import type { Sorting } from './query.ts'
import { accessRowOf, type KeyedRow, pageOfKeyed, pageRequest, readerFor, visibleKeyedRows } from './reader.ts'
import type { Store } from './store.ts'

/** The actor in one of their campaigns. */
export interface Seat {
  readonly viewer: Viewer
  /** Whether this campaign withholds texts of members from the door of the call. */
  readonly withholds: boolean
}

/**
 * Reads an entity over several campaigns. Each is read by itself, through the eyes that the actor has there, and no more
 * of it than a page; the pages are joined by the keys of their order.
 */
export function acrossReader<E extends Entity>(store: Store, entity: E, seats: readonly Seat[]): AcrossReader<E> {
  return {
    find(id) {
      const row = id === null ? null : accessRowOf(store, entity, id)
      const campaignId = row === null ? null : campaignOf(entity, row)
      const seat = seats.find(({ viewer }) => viewer.campaignId === campaignId)
      return seat === undefined ? null : readerFor(store, entity, seat.viewer, seat.withholds).find(id)
    },
    page(query) {
      const asked = query as Query<Entity> & PageRequest
      const { size, sorting } = pageRequest(asked)
      const rows = seats.flatMap(({ viewer, withholds }) => visibleKeyedRows(store, entity, viewer, withholds, asked))
      const first = rows.sort((one, other) => compareKeys(one, other, sorting)).slice(0, size + 1)
      const mayWithhold = seats.some(({ withholds }) => withholds)
      return pageOfKeyed(entity, first, size, mayWithhold) as unknown as Page<VisibleRowOf<E>>
    },
    count: (where = {}) =>
      seats.reduce((sum, { viewer, withholds }) => sum + readerFor(store, entity, viewer, withholds).count(where), 0),
  }
}

function compareKeys({ key: one }: KeyedRow, { key: other }: KeyedRow, sorting: Sorting): number {
  for (const [index, [, direction]] of sorting.entries()) {
    const compared = compareValues(one[index] ?? null, other[index] ?? null)
    if (compared !== 0) return direction === 'asc' ? compared : -compared
  }
  return 0
}

/** As SQLite compares: null before all else, texts byte by byte. */
function compareValues(one: CursorKey[number], other: CursorKey[number]): number {
  if (one === null || other === null) return Number(other === null) - Number(one === null)
  if (typeof one === 'number' && typeof other === 'number') return one - other
  return Buffer.compare(Buffer.from(String(one)), Buffer.from(String(other)))
}
