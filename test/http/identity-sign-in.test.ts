import { describe, expect, it, test } from 'vitest'
import { fail } from '../../src/kernel/errors.ts'
import {
  failure,
  makeWorld,
  outcome,
  password,
  quickHash,
  time,
  type World,
  wholeDatabase,
} from '../unit/identity-support.ts'

const marta = { username: 'Marta', password }

describe('setting up', () => {
  it('is open to this machine in the first half hour, and creates an administrator who is signed in', async () => {
    const world = makeWorld()
    const here = { loopback: true }
    expect((await world.call('get_auth_status', {}, here)).answer).toEqual({
      version: '1.2.3',
      setUpNeeded: true,
      setUpOpen: true,
      user: null,
    })
    const { answer, cookie } = await world.call('set_up', marta, here)
    expect(answer).toEqual({ user: { id: 1, username: 'Marta', admin: true } })
    expect((await world.call('get_auth_status', {}, { cookie: cookie as string, ...here })).answer).toEqual({
      version: '1.2.3',
      setUpNeeded: false,
      setUpOpen: false,
      user: { id: 1, username: 'Marta', admin: true },
    })
    expect(await outcome(world.call('set_up', { ...marta, username: 'Hob' }, here))).toBe('invalid_state')
    expect(world.identity.setUpCode()).toBeNull()
  })

  test.each([
    ['another machine', { loopback: false }, {}, 0],
    ['this machine after half an hour', { loopback: true }, {}, 30 * time.minute],
    ['this machine behind a proxy', { loopback: true }, { mayBeBehindProxy: true }, 0],
  ])('needs the code from %s', async (_, options, parts, later) => {
    const world = makeWorld(parts)
    world.pass(later)
    expect((await world.call('get_auth_status', {}, options)).answer.setUpOpen).toBe(false)
    const refused = await failure(world.call('set_up', marta, options))
    expect(refused?.code).toBe('forbidden')
    expect(refused?.message).toContain('set-up code')
    expect(world.store.all('SELECT id FROM users')).toHaveLength(0)
  })

  it('takes the code from anywhere for half an hour, and no other', async () => {
    const world = makeWorld()
    const code = world.identity.setUpCode() as string
    expect(code).toMatch(/^[A-Za-z0-9_-]{43}$/)
    for (const wrong of ['', 'x', `${code}x`, code.slice(1)]) {
      // A wrong code is wrong on this machine too.
      expect(await outcome(world.call('set_up', { ...marta, code: wrong }, { loopback: true })), wrong).toBe(
        'forbidden',
      )
    }
    world.pass(30 * time.minute - 1)
    expect(await outcome(world.call('set_up', { ...marta, code }))).toBe('done')
  })

  it('refuses the code when it is late', async () => {
    const world = makeWorld()
    const code = world.identity.setUpCode() as string
    world.pass(30 * time.minute)
    expect(world.identity.setUpCode()).toBeNull()
    expect((await failure(world.call('set_up', { ...marta, code })))?.message).toContain('expired')
  })

  it('lets one of two through who try at the same time', async () => {
    const world = makeWorld()
    const outcomes = await Promise.all(
      ['Marta', 'Hob'].map((username) => outcome(world.call('set_up', { username, password }, { loopback: true }))),
    )
    expect(outcomes.toSorted()).toEqual(['done', 'invalid_state'])
    expect(world.store.all('SELECT id FROM users')).toHaveLength(1)
  })

  it('closes an address that guesses codes', async () => {
    const world = makeWorld()
    for (let count = 0; count < 50; count++) await outcome(world.call('set_up', { ...marta, code: `guess ${count}` }))
    const code = world.identity.setUpCode() as string
    expect(await outcome(world.call('set_up', { ...marta, code }))).toBe('rate_limited')
    expect(await outcome(world.call('set_up', { ...marta, code }, { address: '192.0.2.99' }))).toBe('done')
  })

  test.each([
    [{ username: 'M' }, 'username'],
    [{ username: 'x'.repeat(41) }, 'username'],
    [{ username: 'ma  rta' }, 'username'],
    [{ username: '-marta' }, 'username'],
    [{ username: 'mar\u0000ta' }, 'username'],
    [{ username: 'mar\u202eta' }, 'username'],
    [{ username: 'marta@home' }, 'username'],
    [{ username: 'mar\nta' }, 'username'],
    [{ password: '1234567' }, 'password'],
    [{ password: 'x'.repeat(201) }, 'password'],
    [{ extra: 1 }, 'extra'],
  ])('refuses %j', async (members, path) => {
    const refused = await failure(makeWorld().call('set_up', { ...marta, ...members }, { loopback: true }))
    expect(refused?.code).toBe('validation_failed')
    expect(refused?.details?.[0]?.path).toBe(path)
  })

  test.each(['Jo', 'Marta von der Au', 'm.a_r-t.a', 'Zoë', 'Кузьма', '勇者', 'x'.repeat(40), '4ever'])(
    'takes the name %s',
    async (username) => {
      const { answer } = await makeWorld().call('set_up', { ...marta, username }, { loopback: true })
      expect(answer.user).toMatchObject({ username })
    },
  )
})

