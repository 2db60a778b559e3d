import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import type { ToolRequest } from './calls.ts'
import type { Protocol } from './protocol.ts'

// Nearly all requests of AI clients are a call of a tool or the list of them, in the plainest form there is. These are
// answered on the connection itself: the protocol's library would make a server, a transport, a web request and three
// nested streams for each. Whatever is not of that form, and whatever is to be refused, is the library's.

/** A request that is answered directly. */
export interface DirectRequest {
  readonly id: string | number
  /** The call of a tool; null where the tools are listed. */
  readonly call: ToolRequest | null
  /** Whether it is of the protocol's present revision, whose answers say more. */
  readonly isPresent: boolean
  /** What the answer is to be: JSON for who takes it, else a stream of one event. */
  readonly form: 'json' | 'event'
}

type Json = Readonly<Record<string, unknown>>

const presentRevision = '2026-07-28'
const older: ReadonlySet<string> = new Set(['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'])
/** What begins so in `_meta` is the protocol's own. */
const reserved = 'io.modelcontextprotocol/'
const versionKey = `${reserved}protocolVersion`

/** What clients say of themselves with every request, and the library has found good. Strangers could make up many. */
const soundEnvelopes = new Set<string>()
const envelopesKept = 200

/**
 * What a request asks for where it can be answered directly; null where it is left to the library. `library` judges what a
 * client says of itself for the first time; null while it is not loaded.
 */
export function directRequestOf(
  body: unknown,
  headers: IncomingHttpHeaders,
  library: Pick<Protocol, 'classifyInboundRequest'> | null,
): DirectRequest | null {
  const form = formOf(headers.accept)
  if (form === null || !isJson(headers['content-type'])) return null
  if (!isObject(body) || !hasOnly(body, 'jsonrpc', 'id', 'method', 'params')) return null
  const { jsonrpc, id, method, params } = body
  if (jsonrpc !== '2.0' || !(typeof id === 'string' || Number.isSafeInteger(id))) return null
  if (params !== undefined && !isObject(params)) return null
  const call = callOf(method, params)
  if (call === undefined) return null
  const era = eraOf(body, params?._meta, headers, library)
  return era === null ? null : { id: id as string | number, call, isPresent: era === 'present', form }
}

/** Undefined where it is neither a plain call nor a plain list. */
function callOf(method: unknown, params: Json | undefined): ToolRequest | null | undefined {
  if (method === 'tools/list') return params === undefined || hasOnly(params, '_meta') ? null : undefined
  if (method !== 'tools/call' || params === undefined || !hasOnly(params, 'name', 'arguments', '_meta'))
    return undefined
  if (typeof params.name !== 'string' || !(params.arguments === undefined || isObject(params.arguments)))
    return undefined
  return params as unknown as ToolRequest
}

/** Null where headers and body do not agree, or say what only the library judges. */
function eraOf(
  body: Json,
  meta: unknown,
  headers: IncomingHttpHeaders,
  library: Pick<Protocol, 'classifyInboundRequest'> | null,
): 'present' | 'older' | null {
  const version = headers['mcp-protocol-version']
  if (meta !== undefined && !(isObject(meta) && isToken(meta.progressToken))) return null
  if (meta === undefined || !(versionKey in meta)) {
    const isReserved = meta !== undefined && Object.keys(meta).some((key) => key.startsWith(reserved))
    return !isReserved && (version === undefined || (typeof version === 'string' && older.has(version)))
      ? 'older'
      : null
  }
  const { method, params } = body as { readonly method: string; readonly params?: { readonly name?: string } }
  const agree =
    meta[versionKey] === presentRevision &&
    version === presentRevision &&
    headers['mcp-method'] === method &&
    (method !== 'tools/call' || headers['mcp-name'] === params?.name)
  return agree && isSound(body, meta, library) ? 'present' : null
}

function isSound(body: Json, meta: Json, library: Pick<Protocol, 'classifyInboundRequest'> | null): boolean {
  const envelope = JSON.stringify(
    Object.entries(meta)
      .filter(([key]) => key.startsWith(reserved))
      .sort(),
  )
  if (soundEnvelopes.has(envelope)) return true
  if (library?.classifyInboundRequest({ httpMethod: 'POST', body }).kind !== 'modern') return false
  if (soundEnvelopes.size >= envelopesKept) soundEnvelopes.clear()
  soundEnvelopes.add(envelope)
  return true
}

/** RFC 9110 12.5.1: without Accept, or with a wildcard, any answer will do. */
function formOf(accept: string | undefined): DirectRequest['form'] | null {
  if (accept === undefined || accept.includes('application/json') || accept.includes('*/*')) return 'json'
  return accept.includes('text/event-stream') ? 'event' : null
}

function isJson(type: string | undefined): boolean {
  return type === 'application/json' || type?.startsWith('application/json;') === true
}

function hasOnly(value: Json, ...names: readonly string[]): boolean {
  for (const key in value) if (!names.includes(key)) return false
  return true
}

function isToken(value: unknown): boolean {
  return value === undefined || typeof value === 'string' || Number.isSafeInteger(value)
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Sends `member`, a result or an error with its name, whose value is JSON text or its bytes. */
export function sendDirectly(
  outgoing: ServerResponse,
  { id, form }: DirectRequest,
  member: 'result' | 'error',
  value: string | Buffer,
): void {
  if (outgoing.destroyed) return
  const isEvent = form === 'event'
  const head = `${isEvent ? 'event: message\ndata: ' : ''}{"jsonrpc":"2.0","id":${JSON.stringify(id)},"${member}":`
  const tail = isEvent ? '}\n\n' : '}'
  const length = Buffer.byteLength(head) + Buffer.byteLength(value) + tail.length
  outgoing.writeHead(200, {
    'content-type': isEvent ? 'text/event-stream' : 'application/json',
    'content-length': length,
    ...(isEvent
      ? { 'cache-control': 'no-cache, no-transform', 'x-accel-buffering': 'no' }
      : { 'cache-control': 'no-store' }),
  })
  if (typeof value === 'string') {
    outgoing.end(head + value + tail)
    return
  }
  outgoing.cork()
  outgoing.write(head)
  outgoing.write(value)
  outgoing.end(tail)
  outgoing.uncork()
}
