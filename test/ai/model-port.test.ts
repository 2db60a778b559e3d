import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { type Patience, patience } from '../../src/ai/attempt.ts'
import { ModelFailure, type ModelRequest, type ModelShape } from '../../src/kernel/model-port.ts'
import { modelSchema } from '../../src/kernel/model-schema.ts'
import { type FakeProvider, type Step, startFakeProvider } from '../support/fake-provider.ts'
import { chooseProvider } from '../support/fake-world-provider.ts'
import { shareWorld } from '../support/shared-world.ts'

let fake: FakeProvider
let wait: Patience = patience.local
const shared = shareWorld({ model: { pause: async () => {}, patienceFor: () => wait } })
beforeAll(async () => {
  fake = await startFakeProvider()
})
afterAll(() => fake.close())

const kinds = ['openai_compatible', 'anthropic'] as const
type Kind = (typeof kinds)[number]
const never = new AbortController().signal

/** A request on the world, whose provider is the fake one. */
function ready(kind: Kind, ...steps: readonly Step[]) {
  const { world } = shared
  const { app, clock } = world.server
  fake.reset()
  fake.script(...steps)
  wait = patience.local
  chooseProvider(app.store(), { kind, baseUrl: fake.baseUrl }, clock().toISOString())
  const { model } = app.system().services
  const campaignId = world.id('campaign')
  app.store().run('DELETE FROM model_calls')
  const request: ModelRequest = {
    ...{ campaignId, feature: 'scribe', runId: 'run-1', userId: world.userId.dm, signal: never },
    messages: [
      { role: 'system', text: 'You keep the chronicle.' },
      { role: 'user', text: 'What happened at the mill?' },
    ],
    maxOutputTokens: 500,
  }
  const calls = () => app.store().all('SELECT * FROM model_calls ORDER BY id')
  const failed = async (more: Partial<ModelRequest> = {}): Promise<ModelFailure> => {
    const thrown = await model.generate({ ...request, ...more }).catch((error: unknown) => error)
    if (!(thrown instanceof ModelFailure)) throw new Error(`no failure: ${JSON.stringify(thrown)}`)
    return thrown
  }
  return { model, request, calls, failed, app, world }
}

