import { setTimeout as delay } from 'node:timers/promises'
import type { Answer, Packet, Question } from 'dns-packet'
import createMulticastDns, { type MulticastDNS } from 'multicast-dns'
import { isOn, type Network } from './networks.ts'

/** A port of this server on a network. */
export interface NamedPlace {
  readonly network: Pick<Network, 'address' | 'prefix'>
  readonly port: number
}

/** A name by which a server is found without numbers (RFC 6762), for as long as it is published. */
export interface PublishedName {
  /** `talekeeper.local`, or with a number where another has that; null while none could be had. */
  name(): string | null
  /** Why there is none, for people. */
  problem(): string | null
  /** Takes the name back, so that nobody remembers it. */
  close(): Promise<void>
}

export interface MdnsParts {
  readonly places: readonly NamedPlace[]
  readonly scheme: 'http' | 'https'
  /** What tells this machine's server apart in lists of services. */
  readonly hostname: string
  /** Told when the name is there, is gone or is another one. */
  onChange(): void
  /** Tests stay away from the port of all others. */
  readonly udpPort?: number
}

const wanted = 'talekeeper'
const names = [wanted, ...Array.from({ length: 8 }, (_, index) => `${wanted}-${index + 2}`)].map(
  (name) => `${name}.local`,
)
/** RFC 6762, 8.1: three questions, a quarter of a second apart. */
const probes = 3
const probeMs = 250
/** RFC 6762, section 10: of what holds an address. */
const ttl = 120
/** RFC 6762, section 6.7: who asks from another port keeps an answer for a moment only. */
const legacyTtl = 10

/**
 * Publishes a name of this server on some networks. It asks first whether somebody else has the name, and takes another one
 * then; also when somebody turns up with it later. Nothing that goes wrong with it matters to the server: it says so and is quiet.
 */
export function publishName({ places, scheme, hostname, onChange, udpPort = 5353 }: MdnsParts): PublishedName {
  const own = new Set(places.map(({ network }) => network.address))
  const links = places.map((place) => ({ ...place, socket: open(place, udpPort) }))
  const closing = new AbortController()
  let name: string | null = null
  let problem: string | null = null
  let at = 0

  const change = (next: string | null, why: string | null): void => {
    if (name === next && problem === why) return
    name = next
    problem = why
    if (!closing.signal.aborted) onChange()
  }
  const isTheirs = (packet: Packet, asked: string): boolean =>
    [...(packet.answers ?? []), ...(packet.additionals ?? [])].some(
      (record) => record.type === 'A' && isSame(record.name, asked) && !own.has(record.data),
    )

  const claim = async (): Promise<void> => {
    for (; at < names.length; at += 1) {
      const next = names[at] as string
      if (await isFree(next)) {
        change(next, null)
        await announce(ttl)
        return
      }
    }
    change(null, `Every name from ${names[0]} to ${names.at(-1)} is taken on this network. Use the address in numbers.`)
  }
  const isFree = async (asked: string): Promise<boolean> => {
    let taken = false
    const look = (packet: Packet): void => {
      taken ||= isTheirs(packet, asked)
    }
    for (const { socket } of links) socket.on('response', look)
    try {
      for (let probe = 0; probe < probes && !taken; probe += 1) {
        for (const { socket } of links) socket.query([{ name: asked, type: 'ANY' as never }])
        await delay(probeMs, undefined, { signal: closing.signal })
      }
      return !taken
    } finally {
      for (const { socket } of links) socket.off('response', look)
    }
  }
  const announce = async (seconds: number): Promise<void> => {
    const mine = name
    if (mine === null) return
    await Promise.all(
      links.map(
        ({ socket, ...place }) =>
          // A cable that was pulled: nobody is there to be told.
          new Promise<void>((resolve) => {
            socket.respond({ answers: recordsOf(place, mine, seconds) }, () => resolve())
          }),
      ),
    )
  }
  const recordsOf = ({ network, port }: NamedPlace, mine: string, seconds: number): Answer[] => {
    const service = `_${scheme}._tcp.local`
    const instance = `Talekeeper on ${hostname.split('.')[0]} (${port}).${service}`
    return [
      { name: mine, type: 'A', ttl: seconds, flush: true, data: network.address },
      { name: '_services._dns-sd._udp.local', type: 'PTR', ttl: seconds, data: service },
      { name: service, type: 'PTR', ttl: seconds, data: instance },
      { name: instance, type: 'SRV', ttl: seconds, flush: true, data: { target: mine, port, priority: 0, weight: 0 } },
      { name: instance, type: 'TXT', ttl: seconds, flush: true, data: ['path=/'] },
    ]
  }
  const answersTo = (question: Question, records: readonly Answer[], mine: string): readonly Answer[] => {
    const type = String(question.type)
    const found = records.filter((each) => isSame(each.name, question.name) && (type === 'ANY' || type === each.type))
    // There is no IPv6 address: who hears that does not wait for one (RFC 6762, section 6.1).
    if (found.length > 0 || !isSame(question.name, mine)) return found
    return [{ name: mine, type: 'NSEC', ttl, flush: true, data: { nextDomain: mine, rrtypes: ['A'] } }]
  }

  for (const { socket, ...place } of links) {
    socket.on('query', (packet, sender) => {
      if (name === null || !isOn(place.network, sender.address)) return
      const mine = name
      const isLegacy = sender.port !== udpPort
      const records = recordsOf(place, mine, isLegacy ? legacyTtl : ttl)
      const questions = packet.questions ?? []
      const answers = questions.flatMap((question) => answersTo(question, records, mine))
      if (answers.length === 0) return
      const additionals = answers.some(({ type }) => type === 'PTR') ? records.filter(({ type }) => type !== 'PTR') : []
      if (isLegacy) socket.respond({ id: packet.id ?? 0, questions, answers, additionals } as never, sender)
      else socket.respond({ answers, additionals } as never)
    })
    socket.on('response', (packet) => {
      if (name === null || !isTheirs(packet, name)) return
      at += 1
      change(null, 'Another device has taken the name. A new one is being looked for.')
      void claim().catch(() => {})
    })
    socket.on('error', (error) =>
      change(
        null,
        `The name in the network is off: port ${udpPort} cannot be used (${codeOf(error)}). Use the address in numbers.`,
      ),
    )
  }
  void claim().catch(() => {})
  return {
    name: () => name,
    problem: () => problem,
    async close() {
      closing.abort()
      await announce(0)
      await Promise.all(links.map(({ socket }) => new Promise<void>((resolve) => socket.destroy(resolve))))
    },
  }
}

function open({ network }: NamedPlace, port: number): MulticastDNS {
  // Bound to all: on Linux a socket that is bound to one address hears no multicast.
  const socket = createMulticastDns({ interface: network.address, bind: '0.0.0.0', port })
  socket.setMaxListeners(0)
  return socket
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}

function codeOf(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? String(error)
}
