import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { McpHttpHandler, McpServer, Server } from '@modelcontextprotocol/server'
import type { Log } from './caller.ts'
import { describeErrors, protocolError, rpcCodes } from './errors.ts'
import { abortOnClose, sendJson, sendWebResponse, toWebRequest } from './fetch-adapter.ts'
import type { Protocol } from './protocol.ts'

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
  serverOf(caller: C, protocol: Protocol): Server | McpServer
  /** Gives the protocol's library; asked with the first request. */
  loadProtocol(): Promise<Protocol>
  readonly log: Log
}

/** The HTTP side of POST `/mcp`: stateless, in the protocol's present revision and in those before it. */
export function createHandler<C>({ serverOf, loadProtocol, log }: Parts<C>): Handler<C> {
  const callers = new WeakMap<Request, { readonly caller: C }>()
  let made: Promise<McpHttpHandler> | undefined
  const make = async (): Promise<McpHttpHandler> => {
    const protocol = await loadProtocol()
    return protocol.createMcpHandler(
      ({ requestInfo }) => {
        const known = requestInfo && callers.get(requestInfo)
        if (!known) throw new Error('an MCP request came without its caller')
        return serverOf(known.caller, protocol)
      },
      { legacy: 'stateless', onerror: (err) => log.info({ err }, 'an MCP request was refused') },
    )
  }
  return {
    close: async () => (await made)?.close(),
    async handle(post, callerOf) {
      const { body, rawResponse, url, headers, requestId } = post
      try {
        made ??= make()
        const signal = abortOnClose(rawResponse)
        const request = toWebRequest(url, headers, signal)
        callers.set(request, { caller: callerOf(signal) })
        const response = await (await made).fetch(request, { parsedBody: body })
        if (response.status >= 500) log.error({ requestId }, 'an MCP request failed unexpectedly')
        await sendWebResponse(response, rawResponse, headers)
      } catch (thrown) {
        refuse(log, post, thrown)
      }
    },
  }
}

/** A server of the library whose own refusals carry the error object too. */
export function errorObjectServer(
  protocol: Protocol,
  ...[identity, options]: ConstructorParameters<typeof Server>
): Server {
  const server = new protocol.Server(identity, options)
  const connect = server.connect.bind(server)
  server.connect = (transport) => connect(describeErrors(transport))
  return server
}

/** Answers what goes wrong beside the protocol's library: a selection that makes no sense, a failure that nobody foresaw. */
export function refuse(
  log: Log,
  { body, rawResponse, requestId }: Pick<Post, 'body' | 'rawResponse' | 'requestId'>,
  thrown: unknown,
): void {
  const { code, message, data } = protocolError(thrown, requestId)
  if (code === rpcCodes.internalError) log.error({ err: thrown, requestId }, 'an MCP request failed unexpectedly')
  if (rawResponse.headersSent) {
    rawResponse.destroy()
    return
  }
  const status = code === rpcCodes.internalError ? 500 : 400
  sendJson(rawResponse, status, JSON.stringify({ jsonrpc: '2.0', id: idOf(body), error: { code, message, data } }))
}

function idOf(body: unknown): string | number | null {
  const id = typeof body === 'object' && body !== null && 'id' in body ? body.id : null
  return typeof id === 'string' || typeof id === 'number' ? id : null
}
