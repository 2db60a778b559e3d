import type { CallToolResult } from '@modelcontextprotocol/server'
import * as z from 'zod'
import { nearest } from '../kernel/edit-distance.ts'
import { type ErrorBody, errorBody, Failure, fail } from '../kernel/errors.ts'
import { execute } from '../kernel/execute.ts'
import { prose } from '../kernel/fields.ts'
import { parseInput } from '../kernel/input.ts'
import { leanAnswer, leanMembers, longestPage, shortestPage } from '../kernel/lean.ts'
import { limits } from '../kernel/limits.ts'
import type { AnyOperation } from '../kernel/operation.ts'
import type { Caller, McpParts } from './caller.ts'
import { withCampaign } from './campaign-of-call.ts'
import { invalidParams } from './errors.ts'
import type { ToolTable } from './tools.ts'

export interface ToolRequest {
  readonly name: string
  readonly arguments?: Readonly<Record<string, unknown>> | undefined
  readonly _meta?: Readonly<Record<string, unknown>> | undefined
}

const idempotencyKey = z
  .string()
  .max(limits.idempotencyKey)
  .regex(/^[\x21-\x7e]+$/, 'visible ASCII characters')
const callFacts = z.object({
  'talekeeper/idempotencyKey': idempotencyKey.optional(),
  'talekeeper/reason': prose(limits.reason).optional(),
})

/**
 * One tool call. What the operation refuses is a result that a language model reads (`isError`), with the error object
 * of every interface as its text (SPEC 4.1); only a tool that does not exist is a JSON-RPC error.
 */
export async function callTool(
  parts: McpParts,
  table: ToolTable,
  caller: Caller,
  request: ToolRequest,
): Promise<CallToolResult> {
  const operation = table.find(request.name)
  if (operation === undefined) {
    const near = nearest(request.name.slice(0, 64), [...table.byName.keys()])
    const hint = near === null ? 'tools/list names them all.' : `Did you mean ${near}?`
    throw invalidParams('not_found', `There is no tool ${request.name.slice(0, 64)}. ${hint}`)
  }
  return callOperation(parts, caller, operation, request)
}

export function callOperation(
  parts: McpParts,
  caller: Caller,
  operation: AnyOperation,
  request: Omit<ToolRequest, 'name'>,
): Promise<CallToolResult> {
  if (operation.anonymous) caller.onAnonymous()
  if (operation.effect !== 'read') caller.onChange()
  return resultOf(parts, caller, operation.name, async () => {
    if (caller.selection.readOnly && operation.effect !== 'read')
      throw fail('write_mode', 'This connection may only read.')
    const { actor, requestId, signal } = caller
    const { idempotencyKey, reason } = factsOf(operation, request)
    const call = { actor, door: 'mcp', idempotencyKey, reason, requestId, signal } as const
    const run = (input: object) => execute(parts.system(), operation, input, call)
    const input = ofOperation(operation, await withCampaign(parts, caller, operation, request.arguments ?? {}))
    const outcome = await run(input)
    if (outcome.status === 'proposed') return { status: outcome.status, ...leanMembers(outcome.output) }
    const answer = leanAnswer(operation, outcome, input)
    return operation.effect === 'read'
      ? withinPage(answer, pageSize(input), async (limit) => leanAnswer(operation, await run({ ...input, limit })))
      : answer
  })
}

/**
 * Without what every tool of its kind takes, as the instructions say, and this operation has no use for: `view` of a list
 * whose rows have no long texts, since both views are the same; the idempotency key of a change, which is of the call.
 */
function ofOperation(
  { effect, input: { shape } }: AnyOperation,
  input: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> {
  const { view, idempotencyKey, ...rest } = input
  const isIdleView = 'cursor' in shape && !('view' in shape) && (view === 'brief' || view === 'full')
  const isIdleKey = effect !== 'read' && idempotencyKey !== undefined && !('idempotencyKey' in shape)
  if (!isIdleView && !isIdleKey) return input
  return {
    ...rest,
    ...(isIdleView || view === undefined ? {} : { view }),
    ...(isIdleKey || idempotencyKey === undefined ? {} : { idempotencyKey }),
  }
}

/** A page of a list that is too long for a language model is asked for again, with as many rows as will fit. */
async function withinPage(answer: unknown, most: number, again: (limit: number) => Promise<unknown>): Promise<unknown> {
  const { items } = answer as { readonly items?: unknown }
  if (!Array.isArray(items) || items.length < 2) return answer
  const size = JSON.stringify(answer).length
  if (size <= most) return answer
  // Rows differ in length: a little fewer than the average says.
  const limit = Math.max(1, Math.min(items.length - 1, Math.floor((items.length * most * 0.9) / size)))
  return withinPage(await again(limit), most, again)
}

/** Characters that a page may have, by what was asked for. */
function pageSize(input: { readonly view?: unknown; readonly limit?: unknown }): number {
  return input.view === 'full' || input.limit !== undefined ? longestPage : shortestPage
}

/** What `work` answers as a tool's result, or what it throws as an error object. Nobody is told more of an unforeseen failure than its id. */
export async function resultOf(
  { log }: Pick<McpParts, 'log'>,
  { requestId }: Pick<Caller, 'requestId'>,
  tool: string,
  work: () => Promise<unknown>,
): Promise<CallToolResult> {
  try {
    return textResult(await work())
  } catch (thrown) {
    if (!(thrown instanceof Failure)) log.error({ err: thrown, requestId, tool }, 'a tool call failed unexpectedly')
    return { ...textResult(errorBody(thrown, requestId) satisfies ErrorBody), isError: true }
  }
}

/** The key is an argument of every change, or travels beside the arguments, like the reason. */
function factsOf(
  operation: AnyOperation,
  request: Omit<ToolRequest, 'name'>,
): { readonly idempotencyKey: string | null; readonly reason: string | null } {
  const facts = parseInput(callFacts, request._meta)
  const listed = operation.effect === 'read' ? undefined : request.arguments?.idempotencyKey
  const key =
    listed === undefined
      ? facts['talekeeper/idempotencyKey']
      : parseInput(z.object({ idempotencyKey }), { idempotencyKey: listed }).idempotencyKey
  return { idempotencyKey: key ?? null, reason: facts['talekeeper/reason']?.trim() || null }
}

/** Text only: `structuredContent` would have to fit an output schema, and there is none. */
function textResult(value: unknown): CallToolResult {
  return { content: [{ type: 'text', text: JSON.stringify(value) }] }
}
