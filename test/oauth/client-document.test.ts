import { type AddressInfo, connect as connectTcp, createServer as createTcpServer } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type ClientDocuments, createClientDocuments } from '../../src/oauth/client-document.ts'
import { PageError } from '../../src/oauth/errors.ts'
import { connectTls, isPublicAddress } from '../../src/oauth/guarded-fetch.ts'
import { createCallLimits } from '../../src/oauth/limits.ts'
import { fixedClock, type TestClock } from '../support/server.ts'
import { clientId, goodDocument as good, type Internet, json, openInternet, publicAddress } from './internet.ts'
import { callback } from './support.ts'

let internet: Internet
beforeAll(async () => {
  internet = await openInternet()
})
beforeEach(() => internet.reset())
afterAll(() => internet.close())

describe('the address of a document', () => {
  it.each([
    ['plain http', 'http://inkwell.example.org/client.json'],
    ['another port', 'https://inkwell.example.org:8443/client.json'],
    ['its port written out', 'https://inkwell.example.org:443/client.json'],
    ['a user name', 'https://me@inkwell.example.org/client.json'],
    ['a password', 'https://:secret@inkwell.example.org/client.json'],
    ['a fragment', 'https://inkwell.example.org/client.json#a'],
    ['an empty fragment', 'https://inkwell.example.org/client.json#'],
    ['no path', 'https://inkwell.example.org'],
    ['the root as its path', 'https://inkwell.example.org/'],
    ['an IPv4 address', 'https://93.184.216.34/client.json'],
    ['an IPv4 address as one number', 'https://2130706433/client.json'],
    ['an IPv4 address in hexadecimal', 'https://0x7f.0.0.1/client.json'],
    ['an IPv6 address', 'https://[2606:4700::1]/client.json'],
    ['a host without a domain', 'https://localhost/client.json'],
    ['a host with a dot at its end', 'https://inkwell.example.org./client.json'],
    ['an upper-case host', 'https://Inkwell.example.org/client.json'],
    ['dot segments', 'https://inkwell.example.org/a/../client.json'],
    ['dot segments in disguise', 'https://inkwell.example.org/a/%2e%2e/client.json'],
    ['backslashes', 'https:\\\\inkwell.example.org\\client.json'],
    ['a line feed', 'https://inkwell.example.org/client.json\n'],
    ['letters that are not ASCII', 'https://tintenfaß.example.org/client.json'],
    ['too many characters', `https://inkwell.example.org/${'a'.repeat(300)}`],
    ['nothing but a scheme', 'https:'],
  ])('with %s is refused before anything is resolved', async (_, address) => {
    await expect(documentsOf().read(address, 'here')).rejects.toThrow(PageError)
    expect([internet.resolved, internet.targets]).toEqual([[], []])
  })

  it('may have a query', async () => {
    const queried = `${clientId}?version=2`
    internet.serve = json({ ...good, client_id: queried })
    expect((await documentsOf().read(queried, 'here')).name).toBe('Inkwell')
    expect(internet.requests[0]?.url).toBe('/oauth/client.json?version=2')
  })
})

