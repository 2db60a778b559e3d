import { describe, expect, test } from 'vitest'
import { shareWorld } from '../support/shared-world.ts'
import type { TestWorld } from '../support/world.ts'

// Inputs that are not what was asked for: refused by both doors with the paths of what is wrong, and nothing is written.

const shared = shareWorld()
const { alone } = shared
const npcs = (world: TestWorld): string => `/api/v1/campaigns/${world.id('campaign')}/npcs`
const count = (world: TestWorld): unknown => world.server.app.store().get('SELECT count(*) AS n FROM npcs')?.n

type Bad = readonly [what: string, members: Readonly<Record<string, unknown>>, path: string]
const badNpcs: readonly Bad[] = [
  ['an unknown member', { name: 'Hob', colour: 'red' }, 'colour'],
  ['a name that is a number', { name: 7 }, 'name'],
  ['no name', {}, 'name'],
  ['null for a name', { name: null }, 'name'],
  ['an empty name', { name: '' }, 'name'],
  ['a name of spaces', { name: '  \t ' }, 'name'],
  ['a name of two lines', { name: 'Hob\nNob' }, 'name'],
  ['a name with a control character', { name: 'Hob\u0007' }, 'name'],
  ['a name with half a character', { name: 'Hob \ud83d' }, 'name'],
  ['an overlong name', { name: 'x'.repeat(121) }, 'name'],
  ['an overlong text', { name: 'Hob', body: 'x'.repeat(50_001) }, 'body'],
  ['a value that is no choice', { name: 'Hob', disposition: 'grumpy' }, 'disposition'],
  ['an id as text', { name: 'Hob', locationId: '1' }, 'locationId'],
  ['a fraction as id', { name: 'Hob', locationId: 1.5 }, 'locationId'],
  ['an id below one', { name: 'Hob', locationId: 0 }, 'locationId'],
  ['an id beyond what a number holds', { name: 'Hob', locationId: 2 ** 53 }, 'locationId'],
  ['an id of nothing', { name: 'Hob', locationId: 999_999 }, 'locationId'],
  ['text for a yes or no', { name: 'Hob', hidden: 'true' }, 'hidden'],
  ['a number for a yes or no', { name: 'Hob', hidden: 1 }, 'hidden'],
  ['one tag without its list', { name: 'Hob', tags: 'imp' }, 'tags'],
  ['a tag twice', { name: 'Hob', tags: ['imp', 'IMP'] }, 'tags'],
  ['too many tags', { name: 'Hob', tags: Array.from({ length: 31 }, (_, n) => `t${n}`) }, 'tags'],
  ['a tag that is no text', { name: 'Hob', tags: [['imp']] }, 'tags.0'],
  ['a member of another operation', { name: 'Hob', expectedRevision: 1 }, 'expectedRevision'],
  ['an id of its own', { name: 'Hob', id: 7 }, 'id'],
  ['the member constructor', { name: 'Hob', constructor: { prototype: {} } }, 'constructor'],
  ['the member prototype', { name: 'Hob', prototype: {} }, 'prototype'],
]

describe.each(badNpcs)('%s', (_, members, path) => {
  test(
    'is refused by both doors',
    alone(async (world) => {
      const { dm } = world.callers
      const before = count(world)
      const rest = await dm.post(npcs(world), members)
      const { content } = await dm.tool('create_npc', { campaignId: world.id('campaign'), ...members })
      for (const { error } of [rest.body, content]) {
        expect(error).toMatchObject({ status: 400, code: 'validation_failed' })
        expect(error.details.map((each: { readonly path: string }) => each.path)).toEqual([path])
      }
      expect(rest.status).toBe(400)
      expect(count(world)).toBe(before)
    }),
  )
})

test(
  'an update wipes nothing: absent keeps, null clears only what can be empty',
  alone(async (world) => {
    const { dm } = world.callers
    const path = `/api/v1/npcs/${world.id('npc')}`
    const { updatedAt: _, revision, ...before } = (await dm.get(path)).body
    expect((await dm.request('PATCH', path, {})).body).toMatchObject({ revision, name: before.name, tags: before.tags })
    expect((await dm.request('PATCH', path, { name: null })).status).toBe(400)
    expect((await dm.request('PATCH', path, { tags: null })).status).toBe(400)
    const cleared = (await dm.request('PATCH', path, { voice: null })).body
    expect(cleared).toMatchObject({ voice: null, name: before.name, dmSecret: before.dmSecret, revision: revision + 1 })
  }),
)

