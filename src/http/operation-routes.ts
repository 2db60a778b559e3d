import type { FastifyInstance } from 'fastify'
import { execute, type System } from '../kernel/execute.ts'
import { type AnyOperation, routeOf } from '../kernel/operation.ts'
import { type Authentication, callerOf } from './caller.ts'
import { coerceStrings } from './coerce.ts'

/** An operation with a counterpart that takes its bytes is routed by that transfer on REST. */
export interface RouteOptions {
  readonly system: System
  readonly authentication: Authentication
  readonly except: ReadonlySet<string>
}

/** `/a/{b}` of a declaration -> `/a/:b` of the router. */
export function routerPath(path: string): string {
  return `/api/v1${path.replaceAll(/\{(\w+)\}/g, ':$1')}`
}

/** One REST route for each operation, made from its declaration alone. */
export function operationRoutes(
  app: FastifyInstance,
  operations: Iterable<AnyOperation>,
  { system, authentication, except }: RouteOptions,
): void {
  for (const operation of operations) {
    const { method, path } = routeOf(operation.route)
    if (except.has(operation.route)) continue
    const { shape } = operation.input
    app.route({
      method,
      url: routerPath(path),
      handler: async (request, reply) => {
        const caller = await callerOf(request, authentication)
        const outside = coerceStrings(shape, { ...(request.query as object), ...(request.params as object) })
        const input =
          method === 'GET' || method === 'DELETE'
            ? { ...(request.body as object | undefined), ...outside }
            : merged(request.body, outside)
        const call = { ...caller, door: 'rest' as const, requestId: request.id }
        const { status, output } = await execute(system, operation, input, call)
        reply.code(status === 'proposed' ? 202 : operation.creates ? 201 : 200)
        reply.header('cache-control', 'no-store')
        return output
      },
    })
  }
}

/** The path decides: a body cannot name another id than its address. A body that is no object is left for the parse to refuse. */
export function merged(body: unknown, outside: Readonly<Record<string, unknown>>): unknown {
  if (body === undefined || body === null) return outside
  return typeof body === 'object' && !Array.isArray(body) ? { ...body, ...outside } : body
}
