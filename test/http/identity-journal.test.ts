import { describe, expect, it, test } from 'vitest'
import { hashSecret } from '../../src/storage/secrets.ts'
import { makeWorld, outcome, password, type World } from '../unit/identity-support.ts'

// What people and administrators do with the server is journalled as anything else is: which row, whose, which fields. No
// value of a secret is among it, and no hash of one.

type Answer = Readonly<Record<string, unknown>>

/** Everything once, by an administrator who is signed in. Returns every secret that passed. */
async function everything(world: World): Promise<readonly string[]> {
  const { cookie } = await world.user('marta', { admin: true })
  const by = { cookie }
  const did = async (name: string, input: Answer, key?: string): Promise<Answer> =>
    (await world.call(name, input, key === undefined ? by : { ...by, idempotencyKey: key })).answer
  await did('create_user', { username: 'hob', password: 'hob’s first one' }, 'k1')
  await did('update_user', { userId: 2, username: 'Hobson', password: 'hob’s second one' }, 'k2')
  const own = await did('create_token', { tokenName: 'laptop', scope: 'player' }, 'k3')
  const theirs = await did('create_user_token', { userId: 2, tokenName: 'script', scope: 'dm' }, 'k4')
  await did('revoke_token', { tokenId: own.id })
  const byPassword = await world.call('create_token_with_password', {
    username: 'hobson',
    password: 'hob’s second one',
    tokenName: 'phone',
    scope: 'viewer',
  })
  const second = await world.call('sign_in', { username: 'hobson', password: 'hob’s second one' })
  await world.call('sign_out', {}, { cookie: second.cookie as string })
  await did('change_my_password', { currentPassword: password, newPassword: 'marta’s second one' }, 'k5')
  await did('update_user', { userId: 2, disabled: true, admin: true })
  const values = [cookie, own.token, theirs.token, byPassword.answer.token, second.cookie] as string[]
  const hashes = world.store.all('SELECT password_hash AS hash FROM users UNION SELECT hash FROM personal_tokens')
  return [
    ...values,
    ...values.map((value) => hashSecret(value)),
    ...hashes.map(({ hash }) => String(hash)),
    password,
    'hob’s first one',
    'hob’s second one',
    'marta’s second one',
  ]
}

it('holds no secret, no hash of one and no password', async () => {
  const world = makeWorld()
  const secrets = await everything(world)
  expect(secrets.length).toBeGreaterThan(15)
  for (const table of ['change_sets', 'changes', 'idempotency_keys']) {
    const rows = JSON.stringify(world.store.all(`SELECT * FROM ${table}`))
    expect(rows.length, table).toBeGreaterThan(500)
    expect(
      secrets.filter((secret) => rows.includes(secret)),
      table,
    ).toEqual([])
  }
})

it('tells an administrator who did what to whom, newest first', async () => {
  const world = makeWorld()
  await everything(world)
  const { cookie } = await world.user('odo', { admin: true })
  const { answer } = await world.call('list_server_audit', {}, { cookie })
  const items = answer.items as readonly { operation: string; actorUserId: number; facts: Answer }[]
  expect(items.map(({ operation, actorUserId, facts }) => [operation, actorUserId, facts])).toEqual([
    [
      'update_user',
      1,
      {
        userId: 2,
        fields: ['admin', 'disabledAt'],
        admin: true,
        disabledAt: world.now(),
        also: { personal_token: 2 },
      },
    ],
    ['change_my_password', 1, { userId: 1, fields: ['passwordSetAt'], passwordSetAt: world.now() }],
    ['sign_out', 2, { signInId: 2, userId: 2 }],
    ['sign_in', 2, { signInId: 2, userId: 2 }],
    [
      'create_token_with_password',
      2,
      expect.objectContaining({ personalTokenId: 3, userId: 2, name: 'phone', scope: 'viewer' }),
    ],
    ['revoke_token', 1, { personalTokenId: 1, userId: 1, fields: ['revokedAt'], revokedAt: world.now() }],
    ['create_user_token', 1, expect.objectContaining({ personalTokenId: 2, userId: 2, mintedByUserId: 1 })],
    ['create_token', 1, expect.objectContaining({ personalTokenId: 1, userId: 1, scope: 'player' })],
    [
      'update_user',
      1,
      {
        userId: 2,
        fields: ['username', 'passwordSetAt'],
        username: 'Hobson',
        passwordSetAt: world.now(),
      },
    ],
    ['create_user', 1, { userId: 2, username: 'hob', admin: false }],
  ])
  expect((await world.call('list_server_audit', { operation: 'sign_in' }, { cookie })).answer.items).toHaveLength(1)
  expect((await world.call('list_server_audit', { actorUserId: 2 }, { cookie })).answer.items).toHaveLength(3)
})

describe('what is done with the server', () => {
  test.each(['list_server_audit', 'list_users', 'list_oauth_clients'])(
    'is not for everybody to read: %s',
    async (name) => {
      const world = makeWorld()
      await world.user('marta', { admin: true })
      const { cookie } = await world.user('hob')
      expect(await outcome(world.call(name, {}, { cookie }))).toBe('forbidden')
      expect(await outcome(world.call(name))).toBe('unauthenticated')
    },
  )

  it('is no change that could be taken back', async () => {
    const world = makeWorld()
    await everything(world)
    expect(world.store.all('SELECT DISTINCT revertible FROM change_sets')).toEqual([{ revertible: 0 }])
  })
})
