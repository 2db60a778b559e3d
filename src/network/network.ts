import type { Socket } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { FastifyInstance } from 'fastify'
import { limits } from '../kernel/limits.ts'
import { recordChange } from '../kernel/recorded-change.ts'
import type { SettingFacts, Settings } from '../kernel/settings.ts'
import type { System } from '../kernel/system.ts'
import type { AnyTransfer } from '../kernel/transfer.ts'
import { helloPage } from './hello-page.ts'
import { createLanAccess, type LanAccessParts, type LanState, urlOf } from './lan-access.ts'
import { type MdnsParts, type PublishedName, publishName } from './mdns.ts'
import { type Network, networksOf } from './networks.ts'
import { createPhoneChecks } from './phone-check.ts'
import { networkTransfers } from './transfers.ts'

export interface NetworkParts {
  readonly settings: Settings
  system(): System
  clock(): Date
  readonly log: LanAccessParts['log']
  /** What was said before the start. */
  readonly config: {
    /** HOST says where the server listens. */
    readonly hostIsGiven: boolean
    readonly portIsFixed: boolean
    readonly baseUrl: string | null
    readonly tls: object | null
    readonly hostname: string
    readonly settings: { readonly facts: SettingFacts }
  }
  /** Takes callers as the main listener does. */
  accept(socket: Socket): void
  isLoopback(address: string): boolean
  /** By which names the server is found in its networks: they have changed. */
  onNames(names: readonly string[]): void
  readonly surroundings?: Surroundings | undefined
}

/** The networks of this machine; tests have their own. */
export interface Surroundings {
  networks(): readonly Network[]
  readonly publish: ((parts: MdnsParts) => PublishedName) | null
  /** How often networks are looked for, in milliseconds. */
  readonly everyMs?: number
}

export interface NetworkAccess {
  readonly transfers: readonly AnyTransfer[]
  routes(app: FastifyInstance): void
  /** The main listener listens: from here on others may come in, where that is chosen. Settles when they can. */
  start(main: { readonly host: string; readonly port: number }): Promise<void>
  state(): LanState
  stop(): Promise<void>
}

const realSurroundings: Surroundings = { networks: () => networksOf(networkInterfaces()), publish: publishName }

/** Who may come in from the networks at hand: opened and closed while the server runs, as `settings.lan` says. */
export function createNetworkAccess(parts: NetworkParts): NetworkAccess {
  const { config, settings, system, clock, log, accept } = parts
  const { hostIsGiven, portIsFixed, baseUrl, hostname } = config
  const { isContainer } = config.settings.facts
  const scheme = config.tls === null ? 'http' : 'https'
  const { networks, publish, everyMs } = parts.surroundings ?? realSurroundings
  let main: { readonly host: string; readonly port: number } | null = null
  const checks = createPhoneChecks(clock)
  const lan = createLanAccess({
    isOpen: () => settings.get().lan,
    isManaged: !hostIsGiven && !isContainer,
    main: () => main,
    scheme,
    hostname,
    portIsFixed,
    mostConnections: limits.connections,
    accept,
    networks,
    publish: isContainer ? null : publish,
    log,
    ...(everyMs === undefined ? {} : { everyMs }),
    onNameChange: () => parts.onNames([lan.state().name].filter((name) => name !== null)),
  })
  const unwatch = settings.watch((now, before) => {
    if (now.lan !== before.lan) void lan.apply()
  })
  return {
    transfers: networkTransfers({
      lan,
      checks,
      isContainer,
      baseUrl,
      machine: { platform: process.platform, executable: process.execPath },
      setting: () => settings.states().lan,
      localUrl: () => main && urlOf(scheme, '127.0.0.1', main.port),
      choose(actor, reason, chosen) {
        const change = { operation: 'set_network', effect: 'write', reason, facts: { lan: chosen } } as const
        system().transaction((unit) =>
          recordChange(unit, { ...change, by: unit.recheck(actor) }, () => settings.change({ lan: chosen })),
        )
      },
    }),
    routes: (app) => helloPage(app, { checks, isLoopback: parts.isLoopback }),
    async start(listening) {
      main = listening
      await lan.apply()
    },
    state: () => lan.state(),
    async stop() {
      unwatch()
      await lan.stop()
    },
  }
}
