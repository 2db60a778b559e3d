import type { Socket } from 'node:net'
import { type LanListener, openLanListener } from './lan-listener.ts'
import type { MdnsParts, NamedPlace, PublishedName } from './mdns.ts'
import type { Network, NetworkKind } from './networks.ts'

/** A way into this server from another device, open or not. */
export interface Entrance {
  readonly interfaceName: string
  readonly kind: NetworkKind
  readonly address: string
  /** What a phone opens; null while nothing listens there. */
  readonly url: string | null
  /** Why nothing listens there, for people; null where nothing has to. */
  readonly problem: string | null
}

export interface LanState {
  readonly entrances: readonly Entrance[]
  /** `talekeeper.local`; null while there is none. */
  readonly name: string | null
  readonly nameProblem: string | null
}

export interface LanAccess {
  /** Opens and closes what has to be by now. `spared` may finish what it is at. Settles when it is so. */
  apply(spared?: string): Promise<void>
  state(): LanState
  stop(): Promise<void>
}

export interface LanAccessParts {
  /** Whether other devices may come in now. */
  isOpen(): boolean
  /** False where the environment, or being in a container, says where the server listens: there is nothing to open then. */
  readonly isManaged: boolean
  /** Where the main listener listens; null before it does. */
  main(): { readonly host: string; readonly port: number } | null
  readonly scheme: 'http' | 'https'
  readonly hostname: string
  /** The port was named by the user: another one is no choice. */
  readonly portIsFixed: boolean
  readonly mostConnections: number
  accept(socket: Socket): void
  /** Those that this machine is on now, the likeliest to have phones first. */
  networks(): readonly Network[]
  /** Null: the server is to have no name. */
  readonly publish: ((parts: MdnsParts) => PublishedName) | null
  readonly log: { info(facts: object, message: string): void; warn(facts: object, message: string): void }
  /** How often networks are looked for while others may come in, in milliseconds. */
  readonly everyMs?: number
  onNameChange?(): void
}

const portsTried = 10
const everywhere: ReadonlySet<string> = new Set(['0.0.0.0', '::'])

/**
 * The door to the networks at hand. Loopback is always open and none of its business; each local network gets a listener of
 * its own while others may come in, so that a network which comes or goes, and one on which the port is taken, changes
 * nothing for the rest. VPNs and networks of other programs stay closed.
 */
export function createLanAccess(parts: LanAccessParts): LanAccess {
  const { log, everyMs = 5000 } = parts
  const listeners = new Map<string, LanListener>()
  const problems = new Map<string, string>()
  let published: PublishedName | null = null
  let publishedFor = ''
  let timer: NodeJS.Timeout | undefined
  let queue: Promise<void> = Promise.resolve()
  let stopped = false

  const mayOpen = (): boolean => !stopped && parts.isOpen() && parts.main() !== null
  /** The port on which this address is listened on now. */
  const portOn = (address: string): number | undefined => {
    const main = parts.main()
    if (main !== null && mayOpen() && (everywhere.has(main.host) || main.host === address)) return main.port
    return listeners.get(address)?.port
  }
  const settle = async (spared: string | undefined): Promise<void> => {
    const near = mayOpen() ? parts.networks().filter(({ kind }) => kind === 'lan') : []
    const wanted = parts.isManaged ? near : []
    const addresses = new Set(wanted.map(({ address }) => address))
    for (const address of problems.keys()) if (!addresses.has(address)) problems.delete(address)
    const gone = [...listeners.values()].filter(({ address }) => !addresses.has(address))
    for (const listener of gone) {
      listeners.delete(listener.address)
      await listener.close(spared)
      log.info({ address: listener.address, port: listener.port }, 'no longer open to this network')
    }
    for (const { address } of wanted) if (!listeners.has(address)) await open(address)
    await publish(near)
  }
  const open = async (address: string): Promise<void> => {
    const port = parts.main()?.port ?? 0
    const tries = parts.portIsFixed ? 1 : portsTried
    const { mostConnections, accept } = parts
    try {
      const listener = await openLanListener({ address, port, tries, mostConnections, accept })
      listeners.set(address, listener)
      problems.delete(address)
      log.info({ address, port: listener.port }, 'open to this network')
    } catch (error) {
      const problem = whyClosed(error as NodeJS.ErrnoException, address, port, tries)
      if (problems.get(address) !== problem) log.warn({ err: error, address, port }, problem)
      problems.set(address, problem)
    }
  }
  const publish = async (near: readonly Network[]): Promise<void> => {
    if (parts.publish === null) return
    const places = near.flatMap((network): NamedPlace[] => {
      const port = portOn(network.address)
      return port === undefined ? [] : [{ network, port }]
    })
    const key = JSON.stringify(places.map(({ network, port }) => [network.address, network.prefix, port]))
    if (key === publishedFor) return
    publishedFor = key
    await published?.close()
    const { scheme, hostname } = parts
    const onChange = (): void => {
      const [name, problem] = [published?.name() ?? null, published?.problem() ?? null]
      if (problem !== null) log.warn({}, problem)
      else log.info({ name }, 'found in the network by this name')
      parts.onNameChange?.()
    }
    published = places.length === 0 ? null : parts.publish({ places, scheme, hostname, onChange })
    parts.onNameChange?.()
  }
  const apply = (spared?: string): Promise<void> => {
    const done = queue.then(() => settle(spared))
    queue = done.catch((error: unknown) => log.warn({ err: error }, 'the networks could not be looked at'))
    clearInterval(timer)
    if (!stopped && parts.isOpen()) {
      timer = setInterval(() => void apply(), everyMs)
      timer.unref()
    }
    return done
  }

  return {
    apply,
    state() {
      const entrances = parts.networks().map(({ interfaceName, kind, address }): Entrance => {
        const port = portOn(address)
        const url = port === undefined ? null : urlOf(parts.scheme, address, port)
        return { interfaceName, kind, address, url, problem: problems.get(address) ?? null }
      })
      return { entrances, name: published?.name() ?? null, nameProblem: published?.problem() ?? null }
    },
    async stop() {
      stopped = true
      clearInterval(timer)
      await apply()
    },
  }
}

function whyClosed(error: NodeJS.ErrnoException, address: string, port: number, tries: number): string {
  const ports = tries === 1 ? `Port ${port} is` : `The ports ${port} to ${port + tries - 1} are`
  switch (error.code) {
    case 'EADDRINUSE':
      return `${ports} taken on ${address} by another program. End that program, or choose another PORT; it is tried again by itself.`
    case 'EADDRNOTAVAIL':
      return `The network of ${address} has just gone. It is tried again by itself.`
    case 'EACCES':
      return `The system does not let Talekeeper listen on port ${port} of ${address}. Choose a PORT above 1023.`
    default:
      return `Talekeeper cannot listen on ${address}: ${error.code ?? error.message}. It is tried again by itself.`
  }
}

/** Without the port where the scheme implies it. */
export function urlOf(scheme: 'http' | 'https', host: string, port: number): string {
  return new URL(`${scheme}://${host}:${port}`).origin
}
