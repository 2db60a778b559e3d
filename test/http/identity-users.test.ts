import { createHash } from 'node:crypto'
import { describe, expect, it, test } from 'vitest'
import { failure, makeWorld, outcome, password, type World, wholeDatabase } from '../unit/identity-support.ts'

const names = async (world: World, cookie: string): Promise<readonly unknown[]> => {
  const { items } = (await world.call('list_users', {}, { cookie })).answer as { items: { username: string }[] }
  return items.map(({ username }) => username)
}

describe('users', () => {
  it('are listed page by page, without what they sign in with', async () => {
    const world = makeWorld()
    const { cookie } = await world.user('marta', { admin: true })
    await world.user('hob')
    const page = (await world.call('list_users', { limit: 1 }, { cookie })).answer
    expect(page.items).toEqual([
      { id: 1, username: 'marta', admin: true, disabled: false, createdAt: '2026-11-21T09:30:00.000Z' },
    ])
    const rest = (await world.call('list_users', { cursor: page.nextCursor }, { cookie })).answer
    expect(rest).toMatchObject({ items: [{ username: 'hob' }], nextCursor: null })
  })

  it('are created by an administrator and can sign in', async () => {
    const world = makeWorld()
    const { cookie } = await world.user('marta', { admin: true })
    const { answer } = await world.call('create_user', { username: ' Hob ', password: 'battery staple' }, { cookie })
    expect(answer).toEqual({ id: 2, username: 'Hob', admin: false, disabled: false, createdAt: world.now() })
    expect(await outcome(world.call('sign_in', { username: 'hob', password: 'battery staple' }))).toBe('done')
    await world.call('create_user', { username: 'Wren', password, admin: true }, { cookie })
    expect((await world.call('sign_in', { username: 'wren', password })).answer).toMatchObject({
      user: { admin: true },
    })
    expect(wholeDatabase(world.store)).not.toMatch(/battery staple/)
  })

  it('are created once under an idempotency key, whose record tells nothing of the password', async () => {
    const world = makeWorld()
    const { cookie } = await world.user('marta', { admin: true })
    const call = (given: string) =>
      world.call('create_user', { username: 'hob', password: given }, { cookie, idempotencyKey: 'k1' })
    const first = await call('battery staple')
    expect((await call('battery staple')).answer).toEqual(first.answer)
    expect(await names(world, cookie)).toEqual(['marta', 'hob'])
    // The remembered hash is a fast one: it must not be one of the password. All the same another one is another call.
    expect(await outcome(call('another staple'))).toBe('idempotency_conflict')
    const hashOf = (input: object): string => createHash('sha256').update(JSON.stringify(input)).digest('hex')
    expect(world.store.all('SELECT input_hash FROM idempotency_keys')).toEqual([
      { input_hash: hashOf({ username: 'hob' }) },
    ])
  })

  test.each(['hob', 'HOB', ' Hob ', 'ｈｏｂ'])('cannot have the name %j while there is a hob', async (username) => {
    const world = makeWorld()
    const { cookie } = await world.user('marta', { admin: true })
    await world.user('hob')
    const refused = await failure(world.call('create_user', { username, password }, { cookie }))
    expect(refused).toMatchObject({
      code: 'validation_failed',
      details: [{ path: 'username', message: 'already taken' }],
    })
    expect(await outcome(world.call('update_user', { userId: 1, username }, { cookie }))).toBe('validation_failed')
  })

  it('compares names in every script', async () => {
    const world = makeWorld()
    const { cookie } = await world.user('marta', { admin: true })
    await world.user('Ärger')
    expect(await outcome(world.call('create_user', { username: 'äRGER', password }, { cookie }))).toBe(
      'validation_failed',
    )
    expect(await outcome(world.call('create_user', { username: 'A\u0308rger', password }, { cookie }))).toBe(
      'validation_failed',
    )
    expect(await outcome(world.call('sign_in', { username: 'ÄRGER', password }))).toBe('done')
  })

  it('are renamed, in case only too', async () => {
    const world = makeWorld()
    const { cookie } = await world.user('marta', { admin: true })
    const { answer } = await world.call('update_user', { userId: 1, username: 'Marta' }, { cookie })
    expect(answer.username).toBe('Marta')
    expect(world.resolve({ cookie })?.username).toBe('Marta')
    expect(world.ended).toEqual([])
  })

  it('are managed by administrators alone', async () => {
    const world = makeWorld()
    await world.user('marta', { admin: true })
    const { cookie } = await world.user('hob')
    for (const [name, input] of [
      ['list_users', {}],
      ['create_user', { username: 'wren', password }],
      ['update_user', { userId: 2, admin: true }],
    ] as const) {
      expect(await outcome(world.call(name, input)), name).toBe('unauthenticated')
      expect(await outcome(world.call(name, input, { cookie })), name).toBe('forbidden')
    }
    expect(world.store.all('SELECT id FROM users WHERE admin = 1')).toHaveLength(1)
    expect(await outcome(world.call('update_user', { userId: 99, admin: true }, { cookie }))).toBe('forbidden')
  })
})

