import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { AnyOperation } from '../../src/kernel/operation.ts'
import { legacy, modern, post } from './clients.ts'
import { actorWith, type Running, serve, smallWorld } from './small-world.ts'

// The plainest requests are answered without the protocol's library. Nobody may tell by the answer.

let server: Running
beforeAll(async () => {
  const world = smallWorld()
  const calling = { ...(world.operations.get('list_campaigns') as AnyOperation), name: 'ask_model', callsOut: true }
  server = await serve({ ...world, operations: new Map([...world.operations, [calling.name, calling]]) })
})
afterAll(() => server.stop())

const requests: readonly (readonly [string, string, Record<string, unknown> | undefined])[] = [
  ['the list of tools', 'tools/list', undefined],
  ['a read', 'tools/call', { name: 'list_campaigns', arguments: {} }],
  ['a call without arguments', 'tools/call', { name: 'list_campaigns' }],
  ['a refusal of the operation', 'tools/call', { name: 'adjust_hp', arguments: { campaignId: 1, delta: 'x' } }],
  ['a failure that nobody foresaw', 'tools/call', { name: 'break_something', arguments: {} }],
  ['a tool that there is not', 'tools/call', { name: 'list_campaign', arguments: {} }],
]

/** The ids of requests in errors differ, whoever answers. */
const withoutIds = (text: string): unknown => JSON.parse(text.replaceAll(/req-\d+/g, 'req'))

describe.each(['older', 'present'] as const)('a request of the %s era', (era) => {
  const sent = (method: string, params: Record<string, unknown> | undefined) =>
    era === 'older' ? { body: legacy(method, params, 'a'), headers: {} } : modern(method, params, 'a')
  /** The same request in a form that is left to the library. */
  const elaborate = ({ body, headers }: ReturnType<typeof sent>) =>
    era === 'older'
      ? { body: [body], headers }
      : { body, headers: { ...headers, 'mcp-protocol-version': `${headers['mcp-protocol-version']} ` } }

  test.each(requests)('%s is answered as the library does', async (_, method, params) => {
    const plain = sent(method, params)
    const direct = await post(server.url, plain.body, plain.headers)
    const other = elaborate(plain)
    const library = await post(server.url, other.body, other.headers)
    expect(direct.status).toBe(library.status)
    expect(direct.headers.get('content-type')).toBe('application/json')
    expect(direct.headers.get('x-kept')).toBe('yes')
    expect(withoutIds(JSON.stringify(direct.body))).toEqual(withoutIds(JSON.stringify(library.body)))
  })

  test.each([
    ['application/json, text/event-stream', 'application/json'],
    ['application/json', 'application/json'],
    ['*/*', 'application/json'],
    ['text/event-stream', 'text/event-stream'],
  ])('to who accepts %s the answer is %s', async (accept, type) => {
    for (const [, method, params] of requests.slice(0, 2)) {
      const { body, headers } = sent(method, params)
      const answer = await post(server.url, body, { ...headers, accept })
      expect([answer.status, answer.headers.get('content-type')]).toEqual([200, type])
      expect(answer.body).toMatchObject({ jsonrpc: '2.0', id: 'a', result: {} })
      if (type === 'text/event-stream') expect(answer.text).toMatch(/^event: message\ndata: .+\n\n$/)
    }
  })

  test('what leaves this machine may take long, and is answered as the library does', async () => {
    const { body, headers } = sent('tools/call', { name: 'ask_model', arguments: {} })
    const answer = await post(server.url, body, headers)
    expect(answer.body.result.isError).toBeUndefined()
    expect(answer.headers.get('content-type')).toBe(era === 'older' ? 'text/event-stream' : 'application/json')
  })

  test('the list follows who asks, and what they ask for', async () => {
    const { body, headers } = sent('tools/list', undefined)
    const count = async (query: string): Promise<number> =>
      (await post(`${server.url}${query}`, body, headers)).body.result.tools.length
    const whole = await count('')
    expect([await count('?toolsets=party'), await count('?mode=compact'), await count('')]).toEqual([1, 3, whole])
    server.as(actorWith({ scope: 'viewer' }))
    expect(await count('')).toBeLessThan(whole)
    server.as(actorWith())
    expect(await count('')).toBe(whole)
  })
})

test.each([
  ['another version in the headers', { 'mcp-protocol-version': '2025-06-18' }],
  ['another tool in the headers', { 'mcp-name': 'adjust_hp' }],
  ['another method in the headers', { 'mcp-method': 'tools/list' }],
])('a call of the present era with %s is refused', async (_, changed) => {
  const { body, headers } = modern('tools/call', { name: 'list_campaigns', arguments: {} })
  expect((await post(server.url, body, headers)).status).toBe(200)
  const refused = await post(server.url, body, { ...headers, ...changed })
  expect([refused.status, refused.body.error.code]).toEqual([400, -32020])
})

test('what a client says of itself is judged although another was let in', async () => {
  const call = { name: 'list_campaigns', arguments: {} }
  const good = modern('tools/call', call)
  expect((await post(server.url, good.body, good.headers)).status).toBe(200)
  const bad = modern('tools/call', { ...call, _meta: { 'io.modelcontextprotocol/clientCapabilities': 'all' } })
  const refused = await post(server.url, bad.body, bad.headers)
  expect([refused.status, refused.body.error.code]).toEqual([400, -32602])
})
