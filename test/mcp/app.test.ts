import { afterAll, beforeAll, describe, expect, it, test } from 'vitest'
import { startServer, type TestServer } from '../support/server.ts'
import { clients, legacy, modern, post } from './clients.ts'

const password = 'correct horse battery staple'
let server: TestServer
let url: string
const tokens: Record<string, string> = {}
let campaignId: number

beforeAll(async () => {
  server = await startServer()
  const base = await server.app.listen()
  url = `${base}/mcp`
  const send = async (path: string, body: unknown, token?: string) => {
    const response = await fetch(`${base}/api/v1${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        origin: base,
        ...(token ? { authorization: `Bearer ${token}` } : {}),
      },
      body: JSON.stringify(body),
    })
    const answer = await response.text()
    if (!response.ok) throw new Error(`${path}: ${answer}`)
    return JSON.parse(answer) as Record<string, unknown>
  }
  await send('/auth/setup', { username: 'Marta', password, code: server.app.setUpCode() })
  const mint = async (username: string, tokenName: string, more: object) => {
    const { token } = await send('/auth/token', { username, password, tokenName, admin: false, ...more })
    tokens[tokenName] = String(token)
  }
  await mint('Marta', 'dm', { scope: 'dm' })
  campaignId = Number((await send('/campaigns', { name: 'The Orchard in Winter' }, tokens.dm)).id)
  await send(
    `/campaigns/${campaignId}/quests`,
    { title: 'The bell under the ice', dmSecret: 'It rings for her.' },
    tokens.dm,
  )
  await mint('Marta', 'viewer', { scope: 'viewer' })
  await mint('Marta', 'reader', { scope: 'dm', writeMode: 'read' })
})
afterAll(() => server?.stop())

const as = (token: string) => ({ authorization: `Bearer ${tokens[token]}` })

describe.each(clients)('$name on the whole server', ({ connect }) => {
  it('lists, reads and writes', async () => {
    const client = await connect(url, as('dm'))
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toContain('create_quest')
    const { json } = await client.callTool('create_quest', { campaignId, title: 'Find the ladle' })
    expect(json).toMatchObject({ id: expect.any(Number), title: 'Find the ladle' })
    const listed = await client.callTool('list_quests', { campaignId })
    expect(listed.json).toMatchObject({
      items: expect.arrayContaining([expect.objectContaining({ title: 'Find the ladle' })]),
    })
    expect(await client.readResource('talekeeper://current/summary')).toMatchObject({
      campaignId,
      campaign: { name: 'The Orchard in Winter' },
    })
    for (const { uri } of await client.listResources()) expect(await client.readResource(uri), uri).toBeTypeOf('object')
    expect(await client.getPrompt('recap-writer', { campaignId: String(campaignId) })).toContain('"consent"')
    expect(await client.getPrompt('session-prep')).toContain('Find the ladle')
    await client.close()
  })

  it('may do no more than its token', async () => {
    const viewer = await connect(url, as('viewer'))
    const seen = await viewer.callTool('list_quests', { campaignId })
    expect(JSON.stringify(seen.json)).not.toContain('It rings for her.')
    expect(await viewer.callTool('create_quest', { campaignId, title: 'x' })).toMatchObject({
      isError: true,
      json: { error: { status: 403 } },
    })
    await viewer.close()
    const reader = await connect(url, as('reader'))
    const names = (await reader.listTools()).tools.map(({ name }) => name)
    expect(names).toContain('list_quests')
    expect(names).not.toContain('create_quest')
    expect(await reader.callTool('create_quest', { campaignId, title: 'x' })).toMatchObject({
      isError: true,
      json: { error: { status: 403, code: 'write_mode' } },
    })
    await reader.close()
  })
})

describe('before JSON-RPC is reached', () => {
  test.each(['POST', 'GET', 'DELETE'])('%s without a token is challenged', async (method) => {
    const response = await fetch(url, { method })
    expect(response.status).toBe(401)
    expect(response.headers.get('www-authenticate')).toMatch(
      /^Bearer resource_metadata="http:.*\/\.well-known\/oauth-protected-resource\/mcp"/,
    )
    expect(await response.json()).toMatchObject({ error: { status: 401, code: 'unauthenticated' } })
  })

  test.each(['GET', 'DELETE'])('%s with a token is no method of this address', async (method) => {
    const response = await fetch(url, { method, headers: as('dm') })
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe('POST')
  })

  it('answers malformed JSON with the parse error', async () => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...as('dm'), 'content-type': 'application/json' },
      body: '{"jsonrpc":',
    })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32700, data: { error: { status: 400, code: 'validation_failed' } } },
    })
  })

  it('refuses another kind of body', async () => {
    const response = await fetch(url, {
      method: 'POST',
      headers: { ...as('dm'), 'content-type': 'text/plain' },
      body: 'hello',
    })
    expect(response.status).toBe(415)
  })
})

describe('the journal', () => {
  it('names the door, the credential and the reason of a call', async () => {
    await post(
      url,
      legacy('tools/call', {
        name: 'create_quest',
        arguments: { campaignId, title: 'Why' },
        _meta: { 'talekeeper/reason': 'because' },
      }),
      as('dm'),
    )
    const { body } = await post(
      url,
      legacy('tools/call', { name: 'list_audit_records', arguments: { campaignId, limit: 1 } }),
      as('dm'),
    )
    expect(JSON.parse(body.result.content[0].text).items[0]).toMatchObject({
      operation: 'create_quest',
      door: 'mcp',
      credentialKind: 'token',
      actorUser: expect.objectContaining({ title: 'Marta' }),
      reason: 'because',
    })
  })

  it('has one record of a call that was repeated under one key', async () => {
    const { body, headers } = modern('tools/call', {
      name: 'create_quest',
      arguments: { campaignId, title: 'Only once' },
      _meta: { 'talekeeper/idempotencyKey': 'once' },
    })
    const first = await post(url, body, { ...headers, ...as('dm') })
    const second = await post(url, body, { ...headers, ...as('dm') })
    expect(second.body.result.content).toEqual(first.body.result.content)
  })
})

it('is found with a slash behind its address, and where only the address of the server was given', async () => {
  const root = url.replace(/\/mcp$/, '')
  for (const address of [`${url}/`, `${root}/`, root]) {
    const { status, body } = await post(
      address,
      legacy('tools/call', { name: 'list_campaigns', arguments: {} }),
      as('dm'),
    )
    expect(status, address).toBe(200)
    expect(JSON.parse(body.result.content[0].text).items.length, address).toBeGreaterThan(0)
    const refused = await post(address, legacy('ping'))
    expect([refused.status, refused.headers.get('www-authenticate')], address).toEqual([
      401,
      expect.stringContaining('/mcp"'),
    ])
  }
  expect((await fetch(`${root}/`)).headers.get('content-type')).toContain('text/html')
})

it('takes a large body whole', async () => {
  const { body } = await post(
    url,
    legacy('tools/call', { name: 'create_quest', arguments: { campaignId, title: 'Long', body: 'x'.repeat(49_000) } }),
    as('dm'),
  )
  const made = JSON.parse(body.result.content[0].text)
  // The answer to a write says which row it was; the text has just been sent.
  expect(Object.keys(made).sort()).toEqual(['hidden', 'id', 'revision', 'status', 'title'])
  const read = legacy('tools/call', { name: 'get_quest', arguments: { questId: made.id } })
  const { body: whole } = await post(url, read, as('dm'))
  expect(JSON.parse(whole.result.content[0].text).body).toHaveLength(49_000)
  const refused = await post(
    url,
    legacy('tools/call', {
      name: 'create_quest',
      arguments: { campaignId, title: 'Longer', body: 'x'.repeat(2_000_000) },
    }),
    as('dm'),
  )
  expect(JSON.parse(refused.body.result.content[0].text).error).toMatchObject({
    code: 'validation_failed',
    details: [{ path: 'body' }],
  })
})
