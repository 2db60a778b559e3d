import { connect, type Socket } from 'node:net'

export interface Target {
  readonly host: string
  readonly port: number
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  /** Sent with POST; without it the request is a GET. */
  readonly body?: string
  /** Tokens that take turns under a load: the calls that one may make in a minute are far fewer than a server can answer. */
  readonly bearers?: readonly string[]
}

export interface Load {
  readonly requestsPerSecond: number
  /** Of every request, in milliseconds, sorted. */
  readonly latencies: Float64Array
  /** Of the body of the last answer. */
  readonly bytes: number
}

/**
 * Asks one address over and over, for so many milliseconds or so often, on keep-alive connections of which each has one
 * request under way. It works on sockets, since an HTTP client would be as busy as the server that it measures.
 * Throws when an answer is neither 200 nor 201.
 */
export async function load(
  target: Target,
  connections: number,
  most: number | { readonly requests: number },
): Promise<Load> {
  const latencies: number[] = []
  const seen = { bytes: 0 }
  const started = performance.now()
  const goesOn =
    typeof most === 'number' ? () => performance.now() < started + most : () => latencies.length < most.requests
  const awake = stayAwake()
  await Promise.all(Array.from({ length: connections }, () => one(target, goesOn, latencies, seen))).finally(awake.end)
  const seconds = (performance.now() - started) / 1000
  const sorted = Float64Array.from(latencies).sort()
  return { requestsPerSecond: latencies.length / seconds, latencies: sorted, bytes: seen.bytes }
}

/**
 * Keeps this process from sleeping: on a virtual machine waking it would cost the server, whose answer does that, more
 * than the answer itself.
 */
function stayAwake(): { end(): void } {
  let spinning = true
  const spin = (): void => {
    if (spinning) setImmediate(spin)
  }
  spin()
  return {
    end() {
      spinning = false
    },
  }
}

/** Whose turn it is, of all connections and loads together: were each to begin anew, the first few would use up their calls. */
let turn = 0

function one(target: Target, goesOn: () => boolean, latencies: number[], seen: { bytes: number }): Promise<void> {
  const requests = (target.bearers ?? [null]).map((bearer) => requestBytes(target, bearer))
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const socket: Socket = connect({ host: target.host, port: target.port, noDelay: true })
  let received = ''
  let asked = 0
  const ask = (): void => {
    asked = performance.now()
    socket.write(requests[turn % requests.length] as Buffer)
    turn += 1
  }
  socket.on('connect', ask)
  socket.on('error', reject)
  socket.on('close', () => reject(new Error('the server closed a connection')))
  socket.on('data', (chunk) => {
    received += chunk.toString('latin1')
    const bodyAt = received.indexOf('\r\n\r\n') + 4
    if (bodyAt < 4) return
    const length = /\r\ncontent-length: (\d+)/i.exec(received)?.[1]
    if (!/^HTTP\/1\.1 20[01] /.test(received)) {
      reject(new Error(`an answer that is not counted:\n${received.slice(0, 500)}`))
      socket.destroy()
      return
    }
    // Without a length the answer comes in chunks, the last of which is empty.
    const whole = length === undefined ? received.endsWith('\r\n0\r\n\r\n') : received.length >= bodyAt + Number(length)
    if (!whole) return
    latencies.push(performance.now() - asked)
    seen.bytes = received.length - bodyAt
    received = ''
    if (goesOn()) return ask()
    resolve()
    socket.destroy()
  })
  return promise
}

function requestBytes({ host, port, path, headers: given, body }: Target, bearer: string | null): Buffer {
  const headers = bearer === null ? given : { ...given, authorization: `Bearer ${bearer}` }
  const lines = [
    `${body === undefined ? 'GET' : 'POST'} ${path} HTTP/1.1`,
    `host: ${host}:${port}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body === undefined ? [] : [`content-length: ${Buffer.byteLength(body)}`]),
  ]
  return Buffer.from(`${lines.join('\r\n')}\r\n\r\n${body ?? ''}`)
}

/** The value below which this share of the sorted values lies. */
export function percentile(sorted: Float64Array, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export function median(values: readonly number[]): number {
  return percentile(Float64Array.from(values).sort(), 0.5)
}