describe('what ends at once', () => {
  const setting = async () => {
    const world = makeWorld()
    const marta = await world.user('marta', { admin: true })
    const hob = await world.user('hob', { admin: true })
    const { answer } = await world.call('create_token', { tokenName: 'x', scope: 'dm' }, { cookie: hob.cookie })
    return { world, marta, hob, bearer: answer.token as string, grantId: world.grant(hob.id) }
  }

  test.each([
    ['disabling', { disabled: true }, true],
    ['a new password', { password: 'battery staple' }, true],
    ['a lost role', { admin: false }, true],
    ['disabling with a lost role', { admin: false, disabled: true }, true],
    ['another name', { username: 'Hobson' }, false],
    ['the role they have', { admin: true }, false],
    ['enabling who is enabled', { disabled: false }, false],
    ['nothing', {}, false],
  ])('%s', async (_, members, ends) => {
    const { world, marta, hob, bearer, grantId } = await setting()
    const { answer } = await world.call('update_user', { userId: hob.id, ...members }, { cookie: marta.cookie })
    expect(world.resolve({ cookie: hob.cookie }) === null).toBe(ends)
    expect(await outcome(() => world.resolve({ bearer }))).toBe(ends ? 'unauthenticated' : 'done')
    expect(world.grantEnd(grantId)).toBe(ends ? 'credentials_ended' : null)
    expect(world.ended).toEqual(ends ? [{ userId: hob.id }] : [])
    expect(world.resolve({ cookie: marta.cookie })).not.toBeNull()
    const { password: _password, ...shown } = members as { password?: string }
    expect(answer).toMatchObject(shown)
  })

  it('does not come back when the user is enabled again', async () => {
    const { world, marta, hob, bearer } = await setting()
    await world.call('update_user', { userId: hob.id, disabled: true }, { cookie: marta.cookie })
    expect(await outcome(world.call('sign_in', { username: 'hob', password }))).toBe('unauthenticated')
    await world.call('update_user', { userId: hob.id, disabled: false }, { cookie: marta.cookie })
    expect(world.resolve({ cookie: hob.cookie })).toBeNull()
    expect(await outcome(() => world.resolve({ bearer }))).toBe('unauthenticated')
    expect(await outcome(world.call('sign_in', { username: 'hob', password }))).toBe('done')
  })

  it('is written down by names of members', async () => {
    const { world, marta, hob } = await setting()
    await world.call(
      'update_user',
      { userId: hob.id, disabled: true, password: 'battery staple' },
      { cookie: marta.cookie },
    )
    const record = world.store.get("SELECT actor_user_id, facts FROM change_sets WHERE operation = 'update_user'")
    expect(record?.actor_user_id).toBe(marta.id)
    expect(JSON.parse(String(record?.facts))).toEqual({
      userId: hob.id,
      fields: ['passwordSetAt', 'disabledAt'],
      passwordSetAt: world.now(),
      disabledAt: world.now(),
      also: { sign_in: 1, personal_token: 1, oauth_grant: 1 },
    })
  })

  it('takes the right to change others from who lost it while a password was hashed', async () => {
    const { world, marta, hob } = await setting()
    const creating = outcome(world.call('create_user', { username: 'wren', password }, { cookie: hob.cookie }))
    world.store.run('UPDATE users SET admin = 0 WHERE id = @id', { id: hob.id })
    expect(await creating).toBe('forbidden')
    expect(await names(world, marta.cookie)).toEqual(['marta', 'hob'])
  })
})

describe('the last administrator', () => {
  test.each([
    ['disabled', { disabled: true }],
    ['demoted', { admin: false }],
    ['both', { disabled: true, admin: false }],
  ])('cannot be %s', async (_, members) => {
    const world = makeWorld()
    const { id, cookie } = await world.user('marta', { admin: true })
    const other = await world.user('hob', { admin: true })
    // Who is disabled does not count.
    await world.call('update_user', { userId: other.id, disabled: true }, { cookie })
    const refused = await failure(
      world.call('update_user', { userId: id, username: 'Renamed', ...members }, { cookie }),
    )
    expect(refused).toMatchObject({ code: 'last_admin', status: 409 })
    // One outcome: the name is as it was.
    expect(await names(world, cookie)).toEqual(['marta', 'hob'])
    expect(world.resolve({ cookie })?.admin).toBe(true)
    // The disabled one may be demoted, and brought back to let the first go.
    await world.call('update_user', { userId: other.id, admin: false }, { cookie })
    await world.call('update_user', { userId: other.id, admin: true, disabled: false }, { cookie })
    expect(await outcome(world.call('update_user', { userId: id, ...members }, { cookie }))).toBe('done')
    expect(world.resolve({ cookie })).toBeNull()
  })

  it('gets a new password from themself', async () => {
    const world = makeWorld()
    const { id, cookie } = await world.user('marta', { admin: true })
    expect(await outcome(world.call('update_user', { userId: id, password: 'battery staple' }, { cookie }))).toBe(
      'done',
    )
    expect(world.resolve({ cookie })).toBeNull()
    expect(await outcome(world.call('sign_in', { username: 'marta', password: 'battery staple' }))).toBe('done')
  })
})
