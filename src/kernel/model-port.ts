import { type Failure, fail } from './errors.ts'
import type { Door, Viewer } from './viewer.ts'

// The one way to a language model (DESIGN 9). `ai/` implements it over whichever provider the administrators chose; scribe,
// seat and drafts stand on what is here and know no vendor.
//
// An operation reaches it in its `prepare`, as `context.services.model`, and passes `context.signal` on: authorisation has
// happened, no transaction is open, and the signal aborts when the caller goes away, the server stops or `prepareMs` is over.
// Handlers are synchronous and never call it. What runs beside the requests (a scribe's run) gets the port from app.ts.
//
// What may be in a message is decided by `modelEyes` below, and nowhere else: a `prepare` reads through them with
// `context.readForModel(entity, { secrets })`, what runs beside the requests with `readerFor(store, entity, modelEyes(…))`.

/** Who a call of the model is for, as people read it in the usage. */
export const modelFeatures = ['scribe', 'seat', 'drafts', 'test'] as const
export type ModelFeature = (typeof modelFeatures)[number]

export const providerKinds = ['none', 'openai_compatible', 'anthropic'] as const
export type ProviderKind = (typeof providerKinds)[number]

export interface ModelStatus {
  /** `none` is the default: it sends nothing, and every call throws `no_provider`. */
  readonly kind: ProviderKind
  /** Null where none is chosen. */
  readonly model: string | null
  /** Host and port of the base URL, for people; null where there is no provider. */
  readonly host: string | null
  /**
   * What it is given leaves for an outside AI (SPEC 8.2): every provider, unless `AI_PROVIDER_ENDPOINT_IS_LOCAL=1` marks it as
   * local. False where there is none: nothing leaves.
   */
  readonly external: boolean
  /** How many tokens fit in one request with its answer; null where the provider does not say. */
  readonly contextTokens: number | null
  /** A call could be made: a provider and a model are chosen, and the key can be opened. */
  readonly ready: boolean
  /** What is missing where it is not ready, as a sentence for people; null where it is. */
  readonly missing: string | null
}

export interface ModelToolCall {
  /** Names the call for its result. */
  readonly id: string
  /** As the model wrote it: it may be no tool that was offered. */
  readonly name: string
  /** As the model wrote them: text that should be JSON and may be anything. */
  readonly argumentsText: string
}

export type ModelMessage =
  | { readonly role: 'system'; readonly text: string }
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string; readonly toolCalls?: readonly ModelToolCall[] }
  /** What came of a tool call. Every call of the answer before needs one. */
  | { readonly role: 'tool'; readonly toolCallId: string; readonly toolName: string; readonly text: string }

/** A JSON schema (draft 7). */
export type JsonSchema = Readonly<Record<string, unknown>>

export interface ModelTool {
  readonly name: string
  readonly description: string
  readonly parameters: JsonSchema
}

export interface ModelBudget {
  /** How many tokens all calls of the same feature in the campaign may use, open reservations included. */
  readonly tokens: number
  /** Calls since this instant count, ISO 8601 in UTC; null counts all. */
  readonly since: string | null
}

export interface ModelRequest {
  readonly campaignId: number
  readonly feature: Exclude<ModelFeature, 'test'>
  /** Groups the calls of one run in the usage: a turn of the seat, a run of the scribe. Made by who asks; unique in the feature. */
  readonly runId: string
  /** Who asked; null for what runs by itself. */
  readonly userId: number | null
  readonly messages: readonly ModelMessage[]
  /** The model may call one at a time; absent or empty offers none. */
  readonly tools?: readonly ModelTool[]
  /** At most 32768. Less where the budget or the context leaves less; below 64 nothing is sent. */
  readonly maxOutputTokens: number
  readonly budget?: ModelBudget | null
  readonly signal: AbortSignal
  /** Hears the text as it comes. Told null where it begins anew, since an attempt failed: what came before is void. */
  readonly onText?: (text: string | null) => void
}

export interface ModelUsage {
  readonly input: number
  readonly output: number
  /** `estimated`: the provider did not say. */
  readonly source: 'reported' | 'estimated'
}

export interface ModelAnswer {
  readonly text: string
  readonly toolCalls: readonly ModelToolCall[]
  /** `length`: the answer was cut at its limit. */
  readonly finish: 'stop' | 'length' | 'tool_calls'
  /** Of all attempts together. */
  readonly usage: ModelUsage
  /** What people should know of it, as sentences: that the model seems not to have read all of it. */
  readonly warnings: readonly string[]
}

/** What an answer must be, and how it is judged. */
export interface ModelShape<T> {
  /** A word for the schema, [a-z_]. */
  readonly name: string
  /**
   * What the model is asked for: strict objects, every field required, optional ones nullable; no pattern, format, recursion
   * or open maps, and about 30 fields at most. Null is dropped before `check`.
   */
  readonly schema: JsonSchema
  /** Judges the answer by what the product itself accepts. `problems` are lines `path: message`. */
  check(
    value: unknown,
  ): { readonly ok: true; readonly value: T } | { readonly ok: false; readonly problems: readonly string[] }
}

