import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'

export interface ListenSettings {
  readonly host: string
  readonly port: number
  /** The user named the port: when it is taken, that is an error and not a reason to look for another. */
  readonly portIsFixed: boolean
}

/** The address for this machine of a server that listens on every interface. */
export function reachable(address: string): string {
  return address.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:')
}

const portsTried = 10

/** Listens; where the port is taken and was not named by the user, on the next free one of ten. Returns the address. */
export async function listenOn(server: FastifyInstance, { host, port, portIsFixed }: ListenSettings): Promise<string> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      await server.listen({ host, port: port === 0 ? 0 : port + attempt })
      const bound = server.server.address() as AddressInfo
      const name = bound.family === 'IPv6' ? `[${bound.address}]` : bound.address
      return `${'key' in server.server ? 'https' : 'http'}://${name}:${bound.port}`
    } catch (error) {
      const taken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
      if (!taken || portIsFixed || attempt + 1 >= portsTried) throw error
    }
  }
}
