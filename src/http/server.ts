import { readFileSync } from 'node:fs'
import cookie from '@fastify/cookie'
import Fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  LogController,
} from 'fastify'
import { type Failure, fail } from '../kernel/errors.ts'
import { limits } from '../kernel/limits.ts'
import { type AnyOperation, routeOf } from '../kernel/operation.ts'
import type { System } from '../kernel/system.ts'
import { type AnyTransfer, carriedOperations, type TransferContext } from '../kernel/transfer.ts'
import type { Actor } from '../kernel/viewer.ts'
import { type Authentication, header } from './caller.ts'
import { compressJson } from './compress.ts'
import { refuseMalformed, sendFailure, toFailure } from './failures.ts'
import { type McpParts, mcpRoute } from './mcp-route.ts'
import { openApiDocument } from './openapi.ts'
import { operationRoutes, routerPath } from './operation-routes.ts'
import { pageRoutes } from './pages.ts'
import { limitBodyTime } from './slow-senders.ts'
import type { Throttle } from './throttle.ts'
import { createTransferContext } from './transfer-context.ts'
import { transferRoutes } from './transfer-routes.ts'

export interface ServerParts {
  readonly system: System
  readonly operations: ReadonlyMap<string, AnyOperation>
  readonly transfers: readonly AnyTransfer[]
  readonly authentication: Authentication
  readonly mcp: Omit<McpParts, 'authentication' | 'isForeignOrigin'>
  /** Of calls over REST. */
  readonly throttle: Throttle
  readonly version: string
  readonly tempDir: string
  readonly docs: boolean
  readonly trustProxy: number | readonly string[] | false
  readonly secureCookies: boolean
  readonly tls: { readonly certFile: string; readonly keyFile: string } | null
  readonly logger: { readonly level: string; readonly stream?: { write(line: string): void } }
  /** Routes that are neither operation nor transfer: OAuth, calendars, pages without a script. */
  routes?(app: FastifyInstance, tools: RouteTools): void
  asset(name: string): Buffer | undefined
  /** Null when the database can be used, else why not. */
  whyNotReady(): string | null
  isAllowedHost(host: string | undefined): boolean
  isForeignOrigin(request: { readonly origin: string | undefined; readonly host: string | undefined }): boolean
}

/** What is lent to routes that are made elsewhere. */
export interface RouteTools {
  /** The context that a transfer gets, without a caller. */
  transferContextOf(request: FastifyRequest, reply: FastifyReply): TransferContext
  /** Null for what nobody foresaw; that is logged. */
  failureOf(thrown: unknown, request: FastifyRequest): Failure | null
  originOf(request: FastifyRequest): string
  readonly secure: boolean
}

/** Every listener's routes and checks, ready to listen or to be called by tests. */
export async function createServer(parts: ServerParts): Promise<FastifyInstance> {
  const app = Fastify({
    logger: {
      ...parts.logger,
      serializers: { req: requestFacts, res: ({ statusCode }: { readonly statusCode: number }) => ({ statusCode }) },
    },
    // A logger for each request costs more than most requests; their lines carry the id themselves.
    childLoggerFactory: (logger, bindings, options) =>
      options.level === undefined ? logger : logger.child(bindings, options),
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: limits.jsonBodyBytes,
    trustProxy: typeof parts.trustProxy === 'object' ? [...parts.trustProxy] : parts.trustProxy,
    requestIdHeader: false,
    genReqId: () => crypto.randomUUID(),
    // A slow sender must not hold a connection for ever. Uploads of a gigabyte over a home network need their time; all
    // other bodies are limited in slow-senders.ts.
    requestTimeout: 30 * 60 * 1000,
    connectionTimeout: 0,
    http: { headersTimeout: 15_000, connectionsCheckingInterval: 5_000 },
    keepAliveTimeout: 10_000,
    forceCloseConnections: true,
    ...(parts.tls ? { https: { cert: readFileSync(parts.tls.certFile), key: readFileSync(parts.tls.keyFile) } } : {}),
    routerOptions: { maxParamLength: 300 },
    // No route has a schema: zod judges what comes and what goes.
    schemaController: { compilersFactory: { buildValidator: noSchemas, buildSerializer: noSchemas } },
    // What the framework refuses before there is a route: a path that is no UTF-8, for one.
    frameworkErrors: (error: FastifyError, request: FastifyRequest, reply: FastifyReply) =>
      void reply.send(sendFailure(error, request, reply)),
    clientErrorHandler: refuseMalformed,
  } as FastifyServerOptions)
  compressJson(app)
  // Most requests of programs bring none: they are read in the hook below, which is there anyway.
  await app.register(cookie, { hook: false })
  strictJson(app)
  limitBodyTime(app)
  app.server.maxConnections = limits.connections

  app.addHook('onRequest', (request, reply, done) => {
    const { cookie: brought } = request.headers
    request.cookies = brought === undefined ? noCookies : app.parseCookie(brought)
    reply.header('x-content-type-options', 'nosniff')
    reply.header('referrer-policy', 'no-referrer')
    reply.header('x-frame-options', 'DENY')
    reply.header('cross-origin-resource-policy', 'same-origin')
    const isMeant = isHealth(request) || parts.isAllowedHost(header(request, 'host'))
    done(isMeant ? undefined : fail('misdirected'))
  })
  // The lines of reads that succeed are made only where they are asked for.
  const tellsReads = ['debug', 'trace'].includes(parts.logger.level)
  app.decorateRequest('anonymous', false)
  app.decorateRequest('reads', null)
  // One line for each request, when it is answered. A read that succeeds is told only to who asks for more.
  app.addHook('onResponse', (request, reply, done) => {
    if (request.anonymous) {
      request.log.info({ req: request, res: reply }, 'request')
      return done()
    }
    const isRead = request.reads ?? (request.method === 'GET' || request.method === 'HEAD')
    const isQuiet = isRead && reply.statusCode < 400
    if (isQuiet && !tellsReads) return done()
    const level = isQuiet ? 'debug' : 'info'
    request.log[level](
      { requestId: request.id, req: request, res: reply, milliseconds: Math.round(reply.elapsedTime) },
      'request',
    )
    done()
  })
  app.setErrorHandler((error, request, reply) => reply.send(sendFailure(error, request, reply)))
  app.setNotFoundHandler((request, reply) =>
    reply.send(sendFailure(fail('not_found', 'There is nothing at this address.'), request, reply)),
  )

  healthRoutes(app, parts)
  const admitted = (actor: Actor | null): Actor | null => {
    if (actor !== null) parts.throttle.admit(actor)
    return actor
  }
  const admitting: Authentication = {
    ...parts.authentication,
    resolve(credentials) {
      const resolved = parts.authentication.resolve(credentials)
      return resolved instanceof Promise ? resolved.then(admitted) : admitted(resolved)
    },
  }
  operationRoutes(app, parts.operations.values(), {
    system: parts.system,
    authentication: admitting,
    except: carriedOperations(parts.operations.values(), parts.transfers),
  })
  const settings = {
    tempDir: parts.tempDir,
    secureCookies: parts.secureCookies,
    isDirect: (request: FastifyRequest) => isDirect(request, parts),
    originOf: (request: FastifyRequest) => parts.authentication.originOf(request),
  }
  transferRoutes(app, parts.transfers, admitting, settings)
  const nobody = { actor: null, idempotencyKey: null, reason: null }
  const tools: RouteTools = {
    transferContextOf: (request, reply) => createTransferContext(request, reply, nobody, settings).context,
    failureOf: toFailure,
    originOf: (request) => parts.authentication.originOf(request),
    secure: parts.secureCookies,
  }
  parts.routes?.(app, tools)
  mcpRoute(app, { ...parts.mcp, authentication: parts.authentication, isForeignOrigin: parts.isForeignOrigin })
  let document: unknown
  pageRoutes(app, {
    asset: parts.asset,
    docs: parts.docs,
    openApi: () => {
      document ??= openApiDocument(parts.operations.values(), parts.transfers, parts.version)
      return document
    },
  })
  return app
}

