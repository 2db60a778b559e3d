import type { Database as Connection } from 'better-sqlite3'
import type { Effect } from '../kernel/access.ts'
import type { Actor } from '../kernel/viewer.ts'
import type { Store } from '../storage/store.ts'

/** Ids, names of changed members and plain choices. Never a secret, a password or a hash. */
export type Facts = Readonly<Record<string, string | number | boolean | null | readonly string[]>>

export interface ServerChange {
  /** Name of the transfer. */
  readonly operation: string
  readonly effect: Effect
  readonly actor: Actor
  readonly at: string
  readonly reason: string | null
  readonly facts: Facts
}

/** Writes the audit record of a change that belongs to no campaign, into the caller's transaction. Returns its id. */
export function recordServerChange(store: Store, change: ServerChange): number {
  const { operation, effect, actor, at, reason, facts } = change
  return store.run(
    `INSERT INTO change_sets (campaign_id, at, operation, effect, door, actor_user_id, credential_kind, credential_id, client_id, reason, revertible, facts)
     VALUES (NULL, @at, @operation, @effect, 'rest', @user, @kind, @credential, @client, @reason, 0, @facts)`,
    {
      at,
      operation,
      effect,
      user: actor.userId,
      kind: actor.credential.kind,
      credential: actor.credential.id,
      client: actor.credential.clientId,
      reason,
      facts: JSON.stringify(facts),
    },
  ).id
}

/**
 * Writes the audit record of a restore into the restored database. Ids of users there may be other people than here, so
 * who asked for it stands in the facts, by name.
 */
export function recordRestore(db: Connection, restore: { readonly at: string; readonly actor: unknown }): void {
  const { at, actor, ...facts } = restore
  const by = typeof actor === 'object' && actor !== null && 'username' in actor ? String(actor.username) : null
  db.prepare(
    `INSERT INTO change_sets (campaign_id, at, operation, effect, door, revertible, facts) VALUES (NULL, @at, 'restore_backup', 'destroy', 'system', 0, @facts)`,
  ).run({ at, facts: JSON.stringify({ by, ...facts }) })
}
