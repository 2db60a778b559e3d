import {
  type ModelAnswer,
  ModelFailure,
  type ModelMessage,
  type ModelPort,
  type ModelShape,
  type ModelUsage,
} from '../kernel/model-port.ts'
import type { Asked } from './attempt.ts'
import { FormatRefused } from './failures.ts'
import { objectIn, withoutNulls } from './json-answer.ts'
import { sum } from './tokens.ts'

// One JSON value of a given form. What an endpoint is able to do is tried from the best way down, and remembered:
//
//   schema   it holds the model to the schema by itself
//   tool     the answer is the arguments of the one tool that is offered
//   json     it holds the model to JSON, and the schema is told in words
//   words    nothing but words
//
// Whatever the way, the answer is judged by what the product accepts. What is wrong with it is told to the model, twice at most.

const ways = ['schema', 'tool', 'json', 'words'] as const
type Way = (typeof ways)[number]

export const answerTool = 'file_draft'
const mostRepairs = 2
const mostProblems = 10
/** How much of a wrong answer the model is shown again, in characters. */
const mostShown = 4096

interface StructuredParts {
  /** Throws ModelFailure, and FormatRefused where the endpoint cannot answer in that form. */
  ask(asked: Asked): Promise<ModelAnswer>
  /** Names endpoint and model. Throws ModelFailure where there is none. */
  endpoint(): string
}

export function createStructured({ ask, endpoint }: StructuredParts): ModelPort['generateValue'] {
  const known = new Map<string, Way>()

  return async function generateValue<T>(
    request: Parameters<ModelPort['generateValue']>[0],
    shape: ModelShape<T>,
  ): Promise<{ readonly value: T; readonly usage: ModelUsage; readonly warnings: readonly string[] }> {
    let usage: ModelUsage = { input: 0, output: 0, source: 'reported' }
    let messages = request.messages
    let before = ''
    for (let repairs = 0; ; ) {
      const at = endpoint()
      const way = known.get(at) ?? 'schema'
      let answer: ModelAnswer
      try {
        answer = await ask({ ...request, ...askedBy(way, shape, messages) })
      } catch (error) {
        const next = ways[ways.indexOf(way) + 1]
        if (error instanceof FormatRefused && next !== undefined) {
          known.set(at, next)
          continue
        }
        if (error instanceof ModelFailure)
          throw new ModelFailure(error.failureClass, error.message, sum(usage, error.usage))
        throw error
      }
      known.set(at, way)
      usage = sum(usage, answer.usage)
      const judged = judge(shape, answer)
      if (judged.ok) return { value: judged.value, usage, warnings: answer.warnings }
      const problems = judged.problems.slice(0, mostProblems).join('\n')
      if (repairs === mostRepairs || problems === before)
        throw new ModelFailure('malformed', sentence(judged.problems), usage)
      before = problems
      repairs += 1
      messages = [
        ...messages,
        { role: 'assistant', text: shownAgain(answer) },
        { role: 'user', text: repairOf(problems) },
      ]
    }
  }
}

function askedBy(
  way: Way,
  { name, schema }: ModelShape<unknown>,
  messages: readonly ModelMessage[],
): Pick<Asked, 'messages' | 'tools' | 'format'> {
  switch (way) {
    case 'schema':
      return { messages, tools: [], format: { name, schema } }
    case 'tool':
      return {
        messages: withRule(messages, `Answer by calling ${answerTool}, and with nothing else.`),
        tools: [{ name: answerTool, description: 'Files the answer.', parameters: schema }],
        format: null,
      }
    case 'json':
    case 'words': {
      const rule = `Answer with one JSON object and nothing else. It must fit this JSON schema:\n${JSON.stringify(schema)}`
      return { messages: withRule(messages, rule), tools: [], format: way === 'json' ? 'json' : null }
    }
  }
}

/** A rule of ours among the instructions, never among what people wrote. */
function withRule(messages: readonly ModelMessage[], rule: string): readonly ModelMessage[] {
  const [first, ...rest] = messages
  if (first?.role !== 'system') return [{ role: 'system', text: rule }, ...messages]
  return [{ role: 'system', text: `${first.text}\n\n${rule}` }, ...rest]
}

function judge<T>(
  { check }: ModelShape<T>,
  { text, toolCalls, finish }: ModelAnswer,
): ReturnType<ModelShape<T>['check']> {
  if (finish === 'length')
    return { ok: false, problems: ['answer: it was cut off at its greatest length; answer in fewer words'] }
  const called = toolCalls.find(({ name }) => name === answerTool)
  const found = objectIn(called?.argumentsText ?? text)
  if (found === null) return { ok: false, problems: ['answer: it has no whole JSON object'] }
  return check(withoutNulls(found))
}

function shownAgain({ text, toolCalls }: ModelAnswer): string {
  const said = text.trim() === '' ? (toolCalls[0]?.argumentsText ?? '') : text
  return said.trim() === '' ? '(nothing)' : said.slice(0, mostShown)
}

function repairOf(problems: string): string {
  return `That cannot be used:\n${problems}\nAnswer again with one JSON object that is right in all of this.`
}

/** Names the members and nothing of what was answered. */
function sentence(problems: readonly string[]): string {
  const paths = Array.from(new Set(problems.map((each) => each.split(':', 1)[0] ?? ''))).slice(0, 6)
  return `What the model answered cannot be used, even after it was told why (${paths.join(', ')}). Nothing was filed. Try again in other words, or with another model.`
}
