import multipart from '@fastify/multipart'
import type { FastifyInstance } from 'fastify'
import { authoriseTransfer } from '../kernel/authorise.ts'
import { fail } from '../kernel/errors.ts'
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
  const isDocument = ({ carries }: AnyTransfer): boolean => carries === 'document'
  const isForm = ({ carries }: AnyTransfer): boolean => carries === 'multipart'
  const route = (on: FastifyInstance, transfer: AnyTransfer): void => {
    const { method, path } = routeOf(transfer.route)
    on.route({
      method,
      url: routerPath(path),
      ...(isDocument(transfer) ? { bodyLimit: Number.MAX_SAFE_INTEGER, config: { longBody: true } } : {}),
      handler: async (request, reply) => {
        if (transfer.once && request.method === 'HEAD') return reply.header('cache-control', 'no-store').send()
        const caller = await callerOf(request, authentication)
        authoriseTransfer(transfer.access, caller.actor, transfer.effect)
        if (caller.viewAs !== undefined && !transfer.throughEyes)
          throw fail('forbidden', 'Nobody asks for this through the eyes of another.')
        // Signing in has no credential yet, but sets one: another site's form must not do it.
        if (transfer.access === 'public' && transfer.effect !== 'read' && isFromPage(request))
          requireSameOrigin(request, authentication)
        const isStream = transfer.carries === 'multipart' || transfer.carries === 'document'
        const body = isStream ? null : (request.body ?? undefined)
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
  for (const transfer of transfers.filter((each) => !isDocument(each) && !isForm(each))) route(app, transfer)
  // What reads forms keeps watch over every request of its routes: it has none but those that may get a form.
  void app.register((scope, _, done) => {
    void scope.register(multipart)
    for (const transfer of transfers.filter(isForm)) route(scope, transfer)
    // A document reaches its transfer as the stream that it is: parsed here it would hold up everybody.
    void scope.register((documents, _, ready) => {
      documents.removeContentTypeParser('application/json')
      documents.addContentTypeParser(['application/json', 'application/zip'], (_, payload, taken) =>
        taken(null, payload),
      )
      for (const transfer of transfers.filter(isDocument)) route(documents, transfer)
      ready()
    })
    done()
  })
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Its body is large, and may take as long as an upload. */
    longBody?: boolean
  }
}
