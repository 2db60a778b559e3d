import type { TokenRequest } from '../../src/domain/token/rules.ts'
import { execute } from '../../src/kernel/execute.ts'
import type { World } from '../../src/kernel/operation.ts'
import type { Choice } from '../../src/oauth/grants.ts'
import { type Answer, type Caller, callerOn } from './callers.ts'
import { actorOf, credentialsOn, type Headers } from './credentials.ts'
import type { TestServer } from './server.ts'

/**
 * Who there is. `dm` and `coDm` run the main campaign, so that either may leave it; `outsider` runs another one; `admin`
 * administers the server and is a member of nothing.
 */
export const people = ['admin', 'dm', 'coDm', 'player', 'otherPlayer', 'viewer', 'outsider'] as const
export type Person = (typeof people)[number]

/** Everybody whom the role matrix lets call; the last are credentials of the DM that narrow them. */
export const callerNames = [
  'anonymous',
  'outsider',
  'viewer',
  'player',
  'otherPlayer',
  'dm',
  'capped',
  'propose',
  'bound',
  'oauth',
  'admin',
] as const
export type CallerName = (typeof callerNames)[number]

/** The password of everybody. */
export const password = 'a good long one'

export interface TestWorld extends World {
  readonly server: TestServer
  /** What it was made from. */
  readonly record: WorldRecord
  readonly userId: Readonly<Record<Person, number>>
  /** People call with their session over REST and with a token of all their rights over MCP. */
  readonly callers: Readonly<Record<CallerName, Caller>>
  /** Runs an operation as a person, through the whole pipeline. Returns its answer; throws its Failure. */
  as(person: Person, operation: string, input?: Readonly<Record<string, unknown>>): Promise<Answer['body']>
  /** A caller with a new personal token of a person; what is not asked for is all they have, without server-admin rights. */
  token(person: Person, request?: Partial<TokenRequest>): Caller
  /** A caller with a new session of a person. */
  session(person: Person): Caller
  /** A caller with an OAuth access token that a person gave to an app; what is not chosen is all they have. */
  oauth(person: Person, choice?: Partial<Choice>): Caller
  /** A row as it lies in the database. */
  row(table: string, id: number): Readonly<Record<string, unknown>> | undefined
  /** Gives a row a name by which `id` finds it. */
  name(id: number, entity: string, variant?: string): void
}

/** What a world is beside its database, as plain data: it travels with the file. */
export interface WorldRecord {
  /** Where the clock stands. */
  readonly now: string
  readonly userId: Readonly<Record<Person, number>>
  /** By `entity` or `entity variant`, as examples ask for them. */
  readonly ids: Record<string, number>
  readonly texts: Readonly<Record<string, string>>
  /** What each caller shows; on /mcp only a bearer counts (SPEC 5.1). */
  readonly credentials: Readonly<Record<CallerName, { readonly rest: Headers; readonly mcp: Headers }>>
}

/** The world of a record on a server that has its database. */
export function worldOn(server: TestServer, record: WorldRecord): TestWorld {
  const { userId, ids, texts, credentials } = record
  const callers = callerNames.map((name) => {
    const person: Person | undefined = people.find((each) => each === name) ?? (name === 'anonymous' ? undefined : 'dm')
    const caller = (headers: Headers): Caller =>
      callerOn(server, name, person === undefined ? 0 : userId[person], headers)
    const { mcp, tool } = caller(credentials[name].mcp)
    return [name, { ...caller(credentials[name].rest), mcp, tool }]
  })
  const make = credentialsOn(server, userId)
  return {
    server,
    record,
    userId,
    as: runnerOn(server, userId),
    token: (person, request) => callerOn(server, person, userId[person], make.token(person, request).headers),
    session: (person) => callerOn(server, person, userId[person], make.session(person)),
    oauth: (person, choice) => callerOn(server, 'oauth', userId[person], make.oauth(person, choice)),
    callers: Object.fromEntries(callers) as Record<CallerName, Caller>,
    row: (table, id) => server.app.store().get(`SELECT * FROM ${table} WHERE id = @id`, { id }),
    id(entity, variant) {
      const key = keyOf(entity, variant)
      const id = ids[key]
      if (id === undefined) throw new Error(`test/support/world-content.ts makes no "${key}"`)
      return id
    },
    name(id, entity, variant) {
      ids[keyOf(entity, variant)] = id
    },
    text(what) {
      const text = texts[what]
      if (text === undefined) throw new Error(`test/support/world-build.ts has no text "${what}"`)
      return text
    },
  }
}

/** Runs operations as people, without a door. */
export function runnerOn(server: TestServer, userId: WorldRecord['userId']): TestWorld['as'] {
  const { app } = server
  return async (person, name, input = {}) => {
    const operation = app.system().operations.get(name)
    if (operation === undefined) throw new Error(`there is no operation ${name}`)
    const call = { door: 'rest', idempotencyKey: null, reason: null, requestId: 'world' } as const
    return (await execute(app.system(), operation, input, { ...call, actor: actorOf(server, person, userId) })).output
  }
}

function keyOf(entity: string, variant: string | undefined): string {
  return variant === undefined ? entity : `${entity} ${variant}`
}
