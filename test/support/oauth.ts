import type { Actor } from '../../src/kernel/viewer.ts'
import { mintSecret } from '../../src/storage/secrets.ts'
import { type Caller, callerOn } from './callers.ts'
import type { TestServer } from './server.ts'

/** A caller with an OAuth access token that carries all of a user's roles; never server-admin rights (SPEC 5.5). */
export async function oauthCaller({ app, ...server }: TestServer, user: Actor): Promise<Caller> {
  const token = mintSecret('tka').value
  const actor: Actor = {
    ...user,
    admin: false,
    credential: { ...user.credential, kind: 'oauth', id: 1, clientId: 'tkcl_test' },
  }
  const resolve = app.identity.resolve.bind(app.identity)
  app.identity.resolve = (presented) => (presented.authorization === `Bearer ${token}` ? actor : resolve(presented))
  return callerOn({ app, ...server }, 'oauth', user.userId, { authorization: `Bearer ${token}` })
}