const noCookies = Object.freeze({})

function noSchemas(): never {
  throw new Error('routes have no schemas')
}

/** SPEC 4.7: `/healthz` never touches the database; `/readyz` really does. Neither is throttled or asks who calls. */
function healthRoutes(app: FastifyInstance, { version, whyNotReady }: ServerParts): void {
  app.get('/healthz', { logLevel: 'warn' }, async (_, reply) =>
    reply.header('cache-control', 'no-store').send({ ok: true, version }),
  )
  app.get('/readyz', { logLevel: 'warn' }, async (_, reply) => {
    const error = whyNotReady()
    reply.header('cache-control', 'no-store').code(error === null ? 200 : 503)
    return error === null ? { ok: true, version } : { ok: false, version, error }
  })
}

function isHealth(request: FastifyRequest): boolean {
  return request.url === '/healthz' || request.url === '/readyz'
}

/** JSON as it is meant: UTF-8, an empty body is no body, and no key that would change a prototype. */
function strictJson(app: FastifyInstance): void {
  app.removeContentTypeParser(['text/plain', 'application/json'])
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_, body, done) => {
    if (body.length === 0) return done(null, undefined)
    try {
      const text = new TextDecoder('utf-8', { fatal: true }).decode(body as Buffer)
      done(null, JSON.parse(text, refusePrototypes))
    } catch {
      done(fail('validation_failed', 'The body is not valid JSON.'))
    }
  })
}

function refusePrototypes(key: string, value: unknown): unknown {
  if (key === '__proto__') throw new SyntaxError('a forbidden key')
  return value
}

/** A call from this very machine: no proxy in between and no page of another site behind it (set-up without a code). */
function isDirect(request: FastifyRequest, { isForeignOrigin }: ServerParts): boolean {
  const peer = request.socket.remoteAddress ?? ''
  const loopback = peer === '::1' || peer.startsWith('127.') || peer.startsWith('::ffff:127.')
  const forwarded = ['forwarded', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'via'].some(
    (name) => request.headers[name] !== undefined,
  )
  return (
    loopback && !forwarded && !isForeignOrigin({ origin: header(request, 'origin'), host: header(request, 'host') })
  )
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The call is of an anonymous operation: no line of the log and no time of last use says who made it. */
    anonymous: boolean
    /** Whether it changed nothing, nor tried to, where its method does not say so. */
    reads: boolean | null
  }
}

/** Log lines name the route, not the address: addresses may hold codes of invites, shares and downloads. */
function requestFacts({ method, operation, routeOptions, anonymous, ip }: FastifyRequest): object {
  const route = operation ? routerPath(routeOf(operation.route).path) : (routeOptions?.url ?? 'unknown')
  const facts = { method, route }
  return anonymous ? facts : { ...facts, address: ip }
}
