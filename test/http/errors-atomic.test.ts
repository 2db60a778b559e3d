import { expect, test } from 'vitest'
import { shareWorld } from '../support/shared-world.ts'
import type { TestWorld } from '../support/world.ts'

// A write happens with its journal, its index and its idempotency key, or not at all. The database itself refuses each of
// them in turn, without a transaction around the call that could hide a half.

const shared = shareWorld()

const tables = ['npcs', 'search_documents', 'mentions', 'change_sets', 'changes', 'idempotency_keys']
const counts = ({ server }: TestWorld): readonly unknown[] =>
  tables.map((table) => server.app.store().get(`SELECT count(*) AS n FROM ${table}`)?.n)

test.each(['change_sets', 'changes', 'search_documents', 'mentions', 'idempotency_keys'])(
  'where %s cannot be written, nothing is',
  async (table) => {
    const { world } = shared
    const { connection } = world.server.app.store()
    const before = counts(world)
    const announced: unknown[] = []
    const leave = world.server.app.hub.subscribe(
      {
        actor: { userId: world.userId.dm, username: 'dm', admin: false, credential: {} as never },
        campaignId: world.id('campaign'),
        send: (event) => announced.push(event),
        close: () => {},
      },
      null,
    )
    connection.exec(`CREATE TRIGGER refuse BEFORE INSERT ON ${table} BEGIN SELECT RAISE(ABORT, 'refused'); END`)
    try {
      const { status, body } = await world.callers.dm.request(
        'POST',
        `/api/v1/campaigns/${world.id('campaign')}/npcs`,
        { name: 'Hob', body: `Knows [Marta](npc:${world.id('npc')}).` },
        { 'idempotency-key': `once-${table}` },
      )
      expect([status, body.error.code]).toEqual([500, 'internal_error'])
      expect(JSON.stringify(body)).not.toContain('refused')
    } finally {
      connection.exec('DROP TRIGGER refuse')
      leave()
    }
    expect(counts(world)).toEqual(before)
    expect(announced).toEqual([])
  },
)

test('where one of several rows cannot be written, none is', async () => {
  const { world } = shared
  const store = world.server.app.store()
  const positions = () => store.all('SELECT id, position, revision FROM quests ORDER BY id')
  const before = positions()
  const questIds = before.map(({ id }) => Number(id)).reverse()
  store.connection.exec(
    `CREATE TRIGGER refuse BEFORE UPDATE ON quests WHEN new.id = ${questIds.at(-1)} BEGIN SELECT RAISE(ABORT, 'refused'); END`,
  )
  try {
    const path = `/api/v1/campaigns/${world.id('campaign')}/quests/order`
    expect((await world.callers.dm.request('PUT', path, { questIds })).status).toBe(500)
  } finally {
    store.connection.exec('DROP TRIGGER refuse')
  }
  expect(positions()).toEqual(before)
})

test('the same call succeeds once nothing is in the way', async () => {
  const { world } = shared
  const path = `/api/v1/campaigns/${world.id('campaign')}/npcs`
  const headers = { 'idempotency-key': 'once-changes' }
  expect((await world.callers.dm.request('POST', path, { name: 'Hob' }, headers)).status).toBe(201)
})
