import { type IncomingMessage, request } from 'node:http'
import type { Load, Target } from './load.ts'
import type { Measure } from './measures.ts'
import { type Running, residentMiB } from './programs.ts'

/** What became of requests that were sent at a steady pace. */
export interface Sent extends Pick<Load, 'latencies'> {
  /** One line for each request that got no answer, or another than was expected. */
  readonly failures: readonly string[]
}

/**
 * Sends a request every so many milliseconds until it is stopped, each on a connection of its own. Whether earlier ones
 * were answered makes no difference: a server that stands still is asked on, as by people who know nothing of it.
 */
export function steadily(everyMs: number, target: Target, expected: number): { stop(): Promise<Sent> } {
  const asked: Promise<Answered>[] = []
  const timer = setInterval(() => asked.push(ask(target)), everyMs)
  return {
    async stop() {
      clearInterval(timer)
      const answers = await Promise.all(asked)
      return {
        latencies: Float64Array.from(answers, ({ milliseconds }) => milliseconds).sort(),
        failures: answers.filter(({ status }) => status !== String(expected)).map(({ status }) => status),
      }
    },
  }
}

export interface Answered {
  /** The status in digits, or what went wrong with the connection. */
  readonly status: string
  readonly milliseconds: number
}

/** Sends one request on a connection of its own and reads the answer to its end. Never rejects. */
export function ask({ host, port, path, headers, body }: Target): Promise<Answered> {
  const started = performance.now()
  const method = body === undefined ? 'GET' : 'POST'
  const { promise, resolve } = Promise.withResolvers<string>()
  const sending = request({ host, port, path, method, headers, agent: false }, (response) => {
    response.resume()
    response.once('close', () => resolve(response.complete ? String(response.statusCode) : 'half an answer'))
  })
  sending.once('error', (error) => resolve(error.message))
  sending.end(body)
  return promise.then((status) => ({ status, milliseconds: performance.now() - started }))
}

/** An open stream of live events. */
export interface LiveStream {
  /** Resolves when it ends: whether that was an orderly end. */
  readonly ended: Promise<boolean>
}

/** Opens it and resolves when it has begun. */
export async function openStream({ host, port, path, headers }: Target): Promise<LiveStream> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request({ host, port, path, headers, agent: false }, resolve).once('error', reject).end()
  })
  if (response.statusCode !== 200) throw new Error(`a live stream was answered with ${response.statusCode}`)
  response.resume()
  const ended = new Promise<boolean>((resolve) => {
    response.once('error', () => resolve(false))
    response.once('close', () => resolve(response.complete))
  })
  return { ended }
}

/** How many requests and streams broke, and how; a budget of none. */
export function failuresOf(name: string, failures: readonly string[], sent: string): Measure {
  const told = failures.length === 0 ? '' : `: ${Array.from(new Set(failures)).join(', ')}`
  return { name, value: failures.length, unit: '', budget: { most: 0 }, detail: `of ${sent}${told}` }
}

export interface MemoryWatch {
  /** Ends it, and says how many MiB the server had at most above what it had at the beginning. */
  end(): Pick<Measure, 'value' | 'detail'>
}

export function watchMemory({ child }: Running): MemoryWatch {
  const before = residentMiB(child)
  let most = before ?? 0
  const timer = setInterval(() => {
    most = Math.max(most, residentMiB(child) ?? 0)
  }, 20)
  return {
    end() {
      clearInterval(timer)
      const detail = `from ${before?.toFixed(0)} to ${most.toFixed(0)} MiB resident`
      return { value: before === undefined ? null : most - before, detail }
    },
  }
}
