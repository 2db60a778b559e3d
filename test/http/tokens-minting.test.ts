import { describe, expect, test } from 'vitest'
import { type Caller, callerOn } from '../support/callers.ts'
import { shareWorld } from '../support/shared-world.ts'
import { type Person, password, type TestWorld } from '../support/world.ts'

// A minted token never exceeds what makes it (SPEC 5.2 to 5.4).

const { alone } = shareWorld()
type Body = Readonly<Record<string, unknown>>

const bearer = (world: TestWorld, value: string): Caller =>
  callerOn(world.server, 'minted', 0, { authorization: `Bearer ${value}` })
/** With a name and a password, as a script does it. */
const headless = async (world: TestWorld, person: Person, request: Body) => {
  const body = { username: person, password, tokenName: 'script', scope: 'dm', ...request }
  return world.callers.anonymous.request('POST', '/api/v1/auth/token', body)
}

test(
  'the answer of every way to make one',
  alone(async (world) => {
    const shape = {
      token: expect.stringMatching(/^tkp_[\w-]{43}$/),
      id: expect.any(Number),
      name: 'script',
      scope: 'player',
      campaignId: null,
      writeMode: 'direct',
      admin: false,
      createdAt: '2026-11-20T18:01:00.000Z',
      expiresAt: null,
    }
    const request = { tokenName: 'script', scope: 'player' }
    const made = [
      await headless(world, 'player', { scope: 'player' }),
      await world.callers.player.post('/api/v1/tokens', request),
      await world.callers.admin.post(`/api/v1/users/${world.userId.player}/tokens`, request),
    ]
    for (const { status, body } of made) {
      expect([status, body]).toEqual([201, shape])
      const me = (await bearer(world, body.token).get('/api/v1/me')).body
      expect(me.user).toEqual({ id: world.userId.player, username: 'player', admin: false })
      expect(me.credential).toEqual({ kind: 'token', scope: 'player', writeMode: 'direct', campaignId: null })
    }
  }),
)

describe('a token that makes a token', () => {
  test(
    'needs server-admin rights',
    alone(async (world) => {
      const { capped, propose, bound, oauth } = world.callers
      const plain = world.token('dm')
      for (const caller of [capped, propose, bound, oauth, plain]) {
        for (const path of ['/api/v1/tokens', `/api/v1/users/${world.userId.player}/tokens`]) {
          const { status } = await caller.post(path, { tokenName: 'more', scope: 'viewer' })
          expect(status, `${caller.name} ${path}`).toBe(403)
        }
      }
    }),
  )

  test(
    'hands on no more than it has: its rights, and how long they last',
    alone(async (world) => {
      const short = world.token('admin', { admin: true, expiresInDays: 2 })
      const { body } = await short.post('/api/v1/tokens', { tokenName: 'longer', scope: 'dm', expiresInDays: 300 })
      expect(body).toMatchObject({ admin: true, expiresAt: '2026-11-22T18:01:00.000Z' })
      const open = await short.post('/api/v1/tokens', { tokenName: 'for ever', scope: 'dm' })
      expect(open.body.expiresAt).toBe('2026-11-22T18:01:00.000Z')
    }),
  )
})

describe('a token for somebody else', () => {
  const mintFor = (world: TestWorld, person: Person, request: Body) =>
    world.callers.admin.post(`/api/v1/users/${world.userId[person]}/tokens`, {
      tokenName: 'theirs',
      scope: 'dm',
      ...request,
    })

  test(
    'has the owner’s roles, and server-admin rights only where the owner has them',
    alone(async (world) => {
      const { body } = await mintFor(world, 'player', {})
      expect(body).toMatchObject({ scope: 'dm', admin: false })
      const token = bearer(world, body.token)
      expect((await token.get('/api/v1/users')).status).toBe(403)
      expect((await token.request('PATCH', `/api/v1/campaigns/${world.id('campaign')}`, { name: 'Mine' })).status).toBe(
        403,
      )
      expect((await mintFor(world, 'player', { admin: true })).status).toBe(403)
    }),
  )

  test(
    'is bound to a campaign of the owner’s, not of the minter’s',
    alone(async (world) => {
      expect((await mintFor(world, 'dm', { campaignId: world.id('campaign') })).status).toBe(201)
      const foreign = await mintFor(world, 'dm', { campaignId: world.id('campaign', 'foreign') })
      const absent = await mintFor(world, 'dm', { campaignId: 999_999 })
      const trashed = await mintFor(world, 'dm', { campaignId: world.id('campaign', 'trashed') })
      expect([foreign.status, foreign.text, trashed.text]).toEqual([404, absent.text, absent.text])
    }),
  )

  test(
    'is not made by somebody who is no administrator, nor for nobody',
    alone(async (world) => {
      const { status } = await world.callers.dm.post(`/api/v1/users/${world.userId.player}/tokens`, {
        tokenName: 'theirs',
        scope: 'viewer',
      })
      expect(status).toBe(403)
      const nobody = await world.callers.admin.post('/api/v1/users/999999/tokens', { tokenName: 'x', scope: 'viewer' })
      expect(nobody.status).toBe(404)
    }),
  )
})

describe('server-admin rights', () => {
  const asAdmin = async (world: TestWorld, request: Body) => {
    const { body } = await headless(world, 'admin', request)
    return (await bearer(world, body.token).get('/api/v1/users')).status
  }

  test(
    'come with a whole token of an administrator, unless it says otherwise',
    alone(async (world) => {
      expect(await asAdmin(world, {})).toBe(200)
      expect(await asAdmin(world, { admin: false })).toBe(403)
      expect(await asAdmin(world, { scope: 'player' })).toBe(403)
      expect(await asAdmin(world, { writeMode: 'propose' })).toBe(403)
      expect(await asAdmin(world, { writeMode: 'read' })).toBe(403)
    }),
  )

  test(
    'end with the administrator’s',
    alone(async (world) => {
      const token = bearer(world, (await headless(world, 'admin', {})).body.token)
      world.server.app.store().run('UPDATE users SET admin = 0 WHERE id = @id', { id: world.userId.admin })
      expect((await token.get('/api/v1/users')).status).toBe(403)
      expect((await token.get('/api/v1/me')).body.user.admin).toBe(false)
    }),
  )

  test(
    'say nothing in a campaign',
    alone(async (world) => {
      expect((await world.callers.admin.get(`/api/v1/campaigns/${world.id('campaign')}`)).status).toBe(404)
      expect((await world.callers.admin.get('/api/v1/campaigns')).body.items).toEqual([])
    }),
  )
})

test(
  'a revoked or expired token is a bad bearer by both doors',
  alone(async (world) => {
    const { body } = await world.callers.player.post('/api/v1/tokens', {
      tokenName: 'x',
      scope: 'dm',
      expiresInDays: 1,
    })
    const token = bearer(world, body.token)
    expect((await token.tool('get_me', {})).isError).toBe(false)
    expect((await world.callers.player.request('DELETE', `/api/v1/tokens/${body.id}`)).status).toBe(200)
    for (const answer of [await token.get('/api/v1/me'), (await token.tool('get_me', {})).answer]) {
      expect([answer.status, answer.body.error.code]).toEqual([401, 'unauthenticated'])
    }
  }),
)
