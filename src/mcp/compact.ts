import type { CallToolResult, Tool } from '@modelcontextprotocol/server'
import * as z from 'zod'
import { fail } from '../kernel/errors.ts'
import { parseInput } from '../kernel/input.ts'
import type { Caller, McpParts } from './caller.ts'
import { callOperation, callTool, resultOf, type ToolRequest } from './calls.ts'
import { invalidParams } from './errors.ts'
import { inputHint } from './input-hint.ts'
import { inputSchemaOf } from './input-schema.ts'
import type { ToolEntry, ToolTable } from './tools.ts'
import type { Selection } from './toolsets.ts'

// `?mode=compact`: three tools in place of the whole catalogue, for hosts that take few tools or small contexts. They
// are another way to the same calls, not other operations, so they are no part of the catalogue.

const most = { found: 50, described: 20, query: 200, name: 64 } as const
const standardFound = 12

const toolName = z.string().min(1).max(most.name)
const inputs = {
  search_tools: z.strictObject({
    query: z
      .string()
      .max(most.query)
      .describe('Words for what you want to do: "hit points", "create quest", "combat".'),
    limit: z.int().min(1).max(most.found).optional(),
  }),
  describe_tools: z.strictObject({ names: z.array(toolName).min(1).max(most.described) }),
  call_tool: z.strictObject({
    name: toolName,
    input: z.record(z.string(), z.unknown()).optional().describe('Exactly the arguments of that tool.'),
  }),
} as const
type CompactName = keyof typeof inputs

const search: Tool = {
  name: 'search_tools',
  title: 'Search tools',
  description: 'Finds tools by words: name, what it does, its arguments on one line. list_* tools find ids.',
  inputSchema: inputSchemaOf(inputs.search_tools),
  annotations: { readOnlyHint: true, openWorldHint: false },
}
const describe: Tool = {
  name: 'describe_tools',
  title: 'Describe tools',
  description: 'Full input schemas of tools, by their names.',
  inputSchema: inputSchemaOf(inputs.describe_tools),
  annotations: { readOnlyHint: true, openWorldHint: false },
}
const call: Tool = {
  name: 'call_tool',
  title: 'Call a tool',
  description: 'Calls a tool that search_tools found. Its input is checked strictly; errors say what to change.',
  inputSchema: inputSchemaOf(inputs.call_tool),
  annotations: { destructiveHint: true },
}
const whole = [search, describe, call]
const readOnly = [search, describe, { ...call, annotations: { readOnlyHint: true } }]

export function compactTools(selection: Pick<Selection, 'readOnly'>): Tool[] {
  return selection.readOnly ? readOnly : whole
}

/** What tells of the changes that are not listed, beside those of every day. */
const finders = [search, describe]

/** The tools as a selection shows them. */
export function shownTools(table: ToolTable, selection: Selection): Tool[] {
  if (selection.compact) return compactTools(selection)
  const listed = table.list(selection)
  return hasFinders(table, selection) ? [...listed, ...finders] : listed
}

/** Whether more can be asked for than is listed. */
export function hasFinders(table: ToolTable, selection: Selection): boolean {
  return selection.everyday && table.select(selection).some(({ tool }) => tool.name === 'create_proposal')
}

/** One call of what a selection shows. */
export function callShown(
  parts: McpParts,
  table: ToolTable,
  caller: Caller,
  request: ToolRequest,
): Promise<CallToolResult> {
  const { selection } = caller
  if (selection.compact) return callCompact(parts, table, caller, request)
  if (!hasFinders(table, selection) || !finders.some(({ name }) => name === request.name))
    return callTool(parts, table, caller, request)
  return find(parts, table.select({ ...selection, everyday: false }), caller, request)
}

/**
 * One call of one of the three. What `call_tool` runs goes the way of every tool call. A selection narrows it as well:
 * elsewhere the host keeps its model to what was listed, and here nobody stands in between.
 */