describe.each(kinds)('a model behind %s', (kind) => {
  test(
    'answers in words, and what it cost is written down',
    shared.alone(async () => {
      const { model, request, calls } = ready(kind, { text: 'The mill burned, and nobody was in it.', usage: [31, 12] })
      const heard: (string | null)[] = []
      const answer = await model.generate({ ...request, onText: (text) => heard.push(text) })
      expect(answer).toEqual({
        ...{ text: 'The mill burned, and nobody was in it.', toolCalls: [], finish: 'stop', warnings: [] },
        usage: { input: 31, output: 12, source: 'reported' },
      })
      expect(heard.join('')).toBe(answer.text)
      expect(heard.length).toBeGreaterThan(1)
      expect(calls()).toMatchObject([
        {
          ...{ feature: 'scribe', run_id: 'run-1', opens_run: 1, attempt: 1, model: 'table-model', state: 'settled' },
          ...{ input_tokens: 31, output_tokens: 12, counted: 43, source: 'reported', failure: null, day: '2026-11-20' },
        },
      ])
    }),
  )

  test(
    'calls one of the tools that are offered, and reads what came of it',
    shared.alone(async () => {
      const tools = [
        {
          name: 'roll',
          description: 'Roll dice',
          parameters: { type: 'object', properties: { d: { type: 'integer' } } },
        },
      ]
      const { model, request } = ready(
        kind,
        { calls: [{ name: 'roll', arguments: { d: 20 } }] },
        { text: 'A seventeen.' },
      )
      const first = await model.generate({ ...request, tools })
      expect(first).toMatchObject({ finish: 'tool_calls', toolCalls: [{ name: 'roll' }] })
      expect(JSON.parse(first.toolCalls[0]?.argumentsText ?? '')).toEqual({ d: 20 })
      const id = first.toolCalls[0]?.id ?? ''
      const second = await model.generate({
        ...request,
        tools,
        messages: [
          ...request.messages,
          { role: 'assistant', text: '', toolCalls: first.toolCalls },
          { role: 'tool', toolCallId: id, toolName: 'roll', text: '17' },
        ],
      })
      expect(second.text).toBe('A seventeen.')
      const [offered, told] = fake.requests.map(({ body }) => JSON.parse(body))
      expect(JSON.stringify(offered)).toMatch(/"parallel_tool_calls":false|"disable_parallel_tool_use":true/)
      expect(JSON.stringify(told.messages)).toContain('17')
    }),
  )

  test(
    'gives arguments as it wrote them, whatever they are, and tools that nobody offered',
    shared.alone(async () => {
      const odd: Step =
        kind === 'anthropic'
          ? { calls: [{ name: 'nothing', arguments: {} }] }
          : { calls: [{ name: 'nothing', arguments: 'not JSON' }] }
      const { model, request } = ready(kind, odd)
      const { toolCalls } = await model.generate({
        ...request,
        tools: [{ name: 'roll', description: '', parameters: { type: 'object' } }],
      })
      expect(toolCalls).toMatchObject([{ name: 'nothing', argumentsText: kind === 'anthropic' ? '{}' : 'not JSON' }])
    }),
  )

  test(
    'that says nothing of tokens is reckoned, and nothing is free for that',
    shared.alone(async () => {
      const { model, request, calls } = ready(kind, { text: 'A short answer.', usage: null })
      const { usage } = await model.generate(request)
      expect(usage.source).toBe('estimated')
      expect(usage.input).toBeGreaterThan(0)
      expect(usage.output).toBeGreaterThan(0)
      expect(calls()).toMatchObject([{ source: 'estimated', counted: usage.input + usage.output }])
    }),
  )

  const refusals: readonly (readonly [string, Step, string, number])[] = [
    ['401', { fault: 'status', status: 401 }, 'auth', 1],
    ['402', { fault: 'status', status: 402 }, 'quota', 1],
    ['403', { fault: 'status', status: 403 }, 'auth', 1],
    ['404', { fault: 'status', status: 404 }, 'model_missing', 1],
    ['413', { fault: 'status', status: 413 }, 'context_too_long', 1],
    ['429', { fault: 'status', status: 429, headers: { 'retry-after': '1' } }, 'rate_limited', 3],
    [
      '429 for a minute and more',
      { fault: 'status', status: 429, headers: { 'retry-after': '3600' } },
      'rate_limited',
      1,
    ],
    [
      '429 of an empty account',
      { fault: 'status', status: 429, body: '{"error":{"type":"insufficient_quota","message":"x"}}' },
      'quota',
      1,
    ],
    [
      'a full context',
      { fault: 'status', status: 400, body: '{"error":{"code":"context_length_exceeded","message":"x"}}' },
      'context_too_long',
      1,
    ],
    ['400', { fault: 'status', status: 400, body: '{"error":"as LM Studio says it"}' }, 'bad_request', 1],
    ['500', { fault: 'status', status: 500 }, 'overloaded', 3],
    [
      '503 in HTML',
      { fault: 'status', status: 503, body: '<h1>Loading model</h1>', headers: { 'content-type': 'text/html' } },
      'overloaded',
      3,
    ],
    ['a redirect', { fault: 'redirect', to: 'http://127.0.0.1:9/v1/elsewhere' }, 'blocked', 1],
    ['a page of a router', { fault: 'html' }, 'malformed', 2],
    ['nothing at all', { fault: 'empty' }, 'malformed', 2],
    ['a connection that is cut before the answer', { fault: 'cut-at-once' }, 'cut', 2],
    ['a connection that is cut in the answer', { fault: 'cut' }, 'cut', 2],
    ['an end without an end', { fault: 'no-end' }, kind === 'anthropic' ? 'cut' : 'malformed', 2],
    ['a chunk that is no JSON', { fault: 'bad-chunk' }, 'malformed', 2],
    ['an error in the middle', { fault: 'error-inside' }, 'overloaded', 3],
    ['a refusal', { fault: 'refusal' }, 'refused', 1],
    ['an answer without end', { fault: 'endless' }, 'too_much', 1],
    ['a line without end', { fault: 'long-line' }, 'too_much', 1],
    ['an answer of blanks', { text: '   \n ' }, 'malformed', 2],
  ]
  test.each(refusals)('%s ends in a class and a sentence, settled', (_, step, failureClass, attempts) =>
    shared.alone(async () => {
      const { failed, calls } = ready(kind)
      fake.always(step)
      const failure = await failed()
      expect([failure.failureClass, calls().length]).toEqual([failureClass, attempts])
      expect(failure.message).toMatch(/^[A-Z].*[.?]$/s)
      expect(failure.message + JSON.stringify(failure)).not.toMatch(/the mill|As it was told|chronicle/)
      expect(calls().every((row) => row.state === 'settled' && row.failure === failureClass)).toBe(true)
    })(),
  )

  test(
    'that stumbles once is asked again, and what came before is void',
    shared.alone(async () => {
      const { model, request, calls } = ready(
        kind,
        { fault: 'cut' },
        { fault: 'status', status: 500 },
        { text: 'At last.' },
      )
      const heard: (string | null)[] = []
      expect((await model.generate({ ...request, onText: (text) => heard.push(text) })).text).toBe('At last.')
      expect(heard.slice(heard.lastIndexOf(null) + 1).join('')).toBe('At last.')
      expect(calls().map(({ attempt, failure, opens_run }) => [attempt, failure, opens_run])).toEqual([
        [1, 'cut', 1],
        [2, 'overloaded', 0],
        [3, null, 0],
      ])
    }),
  )

  test.each(['slow', 'comments', 'drip'] as const)('%s: time runs out', (fault) =>
    shared.alone(async () => {
      const { failed, calls } = ready(kind)
      fake.always({ fault })
      wait = { ...patience.local, first: 150, silence: 150 }
      expect((await failed()).failureClass).toBe('timeout')
      expect(calls().every(({ state }) => state === 'settled')).toBe(true)
      // Whoever has begun to answer is not asked twice.
      expect(calls()).toHaveLength(fault === 'drip' ? 1 : 2)
    })(),
  )

  test(
    'is left alone as soon as nobody waits any more',
    shared.alone(async () => {
      const { failed, calls } = ready(kind, { fault: 'slow' })
      const leaving = new AbortController()
      const failing = failed({ signal: leaving.signal })
      await fake.until(1)
      leaving.abort()
      expect((await failing).failureClass).toBe('cancelled')
      expect(calls()).toMatchObject([{ state: 'settled', failure: 'cancelled', source: 'estimated' }])
    }),
  )

  test(
    'answers values: by schema where the endpoint can, else in words, remembered',
    shared.alone(async () => {
      const { model, request } = ready(kind)
      const person = z.strictObject({ name: z.string().max(40), trade: z.string().max(40).optional() })
      const shape: ModelShape<z.output<typeof person>> = {
        name: 'person',
        schema: modelSchema(person),
        check(value) {
          const read = person.safeParse(value)
          return read.success
            ? { ok: true, value: read.data }
            : { ok: false, problems: read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`) }
        },
      }
      expect((await model.generateValue(request, shape)).value).toMatchObject({ name: 'A sample name' })
      fake.reset()
      const refused: Step = {
        fault: 'status',
        status: 400,
        body: '{"error":{"message":"response_format json_schema is not supported"}}',
      }
      const told = '<think>Hm, {"name":1}?</think>Here:\n```json\n{"name":"Hob","trade":null}\n```'
      fake.script(refused, refused, refused, { text: told })
      const { value } = await model.generateValue(request, shape)
      expect(value).toEqual({ name: 'Hob' })
      expect(fake.requests).toHaveLength(4)
      fake.script({ text: '{"name":"Nettie"}' })
      expect((await model.generateValue(request, shape)).value).toEqual({ name: 'Nettie' })
      expect(fake.requests).toHaveLength(5)
      // Wrong twice, told so, and right at last.
      fake.script({ text: '{"name":12}' }, { text: 'no JSON' }, { text: '{"name":"Marta"}' })
      expect((await model.generateValue(request, shape)).value).toEqual({ name: 'Marta' })
      expect(JSON.parse(fake.requests.at(-1)?.body ?? '').messages.at(-1)).toMatchObject({ role: 'user' })
      // Wrong in the same way again: it is not asked a third time.
      fake.script({ text: '{"name":12}' }, { text: '{"name":13}' })
      const before = fake.requests.length
      const thrown = await model.generateValue(request, shape).catch((error: unknown) => error)
      expect(thrown).toMatchObject({ failureClass: 'malformed', message: expect.stringContaining('(name)') })
      expect(fake.requests.length).toBe(before + 2)
    }),
  )
})

describe('a budget', () => {
  test(
    'that is spent opens no socket, and what is open counts',
    shared.alone(async () => {
      const { failed, request, model, calls } = ready('openai_compatible')
      expect((await failed({ budget: { tokens: 0, since: null } })).failureClass).toBe('budget_exhausted')
      expect((await failed({ budget: { tokens: 90, since: null } })).failureClass).toBe('budget_exhausted')
      expect([fake.requests.length, calls().length]).toEqual([0, 0])
      fake.script({ fault: 'slow' })
      const leaving = new AbortController()
      const open = failed({ budget: { tokens: 560, since: null }, signal: leaving.signal })
      await fake.until(1)
      expect((await failed({ budget: { tokens: 560, since: null } })).failureClass).toBe('budget_exhausted')
      leaving.abort()
      await open
      const { text } = await model.generate({ ...request, budget: { tokens: 560, since: null } })
      expect(text).toContain('kettle')
      // Less is asked for where less is left.
      await model.generate({ ...request, budget: { tokens: 250, since: null } })
      expect(JSON.parse(fake.requests.at(-1)?.body ?? '').max_tokens).toBeLessThan(250)
    }),
  )

  test(
    'of the whole server counts all campaigns of the month',
    shared.alone(async () => {
      const { failed, app, model, request } = ready('openai_compatible')
      app.store().run('UPDATE ai_providers SET monthly_tokens = 1000')
      await model.generate(request)
      app.store().run('UPDATE model_calls SET counted = 990')
      expect((await failed()).failureClass).toBe('budget_exhausted')
      app.store().run("UPDATE model_calls SET day = '2026-10-31'")
      await model.generate(request)
    }),
  )
})

describe('no provider', () => {
  test(
    'throws before there is a socket, and says who can change that',
    shared.alone(async () => {
      const { failed, app, model } = ready('openai_compatible')
      app.store().run('DELETE FROM ai_providers')
      const failure = await failed()
      expect(failure).toMatchObject({ failureClass: 'no_provider', message: expect.stringContaining('administrator') })
      expect(model.status()).toMatchObject({ kind: 'none', ready: false, external: false })
      expect(fake.requests).toEqual([])
    }),
  )
})
