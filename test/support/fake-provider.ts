import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sampleOf } from './sample-of-schema.ts'

// An AI provider on loopback: a real HTTP server that speaks the wire formats of OpenAI's chat completions and of Anthropic's
// messages, streaming and not, and misbehaves as it is told. What it got is captured byte for byte.

/** What it got of one request. */
export interface Captured {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

interface Called {
  readonly name: string
  /** An object, or text that is sent as it is. */
  readonly arguments: object | string
}

/** What it answers to a request for a completion. */
export interface Says {
  readonly text?: string
  readonly calls?: readonly Called[]
  /** As OpenAI calls it; Anthropic's word is found for it. */
  readonly finish?: 'stop' | 'length' | 'tool_calls' | 'content_filter'
  /** Tokens of the prompt and of the answer; null says nothing of them. */
  readonly usage?: readonly [number, number] | null
}

/** How it misbehaves. Those below `status` are for streams. */
export type Fault =
  | {
      readonly fault: 'status'
      readonly status: number
      readonly body?: string
      readonly headers?: Readonly<Record<string, string>>
    }
  | { readonly fault: 'redirect'; readonly to: string }
  | {
      readonly fault:
        | 'html'
        | 'empty'
        | 'slow'
        | 'comments'
        | 'cut'
        | 'cut-at-once'
        | 'no-end'
        | 'bad-chunk'
        | 'error-inside'
    }
  | { readonly fault: 'unknown-event' | 'refusal' | 'endless' | 'long-line' | 'drip' }

export type Step = Says | Fault | ((request: Captured) => Says | Fault)

export interface FakeProvider {
  readonly port: number
  /** Where its API lies, for either kind. */
  readonly baseUrl: string
  readonly requests: Captured[]
  /** Bodies of all requests, as one text. */
  sent(): string
  /** What it does next, one for each request; then it answers by itself again. */
  script(...steps: readonly Step[]): void
  /** What it answers when nothing is scripted. Without it: what fits the schema that is asked for, else one sentence. */
  always(step: Step | null): void
  /** Resolves when so many requests have come. */
  until(count: number): Promise<void>
  reset(): void
  close(): Promise<void>
}

export const fakeModels = ['table-model', 'other-model'] as const

export async function startFakeProvider(): Promise<FakeProvider> {
  const requests: Captured[] = []
  let script: Step[] = []
  let always: Step | null = null
  const waiting: { readonly count: number; readonly resolve: () => void }[] = []
  const server = createServer(async (incoming, response) => {
    const request = await capture(incoming)
    requests.push(request)
    for (const each of waiting) if (requests.length >= each.count) each.resolve()
    const kind = request.path.endsWith('/messages') ? 'anthropic' : 'openai'
    if (request.method === 'GET' && request.path.split('?')[0]?.endsWith('/models')) {
      const [step] = script
      if (step !== undefined && typeof step !== 'function' && 'fault' in step) {
        script.shift()
        return misbehave(response, step, kind, false)
      }
      return json(response, 200, {
        object: 'list',
        data: fakeModels.map((id) => ({
          id,
          object: 'model',
          type: 'model',
          created: 1,
          owned_by: 'fake',
          meta: { n_ctx: 16384 },
        })),
      })
    }
    const given = script.shift() ?? always ?? { ...itself(request) }
    const step = typeof given === 'function' ? given(request) : given
    const isStream = (JSON.parse(request.body) as { readonly stream?: boolean }).stream === true
    if ('fault' in step) return misbehave(response, step, kind, isStream)
    answer(response, step, kind, isStream)
  })
  server.keepAliveTimeout = 1
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A test run does not wait for it.
  server.unref()
  const { port } = server.address() as AddressInfo
  return {
    port,
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests,
    sent: () => requests.map(({ body }) => body).join('\n'),
    script: (...steps) => void script.push(...steps),
    always(step) {
      always = step
    },
    until(count) {
      if (requests.length >= count) return Promise.resolve()
      return new Promise((resolve) => void waiting.push({ count, resolve }))
    },
    reset() {
      requests.length = 0
      script = []
      always = null
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}

async function capture(incoming: IncomingMessage): Promise<Captured> {
  const parts: Buffer[] = []
  for await (const part of incoming as AsyncIterable<Buffer>) parts.push(part)
  const { method = '', url = '', headers } = incoming
  return { method, path: url, headers, body: Buffer.concat(parts).toString('utf8') }
}

/** What fits what was asked for. */
function itself({ body }: Captured): Says {
  const asked = JSON.parse(body) as {
    readonly response_format?: { readonly json_schema?: { readonly schema: object } }
    readonly output_config?: { readonly format?: { readonly schema?: object } }
    readonly tools?: readonly { readonly name?: string; readonly input_schema?: object }[]
  }
  const jsonTool = asked.tools?.find(({ name }) => name === 'json')?.input_schema
  const schema = asked.response_format?.json_schema?.schema ?? asked.output_config?.format?.schema
  if (schema !== undefined) return { text: JSON.stringify(sampleOf(schema)) }
  if (jsonTool !== undefined) return { calls: [{ name: 'json', arguments: sampleOf(jsonTool) as object }] }
  return { text: 'Good evening. The kettle is on.' }
}

function json(
  response: ServerResponse,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers })
  response.end(JSON.stringify(body))
}

type Wire = 'openai' | 'anthropic'

const stopReasons = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
} as const
const textOf = (given: Called['arguments']): string => (typeof given === 'string' ? given : JSON.stringify(given))

