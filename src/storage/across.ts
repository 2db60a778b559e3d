import type { Entity, VisibleRowOf } from '../kernel/entity.ts'
import { encodeCursor, type Page, type PageRequest } from '../kernel/paging.ts'
import type { AcrossReader, Query } from '../kernel/reader.ts'
import type { Viewer } from '../kernel/viewer.ts'
import { sayWithheld } from '../kernel/withheld.ts'
import { campaignOf } from './columns.ts'
import { inOrder } from './joined-lists.ts'
import { accessRowOf, keyedRows, placeOf, readerFor } from './reader.ts'
import type { Store } from './store.ts'
import { withheldRows } from './withheld-rows.ts'

/**
 * Reads an entity over several campaigns. Each is read by itself, through the eyes that the actor has there, and no more
 * of it than a page; the pages are joined by the keys of their order.
 */
export function acrossReader<E extends Entity>(store: Store, entity: E, viewers: readonly Viewer[]): AcrossReader<E> {
  const readers = viewers.map((viewer) => readerFor(store, entity, viewer))
  return {
    find(id) {
      const row = id === null ? null : accessRowOf(store, entity, id)
      const campaignId = row === null ? null : campaignOf(entity, row)
      const place = viewers.findIndex((viewer) => viewer.campaignId === campaignId)
      return readers[place]?.find(id) ?? null
    },
    page: (query) => pageAcross(store, entity, viewers, query as Query<Entity> & PageRequest) as never,
    count(where = {}, most = Number.POSITIVE_INFINITY) {
      let sum = 0
      for (const reader of readers) {
        if (sum >= most) break
        sum += reader.count(where, most === Number.POSITIVE_INFINITY ? undefined : most - sum)
      }
      return sum
    },
  }
}

function pageAcross<E extends Entity>(
  store: Store,
  entity: E,
  viewers: readonly Viewer[],
  query: Query<Entity> & PageRequest,
): Page<VisibleRowOf<E>> {
  const { sorting, size } = placeOf(query)
  const found = viewers.flatMap((viewer) => keyedRows(store, entity, viewer, query))
  const rows = inOrder(found, sorting)
  const items = rows.slice(0, size).map(({ row }) => row)
  const last = rows.length > size ? rows[size - 1] : undefined
  const withheld = viewers.reduce((sum, viewer) => sum + withheldRows(store, entity, viewer, query.where), 0)
  return {
    items: items as unknown as VisibleRowOf<E>[],
    nextCursor: last === undefined ? null : encodeCursor(last.key),
    ...(entity.forAi === null ? {} : sayWithheld(viewers[0]?.ai ?? null, withheld)),
  }
}
