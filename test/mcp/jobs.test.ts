import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { operations } from '../../src/catalogue.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { type Connected, clients } from './clients.ts'

// What a language model pays in a campaign of a few years: each list by its bytes, and three jobs from nothing known
// beforehand to done, by a real client.

const password = 'correct horse battery staple'
let server: TestServer
let url: string
const tokens: Record<string, string> = {}

beforeAll(async () => {
  server = await startServer()
  const base = await server.app.listen()
  url = `${base}/mcp`
  const send = async (path: string, body: unknown, token?: string) => {
    const headers = { 'content-type': 'application/json', origin: base }
    const response = await fetch(`${base}/api/v1${path}`, {
      method: 'POST',
      headers: { ...headers, ...(token ? { authorization: `Bearer ${token}` } : {}) },
      body: JSON.stringify(body),
    })
    const answer = await response.text()
    if (!response.ok) throw new Error(`${path}: ${answer}`)
    return JSON.parse(answer) as Record<string, unknown>
  }
  await send('/auth/setup', { username: 'Marta', password, code: server.app.setUpCode() })
  for (const [tokenName, more] of Object.entries({ dm: {}, propose: { writeMode: 'propose' } })) {
    const minted = { username: 'Marta', password, tokenName, admin: false, scope: 'dm', ...more }
    tokens[tokenName] = String((await send('/auth/token', minted)).token)
  }
  const { id } = await send('/campaigns', { name: 'The Orchard in Winter' }, tokens.dm)
  await send(`/campaigns/${id}/factions`, { name: 'The Pomary house' }, tokens.dm)
  await send(`/campaigns/${id}/locations`, { name: 'The Pomary', body: 'An orchard behind a wall.' }, tokens.dm)
  const { id: arcId } = await send(`/campaigns/${id}/arcs`, { title: 'The harvest', status: 'active' }, tokens.dm)
  const beat = { title: 'Nettie hears her own lullaby', status: 'active' }
  await send(`/arcs/${arcId}/beats`, beat, tokens.dm)
  fill(Number(id))
})
afterAll(() => server?.stop())

