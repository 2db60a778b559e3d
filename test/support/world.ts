import { minterOf, mintToken, type TokenRequest } from '../../src/domain/token/rules.ts'
import { sessionActor } from '../../src/identity/sessions.ts'
import { execute } from '../../src/kernel/execute.ts'
import type { World } from '../../src/kernel/operation.ts'
import { recordChange } from '../../src/kernel/recorded-change.ts'
import type { Actor } from '../../src/kernel/viewer.ts'
import type { Choice } from '../../src/oauth/grants.ts'
import { type Answer, type Caller, callerOn } from './callers.ts'
import { connectApp } from './oauth.ts'
import type { TestServer } from './server.ts'
import { insertSession, sessionOf } from './sessions.ts'
import { fillWorld } from './world-content.ts'

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
/** Its argon2id hash of the least cost there is, so that no test waits for one. */
const passwordHash = '$argon2id$v=19$m=8,t=1,p=1$dGFsZWtlZXBlci10ZXN0cw$TfXfJXUQ47FzFK0Pj5a0uHk/v+TB5+TKfYzWUCCQMoc'

export interface TestWorld extends World {
  readonly server: TestServer
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
}

/** Fills a server with a sample table: every operation's `example` of it succeeds for the least role that may call it. */
export async function buildWorld(server: TestServer): Promise<TestWorld> {
  const { app, clock } = server
  const store = app.store()
  const now = (): string => clock().toISOString()

  const userId = Object.fromEntries(
    people.map((username) => {
      const { id } = store.run(
        'INSERT INTO users (username, password_hash, admin, created_at, updated_at) VALUES (@username, @passwordHash, @admin, @now, @now)',
        { username, passwordHash, admin: username === 'admin' ? 1 : 0, now: now() },
      )
      return [username, id]
    }),
  ) as Record<Person, number>

  const actorOf = (person: Person): Actor =>
    sessionActor(sessionOf(app.store(), userId[person], now()), {
      id: userId[person],
      username: person,
      admin: person === 'admin',
    })
  const as: TestWorld['as'] = async (person, name, input = {}) => {
    const operation = app.system().operations.get(name)
    if (operation === undefined) throw new Error(`there is no operation ${name}`)
    const call = {
      actor: actorOf(person),
      door: 'rest',
      idempotencyKey: null,
      reason: null,
      requestId: 'world',
    } as const
    return (await execute(app.system(), operation, input, call)).output
  }
  // One commit for all of it, since each waits for the disk.
  store.connection.exec('BEGIN')
  const { ids, inviteCode } = await fillWorld({ server, userId, as })
  store.connection.exec('COMMIT')

  const mint = (person: Person, request: Partial<TokenRequest>): { readonly id: number; readonly value: string } => {
    const owner = { id: userId[person], username: person, admin: person === 'admin' }
    const wanted: TokenRequest = { tokenName: 'test', scope: 'dm', admin: false, ...request }
    const { id, token } = app
      .system()
      .transaction((unit) =>
        recordChange(unit, { operation: 'make_world', effect: 'write', by: owner.id }, ({ context }) =>
          mintToken(context, minterOf(context, actorOf(person)), owner, wanted),
        ),
      )
    return { id, value: token }
  }
  const bearerOf = (name: string, person: Person, request: Partial<TokenRequest>): Caller =>
    callerOn(server, name, userId[person], { authorization: `Bearer ${mint(person, request).value}` })
  const session = (person: Person): Caller => {
    const secret = insertSession(app.store(), userId[person], now())
    return callerOn(server, person, userId[person], { cookie: `talekeeper_session=${secret}` })
  }
  const everywhere = (person: Person): Caller => {
    // Only a bearer counts on /mcp (SPEC 5.1).
    const { mcp, tool } = bearerOf(person, person, person === 'admin' ? { admin: true } : {})
    return { ...session(person), mcp, tool }
  }
  const oauth = (person: Person, choice: Partial<Choice> = {}): Caller => {
    const { accessToken } = connectApp(server, userId[person], choice)
    return callerOn(server, 'oauth', userId[person], { authorization: `Bearer ${accessToken}` })
  }
  const connected = connectApp(server, userId.player)
  ids.set('oauth_grant', connected.grantId)
  ids.set('personal_token', mint('player', { tokenName: 'spare' }).id)
  const texts: Readonly<Record<string, string>> = {
    username: 'player',
    password,
    outsider: 'outsider',
    set_up_code: 'no-code-is-left',
    invite: inviteCode,
    oauth_client: connected.clientId,
  }
  return {
    server,
    userId,
    as,
    session,
    oauth,
    token: (person, request = {}) => bearerOf(person, person, request),
    row: (table, id) => app.store().get(`SELECT * FROM ${table} WHERE id = @id`, { id }),
    callers: {
      anonymous: callerOn(server, 'anonymous', 0, {}),
      outsider: everywhere('outsider'),
      viewer: everywhere('viewer'),
      player: everywhere('player'),
      otherPlayer: everywhere('otherPlayer'),
      dm: everywhere('dm'),
      capped: bearerOf('capped', 'dm', { scope: 'player' }),
      propose: bearerOf('propose', 'dm', { writeMode: 'propose' }),
      bound: bearerOf('bound', 'dm', { campaignId: ids.get('campaign bound') as number }),
      oauth: oauth('dm'),
      admin: everywhere('admin'),
    },
    id(entity, variant) {
      const key = variant === undefined ? entity : `${entity} ${variant}`
      const id = ids.get(key)
      if (id === undefined) throw new Error(`test/support/world-content.ts makes no "${key}"`)
      return id
    },
    text(what) {
      const text = texts[what]
      if (text === undefined) throw new Error(`test/support/world.ts has no text "${what}"`)
      return text
    },
  }
}
