import { lookup as standardLookup } from 'node:dns'
import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { networkInterfaces } from 'node:os'
import { Readable } from 'node:stream'
import { isLoopback, type Reach, whyNotCalled } from './addresses.ts'

export interface FetchRules {
  readonly reach: Reach
  /** An answer that is longer is cut off. */
  readonly mostBytes: number
  /** Until the connection stands, TLS included. */
  readonly connectMs: number
  /** Ports on which this server itself listens: nobody calls it by way of it. */
  ownPorts(): readonly number[]
  /** Asks for all addresses of a name; tests have their own. */
  readonly lookup?: LookupFunction
  /** Told each address that it may be connected to. */
  onAddress?(address: string): void
  /** Told when the request is on its way: from here on it may have cost something. */
  onSent?(): void
}

const codes = {
  ADDRESS_REFUSED: 'the address is not called',
  REDIRECT_REFUSED: 'the provider leads elsewhere',
  ANSWER_TOO_LARGE: 'the answer is too large',
  ANSWER_UNEXPECTED: 'the answer is of another kind',
  CONNECT_TIMEOUT: 'no connection in time',
  LIBRARY_FAILED: 'the client library does not start',
} as const

/** The guard ended a request. `why` is a sentence for people, where there is more to say than its code. */
export class GuardError extends Error {
  override readonly name = 'GuardError'
  readonly code: keyof typeof codes
  readonly why: string | null

  constructor(code: keyof typeof codes, why: string | null = null) {
    super(codes[code])
    this.code = code
    this.why = why
  }
}

/**
 * `fetch` for one provider, over node:http and node:https:
 *
 * 1. an address that is given as a number is judged as it stands, since it is never looked up
 * 2. a name is looked up once, every address that it has is judged, and the connection goes to those very addresses
 * 3. nothing follows a redirect: the key and the prompt would go along
 * 4. no agent and no proxy of the environment: what was judged is what is connected to
 * 5. bytes are counted, the kind of the answer is looked at, and nothing is decompressed
 */
export function guardedFetch(rules: FetchRules): typeof fetch {
  return async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input)
    const { method = 'GET', body = null, signal } = init
    if (body !== null && typeof body !== 'string') throw new Error('only text is sent to a provider')
    const headers = { ...Object.fromEntries(new Headers(init.headers)), 'accept-encoding': 'identity' }
    const response = await responseOf(rules, url, { method, headers, signal: signal ?? undefined }, body)
    try {
      refuseUnexpected(response, body)
    } catch (error) {
      response.destroy()
      throw error
    }
    const status = response.statusCode ?? 0
    const isEmpty = status === 204 || status === 205
    return new Response(isEmpty ? null : counted(response, rules.mostBytes), {
      status,
      statusText: response.statusMessage ?? '',
      headers: Object.entries(response.headers).flatMap(([name, value]): [string, string][] =>
        value === undefined ? [] : [[name, String(value)]],
      ),
    })
  }
}

async function responseOf(
  rules: FetchRules,
  url: URL,
  options: Pick<RequestOptions, 'method' | 'headers' | 'signal'>,
  body: string | null,
): Promise<IncomingMessage> {
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '')
  const judge = (address: string): void => {
    const why = whyNotCalled(address, rules.reach, url.protocol) ?? whyOurs(address, Number(url.port), rules.ownPorts())
    if (why !== null) throw new GuardError('ADDRESS_REFUSED', why)
    rules.onAddress?.(address)
  }
  if (isIP(host) !== 0) judge(host)
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest
  const outgoing = send(url, { ...options, agent: false, lookup: judgedLookup(rules.lookup ?? standardLookup, judge) })
  const late = setTimeout(() => outgoing.destroy(new GuardError('CONNECT_TIMEOUT')), rules.connectMs)
  outgoing.once('socket', (socket) => {
    socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
      clearTimeout(late)
      rules.onSent?.()
    })
  })
  outgoing.once('response', resolve)
  outgoing.once('close', () => clearTimeout(late))
  outgoing.on('error', reject)
  outgoing.end(body ?? undefined)
  return promise
}

/** Every address of the name is judged, and that very list is handed on. */
function judgedLookup(lookup: LookupFunction, judge: (address: string) => void): LookupFunction {
  return (host, options, done) => {
    lookup(host, { ...options, all: true }, (error, found) => {
      if (error !== null) return done(error, [])
      const addresses = typeof found === 'string' ? [{ address: found, family: isIP(found) }] : found
      try {
        for (const { address } of addresses) judge(address)
        if (addresses.length === 0) throw new GuardError('ADDRESS_REFUSED', 'Its name leads to nothing.')
      } catch (refused) {
        return done(refused as NodeJS.ErrnoException, [])
      }
      const [first] = addresses
      if (options.all === true) done(null, addresses)
      else done(null, first?.address ?? '', first?.family)
    })
  }
}

function whyOurs(address: string, port: number, ownPorts: readonly number[]): string | null {
  if (!ownPorts.includes(port)) return null
  const own = Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map((entry) => entry.address))
  return isLoopback(address) || own.includes(address) ? 'Its address is that of this server itself.' : null
}

function refuseUnexpected({ statusCode = 0, headers }: IncomingMessage, body: string | null): void {
  if (statusCode >= 300 && statusCode < 400) {
    throw new GuardError(
      'REDIRECT_REFUSED',
      'It sends us on to another address. Put in the address that it really has.',
    )
  }
  if (statusCode < 200 || statusCode > 599) throw new GuardError('ANSWER_UNEXPECTED')
  const isStream = body?.includes('"stream":true') === true
  const kind = isStream ? /^text\/event-stream\b/i : /^application\/json\b/i
  // A fault is told in any form.
  if (statusCode === 200 && !kind.test(headers['content-type'] ?? '')) {
    throw new GuardError('ANSWER_UNEXPECTED', 'What answers there does not speak this API. Is the address right?')
  }
  if ((headers['content-encoding'] ?? 'identity') !== 'identity') throw new GuardError('ANSWER_UNEXPECTED')
}

function counted(response: IncomingMessage, mostBytes: number): ReadableStream {
  let size = 0
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      size += chunk.byteLength
      if (size > mostBytes) controller.error(new GuardError('ANSWER_TOO_LARGE'))
      else controller.enqueue(chunk)
    },
  })
  return (Readable.toWeb(response) as ReadableStream).pipeThrough(counter)
}
