import {
  type ModelAnswer,
  ModelFailure,
  type ModelPort,
  type ModelStatus,
  type ModelUsage,
  modelFailures,
} from '../kernel/model-port.ts'
import type { Random } from '../kernel/random.ts'
import type { Store } from '../storage/store.ts'
import { type Asked, type Attempted, attempt, pause, type Surroundings } from './attempt.ts'
import { FormatRefused, longestWait, retriesOf } from './failures.ts'
import { noModel, type Provider, providerOf, statusOf, storedProvider } from './provider.ts'
import { reserve, settle, tokensLeft } from './reservations.ts'
import { answerTool, createStructured } from './structured.ts'
import { estimated, sizeOf } from './tokens.ts'

export interface ModelParts extends Surroundings {
  store(): Store
  readonly clock: () => Date
  readonly random: Pick<Random, 'integer'>
  /** The content of `ai-config.key`. */
  keyfile(): Uint8Array
  /** `AI_PROVIDER_ENDPOINT_IS_LOCAL` (SPEC 8.2). */
  readonly isLocal: boolean
  /** Waits between attempts; tests do not. */
  pause?(milliseconds: number, signal: AbortSignal): Promise<void>
}

/** Below that an answer is not worth asking for, in tokens. */
const leastOutput = 64
const mostOutput = 32_768
/** Where so much of what was reckoned was not read, an old turn was dropped without a word. */
const readAtLeast = 0.6

/** The port to the provider that is chosen in the database. */
export function createModelPort(parts: ModelParts): ModelPort {
  const status = (): ModelStatus => statusOf(storedProvider(parts.store()), parts.keyfile, parts.isLocal)

  /** One answer, in as many attempts as its faults allow. */
  async function ask(asked: Asked): Promise<ModelAnswer> {
    const spent: Spent = { input: 0, output: 0, source: 'reported' }
    const tried = new Map<string, number>()
    for (let number = 1; ; number++) {
      const provider = usable(parts)
      const made = await attemptReserved(parts, provider, asked, number, spent)
      if ('answer' in made) return { ...made.answer, usage: { ...spent }, warnings: warningsOf(made) }
      const { failureClass, message, retryAfterMs, isAboutSchema } = made.fault
      if (isAboutSchema && (asked.format !== null || asked.tools?.[0]?.name === answerTool)) throw new FormatRefused()
      const times = tried.get(failureClass) ?? 0
      tried.set(failureClass, times + 1)
      const wait = retriesOf(failureClass)[times]
      const isOver = wait === undefined || (failureClass === 'timeout' && made.outputBytes > 0)
      if (isOver || number > 3 || (retryAfterMs ?? 0) > longestWait)
        throw new ModelFailure(failureClass, message, spent)
      asked.onText?.(null)
      await (parts.pause ?? pause)(
        (retryAfterMs ?? wait) + (wait === 0 ? 0 : parts.random.integer(0, 500)),
        asked.signal,
      )
      if (asked.signal.aborted) throw new ModelFailure('cancelled', modelFailures.cancelled, spent)
    }
  }

  return {
    status,
    generate: (request) => ask({ ...request, format: null }),
    generateValue: createStructured({ ask, endpoint: () => endpointOf(usable(parts)) }),
  }
}

type Spent = { -readonly [K in keyof ModelUsage]: ModelUsage[K] }

function endpointOf({ kind, baseUrl, model }: Provider): string {
  return `${kind} ${baseUrl} ${model}`
}

function usable({ store, keyfile }: ModelParts): Provider {
  const stored = storedProvider(store())
  const found = providerOf(stored, keyfile)
  if ('missing' in found)
    throw new ModelFailure(stored === null || stored.kind === 'none' ? 'no_provider' : 'auth', found.missing)
  if (found.provider.model === null) throw new ModelFailure('model_missing', noModel)
  return found.provider
}

type Made = Attempted & { readonly expectedInput: number }

/** One attempt, from its reservation to its settlement. Throws `budget_exhausted` and `context_too_long` before there is a socket. */
async function attemptReserved(
  parts: ModelParts,
  provider: Provider,
  asked: Asked,
  number: number,
  spent: Spent,
): Promise<Made> {
  const { store, clock } = parts
  const { campaignId, feature, runId, userId, messages, tools = [], format, budget = null, signal, onText } = asked
  const { contextTokens, monthlyTokens, model } = provider
  const size = sizeOf(messages, format === null || format === 'json' ? tools : { tools, format })
  const now = clock().toISOString()
  const left = tokensLeft(store(), { campaignId, feature, budget, monthlyTokens, now })
  const room = contextTokens === null ? mostOutput : contextTokens - size.estimated
  if (room < leastOutput) throw new ModelFailure('context_too_long', modelFailures.context_too_long, spent)
  const affordable = left === null ? mostOutput : left - size.reserved
  const maxOutputTokens = Math.floor(Math.min(asked.maxOutputTokens, mostOutput, room, affordable))
  const reserved = size.reserved + maxOutputTokens
  const reservation =
    maxOutputTokens < leastOutput
      ? null
      : reserve(store(), {
          ...{ campaignId, feature, runId, userId, attempt: number, model: (model ?? '').slice(0, 200) },
          ...{ reserved, expectedInput: size.estimated, budget, monthlyTokens, now },
        })
  if (reservation === null) throw new ModelFailure('budget_exhausted', modelFailures.budget_exhausted, spent)
  let usage: ModelUsage = { input: size.estimated, output: 0, source: 'estimated' }
  let failure: ModelFailure['failureClass'] | null = 'cut'
  try {
    const hear = onText === undefined ? null : (text: string) => onText(text)
    const made = await attempt(parts, provider, { messages, tools, format, maxOutputTokens, signal, onText: hear })
    usage = usageOf(made, size.estimated)
    failure = 'fault' in made ? made.fault.failureClass : null
    return { ...made, expectedInput: size.estimated }
  } finally {
    settle(store(), reservation, usage, failure, clock().toISOString())
    spent.input += usage.input
    spent.output += usage.output
    if (usage.source === 'estimated') spent.source = 'estimated'
  }
}

/** What the provider said, else what was sent and came. Refused and never sent costs nothing; not said is not nothing. */
function usageOf(made: Attempted, expectedInput: number): ModelUsage {
  const { told, wasSent, outputBytes } = made
  if (!wasSent || ('fault' in made && made.fault.isFree)) return { input: 0, output: 0, source: 'reported' }
  const isWhole = told.input !== null && told.output !== null
  return {
    input: told.input ?? expectedInput,
    output: told.output ?? estimated(outputBytes),
    source: isWhole ? 'reported' : 'estimated',
  }
}

function warningsOf({ told, expectedInput }: Made): readonly string[] {
  if (told.input === null || expectedInput < 500 || told.input >= expectedInput * readAtLeast) return []
  return ['The model seems to have read only the end of what it was given. Its context may be set too small.']
}
