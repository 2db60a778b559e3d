import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { type NetworkKind, networksOf } from '../../src/network/networks.ts'
import { createPhoneChecks } from '../../src/network/phone-check.ts'
import { fixedClock, startServer, type TestServer } from '../support/server.ts'
import { dial, hasManyLoopbacks, listens, occupy, type TestNetworks, testNetworks } from './surroundings.ts'

const keeper = { username: 'ellen', password: 'a lantern in the orchard' }

interface House {
  readonly server: TestServer
  readonly networks: TestNetworks
  readonly base: string
  readonly port: number
  readonly token: string
  // biome-ignore lint/suspicious/noExplicitAny: answers of every shape
  call(method: string, path: string, body?: unknown, origin?: string): Promise<{ status: number; body: any }>
}

let house: House | undefined
afterEach(async () => {
  await house?.server.stop()
  house = undefined
})

async function openHouse(env: Readonly<Record<string, string>> = {}): Promise<House> {
  const networks = testNetworks()
  networks.connect('127.0.0.2')
  const server = await startServer({ surroundings: networks, env })
  const base = await server.app.listen()
  const send = async (method: string, url: string, body: unknown, headers: Record<string, string>) =>
    fetch(url, {
      method,
      headers: {
        ...headers,
        connection: 'close',
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  const made = await send(
    'POST',
    `${base}/api/v1/auth/setup`,
    { ...keeper, code: server.app.setUpCode() },
    { origin: env.BASE_URL ?? base },
  )
  expect(made.status).toBe(201)
  const minted = await send('POST', `${base}/api/v1/auth/token`, { ...keeper, tokenName: 'test', scope: 'dm' }, {})
  const { token } = (await minted.json()) as { readonly token: string }
  house = {
    server,
    networks,
    base,
    token,
    port: Number(new URL(base).port),
    async call(method, path, body, origin = base) {
      const answer = await send(method, `${origin}/api/v1${path}`, body, { authorization: `Bearer ${token}` })
      return { status: answer.status, body: await answer.json() }
    },
  }
  return house
}

const urlsOf = (body: { readonly addresses: readonly { readonly url: string }[] }) =>
  body.addresses.map(({ url }) => url)

describe.runIf(hasManyLoopbacks)('the switch for other devices', () => {
  test('is off at first: this computer only', async () => {
    const { call, port } = await openHouse()
    expect(await listens('127.0.0.2', port)).toBe(false)
    expect((await call('GET', '/network')).body).toMatchObject({
      lan: false,
      source: 'standard',
      addresses: [],
      nameUrl: null,
      localUrl: `http://127.0.0.1:${port}`,
      closed: [{ address: '127.0.0.2', kind: 'lan', problem: null }],
    })
  })

  test('opens at once, is remembered, and closes at once with every connection from there', async () => {
    const { call, port, server, base, token } = await openHouse()
    const opened = await call('PUT', '/network', { lan: true })
    expect([opened.status, urlsOf(opened.body)]).toEqual([200, [`http://127.0.0.2:${port}`]])
    expect(server.app.settings.states().lan).toMatchObject({ value: true, source: 'chosen' })
    expect((await call('GET', '/network/addresses')).body.addresses).toEqual(opened.body.addresses)

    const idle = await dial('127.0.0.2', port)
    const kept = await dial('127.0.0.2', port)
    kept.socket.write(`GET /healthz HTTP/1.1\r\nhost: 127.0.0.2:${port}\r\n\r\n`)
    await new Promise((resolve) => kept.socket.once('data', resolve))
    const campaign = await call('POST', '/campaigns', { name: 'The Orchard in Winter' })
    const stream = await dial('127.0.0.2', port)
    stream.socket.write(
      `GET /api/v1/campaigns/${campaign.body.id}/events HTTP/1.1\r\nhost: 127.0.0.2:${port}\r\nauthorization: Bearer ${token}\r\n\r\n`,
    )
    await new Promise((resolve) => stream.socket.once('data', resolve))
    await expect.poll(() => server.app.hub.count()).toBe(1)
    const here = await dial('127.0.0.1', port)

    const closed = await call('PUT', '/network', { lan: false })
    expect([closed.status, closed.body.addresses]).toEqual([200, []])
    await Promise.all([idle.ended, kept.ended, stream.ended])
    expect(await listens('127.0.0.2', port)).toBe(false)
    await expect.poll(() => server.app.hub.count()).toBe(0)
    expect(here.socket.destroyed).toBe(false)
    here.socket.destroy()
    expect((await fetch(`${base}/healthz`)).status).toBe(200)

    const again = await call('PUT', '/network', { lan: true })
    expect(urlsOf(again.body)).toEqual([`http://127.0.0.2:${port}`])
    const { items } = (await call('GET', '/audit?operation=set_network')).body
    expect(items.map(({ facts }: { facts: object }) => facts)).toEqual([{ lan: true }, { lan: false }, { lan: true }])
  })

  test('follows the setting whoever changes it', async () => {
    const { call, port } = await openHouse()
    expect((await call('PATCH', '/settings', { lan: true })).status).toBe(200)
    await expect.poll(() => listens('127.0.0.2', port)).toBe(true)
    expect((await call('PATCH', '/settings', { lan: false })).status).toBe(200)
    await expect.poll(() => listens('127.0.0.2', port)).toBe(false)
  })

  test('whoever closes it from a phone hears that it is done', async () => {
    const { call, port, networks } = await openHouse()
    networks.connect('127.0.0.1', { kind: 'virtual' })
    await call('PUT', '/network', { lan: true })
    const fromPhone = await call('PUT', '/network', { lan: false }, `http://127.0.0.2:${port}`)
    expect([fromPhone.status, fromPhone.body.lan]).toEqual([200, false])
    expect(await listens('127.0.0.2', port)).toBe(false)
  })

  test('is an administrator’s, and the environment wins over it', async () => {
    const { call, base } = await openHouse({ HOST: '127.0.0.1' })
    const refused = await call('PUT', '/network', { lan: true })
    expect([refused.status, refused.body.error.message]).toEqual([409, expect.stringContaining('HOST')])
    expect((await call('GET', '/network')).body).toMatchObject({ lan: false, source: 'environment', variable: 'HOST' })
    expect((await fetch(`${base}/api/v1/network`)).status).toBe(401)
  })

  test('HOST for all addresses opens them all, and their addresses are told', async () => {
    const { call, port } = await openHouse({ HOST: '0.0.0.0' })
    expect(await listens('127.0.0.2', port)).toBe(true)
    expect((await call('GET', '/network')).body).toMatchObject({
      lan: true,
      source: 'environment',
      addresses: [{ url: `http://127.0.0.2:${port}`, interfaceName: 'net-127.0.0.2' }],
    })
  })

  test('BASE_URL is the first address of all', async () => {
    const { call } = await openHouse({ BASE_URL: 'https://tale.example.org' })
    expect(urlsOf((await call('GET', '/network')).body)).toEqual(['https://tale.example.org'])
  })
})

describe.runIf(hasManyLoopbacks)('networks', () => {
  test('two of them: both are open, each by its own address; tunnels and other programs’ stay closed', async () => {
    const { call, port, networks } = await openHouse()
    networks.connect('127.0.0.3')
    networks.connect('127.0.0.4', { kind: 'tunnel' })
    networks.connect('127.0.0.5', { kind: 'virtual' })
    const { body } = await call('PUT', '/network', { lan: true })
    expect(urlsOf(body)).toEqual([`http://127.0.0.2:${port}`, `http://127.0.0.3:${port}`])
    expect(body.closed.map(({ kind }: { kind: NetworkKind }) => kind)).toEqual(['tunnel', 'virtual'])
    expect(await listens('127.0.0.4', port)).toBe(false)
  })

  test('one that comes is opened, and one that goes is closed with its connections; the others do not notice', async () => {
    const { call, port, networks } = await openHouse()
    await call('PUT', '/network', { lan: true })
    const first = await dial('127.0.0.2', port)
    networks.connect('127.0.0.3')
    await expect.poll(() => listens('127.0.0.3', port)).toBe(true)
    const second = await dial('127.0.0.3', port)
    networks.disconnect('127.0.0.3')
    await second.ended
    expect(await listens('127.0.0.3', port)).toBe(false)
    expect(urlsOf((await call('GET', '/network')).body)).toEqual([`http://127.0.0.2:${port}`])
    expect(first.socket.destroyed).toBe(false)
    first.socket.destroy()
  })

  test('the port taken on one: a sentence, the rest is served, and it opens when the port is free', async () => {
    const { call, port, networks, server } = await openHouse()
    networks.connect('127.0.0.3')
    const free = await occupy('127.0.0.3', port)
    const { body } = await call('PUT', '/network', { lan: true })
    expect(urlsOf(body)).toEqual([`http://127.0.0.2:${port}`])
    expect(body.closed).toMatchObject([
      { address: '127.0.0.3', problem: expect.stringContaining('by another program') },
    ])
    await delay(100)
    // Once, not with every look.
    expect(server.logs().split('by another program')).toHaveLength(2)
    await free()
    await expect.poll(() => listens('127.0.0.3', port)).toBe(true)
    expect((await call('GET', '/network')).body.closed).toEqual([])
  })

  test('without a port of its own choosing it takes the next free one there', async () => {
    const networks = testNetworks()
    networks.connect('127.0.0.2')
    const server = await startServer({ surroundings: networks, env: { PORT: '' } })
    try {
      const base = await server.app.listen()
      const port = Number(new URL(base).port)
      const free = await occupy('127.0.0.2', port)
      server.app.settings.change({ lan: true })
      const url = () => server.app.access.state().entrances[0]?.url
      await expect.poll(url).toMatch(/^http:\/\/127\.0\.0\.2:\d+$/)
      expect(Number(new URL(url() ?? '').port)).toBeGreaterThan(port)
      await free()
    } finally {
      await server.stop()
    }
  })

  test('an address that is gone before it is listened on: a sentence, nothing else', async () => {
    const { call, networks } = await openHouse()
    networks.connect('192.0.2.77')
    const { status, body } = await call('PUT', '/network', { lan: true })
    expect(status).toBe(200)
    expect(body.closed).toMatchObject([{ address: '192.0.2.77', problem: expect.stringContaining('has just gone') }])
  })
})

test('networks are told apart by name and address, the likeliest first', () => {
  const at = (address: string, cidr = 24) => [
    {
      address,
      netmask: '255.255.255.0',
      family: 'IPv4' as const,
      mac: '',
      internal: false,
      cidr: `${address}/${cidr}`,
    },
  ]
  const found = networksOf({
    lo: [{ address: '127.0.0.1', netmask: '255.0.0.0', family: 'IPv4', mac: '', internal: true, cidr: '127.0.0.1/8' }],
    docker0: at('172.17.0.1'),
    'br-0a1b2c3d4e5f': at('172.18.0.1'),
    tailscale0: at('100.101.102.103'),
    utun4: at('10.8.0.2'),
    'vEthernet (WSL)': at('172.29.16.1'),
    eth9: at('169.254.7.7'),
    eth1: at('203.0.113.9'),
    br0: at('10.0.0.5', 8),
    'Wi-Fi': at('192.168.1.20'),
  })
  expect(found.slice(0, 2).map(({ interfaceName }) => interfaceName)).toEqual(['Wi-Fi', 'br0'])
  expect(Object.fromEntries(found.map(({ interfaceName, kind }) => [interfaceName, kind]))).toEqual({
    'Wi-Fi': 'lan',
    br0: 'lan',
    docker0: 'virtual',
    'br-0a1b2c3d4e5f': 'virtual',
    tailscale0: 'tunnel',
    utun4: 'tunnel',
    'vEthernet (WSL)': 'virtual',
    eth9: 'unconfigured',
    eth1: 'public',
  })
})

describe('whether a phone can come in', () => {
  test('the word is shown to who knocks, for ten minutes, and another check has another word', () => {
    const clock = fixedClock()
    const checks = createPhoneChecks(clock)
    expect([checks.current(), checks.knock('192.168.1.34')]).toEqual([null, null])
    const { word } = checks.begin()
    expect(checks.current()).toMatchObject({ word, knock: null })
    clock.advance(60_000)
    expect(checks.knock('192.168.1.34')).toBe(word)
    expect(checks.current()?.knock).toEqual({ at: clock().toISOString(), address: '192.168.1.34' })
    expect(checks.begin().word).not.toBe(word)
    clock.advance(11 * 60_000)
    expect(checks.current()).toBeNull()
  })

  test('/hello shows it without signing in, and this computer’s own visit does not count', async () => {
    const { server, call, base } = await openHouse()
    const { word } = (await call('POST', '/network/check')).body
    const own = await fetch(`${base}/hello`)
    expect(await own.text()).toContain(word)
    expect((await call('GET', '/network')).body.check.knock).toBeNull()
    const other = await server.app.server.inject({ url: '/hello', remoteAddress: '192.168.1.34' })
    expect([other.statusCode, other.body]).toEqual([200, expect.stringContaining(word)])
    expect(other.headers['content-security-policy']).toContain("default-src 'none'")
    expect((await call('GET', '/network')).body.check.knock).toMatchObject({ address: '192.168.1.34' })
  })
})
