import type { Facts, ServerFilter, ServerRecord } from '../kernel/journal.ts'
import { limits } from '../kernel/limits.ts'
import { decodeCursor, encodeCursor, type Page, type PageRequest } from '../kernel/paging.ts'
import type { Store } from './store.ts'

/** The change sets that belong to no campaign, newest first. */
export function serverRecords(store: Store, filter: ServerFilter, { limit, cursor }: PageRequest): Page<ServerRecord> {
  const size = limit ?? limits.page.standard
  const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(decodeCursor(cursor, ['integer'])[0])
  const rows = store.all(
    `SELECT s.id, s.at, s.operation, s.effect, s.door, s.actor_user_id, u.username, s.credential_kind, s.credential_id, s.client_id, s.reason, s.facts
     FROM change_sets s LEFT JOIN users u ON u.id = s.actor_user_id
     WHERE s.campaign_id IS NULL AND s.id < @before
       AND (@operation IS NULL OR s.operation = @operation) AND (@actorUserId IS NULL OR s.actor_user_id = @actorUserId)
     ORDER BY s.id DESC LIMIT @size`,
    { before, operation: filter.operation ?? null, actorUserId: filter.actorUserId ?? null, size: size + 1 },
  )
  const items = rows.slice(0, size).map((row) => ({
    id: Number(row.id),
    at: String(row.at),
    operation: String(row.operation),
    effect: row.effect as ServerRecord['effect'],
    door: row.door as ServerRecord['door'],
    actorUserId: row.actor_user_id as number | null,
    actorName: row.username as string | null,
    credentialKind: row.credential_kind as string | null,
    credentialId: row.credential_id as number | null,
    clientId: row.client_id as string | null,
    reason: row.reason as string | null,
    facts: row.facts === null ? {} : (JSON.parse(String(row.facts)) as Facts),
  }))
  const last = items.at(-1)
  return { items, nextCursor: rows.length > size && last ? encodeCursor([last.id]) : null }
}
