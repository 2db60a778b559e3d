import type { LookupFunction } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { LanguageModelV4, LanguageModelV4CallOptions, LanguageModelV4Prompt } from '@ai-sdk/provider'
import type {
  JsonSchema,
  ModelAnswer,
  ModelMessage,
  ModelRequest,
  ModelTool,
  ModelToolCall,
} from '../kernel/model-port.ts'
import { Ended, type Fault, faultOf } from './failures.ts'
import { GuardError, guardedFetch } from './guarded-fetch.ts'
import type { Provider } from './provider.ts'
import { reserved } from './tokens.ts'
import type { Vendor } from './vendor.ts'

/** How long is waited, in milliseconds. Models on one's own computer are loaded when they are first asked. */
export interface Patience {
  readonly connect: number
  /** Until the first word. */
  readonly first: number
  /** Between two words. A server that only keeps the line open says none. */
  readonly silence: number
  readonly total: number
}

export const patience = {
  internet: { connect: 10_000, first: 60_000, silence: 60_000, total: 600_000 },
  local: { connect: 10_000, first: 300_000, silence: 120_000, total: 600_000 },
} as const satisfies Record<string, Patience>

/** What an attempt needs of the program around it. */
export interface Surroundings {
  /** The client libraries; loaded once. */
  vendor(): Promise<Vendor>
  ownPorts(): readonly number[]
  readonly lookup?: LookupFunction | undefined
  patienceFor(provider: Pick<Provider, 'reach'>): Patience
}

export interface Ask {
  readonly messages: readonly ModelMessage[]
  readonly tools: readonly ModelTool[]
  /** The form of the answer, where it is not prose. */
  readonly format: { readonly name: string; readonly schema: JsonSchema } | 'json' | null
  readonly maxOutputTokens: number
  readonly signal: AbortSignal
  readonly onText: ((text: string) => void) | null
}

export interface Told {
  /** As the provider said; null where it did not. */
  readonly input: number | null
  readonly output: number | null
}

/** What became of an attempt. `outputBytes` of an answer may have been paid for, whatever became of it. */
export type Attempted = { readonly wasSent: boolean; readonly outputBytes: number; readonly told: Told } & (
  | { readonly answer: Pick<ModelAnswer, 'text' | 'toolCalls' | 'finish'> }
  | { readonly fault: Fault }
)

/** What is asked, in as many attempts as it takes: `format` is how the endpoint is able to answer in a form. */
export type Asked = ModelRequest & Pick<Ask, 'format'>

/** An answer cannot be longer than that, whatever it is made of. */
const mostAnswerBytes = 4 * 1024 * 1024