function answer(response: ServerResponse, says: Says, kind: Wire, isStream: boolean): void {
  if (isStream) {
    for (const line of [...head(response, kind), ...linesOf(says, kind), ...endOf(says, kind)]) response.write(line)
    response.end()
    return
  }
  const { text = '', calls = [], usage = [20, 10] } = says
  const finish = says.finish ?? (calls.length > 0 ? 'tool_calls' : 'stop')
  if (kind === 'openai') {
    const tool_calls = calls.map((call, index) => ({
      id: `call_${index}`,
      type: 'function',
      function: { name: call.name, arguments: textOf(call.arguments) },
    }))
    const message = { role: 'assistant', content: text, ...(calls.length > 0 ? { tool_calls } : {}) }
    json(response, 200, {
      ...{ id: 'c1', object: 'chat.completion', created: 1, model: 'table-model' },
      choices: [{ index: 0, message, finish_reason: finish }],
      ...(usage === null ? {} : { usage: openAiUsage(usage) }),
    })
    return
  }
  json(response, 200, {
    ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'table-model' },
    content: [
      ...(text === '' ? [] : [{ type: 'text', text }]),
      ...calls.map((call, index) => ({
        type: 'tool_use',
        id: `toolu_${index}`,
        name: call.name,
        input: call.arguments,
      })),
    ],
    ...{ stop_reason: stopReasons[finish], stop_sequence: null },
    usage: { input_tokens: usage?.[0] ?? 0, output_tokens: usage?.[1] ?? 0 },
  })
}

const openAiUsage = ([input, output]: readonly [number, number]) => ({
  ...{ prompt_tokens: input, completion_tokens: output, total_tokens: input + output },
})
const data = (value: object): string => `data: ${JSON.stringify(value)}\n\n`
const event = (value: { readonly type: string }): string => `event: ${value.type}\n${data(value)}`
const chunk = (delta: object, finish: string | null = null, rest: object = {}): string =>
  data({
    ...{ id: 'c1', object: 'chat.completion.chunk', created: 1, model: 'table-model' },
    choices: [{ index: 0, delta, finish_reason: finish }],
    ...rest,
  })

function head(response: ServerResponse, kind: Wire): readonly string[] {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
  if (kind === 'openai') return [chunk({ role: 'assistant', content: '' })]
  const usage = { input_tokens: 20, output_tokens: 1 }
  const message = { id: 'msg_1', type: 'message', role: 'assistant', model: 'table-model', content: [], usage }
  return [
    event({ type: 'message_start', message: { ...message, stop_reason: null, stop_sequence: null } } as never),
    event({ type: 'ping' }),
  ]
}

/** A text in pieces, as it comes. */
function piecesOf(text: string): readonly string[] {
  return text.match(/[\s\S]{1,12}/gu) ?? []
}

