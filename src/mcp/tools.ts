import type { Tool, ToolAnnotations } from '@modelcontextprotocol/server'
import { type AnyOperation, routeOf } from '../kernel/operation.ts'
import { inputSchemaOf } from './input-schema.ts'
import { isSelected, type Selection } from './toolsets.ts'

export interface ToolEntry {
  readonly operation: AnyOperation
  readonly tool: Tool
}

export interface ToolTable {
  /** What is selected, in the order of the catalogue. */
  select(selection: Selection): readonly ToolEntry[]
  /** The whole selection on one page, in the order of the catalogue: v1 clients read the first page only. */
  list(selection: Selection): Tool[]
  find(name: string): AnyOperation | undefined
}

/** Makes every tool once; a request only filters. */
export function createToolTable(operations: Iterable<AnyOperation>): ToolTable {
  const entries = Array.from(operations)
    .filter(({ mcp }) => mcp === undefined)
    .map((operation): ToolEntry => ({ operation, tool: toolOf(operation) }))
  const byName = new Map(entries.map(({ operation }) => [operation.name, operation]))
  const select: ToolTable['select'] = (selection) => entries.filter(({ operation }) => isSelected(selection, operation))
  return {
    select,
    list: (selection) => select(selection).map(({ tool }) => tool),
    find: (name) => byName.get(name),
  }
}

/** No output schema: it costs a quarter more bytes, and v1 clients refuse an error result that does not fit it. */
function toolOf(operation: AnyOperation): Tool {
  const { name, title, description, input } = operation
  return { name, title, description, inputSchema: inputSchemaOf(input), annotations: annotationsOf(operation) }
}

/** `readOnlyHint` or `destructiveHint` on every tool, since directories ask for one; the rest only where it differs from the protocol's default. */
function annotationsOf({ effect, route }: AnyOperation): ToolAnnotations {
  if (effect === 'read') return { readOnlyHint: true }
  const { method } = routeOf(route)
  const destructive: ToolAnnotations = { destructiveHint: effect === 'destroy' }
  return method === 'PUT' || method === 'DELETE' ? { ...destructive, idempotentHint: true } : destructive
}
