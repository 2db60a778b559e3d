import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { openPlace, type Place, password } from '../oauth/support.ts'
import type { Person } from './person.ts'

/** The real server on a loopback port, with what the tests ask of its database. */
export interface Table {
  readonly place: Place
  /** Without a slash at the end. */
  readonly base: string
  readonly marta: Person
  /** How many refresh tokens were exchanged for the next ones. */
  refreshes(): number
  /** Name of the client -> its grants, oldest first. */
  grants(): readonly Grant[]
  /** Lets every access token run out. */
  letAccessExpire(): void
  stop(): Promise<void>
}

export interface Grant {
  readonly client: string
  readonly scope: string
  readonly ended: string | null
}

export async function openTable(): Promise<Table> {
  const place = await openPlace()
  const base = await place.server.app.listen()
  const store = () => place.server.app.store()
  return {
    place,
    base,
    marta: { username: 'Marta', password },
    refreshes: () =>
      Number(
        store().get("SELECT count(*) AS count FROM oauth_tokens WHERE kind = 'refresh' AND claimed_at IS NOT NULL", {})
          ?.count,
      ),
    grants: () =>
      store()
        .all(
          'SELECT c.name, g.scope, g.ended_reason FROM oauth_grants g JOIN oauth_clients c ON c.client_id = g.client_id ORDER BY g.id',
          {},
        )
        .map((row) => ({
          client: String(row.name),
          scope: String(row.scope),
          ended: row.ended_reason as string | null,
        })),
    letAccessExpire: () => place.server.clock.advance(3600_000),
    stop: () => place.server.stop(),
  }
}

/** A loopback port that was free a moment ago, for programs that have to be told one. */
export async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}
