import { afterEach, beforeEach, describe, expect, it, test } from 'vitest'
import { clients, legacy, modern, post, present } from './clients.ts'
import { actorWith, type Running, serve, smallWorld } from './small-world.ts'

let server: Running
beforeEach(async () => {
  server = await serve(smallWorld())
})
afterEach(() => server.stop())

const send = (method: string, params?: Record<string, unknown>) => {
  const { body, headers } = modern(method, params)
  return post(server.url, body, headers)
}

describe.each(clients)('$name', ({ connect }) => {
  it('connects, and reads what the server is about', async () => {
    const client = await connect(server.url)
    expect(client.instructions()).toMatch(/^Talekeeper: tabletop role-playing campaign manager/)
    await client.close()
  })

  it('lists the tools on one page, in the order of the catalogue, without those that are not for it', async () => {
    const client = await connect(server.url)
    const { tools, nextCursor } = await client.listTools()
    const names = Array.from(smallWorld().operations.keys()).filter((name) => name !== 'upload_form')
    expect(tools.map(({ name }) => name)).toEqual(names)
    expect(nextCursor).toBeUndefined()
    await client.close()
  })

  it('calls a tool', async () => {
    const client = await connect(server.url)
    const { isError, structured, json } = await client.callTool('adjust_hp', { campaignId: 1, delta: -3 })
    expect({ isError, structured, json }).toEqual({ isError: false, structured: false, json: { hp: 7 } })
    await client.close()
  })
})

describe('the present era', () => {
  it('is discovered', async () => {
    const { status, headers, body } = await send('server/discover')
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('application/json')
    expect(headers.get('x-kept')).toBe('yes')
    expect(body.result).toMatchObject({
      supportedVersions: [present],
      capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} },
      resultType: 'complete',
      ttlMs: 300_000,
      cacheScope: 'private',
      _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'talekeeper', title: 'Talekeeper', version: '1.2.3' } },
    })
  })

  test.each(['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'])(
    'says how long %s may be kept, and for whom',
    async (method) => {
      const { body } = await send(method)
      expect(body.result).toMatchObject({ resultType: 'complete', ttlMs: 300_000, cacheScope: 'private' })
      expect(body.result).not.toHaveProperty('nextCursor')
    },
  )

  it('says that what a resource holds may not be kept', async () => {
    const { body } = await send('resources/read', { uri: 'talekeeper://campaigns' })
    expect(body.result).toMatchObject({ ttlMs: 0, cacheScope: 'private' })
  })

  test.each([
    ['without its version in the headers', { 'mcp-protocol-version': '' }, 400, -32020],
    ['with another version in the headers', { 'mcp-protocol-version': '2025-06-18' }, 400, -32020],
    ['with another method in the headers', { 'mcp-method': 'tools/call' }, 400, -32020],
  ])('refuses a request %s', async (_, headers, status, code) => {
    const request = modern('tools/list')
    const merged = Object.fromEntries(
      Object.entries({ ...request.headers, ...headers }).filter(([, value]) => value !== ''),
    )
    const answer = await post(server.url, request.body, merged)
    expect(answer.status).toBe(status)
    expect(answer.body).toMatchObject({
      id: 1,
      error: { code, data: { error: { status: 400, code: 'validation_failed' } } },
    })
  })

  it('refuses a version that it does not know, and names the one it does', async () => {
    const request = modern('tools/list', { _meta: { 'io.modelcontextprotocol/protocolVersion': '2099-01-01' } })
    const answer = await post(server.url, request.body, { ...request.headers, 'mcp-protocol-version': '2099-01-01' })
    expect(answer.status).toBe(400)
    expect(answer.body.error).toMatchObject({
      code: -32022,
      data: { supported: [present], requested: '2099-01-01', error: { code: 'validation_failed' } },
    })
  })

  it('answers an unknown method with 404', async () => {
    const { status, body } = await send('tools/paint')
    expect(status).toBe(404)
    expect(body.error).toMatchObject({
      code: -32601,
      data: { error: { status: 404, code: 'not_found', message: 'Method not found' } },
    })
  })

  it('has no streams to hold open: a subscription ends at once', async () => {
    const { body, headers } = modern('subscriptions/listen', { notifications: { toolsListChanged: true } })
    const answer = await post(server.url, body, headers)
    expect(answer.status).toBe(200)
    expect(answer.text).toContain('notifications/subscriptions/acknowledged')
    expect(answer.text).toContain('"resultType":"complete"')
  })
})

