import { beginSession, sessionActor } from '../../src/identity/sessions.ts'
import { minterOf, mintToken, type TokenRequest } from '../../src/identity/tokens.ts'
import { getUser } from '../../src/identity/users.ts'
import type { Actor } from '../../src/kernel/viewer.ts'
import type { Choice } from '../../src/oauth/grants.ts'
import { connectApp } from './oauth.ts'
import type { TestServer } from './server.ts'
import type { Person, WorldRecord } from './world.ts'

export type Headers = Readonly<Record<string, string>>

export function actorOf(person: Person, userId: WorldRecord['userId']): Actor {
  return sessionActor(0, { id: userId[person], username: person, admin: person === 'admin' })
}

/** New credentials of people, as the headers that show them. */
export function credentialsOn(server: TestServer, userId: WorldRecord['userId']) {
  const { app, clock } = server
  const now = (): string => clock().toISOString()
  return {
    /** What is not asked for is all they have, without server-admin rights. */
    token(person: Person, request: Partial<TokenRequest> = {}): { readonly id: number; readonly headers: Headers } {
      const store = app.store()
      const minter = minterOf(store, actorOf(person, userId))
      const wanted = { tokenName: 'test', scope: 'dm', admin: false, ...request } as const
      const { token, value } = mintToken(store, minter, getUser(store, userId[person]), wanted, now())
      return { id: token.id, headers: { authorization: `Bearer ${value}` } }
    },
    session(person: Person): Headers {
      const { secret } = beginSession(app.store(), getUser(app.store(), userId[person]), 'test', now())
      return { cookie: `talekeeper_session=${secret}` }
    },
    /** What is not chosen is all they have. */
    oauth(person: Person, choice: Partial<Choice> = {}): Headers {
      return { authorization: `Bearer ${connectApp(server, userId[person], choice).accessToken}` }
    },
  }
}
