import { type ModelFailureClass, modelFailures } from '../kernel/model-port.ts'
import { GuardError } from './guarded-fetch.ts'

// What the faults of providers and of their client libraries mean. Their errors hold the whole prompt, the answer and the
// headers: they end here, and what goes on is a class and a sentence.

export interface Fault {
  readonly failureClass: ModelFailureClass
  readonly message: string
  /** The provider said how long to wait, in milliseconds. */
  readonly retryAfterMs: number | null
  /** The request was refused or never arrived: it cost nothing. */
  readonly isFree: boolean
  /** The provider cannot do this kind of structured answer. */
  readonly isAboutSchema: boolean
}

/** Why our own signal ended a request. */
export class Ended extends Error {
  override readonly name = 'Ended'
  readonly failureClass: ModelFailureClass

  constructor(failureClass: ModelFailureClass) {
    super(failureClass)
    this.failureClass = failureClass
  }
}

/** The endpoint cannot answer in the form that was asked for. It cost nothing, and another way may work. */
export class FormatRefused extends Error {}

const fault = (failureClass: ModelFailureClass, given: Partial<Fault> = {}): Fault => ({
  failureClass,
  message: modelFailures[failureClass],
  retryAfterMs: null,
  isFree: false,
  isAboutSchema: false,
  ...given,
})

/** How much of an answer that says what is wrong is looked at. */
const mostErrorText = 2048

/** What a thrown error, or the error of a stream, means. `signal` is the one that the request was made with. */
export function faultOf(error: unknown, signal: AbortSignal): Fault {
  if (signal.aborted) return fault(signal.reason instanceof Ended ? signal.reason.failureClass : 'cancelled')
  const chain = causesOf(error)
  const guard = chain.find((each) => each instanceof GuardError)
  if (guard instanceof GuardError) return faultOfGuard(guard)
  const answered = chain.find((each) => Number(each.statusCode) >= 400)
  if (answered !== undefined) return faultOfAnswer(answered)
  for (const each of chain) {
    const code = String(each.code ?? '')
    if (unreachableCodes.has(code)) return fault('unreachable', { isFree: true })
    if (tlsCodes.has(code) || code.startsWith('ERR_SSL')) return fault('tls', { isFree: true })
    if (cutCodes.has(code) || each.message === 'aborted' || each.message === 'terminated') return fault('cut')
  }
  const type = chain.map((each) => String(each.type ?? each.code ?? '')).join(' ')
  const told = classOfWords(type)
  return fault(told ?? 'malformed')
}

type Thrown = Readonly<Record<string, unknown>> & { readonly message?: unknown }

function causesOf(error: unknown): readonly Thrown[] {
  const chain: Thrown[] = []
  for (let each = error; typeof each === 'object' && each !== null && chain.length < 6; each = (each as Thrown).cause) {
    chain.push(each as Thrown)
    const several = (each as Thrown).errors
    if (Array.isArray(several)) chain.push(...(several.filter((one) => typeof one === 'object') as Thrown[]))
  }
  return chain
}

const unreachableCodes: ReadonlySet<string> = new Set([
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'ENETDOWN', 'EADDRNOTAVAIL'],
  ...['ETIMEDOUT', 'EACCES', 'EPERM', 'ERR_ACCESS_DENIED'],
])
const tlsCodes: ReadonlySet<string> = new Set([
  ...['SELF_SIGNED_CERT_IN_CHAIN', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'EPROTO'],
  ...['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID', 'ERR_TLS_CERT_ALTNAME_INVALID'],
])
const cutCodes: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'ERR_STREAM_PREMATURE_CLOSE'])

function faultOfGuard({ code, why }: GuardError): Fault {
  const because = why === null ? {} : { message: why }
  if (code === 'ADDRESS_REFUSED') return fault('blocked', { isFree: true, ...because })
  if (code === 'REDIRECT_REFUSED') return fault('blocked', because)
  if (code === 'LIBRARY_FAILED') return fault('bad_request', { isFree: true, ...because })
  if (code === 'CONNECT_TIMEOUT') return fault('unreachable', { isFree: true })
  return code === 'ANSWER_TOO_LARGE' ? fault('too_much') : fault('malformed', because)
}

/** An answer with a status, or an error inside of a stream that names one. */
function faultOfAnswer(answered: Thrown): Fault {
  const status = Number(answered.statusCode)
  const text = String(answered.responseBody ?? answered.message ?? '').slice(0, mostErrorText)
  const words = wordsOf(text)
  const failureClass = classOf(status, words)
  const isAboutSchema =
    status === 400 &&
    /response_format|json_schema|json_object|schema|sampler|grammar|output_(config|format)|tool/i.test(words)
  return fault(failureClass, {
    retryAfterMs: retryAfterOf(answered.responseHeaders),
    isFree: status >= 400 && status < 500,
    isAboutSchema: isAboutSchema && failureClass === 'bad_request',
  })
}

/** Type, code and message of an error in any of the forms that are about. */
function wordsOf(text: string): string {
  try {
    const body = JSON.parse(text) as { readonly error?: unknown }
    const error = body.error ?? body
    return typeof error === 'string' ? error : JSON.stringify(error)
  } catch {
    return text
  }
}

function classOf(status: number, words: string): ModelFailureClass {
  switch (status) {
    case 401:
      return 'auth'
    case 402:
      return 'quota'
    case 403:
      return /moderation|flagged/i.test(words) ? 'refused' : 'auth'
    case 404:
      return 'model_missing'
    case 413:
      return 'context_too_long'
    case 429:
      return /insufficient_quota|spend_limit_reached|billing/i.test(words) ? 'quota' : 'rate_limited'
    case 503:
      return /server busy/i.test(words) ? 'rate_limited' : 'overloaded'
    case 408:
      return 'overloaded'
  }
  if (status >= 500) return 'overloaded'
  return classOfWords(words) ?? 'bad_request'
}

/** By what is said in a 400, or by an error in the middle of a stream. */
function classOfWords(words: string): ModelFailureClass | null {
  if (
    /context_length_exceeded|exceed_context_size|context (length|size|window)|prompt is too long|request_too_large/i.test(
      words,
    )
  )
    return 'context_too_long'
  if (/insufficient_quota|billing|credit balance|spend_limit_reached/i.test(words)) return 'quota'
  if (/content_filter|content_policy|refusal/i.test(words)) return 'refused'
  if (/rate_limit|slow_down/i.test(words)) return 'rate_limited'
  if (/overloaded|api_error|server_error|timeout_error/i.test(words)) return 'overloaded'
  if (/model_not_found|not_found_error|does not exist/i.test(words)) return 'model_missing'
  if (/authentication_error|permission_error|invalid_api_key/i.test(words)) return 'auth'
  return null
}

function retryAfterOf(headers: unknown): number | null {
  if (typeof headers !== 'object' || headers === null) return null
  const given = headers as Readonly<Record<string, string>>
  const milliseconds = Number(given['retry-after-ms'])
  if (milliseconds > 0) return milliseconds
  const seconds = Number(given['retry-after'])
  return seconds > 0 ? seconds * 1000 : null
}

/** How often a class is tried again, and after how long in milliseconds. */
export function retriesOf(failureClass: ModelFailureClass): readonly number[] {
  switch (failureClass) {
    case 'rate_limited':
      return [5000, 20_000]
    case 'overloaded':
      return [2000, 6000]
    case 'unreachable':
      return [2000]
    case 'timeout':
    case 'malformed':
    case 'cut':
      return [0]
    default:
      return []
  }
}

/** The longest that a provider's own wish to wait is granted, in milliseconds. */
export const longestWait = 60_000