export async function callCompact(
  parts: McpParts,
  table: ToolTable,
  caller: Caller,
  request: ToolRequest,
): Promise<CallToolResult> {
  const { name, arguments: given } = request
  if (!isCompactName(name)) {
    throw invalidParams(
      'not_found',
      `There is no tool ${name.slice(0, most.name)} in compact mode. search_tools finds tools and call_tool calls them.`,
    )
  }
  const listed = table.select(caller.selection)
  if (name !== 'call_tool') return find(parts, listed, caller, request)
  const called = inputs.call_tool.safeParse(given ?? {})
  const entry = called.success ? listed.find(({ tool }) => tool.name === called.data.name) : undefined
  if (!called.success || entry === undefined) {
    return resultOf(parts, caller, name, async () => {
      throw unknown([parseInput(inputs.call_tool, given).name])
    })
  }
  return callOperation(parts, caller, entry.operation, { arguments: called.data.input, _meta: request._meta })
}

/** What the two tools that find others answer, of those that are listed. */
function find(
  parts: McpParts,
  listed: readonly ToolEntry[],
  caller: Caller,
  { name, arguments: given }: ToolRequest,
): Promise<CallToolResult> {
  return resultOf(parts, caller, name, async () =>
    name === 'search_tools'
      ? found(listed, parseInput(inputs.search_tools, given))
      : described(listed, parseInput(inputs.describe_tools, given)),
  )
}

function isCompactName(name: string): name is CompactName {
  return Object.hasOwn(inputs, name)
}

/** The tools that fit best, and how many fit at all. Without a word to look for, the first ones of all. */
function found(listed: readonly ToolEntry[], { query, limit }: z.output<typeof inputs.search_tools>): object {
  const asked = wordsOf(query)
  const ranked = listed
    .map((entry) => ({ entry, fit: fitOf(entry, asked) }))
    .filter(({ fit }) => asked.length === 0 || fit > 0)
    .sort((one, other) => other.fit - one.fit)
  const tools = ranked.slice(0, limit ?? standardFound).map(({ entry: { tool, operation } }) => ({
    name: tool.name,
    title: tool.title,
    description: tool.description,
    toolset: operation.toolset,
    input: inputHint(tool),
  }))
  if (tools.length > 0) return { tools, found: ranked.length }
  const toolsets = Array.from(new Set(listed.map(({ operation }) => operation.toolset)))
  return { tools, found: 0, hint: `Nothing fits. Try one of the toolsets: ${toolsets.join(', ')}.` }
}

function described(listed: readonly ToolEntry[], { names }: z.output<typeof inputs.describe_tools>): object {
  const tools = listed.filter(({ tool }) => names.includes(tool.name)).map(({ tool }) => tool)
  const missing = names.filter((name) => !tools.some((tool) => tool.name === name))
  if (tools.length === 0) throw unknown(missing)
  return missing.length === 0 ? { tools } : { tools, unknown: missing }
}

function unknown(names: readonly string[]): Error {
  return fail('not_found', `There is no tool ${names.join(', ')} here. search_tools finds names.`)
}

/** Each word asked for counts once, where it fits best: in the name, the toolset, or the description. */
function fitOf({ tool, operation }: ToolEntry, asked: readonly string[]): number {
  const name = wordsOf(`${tool.name} ${tool.title ?? ''}`)
  const description = wordsOf(tool.description ?? '')
  const fits = asked.map((word) => {
    if (name.includes(word)) return 8
    if (word === operation.toolset) return 5
    if (word.length > 2 && name.some((each) => each.startsWith(word))) return 4
    if (description.includes(word)) return 3
    return word.length > 2 && description.some((each) => each.startsWith(word)) ? 1 : 0
  })
  const total = fits.reduce<number>((sum, fit) => sum + fit, 0)
  // A tool that has all the words is before one that has a single one in its name.
  return fits.every((fit) => fit > 0) ? total * 2 : total
}

/** Words without their plural, so that "quests" finds create_quest. */
function wordsOf(text: string): readonly string[] {
  const words = text.toLowerCase().split(/[^\p{L}\p{N}]+/u)
  return words
    .filter((word) => word !== '')
    .map((word) =>
      word.length > 4 && word.endsWith('ies')
        ? `${word.slice(0, -3)}y`
        : word.length > 3
          ? word.replace(/s$/, '')
          : word,
    )
}
