import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import type { CacheHint, Server, ServerOptions } from '@modelcontextprotocol/server'
import type { AnyOperation } from '../kernel/operation.ts'
import type { Actor } from '../kernel/viewer.ts'
import { type Caller, type McpParts, type Read, readAs } from './caller.ts'
import type { ToolRequest } from './calls.ts'
import { callShown, compactTools, hasFinders, shownTools } from './compact.ts'
import { complete } from './completions.ts'
import { type DirectRequest, directRequestOf, sendDirectly } from './direct.ts'
import { invalidParams, protocolError, rpcCodes, withErrorObject } from './errors.ts'
import { abortOnClose } from './fetch-adapter.ts'
import { createHandler, errorObjectServer, refuse } from './handler.ts'
import { instructionsFor } from './instructions.ts'
import { getPrompt, prompts } from './prompts.ts'
import type { Protocol } from './protocol.ts'
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
  /** Told when one of its calls changes something, or would. */
  onChange?(): void
}

export interface Mcp {
  /** Answers on `rawResponse`; headers set there before go along. Never rejects. */
  handle(request: McpRequest): Promise<void>
  /** Gets the list of tools ready while nobody waits for it, a few tools at a time: all at once would hold everybody up. */
  prepare(stopping: AbortSignal): Promise<void>
  /** Ends what is still being answered. */
  close(): Promise<void>
}

/** After the start, in milliseconds: whoever opens the first page goes ahead of it. */
const preparedAfter = 5000
/** Between one part of that and the next. */
const preparedBetween = 20

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
  // Made at the first call, or ahead of it: it is a tenth of what starting takes.
  let made: ToolTable | undefined
  const table = (): ToolTable => {
    made ??= createToolTable(parts.operations.values())
    return made
  }
  const lists = createLists(parts, table)
  const callerOf = (request: McpRequest, signal: AbortSignal): Caller => {
    const { actor, url, headers, requestId, onAnonymous = nothing, onChange = nothing } = request
    const selection = selectionOf(url, headers, actor, table().byName, boundSeat(parts, actor))
    return { actor, requestId, selection, signal, onAnonymous, onChange }
  }
  let loaded: Protocol | null = null
  const handler = createHandler<Caller>({
    serverOf: (caller, protocol) => createServer(parts, protocol, table(), caller),
    async loadProtocol() {
      loaded ??= await parts.loadProtocol()
      return loaded
    },
    log: parts.log,
  })
  return {
    close: () => handler.close(),
    async prepare(signal) {
      const pass = (milliseconds: number) => setTimeout(milliseconds, undefined, { ref: false, signal })
      try {
        await pass(preparedAfter)
        while (table().makeSome()) await pass(preparedBetween)
      } catch (error) {
        if (!signal.aborted) throw error
      }
    },
    async handle(request) {
      const direct = directRequestOf(request.body, request.headers, loaded)
      try {
        if (direct !== null && (await isAnswered(request, direct))) return
      } catch (thrown) {
        refuse(parts.log, request, thrown)
        return
      }
      await handler.handle(request, (signal) => callerOf(request, signal))
    },
  }

  /** Answers it without the library, where that will be soon. */
  async function isAnswered(request: McpRequest, direct: DirectRequest): Promise<boolean> {
    const { rawResponse } = request
    const { call, isPresent } = direct
    const caller = callerOf(request, neverAborted)
    if (call === null) {
      sendDirectly(rawResponse, direct, 'result', lists.bytes(caller.selection, isPresent))
      return true
    }
    const operation = operationOf(table(), caller, call)
    if (operation !== undefined && !isSoonDone(operation)) return false
    const signal = operation?.prepare && abortOnClose(rawResponse)
    const own = signal === undefined ? caller : { ...caller, signal }
    await callDirectly(parts, table(), own, { ...direct, call }, rawResponse)
    return true
  }
}

const nothing = (): void => {}
const neverAborted = new AbortController().signal

/** Which operation a call is of, in whichever mode; undefined where it is of none. */
function operationOf(table: ToolTable, { selection }: Caller, call: ToolRequest): AnyOperation | undefined {
  const name = selection.compact ? call.arguments?.name : call.name
  return typeof name === 'string' ? table.find(name) : undefined
}

/** What may take long is answered by a stream that says now and then that it is still there, so that no client gives up. */
function isSoonDone({ callsOut, prepareMs }: AnyOperation): boolean {
  return callsOut !== true && prepareMs === undefined
}

async function callDirectly(
  parts: McpParts,
  table: ToolTable,
  caller: Caller,
  request: DirectRequest & { readonly call: ToolRequest },
  rawResponse: ServerResponse,
): Promise<void> {
  const { call, isPresent } = request
  try {
    const result = await callShown(parts, table, caller, call)
    const whole = isPresent ? { ...result, resultType: 'complete', _meta: metaOf(parts) } : result
    sendDirectly(rawResponse, request, 'result', JSON.stringify(whole))
  } catch (thrown) {
    const { code, message, data } = protocolError(thrown, caller.requestId)
    if (code === rpcCodes.internalError) throw thrown
    sendDirectly(rawResponse, request, 'error', JSON.stringify(withErrorObject({ code, message, data })))
  }
}

function identityOf({ version }: McpParts) {
  return { name: 'talekeeper', title: 'Talekeeper', version }
}

function metaOf(parts: McpParts): object {
  return { 'io.modelcontextprotocol/serverInfo': identityOf(parts) }
}

/** Lists of tools as bytes, each made once for its era and selection. Kept with the tools that it is made from, of which there are few. */
interface Lists {
  bytes(selection: Selection, isPresent: boolean): Buffer
}

function createLists(parts: McpParts, table: () => ToolTable): Lists {
  const made = { present: new WeakMap<object, Buffer>(), older: new WeakMap<object, Buffer>() }
  return {
    bytes(selection, isPresent) {
      const kept = isPresent ? made.present : made.older
      const key = selection.compact ? compactTools(selection) : table().select(selection)
      const known = kept.get(key)
      if (known !== undefined) return known
      const page = { tools: shownTools(table(), selection) }
      const whole = isPresent ? { ...page, resultType: 'complete', ...fixed, _meta: metaOf(parts) } : page
      const bytes = Buffer.from(JSON.stringify(whole))
      kept.set(key, bytes)
      return bytes
    },
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
    made.get(key) ??
    instructionsFor({
      listed: entries.map(({ operation }) => operation),
      proposing,
      compact,
      findsMore: hasFinders(table, selection),
    })
  made.set(key, text)
  return text
}

/** A server for one request; everything it hands out was made before. */
function createServer(parts: McpParts, protocol: Protocol, table: ToolTable, caller: Caller): Server {
  const { actor, selection, requestId } = caller
  const server = errorObjectServer(protocol, identityOf(parts), {
    ...options,
    instructions: instructionsOf(table, selection),
  })
  const reading = async <T>(work: (read: Read) => Promise<T>): Promise<T> => {
    try {
      return await work(readAs(parts, caller))
    } catch (thrown) {
      const error = protocolError(thrown, requestId)
      if (error.code === rpcCodes.internalError)
        parts.log.error({ err: thrown, requestId }, 'an MCP request failed unexpectedly')
      throw error
    }
  }
  server.setRequestHandler('tools/list', ({ params }) => onePage(params, { tools: shownTools(table, selection) }))
  server.setRequestHandler('tools/call', ({ params }) => callShown(parts, table, caller, params))
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
