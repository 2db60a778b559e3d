import { randomUUID } from 'node:crypto'
import type { authMethods } from '../domain/app/entity.ts'
import type { SqlValue } from '../storage/columns.ts'
import { mintSecret } from '../storage/secrets.ts'
import type { Store } from '../storage/store.ts'

export type AuthMethod = (typeof authMethods)[number]

export interface Client {
  readonly clientId: string
  readonly name: string
  readonly authMethod: AuthMethod
  readonly redirectUris: readonly string[]
  /** Somebody has said yes to it at least once. */
  readonly wasAllowed: boolean
}

/** A client with what its secret is compared with; it never leaves this folder. */
export interface StoredClient extends Client {
  readonly secretHash: string | null
}

export interface NewClient {
  readonly name: string
  readonly authMethod: AuthMethod
  readonly redirectUris: readonly string[]
}

/** Registrations that nobody has said yes to. The oldest makes room for a newcomer, who is never refused. */
const mostUnused = 500
/** How long a registration waits for its first yes, and how long one stays that nobody is connected with any more. */
const unusedHours = 48
const idleDays = 90

const columns = 'id, client_id, secret_hash, auth_method, name, redirect_uris, created_at, authorised_at'

/** Keeps a registration (RFC 7591, 3.2.1). The secret, where there is one, is shown once. */
export function insertClient(
  store: Store,
  client: NewClient,
  now: string,
): { readonly clientId: string; readonly secret: string | null } {
  const clientId = randomUUID()
  const secret = client.authMethod === 'none' ? null : mintSecret('tkcl')
  store.run(
    `INSERT INTO oauth_clients (client_id, secret_hash, auth_method, name, redirect_uris, created_at, updated_at)
     VALUES (@clientId, @secretHash, @authMethod, @name, @redirectUris, @now, @now)`,
    {
      clientId,
      secretHash: secret?.hash ?? null,
      authMethod: client.authMethod,
      name: client.name,
      redirectUris: JSON.stringify(client.redirectUris),
      now,
    },
  )
  makeRoom(store, now)
  return { clientId, secret: secret?.value ?? null }
}

/** Keeps a client as its document describes it now, under the document's address and without a secret. */
export function keepDescribedClient(
  store: Store,
  client: { readonly clientId: string; readonly name: string; readonly redirectUris: readonly string[] },
  now: string,
): void {
  store.run(
    `INSERT INTO oauth_clients (client_id, secret_hash, auth_method, name, redirect_uris, created_at, updated_at)
     VALUES (@clientId, NULL, 'none', @name, @redirectUris, @now, @now)
     ON CONFLICT (client_id) DO UPDATE SET name = excluded.name, redirect_uris = excluded.redirect_uris, updated_at = excluded.updated_at`,
    { clientId: client.clientId, name: client.name, redirectUris: JSON.stringify(client.redirectUris), now },
  )
  makeRoom(store, now)
}

/** A client whose consent page somebody has open stays: who registers by the hundred must not end what others have begun. */
function makeRoom(store: Store, now: string): void {
  store.run(
    `DELETE FROM oauth_clients WHERE authorised_at IS NULL AND id <=
       (SELECT id FROM oauth_clients WHERE authorised_at IS NULL ORDER BY id DESC LIMIT 1 OFFSET @most)
       AND NOT EXISTS (SELECT 1 FROM oauth_requests r
         WHERE r.client_id = oauth_clients.client_id AND r.used_at IS NULL AND r.expires_at > @now)`,
    { most: mostUnused, now },
  )
}

export function findClient(store: Store, clientId: string): StoredClient | null {
  const row = store.get(`SELECT ${columns} FROM oauth_clients WHERE client_id = @clientId`, { clientId })
  return row ? clientOf(row) : null
}

export function markAuthorised(store: Store, clientId: string, now: string): void {
  store.run('UPDATE oauth_clients SET authorised_at = @now, idle_since = NULL WHERE client_id = @clientId', {
    clientId,
    now,
  })
}

/**
 * Clears registrations away:
 *
 * 1. those that waited 48 hours for somebody to say yes
 * 2. those that had no live grant for 90 days; the days are counted from the sweep that first found none, so that a
 *    restored backup, which loses all grants, does not lose the clients with them
 */
export function sweepClients(store: Store, now: string): void {
  const before = (hours: number): string => new Date(Date.parse(now) - hours * 3600 * 1000).toISOString()
  const live = `EXISTS (SELECT 1 FROM oauth_grants g WHERE g.client_id = oauth_clients.client_id AND g.ended_at IS NULL AND g.expires_at > @now)`
  store.run('DELETE FROM oauth_clients WHERE authorised_at IS NULL AND created_at < @before', {
    before: before(unusedHours),
  })
  store.run(`UPDATE oauth_clients SET idle_since = NULL WHERE idle_since IS NOT NULL AND ${live}`, { now })
  store.run(
    `UPDATE oauth_clients SET idle_since = @now WHERE authorised_at IS NOT NULL AND idle_since IS NULL AND NOT ${live}`,
    { now },
  )
  store.run('DELETE FROM oauth_clients WHERE idle_since < @before', { before: before(idleDays * 24) })
}

function clientOf(row: Readonly<Record<string, SqlValue>>): StoredClient {
  return {
    clientId: String(row.client_id),
    secretHash: row.secret_hash as string | null,
    authMethod: row.auth_method as AuthMethod,
    name: String(row.name),
    redirectUris: JSON.parse(String(row.redirect_uris)) as string[],
    wasAllowed: row.authorised_at !== null,
  }
}
