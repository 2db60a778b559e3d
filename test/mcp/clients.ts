import {
  Client as PresentClient,
  StreamableHTTPClientTransport as PresentTransport,
} from '@modelcontextprotocol/client'
import { StdioClientTransport as PresentStdio } from '@modelcontextprotocol/client/stdio'
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport as OlderStdio } from '@modelcontextprotocol/sdk/client/stdio.js'
import { StreamableHTTPClientTransport as OlderTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

type Headers = Readonly<Record<string, string>>
const whoami = { name: 'test-client', version: '1' }
export const present = '2026-07-28'

async function presentClient(url: string, headers: Headers, mode: 'legacy' | { pin: string }): Promise<PresentClient> {
  const client = new PresentClient(whoami, { versionNegotiation: { mode } })
  await client.connect(new PresentTransport(new URL(url), { requestInit: { headers: { ...headers } } }))
  return client
}

async function olderClient(url: string, headers: Headers): Promise<OlderClient> {
  const client = new OlderClient(whoami)
  await client.connect(new OlderTransport(new URL(url), { requestInit: { headers: { ...headers } } }) as never)
  return client
}

export interface TextContent {
  readonly type: string
  readonly text: string
}

/** What the tests use of a client, whichever library it is of. */
export interface Connected {
  listTools(): Promise<{
    readonly tools: readonly { readonly name: string }[]
    readonly nextCursor?: string | undefined
  }>
  callTool(
    name: string,
    args: Record<string, unknown>,
    meta?: Record<string, unknown>,
  ): Promise<{ readonly isError: boolean; readonly structured: boolean; readonly json: unknown }>
  listResources(): Promise<readonly { readonly uri: string }[]>
  listResourceTemplates(): Promise<readonly { readonly uriTemplate: string }[]>
  readResource(uri: string): Promise<unknown>
  listPrompts(): Promise<readonly { readonly name: string }[]>
  getPrompt(name: string, args?: Record<string, string>): Promise<string>
  instructions(): string | undefined
  close(): Promise<void>
}

function connected(client: PresentClient | OlderClient): Connected {
  const any = client as PresentClient
  return {
    listTools: () => any.listTools(),
    async callTool(name, args, meta) {
      const result = await any.callTool({ name, arguments: args, ...(meta ? { _meta: meta } : {}) })
      const [content] = result.content as TextContent[]
      return {
        isError: result.isError === true,
        structured: result.structuredContent !== undefined,
        json: JSON.parse(content?.text ?? 'null'),
      }
    },
    listResources: async () => (await any.listResources()).resources,
    listResourceTemplates: async () => (await any.listResourceTemplates()).resourceTemplates,
    async readResource(uri) {
      const { contents } = await any.readResource({ uri })
      return JSON.parse((contents[0] as TextContent | undefined)?.text ?? 'null')
    },
    listPrompts: async () => (await any.listPrompts()).prompts,
    async getPrompt(name, args) {
      const { messages } = await any.getPrompt({ name, ...(args ? { arguments: args } : {}) })
      return messages.map(({ content }) => (content as TextContent).text).join('\n')
    },
    instructions: () => any.getInstructions(),
    close: () => any.close(),
  }
}

/** Every kind of client that connects: two libraries, two eras of the protocol. */
export const clients = [
  {
    era: 'older',
    name: 'SDK 1',
    connect: async (url: string, headers: Headers = {}) => connected(await olderClient(url, headers)),
  },
  {
    era: 'older',
    name: 'client 2 in the older era',
    connect: async (url: string, headers: Headers = {}) => connected(await presentClient(url, headers, 'legacy')),
  },
  {
    era: 'present',
    name: 'client 2',
    connect: async (url: string, headers: Headers = {}) =>
      connected(await presentClient(url, headers, { pin: present })),
  },
] as const

/** A program that a client starts and talks to on its standard streams. */
export interface Started {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

export interface ConnectedProgram extends Connected {
  /** What the program has printed beside the protocol. */
  stderr(): string
}

async function startedBy(
  era: 'older' | 'legacy' | 'present',
  { command, args, env }: Started,
): Promise<ConnectedProgram> {
  const given = { command, args: [...args], env: { ...env }, stderr: 'pipe' as const }
  const transport = era === 'older' ? new OlderStdio(given) : new PresentStdio(given)
  let stderr = ''
  transport.stderr?.on('data', (chunk: Buffer) => {
    stderr += chunk.toString('utf8')
  })
  const mode = era === 'present' ? { pin: present } : era
  const client =
    mode === 'older' ? new OlderClient(whoami) : new PresentClient(whoami, { versionNegotiation: { mode } })
  await client.connect(transport as never, { timeout: 120_000 })
  return { ...connected(client), stderr: () => stderr }
}

/** The same kinds of clients on a program that they start. */
export const starters = [
  { name: 'SDK 1', start: (program: Started) => startedBy('older', program) },
  { name: 'client 2 in the older era', start: (program: Started) => startedBy('legacy', program) },
  { name: 'client 2', start: (program: Started) => startedBy('present', program) },
] as const

export interface Raw {
  readonly status: number
  readonly headers: globalThis.Headers
  readonly text: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any
}

/** One POST without a library. Server-sent events with one message are read as that message. */
export async function post(url: string, body: unknown, headers: Headers = {}): Promise<Raw> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  const text = await response.text()
  const message = /^data: (.*)$/m.exec(text)?.[1] ?? text
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: message === '' ? undefined : JSON.parse(message),
  }
}

/** A request of the present era: its facts stand in the body, and again in the headers. */
export function modern(
  method: string,
  params: Record<string, unknown> = {},
  id: number | string = 1,
): { readonly body: unknown; readonly headers: Headers } {
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': present,
    'io.modelcontextprotocol/clientCapabilities': {},
    'io.modelcontextprotocol/clientInfo': whoami,
    ...(params._meta as object | undefined),
  }
  const name = params.name ?? params.uri
  return {
    body: { jsonrpc: '2.0', id, method, params: { ...params, _meta } },
    headers: {
      'mcp-protocol-version': present,
      'mcp-method': method,
      ...(typeof name === 'string' ? { 'mcp-name': name } : {}),
    },
  }
}

export function legacy(method: string, params?: Record<string, unknown>, id: number | string = 1): unknown {
  return { jsonrpc: '2.0', id, method, ...(params ? { params } : {}) }
}