describe('a host that resolves to', () => {
  const inner = [
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.1',
    '192.168.1.5',
    '198.18.0.1',
    '203.0.113.7',
    '224.0.0.1',
    '239.255.255.250',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::7f00:1',
    '::ffff:127.0.0.1',
    '::ffff:10.0.0.1',
    '::ffff:a9fe:a9fe',
    '64:ff9b::7f00:1',
    '64:ff9b:1::a00:1',
    '2001::7f00:1',
    '2001:db8::1',
    '2002:7f00:1::',
    'fc00::1',
    'fd12:3456::1',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    'not an address',
  ]
  it.each(inner)('%s is never connected to', async (address) => {
    expect(isPublicAddress(address)).toBe(false)
    for (const addresses of [[address], [publicAddress, address]]) {
      internet.addresses = addresses
      await expect(reasonOf()).resolves.toBe('The document is not on the public internet.')
    }
    expect(internet.targets).toEqual([])
  })

  it('nothing is answered in the same words, whether its name is unknown or has no address', async () => {
    internet.addresses = []
    expect(await reasonOf()).toBe('The document is not on the public internet.')
    internet.addresses = () =>
      Promise.reject(Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND', syscall: 'getaddrinfo' }))
    expect(await reasonOf()).toBe('The document is not on the public internet.')
    expect(internet.targets).toEqual([])
  })

  it.each([publicAddress, '1.1.1.1', '2606:4700::1', '::ffff:1.1.1.1'])('%s is', async (address) => {
    expect(isPublicAddress(address)).toBe(true)
    internet.addresses = [address]
    expect(await documentsOf().read(clientId, 'here')).toEqual({
      clientId,
      name: 'Inkwell',
      redirectUris: good.redirect_uris,
    })
    expect(internet.targets).toEqual([{ host: 'inkwell.example.org', port: 443, addresses: [address] }])
  })
})

describe('a connection', () => {
  it('goes to the addresses that were judged, though the name has others a moment later (DNS rebinding)', async () => {
    let asked = 0
    internet.addresses = async () => (asked++ === 0 ? [publicAddress] : ['127.0.0.1'])
    await documentsOf().read(clientId, 'here')
    expect([internet.resolved.length, internet.targets.map(({ addresses }) => addresses)]).toEqual([
      1,
      [[publicAddress]],
    ])
  })

  it('is made without asking a resolver, and as the host', async () => {
    const hello = Promise.withResolvers<string>()
    const listener = createTcpServer((socket) => {
      socket.once('data', (data) => {
        hello.resolve(Buffer.from(data).toString('latin1'))
        socket.destroy()
      })
    })
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve))
    // The name has no address at all (RFC 6761, 6.4).
    const target = { host: 'client.invalid', port: (listener.address() as AddressInfo).port, addresses: ['127.0.0.1'] }
    const socket = connectTls(target)
    const ended = new Promise<Error>((resolve) => socket.once('error', resolve))
    const first = await hello.promise
    expect(first.charCodeAt(0)).toBe(22)
    expect(first).toContain('client.invalid')
    expect(await ended).toBeInstanceOf(Error)
    listener.close()
  })

  it('is one request without cookies and credentials', async () => {
    await documentsOf().read(clientId, 'here')
    expect(internet.requests).toEqual([
      {
        method: 'GET',
        url: '/oauth/client.json',
        headers: {
          host: 'inkwell.example.org',
          accept: 'application/json',
          'accept-encoding': 'identity',
          connection: 'close',
        },
      },
    ])
  })

  it('that fails is a reason, and no crash', async () => {
    internet.connect = () => connectTcp(1, '127.0.0.1')
    expect(await reasonOf()).toBe('The document could not be fetched.')
    internet.connect = () => {
      throw new Error('no more sockets')
    }
    expect(await reasonOf()).toBe('The document could not be fetched.')
  })
})