function linesOf({ text = '', calls = [] }: Says, kind: Wire): readonly string[] {
  if (kind === 'openai') {
    return [
      ...piecesOf(text).map((piece) => chunk({ content: piece })),
      ...calls.flatMap((call, index) => [
        chunk({
          tool_calls: [{ index, id: `call_${index}`, type: 'function', function: { name: call.name, arguments: '' } }],
        }),
        ...piecesOf(textOf(call.arguments)).map((piece) =>
          chunk({ tool_calls: [{ index, function: { arguments: piece } }] }),
        ),
      ]),
    ]
  }
  const block = (index: number, content: object, deltas: readonly object[]): readonly string[] => [
    event({ type: 'content_block_start', index, content_block: content } as never),
    ...deltas.map((delta) => event({ type: 'content_block_delta', index, delta } as never)),
    event({ type: 'content_block_stop', index } as never),
  ]
  const texts =
    text === ''
      ? []
      : block(
          0,
          { type: 'text', text: '' },
          piecesOf(text).map((piece) => ({ type: 'text_delta', text: piece })),
        )
  return [
    ...texts,
    ...calls.flatMap((call, at) =>
      block(
        at + (text === '' ? 0 : 1),
        { type: 'tool_use', id: `toolu_${at}`, name: call.name, input: {} },
        piecesOf(textOf(call.arguments)).map((piece) => ({ type: 'input_json_delta', partial_json: piece })),
      ),
    ),
  ]
}

function endOf({ calls = [], finish, usage = [20, 10] }: Says, kind: Wire): readonly string[] {
  const how = finish ?? (calls.length > 0 ? 'tool_calls' : 'stop')
  if (kind === 'openai') {
    const told =
      usage === null
        ? []
        : [
            data({
              id: 'c1',
              object: 'chat.completion.chunk',
              created: 1,
              model: 'm',
              choices: [],
              usage: openAiUsage(usage),
            }),
          ]
    return [chunk({}, how), ...told, 'data: [DONE]\n\n']
  }
  const told = usage === null ? { output_tokens: 0 } : { input_tokens: usage[0], output_tokens: usage[1] }
  return [
    event({
      type: 'message_delta',
      delta: { stop_reason: stopReasons[how], stop_sequence: null },
      usage: told,
    } as never),
    event({ type: 'message_stop' }),
  ]
}

function misbehave(response: ServerResponse, given: Fault, kind: Wire, isStream: boolean): void {
  switch (given.fault) {
    case 'status': {
      const error = { type: 'error', error: { type: 'some_error', message: 'As it was told' } }
      response.writeHead(given.status, { 'content-type': 'application/json', ...given.headers })
      response.end(given.body ?? JSON.stringify(error))
      return
    }
    case 'redirect':
      response.writeHead(307, { location: given.to })
      response.end()
      return
    case 'html':
      response.writeHead(200, { 'content-type': 'text/html' })
      response.end('<!doctype html><title>A router</title>')
      return
    case 'empty':
      response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' })
      response.end()
      return
    // Nothing comes; the connection stands.
    case 'slow':
      return
    case 'cut-at-once':
      response.destroy()
      return
  }
  for (const line of head(response, kind)) response.write(line)
  const say = (text: string): void => {
    for (const line of kind === 'openai' ? [chunk({ content: text })] : linesOf({ text }, kind)) response.write(line)
  }
  switch (given.fault) {
    case 'comments': {
      const timer = setInterval(() => response.write(': still here\n\n'), 5)
      response.once('close', () => clearInterval(timer))
      return
    }
    case 'drip':
      say('one word')
      return
    case 'cut':
      say('and then')
      setTimeout(() => response.destroy(), 20)
      return
    case 'no-end':
      say('and then')
      response.end()
      return
    case 'bad-chunk':
      response.write('data: {"this is": not JSON\n\n')
      for (const line of [...linesOf({ text: 'as if nothing had been' }, kind), ...endOf({}, kind)])
        response.write(line)
      response.end()
      return
    case 'unknown-event':
      response.write(event({ type: 'something_new', value: 1 } as never))
      for (const line of [...linesOf({ text: 'It goes on.' }, kind), ...endOf({}, kind)]) response.write(line)
      response.end()
      return
    case 'error-inside':
      say('and then')
      response.write(
        kind === 'openai'
          ? data({ error: { code: 502, type: 'server_error', message: 'The one behind it broke' } })
          : event({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } } as never),
      )
      response.end()
      return
    case 'refusal':
      if (kind === 'openai') response.write(chunk({ refusal: 'I would rather not.' }))
      for (const line of endOf(kind === 'openai' ? {} : { finish: 'content_filter' }, kind)) response.write(line)
      response.end()
      return
    case 'endless': {
      const timer = setInterval(() => say('and on and on and on and on '.repeat(20)), 1)
      response.once('close', () => clearInterval(timer))
      return
    }
    case 'long-line':
      response.write(`data: {"x":"${'y'.repeat(8 * 1024 * 1024)}`)
      response.end()
  }
}
