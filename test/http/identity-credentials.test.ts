import { afterEach, describe, expect, it, test, vi } from 'vitest'
import type { Actor } from '../../src/kernel/viewer.ts'
import { hashSecret, mintSecret } from '../../src/storage/secrets.ts'
import { failure, makeWorld, outcome, password, time, type World } from '../unit/identity-support.ts'

afterEach(() => {
  vi.useRealTimers()
})

async function tokenOf(world: World, username: string, rest: Record<string, unknown> = {}): Promise<string> {
  const input = { username, password, tokenName: 'script', scope: 'dm', ...rest }
  return (await world.call('create_token_with_password', input)).answer.token as string
}

describe('a session', () => {
  it('is its user, whole', async () => {
    const world = makeWorld()
    const { id, cookie } = await world.user('marta', { admin: true })
    expect(world.resolve({ cookie })).toEqual({
      userId: id,
      username: 'marta',
      admin: true,
      credential: {
        kind: 'session',
        id: 1,
        scope: 'dm',
        campaignId: null,
        writeMode: 'direct',
        clientId: null,
        toolsets: null,
      },
    })
    expect(cookie).toMatch(/^tkw_[A-Za-z0-9_-]{43}$/)
  })

  it('ends after 30 days without use', async () => {
    const world = makeWorld()
    const { cookie } = await world.user('marta')
    world.pass(30 * time.day - 1)
    expect(world.resolve({ cookie })).not.toBeNull()
    // Not yet written down: as far as the database knows, nothing has used it.
    world.pass(1)
    expect(world.resolve({ cookie })).toBeNull()
  })

  it('ends after 90 days however much it is used', async () => {
    const world = makeWorld()
    const { cookie } = await world.user('marta')
    for (let day = 0; day < 89; day++) {
      world.pass(time.day)
      expect(world.resolve({ cookie })).not.toBeNull()
      world.identity.close()
    }
    world.pass(time.day - 1)
    expect(world.resolve({ cookie })).not.toBeNull()
    world.pass(1)
    expect(world.resolve({ cookie })).toBeNull()
    expect(world.store.all('SELECT id FROM sessions')).toHaveLength(1)
    world.identity.sweep()
    expect(world.store.all('SELECT id FROM sessions')).toHaveLength(0)
  })

  test.each(['', 'garbage', 'tkw_', mintSecret('tkw').value])('%j is none, and none is no failure', (cookie) => {
    expect(makeWorld().resolve({ cookie })).toBeNull()
  })

  it('has no admin rights any more once its user has lost them, and none when disabled', async () => {
    const world = makeWorld()
    const { id, cookie } = await world.user('marta', { admin: true })
    world.store.run('UPDATE users SET admin = 0 WHERE id = @id', { id })
    expect(world.resolve({ cookie })?.admin).toBe(false)
    world.store.run("UPDATE users SET disabled_at = '2026-11-21T00:00:00.000Z' WHERE id = @id", { id })
    expect(world.resolve({ cookie })).toBeNull()
  })
})

