import type { FastifyContextConfig, FastifyInstance, RouteOptions } from 'fastify'
import { authoriseTransfer } from '../kernel/authorise.ts'
import { parseInput } from '../kernel/input.ts'
import { routeOf } from '../kernel/operation.ts'
import type { AnyTransfer } from '../kernel/transfer.ts'
import { type Authentication, callerOf, isFromPage, requireSameOrigin } from './caller.ts'
import { collectInput, routerPath } from './operation-routes.ts'
import { createTransferContext, type TransferContextSettings } from './transfer-context.ts'

/** One REST route for each transfer: the same credential, access words, strict input and errors as an operation. */
export function transferRoutes(
  app: FastifyInstance,
  transfers: readonly AnyTransfer[],
  authentication: Authentication,
  settings: TransferContextSettings,
): void {
  for (const transfer of transfers) {
    const { method, path } = routeOf(transfer.route)
    const takes = transfer.carries === 'document' ? bodiesAsTheyAre : inPlace
    takes(app, {
      method,
      url: routerPath(path),
      handler: async (request, reply) => {
        if (transfer.once && request.method === 'HEAD') return reply.header('cache-control', 'no-store').send()
        const caller = await callerOf(request, authentication)
        authoriseTransfer(transfer.access, caller.actor, transfer.effect)
        // Signing in has no credential yet, but sets one: another site's form must not do it.
        if (transfer.access === 'public' && transfer.effect !== 'read' && isFromPage(request))
          requireSameOrigin(request, authentication)
        const body =
          transfer.carries === 'multipart' || transfer.carries === 'document' ? null : (request.body ?? undefined)
        const input = parseInput(transfer.input, collectInput(request, transfer.input, body))
        const { context, finish } = createTransferContext(request, reply, caller, settings, async () => {
          const { actor } = await callerOf(request, authentication)
          authoriseTransfer(transfer.access, actor, transfer.effect)
        })
        try {
          const answer = await transfer.handle(context, input as never)
          if (reply.sent || reply.raw.headersSent) return reply
          reply.code(transfer.creates ? 201 : 200).header('cache-control', 'no-store')
          return answer ?? {}
        } finally {
          await finish()
        }
      },
    })
  }
}

function inPlace(app: FastifyInstance, route: RouteOptions): void {
  app.route(route)
}

/** A route whose body is taken as it comes, whatever its size: `receive` lays it down and counts it. */
function bodiesAsTheyAre(app: FastifyInstance, route: RouteOptions): void {
  void app.register(async (own) => {
    own.removeContentTypeParser('application/json')
    own.addContentTypeParser(['application/json', 'application/zip'], (_, payload, done) => done(null, payload))
    own.route({ ...route, bodyLimit: Number.MAX_SAFE_INTEGER, config: { upload: true } as FastifyContextConfig })
  })
}
