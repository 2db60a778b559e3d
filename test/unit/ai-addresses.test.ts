import { createServer } from 'node:http'
import type { AddressInfo, LookupFunction } from 'node:net'
import { describe, expect, test } from 'vitest'
import { baseUrlOf, isLocal, whyNotCalled } from '../../src/ai/addresses.ts'
import { guardedFetch } from '../../src/ai/guarded-fetch.ts'
import { objectIn, withoutNulls } from '../../src/ai/json-answer.ts'
import { openKey, sealKey } from '../../src/ai/sealed-key.ts'

const never = [
  ...['0.0.0.0', '169.254.169.254', '169.254.170.2', '100.100.100.200', '168.63.129.16', '192.0.2.7', '198.18.0.1'],
  ...['203.0.113.5', '224.0.0.1', '255.255.255.255', '::', '::169.254.169.254', '::ffff:169.254.169.254', 'fe80::1'],
  ...['ff02::1', 'fd00:ec2::254', 'fd20:ce::254', '64:ff9b::a9fe:a9fe', '2002:a9fe:a9fe::1', '2001:db8::1', '100::1'],
]
const near = ['127.0.0.1', '127.8.9.1', '::1', '10.1.2.3', '172.16.0.1', '192.168.1.20', '100.64.0.1', 'fd12::1']
const far = ['93.184.216.34', '8.8.8.8', '2606:4700::1111']

describe('addresses of a provider', () => {
  test.each(never)('%s is never called', (address) => {
    for (const reach of ['local', 'internet'] as const) {
      for (const protocol of ['http:', 'https:']) expect(whyNotCalled(address, reach, protocol)).toMatch(/never/)
    }
  })

  test.each(near)('%s is called where the provider is on this computer or in its network, http too', (address) => {
    expect(isLocal(address)).toBe(true)
    expect(whyNotCalled(address, 'local', 'http:')).toBeNull()
    expect(whyNotCalled(address, 'internet', 'https:')).toMatch(/On this computer/)
  })

  test.each(far)('%s is called over https alone', (address) => {
    expect(isLocal(address)).toBe(false)
    for (const reach of ['local', 'internet'] as const) {
      expect(whyNotCalled(address, reach, 'https:')).toBeNull()
      expect(whyNotCalled(address, reach, 'http:')).toMatch(/https/)
    }
  })

  test('are kept in one form', () => {
    expect(baseUrlOf(' HTTPS://Api.Example.org/v1/ ')).toBe('https://api.example.org/v1')
    for (const odd of ['http://2130706433/v1', 'http://0x7f.1/v1', 'http://127.1/v1'])
      expect(baseUrlOf(odd)).toBe('http://127.0.0.1/v1')
    for (const bad of ['', 'x', 'file:///etc', 'http://u@h/', 'http://h/?q', 'http://h/#f'])
      expect(baseUrlOf(bad)).toBeNull()
  })
})

/** A server on loopback that says where it was asked from. */
async function withServer(work: (port: number, asked: string[]) => Promise<void>): Promise<void> {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.headers.host ?? '')
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  try {
    await work((server.address() as AddressInfo).port, asked)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

const answering = (
  ...lists: readonly (readonly string[])[]
): { readonly lookup: LookupFunction; readonly calls: () => number } => {
  let calls = 0
  const lookup: LookupFunction = (_host, _options, done) => {
    const list = lists[Math.min(calls, lists.length - 1)] ?? []
    calls += 1
    done(
      null,
      list.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    )
  }
  return { lookup, calls: () => calls }
}
const rules = { reach: 'local', mostBytes: 1000, connectMs: 20_000, ownPorts: () => [] } as const

describe('the guarded way out', () => {
  test('looks a name up once, and connects to what was judged', () =>
    withServer(async (port, asked) => {
      const { lookup, calls } = answering(['127.0.0.1'], ['169.254.169.254'])
      const response = await guardedFetch({ ...rules, lookup })(`http://ollama.test:${port}/v1/models`)
      expect([response.status, calls(), asked]).toEqual([200, 1, [`ollama.test:${port}`]])
    }))

  test('refuses a name of which one address is refused', () =>
    withServer(async (port, asked) => {
      const { lookup } = answering(['127.0.0.1', '169.254.169.254'])
      const fetching = guardedFetch({ ...rules, lookup })(`http://metadata.test:${port}/v1/models`)
      await expect(fetching).rejects.toMatchObject({ code: 'ADDRESS_REFUSED' })
      expect(asked).toEqual([])
    }))

  test('refuses this server’s own port', () =>
    withServer(async (port, asked) => {
      const fetching = guardedFetch({ ...rules, ownPorts: () => [port] })(`http://127.0.0.1:${port}/v1/models`)
      await expect(fetching).rejects.toMatchObject({
        code: 'ADDRESS_REFUSED',
        why: expect.stringContaining('this server itself'),
      })
      expect(asked).toEqual([])
    }))
})

describe('keys at rest', () => {
  const keyfile = Buffer.alloc(32, 7)
  const endpoint = { kind: 'anthropic', baseUrl: 'https://api.anthropic.com/v1' }

  test('open for their own endpoint and key file alone', () => {
    const blob = sealKey('sk-a-secret', endpoint, keyfile)
    expect(Buffer.from(blob, 'base64').includes('sk-a-secret')).toBe(false)
    expect(openKey(blob, endpoint, keyfile)).toBe('sk-a-secret')
    expect(sealKey('sk-a-secret', endpoint, keyfile)).not.toBe(blob)
    expect(openKey(blob, { ...endpoint, kind: 'openai_compatible' }, keyfile)).toBeNull()
    expect(openKey(blob, { ...endpoint, baseUrl: 'https://api.anthropic.com/v2' }, keyfile)).toBeNull()
    expect(openKey(blob, endpoint, Buffer.alloc(32, 8))).toBeNull()
    for (const at of [0, 3, 10, 20, 34]) {
      const bytes = Buffer.from(blob, 'base64')
      bytes[at] = (bytes[at] ?? 0) ^ 1
      expect(openKey(bytes.toString('base64'), endpoint, keyfile)).toBeNull()
    }
    expect(openKey('', endpoint, keyfile)).toBeNull()
  })
})

describe('the object in an answer', () => {
  test.each([
    ['{"a":1}', { a: 1 }],
    ['```json\n{"a":"}"}\n```', { a: '}' }],
    ['<think>maybe {"b":2}</think>Here it is: {"a":{"c":"\\"{"}} and more }', { a: { c: '"{' } }],
    ['{"a":1', null],
    ['nothing', null],
    ['{a:1}', null],
  ])('%s', (text, expected) => expect(objectIn(text)).toEqual(expected))

  test('null is absent', () => {
    expect(withoutNulls({ a: null, b: [null, { c: null, d: 1 }] })).toEqual({ b: [{ d: 1 }] })
  })
})
