import type { Entity } from '../kernel/entity.ts'
import type { Viewer } from '../kernel/viewer.ts'
import { mostWithheld } from '../kernel/withheld.ts'
import { type AnyQuery, type Built, passing } from './query.ts'
import { visibleRows } from './row-source.ts'
import type { MemoKind, Store } from './store.ts'
import { agreedSql, predicateSql, sqlViewerOf } from './visibility-sql.ts'

/**
 * How many rows the person behind an outside AI sees that it does not, of those that pass. Words that are looked for are left
 * away: whether one stands in a text that is withheld is not to be found out by asking. It looks for rows by their authors and
 * stops in time, so that it costs no more where there are many.
 */
export function withheldRows(store: Store, entity: Entity, viewer: Viewer, where: object = {}): number {
  if (viewer.ai === null || entity.forAi?.is !== 'agreed') return 0
  const { campaignId, userId, role, toolsets, onlooker } = viewer
  const who = JSON.stringify([campaignId, userId, role, toolsets, onlooker, where])
  return store.memo(withheldKept, `${entity.name} ${who}`, () => countWithheld(store, entity, viewer, where))
}

/** Who sees what may follow from anything. */
const withheldKept: MemoKind = { tables: null }

function countWithheld(store: Store, entity: Entity, viewer: Viewer, where: object): number {
  const { forAi } = entity
  if (forAi?.is !== 'agreed') return 0
  const source = visibleRows(store, entity, { ...viewer, ai: null })
  const author = source.column(forAi.field).stored
  const isOthers = { sql: `${author} IS NOT @viewer`, bindings: {} }
  const unasked = `${author} IN (SELECT u.id FROM users u WHERE NOT ${agreedSql('u.id', '@campaign')})`
  const never =
    forAi.never === undefined ? [] : [predicateSql(store.registry, entity, forAi.never, 't', sqlViewerOf(viewer))]
  const parts = [unasked, ...never].map((sql) =>
    passing(store, source, { where } as AnyQuery, isOthers, { sql, bindings: {} }),
  )
  const ids = parts.map(({ sql }) => `SELECT id FROM (SELECT t.id AS id FROM ${source.from} WHERE ${sql} LIMIT @most)`)
  const bindings = Object.assign({ most: mostWithheld }, ...parts.map((part) => part.bindings)) as Built['bindings']
  const counted = store.get(`SELECT count(*) AS n FROM (${ids.join(' UNION ')})`, bindings)?.n as number
  return Math.min(counted, mostWithheld)
}
