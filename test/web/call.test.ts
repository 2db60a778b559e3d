import { describe, expect, test, vi } from 'vitest'
import { address, CallError, createClient, forPeople, uuid } from '../../src/web/api/call.ts'

const routes: Readonly<Record<string, string>> = {
  list_npcs: 'GET /campaigns/{campaignId}/npcs',
  update_npc: 'PATCH /npcs/{npcId}',
}

type Sent = { url: string; init: RequestInit }

function clientOver(answers: (Response | Error)[]) {
  const sent: Sent[] = []
  const writes: string[] = []
  const reached: boolean[] = []
  let signedOut = 0
  const client = createClient({
    routeOf: (name) => routes[name],
    fetch: async (url, init) => {
      init?.signal?.throwIfAborted()
      sent.push({ url: String(url), init: init ?? {} })
      const next = answers.shift()
      if (next === undefined || next instanceof Error) throw next ?? new Error('no answer was prepared')
      return next
    },
    onWrite: (change) => writes.push(change),
    onReach: (isReached) => reached.push(isReached),
    onSignedOut: () => signedOut++,
  })
  return { client, sent, writes, reached, signedOut: () => signedOut }
}

const json = (status: number, body: unknown) => new Response(JSON.stringify(body), { status })
const headerOf = ({ init }: Sent, name: string) => (init.headers as Record<string, string>)[name]

test('an input goes into the path, and what is left into the query of a read or the body of a write', () => {
  expect(address('GET /campaigns/{campaignId}/npcs', { campaignId: 7, tag: 'a b', cursor: undefined })).toEqual({
    method: 'GET',
    path: '/campaigns/7/npcs?tag=a+b',
  })
  expect(address('PATCH /npcs/{npcId}', { npcId: 3, voice: null })).toEqual({
    method: 'PATCH',
    path: '/npcs/3',
    body: { voice: null },
  })
})

test('a write that got no answer is sent again under the same key, with its reason as UTF-8', async () => {
  const { client, sent, writes, reached } = clientOver([new TypeError('reset'), json(200, { id: 3 })])
  const written = await client.write('update_npc', { npcId: 3, name: 'Marta' }, { reason: 'Sie heißt so' })
  expect(written).toEqual({ kind: 'done', value: { id: 3 } })
  expect(sent).toHaveLength(2)
  const [first, second] = sent as [Sent, Sent]
  expect(headerOf(first, 'idempotency-key')).toMatch(/^[0-9a-f-]{36}$/)
  expect(headerOf(second, 'idempotency-key')).toBe(headerOf(first, 'idempotency-key'))
  expect(Buffer.from(headerOf(first, 'x-reason') ?? '', 'latin1').toString('utf8')).toBe('Sie heißt so')
  expect(writes).toEqual(['sent', 'taken'])
  expect(reached).toEqual([true])
})

describe('what is sent in turn', () => {
  const later = (client: ReturnType<typeof clientOver>['client'], name: string, withinMs = 60_000) =>
    client.write('update_npc', { npcId: 3, name }, { inTurn: true, limit: AbortSignal.timeout(withinMs) })
  const names = (sent: readonly Sent[]) => sent.map(({ init }) => JSON.parse(String(init.body)).name)

  test('keeps its order though the first has to be sent again; what is not in turn does not wait', async () => {
    const { client, sent } = clientOver([new TypeError('reset'), json(200, {}), json(200, {}), json(200, {})])
    const first = later(client, 'Coming')
    const second = later(client, 'Not coming')
    await vi.waitFor(() => expect(sent).toHaveLength(1))
    await client.write('update_npc', { npcId: 3, name: 'Beside them' })
    await Promise.all([first, second])
    expect(names(sent)).toEqual(['Coming', 'Beside them', 'Coming', 'Not coming'])
  })

  test('goes on after a refusal, and is not sent at all once its time is over', async () => {
    const refused = json(403, { error: { code: 'forbidden', message: 'This campaign is archived.' } })
    const { client, sent, writes } = clientOver([new TypeError('reset'), refused, json(200, {})])
    const first = later(client, 'Coming')
    const late = later(client, 'Too late', 50)
    const third = later(client, 'Not coming')
    await expect(first).rejects.toMatchObject({ status: 403 })
    await expect(late).rejects.toMatchObject({ status: 0, code: 'offline' })
    expect(await third).toMatchObject({ kind: 'done' })
    expect(names(sent)).toEqual(['Coming', 'Coming', 'Not coming'])
    expect(writes.filter((each) => each !== 'sent').toSorted()).toEqual(['failed', 'failed', 'taken'])
  })
})

test('an answer of 202 is a proposal and not a change', async () => {
  const { client } = clientOver([json(202, { proposal: { id: 9 } })])
  expect(await client.write('update_npc', { npcId: 3, name: 'Marta' })).toEqual({
    kind: 'proposed',
    proposal: { id: 9 },
  })
})

test('an error keeps its code, capitalize and details; the end of the session is told', async () => {
  const error = {
    status: 401,
    code: 'unauthenticated',
    message: 'Sign in.',
    details: [{ path: 'name', message: 'no' }],
  }
  const { client, signedOut } = clientOver([json(401, { error })])
  const thrown = await client.read('list_npcs', { campaignId: 1 }).catch((caught: unknown) => caught)
  expect(thrown).toBeInstanceOf(CallError)
  expect(thrown).toMatchObject({ status: 401, code: 'unauthenticated', message: 'Sign in.', details: error.details })
  expect(signedOut()).toBe(1)
})

test('a refusal names no tools to people, and loses nothing else', async () => {
  const message = 'That turn is over already, and nothing was changed. get_turn says whose turn it is now.'
  const { client } = clientOver([json(409, { error: { status: 409, code: 'invalid_state', message } })])
  const thrown = await client.read('list_npcs', { campaignId: 1 }).catch((error: unknown) => error)
  expect(thrown).toMatchObject({ message: 'That turn is over already, and nothing was changed.' })
  expect(forPeople('list_npcs finds ids.')).toBe('list_npcs finds ids.')
  expect(forPeople('Begin with event 5. It is the newest.')).toBe('Begin with event 5. It is the newest.')
})

test('a server that never answers is status 0 after three tries', async () => {
  const { client, sent, reached } = clientOver([])
  const thrown = await client.read('list_npcs', { campaignId: 1 }).catch((caught: unknown) => caught)
  expect(thrown).toMatchObject({ status: 0, code: 'offline' })
  expect(sent).toHaveLength(3)
  expect(reached).toEqual([false])
})

test('ids are version 4 UUIDs and differ', () => {
  const ids = Array.from({ length: 50 }, uuid)
  for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
  expect(new Set(ids).size).toBe(50)
})
