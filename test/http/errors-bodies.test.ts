import { describe, expect, test } from 'vitest'
import type { Caller } from '../support/callers.ts'
import { shareWorld } from '../support/shared-world.ts'
import type { TestWorld } from '../support/world.ts'

// Bodies that are no JSON, or no JSON-RPC, or of another kind: each gets the error object (SPEC 2.6), none a stack.

const shared = shareWorld()
const npcs = (world: TestWorld): string => `/api/v1/campaigns/${world.id('campaign')}/npcs`
const json = { 'content-type': 'application/json' }

const malformed: readonly (readonly [string, string | Buffer])[] = [
  ['half an object', '{"name":'],
  ['two values', '{} {}'],
  ['a comment', '{"name":"Hob"/* who */}'],
  ['single quotes', "{'name':'Hob'}"],
  ['NaN', '{"locationId":NaN}'],
  ['bytes that are no UTF-8', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ['UTF-16', Buffer.from('\ufeff{"name":"Hob"}', 'utf16le')],
  ['a prototype', '{"name":"Hob","__proto__":{"admin":true}}'],
  ['a prototype inside', '{"name":"Hob","tags":[{"__proto__":{}}]}'],
]

describe.each(malformed)('a body with %s', (_, payload) => {
  test('is 400 over REST and -32700 on /mcp, with the error object', async () => {
    const { dm } = shared.world.callers
    const rest = await dm.request('POST', npcs(shared.world), payload, json)
    expect([rest.status, rest.body.error.code]).toEqual([400, 'validation_failed'])
    const mcp = await bearerOnly(shared.world).request('POST', '/mcp', payload, json)
    expect(mcp.status).toBe(400)
    expect(mcp.body).toMatchObject({
      jsonrpc: '2.0',
      id: null,
      error: { code: -32700, data: { error: { status: 400, code: 'validation_failed' } } },
    })
  })
})

test.each(['[]', '[{"name":"Hob"}]', '"Hob"', '7', 'true'])(
  'a body that is %s and no object is 400',
  async (payload) => {
    const { status, body } = await shared.world.callers.dm.request('POST', npcs(shared.world), payload, json)
    expect([status, body.error.code]).toEqual([400, 'validation_failed'])
  },
)

test.each(['', 'null'])('a body that is "%s" says nothing: what is required is missing', async (payload) => {
  const { status, body } = await shared.world.callers.dm.request('POST', npcs(shared.world), payload, json)
  expect([status, body.error.details]).toEqual([400, [{ path: 'name', message: expect.any(String) }]])
})

test.each([
  ['text/plain', 'name=Hob'],
  ['application/x-www-form-urlencoded', 'name=Hob'],
  ['application/xml', '<name>Hob</name>'],
  ['application/octet-stream', 'Hob'],
])('content of the type %s is 415 by both doors', async (type, payload) => {
  const headers = { 'content-type': type }
  for (const answer of [
    await shared.world.callers.dm.request('POST', npcs(shared.world), payload, headers),
    await bearerOnly(shared.world).request('POST', '/mcp', payload, headers),
  ]) {
    expect([answer.status, answer.body]).toEqual([
      415,
      { error: { status: 415, code: 'unsupported_media_type', message: expect.any(String) } },
    ])
  }
})

test('a multipart form where JSON is meant, and JSON where a form is meant, are 415', async () => {
  const { dm } = shared.world.callers
  const form = { 'content-type': 'multipart/form-data; boundary=b' }
  const body = '--b\r\ncontent-disposition: form-data; name="name"\r\n\r\nHob\r\n--b--\r\n'
  const upload = `/api/v1/campaigns/${shared.world.id('campaign')}/attachments`
  const asked = [
    await dm.request('POST', npcs(shared.world), body, form),
    await dm.request('POST', upload, { fileName: 'a.png' }),
  ]
  expect(asked.map((answer) => [answer.status, answer.body.error.message])).toEqual([
    [415, 'Send this as application/json.'],
    [415, 'Send this as multipart/form-data.'],
  ])
})

test('addresses and methods that there are not', async () => {
  const { dm } = shared.world.callers
  for (const [method, path] of [
    ['GET', '/api/v1/nothing'],
    ['GET', '/api/v2/campaigns'],
    ['PUT', '/api/v1/campaigns'],
    ['DELETE', '/api/v1/campaigns'],
    ['POST', '/healthz'],
  ] as const) {
    const { status, body } = await dm.request(method, path, method === 'GET' ? undefined : {})
    expect([status, body.error.code], `${method} ${path}`).toEqual([404, 'not_found'])
  }
  for (const method of ['GET', 'DELETE']) {
    const { status, headers, body } = await bearerOnly(shared.world).request(method, '/mcp')
    expect([status, headers.allow, body.error.code]).toEqual([405, 'POST', 'method_not_allowed'])
  }
})

describe('JSON-RPC on /mcp', () => {
  const rpc = (payload: unknown) => bearerOnly(shared.world).request('POST', '/mcp', payload as object, json)
  const call = { jsonrpc: '2.0', id: 7, method: 'tools/call' }

  test.each([
    ['another version', { jsonrpc: '1.0', id: 7, method: 'tools/list' }],
    ['no method', { jsonrpc: '2.0', id: 7 }],
    ['a method that is no text', { jsonrpc: '2.0', id: 7, method: 3 }],
    ['a text', 'tools/list'],
    ['an empty object', {}],
  ])('%s is an error with the error object as its data', async (_, payload) => {
    const { status, body } = await rpc(payload)
    expect(status).toBe(400)
    expect(body).toMatchObject({
      jsonrpc: '2.0',
      error: { data: { error: { code: 'validation_failed', status: 400 } } },
    })
  })

  test.each([
    ['a method that there is not', { jsonrpc: '2.0', id: 7, method: 'tools/guess' }, 'not_found'],
    ['a tool that there is not', { ...call, params: { name: 'guess', arguments: {} } }, 'not_found'],
    ['a transfer as a tool', { ...call, params: { name: 'create_token', arguments: {} } }, 'not_found'],
    ['no tool at all', { ...call, params: {} }, 'validation_failed'],
    ['arguments that are a list', { ...call, params: { name: 'get_me', arguments: [] } }, 'validation_failed'],
    [
      'a cursor for a list of one page',
      { ...call, method: 'tools/list', params: { cursor: 'x' } },
      'validation_failed',
    ],
    [
      'a resource that there is not',
      { ...call, method: 'resources/read', params: { uri: 'talekeeper://x' } },
      'not_found',
    ],
    ['a prompt that there is not', { ...call, method: 'prompts/get', params: { name: 'x' } }, undefined],
  ])('%s is an error of its request', async (_, payload, code) => {
    const { body } = await rpc(payload)
    expect(body).toMatchObject({ jsonrpc: '2.0', id: 7, error: { code: expect.any(Number) } })
    expect(body.error.data.error).toMatchObject({ status: expect.any(Number), ...(code ? { code } : {}) })
  })
})

test('nothing of a stack, a path or SQL stands in any of these answers', async () => {
  const { dm } = shared.world.callers
  for (const [, payload] of malformed) {
    const { text } = await dm.request('POST', npcs(shared.world), payload, json)
    expect(text).not.toMatch(/node_modules|\.ts:|at \w+ \(|SELECT|SQLITE/)
  }
})

/** The same person with the token alone, since /mcp takes no cookie. */
function bearerOnly(world: TestWorld): Caller {
  return world.callers.oauth
}
