import { connect, createServer, type Socket } from 'node:net'
import type { Surroundings } from '../../src/network/network.ts'
import type { Network } from '../../src/network/networks.ts'

/** Networks that a test brings up and takes down. */
export interface TestNetworks extends Surroundings {
  connect(address: string, more?: Partial<Network>): void
  disconnect(address: string): void
}

/** Linux has all of 127.0.0.0/8, so each address of it can stand for a network. */
export const hasManyLoopbacks = process.platform === 'linux'

export function testNetworks(): TestNetworks {
  const present = new Map<string, Network>()
  return {
    networks: () => [...present.values()],
    publish: null,
    everyMs: 20,
    connect: (address, more = {}) =>
      void present.set(address, { interfaceName: `net-${address}`, address, prefix: 24, kind: 'lan', ...more }),
    disconnect: (address) => void present.delete(address),
  }
}

/** A connection to an address, open until somebody ends it. Rejects where nothing listens. */
export async function dial(
  address: string,
  port: number,
): Promise<{ readonly socket: Socket; readonly ended: Promise<void> }> {
  const socket = connect({ host: address, port })
  const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()))
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('error', reject)
  })
  socket.on('error', () => {})
  return { socket, ended }
}

/** Whether anything takes calls there. */
export async function listens(address: string, port: number): Promise<boolean> {
  try {
    const { socket, ended } = await dial(address, port)
    socket.destroy()
    await ended
    return true
  } catch {
    return false
  }
}

/** Another program on a port; returns how to end it. */
export async function occupy(address: string, port: number): Promise<() => Promise<void>> {
  const server = createServer()
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host: address, port, exclusive: true }, resolve)
  })
  return () => new Promise((resolve) => server.close(() => resolve()))
}
