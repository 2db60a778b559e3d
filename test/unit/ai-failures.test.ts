import { describe, expect, test } from 'vitest'
import { Ended, faultOf, retriesOf } from '../../src/ai/failures.ts'
import { GuardError } from '../../src/ai/guarded-fetch.ts'
import { failureOfModel, ModelFailure, type ModelFailureClass, modelFailures } from '../../src/kernel/model-port.ts'

const never = new AbortController().signal
const caused = (cause: unknown, depth = 3): unknown =>
  depth === 0 ? cause : new Error('x', { cause: caused(cause, depth - 1) })
const coded = (code: string): Error => Object.assign(new Error(code), { code })
const answered = (statusCode: number, responseBody = '', responseHeaders = {}): Error =>
  Object.assign(new Error('the whole prompt zzleak'), {
    statusCode,
    responseBody,
    responseHeaders,
    requestBodyValues: { messages: ['zzleak'] },
  })

describe('what a fault means', () => {
  test.each<readonly [string, unknown, ModelFailureClass, boolean]>([
    ['a certificate of nobody', caused(coded('DEPTH_ZERO_SELF_SIGNED_CERT')), 'tls', true],
    ['a certificate of another name', caused(coded('ERR_TLS_CERT_ALTNAME_INVALID')), 'tls', true],
    ['plain http where TLS is spoken', caused(coded('EPROTO')), 'tls', true],
    ['nobody listens', caused(coded('ECONNREFUSED')), 'unreachable', true],
    [
      'of several addresses none answers',
      Object.assign(new Error('x'), { errors: [coded('ECONNREFUSED')] }),
      'unreachable',
      true,
    ],
    ['no such name', caused(coded('ENOTFOUND')), 'unreachable', true],
    ['a reset', caused(coded('ECONNRESET')), 'cut', false],
    ['a refused address', caused(new GuardError('ADDRESS_REFUSED', 'Because.')), 'blocked', true],
    ['too many bytes', caused(new GuardError('ANSWER_TOO_LARGE')), 'too_much', false],
    [
      'a spent account',
      answered(429, '{"error":{"type":"rate_limit_error","details":{"error_code":"org_spend_limit_reached"}}}'),
      'quota',
      true,
    ],
    ['a moderated prompt', answered(403, '{"error":{"code":403,"message":"flagged by moderation"}}'), 'refused', true],
    ['a busy Ollama', answered(503, '{"error":"server busy, please try again"}'), 'rate_limited', false],
    [
      'a full llama-server',
      answered(400, '{"error":{"type":"exceed_context_size_error","n_prompt_tokens":9,"n_ctx":4}}'),
      'context_too_long',
      true,
    ],
    [
      'an overloaded Anthropic',
      answered(529, '{"type":"error","error":{"type":"overloaded_error"}}'),
      'overloaded',
      false,
    ],
    ['an error inside of a stream', { type: 'overloaded_error', message: 'x' }, 'overloaded', false],
    ['anything else', new TypeError('x is not iterable'), 'malformed', false],
  ])('%s', (_, error, failureClass, isFree) => {
    const fault = faultOf(error, never)
    expect([fault.failureClass, fault.isFree]).toEqual([failureClass, isFree])
    expect(JSON.stringify(fault)).not.toContain('zzleak')
  })

  test('our own reason to end it comes first', () => {
    const ended = new AbortController()
    ended.abort(new Ended('timeout'))
    expect(faultOf(answered(500), ended.signal).failureClass).toBe('timeout')
    expect(faultOf(coded('ECONNRESET'), AbortSignal.abort()).failureClass).toBe('cancelled')
  })

  test('a form of answer that is not known is told apart, and how long to wait is heard', () => {
    expect(
      faultOf(answered(400, "{\"error\":\"'response_format.type' must be 'json_schema' or 'text'\"}"), never)
        .isAboutSchema,
    ).toBe(true)
    expect(faultOf(answered(400, '{"error":{"message":"Failed to initialize samplers"}}'), never).isAboutSchema).toBe(
      true,
    )
    expect(faultOf(answered(400, '{"error":{"message":"bad"}}'), never).isAboutSchema).toBe(false)
    expect(faultOf(answered(429, '', { 'retry-after': '7' }), never).retryAfterMs).toBe(7000)
    expect(faultOf(answered(429, '', { 'retry-after-ms': '150' }), never).retryAfterMs).toBe(150)
  })
})

describe('each class', () => {
  test.each(Object.keys(modelFailures) as ModelFailureClass[])(
    '%s is a sentence for people, and an answer with a status',
    (failureClass) => {
      const { status, message } = failureOfModel(new ModelFailure(failureClass))
      expect([409, 429, 503]).toContain(status)
      expect(message).toBe(modelFailures[failureClass])
      expect(retriesOf(failureClass).length).toBeLessThanOrEqual(2)
    },
  )
})
