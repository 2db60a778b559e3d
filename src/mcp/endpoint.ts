import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { type CacheHint, ProtocolErrorCode, type Server, type ServerOptions } from '@modelcontextprotocol/server'
import type { Actor } from '../kernel/viewer.ts'
import { type Caller, type McpParts, type Read, readAs } from './caller.ts'
import { callTool } from './calls.ts'
import { callCompact, compactTools } from './compact.ts'
import { complete } from './completions.ts'
import { invalidParams, protocolError } from './errors.ts'
import { createHandler, ErrorObjectServer } from './handler.ts'
import { instructionsFor } from './instructions.ts'
import { getPrompt, prompts } from './prompts.ts'
import { readResource, resources, resourceTemplates } from './resources.ts'
import { createToolTable, type ToolTable } from './tools.ts'
import { type BoundSeat, type Selection, selectionOf } from './toolsets.ts'

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
  /** Told when one of its calls is of an anonymous operation. */
  onAnonymous?(): void
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
// No logging: a server without sessions could only forget the level that `logging/setLevel` sets.
const options: ServerOptions = { capabilities: { tools: {}, resources: {}, prompts: {}, completions: {} }, cacheHints }

/** POST `/mcp` (SPEC 4.1). */
export function createMcp(parts: McpParts): Mcp {
  // Made at the first call: it is a tenth of what starting takes, and many a table never asks.
  let made: ToolTable | undefined
  const table = (): ToolTable => {
    made ??= createToolTable(parts.operations.values())
    return made
  }
  const handler = createHandler<Caller>({ serverOf: (caller) => createServer(parts, table(), caller), log: parts.log })
  return {
    close: () => handler.close(),
    handle: ({ actor, onAnonymous = () => {}, ...post }) =>
      handler.handle(post, (signal) => ({
        actor,
        requestId: post.requestId,
        selection: selectionOf(post.url, post.headers, actor, table().byName, boundSeat(parts, actor)),
        signal,
        onAnonymous,
      })),
  }
}

/** What the campaign says to which a credential is bound; null where it is bound to none, or is no member of it any more. */
function boundSeat({ system }: McpParts, { userId, credential }: Actor): BoundSeat | null {
  const { campaignId } = credential
  if (campaignId === null) return null
  return system().view((unit) => {
    const role = unit.roleOf(userId, campaignId)
    return role === null ? null : { role, playersPropose: unit.campaign(campaignId)?.playersPropose ?? true }
  })
}

/** Kept with the tools that they are made from, of which there are few. */
const instructionsMade = new WeakMap<object, Map<string, string>>()

function instructionsOf(table: ToolTable, selection: Selection): string {
  const entries = table.select(selection)
  const made = instructionsMade.get(entries) ?? new Map<string, string>()
  instructionsMade.set(entries, made)
  const { proposing, compact } = selection
  const key = compact ? 'compact' : 'whole'
  const text =
    made.get(key) ?? instructionsFor({ listed: entries.map(({ operation }) => operation), proposing, compact })
  made.set(key, text)
  return text
}

/** A server for one request; everything it hands out was made before. */
function createServer(parts: McpParts, table: ToolTable, caller: Caller): Server {
  const { actor, selection, requestId } = caller
  const server = new ErrorObjectServer(
    { name: 'talekeeper', title: 'Talekeeper', version: parts.version },
    { ...options, instructions: instructionsOf(table, selection) },
  )
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
  server.setRequestHandler('tools/list', ({ params }) =>
    onePage(params, { tools: selection.compact ? compactTools(selection) : table.list(selection) }),
  )
  server.setRequestHandler('tools/call', ({ params }) =>
    selection.compact ? callCompact(parts, table, caller, params) : callTool(parts, table, caller, params),
  )
  server.setRequestHandler('resources/list', ({ params }) => onePage(params, { resources: [...resources] }))
  server.setRequestHandler('resources/templates/list', ({ params }) =>
    onePage(params, { resourceTemplates: [...resourceTemplates] }),
  )
  server.setRequestHandler('resources/read', ({ params }) => reading((read) => readResource(read, actor, params.uri)))
  server.setRequestHandler('prompts/list', ({ params }) => onePage(params, { prompts: [...prompts] }))
  server.setRequestHandler('prompts/get', ({ params }) => reading((read) => getPrompt(read, actor, params)))
  server.setRequestHandler('completion/complete', ({ params }) => reading((read) => complete(read, actor, params)))
  return server
}

/** Every list is whole, so there is no cursor that could be right. */
function onePage<T>(params: { readonly cursor?: string | undefined } | undefined, page: T): T {
  if (params?.cursor !== undefined)
    throw invalidParams('validation_failed', 'This list has one page: leave the cursor away.')
  return page
}