describe('addresses', () => {
  const refused: readonly (readonly [string, (world: TestWorld) => string])[] = [
    ['a number in another spelling', (world) => `${npcs(world)}?limit=1e1`],
    ['a sign before a number', (world) => `${npcs(world)}?limit=%2B5`],
    ['a limit of nothing', (world) => `${npcs(world)}?limit=`],
    ['a limit of none', (world) => `${npcs(world)}?limit=0`],
    ['a limit beyond the most', (world) => `${npcs(world)}?limit=201`],
    ['a member twice', (world) => `${npcs(world)}?limit=5&limit=6`],
    ['an unknown member', (world) => `${npcs(world)}?colour=red`],
    ['a path id that is no number', () => '/api/v1/npcs/marta'],
    ['a negative path id', () => '/api/v1/npcs/-1'],
    ['a path id of eighteen digits', () => '/api/v1/npcs/999999999999999999'],
    ['the path id again in the query', (world) => `/api/v1/npcs/${world.id('npc')}?npcId=1&npcId=2&x=1`],
    ['a prototype member', (world) => `${npcs(world)}?__proto__=1`],
    ['the member constructor', (world) => `${npcs(world)}?constructor=1`],
  ]
  test.each(refused)('%s: 400', async (_, addressIn) => {
    const { status, body } = await shared.world.callers.dm.get(addressIn(shared.world))
    expect([status, body.error.code]).toEqual([400, 'validation_failed'])
  })

  test('an address with a broken escape: 400', async () => {
    const { status, body } = await shared.world.callers.dm.get('/api/v1/npcs/%zz')
    expect([status, body.error?.code]).toEqual([400, 'validation_failed'])
  })

  test(
    'the path decides which thing is meant, whatever the body says',
    alone(async (world) => {
      const npcId = world.id('npc')
      const { body } = await world.callers.dm.request('PATCH', `/api/v1/npcs/${npcId}`, {
        npcId: world.id('npc', 'hidden'),
        voice: 'Loud.',
      })
      expect([body.id, body.voice]).toEqual([npcId, 'Loud.'])
    }),
  )

  test(
    'a write takes nothing from the query: passphrases and the like must not stand in addresses (SPEC 4.4)',
    alone(async (world) => {
      const { admin, dm, anonymous } = world.callers
      for (const [caller, method, address] of [
        [admin, 'POST', '/api/v1/backup/download?keyPassphrase=a-long-passphrase'],
        [anonymous, 'POST', '/api/v1/auth/login?username=dm&password=a%20good%20long%20one'],
        [dm, 'PATCH', `/api/v1/npcs/${world.id('npc')}?voice=Loud`],
      ] as const) {
        const { status, body } = await caller.request(method, address, {})
        expect([status, body.error.code], address).toEqual([400, 'validation_failed'])
      }
    }),
  )
})

describe('cursors', () => {
  const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  test.each([
    ['no cursor at all', 'zzz'],
    ['one of another list', encoded([3])],
    ['an object', encoded({ id: 1 })],
    ['too many keys', encoded([1, 2, 3, 4, 5, 6, 7])],
    ['a key that is a list', encoded([['a'], 1])],
    ['bytes that are no text', Buffer.from([0xff, 0xfe]).toString('base64url')],
    ['an overlong one', 'A'.repeat(501)],
  ])('%s: 400', async (_, cursor) => {
    const { dm } = shared.world.callers
    const { status, body } = await dm.get(`${npcs(shared.world)}?cursor=${cursor}`)
    expect([status, body.error.details[0].path]).toEqual([400, 'cursor'])
    const { content } = await dm.tool('list_npcs', { campaignId: shared.world.id('campaign'), cursor })
    expect(content.error.code).toBe('validation_failed')
  })

  test('of the wrong kind: 400, and neither a page from nowhere nor a failure of the server', async () => {
    const { dm, admin } = shared.world.callers
    const home = `/api/v1/campaigns/${shared.world.id('campaign')}`
    for (const [caller, address, wrong] of [
      [dm, `${home}/search?query=marta&`, [['x'], [null], [1.5], [1e300], [1, 2]]],
      [
        dm,
        `${home}/changes?`,
        [
          ['x', 'y'],
          [1, null],
        ],
      ],
      [
        dm,
        `${home}/trash?`,
        [
          [1, 2, 3],
          ['x', 'y', 'z'],
        ],
      ],
      [dm, `${home}/tags?`, [[1]]],
      [dm, `${home}/audit?`, [['x']]],
      [dm, '/api/v1/campaigns?', [['x'], [null]]],
      [admin, '/api/v1/users?', [['x']]],
      [admin, '/api/v1/audit?', [['x']]],
      [admin, '/api/v1/oauth/clients?', [['x']]],
      [admin, '/api/v1/tokens?', [['x']]],
    ] as const) {
      for (const key of wrong) {
        const { status, body } = await caller.get(`${address}cursor=${encoded(key)}`)
        expect([status, body.error?.details?.[0]?.path], `${address} ${JSON.stringify(key)}`).toEqual([400, 'cursor'])
      }
    }
  })

  test(
    'walk every list to its end without a gap or a repeat',
    alone(async (world) => {
      for (let n = 0; n < 7; n += 1)
        await world.as('dm', 'create_npc', { campaignId: world.id('campaign'), name: `Twin ${n % 2}` })
      const all = (await world.callers.dm.get(npcs(world))).body
      const walked: unknown[] = []
      let cursor: string | null = null
      do {
        const page: { readonly items: unknown[]; readonly nextCursor: string | null } = (
          await world.callers.dm.get(`${npcs(world)}?limit=2${cursor ? `&cursor=${cursor}` : ''}`)
        ).body
        walked.push(...page.items)
        cursor = page.nextCursor
      } while (cursor !== null)
      expect(walked).toEqual(all.items)
      expect(all.nextCursor).toBeNull()
    }),
  )
})
