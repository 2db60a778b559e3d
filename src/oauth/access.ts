import type { Actor, Role, ToolPreset, WriteMode } from '../kernel/viewer.ts'
import { createLastUse, instantOf } from '../storage/last-use.ts'
import type { MemoKind, Store } from '../storage/store.ts'
import { isSameAudience } from './audience.ts'
import type { Log } from './ports.ts'

export interface Access {
  /**
   * The actor behind an access token that is valid now; null otherwise. `audience` is this server's address as the
   * caller typed it: a token that was made for another one is refused (RFC 8707, 2; RFC 9700, 4.10.2). `whenUsed` gets what
   * notes the time of last use, to be called or not.
   */
  resolve(hash: string, audience: string, whenUsed: (note: () => void) => void): Actor | null
  /** Writes down when grants were last used. Called by itself within seconds; `close` calls it a last time. */
  flush(): void
  close(): void
}

interface Parts {
  store(): Store
  clock(): Date
  readonly log: Log
}

export function createAccess({ store, clock, log }: Parts): Access {
  const lastUse = createLastUse({
    store,
    log,
    update:
      'UPDATE oauth_grants SET last_used_at = @at WHERE id = (SELECT grant_id FROM oauth_tokens WHERE hash = @hash)',
  })

  return {
    flush: lastUse.flush,
    close: lastUse.flush,
    resolve(hash, audience, whenUsed) {
      const now = clock()
      const row = store().get(
        `SELECT t.scope, g.id, g.client_id, g.campaign_id, g.write_mode, g.toolsets, g.tool_preset, g.resource, g.last_used_at, u.id AS user_id, u.username
         FROM oauth_tokens t JOIN oauth_grants g ON g.id = t.grant_id JOIN users u ON u.id = g.user_id
         WHERE t.hash = @hash AND t.kind = 'access' AND t.revoked_at IS NULL AND t.expires_at > @now
           AND g.ended_at IS NULL AND u.disabled_at IS NULL`,
        { hash, now: now.toISOString() },
      )
      if (!row || !isSameAudience(String(row.resource), audience)) return null
      whenUsed(() => lastUse.touch(hash, instantOf(row.last_used_at), now))
      return {
        userId: Number(row.user_id),
        username: String(row.username),
        admin: false,
        credential: {
          kind: 'oauth',
          id: Number(row.id),
          scope: row.scope as Role,
          campaignId: row.campaign_id as number | null,
          writeMode: row.write_mode as WriteMode,
          clientId: String(row.client_id),
          toolsets: row.toolsets === null ? null : (JSON.parse(String(row.toolsets)) as string[]),
          toolPreset: row.tool_preset as ToolPreset | null,
        },
      }
    },
  }
}

const grantsKept: MemoKind = { tables: ['oauth_grants', 'users'] }

/** The actor behind a grant as it is now; null where it or its person's account has ended. What was granted never changes. */
export function recheckGrant(store: Store, actor: Actor): Actor | null {
  const row = store.memo(grantsKept, actor.credential.id, () =>
    store.get(
      `SELECT u.username FROM oauth_grants g JOIN users u ON u.id = g.user_id
       WHERE g.id = @id AND g.user_id = @userId AND g.ended_at IS NULL AND u.disabled_at IS NULL`,
      { id: actor.credential.id, userId: actor.userId },
    ),
  )
  return row ? { ...actor, username: String(row.username) } : null
}
