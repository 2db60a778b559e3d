import type { WriteEvent } from './connection.ts'
import type { Input, OperationName, Output, Proposal } from './contract.ts'
import type { LookedAs } from './looking.ts'

export interface Detail {
  readonly path: string
  readonly message: string
}

/** An answer that was no success, or no answer at all (`status` 0). Its message may be shown. */
export class CallError extends Error {
  readonly status: number
  readonly code: string
  readonly details: readonly Detail[]

  constructor(status: number, code: string, message: string, details: readonly Detail[] = []) {
    super(message)
    this.name = 'CallError'
    this.status = status
    this.code = code
    this.details = details
  }

  /** The same, said of what stands at `path` in a larger form. */
  within(path: string): CallError {
    const details = this.details.map((detail) => ({ ...detail, path: detail.path ? `${path}.${detail.path}` : path }))
    return new CallError(this.status, this.code, this.message, details)
  }
}

/** What became of a write: done at once, or kept as a proposal for the DM (answer 202). */
export type Written<T> =
  | {
      readonly kind: 'done'
      readonly value: T
      /** The record of what was changed, where this person can take it back (`revert_change`). */
      readonly record?: number
    }
  | { readonly kind: 'proposed'; readonly proposal: Proposal }

export interface Request {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  /** Repeating a write under the same key applies it once; made anew when absent. */
  readonly key?: string
  /** Why, in the writer's words: kept in the history, and shown to the DM with a proposal. */
  readonly reason?: string
  readonly signal?: AbortSignal
  /** Gives up when it has not been answered by then, tries that are repeated included: `AbortSignal.timeout`. */
  readonly limit?: AbortSignal
  /** Takes so long that the first try may still be under way when its answer gets lost: never sent again by itself. */
  readonly once?: boolean
}

export interface Extra extends Pick<Request, 'key' | 'reason' | 'limit'> {
  /**
   * Goes out when all that was sent in turn before it is answered: of two presses on one thing the later one counts, though
   * the first had to be sent again. The wait counts against its limit.
   */
  readonly inTurn?: boolean
}

export interface Client {
  /** Runs a reading operation. Throws CallError. */
  read<K extends OperationName>(name: K, input: Input<K>, signal?: AbortSignal): Promise<Output<K>>
  /** Runs a writing operation once, however often the network stumbles. Throws CallError. */
  write<K extends OperationName>(name: K, input: Input<K>, extra?: Extra): Promise<Written<Output<K>>>
  /** An address that is no operation of the catalogue: sign-in, tokens, backups. Throws CallError. */
  send<T>(request: Request): Promise<T>
}

export interface ClientParts {
  /** `METHOD /path/{parameter}` of an operation, relative to /api/v1. */
  readonly routeOf: (operation: string) => string | undefined
  readonly fetch: typeof fetch
  /** Told of each write as it leaves and as it ends. */
  readonly onWrite?: (event: WriteEvent) => void
  /** Told whether the server could be reached. */
  readonly onReach?: (reached: boolean) => void
  /** Told that the session is over. */
  readonly onSignedOut?: () => void
  /** Through whose eyes somebody looks just now (api/looking.ts), or null. */
  readonly looksAs?: () => LookedAs | null
}

/** A random UUID; `crypto.randomUUID` is missing on plain http outside localhost. */
export function uuid(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

/** A header holds bytes: text travels in it as UTF-8, one character a byte. */
const bytesOf = (text: string): string => String.fromCharCode(...new TextEncoder().encode(text))

type Fields = Record<string, unknown>

/** Puts an input into the path, the query (GET, DELETE) or the body (all others) of its route. */
export function address(route: string, input: Fields): { method: string; path: string; body?: Fields } {
  const space = route.indexOf(' ')
  const method = route.slice(0, space)
  const rest: Fields = { ...input }
  const path = route.slice(space + 1).replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = rest[name]
    delete rest[name]
    return encodeURIComponent(String(value))
  })
  if (method !== 'GET' && method !== 'DELETE') return { method, path, body: rest }
  const query = new URLSearchParams()
  for (const [name, value] of Object.entries(rest)) {
    if (value !== undefined && value !== null) query.set(name, String(value))
  }
  const text = query.toString()
  return { method, path: text ? `${path}?${text}` : path }
}

/** What a refusal says to people: without the sentences that tell an assistant which tool to call next. */
export function forPeople(message: string): string {
  const sentences = message.split(/(?<=[.!?])\s+/)
  return sentences.filter((sentence) => !/\b[a-z]+(?:_[a-z]+)+\b/.test(sentence)).join(' ') || message
}