describe('signing in', () => {
  it('takes the name in any case, sets a cookie and ends the session that was there', async () => {
    const world = makeWorld()
    const { id, cookie } = await world.user('Zoë')
    const again = await world.call('sign_in', { username: ' ZOË ', password }, { cookie })
    expect(again.answer).toEqual({ user: { id, username: 'Zoë', admin: false } })
    expect(world.resolve({ cookie })).toBeNull()
    expect(world.resolve({ cookie: again.cookie as string })?.userId).toBe(id)
    expect(world.ended).toEqual([{ userId: id, only: { kind: 'session', id: 1 } }])
  })

  it('answers the same for an unknown name, a wrong password and a disabled user', async () => {
    const world = makeWorld()
    await world.user('marta')
    const { id } = await world.user('hob')
    world.store.run("UPDATE users SET disabled_at = '2026-11-21T00:00:00.000Z' WHERE id = @id", { id })
    const answers = await Promise.all([
      failure(world.call('sign_in', { username: 'nobody', password })),
      failure(world.call('sign_in', { username: 'marta', password: 'wrong horse' })),
      failure(world.call('sign_in', { username: 'marta', password: 'x' })),
      failure(world.call('sign_in', { username: 'hob', password })),
    ])
    for (const refused of answers) {
      expect(refused).toMatchObject({ code: 'unauthenticated', message: 'The name or the password is wrong.' })
      expect(refused?.details).toBeUndefined()
    }
    expect(world.warnings).toHaveLength(4)
    expect(world.warnings.join()).not.toMatch(/nobody|horse/)
  })

  it('closes after ten failures, for the right password too, and not for somebody else', async () => {
    const world = makeWorld()
    await world.user('marta')
    const { username } = { username: 'marta' }
    for (let count = 0; count < 9; count++) {
      expect(await outcome(world.call('sign_in', { username, password: 'wrong horse' }))).toBe('unauthenticated')
    }
    // Successes do not count, so the tenth failure is still to come.
    expect(await outcome(world.call('sign_in', { username, password }))).toBe('done')
    expect(await outcome(world.call('sign_in', { username, password: 'wrong horse' }))).toBe('unauthenticated')
    const refused = await failure(world.call('sign_in', { username, password }))
    expect(refused?.code).toBe('rate_limited')
    expect(refused?.retryAfterSeconds).toBeGreaterThan(0)
    expect(
      await outcome(world.call('create_token_with_password', { username, password, tokenName: 'x', scope: 'dm' })),
    ).toBe('rate_limited')
    expect(await outcome(world.call('sign_in', { username, password }, { address: '192.0.2.8' }))).toBe('done')
  })

  it('goes on from a browser in which its owner has signed in, while strangers try', async () => {
    const world = makeWorld()
    const { id } = await world.user('marta')
    await world.user('hob')
    const given = { username: 'marta', password }
    const { device } = await world.call('sign_in', given)
    const hobs = (await world.call('sign_in', { username: 'hob', password })).device
    expect(device).toMatch(/^[\w-]{16}\.[\w-]{43}$/)
    for (let count = 0; count < 110; count++)
      await outcome(world.call('sign_in', { ...given, password: 'wrong' }, { address: `198.51.100.${count}` }))
    const signIn = (from: string | undefined, options: object = {}) =>
      outcome(world.call('sign_in', { ...given, ...options }, { device: from, address: '203.0.113.5' }))
    // The account is closed for whoever comes without it, or with what is none of theirs.
    for (const other of [undefined, hobs, `${device}x`, `x${device}`, 'x', '.', ''])
      expect(await signIn(other)).toBe('rate_limited')
    expect(await signIn(device)).toBe('done')
    // It is known by nobody else's name, and its own guesses come to an end.
    expect(world.resolve({ cookie: device as string })).toBeNull()
    for (let count = 0; count < 10; count++) expect(await signIn(device, { password: 'wrong' })).toBe('unauthenticated')
    expect(await signIn(device)).toBe('rate_limited')
    // With another password it is a stranger's.
    const fresh = (await world.restarted().call('sign_in', given)).device
    const again = world.restarted()
    const closed = async () => outcome(again.call('sign_in', given, { device: fresh }))
    for (let count = 0; count < 10; count++) await outcome(again.call('sign_in', { ...given, password: 'wrong' }))
    expect(await closed()).toBe('done')
    const passwordHash = await world.identity.passwords.hash(password)
    world.store.run('UPDATE users SET password_hash = @passwordHash WHERE id = @id', { id, passwordHash })
    expect(await closed()).toBe('rate_limited')
  })

  it('does the same for names that nobody has', async () => {
    const world = makeWorld()
    for (let count = 0; count < 10; count++) await outcome(world.call('sign_in', { username: 'nobody', password }))
    expect(await outcome(world.call('sign_in', { username: 'nobody', password }))).toBe('rate_limited')
  })

  it('is refused when the password changed while it was checked', async () => {
    const world = makeWorld()
    const { id } = await world.user('marta')
    const signingIn = outcome(world.call('sign_in', { username: 'marta', password }))
    world.store.run("UPDATE users SET password_hash = 'another' WHERE id = @id", { id })
    expect(await signingIn).toBe('unauthenticated')
    expect(world.store.all('SELECT id FROM sessions')).toHaveLength(1)
  })

  it('ends with signing out, which may be said twice', async () => {
    const world = makeWorld()
    const { id, cookie } = await world.user('marta')
    const other = (await world.call('sign_in', { username: 'marta', password })).cookie as string
    expect(await world.call('sign_out', {}, { cookie })).toEqual({ answer: { signedOut: true }, cookie: null })
    expect(world.resolve({ cookie })).toBeNull()
    expect(world.resolve({ cookie: other })).not.toBeNull()
    expect(world.ended).toEqual([{ userId: id, only: { kind: 'session', id: 1 } }])
    expect((await world.call('sign_out', {}, { cookie })).cookie).toBeNull()
    expect((await world.call('sign_out')).cookie).toBeNull()
  })

  it('is written down without its secrets', async () => {
    const world = makeWorld()
    const { id } = await world.user('marta')
    const cookie = (await world.call('sign_in', { username: 'marta', password })).cookie as string
    await world.call('sign_out', {}, { cookie })
    const records = world.store.all('SELECT * FROM change_sets ORDER BY id')
    expect(records).toMatchObject([
      {
        campaign_id: null,
        operation: 'sign_in',
        door: 'rest',
        actor_user_id: id,
        credential_kind: 'session',
        credential_id: 2,
        revertible: 0,
        at: world.now(),
      },
      { campaign_id: null, operation: 'sign_out', actor_user_id: id, credential_id: 2 },
    ])
    expect(JSON.parse(String(records[0]?.facts))).toEqual({ signInId: 2, userId: id })
    const stored = wholeDatabase(world.store)
    expect(stored).not.toContain(cookie)
    expect(stored).not.toContain(password)
  })
})

