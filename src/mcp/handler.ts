import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import {
  createMcpHandler,
  type McpServer,
  ProtocolErrorCode,
  Server,
  type Transport,
} from '@modelcontextprotocol/server'
import type { Log } from './caller.ts'
import { describeErrors, protocolError } from './errors.ts'
import { abortOnClose, sendJson, sendWebResponse, toWebRequest } from './fetch-adapter.ts'

/** One POST with its parsed JSON body. */
export interface Post {
  readonly body: unknown
  readonly rawResponse: ServerResponse
  readonly url: URL
  readonly headers: IncomingHttpHeaders
  readonly requestId: string
}

export interface Handler<C> {
  /**
   * Answers on `rawResponse`; headers set there before go along. `callerOf` says who calls, and may throw; it gets what aborts
   * when the caller goes away. Never rejects.
   */
  handle(post: Post, callerOf: (signal: AbortSignal) => C): Promise<void>
  /** Ends what is still being answered. */
  close(): Promise<void>
}

interface Parts<C> {
  /** A server for one request. */
  serverOf(caller: C): Server | McpServer
  readonly log: Log
}

/** The HTTP side of POST `/mcp`: stateless, in the protocol's present revision and in those before it. */
export function createHandler<C>({ serverOf, log }: Parts<C>): Handler<C> {
  const callers = new WeakMap<Request, { readonly caller: C }>()
  const handler = createMcpHandler(
    ({ requestInfo }) => {
      const known = requestInfo && callers.get(requestInfo)
      if (!known) throw new Error('an MCP request came without its caller')
      return serverOf(known.caller)
    },
    { legacy: 'stateless', onerror: (err) => log.info({ err }, 'an MCP request was refused') },
  )
  return {
    close: () => handler.close(),
    async handle(post, callerOf) {
      const { body, rawResponse, url, headers, requestId } = post
      try {
        const signal = abortOnClose(rawResponse)
        const request = toWebRequest(url, headers, signal)
        callers.set(request, { caller: callerOf(signal) })
        const response = await handler.fetch(request, { parsedBody: body })
        if (response.status >= 500) log.error({ requestId }, 'an MCP request failed unexpectedly')
        await sendWebResponse(response, rawResponse, headers)
      } catch (thrown) {
        refuse(log, post, thrown)
      }
    },
  }
}

/** A server whose own refusals carry the error object too. */
export class ErrorObjectServer extends Server {
  override connect(transport: Transport): Promise<void> {
    return super.connect(describeErrors(transport))
  }
}

/** What goes wrong before the protocol's library has the request: a selection that makes no sense. */
function refuse(log: Log, { body, rawResponse, requestId }: Post, thrown: unknown): void {
  const { code, message, data } = protocolError(thrown, requestId)
  if (code === ProtocolErrorCode.InternalError)
    log.error({ err: thrown, requestId }, 'an MCP request failed unexpectedly')
  if (rawResponse.headersSent) {
    rawResponse.destroy()
    return
  }
  const status = code === ProtocolErrorCode.InternalError ? 500 : 400
  sendJson(rawResponse, status, JSON.stringify({ jsonrpc: '2.0', id: idOf(body), error: { code, message, data } }))
}

function idOf(body: unknown): string | number | null {
  const id = typeof body === 'object' && body !== null && 'id' in body ? body.id : null
  return typeof id === 'string' || typeof id === 'number' ? id : null
}
