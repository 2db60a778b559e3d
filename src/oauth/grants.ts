import { limits } from '../kernel/limits.ts'
import { decodeCursor, encodeCursor, type Page, type PageRequest } from '../kernel/paging.ts'
import type { Role, WriteMode } from '../kernel/viewer.ts'
import type { SqlValue } from '../storage/columns.ts'
import type { Store } from '../storage/store.ts'

/** What a person lets a client do, as chosen at consent. */
export interface Choice {
  readonly scope: Role
  /** The only campaign; null is all of theirs. */
  readonly campaignId: number | null
  readonly writeMode: WriteMode
  /** Null is every toolset, later ones too. */
  readonly toolsets: readonly string[] | null
}

export interface Grant extends Choice {
  readonly id: number
  readonly userId: number
  readonly clientId: string
  readonly resource: string
  readonly endedAt: string | null
}

/** Why a grant ended: its person, its client, an administrator, a replay, a lost credential, or nobody used it. */
export type EndReason = 'disconnected' | 'revoked' | 'replayed' | 'credentials_ended' | 'expired'

const columns = 'id, user_id, client_id, scope, campaign_id, write_mode, toolsets, resource, ended_at'

export function insertGrant(
  store: Store,
  grant: Omit<Grant, 'id' | 'endedAt'> & { readonly expiresAt: string },
  now: string,
): number {
  const { toolsets, ...plain } = grant
  return store.run(
    `INSERT INTO oauth_grants (user_id, client_id, scope, campaign_id, write_mode, toolsets, resource, created_at, expires_at)
     VALUES (@userId, @clientId, @scope, @campaignId, @writeMode, @toolsets, @resource, @now, @expiresAt)`,
    { ...plain, toolsets: toolsets === null ? null : JSON.stringify(toolsets), now },
  ).id
}

/** A grant with whether its person can still sign in. */
export function findGrant(store: Store, id: number): (Grant & { readonly ownerDisabled: boolean }) | null {
  const row = store.get(
    `SELECT ${columns}, (SELECT disabled_at FROM users u WHERE u.id = user_id) AS disabled_at FROM oauth_grants WHERE id = @id`,
    { id },
  )
  return row ? { ...grantOf(row), ownerDisabled: row.disabled_at !== null } : null
}

/** What this person chose last for this client, to begin with it again. */
export function lastChoice(store: Store, userId: number, clientId: string): Choice | null {
  const row = store.get(
    `SELECT ${columns} FROM oauth_grants WHERE user_id = @userId AND client_id = @clientId ORDER BY id DESC LIMIT 1`,
    { userId, clientId },
  )
  return row ? grantOf(row) : null
}

/** A grant lives as long as its newest refresh token. */
export function prolongGrant(store: Store, id: number, expiresAt: string): void {
  store.run('UPDATE oauth_grants SET expires_at = @expiresAt WHERE id = @id', { id, expiresAt })
}

/** Ends a grant with all its tokens. False where it had ended before. */
export function endGrant(store: Store, id: number, reason: EndReason, now: string): boolean {
  const { changes } = store.run(
    'UPDATE oauth_grants SET ended_at = @now, ended_reason = @reason WHERE id = @id AND ended_at IS NULL',
    { id, reason, now },
  )
  store.run('UPDATE oauth_tokens SET revoked_at = @now WHERE grant_id = @id AND revoked_at IS NULL', { id, now })
  return changes === 1
}

/** Ends all grants of a user. */
export function endGrantsOf(store: Store, userId: number, reason: EndReason, now: string): void {
  const live = store.all('SELECT id FROM oauth_grants WHERE user_id = @userId AND ended_at IS NULL', { userId })
  for (const { id } of live) endGrant(store, Number(id), reason, now)
}

export interface ConnectedApp {
  readonly grantId: number
  readonly clientId: string
  readonly name: string
  /** Where its answers go: host, or scheme of an app. */
  readonly redirectUris: readonly string[]
  readonly scope: Role
  readonly campaignId: number | null
  readonly campaignName: string | null
  readonly writeMode: WriteMode
  readonly toolsets: readonly string[] | null
  readonly createdAt: string
  readonly lastUsedAt: string | null
  readonly expiresAt: string
}

/** The live grants of a user, newest first. */
export function listGrants(
  store: Store,
  userId: number,
  { limit, cursor }: PageRequest,
  now: string,
): Page<ConnectedApp> {
  const size = limit ?? limits.page.standard
  const before = cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(decodeCursor(cursor, ['integer'])[0])
  const rows = store.all(
    `SELECT g.id, g.user_id, g.client_id, g.scope, g.campaign_id, g.write_mode, g.toolsets, g.resource, g.ended_at,
       g.created_at, g.last_used_at, g.expires_at, c.name, c.redirect_uris, m.name AS campaign_name
     FROM oauth_grants g JOIN oauth_clients c ON c.client_id = g.client_id LEFT JOIN campaigns m ON m.id = g.campaign_id
     WHERE g.user_id = @userId AND g.ended_at IS NULL AND g.expires_at > @now AND g.id < @before
     ORDER BY g.id DESC LIMIT @size`,
    { userId, now, before, size: size + 1 },
  )
  const items = rows.slice(0, size).map((row) => {
    const { id, clientId, scope, campaignId, writeMode, toolsets } = grantOf(row)
    return {
      grantId: id,
      clientId,
      name: String(row.name),
      redirectUris: JSON.parse(String(row.redirect_uris)) as string[],
      scope,
      campaignId,
      campaignName: row.campaign_name as string | null,
      writeMode,
      toolsets,
      createdAt: String(row.created_at),
      lastUsedAt: row.last_used_at as string | null,
      expiresAt: String(row.expires_at),
    }
  })
  const last = items.at(-1)
  return { items, nextCursor: rows.length > size && last ? encodeCursor([last.grantId]) : null }
}

/** The live grants of a client: whose they are. */
export function grantsOfClient(
  store: Store,
  clientId: string,
): readonly { readonly id: number; readonly userId: number }[] {
  return store
    .all('SELECT id, user_id FROM oauth_grants WHERE client_id = @clientId AND ended_at IS NULL', { clientId })
    .map((row) => ({ id: Number(row.id), userId: Number(row.user_id) }))
}

/** How long ended grants are kept, to say what was connected. */
const keptDays = 90

/** Ends what has run out, and clears away what ended long ago. */
export function sweepGrants(store: Store, now: string): void {
  const stale = store.all('SELECT id FROM oauth_grants WHERE ended_at IS NULL AND expires_at <= @now', { now })
  for (const { id } of stale) endGrant(store, Number(id), 'expired', now)
  const before = new Date(Date.parse(now) - keptDays * 24 * 3600 * 1000).toISOString()
  store.run('DELETE FROM oauth_grants WHERE ended_at < @before', { before })
}

function grantOf(row: Readonly<Record<string, SqlValue>>): Grant {
  return {
    id: Number(row.id),
    userId: Number(row.user_id),
    clientId: String(row.client_id),
    scope: row.scope as Role,
    campaignId: row.campaign_id as number | null,
    writeMode: row.write_mode as WriteMode,
    toolsets: row.toolsets === null ? null : (JSON.parse(String(row.toolsets)) as string[]),
    resource: String(row.resource),
    endedAt: row.ended_at as string | null,
  }
}
