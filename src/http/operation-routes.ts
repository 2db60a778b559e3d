import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type * as z from 'zod'
import { fail, invalid } from '../kernel/errors.ts'
import { execute } from '../kernel/execute.ts'
import type { AnyOperation } from '../kernel/operation.ts'
import type { Outcome, System } from '../kernel/system.ts'
import { type Authentication, type CallerFacts, callerOf, departure, totalMember, viewAsMember } from './caller.ts'
import { coerceStrings } from './coerce.ts'
import { apiRoot, createOperationTable } from './operation-table.ts'

export interface RouteOptions {
  readonly system: System
  readonly authentication: Authentication
  /** Names of operations that a transfer takes the place of. */
  readonly except: ReadonlySet<string>
}

/** Names the record of what a Dungeon Master's write changed, where `revert_change` can take it back. */
export const recordHeader = 'x-audit-record'

/** `/a/{b}` of a declaration -> `/a/:b` of the router. */
export function routerPath(path: string): string {
  return `${apiRoot.slice(0, -1)}${path.replaceAll(/\{(\w+)\}/g, ':$1')}`
}

/** The REST interface of all operations, made from their declarations alone: one route, behind which a table of them stands. */
export function operationRoutes(
  app: FastifyInstance,
  operations: Iterable<AnyOperation>,
  { system, authentication, except }: RouteOptions,
): void {
  const table = createOperationTable(Array.from(operations).filter(({ name }) => !except.has(name)))
  app.decorateRequest('operation', null)
  app.route({
    method: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    url: `${apiRoot}*`,
    exposeHeadRoute: false,
    onRequest(request, reply, done) {
      const found = table.find(request.method, request.url)
      if (found === null) {
        reply.callNotFound()
        return
      }
      request.operation = found.operation
      request.params = found.params
      if (found.operation.anonymous) request.anonymous = true
      done()
    },
    // Whatever is known at once goes on at once: a promise for each step would cost more than most reads.
    handler(request, reply) {
      const caller = callerOf(request, authentication)
      return caller instanceof Promise
        ? caller.then((known) => run(system, request, reply, known))
        : run(system, request, reply, caller)
    },
  })
}

function run(system: System, request: FastifyRequest, reply: FastifyReply, caller: CallerFacts): unknown {
  const { operation } = request
  if (operation === null) throw fail('not_found')
  const input = collectInput(request, operation.input, request.body ?? undefined)
  const signal = operation.prepare && departure(reply)
  const call = { ...caller, door: 'rest' as const, requestId: request.id, signal, address: request.ip }
  const outcome = execute(system, operation, input, call)
  return outcome instanceof Promise
    ? outcome.then((known) => answer(reply, operation, known))
    : answer(reply, operation, outcome)
}

function answer(
  reply: FastifyReply,
  operation: AnyOperation,
  { status, output, recordId, revertible }: Outcome,
): unknown {
  reply.code(status === 'proposed' ? 202 : operation.creates ? 201 : 200)
  reply.header('cache-control', 'no-store')
  if (revertible) reply.header(recordHeader, recordId)
  return output
}

const withoutBody: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE'])

declare module 'fastify' {
  interface FastifyRequest {
    /** Which operation it asks for; null where it asks for something else. */
    operation: AnyOperation | null
  }
}

/**
 * What a request says to an input: its path, the query where no body is expected, and the body. The path decides: a body
 * cannot name another id than its address. A body that is no object is left for the parse to refuse. Throws
 * `validation_failed` on a query beside a body: passphrases must not stand in addresses (SPEC 4.4), nor anything else. `body`
 * is null where it is read in another way.
 */
export function collectInput(request: FastifyRequest, { shape }: z.ZodObject, body: unknown): unknown {
  const query = Object.entries(request.query as Readonly<Record<string, unknown>>).filter(
    ([key]) => key !== viewAsMember && (key !== totalMember || !('limit' in shape)),
  )
  const [stray] = query
  if (stray !== undefined && !withoutBody.has(request.method)) {
    throw invalid(stray[0], 'does not belong in the address', 'Send this in the body and not in the address.')
  }
  const params = Object.entries(request.params as object)
  const outside = coerceStrings(shape, query.length === 0 ? params : [...query, ...params])
  if (body === undefined || body === null) return outside
  return typeof body === 'object' && !Array.isArray(body) ? { ...body, ...outside } : body
}
