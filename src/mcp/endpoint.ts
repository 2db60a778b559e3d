import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import {
  type CacheHint,
  createMcpHandler,
  ProtocolErrorCode,
  Server,
  type ServerOptions,
  type Transport,
} from '@modelcontextprotocol/server'
import type { Actor } from '../kernel/viewer.ts'
import { type Caller, type McpParts, type Read, readAs } from './caller.ts'
import { callTool } from './calls.ts'
import { describeErrors, invalidParams, protocolError } from './errors.ts'
import { departure, sendJson, sendWebResponse, toWebRequest } from './exchange.ts'
import { instructions } from './instructions.ts'
import { getPrompt, prompts } from './prompts.ts'
import { readResource, resources, resourceTemplates } from './resources.ts'
import { createToolTable, type ToolTable } from './tools.ts'
import { selectionOf } from './toolsets.ts'

/** One POST whose host, origin, size, rate and bearer were checked. */
export interface McpRequest {
  /** The parsed JSON body. */
  readonly body: unknown
  readonly raw: IncomingMessage
  readonly rawResponse: ServerResponse
  readonly actor: Actor
  readonly url: URL
  readonly headers: IncomingHttpHeaders
  readonly requestId: string
}

export interface Mcp {
  /** Answers on `rawResponse`; headers set there before go along. Never rejects. */
  handle(request: McpRequest): Promise<void>
  /** Ends what is still being answered. */
  close(): Promise<void>
}

// Tools and prompts change with the program only; what resources hold changes any time.
const fixed: CacheHint = { ttlMs: 300_000, cacheScope: 'private' }
const cacheHints: ServerOptions['cacheHints'] = {
  'server/discover': fixed,
  'tools/list': fixed,
  'prompts/list': fixed,
  'resources/list': fixed,
  'resources/templates/list': fixed,
  'resources/read': { ttlMs: 0, cacheScope: 'private' },
}
const options: ServerOptions = { capabilities: { tools: {}, resources: {}, prompts: {} }, instructions, cacheHints }

/** POST `/mcp` (SPEC 4.1): stateless, in the protocol's present revision and in those before it. */
export function createMcp(parts: McpParts): Mcp {
  const table = createToolTable(parts.operations.values())
  const callers = new WeakMap<Request, Caller>()
  const handler = createMcpHandler(
    ({ requestInfo }) => {
      const caller = requestInfo && callers.get(requestInfo)
      if (!caller) throw new Error('an MCP request came without its caller')
      return createServer(parts, table, caller)
    },
    { legacy: 'stateless', onerror: (err) => parts.log.info({ err }, 'an MCP request was refused') },
  )
  return {
    close: () => handler.close(),
    async handle({ body, rawResponse, actor, url, headers, requestId }) {
      try {
        const request = toWebRequest(url, headers, departure(rawResponse))
        callers.set(request, { actor, requestId, selection: selectionOf(url, headers, actor) })
        const response = await handler.fetch(request, { parsedBody: body })
        if (response.status >= 500) parts.log.error({ requestId }, 'an MCP request failed unexpectedly')
        await sendWebResponse(response, rawResponse)
      } catch (thrown) {
        refuse(parts, rawResponse, thrown, body, requestId)
      }
    },
  }
}

/** A server for one exchange; everything it hands out was made before. */
function createServer(parts: McpParts, table: ToolTable, caller: Caller): Server {
  const server = new ExchangeServer({ name: 'talekeeper', title: 'Talekeeper', version: parts.version }, options)
  const { actor, selection, requestId } = caller
  const reading = async <T>(work: (read: Read) => Promise<T>): Promise<T> => {
    try {
      return await work(readAs(parts, caller))
    } catch (thrown) {
      const error = protocolError(thrown, requestId)
      if (error.code === ProtocolErrorCode.InternalError)
        parts.log.error({ err: thrown, requestId }, 'an MCP request failed unexpectedly')
      throw error
    }
  }
  server.setRequestHandler('tools/list', ({ params }) => onePage(params, { tools: table.list(selection) }))
  server.setRequestHandler('tools/call', ({ params }) => callTool(parts, table, caller, params))
  server.setRequestHandler('resources/list', ({ params }) => onePage(params, { resources: [...resources] }))
  server.setRequestHandler('resources/templates/list', ({ params }) =>
    onePage(params, { resourceTemplates: [...resourceTemplates] }),
  )
  server.setRequestHandler('resources/read', ({ params }) => reading((read) => readResource(read, actor, params.uri)))
  server.setRequestHandler('prompts/list', ({ params }) => onePage(params, { prompts: [...prompts] }))
  server.setRequestHandler('prompts/get', ({ params }) => reading((read) => getPrompt(read, actor, params)))
  return server
}

class ExchangeServer extends Server {
  override connect(transport: Transport): Promise<void> {
    return super.connect(describeErrors(transport))
  }
}

/** Every list is whole, so there is no cursor that could be right. */
function onePage<T>(params: { readonly cursor?: string | undefined } | undefined, page: T): T {
  if (params?.cursor !== undefined)
    throw invalidParams('validation_failed', 'This list has one page: leave the cursor away.')
  return page
}

/** What goes wrong before the protocol's library has the request: a selection that makes no sense. */
function refuse(parts: McpParts, response: ServerResponse, thrown: unknown, body: unknown, requestId: string): void {
  const { code, message, data } = protocolError(thrown, requestId)
  if (code === ProtocolErrorCode.InternalError)
    parts.log.error({ err: thrown, requestId }, 'an MCP request failed unexpectedly')
  if (response.headersSent) {
    response.destroy()
    return
  }
  const status = code === ProtocolErrorCode.InternalError ? 500 : 400
  sendJson(response, status, JSON.stringify({ jsonrpc: '2.0', id: idOf(body), error: { code, message, data } }))
}

function idOf(body: unknown): string | number | null {
  const id = typeof body === 'object' && body !== null && 'id' in body ? body.id : null
  return typeof id === 'string' || typeof id === 'number' ? id : null
}
