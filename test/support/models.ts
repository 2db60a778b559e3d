import {
  type ModelAnswer,
  ModelFailure,
  type ModelFailureClass,
  type ModelPort,
  type ModelRequest,
  type ModelStatus,
  type ModelToolCall,
} from '../../src/kernel/model-port.ts'

/** What a scripted model says: words, calls, a failure, or what comes of waiting for a test. */
export type Said =
  | string
  | { readonly text?: string; readonly calls?: readonly Call[]; readonly finish?: ModelAnswer['finish'] }
  | { readonly fails: ModelFailureClass }
  | ((request: ModelRequest) => Said | Promise<Said>)

interface Call {
  readonly name: string
  /** As JSON; a text is sent as it stands. */
  readonly input?: unknown
}

export interface ScriptedModel extends ModelPort {
  /** What was asked, in order: all that would have left. */
  readonly asked: ModelRequest[]
  /** What it says next, in order; the last is said again and again. */
  say(...said: readonly Said[]): void
  /** Another provider than before. */
  is(status: Partial<ModelStatus>): void
}

/** A model that says what it is told to, each answer at 100 tokens in and 20 out. */
export function scriptedModel(status: Partial<ModelStatus> = {}): ScriptedModel {
  let now: ModelStatus = {
    ...{ kind: 'openai_compatible', model: 'scripted', host: '127.0.0.1:1', external: true, contextTokens: null },
    ...{ ready: true, missing: null, ...status },
  }
  let script: Said[] = ['Nothing.']
  let calls = 0
  const asked: ModelRequest[] = []
  const usage = { input: 100, output: 20, source: 'reported' } as const
  const used = new Map<string, number>()
  const settle = async (said: Said, request: ModelRequest): Promise<ModelAnswer> => {
    if (typeof said === 'function') return settle(await said(request), request)
    if (typeof said === 'string') return settle({ text: said }, request)
    if ('fails' in said) throw new ModelFailure(said.fails)
    const { text = '', calls: wanted = [], finish } = said
    request.onText?.(text)
    const toolCalls = wanted.map(({ name, input = {} }): ModelToolCall => {
      calls += 1
      return { id: `call-${calls}`, name, argumentsText: typeof input === 'string' ? input : JSON.stringify(input) }
    })
    const kind = finish ?? (toolCalls.length > 0 ? 'tool_calls' : 'stop')
    return { text, toolCalls, finish: kind, usage, warnings: [] }
  }
  return {
    asked,
    say(...said) {
      script = [...said]
    },
    is(changed) {
      now = { ...now, ...changed }
    },
    status: () => now,
    async generate(request) {
      if (!now.ready) throw new ModelFailure('no_provider')
      const key = `${request.campaignId} ${request.feature}`
      const spent = used.get(key) ?? 0
      const { budget } = request
      if (budget != null && spent + usage.input + usage.output > budget.tokens)
        throw new ModelFailure('budget_exhausted')
      asked.push(request)
      const said = script.length > 1 ? (script.shift() as Said) : (script[0] as Said)
      const aborted = new Promise<never>((_, reject) => {
        const stop = (): void => reject(new ModelFailure('cancelled'))
        if (request.signal.aborted) stop()
        request.signal.addEventListener('abort', stop, { once: true })
      })
      aborted.catch(() => {})
      used.set(key, spent + usage.input + usage.output)
      return Promise.race([settle(said, request), aborted])
    },
    generateValue: () => Promise.reject(new ModelFailure('malformed')),
  }
}
