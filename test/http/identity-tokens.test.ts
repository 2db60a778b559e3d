import { describe, expect, it, test } from 'vitest'
import { hashSecret } from '../../src/storage/secrets.ts'
import { failure, makeWorld, outcome, password, time, type World, wholeDatabase } from '../unit/identity-support.ts'

type Answer = Readonly<Record<string, unknown>>
const mint = async (world: World, cookie: string, rest: Answer = {}): Promise<Answer> =>
  (await world.call('create_token', { tokenName: 'laptop', scope: 'dm', ...rest }, { cookie })).answer
const tokens = async (world: World, cookie: string): Promise<readonly Answer[]> =>
  (await world.call('list_tokens', {}, { cookie })).answer.items as readonly Answer[]

describe('a token for a password', () => {
  const request = { username: 'marta', password, tokenName: 'script', scope: 'player' }

  it('is given without a browser (SPEC 2.5, 5.2)', async () => {
    const world = makeWorld()
    const { id } = await world.user('Marta')
    const { answer, cookie } = await world.call('create_token_with_password', request)
    expect(answer).toEqual({
      token: expect.stringMatching(/^tkp_[A-Za-z0-9_-]{43}$/),
      id: 1,
      name: 'script',
      scope: 'player',
      campaignId: null,
      writeMode: 'direct',
      admin: false,
      createdAt: world.now(),
      expiresAt: null,
    })
    expect(cookie).toBeUndefined()
    expect(world.resolve({ bearer: answer.token as string })?.userId).toBe(id)
  })

  test.each([
    [{ password: 'wrong horse' }, 'unauthenticated'],
    [{ username: 'nobody' }, 'unauthenticated'],
    [{ scope: 'admin' }, 'validation_failed'],
    [{ scope: undefined }, 'validation_failed'],
    [{ tokenName: '' }, 'validation_failed'],
    [{ tokenName: undefined }, 'validation_failed'],
    [{ expiresInDays: 0 }, 'validation_failed'],
    [{ expiresInDays: 1.5 }, 'validation_failed'],
    [{ writeMode: 'all' }, 'validation_failed'],
    [{ more: true }, 'validation_failed'],
    [{ admin: true }, 'validation_failed'],
    [{ admin: true, scope: 'dm' }, 'forbidden'],
    [{ campaignId: 99 }, 'not_found'],
  ])('is refused with %j: %s', async (members, code) => {
    const world = makeWorld()
    await world.user('marta')
    expect(await outcome(world.call('create_token_with_password', { ...request, ...members }))).toBe(code)
    expect(world.store.all('SELECT id FROM personal_tokens')).toHaveLength(0)
  })

  it('is limited by address, right or wrong', async () => {
    const world = makeWorld()
    // Refused before a password is hashed.
    for (let count = 0; count < 120; count++) {
      await world.identity.services.limits.call('token', '192.0.2.7')
    }
    expect(await outcome(world.call('create_token_with_password', request))).toBe('rate_limited')
  })

  it('carries server-admin rights for an administrator who does not refuse them', async () => {
    const world = makeWorld()
    await world.user('marta', { admin: true })
    const whole = await world.call('create_token_with_password', { ...request, scope: 'dm' })
    expect(world.resolve({ bearer: whole.answer.token as string })?.admin).toBe(true)
    expect(await outcome(world.call('list_users', {}, { bearer: whole.answer.token as string }))).toBe('done')
    for (const less of [{ scope: 'dm', admin: false }, { scope: 'player' }, { scope: 'dm', writeMode: 'read' }]) {
      const { answer } = await world.call('create_token_with_password', { ...request, ...less })
      expect(answer.admin).toBe(false)
      expect(await outcome(world.call('list_users', {}, { bearer: answer.token as string }))).toBe('forbidden')
    }
  })
})