describe('registering with an invite', () => {
  const setting = async (overrides: Parameters<typeof makeWorld>[0] = {}) => {
    const world = makeWorld(overrides)
    const { id } = await world.user('marta', { admin: true })
    const campaignId = world.campaign([id, 'dm'])
    return { world, campaignId, newcomer: { username: 'Hob', password, invite: world.invite(campaignId) } }
  }
  const users = (world: ReturnType<typeof makeWorld>): readonly unknown[] =>
    world.store.all('SELECT username FROM users ORDER BY id').map((row) => row.username)

  it('shows what the invite opens, joins and signs in', async () => {
    const { world, campaignId, newcomer } = await setting()
    expect((await world.call('preview_invite', { code: newcomer.invite })).answer).toEqual({
      campaignName: 'The Orchard',
      role: 'player',
      expiresAt: '2027-01-01T00:00:00.000Z',
    })
    const { answer, cookie } = await world.call('register', newcomer)
    expect(answer).toEqual({ user: { id: 2, username: 'Hob', admin: false }, campaignId: 1 })
    expect(world.resolve({ cookie: cookie as string })).toMatchObject({ userId: 2, admin: false })
    expect(
      world.store.get('SELECT role FROM memberships WHERE user_id = 2 AND campaign_id = @campaignId', { campaignId }),
    ).toEqual({ role: 'player' })
    expect(await outcome(world.call('sign_in', { username: 'hob', password }))).toBe('done')
    const record = world.store.get("SELECT * FROM change_sets WHERE operation = 'register'")
    expect(record).toMatchObject({ campaign_id: null, actor_user_id: 2, credential_kind: 'session' })
  })

  it('leaves nobody behind when the invite is unknown, expired or used up', async () => {
    const { world, campaignId, newcomer } = await setting()
    const expired = world.invite(campaignId, { expiresAt: '2026-11-21T09:30:00.000Z' })
    const usedUp = world.invite(campaignId, { maxUses: 1 })
    expect(await outcome(world.call('register', { ...newcomer, username: 'Avice', invite: usedUp }))).toBe('done')
    for (const invite of ['tki_unknown', expired, usedUp]) {
      expect(await outcome(world.call('register', { ...newcomer, invite })), invite).toBe('not_found')
    }
    expect(users(world)).toEqual(['marta', 'Avice'])
    expect(world.store.all('SELECT id FROM sessions WHERE user_id NOT IN (SELECT id FROM users)')).toHaveLength(0)
    expect(await outcome(world.call('preview_invite', { code: expired }))).toBe('not_found')
    // The name is free for a better invite.
    expect(await outcome(world.call('register', newcomer))).toBe('done')
  })

  it('lets as many in as the invite says, when more come at once', async () => {
    const { world, campaignId } = await setting()
    const invite = world.invite(campaignId, { maxUses: 1 })
    const outcomes = await Promise.all(
      ['Hob', 'Avice', 'Wren'].map((username) => outcome(world.call('register', { username, password, invite }))),
    )
    expect(outcomes.toSorted()).toEqual(['done', 'not_found', 'not_found'])
    expect(users(world)).toHaveLength(2)
    expect(world.store.all('SELECT id FROM memberships')).toHaveLength(2)
  })

  it('gives a name to one of two who want it', async () => {
    const { world, newcomer } = await setting()
    const both = await Promise.all(
      ['Hob', 'hOB'].map((username) => failure(world.call('register', { ...newcomer, username }))),
    )
    const refused = both.find((each) => each !== null)
    expect(both).toContain(null)
    expect(refused).toMatchObject({
      code: 'validation_failed',
      details: [{ path: 'username', message: 'already taken' }],
    })
  })

  it('tells a taken name only to who has an invite', async () => {
    const { world, newcomer } = await setting()
    expect(await outcome(world.call('register', { ...newcomer, username: 'Marta' }))).toBe('validation_failed')
    expect(await outcome(world.call('register', { ...newcomer, username: 'Marta', invite: 'tki_x' }))).toBe('not_found')
  })

  it('is whole or not at all: an invite that fails at the last leaves no user, no session and no record', async () => {
    const { world, newcomer } = await setting({
      acceptInvite() {
        throw fail('not_found')
      },
    })
    const before = wholeDatabase(world.store)
    expect(await outcome(world.call('register', newcomer))).toBe('not_found')
    expect(users(world)).toEqual(['marta'])
    expect(wholeDatabase(world.store)).toBe(before)
  })

  it('is limited by address', async () => {
    const { world } = await setting()
    const bad = { username: 'Hob', password, invite: 'tki_x' }
    for (let count = 0; count < 60; count++) expect(await outcome(world.call('register', bad))).toBe('not_found')
    expect(await outcome(world.call('register', bad))).toBe('rate_limited')
  })
})