describe('the older era', () => {
  test.each(['2024-10-07', '2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])(
    'takes an initialize of %s',
    async (protocolVersion) => {
      const { status, body } = await post(
        server.url,
        legacy('initialize', { protocolVersion, capabilities: {}, clientInfo: { name: 'x', version: '1' } }),
      )
      expect(status).toBe(200)
      expect(body.result).toMatchObject({ protocolVersion, serverInfo: { name: 'talekeeper', version: '1.2.3' } })
      expect(body.result.instructions).toContain('Talekeeper')
    },
  )

  it('offers its newest to a client that asks for one it does not know', async () => {
    const { body } = await post(
      server.url,
      legacy('initialize', {
        protocolVersion: '1999-01-01',
        capabilities: {},
        clientInfo: { name: 'x', version: '1' },
      }),
    )
    expect(body.result.protocolVersion).toBe('2025-11-25')
  })

  it('needs no initialize, no version and no session, and ignores one that is sent', async () => {
    const { status, headers, body } = await post(server.url, legacy('tools/list'), {
      'mcp-session-id': 'stray',
      'mcp-method': 'tools/list',
    })
    expect(status).toBe(200)
    expect(headers.get('mcp-session-id')).toBeNull()
    expect(body.result.tools).toHaveLength(12)
    expect(body.result).not.toHaveProperty('ttlMs')
  })

  it('takes notifications with 202', async () => {
    const { status, text } = await post(server.url, { jsonrpc: '2.0', method: 'notifications/initialized' })
    expect({ status, text }).toEqual({ status: 202, text: '' })
  })

  it('answers each request of a batch', async () => {
    const { status, text } = await post(server.url, [
      legacy('ping', {}, 'a'),
      legacy('tools/call', { name: 'adjust_hp', arguments: { campaignId: 1, delta: 1 } }, 'b'),
    ])
    expect(status).toBe(200)
    const messages = Array.from(text.matchAll(/^data: (.*)$/gm), ([, data]) => JSON.parse(data ?? ''))
    expect(messages.map(({ id }) => id).sort()).toEqual(['a', 'b'])
  })

  it('answers an unknown method of a request it has let in', async () => {
    const { status, body } = await post(server.url, legacy('tools/paint'))
    expect(status).toBe(200)
    expect(body.error).toMatchObject({ code: -32601, data: { error: { status: 404, code: 'not_found' } } })
  })

  it('takes a client that accepts anything, and answers one that reads no streams in JSON', async () => {
    expect((await post(server.url, legacy('ping'), { accept: '*/*' })).status).toBe(200)
    const plain = await post(server.url, legacy('ping'), { accept: 'application/json' })
    expect([plain.status, plain.headers.get('content-type')]).toEqual([200, 'application/json'])
    expect(JSON.parse(plain.text)).toMatchObject({ jsonrpc: '2.0', result: {} })
    const several = await post(server.url, [legacy('ping', {}, 1), legacy('ping', {}, 2)], {
      accept: 'application/json',
    })
    expect(
      JSON.parse(several.text)
        .map(({ id }: { readonly id: number }) => id)
        .sort(),
    ).toEqual([1, 2])
  })

  it('says 406 to a client that reads neither', async () => {
    const refused = await post(server.url, legacy('ping'), { accept: 'text/html' })
    expect(refused.status).toBe(406)
    expect(refused.body.error.data.error.status).toBe(406)
  })
})

describe('what is no request', () => {
  test.each([
    ['a number', 7],
    ['null', null],
    ['no JSON-RPC', { method: 'tools/list' }],
    ['an empty batch', []],
    ['a batch with rubbish', [legacy('ping'), 3]],
  ])('refuses %s', async (_, body) => {
    const answer = await post(server.url, body === null ? 'null' : body)
    expect(answer.status).toBe(400)
    expect(answer.body).toMatchObject({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32600, data: { error: { status: 400, code: 'validation_failed' } } },
    })
  })

  test.each(['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'])(
    'refuses a cursor on %s, which has one page',
    async (method) => {
      const expected = { code: -32602, data: { error: { status: 400, code: 'validation_failed' } } }
      expect((await send(method, { cursor: 'abc' })).body.error).toMatchObject(expected)
      expect((await post(server.url, legacy(method, { cursor: 'abc' }))).body.error).toMatchObject(expected)
    },
  )

  test.each([
    ['no name', { arguments: {} }],
    ['arguments that are a list', { name: 'adjust_hp', arguments: [1] }],
    ['a name that is a number', { name: 7 }],
  ])('refuses a tool call with %s', async (_, params) => {
    const expected = { code: -32602, data: { error: { status: 400, code: 'validation_failed' } } }
    expect((await post(server.url, legacy('tools/call', params))).body.error).toMatchObject(expected)
    const { body, headers } = modern('tools/call', params)
    expect((await post(server.url, body, headers)).body.error).toMatchObject(expected)
  })
})

