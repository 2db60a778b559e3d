import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { createParser } from 'eventsource-parser'

/** A server and a key for it. */
export interface BridgeServer {
  /** Of `/mcp`. */
  readonly url: string
  readonly token: string
}

/** Why a message was not answered, for people. */
export class BridgeFailure extends Error {
  /** The server's own error object. */
  readonly data: unknown
  constructor(message: string, data?: unknown) {
    super(message)
    this.data = data
  }
}

/** Nothing answered at the address, so that the message was not taken. */
export class Unreachable extends BridgeFailure {}

export interface BridgePost {
  readonly server: BridgeServer
  readonly message: JSONRPCMessage
  /** The protocol's revision, for the header; null before one is agreed on. */
  readonly version: string | null
  readonly signal: AbortSignal
  send(answer: JSONRPCMessage): void
}

/**
 * One message over streamable HTTP. Settles when the last of its answers was sent.
 * @throws Unreachable where nothing answers, BridgeFailure for an answer that is none of the protocol's.
 */
export async function postMessage(post: BridgePost): Promise<void> {
  const { server, message, signal, send } = post
  const response = await begin(post)
  const type = response.headers['content-type'] ?? ''
  const text = async (): Promise<string> => {
    const chunks: Buffer[] = []
    for await (const chunk of response) chunks.push(chunk as Buffer)
    return Buffer.concat(chunks).toString('utf8')
  }
  if (type.startsWith('text/event-stream')) {
    const decoder = new TextDecoder()
    const parser = createParser({
      onEvent({ data }) {
        for (const each of messagesIn(data)) send(each)
      },
    })
    for await (const chunk of response) parser.feed(decoder.decode(chunk as Buffer, { stream: true }))
    return
  }
  const answer = await text()
  const isRequest = 'id' in message
  const messages = messagesIn(answer)
  // Also refusals are answers where they are JSON-RPC; without an id nobody would know whose they are.
  for (const each of messages) send(withId(each, message))
  if (messages.length === 0 && (isRequest || (response.statusCode ?? 0) >= 400) && !signal.aborted)
    throw refusalOf(server, response.statusCode ?? 0, answer)
}

function begin({ server, message, version, signal }: BridgePost): Promise<IncomingMessage> {
  const url = new URL(server.url)
  const body = Buffer.from(JSON.stringify(message))
  const options = {
    method: 'POST',
    signal,
    // A certificate names the address that players use, not this machine's own.
    rejectUnauthorized: !isLoopback(url.hostname),
    headers: {
      ...headersOf(message, version),
      authorization: `Bearer ${server.token}`,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'content-length': body.length,
    },
  }
  return new Promise((resolve, reject) => {
    const outgoing = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, options, resolve)
    outgoing.once('error', (error: NodeJS.ErrnoException) => {
      reject(
        error.code === 'ECONNREFUSED'
          ? new Unreachable(`Talekeeper does not answer at ${url.origin}/. Start it, then try again.`)
          : new BridgeFailure(`Talekeeper at ${url.origin}/ cannot be reached: ${error.message}.`),
      )
    })
    outgoing.end(body)
  })
}

/** What the present revision says in headers as well (SEP-2243): they have to agree with the body. */
function headersOf(message: JSONRPCMessage, version: string | null): Readonly<Record<string, string>> {
  if (!('method' in message)) return {}
  const params = (message.params ?? {}) as Readonly<Record<string, unknown>>
  const name = message.method === 'resources/read' ? params.uri : params.name
  return {
    ...(version === null ? {} : { 'mcp-protocol-version': version }),
    'mcp-method': message.method,
    ...(named.has(message.method) && typeof name === 'string' ? { 'mcp-name': headerText(name) } : {}),
  }
}

const named: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read'])

/** As it is where a header can hold it, else wrapped as the protocol says. */
function headerText(text: string): string {
  const isPlain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(text) && !text.startsWith('=?base64?')
  return isPlain ? text : `=?base64?${Buffer.from(text, 'utf8').toString('base64')}?=`
}

/** The messages of a JSON text; none where it holds something else. */
function messagesIn(text: string): readonly JSONRPCMessage[] {
  let found: unknown
  try {
    found = JSON.parse(text)
  } catch {
    return []
  }
  const isMessage = (each: unknown): each is JSONRPCMessage =>
    typeof each === 'object' && each !== null && (each as { readonly jsonrpc?: unknown }).jsonrpc === '2.0'
  return (Array.isArray(found) ? found : [found]).filter(isMessage)
}

function withId(answer: JSONRPCMessage, asked: JSONRPCMessage): JSONRPCMessage {
  const isNameless = 'error' in answer && (answer.id ?? null) === null
  return isNameless && 'id' in asked ? { ...answer, id: asked.id } : answer
}

function refusalOf({ url }: BridgeServer, status: number, text: string): BridgeFailure {
  let data: unknown
  try {
    data = JSON.parse(text)
  } catch {
    data = undefined
  }
  const message = (data as { readonly error?: { readonly message?: unknown } } | undefined)?.error?.message
  if (status === 401)
    return new BridgeFailure(
      'The key for Talekeeper is not valid any more. Make a new one on its page "Connect an AI".',
      data,
    )
  const said = typeof message === 'string' ? message : `it answered ${status}`
  return new BridgeFailure(`Talekeeper at ${new URL(url).origin}/: ${said}`, data)
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\./.test(hostname)
}