describe("changing one's password", () => {
  const change = { currentPassword: password, newPassword: 'battery staple' }

  it('ends everything but the session that did it', async () => {
    const world = makeWorld()
    const { id, cookie } = await world.user('marta')
    const grantId = world.grant(id)
    const hob = await world.user('hob')
    const other = (await world.call('sign_in', { username: 'marta', password })).cookie as string
    const { answer } = await world.call('create_token', { tokenName: 'x', scope: 'dm' }, { cookie })
    await world.call('change_my_password', change, { cookie })
    expect(world.resolve({ cookie })?.userId).toBe(id)
    expect(world.resolve({ cookie: other })).toBeNull()
    expect(await outcome(() => world.resolve({ bearer: answer.token as string }))).toBe('unauthenticated')
    expect(world.resolve({ cookie: hob.cookie })).not.toBeNull()
    expect(world.grantEnd(grantId)).toBe('credentials_ended')
    expect(world.ended).toEqual([{ userId: id }])
    expect(await outcome(world.call('sign_in', { username: 'marta', password }))).toBe('unauthenticated')
    expect(await outcome(world.call('sign_in', { username: 'marta', password: 'battery staple' }))).toBe('done')
    expect(wholeDatabase(world.store)).not.toMatch(/correct horse|battery staple/)
  })

  it('needs the current one, and counts wrong ones like failures to sign in', async () => {
    const world = makeWorld()
    const { cookie } = await world.user('marta')
    const wrong = { ...change, currentPassword: 'wrong horse' }
    for (let count = 0; count < 10; count++) {
      const refused = await failure(world.call('change_my_password', wrong, { cookie }))
      expect(refused).toMatchObject({ code: 'validation_failed', details: [{ path: 'currentPassword' }] })
    }
    expect(await outcome(world.call('change_my_password', change, { cookie }))).toBe('rate_limited')
  })

  it('answers a repeated call as before, without trying the old password again', async () => {
    const world = makeWorld()
    const { cookie } = await world.user('marta')
    const options = { cookie, idempotencyKey: 'k1' }
    const first = await world.call('change_my_password', change, options)
    expect((await world.call('change_my_password', change, options)).answer).toEqual(first.answer)
    expect(world.store.all("SELECT id FROM change_sets WHERE operation = 'change_my_password'")).toHaveLength(1)
    expect(await outcome(world.call('change_my_password', change, { cookie }))).toBe('validation_failed')
  })

  test.each([
    ['another current one', { ...change, currentPassword: 'wrong horse' }],
    ['another new one', { ...change, newPassword: 'another staple' }],
  ])('never answers that it changed, by a key that is remembered, to %s', async (_, other) => {
    const world = makeWorld()
    const { cookie } = await world.user('marta')
    const options = { cookie, idempotencyKey: 'k1' }
    await world.call('change_my_password', change, options)
    expect(await outcome(world.call('change_my_password', other, options))).toBe('idempotency_conflict')
    // After a restart nothing tells the passwords of then: nothing of them was written down.
    const forgetful = world.restarted()
    expect(await outcome(forgetful.call('change_my_password', change, options))).toBe('already_done')
    expect(await outcome(forgetful.call('change_my_password', other, options))).toBe('already_done')
    expect(wholeDatabase(world.store)).not.toMatch(/wrong horse|battery staple|another staple/)
  })

  it('is refused where an administrator gave another one while it was checked', async () => {
    let meanwhile = (): void => {}
    const world: World = makeWorld({
      loadArgon2: async () => async (derivation) => {
        // Once the current one has been found right, and the new one is hashed.
        if (Buffer.from(derivation.password).toString() === change.newPassword) meanwhile()
        return quickHash(derivation)
      },
    })
    const { cookie } = await world.user('marta')
    meanwhile = () => void world.store.run("UPDATE users SET password_hash = 'another'")
    expect(await outcome(world.call('change_my_password', change, { cookie }))).toBe('unauthenticated')
    expect(world.store.get('SELECT password_hash FROM users')).toEqual({ password_hash: 'another' })
  })

  it('is written down as changed, and not what it was or became', async () => {
    const world = makeWorld()
    const { id, cookie } = await world.user('marta')
    await world.call('change_my_password', change, { cookie })
    const record = world.store.get("SELECT id, facts FROM change_sets WHERE operation = 'change_my_password'")
    expect(JSON.parse(String(record?.facts))).toEqual({
      userId: id,
      fields: ['passwordSetAt'],
      passwordSetAt: world.now(),
    })
    const journal = JSON.stringify(world.store.all('SELECT * FROM changes'))
    const hashes = world.store.all('SELECT password_hash, (SELECT hash FROM sessions) AS hash FROM users')
    for (const hash of hashes.flatMap((row) => Object.values(row))) expect(journal).not.toContain(hash)
  })
})
