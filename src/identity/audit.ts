import type { Database as Connection } from 'better-sqlite3'

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