describe.each([
  ['older', () => ({ body: legacy('tools/call', { name: 'list_campaigns', arguments: {} }), headers: {} })],
  ['present', () => modern('tools/call', { name: 'list_campaigns', arguments: {} })],
] as const)('a caller of the %s era who leaves', (_, request) => {
  it('disturbs nobody', async () => {
    const reached = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    const world = smallWorld()
    const acquireShared = async () => {
      reached.resolve()
      await released.promise
      return () => undefined
    }
    const slow = await serve({ ...world, system: { ...world.system, acquireShared } })
    const leaving = new AbortController()
    const { body, headers } = request()
    const accept = 'application/json, text/event-stream'
    const answer = fetch(slow.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept, ...headers },
      body: JSON.stringify(body),
      signal: leaving.signal,
    }).then((response) => response.text())
    await reached.promise
    leaving.abort()
    await expect(answer).rejects.toThrow()
    released.resolve()
    expect(
      (await post(slow.url, legacy('tools/call', { name: 'list_campaigns', arguments: {} }))).body.result.isError,
    ).toBeUndefined()
    expect(slow.logged.filter(({ level }) => level === 'error')).toEqual([])
    await slow.stop()
  })
})

describe('narrowing', () => {
  const listed = async (query: string, headers: Record<string, string> = {}) => {
    const { status, body } = await post(`${server.url}${query}`, legacy('tools/list', undefined, 'q'), headers)
    return status === 200 ? (body.result.tools as { name: string }[]).map(({ name }) => name) : body
  }

  it('lists toolsets, asked for in the address or a header', async () => {
    expect(await listed('?toolsets=party,table')).toEqual(['list_support_preferences', 'adjust_hp'])
    expect(await listed('', { 'x-mcp-toolsets': 'party, table' })).toEqual(['list_support_preferences', 'adjust_hp'])
    expect(await listed('?toolsets=party,table', { 'x-mcp-toolsets': 'party' })).toEqual(['adjust_hp'])
    expect(await listed('?toolsets=all')).toHaveLength(12)
  })

  it('lists a preset', async () => {
    expect(await listed('?toolsets=player')).toEqual([
      'list_campaigns',
      'list_recent_changes',
      'get_campaign_summary',
      'list_session_recaps',
    ])
  })

  it('still calls what is not listed, since errors name tools of other sets', async () => {
    const { body } = await post(
      `${server.url}?toolsets=party`,
      legacy('tools/call', { name: 'list_campaigns', arguments: {} }),
    )
    expect(body.result.isError).toBeUndefined()
  })

  test.each([
    ['the address', '?readonly=1', {}, undefined],
    ['a header', '', { 'x-mcp-readonly': 'true' }, undefined],
    ['the credential', '', {}, actorWith({ writeMode: 'read' })],
  ])('lists and calls reads only when %s says so', async (_, query, headers, actor) => {
    if (actor) server.as(actor)
    const names = (await listed(query, headers)) as string[]
    expect(names).toHaveLength(9)
    expect(names).not.toContain('adjust_hp')
    const call = (name: string, args: object) =>
      post(`${server.url}${query}`, legacy('tools/call', { name, arguments: args }), headers)
    const refused = (await call('delete_campaign', { campaignId: 1 })).body.result
    expect(refused.isError).toBe(true)
    expect(JSON.parse(refused.content[0].text).error).toMatchObject({ status: 403, code: 'write_mode' })
    expect((await call('list_campaigns', {})).body.result.isError).toBeUndefined()
  })

  it('lists to a token of scope viewer only what it could call', async () => {
    server.as(actorWith({ scope: 'viewer' }))
    expect(await listed('')).toEqual([
      'list_campaigns',
      'list_recent_changes',
      'get_campaign_summary',
      'list_session_recaps',
      'break_something',
    ])
  })

  it('lists to an app what its person opened', async () => {
    server.as(actorWith({ kind: 'oauth', toolsets: ['campaign', 'party'] }))
    expect(await listed('?toolsets=party,table')).toEqual(['adjust_hp'])
  })

  it('is not read-only when told so', async () => {
    expect(await listed('?readonly=0')).toHaveLength(12)
  })

  test.each([
    ['?toolsets=stroy', {}, 'toolsets'],
    ['', { 'x-mcp-toolsets': 'world,constructor' }, 'toolsets'],
    ['?readonly=maybe', {}, 'readonly'],
    ['?mode=tiny', {}, 'mode'],
    ['', { 'x-mcp-mode': '' }, 'mode'],
  ])('refuses %s %j and says what there is', async (query, headers, path) => {
    const answer = await listed(query, headers)
    expect(answer).toMatchObject({
      jsonrpc: '2.0',
      id: 'q',
      error: { code: -32602, data: { error: { status: 400, code: 'validation_failed', details: [{ path }] } } },
    })
  })
})