describe('an answer is refused', () => {
  const statuses: readonly (readonly [number, string])[] = [
    [204, 'The document is not there (status 204).'],
    [206, 'The document is not there (status 206).'],
    [304, 'The document is not there but leads elsewhere.'],
    [404, 'The document is not there (status 404).'],
    [500, 'The document is not there (status 500).'],
  ]
  it.each(statuses)('with status %i', async (status, reason) => {
    internet.serve = (_, response) => response.writeHead(status, { 'content-type': 'application/json' }).end()
    expect(await reasonOf()).toBe(reason)
  })

  it.each([301, 302, 303, 307, 308])('that leads elsewhere by %i, and nobody follows', async (status) => {
    internet.serve = (_, response) => response.writeHead(status, { location: 'http://127.0.0.1/other.json' }).end()
    expect(await reasonOf()).toBe('The document is not there but leads elsewhere.')
    expect([internet.requests.length, internet.targets.length]).toEqual([1, 1])
  })

  it.each([
    'text/html',
    'text/plain',
    'application/jsonp',
    'application/javascript',
    'image/svg+xml; application/json',
    '',
  ])('of type "%s"', async (type) => {
    internet.serve = json(good, { 'content-type': type })
    expect(await reasonOf()).toBe('The document is not application/json.')
  })

  it('that is compressed', async () => {
    internet.serve = json(good, { 'content-encoding': 'gzip' })
    expect(await reasonOf()).toBe('The document is compressed.')
  })

  it('that says it is too large, before it is read', async () => {
    internet.serve = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': String(64 * 1024 + 1) })
      response.flushHeaders()
    }
    expect(await reasonOf()).toBe('The document is too large.')
  })

  it('that never ends, when it has become too large', async () => {
    let sent = 0
    internet.serve = async (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json' })
      while (!response.destroyed) {
        sent += 8192
        response.write(' '.repeat(8192))
        await wait(1)
      }
    }
    expect(await reasonOf()).toBe('The document is too large.')
    await wait(20)
    expect(sent).toBeLessThan(64 * 1024 * 20)
  })

  it.each<readonly [string, () => void]>([
    [
      'name',
      () => {
        internet.addresses = () => new Promise(() => {})
      },
    ],
    [
      'head',
      () => {
        internet.serve = () => {}
      },
    ],
    [
      'body',
      () => {
        internet.serve = async (_, response) => {
          response.writeHead(200, { 'content-type': 'application/json' })
          while (!response.destroyed) {
            response.write(' ')
            await wait(10)
          }
        }
      },
    ],
  ])('whose %s takes too long', async (_, prepare) => {
    prepare()
    expect(await reasonOf({ milliseconds: 150, bytes: 65_536 })).toBe('The document took too long to come.')
  })

  it('that breaks off', async () => {
    internet.serve = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '500' })
      response.write(JSON.stringify(good), () => response.destroy())
    }
    expect(await reasonOf()).toBe('The document could not be fetched.')
  })

  it.each([
    ['no JSON', '{"client_id"', 'is not valid JSON'],
    ['not UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'is not valid JSON'],
    ['null', 'null', 'belongs to another address'],
    ['a list', [good], 'belongs to another address'],
  ])('that is %s', async (_, content, reason) => {
    internet.serve = json(content)
    expect(await reasonOf()).toBe(`The document ${reason}.`)
  })
})

describe('a document is refused', () => {
  it.each<readonly [string, object, string]>([
    ['without its id', { client_id: undefined }, 'belongs to another address'],
    ['with the id of another', { client_id: 'https://other.example.org/client.json' }, 'belongs to another address'],
    ['whose id differs by a slash', { client_id: `${clientId}/` }, 'belongs to another address'],
    ['whose id differs by case', { client_id: clientId.toUpperCase() }, 'belongs to another address'],
    ['with a secret', { client_secret: 'tkcl_secret' }, 'gives its secret away'],
    [
      'with secret authentication',
      { token_endpoint_auth_method: 'client_secret_basic' },
      'asks for a way of authentication that is not known here',
    ],
    [
      'with keys of its own',
      { token_endpoint_auth_method: 'private_key_jwt' },
      'asks for a way of authentication that is not known here',
    ],
    ['without redirect URIs', { redirect_uris: [] }, 'redirect_uris names at least one address'],
    ['with a redirect to plain http', { redirect_uris: ['http://inkwell.example.org/back'] }, 'a redirect URI uses'],
    ['with a redirect that runs code', { redirect_uris: ['javascript:alert(1)'] }, 'a redirect URI cannot use'],
    [
      'with eleven redirects',
      { redirect_uris: Array.from({ length: 11 }, (_, n) => `${callback}/${n}`) },
      'at most 10',
    ],
    ['without the code flow', { grant_types: ['client_credentials'] }, 'grant_types holds authorization_code'],
    ['with a name that is no text', { client_name: 5 }, 'client_name'],
  ])('%s', async (_, change, reason) => {
    internet.serve = json({ ...good, ...change })
    expect(await reasonOf()).toContain(reason)
  })

  it('is described by what counts of it, with a name fit to be shown', async () => {
    const { token_endpoint_auth_method: _, ...rest } = good
    internet.serve = json({ ...rest, client_name: 'Ink\u202ewell\n', logo_uri: 'http://127.0.0.1/logo.png', extra: 1 })
    expect(await documentsOf().read(clientId, 'here')).toEqual({
      clientId,
      name: 'Inkwell',
      redirectUris: good.redirect_uris,
    })
    expect(internet.requests).toHaveLength(1)
  })
})

