import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Failure } from '../kernel/errors.ts'
import { runShared } from '../kernel/maintenance-lock.ts'
import type { TransferContext } from '../kernel/transfer.ts'
import { openAuthorization, submitForm } from './authorization-endpoint.ts'
import type { BrowserCall, Redirect } from './authorize.ts'
import { OauthError, PageError, refuse } from './errors.ts'
import {
  authorizationServerMetadata,
  authorizationServerPaths,
  paths,
  protectedResourceMetadata,
  protectedResourcePaths,
} from './metadata.ts'
import { messagePage, type Page, themes } from './pages.ts'
import type { OauthServices } from './ports.ts'
import { formTarget } from './redirects.ts'
import { register, registrationBytes } from './register.ts'
import { revokeToken } from './revoke.ts'
import { pageStyles } from './style.ts'
import { type FormCall, redeemGrant } from './token.ts'

/** What the HTTP server lends to routes that are neither operation nor transfer. */
export interface RouteTools {
  /** The same context that transfers get, without a caller. */
  transferContextOf(request: FastifyRequest, reply: FastifyReply): TransferContext
  /** Null for what nobody foresaw; that is logged. */
  failureOf(thrown: unknown, request: FastifyRequest): Failure | null
  /** This server's address as the client typed it, without a slash at the end. */
  originOf(request: FastifyRequest): string
  /** Whether the browser reaches this server over https, so that a cookie may say so. */
  readonly secure: boolean
}

/** Of every form, in bytes. */
const formBytes = 16 * 1024

const corsHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'WWW-Authenticate, Retry-After',
} as const
const preflightHeaders = {
  'access-control-allow-methods': 'GET, HEAD, POST, OPTIONS',
  'access-control-allow-headers':
    'Authorization, Content-Type, Accept, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, Last-Event-ID',
  'access-control-max-age': '600',
} as const

/** The OAuth endpoints and discovery documents, at the server's root (SPEC 4.2). */
export function oauthRoutes(app: FastifyInstance, services: OauthServices, tools: RouteTools): void {
  // Each in a scope of its own: they differ in what bodies they read, in headers and in how they say what is wrong.
  for (const part of [documents, endpoints, pages]) {
    app.register((scope, _, done) => {
      part(scope, services, tools)
      done()
    })
  }
  aliases(app)
}

/** For every page of the world: what they say is public (RFC 9728, 3; RFC 8414, 3). */
function documents(app: FastifyInstance, { registration, documents }: OauthServices, { originOf }: RouteTools): void {
  const serve = (path: string, document: (origin: string) => object): void => {
    app.get(path, async (request, reply) =>
      reply
        .headers(corsHeaders)
        .header('cache-control', 'no-cache')
        .send(document(originOf(request))),
    )
    preflight(app, path)
  }
  for (const path of protectedResourcePaths) serve(path, protectedResourceMetadata)
  for (const path of authorizationServerPaths) {
    serve(path, (origin) => authorizationServerMetadata(origin, { registration, documents: documents !== null }))
  }
}

/** What programs call: JSON answers in the words of the RFCs, readable by pages of any origin, since no cookie counts here. */
function endpoints(app: FastifyInstance, services: OauthServices, tools: RouteTools): void {
  readForms(app)
  app.addContentTypeParser('application/json', { parseAs: 'string', bodyLimit: registrationBytes }, (_, body, done) => {
    try {
      done(null, JSON.parse(body as string))
    } catch {
      done(refuse('invalid_client_metadata', 'the body is not valid JSON'))
    }
  })
  app.addHook('onRequest', async (_, reply) => {
    // RFC 6749, 5.1.
    reply.headers({ ...corsHeaders, 'cache-control': 'no-store', pragma: 'no-cache' })
  })
  app.setErrorHandler((error, request, reply) => {
    const refusal = refusalOf(error, request, tools)
    return reply
      .code(refusal.status)
      .headers(refusal.headers)
      .send({ error: refusal.code, error_description: refusal.description })
  })
  const formCall = (request: FastifyRequest): FormCall => {
    if (!(request.body instanceof URLSearchParams)) {
      throw refuse('invalid_request', 'send application/x-www-form-urlencoded')
    }
    const { authorization } = request.headers
    return { form: request.body, authorization, origin: tools.originOf(request), address: request.ip }
  }
  app.post(paths.token, { bodyLimit: formBytes }, (request) =>
    runShared(services, () => redeemGrant(services, formCall(request))),
  )
  app.post(paths.revoke, { bodyLimit: formBytes }, async (request) => {
    await runShared(services, () => revokeToken(services, formCall(request)))
    return {}
  })
  app.post(paths.register, { bodyLimit: registrationBytes }, async (request, reply) => {
    if (request.body instanceof URLSearchParams) throw refuse('invalid_client_metadata', 'send application/json')
    const answer = await runShared(services, () => register(services, request.body, request.ip))
    return reply.code(201).send(answer)
  })
  for (const path of [paths.token, paths.revoke, paths.register]) {
    preflight(app, path)
    app.route({
      method: ['GET', 'PUT', 'PATCH', 'DELETE'],
      url: path,
      handler: async () => {
        throw refuse('invalid_request', 'send POST', { status: 405, headers: { allow: 'POST, OPTIONS' } })
      },
    })
  }
}