describe('a personal token', () => {
  it('is its user, as far as it was given', async () => {
    const world = makeWorld()
    const { id } = await world.user('marta', { admin: true })
    const campaignId = world.campaign([id, 'dm'])
    const bearer = await tokenOf(world, 'marta', { scope: 'player', campaignId, writeMode: 'propose' })
    expect(world.resolve({ bearer })).toEqual({
      userId: id,
      username: 'marta',
      admin: false,
      credential: {
        kind: 'token',
        id: 1,
        scope: 'player',
        campaignId,
        writeMode: 'propose',
        clientId: null,
        toolsets: null,
      },
    })
    expect(bearer).toMatch(/^tkp_[A-Za-z0-9_-]{43}$/)
  })

  it('ends when it expires, to the millisecond', async () => {
    const world = makeWorld()
    await world.user('marta')
    const bearer = await tokenOf(world, 'marta', { expiresInDays: 2 })
    world.pass(2 * time.day - 1)
    expect(await outcome(() => world.resolve({ bearer }))).toBe('done')
    world.pass(1)
    expect(await outcome(() => world.resolve({ bearer }))).toBe('unauthenticated')
  })

  it('ends when it is revoked and when its user is disabled', async () => {
    const world = makeWorld()
    const { id } = await world.user('marta', { admin: true })
    const first = await tokenOf(world, 'marta')
    const second = await tokenOf(world, 'marta')
    world.store.run("UPDATE personal_tokens SET revoked_at = '2026-11-21T00:00:00.000Z' WHERE id = 1")
    expect(await outcome(() => world.resolve({ bearer: first }))).toBe('unauthenticated')
    expect(world.resolve({ bearer: second })?.admin).toBe(true)
    world.store.run('UPDATE users SET admin = 0 WHERE id = @id', { id })
    expect(world.resolve({ bearer: second })?.admin).toBe(false)
    world.store.run("UPDATE users SET disabled_at = '2026-11-21T00:00:00.000Z' WHERE id = @id", { id })
    expect(await outcome(() => world.resolve({ bearer: second }))).toBe('unauthenticated')
  })

  it('never falls back to the cookie when it is bad, and wins over it when it is good', async () => {
    const world = makeWorld()
    const { cookie } = await world.user('marta', { admin: true })
    const hob = await world.user('hob')
    const bearer = await tokenOf(world, 'hob', { scope: 'player' })
    expect(world.resolve({ bearer, cookie })?.userId).toBe(hob.id)
    for (const bad of ['', 'x', `${bearer}x`, bearer.slice(0, -1), mintSecret('tkp').value, hob.cookie, cookie]) {
      expect(await outcome(() => world.resolve({ bearer: bad, cookie })), bad).toBe('unauthenticated')
    }
  })

  test.each([
    ['bearer %', true],
    ['BEARER   %  ', true],
    ['Bearer %, Bearer %', false],
    ['Bearer % x', false],
    ['Bearer', false],
    ['Bearer ', false],
    ['%', false],
    ['Token %', false],
    ['', false],
    ['Basic % Bearer', 'cookie'],
    ['Basic bWFydGE6cGFzcw==', 'cookie'],
    ['Negotiate abc', 'cookie'],
  ])('Authorization: %j', async (template, accepted) => {
    const world = makeWorld()
    const { cookie } = await world.user('marta')
    const bearer = await tokenOf(world, 'marta')
    const presented = { authorization: template.replaceAll('%', bearer), sessionSecret: cookie }
    if (accepted === false) {
      expect(await outcome(() => world.identity.resolve(presented))).toBe('unauthenticated')
      return
    }
    // What a proxy asked for is none of ours: the cookie counts.
    expect(world.identity.resolve(presented)?.credential.kind).toBe(accepted === 'cookie' ? 'session' : 'token')
  })

  it('does not say why it is refused', async () => {
    const world = makeWorld()
    await world.user('marta')
    const bearer = await tokenOf(world, 'marta', { expiresInDays: 1 })
    const unknown = await failure(() => world.resolve({ bearer: mintSecret('tkp').value }))
    world.pass(time.day)
    const expired = await failure(() => world.resolve({ bearer }))
    expect(expired?.message).toBe(unknown?.message)
    expect(expired?.message).not.toContain(bearer)
  })
})

describe('an OAuth access token', () => {
  const connected: Actor = {
    userId: 1,
    username: 'marta',
    admin: true,
    credential: {
      kind: 'oauth',
      id: 4,
      scope: 'player',
      campaignId: null,
      writeMode: 'direct',
      clientId: 'tkcl_1',
      toolsets: null,
    },
  }

  it('is resolved by its hash, and never carries server-admin rights', async () => {
    const { value, hash } = mintSecret('tka')
    const world = makeWorld({ resolveAccessToken: (asked) => (asked === hash ? connected : null) })
    expect(world.resolve({ bearer: value })).toEqual({ ...connected, admin: false })
    expect(await outcome(() => world.resolve({ bearer: mintSecret('tka').value }))).toBe('unauthenticated')
    // A personal token with the same characters is another secret.
    expect(await outcome(() => world.resolve({ bearer: value.replace('tka', 'tkp') }))).toBe('unauthenticated')
  })

  it('is refused where nothing resolves it', async () => {
    expect(await outcome(() => makeWorld().resolve({ bearer: mintSecret('tka').value }))).toBe('unauthenticated')
  })

  it('opens nothing that is kept for persons', async () => {
    const { value, hash } = mintSecret('tka')
    const world = makeWorld({ resolveAccessToken: (asked) => (asked === hash ? connected : null) })
    await world.user('marta', { admin: true })
    const request = { tokenName: 'x', scope: 'player' }
    for (const [name, input] of [
      ['list_tokens', {}],
      ['create_token', request],
      ['revoke_token', { tokenId: 1 }],
      ['change_my_password', { currentPassword: password, newPassword: 'another one' }],
      ['list_users', {}],
      ['create_user', { username: 'hob', password }],
      ['update_user', { userId: 1, admin: false }],
      ['create_user_token', { userId: 1, ...request }],
    ] as const) {
      expect(await outcome(world.call(name, input, { bearer: value })), name).toBe('forbidden')
    }
  })
})