/** 500 people, 100 quests with 4 steps each, 30 sessions, 300 notes. */
function fill(campaignId: number): void {
  const { connection } = server.app.store()
  const count = (most: number) => `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${most})`
  const home = `${campaignId}, '2026-11-01T10:00:00.000Z', '2026-11-01T10:00:00.000Z'`
  const columns = 'campaign_id, created_at, updated_at'
  const prose = `'They came **down** from the hills, with a debt that nobody remembers and a song that everybody does. ' || i || '${' It goes on for long.'.repeat(30)}'`
  connection.exec(`
    ${count(500)} INSERT INTO npcs (${columns}, name, name_sort, role, species, body, location_id, faction_id)
      SELECT ${home}, 'Person ' || i || ' of Ilmarsh', 'person ' || i, 'Keeper of ledgers', 'human', ${prose}, 1, 1 FROM n;
    ${count(100)} INSERT INTO quests (${columns}, title, body, status, position, giver_npc_id, location_id)
      SELECT ${home}, 'The debt of house ' || i, ${prose}, CASE WHEN i % 3 = 0 THEN 'active' ELSE 'completed' END, i * 1000, i, 1 FROM n;
    ${count(400)} INSERT INTO objectives (${columns}, quest_id, text, position)
      SELECT ${home}, 1 + i % 100, 'Find who signed page ' || i || ' of the ledger', i * 1000 FROM n;
    ${count(30)} INSERT INTO game_sessions (${columns}, number, title, status, played_at, prep, recap)
      SELECT ${home}, i, 'Evening ' || i, CASE WHEN i < 30 THEN 'played' ELSE 'planned' END, '2026-01-' || printf('%02d', i), ${prose}, CASE WHEN i < 29 THEN ${prose} END FROM n;
    ${count(300)} INSERT INTO notes (${columns}, author_user_id, body, visibility)
      SELECT ${home}, 1, ${prose}, 'party' FROM n;
    ${count(300)} INSERT INTO objectives (${columns}, quest_id, text, position)
      SELECT ${home}, 1, 'Read page ' || i || ' of the ledger aloud, and stop where it begins to answer', 1000000 + i * 1000 FROM n;
    ${count(150)} INSERT INTO beats (${columns}, arc_id, title, body, position, location_id)
      SELECT ${home}, 1, 'Beat ' || i, ${prose}, 1000000 + i * 1000, 1 FROM n;
    ${count(150)} INSERT INTO branches (${columns}, beat_id, label, condition, to_beat_id)
      SELECT ${home}, 1, 'They take way ' || i, 'if the bell rang ' || i || ' times', 1 + i FROM n;
    INSERT INTO attachments (${columns}, uploaded_by_user_id, file_name, file_key, kind, mime_type, byte_size, sha256, width, height)
      SELECT ${home}, 1, 'map.png', 'map.png', 'map', 'image/png', 100, 'x', 10, 10;
    INSERT INTO maps (${columns}, name, attachment_id) SELECT ${home}, 'The valley', 1;
    ${count(300)} INSERT INTO map_pins (${columns}, map_id, x, y, label, entity_type, entity_id)
      SELECT ${home}, 1, 0.5, 0.5, 'House ' || i, 'npc', i FROM n;
    INSERT INTO characters (${columns}, name, name_sort, level) SELECT ${home}, 'Wren', 'wren', 5;
    INSERT INTO encounters (${columns}, name, status) SELECT ${home}, 'At the wall', 'running';
    ${count(200)} INSERT INTO combatants (${columns}, encounter_id, name, kind, hp_max, hp, place)
      SELECT ${home}, 1, 'Hollow picker ' || i, 'monster', 27, 27, i FROM n;
    ${count(300)} INSERT INTO encounter_events (${columns}, encounter_id, kind, round, about, says, numbers, step)
      SELECT ${home}, 1, 'damage', 1, 'fight', 'Hollow picker ' || i || ' is hit with a ladder', '7 damage', i FROM n;
    ${count(40)} INSERT INTO inbox_items (${columns}, author_user_id, body) SELECT ${home}, 1, ${prose} FROM n;`)
}

interface Job {
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  call(tool: string, input?: object): Promise<any>
  /** A call by somebody else, that counts nonetheless. */
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  as(token: string, tool: string, input: object): Promise<any>
  calls(): number
  bytes(): number
}

const [sdk, , present] = clients
const connect = (token: string, client: (typeof clients)[number] = sdk): Promise<Connected> => {
  return client.connect(url, { authorization: `Bearer ${tokens[token]}` })
}

async function working(token: string, by: (typeof clients)[number], work: (job: Job) => Promise<void>): Promise<void> {
  const connected = new Map<string, Connected>()
  let [calls, bytes] = [0, 0]
  const as: Job['as'] = async (who, tool, input) => {
    const client = connected.get(who) ?? (await connect(who, by))
    connected.set(who, client)
    const { json, isError } = await client.callTool(tool, { ...input })
    expect(isError, JSON.stringify(json)).toBe(false)
    calls += 1
    bytes += Buffer.byteLength(JSON.stringify(json))
    return json
  }
  await work({ as, call: (tool, input = {}) => as(token, tool, input), calls: () => calls, bytes: () => bytes })
  for (const client of connected.values()) await client.close()
}

/** What the lists that go with something are asked of. */
const named: Readonly<Record<string, unknown>> = {
  campaignId: 1,
  questId: 1,
  arcId: 1,
  beatId: 1,
  sessionId: 1,
  mapId: 1,
  encounterId: 1,
  characterId: 1,
  entityType: 'npc',
  entityId: 1,
  query: 'person',
}