describe('a document is kept', () => {
  const minute = 60_000
  it.each<readonly [string, Readonly<Record<string, string>>, number]>([
    ['5 minutes where nothing is said', {}, 5],
    ['5 minutes at least', { 'cache-control': 'max-age=10' }, 5],
    ['5 minutes although it should not be', { 'cache-control': 'no-store, max-age=3600' }, 5],
    ['as long as it says', { 'cache-control': 'public, max-age=3600' }, 60],
    ['less where it is old already', { 'cache-control': 'max-age=3600', age: '1800' }, 30],
    ['a day at most', { 'cache-control': 'max-age=999999999' }, 24 * 60],
    ['5 minutes where what it says makes no sense', { 'cache-control': 'max-age=soon', age: 'x' }, 5],
  ])('%s', async (_, headers, minutes) => {
    const clock = fixedClock()
    const documents = documentsOf(undefined, clock)
    internet.serve = json(good, headers)
    await documents.read(clientId, 'here')
    clock.advance(minutes * minute - 1)
    await documents.read(clientId, 'here')
    expect(internet.requests).toHaveLength(1)
    clock.advance(1)
    internet.serve = json({ ...good, client_name: 'Inkwell 2' }, headers)
    expect((await documents.read(clientId, 'here')).name).toBe('Inkwell 2')
    expect(internet.requests).toHaveLength(2)
  })

  it('for a minute where it cannot be used', async () => {
    const clock = fixedClock()
    const documents = documentsOf(undefined, clock)
    internet.serve = json('{')
    await expect(documents.read(clientId, 'here')).rejects.toThrow(PageError)
    internet.serve = json(good)
    await expect(documents.read(clientId, 'there')).rejects.toThrow(PageError)
    expect(internet.requests).toHaveLength(1)
    clock.advance(minute)
    expect((await documents.read(clientId, 'here')).name).toBe('Inkwell')
  })

  it('and asked for once by whoever needs it at the same time', async () => {
    const documents = documentsOf()
    const all = await Promise.all(Array.from({ length: 10 }, () => documents.read(clientId, 'here')))
    expect([new Set(all.map(({ name }) => name)), internet.requests.length]).toEqual([new Set(['Inkwell']), 1])
  })

  it('for the 200 that were asked for last', async () => {
    const documents = documentsOf()
    internet.serve = (request, response) => json({ ...good, client_id: idOf(request.url) })(request, response)
    const idOf = (path = ''): string => `https://inkwell.example.org${path}`
    for (let n = 0; n < 201; n++) await documents.read(idOf(`/${n}`), `place ${n}`)
    await documents.read(idOf('/200'), 'here')
    expect(internet.requests).toHaveLength(201)
    await documents.read(idOf('/0'), 'here')
    expect(internet.requests).toHaveLength(202)
  })

  it('so that one place cannot have us fetch without end', async () => {
    const documents = documentsOf()
    internet.serve = (_, response) => response.writeHead(404).end()
    for (let n = 0; n < 20; n++) {
      await expect(documents.read(`${clientId}?${n}`, 'here')).rejects.toThrow(PageError)
    }
    await expect(documents.read(`${clientId}?20`, 'here')).rejects.toMatchObject({ status: 429 })
    expect(internet.requests).toHaveLength(20)
    await expect(documents.read(`${clientId}?20`, 'there')).rejects.toThrow(PageError)
    expect(internet.requests).toHaveLength(21)
  })
})

function documentsOf(
  bounds?: { milliseconds: number; bytes: number },
  clock: TestClock = fixedClock(),
): ClientDocuments {
  return createClientDocuments({
    network: internet,
    limits: createCallLimits(),
    log: { warn() {} },
    clock,
    ...(bounds ? { bounds } : {}),
  })
}

/** Why the page says that the document of our client cannot be used. */
async function reasonOf(bounds?: { milliseconds: number; bytes: number }): Promise<string> {
  const error = await documentsOf(bounds)
    .read(clientId, 'here')
    .catch((thrown: unknown) => thrown)
  if (!(error instanceof PageError)) throw new Error(`no refusal: ${String(error)}`)
  return /^.*?[.](?= Ask who)/.exec(error.advice)?.[0] ?? error.advice
}