/** Asks a provider once, as a stream. Never rejects. */
export async function attempt(around: Surroundings, provider: Provider, ask: Ask): Promise<Attempted> {
  const limits = around.patienceFor(provider)
  const ended = new AbortController()
  const leave = (): void => ended.abort(new Ended('cancelled'))
  if (ask.signal.aborted) leave()
  ask.signal.addEventListener('abort', leave, { once: true })
  const total = setTimeout(() => ended.abort(new Ended('timeout')), limits.total)
  const quiet = setTimeout(() => ended.abort(new Ended('timeout')), limits.first)
  const late = createTimer(quiet, limits.silence, () => ended.abort(new Ended('timeout')))
  const heard = { wasSent: false, text: '', outputBytes: 0, toolCalls: [] as ModelToolCall[] }
  let told: Told = { input: null, output: null }
  let finish: { readonly unified: string; readonly raw: string | undefined } | null = null
  let broken: unknown = null
  const hear = (said: string): void => {
    if (said === '') return
    late.heard()
    // Some servers pad JSON with long runs of blanks, which are a token each.
    heard.outputBytes += Buffer.byteLength(said.replaceAll(/\s+/g, ' '))
    if (reserved(heard.outputBytes) > 1.5 * ask.maxOutputTokens + 256) ended.abort(new Ended('too_much'))
  }
  const result = (): Pick<Attempted, 'wasSent' | 'outputBytes' | 'told'> => ({
    wasSent: heard.wasSent,
    outputBytes: heard.outputBytes,
    told,
  })
  try {
    ended.signal.throwIfAborted()
    const fetch = guardedFetch({
      reach: provider.reach,
      mostBytes: mostAnswerBytes,
      connectMs: limits.connect,
      ownPorts: around.ownPorts,
      ...(around.lookup ? { lookup: around.lookup } : {}),
      onSent: () => {
        heard.wasSent = true
      },
    })
    const model = modelOf(await clientsOf(around), provider, fetch)
    const { stream } = await model.doStream(optionsOf(ask, ended.signal))
    for await (const part of stream) {
      if (ended.signal.aborted) throw ended.signal.reason
      switch (part.type) {
        case 'text-delta':
          hear(part.delta)
          heard.text += part.delta
          ask.onText?.(part.delta)
          break
        case 'reasoning-delta':
        case 'tool-input-delta':
          hear(part.delta)
          break
        case 'tool-call':
          late.heard()
          heard.toolCalls.push({ id: part.toolCallId, name: part.toolName, argumentsText: part.input })
          break
        case 'error':
          broken = part.error
          // What the library does not know yet may be passed over, if a proper end follows.
          if (!isUnknownEvent(provider, broken)) throw broken
          break
        case 'finish':
          finish = part.finishReason
          told = { input: positive(part.usage.inputTokens.total), output: positive(part.usage.outputTokens.total) }
          break
      }
    }
    if (ended.signal.aborted) throw ended.signal.reason
    if (finish === null) throw broken ?? new Error('no end')
    return { ...result(), ...judged(finish, heard) }
  } catch (error) {
    return { ...result(), fault: faultOf(error, ended.signal) }
  } finally {
    late.stop()
    clearTimeout(total)
    ask.signal.removeEventListener('abort', leave)
    // Nothing goes on behind an attempt that has ended.
    ended.abort(new Ended('cancelled'))
  }
}

/** One short question that is answered whole: the test of a provider. Rejects with what faultOf understands. */
export async function askWhole(
  around: Surroundings,
  provider: Provider,
  question: string,
  maxOutputTokens: number,
  signal: AbortSignal,
  onAddress: (address: string) => void,
): Promise<string> {
  const { connect } = around.patienceFor(provider)
  const { reach } = provider
  const fetch = guardedFetch({
    ...{ reach, mostBytes: 256 * 1024, connectMs: connect, ownPorts: around.ownPorts, onAddress },
    ...(around.lookup ? { lookup: around.lookup } : {}),
  })
  const model = modelOf(await clientsOf(around), provider, fetch)
  const messages = [{ role: 'user', text: question }] as const
  const ask: Ask = { messages, tools: [], format: null, maxOutputTokens, signal, onText: null }
  const { content } = await model.doGenerate(optionsOf(ask, signal))
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}

function createTimer(first: NodeJS.Timeout, silence: number, onLate: () => void) {
  let timer = first
  return {
    heard() {
      clearTimeout(timer)
      timer = setTimeout(onLate, silence)
    },
    stop: () => clearTimeout(timer),
  }
}

function positive(count: number | undefined): number | null {
  return count !== undefined && Number.isFinite(count) && count > 0 ? Math.round(count) : null
}

function isUnknownEvent({ kind }: Provider, error: unknown): boolean {
  return kind === 'anthropic' && error instanceof Error && error.name === 'AI_TypeValidationError'
}

function judged(
  { unified, raw }: { readonly unified: string; readonly raw: string | undefined },
  { text, toolCalls }: Pick<ModelAnswer, 'text' | 'toolCalls'>,
): { readonly answer: Pick<ModelAnswer, 'text' | 'toolCalls' | 'finish'> } | { readonly fault: Fault } {
  const none = new AbortController().signal
  if (unified === 'content-filter') return { fault: faultOf({ type: 'content_filter' }, none) }
  if (unified === 'interrupted') return { fault: faultOf({ code: 'ECONNRESET' }, none) }
  if (raw === 'model_context_window_exceeded') return { fault: faultOf({ type: 'context_length_exceeded' }, none) }
  const isEmpty = text.trim() === '' && toolCalls.length === 0
  if ((unified !== 'stop' && unified !== 'length' && unified !== 'tool-calls') || isEmpty)
    return { fault: faultOf(new Error('no answer'), none) }
  const finish = unified === 'length' ? 'length' : toolCalls.length > 0 ? 'tool_calls' : 'stop'
  return { answer: { text, toolCalls, finish } }
}