describe('a page', () => {
  const lists = Array.from(operations.values()).filter(({ effect, mcp, input }) => {
    const needed = Object.entries(input.shape).filter(([, schema]) => !schema.safeParse(undefined).success)
    return effect === 'read' && mcp === undefined && 'limit' in input.shape && needed.every(([key]) => key in named)
  })

  test('of every list is at most 12 kB at first sight, and 40 kB however much is asked for', async () => {
    expect(lists.length).toBeGreaterThan(30)
    const client = await connect('dm')
    const sizes: (readonly [string, number, number])[] = []
    for (const { name, input } of lists) {
      const size = async (asked: object) => {
        const { json, isError } = await client.callTool(name, {
          ...Object.fromEntries(
            Object.entries(named).filter(([key]) => input.shape[key]?.safeParse(undefined).success === false),
          ),
          ...('campaignId' in input.shape && { campaignId: 1 }),
          ...asked,
        })
        expect(isError, `${name}: ${JSON.stringify(json)}`).toBe(false)
        return Buffer.byteLength(JSON.stringify(json))
      }
      const most = { limit: 200, ...('view' in input.shape && { view: 'full' }) }
      sizes.push([name, await size({}), await size(most)])
    }
    await client.close()
    console.info(['answers in bytes: first page, longest page', ...sizes.map((each) => each.join('\t'))].join('\n'))
    for (const [name, first, longest] of sizes) {
      expect(first, name).toBeLessThanOrEqual(12_000)
      expect(longest, name).toBeLessThanOrEqual(40_000)
    }
  })

  test('of what sums up a campaign is as short', async () => {
    const client = await connect('dm')
    for (const [tool, most] of [
      ['get_campaign_summary', 6500],
      ['get_session_prep', 5500],
    ] as const) {
      const { json } = await client.callTool(tool, { campaignId: 1 })
      expect(Buffer.byteLength(JSON.stringify(json)), tool).toBeLessThanOrEqual(most)
    }
    await client.close()
  })
})