/** What a person sees. No page of another site may call or frame this. */
function pages(app: FastifyInstance, services: OauthServices, tools: RouteTools): void {
  readForms(app)
  const cookieName = tools.secure ? '__Host-talekeeper_oauth' : 'talekeeper_oauth'

  const send = (reply: FastifyReply, shown: Page | Redirect): FastifyReply => {
    reply.headers({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' })
    // RFC 9700, 4.12: 303 makes a GET of every form, so that a password never travels on.
    if ('location' in shown) return reply.code(303).header('location', shown.location).send()
    const target = shown.leadsTo === null ? '' : ` ${formTarget(shown.leadsTo)}`
    const chosen = reply.request.cookies.talekeeper_theme
    const theme = themes.find((each) => each === chosen) ?? 'ink'
    return reply
      .code(shown.status)
      .header('content-type', 'text/html; charset=utf-8')
      .header(
        'content-security-policy',
        `default-src 'none'; style-src 'self'; font-src 'self'; img-src 'self'; form-action 'self'${target}; base-uri 'none'; frame-ancestors 'none'`,
      )
      .send(shown.html(theme))
  }
  const browserCallOf = (request: FastifyRequest, reply: FastifyReply, parameters: URLSearchParams): BrowserCall => ({
    parameters,
    context: tools.transferContextOf(request, reply),
    origin: tools.originOf(request),
    browser: {
      cookie: request.cookies[cookieName] ?? null,
      set: (value) =>
        void reply.setCookie(cookieName, value, { httpOnly: true, sameSite: 'lax', secure: tools.secure, path: '/' }),
    },
  })

  app.setErrorHandler((error, request, reply) => {
    if (error instanceof PageError) return send(reply, messagePage(error.status, error.title, error.advice))
    const { status, headers, description } = refusalOf(error, request, tools)
    reply.headers(headers)
    return send(
      reply,
      messagePage(status, 'This did not work', `${description[0]?.toUpperCase()}${description.slice(1)}.`),
    )
  })
  app.get(paths.authorize, async (request, reply) => {
    const query = new URL(request.url, 'http://local').searchParams
    return send(reply, await openAuthorization(services, browserCallOf(request, reply, query)))
  })
  app.post(paths.authorize, { bodyLimit: formBytes }, async (request, reply) => {
    if (!(request.body instanceof URLSearchParams)) {
      throw new PageError(400, 'This form was not sent as one', 'Go back and press one of its buttons.')
    }
    requireOwnForm(request, tools.originOf(request))
    const form = request.body
    return send(reply, await runShared(services, () => submitForm(services, browserCallOf(request, reply, form))))
  })
  app.get('/oauth/style.css', async (_, reply) =>
    reply
      .header('content-type', 'text/css; charset=utf-8')
      .header('cache-control', 'no-cache')
      .send(pageStyles(services.styleSheet())),
  )
  app.all('/oauth/*', async () => {
    throw new PageError(404, 'There is nothing at this address', 'Go back to the app and connect it again.')
  })
}

/**
 * What the browser says of a form's origin, on top of its token. `null` is what it says of our own pages, whose
 * Referrer-Policy has it say nothing (Fetch, 3.2).
 */
function requireOwnForm(request: FastifyRequest, origin: string): void {
  const site = request.headers['sec-fetch-site']
  const from = request.headers.origin
  const foreign = site === undefined ? from !== undefined && from !== 'null' && from !== origin : site !== 'same-origin'
  if (foreign) throw new PageError(403, 'This form is not from here', 'Go back to the app and connect it again.')
}

/** A few clients call these without reading the metadata, as an older revision of the protocol had them do. */
function aliases(app: FastifyInstance): void {
  app.get('/authorize', async (request, reply) => {
    const { search } = new URL(request.url, 'http://local')
    return reply
      .code(302)
      .header('location', paths.authorize + search)
      .send()
  })
  // 307 keeps method and body; what is sent on is a program's, never a person's form.
  for (const [alias, path] of [
    ['/token', paths.token],
    ['/register', paths.register],
  ] as const) {
    app.register((scope, _, loaded) => {
      scope.removeAllContentTypeParsers()
      scope.addContentTypeParser('*', { bodyLimit: formBytes }, (_, payload, done) => {
        payload.resume()
        done(null)
      })
      scope.post(alias, async (_, reply) => reply.code(307).headers(corsHeaders).header('location', path).send())
      loaded()
    })
  }
}

function preflight(app: FastifyInstance, path: string): void {
  app.options(path, async (_, reply) =>
    reply
      .code(204)
      .headers({ ...corsHeaders, ...preflightHeaders })
      .send(),
  )
}

/** Forms only; each scope adds what else it takes. */
function readForms(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_, body, done) =>
    done(null, new URLSearchParams(body as string)),
  )
}

function refusalOf(thrown: unknown, request: FastifyRequest, { failureOf }: RouteTools): OauthError {
  if (thrown instanceof OauthError) return thrown
  const failure = failureOf(thrown, request)
  if (failure === null) return refuse('server_error', `something went wrong, its log line has the id ${request.id}`)
  // RFC 6749, 5.2 answers malformed requests with 400; a body of another kind is one.
  const status = failure.code === 'unsupported_media_type' ? 400 : failure.status
  const headers =
    failure.retryAfterSeconds === undefined ? {} : { 'retry-after': String(Math.ceil(failure.retryAfterSeconds)) }
  const isOurs = status === 429 || status >= 500
  return refuse(isOurs ? 'temporarily_unavailable' : 'invalid_request', failure.message, { status, headers })
}
