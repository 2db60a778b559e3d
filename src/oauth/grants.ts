import type { oauthGrant } from '../domain/app/entity.ts'
import type { RowOf } from '../kernel/entity.ts'
import type { Role, ToolPreset, WriteMode } from '../kernel/viewer.ts'
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
  /** Null shows every tool that it may open. */
  readonly toolPreset: ToolPreset | null
}

export interface Grant extends Choice {
  readonly id: number
  readonly userId: number
  readonly clientId: string
  readonly resource: string
  readonly endedAt: string | null
}

/** Why a grant ended: its person, its client, an administrator, a replay, a lost credential, or nobody used it. */
export type EndReason = NonNullable<RowOf<typeof oauthGrant>['endedReason']>

const columns = 'id, user_id, client_id, scope, campaign_id, write_mode, toolsets, tool_preset, resource, ended_at'

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

/** How long ended grants are kept, to say what was connected. */
const keptDays = 90

/** Ends what has run out, and clears away what ended long ago. Nobody does that: no journal tells of it. */
export function sweepGrants(store: Store, now: string): void {
  store.run(
    "UPDATE oauth_grants SET ended_at = @now, ended_reason = 'expired' WHERE ended_at IS NULL AND expires_at <= @now",
    { now },
  )
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
    toolPreset: row.tool_preset as ToolPreset | null,
    resource: String(row.resource),
    endedAt: row.ended_at as string | null,
  }
}