describe.each([
  [sdk.name, sdk],
  [present.name, present],
] as const)('a job by %s', (_, by) => {
  test('to prepare the next session takes at most 4 calls and 6 kB', () =>
    working('dm', by, async ({ call, calls, bytes }) => {
      const { items } = await call('list_campaigns')
      const { id: campaignId } = items[0]
      const prep = await call('get_session_prep', { campaignId })
      expect(prep.openQuests[0]).toMatchObject({
        title: expect.any(String),
        openObjectives: [{ text: expect.any(String) }],
      })
      expect(prep.activeBeats[0].title).toBe('Nettie hears her own lullaby')
      const written = `Begin with ${prep.activeBeats[0].title}. Then [${prep.openQuests[0].title}](quest:${prep.openQuests[0].id}).`
      const saved = await call('update_session', { sessionId: prep.nextSession.id, prep: written })
      expect(saved.prep).toContain('Nettie')
      console.info(`prepare the next session: ${calls()} calls, ${bytes()} bytes`)
      expect(calls()).toBeLessThanOrEqual(4)
      expect(bytes()).toBeLessThanOrEqual(6000)
    }))

  const recap = 'They found who signed the first page, and Person 3 did not like it.'

  test.each([['dm'], ['propose']])('to write a recap and what it changes, as %s, takes at most 8 calls', (token) =>
    working(token, by, async ({ call, as, calls, bytes }) => {
      const { id: campaignId } = (await call('list_campaigns')).items[0]
      const prep = await call('get_session_prep', { campaignId })
      const [quest] = prep.openQuests
      const { items: played } = await call('list_sessions', { campaignId, status: 'played', limit: 1 })
      const filed = [
        await call('publish_session_recap', { sessionId: played[0].id, recap }),
        await call('set_objective_done', { objectiveId: quest.openObjectives[0].id, done: true }),
        await call('set_npc_disposition', { npcId: quest.giverNpc.id, disposition: 'unfriendly' }),
      ]
      if (token === 'propose') {
        const proposals = filed.map(({ proposal }) => ({ proposalId: proposal.id, revision: proposal.revision }))
        const taken = await as('dm', 'approve_proposals', { campaignId, proposals })
        expect(taken.approved).toEqual(proposals.map(({ proposalId }) => proposalId))
      }
      console.info(`write the recap (${token}): ${calls()} calls, ${bytes()} bytes`)
      expect(calls()).toBeLessThanOrEqual(8)
      const store = server.app.store()
      expect(store.get('SELECT recap FROM game_sessions WHERE id = @id', { id: played[0].id })?.recap).toBe(recap)
      expect(store.get('SELECT done FROM objectives WHERE id = @id', { id: quest.openObjectives[0].id })?.done).toBe(1)
      expect(store.get('SELECT disposition FROM npcs WHERE id = @id', { id: quest.giverNpc.id })?.disposition).toBe(
        'unfriendly',
      )
    }),
  )

  test('to fill a campaign from a document takes at most 6 calls, is read before, and is taken back in one go', () =>
    working('dm', by, async ({ call, calls, bytes }) => {
      const { id: campaignId } = (await call('list_campaigns')).items[0]
      const counted = () =>
        server.app.store().get(
          `SELECT (SELECT count(*) FROM npcs WHERE name LIKE 'Reed %' AND deleted_at IS NULL) AS npcs,
              (SELECT count(*) FROM locations WHERE name LIKE 'Reed %' AND deleted_at IS NULL) AS locations,
              (SELECT count(*) FROM quests WHERE title LIKE 'Reed %' AND deleted_at IS NULL AND giver_npc_id IS NOT NULL AND location_id IS NOT NULL) AS quests`,
        )
      const filed: { readonly id: number; readonly revision: number }[] = []
      const chapters = [
        [34, 10, 6],
        [33, 10, 7],
        [33, 10, 7],
      ] as const
      for (const [chapter, [people, places, quests]] of chapters.entries()) {
        const of = (many: number) => Array.from({ length: many }, (_, index) => index)
        const changes = [
          ...of(places).map((n) => ({
            operation: 'create_location',
            input: { name: `Reed place ${chapter}.${n}`, ...(n > 0 && { parentLocationId: { $of: 'place0' } }) },
            as: `place${n}`,
          })),
          ...of(people).map((n) => ({
            operation: 'create_npc',
            input: { name: `Reed person ${chapter}.${n}`, locationId: { $of: `place${n % places}` } },
            as: `person${n}`,
          })),
          ...of(quests).map((n) => ({
            operation: 'create_quest',
            input: {
              title: `Reed quest ${chapter}.${n}`,
              giverNpcId: { $of: `person${n}` },
              locationId: { $of: `place${n}` },
            },
          })),
        ]
        const proposal = await call('create_proposal', { campaignId, changes, reason: `Chapter ${chapter + 1}` })
        const made = proposal.changes.find(({ as }: { readonly as?: string }) => as === 'person1')
        expect(made.difference).toContainEqual(
          expect.objectContaining({ field: 'locationId', afterTitle: `Reed place ${chapter}.1` }),
        )
        filed.push(proposal)
      }
      expect(counted()).toEqual({ npcs: 0, locations: 0, quests: 0 })
      const proposals = filed.map(({ id: proposalId, revision }) => ({ proposalId, revision }))
      const { auditRecordId } = await call('approve_proposals', { campaignId, proposals })
      expect(counted()).toEqual({ npcs: 100, locations: 30, quests: 20 })
      await call('revert_change', { auditRecordId })
      expect(counted()).toEqual({ npcs: 0, locations: 0, quests: 0 })
      console.info(`fill a campaign with 150 things: ${calls()} calls, ${bytes()} bytes`)
      expect(calls()).toBeLessThanOrEqual(6)
    }))
})
