import type { FastifyReply, FastifyRequest } from 'fastify'
import { fail, invalid } from '../kernel/errors.ts'
import { prose } from '../kernel/fields.ts'
import { limits } from '../kernel/limits.ts'
import type { Actor } from '../kernel/viewer.ts'

/** Everything a request says about its caller that is not in its body. */
export interface CallerFacts {
  readonly actor: Actor | null
  readonly idempotencyKey: string | null
  readonly reason: string | null
  /** Through whose eyes they ask to look: the id of a membership. */
  readonly viewAs?: number | undefined
  /** Whether they ask how many a list has in all. */
  readonly totals?: boolean
}

/** A member of every query that is no input: it says through whose eyes the request looks (kernel/looking-as.ts). */
export const viewAsMember = 'viewAs'

/** A member of the query of a list that is no input: with it the first page says how many there are in all. */
export const totalMember = 'withTotal'

export interface Authentication {
  /** Throws `unauthenticated` for a bearer that is no good; it never falls back to the cookie (SPEC 5.1). */
  resolve(credentials: {
    readonly authorization: string | undefined
    readonly sessionSecret: string | null
    readonly audience: string
    /** Gets what notes the time of last use, to be called or not; where it is absent, that is noted at once. */
    readonly whenUsed?: ((note: () => void) => void) | undefined
  }): Actor | null | Promise<Actor | null>
  /** This server's address as the client typed it, without a slash at the end. */
  originOf(request: FastifyRequest): string
  /** Whether a cookie's write comes from our own pages. */
  isSameOrigin(request: {
    readonly origin: string | undefined
    readonly secFetchSite: string | undefined
    readonly host: string | undefined
  }): boolean
}

export const sessionCookie = 'talekeeper_session'

export function header(request: FastifyRequest, name: string): string | undefined {
  const value = request.headers[name]
  return Array.isArray(value) ? value[0] : value
}

const nothing = (): void => {}

/** Step 0 of the pipeline: the credential. A cookie writes only from our own pages. */
export function callerOf(request: FastifyRequest, authentication: Authentication): CallerFacts | Promise<CallerFacts> {
  const resolved = authentication.resolve({
    authorization: header(request, 'authorization'),
    sessionSecret: request.cookies[sessionCookie] ?? null,
    audience: authentication.originOf(request),
    whenUsed: request.anonymous ? nothing : undefined,
  })
  return resolved instanceof Promise
    ? resolved.then((actor) => factsOf(request, authentication, actor))
    : factsOf(request, authentication, resolved)
}

function factsOf(request: FastifyRequest, authentication: Authentication, actor: Actor | null): CallerFacts {
  if (actor?.credential.kind === 'session' && request.method !== 'GET' && request.method !== 'HEAD')
    requireSameOrigin(request, authentication)
  return {
    actor,
    idempotencyKey: idempotencyKey(request),
    reason: reason(request),
    viewAs: viewAsOf(request),
    totals: (request.query as Readonly<Record<string, unknown>>)[totalMember] === 'true',
  }
}

/** Aborts when the caller goes away before the answer is complete. */
export function departure({ raw }: FastifyReply): AbortSignal {
  const controller = new AbortController()
  raw.once('close', () => {
    if (!raw.writableFinished) controller.abort()
  })
  if (raw.destroyed) controller.abort()
  return controller.signal
}

/** Whether a browser's page sent it: browsers say where a write comes from, other programs do not. */
export function isFromPage(request: FastifyRequest): boolean {
  return header(request, 'origin') !== undefined || header(request, 'sec-fetch-site') !== undefined
}

export function requireSameOrigin(request: FastifyRequest, authentication: Authentication): void {
  const facts = {
    origin: header(request, 'origin'),
    secFetchSite: header(request, 'sec-fetch-site'),
    host: header(request, 'host'),
  }
  if (!authentication.isSameOrigin(facts))
    throw fail('forbidden', 'This request did not come from a page of this server.')
}

function viewAsOf(request: FastifyRequest): number | undefined {
  const value = (request.query as Readonly<Record<string, unknown>>)[viewAsMember]
  if (value === undefined) return undefined
  if (typeof value !== 'string' || !/^[1-9]\d{0,15}$/.test(value))
    throw invalid(viewAsMember, 'no id', 'viewAs: the id of a membership, as list_members gives it.')
  return Number(value)
}

function idempotencyKey(request: FastifyRequest): string | null {
  const key = header(request, 'idempotency-key')
  if (key === undefined) return null
  if (!/^[\x21-\x7e]{1,128}$/.test(key)) {
    throw invalid('Idempotency-Key', 'not a key', `Idempotency-Key: 1 to ${limits.idempotencyKey} visible characters.`)
  }
  return key
}

function reason(request: FastifyRequest): string | null {
  const text = header(request, 'x-reason')
  if (text === undefined || text.trim() === '') return null
  const decoded = Buffer.from(text, 'latin1').toString('utf8').trim()
  if (!prose(limits.reason).safeParse(decoded).success) {
    throw invalid('X-Reason', 'too long or not text', `X-Reason: at most ${limits.reason} characters of text.`)
  }
  return decoded
}