/** One of them asks the environment while it is loaded, and does not start with what it cannot use there. */
async function clientsOf({ vendor }: Surroundings): Promise<Vendor> {
  return vendor().catch(() => {
    const why =
      'The program for this provider does not start. If ANTHROPIC_BASE_URL is set in the environment, take it away and start anew.'
    throw new GuardError('LIBRARY_FAILED', why)
  })
}

/** The library's own model. Endpoint and key are always given: what it would take instead is in the environment. */
function modelOf(vendor: Vendor, provider: Provider, fetch: typeof globalThis.fetch): LanguageModelV4 {
  const { kind, baseUrl, model } = provider
  if (model === null) throw new Error('no model')
  const apiKey = provider.apiKey ?? ''
  if (kind === 'anthropic') return vendor.createAnthropic({ baseURL: baseUrl, apiKey, fetch })(model)
  // Newer models of OpenAI refuse the older name; others know that one alone.
  const isOpenAi = new URL(baseUrl).hostname === 'api.openai.com'
  return vendor.createOpenAICompatible({
    name: 'provider',
    baseURL: baseUrl,
    ...(apiKey === '' ? {} : { apiKey }),
    includeUsage: true,
    supportsStructuredOutputs: true,
    fetch,
    transformRequestBody: ({ max_tokens: most, ...body }) => ({
      ...body,
      ...(most === undefined ? {} : { [isOpenAi ? 'max_completion_tokens' : 'max_tokens']: most }),
      ...(body.tools === undefined ? {} : { parallel_tool_calls: false }),
    }),
  })(model)
}

function optionsOf(
  { messages, tools, format, maxOutputTokens }: Ask,
  abortSignal: AbortSignal,
): LanguageModelV4CallOptions {
  const responseFormat =
    format === null
      ? null
      : format === 'json'
        ? { type: 'json' as const }
        : { type: 'json' as const, ...jsonOf(format) }
  return {
    prompt: messages.map(promptOf),
    maxOutputTokens,
    abortSignal,
    ...(responseFormat === null ? {} : { responseFormat }),
    ...(tools.length === 0
      ? {}
      : {
          tools: tools.map(({ name, description, parameters }) => ({
            type: 'function' as const,
            ...{ name, description, inputSchema: parameters as never },
          })),
          toolChoice: { type: 'auto' as const },
          providerOptions: { anthropic: { disableParallelToolUse: true } },
        }),
  }
}

function jsonOf({ name, schema }: { readonly name: string; readonly schema: JsonSchema }) {
  return { name, schema: schema as never }
}

function promptOf(message: ModelMessage): LanguageModelV4Prompt[number] {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: message.text }
    case 'user':
      return { role: 'user', content: [{ type: 'text', text: message.text }] }
    case 'assistant':
      return {
        role: 'assistant',
        content: [
          ...(message.text === '' ? [] : [{ type: 'text' as const, text: message.text }]),
          ...(message.toolCalls ?? []).map((call) => ({
            type: 'tool-call' as const,
            toolCallId: call.id,
            toolName: call.name,
            input: argumentsOf(call.argumentsText),
          })),
        ],
      }
    case 'tool':
      return {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: message.toolCallId,
            toolName: message.toolName,
            output: { type: 'text', value: message.text },
          },
        ],
      }
  }
}

/** A call whose arguments were no object is answered as one without: providers take no other history. */
function argumentsOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : {}
  } catch {
    return {}
  }
}

/** Waits, unless the signal ends it. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await sleep(milliseconds, undefined, { signal }).catch(() => {})
}
