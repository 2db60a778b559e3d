import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { type RpcError, withErrorObject } from './errors.ts'

/** What the protocol's library reads of a request. The rest, the bearer above all, does not go further. */
const forwarded = ['content-type', 'accept', 'mcp-protocol-version', 'mcp-method', 'mcp-name', 'mcp-session-id']

/** The web request for a body that was read already; it carries none, so that nothing is serialised a second time. */
export function toWebRequest(url: URL, incoming: IncomingHttpHeaders, signal: AbortSignal): Request {
  const headers = new Headers()
  for (const name of forwarded) {
    const value = incoming[name]
    if (value !== undefined) headers.set(name, Array.isArray(value) ? value.join(', ') : value)
  }
  // RFC 9110 12.5.1: without Accept, or with a wildcard, any answer will do.
  const accept = headers.get('accept')
  if (accept === null || accept.includes('*/*') || readsOnlyJson(incoming))
    headers.set('accept', 'application/json, text/event-stream')
  return new Request(url, { method: 'POST', headers, signal })
}

/** A client that reads no streams gets what would have stood in one as JSON: nothing else is ever sent in it. */
function readsOnlyJson({ accept }: IncomingHttpHeaders): boolean {
  return accept?.includes('application/json') === true && !/text\/event-stream|\*\/\*/u.test(accept)
}

/** Aborts when the caller goes away before the answer is complete. */
export function abortOnClose(outgoing: ServerResponse): AbortSignal {
  const controller = new AbortController()
  outgoing.once('close', () => {
    if (!outgoing.writableFinished) controller.abort()
  })
  if (outgoing.destroyed) controller.abort()
  return controller.signal
}

/** Writes the library's answer. Settles when it is sent or the caller has gone. */
export async function sendWebResponse(
  response: Response,
  outgoing: ServerResponse,
  incoming: IncomingHttpHeaders,
): Promise<void> {
  if (outgoing.destroyed) return
  if (response.headers.get('content-type') === 'text/event-stream' && readsOnlyJson(incoming)) {
    const messages = messagesOf(await response.text())
    sendJson(outgoing, response.status, messages.length === 1 ? (messages[0] ?? '') : `[${messages.join(',')}]`)
    return
  }
  if (response.body === null) {
    outgoing.writeHead(response.status).end()
    return
  }
  if (response.headers.get('content-type') === 'text/event-stream') {
    outgoing.writeHead(response.status, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    })
    // A caller who leaves in the middle is no failure of ours.
    await pipeline(response.body, outgoing).catch(() => undefined)
    return
  }
  const bytes = Buffer.from(await response.arrayBuffer())
  const allow = response.headers.get('allow')
  const answer = response.status < 400 ? bytes : described(bytes, response.status)
  sendJson(outgoing, response.status, answer, allow === null ? {} : { allow })
}

/** The JSON texts of an event stream. */
function messagesOf(stream: string): readonly string[] {
  return Array.from(stream.matchAll(/^data: ?(.+)$/gm), ([, data]) => data ?? '')
}

/** `json` is a JSON text, or its bytes. */
export function sendJson(
  outgoing: ServerResponse,
  status: number,
  json: string | Buffer,
  headers: Readonly<Record<string, string>> = {},
): void {
  outgoing
    .writeHead(status, {
      ...headers,
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(json)),
      'cache-control': 'no-store',
    })
    .end(json)
}

function described(bytes: Buffer, status: number): string {
  const answer = JSON.parse(bytes.toString('utf8')) as { readonly error: RpcError }
  return JSON.stringify({ ...answer, error: withErrorObject(answer.error, status) })
}
