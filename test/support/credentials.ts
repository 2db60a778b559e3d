import { minterOf, mintToken, type TokenRequest } from '../../src/domain/token/rules.ts'
import { sessionActor } from '../../src/identity/sessions.ts'
import { recordChange } from '../../src/kernel/recorded-change.ts'
import type { Actor } from '../../src/kernel/viewer.ts'
import type { Choice } from '../../src/oauth/grants.ts'
import { connectApp } from './oauth.ts'
import type { TestServer } from './server.ts'
import { insertSession, sessionOf } from './sessions.ts'
import type { Person, WorldRecord } from './world.ts'

export type Headers = Readonly<Record<string, string>>

export function actorOf({ app, clock }: TestServer, person: Person, userId: WorldRecord['userId']): Actor {
  const user = { id: userId[person], username: person, admin: person === 'admin' }
  return sessionActor(sessionOf(app.store(), user.id, clock().toISOString()), user)
}

/** A personal token, made without asking whether its minter may call. */
export function insertToken(
  { app }: TestServer,
  minter: Actor,
  owner: { readonly id: number; readonly username: string; readonly admin: boolean },
  request: TokenRequest,
): { readonly id: number; readonly token: string } {
  return app
    .system()
    .transaction((unit) =>
      recordChange(unit, { operation: 'make_world', effect: 'write', by: owner.id }, ({ context }) =>
        mintToken(context, minterOf(context, minter), owner, request),
      ),
    )
}

/** New credentials of people, as the headers that show them. */
export function credentialsOn(server: TestServer, userId: WorldRecord['userId']) {
  const { app, clock } = server
  return {
    /** What is not asked for is all they have, without server-admin rights. */
    token(person: Person, request: Partial<TokenRequest> = {}): { readonly id: number; readonly headers: Headers } {
      const owner = { id: userId[person], username: person, admin: person === 'admin' }
      const wanted: TokenRequest = { tokenName: 'test', scope: 'dm', admin: false, ...request }
      const { id, token } = insertToken(server, actorOf(server, person, userId), owner, wanted)
      return { id, headers: { authorization: `Bearer ${token}` } }
    },
    session(person: Person): Headers {
      return { cookie: `talekeeper_session=${insertSession(app.store(), userId[person], clock().toISOString())}` }
    },
    /** What is not chosen is all they have. */
    oauth(person: Person, choice: Partial<Choice> = {}): Headers {
      return { authorization: `Bearer ${connectApp(server, userId[person], choice).accessToken}` }
    },
  }
}