async function failure(response: Response): Promise<CallError> {
  const body = (await response.json().catch(() => null)) as { error?: Fields & { details?: Detail[] } } | null
  const error = body?.error
  const message =
    typeof error?.message === 'string'
      ? forPeople(error.message)
      : 'The server answered something this page does not understand.'
  return new CallError(response.status, String(error?.code ?? 'internal_error'), message, error?.details ?? [])
}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** The one way from the pages to the server. Cookies carry the session; writes carry an Idempotency-Key. */
export function createClient({ routeOf, fetch, onWrite, onReach, onSignedOut, looksAs }: ClientParts): Client {
  async function reach(request: Request): Promise<Response> {
    const writes = request.method !== 'GET'
    const headers: Record<string, string> = { accept: 'application/json' }
    if (writes) headers['idempotency-key'] = request.key ?? uuid()
    if (request.reason) headers['x-reason'] = bytesOf(request.reason)
    const init: RequestInit = { method: request.method, headers, credentials: 'same-origin', cache: 'no-store' }
    const { limit } = request
    const signal = request.signal ?? limit
    if (signal) init.signal = signal
    if (request.body instanceof FormData) init.body = request.body
    else if (request.body !== undefined) {
      headers['content-type'] = 'application/json'
      init.body = JSON.stringify(request.body)
    }
    // A write that got no answer may have been applied: the same key makes the second try harmless.
    for (let tries = 0; ; tries++) {
      try {
        const response = await fetch(`/api/v1${request.path}`, init)
        onReach?.(true)
        return response
      } catch (error) {
        if (request.signal?.aborted) throw error
        if (tries < 2 && !limit?.aborted && !request.once && !(request.body instanceof FormData)) {
          await pause(400 * (tries + 1))
          continue
        }
        onReach?.(false)
        throw new CallError(
          0,
          'offline',
          'Talekeeper does not answer. Is this device on the network, and does the computer run that keeps it?',
        )
      }
    }
  }

  async function answer(request: Request): Promise<{ status: number; value: unknown; record: number | undefined }> {
    const response = await reach(request)
    if (!response.ok) {
      if (response.status === 401) onSignedOut?.()
      throw await failure(response)
    }
    const value = response.status === 204 ? undefined : await response.json()
    return { status: response.status, value, record: Number(response.headers.get('x-audit-record')) || undefined }
  }

  /** Settles when the last that was sent in turn has been answered or given up. */
  let turn: Promise<unknown> = Promise.resolve()

  function answerInTurn(request: Request): ReturnType<typeof answer> {
    // Whose limit is over by then is not sent: fetch refuses a signal that has aborted.
    const answered = turn.then(() => answer(request))
    turn = answered.catch(() => {})
    return answered
  }

  async function announced<T>(run: () => Promise<T>): Promise<T> {
    onWrite?.('sent')
    try {
      const value = await run()
      onWrite?.('taken')
      return value
    } catch (error) {
      // What somebody stopped has not failed.
      onWrite?.(error instanceof CallError && error.code === 'cancelled' ? 'taken' : 'failed')
      throw error
    }
  }

  /** Throws where somebody looks through the eyes of another: what they would change, that one did not want. */
  function refuseMeanwhile() {
    const as = looksAs?.() ?? null
    if (as === null) return
    const message = `You see what ${as.name} sees, and nothing was changed. Stop looking as ${as.name} to change it yourself.`
    throw new CallError(403, 'looking_as', message)
  }

  function route(name: string): string {
    const found = routeOf(name)
    if (!found) throw new CallError(0, 'unknown_operation', `This page is older than the server. Load it again.`)
    return found
  }

  return {
    async read(name, input, signal) {
      const as = looksAs?.() ?? null
      const { method, path } = address(route(name), as ? { ...input, viewAs: as.memberId } : (input as Fields))
      const request: Request = signal ? { method, path, signal } : { method, path }
      return (await answer(request)).value as never
    },

    async write(name, input, { inTurn, ...extra } = {}) {
      // Whoever stops the table stops it, whatever they look at.
      if (name !== 'raise_safety_signal') refuseMeanwhile()
      return announced(async () => {
        const request = { ...address(route(name), input as Fields), ...extra }
        const { status, value, record } = await (inTurn ? answerInTurn : answer)(request)
        if (status === 202) {
          return { kind: 'proposed', proposal: (value as { proposal: Proposal }).proposal }
        }
        return { kind: 'done', value: value as never, ...(record === undefined ? {} : { record }) }
      })
    },

    async send<T>(request: Request) {
      const run = async () => (await answer(request)).value as T
      if (request.method === 'GET') return run()
      refuseMeanwhile()
      return announced(run)
    },
  }
}