describe('one’s own tokens', () => {
  it('are listed without their values, newest first, page by page', async () => {
    const world = makeWorld()
    const { id, cookie } = await world.user('marta')
    const hob = await world.user('hob')
    const campaignId = world.campaign([id, 'player'])
    const first = await mint(world, cookie)
    const second = await mint(world, cookie, { scope: 'viewer', campaignId, writeMode: 'read', expiresInDays: 7 })
    await mint(world, hob.cookie)
    world.resolve({ bearer: first.token as string })
    world.identity.close()
    expect(await tokens(world, cookie)).toEqual([
      {
        id: 2,
        name: 'laptop',
        hint: (second.token as string).slice(0, 12),
        scope: 'viewer',
        campaignId,
        writeMode: 'read',
        admin: false,
        createdAt: world.now(),
        expiresAt: '2026-11-28T09:30:00.000Z',
        lastUsedAt: null,
      },
      expect.objectContaining({ id: 1, lastUsedAt: world.now(), expiresAt: null }),
    ])
    const page = (await world.call('list_tokens', { limit: 1 }, { cookie })).answer
    expect(page.items).toHaveLength(1)
    const rest = (await world.call('list_tokens', { limit: 1, cursor: page.nextCursor }, { cookie })).answer
    expect(rest).toMatchObject({ items: [{ id: 1 }], nextCursor: null })
    // A token that has expired stays in the list until it is revoked.
    world.pass(8 * time.day)
    expect(await tokens(world, cookie)).toHaveLength(2)
  })

  it('are stored as hashes, and written down without their values', async () => {
    const world = makeWorld()
    const { id, cookie } = await world.user('marta')
    const value = (await mint(world, cookie)).token as string
    const stored = wholeDatabase(world.store)
    expect(stored).not.toContain(value)
    expect(stored).toContain(hashSecret(value))
    const record = world.store.get("SELECT * FROM change_sets WHERE operation = 'create_token'")
    expect(record).toMatchObject({ campaign_id: null, actor_user_id: id, credential_kind: 'session', effect: 'write' })
    expect(JSON.parse(String(record?.facts))).toEqual({
      personalTokenId: 1,
      userId: id,
      mintedByUserId: id,
      name: 'laptop',
      scope: 'dm',
      writeMode: 'direct',
      admin: false,
    })
    expect(String(record?.facts)).not.toContain(hashSecret(value))
  })

  it('name a campaign that the user is in', async () => {
    const world = makeWorld()
    const { id, cookie } = await world.user('marta')
    const hob = await world.user('hob')
    const theirs = world.campaign([hob.id, 'dm'])
    const left = world.campaign([id, 'dm'])
    const trashed = world.campaign([id, 'dm'])
    world.store.run('DELETE FROM memberships WHERE campaign_id = @left', { left })
    world.store.run("UPDATE campaigns SET deleted_at = '2026-11-21T00:00:00.000Z' WHERE id = @trashed", { trashed })
    const answers = await Promise.all(
      [theirs, left, trashed, 99].map((campaignId) => failure(mint(world, cookie, { campaignId }))),
    )
    expect(new Set(answers.map((each) => `${each?.code}: ${each?.message}`)).size).toBe(1)
    expect(answers[0]?.code).toBe('not_found')
  })

  it('end at once when they are revoked', async () => {
    const world = makeWorld()
    const { id, cookie } = await world.user('marta')
    const { token: bearer, id: tokenId } = await mint(world, cookie)
    expect((await world.call('revoke_token', { tokenId }, { cookie })).answer).toEqual({ revoked: { tokenId } })
    expect(await outcome(() => world.resolve({ bearer: bearer as string }))).toBe('unauthenticated')
    expect(await tokens(world, cookie)).toEqual([])
    expect(world.ended).toEqual([{ userId: id, only: { kind: 'token', id: tokenId } }])
    expect(world.store.get("SELECT effect FROM change_sets WHERE operation = 'revoke_token'")).toEqual({
      effect: 'destroy',
    })
    expect(await outcome(world.call('revoke_token', { tokenId }, { cookie }))).toBe('not_found')
  })

  it('are revoked by their owner or an administrator, and not by others', async () => {
    const world = makeWorld()
    const marta = await world.user('marta', { admin: true })
    const hob = await world.user('hob')
    const wren = await world.user('wren')
    const { id: tokenId } = await mint(world, hob.cookie)
    const foreign = await failure(world.call('revoke_token', { tokenId }, { cookie: wren.cookie }))
    const absent = await failure(world.call('revoke_token', { tokenId: 99 }, { cookie: wren.cookie }))
    expect(foreign?.code).toBe('not_found')
    expect(foreign?.message).toBe(absent?.message)
    expect(await tokens(world, hob.cookie)).toHaveLength(1)
    await world.call('revoke_token', { tokenId }, { cookie: marta.cookie })
    expect(await tokens(world, hob.cookie)).toHaveLength(0)
  })

  it.each([
    ['nobody', async () => ({}), 'unauthenticated'],
    ['a session', async (world: World, cookie: string) => ({ cookie, world }), 'done'],
    [
      'an administrator’s token',
      async (world: World, cookie: string) => ({ bearer: (await mint(world, cookie)).token as string }),
      'done',
    ],
    [
      'a token without these rights',
      async (world: World, cookie: string) => ({
        bearer: (await mint(world, cookie, { admin: false })).token as string,
      }),
      'forbidden',
    ],
    [
      'a capped token',
      async (world: World, cookie: string) => ({
        bearer: (await mint(world, cookie, { scope: 'viewer' })).token as string,
      }),
      'forbidden',
    ],
  ])('are managed by %s: %s', async (_, credential, expected) => {
    const world = makeWorld()
    const { cookie } = await world.user('marta', { admin: true })
    const options = await credential(world, cookie)
    expect(await outcome(world.call('list_tokens', {}, options))).toBe(expected)
    expect(await outcome(world.call('create_token', { tokenName: 'x', scope: 'viewer' }, options))).toBe(expected)
    expect(await outcome(world.call('revoke_token', { tokenId: 1 }, options))).toBe(
      // Without a token made before, there is none to revoke but the one just made.
      expected,
    )
  })

  it('made with a token end with it at the latest', async () => {
    const world = makeWorld()
    const { cookie } = await world.user('marta', { admin: true })
    const maker = await mint(world, cookie, { expiresInDays: 3 })
    const { answer } = await world.call(
      'create_token',
      { tokenName: 'x', scope: 'dm' },
      { bearer: maker.token as string },
    )
    expect(answer.expiresAt).toBe(maker.expiresAt)
  })

  it('are made once under an idempotency key, and not shown again', async () => {
    const world = makeWorld()
    const { cookie } = await world.user('marta')
    const hob = await world.user('hob')
    const input = { tokenName: 'laptop', scope: 'dm' }
    await world.call('create_token', input, { cookie, idempotencyKey: 'k1' })
    expect(await outcome(world.call('create_token', input, { cookie, idempotencyKey: 'k1' }))).toBe('already_done')
    expect(
      await outcome(world.call('create_token', { ...input, scope: 'player' }, { cookie, idempotencyKey: 'k1' })),
    ).toBe('idempotency_conflict')
    expect(await tokens(world, cookie)).toHaveLength(1)
    // The key is the caller's own, and this transfer's.
    expect(await outcome(world.call('create_token', input, { cookie: hob.cookie, idempotencyKey: 'k1' }))).toBe('done')
    expect(await outcome(world.call('revoke_token', { tokenId: 1 }, { cookie, idempotencyKey: 'k1' }))).toBe('done')
    expect(await outcome(world.call('revoke_token', { tokenId: 1 }, { cookie, idempotencyKey: 'k1' }))).toBe('done')
  })
})

