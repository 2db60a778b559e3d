import type { InjectOptions } from 'fastify'
import type { TestServer } from './server.ts'

export interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any
  readonly text: string
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>
}

/** Somebody who calls the server, with whatever they show. */
export interface Caller {
  readonly name: string
  readonly userId: number
  readonly headers: Readonly<Record<string, string>>
  request(method: string, path: string, body?: unknown, headers?: Readonly<Record<string, string>>): Promise<Answer>
  get(path: string): Promise<Answer>
  post(path: string, body?: unknown): Promise<Answer>
  /** One JSON-RPC request to /mcp in the older era. */
  mcp(method: string, params?: unknown): Promise<Answer>
  tool(name: string, input: unknown): Promise<ToolAnswer>
}

export interface ToolAnswer {
  readonly isError: boolean
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly content: any
  readonly answer: Answer
}

const origin = { host: 'localhost', origin: 'http://localhost', 'sec-fetch-site': 'same-origin' }

export function callerOn(
  server: TestServer,
  name: string,
  userId: number,
  credentials: Readonly<Record<string, string>>,
): Caller {
  const headers = { ...origin, ...credentials }
  const request: Caller['request'] = async (method, path, body, extra = {}) => {
    const payload = body === undefined ? {} : { payload: body as InjectOptions['payload'] & object }
    const response = await server.app.server.inject({
      method: method as 'GET',
      url: path,
      headers: { ...headers, ...extra },
      ...payload,
    })
    const text = response.body
    return { status: response.statusCode, body: parsed(text), text, headers: response.headers }
  }
  const mcp: Caller['mcp'] = (method, params = {}) =>
    request(
      'POST',
      '/mcp',
      { jsonrpc: '2.0', id: 1, method, params },
      { accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
    )
  return {
    name,
    userId,
    headers,
    request,
    get: (path) => request('GET', path),
    post: (path, body = {}) => request('POST', path, body),
    mcp,
    async tool(tool, input) {
      const answer = await mcp('tools/call', { name: tool, arguments: input })
      const result = answer.body?.result
      return { isError: result?.isError === true, content: parsed(result?.content?.[0]?.text ?? ''), answer }
    },
  }
}

/** Some answers of /mcp are server-sent events with one message. */
function parsed(text: string): unknown {
  const message = /^data: (.*)$/m.exec(text)?.[1] ?? text
  try {
    return JSON.parse(message)
  } catch {
    return undefined
  }
}
