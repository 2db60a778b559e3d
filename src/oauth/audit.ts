import { limits } from '../kernel/limits.ts'
import { decodeCursor, encodeCursor, type Page, type PageRequest } from '../kernel/paging.ts'
import type { Store } from '../storage/store.ts'
import type { Grant } from './grants.ts'

/** Ids and plain choices. Never a token, a code or a secret (SPEC 5.8). */
export type Facts = Readonly<Record<string, string | number | boolean | null | readonly string[]>>

/** What happened to a grant without its person acting through the pipeline. */
export interface GrantEvent {
  readonly operation: 'connect_app' | 'replay_oauth_code' | 'replay_oauth_token' | 'revoke_oauth_token'
  readonly effect: 'write' | 'destroy'
  readonly grant: Pick<Grant, 'id' | 'userId' | 'clientId'>
  readonly facts: Facts
}

/** Writes the audit record of an event, into the caller's transaction. */
export function recordGrantEvent(store: Store, { operation, effect, grant, facts }: GrantEvent, now: string): void {
  store.run(
    `INSERT INTO change_sets (campaign_id, at, operation, effect, door, actor_user_id, credential_kind, credential_id, client_id, revertible, facts)
     VALUES (NULL, @now, @operation, @effect, 'rest', @userId, 'oauth', @grantId, @clientId, 0, @facts)`,
    {
      now,
      operation,
      effect,
      userId: grant.userId,
      grantId: grant.id,
      clientId: grant.clientId,
      facts: JSON.stringify({ grantId: grant.id, clientId: grant.clientId, ...facts }),
    },
  )
}

export interface ServerRecord {
  readonly id: number
  readonly at: string
  readonly operation: string
  readonly effect: string
  readonly door: string
  readonly actorUserId: number | null
  readonly actorName: string | null
  readonly credentialKind: string | null
  readonly credentialId: number | null
  readonly clientId: string | null
  readonly reason: string | null
  readonly facts: Readonly<Record<string, unknown>>
}

/** The audit records that belong to no campaign, newest first. */
export function listServerRecords(
  store: Store,
  filter: { readonly operation?: string | undefined; readonly actorUserId?: number | undefined },
  { limit, cursor }: PageRequest,
): Page<ServerRecord> {
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
    effect: String(row.effect),
    door: String(row.door),
    actorUserId: row.actor_user_id as number | null,
    actorName: row.username as string | null,
    credentialKind: row.credential_kind as string | null,
    credentialId: row.credential_id as number | null,
    clientId: row.client_id as string | null,
    reason: row.reason as string | null,
    facts: row.facts === null ? {} : (JSON.parse(String(row.facts)) as Record<string, unknown>),
  }))
  const last = items.at(-1)
  return { items, nextCursor: rows.length > size && last ? encodeCursor([last.id]) : null }
}
