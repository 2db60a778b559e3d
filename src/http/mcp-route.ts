import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { fail } from '../kernel/errors.ts'
import { limits } from '../kernel/limits.ts'
import type { Actor } from '../kernel/viewer.ts'
import type { Mcp } from '../mcp/endpoint.ts'
import { type Authentication, header } from './caller.ts'
import { sendFailure } from './failures.ts'
import type { Throttle } from './throttle.ts'

export interface McpParts {
  readonly endpoint: Mcp
  readonly authentication: Authentication
  /** The address that the caller typed, without a trailing slash, for the metadata link. */
  originOf(request: FastifyRequest): string
  isForeignOrigin(request: { readonly origin: string | undefined; readonly host: string | undefined }): boolean
  readonly throttle: Throttle
}

const allowedHeaders =
  'Authorization, Content-Type, MCP-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id, Last-Event-ID, X-MCP-Toolsets, X-MCP-Tools, X-MCP-Exclude-Tools, X-MCP-Readonly, X-MCP-Mode'

/**
 * `/mcp`, with a slash behind it or at the root too: what is checked before JSON-RPC begins. Only a bearer counts here: a cookie would let any page that the browser
 * opens act as its owner.
 */
export function mcpRoute(app: FastifyInstance, parts: McpParts): void {
  void app.register((scope, _, done) => {
    scope.addHook('onRequest', (request, reply, next) => {
      const origin = header(request, 'origin')
      if (parts.isForeignOrigin({ origin, host: header(request, 'host') }))
        return next(fail('forbidden', 'Pages of this origin may not call this server.'))
      if (origin !== undefined) {
        reply.header('access-control-allow-origin', origin).header('vary', 'origin')
        reply.header('access-control-expose-headers', 'WWW-Authenticate, Mcp-Session-Id')
      }
      next()
    })
    // Only when it is answered it is known whether one of its calls was anonymous: then no time of last use is kept of it.
    scope.addHook('onResponse', (request, _, next) => {
      if (!request.anonymous) uses.get(request)?.()
      next()
    })
    const preflight = async (_: FastifyRequest, reply: FastifyReply) => {
      reply
        .header('access-control-allow-methods', 'POST, GET, DELETE, OPTIONS')
        .header('access-control-allow-headers', allowedHeaders)
        .header('access-control-max-age', '600')
      return reply.code(204).send()
    }
    const route: Omit<RouteOptions, 'method' | 'url'> = {
      bodyLimit: limits.mcpBodyBytes,
      // Who calls is asked before the body is read.
      onRequest: async (request, reply) => {
        const actor = await bearer(request, reply, parts)
        if (request.method !== 'POST') {
          reply.header('allow', 'POST')
          throw fail('method_not_allowed', 'This server keeps no streams: send POST.')
        }
        parts.throttle.admit(actor)
        actors.set(request, actor)
      },
      errorHandler: (error, request, reply) => reply.send(failureBody(error, request, reply)),
      handler: async (request, reply) => {
        const actor = actors.get(request)
        if (!actor) throw fail('unauthenticated')
        if (request.body === undefined) throw fail('validation_failed', 'The body is not valid JSON.')
        // A batch of the older revisions is as many calls as it has messages.
        if (Array.isArray(request.body)) parts.throttle.admit(actor, Math.max(0, request.body.length - 1))
        // The protocol's library writes the answer itself; what was set so far goes along.
        for (const [name, value] of Object.entries(reply.getHeaders()))
          if (value !== undefined) reply.raw.setHeader(name, value)
        reply.hijack()
        request.reads = true
        const url = new URL(request.url, parts.originOf(request))
        await parts.endpoint.handle({
          body: request.body,
          raw: request.raw,
          rawResponse: reply.raw,
          actor,
          url,
          headers: request.headers,
          requestId: request.id,
          onAnonymous: () => {
            request.anonymous = true
          },
          onChange: () => {
            request.reads = false
          },
        })
      },
    }
    for (const url of ['/mcp', '/mcp/']) {
      scope.options(url, preflight)
      scope.route({ ...route, method: ['GET', 'DELETE', 'POST'], url })
    }
    // A client that was given the address without its path. Pages are fetched from there, nothing else is ever posted.
    scope.options('/', preflight)
    scope.route({ ...route, method: 'POST', url: '/' })
    done()
  })
}

const actors = new WeakMap<FastifyRequest, Actor>()
/** What notes that the credential of a request was used. */
const uses = new WeakMap<FastifyRequest, () => void>()

/**
 * SPEC 5.6: the challenge points at the protected-resource metadata, which starts discovery. Clients ask for exactly the
 * scope it names, so it names the most there is: the person at the consent page lowers it, and nobody else can raise it.
 */
async function bearer(
  request: FastifyRequest,
  reply: FastifyReply,
  { authentication, originOf }: McpParts,
): Promise<Actor> {
  const authorization = header(request, 'authorization')
  const challenge = (error: string): void => {
    reply.header(
      'www-authenticate',
      `Bearer resource_metadata="${originOf(request)}/.well-known/oauth-protected-resource/mcp", scope="dm"${error}`,
    )
  }
  try {
    const actor =
      authorization === undefined
        ? null
        : await authentication.resolve({
            authorization,
            sessionSecret: null,
            audience: originOf(request),
            whenUsed: (note) => uses.set(request, note),
          })
    if (actor !== null) return actor
  } catch (error) {
    challenge(', error="invalid_token"')
    throw error
  }
  challenge('')
  throw fail('unauthenticated', 'Send a personal access token or an OAuth access token as a bearer.')
}

/** A body that is no JSON gets the parse error of JSON-RPC, with the error object as its data. */
function failureBody(error: unknown, request: FastifyRequest, reply: FastifyReply): unknown {
  const body = sendFailure(error, request, reply)
  if (body.error.code !== 'validation_failed') return body
  return { jsonrpc: '2.0', id: null, error: { code: -32700, message: body.error.message, data: body } }
}