describe('a token for another user (SPEC 5.3)', () => {
  const request = { tokenName: 'script', scope: 'dm' }

  it('is made by an administrator and acts as that user', async () => {
    const world = makeWorld()
    const marta = await world.user('marta', { admin: true })
    const hob = await world.user('hob')
    const { answer } = await world.call('create_user_token', { userId: hob.id, ...request }, { cookie: marta.cookie })
    expect(answer).toMatchObject({ name: 'script', scope: 'dm', campaignId: null, admin: false })
    expect(world.resolve({ bearer: answer.token as string })).toMatchObject({ userId: hob.id, admin: false })
    expect(await tokens(world, hob.cookie)).toHaveLength(1)
    expect(await tokens(world, marta.cookie)).toHaveLength(0)
    expect(world.store.get('SELECT minted_by_user_id FROM personal_tokens')).toEqual({ minted_by_user_id: marta.id })
    const record = world.store.get("SELECT actor_user_id, facts FROM change_sets WHERE operation = 'create_user_token'")
    expect(record?.actor_user_id).toBe(marta.id)
    expect(JSON.parse(String(record?.facts))).toMatchObject({ userId: hob.id, personalTokenId: 1 })
  })

  it('names a campaign of that user, not of the administrator', async () => {
    const world = makeWorld()
    const marta = await world.user('marta', { admin: true })
    const hob = await world.user('hob')
    const mine = world.campaign([marta.id, 'dm'])
    const theirs = world.campaign([hob.id, 'player'])
    const call = (campaignId: number): Promise<string> =>
      outcome(world.call('create_user_token', { userId: hob.id, ...request, campaignId }, { cookie: marta.cookie }))
    expect(await call(theirs)).toBe('done')
    expect(await call(mine)).toBe('not_found')
  })

  it.each([
    ['nobody', undefined, 'unauthenticated'],
    ['a user', 'hob', 'forbidden'],
    ['an administrator', 'marta', 'done'],
  ])('is asked for by %s: %s', async (_, who, expected) => {
    const world = makeWorld()
    const cookies = {
      marta: (await world.user('marta', { admin: true })).cookie,
      hob: (await world.user('hob')).cookie,
    }
    const cookie = who === undefined ? null : cookies[who as 'marta' | 'hob']
    expect(await outcome(world.call('create_user_token', { userId: 2, ...request }, { cookie }))).toBe(expected)
  })

  it('is refused for nobody and for who is disabled', async () => {
    const world = makeWorld()
    const { cookie } = await world.user('marta', { admin: true })
    const hob = await world.user('hob')
    expect(await outcome(world.call('create_user_token', { userId: 99, ...request }, { cookie }))).toBe('not_found')
    await world.call('update_user', { userId: hob.id, disabled: true }, { cookie })
    expect(await outcome(world.call('create_user_token', { userId: hob.id, ...request }, { cookie }))).toBe(
      'invalid_state',
    )
  })
})
