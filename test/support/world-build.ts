import { credentialsOn } from './credentials.ts'
import { chooseProvider, sharedFakeProvider } from './fake-world-provider.ts'
import { connectApp } from './oauth.ts'
import type { TestServer } from './server.ts'
import { type Person, password, people, runnerOn, type WorldRecord } from './world.ts'
import { fillWorld } from './world-content.ts'

/** The argon2id hash of `password` of the least cost there is, so that no test waits for one. */
const passwordHash = '$argon2id$v=19$m=8,t=1,p=1$dGFsZWtlZXBlci10ZXN0cw$TfXfJXUQ47FzFK0Pj5a0uHk/v+TB5+TKfYzWUCCQMoc'

/**
 * Fills a new server with the sample table: every operation's `example` of it succeeds for the least role that may call
 * it. Tests take a copy of what this makes (world-file.ts) instead of making it again.
 */
export async function buildWorld(server: TestServer): Promise<WorldRecord> {
  const { connection } = server.app.store()
  // One commit for all of it, since each waits for the disk.
  connection.exec('BEGIN')
  const userId = insertPeople(server)
  // Where exactly it is, each server that is started on this database finds out.
  const provider = { kind: 'openai_compatible', baseUrl: (await sharedFakeProvider()).baseUrl } as const
  chooseProvider(server.app.store(), provider, server.clock().toISOString())
  const { ids, inviteCode } = await fillWorld({ server, userId, as: runnerOn(server, userId) })
  const connected = connectApp(server, userId.player)
  ids.set('oauth_grant', connected.grantId)
  ids.set('personal_token', credentialsOn(server, userId).token('player', { tokenName: 'spare' }).id)
  const credentials = credentialsFor(server, userId, ids.get('campaign bound') as number)
  connection.exec('COMMIT')
  return {
    now: server.clock().toISOString(),
    userId,
    ids: Object.fromEntries(ids),
    texts: {
      username: 'player',
      password,
      outsider: 'outsider',
      set_up_code: 'no-code-is-left',
      invite: inviteCode,
      oauth_client: connected.clientId,
    },
    credentials,
  }
}

function insertPeople({ app, clock }: TestServer): WorldRecord['userId'] {
  const now = clock().toISOString()
  const ids = people.map((username) => {
    const { id } = app
      .store()
      .run(
        'INSERT INTO users (username, password_hash, admin, created_at, updated_at) VALUES (@username, @passwordHash, @admin, @now, @now)',
        { username, passwordHash, admin: username === 'admin' ? 1 : 0, now },
      )
    return [username, id] as const
  })
  return Object.fromEntries(ids) as Record<Person, number>
}

function credentialsFor(
  server: TestServer,
  userId: WorldRecord['userId'],
  boundCampaignId: number,
): WorldRecord['credentials'] {
  const make = credentialsOn(server, userId)
  const person = (name: Person) => {
    const { headers } = make.token(name, name === 'admin' ? { admin: true } : {})
    return { rest: make.session(name), mcp: headers }
  }
  const both = (headers: ReturnType<typeof make.session>) => ({ rest: headers, mcp: headers })
  return {
    anonymous: both({}),
    outsider: person('outsider'),
    viewer: person('viewer'),
    player: person('player'),
    otherPlayer: person('otherPlayer'),
    dm: person('dm'),
    capped: both(make.token('dm', { scope: 'player' }).headers),
    propose: both(make.token('dm', { writeMode: 'propose' }).headers),
    bound: both(make.token('dm', { campaignId: boundCampaignId }).headers),
    oauth: both(make.oauth('dm')),
    admin: person('admin'),
  }
}