describe('the time of last use', () => {
  const lastUsed = (world: World): unknown => world.store.get('SELECT last_used_at FROM sessions')?.last_used_at

  it('is written outside the request, and at most once a minute', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const world = makeWorld()
    const { cookie } = await world.user('marta')
    const start = world.now()
    world.pass(time.minute - 1)
    world.resolve({ cookie })
    vi.runAllTimers()
    expect(lastUsed(world)).toBe(start)
    world.pass(1)
    const used = world.now()
    world.resolve({ cookie })
    expect(lastUsed(world)).toBe(start)
    vi.runAllTimers()
    expect(lastUsed(world)).toBe(used)
    world.pass(1000)
    world.resolve({ cookie })
    vi.runAllTimers()
    expect(lastUsed(world)).toBe(used)
  })

  it('is kept for tokens too, and written at the end', async () => {
    const world = makeWorld()
    await world.user('marta')
    const bearer = await tokenOf(world, 'marta')
    expect(world.store.get('SELECT last_used_at FROM personal_tokens')?.last_used_at).toBeNull()
    world.resolve({ bearer })
    world.identity.close()
    expect(world.store.get('SELECT last_used_at FROM personal_tokens')?.last_used_at).toBe(world.now())
  })

  it('is no reason to fail when it cannot be written', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const world = makeWorld()
    const { cookie } = await world.user('marta')
    world.pass(time.hour)
    world.resolve({ cookie })
    world.store.close()
    vi.runAllTimers()
    expect(world.warnings).toHaveLength(1)
    expect(world.warnings[0]).not.toContain(hashSecret(cookie))
  })
})

describe('a credential that is looked at again', () => {
  it('is what it is now', async () => {
    const world = makeWorld()
    const { id, cookie } = await world.user('marta', { admin: true })
    const actor = world.resolve({ cookie }) as Actor
    const again = (asked: Actor): Actor => world.identity.recheck(world.store, asked, world.now())
    expect(again(actor)).toEqual(actor)
    world.store.run('UPDATE users SET admin = 0 WHERE id = @id', { id })
    expect(again(actor).admin).toBe(false)
    world.store.run('DELETE FROM sessions')
    expect(await outcome(() => again(actor))).toBe('unauthenticated')
    // What the program does by itself has nothing to sign in with.
    const own: Actor = { ...actor, credential: { ...actor.credential, kind: 'system' } }
    expect(again(own)).toEqual(own)
  })

  it('is an app’s for as long as its person lets it in and may come in themself', async () => {
    const world = makeWorld()
    const { id, cookie } = await world.user('marta')
    const person = world.resolve({ cookie }) as Actor
    const grantId = world.grant(id)
    const connected: Actor = { ...person, credential: { ...person.credential, kind: 'oauth', id: grantId } }
    const again = (): Actor => world.identity.recheck(world.store, connected, world.now())
    expect(again()).toEqual(connected)
    world.store.run("UPDATE users SET disabled_at = '2026-11-21T00:00:00.000Z' WHERE id = @id", { id })
    expect(await outcome(again)).toBe('unauthenticated')
    world.store.run('UPDATE users SET disabled_at = NULL WHERE id = @id', { id })
    expect(again()).toEqual(connected)
    world.store.run('UPDATE oauth_grants SET ended_at = @now', { now: world.now() })
    expect(await outcome(again)).toBe('unauthenticated')
  })
})

describe('a credential that ends while something is got ready', () => {
  const endings: readonly (readonly [string, string])[] = [
    ['revoked', "UPDATE personal_tokens SET revoked_at = '2026-11-21T00:00:00.000Z'"],
    ['of who is disabled', "UPDATE users SET disabled_at = '2026-11-21T00:00:00.000Z'"],
    ['run out', "UPDATE personal_tokens SET expires_at = '2026-11-21T00:00:00.000Z'"],
  ]
  test.each(endings)('writes nothing: %s', async (_, sql) => {
    const world = makeWorld()
    await world.user('marta', { admin: true })
    const bearer = await tokenOf(world, 'marta')
    // Its password is hashed meanwhile.
    const creating = outcome(world.call('create_user', { username: 'hob', password }, { bearer }))
    world.store.run(sql)
    expect(await creating).toBe('unauthenticated')
    expect(world.store.all('SELECT id FROM users')).toHaveLength(1)
    expect(world.store.all("SELECT id FROM change_sets WHERE operation = 'create_user'")).toHaveLength(0)
  })
})
