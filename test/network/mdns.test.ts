import { createSocket } from 'node:dgram'
import type { Answer, Packet } from 'dns-packet'
import createMulticastDns, { type MulticastDNS } from 'multicast-dns'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type PublishedName, publishName } from '../../src/network/mdns.ts'

// On the loopback network and on a port of its own, so that nothing of it leaves this machine or meets its real names.

const network = { address: '127.0.0.1', prefix: 8 }
let udpPort: number
let phone: MulticastDNS
const heard: Answer[] = []
const open: { close(): Promise<void> | void }[] = []

beforeEach(async () => {
  udpPort = await freeUdpPort()
  phone = createMulticastDns({ interface: network.address, bind: '0.0.0.0', port: udpPort })
  heard.length = 0
  phone.on('response', ({ answers }) => void heard.push(...(answers ?? [])))
  await new Promise<void>((resolve) => phone.once('ready', () => resolve()))
})
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
  await new Promise<void>((resolve) => phone.destroy(resolve))
})

function publish(port = 8020): PublishedName {
  const parts = { places: [{ network, port }], scheme: 'http', hostname: 'ellen', onChange: () => {}, udpPort } as const
  const published = publishName(parts)
  open.push(published)
  return published
}

/** Another device that has a name already. */
function neighbour(name: string, address: string): MulticastDNS {
  const device = createMulticastDns({ interface: network.address, bind: '0.0.0.0', port: udpPort })
  device.on('query', ({ questions }: Packet) => {
    if (questions?.some((question) => question.name === name))
      device.respond({ answers: [{ name, type: 'A', ttl: 120, data: address }] })
  })
  open.push({ close: () => new Promise<void>((resolve) => device.destroy(resolve)) })
  return device
}

async function ask(name: string, type: 'A' | 'AAAA' | 'PTR' | 'SRV'): Promise<readonly Answer[]> {
  heard.length = 0
  phone.query([{ name, type }])
  await expect.poll(() => heard.length).toBeGreaterThan(0)
  return [...heard]
}

describe.runIf(process.platform === 'linux')('the name in the network', () => {
  test('is announced, answered with the address of that network, and taken back at the end', async () => {
    const published = publish()
    await expect.poll(() => published.name()).toBe('talekeeper.local')
    await expect.poll(() => heard.map(({ type }) => type)).toContain('SRV')
    expect(await ask('Talekeeper.local', 'A')).toMatchObject([{ type: 'A', ttl: 120, flush: true, data: '127.0.0.1' }])
    // It has no other kind of address, and says so: nobody has to wait for one.
    expect((await ask('talekeeper.local', 'AAAA')).map(({ type }) => type)).toEqual(['NSEC'])
    const [pointer] = await ask('_http._tcp.local', 'PTR')
    expect(pointer).toMatchObject({ data: 'Talekeeper on ellen (8020)._http._tcp.local' })
    const [service] = await ask('Talekeeper on ellen (8020)._http._tcp.local', 'SRV')
    expect(service).toMatchObject({ data: { target: 'talekeeper.local', port: 8020 } })
    heard.length = 0
    await published.close()
    await expect.poll(() => heard).toContainEqual(expect.objectContaining({ name: 'talekeeper.local', ttl: 0 }))
  })

  test('a name that another device has is left to it: the next number is taken', async () => {
    neighbour('talekeeper.local', '192.168.1.99')
    neighbour('talekeeper-2.local', '192.168.1.98')
    const published = publish()
    await expect.poll(() => published.name()).toBe('talekeeper-3.local')
    expect(
      heard.filter(({ name, ...rest }) => name === 'talekeeper.local' && 'data' in rest && rest.data === '127.0.0.1'),
    ).toEqual([])
    expect(published.problem()).toBeNull()
  })

  test('a device that turns up with the name later gets it, and another one is found', async () => {
    const published = publish()
    await expect.poll(() => published.name()).toBe('talekeeper.local')
    neighbour('talekeeper.local', '192.168.1.99').respond({
      answers: [{ name: 'talekeeper.local', type: 'A', ttl: 120, data: '192.168.1.99' }],
    })
    await expect.poll(() => published.name()).toBe('talekeeper-2.local')
  })

  test('a second server on this machine shares the name: it is the same address, and the port tells them apart', async () => {
    const first = publish(8020)
    await expect.poll(() => first.name()).toBe('talekeeper.local')
    const second = publish(8021)
    await expect.poll(() => second.name()).toBe('talekeeper.local')
    expect(first.name()).toBe('talekeeper.local')
  })

  test('a port that nobody may share: no name, a sentence, and nothing else happens', async () => {
    await new Promise<void>((resolve) => phone.destroy(resolve))
    const socket = createSocket({ type: 'udp4', reuseAddr: false })
    await new Promise<void>((resolve) => socket.bind(udpPort, '0.0.0.0', resolve))
    open.push({ close: () => new Promise<void>((resolve) => void socket.close(() => resolve())) })
    const published = publish()
    await expect.poll(() => published.problem()).toContain('EADDRINUSE')
    expect(published.name()).toBeNull()
  })
})

async function freeUdpPort(): Promise<number> {
  const socket = createSocket('udp4')
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve))
  const { port } = socket.address()
  await new Promise<void>((resolve) => void socket.close(() => resolve()))
  return port
}
