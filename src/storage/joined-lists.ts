import type { Entity } from '../kernel/entity.ts'
import type { CursorKey } from '../kernel/paging.ts'
import type { Viewer } from '../kernel/viewer.ts'
import type { AnyQuery, Conditions, Sorting } from './query.ts'
import { sqlViewerOf } from './visibility-sql.ts'

// Lists that are made of several, each of which has an index of its own: of several campaigns, or of several authors.

/** A row as a viewer reads it, and where it stands in the order of its list. */
export interface KeyedRow {
  readonly row: Readonly<Record<string, unknown>>
  readonly key: CursorKey
}

/** Of more authors it costs more to ask each than to go through all rows. */
const mostAuthors = 12

/**
 * The authors whose rows an outside AI may get, each to be asked for by themself: it would go through the rows of all others for
 * a page of theirs. Null where nothing is gained, or where more than the author decides.
 */
export function authorsAsked(entity: Entity, viewer: Viewer, query: AnyQuery): readonly Conditions[] | null {
  const { ai, userId } = viewer
  const { forAi, lists } = entity
  if (ai === null || forAi?.is !== 'agreed' || forAi.on !== undefined || query.matching !== undefined) return null
  const { field } = forAi
  const where = query.where as Conditions | undefined
  if (where?.[field] !== undefined || lists.filters?.includes(field) !== true) return null
  if (sqlViewerOf(viewer).ai !== 'some' || ai.agreed.size >= mostAuthors) return null
  const authors: (number | null)[] = [...new Set([userId, ...ai.agreed])]
  if (entity.fields[field]?.presence === 'nullable') authors.push(null)
  return authors.map((author) => ({ ...where, [field]: author }))
}

/** The first of all of them, in the order of their keys. */
export function inOrder(rows: readonly KeyedRow[], sorting: Sorting): readonly KeyedRow[] {
  return rows.toSorted(({ key: one }, { key: other }) => {
    for (const [index, [, direction]] of sorting.entries()) {
      const compared = compareValues(one[index] ?? null, other[index] ?? null)
      if (compared !== 0) return direction === 'asc' ? compared : -compared
    }
    return 0
  })
}

/** As SQLite compares: null before all else, texts byte by byte. */
function compareValues(one: CursorKey[number], other: CursorKey[number]): number {
  if (one === null || other === null) return Number(other === null) - Number(one === null)
  if (typeof one === 'number' && typeof other === 'number') return one - other
  return Buffer.compare(Buffer.from(String(one)), Buffer.from(String(other)))
}
