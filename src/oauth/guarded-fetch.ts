import { lookup } from 'node:dns/promises'
import { type IncomingMessage, request } from 'node:http'
import { isIP } from 'node:net'
import type { Duplex } from 'node:stream'
import { type ConnectionOptions, connect } from 'node:tls'
import ipaddr from 'ipaddr.js'

/** Where a connection goes: these addresses, as this host. */
export interface Target {
  readonly host: string
  readonly port: number
  readonly addresses: readonly string[]
}

/** The way out to the internet; tests bring their own. */
export interface Network {
  /** All addresses of a host. */
  resolve(host: string): Promise<readonly string[]>
  /** Opens a TLS connection to one of the addresses of the target, and asks no resolver again. */
  connect(target: Target): Duplex
}

export const standardNetwork: Network = {
  async resolve(host) {
    return (await lookup(host, { all: true })).map(({ address }) => address)
  },
  connect: (target) => connectTls(target),
}

/** A TLS connection whose certificate must be the host's, to addresses that were resolved before. */
export function connectTls({ host, port, addresses }: Target, trust: Pick<ConnectionOptions, 'ca'> = {}): Duplex {
  const pinned = addresses.map((address) => ({ address, family: isIP(address) }))
  return connect({
    ...trust,
    host,
    port,
    servername: host,
    rejectUnauthorized: true,
    ALPNProtocols: ['http/1.1'],
    // Whoever answers for the name may answer differently a second time (DNS rebinding): there is no second time.
    lookup: (_, { all }, done) =>
      all === true ? done(null, pinned) : done(null, pinned[0]?.address ?? '', pinned[0]?.family ?? 4),
  })
}

/** What global unicast is allocated from (RFC 4291, 2.4); the library calls all that it has no other name for unicast. */
const globalIpv6 = ipaddr.IPv6.parseCIDR('2000::/3')

/** Whether an address is one of the public internet: not of this machine, of its network, or with another address inside. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.process(address)
  if (parsed.range() !== 'unicast') return false
  return parsed instanceof ipaddr.IPv4 || parsed.match(globalIpv6)
}

export interface Bounds {
  readonly milliseconds: number
  readonly bytes: number
}

const standardBounds: Bounds = { milliseconds: 5000, bytes: 64 * 1024 }

export interface Fetched {
  readonly content: unknown
  readonly headers: IncomingMessage['headers']
}

/** A document that was not fetched. The message completes the sentence "the document ..." and tells nothing of our network. */
export class UnfetchableError extends Error {
  override readonly name = 'UnfetchableError'
}

/**
 * Reads a JSON document of a public https server whose address a stranger named, without becoming their tool (SSRF):
 *
 * 1. the host is resolved once; every address it has must be public
 * 2. the connection goes to one of those addresses and to port 443, with the host's own certificate
 * 3. one request without cookies or credentials; only a 200 counts, and no redirect is followed
 * 4. application/json as it is, of bounded size, all of it within bounded time
 *
 * Throws UnfetchableError.
 */
export async function fetchGuarded(
  url: URL,
  network: Network,
  { milliseconds, bytes }: Bounds = standardBounds,
): Promise<Fetched> {
  const signal = AbortSignal.timeout(milliseconds)
  try {
    const addresses = await unlessAborted(signal, network.resolve(url.hostname))
    if (addresses.length === 0 || !addresses.every(isPublicAddress)) throw new UnfetchableError(nowhere)
    return await read(url, () => network.connect({ host: url.hostname, port: 443, addresses }), signal, bytes)
  } catch (error) {
    if (error instanceof UnfetchableError) throw error
    // One answer for a name that does not exist, so that nobody learns by it which names of a private network do.
    if (isUnresolved(error)) throw new UnfetchableError(nowhere, { cause: error })
    const reason = signal.aborted ? 'took too long to come' : 'could not be fetched'
    throw new UnfetchableError(reason, { cause: error })
  }
}

const nowhere = 'is not on the public internet'

function isUnresolved(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).syscall === 'getaddrinfo'
}

function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    work.then(resolve, reject)
  })
}

async function read(url: URL, createConnection: () => Duplex, signal: AbortSignal, most: number): Promise<Fetched> {
  const outgoing = request({
    createConnection,
    method: 'GET',
    path: url.pathname + url.search,
    headers: { host: url.host, accept: 'application/json', 'accept-encoding': 'identity', connection: 'close' },
    signal,
  })
  try {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      outgoing.once('response', resolve)
      outgoing.on('error', reject)
      outgoing.end()
    })
    requireJson(response)
    const declared = Number(response.headers['content-length'] ?? 0)
    if (declared > most) throw new UnfetchableError('is too large')
    const parts: Buffer[] = []
    let size = 0
    for await (const part of response as AsyncIterable<Buffer>) {
      size += part.length
      if (size > most) throw new UnfetchableError('is too large')
      parts.push(part)
    }
    return { content: parsed(Buffer.concat(parts)), headers: response.headers }
  } finally {
    outgoing.destroy()
  }
}

function requireJson({ statusCode = 0, headers }: IncomingMessage): void {
  if (statusCode >= 300 && statusCode < 400) throw new UnfetchableError('is not there but leads elsewhere')
  if (statusCode !== 200) throw new UnfetchableError(`is not there (status ${statusCode})`)
  if (!/^application\/json\s*(?:;|$)/i.test(headers['content-type'] ?? '')) {
    throw new UnfetchableError('is not application/json')
  }
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') throw new UnfetchableError('is compressed')
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    throw new UnfetchableError('is not valid JSON')
  }
}