export interface ModelPort {
  status(): ModelStatus
  /**
   * Asks the model once; what may be tried again is. Each attempt is a reservation in the usage that is settled however it
   * ends. Throws ModelFailure; `no_provider`, `budget_exhausted` and `context_too_long` as far as it can be told, before a socket.
   */
  generate(request: ModelRequest): Promise<ModelAnswer>
  /**
   * Asks for one JSON value, by what the endpoint is able to do, and repairs it twice at most. Throws ModelFailure:
   * `malformed` names the fields that stayed wrong, and holds nothing of the answer.
   */
  generateValue<T>(
    request: Omit<ModelRequest, 'tools' | 'onText'>,
    shape: ModelShape<T>,
  ): Promise<{ readonly value: T; readonly usage: ModelUsage; readonly warnings: readonly string[] }>
}

/** Why a model gave no answer, and what to do. */
export const modelFailures = {
  no_provider: 'No AI is set up on this server. An administrator chooses one under AI in this house.',
  auth: 'The AI provider refused the key. It was withdrawn or belongs elsewhere: an administrator puts in another.',
  quota: 'The account at the AI provider is used up, or has no more credit. Its owner sees to that with the provider.',
  rate_limited: 'The AI provider takes no more requests for now. Try again in some minutes.',
  overloaded: 'The AI provider is overloaded or has a fault of its own. Try again in some minutes.',
  context_too_long:
    'That is more than the model can read at once. Ask for less, or choose a model with a larger context.',
  refused: 'The model declined to answer this.',
  model_missing: 'The AI provider has no such model, or it may not be used. An administrator chooses another.',
  unreachable: 'The AI provider cannot be reached. Is it running, and is the address right?',
  tls: 'The certificate of the AI provider could not be trusted. Nothing was sent.',
  timeout: 'The model did not answer in time.',
  malformed: 'What the model answered cannot be used.',
  cut: 'The connection to the AI provider broke off in the middle of the answer.',
  too_much: 'The model answered far more than it was asked for, and was stopped.',
  blocked: 'The address of the AI provider is one that this server never calls. Nothing was sent.',
  bad_request: 'The AI provider did not understand the request. The model may not be able to do this.',
  budget_exhausted: 'The token budget for this is used up. A Dungeon Master can raise it.',
  cancelled: 'It was stopped before there was an answer.',
} as const satisfies Record<string, string>

export type ModelFailureClass = keyof typeof modelFailures

/** A call of the model that gave no answer. The message is for people and holds nothing of the prompt, the answer or the key. */
export class ModelFailure extends Error {
  override readonly name = 'ModelFailure'
  readonly failureClass: ModelFailureClass
  /** What it cost all the same, of all attempts together. */
  readonly usage: ModelUsage

  constructor(
    failureClass: ModelFailureClass,
    message: string = modelFailures[failureClass],
    usage: ModelUsage = nothing,
  ) {
    super(message)
    this.failureClass = failureClass
    this.usage = usage
  }
}

const nothing: ModelUsage = { input: 0, output: 0, source: 'reported' }

/** What a caller of an operation is told where the model failed. */
export function failureOfModel({ failureClass, message }: ModelFailure): Failure {
  switch (failureClass) {
    case 'no_provider':
    case 'budget_exhausted':
    case 'refused':
    case 'context_too_long':
      return fail('invalid_state', message)
    case 'cancelled':
      return fail('cancelled', message)
    case 'rate_limited':
      return fail('rate_limited', message, { retryAfterSeconds: 60 })
    default:
      return fail('unavailable', message)
  }
}

/** Whose eyes gather what the model of this server is given. */
export interface ModelReading {
  readonly campaignId: number
  /** From `ModelStatus`. */
  readonly external: boolean
  /** It may read what the Dungeon Masters keep to themselves; else what every player reads. */
  readonly secrets: boolean
  /** What the campaign gives to outside AIs. */
  readonly terms: NonNullable<Viewer['ai']>
  /** `system` unless told. */
  readonly door?: Door
}

/**
 * The one place that decides what the model of this server may read: the eyes of nobody in particular, so that what somebody
 * keeps to themselves, private notes and whispers, is never there, and a text counts as its author's, a Dungeon Master's too.
 * For an external provider they are those of an outside AI, and the predicates of consent (`agreed`) hold.
 */
export function modelEyes({ campaignId, external, secrets, terms, door = 'system' }: ModelReading): Viewer {
  const role = secrets ? 'dm' : 'player'
  return { userId: 0, campaignId, role, admin: false, door, ai: external ? terms : null, toolsets: null }
}
