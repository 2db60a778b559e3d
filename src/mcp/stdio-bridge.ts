import type { Readable, Writable } from 'node:stream'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js'
import { BridgeFailure, type BridgeServer, postMessage, Unreachable } from './bridge-post.ts'

export interface BridgeParts {
  readonly input: Readable
  readonly output: Writable
  /** Where the server is, and the key for it. Rejects with a BridgeFailure whose message is for people. */
  find(): Promise<BridgeServer>
  /** What people should know; standard output belongs to the protocol. */
  tell(sentence: string): void
}

type Id = string | number

/**
 * What an AI client that only starts programs talks to: each message that comes in goes to the running server's `/mcp` as
 * it is, and each answer comes back as it is, in the present revision of the protocol and in those before it. It starts no
 * server: where none answers, each request is answered with a sentence, until one does.
 * Settles when the input ends: true when the server was reached.
 */
export async function runBridge({ input, output, find, tell }: BridgeParts): Promise<boolean> {
  const transport = new StdioServerTransport(input, output)
  const open = new Map<Id, AbortController>()
  let server: BridgeServer | null = null
  let reached = false
  /** Of the older revisions, which agree on one once; the present one says it in each request. */
  let agreed: string | null = null

  const ask = async (message: JSONRPCMessage, signal: AbortSignal): Promise<void> => {
    const send = (answer: JSONRPCMessage): void => {
      if ('method' in message && message.method === 'initialize') agreed = versionIn(answer) ?? agreed
      if (!signal.aborted) void transport.send(answer)
    }
    for (let attempt = 0; ; attempt += 1) {
      server ??= await find()
      try {
        await postMessage({ server, message, version: versionOf(message) ?? agreed, signal, send })
        reached = true
        return
      } catch (error) {
        // It ended, or was started anew on another port: what was not taken yet may be sent again.
        server = null
        if (!(error instanceof Unreachable) || attempt > 0) throw error
      }
    }
  }

  const forward = async (message: JSONRPCMessage): Promise<void> => {
    const id = 'method' in message && 'id' in message ? message.id : null
    const gone = new AbortController()
    if (id !== null) open.set(id, gone)
    try {
      await ask(message, gone.signal)
    } catch (error) {
      if (gone.signal.aborted) return
      const failure = error instanceof BridgeFailure ? error : new BridgeFailure(String(error))
      tell(failure.message)
      if (id === null) return
      const { message: sentence, data } = failure
      await transport.send({
        jsonrpc: '2.0',
        id,
        error: { code: -32000, message: sentence, ...(data ? { data } : {}) },
      })
    } finally {
      if (id !== null) open.delete(id)
    }
  }

  let end = (): void => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  transport.onmessage = (message) => {
    // The server asks nothing, so there is nothing to be answered.
    if (!('method' in message)) return
    // Over HTTP a request is called off by going away.
    const calledOff = message.method === 'notifications/cancelled' ? message.params?.requestId : undefined
    if (calledOff === undefined) void forward(message)
    else open.get(calledOff as Id)?.abort()
  }
  transport.onerror = (error) => tell(`This is no message of the protocol: ${error.message}`)
  transport.onclose = end
  input.once('end', end)
  input.once('close', end)
  // Nobody reads any more.
  output.on('error', end)
  await transport.start()
  await ended
  for (const each of open.values()) each.abort()
  return reached
}

const versionKey = 'io.modelcontextprotocol/protocolVersion'

function versionOf(message: JSONRPCMessage): string | null {
  const meta =
    'params' in message ? (message.params?._meta as Readonly<Record<string, unknown>> | undefined) : undefined
  const version = meta?.[versionKey]
  return typeof version === 'string' ? version : null
}

function versionIn(answer: JSONRPCMessage): string | null {
  const version = 'result' in answer ? answer.result.protocolVersion : undefined
  return typeof version === 'string' ? version : null
}
